//! Every fault of a clip made by hand, and that a sound one survives being written down.

use super::*;
use crate::{Joint, Transform};

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform::IDENTITY,
        pre: None,
    };
    let morphs = ["face/smile", "face/blink"].map(|name| (name.to_owned(), 0.0));
    Skeleton::new(&[joint("hips", None), joint("head", Some(0))], &morphs).expect("sound")
}

fn track<T>(times: &[f32], values: Vec<T>) -> Option<Track<T>> {
    Some(Track {
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values,
    })
}

/// A second of everything.
fn clip() -> Clip {
    Clip {
        name: "nod".to_owned(),
        duration: 1.0,
        joints: vec![
            JointTracks {
                joint: 0,
                translation: track(&[0.0, 1.0], vec![Vec3::ZERO, Vec3::X]),
                ..JointTracks::default()
            },
            JointTracks {
                joint: 1,
                rotation: Some(Track {
                    interpolation: Interpolation::Cubic,
                    times: vec![0.5],
                    values: vec![
                        Quat::from_xyzw(0.0, 9.0, 0.0, 0.0),
                        Quat::from_rotation_x(0.3),
                        Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
                    ],
                }),
                ..JointTracks::default()
            },
        ],
        morphs: vec![MorphTrack {
            first: 0,
            count: 2,
            track: Track {
                interpolation: Interpolation::Step,
                times: vec![0.0, 0.25],
                values: vec![0.0, 1.0, 0.5, -1.5],
            },
        }],
        markers: vec![Marker {
            name: "down".to_owned(),
            time: 0.5,
            value: 2.0,
        }],
        windows: vec![Window {
            name: "look".to_owned(),
            begin: 0.25,
            end: 1.0,
        }],
        curves: vec![Curve {
            name: "lock".to_owned(),
            keys: vec![[0.0, 1.0], [0.1, 0.0]],
        }],
        looping: Some(true),
        root_joint: Some("hips".to_owned()),
    }
}

#[test]
fn a_sound_clip_survives_being_written_down() {
    let clip = clip();
    assert_eq!(clip.check(&skeleton()), Ok(()));
    let json = serde_json::to_string(&clip).expect("plain data");
    assert_eq!(
        serde_json::from_str::<Clip>(&json).expect("its own text"),
        clip
    );
    assert_eq!(Clip::default().check(&Skeleton::default()), Ok(()));
}

type Spoil = fn(&mut Clip);

#[test]
fn each_fault_is_told_with_its_place() {
    let cases: &[(Spoil, &str)] = &[
        (|clip| clip.duration = f32::NAN, "duration of NaN s"),
        (|clip| clip.duration = -1.0, "duration of -1 s"),
        (|clip| clip.joints[1].joint = 2, "moves joint 2"),
        (|clip| clip.joints[1].joint = 0, "joint 0 after joint 0"),
        (|clip| clip.morphs[0].first = 1, "channels 1 to 2"),
        (
            |clip| clip.morphs[0].count = u16::MAX,
            "channels 0 to 65534",
        ),
        (
            |clip| {
                let again = clip.morphs[0].clone();
                clip.morphs.push(again);
            },
            "overlap or do not ascend at channel 0",
        ),
        (
            |clip| clip.morphs[0].track.values.truncate(3),
            "weights from channel 0 on: 3 values, the keys need 4",
        ),
        (
            |clip| clip.joints[0].translation = track(&[], vec![]),
            "translation of joint 0 (`hips`): it has no keys",
        ),
        (
            |clip| clip.joints[0].scale = track(&[0.5, 0.5], vec![Vec3::ONE; 2]),
            "scale of joint 0 (`hips`): key 1 at 0.5 s",
        ),
        (
            |clip| clip.joints[0].scale = track(&[0.5, 0.25], vec![Vec3::ONE; 2]),
            "key 1 at 0.25 s",
        ),
        (
            |clip| clip.joints[0].scale = track(&[-0.5], vec![Vec3::ONE]),
            "key 0 at -0.5 s",
        ),
        (
            |clip| clip.joints[0].scale = track(&[f32::NAN], vec![Vec3::ONE]),
            "key 0 at NaN s",
        ),
        (
            |clip| clip.joints[0].scale = track(&[1.5], vec![Vec3::ONE]),
            "1.5 s is after the clip's end",
        ),
        (
            |clip| clip.joints[0].scale = track(&[0.5], vec![Vec3::INFINITY]),
            "value 0 is not finite",
        ),
        (
            |clip| {
                clip.joints[1].rotation = track(&[0.5], vec![Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)]);
            },
            "rotation of joint 1 (`head`): value 0 is a quaternion of length 2",
        ),
        (|clip| clip.markers[0].name.clear(), "marker ``: its name"),
        (
            |clip| clip.markers[0].name = "x".repeat(65),
            "1 to 64 bytes",
        ),
        (
            |clip| clip.markers[0].time = 1.5,
            "marker `down`: its time must lie in the clip",
        ),
        (
            |clip| {
                let earlier = Marker {
                    time: 0.1,
                    ..clip.markers[0].clone()
                };
                clip.markers.push(earlier);
            },
            "markers must be in the order of time",
        ),
        (
            |clip| clip.windows[0].end = 0.0,
            "window `look`: it must lie in the clip",
        ),
        (
            |clip| clip.curves[0].keys.reverse(),
            "curve `lock`: it needs keys",
        ),
        (|clip| clip.curves[0].keys.clear(), "curve `lock`"),
    ];
    for (spoil, expected) in cases {
        let mut clip = clip();
        spoil(&mut clip);
        let error = clip.check(&skeleton()).expect_err(expected).to_string();
        assert!(
            error.starts_with("clip `nod`") && error.contains(expected),
            "{error} does not say {expected}"
        );
    }
}
