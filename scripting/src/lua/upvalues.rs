//! The values that a Lua function keeps of the file around it. A module that is loaded anew makes a new table, and its
//! functions keep that one; they get the module's own table instead, so that there is one table before and after.
#![allow(
    unsafe_code,
    reason = "Luau has no safe function that sets what a closure keeps"
)]

use mlua::{Function, Lua, MultiValue, Table, ffi};

/// More than a function of Luau can keep.
const MOST: i32 = 256;

/// Puts `own` in the place of `other` wherever a function keeps it, and gives the other values that it keeps.
pub(super) fn replace(
    lua: &Lua,
    function: &Function,
    other: &Table,
    own: &Table,
) -> mlua::Result<MultiValue> {
    // SAFETY: the arguments lie at indices 1 to 3 of a stack that is this call's own. Before anything is pushed there is
    // room for all of it. `lua_getupvalue` pushes one value or, at the end, none; `lua_setupvalue` pops one and keeps
    // the collector informed. Nothing here raises an error but the check of the stack, before any of it.
    unsafe {
        lua.exec_raw((function, other, own), |state| {
            ffi::luaL_checkstack(state, MOST + 2, c"a function keeps too much".as_ptr());
            // What the engine's own functions keep is nobody's business.
            let is_script = ffi::lua_iscfunction(state, 1) == 0;
            for index in 1..=MOST {
                if !is_script || ffi::lua_getupvalue(state, 1, index).is_null() {
                    break;
                }
                if ffi::lua_rawequal(state, -1, 2) != 0 {
                    ffi::lua_pop(state, 1);
                    ffi::lua_pushvalue(state, 3);
                    ffi::lua_setupvalue(state, 1, index);
                }
            }
            for _ in 0..3 {
                ffi::lua_remove(state, 1);
            }
        })
    }
}
