//! Blending poses: rotations along great arcs, everything else straight.

use crate::rotation::{Lanes, Rotations, acos_over_root, cosine, dot_lane, sine_over, slerp_lanes};
use crate::{Block, LANES, Pose};

/// Steps of the iteration for the mean of more than two rotations; three reach 1e-6 for rotations
/// within a half turn of each other.
const MEAN_STEPS: usize = 3;

/// `out` = `a` at weight 0, `b` at 1: slerp along the shorter arc for rotations, linear for
/// translations, scales and morph weights. `weight` is clamped to 0..=1 (not a number counts as 0);
/// at the ends `out` has the bits of `a` or of `b`. All three are poses of one skeleton.
pub fn blend_two(a: &Pose, b: &Pose, weight: f32, out: &mut Pose) {
    if weight >= 1.0 {
        out.copy_from(b);
        return;
    }
    out.copy_from(a);
    if weight > 0.0 {
        toward(out, b, weight);
    }
}

/// Moves `pose` towards `other` by `weight` in 0..=1, in place; the same arithmetic as
/// [`blend_two`].
fn toward(pose: &mut Pose, other: &Pose, weight: f32) {
    let lanes = [weight; LANES];
    for (block, other) in pose.blocks.iter_mut().zip(&other.blocks) {
        lerp_block(block, other, &lanes);
    }
    for (morph, other) in pose.morphs.iter_mut().zip(&other.morphs) {
        *morph += (other - *morph) * weight;
    }
}

/// Moves each lane of `block` towards `other` by its weight in 0..=1; lanes at 0 keep their bits.
#[inline]
pub(crate) fn lerp_block(block: &mut Block, other: &Block, weight: &Lanes) {
    block.rotation = slerp_lanes(&block.rotation, &other.rotation, weight);
    let vectors = block.translation.iter_mut().chain(&mut block.scale);
    let others = other.translation.iter().chain(&other.scale);
    for (value, other) in vectors.zip(others) {
        for lane in 0..LANES {
            let mixed = value[lane] + (other[lane] - value[lane]) * weight[lane];
            value[lane] = if weight[lane] <= 0.0 {
                value[lane]
            } else {
                mixed
            };
        }
    }
}

/// [`blend_weighted`] over a slice.
pub fn blend(poses: &[(&Pose, f32)], out: &mut Pose) {
    blend_weighted(poses.iter().copied(), out);
}

/// `out` = the mean of `poses` by their weights, which need not sum to 1. Weights that are not above
/// zero cost nothing and their poses are not read; with none above zero `out` stays. One pose is
/// copied, two are [`blend_two`]; the result of more does not depend on their order (to 1e-6).
///
/// More than two rotations are averaged on the sphere: hemispheres aligned to the heaviest,
/// weighted sum, then steps of the intrinsic mean `m <- m exp(sum w log(m^-1 q))` (Buss and Fillmore
/// 2001, Pennec 1998), which for two is slerp. The iterator is walked several times; nothing is
/// allocated once `out` has its size.
pub fn blend_weighted<'a>(poses: impl Iterator<Item = (&'a Pose, f32)> + Clone, out: &mut Pose) {
    let poses = poses.filter(|(_, weight)| *weight > 0.0);
    let total: f32 = poses.clone().map(|(_, weight)| weight).sum();
    let mut first = poses.clone();
    match (first.next(), first.next(), first.next()) {
        (None, ..) => {}
        (Some((pose, _)), None, _) => out.copy_from(pose),
        (Some((a, _)), Some((b, weight)), None) => blend_two(a, b, weight / total, out),
        (Some((a, _)), Some(_), Some(_)) => {
            out.copy_from(a);
            let poses = poses.map(|(pose, weight)| (pose, weight / total));
            for (index, block) in out.blocks.iter_mut().enumerate() {
                let blocks = poses
                    .clone()
                    .filter_map(|(pose, w)| Some((pose.blocks.get(index)?, w)));
                *block = mean_block(blocks);
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
fn mean_block<'a>(blocks: impl Iterator<Item = (&'a Block, f32)> + Clone) -> Block {
    let mut out = Block {
        translation: [[0.0; LANES]; 3],
        rotation: mean_rotations(blocks.clone()),
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

fn mean_rotations<'a>(blocks: impl Iterator<Item = (&'a Block, f32)> + Clone) -> Rotations {
    let heaviest = blocks.clone().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some((reference, _)) = heaviest else {
        return Block::IDENTITY.rotation;
    };
    let mut mean = aligned_sum(blocks.clone(), &reference.rotation);
    normalize_lanes(&mut mean, &reference.rotation);
    for _ in 0..MEAN_STEPS {
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
    reference: &Rotations,
) -> Rotations {
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
fn add_log(sum: &mut [Lanes; 3], mean: &Rotations, q: &Rotations, weight: f32) {
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
fn turn_by(mean: &mut Rotations, step: &[Lanes; 3]) {
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
fn normalize_lanes(rotations: &mut Rotations, fallback: &Rotations) {
    for lane in 0..LANES {
        let length = dot_lane(rotations, rotations, lane);
        let empty = length < 1e-12;
        let scale = 1.0 / if empty { 1.0 } else { length.sqrt() };
        for (value, fallback) in rotations.iter_mut().zip(fallback) {
            value[lane] = if empty {
                fallback[lane]
            } else {
                value[lane] * scale
            };
        }
    }
}
