//! Signed distance primitives and the few ways to combine them. Metres; negative inside.
//!
//! Ellipsoids and cones are the usual bounded approximations (Quilez, "distance functions"): good near the surface,
//! which is all the polygoniser asks of them.

use glam::{Quat, Vec3};

/// A capsule whose radius goes linearly from `ra` at `a` to `rb` at `b`.
pub fn cone(p: Vec3, a: Vec3, b: Vec3, ra: f32, rb: f32) -> f32 {
    let axis = b - a;
    let t = ((p - a).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
    (p - (a + axis * t)).length() - (ra + (rb - ra) * t)
}

/// An ellipsoid along the axes.
pub fn ellipsoid(p: Vec3, centre: Vec3, radii: Vec3) -> f32 {
    let d = p - centre;
    let k = (d / radii).length();
    let gradient = (d / (radii * radii)).length();
    k * (k - 1.0) / gradient.max(1e-6)
}

/// An ellipsoid whose axes are turned by `turn`.
pub fn ellipsoid_turned(p: Vec3, centre: Vec3, radii: Vec3, turn: Quat) -> f32 {
    ellipsoid(turn.inverse() * (p - centre), Vec3::ZERO, radii)
}

/// Union with a fillet of width `k`.
pub fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// Intersection with a fillet of width `k`.
pub fn intersect(a: f32, b: f32, k: f32) -> f32 {
    -blend(-a, -b, k)
}

/// `a` without `b`.
pub fn carve(a: f32, b: f32, k: f32) -> f32 {
    intersect(a, -b, k)
}

/// Union of all with fillets of width `k`; nothing at all is infinitely far.
pub fn blend_all(distances: &[f32], k: f32) -> f32 {
    distances
        .iter()
        .copied()
        .reduce(|a, b| blend(a, b, k))
        .unwrap_or(f32::MAX)
}

/// The point's twin on the left (+X) side, for bodies that are symmetric.
pub fn fold(p: Vec3) -> Vec3 {
    Vec3::new(p.x.abs(), p.y, p.z)
}

/// Central-difference gradient with step `e`, not normalised.
pub fn gradient(field: &dyn Fn(Vec3) -> f32, p: Vec3, e: f32) -> Vec3 {
    let along = |axis: Vec3| field(p + axis * e) - field(p - axis * e);
    Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z)) / (2.0 * e)
}
