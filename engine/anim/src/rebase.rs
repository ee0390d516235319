//! Additive clips made against another pose than rest.

use glam::{Quat, Vec3};

use crate::additive::{AdditiveSpace, NO_SCALE};
use crate::rotation::{Axes, unit};
use crate::track_map::{map_track, map_weights};
use crate::{Clip, NO_PARENT, Pose, Skeleton};

/// The clip whose difference from rest is what the difference of `clip` from `reference` is, in the given
/// space; so the additive jobs need no other reference than rest.
///
/// Every key is mapped by a fixed linear map of its joint (tangents by its linear part), so what is sampled between keys
/// is exact in every interpolation. What the clip does not animate stays absent and so adds nothing: it counts as being
/// at the reference. A reference scale of nothing gives the rest scale.
///
/// Local: `q' = q_rest q_ref^-1 q`, `t' = t - t_ref + t_rest`, `s' = s / s_ref s_rest`. In mesh space the model rotation
/// of a joint is to be `R_a R_ref^-1 R_rest`, so with `F` the model rotation of the frame that the joint
/// turns in, `q' = F_rest^-1 F_ref q R_ref^-1 R_rest`.
pub fn rebase_clip(
    skeleton: &Skeleton,
    clip: &Clip,
    reference: &Pose,
    space: AdditiveSpace,
) -> Clip {
    let rest = &skeleton.rest;
    let turns = turns(skeleton, reference, space);
    let mut out = clip.clone();
    for tracks in &mut out.joints {
        let joint = usize::from(tracks.joint);
        if joint >= turns.len() {
            continue;
        }
        let shift = rest.translation(joint) - reference.translation(joint);
        let (left, right) = turns[joint];
        let turn = |q: Quat| left * q * right;
        tracks.translation =
            (tracks.translation.as_ref()).map(|t| map_track(t, |v| v + shift, |v| v));
        tracks.rotation = tracks.rotation.as_ref().map(|t| map_track(t, turn, turn));
        tracks.scale = tracks.scale.as_ref().map(|track| {
            let (from, to) = (reference.scale(joint), rest.scale(joint));
            let empty = from.abs().cmplt(Vec3::splat(NO_SCALE));
            let ratio = Vec3::select(empty, Vec3::ZERO, to / from);
            let value = |v: Vec3| Vec3::select(empty, to, v * ratio);
            map_track(track, value, |v| v * ratio)
        });
    }
    for track in &mut out.morphs {
        *track = map_weights(track, |channel, weight| {
            let shift = |pose: &Pose| pose.morphs.get(channel).copied().unwrap_or(0.0);
            weight - shift(reference) + shift(rest)
        });
    }
    out
}

/// The factors left and right of each joint's local rotation.
fn turns(skeleton: &Skeleton, reference: &Pose, space: AdditiveSpace) -> Vec<(Quat, Quat)> {
    let rest = &skeleton.rest;
    let joints = skeleton.len().min(reference.joints);
    let mut model: Vec<(Quat, Quat)> = Vec::with_capacity(joints);
    let mut pre = skeleton.pre.iter().peekable();
    let mut out = Vec::with_capacity(joints);
    for (joint, &parent) in skeleton.parents[..joints].iter().enumerate() {
        let (q_rest, q_ref) = (rest.rotation(joint), reference.rotation(joint));
        if space == AdditiveSpace::Local {
            out.push((unit(q_rest * q_ref.conjugate()), Quat::IDENTITY));
            continue;
        }
        let (rest_above, ref_above) = match parent {
            NO_PARENT => (Quat::IDENTITY, Quat::IDENTITY),
            parent => model[usize::from(parent)],
        };
        let pre = pre.next_if(|(at, _)| usize::from(*at) == joint);
        let pre = pre.map_or(Quat::IDENTITY, |(_, pre)| Axes::of(pre.matrix3).rotation());
        let (rest_frame, ref_frame) = (rest_above * pre, ref_above * pre);
        let (r_rest, r_ref) = (unit(rest_frame * q_rest), unit(ref_frame * q_ref));
        out.push((
            unit(rest_frame.conjugate() * ref_frame),
            unit(r_ref.conjugate() * r_rest),
        ));
        model.push((r_rest, r_ref));
    }
    out
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::test_support::{Random, random_clip, random_skeleton, rotation_error};
    use crate::{Interpolation, MeshScratch, additive_layer, additive_layer_mesh, sample};

    const MODES: [Interpolation; 3] = [
        Interpolation::Step,
        Interpolation::Linear,
        Interpolation::Cubic,
    ];

    #[track_caller]
    fn assert_near(a: &Pose, b: &Pose, tolerance: f64) {
        for joint in 0..a.joints {
            let error = rotation_error(a.rotation(joint), b.rotation(joint).as_dquat());
            assert!(error < tolerance, "joint {joint}: {error}");
            for of in [Pose::translation, Pose::scale] {
                let (a, b) = (of(a, joint), of(b, joint));
                let error = f64::from(a.distance(b) / (1.0 + b.length()));
                assert!(error < tolerance, "joint {joint}: {a} {b}");
            }
        }
        for (a, b) in a.morphs.iter().zip(&b.morphs) {
            assert!(f64::from((a - b).abs()) < tolerance, "{a} {b}");
        }
    }

    /// `clip` at `time` over the reference: what it does not animate is there.
    fn over_reference(clip: &Clip, time: f32, reference: &Pose) -> Pose {
        let mut pose = reference.clone();
        sample(clip, time, &mut pose);
        pose
    }

    #[test]
    fn a_rebased_clip_adds_from_rest_what_the_clip_adds_from_its_reference() {
        let mut random = Random::new(91);
        for case in 0..60 {
            let joints = 1 + random.below(20) as u16;
            let skeleton = random_skeleton(&mut random, joints, 4);
            let clip = random_clip(&mut random, &skeleton, MODES[case % 3]);
            let (base, reference) = (
                random.pose(usize::from(joints), 4),
                random.pose(usize::from(joints), 4),
            );
            let rebased = rebase_clip(&skeleton, &clip, &reference, AdditiveSpace::Local);
            for _ in 0..10 {
                let (time, weight) = (random.range(-0.1, 1.1) as f32, random.unit() as f32);
                let mut expected = base.clone();
                let add = over_reference(&clip, time, &reference);
                additive_layer(&mut expected, &add, &reference, weight, None);
                let mut got = base.clone();
                let add = over_reference(&rebased, time, &skeleton.rest);
                additive_layer(&mut got, &add, &skeleton.rest, weight, None);
                assert_near(&got, &expected, 2e-5);
            }
        }
    }

    #[test]
    fn in_mesh_space_too() {
        let mut random = Random::new(92);
        let mut scratch = MeshScratch::default();
        for case in 0..60 {
            let joints = 1 + random.below(20) as u16;
            let skeleton = random_skeleton(&mut random, joints, 4);
            let clip = random_clip(&mut random, &skeleton, MODES[case % 3]);
            let (base, reference) = (
                random.pose(usize::from(joints), 4),
                random.pose(usize::from(joints), 4),
            );
            let rebased = rebase_clip(&skeleton, &clip, &reference, AdditiveSpace::Mesh);
            // The same skeleton resting at the reference takes the difference from it.
            let mut resting = skeleton.clone();
            resting.rest = reference.clone();
            for _ in 0..10 {
                let (time, weight) = (random.range(-0.1, 1.1) as f32, random.unit() as f32);
                let mut expected = base.clone();
                let add = over_reference(&clip, time, &reference);
                additive_layer_mesh(&resting, &mut expected, &add, weight, None, &mut scratch);
                let mut got = base.clone();
                let add = over_reference(&rebased, time, &skeleton.rest);
                additive_layer_mesh(&skeleton, &mut got, &add, weight, None, &mut scratch);
                assert_near(&got, &expected, 4e-5);
            }
        }
    }

    #[test]
    fn rest_as_the_reference_changes_nothing_and_absent_tracks_stay_absent() {
        let mut random = Random::new(93);
        let skeleton = random_skeleton(&mut random, 9, 3);
        let clip = random_clip(&mut random, &skeleton, Interpolation::Linear);
        for space in [AdditiveSpace::Local, AdditiveSpace::Mesh] {
            let rebased = rebase_clip(&skeleton, &clip, &skeleton.rest, space);
            for time in [0.0, 0.2, 0.9] {
                let [a, b] = [&clip, &rebased].map(|c| over_reference(c, time, &skeleton.rest));
                assert_near(&a, &b, 2e-6);
            }
            for (own, mapped) in clip.joints.iter().zip(&rebased.joints) {
                assert_eq!(own.translation.is_some(), mapped.translation.is_some());
                assert_eq!(own.rotation.is_some(), mapped.rotation.is_some());
                assert_eq!(own.scale.is_some(), mapped.scale.is_some());
            }
        }
    }

    #[test]
    fn a_reference_scale_of_nothing_gives_the_rest_scale() {
        let mut random = Random::new(94);
        let skeleton = random_skeleton(&mut random, 3, 1);
        let mut reference = random.pose(3, 1);
        for joint in 0..3 {
            reference.set_scale(joint, Vec3::new(0.0, 2.0, 1.0));
        }
        for mode in MODES {
            let clip = random_clip(&mut random, &skeleton, mode);
            let rebased = rebase_clip(&skeleton, &clip, &reference, AdditiveSpace::Local);
            let pose = over_reference(&rebased, 0.4, &skeleton.rest);
            for joint in 0..3 {
                let (scale, rest) = (pose.scale(joint), skeleton.rest.scale(joint));
                assert!((scale.x - rest.x).abs() < 1e-6 && scale.is_finite());
            }
        }
    }

    #[test]
    fn joints_beyond_the_skeleton_are_left_alone() {
        let mut random = Random::new(95);
        let skeleton = random_skeleton(&mut random, 6, 2);
        let clip = random_clip(&mut random, &skeleton, Interpolation::Cubic);
        let small = random_skeleton(&mut random, 2, 0);
        let rebased = rebase_clip(&small, &clip, &small.rest, AdditiveSpace::Mesh);
        assert_eq!(rebased.joints[2..], clip.joints[2..]);
    }
}
