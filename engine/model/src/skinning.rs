//! Morphing and skinning on the CPU: the reference that other implementations are held against.

use glam::{Affine3A, Vec3, Vec3A};

use crate::{Mesh, Primitive, Skin};

/// Vertices of a primitive as posed, in model space.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SkinnedVertices {
    /// Metres; one a vertex.
    pub positions: Vec<Vec3>,
    /// Unit vectors; one a vertex, or none where the primitive has none.
    pub normals: Vec<Vec3>,
}

/// Writes the posed vertices of `primitive` into `out`, whose lists are reused.
///
/// `model` is the model matrix of every joint, `weights` the morph weights of the whole skeleton ([`sinew_anim::Pose::morphs`]), of
/// which the mesh reads its own. Targets are added first (glTF 2.0, 3.7.2.2), then every vertex follows all its influences
/// (3.7.3.3): `p = sum(weight * model[joint] * inverse_bind) * p`. Without a skin or influences it follows the mesh's joint.
/// Normals turn with the cofactor of the same matrix, so they stay upright under uneven scale and mirrors; one that
/// is flattened to nothing becomes +Y. Joints and weights that are missing count as identity and zero.
pub fn skin_vertices(
    mesh: &Mesh,
    primitive: &Primitive,
    skin: Option<&Skin>,
    model: &[Affine3A],
    weights: &[f32],
    out: &mut SkinnedVertices,
) {
    out.positions.clone_from(&primitive.positions);
    out.normals.clone_from(&primitive.normals);
    for (target, &channel) in primitive.targets.iter().zip(&mesh.morphs) {
        let weight = weights.get(usize::from(channel)).copied();
        let weight = weight.unwrap_or_default();
        add_scaled(&mut out.positions, &target.positions, weight);
        add_scaled(&mut out.normals, &target.normals, weight);
    }
    let influences = &primitive.influences;
    let per_vertex = influences.per_vertex;
    let palette: Vec<Affine3A> = match skin {
        Some(skin) if per_vertex > 0 => {
            let mut palette = vec![Affine3A::IDENTITY; skin.joints.len()];
            sinew_anim::palette(model, &skin.joints, &skin.inverse_bind, &mut palette);
            palette
        }
        _ => {
            let joint = model.get(usize::from(mesh.joint)).copied();
            let joint = joint.unwrap_or(Affine3A::IDENTITY);
            return apply(out, |_| joint);
        }
    };
    apply(out, |vertex| {
        let slots = vertex * per_vertex..(vertex + 1) * per_vertex;
        let joints = influences.joints.get(slots.clone()).unwrap_or_default();
        let weights = influences.weights.get(slots).unwrap_or_default();
        let mut sum = Affine3A::ZERO;
        for (&joint, &weight) in joints.iter().zip(weights) {
            let joint = palette
                .get(usize::from(joint))
                .unwrap_or(&Affine3A::IDENTITY);
            sum.matrix3 += joint.matrix3 * weight;
            sum.translation += joint.translation * weight;
        }
        sum
    });
}

fn add_scaled(values: &mut [Vec3], deltas: &[Vec3], weight: f32) {
    for (value, delta) in values.iter_mut().zip(deltas) {
        *value += *delta * weight;
    }
}

fn apply(out: &mut SkinnedVertices, matrix: impl Fn(usize) -> Affine3A) {
    let mut normals = out.normals.iter_mut();
    for (vertex, position) in out.positions.iter_mut().enumerate() {
        let matrix = matrix(vertex);
        *position = matrix.transform_point3(*position);
        if let Some(normal) = normals.next() {
            *normal = turn_normal(&matrix, *normal);
        }
    }
}

/// The normal by the matrix's cofactors: the direction of the inverse transpose, without a division.
fn turn_normal(matrix: &Affine3A, normal: Vec3) -> Vec3 {
    let [x, y, z] = [
        matrix.matrix3.x_axis,
        matrix.matrix3.y_axis,
        matrix.matrix3.z_axis,
    ];
    let mirrored = x.cross(y).dot(z).signum();
    let normal = Vec3A::from(normal);
    let turned = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    Vec3::from(turned * mirrored).normalize_or(Vec3::Y)
}

#[cfg(test)]
mod tests {
    use glam::{Mat3, Quat};

    use super::*;
    use crate::{Influences, MorphTarget};

    fn one_vertex(influences: Influences) -> Primitive {
        Primitive {
            positions: vec![Vec3::X],
            normals: vec![Vec3::new(0.6, 0.8, 0.0)],
            influences,
            ..Primitive::default()
        }
    }

    #[test]
    fn every_influence_pulls_by_its_weight() {
        let joints: Vec<u16> = (0..12).collect();
        let model: Vec<Affine3A> = joints
            .iter()
            .map(|&joint| Affine3A::from_translation(Vec3::Y * f32::from(joint)))
            .collect();
        let primitive = one_vertex(Influences {
            per_vertex: 12,
            joints: joints.clone(),
            weights: vec![1.0 / 12.0; 12],
        });
        let skin = Skin {
            joints,
            inverse_bind: vec![Affine3A::from_translation(Vec3::Z); 12],
        };
        let mut out = SkinnedVertices::default();
        skin_vertices(
            &Mesh::default(),
            &primitive,
            Some(&skin),
            &model,
            &[],
            &mut out,
        );
        assert!(out.positions[0].abs_diff_eq(Vec3::new(1.0, 5.5, 1.0), 1e-5));
    }

    #[test]
    fn targets_move_vertices_before_the_joint_does() {
        let mut primitive = one_vertex(Influences::default());
        primitive.targets = vec![
            MorphTarget::default(),
            MorphTarget {
                positions: vec![Vec3::X],
                normals: Vec::new(),
            },
        ];
        let mesh = Mesh {
            joint: 1,
            morphs: vec![3, 4],
            ..Mesh::default()
        };
        let model = [
            Affine3A::IDENTITY,
            Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2),
        ];
        let mut out = SkinnedVertices::default();
        skin_vertices(
            &mesh,
            &primitive,
            None,
            &model,
            &[9.0, 9.0, 9.0, 9.0, 2.0],
            &mut out,
        );
        assert!(
            out.positions[0].abs_diff_eq(Vec3::Y * 3.0, 1e-6),
            "{}",
            out.positions[0]
        );
    }

    #[test]
    fn normals_stay_upright_on_their_surface() {
        for scale in [
            Vec3::new(1.0, 4.0, 1.0),
            Vec3::new(-1.0, 2.0, 0.5),
            Vec3::ONE,
        ] {
            let matrix = Affine3A::from_scale_rotation_translation(
                scale,
                Quat::from_rotation_y(0.4),
                Vec3::ONE,
            );
            let primitive = one_vertex(Influences::default());
            let mut out = SkinnedVertices::default();
            skin_vertices(&Mesh::default(), &primitive, None, &[matrix], &[], &mut out);
            let expected = Mat3::from(matrix.matrix3).inverse().transpose() * primitive.normals[0];
            assert!(
                out.normals[0].abs_diff_eq(expected.normalize_or_zero(), 1e-5),
                "{scale}"
            );
        }
        assert_eq!(turn_normal(&Affine3A::ZERO, Vec3::X), Vec3::Y);
    }
}
