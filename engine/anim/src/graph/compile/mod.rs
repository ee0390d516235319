//! From the written form to the compiled one, with every mistake found at once.

mod additive;
mod align;
mod blend;
mod budget;
mod clips;
mod condition;
mod conduit;
mod cycle;
mod direct;
mod file;
mod layer;
mod leaves;
mod machine;
mod markers;
mod mask;
mod motion;
mod names;
mod parameters;
mod pose;
mod profile;
mod report;
mod rig;
mod select;
mod sequence;
mod slot;
mod state;
mod sync_tracks;
mod transition;

pub(super) use transition::transition_names;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::budget::Budget;
use self::clips::Shelf;
use self::layer::LayerScope;
use self::motion::Step;
use self::names::Names;
use self::report::Report;
use self::state::StateScope;
use super::compiled::{EventRules, Graph};
use super::def::{
    EntryDef, EventsDef, FadeSpeaksDef, GraphDef, LayerDef, ModeDef, ParameterKind, RotationsDef,
    StateDef,
};
use super::error::GraphError;
use crate::{Clip, Rotations, Skeleton};

impl Graph {
    /// Compiles a graph against a skeleton and the clips that its states may name (of clips of one
    /// name the first counts). Where states name other graphs by path, [`GraphDef::inline`] has to read them
    /// first.
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
        compiler.rules();
        compiler.graph.parameters = parameters::parameters(def, &mut compiler.report);
        compiler.slot_clips();
        compiler.layers();
        compiler.slots();
        compiler.curves();
        compiler.root();
        compiler.chains();
        compiler.look_at();
        compiler.name_poses();
        compiler.name_markers();
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
            machines: Vec::new(),
            motions: Vec::new(),
            randoms: 0,
            poses: Vec::new(),
            slots: Vec::new(),
            chains: Vec::new(),
            look_at: None,
            root: None,
            names: Vec::new(),
            curves: Vec::new(),
            profiles: Vec::new(),
            events: EventRules {
                entry_inclusive: true,
                dedup: true,
                fade: FadeSpeaksDef::Both,
            },
            rotations: Rotations::Slerp,
            transitions_per_step: 1,
            strict: false,
        }
    }
}

/// What is known while a graph is compiled.
struct Compiler<'a> {
    /// The whole graph.
    def: &'a GraphDef,
    /// The graph whose part is being compiled: `def`, or one that a state names by path.
    file: &'a GraphDef,
    skeleton: &'a Arc<Skeleton>,
    /// All that states may name.
    clips: BTreeMap<&'a str, &'a Arc<Clip>>,
    /// What of which clips is in the graph.
    shelf: Shelf<'a>,
    /// Names of sync groups, by index.
    groups: Names<'a>,
    /// Names of kept poses in the order of first use; sorted in the end.
    poses: Names<'a>,
    /// Names of states' own markers in the order of first use; sorted in the end.
    marker_names: Names<'a>,
    /// Profiles by the bits of their factors.
    profiles: BTreeMap<Vec<u32>, u16>,
    /// The layer that is being compiled.
    layer: LayerScope<'a>,
    /// The state that is being compiled.
    state: StateScope,
    /// Names and files that led to the motion that is being compiled.
    way: Vec<Step<'a>>,
    /// How many motions stand around the one that is being compiled.
    depth: usize,
    /// Ways out of states so far.
    ways: usize,
    /// Layers whose weight is a curve, with its name and place; curves are known later.
    weight_curves: Vec<(usize, &'a str, String)>,
    /// What is to be told where the graph turns out to have no root joint.
    needs_root: Vec<GraphError>,
    budget: Budget,
    graph: Graph,
    report: Report,
}

impl<'a> Compiler<'a> {
    fn new(def: &'a GraphDef, skeleton: &'a Arc<Skeleton>, clips: &'a [Arc<Clip>]) -> Self {
        // Collected backwards, so that the first of a name stays.
        let named = clips.iter().rev().map(|clip| (clip.name.as_str(), clip));
        Self {
            def,
            file: def,
            skeleton,
            clips: named.collect(),
            shelf: Shelf::default(),
            groups: Names::default(),
            poses: Names::default(),
            marker_names: Names::default(),
            profiles: BTreeMap::new(),
            layer: LayerScope::default(),
            state: StateScope::default(),
            way: Vec::new(),
            depth: 0,
            ways: 0,
            weight_curves: Vec::new(),
            needs_root: Vec::new(),
            budget: Budget::default(),
            graph: Graph::rest(skeleton),
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
        if def.foot_ik.is_some() {
            self.report.not_supported("/foot_ik", "foot placement", "");
        }
        if !def.constraints.is_empty() {
            self.report
                .not_supported("/constraints", "a list of constraints", "");
        }
    }

    /// Rules of the whole graph.
    fn rules(&mut self) {
        let def = self.def;
        let EventsDef { entry, fade, dedup } = def.events.clone().unwrap_or_default();
        self.graph.events = EventRules {
            entry_inclusive: entry != Some(EntryDef::Exclusive),
            dedup: dedup.unwrap_or(true),
            fade: fade.unwrap_or(FadeSpeaksDef::Both),
        };
        self.graph.rotations = match def.rotations {
            None | Some(RotationsDef::Slerp) => Rotations::Slerp,
            Some(RotationsDef::Nlerp) => Rotations::Nlerp,
        };
        let count = def.transitions_per_step.unwrap_or(1);
        if (1..=8).contains(&count) {
            self.graph.transitions_per_step = count as u8;
        } else {
            let message = format!("is {count}, but must be from 1 to 8");
            self.report
                .error("E-GRAPH-RANGE", "/transitions_per_step", message);
        }
        self.graph.strict = def.strict.unwrap_or(false);
        if self.graph.strict && def.layers.is_empty() {
            let message = "a strict graph must play something, and this one has no layers";
            self.report.error_with_help(
                "E-GRAPH-NO-STATES",
                "/strict",
                message,
                "add a layer, or leave `strict` out for the rest pose",
            );
        }
    }

    /// The index of a number parameter.
    fn number_parameter(&mut self, name: &str, place: &str) -> Option<u16> {
        self.parameter_of(name, place, &[ParameterKind::Float, ParameterKind::Int])
    }

    /// The index of a parameter of one of these kinds.
    fn parameter_of(&mut self, name: &str, place: &str, kinds: &[ParameterKind]) -> Option<u16> {
        let index = self.parameter(name, place)?;
        let kind = self.graph.parameters[usize::from(index)].kind;
        if kinds.contains(&kind) {
            return Some(index);
        }
        let words: Vec<&str> = kinds
            .iter()
            .map(|kind| super::state::kind_name(*kind))
            .collect();
        let kind = super::state::kind_name(kind);
        let wanted = words.join(" or ");
        let message = format!("`{name}` is a {kind}; needed here is: {wanted}");
        self.report.error("E-GRAPH-PARAMETER-KIND", place, message);
        None
    }

    fn parameter(&mut self, name: &str, place: &str) -> Option<u16> {
        let found = self.graph.parameter(name);
        if found.is_none() {
            let parameters = self.graph.parameters.iter();
            let names = parameters.map(|parameter| parameter.name.as_str());
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

    /// Tells of each given key that it says nothing here.
    fn no_effect(&mut self, place: &str, keys: &[(&str, bool)], why: &str) {
        for (key, _) in keys.iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` {why}");
            let place = super::error::pointer(place, key);
            self.report.error("E-GRAPH-NO-EFFECT", place, message);
        }
    }
}
