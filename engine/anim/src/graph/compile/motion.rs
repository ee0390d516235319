//! What a state plays.

use std::sync::Arc;

use glam::Vec2;

use super::report::any_number;
use super::{Compiler, asks_for_distance};
use crate::Clip;
use crate::graph::compiled::{BlendSpace, MAX_SAMPLES, Motion, Points, Sample, State};
use crate::graph::def::{AtDef, BlendDef, PointDef, RateDef, StateDef, WeightsDef};
use crate::graph::error::pointer;

/// Most markers of a clip; a step looks at each of them.
const MAX_CLIP_MARKERS: usize = 4096;

impl<'a> Compiler<'a> {
    /// Adds the motion of a state; the rest pose where it is wrong.
    pub(super) fn motion(&mut self, def: &'a StateDef, place: &str) -> u16 {
        let motion = self.one_motion(def, place).unwrap_or(Motion::Rest);
        self.graph.motions.push(motion);
        (self.graph.motions.len() - 1) as u16
    }

    fn one_motion(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        let kinds = [
            ("clip", def.clip.is_some()),
            ("blend", def.blend.is_some()),
            ("direct", def.direct.is_some()),
            ("additive", def.additive.is_some()),
            ("select", def.select.is_some()),
            ("sequence", def.sequence.is_some()),
            ("machine", def.machine.is_some()),
            ("graph", def.graph.is_some()),
            ("pose", def.pose.is_some()),
            ("motion", def.motion.is_some()),
            ("conduit", def.conduit.is_some()),
            ("rest", def.rest.is_some()),
        ];
        let given: Vec<&str> = kinds
            .iter()
            .filter(|kind| kind.1)
            .map(|kind| kind.0)
            .collect();
        let [kind] = given.as_slice() else {
            let message = if given.is_empty() {
                "the state has no motion".to_owned()
            } else {
                format!("`{}` exclude each other", given.join("` and `"))
            };
            let help = "give exactly one of clip, blend, rest or another motion";
            self.report
                .error_with_help("E-GRAPH-MOTION", place, message, help);
            return None;
        };
        self.check_owners(def, kind, place);
        match *kind {
            "clip" => self.clip_motion(def, place),
            "blend" => self.blend(def, place),
            "motion" => self.named_motion(def, place),
            "rest" => {
                if def.rest == Some(false) {
                    let message =
                        "`rest = false` says nothing; write `rest = true` or another motion";
                    self.report
                        .error("E-GRAPH-MOTION", pointer(place, "rest"), message);
                }
                Some(Motion::Rest)
            }
            kind => {
                let what = format!("the motion `{kind}`");
                self.report.not_supported(pointer(place, kind), &what, "");
                None
            }
        }
    }

    /// Keys that belong to one kind of motion must stand beside it.
    fn check_owners(&mut self, def: &StateDef, kind: &str, place: &str) {
        let owned = [
            ("range", def.range.is_some(), "clip"),
            ("time_parameter", def.time_parameter.is_some(), "clip"),
            ("mirror", def.mirror.is_some(), "clip"),
            ("points", def.points.is_some(), "blend"),
            ("weights", def.weights.is_some(), "blend"),
            ("keep", def.keep.is_some(), "blend"),
            ("rate", def.rate.is_some(), "blend"),
            ("children", def.children.is_some(), "select"),
        ];
        for (key, given, owner) in owned {
            if given && owner != kind {
                let message = format!("`{key}` belongs to `{owner}`, but the motion is `{kind}`");
                self.report
                    .error("E-GRAPH-MOTION", pointer(place, key), message);
            }
        }
    }

    fn clip_motion(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        if def.range.is_some() {
            self.report
                .not_supported(pointer(place, "range"), "a range of a clip", "");
        }
        if def.mirror.is_some() {
            self.report
                .not_supported(pointer(place, "mirror"), "mirroring", "");
        }
        let name = def.clip.as_deref()?;
        let sample = self.sample(name, 1.0, &pointer(place, "clip"));
        let Some(parameter) = &def.time_parameter else {
            return sample.map(Motion::Clip);
        };
        let parameter = self.number_parameter(parameter, &pointer(place, "time_parameter"));
        Some(Motion::Scrub {
            sample: sample?,
            parameter: parameter?,
        })
    }

    /// Follows the names of the graph's `motions`; a way that comes back to itself is an error.
    fn named_motion(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        let (mut at, mut place) = (def, place.to_owned());
        let mut way: Vec<&str> = Vec::new();
        while let Some(name) = at.motion.as_deref() {
            let place_of_name = pointer(&place, "motion");
            if let Some(start) = way.iter().position(|known| *known == name) {
                let round = [&way[start..], &[name]].concat().join("` > `");
                let message = format!("the motion contains itself: `{round}`");
                self.report.error("E-GRAPH-CYCLE", place_of_name, message);
                return None;
            }
            let Some(next) = self.def.motions.get(name) else {
                let names = self.def.motions.keys().map(String::as_str);
                self.report.unknown(
                    "E-GRAPH-UNKNOWN-MOTION",
                    place_of_name,
                    "motion",
                    name,
                    names,
                );
                return None;
            };
            way.push(name);
            (at, place) = (next, pointer("/motions", name));
            self.refuse_state_keys(at, &place);
        }
        self.one_motion(at, &place)
    }

    /// A motion of `motions` says what plays; how it plays is said where it is used.
    fn refuse_state_keys(&mut self, def: &StateDef, place: &str) {
        let keys = [
            ("mode", def.mode.is_some()),
            ("speed", def.speed.is_some()),
            ("speed_parameter", def.speed_parameter.is_some()),
            ("sync_group", def.sync_group.is_some()),
            ("sync_role", def.sync_role.is_some()),
            ("speaks", def.speaks.is_some()),
            ("enter_when", def.enter_when.is_some()),
            ("events", def.events.is_some()),
        ];
        for (key, _) in keys.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` belongs to the state that uses the motion");
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, key), message);
        }
    }

    fn blend(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        match def.weights {
            None | Some(WeightsDef::GradientBand) => {}
            Some(WeightsDef::Polar | WeightsDef::Delaunay) => {
                let help = "leave `weights` out for gradient_band";
                self.report
                    .not_supported(pointer(place, "weights"), "this rule", help);
            }
        }
        if def.keep.is_some() {
            self.report
                .not_supported(pointer(place, "keep"), "keeping some of the samples", "");
        }
        if asks_for_distance(def) {
            self.needs_root.push(pointer(place, "rate"));
        }
        let points_place = pointer(place, "points");
        let points = def.points.as_deref().unwrap_or_default();
        if points.is_empty() || points.len() > MAX_SAMPLES {
            let message = format!(
                "a blend space has 1 to {MAX_SAMPLES} points, not {}",
                points.len()
            );
            self.report.error("E-GRAPH-POINTS", points_place, message);
            return None;
        }
        let samples: Vec<Option<Sample>> = points
            .iter()
            .enumerate()
            .map(|(index, point)| self.point(point, &pointer(&points_place, index)))
            .collect();
        let points = match def.blend.as_ref()? {
            BlendDef::One(name) => self.line(name, points, place),
            BlendDef::Two(names) => self.plane(names, points, place),
        };
        Some(Motion::Blend(BlendSpace {
            points: points?,
            samples: samples.into_iter().collect::<Option<_>>()?,
            rate: def.rate.unwrap_or(RateDef::DurationMean),
            markers: Vec::new(),
        }))
    }

    fn point(&mut self, def: &'a PointDef, place: &str) -> Option<Sample> {
        if def.motion.is_some() {
            let help = "give a `clip`";
            self.report
                .not_supported(pointer(place, "motion"), "a motion in a blend space", help);
            return None;
        }
        let speed_place = pointer(place, "speed");
        let speed = self
            .report
            .number(speed_place.clone(), def.speed, 1.0, any_number());
        if speed <= 0.0 {
            let message = format!("is {speed}, but must be above 0");
            self.report.error("E-GRAPH-RANGE", speed_place, message);
            return None;
        }
        let Some(clip) = def.clip.as_deref() else {
            self.report
                .error("E-GRAPH-MISSING", place, "the point has no `clip`");
            return None;
        };
        self.sample(clip, speed, &pointer(place, "clip"))
    }

    fn line(&mut self, name: &str, points: &[PointDef], place: &str) -> Option<Points> {
        let parameter = self.number_parameter(name, &pointer(place, "blend"));
        let mut at = Vec::new();
        for (index, point) in points.iter().enumerate() {
            let place = pointer(&pointer(&pointer(place, "points"), index), "at");
            match &point.at {
                AtDef::One(x) => {
                    at.push(
                        self.report
                            .number(&place, Some(*x), index as f32, any_number()),
                    )
                }
                AtDef::Two(_) => {
                    let message = "expected a number, since the blend is along one parameter";
                    self.report.error("E-GRAPH-POINTS", place, message);
                }
            }
        }
        let whole = at.len() == points.len();
        self.check_distinct(&at, place, |a, b| a == b);
        Some(Points::Line {
            parameter: parameter?,
            at: whole.then_some(at)?,
        })
    }

    fn plane(&mut self, names: &[String], points: &[PointDef], place: &str) -> Option<Points> {
        let [x, y] = names else {
            let message = format!("expected one parameter or two, not {}", names.len());
            self.report
                .error("E-GRAPH-POINTS", pointer(place, "blend"), message);
            return None;
        };
        let blend = pointer(place, "blend");
        let parameters = [
            self.number_parameter(x, &pointer(&blend, 0)),
            self.number_parameter(y, &pointer(&blend, 1)),
        ];
        let mut at = Vec::new();
        for (index, point) in points.iter().enumerate() {
            let place = pointer(&pointer(&pointer(place, "points"), index), "at");
            let AtDef::Two(numbers) = &point.at else {
                let message = "expected [x, y], since the blend is over two parameters";
                self.report.error("E-GRAPH-POINTS", place, message);
                continue;
            };
            let [x, y] = numbers.as_slice() else {
                let message = format!("expected [x, y], not {} numbers", numbers.len());
                self.report.error("E-GRAPH-POINTS", place, message);
                continue;
            };
            let fallback = index as f32;
            at.push(Vec2::new(
                self.report
                    .number(pointer(&place, 0), Some(*x), fallback, any_number()),
                self.report
                    .number(pointer(&place, 1), Some(*y), fallback, any_number()),
            ));
        }
        let whole = at.len() == points.len();
        self.check_distinct(&at, place, |a, b| a.distance_squared(*b) < 1e-12);
        Some(Points::Plane {
            parameters: [parameters[0]?, parameters[1]?],
            at: whole.then_some(at)?,
        })
    }

    fn check_distinct<T>(&mut self, at: &[T], place: &str, same: impl Fn(&T, &T) -> bool) {
        for (index, point) in at.iter().enumerate() {
            if let Some(other) = at[..index].iter().position(|other| same(other, point)) {
                let place = pointer(&pointer(&pointer(place, "points"), index), "at");
                let message = format!("lies where point {other} lies");
                self.report.error("E-GRAPH-POINTS", place, message);
            }
        }
    }

    /// A clip by name, at a speed of its own.
    fn sample(&mut self, name: &str, speed: f32, place: &str) -> Option<Sample> {
        let Some((&name, &clip)) = self.clips.get_key_value(name) else {
            let names = self.clips.keys().copied();
            self.report
                .unknown("E-GRAPH-UNKNOWN-CLIP", place, "clip", name, names);
            return None;
        };
        if let Some(&index) = self.used.get(name) {
            return Some(sample_of(clip, index, speed));
        }
        self.check_clip(clip, place)?;
        let Ok(index) = u16::try_from(self.graph.clips.len()) else {
            let message = format!("more than {} clips in one graph", usize::from(u16::MAX) + 1);
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        };
        self.used.insert(name, index);
        self.graph.clips.push(Arc::clone(clip));
        Some(sample_of(clip, index, speed))
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
        if clip.markers.len() > MAX_CLIP_MARKERS {
            let message = format!(
                "clip `{}` has more than {MAX_CLIP_MARKERS} markers",
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

    /// The clips that states play.
    pub(super) fn clips_of(&self, states: &[State]) -> Vec<Arc<Clip>> {
        let mut indices = std::collections::BTreeSet::new();
        for state in states {
            match &self.graph.motions[usize::from(state.motion)] {
                Motion::Rest => {}
                Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
                    indices.insert(sample.clip);
                }
                Motion::Blend(space) => {
                    indices.extend(space.samples.iter().map(|sample| sample.clip))
                }
            }
        }
        let clips = indices
            .into_iter()
            .map(|index| &self.graph.clips[usize::from(index)]);
        clips.cloned().collect()
    }
}

fn sample_of(clip: &Clip, index: u16, speed: f32) -> Sample {
    Sample {
        clip: index,
        duration: f64::from(clip.duration) / f64::from(speed),
        stride: 0.0,
    }
}
