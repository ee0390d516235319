//! Where a state stands so that its markers go on from those of another: the same share of the way
//! between the same two markers.

use super::compiled::{LeafMarker, State};
use super::motion::{Context, Part};

/// The clock of `to` at the same share of the way between the same two markers as `phase` is in
/// `from`: in the interval that leads from the same name to the same name, else in one that begins with
/// the same name, else in the one with the same number; of several that which is nearest to `near`.
/// None where they have no marker name in common; only such names count.
///
/// Of a blend, the heaviest leaf counts. The last interval of a lap leads to the first marker of the next.
pub(super) fn aligned(
    cx: &Context<'_>,
    from: &State,
    phase: f64,
    to: &State,
    near: f64,
) -> Option<f64> {
    let [from, to] = [from, to].map(|state| heaviest(cx, state));
    let from = Common {
        own: from,
        other: to,
    };
    let to = Common {
        own: to,
        other: from.own,
    };
    let (number, position) = from
        .intervals()
        .zip(0_usize..)
        .map(|(interval, number)| (number, interval))
        .find(|(_, interval)| interval.holds(phase))?;
    let share = position.share(phase);
    let rank = |interval: &Interval, own: usize| {
        let same_pair = interval.names == position.names;
        let same_name = interval.names[0] == position.names[0];
        (!same_pair, !same_name, own != number)
    };
    let mut best: Option<((bool, bool, bool), f64, f64)> = None;
    for (interval, own) in to.intervals().zip(0..) {
        let place = interval.begin + share * (interval.end - interval.begin);
        let place = place + (near - place).round();
        let rank = rank(&interval, own);
        // Among intervals of the right names, the nearest counts and not the number.
        let key = (rank.0, rank.1, rank.1 && rank.2);
        let distance = (near - place).abs();
        let better = best.is_none_or(|(known, far, _)| (key, distance) < (known, far));
        if better {
            best = Some((key, distance, place));
        }
    }
    best.map(|(_, _, place)| place)
}

/// The markers of a leaf whose names another leaf has too.
struct Common<'a> {
    own: &'a [LeafMarker],
    other: &'a [LeafMarker],
}

/// From one marker to the next.
#[derive(Clone, Copy)]
struct Interval {
    names: [u16; 2],
    begin: f64,
    /// Above 1 across the end of the lap.
    end: f64,
}

impl Common<'_> {
    fn markers(&self) -> impl Iterator<Item = &LeafMarker> + Clone {
        let shared = |marker: &&LeafMarker| self.other.iter().any(|own| own.name == marker.name);
        self.own.iter().filter(shared)
    }

    fn intervals(&self) -> impl Iterator<Item = Interval> {
        let first = self
            .markers()
            .next()
            .map(|first| (first.name, first.phase + 1.0));
        let next = self
            .markers()
            .skip(1)
            .map(|marker| (marker.name, marker.phase));
        let next = next.chain(first);
        self.markers()
            .zip(next)
            .map(|(marker, (name, end))| Interval {
                names: [marker.name, name],
                begin: marker.phase,
                end,
            })
    }
}

impl Interval {
    fn holds(&self, phase: f64) -> bool {
        let within = |phase: f64| self.begin <= phase && phase < self.end;
        within(phase) || within(phase + 1.0)
    }

    fn share(&self, phase: f64) -> f64 {
        let phase = if phase < self.begin {
            phase + 1.0
        } else {
            phase
        };
        let length = self.end - self.begin;
        if length > 0.0 {
            (phase - self.begin) / length
        } else {
            0.0
        }
    }
}

fn heaviest<'a>(cx: &Context<'_>, state: &'a State) -> &'a [LeafMarker] {
    let mut heaviest: (Option<u16>, f32) = (None, 0.0);
    cx.parts(state, 1.0, &mut |part, weight| match part {
        Part::Leaf(leaf) if weight > heaviest.1 => heaviest = (Some(leaf), weight),
        _ => {}
    });
    let leaf = heaviest.0.map(|leaf| &state.leaves[usize::from(leaf)]);
    leaf.map_or(&[], |leaf| &leaf.markers)
}
