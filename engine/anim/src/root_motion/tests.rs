use super::*;
use crate::test_support::{
    Random, arc, assert_close, chain, forward_kinematics, linear, root_clip, walk,
};
use crate::{Interpolation, Track, Transform, sample};
use glam::{DMat4, Vec4Swizzles};

/// A root under an armature, joints 0 and 1.
fn skeleton(armature: Transform, root: Transform) -> Skeleton {
    chain(&[armature, root])
}

fn plain(clip: &Clip) -> RootTrack {
    let skeleton = skeleton(Transform::IDENTITY, Transform::IDENTITY);
    RootTrack::new(&skeleton, clip, 1, RootAxes::Planar)
}

/// The sum over a random partition of `from..to`, in place and heading.
fn travel(track: &RootTrack, mode: LoopMode, from: f64, to: f64, random: &mut Random) -> Planar {
    let mut cuts: Vec<f64> = (0..random.below(600)).map(|_| random.unit()).collect();
    cuts.extend([0.0, 1.0]);
    cuts.sort_by(f64::total_cmp);
    cuts.windows(2)
        .map(|cut| [cut[0], cut[1]].map(|c| from + (to - from) * c))
        .fold(Planar::IDENTITY, |sum, [a, b]| {
            sum.then(track.delta(mode, a, b))
        })
}

fn planar(x: f64, z: f64, yaw: f64) -> Planar {
    Planar { x, z, yaw }
}

#[test]
fn a_quarter_turn_is_a_quarter_turn_whatever_the_step() {
    let turn = vec![
        Quat::IDENTITY,
        Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
    ];
    let track = plain(&root_clip(1.0, None, linear(vec![0.0, 1.0], turn)));
    for dt in [1.0 / 60.0, 0.013, 0.4, 2.0] {
        let steps = (1.5_f64 / dt).ceil() as usize;
        let sum: f64 = (0..steps)
            .map(|i| {
                track
                    .delta(LoopMode::Once, i as f64 * dt, (i + 1) as f64 * dt)
                    .yaw
            })
            .sum();
        assert!(
            (sum - std::f64::consts::FRAC_PI_2).abs() < 1e-5,
            "{dt}: {sum}"
        );
    }
}

#[test]
fn ping_pong_comes_back() {
    let track = plain(&walk(2.0, 1.0));
    let mut random = Random::new(61);
    let out = travel(&track, LoopMode::PingPong, 0.0, 1.5, &mut random);
    let back = travel(&track, LoopMode::PingPong, 0.0, 2.0, &mut random);
    assert_close(out, planar(0.0, 1.0, 0.0), 1e-6);
    assert_close(back, Planar::IDENTITY, 1e-9);
}

#[test]
fn four_quarter_circles_close() {
    let track = plain(&arc());
    let mut random = Random::new(62);
    for _ in 0..10 {
        let total = travel(&track, LoopMode::Loop, 0.0, 4.0, &mut random);
        assert_close(total, planar(0.0, 0.0, TAU), 1e-3);
        let part = travel(&track, LoopMode::Loop, 0.3, 4.3, &mut random);
        assert_close(part, planar(0.0, 0.0, TAU), 1e-3);
        let backward = travel(&track, LoopMode::Loop, 0.0, -4.0, &mut random);
        assert_close(backward, planar(0.0, 0.0, -TAU), 1e-3);
    }
}

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

fn random_space(random: &mut Random, mirrored: bool) -> Transform {
    let scale = random.range(0.01, 2.0) as f32;
    Transform {
        translation: random.vec3(1.0),
        rotation: random.rotation(),
        scale: Vec3::new(if mirrored { -scale } else { scale }, scale, scale),
    }
}

#[test]
fn any_partition_of_a_hundred_laps_gives_the_same_total() {
    let mut random = Random::new(63);
    for case in 0..60 {
        let mode = [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong][case % 3];
        let armature = random_space(&mut random, case % 2 == 0);
        let skeleton = skeleton(armature, Transform::from_rotation(random.rotation()));
        let track = RootTrack::new(&skeleton, &random_clip(&mut random), 1, RootAxes::Planar);
        let (from, to) = (random.range(-3.0, 3.0), random.range(-100.0, 100.0));
        let whole = track.delta(mode, from, to);
        let parts = travel(&track, mode, from, to, &mut random);
        assert_close(parts, whole, 1e-4);
    }
}

#[test]
fn a_lap_repeats_itself() {
    let mut random = Random::new(64);
    for _ in 0..30 {
        let track = plain(&random_clip(&mut random));
        let lap = track.cycle();
        let laps = track.delta(LoopMode::Loop, 0.0, 7.0);
        let walked = (0..7).fold(Planar::IDENTITY, |sum, _| sum.then(lap));
        assert_close(laps, walked, 1e-9);
        assert_close(
            track.delta(LoopMode::Loop, 7.0, 0.0),
            walked.inverse(),
            1e-9,
        );
    }
}

/// What is taken from the pose is what the actor gets: actor and pose together stand where the
/// clip alone would.
#[test]
fn actor_and_pose_together_are_the_clip() {
    let mut random = Random::new(65);
    for case in 0..120 {
        let armature = random_space(&mut random, case % 2 == 0);
        let root = Transform {
            translation: random.vec3(0.5),
            rotation: random.rotation(),
            ..Transform::IDENTITY
        };
        let skeleton = skeleton(armature, root);
        let clip = random_clip(&mut random);
        let track = RootTrack::new(&skeleton, &clip, 1, RootAxes::Planar);
        let duration = f64::from(clip.duration);
        let mut pose = skeleton.rest.clone();
        for _ in 0..10 {
            let f = random.unit();
            let seconds = f * duration;
            pose.copy_from(&skeleton.rest);
            sample(&clip, seconds as f32, &mut pose);
            let whole = forward_kinematics(&skeleton, &pose)[1];
            track.take_out(seconds, &mut pose);
            let rest = forward_kinematics(&skeleton, &pose)[1];
            let start = track.place_at(0.0);
            let actor = matrix(start.then(track.delta(LoopMode::Once, 0.0, f)));
            let difference = (actor * rest - whole).to_cols_array();
            let worst = difference.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
            // The clip samples in f32, the motion in f64.
            assert!(worst < 2e-5, "{case}: {worst}");
            let place = rest.w_axis;
            let at_rest = forward_kinematics(&skeleton, &skeleton.rest)[1].w_axis;
            assert!((place.xz() - at_rest.xz()).length() < 2e-5);
        }
    }
}

fn matrix(motion: Planar) -> DMat4 {
    DMat4::from_rotation_translation(
        DQuat::from_rotation_y(motion.yaw),
        DVec3::new(motion.x, 0.0, motion.z),
    )
}

#[test]
fn an_upright_armature_lying_on_its_back_and_in_centimetres_walks_forward() {
    let armature = Transform {
        rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(0.01),
        ..Transform::IDENTITY
    };
    let root = Transform::from_translation(Vec3::Z * 90.0);
    let skeleton = skeleton(armature, root);
    // In the armature's own space up is +Z and forward is -Y.
    let keys = vec![Vec3::Z * 90.0, Vec3::new(0.0, -150.0, 95.0)];
    let turn = vec![Quat::IDENTITY, Quat::from_rotation_z(0.5)];
    let clip = root_clip(
        1.0,
        linear(vec![0.0, 1.0], keys),
        linear(vec![0.0, 1.0], turn),
    );
    let track = RootTrack::new(&skeleton, &clip, 1, RootAxes::Planar);
    assert_close(track.cycle(), planar(0.0, 1.5, 0.5), 1e-6);
    let mut pose = skeleton.rest.clone();
    sample(&clip, 1.0, &mut pose);
    track.take_out(1.0, &mut pose);
    let place = forward_kinematics(&skeleton, &pose)[1].w_axis;
    assert!(
        place.xyz().abs_diff_eq(DVec3::new(0.0, 0.95, 0.0), 1e-6),
        "{place}"
    );
    assert!(pose.rotation(1).abs_diff_eq(Quat::IDENTITY, 1e-6));
}

#[test]
fn a_root_turned_aside_at_rest_still_walks_where_the_clip_goes() {
    let aside = Transform::from_rotation(Quat::from_rotation_y(1.3));
    let track = RootTrack::new(
        &skeleton(Transform::IDENTITY, aside),
        &walk(1.0, 1.0),
        1,
        RootAxes::Planar,
    );
    assert_close(track.cycle(), planar(0.0, 1.0, 0.0), 1e-6);
}

#[test]
fn headings_unwrap_over_many_turns_and_through_somersaults() {
    let quarter = std::f32::consts::FRAC_PI_2;
    let times: Vec<f32> = (0..=13).map(|i| i as f32 * 0.1).collect();
    let spin = |axis: fn(f32) -> Quat| -> Vec<Quat> {
        (0..=13).map(|i| axis(quarter * i as f32)).collect()
    };
    let turning = plain(&root_clip(
        1.3,
        None,
        linear(times.clone(), spin(Quat::from_rotation_y)),
    ));
    assert!((turning.cycle().yaw - f64::from(quarter) * 13.0).abs() < 1e-5);
    // A heading is lost upside down and is kept from before; none of it may become a NaN.
    let rolling = plain(&root_clip(
        1.3,
        None,
        linear(times, spin(Quat::from_rotation_x)),
    ));
    for i in 0..200 {
        let at = rolling.place_at(f64::from(i) * 0.0065);
        assert!(at.yaw.is_finite() && at.yaw.abs() < 7.0);
    }
}

#[test]
fn clips_without_length_or_motion_and_clocks_without_end_give_none() {
    let still = plain(&Clip::default());
    let walking = plain(&walk(1.0, 1.0));
    for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong] {
        assert_eq!(still.delta(mode, 0.0, 5.0), Planar::IDENTITY);
        assert_eq!(walking.delta(mode, f64::NAN, 1.0), Planar::IDENTITY);
        assert_eq!(walking.delta(mode, 0.0, f64::INFINITY), Planar::IDENTITY);
        assert_eq!(walking.delta(mode, 0.4, 0.4), Planar::IDENTITY);
    }
    let once = walking.delta(LoopMode::Once, 0.9, 1.2);
    assert_close(once, planar(0.0, 0.1, 0.0), 1e-9);
    assert_close(
        walking.delta(LoopMode::Once, 1.2, 0.5),
        planar(0.0, -0.5, 0.0),
        1e-9,
    );
}
