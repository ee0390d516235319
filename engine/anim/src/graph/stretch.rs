//! A stretch of a playing clock, as markers and windows are looked for in it.

use crate::{Interval, LoopMode, Occurrence, occurrences};

/// A stretch of a playing clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) interval: Interval,
    /// The first and the last lap that exist.
    pub(super) laps: [i64; 2],
}

impl Stretch {
    /// From one place in laps to another; `entry` where the first belongs to it.
    pub(super) fn new(mode: LoopMode, from: f64, to: f64, entry: bool) -> Self {
        let laps = match (mode, entry) {
            (LoopMode::Once, _) => [0, 0],
            (LoopMode::Loop, true) if to >= from => [from.floor() as i64, i64::MAX],
            (LoopMode::Loop, true) => [i64::MIN, (from.ceil() as i64).saturating_sub(1)],
            (LoopMode::Loop | LoopMode::PingPong, _) => [i64::MIN, i64::MAX],
        };
        let interval = Interval {
            from,
            to,
            entry,
            mode,
        };
        Self { interval, laps }
    }

    /// Of a looping clock whose laps belong to different things: what lies where one lap ends and the
    /// next begins is heard as part of the lap that it is of. A `fresh` clock begins as it was made to.
    pub(super) fn by_whole_laps(mut self, fresh: bool) -> Self {
        let Interval { from, to, .. } = self.interval;
        if self.stands() {
            return self;
        }
        if !fresh && from.fract() == 0.0 {
            self = Self::new(self.interval.mode, from, to, true);
        }
        if to.fract() == 0.0 {
            if to > from {
                self.laps[1] = to as i64 - 1;
            } else {
                self.laps[0] = to as i64;
            }
        }
        self
    }

    /// As windows are followed that close so late: one that closes in the lap after its own may be open where the
    /// first lap begins.
    pub(super) fn with_windows_to(mut self, end: f64) -> Self {
        if end > 1.0 {
            self.laps[0] = self.laps[0].saturating_sub(1);
        }
        self
    }

    pub(super) fn forwards(&self) -> bool {
        self.interval.to >= self.interval.from
    }

    /// Whether no time passes in it.
    pub(super) fn stands(&self) -> bool {
        self.interval.to == self.interval.from
    }

    /// The occurrences of a phase, in the order in which playback meets them.
    pub(super) fn occurrences(&self, phase: f64) -> impl Iterator<Item = Occurrence> {
        let [first, last] = self.laps;
        let found = occurrences(phase, &self.interval);
        found.filter(move |occurrence| (first..=last).contains(&occurrence.lap))
    }

    /// How many there are, without walking over them; one more at most where the last one lies on the
    /// boundary of [`Stretch::by_whole_laps`].
    pub(super) fn count(&self, phase: f64) -> usize {
        occurrences(phase, &self.interval).len()
    }
}
