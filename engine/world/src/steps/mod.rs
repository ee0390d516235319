//! The frame.

mod advance;
mod evaluate;
mod finish;
mod movement;

use crate::{Behaviour, Input, World};

/// Runs one step of `dt` seconds (scaled by the world's clock). Each part reads only what earlier parts wrote; see the
/// head of each part's file for what it reads and writes.
pub fn step(world: &mut World, behaviour: &mut dyn Behaviour, input: &Input, dt: f32) {
    let dt = world.begin_step(input, dt);
    behaviour.update(world, dt);
    world.end_phase();
    advance::run(world, dt);
    movement::run(world, behaviour, dt);
    evaluate::run(world);
    behaviour.pose(world);
    finish::run(world, dt);
    behaviour.react(world, dt);
    world.end_phase();
}

impl World {
    /// reads: devices. writes: clock, actions, camera's angles; ages what is drawn; moves tweens.
    fn begin_step(&mut self, input: &Input, dt: f32) -> f32 {
        let real = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
        let dt = real * self.clock.scale.max(0.0);
        self.clock.dt = dt;
        self.clock.time += f64::from(dt);
        self.clock.frame += 1;
        self.controls.apply(input);
        self.camera.turn(input.orbit, input.zoom);
        self.debug.age(dt);
        dt
    }
}
