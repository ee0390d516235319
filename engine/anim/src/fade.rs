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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_is_straight_and_ends_on_its_target() {
        let mut fade = Fade::at(0.0);
        fade.to(1.0, 2.0);
        let seen = [0.5, 0.5, 0.75, 0.5, 1.0].map(|dt| fade.step(dt));
        assert_eq!(seen, [0.25, 0.5, 0.875, 1.0, 1.0]);
        assert_eq!(fade, Fade::at(1.0));
    }

    #[test]
    fn asking_again_for_the_same_target_does_not_restart() {
        let mut fade = Fade::at(0.0);
        for _ in 0..10 {
            fade.to(1.0, 1.0);
            fade.step(0.1);
        }
        assert!((fade.value - 1.0).abs() < 1e-6);
        fade.to(1.0, 5.0);
        assert!(fade.seconds_left < 1e-6);
    }

    #[test]
    fn a_new_target_starts_from_where_the_value_is() {
        let mut fade = Fade::at(0.0);
        fade.to(1.0, 1.0);
        fade.step(0.5);
        fade.to(0.0, 1.0);
        assert_eq!(fade.step(0.5), 0.25);
        fade.to(2.0, 0.0);
        assert_eq!(fade.value, 2.0);
    }

    #[test]
    fn nonsense_changes_nothing() {
        let mut fade = Fade::at(0.5);
        fade.to(f32::NAN, 1.0);
        fade.to(f32::INFINITY, 1.0);
        assert_eq!(fade, Fade::at(0.5));
        fade.to(1.0, 1.0);
        let before = fade;
        for dt in [f32::NAN, -1.0, 0.0] {
            fade.step(dt);
        }
        assert_eq!(fade, before);
        fade.to(0.0, f32::NAN);
        assert_eq!(
            fade,
            Fade::at(0.0),
            "a duration that is not a number is none"
        );
    }
}
