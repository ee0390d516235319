use std::f32::consts::FRAC_PI_2;

use super::*;
use crate::test_support::{
    Random, arc, assert_close, chain, forward_kinematics, helix, linear, root_clip, walk,
};
use crate::{Interpolation, RootDelta, Track, sample};
use glam::{DMat4, Vec4Swizzles};

mod laws;

/// A root under an armature, joints 0 and 1.
fn skeleton(armature: Transform, root: Transform) -> Skeleton {
    chain(&[armature, root])
}

/// All of a clip.
fn track_of(skeleton: &Skeleton, clip: &Clip, axes: RootAxes) -> RootTrack {
    let duration = f64::from(clip.duration);
    RootTrack::new(skeleton, clip, 1, axes, 0.0, duration)
}

fn plain(clip: &Clip, axes: RootAxes) -> RootTrack {
    let skeleton = skeleton(Transform::IDENTITY, Transform::IDENTITY);
    track_of(&skeleton, clip, axes)
}

/// The usual sets and every mask.
fn all_axes() -> Vec<RootAxes> {
    let masks = (0..16).map(|bits: u32| RootAxes::Mask {
        x: bits & 1 != 0,
        y: bits & 2 != 0,
        z: bits & 4 != 0,
        yaw: bits & 8 != 0,
    });
    [RootAxes::Planar, RootAxes::PlanarY, RootAxes::Full]
        .into_iter()
        .chain(masks)
        .collect()
}

fn axes_with(needed: impl Fn(Taken) -> bool) -> impl Iterator<Item = RootAxes> {
    all_axes()
        .into_iter()
        .filter(move |axes| needed(axes.taken()))
}

/// An upright motion, free where all axes are taken.
fn motion(axes: RootAxes, x: f64, y: f64, z: f64, yaw: f64) -> Travel {
    let upright = Planar { x, y, z, yaw };
    match axes {
        RootAxes::Full => Rigid::from(upright).into(),
        _ => upright.into(),
    }
}

/// The sum over a random partition of `from..to`.
fn travel(track: &RootTrack, mode: LoopMode, from: f64, to: f64, random: &mut Random) -> Travel {
    let mut cuts: Vec<f64> = (0..random.below(600)).map(|_| random.unit()).collect();
    cuts.extend([0.0, 1.0]);
    cuts.sort_by(f64::total_cmp);
    cuts.windows(2)
        .map(|cut| [cut[0], cut[1]].map(|c| from + (to - from) * c))
        .fold(Travel::identity(track.axes), |sum, [a, b]| {
            sum.then(track.delta(mode, a, b))
        })
}

#[test]
fn a_quarter_turn_is_a_quarter_turn_whatever_the_step() {
    let turn = vec![Quat::IDENTITY, Quat::from_rotation_y(FRAC_PI_2)];
    let clip = root_clip(1.0, None, linear(vec![0.0, 1.0], turn));
    for axes in axes_with(|taken| taken.yaw) {
        let track = plain(&clip, axes);
        for dt in [1.0 / 60.0, 0.013, 0.4, 2.0] {
            let steps = (1.5_f64 / dt).ceil() as usize;
            let delta = |i: usize| track.delta(LoopMode::Once, i as f64 * dt, (i + 1) as f64 * dt);
            let yaw = |i| f64::from(RootDelta::from(delta(i)).yaw);
            let sum: f64 = (0..steps).map(yaw).sum();
            let error = (sum - std::f64::consts::FRAC_PI_2).abs();
            assert!(error < 1e-5, "{axes:?} {dt}: {sum}");
        }
    }
}

#[test]
fn ping_pong_comes_back() {
    let mut random = Random::new(61);
    for axes in axes_with(|taken| taken.z) {
        let track = plain(&walk(2.0, 1.0), axes);
        let out = travel(&track, LoopMode::PingPong, 0.0, 1.5, &mut random);
        let back = travel(&track, LoopMode::PingPong, 0.0, 2.0, &mut random);
        assert_close(out, motion(axes, 0.0, 0.0, 1.0, 0.0), 1e-6);
        assert_close(back, Travel::identity(axes), 1e-9);
    }
}

#[test]
fn four_quarter_circles_close() {
    let mut random = Random::new(62);
    for axes in axes_with(|taken| taken.x && taken.z && taken.yaw) {
        let track = plain(&arc(), axes);
        for _ in 0..10 {
            let total = travel(&track, LoopMode::Loop, 0.0, 4.0, &mut random);
            assert_close(total, motion(axes, 0.0, 0.0, 0.0, TAU), 1e-3);
            let part = travel(&track, LoopMode::Loop, 0.3, 4.3, &mut random);
            assert_close(part, motion(axes, 0.0, 0.0, 0.0, TAU), 1e-3);
            let backward = travel(&track, LoopMode::Loop, 0.0, -4.0, &mut random);
            assert_close(backward, motion(axes, 0.0, 0.0, 0.0, -TAU), 1e-3);
        }
    }
}

#[test]
fn an_upright_armature_lying_on_its_back_and_in_centimetres_walks_forward() {
    let armature = Transform {
        rotation: Quat::from_rotation_x(-FRAC_PI_2),
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
    for axes in [RootAxes::Planar, RootAxes::PlanarY, RootAxes::Full] {
        let rise = if axes == RootAxes::Planar { 0.0 } else { 0.05 };
        let track = track_of(&skeleton, &clip, axes);
        assert_close(track.cycle(), motion(axes, 0.0, rise, 1.5, 0.5), 1e-6);
        let mut pose = skeleton.rest.clone();
        sample(&clip, 1.0, &mut pose);
        track.take_out(1.0, &mut pose);
        let place = forward_kinematics(&skeleton, &pose)[1].w_axis.xyz();
        let expected = DVec3::new(0.0, 0.95 - rise, 0.0);
        assert!(place.abs_diff_eq(expected, 1e-6), "{place}");
        assert!(pose.rotation(1).abs_diff_eq(Quat::IDENTITY, 1e-6));
    }
}

#[test]
fn a_root_turned_aside_at_rest_still_walks_where_the_clip_goes() {
    let aside = Transform::from_rotation(Quat::from_rotation_y(1.3));
    for axes in axes_with(|taken| taken.z) {
        let skeleton = skeleton(Transform::IDENTITY, aside);
        let track = track_of(&skeleton, &walk(1.0, 1.0), axes);
        assert_close(track.cycle(), motion(axes, 0.0, 0.0, 1.0, 0.0), 1e-6);
    }
}

#[test]
fn headings_unwrap_over_many_turns() {
    let times: Vec<f32> = (0..=13).map(|i| i as f32 * 0.1).collect();
    let turns = (0..=13).map(|i| Quat::from_rotation_y(FRAC_PI_2 * i as f32));
    let clip = root_clip(1.3, None, linear(times, turns.collect()));
    for axes in axes_with(|taken| taken.yaw) {
        let turned = plain(&clip, axes).cycle();
        let expected = motion(axes, 0.0, 0.0, 0.0, f64::from(FRAC_PI_2) * 13.0);
        assert_close(turned, expected, 1e-5);
    }
}

#[test]
fn a_heading_that_is_lost_upside_down_stays() {
    let facing = Quat::from_rotation_y(0.7);
    let times: Vec<f32> = (0..=13).map(|i| i as f32 * 0.1).collect();
    let roll = |axis: fn(f32) -> Quat| {
        let turns = (0..=13).map(|i| facing * axis(FRAC_PI_2 * i as f32));
        root_clip(1.3, None, linear(times.clone(), turns.collect()))
    };
    for clip in [roll(Quat::from_rotation_x), roll(Quat::from_rotation_z)] {
        let track = plain(&clip, RootAxes::Planar);
        for i in 0..=1300 {
            // Every hundredth is a key, every second of those upside down.
            let yaw = RootDelta::from(track.place_at(f64::from(i) * 0.001)).yaw;
            assert!((yaw - 0.7).abs() < 1e-4, "{i}: {yaw}");
        }
    }
}

#[test]
fn clips_without_length_or_motion_and_clocks_without_end_give_none() {
    for axes in all_axes() {
        let none = Travel::identity(axes);
        let still = plain(&Clip::default(), axes);
        let walking = plain(&walk(1.0, 1.0), axes);
        let skeleton = skeleton(Transform::IDENTITY, Transform::IDENTITY);
        let hostile = RootTrack::new(&skeleton, &arc(), 1, axes, f64::NAN, f64::INFINITY);
        for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong] {
            assert_eq!(still.delta(mode, 0.0, 5.0), none);
            assert_eq!(hostile.delta(mode, 0.0, 5.0), none);
            assert_eq!(walking.delta(mode, f64::NAN, 1.0), none);
            assert_eq!(walking.delta(mode, 0.0, f64::INFINITY), none);
            assert_eq!(walking.delta(mode, 0.4, 0.4), none);
        }
    }
    for axes in axes_with(|taken| taken.z) {
        let walking = plain(&walk(1.0, 1.0), axes);
        let end = walking.delta(LoopMode::Once, 0.9, 1.2);
        assert_close(end, motion(axes, 0.0, 0.0, 0.1, 0.0), 1e-9);
        let back = walking.delta(LoopMode::Once, 1.2, 0.5);
        assert_close(back, motion(axes, 0.0, 0.0, -0.5, 0.0), 1e-9);
    }
}

#[test]
fn a_range_of_a_clip_moves_by_what_lies_in_it() {
    // 1 m in the first second, 3 m and a rise in the second one.
    let keys = [[0.0, 0.0], [0.0, 1.0], [0.5, 4.0]].map(|[y, z]| Vec3::new(0.0, y, z));
    let clip = root_clip(2.0, linear(vec![0.0, 1.0, 2.0], keys.to_vec()), None);
    let skeleton = skeleton(Transform::IDENTITY, Transform::IDENTITY);
    for axes in axes_with(|taken| taken.y && taken.z) {
        let range = |start, duration| RootTrack::new(&skeleton, &clip, 1, axes, start, duration);
        let second = range(1.0, 1.0);
        let laps = second.delta(LoopMode::Loop, 0.5, 3.5);
        assert_close(laps, motion(axes, 0.0, 1.5, 9.0, 0.0), 1e-9);
        let middle = range(0.5, 1.0).delta(LoopMode::Once, -1.0, 2.0);
        assert_close(middle, motion(axes, 0.0, 0.25, 2.0, 0.0), 1e-9);
        let both = range(0.5, 1.0).delta(LoopMode::PingPong, 0.25, 2.0);
        assert_close(both, motion(axes, 0.0, 0.0, -0.25, 0.0), 1e-9);
    }
}

/// A clip that goes along all axes at once, asked for one at a time.
#[test]
fn a_mask_takes_its_axes_and_leaves_the_others() {
    let keys = vec![Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)];
    let turn = vec![Quat::IDENTITY, Quat::from_rotation_y(0.5)];
    let times = vec![0.0, 1.0];
    let clip = root_clip(1.0, linear(times.clone(), keys), linear(times, turn));
    let skeleton = skeleton(Transform::IDENTITY, Transform::IDENTITY);
    for axes in axes_with(|_| true) {
        let Taken { x, y, z, yaw } = axes.taken();
        let track = track_of(&skeleton, &clip, axes);
        let share = |taken: bool, value: f64| if taken { value } else { 0.0 };
        let expected = [share(x, 1.0), share(y, 2.0), share(z, 3.0), share(yaw, 0.5)];
        let [way_x, way_y, way_z, turned] = expected;
        // The first moment stands along the axes of model space.
        let lap = track.delta(LoopMode::Once, 0.0, 1.0);
        assert_close(lap, motion(axes, way_x, way_y, way_z, turned), 1e-6);
        if !yaw {
            // The actor does not turn: every part of the lap goes the same way.
            let half = track.delta(LoopMode::Once, 0.5, 1.0);
            let half_way = motion(axes, way_x * 0.5, way_y * 0.5, way_z * 0.5, 0.0);
            assert_close(half, half_way, 1e-6);
            let mut pose = skeleton.rest.clone();
            sample(&clip, 1.0, &mut pose);
            track.take_out(1.0, &mut pose);
            let left = pose.translation(1).as_dvec3();
            let expected = DVec3::new(1.0 - way_x, 2.0 - way_y, 3.0 - way_z);
            assert!(left.abs_diff_eq(expected, 1e-6), "{axes:?}: {left}");
            assert!(
                pose.rotation(1)
                    .abs_diff_eq(Quat::from_rotation_y(0.5), 1e-6)
            );
        }
    }
}
