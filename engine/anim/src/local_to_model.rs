//! From local transforms to model space.

use glam::Affine3A;

use crate::{NO_PARENT, Pose, Skeleton};

/// Writes the model matrix of every joint, `parent * pre * local`, into `model` (at least one entry a
/// joint; what does not fit is left out). Joints stand parents first, so one pass does.
pub fn local_to_model(skeleton: &Skeleton, pose: &Pose, model: &mut [Affine3A]) {
    let mut pre = skeleton.pre.iter().peekable();
    let joints = skeleton.parents.len().min(pose.joints).min(model.len());
    for (joint, &parent) in skeleton.parents[..joints].iter().enumerate() {
        let mut local = pose.joint(joint).to_affine();
        if let Some((_, pre)) = pre.next_if(|(at, _)| usize::from(*at) == joint) {
            local = *pre * local;
        }
        model[joint] = if parent == NO_PARENT {
            local
        } else {
            model[usize::from(parent)] * local
        };
    }
}
