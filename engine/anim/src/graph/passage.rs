//! How a clock comes by a window: where it goes in and where it comes out.
//!
//! What a stretch comes by follows from roundings of `cycles - place` as for markers, so any partition
//! of the same time gives the same.

use super::advance::MAX_MARKERS;
use super::stretch::Stretch;
use crate::LoopMode;

/// The clock comes into a window or out of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) begins: bool,
    /// The lap of the window; in ping-pong the leg.
    pub(super) lap: i64,
    /// Where in the stretch, 0 to 1.
    pub(super) alpha: f64,
}

/// How a window stands at the end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Followed {
    /// The lap in which it is open.
    pub(super) open: Option<i64>,
    /// How far an open one has come, 0 to 1 in running direction.
    pub(super) progress: f32,
    /// Laps whose begin and end were left out, since there are more than [`MAX_MARKERS`].
    pub(super) lost: usize,
}

/// Follows a window from `begin` to `end` (phases, 0 to 1) through a stretch. `open` is the lap in
/// which it is open before; nothing begins unless `may_begin`.
pub(super) fn follow(
    [begin, end]: [f64; 2],
    stretch: &Stretch,
    open: Option<i64>,
    may_begin: bool,
    tell: &mut dyn FnMut(Edge),
) -> Followed {
    if begin >= end {
        return instants(begin, stretch, open, may_begin, tell);
    }
    let legs = match stretch.interval.mode {
        LoopMode::PingPong => [
            Some((begin, end, 2, 0)),
            Some((2.0 - end, 2.0 - begin, 2, 1)),
        ],
        LoopMode::Once | LoopMode::Loop => [Some((begin, end, 1, 0)), None],
    };
    let mut after = Followed::default();
    for (begin, end, period, odd) in legs.into_iter().flatten() {
        let passage = Passage {
            places: [begin, end],
            period,
            odd,
            stretch,
            may_begin,
        };
        let own = open.filter(|lap| lap.rem_euclid(period) == odd);
        passage.follow(own, tell, &mut after);
    }
    after
}

/// A window without length begins and ends wherever a marker would be met.
fn instants(
    phase: f64,
    stretch: &Stretch,
    open: Option<i64>,
    may_begin: bool,
    tell: &mut dyn FnMut(Edge),
) -> Followed {
    if let Some(lap) = open {
        tell(Edge {
            begins: false,
            lap,
            alpha: 0.0,
        });
    }
    if !may_begin {
        return Followed::default();
    }
    for occurrence in stretch.occurrences(phase).take(MAX_MARKERS) {
        for begins in [true, false] {
            tell(Edge {
                begins,
                lap: occurrence.lap,
                alpha: occurrence.alpha,
            });
        }
    }
    Followed {
        lost: stretch.count(phase).saturating_sub(MAX_MARKERS),
        ..Followed::default()
    }
}

/// The visits to a window that lies at `places` and at whole multiples of `period` from there.
struct Passage<'a> {
    places: [f64; 2],
    period: i64,
    /// What a lap leaves when it is divided by the period.
    odd: i64,
    stretch: &'a Stretch,
    may_begin: bool,
}

/// Visits counted in running direction.
struct Visits {
    forwards: bool,
    /// Where the visit of number 0 starts and stops.
    start: f64,
    stop: f64,
    period: f64,
    first: i64,
    last: i64,
}

impl Visits {
    /// The last visit that has started at a place.
    fn started(&self, at: f64) -> i64 {
        self.number(at - self.start)
    }

    /// The last visit that has stopped: also by rounding, none starts before the one in front of it has.
    fn stopped(&self, at: f64) -> i64 {
        let before = self.started(at).saturating_sub(1);
        self.number(at - self.stop).max(before)
    }

    fn number(&self, laps: f64) -> i64 {
        let number = (laps / self.period).floor() as i64;
        number.clamp(self.first.saturating_sub(1), self.last)
    }

    /// The visit that goes on at a place.
    fn inside(&self, at: f64) -> Option<i64> {
        let visit = self.started(at);
        (visit > self.stopped(at)).then_some(visit)
    }

    /// A place on the clock, as visits count.
    fn place(&self, cycles: f64) -> f64 {
        if self.forwards { cycles } else { -cycles }
    }
}

impl Passage<'_> {
    fn visits(&self, forwards: bool) -> Visits {
        let [begin, end] = self.places;
        let [first, last] = self.stretch.laps;
        let (start, stop) = if forwards {
            (begin, end)
        } else {
            (-end, -begin)
        };
        let [first, last] = if forwards {
            [first, last]
        } else {
            [last.saturating_neg(), first.saturating_neg()]
        };
        Visits {
            forwards,
            start,
            stop,
            period: self.period as f64,
            first,
            last,
        }
    }

    fn lap(&self, visit: i64, forwards: bool) -> i64 {
        let index = if forwards {
            visit
        } else {
            visit.saturating_neg()
        };
        index.saturating_mul(self.period).saturating_add(self.odd)
    }

    fn follow(&self, open: Option<i64>, tell: &mut dyn FnMut(Edge), after: &mut Followed) {
        let (from, to) = (self.stretch.interval.from, self.stretch.interval.to);
        if self.stretch.stands() {
            return self.stand(from, open, tell, after);
        }
        let forwards = self.stretch.forwards();
        let visits = self.visits(forwards);
        let (from, to) = (visits.place(from), visits.place(to));
        let lap = |visit| self.lap(visit, forwards);
        let alpha = |place: f64, visit: i64| {
            let place = place + visits.period * visit as f64;
            ((place - from) / (to - from)).clamp(0.0, 1.0)
        };
        let mut edge = |begins, lap, alpha| tell(Edge { begins, lap, alpha });
        let stopped = visits.stopped(to);
        let mut going = None;
        match (visits.inside(from), open) {
            (Some(visit), Some(_)) => going = Some(visit),
            (Some(visit), None) if self.may_begin => {
                edge(true, lap(visit), 0.0);
                going = Some(visit);
            }
            (None, Some(open)) => edge(false, open, 0.0),
            (_, None) => {}
        }
        if let Some(visit) = going.take_if(|visit| *visit <= stopped) {
            edge(false, lap(visit), alpha(visits.stop, visit));
        }
        let (before, started) = (visits.started(from), visits.started(to));
        if self.may_begin && started > before {
            let through = stopped.min(started).saturating_sub(before).max(0);
            let most = i64::try_from(MAX_MARKERS).unwrap_or(i64::MAX);
            for visit in before + 1..=before.saturating_add(through.min(most)) {
                edge(true, lap(visit), alpha(visits.start, visit));
                edge(false, lap(visit), alpha(visits.stop, visit));
            }
            let lost = usize::try_from(through.saturating_sub(most)).unwrap_or(0);
            after.lost = after.lost.saturating_add(lost);
            if started > stopped {
                edge(true, lap(started), alpha(visits.start, started));
                going = Some(started);
            }
        }
        if let Some(visit) = going {
            after.open = Some(lap(visit));
            let start = visits.start + visits.period * visit as f64;
            let share = (to - start) / (visits.stop - visits.start);
            after.progress = share.clamp(0.0, 1.0) as f32;
        }
    }

    /// A clock that stands still leaves a window open where it is inside in either direction, and
    /// opens one where it is inside in both.
    fn stand(&self, at: f64, open: Option<i64>, tell: &mut dyn FnMut(Edge), after: &mut Followed) {
        let [up, down] = [true, false].map(|forwards| {
            let visits = self.visits(forwards);
            visits
                .inside(visits.place(at))
                .map(|visit| self.lap(visit, forwards))
        });
        let lap = match open {
            Some(_) => up.or(down),
            None => up.and(down).filter(|_| self.may_begin),
        };
        let edge = |begins, lap| Edge {
            begins,
            lap,
            alpha: 0.0,
        };
        match (open, lap) {
            (None, Some(lap)) => tell(edge(true, lap)),
            (Some(open), None) => tell(edge(false, open)),
            _ => {}
        }
        if let Some(lap) = lap {
            let [begin, end] = self.places;
            let index = lap.div_euclid(self.period) * self.period;
            let share = (at - index as f64 - begin) / (end - begin);
            after.open = Some(lap);
            after.progress = share.clamp(0.0, 1.0) as f32;
        }
    }
}

#[cfg(test)]
mod tests;
