//! Where a state begins so that its markers go on from those of the state that is left.

use super::compiled::{LeafMarker, State};
use super::motion::{Context, Part};

/// The phase of `to` between the same two markers, at the same share of the way, as `phase` is in
/// `from`: the interval that leads from the same name to the same name, else one that begins with the
/// same name, else the one with the same number. The phase itself where either has no markers.
///
/// Of a blend, the heaviest leaf counts. Markers are those of the leaves, across the end of the lap.
pub(super) fn aligned(cx: &Context<'_>, from: &State, phase: f64, to: &State) -> f64 {
    let [from, to] = [from, to].map(|state| heaviest(cx, state));
    if from.is_empty() || to.is_empty() {
        return phase;
    }
    let passed = from.iter().rposition(|marker| marker.phase <= phase);
    // Before the first marker of a lap the interval began with the last of the lap before.
    let index = passed.unwrap_or(from.len() - 1);
    let (begin, end) = interval(from, index);
    let length = end - begin;
    let into = if passed.is_some() {
        phase - begin
    } else {
        phase + 1.0 - begin
    };
    let share = if length > 0.0 { into / length } else { 0.0 };

    let names = |markers: &[LeafMarker], index: usize| {
        [index, (index + 1) % markers.len()].map(|index| markers[index].name)
    };
    let wanted = names(from, index);
    let places = 0..to.len();
    let same_pair = places.clone().find(|&place| names(to, place) == wanted);
    let same_name = || places.clone().find(|&place| to[place].name == wanted[0]);
    let place = same_pair.or_else(same_name).unwrap_or(index % to.len());
    let (begin, end) = interval(to, place);
    let aligned = begin + share * (end - begin);
    aligned - aligned.floor()
}

/// Where the interval after a marker begins and ends, the end beyond 1 across the end of the lap.
fn interval(markers: &[LeafMarker], index: usize) -> (f64, f64) {
    let begin = markers[index].phase;
    let end = markers.get(index + 1);
    let end = end.map_or(markers[0].phase + 1.0, |marker| marker.phase);
    (begin, end)
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
