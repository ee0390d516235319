//! Upright motions in f64: the group that root motion without pitch and roll lives in.

use serde::{Deserialize, Serialize};

/// A move and a turn about +Y. As a placement it takes points of the moved frame to the frame of the
/// start, turn first.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Planar {
    /// Metres.
    pub x: f64,
    /// Metres; heights add up whatever the heading.
    pub y: f64,
    /// Metres.
    pub z: f64,
    /// Radians about +Y (+Z turns towards +X); not wrapped, so full turns count.
    pub yaw: f64,
}

impl Planar {
    /// No motion.
    pub const IDENTITY: Self = Self {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        yaw: 0.0,
    };

    /// This motion and then, in the frame that it leads to, `next`.
    pub fn then(self, next: Self) -> Self {
        let [x, z] = turn([next.x, next.z], self.yaw);
        Self {
            x: self.x + x,
            y: self.y + next.y,
            z: self.z + z,
            yaw: self.yaw + next.yaw,
        }
    }

    /// The motion that leads back.
    pub fn inverse(self) -> Self {
        let [x, z] = turn([-self.x, -self.z], -self.yaw);
        Self {
            x,
            y: -self.y,
            z,
            yaw: -self.yaw,
        }
    }

    /// This motion `count` times in a row, backward where negative, in closed form: the translations
    /// of a repeated turn form a geometric series,
    /// `sin(k yaw / 2) / sin(yaw / 2) * R((k - 1) yaw / 2) * d`, with the limit `k d` at whole turns.
    pub fn power(self, count: i64) -> Self {
        if count < 0 {
            // A negation that fits: the least i64 has no positive twin.
            return self.inverse().power(count.saturating_neg());
        }
        let k = count as f64;
        let turn_part = wrapped(self.yaw);
        let half = turn_part * 0.5;
        let stretch = if half.abs() < 1e-12 {
            k
        } else {
            (k * half).sin() / half.sin()
        };
        let [x, z] = turn([self.x * stretch, self.z * stretch], (k - 1.0) * half);
        Self {
            x,
            y: self.y * k,
            z,
            yaw: self.yaw * k,
        }
    }

    /// The constant velocity that leads to this motion in one unit of time (the logarithm of
    /// SE(2) and of the height): x, y, z, then the turn about x, y and z, of which only the second is not 0. A turn
    /// of whole circles that also moves has none; it counts as straight.
    pub fn log(self) -> [f64; 6] {
        let scale = 1.0 / sinc_or_one(self.yaw * 0.5);
        let [x, z] = turn([self.x * scale, self.z * scale], -self.yaw * 0.5);
        [x, self.y, z, 0.0, self.yaw, 0.0]
    }

    /// The motion after one unit of time at a constant velocity as [`log`](Self::log) gives it; turns about x
    /// and z are left out.
    pub fn exp([x, y, z, _, yaw, _]: [f64; 6]) -> Self {
        let scale = sinc_or_one(yaw * 0.5);
        let [x, z] = turn([x * scale, z * scale], yaw * 0.5);
        Self { x, y, z, yaw }
    }
}

/// `[x, z]` turned about +Y.
fn turn([x, z]: [f64; 2], yaw: f64) -> [f64; 2] {
    let (sin, cos) = yaw.sin_cos();
    [x * cos + z * sin, z * cos - x * sin]
}

/// The same heading within half a turn of zero.
fn wrapped(yaw: f64) -> f64 {
    yaw - std::f64::consts::TAU * (yaw / std::f64::consts::TAU).round()
}

/// `sin(x) / x`, or 1 where that is (nearly) zero, so that it can be divided by.
fn sinc_or_one(x: f64) -> f64 {
    let sinc = if x.abs() < 1e-9 { 1.0 } else { x.sin() / x };
    if sinc.abs() < 1e-9 { 1.0 } else { sinc }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, assert_close};

    fn random_motion(random: &mut Random) -> Planar {
        Planar {
            x: random.range(-2.0, 2.0),
            y: random.range(-2.0, 2.0),
            z: random.range(-2.0, 2.0),
            yaw: random.range(-4.0, 4.0),
        }
    }

    #[test]
    fn a_quarter_turn_takes_forward_to_the_left() {
        let quarter = Planar {
            yaw: std::f64::consts::FRAC_PI_2,
            ..Planar::IDENTITY
        };
        let ahead = Planar {
            z: 1.0,
            ..Planar::IDENTITY
        };
        let Planar { x, z, .. } = quarter.then(ahead);
        assert!((x - 1.0).abs() < 1e-15 && z.abs() < 1e-15);
    }

    #[test]
    fn powers_are_repeated_motions_also_at_whole_turns() {
        let mut random = Random::new(1);
        for case in 0..200 {
            let mut motion = random_motion(&mut random);
            match case % 5 {
                0 => motion.yaw = 0.0,
                1 => motion.yaw = std::f64::consts::TAU * f64::from(case % 3),
                2 => motion.yaw = std::f64::consts::TAU + 1e-10,
                _ => {}
            }
            let mut repeated = Planar::IDENTITY;
            for count in 0..=100 {
                assert_close(motion.power(count), repeated, 1e-9);
                assert_close(motion.power(-count), repeated.inverse(), 1e-9);
                repeated = repeated.then(motion);
            }
        }
    }

    #[test]
    fn log_and_exp_are_inverse_and_inverse_undoes() {
        let mut random = Random::new(2);
        for _ in 0..500 {
            let motion = random_motion(&mut random);
            assert_close(Planar::exp(motion.log()), motion, 1e-12);
            assert_close(motion.then(motion.inverse()), Planar::IDENTITY, 1e-12);
        }
        let spin = Planar {
            x: 1.0,
            yaw: std::f64::consts::TAU,
            ..Planar::IDENTITY
        };
        assert!(spin.log().iter().all(|v| v.is_finite()));
        assert!(spin.power(i64::MIN).x.is_finite());
    }

    #[test]
    fn half_of_a_motion_twice_is_the_motion() {
        let mut random = Random::new(4);
        for _ in 0..100 {
            let motion = random_motion(&mut random);
            let half = Planar::exp(motion.log().map(|v| v * 0.5));
            assert_close(half.then(half), motion, 1e-12);
        }
    }
}
