//! Two-bone inverse kinematics in model space, by the law of cosines.

use crate::elementary::exp;
use glam::{Mat3, Quat, Vec3};

/// A limb at rest: both bones as vectors, and where its middle joint points when it bends.
#[derive(Clone, Copy)]
pub struct Limb {
    /// From the first joint to the middle one.
    pub upper: Vec3,
    /// From the middle joint to the end.
    pub lower: Vec3,
    /// Unit length.
    pub pole: Vec3,
}

/// Model-space rotations of the upper and the lower bone such that the limb's end is at `target`.
/// Past `0.985` of the full reach the limb eases out instead of snapping straight.
pub fn solve(limb: &Limb, from: Vec3, target: Vec3, pole: Vec3) -> (Quat, Quat) {
    let (a, b) = (limb.upper.length(), limb.lower.length());
    let towards = (target - from).normalize_or(Vec3::NEG_Y);
    let reach = eased((target - from).length(), a + b).max((a - b).abs() + 1e-4);
    let cosine = ((a * a + reach * reach - b * b) / (2.0 * a * reach)).clamp(-1.0, 1.0);
    let side = (pole - towards * pole.dot(towards)).normalize_or(Vec3::Z);
    let middle = from + (towards * cosine + side * (1.0 - cosine * cosine).sqrt()) * a;
    let end = from + towards * reach;
    // Both bones turn about the normal of the limb's plane, which unlike the pole is never along a bone.
    let (hinge, rest_hinge) = (
        towards.cross(side),
        (limb.upper + limb.lower).cross(limb.pole),
    );
    let aim = |bone: Vec3, rest: Vec3| {
        Quat::from_mat3(&(frame(bone, hinge) * frame(rest, rest_hinge).transpose())).normalize()
    };
    (
        aim(middle - from, limb.upper),
        aim(end - middle, limb.lower),
    )
}

/// A distance that never reaches `full`, unchanged below 98.5 percent of it.
fn eased(distance: f32, full: f32) -> f32 {
    let (soft, end) = (full * 0.985, full * 0.9985);
    if distance <= soft {
        distance
    } else {
        soft + (end - soft) * (1.0 - exp(-(distance - soft) / (end - soft)))
    }
}

/// Axes with Y along the bone and X as near as can be to the hinge.
fn frame(bone: Vec3, hinge: Vec3) -> Mat3 {
    let y = bone.normalize_or(Vec3::Y);
    let x = (hinge - y * hinge.dot(y)).normalize_or(Vec3::X);
    Mat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forward kinematics is the oracle: the end of the limb must be where it was sent.
    #[test]
    fn ends_where_it_was_sent() {
        let limb = Limb {
            upper: Vec3::new(0.0, -0.42, 0.01),
            lower: Vec3::new(0.0, -0.41, -0.03),
            pole: Vec3::Z,
        };
        let targets = [
            Vec3::new(0.0, -0.7, 0.2),
            Vec3::new(0.1, -0.5, -0.4),
            Vec3::new(0.0, -0.3, -0.1),
            Vec3::new(0.0, -0.05, -0.6),
        ];
        for target in targets {
            let (upper, lower) = solve(&limb, Vec3::ZERO, target, Vec3::Z);
            let end = upper * limb.upper + lower * limb.lower;
            assert!(
                end.distance(target) < 1e-4,
                "sent to {target}, came to {end}"
            );
        }
    }
}
