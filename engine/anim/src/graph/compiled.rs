//! The compiled form of a graph: indices instead of names, radians instead of degrees; immutable,
//! shared by every actor that runs it.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::def::{FadeCurveDef, ParameterKind, ParameterSource, RateDef, ReenterDef};
use super::state::ParameterValue;
use crate::expression::Expression;
use crate::{Clip, LoopMode, Mask, RootTrack, Skeleton};

/// Most samples of one blend space.
pub const MAX_SAMPLES: usize = 64;

/// A graph ready to run on one skeleton. Made by [`Graph::compile`](crate::Graph::compile).
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it moves.
    pub skeleton: Arc<Skeleton>,
    /// The clips that it uses, in the order of their first use.
    pub clips: Vec<Arc<Clip>>,
    /// By name.
    pub parameters: Vec<Parameter>,
    /// The base layer, then overlays from the bottom up; none for the rest pose.
    pub layers: Vec<Layer>,
    /// What states play.
    pub motions: Vec<Motion>,
    /// Chains for inverse kinematics, by name.
    pub chains: Vec<Chain>,
    /// The joints that look at things.
    pub look_at: Option<LookAtRig>,
    /// Root motion.
    pub root: Option<RootRig>,
    /// Names of markers that can be heard, in byte order.
    pub names: Vec<String>,
    /// Markers of each clip of `clips`, in the clip's order.
    pub markers: Vec<Vec<ClipMarker>>,
    /// Rules of events.
    pub events: EventRules,
}

/// What a script sets and conditions read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Unique in the graph.
    pub name: String,
    /// What it holds.
    pub kind: ParameterKind,
    /// Where it begins.
    pub default: ParameterValue,
    /// Values below are raised to it.
    pub min: Option<f32>,
    /// Values above are lowered to it.
    pub max: Option<f32>,
    /// Seconds that a trigger waits to be used; none waits for ever.
    pub ttl: Option<f32>,
    /// What of the actor's motion feeds it.
    pub source: Option<ParameterSource>,
}

/// A state machine and how its pose is laid over what is below.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Unique in the graph.
    pub name: String,
    /// By name; at least one.
    pub states: Vec<State>,
    /// Index of the state it begins in.
    pub entry: u16,
    /// In the order of the document.
    pub transitions: Vec<Transition>,
    /// Weights by joint; all joints where absent.
    pub mask: Option<Mask>,
    /// Where its weight begins, 0 to 1.
    pub weight: f32,
    /// A float parameter that the weight is multiplied by.
    pub weight_parameter: Option<u16>,
}

/// One state of a layer.
#[derive(Clone, Debug)]
pub struct State {
    /// Unique in the layer.
    pub name: String,
    /// Index in [`Graph::motions`].
    pub motion: u16,
    /// What happens at the end.
    pub mode: LoopMode,
    /// Factor on the playing speed; any sign.
    pub speed: f32,
    /// A float parameter that the speed is multiplied by.
    pub speed_parameter: Option<u16>,
    /// States of the same group share their phase.
    pub sync_group: Option<u16>,
    /// Indices in [`Layer::transitions`] of the ways out, those that are tested first in front.
    pub ways_out: Vec<u16>,
}

/// What a state plays.
#[derive(Clone, Debug)]
pub enum Motion {
    /// The rest pose.
    Rest,
    /// A clip by the clock.
    Clip(Sample),
    /// A clip whose phase is a float parameter, 0 to 1.
    Scrub {
        /// What it shows.
        sample: Sample,
        /// The phase.
        parameter: u16,
    },
    /// A blend space.
    Blend(BlendSpace),
}

/// A clip in a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Index in [`Graph::clips`].
    pub clip: u16,
    /// Seconds of a lap: the clip's duration over the sample's own speed.
    pub duration: f64,
    /// Metres that the root travels in a lap.
    pub stride: f64,
}

/// Clips over a line or a plane that share one phase.
#[derive(Clone, Debug)]
pub struct BlendSpace {
    /// Where the samples lie.
    pub points: Points,
    /// One a point.
    pub samples: Vec<Sample>,
    /// How fast the shared phase runs.
    pub rate: RateDef,
    /// Markers of the samples by name; see [`BlendMarker`].
    pub markers: Vec<BlendMarker>,
}

/// Places of samples and the parameters that are looked up among them.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// Along a float parameter.
    Line {
        /// The place.
        parameter: u16,
        /// One a sample.
        at: Vec<f32>,
    },
    /// Over two float parameters, by gradient bands.
    Plane {
        /// x and y of the place.
        parameters: [u16; 2],
        /// One a sample.
        at: Vec<Vec2>,
    },
}

/// A marker name in a blend space. Where every sample that has it has it equally often, its
/// occurrences are numbered through all laps, so that the j-th of a lap is one event whoever speaks.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendMarker {
    /// Index in [`Graph::names`].
    pub name: u16,
    /// Occurrences a lap; 0 where samples differ and only the speaker counts.
    pub shared: u32,
    /// Per sample: what is added to the number of its occurrences, so that markers near each other
    /// across the lap boundary count as one.
    pub shift: Vec<i32>,
    /// Per sample: its markers of this name, as indices in the clip's [`Graph::markers`], by phase.
    pub own: Vec<Vec<u16>>,
}

/// A marker of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipMarker {
    /// Index in [`Graph::names`].
    pub name: u16,
    /// Where in the lap, 0 to 1.
    pub phase: f64,
    /// Clip seconds.
    pub time: f32,
    /// For whoever listens.
    pub value: f32,
}

/// A way from one state to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Unique in the layer.
    pub name: String,
    /// The destination.
    pub to: u16,
    /// From any state rather than from listed ones.
    pub any: bool,
    /// What must hold.
    pub when: Option<Expression>,
    /// How far the source must have come, 0 to 1 of a lap in running direction.
    pub exit_time: Option<f64>,
    /// Whether the exit time stays open to the end of the lap.
    pub latch: bool,
    /// Seconds of the fade.
    pub duration: f32,
    /// Its weight over time.
    pub curve: FadeCurveDef,
    /// Where the destination begins, 0 to 1 of a lap in running direction.
    pub offset: Option<f64>,
    /// Higher wins.
    pub priority: i32,
    /// Whether other transitions may start during the fade.
    pub interruptible: bool,
    /// Whether an "any" transition may go into the state that is playing.
    pub reenter: ReenterDef,
}

/// A chain of joints for two-bone inverse kinematics.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Unique in the graph.
    pub name: String,
    /// From the topmost joint down; three.
    pub joints: Vec<u16>,
    /// Where the middle points, in model space; as at rest where absent.
    pub pole_dir: Option<Vec3>,
    /// Share of the full length from which reaching grows soft; 1 is off.
    pub soft: f32,
}

/// The joints that look at things.
#[derive(Clone, Debug, PartialEq)]
pub struct LookAtRig {
    /// From the lowest joint to the head.
    pub chain: Vec<u16>,
    /// Where they look at rest, in model space, unit length.
    pub forward_model: Vec3,
    /// Radians to either side.
    pub max_yaw: f32,
    /// Radians up and down.
    pub max_pitch: f32,
    /// Radians a second; no limit where absent.
    pub speed: Option<f32>,
}

/// Planar root motion.
#[derive(Clone, Debug)]
pub struct RootRig {
    /// The joint that carries it.
    pub joint: u16,
    /// The motion of each clip of [`Graph::clips`].
    pub tracks: Vec<RootTrack>,
}

/// Rules of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRules {
    /// A marker at the very place of entry is heard.
    pub entry_inclusive: bool,
    /// A marker that several samples of a blend share is one event.
    pub dedup: bool,
}

impl Graph {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<u16> {
        by_name(&self.parameters, name, |parameter| &parameter.name)
    }

    /// The layer of this name.
    pub fn layer(&self, name: &str) -> Option<u16> {
        let found = self.layers.iter().position(|layer| layer.name == name);
        found.map(|index| index as u16)
    }

    /// The state of this name in a layer.
    pub fn state(&self, layer: u16, name: &str) -> Option<u16> {
        let layer = self.layers.get(usize::from(layer))?;
        by_name(&layer.states, name, |state| &state.name)
    }

    /// The chain of this name.
    pub fn chain(&self, name: &str) -> Option<u16> {
        by_name(&self.chains, name, |chain| &chain.name)
    }
}

/// The index of a name in a list that is in byte order of names.
pub(super) fn by_name<T>(list: &[T], name: &str, name_of: impl Fn(&T) -> &str) -> Option<u16> {
    let found = list.binary_search_by(|item| name_of(item).cmp(name));
    found.ok().map(|index| index as u16)
}
