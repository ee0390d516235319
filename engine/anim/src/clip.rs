//! Clips: keyed tracks over a skeleton's joints and morph channels, and what is marked on them.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// How a track goes from key to key; the modes of glTF 2.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Interpolation {
    /// Holds a key's value until the next key.
    Step,
    /// Straight for vectors, the shorter arc for rotations.
    #[default]
    Linear,
    /// Cubic Hermite spline; each key has three values: in-tangent, value, out-tangent, the tangents
    /// per second.
    Cubic,
}

impl Interpolation {
    /// Values that a key has: 3 for cubic splines (in-tangent, value, out-tangent), else 1.
    pub fn values_per_key(self) -> usize {
        match self {
            Self::Cubic => 3,
            Self::Step | Self::Linear => 1,
        }
    }
}

/// Values of one property over time. Before the first and after the last key the end value holds.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Track<T> {
    /// Between the keys.
    pub interpolation: Interpolation,
    /// Seconds, strictly increasing, finite, at least one.
    pub times: Vec<f32>,
    /// One value a key, three for [`Interpolation::Cubic`].
    pub values: Vec<T>,
}

/// The tracks of one joint; what is absent keeps the rest value.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct JointTracks {
    /// Index in the skeleton that the clip was made for.
    pub joint: u16,
    /// Metres in the parent's space.
    pub translation: Option<Track<Vec3>>,
    /// Unit quaternions in the parent's space.
    pub rotation: Option<Track<Quat>>,
    /// Factors.
    pub scale: Option<Track<Vec3>>,
}

/// Weights of neighbouring morph channels over time; `values` holds `count` numbers a key (three
/// times as many for cubic splines, all in-tangents first, then the values, then the out-tangents).
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct MorphTrack {
    /// First channel in [`crate::Skeleton::morphs`].
    pub first: u16,
    /// Channels driven.
    pub count: u16,
    /// Keys and weights.
    pub track: Track<f32>,
}

/// A named moment of a clip, such as a footstep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// At most 64 bytes.
    pub name: String,
    /// Clip seconds, 0 to the clip's duration.
    pub time: f32,
    /// A number for whoever listens.
    pub value: f32,
}

/// A named span of a clip, such as the time in which a sword can hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// At most 64 bytes.
    pub name: String,
    /// Clip seconds.
    pub begin: f32,
    /// Clip seconds, not before `begin`.
    pub end: f32,
}

/// A named number over a clip's time, such as a foot lock; linear between keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// At most 64 bytes.
    pub name: String,
    /// `[seconds, value]`, times strictly increasing.
    pub keys: Vec<[f32; 2]>,
}

/// Keyed motion of one skeleton.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Clip {
    /// Unique in its model.
    pub name: String,
    /// Seconds; the last key of any track. Zero for a single pose.
    pub duration: f32,
    /// By ascending joint, at most one entry a joint.
    pub joints: Vec<JointTracks>,
    /// By ascending first channel, none twice.
    pub morphs: Vec<MorphTrack>,
    /// By ascending time.
    pub markers: Vec<Marker>,
    /// By ascending begin.
    pub windows: Vec<Window>,
    /// Named numbers.
    pub curves: Vec<Curve>,
    /// What the author says of looping, for tools to show; whoever plays the clip decides (a state's
    /// mode, which loops unless it says otherwise).
    pub looping: Option<bool>,
    /// The joint that carries root motion, where the author names one.
    pub root_joint: Option<String>,
}
