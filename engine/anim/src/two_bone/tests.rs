use glam::DMat4;

use super::*;
use crate::test_support::{Random, chain, forward_kinematics, place_of};
use crate::{Transform, local_to_model};

/// Root (index 0, carries `armature`), hip 1, knee 2, foot 3; bones along -Y, the knee bent a little
/// forward at rest.
fn leg(armature: Transform, upper: f32, lower: f32, rest_bend: f32) -> Skeleton {
    let down = |length: f32| Vec3::NEG_Y * length;
    chain(&[
        armature,
        Transform {
            translation: Vec3::new(0.1, 1.0, 0.0),
            rotation: Quat::from_rotation_x(-rest_bend * 0.5),
            ..Transform::IDENTITY
        },
        Transform {
            translation: down(upper),
            rotation: Quat::from_rotation_x(rest_bend),
            ..Transform::IDENTITY
        },
        Transform::from_translation(down(lower)),
    ])
}

fn input(target_model: Vec3, pole: Pole) -> TwoBoneInput {
    TwoBoneInput {
        joints: [1, 2, 3],
        target_model,
        pole,
        weight: 1.0,
        soft: 1.0,
    }
}

fn solve_pose(skeleton: &Skeleton, pose: &mut Pose, input: &TwoBoneInput) -> IkReport {
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, pose, &mut model);
    two_bone(skeleton, &model, input, pose)
}

fn lengths(model: &[DMat4]) -> [f64; 2] {
    let [hip, knee, foot] = [1, 2, 3].map(|joint| place_of(model, joint));
    [hip.distance(knee), knee.distance(foot)]
}

fn random_pole(random: &mut Random) -> Pole {
    match random.below(3) {
        0 => Pole::Rest,
        1 => Pole::Direction(random.direction()),
        _ => Pole::Point(random.vec3(3.0)),
    }
}

#[test]
fn random_reachable_targets_are_met_with_bones_of_one_length() {
    let mut random = Random::new(71);
    for _ in 0..300 {
        let (upper, lower) = (random.range(0.2, 0.6) as f32, random.range(0.2, 0.6) as f32);
        let skeleton = leg(
            Transform::IDENTITY,
            upper,
            lower,
            random.range(-0.5, 0.5) as f32,
        );
        let mut pose = skeleton.rest.clone();
        for joint in 1..3 {
            pose.set_rotation(joint, random.rotation());
        }
        let reach = random.range(
            f64::from((upper - lower).abs()) * 1.001 + 1e-3,
            f64::from(upper + lower) * 0.999,
        );
        let target = Vec3::new(0.1, 1.0, 0.0) + random.direction() * reach as f32;
        let before = lengths(&forward_kinematics(&skeleton, &pose));
        let report = solve_pose(
            &skeleton,
            &mut pose,
            &input(target, random_pole(&mut random)),
        );
        let model = forward_kinematics(&skeleton, &pose);
        let error = place_of(&model, 3).distance(target.as_dvec3());
        assert!(error < 1e-5, "{error}");
        assert!(report.reached && report.error < 1e-5 && !report.limit_hit);
        let after = lengths(&model);
        assert!((0..2).all(|bone| (after[bone] - before[bone]).abs() < 1e-5));
    }
}

#[test]
fn rotated_scaled_and_mirrored_armatures_change_nothing() {
    let mut random = Random::new(72);
    for case in 0..200 {
        let scale = random.range(0.01, 2.0) as f32;
        let mirror = if case % 2 == 0 { 1.0 } else { -1.0 };
        let armature = Transform {
            translation: random.vec3(2.0),
            rotation: random.rotation(),
            scale: Vec3::new(scale * mirror, scale, scale),
        };
        let skeleton = leg(armature, 0.45, 0.4, 0.1);
        let mut pose = skeleton.rest.clone();
        pose.set_rotation(1, random.rotation());
        let hip = place_of(&forward_kinematics(&skeleton, &pose), 1).as_vec3();
        let pole = random.direction();
        let distance = random.range(0.1, 0.84) as f32 * scale;
        let target = hip + random.direction() * distance;
        solve_pose(&skeleton, &mut pose, &input(target, Pole::Direction(pole)));
        let model = forward_kinematics(&skeleton, &pose);
        let error = place_of(&model, 3).distance(target.as_dvec3());
        assert!(
            error < 1e-5 * f64::from(scale.max(1.0)),
            "{error} at scale {scale}"
        );
        // The knee stands in the half-plane of the pole.
        let axis = (target - hip).normalize_or_zero().as_dvec3();
        let knee = (place_of(&model, 2) - hip.as_dvec3()).reject_from_normalized(axis);
        let bend = pole.as_dvec3().reject_from_normalized(axis);
        assert!(knee.normalize().dot(bend.normalize()) > 0.999);
    }
}

#[test]
fn ancestors_scaled_unevenly_and_joints_between_the_bones_change_nothing() {
    let mut random = Random::new(74);
    for _ in 0..200 {
        let uneven = Transform {
            scale: Vec3::ONE + random.vec3(0.5),
            rotation: random.rotation(),
            translation: random.vec3(1.0),
        };
        let bone = |random: &mut Random| Transform {
            translation: random.direction() * 0.25,
            rotation: random.rotation(),
            scale: Vec3::splat(random.range(0.8, 1.2) as f32),
        };
        let mut locals = vec![uneven];
        locals.extend((0..5).map(|_| bone(&mut random)));
        let mut skeleton = chain(&locals);
        let mut shear = Affine3A::from_rotation_y(0.4);
        shear.matrix3.y_axis.x = 0.3;
        skeleton.pre = vec![(1, shear), (3, Affine3A::from_rotation_x(1.0))];
        // Where a random bend of the same chain puts its end, the chain can reach.
        let mut bent = skeleton.rest.clone();
        bent.set_rotation(1, random.rotation());
        bent.set_rotation(3, random.rotation());
        let target = place_of(&forward_kinematics(&skeleton, &bent), 5).as_vec3();
        let asked = TwoBoneInput {
            joints: [1, 3, 5],
            ..input(target, random_pole(&mut random))
        };
        let mut pose = skeleton.rest.clone();
        let report = solve_pose(&skeleton, &mut pose, &asked);
        let end = place_of(&forward_kinematics(&skeleton, &pose), 5);
        assert!(end.distance(target.as_dvec3()) < 1e-5, "{end} {target}");
        assert!(report.reached);
    }
}

#[test]
fn a_target_out_of_reach_gives_a_straight_leg_towards_it() {
    let skeleton = leg(Transform::IDENTITY, 0.5, 0.5, 0.2);
    let hip = Vec3::new(0.1, 1.0, 0.0);
    let direction = Vec3::new(0.3, -0.8, 0.4).normalize_or_zero();
    let mut pose = skeleton.rest.clone();
    let report = solve_pose(
        &skeleton,
        &mut pose,
        &input(hip + direction * 2.0, Pole::Rest),
    );
    let model = forward_kinematics(&skeleton, &pose);
    assert!(place_of(&model, 3).distance((hip + direction).as_dvec3()) < 1e-5);
    assert!(
        lengths(&model)
            .iter()
            .all(|length| (length - 0.5).abs() < 1e-5)
    );
    assert!(!report.reached);
    assert!((report.error - 1.0).abs() < 1e-5);

    // Softened it stops short of that, on the same line and with the same bones.
    for soft in [0.8_f32, 0.9, 0.97] {
        let mut pose = skeleton.rest.clone();
        let softened = TwoBoneInput {
            soft,
            ..input(hip + direction * 2.0, Pole::Rest)
        };
        solve_pose(&skeleton, &mut pose, &softened);
        let model = forward_kinematics(&skeleton, &pose);
        let reach = place_of(&model, 3) - hip.as_dvec3();
        assert!(reach.reject_from(direction.as_dvec3()).length() < 1e-5);
        let expected = soft_reach(2.0, 1.0, f64::from(soft));
        assert!((reach.length() - expected).abs() < 1e-5, "{soft}: {reach}");
        let bones = lengths(&model);
        assert!(bones.iter().all(|bone| (bone - 0.5).abs() < 1e-5));
    }
}

#[test]
fn soft_reach_slows_before_full_extension() {
    let cases = [
        (0.5, 0.5),
        (0.9, 0.9),
        (0.95, 0.93757),
        (1.0, 0.95904),
        (1.1, 0.98025),
    ];
    for (distance, expected) in cases {
        let reach = soft_reach(distance, 1.0, 0.9);
        assert!((reach - expected).abs() < 5e-6, "{distance}: {reach}");
    }
    let slope = (soft_reach(0.9 + 1e-6, 1.0, 0.9) - 0.9) / 1e-6;
    assert!((slope - 1.0).abs() < 1e-4);
    for off in [1.0, 0.0, -1.0, 2.0, f64::NAN] {
        assert_eq!([0.95, 1.2].map(|d| soft_reach(d, 1.0, off)), [0.95, 1.0]);
    }
    assert!(soft_reach(1e30, 1.0, 0.9) <= 1.0);

    let skeleton = leg(Transform::IDENTITY, 0.5, 0.5, 0.2);
    let hip = Vec3::new(0.1, 1.0, 0.0);
    let mut pose = skeleton.rest.clone();
    let softened = TwoBoneInput {
        soft: 0.9,
        ..input(hip + Vec3::NEG_Y, Pole::Rest)
    };
    let report = solve_pose(&skeleton, &mut pose, &softened);
    let model = forward_kinematics(&skeleton, &pose);
    assert!((place_of(&model, 1).distance(place_of(&model, 3)) - 0.95904).abs() < 1e-5);
    assert!(
        !report.reached,
        "the report compares with the target that was asked for"
    );
}

#[test]
fn the_knee_follows_a_moving_target_without_a_flip() {
    let mut random = Random::new(73);
    for case in 0..40 {
        // Straight at rest in half the cases; poles of every kind.
        let skeleton = leg(
            Transform::IDENTITY,
            0.5,
            0.5,
            if case % 2 == 0 { 0.0 } else { 0.2 },
        );
        let hip = Vec3::new(0.1, 1.0, 0.0);
        let pole = [
            Pole::Rest,
            Pole::Direction(Vec3::Z),
            Pole::Point(hip + Vec3::Z * 2.0),
        ][case % 3];
        let (from, to) = (random.vec3(0.3), random.vec3(0.3));
        let mut before: Option<DVec3> = None;
        for step in 0..=200 {
            let way = from.lerp(to, step as f32 / 200.0);
            let target = hip + Vec3::new(way.x, -0.7 + way.y, way.z);
            let mut pose = skeleton.rest.clone();
            solve_pose(&skeleton, &mut pose, &input(target, pole));
            let knee = place_of(&forward_kinematics(&skeleton, &pose), 2);
            let forward = knee.z - (f64::from(hip.z) + f64::from(target.z)) * 0.5;
            assert!(
                forward > -1e-6,
                "the knee of {case} points backward at {step}"
            );
            if let Some(before) = before {
                assert!(knee.distance(before) < 0.05, "{case}: a jump at {step}");
            }
            before = Some(knee);
        }
    }
}

#[test]
fn half_a_weight_turns_the_joints_half_way_and_none_changes_no_bits() {
    let skeleton = leg(Transform::IDENTITY, 0.5, 0.4, 0.3);
    let target = Vec3::new(0.3, 0.5, 0.4);
    let mut full = skeleton.rest.clone();
    solve_pose(&skeleton, &mut full, &input(target, Pole::Rest));
    for weight in [0.0, 0.5, -1.0, f32::NAN] {
        let mut pose = skeleton.rest.clone();
        let weighted = TwoBoneInput {
            weight,
            ..input(target, Pole::Rest)
        };
        let report = solve_pose(&skeleton, &mut pose, &weighted);
        assert!(report.reached, "the report is that of the full solution");
        let mut expected = Pose::default();
        crate::blend_two(
            &skeleton.rest,
            &full,
            weight,
            &mut expected,
            crate::Rotations::Slerp,
        );
        for joint in 0..4 {
            let (got, wanted) = (pose.rotation(joint), expected.rotation(joint));
            assert!(got.abs_diff_eq(wanted, 1e-6), "{weight} {joint}");
        }
        if weight != 0.5 {
            assert_eq!(pose, skeleton.rest);
        }
    }
}

#[test]
fn a_solved_pose_is_left_as_it_is() {
    let skeleton = leg(Transform::IDENTITY, 0.5, 0.4, 0.3);
    let foot = place_of(&forward_kinematics(&skeleton, &skeleton.rest), 3).as_vec3();
    let mut pose = skeleton.rest.clone();
    solve_pose(&skeleton, &mut pose, &input(foot, Pole::Rest));
    for joint in 0..4 {
        assert!(
            pose.rotation(joint)
                .abs_diff_eq(skeleton.rest.rotation(joint), 1e-4)
        );
    }
}

#[test]
fn hostile_input_keeps_every_bone_and_never_makes_nan() {
    let hip = Vec3::new(0.1, 1.0, 0.0);
    let targets = [
        hip,
        hip + Vec3::splat(1e-9),
        hip + Vec3::NEG_Y * 0.001,
        hip + Vec3::Y * 1e30,
        Vec3::splat(f32::MAX),
        Vec3::NAN,
        Vec3::INFINITY,
    ];
    let poles = [
        Pole::Rest,
        Pole::Point(hip),
        Pole::Point(hip + Vec3::Y),
        Pole::Direction(Vec3::Y),
        Pole::Direction(Vec3::ZERO),
        Pole::Direction(Vec3::NAN),
        Pole::Point(Vec3::splat(f32::MAX)),
    ];
    for (upper, lower) in [(0.5, 0.5), (0.6, 0.2), (0.0, 0.5), (0.5, 0.0), (0.0, 0.0)] {
        for target in targets {
            for pole in poles {
                let skeleton = leg(Transform::IDENTITY, upper, lower, 0.0);
                let mut pose = skeleton.rest.clone();
                let report = solve_pose(&skeleton, &mut pose, &input(target, pole));
                let model = forward_kinematics(&skeleton, &pose);
                let after = lengths(&model);
                let same = [upper, lower]
                    .iter()
                    .zip(after)
                    .all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5);
                assert!(same, "{upper} {lower} {target} {pole:?}: {after:?}");
                assert!(!report.error.is_nan());
            }
        }
    }
}
