//! The root motion of a blend.

use std::f64::consts::FRAC_PI_2;

use crate::{LoopMode, Planar, RootTrack};

/// One of the motions that a blend mixes.
#[derive(Clone, Copy, Debug)]
pub struct RootPart<'a> {
    /// The clip's motion.
    pub track: &'a RootTrack,
    /// How it is played.
    pub mode: LoopMode,
    /// Unwrapped cycles at the step's start.
    pub from: f64,
    /// Unwrapped cycles at the step's end.
    pub to: f64,
    /// The weight that the pose has, 0..=1; the weights of all parts sum to at most 1, and what is
    /// missing stands still.
    pub weight: f64,
}

/// The motion of a blend over a step of `seconds`: `exp(sum w log delta)`. Steps longer than 1/60 s or
/// turning more than 90 degrees are cut into equal substeps first, at most [`MOST_SUBSTEPS`]. A
/// single part of weight 1 is its delta exactly.
pub fn blended_root_motion<'a>(
    parts: impl Iterator<Item = RootPart<'a>> + Clone,
    seconds: f64,
) -> Planar {
    let parts = parts.filter(|part| part.weight > 0.0);
    let mut all = parts.clone();
    match (all.next(), all.next()) {
        (None, _) => return Planar::IDENTITY,
        (Some(only), None) if only.weight >= 1.0 => {
            return only.track.delta(only.mode, only.from, only.to);
        }
        _ => {}
    }
    // The usual step is one piece; only one that is cut is worked out again.
    let (whole, turn) = weighted_log(parts.clone(), 0.0, 1.0);
    let wanted = (seconds * 60.0 - 1e-6)
        .ceil()
        .max((turn / FRAC_PI_2).ceil());
    let substeps = (wanted.max(1.0) as usize).min(MOST_SUBSTEPS);
    if substeps == 1 {
        return Planar::exp(whole);
    }
    let mut total = Planar::IDENTITY;
    for substep in 0..substeps {
        let [begin, end] = [substep, substep + 1].map(|i| i as f64 / substeps as f64);
        let (sum, _) = weighted_log(parts.clone(), begin, end);
        total = total.then(Planar::exp(sum));
    }
    total
}

/// The sum of the parts' velocities by their weights between two shares of the step, and the largest
/// turn among them in radians.
fn weighted_log<'a>(
    parts: impl Iterator<Item = RootPart<'a>>,
    begin: f64,
    end: f64,
) -> ([f64; 3], f64) {
    let (mut sum, mut turn) = ([0.0; 3], 0.0_f64);
    for part in parts {
        let span = part.to - part.from;
        let (from, to) = (part.from + span * begin, part.from + span * end);
        let delta = part.track.delta(part.mode, from, to);
        for (sum, value) in sum.iter_mut().zip(delta.log()) {
            *sum += value * part.weight;
        }
        turn = turn.max(delta.yaw.abs());
    }
    (sum, turn)
}

/// The most pieces that [`blended_root_motion`] cuts a step into.
pub const MOST_SUBSTEPS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, arc, assert_close, chain, walk};
    use crate::{Clip, RootAxes, Transform};

    fn plain(clip: &Clip) -> RootTrack {
        let skeleton = chain(&[Transform::IDENTITY; 2]);
        RootTrack::new(&skeleton, clip, 1, RootAxes::Planar)
    }

    #[test]
    fn blends_agree_within_a_percent_for_any_step_and_exactly_for_straight_ones() {
        let mut random = Random::new(66);
        let (bend, straight) = (plain(&arc()), plain(&walk(2.0, 1.0)));
        let slow = plain(&walk(0.5, 1.0));
        let total = |tracks: [&RootTrack; 2], dt: f64| {
            let mut sum = Planar::IDENTITY;
            let mut clock = 0.0;
            while clock < 10.0 - 1e-9 {
                let next = (clock + dt).min(10.0);
                let parts = [(tracks[0], 0.3), (tracks[1], 0.7)].map(|(track, weight)| RootPart {
                    track,
                    mode: LoopMode::Loop,
                    from: clock,
                    to: next,
                    weight,
                });
                sum = sum.then(blended_root_motion(parts.iter().copied(), next - clock));
                clock = next;
            }
            sum
        };
        let reference = total([&bend, &straight], 1.0 / 600.0);
        let distance = 10.0 * (0.3 + 0.7 * 2.0);
        for dt in [
            1.0 / 240.0,
            1.0 / 60.0,
            0.05,
            0.25,
            random.range(0.01, 0.25),
        ] {
            let blended = total([&bend, &straight], dt);
            assert_close(blended, reference, 0.01 * distance);
            let line = total([&slow, &straight], dt);
            assert_close(
                line,
                Planar {
                    z: 10.0 * (0.3 * 0.5 + 0.7 * 2.0),
                    ..Planar::IDENTITY
                },
                1e-6,
            );
        }
    }

    #[test]
    fn weights_that_are_missing_stand_still_and_a_lone_part_is_exact() {
        let track = plain(&arc());
        let part = |weight: f64| RootPart {
            track: &track,
            mode: LoopMode::Loop,
            from: 0.2,
            to: 2.9,
            weight,
        };
        let alone = blended_root_motion([part(1.0), part(0.0)].into_iter(), 2.7);
        assert_eq!(alone, track.delta(LoopMode::Loop, 0.2, 2.9));
        let half = blended_root_motion([part(0.5)].into_iter(), 2.7);
        assert!((half.yaw - alone.yaw * 0.5).abs() < 1e-6);
        assert_eq!(blended_root_motion([].into_iter(), 1.0), Planar::IDENTITY);
        let hostile = blended_root_motion([part(0.5), part(0.5)].into_iter(), f64::INFINITY);
        assert!(hostile.x.is_finite());
    }
}
