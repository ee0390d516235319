//! From local transforms to model space.

use glam::Affine3A;

use crate::{NO_PARENT, Pose, Skeleton};

/// Writes the model matrix of every joint, `parent * pre * local`, into `model` (at least one entry a
/// joint; what does not fit is left out). Joints stand parents first, so one pass does.
pub fn local_to_model(skeleton: &Skeleton, pose: &Pose, model: &mut [Affine3A]) {
    let mut pre = skeleton.pre.iter().peekable();
    let joints = skeleton.parents.len().min(pose.joints).min(model.len());
    for (joint, &parent) in skeleton.parents[..joints].iter().enumerate() {
        let mut local = pose.joint(joint).to_affine();
        if let Some((_, pre)) = pre.next_if(|(at, _)| usize::from(*at) == joint) {
            local = *pre * local;
        }
        model[joint] = if parent == NO_PARENT {
            local
        } else {
            model[usize::from(parent)] * local
        };
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::test_support::{Random, forward_kinematics};
    use crate::{Joint, Transform};

    #[test]
    fn model_matrices_are_products_down_the_tree_with_constant_maps_in_front() {
        let mut random = Random::new(41);
        for _ in 0..30 {
            let count = 1 + random.below(40) as u16;
            let joints: Vec<Joint> = (0..count)
                .map(|index| Joint {
                    name: format!("joint_{index}"),
                    parent: (index > 0 && random.below(5) > 0)
                        .then(|| random.below(u32::from(index)) as u16),
                    rest: Transform::IDENTITY,
                    pre: (random.below(4) == 0).then(|| {
                        let mut shear = Affine3A::from_translation(random.vec3(1.0));
                        shear.matrix3.y_axis.x = 0.5;
                        shear
                    }),
                })
                .collect();
            let skeleton = Skeleton::new(&joints, &[]).expect("valid");
            let mut pose = random.pose(joints.len(), 0);
            pose.set_scale(0, Vec3::new(-1.0, 1.0, 1.0));
            let mut model = vec![Affine3A::IDENTITY; joints.len()];
            local_to_model(&skeleton, &pose, &mut model);
            for (matrix, expected) in model.iter().zip(forward_kinematics(&skeleton, &pose)) {
                let size = expected
                    .to_cols_array()
                    .iter()
                    .fold(1.0, |a: f64, v| a.max(v.abs()));
                let tolerance = (1e-5 * size) as f32;
                assert!(Mat4::from(*matrix).abs_diff_eq(expected.as_mat4(), tolerance));
            }
        }
    }

    #[test]
    fn a_short_output_takes_what_fits() {
        let skeleton = crate::test_support::chain(&[Transform::from_translation(Vec3::X); 3]);
        let mut model = [Affine3A::ZERO; 2];
        local_to_model(&skeleton, &skeleton.rest, &mut model);
        assert_eq!(model[1].translation, glam::Vec3A::X * 2.0);
    }
}
