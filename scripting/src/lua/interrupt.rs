//! Luau's safepoints, counted. mlua's own `set_interrupt` boxes and locks at each one and costs 2.8 times the plain loop;
//! this costs 1.2 times.
#![allow(
    unsafe_code,
    reason = "Luau's interrupt is a C function pointer that mlua does not wrap cheaply"
)]

use std::ffi::c_int;

use mlua::{Lua, ffi};

use crate::budget;

/// What a script's error says when its time is up. `pcall` cannot swallow it: the next safepoint raises it again.
const MESSAGE: &std::ffi::CStr = c"the script ran too long";

/// Called by Luau at loops and calls, and with `gc >= 0` by the collector, which must not raise.
unsafe extern "C-unwind" fn interrupt(state: *mut ffi::lua_State, gc: c_int) {
    if gc < 0 && budget::spend() {
        // SAFETY: `state` is the running thread that Luau passes; raising is allowed outside of the collector. No Rust
        // value with a destructor is alive in this frame.
        unsafe { ffi::luaL_error(state, MESSAGE.as_ptr()) }
    }
}

/// Counts the safepoints of a VM from now on.
pub(super) fn install(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the closure only stores a function pointer in the VM's table of callbacks and leaves the stack as it is.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            (*ffi::lua_callbacks(state)).interrupt = Some(interrupt);
        })
    }
}
