//! The running world: actors, the level, physics and the steps of a frame.
//!
//! All state is plain data that one [`World`] owns. [`step`] is the frame; what scripts add to it comes
//! through [`Behaviour`]. This crate never opens a window, touches a GPU, reads a clock or runs a script.

mod actor;
mod actors;
mod animation;
mod behaviour;
mod camera;
mod data;
mod debug;
mod error;
mod exact;
mod graphs;
mod hash;
mod held_morphs;
mod input;
mod jobs;
mod level;
mod messages;
mod orientation;
mod physics;
mod random;
mod release;
mod reload;
mod shared;
mod snapshot;
mod steps;
mod timers;
mod tween;
mod world;

pub use actor::{Actor, Attachment, Character, Requests, RootMode, Spawn};
pub use actors::{ActorId, Actors};
pub use animation::{Animation, ChainGoal, Changeover, LookGoal, Motion, Pole, Target};
pub use behaviour::{Behaviour, Kept, NoScripts};
pub use camera::{Camera, CameraMode};
pub use data::Data;
pub use debug::{Debug, DebugShape, DebugText, Sound};
pub use error::WorldError;
pub use graphs::check_graph;
pub use hash::{FieldHash, StableHasher, hash, hash_fields};
pub use held_morphs::{HeldMorph, HeldMorphs};
pub use input::{Action, Change, Controls, Edge, Input};
pub use jobs::Jobs;
pub use level::{Level, Static, StaticShape};
pub use messages::{Message, Messages};
pub use physics::{Physics, RayHit};
pub use random::Random;
pub use release::Release;
pub use reload::Changes;
pub use snapshot::{Snapshot, SnapshotError};
pub use steps::step;
pub use timers::{Due, Timer, Timers};
pub use tween::{Ease, Tween};
pub use world::{Clock, Event, LateEvent, World};
