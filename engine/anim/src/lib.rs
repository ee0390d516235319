//! Character animation as plain data and pure jobs: skeletons, clips, poses, graphs and inverse
//! kinematics.
//!
//! Right-handed, Y up, metres, seconds, radians; quaternions are x, y, z, w. This crate never does
//! any IO, reads no clock, starts no thread and knows neither a GPU nor a script.

mod additive;
mod blend;
mod blend_space;
mod clip;
mod curve;
mod expression;
mod fade;
mod graph;
mod ik;
mod inertialize;
mod layer;
mod local_to_model;
mod look_at;
mod loop_mode;
mod mask;
mod mirror;
mod mirrored_name;
mod occurrences;
mod palette;
mod planar;
mod pose;
mod rebase;
mod rigid;
mod root_blend;
mod root_keys;
mod root_motion;
mod rotation;
mod sample;
mod skeleton;
mod spring_offset;
mod state_hash;
mod suggest;
#[cfg(test)]
mod test_support;
mod track_map;
mod transform;
mod travel;
mod two_bone;

pub use additive::{AdditiveSpace, MeshScratch, additive_layer, additive_layer_mesh};
pub use blend::{blend, blend_two, blend_weighted};
pub use blend_space::{
    Triangulation, directions_leave_gap, gradient_band_weights, keep_heaviest, linear_weights,
    polar_band_weights,
};
pub use clip::{
    Clip, ClipError, Curve, Interpolation, JointTracks, MAX_MARK_NAME, Marker, MorphTrack, Track,
    TrackFault, Window,
};
pub use curve::sample_curve;
pub use expression::{
    Comparison, Expression, ExpressionError, MAX_EXPRESSION_BYTES, Named, Node, Said, Tree,
    parse as parse_expression,
};
pub use fade::Fade;
pub use graph::*;
pub use ik::IkReport;
pub use inertialize::{ChangeMotion, Inertia, InertiaScalar};
pub use layer::override_layer;
pub use local_to_model::local_to_model;
pub use look_at::{LookAtInput, look_at};
pub use loop_mode::LoopMode;
pub use mask::{MAX_MASK_RULES, Mask, MaskError, MaskRule};
pub use mirror::{MirrorPairs, mirror_clip};
pub use mirrored_name::mirrored_name;
pub use occurrences::{Interval, Occurrence, Occurrences, occurrences};
pub use palette::palette;
pub use planar::Planar;
pub use pose::{Block, LANES, Pose, PoseError};
pub use rebase::rebase_clip;
pub use rigid::Rigid;
pub use root_blend::{MOST_SUBSTEPS, WeightedLog, blended_root_motion};
pub use root_motion::{RootAxes, RootTrack};
pub use rotation::Rotations;
pub use sample::sample;
pub use skeleton::{Joint, MAX_JOINTS, NO_PARENT, Skeleton, SkeletonError};
pub use spring_offset::SpringOffset;
pub use state_hash::{field_hashes, state_hash};
pub use suggest::nearest;
pub use transform::Transform;
pub use travel::{RootDelta, Travel, heading};
pub use two_bone::{Pole, TwoBoneInput, two_bone};
