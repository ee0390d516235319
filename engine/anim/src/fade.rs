//! A number on its way to another within a time.

use serde::{Deserialize, Serialize};

/// Goes from `value` to `target` in a straight line that ends `seconds_left` from now.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Fade {
    /// Now.
    pub value: f32,
    /// At the end.
    pub target: f32,
    /// Until the end; 0 at rest.
    pub seconds_left: f32,
}

impl Fade {
    /// At rest at `value`.
    pub fn at(value: f32) -> Self {
        Self {
            value,
            target: value,
            seconds_left: 0.0,
        }
    }

    /// Sets out for `target`, to be there in `seconds`; 0 or less is at once. Asking again for the
    /// same target changes nothing, so it may be asked every step. A target that is not finite is
    /// ignored.
    pub fn to(&mut self, target: f32, seconds: f32) {
        if target == self.target || !target.is_finite() {
            return;
        }
        self.target = target;
        self.seconds_left = if seconds.is_finite() {
            seconds.max(0.0)
        } else {
            0.0
        };
        if self.seconds_left == 0.0 {
            self.value = target;
        }
    }

    /// Lets `dt` seconds pass and gives the new value; 0, less and not a number let none pass.
    pub fn step(&mut self, dt: f32) -> f32 {
        if dt >= self.seconds_left {
            *self = Self::at(self.target);
        } else if dt > 0.0 {
            self.value += (self.target - self.value) * (dt / self.seconds_left);
            self.seconds_left -= dt;
        }
        self.value
    }
}
