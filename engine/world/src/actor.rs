//! One actor: where it stands, what it shows, what moves it.

use std::{collections::BTreeMap, sync::Arc};

use glam::{Affine3A, Quat, Vec3};
use serde::{Deserialize, Serialize};
use sinew_assets::LogicalPath;

use crate::{ActorId, Animation, Data, Random, Tween};

/// Who applies the motion of a clip's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RootMode {
    /// The actor moves by it.
    #[default]
    Move,
    /// Taken out of the pose and published; a script moves the actor.
    Report,
    /// Left in the pose.
    Off,
}

impl RootMode {
    /// Names as scripts and levels write them.
    pub const NAMES: [&'static str; 3] = ["move", "report", "off"];

    /// The mode of a name out of [`Self::NAMES`].
    pub fn named(name: &str) -> Option<Self> {
        let modes = [RootMode::Move, RootMode::Report, RootMode::Off];
        let index = Self::NAMES.iter().position(|&known| known == name)?;
        Some(modes[index])
    }

    /// The name that scripts and levels write.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// What an actor was asked to do in this step. Empty again after it.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Requests {
    /// Metres a second, horizontal; replaces root motion in this step.
    pub velocity_world: Option<Vec3>,
    /// Turn towards this direction, at most this many radians a second.
    pub face: Option<(Vec3, f32)>,
    /// Leave the ground upwards at this speed, metres a second.
    pub jump: Option<f32>,
}

/// The body of an actor that walks: an upright capsule on the level's ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// Metres.
    pub radius: f32,
    /// Metres from sole to crown.
    pub height: f32,
    /// Upwards, metres a second.
    pub vertical_speed: f32,
}

/// What an actor hangs from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Whose joint it is.
    pub parent: ActorId,
    /// The joint's name; `None` is the parent's origin. A joint that the parent's model lacks counts as the origin too.
    pub joint: Option<String>,
}

/// Something in the level that has a place and a name, and mostly a model, a graph and scripts.
///
/// As plain data it is without its `animation`, which a snapshot keeps beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// Its handle.
    pub id: ActorId,
    /// Unique among living actors.
    #[serde(with = "crate::shared")]
    pub name: Arc<str>,
    /// Groups that it is found by.
    pub tags: Vec<String>,
    /// False from `destroy` on; it is taken out at the end of the phase.
    pub alive: bool,
    /// Drawn or not.
    pub visible: bool,
    /// Linear RGBA that multiplies its colours.
    pub tint: [f32; 4],
    /// The look of its model, index into its variants.
    pub variant: Option<usize>,
    /// Exempt from the evaluation budget.
    pub important: bool,
    /// Where its origin is.
    pub position_world: Vec3,
    /// Radians about Y; 0 faces +Z.
    pub yaw: f32,
    /// How it leans before it is turned by `yaw`. Upright unless root motion of all axes pitches or rolls it.
    pub tilt: Quat,
    /// Metres a second, what was achieved in the last step.
    pub velocity_world: Vec3,
    /// Radians a second, achieved in the last step.
    pub yaw_rate: f32,
    /// Stands on something (an actor that never walked counts as standing).
    pub grounded: bool,
    /// Its walking body, from the first time it moves.
    pub character: Option<Character>,
    /// Asked for in this step.
    pub requests: Requests,
    /// What it hangs from.
    pub attachment: Option<Attachment>,
    /// Model space to world.
    pub world: Affine3A,
    /// Scripts in the order of their running.
    pub scripts: Vec<LogicalPath>,
    /// Properties that the level or spawner set; scripts' defaults fill the rest.
    pub properties: BTreeMap<String, Data>,
    /// Its stream of random numbers.
    pub random: Random,
    /// Parameters on their way.
    pub tweens: Vec<Tween>,
    /// Model, graph and pose; `None` for a bare marker.
    #[serde(skip)]
    pub animation: Option<Animation>,
    #[serde(skip)]
    pub(crate) wave: u16,
}

/// What [`crate::World::spawn`] makes an actor of.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Spawn {
    /// Unique; empty for `actor_<n>`.
    pub name: String,
    /// Model file.
    pub model: Option<LogicalPath>,
    /// Metres.
    pub position_world: Vec3,
    /// Radians.
    pub yaw: f32,
    /// Scripts in the order of their running.
    pub scripts: Vec<LogicalPath>,
    /// Properties by name.
    pub properties: BTreeMap<String, Data>,
    /// Groups.
    pub tags: Vec<String>,
    /// The look, by name.
    pub variant: Option<String>,
    /// Who applies root motion.
    pub root_mode: RootMode,
}

impl Actor {
    /// A bare actor at the origin.
    pub fn named(name: &str) -> Self {
        Self {
            id: ActorId {
                index: 0,
                generation: 0,
            },
            name: name.into(),
            tags: Vec::new(),
            alive: true,
            visible: true,
            tint: [1.0; 4],
            variant: None,
            important: false,
            position_world: Vec3::ZERO,
            yaw: 0.0,
            tilt: Quat::IDENTITY,
            velocity_world: Vec3::ZERO,
            yaw_rate: 0.0,
            grounded: true,
            character: None,
            requests: Requests::default(),
            attachment: None,
            world: Affine3A::IDENTITY,
            scripts: Vec::new(),
            properties: BTreeMap::new(),
            random: Random::seeded(0, name),
            tweens: Vec::new(),
            animation: None,
            wave: 0,
        }
    }

    /// Where the actor looks, a horizontal unit vector.
    pub fn forward_world(&self) -> Vec3 {
        Quat::from_rotation_y(self.yaw) * Vec3::Z
    }

    /// Position and rotation of a joint in the world, as of its last finished pose.
    pub fn joint_world(&self, joint: u16) -> Option<(Vec3, Quat)> {
        let model = *self
            .animation
            .as_ref()?
            .model_joints
            .get(usize::from(joint))?;
        let (_, rotation, position) = (self.world * model).to_scale_rotation_translation();
        Some((position, rotation))
    }

    pub(crate) fn place(&mut self) {
        self.world =
            Affine3A::from_rotation_translation(self.rotation_world(), self.position_world);
    }
}
