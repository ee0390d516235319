//! What the solvers of inverse kinematics share.

use glam::{Affine3A, DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::Skeleton;

/// What a solver says of its work.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct IkReport {
    /// Whether the full-weight solution meets the target that was asked for.
    pub reached: bool,
    /// What is missing: metres for a position, radians for a direction. Infinite for a target that is
    /// not finite.
    pub error: f32,
    /// Whether a limit of a joint kept the solution from the target.
    pub limit_hit: bool,
}

/// The constant map in front of a joint's local transform.
fn pre(skeleton: &Skeleton, joint: u16) -> Option<Affine3A> {
    let index = skeleton
        .pre
        .binary_search_by_key(&joint, |(at, _)| *at)
        .ok()?;
    Some(skeleton.pre[index].1)
}

/// The space in which a joint's local transform stands, at rest, in model space: the parent's rest
/// matrix times the joint's `pre`.
pub(crate) fn rest_space(skeleton: &Skeleton, joint: u16) -> Affine3A {
    let parent = skeleton
        .parent(joint)
        .map_or(Affine3A::IDENTITY, |parent| rest_model(skeleton, parent));
    pre(skeleton, joint).map_or(parent, |pre| parent * pre)
}

/// A joint's model matrix at rest.
pub(crate) fn rest_model(skeleton: &Skeleton, joint: u16) -> Affine3A {
    let mut matrix = Affine3A::IDENTITY;
    let mut at = Some(joint);
    while let Some(joint) = at {
        let mut local = skeleton.rest.joint(usize::from(joint)).to_affine();
        if let Some(pre) = pre(skeleton, joint) {
            local = pre * local;
        }
        matrix = local * matrix;
        at = skeleton.parent(joint);
    }
    matrix
}

/// The space in which a joint's local transform stands in `model`: the parent's matrix times the
/// joint's `pre`.
pub(crate) fn space_of(skeleton: &Skeleton, model: &[Affine3A], joint: u16) -> Affine3A {
    let parent = skeleton
        .parent(joint)
        .map_or(Affine3A::IDENTITY, |parent| model[usize::from(parent)]);
    pre(skeleton, joint).map_or(parent, |pre| parent * pre)
}

/// The part of `vector` across the unit vector `axis`, as a unit vector; `None` where it is tiny or not
/// finite.
pub(crate) fn rejection(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let direction = vector.try_normalize()?;
    let across = direction - axis * axis.dot(direction);
    (across.length_squared() > 1e-6).then(|| across.normalize_or_zero())
}

/// The frame of a bone and its hinge; `None` where they are parallel.
pub(crate) fn frame(bone: DVec3, hinge: DVec3) -> Option<DQuat> {
    let hinge = rejection(hinge, bone)?;
    let third = bone.cross(hinge);
    Some(unit64(DQuat::from_mat3(&DMat3::from_cols(
        bone, hinge, third,
    ))))
}

/// The shortest turn between unit vectors; about `axis` where they are opposite.
pub(crate) fn arc(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let w = 1.0 + from.dot(to);
    if w < 1e-9 {
        return DQuat::from_axis_angle(axis, std::f64::consts::PI);
    }
    let v = from.cross(to);
    unit64(DQuat::from_xyzw(v.x, v.y, v.z, w))
}

/// A unit quaternion; the identity where there is no direction.
fn unit64(rotation: DQuat) -> DQuat {
    let length = rotation.length();
    if length > 1e-12 && length.is_finite() {
        rotation * length.recip()
    } else {
        DQuat::IDENTITY
    }
}

/// Where a joint stands, model space.
pub(crate) fn position(model: &[Affine3A], joint: u16) -> DVec3 {
    position_of(model[usize::from(joint)])
}

/// Where a matrix puts its origin.
pub(crate) fn position_of(matrix: Affine3A) -> DVec3 {
    Vec3::from(matrix.translation).as_dvec3()
}
