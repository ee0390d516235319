//! Weights within a layer while it fades.

use super::compiled::Layer;
use super::def::FadeCurveDef;
use super::motion::number;
use super::state::{FadeClock, LayerState, ParameterState, Playing};

/// A fade is over where this share of it is left: clocks that add up steps of 1/60 s in f32 must not
/// need one step more than the arithmetic on paper.
const TOLERANCE: f64 = 1e-6;

impl FadeClock {
    /// The weight of the current state after `seconds` of the fade, 0 to 1.
    pub(super) fn weight_at(&self, seconds: f64) -> f32 {
        if self.is_over_at(seconds) {
            return 1.0;
        }
        let t = (seconds / self.duration).clamp(0.0, 1.0);
        let weight = match self.curve {
            FadeCurveDef::Linear => t,
            FadeCurveDef::Smooth => t * t * (3.0 - 2.0 * t),
        };
        weight as f32
    }

    /// Whether nothing is left of the fade after `seconds`.
    pub(super) fn is_over_at(&self, seconds: f64) -> bool {
        seconds >= self.duration * (1.0 - TOLERANCE)
    }
}

/// What a layer's fade does in a step.
pub(super) struct FadeStep {
    fade: Option<FadeClock>,
    /// Where the fade began in the step.
    pub(super) began: Option<Began>,
    /// The share of the step after which nothing older than the current state is left.
    pub(super) end: f64,
    dt: f64,
}

/// How a fade began in the middle of a step.
#[derive(Clone, Copy)]
pub(super) struct Began {
    /// The share of the step after which it runs.
    pub(super) at: f64,
    /// [`Playing::run`] of the state that was left.
    pub(super) left: u32,
    /// The fade that ran up to there, as it was at the start of the step.
    pub(super) before: Option<FadeClock>,
}

impl FadeStep {
    /// `fade` as it was before the step, or as it begins in it.
    pub(super) fn new(fade: Option<FadeClock>, began: Option<Began>, dt: f64) -> Self {
        let begin = began.map_or(0.0, |began| began.at);
        let left = fade.map(|fade| (fade.duration - fade.elapsed).max(0.0));
        let end = match left {
            None => 1.0,
            Some(left) if left <= 0.0 => begin,
            Some(_) if dt <= 0.0 => 1.0,
            Some(left) => (begin + left / dt).min(1.0),
        };
        Self {
            fade,
            began,
            end,
            dt,
        }
    }

    /// The share of the step after which the fade runs.
    pub(super) fn begin(&self) -> f64 {
        self.began.map_or(0.0, |began| began.at)
    }

    /// The weight of the current state at a share of the step, 0 to 1.
    pub(super) fn incoming(&self, share: f64) -> f32 {
        match self.fade {
            None => 1.0,
            Some(_) if share < self.begin() => 0.0,
            Some(fade) => fade.weight_at(fade.elapsed + (share - self.begin()) * self.dt),
        }
    }

    /// The weight of a state that is being faded out at a share of the step. Up to where a fade
    /// begins in the step it is that of the fade before.
    pub(super) fn outgoing(&self, playing: &Playing, share: f64) -> f32 {
        let Some(began) = self.began.filter(|began| share <= began.at) else {
            return playing.share * (1.0 - self.incoming(share));
        };
        let before = |share: f64| {
            let weight = |fade: FadeClock| fade.weight_at(fade.elapsed + share * self.dt);
            began.before.map_or(1.0, weight)
        };
        if playing.run == began.left {
            return before(share);
        }
        // Its share was cut when the fade began.
        let cut = 1.0 - before(began.at);
        if cut > 0.0 {
            playing.share * (1.0 - before(share)) / cut
        } else {
            0.0
        }
    }

    /// The weight of each of a layer's playing states at a share of the step; together 1. A part of
    /// the outgoing mix that no longer plays on its own counts for the current state: it is one of
    /// them that goes on.
    pub(super) fn weight(&self, playing: &[Playing], index: usize, share: f64) -> f32 {
        let Some((_, older)) = playing.split_last() else {
            return 0.0;
        };
        let outgoing = |playing: &Playing| self.outgoing(playing, share);
        match older.get(index) {
            Some(playing) => outgoing(playing),
            None => (1.0 - older.iter().map(outgoing).sum::<f32>()).max(0.0),
        }
    }
}

/// The weight of the current state in its layer, 0 to 1.
pub(super) fn current_weight(layer: &LayerState) -> f32 {
    layer.fade.map_or(1.0, |fade| fade.weight_at(fade.elapsed))
}

/// The weight of each playing state, given that of the current one in the pose.
pub(super) fn playing_weight(layer: &LayerState, index: usize, current: f32) -> f32 {
    if index + 1 == layer.playing.len() {
        current
    } else {
        layer.playing[index].share * (1.0 - current)
    }
}

/// The weight of a layer over what is below it, 0 to 1.
pub(super) fn layer_weight(
    layer: &Layer,
    state: &LayerState,
    parameters: &[ParameterState],
) -> f32 {
    let parameter = layer
        .weight_parameter
        .map_or(1.0, |index| number(parameters, index));
    (state.weight.value * parameter as f32).clamp(0.0, 1.0)
}
