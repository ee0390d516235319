//! The level's boxes and planes: two built-in models of one part, scaled by their place in the world.

use glam::{Affine3A, Vec3};
use sinew_model::{Mesh, Model, Primitive};

use crate::{Shape, ShapeDraw};

/// Metres from the middle of a plane to its edge.
const PLANE_REACH: f32 = 1000.0;

/// A box from -1 to 1 on each axis.
pub(crate) fn box_model() -> Model {
    let mut primitive = Primitive::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let normal = Vec3::AXES[axis] * side;
            let right = Vec3::AXES[(axis + 1) % 3] * side;
            add_quad(
                &mut primitive,
                normal,
                right,
                Vec3::AXES[(axis + 2) % 3],
                normal,
            );
        }
    }
    one_part(primitive)
}

/// A square on the ground.
pub(crate) fn plane_model() -> Model {
    let mut primitive = Primitive::default();
    let (right, up) = (Vec3::Z * PLANE_REACH, Vec3::X * PLANE_REACH);
    add_quad(&mut primitive, Vec3::ZERO, right, up, Vec3::Y);
    one_part(primitive)
}

fn add_quad(primitive: &mut Primitive, middle: Vec3, right: Vec3, up: Vec3, normal: Vec3) {
    let first = primitive.positions.len() as u32;
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        primitive.positions.push(middle + right * x + up * y);
        primitive.normals.push(normal);
    }
    let corners = [0, 1, 2, 0, 2, 3].map(|corner| first + corner);
    primitive.triangles.extend(corners);
}

fn one_part(primitive: Primitive) -> Model {
    Model {
        meshes: vec![Mesh {
            primitives: vec![primitive],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// The built-in model's space to world space.
pub(crate) fn world_of_unit(draw: &ShapeDraw) -> Affine3A {
    match draw.shape {
        Shape::Box { half_extents } => draw.world * Affine3A::from_scale(half_extents),
        Shape::Plane => draw.world,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_faces_the_way_of_its_normal() {
        for model in [box_model(), plane_model()] {
            let primitive = &model.meshes[0].primitives[0];
            for triangle in primitive.triangles.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|i| primitive.positions[triangle[i] as usize]);
                let normal = primitive.normals[triangle[0] as usize];
                assert!((b - a).cross(c - a).dot(normal) > 0.0, "{triangle:?}");
            }
        }
    }
}
