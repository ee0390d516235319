//! Buffers that steps and poses are worked out in, kept between uses.

use super::advance::{Pending, USUAL_EVENTS};
use super::begun::Begun;
use super::compiled::Graph;
use super::control::MAX_PLAYING;
use super::earlier::Kept;
use crate::{MeshScratch, Pose};

/// Buffers for [`advance`](crate::advance) and [`evaluate`](crate::evaluate): one a thread, for any
/// number of graphs and actors. Holds no state: what is left in it never changes a result.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) poses: PoseBuffers,
    /// A stack: what the states of a machine do in a slice, above those of the machines around it.
    pub(super) spans: Vec<Span>,
    /// A stack: the weights of the leaves of what [`Scratch::spans`] holds.
    pub(super) leaves: Vec<f32>,
    pub(super) events: Vec<Pending>,
    /// The number of events before each beginning of a state.
    pub(super) beginnings: Vec<usize>,
    pub(super) used_triggers: Vec<bool>,
    /// The machines that have used triggers in this step, with the trigger: they do not see it any more.
    pub(super) used_by: Vec<[u16; 2]>,
    /// What each machine has begun in this step, by index.
    pub(super) begun: Vec<Begun>,
    /// Clocks to be put back where they were.
    pub(super) kept: Vec<Kept>,
    /// What lay below slots before the step, by their index, where they change by inertia.
    pub(super) below: Vec<(u16, Pose)>,
    /// A state was cut to in the step: what machines show has jumped.
    pub(super) has_cut: bool,
    /// How each machine inside a state moved the root in the slice that it last ran, a second, as in
    /// [`Travel::log`](crate::Travel), by index.
    pub(super) velocities: Vec<[f64; 6]>,
    /// Slices that the machines of the actor have run in this step.
    pub(super) slices: usize,
}

impl Scratch {
    /// Empties what a step fills, with room for what it usually takes.
    pub(super) fn make_room(&mut self, graph: &Graph) {
        self.events.clear();
        self.events.reserve(USUAL_EVENTS);
        self.beginnings.clear();
        self.beginnings.reserve(USUAL_EVENTS);
        self.spans.clear();
        self.spans.reserve(4 * MAX_PLAYING);
        self.leaves.clear();
        self.leaves.reserve(16 * MAX_PLAYING);
        self.slices = 0;
        self.has_cut = false;
        self.velocities.clear();
        self.velocities.resize(graph.machines.len(), [0.0; 6]);
        self.used_triggers.clear();
        self.used_triggers.resize(graph.parameters.len(), false);
        self.used_by.clear();
        self.used_by.reserve(4 * MAX_PLAYING);
        self.begun.clear();
        self.begun.resize(graph.machines.len(), Begun::default());
        self.kept.clear();
        self.kept.reserve(8 * MAX_PLAYING);
    }
}

/// Poses that are worked with, taken and given back like plates.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseBuffers {
    free: Vec<Pose>,
    /// Poses of the children of blends that are being mixed.
    pub(super) stack: Vec<Pose>,
    /// Weights by joint.
    pub(super) weights: Vec<f32>,
    pub(super) mesh: MeshScratch,
}

impl PoseBuffers {
    /// Has so many poses of this size lie ready, so that what seldom takes many allocates once.
    pub(super) fn make_room(&mut self, count: usize, size: &Pose) {
        while self.free.len() < count {
            self.free.push(size.clone());
        }
    }

    /// A pose with anything in it.
    pub(super) fn take(&mut self) -> Pose {
        self.free.pop().unwrap_or_default()
    }

    /// Takes it back.
    pub(super) fn give(&mut self, pose: Pose) {
        self.free.push(pose);
    }
}

/// What a playing state's clock does in a slice of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Laps at the slice's begin.
    pub(super) from: f64,
    /// Laps at its end; beyond the ends of a once-state where it comes to an end.
    pub(super) to: f64,
    /// The slice, in shares of the step.
    pub(super) slice: Slice,
    /// Seconds of the state's lap at speed 1; 0 for what has no length.
    pub(super) lap_seconds: f64,
    /// Where the weights of the state's leaves begin in [`Scratch::leaves`].
    pub(super) leaves: usize,
}

/// A stretch of a step, in shares of it, in which nothing begins or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slice {
    pub(super) begin: f64,
    pub(super) end: f64,
}

impl Slice {
    /// The whole of the step.
    pub(super) const WHOLE: Self = Self {
        begin: 0.0,
        end: 1.0,
    };

    /// How much of the step it is.
    pub(super) fn length(self) -> f64 {
        self.end - self.begin
    }
}

impl Span {
    /// Laps at a share of the step within the slice.
    pub(super) fn at(&self, share: f64) -> f64 {
        if share >= self.slice.end {
            return self.to;
        }
        let length = self.slice.length();
        let own = if length > 0.0 {
            ((share - self.slice.begin) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.from + (self.to - self.from) * own
    }

    /// Lets the clock of a once-state that is cut where it comes to its end stand exactly there.
    pub(super) fn meet_end(&mut self) {
        let end = if self.to > self.from { 1.0 } else { 0.0 };
        if self.to != self.from && (self.to - end).abs() < 1e-9 {
            self.to = end;
        }
    }

    /// The share of the step of a share of the span.
    pub(super) fn share(&self, own: f64) -> f64 {
        self.slice.begin + self.slice.length() * own
    }
}
