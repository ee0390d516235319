//! Graphs compiled for models, each once, with the files that they are made from.

use std::sync::Arc;

use sinew_anim::{Graph, GraphDef, GraphError};
use sinew_assets::{Assets, Diagnostic, LogicalPath};
use sinew_model::Model;

use crate::{Motion, WorldError};

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
        read.map(|(path, graph)| seen_from(space, &path, &graph.value))
            .map_err(|fault| {
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
                error
            })
    });
    match (whole, inner) {
        (Ok(whole), _) => Ok((whole, depends)),
        (Err(_), Some(fault)) => Err(vec![fault]),
        (Err(errors), None) => Err(faults_of(&errors, file, assets)),
    }
}

/// The graph of a file for a graph of `space`: what it names without a space is in its own.
fn seen_from(space: &str, file: &LogicalPath, def: &GraphDef) -> GraphDef {
    let mut def = def.clone();
    if file.space != space {
        def.rename_graphs(&mut |text| {
            // What is no path stays as it is written, and is told when it is read.
            if let Ok(path) = LogicalPath::parse(text, &file.space) {
                *text = path.to_string();
            }
        });
    }
    def
}

/// Checks a graph against a model: everything that is wrong with it, at its place in its file.
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
        Ok(_) => Vec::new(),
        Err(errors) => faults_of(&errors, Some(file), assets),
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
