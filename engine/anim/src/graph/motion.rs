//! How fast a motion runs and how much of each sample it shows.

use glam::Vec2;

use super::compiled::{BlendSpace, Graph, MAX_SAMPLES, Motion, Points, Sample, State};
use super::def::RateDef;
use super::state::{ParameterState, ParameterValue};

/// Laps shorter than this many seconds have no rate: they are single poses.
const SHORTEST_LAP: f64 = 1e-6;

/// A parameter as a number; 1 for true and for a set trigger.
pub(super) fn number(parameters: &[ParameterState], index: u16) -> f64 {
    match parameters[usize::from(index)].value {
        ParameterValue::Float(value) => f64::from(value),
        ParameterValue::Int(value) => f64::from(value),
        ParameterValue::Bool(value) | ParameterValue::Trigger(value) => f64::from(value),
    }
}

/// The weight of every sample of a blend space.
pub(super) fn blend_weights(
    space: &BlendSpace,
    parameters: &[ParameterState],
) -> [f32; MAX_SAMPLES] {
    let mut weights = [0.0; MAX_SAMPLES];
    let used = &mut weights[..space.samples.len()];
    match &space.points {
        Points::Line { parameter, at } => {
            crate::linear_weights(at, number(parameters, *parameter) as f32, used);
        }
        Points::Plane {
            parameters: [x, y],
            at,
        } => {
            let place = [number(parameters, *x), number(parameters, *y)];
            let place = Vec2::new(place[0] as f32, place[1] as f32);
            crate::gradient_band_weights(at, place, used);
        }
    }
    weights
}

/// Laps a second at speed 1; 0 for what has no length.
pub(super) fn lap_rate(motion: &Motion, parameters: &[ParameterState]) -> f64 {
    match motion {
        Motion::Rest => 0.0,
        Motion::Clip(sample) | Motion::Scrub { sample, .. } => rate_of(sample),
        Motion::Blend(space) => blend_rate(space, &blend_weights(space, parameters)),
    }
}

/// Seconds of a lap at speed 1; 0 for what has no length.
pub(super) fn lap_seconds(motion: &Motion, parameters: &[ParameterState]) -> f64 {
    let rate = lap_rate(motion, parameters);
    if rate > 0.0 { 1.0 / rate } else { 0.0 }
}

fn rate_of(sample: &Sample) -> f64 {
    if sample.duration > SHORTEST_LAP {
        1.0 / sample.duration
    } else {
        0.0
    }
}

fn blend_rate(space: &BlendSpace, weights: &[f32; MAX_SAMPLES]) -> f64 {
    let sum = |value: &dyn Fn(&Sample) -> f64| -> f64 {
        let pairs = space.samples.iter().zip(weights);
        pairs.map(|(sample, w)| f64::from(*w) * value(sample)).sum()
    };
    let duration_mean = || {
        let duration = sum(&|sample| sample.duration);
        if duration > SHORTEST_LAP {
            1.0 / duration
        } else {
            0.0
        }
    };
    match space.rate {
        RateDef::DurationMean => duration_mean(),
        RateDef::RateMean => sum(&rate_of),
        RateDef::Distance => {
            let stride = sum(&|sample| sample.stride);
            if stride > 1e-6 {
                sum(&|sample| sample.stride * rate_of(sample)) / stride
            } else {
                duration_mean()
            }
        }
    }
}

/// Laps a second of a state, signed, all factors included.
pub(super) fn state_rate(
    graph: &Graph,
    state: &State,
    parameters: &[ParameterState],
    speed: f32,
) -> f64 {
    let factor = speed_factor(state, parameters, speed);
    let rate = lap_rate(&graph.motions[usize::from(state.motion)], parameters) * factor;
    if rate.is_finite() { rate } else { 0.0 }
}

/// The factor on a state's own rate.
pub(super) fn speed_factor(state: &State, parameters: &[ParameterState], speed: f32) -> f64 {
    let parameter = state
        .speed_parameter
        .map_or(1.0, |index| number(parameters, index));
    f64::from(state.speed) * parameter * f64::from(speed)
}

/// Whether a state runs down; where it stands still, its own speed tells which way it would go.
pub(super) fn runs_backwards(state: &State, parameters: &[ParameterState], speed: f32) -> bool {
    let factor = speed_factor(state, parameters, speed);
    factor < 0.0 || (factor == 0.0 && state.speed < 0.0)
}
