//! Blend spaces: motions over a line or a plane.

use glam::Vec2;

use super::Compiler;
use super::align::Voice;
use super::clips::What;
use super::report::any_number;
use crate::Triangulation;
use crate::graph::compiled::{BlendChild, BlendSpace, MAX_SAMPLES, Motion, PlaneRule, Points};
use crate::graph::def::{
    AlignDef, AtDef, BlendAlignDef, BlendDef, PointDef, RateDef, StateDef, WeightsDef,
};
use crate::graph::error::{GraphError, pointer};

impl<'a> Compiler<'a> {
    pub(super) fn blend(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        if def.rate == Some(RateDef::Distance) {
            self.need_root(&pointer(place, "rate"));
        }
        let keep = self.keep(def, place);
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
        let mut children: Vec<Option<BlendChild>> = Vec::with_capacity(points.len());
        let mut voices = Vec::new();
        for (index, point) in points.iter().enumerate() {
            let place = pointer(&points_place, index);
            let first = self.state.leaves.len();
            children.push(self.point(point, &place));
            self.check_point_align(def, point, &place);
            if point.align.is_none() {
                voices.extend(self.voices(first, &place));
            }
        }
        let points = match def.blend.as_ref()? {
            BlendDef::One(name) => {
                let keys = [("weights", def.weights.is_some())];
                self.no_effect(place, &keys, "belongs to a blend over two parameters");
                self.line(name, points, place)
            }
            BlendDef::Two(names) => self.plane(names, points, def.weights, place),
        };
        let children = children.into_iter().collect::<Option<_>>()?;
        match &def.align {
            None | Some(BlendAlignDef::Word(AlignDef::Phase)) => {}
            Some(BlendAlignDef::Word(AlignDef::Marker)) => self.align(&voices, None)?,
            Some(BlendAlignDef::Markers(names)) if names.is_empty() => {
                let message = "names no markers";
                let help = "name some, or write align = \"marker\" for all that the clips share";
                let place = pointer(place, "align");
                self.report
                    .error_with_help("E-GRAPH-ALIGN", place, message, help);
            }
            Some(BlendAlignDef::Markers(names)) => self.align(&voices, Some(names))?,
        }
        Some(Motion::Blend(BlendSpace {
            points: points?,
            keep,
            children,
            rate: def.rate.unwrap_or(RateDef::DurationMean),
        }))
    }

    /// The leaves from `first` on that may be aligned: those that play by the clock and are not laid over others.
    fn voices(&self, first: usize, place: &str) -> Vec<Voice> {
        let leaves = self.state.leaves.iter().enumerate().skip(first);
        let own = leaves.filter(|(_, leaf)| {
            leaf.choir == self.state.choir && !leaf.scrubbed && leaf.duration > 0.0
        });
        own.map(|(leaf, _)| Voice {
            leaf,
            place: place.to_owned(),
        })
        .collect()
    }

    fn check_point_align(&mut self, blend: &StateDef, point: &PointDef, place: &str) {
        let aligned = !matches!(
            &blend.align,
            None | Some(BlendAlignDef::Word(AlignDef::Phase))
        );
        let why = match &point.align {
            None => return,
            Some(BlendAlignDef::Word(AlignDef::Phase)) if aligned => return,
            Some(BlendAlignDef::Word(AlignDef::Phase)) => {
                "belongs to a blend that is aligned by markers"
            }
            Some(_) => "is that of the blend; a point can only stay out of it with \"phase\"",
        };
        self.no_effect(place, &[("align", true)], why);
    }

    /// Remembers to tell where the graph has no root joint.
    fn need_root(&mut self, place: &str) {
        let message = "`rate = \"distance\"` needs to know which joint travels";
        let help = "add root = { joint = \"...\" } to the graph";
        let error =
            GraphError::new("E-GRAPH-ROOT", place, message).with_help(Some(help.to_owned()));
        let error = self.report.placed(error);
        self.needs_root.push(error);
    }

    fn keep(&mut self, def: &StateDef, place: &str) -> Option<u8> {
        let keep = def.keep?;
        if keep == 0 || keep > MAX_SAMPLES as u32 {
            let message = format!("is {keep}, but must be from 1 to {MAX_SAMPLES}");
            self.report
                .error("E-GRAPH-RANGE", pointer(place, "keep"), message);
        }
        Some(keep.min(MAX_SAMPLES as u32) as u8)
    }

    fn point(&mut self, def: &'a PointDef, place: &str) -> Option<BlendChild> {
        let speed_place = pointer(place, "speed");
        let speed = self
            .report
            .number(speed_place.clone(), def.speed, 1.0, any_number());
        if speed <= 0.0 {
            let message = format!("is {speed}, but must be above 0");
            self.report.error("E-GRAPH-RANGE", speed_place, message);
            return None;
        }
        let motion = match (&def.clip, &def.motion) {
            (Some(clip), None) => {
                let place = pointer(place, "clip");
                self.add(&place, |compiler| {
                    let sample = compiler.sample(&What::whole(clip), false, &place);
                    sample.map(Motion::Clip)
                })
            }
            (None, Some(motion)) => self.inner_motion(motion, &pointer(place, "motion")),
            (None, None) => {
                let message = "the point has neither `clip` nor `motion`";
                self.report.error("E-GRAPH-MISSING", place, message);
                return None;
            }
            (Some(_), Some(_)) => {
                let message = "`clip` and `motion` exclude each other";
                self.report.error("E-GRAPH-MOTION", place, message);
                return None;
            }
        };
        Some(BlendChild {
            motion,
            speed: f64::from(speed),
        })
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

    fn plane(
        &mut self,
        names: &[String],
        points: &[PointDef],
        weights: Option<WeightsDef>,
        place: &str,
    ) -> Option<Points> {
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
        let at = whole.then_some(at)?;
        Some(Points::Plane {
            parameters: [parameters[0]?, parameters[1]?],
            rule: match weights {
                None | Some(WeightsDef::GradientBand) => PlaneRule::GradientBand,
                Some(WeightsDef::Polar) => PlaneRule::Polar,
                Some(WeightsDef::Delaunay) => PlaneRule::Delaunay(Triangulation::new(&at)),
            },
            at,
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
}
