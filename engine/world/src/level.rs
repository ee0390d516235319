//! The level that a world runs: its definition, its still geometry, and how its actors come and change.

use std::{collections::BTreeMap, sync::Arc};

use glam::Vec3;
use serde::Serialize;
use sinew_assets::{
    ActionDef, ActorDef, CameraDef, Diagnostic, EnvironmentDef, LevelDef, LogicalPath, RootMotion,
};

use crate::{
    ActorId, Attachment, Camera, CameraMode, Controls, Data, Motion, Physics, RootMode, Spawn,
    World, WorldError, world::find_variant,
};

/// Outline of a still thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum StaticShape {
    /// A box around its centre.
    Box {
        /// Half of each side, metres.
        half_extents: Vec3,
    },
    /// An endless level plane through its centre.
    Plane,
}

/// A solid thing that never moves by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Static {
    /// For scripts and messages.
    pub name: Option<String>,
    /// Outline.
    pub shape: StaticShape,
    /// World space.
    pub center_world: Vec3,
    /// Radians about Y.
    pub yaw: f32,
    /// Linear RGB.
    pub color: [f32; 3],
}

/// The running level.
#[derive(Clone, Debug)]
pub struct Level {
    /// File of the definition, for live reload.
    pub path: LogicalPath,
    /// What the file says.
    pub def: Arc<LevelDef>,
    /// What keys mean: the file's actions and those of mods.
    pub actions: BTreeMap<String, ActionDef>,
    /// Planes first, then boxes, in file order.
    pub statics: Vec<Static>,
}

impl Level {
    /// No geometry and no actors, under the gravity of Earth.
    pub fn empty() -> Self {
        let path = LogicalPath {
            space: "empty".to_owned(),
            path: "level.toml".to_owned(),
        };
        let def = LevelDef {
            id: path.space.clone(),
            version: "1.0.0".to_owned(),
            permissions: Vec::new(),
            title: None,
            environment: EnvironmentDef::default(),
            gravity: 9.81,
            boxes: Vec::new(),
            planes: Vec::new(),
            actors: Vec::new(),
            actions: BTreeMap::new(),
            camera: CameraDef::default(),
        };
        Self::new(path, Arc::new(def))
    }

    /// The geometry that a definition describes.
    pub fn new(path: LogicalPath, def: Arc<LevelDef>) -> Self {
        let ground = def.environment.ground;
        let planes = def.planes.iter().map(|plane| Static {
            name: None,
            shape: StaticShape::Plane,
            center_world: Vec3::Y * plane.height,
            yaw: 0.0,
            color: plane.color.unwrap_or(ground).linear(),
        });
        let boxes = def.boxes.iter().map(|solid| Static {
            name: solid.name.clone(),
            shape: StaticShape::Box {
                half_extents: solid.size * 0.5,
            },
            center_world: solid.center,
            yaw: solid.yaw.to_radians(),
            color: solid.color.linear(),
        });
        Self {
            statics: planes.chain(boxes).collect(),
            actions: def.actions.clone(),
            path,
            def,
        }
    }
}

/// What a level's actor needs before it can stand in the world.
struct Cast {
    spawn: Spawn,
    motion: Motion,
}

impl World {
    /// Starts a level in an empty world: geometry, actions, camera, actors.
    ///
    /// # Errors
    /// Everything that is wrong with the level's files; the world is then of no use.
    pub fn start_level(&mut self, path: LogicalPath, def: LevelDef) -> Result<(), Vec<Diagnostic>> {
        self.change_level(Level::new(path, Arc::new(def)), None)
    }

    /// Changes the world from what `old` says to what the new level says; actors go on by name.
    pub(crate) fn change_level(
        &mut self,
        level: Level,
        old: Option<&LevelDef>,
    ) -> Result<(), Vec<Diagnostic>> {
        let def = level.def.clone();
        if old.is_none_or(|old| old.boxes != def.boxes || old.planes != def.planes) {
            self.physics = Physics::new(&level.statics);
        }
        self.level = level;
        self.level.actions = self.assets.mods.actions_over(&def.actions);
        self.change_controls();
        let old_actors = old.map_or(&[][..], |old| &old.actors);
        for gone in old_actors {
            if def.actors.iter().all(|actor| actor.name != gone.name) {
                self.dismiss(&gone.name);
            }
        }
        let mut faults = Vec::new();
        for (index, actor) in def.actors.iter().enumerate() {
            let before = old_actors.iter().find(|before| before.name == actor.name);
            if let Err(fault) = self.cast(actor, before) {
                faults.push(self.actor_fault(index, &actor.name, fault));
            }
        }
        for (index, actor) in def.actors.iter().enumerate() {
            if let Err(fault) = self.attach_as_defined(actor) {
                faults.push(self.actor_fault(index, &actor.name, fault));
            }
        }
        if old.is_none_or(|old| old.camera != def.camera) {
            self.camera = camera_of(self, &def.camera);
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    fn change_controls(&mut self) {
        let actions = self
            .level
            .actions
            .iter()
            .map(|(name, action)| (name.clone(), action.is_vector()));
        let mut controls = Controls::new(actions);
        for action in &mut controls.actions {
            let held = self.controls.find(&action.name);
            if let Some(held) = held.map(|index| &self.controls.actions[usize::from(index)]) {
                action.value = held.value;
            }
        }
        self.controls = controls;
    }

    fn dismiss(&mut self, name: &str) {
        let id = self.actors.find(name).map(|actor| actor.id);
        if let Some(actor) = id.and_then(|id| self.actors.get_mut(id)) {
            actor.alive = false;
        }
    }

    /// Puts an actor in, or changes the one that is there by what changed in its definition.
    fn cast(&mut self, def: &ActorDef, before: Option<&ActorDef>) -> Result<(), WorldError> {
        let cast = self.cast_of(def)?;
        let living = self.actors.find(&def.name).map(|actor| actor.id);
        let same =
            before.is_some_and(|before| before.model == def.model && before.scripts == def.scripts);
        let (id, before) = match (living, before) {
            (Some(id), Some(before)) if same => (id, Some(before)),
            (living, _) => {
                if living.is_some() {
                    self.dismiss(&def.name);
                }
                (self.spawn(cast.spawn.clone())?, None)
            }
        };
        let motion_changed = before.is_none_or(|before| {
            (&before.graph, &before.clip, before.looping) != (&def.graph, &def.clip, def.looping)
        });
        // Without graph and clip a script may have given the actor a graph: that one stays.
        if motion_changed && (cast.motion != Motion::Rest || before.is_some()) {
            self.set_motion(id, cast.motion)?;
        }
        let variant = match &def.variant {
            Some(variant) => {
                let animation = self.need_animation(id)?;
                Some(find_variant(
                    &animation.model.value,
                    &animation.model_path,
                    variant,
                )?)
            }
            None => None,
        };
        let actor = self.actors.need_mut(id)?;
        actor.important = def.important;
        actor.visible = def.visible;
        actor.variant = variant;
        actor.tags.clone_from(&def.tags);
        if let Some(animation) = &mut actor.animation
            && before.is_none_or(|before| before.speed != def.speed)
        {
            animation.state.speed = def.speed;
        }
        if let Some(before) = before {
            for (name, value) in &cast.spawn.properties {
                if before.properties.get(name) != def.properties.get(name) {
                    actor.properties.insert(name.clone(), value.clone());
                }
            }
            if (before.position, before.yaw) != (def.position, def.yaw) {
                self.teleport(id, def.position, Some(def.yaw.to_radians()))?;
            }
        }
        Ok(())
    }

    fn cast_of(&mut self, def: &ActorDef) -> Result<Cast, WorldError> {
        let space = self.level.def.id.clone();
        let path = |text: &str| {
            LogicalPath::parse(text, &space)
                .map_err(|error| WorldError::Asset(Box::new(Diagnostic::from_path(&error, text))))
        };
        let scripts = def
            .scripts
            .iter()
            .map(|text| path(text))
            .collect::<Result<_, _>>()?;
        let motion = match (&def.graph, &def.clip) {
            (Some(graph), _) => {
                let file = path(graph)?;
                let def = self.assets.graph(&file).map_err(WorldError::Asset)?;
                Motion::Graph {
                    def: def.value,
                    space: file.space.clone(),
                    file: Some(file),
                }
            }
            (None, Some(clip)) => Motion::Clip {
                clip: clip.clone(),
                looping: def.looping,
            },
            (None, None) => Motion::Rest,
        };
        let spawn = Spawn {
            name: def.name.clone(),
            model: Some(path(&def.model)?),
            position_world: def.position,
            yaw: def.yaw.to_radians(),
            scripts,
            properties: def
                .properties
                .iter()
                .map(|(name, value)| (name.clone(), data_of(value)))
                .collect(),
            tags: def.tags.clone(),
            variant: def.variant.clone(),
            root_mode: match def.root_motion {
                RootMotion::Move => RootMode::Move,
                RootMotion::Report => RootMode::Report,
                RootMotion::Off => RootMode::Off,
            },
        };
        Ok(Cast { spawn, motion })
    }

    fn attach_as_defined(&mut self, def: &ActorDef) -> Result<(), WorldError> {
        let Some(parent) = &def.parent else {
            return Ok(());
        };
        let find = |name: &str| self.actors.find(name).map(|actor| actor.id);
        let (Some(id), Some(parent)) = (find(&def.name), find(parent)) else {
            return Ok(());
        };
        self.attach(id, parent, def.parent_joint.as_deref())
    }

    /// Hangs an actor from another's joint, or from its origin.
    ///
    /// # Errors
    /// Actors that are gone, a joint that the parent's model lacks, hanging from oneself.
    pub fn attach(
        &mut self,
        id: ActorId,
        parent: ActorId,
        joint: Option<&str>,
    ) -> Result<(), WorldError> {
        if id == parent {
            return Err(WorldError::Invalid(
                "an actor cannot hang from itself".to_owned(),
            ));
        }
        self.actors.need(parent)?;
        if let Some(joint) = joint {
            self.need_joint(parent, joint)?;
        }
        self.actors.need_mut(id)?.attachment = Some(Attachment {
            parent,
            joint: joint.map(str::to_owned),
        });
        Ok(())
    }

    /// The index of a joint of an actor's model.
    ///
    /// # Errors
    /// An actor that is gone or has no model, a joint that is not there.
    pub fn need_joint(&self, id: ActorId, joint: &str) -> Result<u16, WorldError> {
        let skeleton = &self.need_animation(id)?.model.value.skeleton;
        skeleton.find(joint).ok_or_else(|| WorldError::Unknown {
            owner: format!(
                "the model of `{}`",
                self.actors.get(id).map_or("?", |actor| &actor.name)
            ),
            what: "joint",
            name: joint.to_owned(),
            nearest: sinew_anim::nearest(joint, skeleton.names.iter().map(String::as_str))
                .map(str::to_owned),
        })
    }

    fn actor_fault(&mut self, index: usize, name: &str, error: WorldError) -> Diagnostic {
        let path = self.level.path.clone();
        let shown = self.assets.display(&path);
        let mut diagnostic = match error {
            WorldError::Asset(diagnostic) => *diagnostic,
            other => Diagnostic::error("E-LEVEL-ACTOR", other.to_string()),
        };
        diagnostic.actor = Some(name.to_owned());
        if diagnostic.span.is_none()
            && let Ok(text) = self.assets.text(&path)
            && let Some(range) =
                sinew_assets::locate_toml(&text.value, &format!("/actor/{index}/name"))
        {
            if let Some(file) = diagnostic.file.take().filter(|file| *file != shown) {
                diagnostic.notes.push(format!("in {file}"));
            }
            return diagnostic.at(&shown, &text.value, range);
        }
        diagnostic
    }
}

fn camera_of(world: &World, def: &CameraDef) -> Camera {
    let followed = def
        .follow
        .as_deref()
        .and_then(|name| world.actors.find(name));
    let mut camera = Camera {
        distance: def.distance.max(0.1),
        yaw: def.yaw.to_radians(),
        pitch: def.pitch.to_radians(),
        ..Camera::default()
    };
    let middle = def.target.unwrap_or(Vec3::Y * def.height);
    camera.mode = followed.map_or(CameraMode::Point(middle), |actor| CameraMode::Follow {
        actor: actor.id,
        height: def.height,
    });
    if let (Some(eye), None) = (def.position, followed) {
        let away = eye - middle;
        camera.distance = away.length().max(0.1);
        camera.yaw = away.x.atan2(away.z);
        camera.pitch = (away.y / camera.distance).clamp(-1.0, 1.0).asin();
    }
    camera
}

/// Plain data of a level's property.
fn data_of(value: &serde_json::Value) -> Data {
    match value {
        serde_json::Value::Null => Data::Nil,
        serde_json::Value::Bool(value) => Data::Bool(*value),
        serde_json::Value::Number(number) => number
            .as_i64()
            .map(Data::Int)
            .unwrap_or_else(|| Data::Number(number.as_f64().unwrap_or_default())),
        serde_json::Value::String(text) => Data::Text(text.clone()),
        serde_json::Value::Array(items) => Data::List(items.iter().map(data_of).collect()),
        serde_json::Value::Object(map) => Data::Map(
            map.iter()
                .map(|(name, value)| (name.clone(), data_of(value)))
                .collect::<BTreeMap<_, _>>(),
        ),
    }
}
