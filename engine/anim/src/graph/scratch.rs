//! Buffers that steps and poses are worked out in, kept between uses.

use super::advance::{Pending, USUAL_EVENTS};
use super::control::MAX_PLAYING;
use super::root::RootPiece;
use crate::Pose;

/// Buffers for [`advance`](crate::advance) and [`evaluate`](crate::evaluate): one a thread, for any
/// number of graphs and actors. Holds no state: what is left in it never changes a result.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) poses: PoseBuffers,
    pub(super) spans: Vec<Span>,
    pub(super) events: Vec<Pending>,
    pub(super) used_triggers: Vec<bool>,
    pub(super) root: Vec<RootPiece>,
}

impl Scratch {
    /// Empties what a step fills, with room for what it usually takes.
    pub(super) fn make_room(&mut self) {
        self.events.clear();
        self.events.reserve(USUAL_EVENTS);
        self.spans.clear();
        self.spans.reserve(MAX_PLAYING + 1);
        self.root.clear();
        self.root.reserve(4 * MAX_PLAYING);
    }
}

/// Poses that are worked with.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseBuffers {
    /// The samples of a blend space.
    pub(super) samples: Vec<Pose>,
    /// The current state while it fades in.
    pub(super) current: Pose,
    /// One layer.
    pub(super) layer: Pose,
}

/// What a playing state's clock does in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Laps at its start.
    pub(super) from: f64,
    /// Laps at its end; beyond the ends of a once-state where it comes to an end.
    pub(super) to: f64,
    /// The share of the step after which it begins.
    pub(super) begin: f64,
}

impl Span {
    /// Laps at a share of the step.
    pub(super) fn at(&self, share: f64) -> f64 {
        if share >= 1.0 {
            return self.to;
        }
        let own = ((share - self.begin) / (1.0 - self.begin)).clamp(0.0, 1.0);
        self.from + (self.to - self.from) * own
    }

    /// The share of the step of a share of the span.
    pub(super) fn share(&self, own: f64) -> f64 {
        self.begin + (1.0 - self.begin) * own
    }
}
