//! `require` in Lua, and a module's table over its versions.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    ffi::c_void,
    rc::Rc,
};

use mlua::{Function, Lua, Table, Value as Native, chunk::ChunkMode};
use sinew_assets::LogicalPath;

use super::{sandbox, upvalues, values::raise};
use crate::{
    api::ApiError,
    language::Source,
    library::{Asked, SharedLibrary},
    stage::SharedStage,
};

/// The modules of a VM.
#[derive(Clone)]
pub(super) struct Modules {
    pub library: SharedLibrary,
    stage: SharedStage,
    pub globals: Table,
    values: Rc<RefCell<Values>>,
}

#[derive(Default)]
struct Values {
    used: BTreeMap<LogicalPath, Native>,
    pending: BTreeMap<LogicalPath, Native>,
    /// What tables held before versions that are not in use yet were put into them.
    before: Vec<Content>,
}

/// What a table holds.
struct Content {
    table: Table,
    entries: Vec<(Native, Native)>,
    meta: Option<Table>,
    readonly: bool,
}

impl Modules {
    pub fn new(library: SharedLibrary, stage: SharedStage, globals: Table) -> Self {
        Self {
            library,
            stage,
            globals,
            values: Rc::default(),
        }
    }

    /// The global `require`.
    pub fn function(&self, lua: &Lua) -> mlua::Result<Function> {
        let modules = self.clone();
        lua.create_function(move |lua, (name, surplus): (Native, Native)| {
            modules.require(lua, &name, &surplus)
        })
    }

    /// The file whose function runs; in the engine's own code any file of the mod.
    fn file(&self, lua: &Lua) -> LogicalPath {
        let shown = super::graph::file(lua);
        let file = shown.and_then(|shown| self.library.lock().shown(&shown));
        file.unwrap_or_else(|| LogicalPath {
            space: self.stage.lock().host.caller.space.to_string(),
            path: String::new(),
        })
    }

    fn require(&self, lua: &Lua, name: &Native, surplus: &Native) -> mlua::Result<Native> {
        if !surplus.is_nil() {
            let error = ApiError::new("E-SCRIPT-ARGUMENTS", "`require` takes at most 1 argument");
            return Err(raise(error.about("require")));
        }
        let Some(name) = name.as_string().and_then(|name| name.to_str().ok()) else {
            let message = format!("`name` must be text, got {}", super::values::kind(name));
            let error = ApiError::new("E-SCRIPT-ARGUMENT", message).about("require");
            return Err(raise(error.help("write `require(\"lib/steps\")`")));
        };
        let asked = self.library.ask(&self.stage, &self.file(lua), &name);
        match asked.map_err(raise)? {
            Asked::Ready(path) => {
                let values = self.values.borrow();
                let value = values.pending.get(&path).or(values.used.get(&path));
                Ok(value.cloned().unwrap_or(Native::Nil))
            }
            Asked::Load(source) => {
                let outcome = self.load(lua, &source);
                self.library.lock().end_module(outcome.is_ok());
                outcome
            }
        }
    }

    /// Runs a module's top level.
    pub fn load(&self, lua: &Lua, source: &Source) -> mlua::Result<Native> {
        let chunk = lua
            .load(&*source.text)
            .set_name(format!("={}", source.shown))
            .set_mode(ChunkMode::Text)
            .set_environment(sandbox::environment(lua, &self.globals)?);
        let before = self.stage.lock().host.enter(&source.path.space);
        let value = chunk
            .into_function()
            .and_then(|function| function.call::<Native>(()));
        self.stage.lock().host.caller.space = before;
        let value = value?;
        if value.is_nil() {
            let message = format!("the module `{}` gives nothing back", source.shown);
            return Err(raise(ApiError::new("E-SCRIPT-RETURN", message).help(
                "end the file with `return name`, the table that holds its functions",
            )));
        }
        let value = self.keep_table(lua, &source.path, value)?;
        let mut values = self.values.borrow_mut();
        values.pending.insert(source.path.clone(), value.clone());
        Ok(value)
    }

    /// A new version's table goes into the table that the module had before.
    fn keep_table(&self, lua: &Lua, path: &LogicalPath, value: Native) -> mlua::Result<Native> {
        let old = self.values.borrow().used.get(path).cloned();
        let (Some(Native::Table(own)), Native::Table(new)) = (old, &value) else {
            return Ok(value);
        };
        if own == *new || self.is_shared(&own, Some(path)) || self.is_shared(new, Some(path)) {
            return Ok(value);
        }
        let content = Content::of(&own)?;
        self.values.borrow_mut().before.push(content);
        self.take_over(lua, &own, new)?;
        Ok(Native::Table(own))
    }

    /// Whether a table is the value of a module (other than `path`) or one of the globals.
    pub fn is_shared(&self, table: &Table, path: Option<&LogicalPath>) -> bool {
        let is_it = |value: &Native| value.as_table() == Some(table);
        let values = self.values.borrow();
        let all = values.used.iter().chain(&values.pending);
        let mut others = all.filter(|(other, _)| Some(*other) != path);
        others.any(|(_, value)| is_it(value))
            || self
                .globals
                .pairs::<Native, Native>()
                .filter_map(Result::ok)
                .any(|(_, value)| is_it(&value))
    }

    /// Puts what `new` holds into `own`, and `own` wherever code that hangs on it holds `new`.
    pub fn take_over(&self, lua: &Lua, own: &Table, new: &Table) -> mlua::Result<()> {
        let content = Content::of(new)?;
        Content {
            table: own.clone(),
            ..content
        }
        .put()?;
        let values = self.values.borrow();
        let others = values.used.values().chain(values.pending.values());
        let others = others.filter(|value| value.as_table() != Some(own));
        let mut seen: HashSet<*const c_void> = others.map(Native::to_pointer).collect();
        drop(values);
        seen.insert(self.globals.to_pointer());
        let mut left = vec![Native::Table(own.clone())];
        while let Some(value) = left.pop() {
            match value {
                Native::Table(table) if seen.insert(table.to_pointer()) => {
                    let mut content = Content::of(&table)?;
                    if content.replace(new, own) {
                        content.clone().put()?;
                    }
                    left.extend(content.meta.map(Native::Table));
                    let entries = content.entries.into_iter();
                    left.extend(entries.flat_map(|(key, value)| [key, value]));
                }
                Native::Function(function) if seen.insert(function.to_pointer()) => {
                    left.extend(upvalues::replace(lua, &function, new, own)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts what was loaded into use; gives the modules that have a new version.
    pub fn commit(&self) -> Vec<LogicalPath> {
        let (new, dropped) = self.library.lock().commit();
        let mut values = self.values.borrow_mut();
        let mut pending = std::mem::take(&mut values.pending);
        values.used.append(&mut pending);
        values.before.clear();
        values.used.retain(|path, _| !dropped.contains(path));
        new
    }

    /// Takes what was loaded back.
    pub fn discard(&self) {
        self.library.lock().discard();
        let mut values = self.values.borrow_mut();
        values.pending.clear();
        let before = std::mem::take(&mut values.before);
        for content in before.into_iter().rev() {
            // It fails only where there is no memory for what was there before.
            let _ = content.put();
        }
    }
}

impl Clone for Content {
    fn clone(&self) -> Self {
        Self {
            table: self.table.clone(),
            entries: self.entries.clone(),
            meta: self.meta.clone(),
            readonly: self.readonly,
        }
    }
}

impl Content {
    fn of(table: &Table) -> mlua::Result<Self> {
        Ok(Self {
            table: table.clone(),
            entries: table.pairs().collect::<mlua::Result<_>>()?,
            meta: table.metatable(),
            readonly: table.is_readonly(),
        })
    }

    /// Makes the table hold exactly this.
    fn put(self) -> mlua::Result<()> {
        let Self {
            table,
            entries,
            meta,
            readonly,
        } = self;
        table.set_readonly(false);
        table.set_metatable(None)?;
        table.clear()?;
        for (key, value) in entries {
            table.raw_set(key, value)?;
        }
        table.set_metatable(meta)?;
        table.set_readonly(readonly);
        Ok(())
    }

    /// Puts `own` in the place of `other`; true where that was somewhere.
    fn replace(&mut self, other: &Table, own: &Table) -> bool {
        let mut found = false;
        let mut exchange = |value: &mut Native| {
            if value.as_table() == Some(other) {
                *value = Native::Table(own.clone());
                found = true;
            }
        };
        for (key, value) in &mut self.entries {
            exchange(key);
            exchange(value);
        }
        if self.meta.as_ref() == Some(other) {
            self.meta = Some(own.clone());
            found = true;
        }
        found
    }
}
