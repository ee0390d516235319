//! Everything in the world as plain data, and the world again from it.
//!
//! A snapshot names models, graphs and joints rather than holding them, so it can be written down, and a fresh world
//! that runs the same level takes it. Nothing in one is trusted: it is checked whole before anything changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};
use sinew_anim::{GraphState, Pose, RootDelta, state_hash};
use sinew_assets::LogicalPath;

use crate::{
    Actor, ActorId, Actors, Animation, Camera, CameraMode, ChainGoal, Clock, Controls, Event,
    HeldMorphs, Level, LookGoal, Messages, Motion, RootMode, StableHasher, Target, Timers, World,
    WorldError,
    actors::{Slot, Tombstone},
};

/// The form of snapshots; another one is refused.
const VERSION: u32 = 1;
/// The most that counters may have counted; more would leave no room to go on.
const MOST: u64 = u64::MAX / 2;

/// All state of a world between two steps: plain data.
///
/// It is taken by [`World::snapshot`] and put back by [`World::restore`]. What scripts keep is not in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    version: u32,
    pub(crate) level: LevelMark,
    pub(crate) globals: Globals,
    /// What graphs are made from, each once.
    motions: Vec<Motion>,
    /// By place.
    places: Vec<Place>,
}

/// Which level a snapshot belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LevelMark {
    path: LogicalPath,
    /// Hash of its solid shapes and gravity, which make all of its physics.
    ground: u64,
}

/// What belongs to no actor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Globals {
    clock: Clock,
    seed: u64,
    spawned: u64,
    events: Vec<Event>,
    events_lost: u64,
    messages: Messages,
    timers: Timers,
    controls: Controls,
    camera: Camera,
    screen: BTreeMap<String, String>,
}

/// A place for an actor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    generation: u32,
    last: Option<Tombstone>,
    actor: Option<Box<ActorState>>,
}

/// An actor, and what moves it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActorState {
    pub actor: Actor,
    pub animation: Option<AnimationState>,
}

/// An [`Animation`] without what it shares.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnimationState {
    model: LogicalPath,
    /// Index in the snapshot's motions.
    motion: usize,
    pub state: GraphState,
    root_mode: RootMode,
    root: RootDelta,
    chains: Vec<ChainGoal>,
    look: LookGoal,
    held_morphs: HeldMorphs,
    pose: Pose,
    model_joints: Vec<Affine3A>,
    /// Whether the pose has been evaluated.
    shown: bool,
}

/// Why a snapshot was not restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// It was taken by another version of the engine.
    #[error("the snapshot has form {found}, this engine reads form {VERSION}")]
    Version {
        /// Form of the snapshot.
        found: u32,
    },
    /// It was taken in another level.
    #[error("the snapshot is of the level `{found}`, but `{running}` runs")]
    Level {
        /// Level of the snapshot.
        found: LogicalPath,
        /// The level that runs.
        running: LogicalPath,
    },
    /// The level's solid shapes or its gravity are not what they were.
    #[error("the level's boxes, planes or gravity have changed since the snapshot was taken")]
    Ground,
    /// Something in it cannot be.
    #[error("{place}: {why}")]
    Invalid {
        /// Where, such as "actor `hero`".
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A file that it names cannot be used.
    #[error("{place}: {error}")]
    File {
        /// Where.
        place: String,
        /// Why.
        error: WorldError,
    },
}

impl World {
    /// All state, between two steps.
    pub fn snapshot(&self) -> Snapshot {
        let mut motions = Vec::new();
        let places = self.actors.slots.iter().map(|slot| Place {
            generation: slot.generation,
            last: slot.last.clone(),
            actor: slot.actor.as_deref().map(|actor| {
                Box::new(ActorState {
                    animation: actor
                        .animation
                        .as_ref()
                        .map(|animation| animation_state(animation, &mut motions)),
                    actor: Actor {
                        animation: None,
                        ..actor.clone()
                    },
                })
            }),
        });
        let places = places.collect();
        Snapshot {
            version: VERSION,
            level: mark(&self.level),
            globals: Globals {
                clock: self.clock,
                seed: self.seed,
                spawned: self.spawned,
                events: self.events.clone(),
                events_lost: self.events_lost,
                messages: self.messages.clone(),
                timers: self.timers.clone(),
                controls: self.controls.clone(),
                camera: self.camera.clone(),
                screen: self.debug.screen.clone(),
            },
            motions,
            places,
        }
    }

    /// Takes all state back, also in a fresh world that runs the same level. The next step is then the same to the bit as
    /// it was after [`World::snapshot`], as long as no script is involved: those have a snapshot of their own.
    ///
    /// # Errors
    /// What is wrong with the snapshot; the world is then as it was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.check_snapshot(snapshot)?;
        let mut slots = Vec::with_capacity(snapshot.places.len());
        for place in &snapshot.places {
            let actor = match &place.actor {
                Some(state) => Some(Box::new(self.actor_of(state, &snapshot.motions)?)),
                None => None,
            };
            slots.push(Slot {
                generation: place.generation,
                actor,
                last: place.last.clone(),
            });
        }
        let Globals {
            clock,
            seed,
            spawned,
            events,
            events_lost,
            messages,
            timers,
            controls,
            camera,
            screen,
        } = snapshot.globals.clone();
        self.actors = Actors { slots };
        self.clock = clock;
        self.seed = seed;
        self.spawned = spawned;
        self.events = events;
        self.events_lost = events_lost;
        self.messages = messages;
        self.timers = timers;
        self.controls = controls;
        self.camera = camera;
        self.debug = crate::Debug {
            screen,
            ..crate::Debug::default()
        };
        Ok(())
    }

    fn check_snapshot(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        if snapshot.version != VERSION {
            return Err(SnapshotError::Version {
                found: snapshot.version,
            });
        }
        let (found, running) = (&snapshot.level, mark(&self.level));
        if found.path != running.path {
            return Err(SnapshotError::Level {
                found: found.path.clone(),
                running: running.path,
            });
        }
        if found.ground != running.ground {
            return Err(SnapshotError::Ground);
        }
        snapshot
            .globals
            .check(&self.controls)
            .map_err(|why| invalid("the world".to_owned(), why))?;
        check_places(&snapshot.places)
    }

    /// An actor again; models and graphs come from the caches, or are loaded.
    fn actor_of(&mut self, state: &ActorState, motions: &[Motion]) -> Result<Actor, SnapshotError> {
        let place = || format!("actor `{}`", state.actor.name);
        let animation = match &state.animation {
            Some(animation) => Some(self.animation_of(animation, motions, &place)?),
            None => None,
        };
        let variants = animation
            .as_ref()
            .map_or(0, |animation| animation.model.value.variants.len());
        if state
            .actor
            .variant
            .is_some_and(|variant| variant >= variants)
        {
            return Err(invalid(place(), "its model has no such look".to_owned()));
        }
        for script in &state.actor.scripts {
            check_path(script, &place)?;
        }
        Ok(Actor {
            animation,
            ..state.actor.clone()
        })
    }

    fn animation_of(
        &mut self,
        state: &AnimationState,
        motions: &[Motion],
        place: &dyn Fn() -> String,
    ) -> Result<Animation, SnapshotError> {
        let file = |error| SnapshotError::File {
            place: place(),
            error,
        };
        let wrong = |why: String| invalid(place(), why);
        let motion = motions.get(state.motion);
        let motion = motion.ok_or_else(|| wrong(format!("there is no motion {}", state.motion)))?;
        if let Motion::Graph {
            file: Some(path), ..
        } = motion
        {
            check_path(path, place)?;
        }
        check_path(&state.model, place)?;
        let model = self.load_model(&state.model).map_err(file)?;
        let graph = self.graph_for(motion, &model.value).map_err(file)?;
        let skeleton = &model.value.skeleton;
        state
            .state
            .check(&graph)
            .map_err(|error| wrong(error.to_string()))?;
        state
            .pose
            .check_for(skeleton)
            .map_err(|why| wrong(format!("its pose {why}")))?;
        if !state.held_morphs.fit(skeleton) {
            return Err(wrong(
                "its held morph weights do not fit its model".to_owned(),
            ));
        }
        let matrices = &state.model_joints;
        if matrices.len() != skeleton.len() || !matrices.iter().all(Affine3A::is_finite) {
            return Err(wrong("its joints do not fit its model".to_owned()));
        }
        if state.chains.len() != graph.chains.len() {
            return Err(wrong("its chains do not fit its graph".to_owned()));
        }
        let goals = state.chains.iter();
        let goals = goals.map(|goal| (goal.target, goal.point_world, goal.weight));
        let look = &state.look;
        for (target, point, weight) in goals.chain([(look.target, look.point_world, look.weight)]) {
            let fixed = match target {
                Some(Target::Point(point)) => point,
                _ => Vec3::ZERO,
            };
            let numbers = [weight.value, weight.target, weight.seconds_left];
            if !(point.is_finite() && fixed.is_finite() && numbers.into_iter().all(f32::is_finite))
            {
                return Err(wrong(
                    "something that it reaches for is not finite".to_owned(),
                ));
            }
        }
        Ok(Animation {
            model_path: state.model.clone(),
            motion: motion.clone(),
            graph,
            model,
            state: state.state.clone(),
            root_mode: state.root_mode,
            root: state.root,
            chains: state.chains.clone(),
            look: state.look.clone(),
            held_morphs: state.held_morphs.clone(),
            pose: state.pose.clone(),
            model_joints: state.model_joints.clone(),
            shown: state.shown,
            explained: Vec::new(),
            advanced: Default::default(),
        })
    }
}

impl Snapshot {
    /// The scripts of every actor, by ascending index.
    pub fn scripts(&self) -> impl Iterator<Item = (ActorId, &[LogicalPath])> {
        self.actors()
            .map(|state| (state.actor.id, &*state.actor.scripts))
    }

    pub(crate) fn actors(&self) -> impl Iterator<Item = &ActorState> {
        self.places
            .iter()
            .filter_map(|place| place.actor.as_deref())
    }
}

impl Globals {
    fn check(&self, running: &Controls) -> Result<(), String> {
        let clock = &self.clock;
        if !(clock.time.is_finite() && clock.dt.is_finite() && clock.scale.is_finite()) {
            return Err("its clock is not finite".to_owned());
        }
        if clock.frame.max(self.spawned).max(self.events_lost) > MOST {
            return Err("its counters leave no room to go on".to_owned());
        }
        let names = |controls: &Controls| -> Vec<String> {
            let actions = controls.actions.iter();
            actions.map(|action| action.name.clone()).collect()
        };
        if names(&self.controls) != names(running) {
            return Err("its actions are not those of the level".to_owned());
        }
        if !self
            .controls
            .actions
            .iter()
            .all(|action| action.value.is_finite())
        {
            return Err("the value of an action is not finite".to_owned());
        }
        for timer in &self.timers.running {
            let beats = timer
                .every
                .is_none_or(|every| every.is_finite() && every > 0.0);
            if !(timer.left.is_finite() && beats) {
                return Err(format!("the timer `{}` has no usable time", timer.name));
            }
        }
        let camera = &self.camera;
        let middle = match camera.mode {
            CameraMode::Point(point) => point,
            CameraMode::Follow { height, .. } => Vec3::Y * height,
        };
        let numbers = [
            camera.distance,
            camera.yaw,
            camera.pitch,
            camera.fov_y,
            camera.shake,
        ];
        let points = [middle, camera.target_world, camera.eye_world];
        if numbers.into_iter().all(f32::is_finite) && points.into_iter().all(Vec3::is_finite) {
            Ok(())
        } else {
            Err("its camera is not finite".to_owned())
        }
    }
}

fn check_places(places: &[Place]) -> Result<(), SnapshotError> {
    let mut names = BTreeSet::new();
    for (index, place) in places.iter().enumerate() {
        if place.generation > u32::MAX / 2 {
            let why = "was used too often".to_owned();
            return Err(invalid(format!("place {index}"), why));
        }
        let Some(actor) = place.actor.as_ref().map(|state| &state.actor) else {
            continue;
        };
        let wrong = |why: &str| Err(invalid(format!("actor `{}`", actor.name), why.to_owned()));
        if (actor.id.index as usize, actor.id.generation) != (index, place.generation) {
            return wrong("its handle is not that of its place");
        }
        if actor.alive && !names.insert(&*actor.name) {
            return wrong("there are two of this name");
        }
        let asked = &actor.requests;
        let directions = [
            asked.velocity_world,
            asked.face.map(|(direction, _)| direction),
        ];
        let rates = [asked.face.map(|(_, rate)| rate), asked.jump];
        let mut rates = rates.into_iter().flatten();
        if !(directions.into_iter().flatten().all(Vec3::is_finite) && rates.all(f32::is_finite)) {
            return wrong("what it was asked for is not finite");
        }
        let points = [actor.position_world, actor.velocity_world];
        let body = actor
            .character
            .map(|body| [body.radius, body.height, body.vertical_speed]);
        let numbers = [actor.yaw, actor.yaw_rate].into_iter();
        let mut numbers = numbers.chain(body.into_iter().flatten());
        let turned = actor.world.is_finite() && actor.tilt.is_finite();
        let placed = points.into_iter().all(Vec3::is_finite) && turned;
        if !(placed && numbers.all(f32::is_finite)) {
            return wrong("its place or its body is not finite");
        }
        let body = actor.character;
        if body.is_some_and(|body| !(body.radius > 0.0 && body.height >= body.radius)) {
            return wrong("its body has no size");
        }
    }
    Ok(())
}

fn animation_state(animation: &Animation, motions: &mut Vec<Motion>) -> AnimationState {
    // All fields by name, so that a new one is not forgotten.
    let Animation {
        model_path,
        model: _,
        motion,
        graph: _,
        state,
        root_mode,
        root,
        chains,
        look,
        held_morphs,
        pose,
        model_joints,
        shown,
        // What was said of the step before is for whoever traces it.
        explained: _,
        advanced: _,
    } = animation;
    let known = motions.iter().position(|known| same(known, motion));
    let motion = known.unwrap_or_else(|| {
        motions.push(motion.clone());
        motions.len() - 1
    });
    AnimationState {
        model: model_path.clone(),
        motion,
        state: state.clone(),
        root_mode: *root_mode,
        root: *root,
        chains: chains.clone(),
        look: look.clone(),
        held_morphs: held_morphs.clone(),
        pose: pose.clone(),
        model_joints: model_joints.clone(),
        shown: *shown,
    }
}

/// Equal, without a look into a definition that is shared.
fn same(a: &Motion, b: &Motion) -> bool {
    match (a, b) {
        (
            Motion::Graph {
                def: a,
                file: x,
                space: s,
            },
            Motion::Graph {
                def: b,
                file: y,
                space: t,
            },
        ) => x == y && s == t && (Arc::ptr_eq(a, b) || a == b),
        _ => a == b,
    }
}

fn mark(level: &Level) -> LevelMark {
    let mut hasher = StableHasher::default();
    state_hash(&(&level.statics, level.def.gravity), &mut hasher);
    LevelMark {
        path: level.path.clone(),
        ground: std::hash::Hasher::finish(&hasher),
    }
}

fn check_path(path: &LogicalPath, place: &dyn Fn() -> String) -> Result<(), SnapshotError> {
    let checked = path.check();
    checked.map_err(|error| invalid(place(), format!("the path `{path}` {error}")))
}

fn invalid(place: String, why: String) -> SnapshotError {
    SnapshotError::Invalid { place, why }
}
