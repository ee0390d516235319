//! Markers of the clips: names by index, and which of them are one event in a blend space.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Report;
use crate::graph::compiled::{BlendMarker, ClipMarker, Graph, Motion, Sample, by_name};

/// Most names of markers in one graph; their indices have 16 bits.
const MAX_NAMES: usize = 65_535;

/// Most pairs of a sample and a marker name in all blend spaces together.
const MAX_COUNTED: usize = 1 << 20;

/// Fills in names and markers.
pub(super) fn collect(graph: &mut Graph, report: &mut Report) {
    let all = graph.clips.iter().flat_map(|clip| &clip.markers);
    let names: BTreeSet<&str> = all.map(|marker| marker.name.as_str()).collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    if names.len() > MAX_NAMES {
        let message = format!("the clips have more than {MAX_NAMES} names of markers");
        report.error("E-GRAPH-LIMIT", "/layers", message);
        return;
    }
    graph.markers = graph
        .clips
        .iter()
        .map(|clip| {
            let mut markers: Vec<ClipMarker> = clip
                .markers
                .iter()
                .filter(|marker| marker.time.is_finite())
                .filter_map(|marker| {
                    Some(ClipMarker {
                        name: by_name(&names, &marker.name, |name| name)?,
                        phase: phase(marker.time, clip.duration),
                        time: marker.time,
                        value: marker.value,
                    })
                })
                .collect();
            markers.sort_by(|a, b| a.phase.total_cmp(&b.phase));
            markers
        })
        .collect();
    graph.names = names;
    let mut counted = 0;
    for motion in &mut graph.motions {
        if let Motion::Blend(space) = motion {
            space.markers = blend_markers(&space.samples, &graph.markers);
            counted += space.markers.len() * space.samples.len();
        }
        if counted > MAX_COUNTED {
            let message = "the blend spaces share too many names of markers";
            report.error("E-GRAPH-LIMIT", "/layers", message);
            return;
        }
    }
}

fn phase(time: f32, duration: f32) -> f64 {
    if duration > 0.0 {
        (f64::from(time) / f64::from(duration)).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The names that the samples of a blend space have, by index.
fn blend_markers(samples: &[Sample], markers: &[Vec<ClipMarker>]) -> Vec<BlendMarker> {
    let mut names: BTreeMap<u16, Vec<Vec<u16>>> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        for (marker, place) in markers[usize::from(sample.clip)].iter().zip(0..) {
            let own = names.entry(marker.name).or_default();
            own.resize(samples.len(), Vec::new());
            own[index].push(place);
        }
    }
    let blend_marker = |(name, own): (u16, Vec<Vec<u16>>)| {
        let phases: Vec<Vec<f64>> = samples
            .iter()
            .zip(&own)
            .map(|(sample, own)| {
                let markers = &markers[usize::from(sample.clip)];
                let phase = |&place: &u16| markers[usize::from(place)].phase;
                own.iter().map(phase).collect()
            })
            .collect();
        let shared = shared(&phases);
        let reference = phases.iter().find(|phases| !phases.is_empty());
        let shift = phases.iter().map(|phases| match reference {
            Some(reference) if shared > 0 => shift(reference, phases),
            _ => 0,
        });
        BlendMarker {
            name,
            shared,
            shift: shift.collect(),
            own,
        }
    };
    names.into_iter().map(blend_marker).collect()
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
