//! What the solvers of inverse kinematics share.

use glam::Affine3A;

use crate::Skeleton;

/// What a solver says of its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkReport {
    /// Whether the full-weight solution meets the target that was asked for.
    pub reached: bool,
    /// What is missing: metres for a position, radians for a direction. Infinite for a target that is
    /// not finite.
    pub error: f32,
    /// Whether a limit of a joint kept the solution from the target.
    pub limit_hit: bool,
}

impl Default for IkReport {
    /// Nothing was asked and nothing is missing.
    fn default() -> Self {
        Self {
            reached: true,
            error: 0.0,
            limit_hit: false,
        }
    }
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
