//! The scripts of one mod in Rhai.

mod bind;
mod engine;
mod errors;
mod graph;
mod modules;
mod values;

use std::collections::BTreeMap;

use rhai::{CallFnOptions, Dynamic, Engine, EvalAltResult, Map, Scope};
use sinew_assets::LogicalPath;
use sinew_world::{ActorId, Data};

use self::{
    engine::props_value,
    modules::{Modules, Top},
    values::{GraphHandle, argument, data_of},
};
use crate::{
    api::{self, ApiError, Owner},
    callbacks::{Callback, misspelt},
    host::ScriptLanguage,
    language::{Failure, Language, Source, Summary, Waiting},
    library::SharedLibrary,
    properties::{self, Props},
    report::{Frame, Report},
    stage::SharedStage,
    value::Value,
};

/// An engine with the scripts and instances of one mod.
pub(crate) struct RhaiVm {
    engine: Engine,
    modules: Modules,
    scripts: BTreeMap<usize, Script>,
    pending: BTreeMap<usize, Script>,
    instances: Vec<Option<Instance>>,
}

/// One file.
struct Script {
    source: Source,
    top: Top,
}

struct Instance {
    slot: usize,
    /// What `this` is: a map with `actor`, `props` and the script's own fields.
    this: Dynamic,
}

/// Function that holds a piece of code for [`Language::evaluate`].
const CONSOLE: &str = "console__";

impl RhaiVm {
    /// An engine for one mod.
    pub fn new(stage: SharedStage) -> Self {
        let library = SharedLibrary::new(ScriptLanguage::Rhai);
        let modules = Modules::new(library, stage.clone());
        Self {
            engine: engine::create(&stage, &modules),
            modules,
            scripts: BTreeMap::new(),
            pending: BTreeMap::new(),
            instances: Vec::new(),
        }
    }

    fn load(&self, source: &Source) -> Result<(Script, Summary), Report> {
        let outcome = self.modules.run(&self.engine, source);
        let (_, top) = outcome.map_err(|error| {
            let library = self.modules.library.lock();
            let files: Vec<&Source> = library.sources().collect();
            errors::report(error, source, &files, "", &[])
        })?;
        let mut summary = Summary::default();
        for function in top.ast.iter_functions() {
            if let Some(callback) = Callback::named(function.name) {
                summary.callbacks[callback as usize] = Some(function.params.len() as u8);
            }
        }
        let constants = &top.constants;
        let in_file = |error: ApiError| whole_file(source, error);
        if let Some(declared) = constants.get("PROPERTIES") {
            let declared =
                data_of(declared).map_err(|error| in_file(error.within("PROPERTIES")))?;
            summary.properties = properties::read(&declared).map_err(|fault| {
                let mut error =
                    ApiError::new("E-SCRIPT-PROPERTY", fault.message).about(&fault.token);
                error.help = fault.help;
                in_file(error)
            })?;
        }
        if let Some(graph) = constants.get("GRAPH") {
            let Some(handle) = graph.read_lock::<GraphHandle>() else {
                let error = ApiError::new(
                    "E-SCRIPT-GRAPH",
                    format!("`GRAPH` must be a graph, not {}", values::kind(graph)),
                );
                return Err(in_file(
                    error
                        .about("GRAPH")
                        .help("write `const GRAPH = graph(#{ ... })`"),
                ));
            };
            summary.graph = Some(handle.0.clone());
        }
        Ok((
            Script {
                source: source.clone(),
                top,
            },
            summary,
        ))
    }

    /// The error of a file whose top level failed: where, and which files asked for it.
    fn not_loaded(&self, report: Report, source: &Source) -> Failure {
        let library = self.modules.library.lock();
        let files: Vec<&Source> = [source].into_iter().chain(library.sources()).collect();
        let mut frames = report.frames;
        let mut kept: Vec<Frame> = Vec::new();
        frames.retain(|frame| {
            let new = kept.iter().all(|known| known.file != frame.file);
            kept.extend(new.then(|| frame.clone()));
            new
        });
        let alone = frames.len() < 2;
        let mut made = Report { frames, ..report }.diagnostic(&files);
        if alone {
            made.notes.clear();
        }
        Box::new(made)
    }

    /// Calls a function of an instance's script with `this` bound.
    fn call_function(
        &mut self,
        instance: usize,
        name: &str,
        arguments: Vec<Dynamic>,
    ) -> Result<Dynamic, Failure> {
        let Some(Some(Instance { slot, this })) = self.instances.get_mut(instance) else {
            return Ok(Dynamic::UNIT);
        };
        let Some(script) = self.scripts.get(slot) else {
            return Ok(Dynamic::UNIT);
        };
        let options = CallFnOptions::new()
            .eval_ast(script.top.has_imports)
            .bind_this_ptr(this);
        let outcome = self.engine.call_fn_with_options::<Dynamic>(
            options,
            &mut Scope::new(),
            &script.top.ast,
            name,
            arguments,
        );
        outcome.map_err(|error| failure(error, script, &self.modules, name))
    }
}

fn failure(error: Box<EvalAltResult>, script: &Script, modules: &Modules, name: &str) -> Failure {
    let library = modules.library.lock();
    let files: Vec<&Source> = [&script.source]
        .into_iter()
        .chain(library.sources())
        .collect();
    let report = errors::report(error, &script.source, &files, name, &script.top.names);
    Box::new(report.diagnostic(&files))
}

/// Names that a script's functions must not have.
fn check_function(name: &str) -> Result<(), ApiError> {
    if let Some(near) = misspelt(name) {
        let error = ApiError::new(
            "E-SCRIPT-CALLBACK",
            format!("there is no callback `{name}`"),
        )
        .about(name);
        return Err(match near {
            Some(near) => error.nearest(near),
            None => error.help("names that begin with `on_` are kept for callbacks"),
        });
    }
    // In Rhai a script's function is found before a method of the same name.
    let hidden = api::api().find(|row| {
        row.name == name && matches!(row.owner, Owner::Method | Owner::Service(_) | Owner::Global)
    });
    match hidden {
        Some(row) => Err(ApiError::new(
            "E-SCRIPT-HIDES",
            format!("the function `{name}` would hide `{}`", row.path()),
        )
        .about(name)
        .help("give it another name")),
        None => Ok(()),
    }
}

fn whole_file(source: &Source, error: ApiError) -> Report {
    Report {
        error: error.anywhere(),
        frames: vec![Frame::script(&source.shown, 1, None)],
    }
}

impl Language for RhaiVm {
    fn library(&self) -> &SharedLibrary {
        &self.modules.library
    }

    fn prepare(&mut self, slot: usize, source: &Source) -> Result<Summary, Failure> {
        self.modules.library.lock().begin(source);
        let outcome = self.load(source);
        let good = outcome.is_ok();
        self.modules.library.lock().end_script(slot, good);
        match outcome {
            Ok((script, summary)) => {
                self.pending.insert(slot, script);
                Ok(summary)
            }
            Err(report) => Err(self.not_loaded(report, source)),
        }
    }

    fn try_module(&mut self, source: &Source) -> Result<(), Failure> {
        self.modules.library.lock().begin(source);
        let outcome = self.modules.load(&self.engine, source);
        let outcome = outcome.map_err(|error| {
            let library = self.modules.library.lock();
            let files: Vec<&Source> = library.sources().collect();
            errors::report(error, source, &files, "", &[])
        });
        self.modules.discard();
        outcome
            .map(|_| ())
            .map_err(|report| self.not_loaded(report, source))
    }

    fn commit(&mut self) -> Vec<LogicalPath> {
        self.scripts.append(&mut self.pending);
        self.modules.commit()
    }

    fn discard(&mut self) {
        self.pending.clear();
        self.modules.discard();
    }

    fn create(&mut self, slot: usize, actor: ActorId, props: &Props) -> Result<usize, Failure> {
        let mut this = Map::new();
        this.insert("actor".into(), Dynamic::from(actor));
        this.insert("props".into(), props_value(props));
        let free = self.instances.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.instances.push(None);
            self.instances.len() - 1
        });
        self.instances[index] = Some(Instance {
            slot,
            this: this.into(),
        });
        Ok(index)
    }

    fn set_props(&mut self, instance: usize, props: &Props) -> Result<(), Failure> {
        let this = self.instances.get_mut(instance).and_then(Option::as_mut);
        if let Some(mut map) = this.and_then(|instance| instance.this.write_lock::<Map>()) {
            map.insert("props".into(), props_value(props));
        }
        Ok(())
    }

    fn remove(&mut self, instance: usize) {
        if let Some(place) = self.instances.get_mut(instance) {
            *place = None;
        }
    }

    fn call(
        &mut self,
        instance: usize,
        callback: Callback,
        arguments: &[Value<'_>],
    ) -> Result<(), Failure> {
        let arguments = arguments.iter().map(argument).collect();
        self.call_function(instance, callback.info().name, arguments)
            .map(|_| ())
    }

    fn call_named(&mut self, instance: usize, name: &str) -> Result<bool, Failure> {
        let script = self
            .instances
            .get(instance)
            .and_then(Option::as_ref)
            .and_then(|instance| self.scripts.get(&instance.slot));
        let known = script.is_some_and(|script| {
            script
                .top
                .ast
                .iter_functions()
                .any(|function| function.name == name && function.params.is_empty())
        });
        if !known {
            return Ok(false);
        }
        self.call_function(instance, name, Vec::new()).map(|_| true)
    }

    fn waiting(&self) -> Vec<Waiting> {
        Vec::new()
    }

    fn resume(&mut self, _task: u64) -> Result<bool, Failure> {
        Ok(false)
    }

    fn cancel(&mut self, _task: u64) {}

    fn take_failed(&mut self) -> Vec<(ActorId, u16, Failure)> {
        Vec::new()
    }

    fn fields(&self, instance: usize) -> BTreeMap<String, Data> {
        let instance = self.instances.get(instance).and_then(Option::as_ref);
        let Some(map) = instance.and_then(|instance| instance.this.read_lock::<Map>()) else {
            return BTreeMap::new();
        };
        map.iter()
            .filter(|(key, _)| !matches!(key.as_str(), "actor" | "props"))
            .filter_map(|(key, value)| Some((key.to_string(), data_of(value).ok()?)))
            .collect()
    }

    fn other_fields(&self, instance: usize) -> usize {
        let own = self.instances.get(instance).and_then(Option::as_ref);
        let all = own.and_then(|own| Some(own.this.read_lock::<Map>()?.len()));
        // `actor` and `props` are no fields.
        let all = all.unwrap_or(0).saturating_sub(2);
        all.saturating_sub(self.fields(instance).len())
    }

    fn set_fields(
        &mut self,
        instance: usize,
        fields: &BTreeMap<String, Data>,
    ) -> Result<(), Failure> {
        let this = self.instances.get_mut(instance).and_then(Option::as_mut);
        if let Some(mut map) = this.and_then(|instance| instance.this.write_lock::<Map>()) {
            let own = fields
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "actor" | "props"));
            map.extend(own.map(|(name, value)| (name.as_str().into(), values::native(value))));
        }
        Ok(())
    }

    fn evaluate(&mut self, instance: usize, code: &str) -> Result<Data, Failure> {
        let Some(Some(Instance { slot, this })) = self.instances.get_mut(instance) else {
            return Ok(Data::Nil);
        };
        let Some(script) = self.scripts.get(slot) else {
            return Ok(Data::Nil);
        };
        let text = format!("fn {CONSOLE}() {{\n{code}\n}}");
        let source = Source {
            path: script.source.path.clone(),
            shown: "console".to_owned(),
            text: text.into(),
        };
        let console = self.engine.compile(&*source.text);
        let console = console
            .map_err(|error| Box::new(errors::syntax(&error, &source).diagnostic(&[&source])))?;
        let mut ast = script.top.ast.merge(&console);
        ast.set_source(script.source.shown.as_str());
        let options = CallFnOptions::new()
            .eval_ast(script.top.has_imports)
            .bind_this_ptr(this);
        let outcome = self.engine.call_fn_with_options::<Dynamic>(
            options,
            &mut Scope::new(),
            &ast,
            CONSOLE,
            (),
        );
        let outcome = outcome.map_err(|error| {
            errors::report(error, &source, &[&source], CONSOLE, &script.top.names)
        });
        outcome
            .and_then(|value| data_of(&value).map_err(|error| whole_file(&source, error)))
            .map_err(|report| Box::new(report.diagnostic(&[&source])))
    }
}
