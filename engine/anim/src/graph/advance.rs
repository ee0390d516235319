//! One step of an actor's graph: transitions on the step's interval, clocks, events, root motion.
//!
//! Reads the graph, parameters and `dt`; writes the state and what came out of the step. The pose is
//! [`evaluate`](crate::evaluate)'s business and may be skipped.

use serde::{Deserialize, Serialize};

use super::compiled::Graph;
use super::fade::{MachineWeight, layer_weight};
use super::scratch::{Scratch, Slice};
use super::state::{GraphState, ParameterState, ParameterValue};
use super::step::{Live, MachineStep};
use super::{slot, slot_inertia, windows};
use crate::{RootAxes, RootDelta, Travel};

/// Markers, ticks of windows included, that one actor can give in a step; what is beyond is counted in
/// [`Advanced::events_lost`].
pub const MAX_MARKERS: usize = 64;

/// Events that there is room for from the beginning, so that a rare busy step allocates nothing.
pub(super) const USUAL_EVENTS: usize = 2 * MAX_MARKERS;

/// What came out of a step. Cleared by [`advance`]; its buffers are used again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Advanced {
    /// In order of place in the step, layer, state and declaration.
    pub events: Vec<GraphEvent>,
    /// How the base layer moved the root, in the frame in which the step began.
    pub root: RootDelta,
    /// Markers beyond [`MAX_MARKERS`].
    pub events_lost: u32,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphEvent {
    /// What.
    pub kind: GraphEventKind,
    /// Index in [`Graph::layers`]; for a slot, the layer that it lies over.
    pub layer: u16,
    /// Where in the layer.
    pub source: EventSource,
    /// Weight in the actor's pose, 0 to 1.
    pub weight: f32,
    /// Place in the step, 0 to 1.
    pub alpha: f32,
}

/// What an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EventSource {
    /// A state.
    State {
        /// Index in [`Graph::machines`].
        machine: u16,
        /// Index in [`Machine::states`](crate::Machine).
        state: u16,
    },
    /// A slot, index in [`Graph::slots`].
    Slot(u16),
}

/// Why a window or a clip in a slot ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// It came to its end.
    Finished,
    /// Something else began, or it was stopped.
    Interrupted,
    /// The actor is gone.
    Despawn,
    /// Its graph or clip was read again.
    Reload,
    /// The clock was moved.
    Seek,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum GraphEventKind {
    /// A clip came by a marker.
    Marker {
        /// Index in [`Graph::names`].
        name: u16,
        /// As the clip's author gave it.
        value: f32,
        /// Clip seconds of the marker.
        time: f32,
        /// Index in [`Graph::clips`]; none for a marker of a state itself.
        clip: Option<u16>,
    },
    /// A clip came into a window.
    WindowBegin {
        /// Index in [`Graph::names`].
        name: u16,
        /// Index in [`Graph::clips`].
        clip: u16,
    },
    /// At the end of each step in an open window.
    WindowTick {
        /// Index in [`Graph::names`].
        name: u16,
        /// Index in [`Graph::clips`].
        clip: u16,
        /// How far it has come, 0 to 1 in running direction.
        progress: f32,
    },
    /// A window ended, exactly once for each that began.
    WindowEnd {
        /// Index in [`Graph::names`].
        name: u16,
        /// Index in [`Graph::clips`].
        clip: u16,
        /// Why.
        reason: EndReason,
    },
    /// What a script played in a slot ended, exactly once for each that was played.
    SlotEnd {
        /// As [`GraphState::play_slot`](crate::GraphState) gave it.
        handle: u32,
        /// Index in [`Graph::clips`].
        clip: u16,
        /// Why.
        reason: EndReason,
    },
    /// The state began.
    StateEnter {
        /// The state before; none at the actor's start.
        previous: Option<u16>,
    },
    /// The state was left; it may still be faded out.
    StateExit {
        /// The state that begins; none where the state around the machine is left.
        following: Option<u16>,
    },
    /// A once-state came to its end, or the current state inside a state that is a machine did.
    Finished,
    /// The fade into the state is over.
    FullyIn,
}

/// Order of events of one moment in one layer: what is left, what begins, and what that meets. A
/// moment begins with each state that does, so what a state meets before it is left comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The first state of the actor begins.
    First,
    /// And is there at once.
    FirstFullyIn,
    /// The state that contains it is left; the innermost first.
    ExitInside,
    /// A state is left.
    Exit,
    /// A state begins.
    Enter,
    /// A marker, or an edge of a window.
    Marker,
    /// The end of a once-state.
    Finished,
    /// The state that contains it has come to its end with it; the innermost first.
    FinishedAround,
    /// A fade is over.
    FullyIn,
}

/// An event with what it is sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) alpha: f64,
    /// Beginnings of states before it in the step: several may follow each other at one instant.
    pub(super) moment: u32,
    pub(super) rank: Rank,
    /// Grows in running direction.
    pub(super) lap: i64,
    /// Order of declaration.
    pub(super) order: u32,
    pub(super) event: GraphEvent,
}

/// Lets `dt` seconds pass (negative and not finite count as 0). `out` is cleared first. Nothing is
/// allocated once `scratch` and `out` have seen as much as there is to hold.
pub fn advance(
    graph: &Graph,
    state: &mut GraphState,
    dt: f32,
    scratch: &mut Scratch,
    out: &mut Advanced,
) {
    out.events.clear();
    out.root = RootDelta::default();
    out.events_lost = 0;
    if state.paused {
        return;
    }
    let dt = if dt.is_finite() {
        f64::from(dt.max(0.0))
    } else {
        0.0
    };
    scratch.make_room(graph);
    out.events.reserve(USUAL_EVENTS);
    if !graph.slots.is_empty() {
        slot_inertia::remember_below(graph, state, dt, scratch);
    }
    for layer in &mut state.layers {
        layer.weight.step(dt as f32);
    }
    state.inertia.step(dt as f32);
    let mut root = None;
    let mut base = None;
    let is_followed = graph.layers.iter().any(|layer| layer.follow_base);
    for (layer, index) in graph.layers.iter().zip(0..) {
        let weight = layer_weight(graph, layer, index, state);
        let step = MachineStep {
            graph,
            parameters: &state.parameters,
            seed: state.seed,
            speed: finite_speed(state.speed),
            dt,
            layer: index,
            machine: layer.machine,
            weight: MachineWeight::of(weight),
            poses: &state.poses,
            leaving: false,
            base: base.filter(|_| layer.follow_base),
        };
        let mut live = Live {
            machines: &mut state.machines,
            randoms: &mut state.randoms,
            scratch,
            lost: 0,
        };
        let leads = is_followed && index == 0;
        let before = leads.then(|| step.followed(&live)).flatten();
        let travel = step.run(Slice::WHOLE, &mut live);
        out.events_lost = out.events_lost.saturating_add(live.lost);
        if leads {
            let now = step.followed(&live);
            base = now.and_then(|now| now.lead(before));
        }
        if layer.root_motion
            && let Some(rig) = &graph.root
        {
            let mask = layer.mask.as_ref();
            let mask = mask.map_or(1.0, |mask| mask.joints[usize::from(rig.joint)]);
            root = Some(laid_over(root, travel, weight * mask, step.axes()));
        }
    }
    number_moments(&mut scratch.events, &scratch.beginnings);
    if !graph.slots.is_empty() {
        let lost = slot::advance_slots(graph, state, dt, scratch);
        out.events_lost = out.events_lost.saturating_add(lost);
    }
    windows::tick(graph, state, &mut scratch.events);
    out.root = root.map_or_else(RootDelta::default, RootDelta::from);
    age_triggers(graph, &mut state.parameters, &scratch.used_triggers, dt);
    hand_over(&mut scratch.events, out);
}

pub(super) fn finite_speed(speed: f32) -> f32 {
    if speed.is_finite() { speed } else { 0.0 }
}

/// The motion of the layers so far, moved towards that of the next one as its pose is.
fn laid_over(below: Option<Travel>, own: Travel, weight: f32, axes: RootAxes) -> Travel {
    if weight >= 1.0 {
        return own;
    }
    let below = below.unwrap_or(Travel::identity(axes));
    if weight <= 0.0 {
        return below;
    }
    let weight = f64::from(weight);
    let (below, own) = (below.log(), own.log());
    let mixed = std::array::from_fn(|part| below[part] + (own[part] - below[part]) * weight);
    Travel::exp(axes, mixed)
}

fn age_triggers(graph: &Graph, parameters: &mut [ParameterState], used: &[bool], dt: f64) {
    for ((parameter, definition), used) in parameters.iter_mut().zip(&graph.parameters).zip(used) {
        if parameter.value != ParameterValue::Trigger(true) {
            continue;
        }
        parameter.seconds_left -= dt;
        let expired = definition.ttl.is_some() && parameter.seconds_left <= 1e-6;
        if *used || expired {
            parameter.value = ParameterValue::Trigger(false);
            parameter.seconds_left = 0.0;
        }
    }
}

/// Numbers the events of machines, which stand in the order in which they happened, by how many states
/// had begun before.
fn number_moments(events: &mut [Pending], beginnings: &[usize]) {
    let mut beginnings = beginnings.iter().peekable();
    let mut moment = 0;
    for (index, pending) in events.iter_mut().enumerate() {
        while beginnings.next_if(|first| **first <= index).is_some() {
            moment += 1;
        }
        pending.moment = moment;
    }
}

/// Sorts the events and keeps as many markers as fit.
fn hand_over(events: &mut [Pending], out: &mut Advanced) {
    events.sort_unstable_by(|a, b| {
        let sources = || match a.rank {
            Rank::ExitInside | Rank::FinishedAround => b.event.source.cmp(&a.event.source),
            _ => a.event.source.cmp(&b.event.source),
        };
        a.alpha
            .total_cmp(&b.alpha)
            .then_with(|| a.event.layer.cmp(&b.event.layer))
            .then_with(|| (a.moment, a.rank).cmp(&(b.moment, b.rank)))
            .then_with(sources)
            .then_with(|| (a.lap, a.order).cmp(&(b.lap, b.order)))
    });
    let mut markers = 0;
    for pending in events {
        let is_marker = matches!(
            pending.event.kind,
            GraphEventKind::Marker { .. } | GraphEventKind::WindowTick { .. }
        );
        markers += usize::from(is_marker);
        if is_marker && markers > MAX_MARKERS {
            out.events_lost = out.events_lost.saturating_add(1);
        } else {
            out.events.push(pending.event);
        }
    }
}
