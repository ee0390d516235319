//! What moves an actor's joints: its model, its graph and what it reaches and looks for.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};
use sinew_anim::{
    Advanced, EndReason, Explanation, Fade, Graph, GraphDef, GraphEvent, GraphState, IkReport,
    Pose, RootDelta, Scratch,
};
use sinew_assets::{Loaded, LogicalPath};
use sinew_model::Model;

use crate::{ActorId, HeldMorphs, Release, RootMode};

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
        /// Where paths without a prefix lead that it names other graphs by: a mod or level.
        space: String,
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
///
/// To let go, take the target away and fade the weight to 0: the chain then goes over to the animation by inertia in the
/// seconds of that fade, and the weight tells how much is left of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainGoal {
    /// `None` once let go.
    pub target: Option<Target>,
    /// The point of the last step, world space.
    pub point_world: Vec3,
    /// Where the elbow or knee points.
    pub pole: Pole,
    /// Weight over time.
    pub weight: Fade,
    /// What came of it.
    pub report: IkReport,
    /// Of its joints, for letting go.
    pub release: Release,
}

/// What the look-at chain is asked to look at; let go as a [`ChainGoal`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookGoal {
    /// `None` once let go.
    pub target: Option<Target>,
    /// The point of the last step, world space.
    pub point_world: Vec3,
    /// Weight over time.
    pub weight: Fade,
    /// Yaw and pitch that the last joint came to, radians; `None` while at rest.
    pub angles: Option<[f32; 2]>,
    /// What came of it.
    pub report: IkReport,
    /// Of its joints, for letting go.
    pub release: Release,
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
    /// What each machine was about to do in the last step, as long as
    /// [`World::explain`](crate::World) is set.
    pub explained: Vec<Explanation>,
    pub(crate) advanced: Advanced,
    /// It has been seen: a change of motion may not jump any more.
    pub(crate) shown: bool,
}

/// How an actor goes over to another graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changeover {
    /// Seconds in which its pose changes over by inertia.
    pub seconds: f32,
    /// Why windows and slots that were open end.
    pub reason: EndReason,
}

impl Changeover {
    /// Because files changed.
    pub const RELOAD: Self = Self {
        seconds: 0.2,
        reason: EndReason::Reload,
    };
    /// Because game code asked for it.
    pub const ASKED: Self = Self {
        seconds: 0.2,
        reason: EndReason::Interrupted,
    };
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
            release: Release::default(),
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
            release: Release::default(),
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
        let mut animation = Self {
            state: GraphState::start(&graph),
            chains: Vec::new(),
            look: LookGoal::default(),
            held_morphs: HeldMorphs::default(),
            pose: skeleton.rest.clone(),
            model_joints,
            root: RootDelta::default(),
            root_mode: RootMode::default(),
            explained: Vec::new(),
            advanced: Advanced::default(),
            shown: false,
            model_path,
            model,
            motion,
            graph,
        };
        animation.make_goals();
        animation
    }

    /// Takes another graph for the same or another model, keeping by name what both have: states, phases, parameters,
    /// goals of chains, held morph weights. Where the joints are the same and the actor has been seen, its pose changes over by inertia in
    /// `seconds`. What was open in the old graph ends; the events of that are added to `ended`.
    pub fn change_graph(
        &mut self,
        model: Loaded<Model>,
        motion: Motion,
        graph: Arc<Graph>,
        change: Changeover,
        ended: &mut Vec<GraphEvent>,
    ) {
        let same_model = Arc::ptr_eq(&self.model.value, &model.value);
        if Arc::ptr_eq(&self.graph, &graph) && same_model {
            self.motion = motion;
            return;
        }
        let mut scratch = Scratch::default();
        let shown = self.pose_before_goals(&graph, &mut scratch);
        self.state.close_windows(&self.graph, change.reason, ended);
        self.state = self.state.migrate(&self.graph, &graph);
        if let Some(shown) = shown {
            self.state
                .change_from(&graph, &shown, change.seconds, &mut scratch);
        }
        let old = std::mem::replace(&mut self.graph, graph);
        self.keep_goals(&old);
        if !same_model {
            let skeleton = &model.value.skeleton;
            self.held_morphs
                .follow(&self.model.value.skeleton, skeleton);
            self.pose = skeleton.rest.clone();
            self.model_joints.clear();
            self.model_joints.resize(skeleton.len(), Affine3A::IDENTITY);
            sinew_anim::local_to_model(skeleton, &self.pose, &mut self.model_joints);
        }
        self.explained.clear();
        self.model = model;
        self.motion = motion;
    }

    /// The pose as the graph gave it last, before anything reached or looked, where another graph can go on from it.
    fn pose_before_goals(&self, next: &Graph, scratch: &mut Scratch) -> Option<Pose> {
        let (old, new) = (&self.graph.skeleton, &next.skeleton);
        let same_joints = old.names == new.names && old.parents == new.parents;
        if !self.shown || !same_joints || old.morphs != new.morphs {
            return None;
        }
        let mut pose = Pose::default();
        sinew_anim::evaluate(&self.graph, &self.state, false, scratch, &mut pose);
        Some(pose)
    }

    /// Goals for the chains of the graph, with those that the old graph had by the same name.
    fn keep_goals(&mut self, old: &Graph) {
        let chains = std::mem::take(&mut self.chains);
        let look = std::mem::take(&mut self.look);
        self.make_goals();
        for (chain, goal) in self.graph.chains.iter().zip(&mut self.chains) {
            let before = old.chain(&chain.name).map(usize::from);
            let before = before.filter(|&index| old.chains[index].joints == chain.joints);
            if let Some(kept) = before.and_then(|index| chains.get(index)) {
                *goal = kept.clone();
            }
        }
        let joints = |graph: &Graph| graph.look_at.as_ref().map(|rig| rig.chain.clone());
        self.look = if joints(old) == joints(&self.graph) {
            look
        } else {
            LookGoal {
                release: std::mem::take(&mut self.look.release),
                ..look
            }
        };
    }

    fn make_goals(&mut self) {
        let goal = |joints: usize| ChainGoal {
            release: Release::new(joints),
            ..ChainGoal::default()
        };
        let chains = self.graph.chains.iter();
        self.chains = chains.map(|chain| goal(chain.joints.len())).collect();
        let looking = self.graph.look_at.as_ref().map_or(0, |rig| rig.chain.len());
        self.look.release = Release::new(looking);
    }
}
