//! Skin weights from distances to bones, smoothed over the surface.

use crate::elementary::exp;
use crate::mesh::{Influences, Mesh, rigid};
use crate::sdf::cone;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A bone as a fat segment; only its surface distance matters.
#[derive(Clone, Copy)]
pub struct Bone {
    /// What vertices near it follow.
    pub joint: usize,
    /// One end, model space.
    pub from: Vec3,
    /// The other end.
    pub to: Vec3,
    /// Half its thickness, metres.
    pub radius: f32,
}

/// Binds every vertex to the bones near it. `softness` (metres) is the width over which one bone gives way to the next;
/// `passes` of smoothing along the surface widen the joints without letting weights jump across gaps.
pub fn bind(mesh: &mut Mesh, skeleton: &Skeleton, bones: &[Bone], softness: f32, passes: usize) {
    let mut shares: Vec<Vec<f32>> = mesh
        .positions
        .iter()
        .map(|p| shares_at(*p, skeleton, bones, softness))
        .collect();
    let near = mesh.neighbours();
    for _ in 0..passes {
        shares = smoothed(&shares, &near);
    }
    mesh.influences = shares.iter().map(|s| strongest_four(s, bones)).collect();
}

fn shares_at(p: Vec3, skeleton: &Skeleton, bones: &[Bone], softness: f32) -> Vec<f32> {
    let distance: Vec<f32> = bones
        .iter()
        .map(|b| cone(p, b.from, b.to, b.radius, b.radius))
        .collect();
    let nearest = distance.iter().copied().fold(f32::MAX, f32::min);
    let mut shares: Vec<f32> = distance
        .iter()
        .map(|d| exp(-(d - nearest) / softness))
        .collect();
    // A left thigh must not follow the right leg however close it comes.
    let left = (0.5 + p.x / 0.03).clamp(0.0, 1.0);
    for (share, bone) in shares.iter_mut().zip(bones) {
        *share *= match side(&skeleton.names[bone.joint]) {
            Some(true) => left,
            Some(false) => 1.0 - left,
            None => 1.0,
        };
    }
    let total: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total.max(1e-9));
    shares
}

/// `Some(true)` for left, `Some(false)` for right, by the name's `_L` or `_R`.
fn side(name: &str) -> Option<bool> {
    if name.ends_with("_L") {
        Some(true)
    } else {
        name.ends_with("_R").then_some(false)
    }
}

fn smoothed(shares: &[Vec<f32>], near: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let mix = |i: usize| {
        let mut out: Vec<f32> = shares[i].iter().map(|s| s * 0.5).collect();
        let each = 0.5 / near[i].len().max(1) as f32;
        for &n in &near[i] {
            out.iter_mut()
                .zip(&shares[n as usize])
                .for_each(|(o, s)| *o += s * each);
        }
        out
    };
    (0..shares.len()).map(mix).collect()
}

fn strongest_four(shares: &[f32], bones: &[Bone]) -> Influences {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    let mut out = rigid(0);
    for (slot, &i) in out
        .iter_mut()
        .zip(order.iter().filter(|&&i| shares[i] > 0.012))
    {
        *slot = (bones[i].joint as u16, shares[i]);
    }
    let total: f32 = out.iter().map(|w| w.1).sum();
    out.map(|(j, w)| (j, w / total))
}
