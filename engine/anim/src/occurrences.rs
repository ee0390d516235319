//! Which markers a step of playback crosses, exactly.
//!
//! A clock counts unwrapped cycles in f64. A marker at phase m occurs at m + k in lap k. A step from
//! u0 to u1 owns the half-open interval (u0, u1] forward and [u1, u0) backward, so neighbouring
//! steps share nothing and leave nothing out: any partition of a stretch of time gives the same
//! occurrences. Nothing is remembered between steps but the clock.

use crate::LoopMode;

/// A stretch of playback in unwrapped cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Where the step begins.
    pub from: f64,
    /// Where it ends; below `from` when playing backward.
    pub to: f64,
    /// True in the first step after entering, where entry is inclusive: `from` itself belongs to the
    /// interval. The laps before the entry do not exist then: forward none below the lap that
    /// `from` begins or stands in, backward none above it.
    pub entry: bool,
    /// What playback does at the clip's ends.
    pub mode: LoopMode,
}

/// One crossing of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    /// The lap; in ping-pong the leg, turning points counting to the even leg they touch.
    pub lap: i64,
    /// Where in the step, 0..=1: `(m + k - from) / (to - from)`.
    pub alpha: f64,
}

/// The occurrences of a marker at `phase` (0..=1 of the clip) in a stretch of playback, in the order
/// in which playback meets them. Their number is known at once ([`ExactSizeIterator::len`]), so a
/// hostile step over millions of laps can be cut off and counted.
///
/// A once-clip has lap 0 only: `to` may run past its end, and alpha then is the true crossing time.
/// Ping-pong meets a marker once in each leg and a turning point once. Of two markers at one
/// instant, phase 1 of a lap and phase 0 of the next, the one of the lap that ends comes first:
/// order equal alphas by lap, upward when playing forward and downward backward. An empty interval
/// has no occurrences unless `entry` makes it a point. A phase outside 0..=1 and an interval that
/// leaves the whole numbers of f64 (2^53) have none.
pub fn occurrences(phase: f64, interval: &Interval) -> Occurrences {
    let Interval { from, to, .. } = *interval;
    let countable = |u: f64| u.abs() <= (1_i64 << 53) as f64;
    let sane = (0.0..=1.0).contains(&phase) && countable(from) && countable(to);
    let none = Sequence::EMPTY;
    let sequences = match interval.mode {
        _ if !sane => [none, none],
        LoopMode::Once => [Sequence::new(phase, 1, interval).within(0, 0), none],
        LoopMode::Loop => {
            let (first, last) = laps_from_entry(interval);
            [Sequence::new(phase, 1, interval).within(first, last), none]
        }
        // A turning point belongs to two legs and is met once.
        LoopMode::PingPong if phase == 0.0 || phase == 1.0 => {
            [Sequence::new(phase, 2, interval), none]
        }
        LoopMode::PingPong => [
            Sequence::new(phase, 2, interval),
            Sequence::new(2.0 - phase, 2, interval),
        ],
    };
    Occurrences {
        interval: *interval,
        sequences,
    }
}

/// The laps that an entry leaves: none before the one that `from` begins, in running direction.
fn laps_from_entry(interval: &Interval) -> (i64, i64) {
    match (interval.entry, interval.forward()) {
        (false, _) => (i64::MIN, i64::MAX),
        (true, true) => (interval.from.floor() as i64, i64::MAX),
        (true, false) => (i64::MIN, interval.from.ceil() as i64 - 1),
    }
}

impl Interval {
    fn forward(&self) -> bool {
        self.to >= self.from
    }
}

/// Iterator of [`occurrences`].
#[derive(Clone, Debug)]
pub struct Occurrences {
    interval: Interval,
    sequences: [Sequence; 2],
}

impl Iterator for Occurrences {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        let Interval { from, to, .. } = self.interval;
        let forward = self.interval.forward();
        let [a, b] = &mut self.sequences;
        let sequence = match (a.peek(forward), b.peek(forward)) {
            (None, _) => b,
            (Some(at), Some(other)) if (other < at) == forward => b,
            (Some(_), _) => a,
        };
        let (place, lap) = (sequence.peek(forward)?, sequence.lap(forward));
        sequence.advance(forward);
        let alpha = if to == from {
            0.0
        } else {
            (place - from) / (to - from)
        };
        Some(Occurrence {
            lap,
            alpha: alpha.clamp(0.0, 1.0),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.sequences.iter().map(Sequence::len).sum();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Occurrences {}

/// The places `offset + period * index` for the indices from `low` to `high`.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    offset: f64,
    period: i64,
    low: i64,
    high: i64,
}

impl Sequence {
    const EMPTY: Self = Self {
        offset: 0.0,
        period: 1,
        low: 0,
        high: -1,
    };

    /// The indices whose places lie in the interval. Floor or ceiling of the same expression at both
    /// ends makes neighbouring intervals fit together whatever the rounding.
    fn new(offset: f64, period: i64, interval: &Interval) -> Self {
        let index = |u: f64| (u - offset) / period as f64;
        let (from, to) = (index(interval.from), index(interval.to));
        let (low, high) = match (interval.forward(), interval.entry) {
            (true, false) => (from.floor() + 1.0, to.floor()),
            (true, true) => (from.ceil(), to.floor()),
            (false, false) => (to.ceil(), from.ceil() - 1.0),
            (false, true) => (to.ceil(), from.floor()),
        };
        Self {
            offset,
            period,
            low: low as i64,
            high: high as i64,
        }
    }

    fn within(self, first: i64, last: i64) -> Self {
        Self {
            low: self.low.max(first),
            high: self.high.min(last),
            ..self
        }
    }

    fn len(&self) -> usize {
        usize::try_from(self.high.saturating_sub(self.low).saturating_add(1)).unwrap_or(0)
    }

    /// The place that playback meets next.
    fn peek(&self, forward: bool) -> Option<f64> {
        let index = if forward { self.low } else { self.high };
        (self.low <= self.high).then(|| self.offset + (self.period * index) as f64)
    }

    /// The lap or leg of the next place.
    fn lap(&self, forward: bool) -> i64 {
        let index = if forward { self.low } else { self.high };
        // Odd legs of ping-pong mirror the marker: their offset is 2 - m, above 1.
        self.period * index + i64::from(self.offset > 1.0)
    }

    fn advance(&mut self, forward: bool) {
        if forward {
            self.low += 1;
        } else {
            self.high -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    fn interval(from: f64, to: f64, entry: bool, mode: LoopMode) -> Interval {
        Interval {
            from,
            to,
            entry,
            mode,
        }
    }

    /// Occurrences over `steps` equal steps, the first one an entry where `entry`.
    fn count(phase: f64, from: f64, step: f64, steps: usize, entry: bool, mode: LoopMode) -> usize {
        let clock = |i: usize| from + step * i as f64;
        (0..steps)
            .map(|i| interval(clock(i), clock(i + 1), entry && i == 0, mode))
            .map(|interval| occurrences(phase, &interval).count())
            .sum()
    }

    #[test]
    fn a_marker_at_zero_fires_in_every_loop_and_at_entry_where_entry_is_inclusive() {
        assert_eq!(count(0.0, 0.0, 0.125, 24, false, LoopMode::Loop), 3);
        assert_eq!(count(0.0, 0.0, 0.125, 24, true, LoopMode::Loop), 4);
        assert_eq!(count(0.5, 0.0, 0.125, 24, false, LoopMode::Loop), 3);
        assert_eq!(count(0.5, 0.0, 0.125, 24, true, LoopMode::Loop), 3);
        let one_step: usize = [0.0, 0.5]
            .map(|phase| count(phase, 0.0, 2.0, 1, true, LoopMode::Loop))
            .iter()
            .sum();
        assert_eq!(one_step, 5);
    }

    #[test]
    fn a_marker_at_the_end_fires_once_a_lap_and_not_while_a_once_clip_holds() {
        for entry in [false, true] {
            assert_eq!(count(1.0, 0.0, 0.1, 50, entry, LoopMode::Loop), 5);
            assert_eq!(count(1.0, 0.0, 0.1, 10, entry, LoopMode::Once), 1);
            assert_eq!(count(1.0, 0.0, 0.1, 30, entry, LoopMode::Once), 1);
        }
    }

    #[test]
    fn backward_play_fires_each_marker_once() {
        assert_eq!(count(0.5, 1.0, -0.1, 10, true, LoopMode::Once), 1);
        assert_eq!(count(0.5, 1.0, -0.1, 30, true, LoopMode::Once), 1);
        assert_eq!(count(0.0, 1.0, -0.1, 30, true, LoopMode::Once), 1);
        // Entering at the end of lap 0 backward: its own end belongs, the next lap's start does not.
        assert_eq!(count(1.0, 1.0, -0.25, 3, true, LoopMode::Loop), 1);
        assert_eq!(count(0.0, 1.0, -0.25, 4, true, LoopMode::Loop), 1);
    }

    #[test]
    fn counts_are_the_closed_form_and_the_sum_over_any_partition() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            let phase = match random.below(4) {
                0 => 0.0,
                1 => 1.0,
                2 => f64::from(random.below(8)) / 8.0,
                _ => random.unit(),
            };
            let mode =
                [LoopMode::Loop, LoopMode::PingPong, LoopMode::Once][random.below(3) as usize];
            let (from, to) = (random.range(-5.0, 5.0), random.range(-5.0, 5.0));
            let whole = occurrences(phase, &interval(from, to, false, mode)).len();
            if mode == LoopMode::Loop {
                let expected = if to >= from {
                    (to - phase).floor() - (from - phase).floor()
                } else {
                    (from - phase).ceil() - (to - phase).ceil()
                };
                assert_eq!(whole as f64, expected, "{phase} {from} {to}");
            }
            let mut cuts: Vec<f64> = (0..random.below(12)).map(|_| random.unit()).collect();
            cuts.extend([0.0, 1.0]);
            cuts.sort_by(f64::total_cmp);
            let place = |cut: f64| {
                if cut == 1.0 {
                    to
                } else {
                    from + (to - from) * cut
                }
            };
            let parts: usize = cuts
                .windows(2)
                .map(|pair| {
                    occurrences(
                        phase,
                        &interval(place(pair[0]), place(pair[1]), false, mode),
                    )
                })
                .map(Iterator::count)
                .sum();
            assert_eq!(parts, whole, "{phase} {mode:?} {from} {to} {cuts:?}");
        }
    }

    #[test]
    fn turning_there_and_back_at_a_marker_fires_it_once() {
        let there = interval(0.2, 0.5, false, LoopMode::Loop);
        let back = interval(0.5, 0.2, false, LoopMode::Loop);
        let again = interval(0.2, 0.3, false, LoopMode::Loop);
        let counts = [0.5, 0.2].map(|m| [there, back, again].map(|i| occurrences(m, &i).count()));
        assert_eq!(counts, [[1, 0, 0], [0, 1, 0]]);
    }

    #[test]
    fn ping_pong_meets_a_marker_in_every_leg_and_a_turning_point_once() {
        let four_legs = interval(0.0, 4.0, false, LoopMode::PingPong);
        let met = |phase: f64| {
            occurrences(phase, &four_legs)
                .map(|o| (o.lap, (o.alpha * 400.0).round() as i32))
                .collect::<Vec<_>>()
        };
        assert_eq!(met(0.25), [(0, 25), (1, 175), (2, 225), (3, 375)]);
        assert_eq!(met(1.0), [(0, 100), (2, 300)]);
        assert_eq!(met(0.0), [(2, 200), (4, 400)]);
    }

    #[test]
    fn the_end_of_a_lap_comes_before_the_start_of_the_next() {
        for (from, to) in [(0.5, 1.5), (1.5, 0.5)] {
            let step = interval(from, to, false, LoopMode::Loop);
            let mut met: Vec<(f64, i64)> = [0.0, 1.0]
                .iter()
                .flat_map(|&m| occurrences(m, &step))
                .map(|o| (o.alpha, if from < to { o.lap } else { -o.lap }))
                .collect();
            met.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
            let laps: Vec<i64> = met.iter().map(|(_, lap)| lap.abs()).collect();
            assert_eq!(laps, if from < to { [0, 1] } else { [1, 0] });
        }
    }

    #[test]
    fn a_huge_step_is_counted_without_being_walked_and_nonsense_has_none() {
        let laps = occurrences(0.5, &interval(0.0, 1e15, false, LoopMode::Loop));
        assert_eq!(laps.len(), 1_000_000_000_000_000);
        assert_eq!(laps.take(2).count(), 2);
        for (phase, from, to) in [
            (f64::NAN, 0.0, 1.0),
            (2.0, 0.0, 9.0),
            (0.5, f64::NAN, 1.0),
            (0.5, 0.0, f64::INFINITY),
            (0.5, -1e300, 1e300),
        ] {
            let all = occurrences(phase, &interval(from, to, true, LoopMode::Loop));
            assert_eq!(all.len(), 0, "{phase} {from} {to}");
        }
    }

    #[test]
    fn an_entry_without_time_fires_what_stands_there_and_the_next_step_does_not_again() {
        let entry = interval(0.5, 0.5, true, LoopMode::Loop);
        assert_eq!(occurrences(0.5, &entry).count(), 1);
        let next = interval(0.5, 0.75, false, LoopMode::Loop);
        assert_eq!(occurrences(0.5, &next).count(), 0);
        assert_eq!(
            occurrences(0.5, &interval(0.5, 0.5, false, LoopMode::Loop)).count(),
            0
        );
    }
}
