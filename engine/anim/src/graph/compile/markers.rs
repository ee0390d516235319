//! Markers of the clips: names by index, and which of them are one event in a blend space.

use std::collections::BTreeSet;

use super::report::Report;
use crate::graph::compiled::{BlendMarker, ClipMarker, Graph, Motion, Sample, by_name};

/// Most names of markers in one graph; their indices have 16 bits.
const MAX_NAMES: usize = 65_535;

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
    for motion in &mut graph.motions {
        if let Motion::Blend(space) = motion {
            space.markers = blend_markers(&space.samples, &graph.markers);
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
    let of = |sample: &Sample| &markers[usize::from(sample.clip)];
    let all = samples.iter().flat_map(of);
    let names: BTreeSet<u16> = all.map(|marker| marker.name).collect();
    names
        .into_iter()
        .map(|name| {
            let phases: Vec<Vec<f64>> = samples
                .iter()
                .map(|sample| {
                    let own = of(sample).iter().filter(|marker| marker.name == name);
                    own.map(|marker| marker.phase).collect()
                })
                .collect();
            let speaking = || phases.iter().filter(|phases| !phases.is_empty());
            let count = speaking().next().map_or(0, Vec::len);
            let shared = if speaking().all(|phases| phases.len() == count) {
                count
            } else {
                0
            };
            let reference = speaking().next().cloned().unwrap_or_default();
            let shift = phases.iter().map(|phases| {
                if shared > 0 {
                    shift(&reference, phases)
                } else {
                    0
                }
            });
            BlendMarker {
                name,
                shared: shared as u32,
                shift: shift.collect(),
            }
        })
        .collect()
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
