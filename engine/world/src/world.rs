//! The world: everything that a running level is made of, as data.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher,
    sync::Arc,
};

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use sinew_anim::{EndReason, Graph, GraphDef, GraphEvent};
use sinew_assets::{Assets, Diagnostic, Loaded, LogicalPath};
use sinew_model::Model;

use crate::{
    Actor, ActorId, Actors, Animation, Camera, Changeover, Controls, Data, Debug, Jobs, Level,
    Messages, Motion, Physics, Random, Spawn, StableHasher, Timers, WorldError,
    graphs::{CachedGraph, compile, warnings_of},
    input,
};

/// Game time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Seconds of game time at the end of the last step.
    pub time: f64,
    /// Steps so far.
    pub frame: u64,
    /// Seconds of the current step, scaled.
    pub dt: f32,
    /// Factor on time; 0 pauses.
    pub scale: f32,
}

/// An animation event of one actor in this step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Whose graph it happened in.
    pub actor: ActorId,
    /// What happened.
    pub event: GraphEvent,
}

/// An event from outside of a step, because the actor or its graph went away.
#[derive(Clone, Debug)]
pub struct LateEvent {
    /// Whose graph it happened in.
    pub actor: ActorId,
    /// What happened.
    pub event: GraphEvent,
    /// The graph, which the actor may not have any more.
    pub graph: Arc<Graph>,
}

/// Everything that a running level is made of.
#[derive(Clone)]
pub struct World {
    /// Files by logical path.
    pub assets: Assets,
    /// All actors.
    pub actors: Actors,
    /// The running level.
    pub level: Level,
    /// Solid geometry.
    pub physics: Physics,
    /// Actions.
    pub controls: Controls,
    /// The eye.
    pub camera: Camera,
    /// Game time.
    pub clock: Clock,
    /// Seed of all random streams.
    pub seed: u64,
    /// This step's animation events, by actor and then as each graph orders them.
    pub events: Vec<Event>,
    /// What ended outside of a step and has not been told: game code takes it, in `react` or before an actor goes.
    pub late: Vec<LateEvent>,
    /// Keep in each actor what its graph was about to do; for traces.
    pub explain: bool,
    /// Events that did not fit in any step so far.
    pub events_lost: u64,
    /// Messages under way.
    pub messages: Messages,
    /// Named timers.
    pub timers: Timers,
    /// What is drawn and said for people who watch.
    pub debug: Debug,
    /// Threads.
    pub jobs: Jobs,
    /// Remarks since somebody last took them: a cut cycle of attachments, a missing joint.
    pub remarks: Vec<Diagnostic>,
    pub(crate) spawned: u64,
    said: BTreeSet<String>,
    pub(crate) waves: u16,
    pub(crate) graphs: Vec<CachedGraph>,
}

impl World {
    /// An empty world over some files.
    pub fn new(assets: Assets, jobs: Jobs, seed: u64) -> Self {
        Self {
            assets,
            actors: Actors::default(),
            level: Level::empty(),
            physics: Physics::default(),
            controls: Controls::default(),
            camera: Camera::default(),
            clock: Clock {
                time: 0.0,
                frame: 0,
                dt: 0.0,
                scale: 1.0,
            },
            seed,
            events: Vec::new(),
            late: Vec::new(),
            explain: false,
            events_lost: 0,
            messages: Messages::default(),
            timers: Timers::default(),
            debug: Debug::default(),
            jobs,
            remarks: Vec::new(),
            spawned: 0,
            said: BTreeSet::new(),
            waves: 0,
            graphs: Vec::new(),
        }
    }

    /// Makes an actor. It is found at once, starts in the next update and is drawn from its first finish.
    ///
    /// # Errors
    /// A name that is taken, a model that cannot be used, a variant that the model lacks.
    pub fn spawn(&mut self, spawn: Spawn) -> Result<ActorId, WorldError> {
        let name = if spawn.name.is_empty() {
            format!("actor_{}", self.spawned)
        } else {
            spawn.name
        };
        if self.actors.find(&name).is_some() {
            return Err(WorldError::NameTaken(name));
        }
        let mut actor = Actor::named(&name);
        if let Some(path) = &spawn.model {
            let model = self.load_model(path)?;
            if let Some(variant) = &spawn.variant {
                actor.variant = Some(find_variant(&model.value, path, variant)?);
            }
            let graph = self.graph_for(&Motion::Rest, &model.value)?;
            let mut animation = Animation::new(path.clone(), model, Motion::Rest, graph);
            animation.root_mode = spawn.root_mode;
            actor.animation = Some(animation);
        }
        actor.random = Random::seeded(self.seed, &name);
        actor.position_world = spawn.position_world;
        actor.yaw = spawn.yaw;
        actor.scripts = spawn.scripts;
        actor.properties = spawn.properties;
        actor.tags = spawn.tags;
        actor.place();
        self.spawned += 1;
        let id = self.actors.insert(actor);
        let seed = chance_seed(self.seed, id);
        if let Some(animation) = self
            .actors
            .get_mut(id)
            .and_then(|actor| actor.animation.as_mut())
        {
            animation.state.seed = seed;
        }
        Ok(id)
    }

    /// Loads a model, or gives the loaded one.
    ///
    /// # Errors
    /// [`WorldError::Asset`].
    pub fn load_model(&mut self, path: &LogicalPath) -> Result<Loaded<Model>, WorldError> {
        self.assets.model(path).map_err(WorldError::Asset)
    }

    /// The compiled form of what is to move a model; compiled once for all actors that share both.
    ///
    /// # Errors
    /// [`WorldError::Asset`] with the first fault of the graph; [`WorldError::Unknown`] for a clip that is not there.
    pub fn graph_for(
        &mut self,
        motion: &Motion,
        model: &Arc<Model>,
    ) -> Result<Arc<Graph>, WorldError> {
        let known =
            |cached: &&CachedGraph| Arc::ptr_eq(&cached.model, model) && cached.motion == *motion;
        if let Some(cached) = self.graphs.iter().find(known) {
            return Ok(cached.graph.clone());
        }
        let (graph, depends) = compile(motion, model, &mut self.assets)?;
        // What a script wrote has its place in the script, which whoever runs it knows.
        if let Motion::Graph {
            def,
            file: Some(file),
            ..
        } = motion
        {
            let told = warnings_of(def, &graph, Some(file), &self.assets);
            told.into_iter().for_each(|warning| self.remark(warning));
        }
        let graph = Arc::new(graph);
        self.graphs
            .retain(|cached| Arc::strong_count(&cached.graph) > 1);
        self.graphs.push(CachedGraph {
            motion: motion.clone(),
            model: model.clone(),
            graph: graph.clone(),
            depends,
        });
        Ok(graph)
    }

    /// Gives an actor another graph; what both have by name is kept, and its pose does not jump.
    ///
    /// # Errors
    /// An actor that is gone or has no model; a graph that does not fit the model. Nothing changes then.
    pub fn set_motion(&mut self, id: ActorId, motion: Motion) -> Result<(), WorldError> {
        self.change_motion(id, motion, Changeover::ASKED)
    }

    /// As [`Self::set_motion`], with the time that the change takes and its reason.
    ///
    /// # Errors
    /// As [`Self::set_motion`].
    pub fn change_motion(
        &mut self,
        id: ActorId,
        motion: Motion,
        change: Changeover,
    ) -> Result<(), WorldError> {
        let model = self.need_animation(id)?.model.clone();
        let graph = self.graph_for(&motion, &model.value)?;
        self.take_graph(id, model, motion, graph, change)
    }

    pub(crate) fn take_graph(
        &mut self,
        id: ActorId,
        model: Loaded<Model>,
        motion: Motion,
        graph: Arc<Graph>,
        change: Changeover,
    ) -> Result<(), WorldError> {
        let animation = self.need_animation_mut(id)?;
        let old = animation.graph.clone();
        let mut ended = Vec::new();
        animation.change_graph(model, motion, graph, change, &mut ended);
        let same = Arc::ptr_eq(&old, &animation.graph);
        self.events.retain(|event| same || event.actor != id);
        self.tell_late(id, &old, ended);
        Ok(())
    }

    /// Ends the windows and slots that are open in an actor's graph. What has ended comes into [`Self::late`].
    pub fn close_windows(&mut self, id: ActorId, reason: EndReason) {
        let Ok(animation) = self.need_animation_mut(id) else {
            return;
        };
        let graph = animation.graph.clone();
        let mut ended = Vec::new();
        animation.state.close_windows(&graph, reason, &mut ended);
        self.tell_late(id, &graph, ended);
    }

    fn tell_late(&mut self, actor: ActorId, graph: &Arc<Graph>, ended: Vec<GraphEvent>) {
        self.late.extend(ended.into_iter().map(|event| LateEvent {
            actor,
            event,
            graph: graph.clone(),
        }));
    }

    /// Gives an actor the graph of this definition.
    ///
    /// # Errors
    /// As [`Self::set_motion`].
    pub fn set_graph(&mut self, id: ActorId, def: Arc<GraphDef>) -> Result<(), WorldError> {
        let space = self.level.path.space.clone();
        let file = None;
        self.set_motion(id, Motion::Graph { def, file, space })
    }

    /// The moving part of an actor.
    ///
    /// # Errors
    /// An actor that is gone or has no model.
    pub fn need_animation(&self, id: ActorId) -> Result<&Animation, WorldError> {
        let actor = self.actors.need(id)?;
        actor
            .animation
            .as_ref()
            .ok_or_else(|| WorldError::NoModel(actor.name.to_string()))
    }

    /// The moving part of an actor, to change it.
    ///
    /// # Errors
    /// An actor that is gone or has no model.
    pub fn need_animation_mut(&mut self, id: ActorId) -> Result<&mut Animation, WorldError> {
        let actor = self.actors.need_mut(id)?;
        match &mut actor.animation {
            Some(animation) => Ok(animation),
            None => Err(WorldError::NoModel(actor.name.to_string())),
        }
    }

    /// Marks an actor as going: its `alive` is false at once, it is taken out at the end of the phase.
    ///
    /// # Errors
    /// An actor that is gone already.
    pub fn destroy(&mut self, id: ActorId) -> Result<(), WorldError> {
        self.actors.need_mut(id)?.alive = false;
        Ok(())
    }

    /// Moves an actor at once: no velocity, no root motion and no walking come of it. A yaw also stands it
    /// upright; without one it stands as before.
    ///
    /// # Errors
    /// An actor that is gone.
    pub fn teleport(
        &mut self,
        id: ActorId,
        position_world: Vec3,
        yaw: Option<f32>,
    ) -> Result<(), WorldError> {
        let actor = self.actors.need_mut(id)?;
        actor.position_world = position_world;
        if let Some(yaw) = yaw {
            actor.yaw = yaw;
            actor.tilt = Quat::IDENTITY;
        }
        if let Some(character) = &mut actor.character {
            character.vertical_speed = 0.0;
        }
        actor.place();
        Ok(())
    }

    /// Takes out the actors that were destroyed in the phase that ends.
    pub(crate) fn end_phase(&mut self) {
        let dying = |actors: &Actors| {
            actors
                .iter()
                .find(|actor| !actor.alive)
                .map(|actor| actor.id)
        };
        while let Some(id) = dying(&self.actors) {
            self.actors.remove(id, self.clock.frame);
            self.timers.forget(id);
            self.events.retain(|event| event.actor != id);
            self.late.retain(|event| event.actor != id);
        }
    }

    /// The direction on the ground that a stick action means, as the camera sees it; length at most 1.
    pub fn ground_vector(&self, action: u16) -> Vec3 {
        let stick = self.controls.actions.get(usize::from(action));
        stick.map_or(Vec3::ZERO, |action| {
            input::on_ground(action.value, self.camera.forward_world())
        })
    }

    /// Says something the first time only.
    pub fn remark(&mut self, remark: Diagnostic) {
        if self.said.insert(remark.to_string()) {
            self.remarks.push(remark);
        }
    }

    /// Says something about `subject` the first time only.
    pub(crate) fn remark_once(
        &mut self,
        code: &str,
        subject: &str,
        words: impl FnOnce(&str) -> String,
    ) {
        if self.said.insert(format!("{code} {subject}")) {
            self.remarks.push(Diagnostic::warning(code, words(subject)));
        }
    }

    /// A property of an actor as the level or a script set it.
    pub fn property(&self, id: ActorId, name: &str) -> Option<&Data> {
        self.actors.get(id)?.properties.get(name)
    }

    /// Replaces all properties of an actor.
    ///
    /// # Errors
    /// An actor that is gone.
    pub fn set_properties(
        &mut self,
        id: ActorId,
        properties: BTreeMap<String, Data>,
    ) -> Result<(), WorldError> {
        self.actors.need_mut(id)?.properties = properties;
        Ok(())
    }
}

pub(crate) fn find_variant(
    model: &Model,
    path: &LogicalPath,
    name: &str,
) -> Result<usize, WorldError> {
    let known = model.variants.iter();
    known
        .clone()
        .position(|variant| variant == name)
        .ok_or_else(|| WorldError::Unknown {
            owner: format!("model `{path}`"),
            what: "variant",
            name: name.to_owned(),
            nearest: sinew_anim::nearest(name, known.map(String::as_str)).map(str::to_owned),
        })
}

/// What an actor's random choices are made from: another one for each actor, the same in each run.
fn chance_seed(world: u64, id: ActorId) -> u64 {
    let mut hasher = StableHasher::default();
    hasher.write_u64(world);
    hasher.write_u32(id.index);
    hasher.write_u32(id.generation);
    hasher.finish()
}
