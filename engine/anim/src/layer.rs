//! Laying one pose over another.

use crate::blend::lerp_block;
use crate::rotation::Lanes;
use crate::{LANES, Pose, Rotations};

/// Moves `base` towards `over` by `weight` (clamped to 0..=1, not a number counts as 0) times the
/// mask: along the shorter arc for rotations, linear for the rest. Where the product is 0 `base` keeps its bits,
/// where it is 1 it takes those of `over`.
///
/// `mask` has one weight a joint, 0..=1, and after those, where the layer drives morph channels, one
/// weight a channel ([`crate::Mask`] builds it); what it does not reach keeps `base`. Without a mask everything
/// has weight 1. Layers are never renormalised among each other.
pub fn override_layer(
    base: &mut Pose,
    over: &Pose,
    weight: f32,
    mask: Option<&[f32]>,
    rotations: Rotations,
) {
    let weight = share(weight);
    if weight == 0.0 {
        return;
    }
    if weight == 1.0 && mask.is_none() {
        base.copy_from(over);
        return;
    }
    let joints = base.joints;
    for (index, (block, other)) in base.blocks.iter_mut().zip(&over.blocks).enumerate() {
        let lanes = lane_weights(weight, mask, joints, index);
        if lanes.iter().all(|&w| w <= 0.0) {
            continue;
        }
        lerp_block(block, other, &lanes, rotations);
    }
    for (channel, (morph, other)) in base.morphs.iter_mut().zip(&over.morphs).enumerate() {
        let weight = masked(weight, mask, joints + channel);
        if weight >= 1.0 {
            *morph = *other;
        } else if weight > 0.0 {
            *morph += (other - *morph) * weight;
        }
    }
}

/// `weight` (0..=1) times the mask's entry.
#[inline]
pub(crate) fn masked(weight: f32, mask: Option<&[f32]>, index: usize) -> f32 {
    match mask {
        None => weight,
        Some(mask) => weight * mask.get(index).map_or(0.0, |m| share(*m)),
    }
}

/// The weights of a block of joints; 0 for lanes beyond the last joint.
#[inline]
pub(crate) fn lane_weights(
    weight: f32,
    mask: Option<&[f32]>,
    joints: usize,
    block: usize,
) -> Lanes {
    std::array::from_fn(|lane| {
        let joint = block * LANES + lane;
        if joint < joints {
            masked(weight, mask, joint)
        } else {
            0.0
        }
    })
}

/// In 0..=1; not a number is 0.
pub(crate) fn share(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend_two;
    use crate::test_support::Random;

    #[test]
    fn an_unmasked_layer_is_a_blend_from_below() {
        let mut random = Random::new(31);
        let (base, over) = (random.pose(10, 2), random.pose(10, 2));
        for rotations in [Rotations::Slerp, Rotations::Nlerp] {
            for weight in [0.0, 0.3, 1.0, 5.0, -1.0, f32::NAN] {
                let mut expected = Pose::default();
                blend_two(&base, &over, weight, &mut expected, rotations);
                let mut out = base.clone();
                override_layer(&mut out, &over, weight, None, rotations);
                assert_eq!(out, expected, "{weight}");
            }
        }
    }

    #[test]
    fn each_joint_goes_as_far_as_its_mask_says() {
        let mut random = Random::new(32);
        let (base, over) = (random.pose(20, 3), random.pose(20, 3));
        let mut mask: Vec<f32> = (0..20).map(|_| random.unit() as f32).collect();
        mask[4] = 0.0;
        mask[11] = 1.0;
        mask.extend([1.0, 0.0]);
        let mut out = base.clone();
        for weight in [1.0, 0.8] {
            out.copy_from(&base);
            override_layer(&mut out, &over, weight, Some(&mask), Rotations::Slerp);
            for (joint, share) in mask[..20].iter().enumerate() {
                let mut expected = Pose::default();
                blend_two(
                    &base,
                    &over,
                    weight * share,
                    &mut expected,
                    Rotations::Slerp,
                );
                assert_eq!(out.joint(joint), expected.joint(joint), "joint {joint}");
            }
        }
        let most = base.morphs[0] + (over.morphs[0] - base.morphs[0]) * 0.8;
        assert_eq!(out.morphs, [most, base.morphs[1], base.morphs[2]]);
    }

    #[test]
    fn joints_outside_the_mask_keep_their_bits_even_beside_broken_ones() {
        let mut random = Random::new(33);
        let base = random.pose(9, 1);
        let mut over = random.pose(9, 1);
        over.set_translation(3, glam::Vec3::NAN);
        over.morphs[0] = f32::NAN;
        let mut mask = [1.0; 9];
        mask[3] = 0.0;
        mask[7] = f32::NAN;
        let mut out = base.clone();
        override_layer(&mut out, &over, 1.0, Some(&mask), Rotations::Slerp);
        assert_eq!(out.joint(3), base.joint(3));
        assert_eq!(out.joint(7), base.joint(7));
        assert_eq!(out.morphs, base.morphs);
        override_layer(&mut out, &over, 1.0, Some(&[]), Rotations::Slerp);
        assert_eq!(out.joint(3), base.joint(3));
    }
}
