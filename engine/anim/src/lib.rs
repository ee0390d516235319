//! Character animation as plain data and pure jobs: skeletons, clips, poses, graphs and inverse
//! kinematics.
//!
//! Right-handed, Y up, metres, seconds, radians; quaternions are x, y, z, w. This crate never does
//! any IO, reads no clock, starts no thread and knows neither a GPU nor a script.

mod blend;
mod blend_space;
mod clip;
mod fade;
mod layer;
mod local_to_model;
mod palette;
mod pose;
mod rotation;
mod sample;
mod skeleton;
mod suggest;
mod transform;

pub use blend::{blend, blend_two, blend_weighted};
pub use blend_space::{gradient_band_weights, linear_weights};
pub use clip::{Clip, Curve, Interpolation, JointTracks, Marker, MorphTrack, Track, Window};
pub use fade::Fade;
pub use layer::override_layer;
pub use local_to_model::local_to_model;
pub use palette::palette;
pub use pose::{Block, LANES, Pose};
pub use sample::sample;
pub use skeleton::{Joint, MAX_JOINTS, NO_PARENT, Skeleton, SkeletonError};
pub use suggest::nearest;
pub use transform::Transform;
