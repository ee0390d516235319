//! Joints: where they are, and hanging one actor from another's.

use glam::{Quat, Vec3};
use sinew_world::ActorId;

use super::{ApiError, Call, rows};
use crate::value::{JointKey, Space};

rows! {
    /// Where a joint is. In `on_update` it is the last step's place, in `on_late_update` and events this step's.
    method "joint" joint_position(
        /// Name or index of the joint.
        joint: JointKey<'_> => "hand_R",
        /// Whose axes.
        space: Space = Space::World => "model",
    ) -> Vec3;
    /// Where a joint's own +Z points, a vector of length 1.
    method "joint_forward" joint_forward(
        /// Name or index of the joint.
        joint: JointKey<'_> => "hand_R",
        /// Whose axes.
        space: Space = Space::World => "model",
    ) -> Vec3;
    /// Where a joint's own +Y points, a vector of length 1: along the bone of our characters.
    method "joint_up" joint_up(
        /// Name or index of the joint.
        joint: JointKey<'_> => "hand_R",
        /// Whose axes.
        space: Space = Space::World => "model",
    ) -> Vec3;
    /// The index of a joint, from 0, to be used in place of its name; an unknown name is an error.
    method "find_joint" find_joint(
        /// Name of the joint.
        name: &str => "head",
    ) -> i64;
    /// How many joints the model has.
    method "joint_count" joint_count() -> i64;
    /// The name of a joint.
    method "joint_name" joint_name(
        /// Index of the joint, from 0.
        index: i64 => 0_i64,
    ) -> String;
    /// Whether the model has a joint.
    method "has_joint" has_joint(
        /// Name of the joint.
        name: &str => "tail",
    ) -> bool;
    /// Hangs the actor from another: it follows a joint, without a step's delay, until `detach`.
    method "attach_to" attach_to(
        /// Whom it hangs from.
        parent: ActorId => ActorId { index: 1, generation: 0 },
        /// Joint of the parent; its origin unless given.
        socket: Option<&str> => "hand_R",
    ) -> ();
    /// Lets the actor go where it is.
    method "detach" detach() -> ();
}

/// The index of a joint.
pub(super) fn find(call: &Call<'_>, actor: ActorId, key: JointKey<'_>) -> Result<u16, ApiError> {
    let skeleton = &call.animation(actor)?.model.value.skeleton;
    match key {
        JointKey::Name(name) => skeleton.find(name).ok_or_else(|| {
            let owner = format!("the model of `{}`", call.name_of(actor));
            ApiError::unknown(
                &owner,
                "joint",
                name,
                skeleton.names.iter().map(String::as_str),
            )
        }),
        JointKey::Index(index) => u16::try_from(index)
            .ok()
            .filter(|&index| usize::from(index) < skeleton.len())
            .ok_or_else(|| {
                let last = skeleton.len().saturating_sub(1);
                ApiError::invalid(format!(
                    "`{}` has joints 0 to {last}, not {index}",
                    call.name_of(actor)
                ))
            }),
    }
}

fn placed(
    call: &Call<'_>,
    actor: ActorId,
    key: JointKey<'_>,
    space: Space,
) -> Result<(Vec3, Quat), ApiError> {
    let index = find(call, actor, key)?;
    let model = call.animation(actor)?.model_joints[usize::from(index)];
    let placed = match space {
        Space::World => call.actor(actor)?.world * model,
        Space::Model => model,
    };
    let (_, rotation, position) = placed.to_scale_rotation_translation();
    Ok((position, rotation))
}

fn joint_position(
    call: &mut Call<'_>,
    actor: ActorId,
    joint: JointKey<'_>,
    space: Space,
) -> Result<Vec3, ApiError> {
    Ok(placed(call, actor, joint, space)?.0)
}

fn joint_forward(
    call: &mut Call<'_>,
    actor: ActorId,
    joint: JointKey<'_>,
    space: Space,
) -> Result<Vec3, ApiError> {
    Ok(placed(call, actor, joint, space)?.1 * Vec3::Z)
}

fn joint_up(
    call: &mut Call<'_>,
    actor: ActorId,
    joint: JointKey<'_>,
    space: Space,
) -> Result<Vec3, ApiError> {
    Ok(placed(call, actor, joint, space)?.1 * Vec3::Y)
}

fn find_joint(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<i64, ApiError> {
    Ok(i64::from(find(call, actor, JointKey::Name(name))?))
}

fn joint_count(call: &mut Call<'_>, actor: ActorId) -> Result<i64, ApiError> {
    Ok(call.animation(actor)?.model.value.skeleton.len() as i64)
}

fn joint_name(call: &mut Call<'_>, actor: ActorId, index: i64) -> Result<String, ApiError> {
    let index = find(call, actor, JointKey::Index(index))?;
    Ok(call.animation(actor)?.model.value.skeleton.names[usize::from(index)].clone())
}

fn has_joint(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<bool, ApiError> {
    Ok(call
        .animation(actor)?
        .model
        .value
        .skeleton
        .find(name)
        .is_some())
}

fn attach_to(
    call: &mut Call<'_>,
    actor: ActorId,
    parent: ActorId,
    socket: Option<&str>,
) -> Result<(), ApiError> {
    Ok(call.world.attach(actor, parent, socket)?)
}

fn detach(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    call.actor_mut(actor)?.attachment = None;
    Ok(())
}
