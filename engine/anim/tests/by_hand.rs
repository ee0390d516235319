//! A skeleton and a clip without any file: built, written down, read again, checked, played.

use std::{f32::consts::FRAC_PI_2, sync::Arc};

use glam::{Affine3A, Quat, Vec3};
use sinew_anim::{
    Advanced, Clip, Graph, GraphState, Joint, JointTracks, MorphTrack, Pose, Scratch, Skeleton,
    Track, Transform, advance, evaluate, local_to_model,
};

fn arm() -> Skeleton {
    let joint = |name: &str, parent, rest| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform::from_translation(rest),
        pre: None,
    };
    let joints = [
        joint("shoulder", None, Vec3::Y),
        joint("hand", Some(0), Vec3::X),
    ];
    Skeleton::new(&joints, &[("arm/flex".to_owned(), 0.0)]).expect("parents come first")
}

/// Raises the arm in a second, and flexes it.
fn raise() -> Clip {
    Clip {
        name: "raise".to_owned(),
        duration: 1.0,
        joints: vec![JointTracks {
            joint: 0,
            rotation: Some(Track {
                times: vec![0.0, 1.0],
                values: vec![Quat::IDENTITY, Quat::from_rotation_z(FRAC_PI_2)],
                ..Track::default()
            }),
            ..JointTracks::default()
        }],
        morphs: vec![MorphTrack {
            first: 0,
            count: 1,
            track: Track {
                times: vec![0.0, 1.0],
                values: vec![0.0, 1.0],
                ..Track::default()
            },
        }],
        ..Clip::default()
    }
}

#[test]
fn a_skeleton_and_a_clip_made_by_hand_are_played() {
    let written = serde_json::to_string(&(arm(), raise())).expect("plain data");
    let (skeleton, clip): (Skeleton, Clip) = serde_json::from_str(&written).expect("its own text");
    assert_eq!((&skeleton, &clip), (&arm(), &raise()));
    clip.check(&skeleton).expect("it fits");

    let skeleton = Arc::new(skeleton);
    let graph = Graph::single_clip(&skeleton, &Arc::new(clip), false).expect("one state");
    let mut state = GraphState::start(&graph);
    let mut scratch = Scratch::default();
    let mut advanced = Advanced::default();
    let mut pose = Pose::default();
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    for step in 1..=4 {
        advance(&graph, &mut state, 0.25, &mut scratch, &mut advanced);
        evaluate(&graph, &state, true, &mut scratch, &mut pose);
        local_to_model(&skeleton, &pose, &mut model);
        let angle = FRAC_PI_2 * step as f32 / 4.0;
        let expected = Vec3::new(angle.cos(), 1.0 + angle.sin(), 0.0);
        let hand = Vec3::from(model[1].translation);
        assert!(hand.distance(expected) < 1e-6, "{hand} for {expected}");
        assert!((pose.morphs[0] - step as f32 / 4.0).abs() < 1e-6);
    }
}
