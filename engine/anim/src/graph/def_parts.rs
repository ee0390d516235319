//! The smaller parts of a graph as written: conditions, masks, rules and words.

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess};
use serde::{Deserialize, Serialize};

use super::def_parameter::NumberOrBool;
use super::forms::{Forms, forms, items, list, text_or_list};

/// Where a transition begins: a state, a list of states, or "any".
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FromDef {
    /// A state, or "any".
    Name(String),
    /// Several states.
    Names(Vec<String>),
}

impl FromDef {
    /// True where nothing is named.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Names(names) if names.is_empty())
    }
}

impl Default for FromDef {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

impl Forms for FromDef {
    const EXPECTED: &'static str = "the name of a state, a list of names or \"any\"";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(Ok(Self::Name(text.to_owned())))
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Names)
    }
}

impl<'de> Deserialize<'de> for FromDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// What must hold: an expression, or conditions that must all hold.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum WhenDef {
    /// Such as `grounded and speed > 0.1`.
    Text(String),
    /// One after the other.
    Conditions(Vec<ConditionDef>),
}

impl Forms for WhenDef {
    const EXPECTED: &'static str =
        "an expression such as \"grounded and speed > 0.1\" or a list of conditions";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(Ok(Self::Text(text.to_owned())))
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Conditions)
    }
}

impl<'de> Deserialize<'de> for WhenDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConditionDef {
    /// The parameter that is looked at.
    pub parameter: String,
    /// How.
    pub op: ConditionOp,
    /// What a number is compared with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<NumberOrBool>,
}

/// How a condition looks at its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOp {
    /// Greater than.
    Gt,
    /// At least.
    Ge,
    /// Less than.
    Lt,
    /// At most.
    Le,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// A bool that is true.
    IsTrue,
    /// A bool that is false.
    IsFalse,
    /// A trigger that is set.
    Trigger,
}

/// Which joints a layer moves: text such as "spine+ -hand_L", or a table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MaskDef {
    /// Joint names; `+` behind one takes its children too, `-` before one takes it out.
    Text(String),
    /// Weights by joint.
    Table(MaskTable),
}

impl Forms for MaskDef {
    const EXPECTED: &'static str = "text such as \"spine+ -hand_L\" or a table";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(Ok(Self::Text(text.to_owned())))
    }

    fn table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        MaskTable::deserialize(MapAccessDeserializer::new(table)).map(Self::Table)
    }
}

impl<'de> Deserialize<'de> for MaskDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// A mask by joint.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskTable {
    /// Weight of the joints that are not listed; 0 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub others: Option<f32>,
    /// In order; later entries win.
    #[serde(default, deserialize_with = "list")]
    pub joints: Vec<MaskJointDef>,
}

/// The weight of one joint or of all under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskJointDef {
    /// By name.
    pub joint: String,
    /// 0 to 1; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight: Option<f32>,
    /// Whether it counts for all joints below; true unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub children: Option<bool>,
    /// Share of the weight that is lost with each level below; 0 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub falloff: Option<f32>,
}

/// A place in the stack where scripts play one-shot clips.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotDef {
    /// The layer it lies over; the last one unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
    /// Which joints it moves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mask: Option<MaskDef>,
    /// How it is laid over what is below.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blend: Option<LayerBlendDef>,
    /// Patches only: takes the slot out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}

/// Rules of events.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsDef {
    /// Whether a marker at the very place of entry is heard; `inclusive` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<EntryDef>,
    /// Whose markers are heard during a fade; `both` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fade: Option<FadeSpeaksDef>,
    /// Whether a marker that several samples of a blend share is one event; true unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dedup: Option<bool>,
}

/// Whether the first interval is closed at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryDef {
    /// It is.
    Inclusive,
    /// It is not.
    Exclusive,
}

/// Whose markers are heard during a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FadeSpeaksDef {
    /// All that play.
    Both,
    /// What is left.
    Source,
    /// What is entered.
    Target,
    /// The heaviest.
    MostActive,
}

/// How rotations are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RotationsDef {
    /// Along the arc, at even speed.
    Slerp,
    /// Along the chord, normalised.
    Nlerp,
}

/// How a layer is laid over what is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerBlendDef {
    /// In place of it.
    Override,
    /// Added to it.
    Additive,
}

/// What an additive layer is the difference from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReferenceDef {
    /// A rule.
    Word(ReferenceWord),
    /// A pose of a clip.
    Clip(ReferenceClip),
}

/// Words of [`ReferenceDef`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceWord {
    /// The rest pose.
    Rest,
    /// The first frame of the clip itself.
    FirstFrame,
}

/// A pose of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceClip {
    /// By name.
    pub clip: String,
    /// Seconds; 0 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<f32>,
}

impl Forms for ReferenceDef {
    const EXPECTED: &'static str = "\"rest\", \"first_frame\" or a table with `clip` and `time`";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "rest" => Ok(Self::Word(ReferenceWord::Rest)),
            "first_frame" => Ok(Self::Word(ReferenceWord::FirstFrame)),
            _ => Err(&["rest", "first_frame"]),
        })
    }

    fn table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        ReferenceClip::deserialize(MapAccessDeserializer::new(table)).map(Self::Clip)
    }
}

impl<'de> Deserialize<'de> for ReferenceDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// The space of an additive layer's differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpaceDef {
    /// Each joint's parent.
    Local,
    /// The model.
    Mesh,
}

/// Whether an overlay follows the base layer's phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FollowDef {
    /// It does not.
    None,
    /// It does.
    Base,
}

/// Whose root motion counts in a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootWeightsDef {
    /// As in the pose.
    Pose,
    /// That of what is left.
    Source,
    /// That of what is entered.
    Target,
}

/// How poses change over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByDef {
    /// Both play, weights change.
    Crossfade,
    /// The destination plays at once, the difference dies away.
    Inertial,
}

/// The weight of a fade over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FadeCurveDef {
    /// Straight.
    #[default]
    Linear,
    /// 3t² − 2t³.
    Smooth,
}

/// What a destination has in step with its source, or the clips of a blend with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlignDef {
    /// At the same phase.
    Phase,
    /// Between the same two markers.
    Marker,
}

/// What happens when another transition starts during a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptionDef {
    /// The mix of that moment is faded out as it stands.
    Frozen,
    /// The mix goes on and is faded out.
    Live,
    /// The difference dies away.
    Inertial,
    /// None may start.
    None,
}

/// Whether an "any" transition may go into the state that is playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReenterDef {
    /// Where a trigger asks for it.
    #[default]
    ByTrigger,
    /// Never.
    Never,
    /// Always.
    Always,
}
