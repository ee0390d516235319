//! Parameters as written.

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess};
use serde::{Deserialize, Serialize};

use super::forms::{Forms, forms};

/// A parameter: a number (a float), true or false, "trigger", or a table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ParameterDef {
    /// A float that begins at this value.
    Number(f32),
    /// A bool that begins at this value.
    Bool(bool),
    /// A trigger.
    Word(TriggerWord),
    /// All that can be said of one.
    Table(ParameterTable),
}

/// The word "trigger".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerWord {
    /// A trigger that waits 0.25 s.
    Trigger,
}

impl Forms for ParameterDef {
    const EXPECTED: &'static str = "a number, true, false, \"trigger\" or a table";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "trigger" => Ok(Self::Word(TriggerWord::Trigger)),
            _ => Err(&["trigger"]),
        })
    }

    fn number(number: f64) -> Option<Self> {
        Some(Self::Number(number as f32))
    }

    fn flag(flag: bool) -> Option<Self> {
        Some(Self::Bool(flag))
    }

    fn table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        ParameterTable::deserialize(MapAccessDeserializer::new(table)).map(Self::Table)
    }
}

impl<'de> Deserialize<'de> for ParameterDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// A parameter, in full.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterTable {
    /// What it holds; told from `value` or `source` unless given.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<ParameterKind>,
    /// Where it begins; 0 or false unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<NumberOrBool>,
    /// Lowest value; what is set below it is raised to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min: Option<f32>,
    /// Highest value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max: Option<f32>,
    /// Triggers: seconds that one waits to be used, or "forever"; 0.25 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ttl: Option<TtlDef>,
    /// What of the actor's motion feeds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<ParameterSource>,
    /// Patches only: takes the parameter out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}

/// What a parameter holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// A number.
    Float,
    /// A whole number.
    Int,
    /// True or false.
    Bool,
    /// Set once, cleared by the transition that uses it or when its time is over.
    Trigger,
}

/// What of an actor's motion feeds a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterSource {
    /// Horizontal speed that was achieved, metres a second.
    Speed,
    /// Upward speed that was achieved, metres a second.
    VerticalSpeed,
    /// Turning to the left that was achieved, degrees a second.
    YawRate,
    /// Whether it stands on ground.
    Grounded,
}

/// A number or a bool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NumberOrBool {
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
}

impl Forms for NumberOrBool {
    const EXPECTED: &'static str = "a number, true or false";

    fn number(number: f64) -> Option<Self> {
        Some(Self::Number(number))
    }

    fn flag(flag: bool) -> Option<Self> {
        Some(Self::Bool(flag))
    }
}

impl<'de> Deserialize<'de> for NumberOrBool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// How long a trigger waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TtlDef {
    /// Seconds; 0 for the step it is set in.
    Seconds(f32),
    /// Until it is used.
    Word(ForeverWord),
}

/// The word "forever".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForeverWord {
    /// Until it is used.
    Forever,
}

impl Forms for TtlDef {
    const EXPECTED: &'static str = "a number of seconds or \"forever\"";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "forever" => Ok(Self::Word(ForeverWord::Forever)),
            _ => Err(&["forever"]),
        })
    }

    fn number(number: f64) -> Option<Self> {
        Some(Self::Seconds(number as f32))
    }
}

impl<'de> Deserialize<'de> for TtlDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}
