//! Where the markers lie that others keep step with.

use super::compiled::{State, SyncTrack};
use super::motion::{Context, Part};

/// Most leaves of a state, and room for their weights.
const MAX_LEAVES: usize = 256;

/// The markers of a state by the weights of its leaves: of the heaviest group of leaves, the mean of where they lie.
/// So they move as the weights do and jump only where another group becomes the heaviest.
pub(super) struct Track<'a> {
    sync: &'a SyncTrack,
    /// By leaf of the state.
    weights: [f32; MAX_LEAVES],
    /// Of the group.
    sum: f64,
}

/// From one marker to the next.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) names: [u16; 2],
    pub(super) begin: f64,
    /// Less than a lap after the begin, or a whole one.
    pub(super) end: f64,
}

/// Those markers of a track whose names another one has too.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    own: &'a Track<'a>,
    other: &'a Track<'a>,
}

/// A place between two markers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat {
    /// The interval, counted through all laps.
    pub(super) number: i64,
    /// How much of the way to the next marker, 0 to 1.
    pub(super) share: f64,
}

impl<'a> Track<'a> {
    /// None where nothing with markers has weight.
    pub(super) fn of(cx: &Context<'_>, state: &'a State) -> Option<Self> {
        if state.sync_tracks.is_empty() {
            return None;
        }
        let mut weights = [0.0; MAX_LEAVES];
        cx.parts(state, 1.0, &mut |part, weight| {
            if let Part::Leaf(leaf) = part
                && let Some(own) = weights.get_mut(usize::from(leaf))
            {
                *own += weight;
            }
        });
        let sum = |sync: &SyncTrack| {
            let own = sync
                .leaves
                .iter()
                .map(|leaf| weights.get(usize::from(*leaf)));
            own.flatten().map(|weight| f64::from(*weight)).sum::<f64>()
        };
        let mut heaviest: Option<(&SyncTrack, f64)> = None;
        for sync in &state.sync_tracks {
            let own = sum(sync);
            if own > heaviest.map_or(0.0, |(_, most)| most) {
                heaviest = Some((sync, own));
            }
        }
        let (sync, sum) = heaviest?;
        Some(Self { sync, weights, sum })
    }

    /// Where a marker lies, in laps; may be outside of the lap.
    fn place(&self, marker: usize) -> f64 {
        let own = self.sync.leaves.iter().zip(&self.sync.places);
        let weighted =
            own.map(|(leaf, places)| f64::from(self.weights[usize::from(*leaf)]) * places[marker]);
        weighted.sum::<f64>() / self.sum
    }
}

impl<'a> Common<'a> {
    /// Of two tracks, what both have, each in its own order; none where they have no name in common.
    pub(super) fn of([a, b]: [&'a Track<'a>; 2]) -> Option<[Self; 2]> {
        let both = [Self { own: a, other: b }, Self { own: b, other: a }];
        (both[0].count() > 0).then_some(both)
    }

    fn markers(self) -> impl Iterator<Item = (u16, usize)> {
        let names = self.own.sync.names.iter().zip(0..);
        let shared = names.filter(move |(name, _)| self.other.sync.names.contains(name));
        shared.map(|(name, index)| (*name, index))
    }

    /// Markers, and intervals, in a lap.
    pub(super) fn count(self) -> usize {
        self.markers().count()
    }

    pub(super) fn intervals(self) -> impl Iterator<Item = Interval> {
        let places = move || {
            let markers = self.markers();
            markers.map(move |(name, index)| (name, self.own.place(index)))
        };
        let first = places().next().map(|(name, place)| (name, place + 1.0));
        let next = places().skip(1).chain(first);
        places()
            .zip(next)
            .map(|((name, begin), (next, end))| Interval {
                names: [name, next],
                begin,
                end,
            })
    }

    /// The interval of this number, counted through all laps, and the laps before it.
    pub(super) fn interval(self, number: i64) -> Option<(Interval, f64)> {
        let count = self.count() as i64;
        let within = number.checked_rem_euclid(count)?;
        let interval = self.intervals().nth(within as usize)?;
        Some((interval, number.div_euclid(count) as f64))
    }

    /// Between which markers a clock stands.
    pub(super) fn beat(self, cycles: f64) -> Option<Beat> {
        let first = self.intervals().next()?.begin;
        let lap = (cycles - first).floor();
        let phase = cycles - lap;
        let numbered = self.intervals().zip(0_i64..);
        let (interval, number) = numbered
            .filter(|(interval, number)| *number == 0 || interval.begin <= phase)
            .last()?;
        Some(Beat {
            number: (lap as i64)
                .saturating_mul(self.count() as i64)
                .saturating_add(number),
            share: interval.share(phase),
        })
    }

    /// The clock at a beat.
    pub(super) fn cycles(self, beat: Beat) -> Option<f64> {
        let (interval, lap) = self.interval(beat.number)?;
        Some(lap + interval.at(beat.share))
    }
}

impl Interval {
    pub(super) fn at(&self, share: f64) -> f64 {
        self.begin + share * (self.end - self.begin)
    }

    fn share(&self, phase: f64) -> f64 {
        let length = self.end - self.begin;
        if length > 0.0 {
            ((phase - self.begin) / length).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}
