//! Where an actor is and goes.

use glam::Vec3;
use sinew_world::ActorId;

use super::{ApiError, Call, rows};

rows! {
    /// Where its origin is, between its feet: metres, world space.
    get "position" position() -> Vec3;
    /// Puts it elsewhere at once, as `teleport` does.
    set "position" set_position(position: Vec3 => [1.0, 0.0, 2.0]) -> ();
    /// Which way it faces: degrees about +Y, 0 faces +Z, 90 faces +X.
    get "yaw" yaw() -> f32;
    /// Turns it at once.
    set "yaw" set_yaw(yaw: f32["degrees"] => 90.0) -> ();
    /// Where it faces: a level vector of length 1.
    get "forward" forward() -> Vec3;
    /// Where its upper end points, a vector of length 1: straight up unless root motion of all axes leans it, or what
    /// it hangs from. `face`, and a yaw that is set, stand it upright again.
    get "up" up() -> Vec3;
    /// How fast it really went in the last step, after walls and ground: metres a second.
    get "velocity" velocity() -> Vec3;
    /// Whether it stands on something.
    get "grounded" grounded() -> bool;
    /// Walks in this step at a velocity in world space, metres a second; height is left to gravity.
    ///
    /// The last call of a step wins. It replaces root motion in this step; to keep walking, call it in every `on_update`.
    method "move" move_by(
        /// Metres a second, world space.
        velocity: Vec3 => [0.0, 0.0, 1.5],
    ) -> ();
    /// Turns towards a direction in this step, at most so fast; to turn all the way, call it in every `on_update`.
    method "face" face(
        /// Where to face, world space; its height and length do not matter, and one without length turns nothing.
        direction: Vec3 => [1.0, 0.0, 0.0],
        /// The most that it turns.
        degrees_per_second: f32["degrees per second"] = 360.0 => 180.0,
    ) -> ();
    /// Leaves the ground upwards; in the air it does nothing.
    method "jump" jump(
        /// Upwards.
        speed: f32["metres per second"] = 4.0 => 4.5,
    ) -> ();
    /// Puts it elsewhere at once: no velocity, no root motion and no walking come of it.
    method "teleport" teleport(
        /// Metres, world space.
        position: Vec3 => [2.0, 0.0, -1.0],
        /// Which way it then faces; as before unless given.
        yaw: Option<f32>["degrees"] => 45.0,
    ) -> ();
}

fn position(call: &mut Call<'_>, actor: ActorId) -> Result<Vec3, ApiError> {
    Ok(call.actor(actor)?.position_world)
}

fn set_position(call: &mut Call<'_>, actor: ActorId, position: Vec3) -> Result<(), ApiError> {
    Ok(call.world.teleport(actor, position, None)?)
}

fn yaw(call: &mut Call<'_>, actor: ActorId) -> Result<f32, ApiError> {
    Ok(call.actor(actor)?.yaw.to_degrees())
}

fn set_yaw(call: &mut Call<'_>, actor: ActorId, yaw: f32) -> Result<(), ApiError> {
    let position = call.actor(actor)?.position_world;
    Ok(call
        .world
        .teleport(actor, position, Some(yaw.to_radians()))?)
}

fn forward(call: &mut Call<'_>, actor: ActorId) -> Result<Vec3, ApiError> {
    Ok(call.actor(actor)?.forward_world())
}

fn up(call: &mut Call<'_>, actor: ActorId) -> Result<Vec3, ApiError> {
    let up = call.actor(actor)?.world.transform_vector3(Vec3::Y);
    Ok(up.normalize_or(Vec3::Y))
}

fn velocity(call: &mut Call<'_>, actor: ActorId) -> Result<Vec3, ApiError> {
    Ok(call.actor(actor)?.velocity_world)
}

fn grounded(call: &mut Call<'_>, actor: ActorId) -> Result<bool, ApiError> {
    Ok(call.actor(actor)?.grounded)
}

fn move_by(call: &mut Call<'_>, actor: ActorId, velocity: Vec3) -> Result<(), ApiError> {
    call.actor_mut(actor)?.requests.velocity_world = Some(velocity);
    Ok(())
}

fn face(
    call: &mut Call<'_>,
    actor: ActorId,
    direction: Vec3,
    degrees_per_second: f32,
) -> Result<(), ApiError> {
    call.actor_mut(actor)?.requests.face = Some((direction, degrees_per_second.to_radians()));
    Ok(())
}

fn jump(call: &mut Call<'_>, actor: ActorId, speed: f32) -> Result<(), ApiError> {
    let actor = call.actor_mut(actor)?;
    if actor.grounded {
        actor.requests.jump = Some(speed);
    }
    Ok(())
}

fn teleport(
    call: &mut Call<'_>,
    actor: ActorId,
    position: Vec3,
    yaw: Option<f32>,
) -> Result<(), ApiError> {
    Ok(call
        .world
        .teleport(actor, position, yaw.map(f32::to_radians))?)
}
