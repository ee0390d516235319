//! An offset that a critically damped spring brings to zero.

use serde::{Deserialize, Serialize};

/// An offset from a moving goal and its speed, as a critically damped spring holds them. Unlike
/// [`crate::InertiaScalar`] it has no end and can be pushed at any time.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct SpringOffset {
    /// What is left of the offset.
    pub offset: f64,
    /// Its change a second.
    pub speed: f64,
}

impl SpringOffset {
    /// Moves on by `dt` seconds, exactly, whatever the steps. An offset at rest halves in 1.21 times `half_life`
    /// (seconds), since it must gather speed first. A half-life of zero or less, or one that is not a number,
    /// ends it at once; a `dt` that is not above zero does nothing. (Holden, "Spring-It-On", 2021.)
    pub fn step(&mut self, half_life: f64, dt: f64) {
        let elapsed = dt > 0.0;
        if !elapsed {
            return;
        }
        let damping = 2.0 * std::f64::consts::LN_2 / half_life;
        let left = (-damping * dt).exp();
        let pull = self.speed + self.offset * damping;
        let next = Self {
            offset: left * (self.offset + pull * dt),
            speed: left * (self.speed - pull * damping * dt),
        };
        let sound = half_life > 0.0 && next.offset.is_finite() && next.speed.is_finite();
        *self = if sound { next } else { Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    #[test]
    fn an_offset_at_rest_halves_after_one_and_a_fifth_half_lives() {
        let mut spring = SpringOffset {
            offset: 1.0,
            speed: 0.0,
        };
        spring.step(0.2, 0.2 * 1.21);
        assert!((spring.offset - 0.5).abs() < 1e-3, "{spring:?}");
    }

    #[test]
    fn it_follows_the_equation_of_a_critically_damped_spring_in_any_steps() {
        let mut random = Random::new(71);
        for _ in 0..50 {
            let start = SpringOffset {
                offset: random.range(-2.0, 2.0),
                speed: random.range(-9.0, 9.0),
            };
            let (half_life, seconds) = (random.range(0.05, 1.0), random.range(0.1, 1.0));
            let damping = 2.0 * std::f64::consts::LN_2 / half_life;
            // x'' = -2 y x' - y^2 x by small steps of the midpoint rule.
            let (mut x, mut v) = (start.offset, start.speed);
            let (count, force) = (20_000, |x: f64, v: f64| {
                -2.0 * damping * v - damping * damping * x
            });
            let dt = seconds / f64::from(count);
            for _ in 0..count {
                let (x_half, v_half) = (x + v * dt * 0.5, v + force(x, v) * dt * 0.5);
                (x, v) = (x + v_half * dt, v + force(x_half, v_half) * dt);
            }
            let (mut whole, mut parts) = (start, start);
            whole.step(half_life, seconds);
            for _ in 0..7 {
                parts.step(half_life, seconds / 7.0);
            }
            for got in [whole, parts] {
                assert!((got.offset - x).abs() < 1e-6 && (got.speed - v).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn hostile_steps_end_it_or_leave_it() {
        let start = SpringOffset {
            offset: 1.0,
            speed: -3.0,
        };
        let step = |half_life: f64, dt: f64| {
            let mut spring = start;
            spring.step(half_life, dt);
            spring
        };
        for dt in [0.0, -1.0, f64::NAN] {
            assert_eq!(step(0.2, dt), start);
        }
        for (half_life, dt) in [(0.0, 0.1), (-1.0, 0.1), (f64::NAN, 0.1), (1e-300, 1e300)] {
            assert_eq!(step(half_life, dt), SpringOffset::default());
        }
        assert_eq!(step(0.2, f64::INFINITY).offset, 0.0);
        assert_eq!(step(0.2, 1e6).offset, 0.0);
    }
}
