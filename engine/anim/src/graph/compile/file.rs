//! Other graphs inside a state, named by path and read by [`GraphDef::inline`](crate::GraphDef::inline).

use super::Compiler;
use super::machine::MachineSource;
use super::motion::Step;
use crate::graph::compiled::Motion;

impl<'a> Compiler<'a> {
    /// The machine of the only layer of another graph.
    pub(super) fn file(&mut self, path: &'a str, place: &str) -> Option<Motion> {
        let found = self.def.graphs.get_key_value(path);
        let layer = found.and_then(|(_, file)| file.layers.first());
        let (Some((path, file)), Some(layer)) = (found, layer) else {
            let message = format!("graph `{path}` cannot be read here");
            let help = "name it in a graph that is read from a file, or write its states in place as machine = { ... }";
            self.report
                .error_with_help("E-GRAPH-FILE", place, message, help);
            return None;
        };
        self.step(Step::File(path), place)?;
        let around = std::mem::replace(&mut self.file, file);
        self.report.files.push((path.clone(), place.to_owned()));
        let source = MachineSource {
            entry: layer.entry.as_deref(),
            states: &layer.states,
            transitions: &layer.transitions,
            resume: false,
            owner: format!("layer `{}`", layer.name),
        };
        let motion = self.machine_motion(&source, "/layers/0");
        self.report.files.pop();
        self.file = around;
        self.way.pop();
        motion
    }
}
