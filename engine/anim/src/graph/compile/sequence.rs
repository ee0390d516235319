//! Sequences: clips one after another in one lap.

use super::Compiler;
use super::clips::What;
use crate::graph::compiled::{LeafPart, Motion};
use crate::graph::def::{MotionRefDef, StateDef};
use crate::graph::error::pointer;

impl<'a> Compiler<'a> {
    pub(super) fn sequence(&mut self, children: &'a [MotionRefDef], place: &str) -> Option<Motion> {
        self.check_count("a sequence", children.len(), place)?;
        if !self.spend_motions(children.len(), place) {
            return None;
        }
        let clips: Vec<Option<u16>> = children
            .iter()
            .enumerate()
            .map(|(index, child)| self.sequence_clip(child, &pointer(place, index)))
            .collect();
        let clips = clips.into_iter().collect::<Option<Vec<u16>>>()?;
        let durations = clips
            .iter()
            .map(|&clip| self.graph.clips[usize::from(clip)].duration);
        let ends: Vec<f64> = durations
            .scan(0.0, |end, duration| {
                *end += duration;
                Some(*end)
            })
            .collect();
        let duration = ends.last().copied().unwrap_or(0.0);
        let phase = |index: usize| match index {
            0 => 0.0,
            _ if index == clips.len() => 1.0,
            // Poses without length share the lap.
            _ if duration <= 0.0 => index as f64 / clips.len() as f64,
            _ => ends[index - 1] / duration,
        };
        let parts = clips.iter().enumerate().map(|(index, &clip)| LeafPart {
            clip,
            begin: phase(index),
            end: phase(index + 1),
        });
        let leaf = self.leaf(parts.collect(), false, place)?;
        Some(Motion::Sequence { leaf })
    }

    /// The clip of one part.
    fn sequence_clip(&mut self, child: &'a MotionRefDef, place: &str) -> Option<u16> {
        let way = self.way.len();
        let clip = self
            .part(child, place)
            .and_then(|(what, place)| self.graph_clip(&what, &pointer(&place, "clip")));
        self.way.truncate(way);
        clip
    }

    /// What a part plays and where that is written.
    fn part(&mut self, child: &'a MotionRefDef, place: &str) -> Option<(What<'a>, String)> {
        let (mut def, mut place): (&'a StateDef, String) = match child {
            MotionRefDef::Name(name) => self.find_motion(name, place)?,
            MotionRefDef::Motion(def) => {
                self.refuse_state_keys(def, place);
                (def, place.to_owned())
            }
        };
        while let Some(name) = &def.motion {
            (def, place) = self.find_motion(name, &pointer(&place, "motion"))?;
        }
        let only_clip = StateDef {
            clip: def.clip.clone(),
            range: def.range,
            mirror: def.mirror.clone(),
            ..StateDef::default()
        };
        if def.clip.is_none() || *def != only_clip {
            let message = "a sequence plays clips; for other motions use a machine";
            self.report.error("E-GRAPH-MOTION", &place, message);
            return None;
        }
        self.what(def, &place).map(|what| (what, place))
    }
}
