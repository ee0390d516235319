//! The compiled form of a graph: indices instead of names, radians instead of degrees; immutable,
//! shared by every actor that runs it.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::advance::EventSource;
pub use super::compiled_motion::*;
use super::def::{
    FadeCurveDef, FadeSpeaksDef, InterruptionDef, ParameterKind, ParameterSource, ReenterDef,
    RootWeightsDef, SpaceDef, SyncRoleDef,
};
use super::state::ParameterValue;
use crate::expression::Expression;
use crate::{Clip, LoopMode, Mask, RootTrack, Rotations, Skeleton};

/// Most states of a machine.
pub(super) const MAX_STATES: usize = 1023;

/// Most children of one motion.
pub const MAX_SAMPLES: usize = 64;

/// Most groups of clips in one state that speak on their own; see [`Choir`].
pub const MAX_CHOIRS: usize = 4;

/// A graph ready to run on one skeleton. Made by [`Graph::compile`](crate::Graph::compile).
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it moves.
    pub skeleton: Arc<Skeleton>,
    /// What of which clips is played: with slots, every clip of the model whole and as it was made, by
    /// name; then those of states in the order of first use.
    pub clips: Vec<GraphClip>,
    /// By name.
    pub parameters: Vec<Parameter>,
    /// The base layer, then overlays from the bottom up; none for the rest pose.
    pub layers: Vec<Layer>,
    /// The machines of the layers and those inside states.
    pub machines: Vec<Machine>,
    /// What states play; children are indices into the same list.
    pub motions: Vec<Motion>,
    /// How many choices [`Motion::Random`] has to remember.
    pub randoms: u16,
    /// Names of the poses that scripts keep for [`Motion::Pose`], in byte order.
    pub poses: Vec<String>,
    /// Places where scripts play one-shot clips, by name.
    pub slots: Vec<Slot>,
    /// Chains for inverse kinematics, by name.
    pub chains: Vec<Chain>,
    /// The joints that look at things.
    pub look_at: Option<LookAtRig>,
    /// Root motion.
    pub root: Option<RootRig>,
    /// Names of markers and windows that can be heard, in byte order.
    pub names: Vec<String>,
    /// Names of curves of the clips, in byte order.
    pub curves: Vec<String>,
    /// Fade lengths by joint, as factors from 0 to 1; see [`TransitionBlend::profile`].
    pub profiles: Vec<Vec<f32>>,
    /// Rules of events.
    pub events: EventRules,
    /// How rotations are blended.
    pub rotations: Rotations,
    /// Most transitions that one machine takes in a step, 1 to 8.
    pub transitions_per_step: u8,
    /// It was asked to play something always: without layers it would not have compiled.
    pub strict: bool,
}

/// A clip as the graph plays it: whole or a range, as made, mirrored, or as the difference from a
/// pose.
#[derive(Clone, Debug)]
pub struct GraphClip {
    /// The keys; those of a mirrored or rebased clip were made when the graph was compiled.
    pub clip: Arc<Clip>,
    /// Clip seconds at phase 0.
    pub start: f64,
    /// Seconds of a lap at speed 1.
    pub duration: f64,
    /// Metres that the root travels over the ground in a lap.
    pub stride: f64,
    /// Its markers within the range, by phase.
    pub markers: Vec<ClipMarker>,
    /// Its windows within the range, by begin.
    pub windows: Vec<ClipWindow>,
    /// Index in [`Graph::curves`] and in [`Clip::curves`] of each of its curves, by the first.
    pub curves: Vec<[u16; 2]>,
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
    /// Index in [`Graph::machines`].
    pub machine: u16,
    /// Weights by joint; all joints where absent.
    pub mask: Option<Mask>,
    /// Where its weight begins, 0 to 1.
    pub weight: f32,
    /// A float parameter that the weight is multiplied by.
    pub weight_parameter: Option<u16>,
    /// A curve, index in [`Graph::curves`], that the weight is multiplied by.
    pub weight_curve: Option<u16>,
    /// How it is laid over what is below.
    pub blend: LayerBlend,
    /// Its looping states take their phase from the base layer's current state.
    pub follow_base: bool,
    /// Whether it moves the root.
    pub root_motion: bool,
    /// Whose root motion counts in a fade.
    pub root_weights: RootWeightsDef,
}

/// How a layer is laid over what is below. Additive clips are differences from the rest pose: those
/// with another reference were rebased when the graph was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerBlend {
    /// In place of it.
    Override,
    /// Added to it.
    Additive(SpaceDef),
}

/// States and the ways between them; one of them is current.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The layer that it belongs to.
    pub layer: u16,
    /// The machine and the state in it that this one stands in; none for a layer's own.
    pub parent: Option<[u16; 2]>,
    /// By name; at least one.
    pub states: Vec<State>,
    /// Index of the state it begins in.
    pub entry: u16,
    /// In the order of the document.
    pub transitions: Vec<Transition>,
    /// Goes on where it was left when it is entered again, rather than at its entry.
    pub resume: bool,
    /// Whether something in it changes over by inertia.
    pub inertial: bool,
}

/// One state of a machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Unique in its machine.
    pub name: String,
    /// Unique in its layer: the names of the states around it and its own, joined by `/`.
    pub path: String,
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
    /// Its part in the group.
    pub sync_role: SyncRoleDef,
    /// Whose markers are heard.
    pub speaks: Speaks,
    /// What must hold for a transition to enter it.
    pub enter_when: Option<Expression>,
    /// Markers of its own, at phases or seconds of its lap, in the order of the document.
    pub markers: Vec<StateMarker>,
    /// It is passed through, never stayed in: the motion is [`Motion::Rest`].
    pub conduit: bool,
    /// Indices in [`Machine::transitions`] of the ways out, those that are tested first in front.
    pub ways_out: Vec<u16>,
    /// The clips and sequences in its motion, in the order in which a walk over it meets them.
    pub leaves: Vec<Leaf>,
    /// Which leaves compete for speaking.
    pub choirs: Vec<Choir>,
    /// By which markers it keeps step with others.
    pub sync_tracks: Vec<SyncTrack>,
    /// The machines in its motion, not those inside other machines.
    pub machines: Vec<u16>,
    /// The random choices in its motion.
    pub randoms: Vec<RandomSlot>,
}

/// A random choice in the motion of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomSlot {
    /// Index in [`GraphState::randoms`](crate::GraphState).
    pub slot: u16,
    /// How many children there are, at least one.
    pub children: u16,
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

/// A window of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipWindow {
    /// Index in [`Graph::names`].
    pub name: u16,
    /// Where in the lap it opens, 0 to 1.
    pub begin: f64,
    /// Where in the lap it closes, not before `begin`.
    pub end: f64,
}

/// A way from one state to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Unique in the machine.
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
    /// How it changes over.
    pub blend: TransitionBlend,
    /// Where the destination begins.
    pub begin: Begin,
    /// Higher wins.
    pub priority: i32,
    /// What happens when another transition starts during the fade.
    pub interruption: InterruptionDef,
    /// The transitions that may start during the fade, by index, ascending; all where absent.
    pub interrupted_by: Option<Vec<u16>>,
    /// Whether an "any" transition may go into the state that is playing.
    pub reenter: ReenterDef,
}

/// How one state gives way to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransitionBlend {
    /// Seconds.
    pub duration: f32,
    /// The destination plays at once and the difference dies away, rather than that both play.
    pub inertial: bool,
    /// The weight of a crossfade over time.
    pub curve: FadeCurveDef,
    /// Index in [`Graph::profiles`]: joints whose factor is below 1 have changed over in that share
    /// of the duration.
    pub profile: Option<u16>,
}

/// Where a state begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begin {
    /// At its start, or where its sync group is.
    Own,
    /// At a share of its lap in running direction.
    Offset(f64),
    /// At the phase of the state that is left.
    Phase,
    /// Between the same two markers, at the same share of the way, as the state that is left.
    Marker,
}

/// A place in the stack where scripts play one-shot clips.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Unique in the graph.
    pub name: String,
    /// Index of the layer it lies over.
    pub after: u16,
    /// Weights by joint; all joints where absent.
    pub mask: Option<Mask>,
    /// How it is laid over what is below.
    pub blend: LayerBlend,
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

/// Root motion.
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
    /// A marker that several leaves of a choir share is one event.
    pub dedup: bool,
    /// Who speaks in a fade.
    pub fade: FadeSpeaksDef,
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

    /// The states of a layer's own machine; none for a layer that is not there.
    pub fn states(&self, layer: u16) -> &[State] {
        let layer = self.layers.get(usize::from(layer));
        layer.map_or(&[], |layer| {
            &self.machines[usize::from(layer.machine)].states
        })
    }

    /// The state of this name in a layer's own machine.
    pub fn state(&self, layer: u16, name: &str) -> Option<u16> {
        by_name(self.states(layer), name, |state| &state.name)
    }

    /// The state at the end of a path such as `air/rise` in a layer, with its machine.
    pub fn state_at(&self, layer: u16, path: &str) -> Option<[u16; 2]> {
        let machines = self.machines.iter().zip(0_u16..);
        let mut machines = machines.filter(|(machine, _)| machine.layer == layer);
        machines.find_map(|(machine, index)| {
            let state = machine.states.iter().position(|state| state.path == path)?;
            Some([index, state as u16])
        })
    }

    /// What an event comes from, in words: the path of a state, or the name of a slot.
    pub fn source_name(&self, source: EventSource) -> &str {
        match source {
            EventSource::State { machine, state } => {
                let machine = self.machines.get(usize::from(machine));
                let state = machine.and_then(|machine| machine.states.get(usize::from(state)));
                state.map_or("", |state| &state.path)
            }
            EventSource::Slot(slot) => {
                let slot = self.slots.get(usize::from(slot));
                slot.map_or("", |slot| &slot.name)
            }
        }
    }

    /// The slot of this name.
    pub fn slot(&self, name: &str) -> Option<u16> {
        by_name(&self.slots, name, |slot| &slot.name)
    }

    /// The clip of this name as a slot plays it, whole and as it was made; of a graph without slots,
    /// the first use of it.
    pub fn clip(&self, name: &str) -> Option<u16> {
        let found = self.clips.iter().position(|clip| clip.clip.name == name);
        found.map(|index| index as u16)
    }

    /// The curve of this name.
    pub fn curve(&self, name: &str) -> Option<u16> {
        by_name(&self.curves, name, |curve| curve)
    }

    /// The pose of this name that scripts keep.
    pub fn pose(&self, name: &str) -> Option<u16> {
        by_name(&self.poses, name, |pose| pose)
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
