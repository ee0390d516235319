//! Rotation keys: unit quaternions that move as the stored numbers do.

use glam::{DQuat, Quat};
use sinew_anim::{Interpolation, Track};

use crate::transforms::UNIT_TOLERANCE;

/// Angle (radians) by which the motion between two keys may depart from that of the stored numbers.
const MOTION_TOLERANCE: f64 = 1e-6;

/// The most parts that a span between two keys is cut into.
const MAX_PARTS: usize = 64;

/// Tracks of more keys than this are not cut any finer.
const MAX_CUT_KEYS: usize = 1 << 16;

/// A key whose quaternion has no direction.
#[derive(Debug, PartialEq)]
pub(crate) struct NoRotation {
    pub(crate) key: usize,
    pub(crate) length: f32,
}

/// A track of unit quaternions from stored ones, and how many keys were not of unit length.
///
/// Keys whose length is off by at most `rounding` are taken as they are: integers cannot say more, and glTF 2.0 uses them as
/// stored. Others are normalised. Slerp between keys of unequal lengths lingers at the longer one, so normalising them alone
/// would change the motion in between; further keys keep it.
pub(crate) fn unit_track(
    interpolation: Interpolation,
    times: Vec<f32>,
    values: Vec<Quat>,
    rounding: f32,
) -> Result<(Track<Quat>, usize), NoRotation> {
    let mut track = Track {
        interpolation,
        times,
        values,
    };
    let (skip, step) = match interpolation {
        Interpolation::Cubic => (1, 3),
        Interpolation::Linear | Interpolation::Step => (0, 1),
    };
    let is_off = |length: f32, tolerance: f32| (length - 1.0).abs() > tolerance;
    let (mut off, mut repaired) = (0, 0);
    for (key, value) in track.values.iter().skip(skip).step_by(step).enumerate() {
        let length = value.length();
        if !(length > 1e-18 && length.is_finite()) {
            return Err(NoRotation { key, length });
        }
        off += usize::from(is_off(length, rounding));
        repaired += usize::from(is_off(length, rounding.max(UNIT_TOLERANCE as f32)));
    }
    if off == 0 {
        return Ok((track, 0));
    }
    let may_cut = interpolation == Interpolation::Linear && track.times.len() <= MAX_CUT_KEYS;
    if repaired > 0 && may_cut {
        track = with_keys_between(&track);
    }
    for value in track.values.iter_mut().skip(skip).step_by(step) {
        if is_off(value.length(), rounding) {
            *value /= value.length();
        }
    }
    Ok((track, repaired))
}

/// The same motion with so many more keys that unit quaternions can follow it.
fn with_keys_between(track: &Track<Quat>) -> Track<Quat> {
    let mut dense = Track {
        interpolation: track.interpolation,
        ..Track::default()
    };
    let keys: Vec<(f32, Quat)> = track
        .times
        .iter()
        .copied()
        .zip(track.values.iter().copied())
        .collect();
    for pair in keys.windows(2) {
        let [(begin, a), (end, b)] = [pair[0], pair[1]];
        dense.times.push(begin);
        dense.values.push(a);
        let parts = parts(a.as_dquat(), b.as_dquat());
        for part in 1..parts {
            let u = part as f64 / parts as f64;
            let time = (f64::from(begin) + f64::from(end - begin) * u) as f32;
            if dense.times.last().is_some_and(|&last| last < time) && time < end {
                dense.times.push(time);
                let between = stored_slerp(a.as_dquat(), b.as_dquat(), u);
                dense.values.push(between.normalize().as_quat());
            }
        }
    }
    if let Some(&(time, value)) = keys.last() {
        dense.times.push(time);
        dense.values.push(value);
    }
    dense
}

/// Parts to cut a span into: the departure from slerp of the unit keys falls with their square.
fn parts(a: DQuat, b: DQuat) -> usize {
    let departure = [0.25, 0.5, 0.75].map(|u| {
        let stored = stored_slerp(a, b, u).normalize();
        let unit = stored_slerp(a.normalize(), b.normalize(), u).normalize();
        2.0 * stored.dot(unit).abs().min(1.0).acos()
    });
    let most = departure.into_iter().fold(0.0, f64::max);
    ((most / MOTION_TOLERANCE).sqrt().ceil() as usize).clamp(1, MAX_PARTS)
}

/// Slerp along the shorter arc of quaternions as they are stored (glTF 2.0, C.4).
fn stored_slerp(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let dot = a.dot(b);
    let b = if dot < 0.0 { -b } else { b };
    let angle = dot.abs().min(1.0).acos();
    if angle.sin() < 1e-9 {
        return a * (1.0 - u) + b * u;
    }
    a * ((angle * (1.0 - u)).sin() / angle.sin()) + b * ((angle * u).sin() / angle.sin())
}

#[cfg(test)]
mod tests {
    use sinew_anim::{Clip, JointTracks, Pose, sample};

    use super::*;

    fn track(values: Vec<Quat>, rounding: f32) -> Result<(Track<Quat>, usize), NoRotation> {
        let times = (0..values.len()).map(|key| key as f32).collect();
        unit_track(Interpolation::Linear, times, values, rounding)
    }

    #[test]
    fn keys_of_unequal_length_move_as_stored() {
        let stored = [Quat::IDENTITY * 1.01, Quat::from_rotation_x(1.2) * -0.97];
        let (unit, repaired) = track(stored.to_vec(), 0.0).expect("rotations");
        assert_eq!(repaired, 2);
        let clip = Clip {
            joints: vec![JointTracks {
                rotation: Some(unit),
                ..JointTracks::default()
            }],
            ..Clip::default()
        };
        for step in 0..=100 {
            let u = step as f32 / 100.0;
            let mut pose = Pose::identity(1, 0);
            sample(&clip, u, &mut pose);
            let [a, b] = stored.map(|key| key.as_dquat());
            let expected = stored_slerp(a, b, f64::from(u)).normalize();
            let found = pose.rotation(0).as_dquat();
            assert!((found.length() - 1.0).abs() < 1e-6);
            let error = 2.0 * found.normalize().dot(expected).abs().min(1.0).acos();
            assert!(error < 5e-6, "{error} rad at {u}");
        }
    }

    #[test]
    fn rounded_integers_stay_as_stored() {
        let key = Quat::from_xyzw(0.0, 0.0, 90.0 / 127.0, 90.0 / 127.0);
        let (kept, repaired) = track(vec![key], 1.0 / 127.0).expect("a rotation");
        assert_eq!((kept.values, repaired), (vec![key], 0));
        let (unit, repaired) = track(vec![key], 0.0).expect("a rotation");
        assert_eq!(repaired, 1);
        assert!(unit.values[0].is_normalized());
    }

    #[test]
    fn a_key_without_direction_is_no_rotation() {
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let error = track(vec![Quat::IDENTITY, zero], 0.0).expect_err("zero");
        assert_eq!(
            error,
            NoRotation {
                key: 1,
                length: 0.0
            }
        );
    }
}
