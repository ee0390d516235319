//! Laying the difference of a pose from rest over another pose.

use glam::Quat;
use serde::{Deserialize, Serialize};

use crate::layer::{lane_weights, masked, share};
use crate::rotation::{Axes, Lanes, RotationLanes, product, share_of, unit};
use crate::{Block, LANES, NO_PARENT, Pose, Skeleton};

#[cfg(test)]
mod tests;

/// Where the difference of a rotation is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AdditiveSpace {
    /// Of each joint against its parent: [`additive_layer`].
    #[default]
    Local,
    /// Of each joint against the model: [`additive_layer_mesh`].
    Mesh,
}

/// A scale below this has no ratio; it counts as unchanged.
pub(crate) const NO_SCALE: f32 = 1e-6;

/// Adds to `base` what `add` does to `rest`, by `weight` (clamped to 0..=1, not a number counts as 0) times
/// the mask, joint by joint in local space: rotations `q_b * slerp(1, q_rest^-1 q_a, w)`, translations
/// `t_b + w (t_a - t_rest)`, scales `s_b * lerp(1, s_a / s_rest, w)` (a rest scale of nothing has ratio 1),
/// morph weights as translations. Where the weight is 0 `base` keeps its bits.
///
/// `mask` is that of [`crate::override_layer`]. All three are poses of one skeleton; a clip made against another
/// pose than rest is first [`crate::rebase_clip`]d.
pub fn additive_layer(base: &mut Pose, add: &Pose, rest: &Pose, weight: f32, mask: Option<&[f32]>) {
    let weight = share(weight);
    if weight == 0.0 {
        return;
    }
    let joints = base.joints;
    let others = add.blocks.iter().zip(&rest.blocks);
    for (index, (block, (add, rest))) in base.blocks.iter_mut().zip(others).enumerate() {
        let lanes = lane_weights(weight, mask, joints, index);
        if lanes.iter().all(|&w| w <= 0.0) {
            continue;
        }
        block.rotation = add_rotations(&block.rotation, &add.rotation, &rest.rotation, &lanes);
        add_vectors(block, add, rest, &lanes);
    }
    add_morphs(base, add, rest, weight, mask);
}

/// `base * slerp(1, rest^-1 add, weight)`, lane by lane.
fn add_rotations(
    base: &RotationLanes,
    add: &RotationLanes,
    rest: &RotationLanes,
    weights: &Lanes,
) -> RotationLanes {
    let mut out = *base;
    for lane in 0..LANES {
        let of = |rotations: &RotationLanes| rotations.each_ref().map(|part| part[lane]);
        let ([x, y, z, w], own) = (of(rest), of(base));
        let delta = product([-x, -y, -z, w], of(add));
        let turned = product(own, share_of(delta, weights[lane]));
        for part in 0..4 {
            out[part][lane] = kept(own[part], turned[part], weights[lane]);
        }
    }
    out
}

fn add_vectors(base: &mut Block, add: &Block, rest: &Block, weights: &Lanes) {
    let others = add.translation.iter().zip(&rest.translation);
    for (value, (add, rest)) in base.translation.iter_mut().zip(others) {
        for lane in 0..LANES {
            let moved = value[lane] + (add[lane] - rest[lane]) * weights[lane];
            value[lane] = kept(value[lane], moved, weights[lane]);
        }
    }
    let others = add.scale.iter().zip(&rest.scale);
    for (value, (add, rest)) in base.scale.iter_mut().zip(others) {
        for lane in 0..LANES {
            let empty = rest[lane].abs() < NO_SCALE;
            let (part, whole) = if empty {
                (1.0, 1.0)
            } else {
                (add[lane], rest[lane])
            };
            let scaled = value[lane] * (1.0 + (part / whole - 1.0) * weights[lane]);
            value[lane] = kept(value[lane], scaled, weights[lane]);
        }
    }
}

fn add_morphs(base: &mut Pose, add: &Pose, rest: &Pose, weight: f32, mask: Option<&[f32]>) {
    let others = add.morphs.iter().zip(&rest.morphs);
    for (channel, (morph, (add, rest))) in base.morphs.iter_mut().zip(others).enumerate() {
        let weight = masked(weight, mask, base.joints + channel);
        *morph = kept(*morph, *morph + (add - rest) * weight, weight);
    }
}

/// `changed`, but the bits of `own` where there is no weight.
#[inline(always)]
fn kept(own: f32, changed: f32, weight: f32) -> f32 {
    if weight <= 0.0 { own } else { changed }
}

/// Room that [`additive_layer_mesh`] works in; keep it from frame to frame and nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct MeshScratch {
    joints: Vec<MeshRotation>,
}

/// Rotations of one joint in model space.
#[derive(Clone, Copy, Debug)]
struct MeshRotation {
    base: Quat,
    add: Quat,
    rest: Quat,
    /// What the layer turns the joint by; exactly the identity where it does not.
    turn: Quat,
}

impl MeshRotation {
    const IDENTITY: Self = Self {
        base: Quat::IDENTITY,
        add: Quat::IDENTITY,
        rest: Quat::IDENTITY,
        turn: Quat::IDENTITY,
    };
}

/// [`additive_layer`] with the differences of rotations taken in model space, as an aim pose wants it: a joint
/// turns by `slerp(1, R_a R_rest^-1, w)` about the model's axes whatever the joints above it do in `base`.
/// Translations, scales and morph weights are those of the local form; the reference is the skeleton's rest.
///
/// A joint whose mask is 0 keeps its rotation in model space, so its local rotation changes where a joint above is
/// turned. With weight 0 everything keeps its bits.
pub fn additive_layer_mesh(
    skeleton: &Skeleton,
    base: &mut Pose,
    add: &Pose,
    weight: f32,
    mask: Option<&[f32]>,
    scratch: &mut MeshScratch,
) {
    let weight = share(weight);
    if weight == 0.0 {
        return;
    }
    turn_in_model_space(skeleton, base, add, weight, mask, scratch);
    let (joints, rest) = (base.joints, &skeleton.rest);
    let others = add.blocks.iter().zip(&rest.blocks);
    for (index, (block, (add, rest))) in base.blocks.iter_mut().zip(others).enumerate() {
        let lanes = lane_weights(weight, mask, joints, index);
        add_vectors(block, add, rest, &lanes);
    }
    add_morphs(base, add, rest, weight, mask);
}

fn turn_in_model_space(
    skeleton: &Skeleton,
    base: &mut Pose,
    add: &Pose,
    weight: f32,
    mask: Option<&[f32]>,
    scratch: &mut MeshScratch,
) {
    let done = &mut scratch.joints;
    done.clear();
    let joints = skeleton.len().min(base.joints).min(add.joints);
    let mut pre = skeleton.pre.iter().peekable();
    for (joint, &parent) in skeleton.parents[..joints].iter().enumerate() {
        let above = match parent {
            NO_PARENT => MeshRotation::IDENTITY,
            parent => done[usize::from(parent)],
        };
        let pre = pre.next_if(|(at, _)| usize::from(*at) == joint);
        let pre = pre.map_or(Quat::IDENTITY, |(_, pre)| Axes::of(pre.matrix3).rotation());
        let frame = above.base * pre;
        let mut own = MeshRotation {
            base: frame * base.rotation(joint),
            add: above.add * pre * add.rotation(joint),
            rest: above.rest * pre * skeleton.rest.rotation(joint),
            turn: Quat::IDENTITY,
        };
        let weight = masked(weight, mask, joint);
        if weight > 0.0 {
            let delta = own.add * own.rest.conjugate();
            own.turn = Quat::from_array(share_of(delta.to_array(), weight));
        }
        if own.turn != Quat::IDENTITY || above.turn != Quat::IDENTITY {
            let frame = above.turn * frame;
            base.set_rotation(joint, unit(frame.conjugate() * own.turn * own.base));
        }
        done.push(own);
    }
}
