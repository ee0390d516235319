//! The camera that looks at the level.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::{ActorId, Actors};

/// What the camera keeps in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CameraMode {
    /// A point in the world.
    Point(Vec3),
    /// An actor, this many metres over its origin.
    Follow {
        /// Whom.
        actor: ActorId,
        /// Metres.
        height: f32,
    },
}

/// An orbit around a point or an actor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// What is in the middle.
    pub mode: CameraMode,
    /// Metres from the middle.
    pub distance: f32,
    /// Radians about Y; at 0 the camera stands at +Z and looks towards −Z.
    pub yaw: f32,
    /// Radians over the horizon.
    pub pitch: f32,
    /// Vertical field of view, radians.
    pub fov_y: f32,
    /// The smoothed middle.
    pub target_world: Vec3,
    /// Metres of shake that are left.
    pub shake: f32,
    /// Where the eye is, from the last step.
    pub eye_world: Vec3,
    /// False until the smoothed middle has been at the wanted one; a cut sets it back.
    pub settled: bool,
}

/// Seconds in which the distance between the smoothed and the wanted middle halves.
const HALF_LIFE: f32 = 0.06;
/// Seconds in which a shake halves.
const SHAKE_HALF_LIFE: f32 = 0.12;
const PITCH_LIMITS: (f32, f32) = (-0.2, 1.45);
const DISTANCE_LIMITS: (f32, f32) = (0.5, 60.0);

impl Default for Camera {
    fn default() -> Self {
        Self {
            mode: CameraMode::Point(Vec3::Y),
            distance: 6.0,
            yaw: 0.0,
            pitch: 0.3,
            fov_y: 0.8,
            target_world: Vec3::Y,
            shake: 0.0,
            eye_world: Vec3::new(0.0, 2.0, 6.0),
            settled: false,
        }
    }
}

impl Camera {
    /// From eye to middle, a unit vector.
    pub fn forward_world(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        -Vec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch)
    }

    /// Jumps to the wanted middle in the next step instead of gliding there.
    pub fn cut(&mut self) {
        self.settled = false;
    }

    pub(crate) fn turn(&mut self, orbit: Vec2, zoom: f32) {
        self.yaw += orbit.x;
        self.pitch = (self.pitch + orbit.y).clamp(PITCH_LIMITS.0, PITCH_LIMITS.1);
        self.distance = (self.distance * zoom.exp2()).clamp(DISTANCE_LIMITS.0, DISTANCE_LIMITS.1);
    }

    pub(crate) fn follow(&mut self, actors: &Actors, frame: u64, dt: f32) {
        let wanted = match self.mode {
            CameraMode::Point(point) => point,
            CameraMode::Follow { actor, height } => {
                actors.get(actor).map_or(self.target_world, |actor| {
                    actor.position_world + Vec3::Y * height
                })
            }
        };
        let keep = if self.settled {
            (-dt * std::f32::consts::LN_2 / HALF_LIFE).exp()
        } else {
            0.0
        };
        self.settled = true;
        self.target_world = wanted.lerp(self.target_world, keep);
        self.shake *= (-dt * std::f32::consts::LN_2 / SHAKE_HALF_LIFE).exp();
        let phase = frame as f32;
        let jitter = Vec3::new(
            (phase * 1.7).sin(),
            (phase * 2.3).sin(),
            (phase * 1.3).cos(),
        ) * self.shake;
        self.eye_world = self.target_world - self.forward_world() * self.distance + jitter;
    }
}
