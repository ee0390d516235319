//! Coroutines: `start`, `wait`, `wait_frames`.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use mlua::{Function, Lua, MultiValue, Table, Thread, Value as Native};

use super::{bind, values::raise};
use crate::{
    api::{self, ApiError, Caller, Owner},
    language::{Waiting, Wake},
    stage::{NOBODY, SharedStage},
    value::Value,
};

/// A coroutine that waits.
pub(super) struct Task {
    thread: Thread,
    caller: Caller,
    wake: Wake,
}

/// The coroutines of one VM that wait, by age.
#[derive(Default)]
pub(super) struct Tasks {
    waiting: BTreeMap<u64, Task>,
    /// Errors of coroutines in their first stretch, which must not stop whoever started them.
    pub failed: Vec<(Caller, mlua::Error)>,
}

pub(super) type SharedTasks = Rc<RefCell<Tasks>>;

/// The most coroutines of one mod that may wait at a time.
const MOST_TASKS: usize = 10_000;

/// Puts the three functions into the globals.
pub(super) fn add(
    lua: &Lua,
    globals: &Table,
    prelude: &Table,
    stage: &SharedStage,
    tasks: &SharedTasks,
) -> mlua::Result<()> {
    let coroutine: Table = lua.globals().raw_get("coroutine")?;
    let waiter: Function = prelude.raw_get("waiter")?;
    let outside = lua.create_function(|_, kind: String| -> mlua::Result<()> {
        let error = ApiError::new(
            "E-SCRIPT-WAIT",
            format!("`{kind}` works only inside `start(function() ... end)`"),
        );
        Err(raise(error.about(&kind).help(
            "callbacks must return in their step; `after` calls a function later",
        )))
    })?;
    for name in ["wait", "wait_frames"] {
        let row = api::find(Owner::Global, name)
            .ok_or_else(|| mlua::Error::runtime("a row is missing"))?;
        let check = bind::function(lua, stage, row)?;
        let yields: Function = coroutine.raw_get("yield")?;
        let isyieldable: Function = coroutine.raw_get("isyieldable")?;
        let wait: Function = waiter.call((name, check, yields, isyieldable, &outside))?;
        globals.raw_set(name, wait)?;
    }
    let (stage, tasks) = (stage.clone(), tasks.clone());
    let start = lua.create_function(move |lua, (body, surplus): (Native, Native)| {
        start(lua, &stage, &tasks, body, surplus)
    })?;
    globals.raw_set("start", start)
}

fn start(
    lua: &Lua,
    stage: &SharedStage,
    tasks: &SharedTasks,
    body: Native,
    surplus: Native,
) -> mlua::Result<()> {
    let row = api::find(Owner::Global, "start")
        .ok_or_else(|| mlua::Error::runtime("a row is missing"))?;
    row.check_count(if surplus.is_nil() { 1 } else { 2 })
        .map_err(raise)?;
    let text = body.as_string().and_then(|text| text.to_str().ok());
    let value = match &body {
        Native::Function(_) => Value::Other("a function"),
        other => super::values::simple(other, text.as_deref()),
    };
    stage
        .invoke(row, NOBODY, &[value], &|| None)
        .map_err(raise)?;
    let Native::Function(body) = body else {
        return Ok(());
    };
    if tasks.borrow().waiting.len() >= MOST_TASKS {
        return Err(raise(
            ApiError::invalid(format!("more than {MOST_TASKS} coroutines wait already"))
                .about("start"),
        ));
    }
    let thread = lua.create_thread(body)?;
    let id = stage.lock().host.new_task();
    let mut caller = stage.lock().host.caller.clone();
    let before = caller.task.replace(id);
    let outcome = advance(stage, tasks, id, thread, caller.clone());
    stage.lock().host.caller.task = before;
    if let Err(error) = outcome {
        if crate::budget::is_over() {
            return Err(error);
        }
        tasks.borrow_mut().failed.push((caller, error));
    }
    Ok(())
}

/// Runs a coroutine until it waits or ends; true where it waits.
fn advance(
    stage: &SharedStage,
    tasks: &SharedTasks,
    id: u64,
    thread: Thread,
    caller: Caller,
) -> mlua::Result<bool> {
    stage.lock().host.caller = caller.clone();
    let outcome = thread.resume::<MultiValue>(());
    let asked = match outcome {
        Ok(asked) => asked,
        Err(error) => {
            stage.lock().host.asks.retain(|ask| ask.task != id);
            return Err(error);
        }
    };
    if !thread.is_resumable() {
        stage.lock().host.asks.retain(|ask| ask.task != id);
        return Ok(false);
    }
    let clock = stage.lock().world.clock;
    let amount = match asked.get(1) {
        Some(Native::Integer(amount)) => *amount as f64,
        Some(Native::Number(amount)) => *amount,
        _ => 0.0,
    };
    let kind = asked
        .front()
        .and_then(|kind| kind.as_string().map(|kind| kind.to_string_lossy()));
    let wake = match kind.as_deref() {
        // A hair's breadth less, so that 15 steps of 1/60 make a quarter of a second.
        Some("wait") => Wake::Time(clock.time + amount - 1e-6),
        Some("wait_frames") => Wake::Frame(clock.frame.saturating_add(amount as u64)),
        _ => Wake::Frame(clock.frame + 1),
    };
    tasks.borrow_mut().waiting.insert(
        id,
        Task {
            thread,
            caller,
            wake,
        },
    );
    Ok(true)
}

/// Goes on with a coroutine whose time has come.
pub(super) fn resume(stage: &SharedStage, tasks: &SharedTasks, id: u64) -> mlua::Result<bool> {
    let task = tasks.borrow_mut().waiting.remove(&id);
    match task {
        Some(task) => advance(stage, tasks, id, task.thread, task.caller),
        None => Ok(false),
    }
}

impl Tasks {
    /// All that wait, by age.
    pub fn waiting(&self) -> Vec<Waiting> {
        let waiting = self.waiting.iter().filter_map(|(&id, task)| {
            let (actor, script) = (task.caller.actor?, task.caller.script);
            Some(Waiting {
                id,
                actor,
                script,
                wake: task.wake,
            })
        });
        waiting.collect()
    }

    /// Drops one.
    pub fn cancel(&mut self, id: u64) {
        self.waiting.remove(&id);
    }
}
