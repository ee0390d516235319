//! Tweens: a graph parameter led to a value over time.

use serde::{Deserialize, Serialize};

/// How a tween's progress relates to its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Ease {
    /// The same speed throughout.
    #[default]
    Linear,
    /// Starts slowly.
    In,
    /// Ends slowly.
    Out,
    /// Starts and ends slowly.
    InOut,
}

impl Ease {
    /// Names as scripts write them.
    pub const NAMES: [&'static str; 4] = ["linear", "in", "out", "in_out"];

    /// The ease of a name out of [`Self::NAMES`].
    pub fn named(name: &str) -> Option<Self> {
        let eases = [Ease::Linear, Ease::In, Ease::Out, Ease::InOut];
        let index = Self::NAMES.iter().position(|&known| known == name)?;
        Some(eases[index])
    }

    /// Progress 0..1 at time 0..1; quadratic.
    pub fn apply(self, t: f32) -> f32 {
        let t = t.clamp(0.0, 1.0);
        match self {
            Ease::Linear => t,
            Ease::In => t * t,
            Ease::Out => t * (2.0 - t),
            Ease::InOut if t < 0.5 => 2.0 * t * t,
            Ease::InOut => 1.0 - 2.0 * (1.0 - t) * (1.0 - t),
        }
    }
}

/// A float parameter of an actor's graph on its way to a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tween {
    /// Name of the parameter, so that a reload of the graph does not lose it.
    pub parameter: String,
    /// Value at the start.
    pub from: f32,
    /// Value at the end.
    pub to: f32,
    /// Seconds since the start.
    pub elapsed: f32,
    /// Seconds it takes; 0 arrives in the next step.
    pub seconds: f32,
    /// How it moves.
    pub ease: Ease,
}

impl Tween {
    /// Moves on by `dt` seconds and gives the value; the tween is over once `elapsed` reaches `seconds`.
    pub fn advance(&mut self, dt: f32) -> f32 {
        self.elapsed += dt;
        if self.over() {
            return self.to;
        }
        self.from + (self.to - self.from) * self.ease.apply(self.elapsed / self.seconds)
    }

    /// True when the value has been reached.
    pub fn over(&self) -> bool {
        self.elapsed >= self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ease_goes_from_nought_to_one_without_turning_back() {
        for name in Ease::NAMES {
            let ease = Ease::named(name).expect("listed");
            let values: Vec<f32> = (0..=100).map(|i| ease.apply(i as f32 / 100.0)).collect();
            assert_eq!((values[0], values[100]), (0.0, 1.0), "{name}");
            assert!(values.is_sorted(), "{name}");
        }
    }
}
