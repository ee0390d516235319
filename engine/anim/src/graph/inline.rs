//! Graphs that name other graphs by path: reading those once, before compiling.

use super::def::{GraphDef, LayerDef, NumberOrBool, ParameterDef, ParameterKind, ParameterSource};
use super::error::{GraphError, pointer};
use super::named::{Named, each_name};
use super::state::kind_name;

/// Most graphs that may stand in each other.
const MAX_DEPTH: usize = 16;

/// Most graphs that one may be made of.
const MAX_FILES: usize = 256;

/// Mistakes that are told.
const MAX_ERRORS: usize = 64;

impl GraphDef {
    /// Reads the graphs that states name by `graph = "path"`, and those that they name, each path once, into
    /// [`GraphDef::graphs`]; [`Graph::compile`](crate::Graph::compile) puts their machines in place. Such a graph has one
    /// layer, `motions` of its own, and parameters that are shared with those of the same name here: the settings
    /// that are given here count.
    ///
    /// # Errors
    /// Whatever `load` says of a path, graphs that contain themselves, that are more than one machine, or
    /// whose parameters are of another kind here. All point at the `graph` key in `self`.
    pub fn inline(
        &self,
        load: &mut dyn FnMut(&str) -> Result<GraphDef, GraphError>,
    ) -> Result<GraphDef, Vec<GraphError>> {
        let mut whole = self.clone();
        whole.graphs.clear();
        let named = graphs_of(&mut whole);
        let mut inliner = Inliner {
            whole,
            load,
            way: Vec::new(),
            named: String::new(),
            errors: Vec::new(),
        };
        for (place, path) in named {
            inliner.named.clone_from(&place);
            inliner.file(&path);
        }
        if inliner.errors.is_empty() {
            Ok(inliner.whole)
        } else {
            Err(inliner.errors)
        }
    }
}

struct Inliner<'a> {
    /// The graph with all that was read so far.
    whole: GraphDef,
    load: &'a mut dyn FnMut(&str) -> Result<GraphDef, GraphError>,
    /// The paths that led to the one that is being read.
    way: Vec<String>,
    /// The key in the whole graph that led there.
    named: String,
    errors: Vec<GraphError>,
}

impl Inliner<'_> {
    /// Reads the graph of a path and those that it names.
    fn file(&mut self, path: &str) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        if let Some(start) = self.way.iter().position(|known| known == path) {
            let mut round = self.way[start..].to_vec();
            round.push(path.to_owned());
            let message = format!("the graph contains itself: `{}`", round.join("` > `"));
            self.error("E-GRAPH-CYCLE", message);
            return;
        }
        if self.whole.graphs.contains_key(path) {
            return;
        }
        if self.way.len() >= MAX_DEPTH || self.whole.graphs.len() >= MAX_FILES {
            let message = format!(
                "graph `{path}` is one too many: at most {MAX_DEPTH} stand in each other, and at most {MAX_FILES} are read"
            );
            self.error("E-GRAPH-LIMIT", message);
            return;
        }
        let mut def = match (self.load)(path) {
            Ok(def) => def,
            Err(error) => {
                self.push(path, error);
                return;
            }
        };
        self.check(path, &def);
        self.share_parameters(path, &def);
        let inside = graphs_of(&mut def);
        self.way.push(path.to_owned());
        for (_, path) in inside {
            self.file(&path);
        }
        self.way.pop();
        self.whole.graphs.insert(path.to_owned(), def);
    }

    /// A graph inside a state is one machine: whatever says more has no place there.
    fn check(&mut self, path: &str, def: &GraphDef) {
        if let Some(version) = def.version.filter(|version| *version != 1) {
            let message = format!("version {version} is not known; this build reads version 1");
            self.push(
                path,
                GraphError::new("E-GRAPH-VERSION", "/version", message),
            );
        }
        let GraphDef {
            version: _,
            parameters: _,
            layers,
            motions: _,
            slots,
            events,
            rotations,
            transitions_per_step,
            strict,
            root,
            chains,
            look_at,
            foot_ik,
            constraints,
            graphs: _,
        } = def;
        let whole_graph = [
            ("slots", !slots.is_empty()),
            ("events", events.is_some()),
            ("rotations", rotations.is_some()),
            ("transitions_per_step", transitions_per_step.is_some()),
            ("strict", strict.is_some()),
            ("root", root.is_some()),
            ("chains", !chains.is_empty()),
            ("look_at", look_at.is_some()),
            ("foot_ik", foot_ik.is_some()),
            ("constraints", !constraints.is_empty()),
        ];
        self.refuse(path, "", &whole_graph, "belongs to the graph around it");
        let [layer] = layers.as_slice() else {
            let message = format!(
                "has {} layers, but a graph inside a state is one machine, so it has one",
                layers.len()
            );
            self.push(path, GraphError::new("E-GRAPH-MOTION", "/layers", message));
            return;
        };
        let LayerDef {
            name: _,
            entry: _,
            states: _,
            transitions: _,
            mask,
            weight,
            weight_parameter,
            weight_curve,
            blend,
            reference,
            space,
            follow,
            root_motion,
            root_weights,
            remove: _,
        } = layer;
        let whole_layer = [
            ("mask", mask.is_some()),
            ("weight", weight.is_some()),
            ("weight_parameter", weight_parameter.is_some()),
            ("weight_curve", weight_curve.is_some()),
            ("blend", blend.is_some()),
            ("reference", reference.is_some()),
            ("space", space.is_some()),
            ("follow", follow.is_some()),
            ("root_motion", root_motion.is_some()),
            ("root_weights", root_weights.is_some()),
        ];
        let why = "belongs to the layer around it";
        self.refuse(path, "/layers/0", &whole_layer, why);
    }

    fn refuse(&mut self, path: &str, place: &str, keys: &[(&str, bool)], why: &str) {
        for (key, _) in keys.iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` {why}: a graph inside a state is one machine");
            let error = GraphError::new("E-GRAPH-MOTION", pointer(place, key), message);
            self.push(path, error);
        }
    }

    /// Parameters of one name are one.
    fn share_parameters(&mut self, path: &str, def: &GraphDef) {
        for (name, parameter) in &def.parameters {
            let Some(known) = self.whole.parameters.get(name) else {
                self.whole
                    .parameters
                    .insert(name.clone(), parameter.clone());
                continue;
            };
            if let (Some(here), Some(there)) = (kind_of(known), kind_of(parameter))
                && here != there
            {
                let message = format!(
                    "parameter `{name}` is a {}, but a {} in the graph around it",
                    kind_name(there),
                    kind_name(here)
                );
                let place = pointer("/parameters", name);
                self.push(
                    path,
                    GraphError::new("E-GRAPH-PARAMETER-KIND", place, message),
                );
            }
        }
    }

    /// A mistake inside the graph of a path.
    fn push(&mut self, path: &str, error: GraphError) {
        let place = if error.pointer.is_empty() {
            String::new()
        } else {
            format!(" at {}", error.pointer)
        };
        let message = format!("in `{path}`{place}: {}", error.message);
        let error = GraphError {
            message,
            pointer: self.named.clone(),
            ..error
        };
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn error(&mut self, code: &'static str, message: String) {
        let message = match self.way.last() {
            Some(path) => format!("in `{path}`: {message}"),
            None => message,
        };
        let error = GraphError::new(code, self.named.clone(), message);
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }
}

/// What a parameter holds, where that is said.
pub(super) fn kind_of(def: &ParameterDef) -> Option<ParameterKind> {
    match def {
        ParameterDef::Number(_) => Some(ParameterKind::Float),
        ParameterDef::Bool(_) => Some(ParameterKind::Bool),
        ParameterDef::Word(_) => Some(ParameterKind::Trigger),
        ParameterDef::Table(table) => {
            let of_source = table.source.map(|source| match source {
                ParameterSource::Grounded => ParameterKind::Bool,
                _ => ParameterKind::Float,
            });
            let of_value = table.value.map(|value| match value {
                NumberOrBool::Number(_) => ParameterKind::Float,
                NumberOrBool::Bool(_) => ParameterKind::Bool,
            });
            table.kind.or(of_source).or(of_value)
        }
    }
}

/// The paths that a graph's states name, each with the pointer of its key.
fn graphs_of(def: &mut GraphDef) -> Vec<(String, String)> {
    let mut found = Vec::new();
    each_name(def, &mut |place, name| {
        if let Named::Graph(path) = name {
            found.push((place.to_owned(), path.clone()));
        }
    });
    found
}
