//! What game code adds to a step.

use serde::{Deserialize, Serialize};

use crate::{ActorId, Data, World};

/// Something that game code keeps outside of the world, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Whose it is; none where it belongs to no actor.
    pub actor: Option<ActorId>,
    /// Unique for its actor, such as `hero.lua/going`.
    pub name: String,
    /// What it is.
    pub value: Data,
}

/// The parts of a step that belong to game code. Handlers may change the world freely; whatever they ask for acts
/// where `docs/architecture.md` says for each phase.
pub trait Behaviour {
    /// New actors start, messages and timers arrive, input and `on_update` run.
    fn update(&mut self, world: &mut World, dt: f32);

    /// Before each fixed substep of movement; `dt` is the substep's length.
    fn fixed_update(&mut self, world: &mut World, dt: f32);

    /// Between evaluation and inverse kinematics, for actors whose scripts change their pose.
    fn pose(&mut self, world: &mut World);

    /// What has ended since the last step ([`World::late`], to be taken), this step's animation events, in order, then
    /// `on_late_update`, which sees this step's joints.
    fn react(&mut self, world: &mut World, dt: f32);

    /// All plain data that game code keeps outside of the world, in a fixed order: part of the hash of all state.
    fn kept(&self, world: &World) -> Vec<Kept>;
}

/// No game code: actors play what their level says. For tests and embedders that steer actors from Rust.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoScripts;

impl Behaviour for NoScripts {
    fn update(&mut self, _world: &mut World, _dt: f32) {}

    fn fixed_update(&mut self, _world: &mut World, _dt: f32) {}

    fn pose(&mut self, _world: &mut World) {}

    fn react(&mut self, world: &mut World, _dt: f32) {
        world.late.clear();
    }

    fn kept(&self, _world: &World) -> Vec<Kept> {
        Vec::new()
    }
}
