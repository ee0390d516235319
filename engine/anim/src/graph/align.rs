//! Where a state stands so that its markers go on from those of another: the same share of the way
//! between the same two markers.

use super::compiled::State;
use super::motion::Context;
use super::track::{Beat, Common, Interval, Track};

/// The clock of `to` at the same share of the way between the same two markers as `phase` is in
/// `from`: in the interval that leads from the same name to the same name, else in one that begins with
/// the same name, else in the one with the same number; of several that which is nearest to `near`.
/// None where they have no marker name in common; only such names count.
///
/// The last interval of a lap leads to the first marker of the next.
pub(super) fn aligned(
    cx: &Context<'_>,
    from: &State,
    phase: f64,
    to: &State,
    near: f64,
) -> Option<f64> {
    let tracks = (Track::of(cx, from)?, Track::of(cx, to)?);
    let [from, to] = Common::of([&tracks.0, &tracks.1])?;
    beside(from.beat(phase)?, [from, to], near)
}

/// The clock of `to` when that of `from` has gone on from one place to another, both in laps: as many markers
/// further, however many that are, where it is between the same two markers now; else it comes to be so.
/// None where they have no marker name in common.
pub(super) fn kept_in_step(
    cx: &Context<'_>,
    from: &State,
    [before, after]: [f64; 2],
    to: &State,
    cycles: f64,
) -> Option<f64> {
    let tracks = (Track::of(cx, from)?, Track::of(cx, to)?);
    let [from, to] = Common::of([&tracks.0, &tracks.1])?;
    let [before_beat, beat] = [from.beat(before)?, from.beat(after)?];
    let own = to.beat(cycles)?;
    let ahead = own.number.saturating_sub(before_beat.number) as f64;
    let ahead = (ahead + own.share - before_beat.share).round() as i64;
    let along = Beat {
        number: beat.number.saturating_add(ahead),
        share: beat.share,
    };
    let names = |(interval, _): (Interval, f64)| interval.names;
    if to.interval(along.number).map(names) == from.interval(beat.number).map(names) {
        return to.cycles(along);
    }
    let laps = from.count() as f64 / to.count() as f64;
    beside(beat, [from, to], cycles + (after - before) * laps)
}

/// The place in `to`, nearest to `near`, that is like a beat of `from`.
fn beside(beat: Beat, [from, to]: [Common<'_>; 2], near: f64) -> Option<f64> {
    let (position, _) = from.interval(beat.number)?;
    let number = beat.number.rem_euclid(from.count() as i64);
    let mut best: Option<((bool, bool, bool), f64, f64)> = None;
    for (interval, own) in to.intervals().zip(0..) {
        let place = interval.at(beat.share);
        let place = place + (near - place).round();
        let same_pair = interval.names == position.names;
        let same_name = interval.names[0] == position.names[0];
        // Among intervals of the right names, the nearest counts and not the number.
        let key = (!same_pair, !same_name, !same_name && own != number);
        let distance = (near - place).abs();
        let better = best.is_none_or(|(known, far, _)| (key, distance) < (known, far));
        if better {
            best = Some((key, distance, place));
        }
    }
    best.map(|(_, _, place)| place)
}
