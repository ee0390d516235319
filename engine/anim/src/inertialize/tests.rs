use glam::{DQuat, DVec3, Quat, Vec3};

use super::*;
use crate::test_support::{Random, rotation_error};

/// The quintic by its published coefficients, for a magnitude of zero or more.
fn quintic(x0: f64, v0: f64, seconds: f64, t: f64) -> f64 {
    let v0 = v0.min(0.0);
    let t1 = if v0 < 0.0 {
        seconds.min(-5.0 * x0 / v0)
    } else {
        seconds
    };
    if t >= t1 {
        return 0.0;
    }
    let a0 = ((-8.0 * v0 * t1 - 20.0 * x0) / t1.powi(2)).max(0.0);
    let a = -(a0 * t1.powi(2) + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t1.powi(5));
    let b = (3.0 * a0 * t1.powi(2) + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t1.powi(4));
    let c = -(3.0 * a0 * t1.powi(2) + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t1.powi(3));
    a * t.powi(5) + b * t.powi(4) + c * t.powi(3) + a0 * t * t / 2.0 + v0 * t + x0
}

fn scalar(x0: f64, v0: f64, seconds: f64, t: f64) -> f64 {
    let mut inertia = InertiaScalar::default();
    inertia.begin(x0, v0, seconds);
    inertia.step(t);
    inertia.value()
}

fn shown(inertia: &Inertia, target: &Pose) -> Pose {
    let mut pose = target.clone();
    inertia.apply(&mut pose);
    pose
}

#[track_caller]
fn assert_near(a: &Pose, b: &Pose, tolerance: f64) {
    for joint in 0..a.joints {
        let error = rotation_error(a.rotation(joint), b.rotation(joint).as_dquat());
        assert!(error < tolerance, "joint {joint}: {error}");
        for of in [Pose::translation, Pose::scale] {
            let error = f64::from(of(a, joint).distance(of(b, joint)));
            assert!(error < tolerance, "joint {joint}: {error}");
        }
    }
    for (a, b) in a.morphs.iter().zip(&b.morphs) {
        assert!(f64::from((a - b).abs()) < tolerance, "{a} {b}");
    }
}

#[test]
fn an_offset_at_rest_has_the_published_values() {
    for (t, expected) in [(0.0, 1.0), (0.05, 0.9645), (0.1, 0.7901), (0.15, 0.5)] {
        for sign in [1.0, -1.0] {
            let value = scalar(sign, 0.0, 0.3, t) * sign;
            assert!((value - expected).abs() < 5e-5, "{t}: {value}");
        }
        let mut source = Pose::identity(1, 1);
        source.set_translation(0, Vec3::Y);
        source.morphs[0] = -1.0;
        let target = Pose::identity(1, 1);
        let mut inertia = Inertia::default();
        inertia.begin(&source, None, &target, 0.3, None);
        inertia.step(t as f32);
        let pose = shown(&inertia, &target);
        assert!((f64::from(pose.translation(0).y) - expected).abs() < 5e-5);
        assert!((f64::from(-pose.morphs[0]) - expected).abs() < 5e-5);
    }
}

#[test]
fn the_curve_is_the_published_quintic_never_overshoots_and_only_falls() {
    let mut random = Random::new(61);
    for _ in 0..500 {
        let (x0, v0) = (random.range(0.001, 5.0), random.range(-60.0, 5.0));
        let seconds = random.range(0.05, 1.0);
        let mut before = x0;
        for step in 0..=50 {
            let t = seconds * f64::from(step) / 50.0;
            let value = scalar(x0, v0, seconds, t);
            assert!((value - quintic(x0, v0, seconds, t)).abs() < 1e-9 * x0.max(1.0));
            let slack = 1e-12;
            assert!(value >= -slack && value <= before + slack, "{x0} {v0} {t}");
            before = value;
        }
        assert_eq!(scalar(x0, v0, seconds, seconds), 0.0);
    }
}

/// A pose and the one that was shown before it, each joint having moved a little.
fn moved(random: &mut Random, pose: &Pose, reach: f64) -> Pose {
    let mut out = pose.clone();
    for joint in 0..pose.joints {
        out.set_translation(joint, pose.translation(joint) + random.vec3(reach));
        let turn = Quat::from_scaled_axis(random.vec3(reach));
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        out.set_rotation(joint, turn * pose.rotation(joint) * sign);
        out.set_scale(joint, pose.scale(joint) + random.vec3(reach));
    }
    for weight in &mut out.morphs {
        *weight += random.range(-reach, reach) as f32;
    }
    out
}

/// The offset of a vector in f64 after `t` seconds.
fn vector_twin(now: DVec3, before: DVec3, goal: DVec3, dt: f64, seconds: f64, t: f64) -> DVec3 {
    let axis = (now - goal).normalize();
    let (x0, x1) = ((now - goal).length(), (before - goal).dot(axis));
    axis * quintic(x0, (x0 - x1) / dt, seconds, t)
}

/// The rotation shown in f64 after `t` seconds, through logarithms.
fn rotation_twin(now: DQuat, before: DQuat, goal: DQuat, dt: f64, seconds: f64, t: f64) -> DQuat {
    let offset = now * goal.inverse();
    let offset = if offset.w < 0.0 { -offset } else { offset };
    let (axis, angle) = offset.to_axis_angle();
    // How far the shown rotation turned about the axis, from its own earlier place.
    let earlier = before * goal.inverse();
    let earlier = if earlier.dot(offset) < 0.0 {
        -earlier
    } else {
        earlier
    };
    let earlier = 2.0 * earlier.xyz().dot(axis).atan2(earlier.w);
    let left = quintic(angle, (angle - earlier) / dt, seconds, t);
    DQuat::from_axis_angle(axis, left) * goal
}

#[test]
fn random_poses_decay_as_their_f64_twins() {
    let mut random = Random::new(62);
    for _ in 0..40 {
        let (source, target) = (random.pose(11, 9), random.pose(11, 9));
        let before = moved(&mut random, &source, 0.05);
        let (dt, seconds) = (random.range(0.004, 0.05), random.range(0.1, 0.6));
        let mut inertia = Inertia::default();
        inertia.begin(
            &source,
            Some((&before, dt as f32)),
            &target,
            seconds as f32,
            None,
        );
        for _ in 0..10 {
            let t = random.range(0.0, 0.7);
            let mut at = inertia.clone();
            at.step(t as f32);
            let pose = shown(&at, &target);
            for joint in 0..11 {
                for of in [Pose::translation, Pose::scale] {
                    let of = |pose: &Pose| of(pose, joint).as_dvec3();
                    let left = vector_twin(of(&source), of(&before), of(&target), dt, seconds, t);
                    assert!(of(&pose).distance(of(&target) + left) < 1e-5);
                }
                let of = |pose: &Pose| pose.rotation(joint).as_dquat();
                let twin = rotation_twin(of(&source), of(&before), of(&target), dt, seconds, t);
                let error = rotation_error(pose.rotation(joint), twin);
                assert!(error < 1e-5, "{error}");
            }
            for channel in 0..9 {
                let of = |pose: &Pose| DVec3::X * f64::from(pose.morphs[channel]);
                let left = vector_twin(of(&source), of(&before), of(&target), dt, seconds, t);
                assert!(of(&pose).distance(of(&target) + left) < 1e-5);
            }
        }
    }
}

#[test]
fn the_first_pose_shown_is_the_source_and_the_last_is_the_target_to_the_bit() {
    let mut random = Random::new(63);
    for case in 0..60 {
        let source = random.pose(13, 3);
        let mut target = random.pose(13, 3);
        if case % 3 == 0 {
            // Half a turn apart, the far end of what an angle can be.
            let half = Quat::from_axis_angle(random.direction(), std::f32::consts::PI);
            target.set_rotation(4, half * source.rotation(4));
            target.set_rotation(5, -source.rotation(5));
        }
        let before = moved(&mut random, &source, 0.1);
        let mut inertia = Inertia::with_room(13, 3);
        inertia.begin(&source, Some((&before, 0.01)), &target, 0.4, None);
        assert_near(&shown(&inertia, &target), &source, 1e-5);
        assert!(!inertia.is_over());
        inertia.step(0.4);
        assert!(inertia.is_over());
        assert_eq!(shown(&inertia, &target), target);
    }
}

#[test]
fn speed_towards_the_target_goes_on_without_a_kink() {
    let mut random = Random::new(64);
    let (dt, h) = (1e-3_f32, 1e-3_f32);
    for _ in 0..100 {
        let target = random.pose(1, 1);
        let (axis, angle) = (random.direction(), random.range(0.2, 3.1) as f32);
        let speed = random.range(0.1, 1.0) as f32;
        // On its way to the target along one axis, `left` of the way from it.
        let at = |left: f32| {
            let mut pose = target.clone();
            pose.set_translation(0, target.translation(0) + axis * left);
            let turn = Quat::from_axis_angle(axis, left);
            pose.set_rotation(0, turn * target.rotation(0));
            pose.morphs[0] = target.morphs[0] - left;
            pose
        };
        // The quaternion's sign means nothing.
        let mut before = at(angle + speed * dt);
        before.set_rotation(0, -before.rotation(0));
        let mut inertia = Inertia::default();
        inertia.begin(&at(angle), Some((&before, dt)), &target, 0.5, None);
        inertia.step(h);
        // Half a second and such speeds leave a curvature below 10 x0 / t1^2.
        let tolerance = f64::from(40.0 * angle * h * h) + 2e-6;
        let pose = shown(&inertia, &target);
        let expected = at(angle - speed * h);
        assert_near(
            &pose,
            &Pose {
                blocks: vec![expected.blocks[0]],
                ..expected
            },
            tolerance,
        );
    }
}

#[test]
fn speed_past_half_a_turn_is_taken_the_shorter_way() {
    let target = Pose::identity(1, 0);
    let at = |angle: f32| {
        let mut pose = target.clone();
        pose.set_rotation(0, Quat::from_rotation_z(angle));
        pose
    };
    // From 183 to 177 degrees: towards the target, not 354 degrees away from it.
    let (before, now) = (at(183_f32.to_radians()), at(177_f32.to_radians()));
    let mut inertia = Inertia::default();
    inertia.begin(&now, Some((&before, 0.1)), &target, 5.0, None);
    inertia.step(0.1);
    let z_angle = |q: Quat| 2.0 * f64::from(q.z).atan2(f64::from(q.w)).to_degrees();
    let angle = z_angle(shown(&inertia, &target).rotation(0));
    assert!((angle - 171.0).abs() < 0.5, "{angle}");
}

#[test]
fn a_change_during_a_decay_goes_on_from_what_is_shown() {
    let mut random = Random::new(65);
    for _ in 0..30 {
        let [a, b, c] = [(); 3].map(|()| random.pose(9, 2));
        let mut inertia = Inertia::default();
        inertia.begin(&a, None, &b, 0.4, None);
        inertia.step(0.1);
        let before = shown(&inertia, &b);
        inertia.step(0.01);
        let now = shown(&inertia, &b);
        inertia.begin(&now, Some((&before, 0.01)), &c, 0.4, None);
        assert_near(&shown(&inertia, &c), &now, 1e-5);
        inertia.step(0.5);
        assert_eq!(shown(&inertia, &c), c);
    }
}

#[test]
fn a_profile_shortens_the_decay_of_its_joints_but_not_of_morphs() {
    let mut random = Random::new(66);
    let (source, target) = (random.pose(10, 1), random.pose(10, 1));
    let profile = [0.5, 0.0, 1.0, f32::NAN, 7.0];
    let mut inertia = Inertia::default();
    inertia.begin(&source, None, &target, 0.4, Some(&profile));
    let (mut plain, mut half) = (Inertia::default(), Inertia::default());
    plain.begin(&source, None, &target, 0.4, None);
    half.begin(&source, None, &target, 0.2, None);
    for step in 0..12 {
        let [pose, plain_pose, half_pose] =
            [&inertia, &plain, &half].map(|inertia| shown(inertia, &target));
        assert_eq!(pose.joint(0), half_pose.joint(0), "{step}");
        assert_eq!(pose.joint(1), target.joint(1));
        assert_eq!(pose.joint(3), target.joint(3));
        for joint in [2, 4, 9] {
            assert_eq!(pose.joint(joint), plain_pose.joint(joint));
        }
        assert_eq!(pose.morphs, plain_pose.morphs);
        for inertia in [&mut inertia, &mut plain, &mut half] {
            inertia.step(0.04);
        }
    }
    assert!(inertia.is_over() && plain.is_over() && half.is_over());
}

#[test]
fn any_steps_lead_to_the_same_pose() {
    let mut random = Random::new(67);
    let (source, target) = (random.pose(3, 1), random.pose(3, 1));
    let mut whole = Inertia::default();
    whole.begin(&source, None, &target, 0.9, None);
    let mut parts = whole.clone();
    whole.step(0.5);
    for _ in 0..500 {
        parts.step(0.001);
    }
    assert_near(&shown(&whole, &target), &shown(&parts, &target), 1e-6);
}

#[test]
fn nothing_to_do_and_hostile_input_leave_the_target() {
    let mut random = Random::new(68);
    let (source, target) = (random.pose(9, 2), random.pose(9, 2));
    let mut inertia = Inertia::default();
    for seconds in [0.0, -1.0, 1e-9, f32::NAN, f32::INFINITY] {
        inertia.begin(&source, None, &target, seconds, None);
        assert!(inertia.is_over(), "{seconds}");
        assert_eq!(shown(&inertia, &target), target);
    }
    inertia.begin(&target, None, &target, 0.3, None);
    assert!(inertia.is_over());
    inertia.begin(&source, None, &target, 0.3, None);
    let fresh = inertia.clone();
    for dt in [0.0, -1.0, f32::NAN] {
        inertia.step(dt);
        assert_eq!(inertia, fresh);
    }
    inertia.step(f32::INFINITY);
    assert_eq!(inertia, Inertia::default());
    for dt in [0.0, -0.1, f32::NAN] {
        inertia.begin(&source, Some((&target, dt)), &target, 0.3, None);
        assert_eq!(inertia, fresh, "no speed from a time of {dt}");
    }

    let mut broken = source.clone();
    broken.set_translation(1, Vec3::NAN);
    broken.set_rotation(2, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0));
    broken.set_scale(3, Vec3::INFINITY);
    broken.set_rotation(4, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    broken.morphs[1] = f32::NAN;
    inertia.begin(&broken, Some((&broken, 0.01)), &target, 0.3, None);
    let pose = shown(&inertia, &target);
    assert_eq!(pose.translation(1), target.translation(1));
    assert_eq!(pose.rotation(2), target.rotation(2));
    assert_eq!(pose.scale(3), target.scale(3));
    assert_eq!(pose.rotation(4), target.rotation(4));
    assert_eq!(pose.morphs[1], target.morphs[1]);
    inertia.begin(&source, Some((&broken, 0.01)), &target, 0.3, None);
    assert_near(&shown(&inertia, &target), &source, 1e-5);

    let small = random.pose(2, 0);
    inertia.begin(&small, Some((&source, 0.01)), &target, 0.3, None);
    assert_near(&shown(&inertia, &small), &small, 10.0);
    assert_eq!(shown(&inertia, &target).joint(5), target.joint(5));
    for (x0, v0, seconds) in [
        (f64::NAN, 0.0, 1.0),
        (f64::INFINITY, 0.0, 1.0),
        (1.0, 0.0, f64::NAN),
        (1e-9, -1.0, 1.0),
        (1.0, -1e30, 1.0),
    ] {
        assert_eq!(scalar(x0, v0, seconds, 0.01), 0.0);
    }
    assert_eq!(scalar(1.0, f64::NAN, 0.3, 0.0), 1.0);
}
