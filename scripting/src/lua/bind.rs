//! The API table as Lua functions: one loop.

use std::array;

use mlua::{BorrowedStr, FromLuaMulti, Function, Lua, Value as Native};
use sinew_world::{ActorId, Data};

use super::{
    fast,
    graph::GraphHandle,
    values::{actor_of, data_of, native, raise, simple},
};
use crate::{
    api::{self, ApiError, MAX_VALUES, Owner},
    language::ScriptGraph,
    stage::{NOBODY, SharedStage},
    value::{Type, Value},
};

/// A row as a Lua function.
pub(super) fn function(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
) -> mlua::Result<Function> {
    fast::function(lua, stage, row, through_mlua(lua, stage, row)?)
}

/// A row as a Lua function that reads anything and says what is wrong.
pub(super) fn through_mlua(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
) -> mlua::Result<Function> {
    // Tuples are read straight off Lua's stack, a list of any length would allocate. One more than the row takes shows a
    // surplus argument.
    type V = Native;
    let receiver = usize::from(matches!(row.owner, Owner::Method | Owner::Get | Owner::Set));
    match row.most_arguments() + receiver + 1 {
        1 => sized::<(V,), 1>(lua, stage, row),
        2 => sized::<(V, V), 2>(lua, stage, row),
        3 => sized::<(V, V, V), 3>(lua, stage, row),
        4 => sized::<(V, V, V, V), 4>(lua, stage, row),
        5 => sized::<(V, V, V, V, V), 5>(lua, stage, row),
        6 => sized::<(V, V, V, V, V, V), 6>(lua, stage, row),
        _ => sized::<(V, V, V, V, V, V, V, V), 8>(lua, stage, row),
    }
}

fn sized<A, const N: usize>(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
) -> mlua::Result<Function>
where
    A: FromLuaMulti + Into<[Native; N]> + 'static,
{
    let stage = stage.clone();
    lua.create_function(move |lua, arguments: A| {
        let arguments: [Native; N] = arguments.into();
        let result = call(lua, &stage, row, &arguments).map_err(raise)?;
        native(lua, &result)
    })
}

fn call(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
    arguments: &[Native],
) -> Result<Data, ApiError> {
    let (actor, arguments) = match row.owner {
        Owner::Method | Owner::Get | Owner::Set => {
            let actor = actor_of(&arguments[0]).ok_or_else(|| no_receiver(row, &arguments[0]))?;
            (actor, &arguments[1..])
        }
        Owner::Global | Owner::Service(_) => (NOBODY, arguments),
    };
    invoke(lua, stage, row, actor, arguments)
}

/// `actor.play("run")` where `actor:play("run")` is meant.
fn no_receiver(row: &api::Function, given: &Native) -> ApiError {
    let message = format!(
        "`{}` was called without an actor in front, got {}",
        row.name,
        super::values::kind(given)
    );
    let mut error = ApiError::new("E-SCRIPT-SELF", message)
        .help(format!("use `actor:{}(...)`, with a colon", row.name));
    error.token = Some(format!(".{}", row.name));
    error.replacement = Some(format!(":{}", row.name));
    error
}

fn invoke(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
    actor: ActorId,
    arguments: &[Native],
) -> Result<Data, ApiError> {
    let count = arguments
        .iter()
        .rposition(|argument| !argument.is_nil())
        .map_or(0, |last| last + 1);
    row.check_count(count)?;
    let positional = row.parameters.len();
    if row.options.is_empty() {
        return pass(lua, stage, row, actor, &arguments[..positional]);
    }
    let options: [Native; MAX_VALUES] = match &arguments[positional] {
        Native::Nil => array::from_fn(|_| Native::Nil),
        Native::Table(table) => {
            for entry in table.pairs::<Native, Native>() {
                let (key, _) = entry.map_err(|error| ApiError::invalid(error.to_string()))?;
                match &key {
                    Native::String(key) => row.check_option(&key.to_string_lossy())?,
                    _ => return Err(row.no_options(&Value::Other("a list"))),
                }
            }
            let mut values = array::from_fn(|_| Native::Nil);
            for (value, option) in values.iter_mut().zip(row.options) {
                *value = table
                    .raw_get(option.name)
                    .map_err(|error| ApiError::invalid(error.to_string()))?;
            }
            values
        }
        other => return Err(row.no_options(&simple(other, text_of(other).as_deref()))),
    };
    let values: [Native; MAX_VALUES] =
        array::from_fn(|index| match index.checked_sub(positional) {
            None => arguments[index].clone(),
            Some(option) => options.get(option).cloned().unwrap_or_default(),
        });
    let count = positional + row.options.len();
    pass(lua, stage, row, actor, &values[..count])
}

/// The graph that a script hands over.
fn graph_of(value: &Native) -> Option<ScriptGraph> {
    let Native::UserData(userdata) = value else {
        return None;
    };
    let handle = userdata.borrow::<GraphHandle>().ok()?;
    Some(handle.0.clone())
}

fn text_of(value: &Native) -> Option<BorrowedStr> {
    value.as_string().and_then(|text| text.to_str().ok())
}

/// Converts and calls. Tables are copied only where the row takes data.
fn pass(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
    actor: ActorId,
    natives: &[Native],
) -> Result<Data, ApiError> {
    let texts: [Option<BorrowedStr>; MAX_VALUES] =
        array::from_fn(|index| natives.get(index).and_then(text_of));
    let mut datas: [Data; MAX_VALUES] = [const { Data::Nil }; MAX_VALUES];
    let parameters = || row.parameters.iter().chain(row.options);
    for ((native, parameter), data) in natives.iter().zip(parameters()).zip(&mut datas) {
        if matches!(native, Native::Table(_)) && takes_data(&parameter.ty) {
            *data =
                data_of(native).map_err(|error| error.within(parameter.name).about(row.name))?;
        }
    }
    let graph = natives.iter().find_map(graph_of);
    let values: [Value<'_>; MAX_VALUES] =
        array::from_fn(|index| match (natives.get(index), &datas[index], &graph) {
            (None, ..) => Value::Nil,
            (Some(Native::UserData(_)), _, Some(graph)) => Value::Graph(graph),
            (Some(native), Data::Nil, _) => simple(native, texts[index].as_deref()),
            (Some(_), data, _) => Value::Data(data),
        });
    let place = || super::graph::place(lua);
    stage.invoke(row, actor, &values[..natives.len()], &place)
}

/// Whether a parameter of this type reads lists or tables.
pub(crate) fn takes_data(ty: &Type) -> bool {
    match ty {
        Type::Data | Type::List | Type::ListOf(_) | Type::Table | Type::Record(_) => true,
        Type::Optional(inner) => takes_data(inner),
        _ => false,
    }
}
