//! Graphs compiled for models, each once, with the files that they are made from.

use std::sync::Arc;

use sinew_anim::{Graph, GraphDef, GraphError};
use sinew_assets::{Assets, Diagnostic, LogicalPath, Severity};
use sinew_model::Model;

use crate::{ActorId, Motion, World, WorldError};

/// A compiled graph, shared by all actors with the same definition and model.
#[derive(Clone)]
pub(crate) struct CachedGraph {
    pub motion: Motion,
    pub model: Arc<Model>,
    pub graph: Arc<Graph>,
    /// The graph files that it names.
    pub depends: Vec<LogicalPath>,
}

/// The graph of a motion on a model, and the graph files that it names.
pub(crate) fn compile(
    motion: &Motion,
    model: &Model,
    assets: &mut Assets,
) -> Result<(Graph, Vec<LogicalPath>), WorldError> {
    let skeleton = &model.skeleton;
    match motion {
        Motion::Rest => Ok((Graph::rest(skeleton), Vec::new())),
        Motion::Clip { clip, looping } => {
            let known = model.clips.iter();
            let found = known.clone().find(|known| known.name == *clip);
            let found = found.ok_or_else(|| WorldError::Unknown {
                owner: "the model".to_owned(),
                what: "clip",
                name: clip.clone(),
                nearest: sinew_anim::nearest(clip, known.map(|clip| clip.name.as_str()))
                    .map(str::to_owned),
            })?;
            let graph = Graph::single_clip(skeleton, found, *looping);
            let graph = graph.map_err(|errors| graph_fault(&errors, None, assets))?;
            Ok((graph, Vec::new()))
        }
        Motion::Graph { def, file, space } => {
            let fault = |faults: Vec<Diagnostic>| WorldError::Asset(Box::new(first_of(faults)));
            let (def, depends) = inline(def, file.as_ref(), space, assets).map_err(fault)?;
            let graph = Graph::compile(&def, skeleton, &model.clips);
            let graph = graph.map_err(|errors| graph_fault(&errors, file.as_ref(), assets))?;
            Ok((graph, depends))
        }
    }
}

/// The graph with those that it names by path, and the files of those.
fn inline(
    def: &GraphDef,
    file: Option<&LogicalPath>,
    space: &str,
    assets: &mut Assets,
) -> Result<(GraphDef, Vec<LogicalPath>), Vec<Diagnostic>> {
    let mut depends = Vec::new();
    let mut inner: Option<Diagnostic> = None;
    let whole = def.inline(&mut |text| {
        let read = LogicalPath::parse(text, space)
            .map_err(|error| Box::new(Diagnostic::from_path(&error, text)))
            .and_then(|path| {
                depends.push(path.clone());
                let graph = assets.graph(&path)?;
                Ok((path, graph))
            });
        match read {
            Ok((path, graph)) => seen_from(space, &path, &graph.value),
            Err(fault) => {
                let error = GraphError {
                    code: "E-GRAPH-FILE",
                    pointer: String::new(),
                    message: fault.message.clone(),
                    help: fault.help.clone(),
                };
                // A file that is there and wrong is shown itself, one that is not where it is named.
                if fault.span.is_some() {
                    inner.get_or_insert(*fault);
                }
                Err(error)
            }
        }
    });
    match (whole, inner) {
        (Ok(whole), _) => Ok((whole, depends)),
        (Err(_), Some(fault)) => Err(vec![fault]),
        (Err(errors), None) => Err(faults_of(&errors, file, assets)),
    }
}

/// The graph of a file for a graph of `space`: what it names without a space is in its own.
fn seen_from(space: &str, file: &LogicalPath, def: &GraphDef) -> Result<GraphDef, GraphError> {
    if file.space == space {
        return Ok(def.clone());
    }
    // What is no path stays as it is written, and is told when it is read.
    def.rename_graphs(&|text| match LogicalPath::parse(text, &file.space) {
        Ok(path) => path.to_string(),
        Err(_) => text.to_owned(),
    })
}

/// Checks a graph against a model: everything that is wrong with it, else everything that works in another way than its
/// author may expect, at its place in its file.
pub fn check_graph(
    def: &GraphDef,
    file: &LogicalPath,
    model: &Model,
    assets: &mut Assets,
) -> Vec<Diagnostic> {
    let whole = match inline(def, Some(file), &file.space, assets) {
        Ok((whole, _)) => whole,
        Err(faults) => return faults,
    };
    match Graph::compile(&whole, &model.skeleton, &model.clips) {
        Ok(graph) => warnings_of(def, &graph, Some(file), assets),
        Err(errors) => faults_of(&errors, Some(file), assets),
    }
}

/// What works in another way than the author of a graph may expect, at its places in its file where it has one.
pub(crate) fn warnings_of(
    def: &GraphDef,
    graph: &Graph,
    file: Option<&LogicalPath>,
    assets: &Assets,
) -> Vec<Diagnostic> {
    let told = [def.warnings(), graph.warnings()].concat();
    if told.is_empty() {
        return Vec::new();
    }
    let mut told = faults_of(&told, file, assets);
    for fault in &mut told {
        fault.severity = Severity::Warning;
    }
    told
}

impl World {
    /// What works in another way than the author of an actor's graph may expect. Of a graph without a file, which a script
    /// wrote, the places are pointers into what it wrote.
    pub fn graph_warnings(&self, id: ActorId) -> Vec<Diagnostic> {
        let Ok(animation) = self.need_animation(id) else {
            return Vec::new();
        };
        match &animation.motion {
            Motion::Graph { def, file, .. } => {
                warnings_of(def, &animation.graph, file.as_ref(), &self.assets)
            }
            Motion::Rest | Motion::Clip { .. } => Vec::new(),
        }
    }
}

/// The faults of a graph, at their places in its file where it has one.
fn faults_of(
    errors: &[GraphError],
    file: Option<&LogicalPath>,
    assets: &Assets,
) -> Vec<Diagnostic> {
    let shown = file.map(|file| assets.display(file)).unwrap_or_default();
    let bytes = file.and_then(|file| assets.read(file).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let text: Option<Arc<str>> = text.map(Arc::from);
    let errors = errors.iter().cloned();
    errors
        .map(|error| {
            let mut fault = Diagnostic::from_graph(error, &shown, text.as_ref());
            fault.file = fault.file.filter(|file| !file.is_empty());
            fault
        })
        .collect()
}

fn first_of(faults: Vec<Diagnostic>) -> Diagnostic {
    let more = faults.len().saturating_sub(1);
    let mut first = faults.into_iter().next().unwrap_or_default();
    if more > 0 {
        first.notes.push(format!("and {more} more in this graph"));
    }
    first
}

fn graph_fault(errors: &[GraphError], file: Option<&LogicalPath>, assets: &Assets) -> WorldError {
    WorldError::Asset(Box::new(first_of(faults_of(errors, file, assets))))
}
