//! Weights within a machine while it fades.

use super::compiled::{Graph, Layer};
use super::curve::layer_curve;
use super::def::FadeCurveDef;
use super::motion::number;
use super::scratch::Slice;
use super::state::{FadeClock, GraphState, MachineState};

/// A fade is over where this share of it is left: clocks that add up steps of 1/60 s in f32 must not
/// need one step more than the arithmetic on paper.
const TOLERANCE: f64 = 1e-6;

impl FadeClock {
    /// The weight of the current state after `seconds` of the fade, 0 to 1.
    pub(super) fn weight_at(&self, seconds: f64) -> f32 {
        if self.blend.inertial || self.is_over_at(seconds) {
            return 1.0;
        }
        eased(self.blend.curve, seconds / self.duration) as f32
    }

    /// The weight after `seconds` of the fade for a joint that has changed over in a share of the duration.
    pub(super) fn weight_of_joint(&self, factor: f32, seconds: f64) -> f32 {
        let duration = self.duration * f64::from(factor);
        if self.blend.inertial || seconds >= duration * (1.0 - TOLERANCE) {
            return 1.0;
        }
        eased(self.blend.curve, seconds / duration) as f32
    }

    /// The weight after `seconds` of the fade for a joint, by the profile of the fade.
    pub(super) fn weight_at_joint(&self, graph: &Graph, joint: u16, seconds: f64) -> f32 {
        let profile = self.blend.profile;
        let factor = profile.map(|index| graph.profiles[usize::from(index)][usize::from(joint)]);
        self.weight_of_joint(factor.unwrap_or(1.0), seconds)
    }

    /// Whether nothing is left of the fade after `seconds`.
    pub(super) fn is_over_at(&self, seconds: f64) -> bool {
        seconds >= self.duration * (1.0 - TOLERANCE)
    }

    /// The seconds after which the current state has this weight.
    pub(super) fn seconds_at(&self, weight: f32) -> f64 {
        let weight = f64::from(weight).clamp(0.0, 1.0);
        let t = match self.blend.curve {
            FadeCurveDef::Linear => weight,
            // The root of 3t^2 - 2t^3 = w in 0..=1.
            FadeCurveDef::Smooth => 0.5 - ((1.0 - 2.0 * weight).asin() / 3.0).sin(),
        };
        t * self.duration
    }
}

fn eased(curve: FadeCurveDef, t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    match curve {
        FadeCurveDef::Linear => t,
        FadeCurveDef::Smooth => t * t * (3.0 - 2.0 * t),
    }
}

/// The weight of one playing state in the actor's pose over a slice of a step.
#[derive(Clone, Copy)]
pub(super) struct StateWeight {
    /// The fade as it stands at the slice's begin.
    pub(super) fade: Option<FadeClock>,
    pub(super) slice: Slice,
    /// Seconds of the whole step.
    pub(super) dt: f64,
    /// [`Playing::share`](crate::Playing).
    pub(super) share: f32,
    /// Whether it is the current state.
    pub(super) is_current: bool,
    /// Weight of its machine in the actor's pose.
    pub(super) machine: MachineWeight,
}

/// The weight of a machine in the actor's pose over a slice of a step, straight from begin to end.
#[derive(Clone, Copy)]
pub(super) struct MachineWeight {
    pub(super) slice: Slice,
    pub(super) begin: f32,
    pub(super) end: f32,
}

impl MachineWeight {
    /// The same all the time.
    pub(super) fn of(weight: f32) -> Self {
        Self {
            slice: Slice::WHOLE,
            begin: weight,
            end: weight,
        }
    }

    /// At a share of the step.
    pub(super) fn at(&self, share: f64) -> f32 {
        let length = self.slice.length();
        if length <= 0.0 || self.begin == self.end {
            return self.end;
        }
        let own = ((share - self.slice.begin) / length).clamp(0.0, 1.0) as f32;
        self.begin + (self.end - self.begin) * own
    }

    /// Whether it is above 0 anywhere in a slice of it.
    pub(super) fn shows(&self, slice: Slice) -> bool {
        self.at(slice.begin) > 0.0 || self.at(slice.end) > 0.0
    }
}

impl StateWeight {
    /// At a share of the step.
    pub(super) fn at(&self, share: f64) -> f32 {
        let incoming = incoming(self.fade.as_ref(), self.slice, self.dt, share);
        let own = if self.is_current {
            incoming
        } else {
            self.share * (1.0 - incoming)
        };
        own * self.machine.at(share)
    }
}

/// The weight of the current state at a share of the step within a slice, 0 to 1.
pub(super) fn incoming(fade: Option<&FadeClock>, slice: Slice, dt: f64, share: f64) -> f32 {
    fade.map_or(1.0, |fade| {
        fade.weight_at(fade.elapsed + (share - slice.begin) * dt)
    })
}

/// The weight of the current state in its machine, 0 to 1.
pub(super) fn current_weight(machine: &MachineState) -> f32 {
    let fade = machine.fade.as_ref();
    fade.map_or(1.0, |fade| fade.weight_at(fade.elapsed))
}

/// The weight of each playing state in its machine, given that of the current one.
pub(super) fn playing_weight(machine: &MachineState, index: usize, current: f32) -> f32 {
    if index + 1 == machine.playing.len() {
        current
    } else {
        machine.playing[index].share * (1.0 - current)
    }
}

/// The weight of a layer over what is below it, 0 to 1.
pub(super) fn layer_weight(graph: &Graph, layer: &Layer, index: u16, state: &GraphState) -> f32 {
    let parameter = layer
        .weight_parameter
        .map_or(1.0, |index| number(&state.parameters, index) as f32);
    let curve = layer
        .weight_curve
        .map_or(1.0, |curve| layer_curve(graph, state, index, curve));
    let own = state.layers[usize::from(index)].weight.value;
    (own * parameter * curve).clamp(0.0, 1.0)
}
