//! Rigid motions of space in f64: the group that full root motion lives in.
//!
//! Each is a screw (Chasles): a turn about an axis and a way along it. What lies across the axis moves as
//! [`Planar`] motions do over the ground, so powers, logarithms and exponentials have the same closed form.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::Planar;

/// A move and a rotation. As a placement it takes points of the moved frame to the frame of the start,
/// rotation first.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Rigid {
    /// Metres.
    pub translation: DVec3,
    /// Unit length.
    pub rotation: DQuat,
}

/// A motion taken apart about the axis of its rotation.
struct Screw {
    /// Unit length; zero where nothing turns.
    axis: DVec3,
    /// Half the turn, 0 to a quarter circle.
    half: f64,
    /// The part of the translation along the axis.
    along: DVec3,
    /// The part across it.
    across: DVec3,
}

impl From<Planar> for Rigid {
    fn from(motion: Planar) -> Self {
        Self {
            translation: DVec3::new(motion.x, motion.y, motion.z),
            rotation: DQuat::from_rotation_y(motion.yaw),
        }
    }
}

impl Rigid {
    /// No motion.
    pub const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// This motion and then, in the frame that it leads to, `next`.
    pub fn then(self, next: Self) -> Self {
        Self {
            translation: self.translation + self.rotation * next.translation,
            rotation: self.rotation * next.rotation,
        }
    }

    /// The motion that leads back.
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self {
            translation: rotation * -self.translation,
            rotation,
        }
    }

    /// Radians that the rotation turns by, 0 to half a circle.
    pub fn angle(self) -> f64 {
        2.0 * self.rotation.xyz().length().atan2(self.rotation.w.abs())
    }

    /// This motion `count` times in a row, backward where negative, in closed form: the way along the
    /// axis grows with the count, that across it is a geometric series as in [`Planar::power`].
    pub fn power(self, count: i64) -> Self {
        if count < 0 {
            return self.inverse().power(count.saturating_neg());
        }
        let k = count as f64;
        let Screw {
            axis,
            half,
            along,
            across,
        } = self.screw();
        let stretch = if half < 1e-12 {
            k
        } else {
            (k * half).sin() / half.sin()
        };
        let turn = about(axis, (k - 1.0) * half * 0.5);
        Self {
            translation: along * k + turn * (across * stretch),
            rotation: about(axis, k * half),
        }
    }

    /// The constant velocity that leads to this motion in one unit of time by the shorter turn (the
    /// logarithm of SE(3)): translation, then rotation vector.
    pub fn log(self) -> [f64; 6] {
        let Screw {
            axis,
            half,
            along,
            across,
        } = self.screw();
        let way = along + about(axis, -half * 0.5) * (across / sinc(half));
        let turn = axis * (2.0 * half);
        [way.x, way.y, way.z, turn.x, turn.y, turn.z]
    }

    /// The motion after one unit of time at a constant velocity as [`log`](Self::log) gives it.
    pub fn exp([x, y, z, turn_x, turn_y, turn_z]: [f64; 6]) -> Self {
        let (way, turn) = (DVec3::new(x, y, z), DVec3::new(turn_x, turn_y, turn_z));
        let axis = turn.normalize_or_zero();
        let half = turn.length() * 0.5;
        let along = axis * axis.dot(way);
        let across = (way - along) * sinc(half);
        Self {
            translation: along + about(axis, half * 0.5) * across,
            rotation: about(axis, half),
        }
    }

    fn screw(self) -> Screw {
        // The sign that turns less.
        let shorter = if self.rotation.w < 0.0 {
            -self.rotation
        } else {
            self.rotation
        };
        let sine = shorter.xyz();
        let axis = sine.normalize_or_zero();
        let along = axis * axis.dot(self.translation);
        Screw {
            axis,
            half: sine.length().atan2(shorter.w),
            along,
            across: self.translation - along,
        }
    }
}

/// The turn about `axis` by twice `half` radians; none about no axis.
fn about(axis: DVec3, half: f64) -> DQuat {
    if axis == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    let (sine, cosine) = half.sin_cos();
    let v = axis * sine;
    DQuat::from_xyzw(v.x, v.y, v.z, cosine)
}

/// `sin(x) / x`.
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-9 { 1.0 } else { x.sin() / x }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DMat4, DVec4};

    use super::*;
    use crate::test_support::{Random, assert_close};

    fn random_motion(random: &mut Random, turn: f64) -> Rigid {
        let axis = random.direction().as_dvec3();
        Rigid {
            translation: random.vec3(2.0).as_dvec3(),
            rotation: about(axis * axis.length().recip(), turn * 0.5),
        }
    }

    /// Turns of every size, the awkward ones among them.
    fn turns(random: &mut Random) -> [f64; 8] {
        let half = std::f64::consts::PI;
        let any = random.range(0.0, half);
        [0.0, 1e-13, 1e-9, 1e-5, any, half - 1e-9, half, half + 0.5]
    }

    /// The matrix of a velocity: `[w]x` and the way in the fourth column.
    fn velocity_matrix([x, y, z, a, b, c]: [f64; 6]) -> DMat4 {
        DMat4::from_cols(
            DVec4::new(0.0, c, -b, 0.0),
            DVec4::new(-c, 0.0, a, 0.0),
            DVec4::new(b, -a, 0.0, 0.0),
            DVec4::new(x, y, z, 0.0),
        )
    }

    /// The exponential of a matrix by its series, halved often enough first.
    fn matrix_exponential(matrix: DMat4) -> DMat4 {
        let small = matrix * (1.0 / 1024.0);
        let (mut sum, mut term) = (DMat4::IDENTITY, DMat4::IDENTITY);
        for n in 1..12 {
            term = term * small * (1.0 / f64::from(n));
            sum += term;
        }
        (0..10).fold(sum, |power, _| power * power)
    }

    fn matrix(motion: Rigid) -> DMat4 {
        DMat4::from_cols(
            (DMat3::from_quat(motion.rotation) * DVec3::X).extend(0.0),
            (DMat3::from_quat(motion.rotation) * DVec3::Y).extend(0.0),
            (DMat3::from_quat(motion.rotation) * DVec3::Z).extend(0.0),
            motion.translation.extend(1.0),
        )
    }

    #[test]
    fn motions_compose_and_invert_as_matrices_do() {
        let mut random = Random::new(41);
        for _ in 0..200 {
            let [a, b] = [0; 2].map(|_| {
                let turn = random.range(-4.0, 4.0);
                random_motion(&mut random, turn)
            });
            let product = matrix(a) * matrix(b);
            assert!(matrix(a.then(b)).abs_diff_eq(product, 1e-12));
            assert!(matrix(a.inverse()).abs_diff_eq(matrix(a).inverse(), 1e-12));
        }
    }

    #[test]
    fn exponentials_are_the_series_of_their_matrix() {
        let mut random = Random::new(42);
        for _ in 0..100 {
            for size in [1e-12, 1e-6, 0.3, 3.0, 7.0] {
                let way = random.vec3(2.0).as_dvec3();
                let turn = random.direction().as_dvec3() * size;
                let velocity = [way.x, way.y, way.z, turn.x, turn.y, turn.z];
                let series = matrix_exponential(velocity_matrix(velocity));
                let closed = matrix(Rigid::exp(velocity));
                assert!(closed.abs_diff_eq(series, 1e-10), "{closed} {series}");
            }
        }
    }

    #[test]
    fn log_and_exp_are_inverse_also_at_no_turn_and_at_half_a_circle() {
        let mut random = Random::new(43);
        for _ in 0..50 {
            for turn in turns(&mut random) {
                let motion = random_motion(&mut random, turn);
                assert_close(Rigid::exp(motion.log()), motion, 1e-9);
                let half = Rigid::exp(motion.log().map(|v| v * 0.5));
                assert_close(half.then(half), motion, 1e-9);
            }
        }
    }

    #[test]
    fn powers_are_repeated_motions_of_either_sign() {
        let mut random = Random::new(44);
        for _ in 0..20 {
            for turn in turns(&mut random) {
                let motion = random_motion(&mut random, turn);
                let mut repeated = Rigid::IDENTITY;
                for count in 0..=100 {
                    assert_close(motion.power(count), repeated, 1e-8);
                    assert_close(motion.power(-count), repeated.inverse(), 1e-8);
                    repeated = repeated.then(motion);
                }
            }
        }
        let motion = random_motion(&mut random, 1.0);
        assert!(motion.power(i64::MIN).translation.is_finite());
    }

    #[test]
    fn about_the_vertical_they_are_the_upright_motions() {
        let mut random = Random::new(45);
        for _ in 0..200 {
            let upright = Planar {
                x: random.range(-2.0, 2.0),
                y: random.range(-2.0, 2.0),
                z: random.range(-2.0, 2.0),
                yaw: random.range(-3.0, 3.0),
            };
            let free = Rigid::from(upright);
            for (a, b) in free.log().into_iter().zip(upright.log()) {
                assert!((a - b).abs() < 1e-12);
            }
            for count in [-7, 0, 3, 100] {
                let expected = Rigid::from(upright.power(count));
                assert_close(free.power(count), expected, 1e-9);
            }
        }
    }
}
