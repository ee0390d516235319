//! Sounds go to a sink: a caption, a line in the trace, an embedder's hook.

use glam::Vec3;
use sinew_world::Sound;

use super::{ApiError, Call, rows};

/// The most sounds of one step.
const MOST_SOUNDS: usize = 256;

rows! {
    /// Asks for a sound by name.
    service("sound") "play" play(
        /// Name of the sound.
        name: &str => "step",
    ) options {
        /// Where it comes from, world space; everywhere unless given.
        at: Option<Vec3> => [0.0, 0.0, 1.0],
        /// How loud it is, as a factor.
        volume: f32 = 1.0 => 0.5,
        /// How high it is, as a factor.
        pitch: f32 = 1.0 => 1.1,
    } -> ();
}

fn play(
    call: &mut Call<'_>,
    name: &str,
    at: Option<Vec3>,
    volume: f32,
    pitch: f32,
) -> Result<(), ApiError> {
    let sounds = &mut call.world.debug.sounds;
    if sounds.len() < MOST_SOUNDS {
        sounds.push(Sound {
            name: name.to_owned(),
            at_world: at,
            volume,
            pitch,
        });
    }
    Ok(())
}
