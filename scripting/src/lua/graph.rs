//! `graph { ... }` and `graph.load(path)` in Lua.

use mlua::{Lua, Table, UserData, Value as Native};

use super::values::{data_of, raise};
use crate::{api::ApiError, graph_value, language::ScriptGraph, stage::SharedStage};

/// A graph in a script's hands.
pub(super) struct GraphHandle(pub ScriptGraph);

impl UserData for GraphHandle {}

/// The global `graph`: called with a table it makes a graph, `graph.load` reads one from a file.
pub(super) fn global(lua: &Lua, stage: &SharedStage) -> mlua::Result<Table> {
    let makes = stage.clone();
    let make = lua.create_function(move |lua, (_, table): (Native, Native)| {
        let data = data_of(&table).map_err(raise)?;
        let def = graph_value::from_data(&data, 1).map_err(raise)?;
        let graph = graph_value::made(&makes, def, caller_line(lua));
        lua.create_userdata(GraphHandle(graph))
    })?;
    let stage = stage.clone();
    let load = lua.create_function(move |lua, path: Native| {
        let text = match &path {
            Native::String(text) => text.to_string_lossy(),
            other => {
                let message = format!(
                    "`path` must be text, got {}",
                    super::values::simple(other, None).words()
                );
                return Err(raise(
                    ApiError::new("E-SCRIPT-ARGUMENT", message).about("load"),
                ));
            }
        };
        let graph = graph_value::load(&stage, &text, caller_line(lua)).map_err(raise)?;
        lua.create_userdata(GraphHandle(graph))
    })?;
    let graph = lua.create_table()?;
    graph.raw_set("load", load)?;
    let meta = lua.create_table()?;
    meta.raw_set("__call", make)?;
    meta.raw_set("__metatable", false)?;
    graph.set_metatable(Some(meta))?;
    graph.set_readonly(true);
    Ok(graph)
}

/// Where a script is at this moment, as `file:line`.
pub(super) fn place(lua: &Lua) -> Option<String> {
    let (file, line) = innermost(lua)?;
    Some(format!("{file}:{line}"))
}

/// The file whose function runs at this moment.
pub(super) fn file(lua: &Lua) -> Option<String> {
    innermost(lua).map(|(file, _)| file)
}

fn innermost(lua: &Lua) -> Option<(String, usize)> {
    let mut level = 1;
    loop {
        let frame = lua.inspect_stack(level, |frame| {
            let source = frame.source().source.map(|source| source.into_owned());
            source.zip(frame.current_line())
        })?;
        // Our own Lua code stands between a script and some functions.
        let own = |source: &str| source.trim_start_matches('=').starts_with("[sinew]");
        if let Some((source, line)) = frame.filter(|(source, _)| !own(source)) {
            return Some((source.trim_start_matches('=').to_owned(), line));
        }
        level += 1;
    }
}

fn caller_line(lua: &Lua) -> u32 {
    (1..4)
        .find_map(|level| {
            lua.inspect_stack(level, |frame| frame.current_line())
                .flatten()
        })
        .unwrap_or(0) as u32
}
