//! What of which clips a graph plays: whole or a range, mirrored, or as the difference from a pose.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Compiler;
use super::report::at_least;
use crate::graph::compiled::GraphClip;
use crate::graph::def::{MirrorDef, ReferenceClip, SpaceDef, StateDef};
use crate::graph::error::pointer;
use crate::{AdditiveSpace, Clip, MirrorPairs, Track, mirror_clip, rebase_clip, sample};

/// Most clips of a graph; each range of a clip is one.
const MAX_CLIPS: usize = 8192;

/// Most markers, windows and curves of a clip; a step looks at each of them.
const MAX_CLIP_MARKS: usize = 4096;

/// Most bytes of keys in clips that are made by mirroring and rebasing.
const MAX_MADE_BYTES: usize = 1 << 28;

/// Seconds by which a range may be longer than its clip: what is lost when a duration is written down.
const SLACK: f32 = 1e-3;

/// What is played of a clip.
#[derive(Clone, Copy)]
pub(super) struct What<'a> {
    name: &'a str,
    /// Seconds; the whole clip where absent.
    range: Option<[f32; 2]>,
    /// Index in [`Shelf::pairs`].
    mirror: Option<u16>,
}

impl<'a> What<'a> {
    /// A clip as it is.
    pub(super) fn whole(name: &'a str) -> Self {
        Self {
            name,
            range: None,
            mirror: None,
        }
    }
}

/// What the clips of a layer are the difference from.
#[derive(Clone, Copy)]
pub(super) enum Rebase<'a> {
    /// Each from its own first frame.
    FirstFrame(SpaceDef),
    /// A clip's pose at these seconds.
    Clip(&'a str, f32, SpaceDef),
}

/// How the keys of a clip are changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change<'a> {
    mirror: Option<u16>,
    /// The clip whose pose it becomes the difference from, bits of the seconds, and whether in model space.
    reference: Option<(&'a str, u32, bool)>,
}

/// The clips in the graph so far.
#[derive(Default)]
pub(super) struct Shelf<'a> {
    /// Index of each, by name, bits of the range, and change.
    used: BTreeMap<(&'a str, Option<[u32; 2]>, Change<'a>), u16>,
    /// Clips with changed keys.
    made: BTreeMap<(&'a str, Change<'a>), Arc<Clip>>,
    made_bytes: usize,
    /// Which joints change places, each list once.
    pairs: Vec<MirrorPairs>,
    /// Index in `pairs`, by the list as written; none for names that tell.
    pairs_by_list: BTreeMap<Option<&'a [[String; 2]]>, u16>,
}

impl<'a> Compiler<'a> {
    /// A clip by name.
    fn clip(&mut self, name: &str, place: &str) -> Option<(&'a str, &'a Arc<Clip>)> {
        let found = self.clips.get_key_value(name);
        if found.is_none() {
            let names = self.clips.keys().copied();
            self.report
                .unknown("E-GRAPH-UNKNOWN-CLIP", place, "clip", name, names);
        }
        found.map(|(name, clip)| (*name, *clip))
    }

    /// What a motion plays of its clip.
    pub(super) fn what(&mut self, def: &'a StateDef, place: &str) -> Option<What<'a>> {
        let mirror = match &def.mirror {
            None | Some(MirrorDef::Flag(false)) => None,
            Some(MirrorDef::Flag(true)) => Some(self.mirror(None, place)?),
            Some(MirrorDef::Table(table)) => Some(self.mirror(Some(&table.pairs), place)?),
        };
        let (name, clip) = self.clip(def.clip.as_deref()?, &pointer(place, "clip"))?;
        let range = match def.range {
            None => None,
            Some(range) => self.range(range, clip, &pointer(place, "range"))?,
        };
        Some(What {
            name,
            range,
            mirror,
        })
    }

    /// A range within a clip; `Some(None)` for all of it.
    fn range(&mut self, range: [f32; 2], clip: &Clip, place: &str) -> Option<Option<[f32; 2]>> {
        let before = self.report.errors.len();
        let end = clip.duration + SLACK;
        let mut number = |index: usize| {
            let place = pointer(place, index);
            self.report
                .number(place, Some(range[index]), 0.0, 0.0..=end)
        };
        // A negative zero would be another range.
        let range = [number(0) + 0.0, number(1).min(clip.duration) + 0.0];
        if self.report.errors.len() > before || self.report.is_full() {
            return None;
        }
        if range[0] >= range[1] {
            let message = format!(
                "ends at {}, which is not after its begin, {}",
                range[1], range[0]
            );
            self.report.error("E-GRAPH-RANGE", place, message);
            return None;
        }
        Some((range != [0.0, clip.duration]).then_some(range))
    }

    /// Index of the joints that change places.
    fn mirror(&mut self, list: Option<&'a [[String; 2]]>, place: &str) -> Option<u16> {
        if let Some(&index) = self.shelf.pairs_by_list.get(&list) {
            return Some(index);
        }
        let pairs = match list {
            None => MirrorPairs::by_name(self.skeleton),
            Some(list) => {
                let place = pointer(&pointer(place, "mirror"), "pairs");
                let mut joints = Vec::new();
                for (index, names) in list.iter().enumerate() {
                    let place = pointer(&place, index);
                    let a = self.joint(&names[0], &pointer(&place, 0));
                    let b = self.joint(&names[1], &pointer(&place, 1));
                    joints.push(a.zip(b));
                }
                let joints: Vec<(u16, u16)> = joints.into_iter().collect::<Option<_>>()?;
                MirrorPairs::new(self.skeleton, &joints)
            }
        };
        let index = u16::try_from(self.shelf.pairs.len()).ok()?;
        self.shelf.pairs.push(pairs);
        self.shelf.pairs_by_list.insert(list, index);
        Some(index)
    }

    /// The pose of a clip that an additive layer is the difference from.
    pub(super) fn reference_pose(
        &mut self,
        def: &'a ReferenceClip,
        space: SpaceDef,
        place: &str,
    ) -> Option<Rebase<'a>> {
        let time = self
            .report
            .number(pointer(place, "time"), def.time, 0.0, at_least(0.0));
        let (name, clip) = self.clip(&def.clip, &pointer(place, "clip"))?;
        self.check_clip(clip, &pointer(place, "clip"))?;
        if time > clip.duration + SLACK {
            let message = format!("is {time}, but clip `{name}` ends at {}", clip.duration);
            self.report
                .error("E-GRAPH-RANGE", pointer(place, "time"), message);
        }
        Some(Rebase::Clip(name, time + 0.0, space))
    }

    /// The index of a clip in the graph, which takes it in where it is new.
    pub(super) fn graph_clip(&mut self, what: &What<'a>, place: &str) -> Option<u16> {
        let (name, clip) = self.clip(what.name, place)?;
        let start = what.range.map_or(0.0, |range| range[0]);
        let rebase = self.layer.rebase.filter(|_| !self.state.added);
        let change = Change {
            mirror: what.mirror,
            reference: rebase.map(|rebase| match rebase {
                Rebase::FirstFrame(space) => (name, start.to_bits(), space == SpaceDef::Mesh),
                Rebase::Clip(clip, time, space) => (clip, time.to_bits(), space == SpaceDef::Mesh),
            }),
        };
        let range_bits = what.range.map(|range| range.map(f32::to_bits));
        let key = (name, range_bits, change);
        if let Some(&index) = self.shelf.used.get(&key) {
            self.layer.clips.insert(index);
            return Some(index);
        }
        self.check_clip(clip, place)?;
        if self.graph.clips.len() >= MAX_CLIPS {
            let message = format!("more than {MAX_CLIPS} clips and ranges of clips in the graph");
            self.run_out(place, message);
            return None;
        }
        let clip = self.changed(name, clip, change, place)?;
        let end = what.range.map_or(clip.duration, |range| range[1]);
        let index = self.graph.clips.len() as u16;
        self.graph.clips.push(GraphClip {
            start: f64::from(start),
            duration: f64::from(end) - f64::from(start),
            stride: 0.0,
            markers: Vec::new(),
            windows: Vec::new(),
            curves: Vec::new(),
            clip,
        });
        self.shelf.used.insert(key, index);
        self.layer.clips.insert(index);
        Some(index)
    }

    /// The clip with its keys changed: first the difference is made, then that is mirrored.
    fn changed(
        &mut self,
        name: &'a str,
        clip: &'a Arc<Clip>,
        change: Change<'a>,
        place: &str,
    ) -> Option<Arc<Clip>> {
        if change.mirror.is_none() && change.reference.is_none() {
            return Some(Arc::clone(clip));
        }
        if let Some(made) = self.shelf.made.get(&(name, change)) {
            return Some(Arc::clone(made));
        }
        let rebased = change.reference.map(|(reference, time, mesh)| {
            let mut pose = self.skeleton.rest.clone();
            sample(self.clips[reference], f32::from_bits(time), &mut pose);
            let space = if mesh {
                AdditiveSpace::Mesh
            } else {
                AdditiveSpace::Local
            };
            rebase_clip(self.skeleton, clip, &pose, space)
        });
        let from: &Clip = rebased.as_ref().unwrap_or(clip);
        let made = match change.mirror {
            Some(pairs) => mirror_clip(self.skeleton, from, &self.shelf.pairs[usize::from(pairs)]),
            None => from.clone(),
        };
        self.shelf.made_bytes += bytes(&made);
        if self.shelf.made_bytes > MAX_MADE_BYTES {
            let message = "the clips that mirroring and references make are too large";
            self.run_out(place, message.to_owned());
            return None;
        }
        let made = Arc::new(made);
        self.shelf.made.insert((name, change), Arc::clone(&made));
        Some(made)
    }

    fn check_clip(&mut self, clip: &Clip, place: &str) -> Option<()> {
        let joints = clip.joints.iter().map(|tracks| usize::from(tracks.joint));
        let channels = clip
            .morphs
            .iter()
            .map(|track| usize::from(track.first) + usize::from(track.count));
        let fits = joints.max().is_none_or(|joint| joint < self.skeleton.len())
            && channels
                .max()
                .is_none_or(|channel| channel <= self.skeleton.morphs.len());
        if !fits {
            let message = format!("clip `{}` was made for another skeleton", clip.name);
            self.report.error("E-GRAPH-CLIP-MISMATCH", place, message);
            return None;
        }
        let marks = [
            (clip.markers.len(), "markers"),
            (clip.windows.len(), "windows"),
            (clip.curves.len(), "curves"),
        ];
        if let Some((_, marks)) = marks.iter().find(|(count, _)| *count > MAX_CLIP_MARKS) {
            let message = format!(
                "clip `{}` has more than {MAX_CLIP_MARKS} {marks}",
                clip.name
            );
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        }
        if !clip.duration.is_finite() || clip.duration < 0.0 {
            let message = format!("clip `{}` lasts {} seconds", clip.name, clip.duration);
            self.report.error("E-GRAPH-NOT-FINITE", place, message);
            return None;
        }
        Some(())
    }
}

/// About how much room the keys of a clip take.
fn bytes(clip: &Clip) -> usize {
    fn of<T>(track: Option<&Track<T>>) -> usize {
        track.map_or(0, |track| {
            size_of_val(track.times.as_slice()) + size_of_val(track.values.as_slice())
        })
    }
    let joints = clip.joints.iter().map(|tracks| {
        of(tracks.translation.as_ref()) + of(tracks.rotation.as_ref()) + of(tracks.scale.as_ref())
    });
    let morphs = clip.morphs.iter().map(|morph| of(Some(&morph.track)));
    joints.sum::<usize>() + morphs.sum::<usize>()
}
