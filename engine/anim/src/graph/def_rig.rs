//! What of the skeleton a graph names, as written: the root, chains, joints that look, feet.

use schemars::JsonSchema;
use serde::de::{Deserializer, SeqAccess};
use serde::{Deserialize, Serialize};

use super::forms::{Forms, items, list, some_list, text_or_list};

/// Root motion.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RootDef {
    /// The joint that carries it.
    pub joint: String,
    /// What of the joint's motion counts; `planar` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub axes: Option<RootAxesDef>,
}

/// What of a root joint's motion counts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RootAxesDef {
    /// A usual set.
    Word(RootAxesWord),
    /// A list of axes.
    Axes(Vec<RootAxisDef>),
}

/// Usual sets of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootAxesWord {
    /// x, z and yaw; height stays in the pose.
    Planar,
    /// x, y, z and yaw.
    PlanarY,
    /// All six.
    Full,
}

/// One axis of root motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootAxisDef {
    /// Sideways.
    X,
    /// Upwards.
    Y,
    /// Ahead.
    Z,
    /// Turning about the vertical.
    Yaw,
}

impl Forms for RootAxesDef {
    const EXPECTED: &'static str = "\"planar\", \"planar_y\", \"full\" or a list of axes";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "planar" => Ok(Self::Word(RootAxesWord::Planar)),
            "planar_y" => Ok(Self::Word(RootAxesWord::PlanarY)),
            "full" => Ok(Self::Word(RootAxesWord::Full)),
            _ => Err(&["planar", "planar_y", "full"]),
        })
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Axes)
    }
}

impl<'de> Deserialize<'de> for RootAxesDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// A chain of joints for inverse kinematics.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainDef {
    /// How it is solved; `two_bone` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<ChainKindDef>,
    /// All joints from the topmost down.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub joints: Option<Vec<String>>,
    /// The topmost joint, instead of `joints`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// The last joint, instead of `joints`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to: Option<String>,
    /// Where the middle points, a direction in model space; as at rest unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pole_dir: Option<[f32; 3]>,
    /// Limits of the joints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limits: Option<serde_json::Value>,
    /// Share of the full length from which reaching grows soft, 0 to 1; 1 is off.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub soft: Option<f32>,
    /// Patches only: takes the chain out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}

/// How a chain is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChainKindDef {
    /// Two bones, by the law of cosines.
    TwoBone,
    /// Forward and backward reaching.
    Fabrik,
    /// Cyclic coordinate descent.
    Ccd,
}

/// The joints that look at things.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookAtDef {
    /// From the lowest joint to the head.
    #[serde(deserialize_with = "list")]
    pub chain: Vec<String>,
    /// Where they look at rest, in model space; `[0, 0, 1]` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub forward: Option<[f32; 3]>,
    /// Degrees to either side; 90 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_yaw: Option<f32>,
    /// Degrees up and down; 60 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_pitch: Option<f32>,
    /// Degrees a second; no limit unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed: Option<f32>,
}

/// Feet that are placed on the ground.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FootIkDef {
    /// Hip, knee and foot of each leg.
    #[serde(default, deserialize_with = "some_list")]
    pub legs: Option<Vec<[String; 3]>>,
    /// Further settings.
    #[serde(flatten)]
    pub settings: std::collections::BTreeMap<String, serde_json::Value>,
}
