//! What the host asks of a language. Lua and Rhai answer alike.

use std::{collections::BTreeMap, sync::Arc};

use sinew_anim::GraphDef;
use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{ActorId, Data, Motion};

use crate::{
    callbacks::{COUNT, Callback},
    library::SharedLibrary,
    properties::{Properties, Props},
    value::Value,
};

/// A script's file.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Where it is.
    pub path: LogicalPath,
    /// As messages show it: relative to the project.
    pub shown: String,
    /// Its text.
    pub text: Arc<str>,
}

/// A graph as a script made or loaded it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptGraph {
    /// What it says.
    pub def: Arc<GraphDef>,
    /// The `.animgraph.json`, if it came from one.
    pub file: Option<LogicalPath>,
    /// Where paths without a prefix lead that it names other graphs by.
    pub space: String,
    /// The script's line that made it, from 1; 0 where unknown.
    pub line: u32,
}

impl ScriptGraph {
    /// What plays it.
    pub(crate) fn motion(&self) -> Motion {
        Motion::Graph {
            def: self.def.clone(),
            file: self.file.clone(),
            space: self.space.clone(),
        }
    }
}

/// What the top level of a file declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// How many parameters each callback takes; `None` where the script lacks it.
    pub callbacks: [Option<u8>; COUNT],
    pub properties: Properties,
    pub graph: Option<ScriptGraph>,
}

impl Summary {
    /// Whether the script has a callback.
    pub(crate) fn has(&self, callback: Callback) -> bool {
        self.callbacks[callback as usize].is_some()
    }
}

/// When a waiting coroutine goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wake {
    /// At this game time, seconds.
    Time(f64),
    /// In this step.
    Frame(u64),
}

/// A coroutine that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiting {
    pub id: u64,
    pub actor: ActorId,
    pub script: u16,
    pub wake: Wake,
}

/// Why a script's function did not end well.
pub(crate) type Failure = Box<Diagnostic>;

/// The scripts of one mod in one language.
pub(crate) trait Language {
    /// The modules of these scripts.
    fn library(&self) -> &SharedLibrary;

    /// Compiles a file and runs its top level in a fresh environment, and those of modules that it asks for and that are
    /// not loaded. What runs now is untouched until [`Self::commit`]; `slot` is the host's number of the script.
    fn prepare(&mut self, slot: usize, source: &Source) -> Result<Summary, Failure>;

    /// Compiles a module that no script asks for and runs its top level, for its faults.
    fn try_module(&mut self, source: &Source) -> Result<(), Failure>;

    /// Puts everything that was prepared in place, modules too; instances keep their fields. Gives the modules that have a
    /// new version.
    fn commit(&mut self) -> Vec<LogicalPath>;

    /// Drops everything that was prepared.
    fn discard(&mut self);

    /// An instance of a script: its number.
    fn create(&mut self, slot: usize, actor: ActorId, props: &Props) -> Result<usize, Failure>;

    /// Gives an instance new properties.
    fn set_props(&mut self, instance: usize, props: &Props) -> Result<(), Failure>;

    /// Drops an instance.
    fn remove(&mut self, instance: usize);

    /// Calls a callback that the summary has; surplus arguments are left out.
    fn call(
        &mut self,
        instance: usize,
        callback: Callback,
        arguments: &[Value<'_>],
    ) -> Result<(), Failure>;

    /// Calls a function of the script by name, without arguments; false where it has none.
    fn call_named(&mut self, instance: usize, name: &str) -> Result<bool, Failure>;

    /// Coroutines that wait.
    fn waiting(&self) -> Vec<Waiting>;

    /// Lets a coroutine go on until it waits again or ends; true where it waits.
    fn resume(&mut self, task: u64) -> Result<bool, Failure>;

    /// Drops a coroutine.
    fn cancel(&mut self, task: u64);

    /// Errors of coroutines in their first stretch, with the actor and script that started them.
    fn take_failed(&mut self) -> Vec<(ActorId, u16, Failure)>;

    /// The fields of an instance that are plain data.
    fn fields(&self, instance: usize) -> BTreeMap<String, Data>;

    /// How many fields of an instance are no plain data, such as functions.
    fn other_fields(&self, instance: usize) -> usize;

    /// Gives an instance fields of plain data; those of other names stay.
    fn set_fields(
        &mut self,
        instance: usize,
        fields: &BTreeMap<String, Data>,
    ) -> Result<(), Failure>;

    /// Runs a piece of code as if it stood in a callback of the instance (`self` or `this`) and gives its result.
    fn evaluate(&mut self, instance: usize, code: &str) -> Result<Data, Failure>;
}
