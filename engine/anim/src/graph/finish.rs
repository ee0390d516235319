//! States that come to their end, and the states around them that do so with them.

use super::advance::{GraphEventKind, Rank};
use super::motion::rate_of;
use super::scratch::Span;
use super::step::{Live, MachineStep};
use crate::LoopMode;

impl MachineStep<'_> {
    /// Whether a once-state comes to its end in this slice, and at which share of the step. A state that is a
    /// machine has come to its end while the current state in it has.
    pub(super) fn finish(&self, index: usize, span: &Span, live: &mut Live<'_>) -> Option<f64> {
        let playing = self.state_of(live).playing[index];
        let definition = self.state(&playing);
        let cx = self.context(live);
        if let Some(inside) = cx.machine(definition) {
            let current = live.machines[usize::from(inside)].playing.last();
            let finished = current.is_some_and(|current| current.finished);
            self.state_mut(live).playing[index].finished = finished;
            return None;
        }
        if playing.mode != LoopMode::Once || cx.scrub(definition).is_some() {
            return None;
        }
        let backwards = cx.runs_backwards(definition, self.speed);
        let end = if backwards { 0.0 } else { 1.0 };
        let has_length = rate_of(span.lap_seconds) > 0.0;
        if has_length && cx.speed_factor(definition, self.speed) == 0.0 {
            // What stands still neither comes to its end nor leaves it.
            return None;
        }
        let is_past = if backwards {
            span.to <= end
        } else {
            span.to >= end
        };
        let reached = !has_length || is_past;
        let playing = &mut self.state_mut(live).playing[index];
        let before = std::mem::replace(&mut playing.finished, reached);
        if !reached || before {
            return None;
        }
        let own = (end - span.from) / (span.to - span.from);
        let own = if has_length && own.is_finite() {
            own.clamp(0.0, 1.0)
        } else {
            0.0
        };
        Some(span.share(own))
    }

    /// Tells that the states which are this machine have come to their end with its current state, the
    /// innermost first. What follows on the spot is asked before: then nothing around has ended.
    pub(super) fn finish_around(&self, share: f64, live: &mut Live<'_>) {
        let mut inside = self.machine;
        while let Some([machine, state]) = self.graph.machines[usize::from(inside)].parent {
            let around = MachineStep { machine, ..*self };
            let current = around.state_of(live).playing.last().copied();
            let Some(current) = current.filter(|current| current.state == state) else {
                return;
            };
            if self.context(live).machine(around.state(&current)) != Some(inside) {
                return;
            }
            let (kind, rank) = (GraphEventKind::Finished, Rank::FinishedAround);
            around.tell(kind, rank, state, share, self.weight.at(share), live);
            inside = machine;
        }
    }
}
