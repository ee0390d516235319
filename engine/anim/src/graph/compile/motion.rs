//! What a state plays: a tree of motions.

use super::Compiler;
use super::clips::What;
use crate::graph::compiled::{LeafPart, MAX_SAMPLES, Motion, Sample};
use crate::graph::def::{MotionRefDef, StateDef};
use crate::graph::error::pointer;

/// Most motions and machines that stand in each other.
const MAX_DEPTH: usize = 16;

/// Most names that lead from one to the next, or to what has them inside.
const MAX_WAY: usize = 64;

/// A name that led to the motion that is being compiled.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Step<'a> {
    /// One of the `motions` of the graph of this path (empty for the graph itself).
    Motion(&'a str, &'a str),
    /// Another graph, by path.
    File(&'a str),
}

impl<'a> Compiler<'a> {
    /// Adds the motion of a state, in front of all that is in it; the rest pose where it is wrong.
    pub(super) fn state_motion(&mut self, def: &'a StateDef, place: &str) -> u16 {
        self.add(place, |compiler| compiler.one_motion(def, true, place))
    }

    /// Adds a motion inside another one.
    pub(super) fn inner_motion(&mut self, def: &'a MotionRefDef, place: &str) -> u16 {
        self.add(place, |compiler| match def {
            MotionRefDef::Name(name) => compiler.named_motion(name, place),
            MotionRefDef::Motion(def) => {
                compiler.refuse_state_keys(def, place);
                compiler.one_motion(def, false, place)
            }
        })
    }

    /// As many motions as one may have inside, by index.
    pub(super) fn inner_motions(
        &mut self,
        kind: &str,
        children: &'a [MotionRefDef],
        place: &str,
    ) -> Option<Vec<u16>> {
        self.check_count(kind, children.len(), place)?;
        let children = children.iter().enumerate();
        let add = |(index, child)| self.inner_motion(child, &pointer(place, index));
        Some(children.map(add).collect())
    }

    pub(super) fn check_count(&mut self, kind: &str, count: usize, place: &str) -> Option<()> {
        if !(1..=MAX_SAMPLES).contains(&count) {
            let message = format!("{kind} has 1 to {MAX_SAMPLES} children, not {count}");
            self.report.error("E-GRAPH-MOTION", place, message);
            return None;
        }
        Some(())
    }

    /// Takes the next index, then compiles what belongs there.
    pub(super) fn add(
        &mut self,
        place: &str,
        compile: impl FnOnce(&mut Self) -> Option<Motion>,
    ) -> u16 {
        if !self.spend_motions(1, place) {
            return 0;
        }
        let index = self.graph.motions.len();
        self.graph.motions.push(Motion::Rest);
        if self.depth >= MAX_DEPTH {
            let message = format!("motions and machines are nested deeper than {MAX_DEPTH} levels");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return index as u16;
        }
        self.depth += 1;
        let motion = compile(self);
        self.depth -= 1;
        if let Some(motion) = motion {
            self.graph.motions[index] = motion;
        }
        index as u16
    }

    fn one_motion(&mut self, def: &'a StateDef, is_state: bool, place: &str) -> Option<Motion> {
        let kind = self.kind(def, is_state, place)?;
        self.check_owners(def, kind, place);
        let inside = pointer(place, kind);
        match kind {
            "clip" => self.clip_motion(def, place),
            "blend" => self.blend(def, place),
            "direct" => self.direct(def.direct.as_deref()?, &inside),
            "additive" => self.additive(def.additive.as_ref()?, &inside),
            "select" => self.select(def, place),
            "sequence" => self.sequence(def.sequence.as_deref()?, &inside),
            "machine" => self.inner_machine(def.machine.as_ref()?, &inside),
            "graph" => self.file(def.graph.as_deref()?, &inside),
            "pose" => self.pose(def.pose.as_deref()?, &inside),
            "motion" => self.named_motion(def.motion.as_deref()?, &inside),
            "conduit" if !is_state => {
                let message = "a conduit is a state of a machine, not a motion inside another";
                self.report.error("E-GRAPH-MOTION", inside, message);
                None
            }
            _ => {
                if def.rest == Some(false) || def.conduit == Some(false) {
                    let message = format!(
                        "`{kind} = false` says nothing; write `{kind} = true` or another motion"
                    );
                    self.report.error("E-GRAPH-MOTION", inside, message);
                }
                Some(Motion::Rest)
            }
        }
    }

    /// The key of the only motion that is given.
    fn kind(&mut self, def: &StateDef, is_state: bool, place: &str) -> Option<&'static str> {
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
        let given = kinds.iter().filter(|kind| kind.1).map(|kind| kind.0);
        let given: Vec<&'static str> = given.collect();
        if let [kind] = given.as_slice() {
            return Some(kind);
        }
        let message = match (given.is_empty(), is_state) {
            (true, true) => "the state has no motion".to_owned(),
            (true, false) => "nothing says what plays here".to_owned(),
            (false, _) => format!("`{}` exclude each other", given.join("` and `")),
        };
        let help = "give exactly one of clip, blend, rest or another motion";
        self.report
            .error_with_help("E-GRAPH-MOTION", place, message, help);
        None
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
            ("align", def.align.is_some(), "blend"),
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
        let what = self.what(def, place);
        let parameter = match &def.time_parameter {
            None => None,
            Some(name) => Some(self.number_parameter(name, &pointer(place, "time_parameter"))?),
        };
        let sample = self.sample(&what?, parameter.is_some(), &pointer(place, "clip"))?;
        Some(match parameter {
            None => Motion::Clip(sample),
            Some(parameter) => Motion::Scrub { sample, parameter },
        })
    }

    /// A clip as a leaf of the state.
    pub(super) fn sample(
        &mut self,
        what: &What<'a>,
        scrubbed: bool,
        place: &str,
    ) -> Option<Sample> {
        let clip = self.graph_clip(what, place)?;
        let part = LeafPart {
            clip,
            begin: 0.0,
            end: 1.0,
        };
        let leaf = self.leaf(vec![part], scrubbed, place)?;
        Some(Sample { clip, leaf })
    }

    fn named_motion(&mut self, name: &'a str, place: &str) -> Option<Motion> {
        let way = self.way.len();
        let found = self.find_motion(name, place);
        let motion = found.and_then(|(def, place)| self.one_motion(def, false, &place));
        self.way.truncate(way);
        motion
    }

    /// One of the `motions` of the graph and its place; a way that comes back to itself is an error. The
    /// caller forgets the last step of the way when it has compiled the motion.
    pub(super) fn find_motion(
        &mut self,
        name: &'a str,
        place: &str,
    ) -> Option<(&'a StateDef, String)> {
        let Some((name, def)) = self.file.motions.get_key_value(name) else {
            let names = self.file.motions.keys().map(String::as_str);
            self.report
                .unknown("E-GRAPH-UNKNOWN-MOTION", place, "motion", name, names);
            return None;
        };
        self.step(Step::Motion(self.path(), name), place)?;
        let place = pointer("/motions", name);
        self.refuse_state_keys(def, &place);
        Some((def, place))
    }

    /// Goes on by a name, unless that leads back to where it came from.
    pub(super) fn step(&mut self, step: Step<'a>, place: &str) -> Option<()> {
        if let Some(start) = self.way.iter().position(|known| *known == step) {
            let round = self.way[start..].iter().chain([&step]);
            let words: Vec<&str> = round
                .map(|step| match step {
                    Step::Motion(_, name) => name,
                    Step::File(path) => path,
                })
                .copied()
                .collect();
            let message = format!("the motion contains itself: `{}`", words.join("` > `"));
            self.report.error("E-GRAPH-CYCLE", place, message);
            return None;
        }
        if self.way.len() >= MAX_WAY {
            let message = format!("more than {MAX_WAY} names lead from one to the next");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        }
        self.way.push(step);
        Some(())
    }

    /// The path of the graph that is being compiled.
    fn path(&self) -> &'a str {
        let files = self.way.iter().rev();
        let mut paths = files.filter_map(|step| match step {
            Step::File(path) => Some(*path),
            Step::Motion(..) => None,
        });
        paths.next().unwrap_or("")
    }

    /// A motion says what plays; how it plays is said by the state around it.
    pub(super) fn refuse_state_keys(&mut self, def: &StateDef, place: &str) {
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
        self.no_effect(place, &keys, "belongs to the state that uses the motion");
        self.no_effect(
            place,
            &[("remove", def.remove.is_some())],
            "belongs to patches",
        );
    }
}
