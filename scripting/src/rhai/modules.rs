//! `import` in Rhai: modules by our own resolver, and what each file's top level declared.
//!
//! Rhai shows neither a file's constants nor its imports to a function that the host calls. Constants are found by name
//! when they are wanted; imports are made anew before each call by a head of `import` statements, which find what the file
//! imported when it was loaded.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use rhai::{AST, Dynamic, Engine, EvalAltResult, Module, ModuleResolver, Position, Scope, Shared};
use sinew_assets::LogicalPath;

use super::{bind::raise, check_function, errors};
use crate::{
    api::ApiError,
    language::Source,
    library::{Asked, SharedLibrary},
    stage::SharedStage,
};

/// A name that stands at the end of each file while it loads: by then all constants are there.
pub(super) const END: &str = "end__";
/// What the paths of a head of imports begin with; no path of a script does.
const HEAD: char = '\u{1}';

type Constants = BTreeMap<String, Dynamic>;
/// The modules that a file imported, by the names it gave them.
pub(super) type Imports = BTreeMap<String, Shared<Module>>;

/// The modules of an engine, and the constants of all its files.
#[derive(Clone)]
pub(super) struct Modules {
    pub library: SharedLibrary,
    stage: SharedStage,
    values: Arc<RwLock<Values>>,
}

#[derive(Default)]
struct Values {
    used: State,
    pending: State,
    /// The constants of the file whose top level has just ended.
    caught: Constants,
}

#[derive(Default)]
struct State {
    modules: BTreeMap<LogicalPath, Entry>,
    /// By file as messages show it.
    constants: BTreeMap<String, Constants>,
    imports: BTreeMap<String, Imports>,
}

struct Entry {
    module: Shared<Module>,
    /// Of its functions and constants.
    names: Vec<String>,
}

/// What a file's top level declared.
pub(super) struct Top {
    /// Its functions, behind a head of its imports.
    pub ast: AST,
    pub constants: Constants,
    /// Names that it can use: functions and constants, also those of its imports.
    pub names: Vec<String>,
    /// Whether the head has to run before a call.
    pub has_imports: bool,
}

impl Modules {
    pub fn new(library: SharedLibrary, stage: SharedStage) -> Self {
        Self {
            library,
            stage,
            values: Arc::default(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Values> {
        self.values.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Values> {
        self.values.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The constant of a file.
    pub fn constant(&self, shown: &str, name: &str) -> Option<Dynamic> {
        let values = self.read();
        let states = [&values.pending, &values.used].into_iter();
        let mut files = states.filter_map(|state| state.constants.get(shown));
        files.next()?.get(name).cloned()
    }

    /// Notes the constants of the file whose top level ends.
    pub fn catch(&self, scope: &Scope<'_>) {
        let constants = scope.iter().filter(|(_, constant, _)| *constant);
        let constants = constants.map(|(name, _, value)| (name.to_owned(), value));
        self.write().caught = constants.collect();
    }

    /// Runs the top level of a file.
    pub fn run(
        &self,
        engine: &Engine,
        source: &Source,
    ) -> Result<(Module, Top), Box<EvalAltResult>> {
        let mut ast = engine.compile(&*source.text)?;
        ast.set_source(source.shown.as_str());
        for function in ast.iter_functions() {
            check_function(function.name).map_err(|error| {
                let line = errors::line_of_function(&source.text, function.name).unwrap_or(1);
                let mut refused = raise(error);
                refused.set_position(Position::new(line as u16, 1));
                refused
            })?;
        }
        let mut whole = ast.merge(&engine.compile(format!("{END};"))?);
        whole.set_source(source.shown.as_str());
        let before = self.stage.lock().host.enter(&source.path.space);
        let outcome = Module::eval_ast_as_new(Scope::new(), &whole, engine);
        self.stage.lock().host.caller.space = before;
        let module = outcome?;
        let constants = std::mem::take(&mut self.write().caught);
        let imports: Imports = module
            .iter_sub_modules()
            .map(|(name, module)| (name.to_owned(), module.clone()))
            .collect();
        let functions = ast.iter_functions().map(|function| function.name);
        let mut names: Vec<String> = functions.map(str::to_owned).collect();
        names.extend(constants.keys().cloned());
        names.extend(self.names_of(&imports));
        let has_imports = !imports.is_empty();
        let head = imports
            .keys()
            .map(|name| format!("import \"\\u0001{name}\" as {name};\n"));
        let head = engine.compile(head.collect::<String>())?;
        let mut ast = head.merge(&ast.clone_functions_only());
        ast.set_source(source.shown.as_str());
        let mut values = self.write();
        let shown = source.shown.clone();
        values.pending.imports.insert(shown.clone(), imports);
        values.pending.constants.insert(shown, constants.clone());
        let top = Top {
            ast,
            constants,
            names,
            has_imports,
        };
        Ok((module, top))
    }

    /// `steps::walk` for everything in what a file imported.
    fn names_of(&self, imports: &Imports) -> Vec<String> {
        let values = self.read();
        let mut names = Vec::new();
        for (alias, module) in imports {
            let states = [&values.pending, &values.used].into_iter();
            let entries = states.flat_map(|state| state.modules.values());
            let mut same = entries.filter(|entry| Arc::ptr_eq(&entry.module, module));
            let own = same.next().map(|entry| &entry.names);
            names.extend(
                own.into_iter()
                    .flatten()
                    .map(|name| format!("{alias}::{name}")),
            );
        }
        names
    }

    /// Loads a module.
    pub fn load(
        &self,
        engine: &Engine,
        source: &Source,
    ) -> Result<Shared<Module>, Box<EvalAltResult>> {
        let (mut module, top) = self.run(engine, source)?;
        for (name, value) in &top.constants {
            module.set_var(name.as_str(), value.clone());
        }
        module.build_index();
        let entry = Entry {
            module: module.into(),
            names: top.names,
        };
        let module = entry.module.clone();
        self.write()
            .pending
            .modules
            .insert(source.path.clone(), entry);
        Ok(module)
    }

    /// Puts what was loaded into use; gives the modules that have a new version.
    pub fn commit(&self) -> Vec<LogicalPath> {
        let (new, dropped) = self.library.lock().commit();
        let mut values = self.write();
        let mut pending = std::mem::take(&mut values.pending);
        values.used.modules.append(&mut pending.modules);
        values.used.constants.append(&mut pending.constants);
        values.used.imports.append(&mut pending.imports);
        values
            .used
            .modules
            .retain(|path, _| !dropped.contains(path));
        new
    }

    /// Takes what was loaded back.
    pub fn discard(&self) {
        self.library.lock().discard();
        self.write().pending = State::default();
    }

    /// The module that a head of imports names.
    fn imported(&self, source: Option<&str>, alias: &str) -> Option<Shared<Module>> {
        let values = self.read();
        values.used.imports.get(source?)?.get(alias).cloned()
    }

    fn module(&self, path: &LogicalPath) -> Option<Shared<Module>> {
        let values = self.read();
        let mut states = [&values.pending, &values.used].into_iter();
        states
            .find_map(|state| state.modules.get(path))
            .map(|entry| entry.module.clone())
    }
}

impl ModuleResolver for Modules {
    fn resolve(
        &self,
        engine: &Engine,
        source: Option<&str>,
        name: &str,
        position: Position,
    ) -> Result<Shared<Module>, Box<EvalAltResult>> {
        let at = |error: ApiError| {
            let mut refused = raise(error);
            refused.set_position(position);
            refused
        };
        let gone = || at(ApiError::new("E-SCRIPT-MODULE", "the module is gone").about(name));
        if let Some(alias) = name.strip_prefix(HEAD) {
            return self.imported(source, alias).ok_or_else(gone);
        }
        let file = source.and_then(|shown| self.library.lock().shown(shown));
        let file = file.unwrap_or_else(|| LogicalPath {
            space: self.stage.lock().host.caller.space.to_string(),
            path: String::new(),
        });
        match self.library.ask(&self.stage, &file, name).map_err(at)? {
            Asked::Ready(path) => self.module(&path).ok_or_else(gone),
            Asked::Load(source) => {
                let outcome = self.load(engine, &source);
                self.library.lock().end_module(outcome.is_ok());
                outcome.map_err(|error| {
                    Box::new(EvalAltResult::ErrorInModule(source.shown, error, position))
                })
            }
        }
    }
}
