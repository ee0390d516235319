//! Skinning matrices.

use glam::Affine3A;

/// `out[i] = model[joints[i]] * inverse_bind[i]`: the matrices that take a skin's vertices from mesh
/// space to model space, in the order of the skin's joints. As many are written as the shortest of
/// `joints`, `inverse_bind` and `out` has; a joint that `model` lacks gives the identity.
pub fn palette(
    model: &[Affine3A],
    joints: &[u16],
    inverse_bind: &[Affine3A],
    out: &mut [Affine3A],
) {
    for ((out, &joint), inverse_bind) in out.iter_mut().zip(joints).zip(inverse_bind) {
        *out = model
            .get(usize::from(joint))
            .map_or(Affine3A::IDENTITY, |joint| *joint * *inverse_bind);
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;

    #[test]
    fn a_vertex_bound_to_a_joint_moves_with_it() {
        let bind = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.7), Vec3::Y);
        let now = Affine3A::from_rotation_translation(Quat::from_rotation_z(1.1), Vec3::X * 3.0);
        let vertex = Vec3::new(0.2, 1.4, -0.1);
        let mut out = [Affine3A::ZERO; 3];
        palette(
            &[Affine3A::IDENTITY, now],
            &[1, 0, 9],
            &[bind.inverse(); 3],
            &mut out,
        );
        let seen_from_joint = bind.inverse().transform_point3(vertex);
        let expected = now.transform_point3(seen_from_joint);
        assert!(out[0].transform_point3(vertex).distance(expected) < 1e-6);
        assert_eq!(out[1], bind.inverse());
        assert_eq!(out[2], Affine3A::IDENTITY, "a joint that does not exist");
    }
}
