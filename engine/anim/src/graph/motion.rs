//! How fast a motion runs and how much of each part it shows.

use glam::Vec2;

use super::compiled::{BlendSpace, Graph, Leaf, MAX_SAMPLES, Motion, PlaneRule, Points, State};
use super::def::RateDef;
use super::state::{ParameterState, ParameterValue, RandomChoice};
use crate::keep_heaviest;

/// Laps shorter than this many seconds have no rate: they are single poses.
const SHORTEST_LAP: f64 = 1e-6;

/// What motions look up while they play.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) graph: &'a Graph,
    pub(super) parameters: &'a [ParameterState],
    pub(super) randoms: &'a [RandomChoice],
}

/// Something in the motion of a state that plays on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Index in [`State::leaves`].
    Leaf(u16),
    /// A machine that gives its own root motion.
    Machine {
        /// Index in [`Graph::machines`].
        machine: u16,
        /// It is laid over something by an additive motion and does not move the root.
        added: bool,
    },
}

/// A lap at speed 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lap {
    /// Seconds; 0 for a single pose.
    pub(super) duration: f64,
    /// Metres that the root travels.
    pub(super) stride: f64,
}

/// A parameter as a number; 1 for true and for a set trigger.
pub(super) fn number(parameters: &[ParameterState], index: u16) -> f64 {
    match parameters[usize::from(index)].value {
        ParameterValue::Float(value) => f64::from(value),
        ParameterValue::Int(value) => f64::from(value),
        ParameterValue::Bool(value) | ParameterValue::Trigger(value) => f64::from(value),
    }
}

/// The weight of every child of a blend space.
pub(super) fn blend_weights(
    space: &BlendSpace,
    parameters: &[ParameterState],
) -> [f32; MAX_SAMPLES] {
    let mut weights = [0.0; MAX_SAMPLES];
    let used = &mut weights[..space.children.len()];
    match &space.points {
        Points::Line { parameter, at } => {
            crate::linear_weights(at, number(parameters, *parameter) as f32, used);
        }
        Points::Plane {
            parameters: [x, y],
            at,
            rule,
        } => {
            let place = [number(parameters, *x), number(parameters, *y)];
            let place = Vec2::new(place[0] as f32, place[1] as f32);
            match rule {
                PlaneRule::GradientBand => crate::gradient_band_weights(at, place, used),
                PlaneRule::Polar => crate::polar_band_weights(at, place, used),
                PlaneRule::Delaunay(triangles) => triangles.weights(at, place, used),
            }
        }
    }
    if let Some(keep) = space.keep {
        keep_heaviest(used, usize::from(keep));
    }
    weights
}

impl Context<'_> {
    /// The weights of a direct blend's children; together at most 1.
    pub(super) fn direct_weights(&self, motion: &Motion) -> [f32; MAX_SAMPLES] {
        let mut weights = [0.0; MAX_SAMPLES];
        let Motion::Direct(children) = motion else {
            return weights;
        };
        let mut sum = 0.0;
        for (weight, child) in weights.iter_mut().zip(children) {
            *weight = (number(self.parameters, child.weight) as f32).max(0.0);
            sum += *weight;
        }
        if sum > 1.0 {
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        weights
    }

    /// The child that a choice shows.
    pub(super) fn selected(&self, motion: &Motion) -> Option<u16> {
        match motion {
            Motion::Select {
                parameter,
                children,
            } => {
                let last = children.len().saturating_sub(1);
                let number = number(self.parameters, *parameter).clamp(0.0, last as f64);
                children.get(number.round() as usize).copied()
            }
            Motion::Random { slot, children } => {
                let child = self.randoms.get(usize::from(*slot))?.child;
                children.get(usize::from(child)).copied()
            }
            _ => None,
        }
    }

    /// The weight that an additive motion adds with, 0 to 1.
    pub(super) fn additive_weight(&self, parameter: Option<u16>) -> f32 {
        let weight = parameter.map_or(1.0, |index| number(self.parameters, index));
        (weight as f32).clamp(0.0, 1.0)
    }

    /// A lap of a motion at speed 1; none where the motion has no clock.
    pub(super) fn lap(&self, leaves: &[Leaf], motion: u16) -> Option<Lap> {
        let lap = |motion: u16| self.lap(leaves, motion);
        let leaf = |leaf: u16| {
            let leaf = &leaves[usize::from(leaf)];
            Lap {
                duration: leaf.duration,
                stride: leaf.stride,
            }
        };
        let motion = &self.graph.motions[usize::from(motion)];
        match motion {
            Motion::Rest | Motion::Scrub { .. } | Motion::Machine(_) | Motion::Pose(_) => None,
            Motion::Clip(sample) => Some(leaf(sample.leaf)),
            Motion::Sequence { leaf: index } => Some(leaf(*index)),
            Motion::Blend(space) => self.lap_of_blend(leaves, space),
            Motion::Direct(children) => {
                let weights = self.direct_weights(motion);
                let laps = children.iter().zip(weights);
                let laps = laps.map(|(child, weight)| (child.motion, 1.0, weight));
                self.mean_lap(leaves, laps, RateDef::DurationMean)
            }
            Motion::Additive { base, add, .. } => lap(*base).or_else(|| lap(*add)),
            Motion::Select { .. } | Motion::Random { .. } => lap(self.selected(motion)?),
        }
    }

    fn lap_of_blend(&self, leaves: &[Leaf], space: &BlendSpace) -> Option<Lap> {
        let weights = blend_weights(space, self.parameters);
        let children = space.children.iter().zip(weights);
        let children = children.map(|(child, weight)| (child.motion, child.speed, weight));
        self.mean_lap(leaves, children, space.rate)
    }

    /// The lap of motions that share one phase, given as motion, speed and weight; those without a
    /// clock do not count.
    fn mean_lap(
        &self,
        leaves: &[Leaf],
        children: impl Iterator<Item = (u16, f64, f32)>,
        rate: RateDef,
    ) -> Option<Lap> {
        let [
            mut weights,
            mut durations,
            mut rates,
            mut strides,
            mut speeds,
        ] = [0.0; 5];
        for (motion, speed, weight) in children {
            let lap = (weight > 0.0).then(|| self.lap(leaves, motion)).flatten();
            let Some(lap) = lap else { continue };
            let (weight, duration) = (f64::from(weight), lap.duration / speed);
            weights += weight;
            durations += weight * duration;
            rates += weight * rate_of(duration);
            strides += weight * lap.stride;
            speeds += weight * lap.stride * rate_of(duration);
        }
        if weights <= 0.0 {
            return None;
        }
        let rate = match rate {
            RateDef::RateMean => rates / weights,
            RateDef::Distance if strides > 1e-6 => speeds / strides,
            RateDef::DurationMean | RateDef::Distance => rate_of(durations / weights),
        };
        Some(Lap {
            duration: if rate > 0.0 { 1.0 / rate } else { 0.0 },
            stride: strides / weights,
        })
    }

    /// Calls `part` with everything in a state's motion that plays and its weight, `weight` for the
    /// whole.
    pub(super) fn parts(&self, state: &State, weight: f32, part: &mut dyn FnMut(Part, f32)) {
        self.parts_of(state.motion, weight, false, part);
    }

    fn parts_of(&self, motion: u16, weight: f32, added: bool, part: &mut dyn FnMut(Part, f32)) {
        if weight <= 0.0 {
            return;
        }
        let motion = &self.graph.motions[usize::from(motion)];
        match motion {
            Motion::Rest | Motion::Pose(_) => {}
            Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
                part(Part::Leaf(sample.leaf), weight);
            }
            Motion::Sequence { leaf } => part(Part::Leaf(*leaf), weight),
            Motion::Machine(machine) => {
                let machine = *machine;
                part(Part::Machine { machine, added }, weight);
            }
            Motion::Blend(space) => {
                let weights = blend_weights(space, self.parameters);
                for (child, own) in space.children.iter().zip(weights) {
                    self.parts_of(child.motion, weight * own, added, part);
                }
            }
            Motion::Direct(children) => {
                let weights = self.direct_weights(motion);
                for (child, own) in children.iter().zip(weights) {
                    self.parts_of(child.motion, weight * own, added, part);
                }
            }
            Motion::Additive {
                base,
                add,
                weight: parameter,
            } => {
                let added_weight = weight * self.additive_weight(*parameter);
                self.parts_of(*base, weight, added, part);
                self.parts_of(*add, added_weight, true, part);
            }
            Motion::Select { .. } | Motion::Random { .. } => {
                if let Some(child) = self.selected(motion) {
                    self.parts_of(child, weight, added, part);
                }
            }
        }
    }

    /// Seconds of a lap of a state at speed 1; 0 for what has no length.
    pub(super) fn lap_seconds(&self, state: &State) -> f64 {
        let lap = self.lap(&state.leaves, state.motion);
        lap.map_or(0.0, |lap| lap.duration)
    }

    /// Laps a second of a state, signed, all factors included.
    pub(super) fn state_rate(&self, state: &State, speed: f32) -> f64 {
        self.rate_of_lap(self.lap_seconds(state), state, speed)
    }

    /// The same of a state whose lap takes so many seconds at speed 1.
    pub(super) fn rate_of_lap(&self, lap_seconds: f64, state: &State, speed: f32) -> f64 {
        let rate = rate_of(lap_seconds) * self.speed_factor(state, speed);
        if rate.is_finite() { rate } else { 0.0 }
    }

    /// The factor on a state's own rate.
    pub(super) fn speed_factor(&self, state: &State, speed: f32) -> f64 {
        let parameter = state.speed_parameter;
        let parameter = parameter.map_or(1.0, |index| number(self.parameters, index));
        f64::from(state.speed) * parameter * f64::from(speed)
    }

    /// Whether a state runs down; where it stands still, its own speed tells which way it would go.
    pub(super) fn runs_backwards(&self, state: &State, speed: f32) -> bool {
        let factor = self.speed_factor(state, speed);
        factor < 0.0 || (factor == 0.0 && state.speed < 0.0)
    }

    /// The parameter that gives the phase of a state, where one does.
    pub(super) fn scrub(&self, state: &State) -> Option<f64> {
        match &self.graph.motions[usize::from(state.motion)] {
            Motion::Scrub { parameter, .. } => {
                Some(number(self.parameters, *parameter).clamp(0.0, 1.0))
            }
            _ => None,
        }
    }

    /// The machine that a state is, where its whole motion is one.
    pub(super) fn machine(&self, state: &State) -> Option<u16> {
        match self.graph.motions[usize::from(state.motion)] {
            Motion::Machine(machine) => Some(machine),
            _ => None,
        }
    }
}

/// Laps a second of a lap of so many seconds, and back; 0 for what has no length.
pub(super) fn rate_of(duration: f64) -> f64 {
    if duration > SHORTEST_LAP {
        1.0 / duration
    } else {
        0.0
    }
}
