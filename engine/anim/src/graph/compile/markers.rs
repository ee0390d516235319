//! Names by index: markers, windows and curves of the clips, and which markers are one event in a blend.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Compiler;
use super::sync_tracks::sync_tracks;
use crate::Marker;
use crate::graph::compiled::{
    Choir, ClipMarker, ClipWindow, GraphClip, Leaf, LeafMarker, LeafPart, LeafWindow, SharedMarker,
    by_name,
};

/// Most names of markers or curves in one graph; their indices have 16 bits.
const MAX_NAMES: usize = 65_535;

/// Most markers and windows that all clips, or all states, have together.
const MAX_MARKS: usize = 1 << 20;

/// Most markers, and windows, of one clip or sequence in a state; their indices have 16 bits.
const MAX_LEAF_MARKERS: usize = 65_535;

/// Most pairs of a leaf and a marker name in all states together.
const MAX_COUNTED: usize = 1 << 20;

impl Compiler<'_> {
    /// Fills in the curves of clips.
    pub(super) fn name_curves(&mut self) {
        let all = self.graph.clips.iter().flat_map(|clip| &clip.clip.curves);
        let names: BTreeSet<&str> = all.map(|curve| curve.name.as_str()).collect();
        if names.len() > MAX_NAMES {
            let message = format!("the clips have more than {MAX_NAMES} names of curves");
            self.run_out("/layers", message);
            return;
        }
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        for clip in &mut self.graph.clips {
            let own = clip.clip.curves.iter().zip(0_u16..);
            let own = own
                .filter_map(|(curve, own)| Some([by_name(&names, &curve.name, |name| name)?, own]));
            let mut curves: Vec<[u16; 2]> = own.collect();
            curves.sort_unstable();
            // Of curves of one name the first counts.
            curves.dedup_by_key(|curve| curve[0]);
            clip.curves = curves;
        }
        self.graph.curves = names;
    }

    /// Fills in the markers and windows of clips, leaves and states.
    pub(super) fn name_markers(&mut self) {
        if self.budget.spent {
            return;
        }
        let clips = self.graph.clips.iter();
        let marks = clips.map(|clip| clip.clip.markers.len() + clip.clip.windows.len());
        if marks.sum::<usize>() > MAX_MARKS {
            let message = format!("the clips and ranges have more than {MAX_MARKS} markers");
            self.run_out("/layers", message);
            return;
        }
        let names = self.all_names();
        if names.len() > MAX_NAMES {
            let message = format!("the graph has more than {MAX_NAMES} names of markers");
            self.run_out("/layers", message);
            return;
        }
        for clip in &mut self.graph.clips {
            (clip.markers, clip.windows) = (markers(clip, &names), windows(clip, &names));
        }
        let places = self
            .marker_names
            .places(|name| by_name(&names, name, |name| name).unwrap_or(0));
        let machines = self.graph.machines.iter_mut();
        for state in machines.flat_map(|machine| &mut machine.states) {
            for marker in &mut state.markers {
                marker.name = places[usize::from(marker.name)];
            }
        }
        self.graph.names = names;
        self.leaf_markers();
    }

    /// Names of clips' markers and windows and of states' own markers, in byte order.
    fn all_names(&self) -> Vec<String> {
        let mut names: BTreeSet<&str> = self.marker_names.sorted().collect();
        for GraphClip { clip, .. } in &self.graph.clips {
            names.extend(clip.markers.iter().map(|marker| marker.name.as_str()));
            names.extend(clip.windows.iter().map(|window| window.name.as_str()));
        }
        names.into_iter().map(str::to_owned).collect()
    }

    /// Puts the markers of clips into the laps of states, and finds which are one event.
    fn leaf_markers(&mut self) {
        let (mut marks, mut counted) = (0, 0);
        let clips = &self.graph.clips;
        let machines = self.graph.machines.iter_mut();
        for state in machines.flat_map(|machine| &mut machine.states) {
            for leaf in &mut state.leaves {
                let laps = leaf.warp.as_ref().map_or(1, |warp| warp.laps as usize);
                let parts = || leaf.parts.iter().map(|part| &clips[usize::from(part.clip)]);
                let own = [
                    laps * parts().map(|clip| clip.markers.len()).sum::<usize>(),
                    laps * parts().map(|clip| clip.windows.len()).sum::<usize>(),
                ];
                marks += own[0] + own[1];
                if own.iter().all(|own| *own <= MAX_LEAF_MARKERS) && marks <= MAX_MARKS {
                    (leaf.markers, leaf.windows) =
                        (lap_markers(leaf, clips), lap_windows(leaf, clips));
                } else {
                    marks = usize::MAX / 2;
                }
            }
            state.sync_tracks = sync_tracks(&state.leaves);
            for choir in &mut state.choirs {
                let names = shared_markers(choir, &state.leaves);
                counted += names.len() * choir.leaves.len();
                choir.markers = names;
            }
            if marks > MAX_MARKS || counted > MAX_COUNTED {
                let message = "the states have too many markers";
                self.run_out("/layers", message.to_owned());
                return;
            }
        }
    }
}

/// The place of clip seconds in the lap, 0 to 1.
fn phase(clip: &GraphClip, time: f32) -> f64 {
    if clip.duration > 0.0 {
        ((f64::from(time) - clip.start) / clip.duration).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// A clip's markers within its range, both ends included, with where they lie in its lap, 0 to 1.
fn marks(clip: &GraphClip) -> impl Iterator<Item = (&Marker, f64)> {
    let whole = f64::from(clip.clip.duration) == clip.duration;
    let range = clip.start..=clip.start + clip.duration;
    let own = clip.clip.markers.iter();
    let own = own.filter(move |marker| {
        marker.time.is_finite() && (whole || range.contains(&f64::from(marker.time)))
    });
    own.map(|marker| (marker, phase(clip, marker.time)))
}

/// The markers of all parts of a leaf: where they lie in its own lap, 0 to 1, and their names.
pub(super) fn marks_of<'c>(leaf: &Leaf, clips: &'c [GraphClip]) -> Vec<(f64, &'c str)> {
    let parts = leaf.parts.iter().flat_map(|part| {
        let marks = marks(&clips[usize::from(part.clip)]);
        marks.map(|(marker, phase)| (in_leaf(part, phase), marker.name.as_str()))
    });
    parts.collect()
}

/// A phase of a part as one of its leaf.
fn in_leaf(part: &LeafPart, phase: f64) -> f64 {
    if (part.begin, part.end) == (0.0, 1.0) {
        return phase;
    }
    (part.begin + phase * (part.end - part.begin)).clamp(0.0, 1.0)
}

/// The phases of the state at which a place in the lap of a leaf is met.
fn in_state(leaf: &Leaf, place: f64) -> Vec<f64> {
    match &leaf.warp {
        None => vec![place],
        Some(warp) => warp.phases_of(place).collect(),
    }
}

/// A clip's markers within its range by phase.
fn markers(clip: &GraphClip, names: &[String]) -> Vec<ClipMarker> {
    let own = marks(clip).filter_map(|(marker, phase)| {
        Some(ClipMarker {
            name: by_name(names, &marker.name, |name| name)?,
            phase,
            time: marker.time,
            value: marker.value,
        })
    });
    let mut markers: Vec<ClipMarker> = own.collect();
    markers.sort_by(|a, b| a.phase.total_cmp(&b.phase));
    markers
}

/// A clip's windows that are open somewhere in its range, cut to it, by begin.
fn windows(clip: &GraphClip, names: &[String]) -> Vec<ClipWindow> {
    let (first, last) = (clip.start, clip.start + clip.duration);
    let own = clip.clip.windows.iter();
    let own = own.filter(|window| {
        let (begin, end) = (f64::from(window.begin), f64::from(window.end));
        let inside = first <= begin && end <= last;
        // One that only touches the range is open for no time in it.
        begin <= end && (inside || (begin < last && end > first))
    });
    let own = own.filter_map(|window| {
        Some(ClipWindow {
            name: by_name(names, &window.name, |name| name)?,
            begin: phase(clip, window.begin),
            end: phase(clip, window.end),
        })
    });
    let mut windows: Vec<ClipWindow> = own.collect();
    windows.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    windows
}

/// The markers of all parts of a leaf by phase of the state.
fn lap_markers(leaf: &Leaf, clips: &[GraphClip]) -> Vec<LeafMarker> {
    let parts = leaf.parts.iter().flat_map(|part| {
        let markers = clips[usize::from(part.clip)].markers.iter();
        markers.flat_map(|marker| {
            let phases = in_state(leaf, in_leaf(part, marker.phase)).into_iter();
            phases.map(|phase| LeafMarker {
                clip: part.clip,
                name: marker.name,
                phase,
                time: marker.time,
                value: marker.value,
            })
        })
    });
    let mut markers: Vec<LeafMarker> = parts.collect();
    markers.sort_by(|a, b| a.phase.total_cmp(&b.phase));
    markers
}

/// The windows of all parts of a leaf, as phases of the state.
fn lap_windows(leaf: &Leaf, clips: &[GraphClip]) -> Vec<LeafWindow> {
    let parts = leaf.parts.iter().flat_map(|part| {
        let windows = clips[usize::from(part.clip)].windows.iter();
        windows.flat_map(|window| {
            let [begin, end] = [window.begin, window.end].map(|phase| in_leaf(part, phase));
            let spans: Vec<[f64; 2]> = match &leaf.warp {
                None => vec![[begin, end]],
                Some(warp) => {
                    let span = |own: f64| [own, own + (end - begin)].map(|own| warp.phase_of(own));
                    warp.places_of(begin).map(span).collect()
                }
            };
            spans.into_iter().map(|[begin, end]| LeafWindow {
                clip: part.clip,
                name: window.name,
                begin,
                end,
            })
        })
    });
    parts.collect()
}

/// The names that the leaves of a choir have, by index. A scrubbed leaf is not heard among others.
fn shared_markers(choir: &Choir, leaves: &[Leaf]) -> Vec<SharedMarker> {
    if choir.leaves.len() < 2 {
        return Vec::new();
    }
    let leaves: Vec<&Leaf> = choir
        .leaves
        .iter()
        .map(|&leaf| &leaves[usize::from(leaf)])
        .collect();
    let mut names: BTreeMap<u16, Vec<Vec<u16>>> = BTreeMap::new();
    for (index, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| !leaf.scrubbed) {
        for (marker, place) in leaf.markers.iter().zip(0..) {
            let own = names.entry(marker.name).or_default();
            own.resize(leaves.len(), Vec::new());
            own[index].push(place);
        }
    }
    let shared_marker = |(name, own): (u16, Vec<Vec<u16>>)| {
        let phases: Vec<Vec<f64>> = leaves
            .iter()
            .zip(&own)
            .map(|(leaf, own)| {
                let phase = |&place: &u16| leaf.markers[usize::from(place)].phase;
                own.iter().map(phase).collect()
            })
            .collect();
        let shared = shared(&phases);
        // The one that comes first in the lap, so that the order of the samples does not matter.
        let having = phases.iter().filter(|phases| !phases.is_empty());
        let reference = having.min_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let shift = phases.iter().map(|phases| match reference {
            Some(reference) if shared > 0 => shift(reference, phases),
            _ => 0,
        });
        SharedMarker {
            name,
            shared,
            shift: shift.collect(),
            own,
        }
    };
    names.into_iter().map(shared_marker).collect()
}

/// How often a name stands in every sample that has it; 0 where they differ.
fn shared(phases: &[Vec<f64>]) -> u32 {
    let mut counts = phases.iter().map(Vec::len).filter(|count| *count > 0);
    let first = counts.next().unwrap_or(0);
    if counts.all(|count| count == first) {
        first as u32
    } else {
        0
    }
}

/// What the occurrences of `own` are to be renumbered by, so that those within a quarter of the
/// spacing of `reference`'s across the lap boundary have the same number.
fn shift(reference: &[f64], own: &[f64]) -> i32 {
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return 0;
    };
    let (Some(reference_first), Some(reference_last)) = (reference.first(), reference.last())
    else {
        return 0;
    };
    let near = 0.25 / reference.len() as f64;
    // Markers that lie together within the lap are the same without any renumbering.
    if (first - reference_first).abs() <= near {
        0
    } else if 1.0 + first - reference_last < near {
        -1
    } else if 1.0 + reference_first - last < near {
        1
    } else {
        0
    }
}
