//! Plain data: what properties, messages and script fields are made of wherever they are kept or copied.

use std::collections::BTreeMap;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::ActorId;

/// A value without code in it. Maps are in key order, so equal data is equal wherever it is walked.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub enum Data {
    /// No value.
    #[default]
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number of a language that tells them apart.
    Int(i64),
    /// Any other number.
    #[serde(with = "crate::exact::number")]
    Number(f64),
    /// Three numbers; metres where it is a place.
    #[serde(with = "crate::exact::vector")]
    Vec3(Vec3),
    /// Text.
    Text(String),
    /// An actor's handle.
    Actor(ActorId),
    /// Values in order.
    List(Vec<Data>),
    /// Values by name.
    Map(BTreeMap<String, Data>),
}

impl Data {
    /// The value as a number, whole or not.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Data::Int(value) => Some(value as f64),
            Data::Number(value) => Some(value),
            _ => None,
        }
    }

    /// What the kind is called in messages to people.
    pub fn kind(&self) -> &'static str {
        match self {
            Data::Nil => "nothing",
            Data::Bool(_) => "true or false",
            Data::Int(_) | Data::Number(_) => "a number",
            Data::Vec3(_) => "a vector",
            Data::Text(_) => "text",
            Data::Actor(_) => "an actor",
            Data::List(_) => "a list",
            Data::Map(_) => "a table",
        }
    }
}
