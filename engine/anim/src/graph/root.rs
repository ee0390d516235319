//! Root motion of a step: that of every clip that plays, weighted as the pose is.

use super::compiled::{Graph, Layer, Motion, RootRig};
use super::fade::playing_weight;
use super::motion::blend_weights;
use super::scratch::Span;
use super::state::{FadeClock, LayerState, ParameterState};
use crate::{LoopMode, Planar, RootPart, blended_root_motion};

/// Pieces that a step is cut into while weights change.
const MOST_PIECES: f64 = 256.0;

/// The motion of one clip in a piece of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootPiece {
    clip: u16,
    mode: LoopMode,
    from: f64,
    to: f64,
    weight: f64,
}

/// What the root motion of a step depends on; all of it as it was before the step, with a fade
/// that began in it.
pub(super) struct RootStep<'a> {
    pub(super) graph: &'a Graph,
    pub(super) layer: &'a Layer,
    pub(super) state: &'a LayerState,
    pub(super) parameters: &'a [ParameterState],
    pub(super) spans: &'a [Span],
    /// The share of the step after which the fade begins.
    pub(super) fade_begin: f64,
    /// Seconds.
    pub(super) dt: f64,
}

impl RootStep<'_> {
    /// The motion of the step, in the frame of its start. Weights that change over the step are
    /// taken at the end of each 1/60 s of it.
    pub(super) fn motion(&self, rig: &RootRig, pieces: &mut Vec<RootPiece>) -> Planar {
        let count = match self.state.fade {
            None => 1.0,
            Some(_) => (self.dt * 60.0 - 1e-5).ceil().clamp(1.0, MOST_PIECES),
        };
        let mut total = Planar::IDENTITY;
        for piece in 0..count as usize {
            let shares = [piece, piece + 1].map(|index| index as f64 / count);
            self.fill(shares, pieces);
            let parts = pieces.iter().map(|piece| RootPart {
                track: &rig.tracks[usize::from(piece.clip)],
                mode: piece.mode,
                from: piece.from,
                to: piece.to,
                weight: piece.weight,
            });
            total = total.then(blended_root_motion(parts, self.dt / count));
        }
        total
    }

    /// What plays between two shares of the step.
    fn fill(&self, [begin, end]: [f64; 2], pieces: &mut Vec<RootPiece>) {
        pieces.clear();
        let current = self
            .state
            .fade
            .map_or(1.0, |fade| self.weight_at(&fade, end));
        for (index, (playing, span)) in self.state.playing.iter().zip(self.spans).enumerate() {
            let weight = playing_weight(self.state, index, current);
            if weight <= 0.0 {
                continue;
            }
            let state = &self.layer.states[usize::from(playing.state)];
            let mut add = |clip, weight: f32| {
                pieces.push(RootPiece {
                    clip,
                    mode: playing.mode,
                    from: span.at(begin),
                    to: span.at(end),
                    weight: f64::from(weight),
                });
            };
            match &self.graph.motions[usize::from(state.motion)] {
                Motion::Rest => {}
                Motion::Clip(sample) | Motion::Scrub { sample, .. } => add(sample.clip, weight),
                Motion::Blend(space) => {
                    let weights = blend_weights(space, self.parameters);
                    for (sample, own) in space.samples.iter().zip(weights) {
                        if own > 0.0 {
                            add(sample.clip, weight * own);
                        }
                    }
                }
            }
        }
    }

    fn weight_at(&self, fade: &FadeClock, share: f64) -> f32 {
        fade.weight_at(fade.elapsed + (share - self.fade_begin).max(0.0) * self.dt)
    }
}
