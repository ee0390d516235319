//! By which markers states keep step: their clips in groups whose markers follow each other in the same order.

use std::collections::BTreeSet;

use super::cycle::rotations;
use crate::graph::compiled::{Leaf, SyncTrack};

/// Most markers of a leaf that others keep step with; a step looks at each of them.
const MAX_SYNC_MARKERS: usize = 32;

/// Most groups of a state; what fits none of them keeps step by phase.
const MAX_GROUPS: usize = 4;

/// Markers in the order of a lap: names and where, 0 up to 1.
type Beats = Vec<(u16, f64)>;

/// The groups of the leaves that play by the clock of a state and are not laid over others. A leaf goes into the
/// first group with which it has names in common that follow each other in the same order; the group goes by those.
pub(super) fn sync_tracks(leaves: &[Leaf]) -> Vec<SyncTrack> {
    let mut groups: Vec<Vec<(u16, Beats)>> = Vec::new();
    for (leaf, index) in leaves.iter().zip(0_u16..) {
        if leaf.choir != 0 || leaf.scrubbed {
            continue;
        }
        let own = beats(leaf);
        if own.is_empty() {
            continue;
        }
        let is_full = groups.len() >= MAX_GROUPS;
        let joined = groups.iter_mut().find_map(|group| {
            let names = common(&group[0].1, &own);
            let [first, own] = [&group[0].1, &own].map(|beats| of_names(beats, &names));
            let fits = first.len() == own.len() && nearest_rotation(&own, &first).is_some();
            fits.then_some((group, names))
        });
        match joined {
            Some((group, names)) => {
                group.push((index, own));
                for (_, beats) in group {
                    *beats = of_names(beats, &names);
                }
            }
            None if is_full => {}
            None => groups.push(vec![(index, own)]),
        }
    }
    groups.into_iter().map(track).collect()
}

/// The markers of a leaf. What lies at the end of the lap lies at its beginning.
fn beats(leaf: &Leaf) -> Beats {
    let markers = leaf.markers.iter();
    let round = |phase: f64| if phase >= 1.0 { 0.0 } else { phase };
    let mut beats: Beats = markers
        .map(|marker| (marker.name, round(marker.phase)))
        .collect();
    beats.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    beats.dedup();
    if beats.len() > MAX_SYNC_MARKERS {
        beats.clear();
    }
    beats
}

fn common(a: &Beats, b: &Beats) -> BTreeSet<u16> {
    let [a, b] = [a, b].map(|beats| beats.iter().map(|(name, _)| *name).collect());
    BTreeSet::intersection(&a, &b).copied().collect()
}

fn of_names(beats: &Beats, names: &BTreeSet<u16>) -> Beats {
    let own = beats.iter().filter(|(name, _)| names.contains(name));
    own.copied().collect()
}

/// The marker from which on the names are those of `first`; of several the one whose markers lie nearest.
fn nearest_rotation(own: &Beats, first: &Beats) -> Option<usize> {
    let names = |beats: &Beats| beats.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let [own_names, first_names] = [own, first].map(names);
    let apart = |start: &usize| turn(first[0].1 - own[*start].1).abs();
    let starts: Vec<usize> = rotations(&own_names, &first_names).collect();
    starts
        .into_iter()
        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// The same way in the lap, less than half of it.
fn turn(laps: f64) -> f64 {
    laps - laps.round()
}

fn track(group: Vec<(u16, Beats)>) -> SyncTrack {
    let first = &group[0].1;
    let places = group.iter().map(|(_, own)| {
        // They were found to fit when they joined, and names that went since went from all of them.
        let start = nearest_rotation(own, first).unwrap_or(0);
        let begin = first[0].1 - turn(first[0].1 - own[start].1);
        let place = |at: usize| {
            let lap = ((start + at) / own.len()) as f64;
            begin + (own[(start + at) % own.len()].1 + lap - own[start].1)
        };
        (0..own.len()).map(place).collect()
    });
    SyncTrack {
        places: places.collect(),
        names: first.iter().map(|(name, _)| *name).collect(),
        leaves: group.iter().map(|(leaf, _)| *leaf).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::compiled::LeafMarker;

    fn leaf(markers: &[(u16, f64)]) -> Leaf {
        let markers = markers.iter().map(|&(name, phase)| LeafMarker {
            clip: 0,
            name,
            phase,
            time: 0.0,
            value: 0.0,
        });
        Leaf {
            parts: Vec::new(),
            choir: 0,
            scrubbed: false,
            duration: 1.0,
            stride: 0.0,
            warp: None,
            markers: markers.collect(),
            windows: Vec::new(),
        }
    }

    #[test]
    fn leaves_whose_markers_follow_each_other_alike_have_a_mean() {
        let leaves = [
            leaf(&[(0, 0.1), (1, 0.6)]),
            // Across the boundary of the lap.
            leaf(&[(1, 0.5), (0, 0.95)]),
            // A name more.
            leaf(&[(0, 0.2), (7, 0.3), (1, 0.8)]),
            // Another layout.
            leaf(&[(0, 0.0), (1, 0.25), (0, 0.5), (1, 0.75)]),
            leaf(&[]),
        ];
        let tracks = sync_tracks(&leaves);
        assert_eq!(tracks.len(), 2);
        assert_eq!(
            (&tracks[0].names[..], &tracks[0].leaves[..]),
            (&[0, 1][..], &[0, 1, 2][..])
        );
        let expected = [[0.1, 0.6], [-0.05, 0.5], [0.2, 0.8]];
        for (places, expected) in tracks[0].places.iter().zip(expected) {
            let near = places
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{places:?} {expected:?}");
        }
        assert_eq!(
            (&tracks[1].names[..], &tracks[1].leaves[..]),
            (&[0, 1, 0, 1][..], &[3][..])
        );
    }

    #[test]
    fn a_marker_at_both_ends_of_the_lap_is_one() {
        let tracks = sync_tracks(&[leaf(&[(0, 0.0), (1, 0.5), (0, 1.0)])]);
        assert_eq!(tracks[0].names, [0, 1]);
        assert_eq!(tracks[0].places, [[0.0, 0.5]]);
    }
}
