//! Laying one pose over another.

use crate::blend::lerp_block;
use crate::{LANES, Pose};

/// Moves `base` towards `over` by `weight` (clamped to 0..=1, not a number counts as 0) times the
/// mask: slerp for rotations, linear for the rest. Where the product is 0 `base` keeps its bits,
/// where it is 1 it takes those of `over`.
///
/// `mask` has one weight a joint, 0..=1, and after those, where the layer drives morph channels, one
/// weight a channel ([`crate::Mask`] builds it); what it does not reach keeps `base`. Without a mask everything
/// has weight 1. Layers are never renormalised among each other.
pub fn override_layer(base: &mut Pose, over: &Pose, weight: f32, mask: Option<&[f32]>) {
    let weight = if weight > 0.0 {
        weight.min(1.0)
    } else {
        return;
    };
    if weight == 1.0 && mask.is_none() {
        base.copy_from(over);
        return;
    }
    let joints = base.joints;
    let at = |index: usize| match mask {
        None => weight,
        Some(mask) => weight * mask.get(index).map_or(0.0, |m| m.clamp(0.0, 1.0)),
    };
    for (index, (block, other)) in base.blocks.iter_mut().zip(&over.blocks).enumerate() {
        let lanes: [f32; LANES] = std::array::from_fn(|lane| {
            let joint = index * LANES + lane;
            if joint < joints { at(joint) } else { 0.0 }
        });
        if lanes.iter().all(|&w| w <= 0.0) {
            continue;
        }
        lerp_block(block, other, &lanes);
    }
    for (channel, (morph, other)) in base.morphs.iter_mut().zip(&over.morphs).enumerate() {
        let weight = at(joints + channel);
        if weight >= 1.0 {
            *morph = *other;
        } else if weight > 0.0 {
            *morph += (other - *morph) * weight;
        }
    }
}
