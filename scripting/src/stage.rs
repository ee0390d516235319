//! How scripts reach the world: one shared place into which the host puts it for as long as scripts run.
//!
//! The world is swapped in and out ([`std::mem::swap`]), so no reference outlives a call and nothing is unsafe. A
//! mutex rather than a cell, because Rhai's `sync` asks for it; it is never waited for, since no API call runs a
//! script while it holds the stage.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
};

use sinew_assets::{Assets, LogicalPath};
use sinew_world::{ActorId, Data, Jobs, World};

use crate::api::{ApiError, Call, Function, Host};
use crate::value::Value;

/// What scripts act upon.
pub(crate) struct Stage {
    /// The running level while scripts run, an empty world otherwise.
    pub world: World,
    /// Whether `world` is the running level.
    pub lent: bool,
    /// Everything outside of the world.
    pub host: Host,
    /// New bytes of files that are being prepared: scripts read these before those that are in use.
    pub incoming: BTreeMap<LogicalPath, Vec<u8>>,
}

/// The stage as all VMs of a host share it.
#[derive(Clone)]
pub(crate) struct SharedStage(Arc<Mutex<Stage>>);

impl Default for SharedStage {
    fn default() -> Self {
        let nowhere = Assets::new(std::path::Path::new("."));
        Self(Arc::new(Mutex::new(Stage {
            world: World::new(nowhere, Jobs::serial(), 0),
            lent: false,
            host: Host::default(),
            incoming: BTreeMap::new(),
        })))
    }
}

impl SharedStage {
    /// The stage, for the host itself. A panic of an API function leaves plain data behind, so its poison is ignored.
    pub fn lock(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the caller's world in or takes it out again.
    pub fn swap(&self, world: &mut World) {
        let mut stage = self.lock();
        std::mem::swap(&mut stage.world, world);
        stage.lent = !stage.lent;
    }

    /// Runs an API function for the script that calls; `place` tells where that is, if anybody wants to know.
    pub fn invoke(
        &self,
        function: &Function,
        actor: ActorId,
        values: &[Value<'_>],
        place: &dyn Fn() -> Option<String>,
    ) -> Result<Data, ApiError> {
        let mut stage = match self.0.try_lock() {
            Ok(stage) => stage,
            Err(TryLockError::Poisoned(stage)) => stage.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(ApiError::invalid(format!(
                    "`{}` cannot be called at this moment",
                    function.path()
                )));
            }
        };
        let Stage { world, host, .. } = &mut *stage;
        host.place = if host.tracing { place() } else { None };
        function.invoke(&mut Call { world, host }, actor, values)
    }

    /// Where the stage is, for functions that a VM calls directly. It stays there for as long as this lives.
    pub fn pointer(&self) -> *const Mutex<Stage> {
        Arc::as_ptr(&self.0)
    }

    /// Says who calls from now on: the mod, its actor, which of the actor's scripts.
    pub fn set_caller(&self, space: &Arc<str>, actor: Option<ActorId>, script: u16) {
        let caller = &mut self.lock().host.caller;
        if !Arc::ptr_eq(&caller.space, space) {
            caller.space = space.clone();
        }
        (caller.actor, caller.script, caller.task) = (actor, script, None);
    }
}

/// Runs an API function where all is well and nobody traces; none where [`SharedStage::invoke`] has something to say. What
/// fails has changed nothing.
pub(crate) fn quick(
    stage: &Mutex<Stage>,
    function: &Function,
    actor: ActorId,
    values: &[Value<'_>],
) -> Option<Data> {
    let mut stage = stage.try_lock().ok()?;
    let Stage { world, host, .. } = &mut *stage;
    if host.tracing {
        return None;
    }
    function
        .invoke(&mut Call { world, host }, actor, values)
        .ok()
}

/// An actor that no world has, for functions that belong to none.
pub(crate) const NOBODY: ActorId = ActorId {
    index: u32::MAX,
    generation: u32::MAX,
};

/// Puts a world on the stage and takes it off again, whatever happens in between.
pub(crate) struct Lent<'w> {
    stage: SharedStage,
    world: &'w mut World,
}

impl<'w> Lent<'w> {
    pub fn new(stage: &SharedStage, world: &'w mut World) -> Self {
        stage.swap(world);
        Self {
            stage: stage.clone(),
            world,
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.stage.swap(self.world);
    }
}
