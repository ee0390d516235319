//! Ambient occlusion baked into vertex colours, from the distance field itself.

use crate::mesh::Mesh;
use crate::parallel::pieces;
use crate::surface::Field;
use glam::{Vec3, vec3};

/// Distances along the normal at which the field is asked how far the next surface is, metres.
const PROBES: [f32; 4] = [0.008, 0.02, 0.045, 0.09];

/// Darkens, and warms, vertices that face into corners, by a share of 0 to 1 for each place; leaves the materials in
/// `except` alone.
pub fn occlude(mesh: &mut Mesh, solid: Field, share: Field, except: &[u8]) {
    let mut skip = vec![false; mesh.positions.len()];
    for t in mesh
        .triangles
        .iter()
        .filter(|t| except.contains(&t.material))
    {
        t.corners.iter().for_each(|&v| skip[v as usize] = true);
    }
    let (positions, normals) = (&mesh.positions, &mesh.normals);
    pieces(&mut mesh.tints, 8192, |first, tints| {
        for (i, tint) in (first..).zip(tints).filter(|(i, _)| !skip[*i]) {
            let closed = 1.0 - openness(positions[i], normals[i], solid);
            let open = 1.0 - closed * share(positions[i]);
            *tint *= vec3(0.58, 0.50, 0.49).lerp(Vec3::ONE, open);
        }
    });
}

/// 1 in the open, 0 in a closed corner (Evans 2006, distance field occlusion).
fn openness(p: Vec3, normal: Vec3, solid: Field) -> f32 {
    let start = p + normal * 0.002;
    let blocked: f32 = PROBES
        .iter()
        .map(|&h| (h - solid(start + normal * h)).max(0.0) / h)
        .sum();
    (1.0 - 0.85 * blocked / PROBES.len() as f32).clamp(0.0, 1.0)
}
