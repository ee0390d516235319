//! What moves an actor's joints: its model, its graph and what it reaches and looks for.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};
use sinew_anim::{Advanced, Fade, Graph, GraphDef, GraphState, IkReport, Pose, RootDelta};
use sinew_assets::{Loaded, LogicalPath};
use sinew_model::Model;

use crate::{ActorId, HeldMorphs, RootMode};

/// What an actor's graph is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Nothing: the rest pose.
    Rest,
    /// One clip, by name.
    Clip {
        /// Name in the model.
        clip: String,
        /// Starts over at its end.
        looping: bool,
    },
    /// A graph that a script or level gave, and the file it came from, if any.
    Graph {
        /// The definition.
        #[serde(with = "crate::shared")]
        def: Arc<GraphDef>,
        /// `.animgraph.json`, for live reload.
        file: Option<LogicalPath>,
    },
}

/// A point to reach or look at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// A fixed point, metres.
    Point(Vec3),
    /// An actor: its socket joint, else its head height (for looking) or origin (for reaching).
    Actor {
        /// Who.
        actor: ActorId,
        /// Joint of that actor.
        joint: Option<u16>,
    },
}

/// Where the middle joint of a limb points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pole {
    /// As the graph says, else as the animated pose bends.
    Default,
    /// Towards a point in the world.
    PointWorld(Vec3),
    /// Along a direction in the actor's model space.
    DirectionModel(Vec3),
}

/// What one chain of the graph is asked to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainGoal {
    /// `None` once let go; the last point then stays until the weight is gone.
    pub target: Option<Target>,
    /// The point of the last step, world space.
    pub point_world: Vec3,
    /// Where the elbow or knee points.
    pub pole: Pole,
    /// Weight over time.
    pub weight: Fade,
    /// What came of it.
    pub report: IkReport,
}

/// What the look-at chain is asked to look at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookGoal {
    /// `None` once let go; the last point then stays until the weight is gone.
    pub target: Option<Target>,
    /// The point of the last step, world space.
    pub point_world: Vec3,
    /// Weight over time.
    pub weight: Fade,
    /// Yaw and pitch that the last joint came to, radians; `None` while at rest.
    pub angles: Option<[f32; 2]>,
    /// What came of it.
    pub report: IkReport,
}

/// The moving part of an actor.
#[derive(Clone, Debug)]
pub struct Animation {
    /// File of the model.
    pub model_path: LogicalPath,
    /// Shared data of the model.
    pub model: Loaded<Model>,
    /// What the graph is made from.
    pub motion: Motion,
    /// Shared, compiled.
    pub graph: Arc<Graph>,
    /// This actor's place in the graph.
    pub state: GraphState,
    /// Who applies root motion.
    pub root_mode: RootMode,
    /// Root motion of the last step, in the frame of its start.
    pub root: RootDelta,
    /// One for each chain of the graph.
    pub chains: Vec<ChainGoal>,
    /// For the graph's look-at chain.
    pub look: LookGoal,
    /// Morph weights that game code holds.
    pub held_morphs: HeldMorphs,
    /// Local pose of the last finished step.
    pub pose: Pose,
    /// Model-space matrix of each joint, of the last finished step; the rest pose before the first.
    pub model_joints: Vec<Affine3A>,
    pub(crate) advanced: Advanced,
}

impl Default for ChainGoal {
    /// Nothing is asked.
    fn default() -> Self {
        Self {
            target: None,
            point_world: Vec3::ZERO,
            pole: Pole::Default,
            weight: Fade::default(),
            report: IkReport::default(),
        }
    }
}

impl Default for LookGoal {
    /// Nothing is asked.
    fn default() -> Self {
        Self {
            target: None,
            point_world: Vec3::ZERO,
            weight: Fade::default(),
            angles: None,
            report: IkReport::default(),
        }
    }
}

impl Animation {
    /// A model in the pose that `graph` starts with.
    pub fn new(
        model_path: LogicalPath,
        model: Loaded<Model>,
        motion: Motion,
        graph: Arc<Graph>,
    ) -> Self {
        let skeleton = &model.value.skeleton;
        let mut model_joints = vec![Affine3A::IDENTITY; skeleton.len()];
        sinew_anim::local_to_model(skeleton, &skeleton.rest, &mut model_joints);
        Self {
            state: GraphState::start(&graph),
            chains: vec![ChainGoal::default(); graph.chains.len()],
            look: LookGoal::default(),
            held_morphs: HeldMorphs::default(),
            pose: skeleton.rest.clone(),
            model_joints,
            root: RootDelta::default(),
            root_mode: RootMode::default(),
            advanced: Advanced::default(),
            model_path,
            model,
            motion,
            graph,
        }
    }

    /// Takes another graph for the same or another model, keeping by name what both have: states, phases, parameters,
    /// goals of chains, held morph weights.
    pub fn change_graph(&mut self, model: Loaded<Model>, motion: Motion, graph: Arc<Graph>) {
        self.state = self.state.migrate(&self.graph, &graph);
        let old = std::mem::take(&mut self.chains);
        self.chains = graph
            .chains
            .iter()
            .map(|chain| {
                let kept = self.graph.chain(&chain.name).map(usize::from);
                kept.and_then(|index| old.get(index).copied())
                    .unwrap_or_default()
            })
            .collect();
        if !Arc::ptr_eq(&self.model.value, &model.value) {
            let skeleton = &model.value.skeleton;
            self.held_morphs
                .follow(&self.model.value.skeleton, skeleton);
            self.pose = skeleton.rest.clone();
            self.model_joints.clear();
            self.model_joints.resize(skeleton.len(), Affine3A::IDENTITY);
            sinew_anim::local_to_model(skeleton, &self.pose, &mut self.model_joints);
        }
        self.model = model;
        self.motion = motion;
        self.graph = graph;
    }
}
