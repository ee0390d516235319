//! Timers by name: they call a function of the script, and survive a live reload.

use sinew_world::Timer;

use super::{ApiError, Call, rows};

/// The most timers that one actor may have.
const MOST_TIMERS: usize = 1000;

rows! {
    /// Calls a function of this script by name, once, after some time. Starting the same name again begins anew.
    global "after" after(
        /// How long to wait.
        seconds: f64["seconds"] => 0.5,
        /// Name of the function.
        name: &str => "ready",
    ) -> ();
    /// Calls a function of this script by name again and again. Starting the same name again begins anew.
    global "every" every(
        /// Time between calls, more than 0.
        seconds: f64["seconds"] => 1.0,
        /// Name of the function.
        name: &str => "ready",
    ) -> ();
    /// Stops a timer of this script; true if there was one.
    global "cancel" cancel(
        /// Name of the function that it would call.
        name: &str => "ready",
    ) -> bool;
    /// Whether a timer of this script is running.
    global "timer_pending" timer_pending(
        /// Name of the function that it will call.
        name: &str => "ready",
    ) -> bool;
}

fn after(call: &mut Call<'_>, seconds: f64, name: &str) -> Result<(), ApiError> {
    start(call, seconds.max(0.0), None, name)
}

fn every(call: &mut Call<'_>, seconds: f64, name: &str) -> Result<(), ApiError> {
    if seconds <= 0.0 {
        return Err(
            ApiError::invalid(format!("`seconds` must be more than 0, got {seconds}"))
                .about("every"),
        );
    }
    start(call, seconds, Some(seconds), name)
}

fn start(call: &mut Call<'_>, left: f64, every: Option<f64>, name: &str) -> Result<(), ApiError> {
    let actor = call.this()?;
    let script = call.host.caller.script;
    let timers = &call.world.timers;
    if timers.count(actor) >= MOST_TIMERS && !timers.pending(actor, script, name) {
        let message = format!("more than {MOST_TIMERS} timers of one actor run already");
        return Err(ApiError::invalid(message).about("after"));
    }
    call.world.timers.start(Timer {
        actor,
        script,
        name: name.to_owned(),
        left,
        every,
    });
    Ok(())
}

fn cancel(call: &mut Call<'_>, name: &str) -> Result<bool, ApiError> {
    let (actor, script) = (call.this()?, call.host.caller.script);
    Ok(call.world.timers.cancel(actor, script, name))
}

fn timer_pending(call: &mut Call<'_>, name: &str) -> Result<bool, ApiError> {
    let (actor, script) = (call.this()?, call.host.caller.script);
    Ok(call.world.timers.pending(actor, script, name))
}
