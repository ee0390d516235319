//! Sampling a clip into a pose.

use glam::{Quat, Vec3};

use crate::rotation::{slerp, unit};
use crate::{Clip, Interpolation, MorphTrack, Pose, Track};

/// Writes the channels that `clip` animates, at `time` in clip seconds, into `pose`; everything else
/// in `pose` stays, so start from the rest pose. Before the first and after the last key the end
/// value holds; a time that is not a number counts as 0. Rotations come out as unit quaternions
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
pub(crate) enum Place {
    /// At a key, or held before the first or after the last.
    Key(usize),
    /// After this key; `t` in 0..1 of the way to the next one, `span` seconds long.
    Between { key: usize, t: f32, span: f32 },
}

/// The place of `time` in ascending `times`; `None` without keys.
pub(crate) fn place(times: &[f32], time: f32) -> Option<Place> {
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
pub(crate) fn hermite(t: f32, span: f32) -> [f32; 4] {
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
    let stride = stride(track.interpolation);
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
    let stride = stride(track.interpolation);
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
    let stride = stride(track.track.interpolation);
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

/// Values a key.
fn stride(interpolation: Interpolation) -> usize {
    match interpolation {
        Interpolation::Cubic => 3,
        Interpolation::Step | Interpolation::Linear => 1,
    }
}
