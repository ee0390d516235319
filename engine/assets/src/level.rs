//! `level.toml`: the one type of a level file, from which its JSON schema comes.

use std::collections::BTreeMap;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Color, Diagnostic,
    document_check::{self, Kind},
    keys::KeyName,
    level_check,
};

/// How messages call the document.
const LEVEL: Kind = Kind {
    word: "level",
    codes: "E-LEVEL-",
};

/// A level: what stands in it, who acts in it, what keys do, how it is seen. A level folder is a mod.
/// Metres, seconds, degrees; +Y is up, an actor at yaw 0 faces +Z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelDef {
    /// Name of the level as a mod and of its space of files: a to z, 0 to 9 and `_`.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]+$"))]
    pub id: String,
    /// Three numbers, such as `1.0.0`.
    #[schemars(regex(pattern = r"^\d+\.\d+\.\d+$"))]
    pub version: String,
    /// What its scripts may do beyond the level itself.
    #[serde(default)]
    pub permissions: Vec<Permission>,
    /// For people; the id where it is left out.
    pub title: Option<String>,
    /// Sky, ground and light.
    #[serde(default)]
    pub environment: EnvironmentDef,
    /// Metres per second squared, downwards.
    #[serde(default = "earth_gravity")]
    pub gravity: f32,
    /// Solid boxes that never move.
    #[serde(default, rename = "box")]
    pub boxes: Vec<BoxDef>,
    /// Endless solid floors.
    #[serde(default, rename = "plane")]
    pub planes: Vec<PlaneDef>,
    /// In the order in which they are created.
    #[serde(default, rename = "actor")]
    pub actors: Vec<ActorDef>,
    /// What the keys mean, by name of the action.
    #[serde(default)]
    pub actions: BTreeMap<String, ActionDef>,
    /// How the level is seen at first; scripts may change it.
    #[serde(default)]
    pub camera: CameraDef,
}

/// Something that a level must ask for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Keep up to 256 KB between runs.
    Storage,
    /// Move the camera.
    Camera,
}

/// Sky, ground and light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnvironmentDef {
    /// Colour of the sky overhead.
    pub sky_top: Color,
    /// Colour of the sky at the horizon; far things fade to it.
    pub sky_horizon: Color,
    /// Colour of the ground where no plane has its own.
    pub ground: Color,
    /// The one light that casts shadows.
    pub sun: SunDef,
    /// Light from everywhere, as a share of white.
    #[schemars(range(min = 0.0))]
    pub ambient: f32,
    /// Draw lines a metre apart on the ground.
    pub grid: bool,
}

/// A light that comes from one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SunDef {
    /// Where it stands, degrees about +Y: 0 towards +Z, 90 towards +X.
    pub yaw: f32,
    /// Degrees above the horizon.
    #[schemars(range(min = -90.0, max = 90.0))]
    pub pitch: f32,
    /// Colour of its light.
    pub color: Color,
    /// How bright it is; 1 shows a white surface that faces it as white.
    #[schemars(range(min = 0.0))]
    pub strength: f32,
}

/// A solid box that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxDef {
    /// Unique among the boxes.
    pub name: Option<String>,
    /// Its middle, metres.
    #[schemars(with = "[f32; 3]")]
    pub center: Vec3,
    /// Whole width, height and depth, metres, each over 0.
    #[schemars(with = "[f32; 3]")]
    pub size: Vec3,
    /// Degrees about +Y.
    #[serde(default)]
    pub yaw: f32,
    /// Colour of its sides.
    #[serde(default = "box_color")]
    pub color: Color,
}

/// An endless solid floor.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlaneDef {
    /// Metres.
    pub height: f32,
    /// The environment's ground where it is left out.
    pub color: Option<Color>,
}

/// A character or a thing that moves. It needs no script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActorDef {
    /// Unique in the level.
    pub name: String,
    /// A `.glb` or `.gltf`: `sinew:hero.glb` of the project, `hero.glb` of the level.
    pub model: String,
    /// `.lua` and `.rhai` files, run in this order.
    #[serde(default)]
    pub scripts: Vec<String>,
    /// Metres.
    #[serde(default)]
    #[schemars(with = "[f32; 3]")]
    pub position: Vec3,
    /// Degrees about +Y; 0 faces +Z.
    #[serde(default)]
    pub yaw: f32,
    /// Values for the properties that its scripts declare: plain data, checked by the scripts.
    #[serde(default)]
    pub properties: BTreeMap<String, serde_json::Value>,
    /// An `.animgraph.json`. Not together with `clip`.
    pub graph: Option<String>,
    /// A clip of the model that plays from the start. Not together with `graph`.
    pub clip: Option<String>,
    /// Factor on the speed of its animation.
    #[serde(default = "one")]
    pub speed: f32,
    /// Whether `clip` starts again at its end.
    #[serde(default = "yes")]
    pub looping: bool,
    /// What becomes of the motion in its clips.
    #[serde(default)]
    pub root_motion: RootMotion,
    /// Never simplified, however far away it is.
    #[serde(default)]
    pub important: bool,
    /// Name of the actor that carries it.
    pub parent: Option<String>,
    /// Joint of the parent's model that carries it; the parent's origin where it is left out.
    pub parent_joint: Option<String>,
    /// One of the model's looks.
    pub variant: Option<String>,
    /// Words that scripts find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Drawn or not.
    #[serde(default = "yes")]
    pub visible: bool,
}

/// What becomes of the motion that clips give to their root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootMotion {
    /// It moves the actor.
    #[default]
    Move,
    /// It is taken out of the pose and only told to scripts.
    Report,
    /// It stays in the pose.
    Off,
}

/// What keys mean: `keys` for something that is held or not, or any of the four directions for a
/// vector of length at most 1. Not both.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ActionDef {
    /// Any of these presses it.
    #[schemars(schema_with = "key_names")]
    pub keys: Vec<String>,
    /// Towards the left of the picture.
    #[schemars(schema_with = "key_names")]
    pub left: Vec<String>,
    /// Towards the right of the picture.
    #[schemars(schema_with = "key_names")]
    pub right: Vec<String>,
    /// Away from the camera.
    #[schemars(schema_with = "key_names")]
    pub forward: Vec<String>,
    /// Towards the camera.
    #[schemars(schema_with = "key_names")]
    pub back: Vec<String>,
}

impl ActionDef {
    /// True for an action with directions.
    pub fn is_vector(&self) -> bool {
        let directions = [&self.left, &self.right, &self.forward, &self.back];
        directions.iter().any(|keys| !keys.is_empty())
    }
}

/// How the level is seen at first: behind an actor, or from a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraDef {
    /// Name of the actor that it follows. Not together with `position`.
    pub follow: Option<String>,
    /// Metres from what it looks at.
    #[schemars(range(min = 0.0))]
    pub distance: f32,
    /// Metres above the followed actor's position at which it looks.
    pub height: f32,
    /// Where it stands around what it looks at, degrees about +Y; 0 stands at +Z and looks along −Z. Of
    /// no effect where both `position` and `target` are given.
    pub yaw: f32,
    /// Degrees that it looks down.
    #[schemars(range(min = -89.0, max = 89.0))]
    pub pitch: f32,
    /// The point that it looks at, metres.
    #[schemars(with = "Option<[f32; 3]>")]
    pub target: Option<Vec3>,
    /// The point where it stands, metres; from `target`, `distance`, `yaw` and `pitch` where it is
    /// left out.
    #[schemars(with = "Option<[f32; 3]>")]
    pub position: Option<Vec3>,
}

impl Default for EnvironmentDef {
    fn default() -> Self {
        Self {
            sky_top: Color::hex(0x4f_86c6),
            sky_horizon: Color::hex(0xd6_e4f0),
            ground: Color::hex(0x8a_8f86),
            sun: SunDef::default(),
            ambient: 0.35,
            grid: true,
        }
    }
}

impl Default for SunDef {
    fn default() -> Self {
        Self {
            yaw: 35.0,
            pitch: 50.0,
            color: Color::hex(0xff_f4e0),
            strength: 1.0,
        }
    }
}

impl Default for CameraDef {
    fn default() -> Self {
        Self {
            follow: None,
            distance: 4.5,
            height: 1.7,
            yaw: 0.0,
            pitch: 15.0,
            target: None,
            position: None,
        }
    }
}

fn earth_gravity() -> f32 {
    9.81
}

fn box_color() -> Color {
    Color::hex(0xb8_b4a8)
}

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

fn key_names(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Vec<KeyName>>()
}

impl LevelDef {
    /// Reads and checks a level file. `shown` is its path as messages should show it.
    ///
    /// # Errors
    /// Every fault of the syntax, else every fault of the structure, else every fault of the
    /// content, each with its place; at most 50.
    pub fn from_toml(text: &str, shown: &str) -> Result<Self, Vec<Diagnostic>> {
        document_check::read(text, shown, LEVEL, &Self::schema(), level_check::faults)
    }

    /// The JSON schema of a level file.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(LevelDef).to_value()
    }
}

#[cfg(test)]
mod tests;
