//! Stand-in until the script host is there: levels run without scripts.

use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{Behaviour, Changes, NoScripts, StableHasher, World};

/// Runs no scripts.
#[derive(Debug, Default)]
pub struct ScriptHost;

impl ScriptHost {
    /// Starts the scripts of a world.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn open(_world: &mut World) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self)
    }

    /// Swaps in new versions of files, all or nothing.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn reload(
        &mut self,
        world: &mut World,
        files: Vec<(LogicalPath, Vec<u8>)>,
    ) -> Result<(), Vec<Diagnostic>> {
        let changes = Changes {
            files,
            motions: Vec::new(),
        };
        world.reload(changes).map(|_| ())
    }
}

impl Behaviour for ScriptHost {
    fn update(&mut self, world: &mut World, dt: f32) {
        NoScripts.update(world, dt);
    }

    fn fixed_update(&mut self, world: &mut World, dt: f32) {
        NoScripts.fixed_update(world, dt);
    }

    fn pose(&mut self, world: &mut World) {
        NoScripts.pose(world);
    }

    fn react(&mut self, world: &mut World, dt: f32) {
        NoScripts.react(world, dt);
    }

    fn hash_into(&self, hasher: &mut StableHasher) {
        NoScripts.hash_into(hasher);
    }
}
