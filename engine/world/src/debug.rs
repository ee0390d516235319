//! What scripts draw and say for people who watch. Shown, never simulated; of all this only the lines on the screen,
//! which stay until they are taken away, belong to the state.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::ActorId;

/// A figure of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DebugShape {
    /// From here to there, world space.
    Line(Vec3, Vec3),
    /// A level circle.
    Ring {
        /// World space.
        center_world: Vec3,
        /// Metres.
        radius: f32,
    },
    /// Three circles.
    Sphere {
        /// World space.
        center_world: Vec3,
        /// Metres.
        radius: f32,
    },
    /// The bones of an actor, as they are when drawn.
    Skeleton(ActorId),
}

/// Words at a place in the level.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugText {
    /// World space.
    pub at_world: Vec3,
    /// One line.
    pub text: String,
    /// Linear RGBA.
    pub color: [f32; 4],
    /// Seconds until it goes; 0 shows it for one step.
    pub seconds: f32,
}

/// A request to the sound sink.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// Name of the sound, with its mod where given.
    pub name: String,
    /// World space; `None` is everywhere.
    pub at_world: Option<Vec3>,
    /// Factor.
    pub volume: f32,
    /// Factor on the pitch.
    pub pitch: f32,
}

/// Figures, words and sounds that are to be shown.
#[derive(Clone, Debug, Default)]
pub struct Debug {
    /// Figures with linear RGBA and the seconds until they go; 0 shows for one step.
    pub shapes: Vec<(DebugShape, [f32; 4], f32)>,
    /// Words in the level.
    pub texts: Vec<DebugText>,
    /// Lines on the screen, by the id that scripts give them.
    pub screen: BTreeMap<String, String>,
    /// Sounds of this step.
    pub sounds: Vec<Sound>,
}

/// The most figures and words that are kept; a script that draws more loses the oldest.
const MOST: usize = 20_000;

impl Debug {
    pub(crate) fn age(&mut self, dt: f32) {
        self.shapes.retain_mut(|(_, _, seconds)| {
            *seconds -= dt;
            *seconds > 0.0
        });
        self.texts.retain_mut(|text| {
            text.seconds -= dt;
            text.seconds > 0.0
        });
        self.shapes.drain(..self.shapes.len().saturating_sub(MOST));
        self.texts.drain(..self.texts.len().saturating_sub(MOST));
        self.sounds.clear();
    }
}
