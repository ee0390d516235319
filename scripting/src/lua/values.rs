//! Lua's values to and from ours.

use std::collections::BTreeMap;

use glam::Vec3;
use mlua::{LightUserData, Lua, Table, Value as Native, Vector};
use sinew_world::{ActorId, Data};

use super::graph::GraphHandle;
use crate::{
    allowance::{Allowance, MAX_DEPTH},
    api::ApiError,
    value::Value,
};

const _: () = assert!(
    usize::BITS >= 64,
    "an actor's handle is kept in a pointer of 64 bits"
);

/// An actor's handle as a light userdata: a number in the shape of a pointer, so it costs nothing, equals itself and can be
/// a key. It is never followed.
pub(super) fn handle(id: ActorId) -> LightUserData {
    let bits = (u64::from(id.generation) << 32 | u64::from(id.index)).wrapping_add(1);
    LightUserData(std::ptr::without_provenance_mut(bits as usize))
}

/// The actor of a handle.
pub(super) fn actor_of(value: &Native) -> Option<ActorId> {
    match value {
        Native::LightUserData(pointer) => Some(actor_at(pointer.0)),
        _ => None,
    }
}

/// The actor whose handle is this pointer.
pub(super) fn actor_at(pointer: *mut std::ffi::c_void) -> ActorId {
    let bits = (pointer.addr() as u64).wrapping_sub(1);
    ActorId {
        index: bits as u32,
        generation: (bits >> 32) as u32,
    }
}

/// Our value for the simple kinds; tables are [`Value::Other`] here and are copied by [`data_of`] only where the callee
/// takes data.
pub(super) fn simple<'a>(value: &Native, text: Option<&'a str>) -> Value<'a> {
    match value {
        Native::Nil => Value::Nil,
        Native::Boolean(value) => Value::Bool(*value),
        Native::Integer(value) => Value::Number(*value as f64),
        Native::Number(value) => Value::Number(*value),
        Native::Vector(value) => Value::Vec3(vec3(*value)),
        Native::String(_) => text.map_or(Value::Other("text that is not UTF-8"), Value::Text),
        Native::LightUserData(_) => actor_of(value).map_or(Value::Nil, Value::Actor),
        Native::Table(table) if table.raw_len() > 0 => Value::Other("a list"),
        other => Value::Other(kind(other)),
    }
}

/// What a value is called in messages.
pub(super) fn kind(value: &Native) -> &'static str {
    match value {
        Native::Nil => "nothing",
        Native::Boolean(_) => "true or false",
        Native::Integer(_) | Native::Number(_) => "a number",
        Native::Vector(_) => "a vector",
        Native::String(_) => "text",
        Native::LightUserData(_) => "an actor",
        Native::Table(_) => "a table",
        Native::Function(_) => "a function",
        Native::Thread(_) => "a coroutine",
        Native::Buffer(_) => "a buffer",
        Native::UserData(userdata) if userdata.is::<GraphHandle>() => "a graph",
        _ => "something of Lua's own",
    }
}

pub(super) fn vec3(value: Vector) -> Vec3 {
    Vec3::new(value.x(), value.y(), value.z())
}

/// A copy of a value as plain data.
pub(super) fn data_of(value: &Native) -> Result<Data, ApiError> {
    data_allowed(value, &mut Allowance::default())
}

/// As [`data_of`], with what is left of an allowance.
pub(super) fn data_allowed(value: &Native, left: &mut Allowance) -> Result<Data, ApiError> {
    data_within(value, MAX_DEPTH, left)
}

fn data_within(value: &Native, depth: usize, left: &mut Allowance) -> Result<Data, ApiError> {
    left.value()?;
    if let Native::String(text) = value {
        left.text(text.as_bytes().len())?;
    }
    Ok(match value {
        Native::Nil => Data::Nil,
        Native::Boolean(value) => Data::Bool(*value),
        Native::Integer(value) => Data::Number(*value as f64),
        Native::Number(value) => Data::Number(*value),
        Native::Vector(value) => Data::Vec3(vec3(*value)),
        Native::String(text) => Data::Text(text.to_string_lossy()),
        Native::LightUserData(_) => actor_of(value).map_or(Data::Nil, Data::Actor),
        Native::Table(table) => table_data(table, depth, left)?,
        other => return Err(ApiError::new("E-SCRIPT-DATA", format!("{} is no plain data", kind(other)))
            .help("plain data are numbers, text, true and false, vectors, actors, and lists and tables of them")),
    })
}

fn table_data(table: &Table, depth: usize, left: &mut Allowance) -> Result<Data, ApiError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(ApiError::new(
            "E-SCRIPT-DATA",
            format!("tables are nested deeper than {MAX_DEPTH} levels"),
        )
        .help("does a table hold itself?"));
    };
    let length = table.raw_len();
    if length == 0 {
        let mut map = BTreeMap::new();
        for entry in table.pairs::<Native, Native>() {
            let (key, value) = entry.map_err(|error| ApiError::invalid(error.to_string()))?;
            let Native::String(key) = key else {
                return Err(mixed());
            };
            left.text(key.as_bytes().len())?;
            map.insert(key.to_string_lossy(), data_within(&value, depth, left)?);
        }
        return Ok(Data::Map(map));
    }
    let mut items = Vec::with_capacity(length.min(1024));
    for index in 1..=length {
        let item: Native = table
            .raw_get(index)
            .map_err(|error| ApiError::invalid(error.to_string()))?;
        items.push(data_within(&item, depth, left)?);
    }
    let named = table
        .pairs::<Native, Native>()
        .filter_map(Result::ok)
        .any(|(key, _)| matches!(key, Native::String(_)));
    if named {
        Err(mixed())
    } else {
        Ok(Data::List(items))
    }
}

fn mixed() -> ApiError {
    ApiError::new(
        "E-SCRIPT-DATA",
        "a table has either names or a list in it, not both and no other keys",
    )
}

/// A Lua value of plain data.
pub(super) fn native(lua: &Lua, data: &Data) -> mlua::Result<Native> {
    Ok(match data {
        Data::Nil => Native::Nil,
        Data::Bool(value) => Native::Boolean(*value),
        Data::Int(value) => Native::Number(*value as f64),
        Data::Number(value) => Native::Number(*value),
        Data::Vec3(value) => Native::Vector(Vector::new(value.x, value.y, value.z)),
        Data::Text(text) => Native::String(lua.create_string(text)?),
        Data::Actor(id) => Native::LightUserData(handle(*id)),
        Data::List(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for item in items {
                table.raw_push(native(lua, item)?)?;
            }
            Native::Table(table)
        }
        Data::Map(map) => {
            let table = lua.create_table_with_capacity(0, map.len())?;
            for (key, value) in map {
                table.raw_set(key.as_str(), native(lua, value)?)?;
            }
            Native::Table(table)
        }
    })
}

/// A Lua value of an argument of a callback.
pub(super) fn argument(lua: &Lua, value: &Value<'_>) -> mlua::Result<Native> {
    Ok(match value {
        Value::Nil | Value::Graph(_) | Value::Other(_) => Native::Nil,
        Value::Bool(value) => Native::Boolean(*value),
        Value::Int(value) => Native::Number(*value as f64),
        Value::Number(value) => Native::Number(*value),
        Value::Vec3(value) => Native::Vector(Vector::new(value.x, value.y, value.z)),
        Value::Text(text) => Native::String(lua.create_string(text)?),
        Value::Actor(id) => Native::LightUserData(handle(*id)),
        Value::Data(data) => native(lua, data)?,
    })
}

/// Makes a table and all tables in it read-only.
pub(super) fn freeze(value: &Native) {
    if let Native::Table(table) = value {
        let _ = table.for_each(|_: Native, value: Native| {
            freeze(&value);
            Ok(())
        });
        table.set_readonly(true);
    }
}

/// An error of ours as one of Lua's.
pub(super) fn raise(error: ApiError) -> mlua::Error {
    mlua::Error::external(error)
}
