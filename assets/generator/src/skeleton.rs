//! A joint hierarchy in its rest pose, parents before children.
//!
//! Everything is authored with *world-aligned* joint frames: a pose rotation of identity means "as at rest". A skeleton
//! that should be exported with other joint axes (along the bone, as most tools do) says so in `orient`.

use glam::{Quat, Vec3};

/// Joints, each after its parent.
#[derive(Clone, Default)]
pub struct Skeleton {
    /// Unique names.
    pub names: Vec<String>,
    /// Parent of each joint; the root has none.
    pub parents: Vec<Option<usize>>,
    /// Rest position of each joint in model space, metres.
    pub rest_model: Vec<Vec3>,
    /// Model-space rest orientation of each exported joint frame; identity for world-aligned ones.
    pub orient: Vec<Quat>,
}

impl Skeleton {
    /// Adds a joint; `parent` is empty for the root. Returns its index.
    pub fn add(&mut self, name: impl Into<String>, parent: &str, rest_model: Vec3) -> usize {
        let parent = (!parent.is_empty()).then(|| self.joint(parent));
        self.names.push(name.into());
        self.parents.push(parent);
        self.rest_model.push(rest_model);
        self.orient.push(Quat::IDENTITY);
        self.names.len() - 1
    }

    /// Index of a joint; every name is written in this crate, so a wrong one is a slip of the pen.
    #[expect(clippy::panic, reason = "joint names are constants of this crate")]
    pub fn joint(&self, name: &str) -> usize {
        self.names
            .iter()
            .position(|n| n == name)
            .unwrap_or_else(|| panic!("no joint '{name}' in this skeleton"))
    }

    /// Rest position of a joint in model space, metres.
    pub fn position(&self, name: &str) -> Vec3 {
        self.rest_model[self.joint(name)]
    }

    /// How many joints there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Offset from the parent at rest, world-aligned.
    pub fn rest_offset(&self, joint: usize) -> Vec3 {
        self.rest_model[joint] - self.parents[joint].map_or(Vec3::ZERO, |p| self.rest_model[p])
    }
}

/// One pose, as differences from rest in world-aligned joint frames.
#[derive(Clone)]
pub struct Pose {
    /// Turn of each joint away from rest.
    pub rotation: Vec<Quat>,
    /// Added to the rest offset of a joint, in the parent's frame, metres.
    pub shift: Vec<Vec3>,
}

impl Pose {
    /// The rest pose of a skeleton with so many joints.
    pub fn rest(joints: usize) -> Pose {
        Pose {
            rotation: vec![Quat::IDENTITY; joints],
            shift: vec![Vec3::ZERO; joints],
        }
    }

    /// Joint-wise blend: `t` 0 is `self`, 1 is `other`.
    pub fn lerp(&self, other: &Pose, t: f32) -> Pose {
        let rotation = self
            .rotation
            .iter()
            .zip(&other.rotation)
            .map(|(a, b)| a.slerp(*b, t))
            .collect();
        let shift = self
            .shift
            .iter()
            .zip(&other.shift)
            .map(|(a, b)| a.lerp(*b, t))
            .collect();
        Pose { rotation, shift }
    }
}

/// Model-space joint rotations (world-aligned) and positions of a pose.
pub fn forward(skeleton: &Skeleton, pose: &Pose) -> (Vec<Quat>, Vec<Vec3>) {
    let mut rotation = Vec::with_capacity(skeleton.len());
    let mut position: Vec<Vec3> = Vec::with_capacity(skeleton.len());
    for j in 0..skeleton.len() {
        let offset = skeleton.rest_offset(j) + pose.shift[j];
        let (q, p) = match skeleton.parents[j] {
            Some(parent) => (rotation[parent], position[parent]),
            None => (Quat::IDENTITY, Vec3::ZERO),
        };
        rotation.push((q * pose.rotation[j]).normalize());
        position.push(p + q * offset);
    }
    (rotation, position)
}

/// Rotation about X, then Z, then Y (yaw outermost), degrees.
pub fn turn(x: f32, y: f32, z: f32) -> Quat {
    Quat::from_rotation_y(y.to_radians())
        * Quat::from_rotation_z(z.to_radians())
        * Quat::from_rotation_x(x.to_radians())
}
