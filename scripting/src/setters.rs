//! Who set which parameter of a graph last, for traces.

use sinew_world::{ActorId, World};

use crate::{api::setter, host::ScriptHost};

impl ScriptHost {
    /// From now on notes where scripts set parameters. Until then nobody looks, which costs nothing.
    pub fn note_setters(&mut self) {
        self.stage.lock().host.tracing = true;
    }

    /// Who set a parameter (index in the actor's graph) last, where that is known: a script as `file:line`, or the
    /// engine.
    pub fn set_by(&self, world: &World, actor: ActorId, parameter: u16) -> Option<String> {
        let animation = world.actors.get(actor)?.animation.as_ref()?;
        setter(&self.stage.lock().host, actor, animation, parameter)
    }
}
