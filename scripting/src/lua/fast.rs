//! API functions on Luau's stack, without a detour. Nearly all calls pass numbers, truth values, vectors, actors and short
//! text, and get back no more; these are read and written where they lie. Whatever else there is (a table, a mistake,
//! somebody who traces) is left to the function that [`bind`](super::bind) made through mlua, which does the same with
//! words. A call that fails has changed nothing, so it is simply made again there.
//!
//! A call costs a seventh of the way through mlua's values; docs/performance.md has the figures.
#![allow(
    unsafe_code,
    reason = "mlua's own values cost several times what the calls between scripts and engine do"
)]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{LazyLock, Mutex},
};

use glam::Vec3;
use mlua::{Function, Lua, Table, ffi};
use sinew_world::Data;

use super::values::{actor_at, handle};
use crate::{
    api::{self, MAX_VALUES, Owner},
    stage::{self, NOBODY, SharedStage, Stage},
    value::{Type, Value},
};

/// Name of all these functions in a trace of the stack.
const NAME: &CStr = c"sinew";

/// The methods of actors in the order of their names; Luau calls the place of a name in it its atom.
static METHODS: LazyLock<Vec<&'static api::Function>> = LazyLock::new(|| {
    let mut methods: Vec<_> = api::api()
        .filter(|row| row.owner == Owner::Method)
        .collect();
    methods.sort_unstable_by_key(|row| row.name);
    methods
});

/// A row as a function that tries the short way first; `slow` is the same row through mlua.
pub(super) fn function(
    lua: &Lua,
    stage: &SharedStage,
    row: &'static api::Function,
    slow: Function,
) -> mlua::Result<Function> {
    if !gives_plain(&row.result) {
        return Ok(slow);
    }
    // SAFETY: the closure finds `slow` on the stack, pushes two pointers and a closure over all three, and leaves that.
    unsafe {
        lua.exec_raw(slow, |state| {
            ffi::lua_pushlightuserdata(state, ptr::from_ref(row).cast_mut().cast());
            ffi::lua_pushlightuserdata(state, stage.pointer().cast_mut().cast());
            ffi::lua_pushcclosurek(state, called, NAME.as_ptr(), 3, None);
        })
    }
}

/// `__index` of actors: a method by its name, the value of a property, or what `missing` raises.
pub(super) fn index(
    lua: &Lua,
    methods: &Table,
    getters: &Table,
    missing: Function,
) -> mlua::Result<Function> {
    // SAFETY: the closure finds three values on the stack and leaves one closure over them.
    unsafe {
        lua.exec_raw((methods, getters, missing), |state| {
            ffi::lua_pushcclosurek(state, indexed, NAME.as_ptr(), 3, None);
        })
    }
}

/// `__namecall` of actors: `actor:play("run")` in one go. `slow` has the methods through mlua.
pub(super) fn namecall(lua: &Lua, stage: &SharedStage, slow: &Table) -> mlua::Result<Function> {
    let list = lua.create_table()?;
    for row in METHODS.iter() {
        list.raw_push(slow.raw_get::<Function>(row.name)?)?;
    }
    // SAFETY: the first closure only stores a function pointer in the VM's table of callbacks; the second finds a table on
    // the stack and leaves one closure over it and a pointer.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            (*ffi::lua_callbacks(state)).useratom = Some(atom);
        })?;
        lua.exec_raw(list, |state| {
            ffi::lua_pushlightuserdata(state, stage.pointer().cast_mut().cast());
            ffi::lua_pushcclosurek(state, method_called, NAME.as_ptr(), 2, None);
        })
    }
}

/// Whether all that a row gives back is written without Luau's memory, which may run out.
fn gives_plain(result: &Type) -> bool {
    match result {
        Type::Nil | Type::Bool | Type::Number | Type::Int | Type::Vec3 | Type::Actor => true,
        Type::Optional(inner) => gives_plain(inner),
        _ => false,
    }
}

/// The place of a method's name in [`METHODS`]; Luau asks once for each text.
unsafe extern "C-unwind" fn atom(
    _: *mut ffi::lua_State,
    text: *const c_char,
    length: usize,
) -> i16 {
    // SAFETY: Luau passes the bytes of a text and their number.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    let found = METHODS.binary_search_by_key(&text, |row| row.name.as_bytes());
    found.map_or(-1, |place| place as i16)
}

/// A row: upvalues are the way through mlua, the row, the stage.
unsafe extern "C-unwind" fn called(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the upvalues are those of `function`: rows are static, and the stage is held by the VM's owner, through whom
    // alone scripts run. Nothing with a destructor is alive where Luau may raise.
    unsafe {
        let row = ffi::lua_tolightuserdata(state, ffi::lua_upvalueindex(2)).cast::<api::Function>();
        let stage = ffi::lua_tolightuserdata(state, ffi::lua_upvalueindex(3));
        match run(state, &*row, stage) {
            Some(results) => results,
            None => {
                ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
                call_all(state)
            }
        }
    }
}

/// A method of an actor: upvalues are the ways through mlua in the order of [`METHODS`], and the stage.
unsafe extern "C-unwind" fn method_called(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as in `called`; Luau sets the name of the method before it calls `__namecall`.
    unsafe {
        let mut atom = -1;
        let name = ffi::lua_namecallatom(state, &raw mut atom);
        let row = usize::try_from(atom)
            .ok()
            .and_then(|atom| METHODS.get(atom));
        let Some(row) = row else {
            // Not a method: whatever `__index` has, or its error.
            ffi::lua_getfield(state, 1, name);
            return call_all(state);
        };
        let stage = ffi::lua_tolightuserdata(state, ffi::lua_upvalueindex(2));
        if gives_plain(&row.result)
            && let Some(results) = run(state, row, stage)
        {
            return results;
        }
        ffi::lua_rawgeti(state, ffi::lua_upvalueindex(1), i64::from(atom) + 1);
        call_all(state)
    }
}

/// `actor.name`: upvalues are methods, properties, and what raises the error.
unsafe extern "C-unwind" fn indexed(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau passes the actor and the key; the upvalues are those of `index`. Nothing with a destructor is alive.
    unsafe {
        ffi::lua_settop(state, 2);
        ffi::lua_pushvalue(state, 2);
        if ffi::lua_rawget(state, ffi::lua_upvalueindex(1)) != ffi::LUA_TNIL {
            return 1;
        }
        ffi::lua_pushvalue(state, 2);
        if ffi::lua_rawget(state, ffi::lua_upvalueindex(2)) != ffi::LUA_TNIL {
            ffi::lua_pushvalue(state, 1);
            ffi::lua_call(state, 1, 1);
            return 1;
        }
        ffi::lua_settop(state, 2);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(3));
        call_all(state)
    }
}

/// Calls the function on top of the stack with everything below it.
unsafe fn call_all(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the caller has pushed a value above the arguments; the stack of a C function has room for one more.
    unsafe {
        let arguments = ffi::lua_gettop(state) - 1;
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, ffi::LUA_MULTRET);
        ffi::lua_gettop(state)
    }
}

/// Calls a row with what is on the stack and pushes its result; gives the number of results, none where the call must go
/// through mlua.
unsafe fn run(
    state: *mut ffi::lua_State,
    row: &api::Function,
    stage: *mut c_void,
) -> Option<c_int> {
    // SAFETY: every index is within the stack or reads as none; texts live as long as they are on the stack, which is
    // not touched before the values are used up. The stage is alive, see `called`.
    unsafe {
        let has_receiver = matches!(row.owner, Owner::Method | Owner::Get | Owner::Set);
        let mut index = 1;
        let mut actor = NOBODY;
        if has_receiver {
            if ffi::lua_type(state, index) != ffi::LUA_TLIGHTUSERDATA {
                return None;
            }
            actor = actor_at(ffi::lua_tolightuserdata(state, index));
            index += 1;
        }
        let positional = row.parameters.len();
        if ffi::lua_gettop(state) - (index - 1) > positional as c_int {
            return None;
        }
        let mut values = [Value::Nil; MAX_VALUES];
        for value in &mut values[..positional] {
            *value = value_at(state, index)?;
            index += 1;
        }
        let stage = &*stage.cast_const().cast::<Mutex<Stage>>();
        let values = &values[..positional + row.options.len()];
        let result = catch_unwind(AssertUnwindSafe(|| stage::quick(stage, row, actor, values)));
        push(state, result.ok()??)
    }
}

/// What stands on the stack; none for what only mlua reads.
unsafe fn value_at<'a>(state: *mut ffi::lua_State, index: c_int) -> Option<Value<'a>> {
    // SAFETY: each value is read as what its type says it is; the caller keeps texts on the stack.
    unsafe {
        Some(match ffi::lua_type(state, index) {
            ffi::LUA_TNONE | ffi::LUA_TNIL => Value::Nil,
            ffi::LUA_TBOOLEAN => Value::Bool(ffi::lua_toboolean(state, index) != 0),
            ffi::LUA_TNUMBER => Value::Number(ffi::lua_tonumberx(state, index, ptr::null_mut())),
            ffi::LUA_TVECTOR => {
                let vector = ffi::lua_tovector(state, index);
                Value::Vec3(Vec3::from_array(*vector.cast::<[f32; 3]>()))
            }
            ffi::LUA_TLIGHTUSERDATA => {
                Value::Actor(actor_at(ffi::lua_tolightuserdata(state, index)))
            }
            ffi::LUA_TSTRING => {
                let mut length = 0;
                let text = ffi::lua_tolstring(state, index, &raw mut length);
                let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
                Value::Text(std::str::from_utf8(text).ok()?)
            }
            _ => return None,
        })
    }
}

/// Pushes what a row gave back; gives the number of results.
unsafe fn push(state: *mut ffi::lua_State, result: Data) -> Option<c_int> {
    // SAFETY: the stack of a C function has room for one more value, and none of these takes memory.
    unsafe {
        match result {
            Data::Nil => return Some(0),
            Data::Bool(value) => ffi::lua_pushboolean(state, c_int::from(value)),
            Data::Int(value) => ffi::lua_pushnumber(state, value as f64),
            Data::Number(value) => ffi::lua_pushnumber(state, value),
            Data::Vec3(value) => ffi::lua_pushvector(state, value.x, value.y, value.z),
            Data::Actor(id) => ffi::lua_pushlightuserdata(state, handle(id).0),
            Data::Text(_) | Data::List(_) | Data::Map(_) => return None,
        }
    }
    Some(1)
}
