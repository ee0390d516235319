//! Blends whose clips are aligned by markers: laps are repeated and bent until every interval between two
//! markers has the same share of the lap in all of them.
//!
//! It is done once. What plays only maps a phase of the state to one of the clip, so keys stay as they are and poses,
//! root motion, curves, markers and windows are exact in every interpolation.

use std::collections::BTreeSet;

use super::Compiler;
use super::cycle::rotations;
use super::leaves::own_duration;
use super::markers::marks_of;
use crate::graph::compiled::{GraphClip, Leaf};
use crate::graph::warp::Warp;

/// Most intervals in the lap of a blend.
const MAX_INTERVALS: usize = 64;

/// Markers nearer than this share of their lap are one moment.
const SAME_MOMENT: f64 = 1e-4;

/// A leaf that is to be aligned.
pub(super) struct Voice {
    /// Index in the leaves of the state.
    pub(super) leaf: usize,
    /// Where it is written.
    pub(super) place: String,
}

/// Why a voice cannot be aligned.
struct Fault {
    code: &'static str,
    /// Which one, from 0.
    voice: usize,
    message: String,
}

/// The markers of a leaf: where in its lap, 0 to 1, and their names.
type Marks<'n> = Vec<(f64, &'n str)>;

/// The moments of a leaf that it is aligned by, in the order of its lap: where, 0 up to 1, and the names there.
struct Beats<'n> {
    places: Vec<f64>,
    names: Vec<Vec<&'n str>>,
}

impl Compiler<'_> {
    /// Aligns leaves of the state by their markers of these names, or by those that they have in common.
    pub(super) fn align(&mut self, voices: &[Voice], names: Option<&[String]>) -> Option<()> {
        let Some(Voice { place, .. }) = voices.first() else {
            return Some(());
        };
        let (leaves, clips) = (&self.state.leaves, &self.graph.clips);
        let leaves = voices.iter().map(|voice| &leaves[voice.leaf]);
        let marks = leaves.flat_map(|leaf| &leaf.parts);
        let marks = marks.map(|part| clips[usize::from(part.clip)].clip.markers.len());
        let bytes = marks.sum::<usize>() * size_of::<(f64, &str)>()
            + voices.len() * size_of::<[f64; MAX_INTERVALS]>();
        if !self.spend_bytes(bytes, place) {
            return None;
        }
        let (leaves, clips) = (&self.state.leaves, &self.graph.clips);
        let leaves: Vec<&Leaf> = voices.iter().map(|voice| &leaves[voice.leaf]).collect();
        let warps = match warps(&leaves, clips, names) {
            Ok(warps) => warps,
            Err(fault) => {
                let name = name_of(leaves[fault.voice], clips);
                let message = format!("{name} {}", fault.message);
                let help = "mend its markers, name those to go by (align = [\"left\", \"right\"]), or give its point align = \"phase\"";
                let place = &voices[fault.voice].place;
                self.report
                    .error_with_help(fault.code, place, message, help);
                return None;
            }
        };
        for (voice, warp) in voices.iter().zip(warps) {
            let leaf = &mut self.state.leaves[voice.leaf];
            leaf.duration = own_duration(&leaf.parts, &self.graph.clips) * f64::from(warp.laps);
            leaf.warp = Some(warp);
        }
        Some(())
    }
}

/// How each leaf is bent; the lap begins at the first moment of the first one.
fn warps(
    leaves: &[&Leaf],
    clips: &[GraphClip],
    names: Option<&[String]>,
) -> Result<Vec<Warp>, Fault> {
    let marks: Vec<Marks> = leaves.iter().map(|leaf| marks_of(leaf, clips)).collect();
    let names = match names {
        Some(names) => all_have(&marks, names)?,
        None => common(&marks)?,
    };
    let beats: Vec<Beats> = marks.iter().map(|marks| beats(marks, &names)).collect();
    let mut intervals = 1;
    for (own, voice) in beats.iter().zip(0..) {
        intervals = common_multiple(intervals, own.places.len());
        if intervals > MAX_INTERVALS {
            let message = format!(
                "would bring the lap of the blend to {intervals} intervals between markers; {MAX_INTERVALS} fit"
            );
            return Err(Fault {
                code: "E-GRAPH-LIMIT",
                voice,
                message,
            });
        }
    }
    let first = &beats[0];
    let bent = beats.iter().zip(0..).map(|(own, voice)| {
        let Some(start) = nearest_rotation(own, first) else {
            let message = format!(
                "has the markers {} in a lap, which do not follow each other as {} of {} do",
                in_order(own),
                in_order(first),
                name_of(leaves[0], clips)
            );
            return Err(fault(voice, message));
        };
        let count = own.places.len();
        let knot = |at: usize| {
            let lap = (start + at) / count;
            own.places[(start + at) % count] + lap as f64
        };
        Ok(Warp {
            knots: (0..=intervals).map(knot).collect(),
            laps: (intervals / count) as u32,
        })
    });
    bent.collect()
}

fn fault(voice: usize, message: String) -> Fault {
    Fault {
        code: "E-GRAPH-ALIGN",
        voice,
        message,
    }
}

/// Names that every leaf has.
fn all_have<'n>(marks: &[Marks<'n>], names: &'n [String]) -> Result<BTreeSet<&'n str>, Fault> {
    for (own, voice) in marks.iter().zip(0..) {
        let has = |name: &&String| own.iter().any(|(_, own)| own == name);
        if let Some(name) = names.iter().find(|name| !has(name)) {
            let message = format!("has no marker `{name}`, by which the blend is aligned");
            return Err(fault(voice, message));
        }
    }
    Ok(names.iter().map(String::as_str).collect())
}

/// The names that all leaves have.
fn common<'n>(marks: &[Marks<'n>]) -> Result<BTreeSet<&'n str>, Fault> {
    let mut common: Option<BTreeSet<&str>> = None;
    for (own, voice) in marks.iter().zip(0..) {
        let own: BTreeSet<&str> = own.iter().map(|(_, name)| *name).collect();
        if own.is_empty() {
            let message = "has no markers to align it by".to_owned();
            return Err(fault(voice, message));
        }
        let before = common.take().unwrap_or_else(|| own.clone());
        let both: BTreeSet<&str> = before.intersection(&own).copied().collect();
        if both.is_empty() {
            let message = format!(
                "has none of the markers that the clips before it have in common: {}",
                in_words(before)
            );
            return Err(fault(voice, message));
        }
        common = Some(both);
    }
    Ok(common.unwrap_or_default())
}

/// The moments of a leaf. What lies at the end of the lap lies at its beginning.
fn beats<'n>(marks: &Marks<'n>, names: &BTreeSet<&str>) -> Beats<'n> {
    let counts = marks.iter().filter(|(_, name)| names.contains(name));
    let round = |place: f64| {
        if place > 1.0 - SAME_MOMENT {
            0.0
        } else {
            place
        }
    };
    let mut marks: Marks = counts.map(|(place, name)| (round(*place), *name)).collect();
    marks.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let mut beats = Beats {
        places: Vec::new(),
        names: Vec::<Vec<&str>>::new(),
    };
    for (place, name) in marks {
        let last = beats.places.last().zip(beats.names.last_mut());
        match last {
            Some((before, names)) if place - before < SAME_MOMENT => {
                names.push(name);
                names.sort_unstable();
                names.dedup();
            }
            _ => {
                beats.places.push(place);
                beats.names.push(vec![name]);
            }
        }
    }
    beats
}

/// The moment from which on the names are those of `first`; of several the one that lies nearest to where
/// `first` begins, each in its own lap.
fn nearest_rotation(own: &Beats, first: &Beats) -> Option<usize> {
    let apart = |start: &usize| {
        let apart = own.places[*start] - first.places[0];
        (apart - apart.round()).abs()
    };
    let starts = rotations(&own.names, &first.names);
    starts.min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

fn common_multiple(a: usize, b: usize) -> usize {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor.max(1) * b
}

/// "clip `walk`".
fn name_of(leaf: &Leaf, clips: &[GraphClip]) -> String {
    let first = leaf.parts.first();
    let name = first.map_or("", |part| &clips[usize::from(part.clip)].clip.name);
    match leaf.parts.len() {
        1 => format!("clip `{name}`"),
        _ => format!("the sequence from clip `{name}` on"),
    }
}

/// Names in the order of a lap.
fn in_order(beats: &Beats) -> String {
    const MOST: usize = 8;
    let names = beats.names.iter().take(MOST);
    let words = in_words(names.map(|names| names.join("+")));
    if beats.names.len() > MOST {
        format!("{words}, ...")
    } else {
        words
    }
}

fn in_words<T: std::fmt::Display>(names: impl IntoIterator<Item = T>) -> String {
    let names = names.into_iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}
