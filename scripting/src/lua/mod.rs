//! The scripts of one mod in Lua.

mod bind;
mod errors;
mod fast;
mod graph;
mod interrupt;
mod modules;
mod sandbox;
mod tasks;
mod upvalues;
mod values;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc, sync::Arc};

use mlua::{Function, Lua, MultiValue, Table, Value as Native, chunk::ChunkMode};
use sinew_assets::LogicalPath;
use sinew_world::{ActorId, Data};

pub(crate) use bind::takes_data;
pub(crate) use sandbox::cannot_set;

use self::{
    graph::GraphHandle,
    modules::Modules,
    tasks::{SharedTasks, Tasks},
    values::{argument, data_allowed, data_of, freeze, handle, native, raise},
};
use crate::{
    allowance::FieldsAllowance,
    api::ApiError,
    callbacks::{COUNT, Callback, misspelt},
    host::ScriptLanguage,
    language::{Failure, Language, Source, Summary, Waiting},
    library::SharedLibrary,
    properties::{self, Props},
    report::{Frame, Report},
    stage::SharedStage,
    value::Value,
};

/// A Luau VM with the scripts and instances of one mod.
pub(crate) struct LuaVm {
    lua: Lua,
    stage: SharedStage,
    modules: Modules,
    tasks: SharedTasks,
    scripts: BTreeMap<usize, Script>,
    pending: BTreeMap<usize, Loaded>,
    instances: Vec<Option<Instance>>,
}

/// A script that runs.
struct Script {
    source: Source,
    /// Its functions. The same table for as long as the script lives, so that instances and bound methods follow a reload.
    class: Table,
    /// Metatable of instances: `class` behind them.
    meta: Table,
    callbacks: [Option<Function>; COUNT],
    environment: Table,
}

/// What a file's top level made, not in use yet.
struct Loaded {
    source: Source,
    class: Table,
    callbacks: [Option<Function>; COUNT],
    environment: Table,
}

struct Instance {
    slot: usize,
    table: Table,
}

impl LuaVm {
    /// A VM for one mod.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new(stage: SharedStage) -> Result<Self, Failure> {
        let tasks: SharedTasks = Rc::new(RefCell::new(Tasks::default()));
        let library = SharedLibrary::new(ScriptLanguage::Lua);
        let sandbox = sandbox::create(&stage, &tasks, &library).map_err(|error| {
            Box::new(sinew_assets::Diagnostic::error(
                "E-SCRIPT-VM",
                error.to_string(),
            ))
        })?;
        Ok(Self {
            lua: sandbox.lua,
            modules: sandbox.modules,
            stage,
            tasks,
            scripts: BTreeMap::new(),
            pending: BTreeMap::new(),
            instances: Vec::new(),
        })
    }

    fn failure(
        &self,
        error: &mlua::Error,
        extra: Option<&Source>,
        class: Option<&Table>,
    ) -> Failure {
        let library = self.modules.library.lock();
        let mut sources: Vec<&Source> = extra.into_iter().collect();
        sources.extend(self.scripts.values().map(|script| &script.source));
        sources.extend(library.sources());
        let names = || {
            let keys = class.map(|class| class.pairs::<Native, Native>().filter_map(Result::ok));
            keys.into_iter()
                .flatten()
                .filter_map(|(key, _)| key.as_string().map(|key| key.to_string_lossy()))
                .collect()
        };
        Box::new(errors::report(error, &sources, &names).diagnostic(&sources))
    }

    fn load(&self, source: &Source) -> mlua::Result<(Loaded, Summary)> {
        let environment = sandbox::environment(&self.lua, &self.modules.globals)?;
        let chunk = self
            .lua
            .load(&*source.text)
            .set_name(format!("={}", source.shown))
            .set_mode(ChunkMode::Text)
            .set_environment(environment.clone());
        let class = match chunk.into_function()?.call::<Native>(())? {
            Native::Table(class) => class,
            other => {
                let error = ApiError::new(
                    "E-SCRIPT-RETURN",
                    format!(
                        "a script gives back its table, this one gives {}",
                        values::kind(&other)
                    ),
                );
                return Err(raise(error.help(
                    "end the file with `return name`, the table that holds its functions",
                )));
            }
        };
        let (callbacks, mut summary) = callbacks_of(&class)?;
        let declared: Native = class.raw_get("properties")?;
        let declared =
            data_of(&declared).map_err(|error| raise(error.within("properties").anywhere()))?;
        summary.properties = properties::read(&declared).map_err(property_fault)?;
        summary.graph = match class.raw_get::<Native>("graph")? {
            Native::Nil => None,
            Native::UserData(graph) if graph.is::<GraphHandle>() => {
                Some(graph.borrow::<GraphHandle>()?.0.clone())
            }
            other => {
                let error = ApiError::new(
                    "E-SCRIPT-GRAPH",
                    format!("`graph` must be a graph, not {}", values::kind(&other)),
                );
                return Err(raise(
                    error
                        .about("graph")
                        .anywhere()
                        .help("write `graph = graph { ... }`"),
                ));
            }
        };
        let loaded = Loaded {
            source: source.clone(),
            class,
            callbacks,
            environment,
        };
        Ok((loaded, summary))
    }

    /// The error of a file whose top level failed: where, and which files asked for it.
    fn not_loaded(&self, error: &mlua::Error, source: &Source) -> Failure {
        let library = self.modules.library.lock();
        let sources: Vec<&Source> = [source].into_iter().chain(library.sources()).collect();
        let names = Vec::new;
        let Report { error, frames } = errors::report(error, &sources, &names);
        // Stack lines of a file that did not load say nothing more than the file.
        let mut files: Vec<Frame> = Vec::new();
        for frame in frames.into_iter().filter(|frame| frame.file.is_some()) {
            if files.iter().all(|known| known.file != frame.file) {
                files.push(frame);
            }
        }
        if files.is_empty() {
            // What is missing is missing at the end.
            let line = if error.anywhere {
                1
            } else {
                source.text.lines().count() as u32
            };
            files.push(Frame::script(&source.shown, line, None));
        }
        let alone = files.len() == 1;
        let report = Report {
            error,
            frames: files,
        };
        let mut made = report.diagnostic(&sources);
        if alone {
            made.notes.clear();
        }
        Box::new(made)
    }

    /// A version that was loaded as the script that runs.
    fn put_in_use(&mut self, slot: usize, loaded: Loaded) -> Option<Script> {
        let Loaded {
            source,
            class,
            callbacks,
            environment,
        } = loaded;
        let Some(old) = self.scripts.remove(&slot) else {
            let meta = self.lua.create_table().ok()?;
            meta.raw_set("__index", &class).ok()?;
            return Some(Script {
                source,
                class,
                meta,
                callbacks,
                environment,
            });
        };
        // The table stays, its content changes; but a module's own table is not the script's to change.
        let own = old.class != class
            && !self.modules.is_shared(&old.class, None)
            && !self.modules.is_shared(&class, None)
            && self
                .modules
                .take_over(&self.lua, &old.class, &class)
                .is_ok();
        let class = if own { old.class } else { class };
        let _ = old.meta.raw_set("__index", &class);
        Some(Script {
            source,
            class,
            meta: old.meta,
            callbacks,
            environment,
        })
    }

    fn instance(&self, instance: usize) -> Option<(&Script, &Table)> {
        let instance = self.instances.get(instance)?.as_ref()?;
        Some((self.scripts.get(&instance.slot)?, &instance.table))
    }

    fn outcome<R>(&self, slot_class: &Table, outcome: mlua::Result<R>) -> Result<R, Failure> {
        outcome.map_err(|error| self.failure(&error, None, Some(slot_class)))
    }

    /// The table `self.props` of an instance: read-only, unknown names are errors, actors are looked up when read.
    fn props_table(&self, props: &Props) -> mlua::Result<Table> {
        let table = self.lua.create_table()?;
        for (name, value) in &props.values {
            let value = native(&self.lua, value)?;
            freeze(&value);
            table.raw_set(name.as_str(), value)?;
        }
        let (known, stage) = (Arc::new(props.clone()), self.stage.clone());
        let missing = self
            .lua
            .create_function(move |_, (_, name): (Native, Native)| {
                let name = name.to_string().unwrap_or_default();
                match known.actors.get(&name) {
                    Some(actor) => {
                        let found = stage.lock().world.actors.find(actor).map(|actor| actor.id);
                        Ok(found.map_or(Native::Nil, |id| Native::LightUserData(handle(id))))
                    }
                    None => Err(raise(properties::undeclared(&name, &known))),
                }
            })?;
        let meta = self.lua.create_table()?;
        meta.raw_set("__index", missing)?;
        meta.raw_set("__metatable", false)?;
        meta.set_readonly(true);
        table.set_metatable(Some(meta))?;
        table.set_readonly(true);
        Ok(table)
    }
}

/// What the host puts into an instance.
fn is_given(field: &str) -> bool {
    matches!(field, "actor" | "props")
}

fn callbacks_of(class: &Table) -> mlua::Result<([Option<Function>; COUNT], Summary)> {
    let mut callbacks = [const { None }; COUNT];
    let mut summary = Summary::default();
    for entry in class.pairs::<Native, Native>() {
        let (key, value) = entry?;
        let Native::String(key) = key else {
            return Err(raise(ApiError::new(
                "E-SCRIPT-RETURN",
                "the table of a script has names as keys, not numbers",
            )));
        };
        let name = key.to_string_lossy();
        if let (Some(near), Native::Function(_)) = (misspelt(&name), &value) {
            let error = ApiError::new(
                "E-SCRIPT-CALLBACK",
                format!("there is no callback `{name}`"),
            )
            .about(&name)
            .anywhere();
            return Err(raise(match near {
                Some(near) => error.nearest(near),
                None => error.help("names that begin with `on_` are kept for callbacks"),
            }));
        }
        let Some(callback) = Callback::named(&name) else {
            continue;
        };
        let Native::Function(function) = value else {
            let message = format!("`{name}` must be a function, not {}", values::kind(&value));
            return Err(raise(
                ApiError::new("E-SCRIPT-CALLBACK", message)
                    .about(&name)
                    .anywhere(),
            ));
        };
        let info = function.info();
        // `self` is no parameter of the callback.
        let taken = if info.is_vararg {
            u8::MAX
        } else {
            info.num_params.saturating_sub(1)
        };
        summary.callbacks[callback as usize] = Some(taken);
        callbacks[callback as usize] = Some(function);
    }
    Ok((callbacks, summary))
}

fn property_fault(fault: properties::Fault) -> mlua::Error {
    let mut error = ApiError::new("E-SCRIPT-PROPERTY", fault.message).about(&fault.token);
    error.help = fault.help;
    raise(error.anywhere())
}

impl Language for LuaVm {
    fn library(&self) -> &SharedLibrary {
        &self.modules.library
    }

    fn prepare(&mut self, slot: usize, source: &Source) -> Result<Summary, Failure> {
        self.modules.library.lock().begin(source);
        let outcome = self.load(source);
        let good = outcome.is_ok();
        self.modules.library.lock().end_script(slot, good);
        match outcome {
            Ok((loaded, summary)) => {
                self.pending.insert(slot, loaded);
                Ok(summary)
            }
            Err(error) => Err(self.not_loaded(&error, source)),
        }
    }

    fn try_module(&mut self, source: &Source) -> Result<(), Failure> {
        self.modules.library.lock().begin(source);
        let outcome = self.modules.load(&self.lua, source);
        self.modules.discard();
        match outcome {
            Ok(_) => Ok(()),
            Err(error) => Err(self.not_loaded(&error, source)),
        }
    }

    fn commit(&mut self) -> Vec<LogicalPath> {
        let modules = self.modules.commit();
        for (slot, loaded) in std::mem::take(&mut self.pending) {
            if let Some(script) = self.put_in_use(slot, loaded) {
                self.scripts.insert(slot, script);
            }
        }
        modules
    }

    fn discard(&mut self) {
        self.pending.clear();
        self.modules.discard();
    }

    fn create(&mut self, slot: usize, actor: ActorId, props: &Props) -> Result<usize, Failure> {
        let Some(script) = self.scripts.get(&slot) else {
            return Err(Failure::default());
        };
        let made = || -> mlua::Result<Table> {
            let table = self.lua.create_table()?;
            table.raw_set("actor", handle(actor))?;
            table.raw_set("props", self.props_table(props)?)?;
            table.set_metatable(Some(script.meta.clone()))?;
            Ok(table)
        };
        let table = self.outcome(&script.class, made())?;
        let free = self.instances.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.instances.push(None);
            self.instances.len() - 1
        });
        self.instances[index] = Some(Instance { slot, table });
        Ok(index)
    }

    fn set_props(&mut self, instance: usize, props: &Props) -> Result<(), Failure> {
        let Some((script, table)) = self.instance(instance) else {
            return Ok(());
        };
        let outcome = self
            .props_table(props)
            .and_then(|props| table.raw_set("props", props));
        self.outcome(&script.class, outcome)
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
        let Some((script, table)) = self.instance(instance) else {
            return Ok(());
        };
        let Some(function) = &script.callbacks[callback as usize] else {
            return Ok(());
        };
        // Tuples go straight onto Lua's stack, a list of any length would allocate.
        let outcome = match arguments {
            [] => function.call::<()>(table),
            [Value::Number(number)] => function.call::<()>((table, *number)),
            arguments => (|| {
                let mut values = MultiValue::with_capacity(arguments.len() + 1);
                values.push_back(Native::Table(table.clone()));
                for value in arguments {
                    values.push_back(argument(&self.lua, value)?);
                }
                function.call::<()>(values)
            })(),
        };
        self.outcome(&script.class, outcome)
    }

    fn call_named(&mut self, instance: usize, name: &str) -> Result<bool, Failure> {
        let Some((script, table)) = self.instance(instance) else {
            return Ok(true);
        };
        match script.class.raw_get::<Native>(name) {
            Ok(Native::Function(function)) => self
                .outcome(&script.class, function.call::<()>(table))
                .map(|()| true),
            _ => Ok(false),
        }
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.tasks.borrow().waiting()
    }

    fn resume(&mut self, task: u64) -> Result<bool, Failure> {
        tasks::resume(&self.stage, &self.tasks, task)
            .map_err(|error| self.failure(&error, None, None))
    }

    fn cancel(&mut self, task: u64) {
        self.tasks.borrow_mut().cancel(task);
    }

    fn take_failed(&mut self) -> Vec<(ActorId, u16, Failure)> {
        let failed = std::mem::take(&mut self.tasks.borrow_mut().failed);
        failed
            .into_iter()
            .filter_map(|(caller, error)| {
                Some((
                    caller.actor?,
                    caller.script,
                    self.failure(&error, None, None),
                ))
            })
            .collect()
    }

    fn fields(&self, instance: usize) -> BTreeMap<String, Data> {
        let mut fields = BTreeMap::new();
        let mut allowance = FieldsAllowance::default();
        if let Some((_, table)) = self.instance(instance) {
            for (key, value) in table.pairs::<Native, Native>().filter_map(Result::ok) {
                let Native::String(key) = key else {
                    continue;
                };
                let key = key.to_string_lossy();
                if is_given(&key) {
                    continue;
                }
                let given = allowance.next();
                let mut left = given.clone();
                if let Ok(data) = data_allowed(&value, &mut left) {
                    fields.insert(key, data);
                }
                allowance.take(&given, &left);
            }
        }
        fields
    }

    fn other_fields(&self, instance: usize) -> usize {
        let Some((_, table)) = self.instance(instance) else {
            return 0;
        };
        let all = table.pairs::<Native, Native>().filter_map(Result::ok);
        // `actor` and `props` are no fields.
        let all = all.count().saturating_sub(2);
        all.saturating_sub(self.fields(instance).len())
    }

    fn set_fields(
        &mut self,
        instance: usize,
        fields: &BTreeMap<String, Data>,
    ) -> Result<(), Failure> {
        let Some((script, table)) = self.instance(instance) else {
            return Ok(());
        };
        let own = fields.iter().filter(|(name, _)| !is_given(name));
        let outcome = own.map(|(name, value)| {
            let value = native(&self.lua, value)?;
            table.raw_set(name.as_str(), value)
        });
        let outcome = outcome.collect::<mlua::Result<()>>();
        self.outcome(&script.class, outcome)
    }

    fn evaluate(&mut self, instance: usize, code: &str) -> Result<Data, Failure> {
        let Some((script, table)) = self.instance(instance) else {
            return Ok(Data::Nil);
        };
        let text: Arc<str> = format!("local self = ...\n{code}").into();
        let source = Source {
            path: script.source.path.clone(),
            shown: "console".to_owned(),
            text,
        };
        let run = || -> mlua::Result<Data> {
            let chunk = self
                .lua
                .load(&*source.text)
                .set_name("=console")
                .set_mode(ChunkMode::Text);
            let chunk = chunk.set_environment(script.environment.clone());
            let value: Native = chunk.into_function()?.call(table)?;
            data_of(&value).map_err(raise)
        };
        run().map_err(|error| self.failure(&error, Some(&source), Some(&script.class)))
    }
}
