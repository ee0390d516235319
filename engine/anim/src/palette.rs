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
