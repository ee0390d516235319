//! Weights within a layer while it fades.

use super::compiled::Layer;
use super::def::FadeCurveDef;
use super::motion::number;
use super::state::{FadeClock, LayerState, ParameterState};

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
    /// The share of the step after which it runs, where it began in the step.
    pub(super) began: Option<f64>,
    /// The share of the step after which nothing older than the current state is left.
    pub(super) end: f64,
    dt: f64,
}

impl FadeStep {
    /// `fade` as it was before the step, or as it begins in it.
    pub(super) fn new(fade: Option<FadeClock>, began: Option<f64>, dt: f64) -> Self {
        let begin = began.unwrap_or(0.0);
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
        self.began.unwrap_or(0.0)
    }

    /// The weight of the current state at a share of the step, 0 to 1.
    pub(super) fn incoming(&self, share: f64) -> f32 {
        match (self.fade, self.began) {
            (None, _) => 1.0,
            (Some(_), Some(begin)) if share < begin => 0.0,
            (Some(fade), _) => {
                fade.weight_at(fade.elapsed + (share - self.begin()).max(0.0) * self.dt)
            }
        }
    }

    /// The weight of everything older at a share of the step: all of it up to where the fade
    /// begins, even where that is the end of it too.
    pub(super) fn outgoing(&self, share: f64) -> f32 {
        match self.began {
            Some(begin) if share <= begin => 1.0,
            _ => 1.0 - self.incoming(share),
        }
    }
}

/// The weight of the current state in its layer, 0 to 1.
pub(super) fn current_weight(layer: &LayerState) -> f32 {
    layer.fade.map_or(1.0, |fade| fade.weight_at(fade.elapsed))
}

/// The weight of each playing state, given that of the current one in the pose. Shares of the
/// outgoing mix that no longer play on their own count for the current state: it is one of them
/// that goes on.
pub(super) fn playing_weight(layer: &LayerState, index: usize, current: f32) -> f32 {
    let Some((_, older)) = layer.playing.split_last() else {
        return 0.0;
    };
    match older.get(index) {
        Some(playing) => playing.share * (1.0 - current),
        None => 1.0 - (1.0 - current) * older.iter().map(|playing| playing.share).sum::<f32>(),
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
