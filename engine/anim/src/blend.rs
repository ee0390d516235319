//! Blending poses: rotations along great arcs, everything else straight.

use crate::rotation::{
    Lanes, RotationLanes, acos_over_root, cosine, dot_lane, ends, nlerp_lanes, sine_over,
    slerp_lanes,
};
use crate::{Block, LANES, Pose, Rotations};

/// Steps of the iteration for the mean of more than two rotations; three reach 1e-6 for rotations
/// within 70 degrees of their mean and 4e-6 within 85. Beyond that the mean is not unique.
const MEAN_STEPS: usize = 3;

/// `out` = `a` at weight 0, `b` at 1: the shorter arc for rotations, linear for translations, scales
/// and morph weights. `weight` is clamped to 0..=1 (not a number counts as 0);
/// at the ends `out` has the bits of `a` or of `b`. All three are poses of one skeleton.
pub fn blend_two(a: &Pose, b: &Pose, weight: f32, out: &mut Pose, rotations: Rotations) {
    if weight >= 1.0 {
        out.copy_from(b);
        return;
    }
    out.copy_from(a);
    if weight > 0.0 {
        toward(out, b, weight, rotations);
    }
}

/// Moves `pose` towards `other` by `weight` in 0..=1, in place; the same arithmetic as
/// [`blend_two`].
fn toward(pose: &mut Pose, other: &Pose, weight: f32, rotations: Rotations) {
    let lanes = [weight; LANES];
    for (block, other) in pose.blocks.iter_mut().zip(&other.blocks) {
        lerp_block(block, other, &lanes, rotations);
    }
    for (morph, other) in pose.morphs.iter_mut().zip(&other.morphs) {
        *morph += (other - *morph) * weight;
    }
}

/// Moves each lane of `block` towards `other` by its weight in 0..=1; lanes at 0 keep their bits, lanes at
/// 1 take those of `other`.
#[inline]
pub(crate) fn lerp_block(block: &mut Block, other: &Block, weight: &Lanes, rotations: Rotations) {
    block.rotation = match rotations {
        Rotations::Slerp => slerp_lanes(&block.rotation, &other.rotation, weight),
        Rotations::Nlerp => nlerp_lanes(&block.rotation, &other.rotation, weight),
    };
    let vectors = block.translation.iter_mut().chain(&mut block.scale);
    let others = other.translation.iter().chain(&other.scale);
    for (value, other) in vectors.zip(others) {
        for lane in 0..LANES {
            let mixed = value[lane] + (other[lane] - value[lane]) * weight[lane];
            value[lane] = ends(value[lane], other[lane], weight[lane], mixed);
        }
    }
}

/// [`blend_weighted`] over a slice.
pub fn blend(poses: &[(&Pose, f32)], out: &mut Pose, rotations: Rotations) {
    blend_weighted(poses.iter().copied(), out, rotations);
}

/// `out` = the mean of `poses` by their weights, which need not sum to 1. Weights that are not above
/// zero cost nothing and their poses are not read; with none above zero `out` stays. One pose is
/// copied, two are [`blend_two`]; the result of more does not depend on their order (to 1e-6).
///
/// More than two rotations: hemispheres aligned to the heaviest, weighted sum, normalised, and with
/// [`Rotations::Slerp`] then steps of the intrinsic mean `m <- m exp(sum w log(m^-1 q))` (Buss and Fillmore
/// 2001, Pennec 1998), which for two is slerp. The iterator is walked several times; nothing is
/// allocated once `out` has its size.
pub fn blend_weighted<'a>(
    poses: impl Iterator<Item = (&'a Pose, f32)> + Clone,
    out: &mut Pose,
    rotations: Rotations,
) {
    let poses = poses.filter(|(_, weight)| *weight > 0.0);
    let total: f32 = poses.clone().map(|(_, weight)| weight).sum();
    let mut first = poses.clone();
    match (first.next(), first.next(), first.next()) {
        (None, ..) => {}
        (Some((pose, _)), None, _) => out.copy_from(pose),
        (Some((a, _)), Some((b, weight)), None) => {
            blend_two(a, b, weight / total, out, rotations);
        }
        (Some((a, _)), Some(_), Some(_)) => {
            out.copy_from(a);
            let poses = poses.map(|(pose, weight)| (pose, weight / total));
            for (index, block) in out.blocks.iter_mut().enumerate() {
                let blocks = poses
                    .clone()
                    .filter_map(|(pose, w)| Some((pose.blocks.get(index)?, w)));
                *block = mean_block(blocks, rotations);
            }
            out.morphs.fill(0.0);
            for (pose, weight) in poses {
                for (sum, value) in out.morphs.iter_mut().zip(&pose.morphs) {
                    *sum += value * weight;
                }
            }
        }
    }
}

/// The weighted mean of blocks; weights above zero, sum 1.
fn mean_block<'a>(
    blocks: impl Iterator<Item = (&'a Block, f32)> + Clone,
    rotations: Rotations,
) -> Block {
    let mut out = Block {
        translation: [[0.0; LANES]; 3],
        rotation: mean_rotations(blocks.clone(), rotations),
        scale: [[0.0; LANES]; 3],
    };
    for (block, weight) in blocks {
        let sums = out.translation.iter_mut().chain(&mut out.scale);
        for (sum, value) in sums.zip(block.translation.iter().chain(&block.scale)) {
            for lane in 0..LANES {
                sum[lane] += value[lane] * weight;
            }
        }
    }
    out
}

fn mean_rotations<'a>(
    blocks: impl Iterator<Item = (&'a Block, f32)> + Clone,
    rotations: Rotations,
) -> RotationLanes {
    let heaviest = blocks.clone().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some((reference, _)) = heaviest else {
        return Block::IDENTITY.rotation;
    };
    let mut mean = aligned_sum(blocks.clone(), &reference.rotation);
    normalize_lanes(&mut mean, &reference.rotation);
    let steps = match rotations {
        Rotations::Slerp => MEAN_STEPS,
        Rotations::Nlerp => 0,
    };
    for _ in 0..steps {
        let mut step = [[0.0; LANES]; 3];
        for (block, weight) in blocks.clone() {
            add_log(&mut step, &mean, &block.rotation, weight);
        }
        turn_by(&mut mean, &step);
        normalize_lanes(&mut mean, &reference.rotation);
    }
    mean
}

/// The weighted sum of rotations, each in the hemisphere of `reference`.
fn aligned_sum<'a>(
    blocks: impl Iterator<Item = (&'a Block, f32)>,
    reference: &RotationLanes,
) -> RotationLanes {
    let mut sum = [[0.0; LANES]; 4];
    for (block, weight) in blocks {
        for lane in 0..LANES {
            let negative = dot_lane(&block.rotation, reference, lane) < 0.0;
            let weight = if negative { -weight } else { weight };
            for (sum, value) in sum.iter_mut().zip(&block.rotation) {
                sum[lane] += value[lane] * weight;
            }
        }
    }
    sum
}

/// Adds `weight * log(mean^-1 q)`, half-angle times axis along the shorter arc, lane by lane.
fn add_log(sum: &mut [Lanes; 3], mean: &RotationLanes, q: &RotationLanes, weight: f32) {
    for lane in 0..LANES {
        let [mx, my, mz, mw] = [mean[0][lane], mean[1][lane], mean[2][lane], mean[3][lane]];
        let [x, y, z, w] = [q[0][lane], q[1][lane], q[2][lane], q[3][lane]];
        let cos = dot_lane(mean, q, lane);
        let near = cos.abs().min(1.0);
        // angle / sin(angle) = acos(c) / sqrt((1 - c)(1 + c)), without the singular factor
        let scale = weight * acos_over_root(near) / (1.0 + near).sqrt();
        let scale = if cos < 0.0 { -scale } else { scale };
        sum[0][lane] += scale * (mw * x - mx * w - my * z + mz * y);
        sum[1][lane] += scale * (mw * y - my * w - mz * x + mx * z);
        sum[2][lane] += scale * (mw * z - mz * w - mx * y + my * x);
    }
}

/// `mean <- mean exp(step)`, lane by lane; a step is a half-angle times axis, at most a quarter
/// turn long.
fn turn_by(mean: &mut RotationLanes, step: &[Lanes; 3]) {
    for lane in 0..LANES {
        let [sx, sy, sz] = [step[0][lane], step[1][lane], step[2][lane]];
        let angle2 = sx * sx + sy * sy + sz * sz;
        let sine = sine_over(angle2);
        let (x, y, z, w) = (sx * sine, sy * sine, sz * sine, cosine(angle2));
        let [mx, my, mz, mw] = [mean[0][lane], mean[1][lane], mean[2][lane], mean[3][lane]];
        mean[0][lane] = mw * x + mx * w + my * z - mz * y;
        mean[1][lane] = mw * y + my * w + mz * x - mx * z;
        mean[2][lane] = mw * z + mz * w + mx * y - my * x;
        mean[3][lane] = mw * w - mx * x - my * y - mz * z;
    }
}

/// Unit length in every lane; a lane without length takes `fallback`.
fn normalize_lanes(rotations: &mut RotationLanes, fallback: &RotationLanes) {
    let mut keep = [1.0; LANES];
    let mut take = [0.0; LANES];
    for lane in 0..LANES {
        let length = dot_lane(rotations, rotations, lane);
        let empty = length < 1e-12;
        keep[lane] = if empty { 0.0 } else { 1.0 / length.sqrt() };
        take[lane] = if empty { 1.0 } else { 0.0 };
    }
    for (value, fallback) in rotations.iter_mut().zip(fallback) {
        for lane in 0..LANES {
            value[lane] = value[lane] * keep[lane] + fallback[lane] * take[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, Quat, Vec3};

    use super::*;
    use crate::test_support::{Random, rotation_error, slerp_f64};

    #[test]
    fn two_poses_blend_by_slerp_and_straight_lines() {
        let mut random = Random::new(21);
        for _ in 0..50 {
            let (a, b) = (random.pose(11, 3), random.pose(11, 3));
            let weight = random.unit() as f32;
            let mut out = Pose::default();
            blend_two(&a, &b, weight, &mut out, Rotations::Slerp);
            let t = f64::from(weight);
            for joint in 0..11 {
                let twin = slerp_f64(
                    a.rotation(joint).as_dquat(),
                    b.rotation(joint).as_dquat(),
                    t,
                );
                assert!(rotation_error(out.rotation(joint), twin) < 1e-6);
                let straight = a
                    .translation(joint)
                    .as_dvec3()
                    .lerp(b.translation(joint).as_dvec3(), t);
                assert!(out.translation(joint).as_dvec3().distance(straight) < 1e-6);
                let scale = a.scale(joint).as_dvec3().lerp(b.scale(joint).as_dvec3(), t);
                assert!(out.scale(joint).as_dvec3().distance(scale) < 1e-6);
            }
            for morph in 0..3 {
                let straight = a.morphs[morph] * (1.0 - weight) + b.morphs[morph] * weight;
                assert!((out.morphs[morph] - straight).abs() < 1e-6);
            }
        }
    }

    /// How far a blend of 60 degrees is from `weight` times the angle, radians.
    fn lag(weight: f32, rotations: Rotations) -> f32 {
        let angle = 60.0_f32.to_radians();
        let mut turned = Pose::identity(1, 0);
        turned.set_rotation(0, Quat::from_rotation_y(angle));
        let mut out = Pose::default();
        blend_two(&Pose::identity(1, 0), &turned, weight, &mut out, rotations);
        let q = out.rotation(0);
        (2.0 * q.y.atan2(q.w) - weight * angle).abs()
    }

    #[test]
    fn a_sixty_degree_blend_turns_evenly_where_nlerp_lags() {
        assert!((lag(0.25, Rotations::Nlerp) - 4.564e-3).abs() < 1e-6);
        let worst = |rotations: Rotations| {
            let weights = (0..=1000).map(|step| step as f32 / 1000.0);
            weights.fold(0.0_f32, |worst, weight| worst.max(lag(weight, rotations)))
        };
        assert!(worst(Rotations::Slerp) < 1e-6);
        assert!((worst(Rotations::Nlerp) - 4.668e-3).abs() < 1e-6);
    }

    #[test]
    fn a_crossfade_is_weight_times_angle_for_any_angle_and_axis() {
        let mut random = Random::new(27);
        for _ in 0..1000 {
            let (from, axis) = (random.rotation(), random.direction());
            let angle = random.range(0.0, 3.1) as f32;
            let weight = random.unit() as f32;
            let pose = |angle: f32| {
                let mut pose = Pose::identity(1, 0);
                pose.set_rotation(0, Quat::from_axis_angle(axis, angle) * from);
                pose
            };
            let mut out = Pose::default();
            blend_two(&pose(0.0), &pose(angle), weight, &mut out, Rotations::Slerp);
            let turned = out.rotation(0).as_dquat() * from.as_dquat().inverse();
            let along = 2.0 * turned.xyz().dot(axis.as_dvec3()).atan2(turned.w);
            let along = along.sin().atan2(along.cos());
            let error = along - f64::from(weight) * f64::from(angle);
            assert!(error.abs() < 1e-5, "{angle} {weight}: {error}");
        }
    }

    #[test]
    fn more_poses_mixed_by_nlerp_are_the_normalised_sum() {
        let mut random = Random::new(26);
        let poses = cluster(&mut random, 4, 1.2);
        let weights = [0.4, 0.3, 0.2, 0.1];
        let pairs: Vec<(&Pose, f32)> = poses.iter().zip(weights).collect();
        let mut out = Pose::default();
        blend(&pairs, &mut out, Rotations::Nlerp);
        for joint in 0..9 {
            let heaviest = poses[0].rotation(joint).as_dquat();
            let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            for (pose, weight) in &pairs {
                let q = pose.rotation(joint).as_dquat();
                let sign = if q.dot(heaviest) < 0.0 { -1.0 } else { 1.0 };
                sum += q * (sign * f64::from(*weight));
            }
            let expected = sum * sum.length().recip();
            assert!(rotation_error(out.rotation(joint), expected) < 1e-6);
        }
    }

    #[test]
    fn the_ends_have_the_bits_of_the_poses() {
        let mut random = Random::new(22);
        let (a, b) = (random.pose(5, 2), random.pose(5, 2));
        let mut out = Pose::default();
        for (weight, expected) in [(0.0, &a), (1.0, &b), (-3.0, &a), (7.0, &b), (f32::NAN, &a)] {
            blend_two(&a, &b, weight, &mut out, Rotations::Slerp);
            assert_eq!(&out, expected, "{weight}");
        }
        blend_two(&a, &a, 0.3, &mut out, Rotations::Slerp);
        assert!((0..5).all(|joint| out.translation(joint) == a.translation(joint)));
    }

    /// The intrinsic mean in f64, far past convergence.
    fn mean_twin(rotations: &[(DQuat, f64)]) -> DQuat {
        let mut mean = rotations[0].0;
        for _ in 0..200 {
            let mut step = glam::DVec3::ZERO;
            for (q, weight) in rotations {
                let local = mean.inverse() * *q;
                let local = if local.w < 0.0 { -local } else { local };
                step += local.to_scaled_axis() * *weight;
            }
            mean = (mean * DQuat::from_scaled_axis(step)).normalize();
        }
        mean
    }

    /// Poses whose rotations stand within `spread` radians of a common one, quaternion signs mixed.
    fn cluster(random: &mut Random, count: usize, spread: f64) -> Vec<Pose> {
        let mut poses: Vec<Pose> = (0..count).map(|_| random.pose(9, 2)).collect();
        for joint in 0..9 {
            let center = random.rotation();
            for pose in &mut poses {
                let turn = random.direction() * random.range(0.0, spread) as f32;
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                pose.set_rotation(joint, center * Quat::from_scaled_axis(turn) * sign);
            }
        }
        poses
    }

    #[test]
    fn more_poses_meet_in_the_intrinsic_mean_whatever_their_order() {
        let mut random = Random::new(23);
        for case in 0..60 {
            let count = 3 + case % 5;
            let poses = cluster(&mut random, count, 1.2);
            let weights: Vec<f32> = (0..count).map(|_| random.range(0.05, 1.0) as f32).collect();
            let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
            let mut pairs: Vec<(&Pose, f32)> = poses.iter().zip(weights).collect();
            let mut out = Pose::default();
            blend(&pairs, &mut out, Rotations::Slerp);
            for joint in 0..9 {
                let rotations: Vec<_> = pairs
                    .iter()
                    .map(|(pose, w)| (pose.rotation(joint).as_dquat(), f64::from(*w) / total))
                    .collect();
                let error = rotation_error(out.rotation(joint), mean_twin(&rotations));
                assert!(error < 3e-6, "{count} poses: {error}");
            }
            pairs.reverse();
            pairs.swap(0, 1);
            let mut again = Pose::default();
            blend(&pairs, &mut again, Rotations::Slerp);
            for joint in 0..9 {
                let error = rotation_error(again.rotation(joint), out.rotation(joint).as_dquat());
                assert!(error < 1e-6);
                assert!(again.translation(joint).distance(out.translation(joint)) < 2e-6);
            }
            assert!((again.morphs[1] - out.morphs[1]).abs() < 1e-6);
        }
    }

    #[test]
    fn a_third_pose_fading_out_leads_to_the_slerp_of_two() {
        let mut random = Random::new(24);
        let poses = cluster(&mut random, 3, 1.5);
        let (mut two, mut three) = (Pose::default(), Pose::default());
        blend(
            &[(&poses[0], 0.7), (&poses[1], 0.3)],
            &mut two,
            Rotations::Slerp,
        );
        blend(
            &[(&poses[0], 0.7), (&poses[1], 0.3), (&poses[2], 1e-7)],
            &mut three,
            Rotations::Slerp,
        );
        for joint in 0..9 {
            let error = rotation_error(three.rotation(joint), two.rotation(joint).as_dquat());
            assert!(error < 2e-6, "{error}");
        }
    }

    #[test]
    fn poses_without_weight_are_not_read_and_change_no_bits() {
        let mut random = Random::new(25);
        let (a, b) = (random.pose(4, 1), random.pose(4, 1));
        let mut broken = Pose::identity(4, 1);
        broken.set_translation(2, Vec3::NAN);
        broken.morphs[0] = f32::NAN;
        let mut expected = Pose::default();
        let mut out = Pose::default();
        blend_two(&a, &b, 0.25, &mut expected, Rotations::Slerp);
        blend(
            &[
                (&broken, 0.0),
                (&a, 0.75),
                (&broken, -1.0),
                (&b, 0.25),
                (&broken, f32::NAN),
            ],
            &mut out,
            Rotations::Slerp,
        );
        assert_eq!(out, expected);
        blend(&[(&broken, 0.0), (&a, 1e-3)], &mut out, Rotations::Slerp);
        assert_eq!(out, a);
        blend(&[(&broken, 0.0)], &mut out, Rotations::Slerp);
        assert_eq!(out, a, "nothing to blend leaves the pose");
    }

    #[test]
    fn opposite_rotations_and_far_spread_ones_never_make_nan() {
        let axis = |angle: f32| Quat::from_rotation_z(angle);
        let third = std::f32::consts::TAU / 3.0;
        let sets = [
            [axis(0.0), axis(third), axis(2.0 * third)],
            [
                axis(0.0),
                axis(std::f32::consts::PI),
                -axis(std::f32::consts::PI),
            ],
            [
                Quat::IDENTITY,
                Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
            ],
        ];
        for set in sets {
            let poses = set.map(|rotation| {
                let mut pose = Pose::identity(1, 0);
                pose.set_rotation(0, rotation);
                pose
            });
            let mut out = Pose::default();
            blend(
                &[(&poses[0], 1.0), (&poses[1], 1.0), (&poses[2], 1.0)],
                &mut out,
                Rotations::Slerp,
            );
            assert!((out.rotation(0).length() - 1.0).abs() < 1e-5, "{set:?}");
        }
    }
}
