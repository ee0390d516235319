//! Waiting in coroutines. What needs one is Lua's alone; timers, `sequence` and `tween_float` do the same work in both.

use super::{ApiError, Call, rows};
use crate::value::{Argument, Type, Value};

/// A function of the script; the language keeps it, the table only says that it belongs here.
#[derive(Clone, Copy, Debug)]
struct Callback;

impl Argument<'_> for Callback {
    const TYPE: Type = Type::Function;
    fn read(value: Value<'_>) -> Option<Self> {
        matches!(value, Value::Other("a function")).then_some(Self)
    }
}

rows! {
    /// Runs a function that may `wait`. It ends quietly with its actor, and a live reload cancels it.
    ///
    /// What a cancelled one had asked for (`set_ik`, `look_at`, `set_layer_weight`, `set_morph`) is let go with its fade.
    global "start" start(
        /// The function.
        body: Callback => sinew_world::Data::Nil,
    ) -> (), lua;
    /// Waits inside `start`: the rest of the function goes on after some game time.
    global "wait" wait(
        /// How long.
        seconds: f64["seconds"] => 0.25,
    ) -> f64, lua;
    /// Waits inside `start` for a number of updates.
    global "wait_frames" wait_frames(
        /// How many; at least 1.
        frames: i64 = 1 => 2_i64,
    ) -> i64, lua;
}

fn start(call: &mut Call<'_>, _body: Callback) -> Result<(), ApiError> {
    call.this().map(|_| ())
}

/// The language yields for as long as this says.
fn wait(_call: &mut Call<'_>, seconds: f64) -> Result<f64, ApiError> {
    Ok(seconds.max(0.0))
}

fn wait_frames(_call: &mut Call<'_>, frames: i64) -> Result<i64, ApiError> {
    Ok(frames.max(1))
}
