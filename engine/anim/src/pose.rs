//! Local poses: blocks of eight joints, structure of arrays.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::Transform;

/// Joints in a [`Block`].
pub const LANES: usize = 8;

/// The local transforms of eight neighbouring joints; one array a component, so that a job works on
/// eight joints with each instruction. Unused lanes of the last block hold the identity.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// x, y, z in metres.
    pub translation: [[f32; LANES]; 3],
    /// x, y, z, w of unit quaternions.
    pub rotation: [[f32; LANES]; 4],
    /// x, y, z factors.
    pub scale: [[f32; LANES]; 3],
}

impl Block {
    /// Eight identity transforms.
    pub const IDENTITY: Self = Self {
        translation: [[0.0; LANES]; 3],
        rotation: [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]],
        scale: [[1.0; LANES]; 3],
    };
}

/// The local transform of every joint of a skeleton and the weight of every morph channel.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Pose {
    /// `joints` rounded up to whole blocks.
    pub blocks: Vec<Block>,
    /// Joints in use.
    pub joints: usize,
    /// Morph weights in the order of the skeleton's morph channels; no range.
    pub morphs: Vec<f32>,
}

/// A pose as it is written down.
#[derive(Deserialize)]
struct Unchecked {
    blocks: Vec<Block>,
    joints: usize,
    morphs: Vec<f32>,
}

/// Why what was written down is no pose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{joints} joints do not fit {blocks} blocks of {LANES}: there must be just as many blocks as they need"
)]
pub struct PoseError {
    /// Joints stated.
    pub joints: usize,
    /// Blocks given.
    pub blocks: usize,
}

impl TryFrom<Unchecked> for Pose {
    type Error = PoseError;

    fn try_from(written: Unchecked) -> Result<Self, PoseError> {
        let Unchecked {
            blocks,
            joints,
            morphs,
        } = written;
        if joints.div_ceil(LANES) != blocks.len() {
            return Err(PoseError {
                joints,
                blocks: blocks.len(),
            });
        }
        Ok(Self {
            blocks,
            joints,
            morphs,
        })
    }
}

impl Pose {
    /// An identity pose of `joints` joints with `morphs` channels at zero.
    pub fn identity(joints: usize, morphs: usize) -> Self {
        Self {
            blocks: vec![Block::IDENTITY; joints.div_ceil(LANES)],
            joints,
            morphs: vec![0.0; morphs],
        }
    }

    /// Takes over every value of `other`; allocates only where this pose was smaller.
    pub fn copy_from(&mut self, other: &Self) {
        self.blocks.clone_from(&other.blocks);
        self.joints = other.joints;
        self.morphs.clone_from(&other.morphs);
    }

    /// The local transform of a joint.
    #[inline]
    pub fn joint(&self, joint: usize) -> Transform {
        Transform {
            translation: self.translation(joint),
            rotation: self.rotation(joint),
            scale: self.scale(joint),
        }
    }

    /// Writes the local transform of a joint.
    #[inline]
    pub fn set_joint(&mut self, joint: usize, local: Transform) {
        self.set_translation(joint, local.translation);
        self.set_rotation(joint, local.rotation);
        self.set_scale(joint, local.scale);
    }

    /// Translation of a joint in its parent's space, metres.
    #[inline]
    pub fn translation(&self, joint: usize) -> Vec3 {
        let (block, lane) = (&self.blocks[joint / LANES].translation, joint % LANES);
        Vec3::new(block[0][lane], block[1][lane], block[2][lane])
    }

    /// Rotation of a joint in its parent's space.
    #[inline]
    pub fn rotation(&self, joint: usize) -> Quat {
        let (block, lane) = (&self.blocks[joint / LANES].rotation, joint % LANES);
        Quat::from_xyzw(
            block[0][lane],
            block[1][lane],
            block[2][lane],
            block[3][lane],
        )
    }

    /// Scale of a joint.
    #[inline]
    pub fn scale(&self, joint: usize) -> Vec3 {
        let (block, lane) = (&self.blocks[joint / LANES].scale, joint % LANES);
        Vec3::new(block[0][lane], block[1][lane], block[2][lane])
    }

    /// Writes a joint's translation, metres in its parent's space.
    #[inline]
    pub fn set_translation(&mut self, joint: usize, translation: Vec3) {
        let (block, lane) = (&mut self.blocks[joint / LANES].translation, joint % LANES);
        block[0][lane] = translation.x;
        block[1][lane] = translation.y;
        block[2][lane] = translation.z;
    }

    /// Writes a joint's rotation, a unit quaternion in its parent's space.
    #[inline]
    pub fn set_rotation(&mut self, joint: usize, rotation: Quat) {
        let (block, lane) = (&mut self.blocks[joint / LANES].rotation, joint % LANES);
        block[0][lane] = rotation.x;
        block[1][lane] = rotation.y;
        block[2][lane] = rotation.z;
        block[3][lane] = rotation.w;
    }

    /// Writes a joint's scale.
    #[inline]
    pub fn set_scale(&mut self, joint: usize, scale: Vec3) {
        let (block, lane) = (&mut self.blocks[joint / LANES].scale, joint % LANES);
        block[0][lane] = scale.x;
        block[1][lane] = scale.y;
        block[2][lane] = scale.z;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_whose_numbers_contradict_each_other_is_refused() {
        let pose = Pose::identity(11, 2);
        let json = serde_json::to_string(&pose).expect("plain data");
        assert_eq!(
            serde_json::from_str::<Pose>(&json).expect("its own text"),
            pose
        );
        for joints in ["0", "8", "17", "18446744073709551615"] {
            let wrong = json.replace("\"joints\":11", &format!("\"joints\":{joints}"));
            let error = serde_json::from_str::<Pose>(&wrong).expect_err(joints);
            assert!(error.to_string().contains("2 blocks"), "{error}");
        }
    }

    #[test]
    fn a_written_joint_reads_back_and_its_neighbours_stay() {
        let mut pose = Pose::identity(11, 0);
        let local = Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            scale: Vec3::new(2.0, -1.0, 0.0),
        };
        pose.set_joint(9, local);
        assert_eq!(pose.joint(9), local);
        for joint in (0..11).filter(|&joint| joint != 9) {
            assert_eq!(pose.joint(joint), Transform::IDENTITY);
        }
    }
}
