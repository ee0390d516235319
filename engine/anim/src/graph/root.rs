//! Root motion of a step: that of every clip that plays, weighted as the pose is.

use super::compiled::{Graph, Layer, Motion, RootRig};
use super::fade::FadeStep;
use super::motion::blend_weights;
use super::scratch::Span;
use super::state::{LayerState, ParameterState};
use crate::{LoopMode, RootAxes, Travel, WeightedLog, blended_root_motion};

/// Most pieces that a step is cut into while weights change.
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
    /// How much of the layer's motion the pose has, 0 to 1.
    pub(super) share: f32,
    pub(super) state: &'a LayerState,
    pub(super) parameters: &'a [ParameterState],
    pub(super) spans: &'a [Span],
    pub(super) fade: &'a FadeStep,
    /// Seconds.
    pub(super) dt: f64,
}

impl RootStep<'_> {
    /// The motion of the step, in the frame of its start. While a fade runs, its weights are taken
    /// at the end of each 1/60 s.
    pub(super) fn motion(&self, rig: &RootRig, pieces: &mut Vec<RootPiece>) -> Travel {
        if self.state.fade.is_none() {
            return self.piece(rig, [0.0, 1.0], pieces);
        }
        let (begin, end) = (self.fade.begin(), self.fade.end);
        let mut total = Travel::identity(axes_of(rig));
        for [from, to] in [[0.0, begin], [begin, end]] {
            let seconds = (to - from) * self.dt;
            let count = (seconds * 60.0 - 1e-5).ceil().clamp(0.0, MOST_PIECES);
            for index in 0..count as usize {
                let share = |index: usize| from + (to - from) * (index as f64 / count);
                total = total.then(self.piece(rig, [share(index), share(index + 1)], pieces));
            }
        }
        if end < 1.0 {
            total = total.then(self.piece(rig, [end, 1.0], pieces));
        }
        total
    }

    /// The motion between two shares of the step, by the weights at the second one.
    fn piece(&self, rig: &RootRig, [begin, end]: [f64; 2], pieces: &mut Vec<RootPiece>) -> Travel {
        self.fill([begin, end], pieces);
        blended_root_motion(self.dt * (end - begin), axes_of(rig), |from, to| {
            let mut sum = WeightedLog::default();
            for piece in &*pieces {
                let at = |share: f64| piece.from + (piece.to - piece.from) * share;
                let track = &rig.tracks[usize::from(piece.clip)];
                sum.add(piece.weight, &track.delta(piece.mode, at(from), at(to)));
            }
            sum
        })
    }

    /// What plays between two shares of the step.
    fn fill(&self, [begin, end]: [f64; 2], pieces: &mut Vec<RootPiece>) {
        pieces.clear();
        for (index, (playing, span)) in self.state.playing.iter().zip(self.spans).enumerate() {
            let weight = self.share * self.fade.weight(&self.state.playing, index, end);
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
}

/// All tracks of a graph take the same axes.
fn axes_of(rig: &RootRig) -> RootAxes {
    rig.tracks
        .first()
        .map_or(RootAxes::default(), |track| track.axes)
}
