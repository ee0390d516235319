use glam::{DQuat, DVec3, Quat, Vec3};

use super::*;
use crate::test_support::{Random, random_skeleton, rotation_error, slerp_f64};

fn turned(rotation: Quat) -> Pose {
    let mut pose = Pose::identity(1, 0);
    pose.set_rotation(0, rotation);
    pose
}

fn single() -> Skeleton {
    crate::test_support::chain(&[crate::Transform::IDENTITY])
}

#[test]
fn a_local_difference_turns_before_the_base_and_one_in_mesh_space_after_it() {
    let quarter = std::f32::consts::FRAC_PI_2;
    let base = turned(Quat::from_rotation_x(quarter));
    let add = turned(Quat::from_rotation_y(quarter));
    let mut local = base.clone();
    additive_layer(&mut local, &add, &Pose::identity(1, 0), 1.0, None);
    let expected = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    assert!(rotation_error(local.rotation(0), expected) < 1e-6);
    let mut mesh = base;
    let mut scratch = MeshScratch::default();
    additive_layer_mesh(&single(), &mut mesh, &add, 1.0, None, &mut scratch);
    let expected = DQuat::from_xyzw(0.5, 0.5, -0.5, 0.5);
    assert!(rotation_error(mesh.rotation(0), expected) < 1e-6);
}

/// What the formulas say of vectors, in f64.
fn assert_vectors(out: &Pose, base: &Pose, add: &Pose, rest: &Pose, joint: usize, weight: f64) {
    let of = |pose: &Pose| pose.translation(joint).as_dvec3();
    let moved = of(base) + (of(add) - of(rest)) * weight;
    assert!(of(out).distance(moved) < 2e-6);
    let of = |pose: &Pose| pose.scale(joint).as_dvec3();
    let scaled = of(base) * DVec3::ONE.lerp(of(add) / of(rest), weight);
    assert!(of(out).distance(scaled) < 1e-5);
}

#[test]
fn local_differences_are_those_of_the_formula() {
    let mut random = Random::new(81);
    for _ in 0..40 {
        let [base, add, rest] = [(); 3].map(|()| random.pose(13, 3));
        let mask: Vec<f32> = (0..16).map(|_| random.unit() as f32).collect();
        let weight = random.unit() as f32;
        for mask in [None, Some(mask.as_slice())] {
            let share =
                |index: usize| f64::from(weight) * mask.map_or(1.0, |mask| f64::from(mask[index]));
            let mut out = base.clone();
            additive_layer(&mut out, &add, &rest, weight, mask);
            for joint in 0..13 {
                let of = |pose: &Pose| pose.rotation(joint).as_dquat();
                let delta = of(&rest).inverse() * of(&add);
                let expected = of(&base) * slerp_f64(DQuat::IDENTITY, delta, share(joint));
                let error = rotation_error(out.rotation(joint), expected);
                assert!(error < 2e-6, "{error}");
                assert_vectors(&out, &base, &add, &rest, joint, share(joint));
            }
            for channel in 0..3 {
                let of = |pose: &Pose| f64::from(pose.morphs[channel]);
                let expected = of(&base) + (of(&add) - of(&rest)) * share(13 + channel);
                assert!((of(&out) - expected).abs() < 1e-6);
            }
        }
    }
}

/// Rotations in model space, in f64.
fn model_rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut out: Vec<DQuat> = Vec::new();
    for joint in 0..skeleton.len() {
        let parent = skeleton.parent(joint as u16);
        let above = parent.map_or(DQuat::IDENTITY, |parent| out[usize::from(parent)]);
        let pre = skeleton
            .pre
            .iter()
            .find(|(at, _)| usize::from(*at) == joint);
        let pre = pre.map_or(DQuat::IDENTITY, |(_, pre)| {
            let (_, rotation, _) = pre.to_scale_rotation_translation();
            rotation.as_dquat()
        });
        out.push(above * pre * pose.rotation(joint).as_dquat());
    }
    out
}

#[test]
fn differences_in_mesh_space_turn_every_joint_about_the_axes_of_the_model() {
    let mut random = Random::new(82);
    let mut scratch = MeshScratch::default();
    for _ in 0..40 {
        let joints = 1 + random.below(30) as u16;
        let skeleton = random_skeleton(&mut random, joints, 2);
        let [base, add] = [(); 2].map(|()| random.pose(usize::from(joints), 2));
        let mask: Vec<f32> = (0..joints + 2)
            .map(|_| (random.range(-0.3, 1.3) as f32).clamp(0.0, 1.0))
            .collect();
        let weight = random.unit() as f32;
        for mask in [None, Some(mask.as_slice())] {
            let mut out = base.clone();
            additive_layer_mesh(&skeleton, &mut out, &add, weight, mask, &mut scratch);
            let [got, base_model, add_model, rest_model] =
                [&out, &base, &add, &skeleton.rest].map(|pose| model_rotations(&skeleton, pose));
            for joint in 0..usize::from(joints) {
                let share = f64::from(weight) * mask.map_or(1.0, |mask| f64::from(mask[joint]));
                let delta = add_model[joint] * rest_model[joint].inverse();
                let expected = slerp_f64(DQuat::IDENTITY, delta, share) * base_model[joint];
                let error = rotation_error(got[joint].as_quat(), expected);
                assert!(error < 1e-5, "{error}");
                assert_vectors(&out, &base, &add, &skeleton.rest, joint, share);
            }
        }
    }
}

#[test]
fn a_pose_added_to_its_own_reference_is_that_pose() {
    let mut random = Random::new(83);
    let mut scratch = MeshScratch::default();
    for _ in 0..20 {
        let skeleton = random_skeleton(&mut random, 12, 1);
        let add = random.pose(12, 1);
        let mut local = skeleton.rest.clone();
        additive_layer(&mut local, &add, &skeleton.rest, 1.0, None);
        let mut mesh = skeleton.rest.clone();
        additive_layer_mesh(&skeleton, &mut mesh, &add, 1.0, None, &mut scratch);
        for joint in 0..12 {
            for (out, tolerance) in [(&local, 1e-6), (&mesh, 1e-6)] {
                let error = rotation_error(out.rotation(joint), add.rotation(joint).as_dquat());
                assert!(error < tolerance, "{error}");
                assert!(out.translation(joint).distance(add.translation(joint)) < 1e-6);
                assert!(out.scale(joint).distance(add.scale(joint)) < 1e-6);
            }
        }
        assert!((local.morphs[0] - add.morphs[0]).abs() < 1e-6);
    }
}

#[test]
fn without_weight_the_base_keeps_its_bits_even_beside_broken_joints() {
    let mut random = Random::new(84);
    let mut scratch = MeshScratch::default();
    let skeleton = random_skeleton(&mut random, 9, 2);
    let base = random.pose(9, 2);
    let mut add = random.pose(9, 2);
    add.set_translation(3, Vec3::NAN);
    add.set_rotation(3, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0));
    add.set_scale(3, Vec3::INFINITY);
    add.morphs[0] = f32::NAN;
    let mut out = base.clone();
    for weight in [0.0, -1.0, f32::NAN] {
        additive_layer(&mut out, &add, &skeleton.rest, weight, None);
        additive_layer_mesh(&skeleton, &mut out, &add, weight, None, &mut scratch);
        assert_eq!(out, base);
    }
    let mut mask = [1.0; 9];
    mask[3] = 0.0;
    additive_layer(&mut out, &add, &skeleton.rest, 1.0, Some(&mask));
    assert_eq!(out.joint(3), base.joint(3));
    assert_eq!(out.morphs, base.morphs);
    assert_ne!(out.joint(4), base.joint(4));
    let mut out = base.clone();
    additive_layer_mesh(
        &skeleton,
        &mut out,
        &add,
        1.0,
        Some(&[0.0; 11]),
        &mut scratch,
    );
    assert_eq!(out, base);
}

#[test]
fn weights_above_one_count_as_one_and_a_rest_scale_of_nothing_as_unchanged() {
    let mut random = Random::new(85);
    let [base, add] = [(); 2].map(|()| random.pose(4, 1));
    let mut rest = random.pose(4, 1);
    rest.set_scale(2, Vec3::new(0.0, 1.0, -1e-9));
    let (mut one, mut more) = (base.clone(), base.clone());
    additive_layer(&mut one, &add, &rest, 1.0, None);
    additive_layer(&mut more, &add, &rest, 3.0, None);
    assert_eq!(one, more);
    assert_eq!(one.scale(2).x, base.scale(2).x);
    assert_eq!(one.scale(2).z, base.scale(2).z);
    assert!((one.scale(2).y - base.scale(2).y * add.scale(2).y).abs() < 1e-6);
}
