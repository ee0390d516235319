//! Sampling a clip into a pose.

use glam::{Quat, Vec3};

use crate::rotation::{slerp, unit};
use crate::{Clip, Interpolation, MorphTrack, Pose, Track};

/// Writes the channels that `clip` animates, at `time` in clip seconds, into `pose`; everything else
/// in `pose` stays, so start from the rest pose. Before the first and after the last key the end
/// value holds; a time that is not a number counts as before the first key. Rotations come out as unit quaternions
/// within 1e-6. Joints and channels that `pose` lacks are skipped.
///
/// Step, linear (slerp along the shorter arc for rotations) and cubic spline are those of the
/// glTF 2.0 specification, appendix C.
pub fn sample(clip: &Clip, time: f32, pose: &mut Pose) {
    for tracks in &clip.joints {
        let joint = usize::from(tracks.joint);
        if joint >= pose.joints {
            continue;
        }
        if let Some(value) = tracks.translation.as_ref().and_then(|t| vector(t, time)) {
            pose.set_translation(joint, value);
        }
        if let Some(value) = tracks.rotation.as_ref().and_then(|t| rotation(t, time)) {
            pose.set_rotation(joint, value);
        }
        if let Some(value) = tracks.scale.as_ref().and_then(|t| vector(t, time)) {
            pose.set_scale(joint, value);
        }
    }
    for track in &clip.morphs {
        morph_weights(track, time, &mut pose.morphs);
    }
}

/// Where a time falls between keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// At a key, or held before the first or after the last.
    Key(usize),
    /// After this key; `t` in 0..1 of the way to the next one, `span` seconds long.
    Between { key: usize, t: f32, span: f32 },
}

/// The place of `time` in ascending `times`; `None` without keys.
fn place(times: &[f32], time: f32) -> Option<Place> {
    let last = times.len().checked_sub(1)?;
    let after = times.partition_point(|&key| key <= time);
    let Some(key) = after.checked_sub(1) else {
        return Some(Place::Key(0));
    };
    if key >= last || times[key] == time {
        return Some(Place::Key(key));
    }
    let span = times[key + 1] - times[key];
    let t = (time - times[key]) / span;
    Some(Place::Between { key, t, span })
}

/// The factors of start value, start tangent, end value and end tangent of a cubic Hermite spline;
/// the tangents' factors carry the span in seconds.
fn hermite(t: f32, span: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        2.0 * t3 - 3.0 * t2 + 1.0,
        (t3 - 2.0 * t2 + t) * span,
        3.0 * t2 - 2.0 * t3,
        (t3 - t2) * span,
    ]
}

fn vector(track: &Track<Vec3>, time: f32) -> Option<Vec3> {
    let values = &track.values;
    let stride = track.interpolation.values_per_key();
    let value = |key: usize| values.get(key * stride + stride / 2).copied();
    match place(&track.times, time)? {
        Place::Key(key) => value(key),
        Place::Between { key, t, span } => match track.interpolation {
            Interpolation::Step => value(key),
            Interpolation::Linear => Some(value(key)?.lerp(value(key + 1)?, t)),
            Interpolation::Cubic => {
                let f = hermite(t, span);
                let (out_tangent, in_tangent) =
                    (values.get(key * 3 + 2)?, values.get(key * 3 + 3)?);
                Some(
                    value(key)? * f[0]
                        + *out_tangent * f[1]
                        + value(key + 1)? * f[2]
                        + *in_tangent * f[3],
                )
            }
        },
    }
}

fn rotation(track: &Track<Quat>, time: f32) -> Option<Quat> {
    let values = &track.values;
    let stride = track.interpolation.values_per_key();
    let value = |key: usize| values.get(key * stride + stride / 2).copied();
    match place(&track.times, time)? {
        Place::Key(key) => value(key),
        Place::Between { key, t, span } => match track.interpolation {
            Interpolation::Step => value(key),
            Interpolation::Linear => Some(slerp(value(key)?, value(key + 1)?, t)),
            Interpolation::Cubic => {
                let f = hermite(t, span);
                let (out_tangent, in_tangent) =
                    (*values.get(key * 3 + 2)?, *values.get(key * 3 + 3)?);
                let sum = value(key)? * f[0]
                    + out_tangent * f[1]
                    + value(key + 1)? * f[2]
                    + in_tangent * f[3];
                // A spline through the origin has no direction there; the nearer key has.
                let near = value(if t < 0.5 { key } else { key + 1 })?;
                Some(if sum.length_squared() > 1e-12 {
                    unit(sum)
                } else {
                    near
                })
            }
        },
    }
}

fn morph_weights(track: &MorphTrack, time: f32, weights: &mut [f32]) {
    let (first, count) = (usize::from(track.first), usize::from(track.count));
    let Some(place) = place(&track.track.times, time) else {
        return;
    };
    let stride = track.track.interpolation.values_per_key();
    let group = |key: usize, part: usize| {
        let start = (key * stride + part) * count;
        track.track.values.get(start..start + count).unwrap_or(&[])
    };
    let middle = stride / 2;
    let out = weights.iter_mut().skip(first).take(count);
    match place {
        Place::Key(key) => out.zip(group(key, middle)).for_each(|(w, v)| *w = *v),
        Place::Between { key, t, span } => match track.track.interpolation {
            Interpolation::Step => out.zip(group(key, middle)).for_each(|(w, v)| *w = *v),
            Interpolation::Linear => {
                let pairs = group(key, middle).iter().zip(group(key + 1, middle));
                out.zip(pairs).for_each(|(w, (a, b))| *w = a + (b - a) * t);
            }
            Interpolation::Cubic => {
                let f = hermite(t, span);
                let starts = group(key, 1).iter().zip(group(key, 2));
                let ends = group(key + 1, 1).iter().zip(group(key + 1, 0));
                out.zip(starts.zip(ends))
                    .for_each(|(w, ((a, a_out), (b, b_in)))| {
                        *w = a * f[0] + a_out * f[1] + b * f[2] + b_in * f[3];
                    });
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::JointTracks;
    use crate::test_support::{Random, rotation_error, slerp_f64};

    const MODES: [Interpolation; 3] = [
        Interpolation::Step,
        Interpolation::Linear,
        Interpolation::Cubic,
    ];

    fn times(random: &mut Random, keys: usize) -> Vec<f32> {
        let mut time = random.range(0.0, 0.5) as f32;
        let mut next = || {
            time += random.range(0.01, 0.5) as f32;
            time
        };
        (0..keys).map(|_| next()).collect()
    }

    /// A clip of one joint and two morph channels with random keys.
    fn random_clip(random: &mut Random, interpolation: Interpolation, keys: usize) -> Clip {
        let values = keys * interpolation.values_per_key();
        let vectors = |random: &mut Random| Track {
            interpolation,
            times: times(random, keys),
            values: (0..values).map(|_| random.vec3(2.0)).collect(),
        };
        Clip {
            joints: vec![JointTracks {
                joint: 0,
                translation: Some(vectors(random)),
                rotation: Some(Track {
                    interpolation,
                    times: times(random, keys),
                    values: (0..values).map(|_| random.rotation()).collect(),
                }),
                scale: Some(vectors(random)),
            }],
            morphs: vec![MorphTrack {
                first: 1,
                count: 2,
                track: Track {
                    interpolation,
                    times: times(random, keys),
                    values: (0..values * 2)
                        .map(|_| random.range(0.0, 1.0) as f32)
                        .collect(),
                },
            }],
            ..Clip::default()
        }
    }

    /// Both keys and the share between them, searched from the start.
    fn bracket(times: &[f32], time: f32) -> (usize, usize, f64, f64) {
        let last = times.len() - 1;
        let key = (0..=last)
            .rev()
            .find(|&key| times[key] <= time)
            .unwrap_or(0);
        if key == last || time <= times[0] {
            return (key, key, 0.0, 0.0);
        }
        let span = f64::from(times[key + 1]) - f64::from(times[key]);
        (
            key,
            key + 1,
            (f64::from(time) - f64::from(times[key])) / span,
            span,
        )
    }

    /// Appendix C of glTF 2.0 in f64: `[value, out-tangent, next value, next in-tangent]` by factors.
    fn spline(t: f64, span: f64) -> [f64; 4] {
        [
            2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0,
            span * (t.powi(3) - 2.0 * t.powi(2) + t),
            -2.0 * t.powi(3) + 3.0 * t.powi(2),
            span * (t.powi(3) - t.powi(2)),
        ]
    }

    fn vector_twin(track: &Track<Vec3>, time: f32) -> DVec3 {
        let (a, b, t, span) = bracket(&track.times, time);
        let v = |index: usize| track.values[index].as_dvec3();
        match track.interpolation {
            Interpolation::Step => v(a),
            Interpolation::Linear => v(a).lerp(v(b), t),
            Interpolation::Cubic => {
                let f = spline(t, span);
                v(a * 3 + 1) * f[0] + v(a * 3 + 2) * f[1] + v(b * 3 + 1) * f[2] + v(b * 3) * f[3]
            }
        }
    }

    /// One of two channels as a track of its own: glTF has the channels of a key (or of a tangent) in a row.
    fn one_channel(track: &Track<f32>, channel: usize) -> Track<Vec3> {
        let own = track.values.chunks(2).map(|pair| Vec3::X * pair[channel]);
        Track {
            interpolation: track.interpolation,
            times: track.times.clone(),
            values: own.collect(),
        }
    }

    fn rotation_twin(track: &Track<Quat>, time: f32) -> DQuat {
        let (a, b, t, span) = bracket(&track.times, time);
        let v = |index: usize| track.values[index].as_dquat();
        match track.interpolation {
            Interpolation::Step => v(a),
            Interpolation::Linear => slerp_f64(v(a), v(b), t),
            Interpolation::Cubic => {
                let f = spline(t, span);
                let sum = v(a * 3 + 1) * f[0]
                    + v(a * 3 + 2) * f[1]
                    + v(b * 3 + 1) * f[2]
                    + v(b * 3) * f[3];
                sum * sum.length().recip()
            }
        }
    }

    #[test]
    fn sampling_agrees_with_its_f64_twin_in_every_mode() {
        let mut random = Random::new(11);
        for case in 0..300 {
            let mode = MODES[case % 3];
            let keys = 1 + random.below(6) as usize;
            let clip = random_clip(&mut random, mode, keys);
            let tracks = &clip.joints[0];
            for _ in 0..20 {
                let time = random.range(-0.5, 4.0) as f32;
                let mut pose = Pose::identity(1, 3);
                sample(&clip, time, &mut pose);
                let translation = vector_twin(tracks.translation.as_ref().expect("made"), time);
                let scale = vector_twin(tracks.scale.as_ref().expect("made"), time);
                let rotation = rotation_twin(tracks.rotation.as_ref().expect("made"), time);
                assert!(pose.translation(0).as_dvec3().distance(translation) < 1e-5);
                assert!(pose.scale(0).as_dvec3().distance(scale) < 1e-5);
                assert!(rotation_error(pose.rotation(0), rotation) < 1e-5);
                assert!((pose.rotation(0).length() - 1.0).abs() < 1e-6);
                assert_eq!(pose.morphs[0], 0.0);
                let morphs = &clip.morphs[0].track;
                for channel in 0..2 {
                    let own = one_channel(morphs, channel);
                    let expected = vector_twin(&own, time).x;
                    let error = f64::from(pose.morphs[1 + channel]) - expected;
                    assert!(error.abs() < 1e-5, "{mode:?}: {error}");
                }
            }
        }
    }

    #[test]
    fn keys_are_exact_and_the_ends_hold_in_every_mode() {
        let mut random = Random::new(12);
        for case in 0..60 {
            let mode = MODES[case % 3];
            let keys = 1 + random.below(5) as usize;
            let clip = random_clip(&mut random, mode, keys);
            let track = clip.joints[0].translation.as_ref().expect("made");
            let value =
                |key: usize| track.values[key * mode.values_per_key() + mode.values_per_key() / 2];
            let at = |time: f32| {
                let mut pose = Pose::identity(1, 3);
                sample(&clip, time, &mut pose);
                pose.translation(0)
            };
            for key in 0..keys {
                assert_eq!(at(track.times[key]), value(key));
            }
            let turns = clip.joints[0].rotation.as_ref().expect("made");
            for (key, time) in turns.times.iter().enumerate() {
                let mut pose = Pose::identity(1, 3);
                sample(&clip, *time, &mut pose);
                let own = turns.values[key * mode.values_per_key() + mode.values_per_key() / 2];
                let error = rotation_error(pose.rotation(0), own.as_dquat());
                assert!(error < 1e-6, "{mode:?} key {key}: {error}");
            }
            assert_eq!(at(-1.0), value(0));
            assert_eq!(at(f32::NEG_INFINITY), value(0));
            assert_eq!(at(f32::NAN), value(0));
            assert_eq!(at(100.0), value(keys - 1));
            assert_eq!(at(f32::INFINITY), value(keys - 1));
        }
    }

    #[test]
    fn morph_weights_of_a_spline_lie_in_three_groups_a_key() {
        let clip = Clip {
            morphs: vec![MorphTrack {
                first: 0,
                count: 2,
                track: Track {
                    interpolation: Interpolation::Cubic,
                    times: vec![0.0, 2.0],
                    // in-tangents, values, out-tangents of two channels, twice
                    values: vec![
                        9.0, 9.0, 1.0, 10.0, 0.5, 5.0, 0.5, -5.0, 2.0, 20.0, 9.0, 9.0,
                    ],
                },
            }],
            ..Clip::default()
        };
        let at = |time: f32| {
            let mut pose = Pose::identity(0, 2);
            sample(&clip, time, &mut pose);
            pose.morphs
        };
        assert_eq!(at(0.0), [1.0, 10.0]);
        assert_eq!(at(2.0), [2.0, 20.0]);
        // middle: (a + b) / 2 + span (a_out - b_in) / 8
        assert_eq!(at(1.0), [1.5, 15.0 + 2.0 * 10.0 / 8.0]);
    }

    #[test]
    fn what_a_clip_lacks_stays_and_broken_tracks_are_skipped() {
        let mut pose = Random::new(14).pose(3, 1);
        let before = pose.clone();
        let empty = Track {
            interpolation: Interpolation::Linear,
            times: Vec::new(),
            values: Vec::new(),
        };
        let short = Track {
            times: vec![0.0, 1.0],
            values: vec![Vec3::ONE],
            ..empty.clone()
        };
        let tracks = |joint: u16| JointTracks {
            joint,
            translation: Some(empty.clone()),
            rotation: None,
            scale: Some(short.clone()),
        };
        let clip = Clip {
            joints: vec![tracks(1), tracks(900)],
            morphs: vec![MorphTrack {
                first: 5,
                count: 3,
                track: Track {
                    times: vec![0.0],
                    ..Track::default()
                },
            }],
            ..Clip::default()
        };
        sample(&clip, 0.5, &mut pose);
        assert_eq!(pose, before);
    }
}
