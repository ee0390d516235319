//! A joint's local transform as separate translation, rotation and scale.

use glam::{Affine3A, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Translation (metres), rotation (unit quaternion) and scale, applied as `T * R * S`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Metres, in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion, x y z w.
    pub rotation: Quat,
    /// Factor along each local axis; may be zero or negative.
    pub scale: Vec3,
}

impl Transform {
    /// Changes nothing.
    pub const IDENTITY: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// A transform that only moves.
    pub fn from_translation(translation: Vec3) -> Self {
        Self {
            translation,
            ..Self::IDENTITY
        }
    }

    /// A transform that only rotates.
    pub fn from_rotation(rotation: Quat) -> Self {
        Self {
            rotation,
            ..Self::IDENTITY
        }
    }

    /// The same map as an affine matrix.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
