//! States and motions as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::{Deserializer, MapAccess, SeqAccess};
use serde::{Deserialize, Serialize};

use super::def::TransitionDef;
use super::def_parts::{AlignDef, WhenDef};
use super::forms::{Forms, forms, items, list, some_list, table, text_or_list, whole};

/// A state: exactly one motion (`clip`, `blend`, `rest`, ...) and how it plays. Also a motion inside
/// another one, where only the motion's own keys are allowed.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateDef {
    /// Motion: one clip, by name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clip: Option<String>,
    /// With `clip`: only these seconds of it, `[begin, end]`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub range: Option<[f32; 2]>,
    /// With `clip`: a float parameter that holds the phase, 0 to 1, instead of a clock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_parameter: Option<String>,
    /// With `clip`: left and right exchanged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mirror: Option<MirrorDef>,

    /// Motion: a blend space over one float parameter, or over two (`["x", "y"]`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blend: Option<BlendDef>,
    /// With `blend`: the samples.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub points: Option<Vec<PointDef>>,
    /// With `blend` over two parameters: how weights are found; `gradient_band` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weights: Option<WeightsDef>,
    /// With `blend`: how many samples are kept.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "whole"
    )]
    pub keep: Option<u32>,
    /// With `blend`: how fast the shared phase runs; `duration_mean` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate: Option<RateDef>,
    /// With `blend`: what its clips have in step; `phase` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub align: Option<BlendAlignDef>,

    /// Motion: children with a weight each.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub direct: Option<Vec<DirectDef>>,
    /// Motion: a difference laid over a base.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub additive: Option<AdditiveDef>,
    /// Motion: one of `children`, by an int parameter or "random".
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub select: Option<String>,
    /// With `select`: what is chosen from.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub children: Option<Vec<MotionRefDef>>,
    /// Motion: one after the other.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub sequence: Option<Vec<MotionRefDef>>,
    /// Motion: a machine inside the state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<MachineDef>,
    /// Motion: another graph, by path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub graph: Option<String>,
    /// Motion: a pose that a script kept under this name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pose: Option<String>,
    /// Motion: one of the graph's `motions`, by name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub motion: Option<String>,
    /// Motion: none; the state is only passed through.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub conduit: Option<bool>,
    /// Motion: the rest pose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rest: Option<bool>,

    /// What happens at the end; `loop` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mode: Option<ModeDef>,
    /// Factor on the playing speed, negative for backwards; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed: Option<f32>,
    /// A float parameter that the speed is multiplied by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed_parameter: Option<String>,
    /// States of the same group share their phase.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sync_group: Option<String>,
    /// Who leads the group.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sync_role: Option<SyncRoleDef>,
    /// Whose markers are heard in a blend; `dominant` unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speaks: Option<SpeaksDef>,
    /// What must hold for the state to be entered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub enter_when: Option<WhenDef>,
    /// Markers of the state itself.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "some_list"
    )]
    pub events: Option<Vec<StateEventDef>>,
    /// Patches only: takes the state out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remove: Option<bool>,
}

/// Whether left and right are exchanged: true for joints that their names tell apart, or a table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MirrorDef {
    /// By the names of joints.
    Flag(bool),
    /// By a list of pairs, the rest by the names of joints.
    Table(MirrorTable),
}

/// Which joints change places.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorTable {
    /// Names of joints, such as `["hand_L", "hand_R"]`; all others by their names.
    #[serde(deserialize_with = "list")]
    pub pairs: Vec<[String; 2]>,
}

impl Forms for MirrorDef {
    const EXPECTED: &'static str = "true, false or a table with `pairs`";

    fn flag(flag: bool) -> Option<Self> {
        Some(Self::Flag(flag))
    }

    fn table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        let table = serde::de::value::MapAccessDeserializer::new(table);
        MirrorTable::deserialize(table).map(Self::Table)
    }
}

impl<'de> Deserialize<'de> for MirrorDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// One sample of a blend space.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointDef {
    /// Where it lies: a number, or `[x, y]`.
    pub at: AtDef,
    /// The clip there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clip: Option<String>,
    /// The motion there, instead of a clip.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub motion: Option<MotionRefDef>,
    /// Factor on the sample's own speed, above 0; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed: Option<f32>,
    /// In a blend that is aligned by markers: `phase` for a sample that only shares the lap.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub align: Option<BlendAlignDef>,
}

/// A motion by name or in place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MotionRefDef {
    /// One of the graph's `motions`.
    Name(String),
    /// In place.
    Motion(Box<StateDef>),
}

impl Forms for MotionRefDef {
    const EXPECTED: &'static str = "the name of a motion or a table";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(Ok(Self::Name(text.to_owned())))
    }

    fn table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        let motion = StateDef::deserialize(serde::de::value::MapAccessDeserializer::new(table))?;
        Ok(Self::Motion(Box::new(motion)))
    }
}

impl<'de> Deserialize<'de> for MotionRefDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// The parameter or the two parameters of a blend space.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BlendDef {
    /// Along one parameter.
    One(String),
    /// Over a plane: x, then y.
    Two(Vec<String>),
}

impl Forms for BlendDef {
    const EXPECTED: &'static str = "the name of a parameter or a list of two";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(Ok(Self::One(text.to_owned())))
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Two)
    }
}

impl<'de> Deserialize<'de> for BlendDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// The place of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AtDef {
    /// Along one parameter.
    One(f32),
    /// `[x, y]`.
    Two(Vec<f32>),
}

impl Default for AtDef {
    fn default() -> Self {
        Self::One(0.0)
    }
}

impl Forms for AtDef {
    const EXPECTED: &'static str = "a number or a list of two";

    fn number(number: f64) -> Option<Self> {
        Some(Self::One(number as f32))
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Two)
    }
}

impl<'de> Deserialize<'de> for AtDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// A child of a direct blend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectDef {
    /// The float parameter that holds its weight.
    pub weight: String,
    /// What it plays.
    pub motion: MotionRefDef,
}

/// An additive motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdditiveDef {
    /// What is below.
    pub base: MotionRefDef,
    /// What is added.
    pub add: MotionRefDef,
    /// The float parameter that holds the weight.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight: Option<String>,
}

/// A machine inside a state.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MachineDef {
    /// The state it begins in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<String>,
    /// Its states.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        default,
        deserialize_with = "table"
    )]
    pub states: BTreeMap<String, StateDef>,
    /// Ways between them.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "list"
    )]
    pub transitions: Vec<TransitionDef>,
    /// Where it goes on when entered again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reenter: Option<MachineReenterDef>,
}

/// Where a machine goes on when it is entered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MachineReenterDef {
    /// At its entry state.
    Reset,
    /// Where it was left.
    Resume,
}

/// What happens at the end of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeDef {
    /// It begins again.
    Loop,
    /// It holds its end and reports that it finished.
    Once,
    /// It turns back.
    PingPong,
}

/// How 2D weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightsDef {
    /// Gradient bands (Johansen 2009).
    GradientBand,
    /// Gradient bands in polar space.
    Polar,
    /// Triangles.
    Delaunay,
}

/// How fast the shared phase of a blend runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateDef {
    /// One lap in the mean of the durations.
    DurationMean,
    /// The mean of the clips' own rates.
    RateMean,
    /// So that root speed is linear between clips of different lengths.
    Distance,
}

/// What the clips of a blend have in step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BlendAlignDef {
    /// Their phase: all begin and end a lap together; or the markers whose names all of them have.
    Word(AlignDef),
    /// The markers of these names.
    Markers(Vec<String>),
}

impl Forms for BlendAlignDef {
    const EXPECTED: &'static str = "\"phase\", \"marker\" or a list of names of markers";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "phase" => Ok(Self::Word(AlignDef::Phase)),
            "marker" => Ok(Self::Word(AlignDef::Marker)),
            _ => Err(&["phase", "marker"]),
        })
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        items(list).map(Self::Markers)
    }
}

impl<'de> Deserialize<'de> for BlendAlignDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_list(deserializer)
    }
}

/// Part of a state in its sync group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncRoleDef {
    /// Leads while it is the heaviest.
    CanBeLeader,
    /// Leads whenever it plays.
    AlwaysLeader,
    /// Never leads.
    AlwaysFollower,
}

/// Words of [`SpeaksDef`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeaksWord {
    /// The heaviest sample; a challenger must exceed it by 0.05.
    Dominant,
    /// Every sample that has weight.
    All,
    /// Nobody.
    None,
}

/// Whose markers are heard in a blend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SpeaksDef {
    /// A rule.
    Word(SpeaksWord),
    /// Every sample of at least this weight.
    Threshold(f32),
}

impl Forms for SpeaksDef {
    const EXPECTED: &'static str = "\"dominant\", \"all\", \"none\" or a number";

    fn text(text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        Some(match text {
            "dominant" => Ok(Self::Word(SpeaksWord::Dominant)),
            "all" => Ok(Self::Word(SpeaksWord::All)),
            "none" => Ok(Self::Word(SpeaksWord::None)),
            _ => Err(&["dominant", "all", "none"]),
        })
    }

    fn number(number: f64) -> Option<Self> {
        Some(Self::Threshold(number as f32))
    }
}

impl<'de> Deserialize<'de> for SpeaksDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms(deserializer)
    }
}

/// A marker of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateEventDef {
    /// At most 64 bytes.
    pub name: String,
    /// Where in the lap, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<f32>,
    /// Or seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<f32>,
    /// A number for whoever listens; 0 unless given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<f32>,
}
