//! What a root moves by: one of two groups of rigid motions in f64, chosen by the axes that are taken.

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::{Planar, Rigid, RootAxes};

/// A motion of the root. Upright motions count whole turns and cost little; all others are free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Travel {
    /// Without pitch and roll; axes that are not taken stay 0.
    Planar(Planar),
    /// All six axes.
    Full(Rigid),
}

impl From<Planar> for Travel {
    fn from(motion: Planar) -> Self {
        Self::Planar(motion)
    }
}

impl From<Rigid> for Travel {
    fn from(motion: Rigid) -> Self {
        Self::Full(motion)
    }
}

impl From<Travel> for Rigid {
    fn from(motion: Travel) -> Self {
        match motion {
            Travel::Planar(motion) => motion.into(),
            Travel::Full(motion) => motion,
        }
    }
}

impl Travel {
    /// No motion, in the group of these axes.
    pub fn identity(axes: RootAxes) -> Self {
        match axes {
            RootAxes::Full => Self::Full(Rigid::IDENTITY),
            _ => Self::Planar(Planar::IDENTITY),
        }
    }

    /// This motion and then, in the frame that it leads to, `next`. Of different groups, both count as free.
    #[inline]
    pub fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Planar(a), Self::Planar(b)) => Self::Planar(a.then(b)),
            (a, b) => Self::Full(Rigid::from(a).then(b.into())),
        }
    }

    /// The motion that leads back.
    #[inline]
    pub fn inverse(self) -> Self {
        match self {
            Self::Planar(motion) => Self::Planar(motion.inverse()),
            Self::Full(motion) => Self::Full(motion.inverse()),
        }
    }

    /// This motion `laps` times in a row, backward where negative, in closed form.
    pub fn power(self, laps: i64) -> Self {
        match self {
            Self::Planar(motion) => Self::Planar(motion.power(laps)),
            Self::Full(motion) => Self::Full(motion.power(laps)),
        }
    }

    /// The constant velocity that leads to this motion in one unit of time: x, y, z, then a rotation
    /// vector.
    #[inline]
    pub fn log(self) -> [f64; 6] {
        match self {
            Self::Planar(motion) => motion.log(),
            Self::Full(motion) => motion.log(),
        }
    }

    /// The motion after one unit of time at a constant velocity, in the group of `axes`.
    #[inline]
    pub fn exp(axes: RootAxes, log: [f64; 6]) -> Self {
        match axes {
            RootAxes::Full => Self::Full(Rigid::exp(log)),
            _ => Self::Planar(Planar::exp(log)),
        }
    }

    /// Metres, in the frame of the start.
    pub fn translation(self) -> DVec3 {
        match self {
            Self::Planar(motion) => DVec3::new(motion.x, motion.y, motion.z),
            Self::Full(motion) => motion.translation,
        }
    }

    /// Radians that it turns by, never negative: any number of circles where upright, at most half a
    /// circle where free.
    #[inline]
    pub fn turn(self) -> f64 {
        match self {
            Self::Planar(motion) => motion.yaw.abs(),
            Self::Full(motion) => motion.angle(),
        }
    }
}

/// What the root moved in a step, in the frame in which the step began: `world' = world * delta`.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct RootDelta {
    /// Metres, in the frame of the step's start.
    pub translation: Vec3,
    /// All of the turn.
    pub rotation: Quat,
    /// The turn about +Y in radians; not wrapped unless all axes are taken.
    pub yaw: f32,
}

impl From<Travel> for RootDelta {
    fn from(motion: Travel) -> Self {
        let translation = motion.translation().as_vec3();
        match motion {
            Travel::Planar(Planar { yaw, .. }) => Self::upright(translation, yaw as f32),
            Travel::Full(motion) => {
                let rotation = motion.rotation.as_quat();
                Self {
                    translation,
                    rotation,
                    yaw: heading(motion.rotation).unwrap_or(0.0) as f32,
                }
            }
        }
    }
}

impl RootDelta {
    /// A motion without pitch and roll.
    pub fn upright(translation: Vec3, yaw: f32) -> Self {
        Self {
            translation,
            rotation: Quat::from_rotation_y(yaw),
            yaw,
        }
    }

    /// Whether it turns about +Y alone, so that `yaw` is all of it.
    pub fn is_upright(&self) -> bool {
        self.rotation.x == 0.0 && self.rotation.z == 0.0
    }

    /// The part of the motion that `count` equal substeps have each: done `count` times in a row, each in the frame
    /// that the one before led to, they are the whole.
    pub fn share(self, count: u32) -> Self {
        let share = 1.0 / f64::from(count.max(1));
        let part = |whole: [f64; 6]| whole.map(|velocity| velocity * share);
        let way = self.translation.as_dvec3();
        let shared = if self.is_upright() {
            let whole = Planar {
                x: way.x,
                y: way.y,
                z: way.z,
                yaw: f64::from(self.yaw),
            };
            Travel::Planar(Planar::exp(part(whole.log())))
        } else {
            let whole = Rigid {
                translation: way,
                rotation: self.rotation.as_dquat(),
            };
            Travel::Full(Rigid::exp(part(whole.log())))
        };
        shared.into()
    }
}

/// The heading of a rotation in radians, the angle of its twist about +Y; `None` where it has none (half a
/// turn about a level axis).
pub fn heading(rotation: DQuat) -> Option<f64> {
    let (y, w) = (rotation.y, rotation.w);
    (y * y + w * w >= 1e-8).then(|| 2.0 * y.atan2(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, assert_close, rotation_error};

    #[test]
    fn shares_in_a_row_are_the_whole() {
        let mut random = Random::new(46);
        for case in 0..200 {
            let whole = if case % 2 == 0 {
                RootDelta::upright(random.vec3(1.0), random.range(-7.0, 7.0) as f32)
            } else {
                let rotation = random.rotation();
                RootDelta {
                    translation: random.vec3(1.0),
                    rotation,
                    yaw: heading(rotation.as_dquat()).unwrap_or(0.0) as f32,
                }
            };
            let count = 1 + random.below(16);
            let part = whole.share(count);
            // Summed wide, so that only the rounding of the part itself is left.
            let (mut at, mut turn, mut yaw) = (DVec3::ZERO, DQuat::IDENTITY, 0.0);
            for _ in 0..count {
                at += turn * part.translation.as_dvec3();
                turn *= part.rotation.as_dquat().normalize();
                yaw += part.yaw;
            }
            // A way that turns almost full circle is long for where it leads, and so is its rounding.
            let way = f64::from(part.translation.length()) * f64::from(count);
            let off = at.distance(whole.translation.as_dvec3());
            assert!(off < 1e-6 * (1.0 + way), "{whole:?}: {at}");
            assert!(rotation_error(whole.rotation, turn) < 1e-5);
            assert!(case % 2 == 1 || (yaw - whole.yaw).abs() < 1e-5);
        }
    }

    #[test]
    fn motions_of_different_groups_count_as_free() {
        let upright = Planar {
            x: 1.0,
            yaw: 0.5,
            ..Planar::IDENTITY
        };
        let free = Rigid {
            translation: DVec3::Y,
            rotation: DQuat::from_rotation_x(0.4),
        };
        let both = Travel::from(upright).then(free.into());
        assert_close(both, Rigid::from(upright).then(free), 1e-12);
    }
}
