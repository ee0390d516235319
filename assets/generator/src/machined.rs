//! Parts as a workshop makes them: blocks with chamfers, drums with bevelled rims, shafts. Flat shaded, metres.

use crate::mesh::Mesh;
use crate::solid::{lathe, slab};
use glam::{Vec2, Vec3};

const UPRIGHT: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

/// An upright box with chamfered edges.
pub fn block(centre: Vec3, half: Vec3, chamfer: f32, material: u8) -> Mesh {
    slab(centre, half, UPRIGHT, chamfer, material)
}

/// A cylinder with bevelled rims, `half` long each way along `axis`.
pub fn drum(centre: Vec3, axis: Vec3, half: f32, radius: f32, material: u8) -> Mesh {
    let bevel = (radius * 0.18).min(half * 0.5);
    let v = Vec2::new;
    let profile = [
        v(-half, 0.0),
        v(-half, radius - bevel),
        v(-half + bevel, radius),
        v(half - bevel, radius),
        v(half, radius - bevel),
        v(half, 0.0),
    ];
    lathe(centre, axis, &profile, 16, true, material)
}

/// A shaft that goes from one radius to another between two places.
pub fn shaft(from: Vec3, to: Vec3, ra: f32, rb: f32, material: u8) -> Mesh {
    let length = from.distance(to);
    let v = Vec2::new;
    let profile = [v(0.0, 0.0), v(0.0, ra), v(length, rb), v(length, 0.0)];
    lathe(
        from,
        (to - from).normalize_or_zero(),
        &profile,
        12,
        true,
        material,
    )
}
