//! The written form of a graph: one serde type behind Lua tables, Rhai maps and `.animgraph.json`.
//!
//! Everything of the format parses; what is not built yet is refused by [`Graph::compile`](crate::Graph::compile)
//! with the code `E-GRAPH-NOT-SUPPORTED`, never ignored. Angles are degrees, times seconds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::def_motion::*;
pub use super::def_parameter::*;
pub use super::def_parts::*;
pub use super::def_rig::*;
use super::forms::{list, some_list, table, whole};

/// A whole graph. Parts that are keyed by name are in byte order of the names; lists keep their
/// order. An empty graph is valid and shows the rest pose.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphDef {
    /// Version of the format, 1. Files only.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "whole"
    )]
    pub version: Option<u32>,
    /// What scripts set and conditions read, shared by all layers.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub parameters: BTreeMap<String, ParameterDef>,
    /// The base layer, then overlays from the bottom up.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "list"
    )]
    pub layers: Vec<LayerDef>,
    /// Motions that states use by name.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub motions: BTreeMap<String, StateDef>,
    /// Places in the stack where scripts play one-shot clips.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub slots: BTreeMap<String, SlotDef>,
    /// Who speaks, and where intervals begin.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub events: Option<EventsDef>,
    /// How rotations are blended; `slerp` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rotations: Option<RotationsDef>,
    /// How many transitions a machine may take in one step, 1 to 8; 1 unless given.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "whole"
    )]
    pub transitions_per_step: Option<u32>,
    /// That nothing plays is an error rather than the rest pose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strict: Option<bool>,
    /// Which joint carries root motion.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root: Option<RootDef>,
    /// Joint chains that inverse kinematics can be asked to move.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub chains: BTreeMap<String, ChainDef>,
    /// The joints that turn towards what the actor looks at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub look_at: Option<LookAtDef>,
    /// Feet that are placed on the ground.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub foot_ik: Option<FootIkDef>,
    /// Constraints between joints, in order.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "list"
    )]
    pub constraints: Vec<serde_json::Value>,
    /// The graphs that states name by path, where [`GraphDef::inline`] has read them.
    #[serde(skip)]
    pub graphs: BTreeMap<String, GraphDef>,
}

/// A state machine and how its pose is laid over what is below.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerDef {
    /// Unique in the graph.
    pub name: String,
    /// The state it begins in; may be left out where there is only one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<String>,
    /// The states, at least one.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub states: BTreeMap<String, StateDef>,
    /// Ways between states.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "list"
    )]
    pub transitions: Vec<TransitionDef>,
    /// Which joints it moves; all unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mask: Option<MaskDef>,
    /// Where the layer's weight begins, 0 to 1; 1 unless given. Scripts fade it from there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight: Option<f32>,
    /// A float parameter that the weight is multiplied by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight_parameter: Option<String>,
    /// A curve of the clips that the weight is multiplied by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight_curve: Option<String>,
    /// How it is laid over what is below; `override` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blend: Option<LayerBlendDef>,
    /// What an additive layer is the difference from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<ReferenceDef>,
    /// The space of an additive layer's differences.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub space: Option<SpaceDef>,
    /// Whether the layer follows the phase of the base layer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub follow: Option<FollowDef>,
    /// Whether it gives root motion; the base layer does unless told otherwise, overlays do not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root_motion: Option<bool>,
    /// Whose root motion counts in a fade; as in the pose unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root_weights: Option<RootWeightsDef>,
    /// Patches only: takes the layer out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransitionDef {
    /// Unique in the machine; "from>to" unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// A state, a list of states, or "any". Only a patch may leave it out.
    #[serde(skip_serializing_if = "FromDef::is_empty", default)]
    pub from: FromDef,
    /// The destination. Only a patch may leave it out.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub to: String,
    /// What must hold; an expression or a list of conditions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<WhenDef>,
    /// How far the source must have come, 0 to 1 of a lap in running direction.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_time: Option<f32>,
    /// Seconds of the fade; 0.2 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration: Option<f32>,
    /// How the poses change over; `crossfade` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<ByDef>,
    /// The fade's weight over time; `linear` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub curve: Option<FadeCurveDef>,
    /// Where the destination begins, 0 to 1 of a lap in running direction.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offset: Option<f32>,
    /// Begin the destination where the source is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub align: Option<AlignDef>,
    /// Higher wins; 0 unless given.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "whole"
    )]
    pub priority: Option<i32>,
    /// What happens when another transition starts during the fade; `frozen` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interruption: Option<InterruptionDef>,
    /// Only these transitions may interrupt.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub interrupted_by: Option<Vec<String>>,
    /// Whether the exit time stays open to the end of the lap; true unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latch: Option<bool>,
    /// Whether an "any" transition may go into the state that is playing; `by_trigger` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reenter: Option<ReenterDef>,
    /// Fade lengths by joint: the share of `duration`, 0 to 1, for the joint and all below it; the
    /// nearest entry above a joint counts, 1 where there is none.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub profile: BTreeMap<String, f32>,
    /// Patches only: takes the transition out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}
