//! A skeleton and a clip without any file: built, written down, read again, checked, played.

use std::{f32::consts::FRAC_PI_2, sync::Arc};

use glam::{Affine3A, Quat, Vec3};
use sinew_anim::{
    Advanced, Clip, Graph, GraphState, Interpolation, Joint, JointTracks, MorphTrack, Pose,
    Scratch, Skeleton, Track, Transform, advance, evaluate, local_to_model,
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

/// A plain sequence of numbers.
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn odd_number(&mut self) -> f32 {
        let odd = [
            0.0,
            -1.0,
            0.5,
            7.0,
            f32::NAN,
            f32::INFINITY,
            f32::MIN,
            f32::MAX,
            1e-40,
        ];
        odd[self.below(odd.len())]
    }

    fn spoil(&mut self, clip: &mut Clip) {
        let rotation = clip.joints[0].rotation.as_mut().expect("it has one");
        let weights = &mut clip.morphs[0];
        match self.below(11) {
            0 => clip.duration = self.odd_number(),
            1 => clip.joints[0].joint = self.below(70_000) as u16,
            2 => {
                let at = self.below(rotation.times.len().max(1));
                if let Some(time) = rotation.times.get_mut(at) {
                    *time = self.odd_number();
                }
            }
            3 => rotation.times.truncate(self.below(3)),
            4 => rotation.values.truncate(self.below(3)),
            5 => {
                let at = self.below(rotation.values.len().max(1));
                if let Some(value) = rotation.values.get_mut(at) {
                    *value = Quat::from_xyzw(self.odd_number(), 0.0, 0.0, self.odd_number());
                }
            }
            6 => rotation.interpolation = Interpolation::Cubic,
            7 => weights.first = self.below(70_000) as u16,
            8 => weights.count = self.below(70_000) as u16,
            9 => weights.track.values.truncate(self.below(3)),
            _ => weights.track.times.push(self.odd_number()),
        }
    }
}

#[test]
fn what_check_refuses_does_not_panic_either() {
    let skeleton = Arc::new(arm());
    let mut noise = Noise(11);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut clip = raise();
        for _ in 0..=noise.below(3) {
            noise.spoil(&mut clip);
        }
        refused += usize::from(clip.check(&skeleton).is_err());
        let Ok(graph) = Graph::single_clip(&skeleton, &Arc::new(clip), true) else {
            continue;
        };
        let mut state = GraphState::start(&graph);
        let mut scratch = Scratch::default();
        let mut advanced = Advanced::default();
        let mut pose = Pose::default();
        for dt in [0.0, 0.3, 2.0] {
            advance(&graph, &mut state, dt, &mut scratch, &mut advanced);
            evaluate(&graph, &state, true, &mut scratch, &mut pose);
        }
    }
    assert!(refused > 1000, "{refused} of 2000");
}
