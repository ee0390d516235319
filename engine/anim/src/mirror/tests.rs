use glam::{DMat4, DVec3};

use super::*;
use crate::test_support::{
    Random, forward_kinematics, random_clip, random_skeleton, rotation_error,
};
use crate::{Curve, Interpolation, Joint, Marker, Pose, Transform, Window, sample};

const MODES: [Interpolation; 3] = [
    Interpolation::Step,
    Interpolation::Linear,
    Interpolation::Cubic,
];

/// Turns that lead the axes onto each other.
fn cube_turn(random: &mut Random) -> Quat {
    let quarter = |random: &mut Random| random.below(4) as f32 * std::f32::consts::FRAC_PI_2;
    Quat::from_rotation_x(quarter(random))
        * Quat::from_rotation_y(quarter(random))
        * Quat::from_rotation_z(quarter(random))
}

/// A spine of four joints with chains of three on both sides, whose places are reflections of each other and whose
/// axes are not: with `aligned` they are up to order and sign, else they point anywhere.
fn symmetric(random: &mut Random, aligned: bool) -> Skeleton {
    let mut model: Vec<Transform> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |name: String, parent: Option<u16>, place: Vec3, rotation: Quat, scale: f32| {
        let own = Transform {
            translation: place,
            rotation,
            scale: Vec3::splat(scale),
        };
        let above = parent.map_or(Transform::IDENTITY, |parent| model[usize::from(parent)]);
        let back = above.rotation.inverse();
        joints.push(Joint {
            name,
            parent,
            rest: Transform {
                translation: back * (place - above.translation) / above.scale,
                rotation: back * rotation,
                scale: own.scale / above.scale,
            },
            pre: None,
        });
        model.push(own);
        joints.len() as u16 - 1
    };
    let turn = |random: &mut Random| {
        if aligned {
            cube_turn(random)
        } else {
            random.rotation()
        }
    };
    let scale = |random: &mut Random| random.range(0.7, 1.4) as f32;
    let mut spine = None;
    for level in 0..4 {
        let mut place = random.vec3(1.0);
        place.x = 0.0;
        let (rotation, size) = (turn(random), scale(random));
        spine = Some(add(format!("spine_{level}"), spine, place, rotation, size));
        let mut ends = [spine; 2];
        for link in 0..3 {
            let place = random.vec3(1.0);
            let other_place = Vec3::new(-place.x, place.y, place.z);
            let size = scale(random);
            let rotation = random.rotation();
            let other = Quat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w);
            let rotations = [rotation, other * turn(random)];
            for (side, (name, place)) in [("L", place), ("R", other_place)].iter().enumerate() {
                let name = format!("limb_{level}_{link}_{name}");
                ends[side] = Some(add(name, ends[side], *place, rotations[side], size));
            }
        }
    }
    Skeleton::new(&joints, &[]).expect("parents come first")
}

/// A clip whose scales are uniform unless `uneven`.
fn moving(random: &mut Random, skeleton: &Skeleton, case: usize, uneven: bool) -> Clip {
    let mut clip = random_clip(random, skeleton, MODES[case % 3]);
    for tracks in &mut clip.joints {
        let joint = usize::from(tracks.joint);
        for scale in tracks.scale.iter_mut().flat_map(|track| &mut track.values) {
            if !uneven {
                *scale = Vec3::splat(scale.x) * skeleton.rest.scale(joint);
            }
        }
    }
    clip
}

fn pose_at(skeleton: &Skeleton, clip: &Clip, time: f32) -> Pose {
    let mut pose = skeleton.rest.clone();
    sample(clip, time, &mut pose);
    pose
}

#[track_caller]
fn assert_reflected(skeleton: &Skeleton, pose: &Pose, mirrored: &Pose, pairs: &MirrorPairs) {
    let reflect = DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0));
    let [rest, own, other] =
        [&skeleton.rest, pose, mirrored].map(|pose| forward_kinematics(skeleton, pose));
    for (joint, &pair) in pairs.joints.iter().enumerate() {
        let pair = usize::from(pair);
        let expected = reflect * (own[joint] * rest[joint].inverse()) * reflect;
        let got = other[pair] * rest[pair].inverse();
        let size = 1.0
            + expected
                .to_cols_array()
                .iter()
                .fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(
            got.abs_diff_eq(expected, 2e-5 * size),
            "{}: {got} is not {expected}",
            skeleton.names[joint]
        );
        let place = reflect.transform_point3(own[joint].w_axis.truncate());
        let off = other[pair].w_axis.truncate().distance(place);
        assert!(off < 2e-5 * (1.0 + place.length()), "{off}");
    }
}

#[test]
fn every_joint_of_a_mirrored_pose_is_the_reflection_of_its_counterpart() {
    let mut random = Random::new(101);
    for case in 0..60 {
        let aligned = case % 2 == 0;
        let skeleton = symmetric(&mut random, aligned);
        let pairs = MirrorPairs::by_name(&skeleton);
        let clip = moving(&mut random, &skeleton, case, aligned);
        let mirrored = mirror_clip(&skeleton, &clip, &pairs);
        for _ in 0..5 {
            let time = random.range(0.0, 1.0) as f32;
            let own = pose_at(&skeleton, &clip, time);
            let other = pose_at(&skeleton, &mirrored, time);
            assert_reflected(&skeleton, &own, &other, &pairs);
        }
    }
}

#[test]
fn mirroring_twice_gives_the_clip_back() {
    let mut random = Random::new(102);
    for case in 0..30 {
        let skeleton = symmetric(&mut random, case % 2 == 0);
        let pairs = MirrorPairs::by_name(&skeleton);
        let clip = moving(&mut random, &skeleton, case, case % 2 == 0);
        let twice = mirror_clip(&skeleton, &mirror_clip(&skeleton, &clip, &pairs), &pairs);
        assert_eq!(twice.joints.len(), clip.joints.len());
        for time in [0.0, 0.2, 0.55, 0.9] {
            let [a, b] = [&clip, &twice].map(|clip| pose_at(&skeleton, clip, time));
            for joint in 0..skeleton.len() {
                let error = rotation_error(b.rotation(joint), a.rotation(joint).as_dquat());
                assert!(error < 1e-5, "{error}");
                assert!(a.translation(joint).distance(b.translation(joint)) < 2e-5);
                assert!(a.scale(joint).distance(b.scale(joint)) < 1e-5);
            }
        }
    }
}

#[test]
fn a_side_that_is_made_by_a_mirrored_scale_is_reflected_too() {
    let mut random = Random::new(103);
    let joint = |name: &str, parent: Option<u16>, x: f32, scale: f32| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform {
            translation: Vec3::new(x, 0.3, 0.1),
            rotation: Quat::IDENTITY,
            scale: Vec3::new(scale, 1.0, 1.0),
        },
        pre: None,
    };
    let joints = [
        joint("root", None, 0.0, 1.0),
        joint("arm_L", Some(0), 0.5, 1.0),
        joint("arm_R", Some(0), -0.5, -1.0),
        joint("hand_L", Some(1), 0.4, 1.0),
        joint("hand_R", Some(2), 0.4, 1.0),
    ];
    let skeleton = Skeleton::new(&joints, &[]).expect("parents come first");
    let pairs = MirrorPairs::by_name(&skeleton);
    for case in 0..20 {
        let clip = moving(&mut random, &skeleton, case, false);
        let mirrored = mirror_clip(&skeleton, &clip, &pairs);
        let [own, other] = [&clip, &mirrored].map(|clip| pose_at(&skeleton, clip, 0.4));
        assert_reflected(&skeleton, &own, &other, &pairs);
    }
}

#[test]
fn pairs_come_from_names_and_given_ones_go_first() {
    let joint = |name: &str| Joint {
        name: name.to_owned(),
        parent: None,
        rest: Transform::IDENTITY,
        pre: None,
    };
    let joints = [
        "hips", "leg_L", "leg_R", "LeftArm", "RightArm", "horn_L", "wing",
    ]
    .map(joint);
    let skeleton = Skeleton::new(&joints, &[]).expect("valid");
    assert_eq!(
        MirrorPairs::by_name(&skeleton).joints,
        [0, 2, 1, 4, 3, 5, 6]
    );
    let given = MirrorPairs::new(&skeleton, &[(5, 6), (1, 1), (900, 0)]);
    assert_eq!(given.joints, [0, 1, 2, 4, 3, 6, 5]);
    let later = MirrorPairs::new(&skeleton, &[(1, 3), (1, 4)]);
    assert_eq!(later.joints, [0, 4, 2, 3, 1, 5, 6]);
}

#[test]
fn names_and_morph_channels_change_sides() {
    let channels = [
        "f/blink_L",
        "f/blink_R",
        "f/jaw",
        "f/puff_L",
        "f/frown",
        "f/puff_R",
    ];
    let channels = channels.map(|name| (name.to_owned(), 0.0));
    let joints = ["root", "toe_L", "toe_R"].map(|name| Joint {
        name: name.to_owned(),
        parent: None,
        rest: Transform::IDENTITY,
        pre: None,
    });
    let skeleton = Skeleton::new(&joints, &channels).expect("valid");
    let long = format!("left_{}", "x".repeat(59));
    let track = |first: u16, values: &[f32]| MorphTrack {
        first,
        count: values.len() as u16,
        track: Track {
            interpolation: Interpolation::Linear,
            times: vec![0.0],
            values: values.to_vec(),
        },
    };
    let marker = |name: &str| Marker {
        name: name.to_owned(),
        time: 0.0,
        value: 2.0,
    };
    let clip = Clip {
        morphs: vec![track(0, &[0.1, 0.2, 0.3]), track(3, &[0.4, 0.5])],
        markers: vec![marker("foot_L"), marker("clap"), marker(&long)],
        windows: vec![Window {
            name: "hit_R".to_owned(),
            begin: 0.0,
            end: 1.0,
        }],
        curves: vec![Curve {
            name: "lock_left".to_owned(),
            keys: vec![[0.0, 1.0]],
        }],
        root_joint: Some("toe_L".to_owned()),
        ..Clip::default()
    };
    let pairs = MirrorPairs::by_name(&skeleton);
    let mirrored = mirror_clip(&skeleton, &clip, &pairs);
    let pose = pose_at(&skeleton, &mirrored, 0.0);
    assert_eq!(pose.morphs, [0.2, 0.1, 0.3, 0.0, 0.5, 0.4]);
    let firsts: Vec<u16> = mirrored.morphs.iter().map(|track| track.first).collect();
    assert_eq!(firsts, [0, 4, 5]);
    let names: Vec<&str> = mirrored
        .markers
        .iter()
        .map(|marker| marker.name.as_str())
        .collect();
    assert_eq!(names, ["foot_R", "clap", long.as_str()]);
    assert_eq!(mirrored.windows[0].name, "hit_L");
    assert_eq!(mirrored.curves[0].name, "lock_right");
    assert_eq!(mirrored.root_joint.as_deref(), Some("toe_R"));
    let twice = mirror_clip(&skeleton, &mirrored, &pairs);
    assert_eq!(
        pose_at(&skeleton, &twice, 0.0),
        pose_at(&skeleton, &clip, 0.0)
    );
}

#[test]
fn a_clip_of_another_skeleton_or_with_broken_tracks_does_not_panic() {
    let mut random = Random::new(104);
    let big = random_skeleton(&mut random, 9, 5);
    let small = random_skeleton(&mut random, 3, 2);
    let mut clip = random_clip(&mut random, &big, Interpolation::Cubic);
    clip.morphs[0].track.values.truncate(7);
    let pairs = MirrorPairs::by_name(&big);
    let mirrored = mirror_clip(&small, &clip, &pairs);
    assert!(mirrored.joints.iter().all(|tracks| tracks.joint < 3));
    assert!(
        mirror_clip(&small, &clip, &MirrorPairs::default())
            .joints
            .is_empty()
    );
    clip.morphs[0].count = u16::MAX;
    clip.morphs[0].first = u16::MAX - 1;
    mirror_clip(&small, &clip, &pairs);
}
