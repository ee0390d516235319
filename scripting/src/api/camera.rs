//! The camera.

use glam::Vec3;
use sinew_world::{ActorId, CameraMode};

use super::{ApiError, Call, rows};

rows! {
    /// Keeps an actor in the middle of the picture.
    service("camera") "follow" follow(
        /// Whom.
        actor: ActorId => ActorId { index: 0, generation: 0 },
    ) options {
        /// How far away the camera stands; as before unless given.
        distance: Option<f32>["metres"] => 4.5,
        /// How high over the actor's origin the middle is.
        height: f32["metres"] = 1.2 => 1.7,
    } -> ();
    /// Keeps a point in the middle of the picture.
    service("camera") "look" look(
        /// The point, world space.
        target: Vec3 => [0.0, 1.0, 0.0],
    ) options {
        /// How far away the camera stands; as before unless given.
        distance: Option<f32>["metres"] => 6.0,
    } -> ();
    /// Sets from where the camera looks at its middle. What is left out stays.
    service("camera") "orbit" orbit() options {
        /// Angle about +Y; at 0 the camera stands at +Z.
        yaw: Option<f32>["degrees"] => 30.0,
        /// Angle over the horizon.
        pitch: Option<f32>["degrees"] => 20.0,
        /// How far away it stands.
        distance: Option<f32>["metres"] => 5.0,
    } -> ();
    /// Shakes the picture; the shake dies away by itself.
    service("camera") "shake" shake(
        /// How far the camera moves at first.
        strength: f32["metres"] = 0.1 => 0.2,
    ) -> ();
}

fn set_distance(call: &mut Call<'_>, distance: Option<f32>) {
    if let Some(distance) = distance {
        call.world.camera.distance = distance.clamp(0.5, 60.0);
    }
}

fn follow(
    call: &mut Call<'_>,
    actor: ActorId,
    distance: Option<f32>,
    height: f32,
) -> Result<(), ApiError> {
    call.actor(actor)?;
    call.world.camera.mode = CameraMode::Follow { actor, height };
    set_distance(call, distance);
    Ok(())
}

fn look(call: &mut Call<'_>, target: Vec3, distance: Option<f32>) -> Result<(), ApiError> {
    call.world.camera.mode = CameraMode::Point(target);
    set_distance(call, distance);
    Ok(())
}

fn orbit(
    call: &mut Call<'_>,
    yaw: Option<f32>,
    pitch: Option<f32>,
    distance: Option<f32>,
) -> Result<(), ApiError> {
    let camera = &mut call.world.camera;
    camera.yaw = yaw.map_or(camera.yaw, f32::to_radians);
    camera.pitch = pitch.map_or(camera.pitch, |pitch| pitch.to_radians().clamp(-0.2, 1.45));
    set_distance(call, distance);
    Ok(())
}

fn shake(call: &mut Call<'_>, strength: f32) -> Result<(), ApiError> {
    call.world.camera.shake = strength.clamp(0.0, 2.0);
    Ok(())
}
