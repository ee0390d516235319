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

/// The weight of the current state in its layer, 0 to 1.
pub(super) fn current_weight(layer: &LayerState) -> f32 {
    layer.fade.map_or(1.0, |fade| fade.weight_at(fade.elapsed))
}

/// The weight of each playing state, given that of the current one.
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
