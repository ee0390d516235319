//! A Luau VM in which untrusted scripts may run: a list of what is allowed, everything read-only, memory and time limited.

use mlua::{Function, LightUserData, Lua, LuaOptions, StdLib, Table, Value as Native};
use sinew_anim::nearest;

use super::{
    bind,
    errors::without_prelude,
    fast, graph, interrupt,
    modules::Modules,
    tasks::{self, SharedTasks},
    values::raise,
};
use crate::{
    api::{self, ApiError, Owner},
    budget,
    library::SharedLibrary,
    stage::SharedStage,
};

/// Bytes that one mod's Lua scripts may hold.
const MEMORY_LIMIT: usize = 64 << 20;

/// Globals of Luau that scripts keep; nothing else of it is there.
const KEPT: &[&str] = &[
    "assert",
    "error",
    "ipairs",
    "next",
    "pairs",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "getmetatable",
    "tonumber",
    "type",
    "typeof",
    "unpack",
    "_VERSION",
    "string",
    "table",
    "bit32",
    "buffer",
    "utf8",
    "vector",
    "coroutine",
];

/// A VM, and its modules with the read-only globals that each file's environment stands on.
pub(super) struct Sandbox {
    pub lua: Lua,
    pub modules: Modules,
}

/// Makes a VM with the API in it.
pub(super) fn create(
    stage: &SharedStage,
    tasks: &SharedTasks,
    library: &SharedLibrary,
) -> mlua::Result<Sandbox> {
    let libraries = StdLib::TABLE
        | StdLib::STRING
        | StdLib::MATH
        | StdLib::BIT
        | StdLib::BUFFER
        | StdLib::UTF8
        | StdLib::VECTOR
        | StdLib::COROUTINE;
    let lua = Lua::new_with(libraries, LuaOptions::default())?;
    let globals = lua.create_table()?;
    for name in KEPT {
        globals.raw_set(*name, lua.globals().raw_get::<Native>(*name)?)?;
    }
    let prelude: Table = lua
        .load(include_str!("prelude.luau"))
        .set_name("=[sinew]")
        .call(())?;
    add_base(&lua, &globals, &prelude)?;
    bound_libraries(&lua, &prelude)?;
    globals.raw_set("math", mathematics(&lua, stage)?)?;
    globals.raw_set("graph", graph::global(&lua, stage)?)?;
    add_api(&lua, &globals, stage)?;
    add_print(&lua, &globals, &prelude)?;
    add_actors(&lua, &prelude, stage)?;
    tasks::add(&lua, &globals, &prelude, stage, tasks)?;
    let modules = Modules::new(library.clone(), stage.clone(), lua.globals());
    globals.raw_set("require", modules.function(&lua)?)?;
    let names: Vec<String> = globals
        .pairs::<String, Native>()
        .filter_map(Result::ok)
        .map(|(name, _)| name)
        .collect();
    let meta = lua.create_table()?;
    let missing = lua.create_function(
        move |_, (_, name): (Native, Native)| -> mlua::Result<Native> {
            let name = name.to_string().unwrap_or_default();
            let error =
                ApiError::new("E-SCRIPT-NAME", format!("there is no `{name}` here")).about(&name);
            let near = nearest(&name, names.iter().map(String::as_str));
            Err(raise(match near {
                Some(near) => error.nearest(near),
                None => error.help(format!("declare it with `local {name} = ...`")),
            }))
        },
    )?;
    meta.raw_set("__index", missing)?;
    meta.raw_set("__metatable", false)?;
    meta.set_readonly(true);
    replace_globals(&lua, &globals, meta)?;
    lua.sandbox(true)?;
    lua.set_memory_limit(MEMORY_LIMIT)?;
    interrupt::install(&lua)?;
    Ok(Sandbox { lua, modules })
}

/// Makes what is allowed the VM's own globals, so that no name leads to anything else: Luau looks names up there when it
/// loads a file, whatever environment the file is given.
fn replace_globals(lua: &Lua, allowed: &Table, meta: Table) -> mlua::Result<()> {
    let native = lua.globals();
    native.clear()?;
    allowed.for_each(|name: Native, value: Native| native.raw_set(name, value))?;
    native.set_metatable(Some(meta))?;
    native.set_readonly(true);
    Ok(())
}

/// An environment of its own for one script, over the read-only globals.
pub(super) fn environment(lua: &Lua, globals: &Table) -> mlua::Result<Table> {
    let environment = lua.create_table()?;
    let meta = lua.create_table()?;
    meta.raw_set("__index", globals)?;
    let known = globals.clone();
    let undeclared = lua.create_function(
        move |_, (_, name, _): (Native, Native, Native)| -> mlua::Result<()> {
            let name = name.to_string().unwrap_or_default();
            let taken = known
                .raw_get::<Native>(name.as_str())
                .is_ok_and(|value| !value.is_nil());
            let error = if taken {
                ApiError::new("E-SCRIPT-READ-ONLY", format!("`{name}` is read-only"))
            } else {
                ApiError::new("E-SCRIPT-GLOBAL", format!("`{name}` is not declared"))
            };
            Err(raise(error.about(&name).help(format!(
                "write `local {name}` to declare a name of this script's own"
            ))))
        },
    )?;
    meta.raw_set("__newindex", undeclared)?;
    meta.raw_set("__metatable", false)?;
    meta.set_readonly(true);
    environment.set_metatable(Some(meta))?;
    // No global ever changes, so names are looked up once, when a file is loaded.
    environment.set_safeenv(true);
    Ok(environment)
}

fn add_base(lua: &Lua, globals: &Table, prelude: &Table) -> mlua::Result<()> {
    let native = lua.globals();
    let plain = lua.create_function(|lua, error: Native| plain_error(lua, error))?;
    for name in ["pcall", "xpcall"] {
        let wrap: Function = prelude.raw_get(name)?;
        let original: Function = native.raw_get(name)?;
        globals.raw_set(name, wrap.call::<Function>((original, &plain))?)?;
    }
    let wrap: Function = prelude.raw_get("tostring")?;
    let string: Table = native.raw_get("string")?;
    let tostring = wrap.call::<Function>((
        native.raw_get::<Function>("tostring")?,
        native.raw_get::<Function>("type")?,
        string.raw_get::<Function>("gsub")?,
    ))?;
    let format: Function = prelude.raw_get("format")?;
    let format = format.call::<Function>((
        string.raw_get::<Function>("format")?,
        native.raw_get::<Function>("type")?,
        &tostring,
        native.raw_get::<Function>("select")?,
    ))?;
    string.raw_set("format", format)?;
    globals.raw_set("tostring", tostring)
}

/// Replaces the functions of Luau's libraries that one call could keep busy for minutes. In place, so that methods of
/// texts (`text:find(...)`) are bounded too.
fn bound_libraries(lua: &Lua, prelude: &Table) -> mlua::Result<()> {
    let native = lua.globals();
    let string: Table = native.raw_get("string")?;
    let table: Table = native.raw_get("table")?;
    let kind: Function = native.raw_get("type")?;
    let find: Function = string.raw_get("find")?;
    let refuse = lua.create_function(|_, ()| -> mlua::Result<()> {
        let error = ApiError::invalid("the text and what is searched in it are too long together");
        Err(raise(error.help("search in a part of the text")))
    })?;
    let search: Function = prelude.raw_get("search")?;
    for name in ["find", "match", "gmatch", "gsub", "split"] {
        let original: Function = string.raw_get(name)?;
        string.raw_set(
            name,
            search.call::<Function>((original, &kind, &find, &refuse))?,
        )?;
    }
    let sort: Function = prelude.raw_get("sort")?;
    let rawget: Function = native.raw_get("rawget")?;
    let original: Function = table.raw_get("sort")?;
    table.raw_set("sort", sort.call::<Function>((original, &kind, rawget))?)
}

/// What `pcall` gives scripts: our errors as text, others as they are. An error of the time budget goes on up.
fn plain_error(lua: &Lua, error: Native) -> mlua::Result<Native> {
    if budget::is_over() {
        return Err(mlua::Error::runtime("the script ran too long"));
    }
    let error = match error {
        Native::Error(error) => error,
        Native::String(text) if text.as_bytes().starts_with(b"[sinew]:") => {
            let text = text.to_string_lossy();
            return Ok(Native::String(lua.create_string(without_prelude(&text))?));
        }
        other => return Ok(other),
    };
    let mut cause = &*error;
    while let mlua::Error::CallbackError { cause: inner, .. } = cause {
        cause = inner;
    }
    Ok(Native::String(lua.create_string(cause.to_string())?))
}

/// Luau's `math`, with the actor's own random stream behind `random`.
fn mathematics(lua: &Lua, stage: &SharedStage) -> mlua::Result<Table> {
    let original: Table = lua.globals().raw_get("math")?;
    let math = lua.create_table()?;
    for entry in original.pairs::<String, Native>() {
        let (name, value) = entry?;
        if name != "randomseed" {
            math.raw_set(name, value)?;
        }
    }
    let stage = stage.clone();
    let float = api::find(Owner::Service("random"), "float");
    let int = api::find(Owner::Service("random"), "int");
    let random = lua.create_function(move |_, (low, high): (Option<f64>, Option<f64>)| {
        use crate::value::Value::Number;
        let (row, values) = match (low, high) {
            (None, _) => (float, [Number(0.0), Number(1.0)]),
            (Some(high), None) => (int, [Number(1.0), Number(high)]),
            (Some(low), Some(high)) => (int, [Number(low), Number(high)]),
        };
        let row = row.ok_or_else(|| mlua::Error::runtime("no random numbers"))?;
        let drawn = stage
            .invoke(row, crate::stage::NOBODY, &values, &|| None)
            .map_err(raise)?;
        Ok(drawn.as_number().unwrap_or_default())
    })?;
    math.raw_set("random", random)?;
    math.set_readonly(true);
    Ok(math)
}

/// Global functions and services; those of coroutines are made beside them.
fn add_api(lua: &Lua, globals: &Table, stage: &SharedStage) -> mlua::Result<()> {
    let rows = api::api()
        .filter(|row| row.owner == Owner::Global && row.languages == api::Languages::Both);
    for row in rows {
        globals.raw_set(row.name, bind::function(lua, stage, row)?)?;
    }
    for service in api::services() {
        let table = lua.create_table()?;
        let owner = Owner::Service(service);
        for row in api::api().filter(|row| row.owner == owner) {
            table.raw_set(row.name, bind::function(lua, stage, row)?)?;
        }
        table.set_metatable(Some(missing_member(lua, owner)?))?;
        table.set_readonly(true);
        globals.raw_set(service, table)?;
    }
    Ok(())
}

fn missing_member(lua: &Lua, owner: Owner) -> mlua::Result<Table> {
    let meta = lua.create_table()?;
    let missing = lua.create_function(
        move |_, (_, name): (Native, Native)| -> mlua::Result<Native> {
            Err(raise(api::unknown(
                owner,
                &name.to_string().unwrap_or_default(),
            )))
        },
    )?;
    meta.raw_set("__index", missing)?;
    meta.raw_set("__metatable", false)?;
    meta.set_readonly(true);
    Ok(meta)
}

fn add_print(lua: &Lua, globals: &Table, prelude: &Table) -> mlua::Result<()> {
    let wrap: Function = prelude.raw_get("print")?;
    let info: Function = globals.raw_get::<Table>("log")?.raw_get("info")?;
    let tostring: Function = globals.raw_get("tostring")?;
    let concat: Function = lua.globals().raw_get::<Table>("table")?.raw_get("concat")?;
    let select: Function = globals.raw_get("select")?;
    globals.raw_set(
        "print",
        wrap.call::<Function>((info, tostring, concat, select))?,
    )
}

/// What every actor's handle can do.
fn add_actors(lua: &Lua, prelude: &Table, stage: &SharedStage) -> mlua::Result<()> {
    let (methods, getters, setters) = (
        lua.create_table()?,
        lua.create_table()?,
        lua.create_table()?,
    );
    let slow = lua.create_table()?;
    for row in api::api() {
        let table = match row.owner {
            Owner::Method => &methods,
            Owner::Get => &getters,
            Owner::Set => &setters,
            Owner::Global | Owner::Service(_) => continue,
        };
        let through_mlua = bind::through_mlua(lua, stage, row)?;
        if row.owner == Owner::Method {
            slow.raw_set(row.name, &through_mlua)?;
        }
        table.raw_set(row.name, fast::function(lua, stage, row, through_mlua)?)?;
    }
    let missing =
        lua.create_function(|_, (_, name): (Native, Native)| -> mlua::Result<Native> {
            Err(raise(api::unknown(
                Owner::Method,
                &name.to_string().unwrap_or_default(),
            )))
        })?;
    let unset = lua.create_function(|_, (_, name): (Native, Native)| -> mlua::Result<()> {
        Err(raise(cannot_set(&name.to_string().unwrap_or_default())))
    })?;
    let index = fast::index(lua, &methods, &getters, missing)?;
    let newindex: Function = prelude
        .raw_get::<Function>("newindex")?
        .call((setters, unset))?;
    let names = stage.clone();
    let tostring = lua.create_function(move |_, actor: Native| {
        let id = super::values::actor_of(&actor);
        let stage = names.lock();
        let name = id
            .and_then(|id| stage.world.actors.get(id))
            .map(|actor| actor.name.to_string());
        Ok(name.map_or_else(|| "actor (gone)".to_owned(), |name| format!("actor {name}")))
    })?;
    let meta = lua.create_table()?;
    meta.raw_set("__index", index)?;
    meta.raw_set("__namecall", fast::namecall(lua, stage, &slow)?)?;
    meta.raw_set("__newindex", newindex)?;
    meta.raw_set("__tostring", tostring)?;
    meta.raw_set("__type", "actor")?;
    meta.raw_set("__metatable", false)?;
    meta.set_readonly(true);
    lua.set_type_metatable::<LightUserData>(Some(meta));
    Ok(())
}

/// The error for writing a property that cannot be written; the same in both languages.
pub(crate) fn cannot_set(name: &str) -> ApiError {
    if api::find(Owner::Get, name).is_some() {
        return ApiError::new(
            "E-SCRIPT-READ-ONLY",
            format!("`{name}` of an actor is read-only"),
        )
        .about(name);
    }
    if api::find(Owner::Method, name).is_some() {
        return ApiError::new(
            "E-SCRIPT-READ-ONLY",
            format!("`{name}` is a method of an actor, it cannot be set"),
        )
        .about(name);
    }
    api::unknown(Owner::Set, name).help("keep your own values in the script's own table")
}
