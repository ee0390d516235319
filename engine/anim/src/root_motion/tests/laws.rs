//! What holds for any clip, armature and set of axes.

use super::*;

fn random_clip(random: &mut Random) -> Clip {
    let keys = 2 + random.below(6) as usize;
    let mode = [
        Interpolation::Step,
        Interpolation::Linear,
        Interpolation::Cubic,
    ];
    let mode = mode[random.below(3) as usize];
    let times: Vec<f32> = (0..keys).map(|i| 0.1 + 0.4 * i as f32).collect();
    let values = keys * mode.values_per_key();
    let mut heading = 0.0;
    let mut turn = |random: &mut Random| {
        heading += random.range(-1.2, 1.2) as f32;
        let tilt = Quat::from_scaled_axis(random.vec3(0.3));
        Quat::from_rotation_y(heading) * tilt
    };
    let translation = Track {
        interpolation: mode,
        times: times.clone(),
        values: (0..values).map(|_| random.vec3(1.0)).collect(),
    };
    let rotation = Track {
        interpolation: mode,
        times: times.clone(),
        values: (0..values).map(|_| turn(random)).collect(),
    };
    root_clip(0.1 + times[keys - 1], Some(translation), Some(rotation))
}

/// Turned anyhow or lying on its back, in metres, centimetres or more, mirrored or not.
fn random_space(random: &mut Random, case: usize) -> Transform {
    let mirrored = case.is_multiple_of(2);
    let scale = match case % 3 {
        0 => 0.01,
        1 => 100.0,
        _ => random.range(0.5, 2.0) as f32,
    };
    let rotation = match case % 5 {
        0 => Quat::from_rotation_x(-FRAC_PI_2),
        _ => random.rotation(),
    };
    Transform {
        translation: random.vec3(1.0),
        rotation,
        scale: Vec3::new(if mirrored { -scale } else { scale }, scale, scale),
    }
}

/// The clip in the space of an armature, so that it goes as far in the world.
fn scaled(mut clip: Clip, armature: &Transform) -> Clip {
    let tracks = clip.joints.iter_mut();
    for track in tracks.filter_map(|tracks| tracks.translation.as_mut()) {
        for value in &mut track.values {
            *value /= armature.scale.y;
        }
    }
    clip
}

fn matrix(motion: Travel) -> DMat4 {
    let motion = Rigid::from(motion);
    DMat4::from_rotation_translation(motion.rotation, motion.translation)
}

#[test]
fn any_partition_of_a_hundred_laps_gives_the_same_total() {
    let mut random = Random::new(63);
    for axes in all_axes() {
        for case in 0..12 {
            let mode = [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong][case % 3];
            let armature = random_space(&mut random, case);
            let clip = scaled(random_clip(&mut random), &armature);
            let skeleton = skeleton(armature, Transform::from_rotation(random.rotation()));
            let track = track_of(&skeleton, &clip, axes);
            let (from, to) = (random.range(-3.0, 3.0), random.range(-100.0, 100.0));
            let whole = track.delta(mode, from, to);
            let parts = travel(&track, mode, from, to, &mut random);
            assert_close(parts, whole, 1e-4);
        }
    }
}

#[test]
fn a_hundred_splits_of_a_turning_clip_agree() {
    let mut random = Random::new(67);
    for clip in [arc(), helix()] {
        for axes in [RootAxes::Planar, RootAxes::PlanarY, RootAxes::Full] {
            let track = plain(&clip, axes);
            for speed in [1.0, -1.0, 0.37, -5.0] {
                let whole = track.delta(LoopMode::Loop, 0.3, 0.3 + 20.0 * speed);
                for _ in 0..25 {
                    let to = 0.3 + 20.0 * speed;
                    let parts = travel(&track, LoopMode::Loop, 0.3, to, &mut random);
                    assert_close(parts, whole, 1e-4);
                }
            }
        }
    }
}

#[test]
fn ten_thousand_small_steps_are_the_closed_form() {
    let mut random = Random::new(68);
    for axes in all_axes() {
        for (clip, laps) in [
            (helix(), 100.0),
            (arc(), -100.0),
            (random_clip(&mut random), 30.0),
        ] {
            let track = plain(&clip, axes);
            let at = |step: i32| 0.4 + laps * f64::from(step) / 10_000.0;
            let small = (0..10_000).fold(Travel::identity(axes), |sum, step| {
                sum.then(track.delta(LoopMode::Loop, at(step), at(step + 1)))
            });
            let closed = track.delta(LoopMode::Loop, at(0), at(10_000));
            assert_close(small, closed, 1e-4);
        }
    }
}

#[test]
fn a_lap_repeats_itself() {
    let mut random = Random::new(64);
    for axes in all_axes() {
        for _ in 0..10 {
            let track = plain(&random_clip(&mut random), axes);
            let lap = track.cycle();
            let laps = track.delta(LoopMode::Loop, 0.0, 7.0);
            let walked = (0..7).fold(Travel::identity(axes), |sum, _| sum.then(lap));
            assert_close(laps, walked, 1e-9);
            let back = track.delta(LoopMode::Loop, 7.0, 0.0);
            assert_close(back, walked.inverse(), 1e-9);
        }
    }
}

/// Round a slanting axis that stands still, and along it.
#[test]
fn a_helix_is_a_screw_over_a_hundred_laps() {
    let track = plain(&helix(), RootAxes::Full);
    let (axis, centre) = (DVec3::new(0.48, 0.6, 0.64), DVec3::new(0.4, 0.1, -0.3));
    for laps in [1.0, 3.0, -1.0, 100.0, -100.0] {
        // The first moment stands at the origin as it is at rest, so the motion is that of the axis itself.
        let rotation = DQuat::from_axis_angle(axis, 1.8 * laps);
        let screw = Rigid {
            translation: centre - rotation * centre + axis * 1.4 * laps,
            rotation,
        };
        assert_close(track.delta(LoopMode::Loop, 0.0, laps), screw, 1e-4);
    }
}

/// What is taken from the pose is what the actor gets: actor and pose together stand where the
/// clip alone would.
#[test]
fn actor_and_pose_together_are_the_clip() {
    let mut random = Random::new(65);
    for axes in all_axes() {
        for case in 0..30 {
            let armature = random_space(&mut random, case);
            let root = Transform {
                translation: random.vec3(0.5) / armature.scale.y,
                rotation: random.rotation(),
                ..Transform::IDENTITY
            };
            let skeleton = skeleton(armature, root);
            let clip = scaled(random_clip(&mut random), &armature);
            check_together(&skeleton, &clip, axes, &mut random);
        }
    }
}

fn check_together(skeleton: &Skeleton, clip: &Clip, axes: RootAxes, random: &mut Random) {
    let track = track_of(skeleton, clip, axes);
    let duration = f64::from(clip.duration);
    let at_rest = forward_kinematics(skeleton, &skeleton.rest)[1];
    let start = track.place_at(0.0);
    // The clip samples in f32, the motion in f64; matrices carry the scale of the armature.
    let scale = at_rest.y_axis.length();
    let (near, near_turned) = (2e-5, 2e-5 * scale.max(1.0));
    let mut pose = skeleton.rest.clone();
    for _ in 0..8 {
        let f = random.unit();
        let seconds = f * duration;
        pose.copy_from(&skeleton.rest);
        sample(clip, seconds as f32, &mut pose);
        let whole = forward_kinematics(skeleton, &pose)[1];
        track.take_out(seconds, &mut pose);
        let left = forward_kinematics(skeleton, &pose)[1];
        let actor = matrix(start.then(track.delta(LoopMode::Once, 0.0, f)));
        let together = actor * left;
        assert!(together.w_axis.abs_diff_eq(whole.w_axis, near), "{axes:?}");
        assert!(together.abs_diff_eq(whole, near_turned), "{axes:?}");
        check_left(axes, &left, &whole, &at_rest, near);
        if axes == RootAxes::Full {
            assert_eq!(pose.joint(1), skeleton.rest.joint(1));
        }
    }
}

/// What is left in the pose stands as at rest on the axes that are taken, and as the clip does on the others.
fn check_left(axes: RootAxes, left: &DMat4, whole: &DMat4, rest: &DMat4, near: f64) {
    let Taken { x, y, z, yaw } = axes.taken();
    let expected = |taken: bool| if taken { rest.w_axis } else { whole.w_axis };
    assert!((left.w_axis.y - expected(y).y).abs() < near, "{axes:?}");
    if !yaw {
        assert!((left.w_axis.x - expected(x).x).abs() < near, "{axes:?}");
        assert!((left.w_axis.z - expected(z).z).abs() < near, "{axes:?}");
    } else if x && z {
        let off = left.w_axis.xz() - rest.w_axis.xz();
        assert!(off.length() < near, "{axes:?}: {off}");
    }
}

/// Laps of matrices of forward kinematics.
#[test]
fn a_free_root_goes_as_its_model_matrices_say() {
    let mut random = Random::new(69);
    for case in 0..30 {
        let armature = random_space(&mut random, case);
        let skeleton = skeleton(armature, Transform::from_rotation(random.rotation()));
        let clip = scaled(random_clip(&mut random), &armature);
        let track = track_of(&skeleton, &clip, RootAxes::Full);
        let rest = forward_kinematics(&skeleton, &skeleton.rest)[1].inverse();
        let place = |f: f64| {
            let mut pose = skeleton.rest.clone();
            sample(&clip, (f * f64::from(clip.duration)) as f32, &mut pose);
            forward_kinematics(&skeleton, &pose)[1] * rest
        };
        let lap = place(0.0).inverse() * place(1.0);
        for (k0, f0, k1, f1) in [(0, 0.2, 3, 0.7), (1, 0.5, -2, 0.1), (0, 0.3, 0, 0.9)] {
            let laps = (0..i32::abs(k1 - k0)).fold(DMat4::IDENTITY, |power, _| power * lap);
            let laps = if k1 < k0 { laps.inverse() } else { laps };
            let from = place(0.0).inverse() * place(f0);
            let to = place(0.0).inverse() * place(f1);
            let expected = from.inverse() * laps * to;
            let [from, to] = [f64::from(k0) + f0, f64::from(k1) + f1];
            let moved = matrix(track.delta(LoopMode::Loop, from, to));
            assert!(moved.abs_diff_eq(expected, 1e-4), "{moved} {expected}");
        }
    }
}
