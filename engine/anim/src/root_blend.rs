//! The root motion of a blend.

use std::f64::consts::FRAC_PI_2;

use crate::{RootAxes, Travel};

/// The most pieces that [`blended_root_motion`] cuts a step into.
pub const MOST_SUBSTEPS: usize = 256;

/// The sum of weighted velocities of what a blend mixes over a piece of a step.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct WeightedLog {
    /// `sum w log delta`, without `lone`.
    sum: [f64; 6],
    /// The largest turn of a part, radians.
    turn: f64,
    /// Whether there is a part.
    any: bool,
    /// The only part so far, of full weight; it needs neither logarithm nor cut.
    lone: Option<Travel>,
}

impl WeightedLog {
    /// Adds a part that moves by `delta` in the piece, with the weight that the pose has. The weights of all
    /// parts sum to at most 1, and what is missing stands still.
    #[inline]
    pub fn add(&mut self, weight: f64, delta: &Travel) {
        if weight <= 0.0 {
            return;
        }
        if !self.any && weight >= 1.0 {
            (self.any, self.lone) = (true, Some(*delta));
            return;
        }
        self.any = true;
        if let Some(lone) = self.lone.take() {
            self.mix(1.0, &lone);
        }
        self.mix(weight, delta);
    }

    fn mix(&mut self, weight: f64, delta: &Travel) {
        for (sum, value) in self.sum.iter_mut().zip(delta.log()) {
            *sum += value * weight;
        }
        self.turn = self.turn.max(delta.turn());
    }

    /// The motion of the mix.
    fn travel(&self, axes: RootAxes) -> Travel {
        self.lone.unwrap_or_else(|| Travel::exp(axes, self.sum))
    }
}

/// The motion of a blend over a step of `seconds`: `exp(sum w log delta)`. `log_between` adds up what the parts
/// do between two shares of the step, 0..=1. Steps longer than 1/60 s or with a part that turns more than 90
/// degrees are cut into equal substeps first, at most [`MOST_SUBSTEPS`]. A single part of weight 1 is its delta
/// exactly.
pub fn blended_root_motion(
    seconds: f64,
    axes: RootAxes,
    mut log_between: impl FnMut(f64, f64) -> WeightedLog,
) -> Travel {
    // The usual step is one piece; only one that is cut is worked out again.
    let whole = log_between(0.0, 1.0);
    if !whole.any {
        return Travel::identity(axes);
    }
    let wanted = (seconds * 60.0 - 1e-6)
        .ceil()
        .max((whole.turn / FRAC_PI_2).ceil());
    let substeps = (wanted.max(1.0) as usize).min(MOST_SUBSTEPS);
    if substeps == 1 || whole.lone.is_some() {
        return whole.travel(axes);
    }
    let mut total = Travel::identity(axes);
    for substep in 0..substeps {
        let [begin, end] = [substep, substep + 1].map(|i| i as f64 / substeps as f64);
        total = total.then(log_between(begin, end).travel(axes));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, arc, assert_close, chain, helix, walk};
    use crate::{Clip, LoopMode, Planar, RootTrack, Transform};

    fn track(clip: &Clip, axes: RootAxes) -> RootTrack {
        let skeleton = chain(&[Transform::IDENTITY; 2]);
        let duration = f64::from(clip.duration);
        RootTrack::new(&skeleton, clip, 1, axes, 0.0, duration)
    }

    /// A blend of looping clips from one lap to another.
    fn blended(parts: &[(&RootTrack, f64)], from: f64, to: f64, seconds: f64) -> Travel {
        let axes = parts.first().map_or(RootAxes::Planar, |part| part.0.axes);
        blended_root_motion(seconds, axes, |begin, end| {
            let mut sum = WeightedLog::default();
            let at = |share: f64| from + (to - from) * share;
            for (track, weight) in parts {
                sum.add(*weight, &track.delta(LoopMode::Loop, at(begin), at(end)));
            }
            sum
        })
    }

    /// Ten seconds of a blend in steps of `dt`.
    fn total(parts: &[(&RootTrack, f64)], dt: f64) -> Travel {
        let mut sum = Travel::identity(parts[0].0.axes);
        let mut clock = 0.0;
        while clock < 10.0 - 1e-9 {
            let next = (clock + dt).min(10.0);
            sum = sum.then(blended(parts, clock, next, next - clock));
            clock = next;
        }
        sum
    }

    #[test]
    fn blends_agree_within_a_percent_for_any_step_and_exactly_for_straight_ones() {
        let mut random = Random::new(66);
        for axes in [RootAxes::Planar, RootAxes::PlanarY, RootAxes::Full] {
            let (bend, straight) = (track(&arc(), axes), track(&walk(2.0, 1.0), axes));
            let (slow, screw) = (track(&walk(0.5, 1.0), axes), track(&helix(), axes));
            let mixes = [
                [(&bend, 0.3), (&straight, 0.7)],
                [(&screw, 0.4), (&straight, 0.6)],
                [(&screw, 0.5), (&bend, 0.5)],
            ];
            let distance = 10.0 * (0.3 + 0.7 * 2.0);
            for mix in mixes {
                let reference = total(&mix, 1.0 / 600.0);
                let any = random.range(0.01, 0.25);
                for dt in [1.0 / 240.0, 1.0 / 60.0, 0.05, 0.25, any] {
                    assert_close(total(&mix, dt), reference, 0.01 * distance);
                }
            }
            let line = total(&[(&slow, 0.3), (&straight, 0.7)], random.range(0.01, 0.25));
            let way = line.translation() - glam::DVec3::Z * 10.0 * (0.3 * 0.5 + 0.7 * 2.0);
            assert!(way.length() < 1e-6 && line.turn() < 1e-9, "{line:?}");
        }
    }

    #[test]
    fn weights_that_are_missing_stand_still_and_a_lone_part_is_exact() {
        for axes in [RootAxes::Planar, RootAxes::Full] {
            let track = track(&arc(), axes);
            let alone = blended(&[(&track, 1.0), (&track, 0.0)], 0.2, 2.9, 2.7);
            assert_eq!(alone, track.delta(LoopMode::Loop, 0.2, 2.9));
            let half = blended(&[(&track, 0.5)], 0.2, 1.2, 1.0);
            assert!((half.turn() - std::f64::consts::FRAC_PI_4).abs() < 1e-6);
            let hostile = blended(&[(&track, 0.5); 2], 0.2, 2.9, f64::INFINITY);
            assert!(hostile.translation().is_finite());
        }
        let nothing = blended(&[], 0.0, 1.0, 1.0);
        assert_eq!(nothing, Travel::Planar(Planar::IDENTITY));
    }

    #[test]
    fn the_order_of_parts_does_not_matter_also_where_one_has_all_the_weight() {
        let (bend, straight) = (
            track(&arc(), RootAxes::Planar),
            track(&walk(2.0, 1.0), RootAxes::Planar),
        );
        let one = blended(&[(&bend, 1.0), (&straight, 0.25)], 0.1, 0.4, 0.3);
        let other = blended(&[(&straight, 0.25), (&bend, 1.0)], 0.1, 0.4, 0.3);
        assert_close(one, other, 1e-12);
    }

    /// Clips of a second with strides of 0, 1 and 3 m at 0, 1 and 2 of a line.
    #[test]
    fn the_way_of_a_line_of_walks_is_linear_between_them() {
        let walks = [0.0, 1.0, 3.0].map(|speed| track(&walk(speed, 1.0), RootAxes::Planar));
        for (x, metres) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 2.0), (2.0, 3.0)] {
            let mut weights = [0.0; 3];
            crate::linear_weights(&[0.0, 1.0, 2.0], x, &mut weights);
            let parts = [0, 1, 2].map(|i| (&walks[i], f64::from(weights[i])));
            for steps in [1, 7, 60, 1000] {
                let step = 1.0 / f64::from(steps);
                let way = (0..steps).fold(0.0, |way, index| {
                    let from = f64::from(index) * step;
                    way + blended(&parts, from, from + step, step).translation().z
                });
                assert!((way - metres).abs() < 1e-4, "{x}: {way}");
            }
        }
    }
}
