//! From the written form to the compiled one, with every mistake found at once.

mod condition;
mod layer;
mod markers;
mod motion;
mod parameters;
mod report;
mod rig;
mod transition;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::report::Report;
use super::compiled::{EventRules, Graph, Motion};
use super::def::{
    EntryDef, FadeSpeaksDef, GraphDef, LayerDef, ModeDef, RateDef, RotationsDef, StateDef,
};
use super::error::{GraphError, pointer};
use crate::{Clip, Skeleton};

impl Graph {
    /// Compiles a graph against a skeleton and the clips that its states may name (of clips of one
    /// name the first counts).
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn compile(
        def: &GraphDef,
        skeleton: &Arc<Skeleton>,
        clips: &[Arc<Clip>],
    ) -> Result<Self, Vec<GraphError>> {
        let mut compiler = Compiler::new(def, skeleton, clips);
        compiler.refuse_what_is_not_built();
        compiler.graph.parameters = parameters::parameters(def, &mut compiler.report);
        compiler.layers();
        compiler.root();
        compiler.chains();
        compiler.look_at();
        markers::collect(&mut compiler.graph, &mut compiler.report);
        if compiler.report.errors.is_empty() {
            Ok(compiler.graph)
        } else {
            Err(compiler.report.errors)
        }
    }

    /// A graph of one state that plays one clip: what is behind playing a clip without a graph. Root
    /// motion is carried by the joint that the clip names.
    ///
    /// # Errors
    /// A clip that was made for another skeleton.
    pub fn single_clip(
        skeleton: &Arc<Skeleton>,
        clip: &Arc<Clip>,
        looping: bool,
    ) -> Result<Self, Vec<GraphError>> {
        let state = StateDef {
            clip: Some(clip.name.clone()),
            mode: Some(if looping {
                ModeDef::Loop
            } else {
                ModeDef::Once
            }),
            ..StateDef::default()
        };
        // "any" is a word of transitions; a clip may be called so.
        let name = if clip.name == "any" || clip.name.is_empty() {
            "clip"
        } else {
            &clip.name
        };
        let layer = LayerDef {
            name: "base".to_owned(),
            states: BTreeMap::from([(name.to_owned(), state)]),
            ..LayerDef::default()
        };
        let def = GraphDef {
            layers: vec![layer],
            ..GraphDef::default()
        };
        Self::compile(&def, skeleton, std::slice::from_ref(clip))
    }

    /// A graph without layers: the rest pose.
    pub fn rest(skeleton: &Arc<Skeleton>) -> Self {
        Self {
            skeleton: Arc::clone(skeleton),
            clips: Vec::new(),
            parameters: Vec::new(),
            layers: Vec::new(),
            motions: Vec::new(),
            chains: Vec::new(),
            look_at: None,
            root: None,
            names: Vec::new(),
            markers: Vec::new(),
            events: EventRules {
                entry_inclusive: true,
                dedup: true,
            },
        }
    }
}

/// What is known while a graph is compiled.
struct Compiler<'a> {
    def: &'a GraphDef,
    skeleton: &'a Arc<Skeleton>,
    /// All that states may name.
    clips: BTreeMap<&'a str, &'a Arc<Clip>>,
    /// Index of each clip that is used.
    used: BTreeMap<&'a str, u16>,
    /// Names of sync groups, by index.
    groups: Vec<&'a str>,
    /// Pointers of what needs root motion to be known.
    needs_root: Vec<String>,
    /// Ways out of states so far.
    ways: usize,
    graph: Graph,
    report: Report,
}

impl<'a> Compiler<'a> {
    fn new(def: &'a GraphDef, skeleton: &'a Arc<Skeleton>, clips: &'a [Arc<Clip>]) -> Self {
        // Collected backwards, so that the first of a name stays.
        let named = clips.iter().rev().map(|clip| (clip.name.as_str(), clip));
        let mut graph = Graph::rest(skeleton);
        let events = def.events.clone().unwrap_or_default();
        graph.events = EventRules {
            entry_inclusive: events.entry != Some(EntryDef::Exclusive),
            dedup: events.dedup.unwrap_or(true),
        };
        Self {
            def,
            skeleton,
            clips: named.collect(),
            used: BTreeMap::new(),
            groups: Vec::new(),
            needs_root: Vec::new(),
            ways: 0,
            graph,
            report: Report::default(),
        }
    }

    /// Parts of the whole graph that parse and are not built.
    fn refuse_what_is_not_built(&mut self) {
        let def = self.def;
        if let Some(version) = def.version.filter(|version| *version != 1) {
            let message = format!("version {version} is not known; this build reads version 1");
            self.report.error("E-GRAPH-VERSION", "/version", message);
        }
        for name in def.slots.keys() {
            let help = "play a state of an overlay layer instead";
            self.report
                .not_supported(pointer("/slots", name), "a slot", help);
        }
        if def.rotations == Some(RotationsDef::Nlerp) {
            let help = "leave `rotations` out for slerp";
            self.report.not_supported("/rotations", "nlerp", help);
        }
        if def.transitions_per_step.is_some_and(|count| count != 1) {
            let what = "more than one transition a step";
            self.report.not_supported("/transitions_per_step", what, "");
        }
        if def.strict == Some(true) {
            self.report.not_supported("/strict", "strict mode", "");
        }
        if def.foot_ik.is_some() {
            self.report.not_supported("/foot_ik", "foot placement", "");
        }
        if !def.constraints.is_empty() {
            self.report
                .not_supported("/constraints", "a list of constraints", "");
        }
        let fade = def.events.as_ref().and_then(|events| events.fade);
        if fade.is_some_and(|fade| fade != FadeSpeaksDef::Both) {
            let help = "leave `fade` out: all states that play are heard";
            self.report.not_supported("/events/fade", "this rule", help);
        }
    }

    /// The index of a number parameter.
    fn number_parameter(&mut self, name: &str, place: &str) -> Option<u16> {
        let index = self.parameter(name, place)?;
        let kind = self.graph.parameters[usize::from(index)].kind;
        let is_number = matches!(
            kind,
            super::def::ParameterKind::Float | super::def::ParameterKind::Int
        );
        if !is_number {
            let kind = super::state::kind_name(kind);
            let message = format!("`{name}` is a {kind}; a float or an int is needed here");
            self.report.error("E-GRAPH-PARAMETER-KIND", place, message);
        }
        is_number.then_some(index)
    }

    fn parameter(&mut self, name: &str, place: &str) -> Option<u16> {
        let found = self.graph.parameter(name);
        if found.is_none() {
            let names = self.def.parameters.keys().map(String::as_str);
            self.report
                .unknown("E-GRAPH-UNKNOWN-PARAMETER", place, "parameter", name, names);
        }
        found
    }

    /// The index of a joint.
    fn joint(&mut self, name: &str, place: &str) -> Option<u16> {
        let found = self.skeleton.find(name);
        if found.is_none() {
            let names = self.skeleton.names.iter().map(String::as_str);
            self.report
                .unknown("E-GRAPH-UNKNOWN-JOINT", place, "joint", name, names);
        }
        found
    }

    /// Fills in what needs the motion of the root: how far clips travel in a lap.
    fn fill_strides(&mut self) {
        let Some(root) = &self.graph.root else {
            return;
        };
        let stride = |clip: u16| {
            let way = root.tracks[usize::from(clip)].cycle().translation();
            way.x.hypot(way.z).hypot(way.y)
        };
        for motion in &mut self.graph.motions {
            match motion {
                Motion::Rest => {}
                Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
                    sample.stride = stride(sample.clip);
                }
                Motion::Blend(space) => {
                    for sample in &mut space.samples {
                        sample.stride = stride(sample.clip);
                    }
                }
            }
        }
    }

    fn check_rates(&mut self) {
        let known = self.graph.root.is_some();
        for place in std::mem::take(&mut self.needs_root) {
            if !known {
                let message = "`rate = \"distance\"` needs to know which joint travels";
                let help = "add root = { joint = \"...\" } to the graph";
                self.report
                    .error_with_help("E-GRAPH-ROOT", place, message, help);
            }
        }
    }
}

/// Whether a blend asks for the rate that needs root motion.
fn asks_for_distance(state: &StateDef) -> bool {
    state.rate == Some(RateDef::Distance)
}
