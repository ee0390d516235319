//! The numbers of markers that the leaves of a choir share.

use super::compiled::{Choir, Leaf, LeafMarker, SharedMarker, State};
use super::stretch::Stretch;
use crate::LoopMode;

/// The occurrences of a shared name in one leaf, numbered through all laps.
pub(super) struct Count<'a> {
    state: &'a State,
    pub(super) marker: &'a SharedMarker,
    /// The leaf as a place in the choir.
    pub(super) place: u16,
    /// And in [`State::leaves`].
    pub(super) leaf: u16,
    /// A once-clip has one lap, so that nothing lies near anything across its boundary.
    once: bool,
    laps: [i64; 2],
}

impl<'a> Count<'a> {
    pub(super) fn new(
        state: &'a State,
        choir: &Choir,
        marker: &'a SharedMarker,
        place: u16,
        stretch: &Stretch,
    ) -> Self {
        Self {
            state,
            marker,
            place,
            leaf: choir.leaves[usize::from(place)],
            once: stretch.interval.mode == LoopMode::Once,
            laps: stretch.laps,
        }
    }

    pub(super) fn markers(&self) -> &'a [LeafMarker] {
        let leaf: &Leaf = &self.state.leaves[usize::from(self.leaf)];
        &leaf.markers
    }

    /// The leaf's markers of the name.
    pub(super) fn own(&self) -> &'a [u16] {
        &self.marker.own[usize::from(self.place)]
    }

    fn shift(&self) -> i64 {
        let shift = self.marker.shift[usize::from(self.place)];
        if self.once { 0 } else { i64::from(shift) }
    }

    pub(super) fn number(&self, lap: i64, within: i64) -> i64 {
        let first = lap.saturating_mul(i64::from(self.marker.shared));
        first.saturating_add(within + self.shift())
    }

    /// Numbers of the occurrences in the laps that a rounding of `cycles - phase` gives.
    fn numbers(&self, cycles: f64, lap: impl Fn(f64) -> i64) -> impl Iterator<Item = i64> {
        let phases = self
            .own()
            .iter()
            .map(|&at| self.markers()[usize::from(at)].phase);
        let numbers = phases.zip(0_i64..);
        numbers.map(move |(phase, within)| self.number(lap(cycles - phase), within))
    }

    /// One past the last number that lies at or before `cycles`.
    pub(super) fn passed(&self, cycles: f64) -> i64 {
        let [first, last] = self.laps;
        let lap = |laps: f64| (laps.floor() as i64).clamp(first.saturating_sub(1), last);
        let number = self.numbers(cycles, lap).max();
        number.unwrap_or(0).saturating_add(1)
    }

    /// The first number that lies at or after `cycles`.
    pub(super) fn ahead(&self, cycles: f64) -> i64 {
        let [first, last] = self.laps;
        let lap = |laps: f64| (laps.ceil() as i64).clamp(first, last.saturating_add(1));
        self.numbers(cycles, lap).min().unwrap_or(0)
    }

    /// What lies before it in running direction is past when the stretch begins.
    pub(super) fn bound(&self, stretch: &Stretch) -> i64 {
        if stretch.forwards() == stretch.interval.entry {
            self.ahead(stretch.interval.from)
        } else {
            self.passed(stretch.interval.from)
        }
    }

    /// Where in [`Leaf::markers`] a number lies, and in which lap.
    pub(super) fn marker_of(&self, number: i64) -> (usize, i64) {
        let shared = i64::from(self.marker.shared);
        let own = number.saturating_sub(self.shift());
        let within = own.rem_euclid(shared) as usize;
        (usize::from(self.own()[within]), own.div_euclid(shared))
    }
}
