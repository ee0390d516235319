//! Character animation as plain data and pure jobs: skeletons, clips, poses, graphs and inverse
//! kinematics.
//!
//! Right-handed, Y up, metres, seconds, radians; quaternions are x, y, z, w. This crate never does
//! any IO, reads no clock, starts no thread and knows neither a GPU nor a script.

mod clip;
mod pose;
mod skeleton;
mod transform;

pub use clip::{Clip, Curve, Interpolation, JointTracks, Marker, MorphTrack, Track, Window};
pub use pose::{Block, LANES, Pose};
pub use skeleton::{Joint, MAX_JOINTS, NO_PARENT, Skeleton, SkeletonError};
pub use transform::Transform;
