//! Rhai's values to and from ours.

use std::{collections::BTreeMap, sync::Arc};

use glam::Vec3;
use rhai::{Array, Dynamic, FnPtr, ImmutableString, Map};
use sinew_world::{ActorId, Data};

use crate::{
    allowance::{Allowance, MAX_DEPTH},
    api::ApiError,
    language::ScriptGraph,
    properties::Props,
    value::Value,
};

/// A service such as `world`, as a value with methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Service(pub &'static str);

/// A graph in a script's hands.
#[derive(Clone, Debug)]
pub(super) struct GraphHandle(pub ScriptGraph);

/// `this.props`: values by name, unknown names are errors, actors are looked up when read.
#[derive(Clone)]
pub(super) struct PropsValue {
    pub values: Arc<BTreeMap<String, Dynamic>>,
    pub known: Arc<Props>,
}

/// The text of a value, if it is one; its copy costs a count.
pub(super) fn text_of(value: &Dynamic) -> Option<ImmutableString> {
    value
        .read_lock::<ImmutableString>()
        .map(|text| text.clone())
}

/// Our value for the simple kinds; arrays and maps are [`Value::Other`] here.
pub(super) fn simple<'a>(value: &Dynamic, text: Option<&'a str>) -> Value<'a> {
    if let Some(text) = text {
        return Value::Text(text);
    }
    if value.is_unit() {
        return Value::Nil;
    }
    if let Ok(value) = value.as_bool() {
        return Value::Bool(value);
    }
    if let Ok(value) = value.as_int() {
        return Value::Int(value);
    }
    if let Ok(value) = value.as_float() {
        return Value::Number(value);
    }
    if let Some(value) = value.read_lock::<Vec3>() {
        return Value::Vec3(*value);
    }
    if let Some(value) = value.read_lock::<ActorId>() {
        return Value::Actor(*value);
    }
    Value::Other(kind(value))
}

/// What a value is called in messages.
pub(super) fn kind(value: &Dynamic) -> &'static str {
    if value.is::<FnPtr>() {
        "a function"
    } else if value
        .read_lock::<Array>()
        .is_some_and(|items| !items.is_empty())
    {
        "a list"
    } else if value.is_map() || value.is_array() {
        "a table"
    } else if value.is::<GraphHandle>() {
        "a graph"
    } else if value.is_string() {
        "text"
    } else if value.is_unit() {
        "nothing"
    } else if value.is_bool() {
        "true or false"
    } else if value.is_int() || value.is_float() {
        "a number"
    } else {
        "something of Rhai's own"
    }
}

/// A copy of a value as plain data.
pub(super) fn data_of(value: &Dynamic) -> Result<Data, ApiError> {
    data_allowed(value, &mut Allowance::default())
}

/// As [`data_of`], with what is left of an allowance.
pub(super) fn data_allowed(value: &Dynamic, left: &mut Allowance) -> Result<Data, ApiError> {
    data_within(value, MAX_DEPTH, left)
}

fn data_within(value: &Dynamic, depth: usize, left: &mut Allowance) -> Result<Data, ApiError> {
    left.value()?;
    let deeper = || {
        depth.checked_sub(1).ok_or_else(|| {
            ApiError::new(
                "E-SCRIPT-DATA",
                format!("tables are nested deeper than {MAX_DEPTH} levels"),
            )
            .help("does a table hold itself?")
        })
    };
    if let Some(items) = value.read_lock::<Array>() {
        let depth = deeper()?;
        return Ok(Data::List(
            items
                .iter()
                .map(|item| data_within(item, depth, left))
                .collect::<Result<_, _>>()?,
        ));
    }
    if let Some(map) = value.read_lock::<Map>() {
        let depth = deeper()?;
        let entries = map.iter().map(|(key, value)| {
            left.text(key.len())?;
            Ok((key.to_string(), data_within(value, depth, left)?))
        });
        return Ok(Data::Map(entries.collect::<Result<_, ApiError>>()?));
    }
    let text = text_of(value);
    left.text(text.as_ref().map_or(0, |text| text.len()))?;
    Ok(match simple(value, text.as_deref()) {
        Value::Nil => Data::Nil,
        Value::Bool(value) => Data::Bool(value),
        Value::Int(value) => Data::Int(value),
        Value::Number(value) => Data::Number(value),
        Value::Vec3(value) => Data::Vec3(value),
        Value::Text(text) => Data::Text(text.to_owned()),
        Value::Actor(id) => Data::Actor(id),
        Value::Data(data) => data.clone(),
        other @ (Value::Graph(_) | Value::Other(_)) => {
            let message = format!("{} is no plain data", other.words());
            return Err(ApiError::new("E-SCRIPT-DATA", message)
                .help("plain data are numbers, text, true and false, vectors, actors, and lists and tables of them"));
        }
    })
}

/// A Rhai value of plain data.
pub(super) fn native(data: &Data) -> Dynamic {
    match data {
        Data::Nil => Dynamic::UNIT,
        Data::Bool(value) => (*value).into(),
        Data::Int(value) => (*value).into(),
        Data::Number(value) => (*value).into(),
        Data::Vec3(value) => Dynamic::from(*value),
        Data::Text(text) => text.as_str().into(),
        Data::Actor(id) => Dynamic::from(*id),
        Data::List(items) => items.iter().map(native).collect::<Array>().into(),
        Data::Map(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| (key.as_str().into(), native(value)));
            entries.collect::<Map>().into()
        }
    }
}

/// A Rhai value of an argument of a callback.
pub(super) fn argument(value: &Value<'_>) -> Dynamic {
    match value {
        Value::Nil | Value::Graph(_) | Value::Other(_) => Dynamic::UNIT,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Number(value) => (*value).into(),
        Value::Vec3(value) => Dynamic::from(*value),
        Value::Text(text) => (*text).into(),
        Value::Actor(id) => Dynamic::from(*id),
        Value::Data(data) => native(data),
    }
}
