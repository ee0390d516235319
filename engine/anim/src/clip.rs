//! Clips: keyed tracks over a skeleton's joints and morph channels, and what is marked on them.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::Skeleton;

/// The longest name of a marker, window or curve, in bytes.
pub const MAX_MARK_NAME: usize = 64;

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

/// Why a clip cannot be used with a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipError {
    /// Seconds must be finite and not below 0.
    #[error("clip `{clip}` has a duration of {duration} s, which is no length of time")]
    Duration {
        /// The clip.
        clip: String,
        /// Seconds.
        duration: f32,
    },
    /// Tracks of a joint that the skeleton lacks.
    #[error("clip `{clip}` moves joint {joint}, the skeleton has {joints}")]
    JointRange {
        /// The clip.
        clip: String,
        /// The index.
        joint: u16,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// Joints must ascend, each at most once.
    #[error("clip `{clip}` lists joint {joint} after joint {before}; joints must ascend")]
    JointOrder {
        /// The clip.
        clip: String,
        /// The joint.
        joint: u16,
        /// The joint of the entry before it.
        before: u16,
    },
    /// Weights of morph channels that the skeleton lacks.
    #[error("clip `{clip}` drives morph channels {first} to {}, the skeleton has {channels}", end - 1)]
    MorphRange {
        /// The clip.
        clip: String,
        /// The first channel.
        first: usize,
        /// One past the last channel.
        end: usize,
        /// Channels of the skeleton.
        channels: usize,
    },
    /// Morph tracks must ascend and not overlap.
    #[error("clip `{clip}` has morph tracks that overlap or do not ascend at channel {first}")]
    MorphOrder {
        /// The clip.
        clip: String,
        /// The first channel of the culprit.
        first: u16,
    },
    /// Something is wrong with the keys of a track.
    #[error("clip `{clip}`, {track}: {fault}")]
    Track {
        /// The clip.
        clip: String,
        /// Which track, such as "rotation of joint 3 (`hips`)".
        track: String,
        /// What is wrong with it.
        fault: TrackFault,
    },
    /// Something is wrong with a marker, window or curve.
    #[error("clip `{clip}`, {kind} `{name}`: {expected}")]
    Mark {
        /// The clip.
        clip: String,
        /// "marker", "window" or "curve".
        kind: &'static str,
        /// Its name.
        name: String,
        /// What it must be and is not.
        expected: &'static str,
    },
}

/// Why the keys of a track make no motion.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TrackFault {
    /// A track has at least one key.
    #[error("it has no keys")]
    NoKeys,
    /// Times must be finite, from 0 on and strictly increasing.
    #[error("key {key} at {time} s does not come after the one before it, or is no time from 0 on")]
    Times {
        /// Index of the key.
        key: usize,
        /// Its time.
        time: f32,
    },
    /// The clip's duration is that of its last key.
    #[error("its last key at {time} s is after the clip's end")]
    AfterEnd {
        /// The time of the last key.
        time: f32,
    },
    /// Another number of values than the keys need.
    #[error("{values} values, the keys need {expected}")]
    Values {
        /// Values given.
        values: usize,
        /// Values needed.
        expected: usize,
    },
    /// A value that is infinite or not a number.
    #[error("value {value} is not finite")]
    NotFinite {
        /// Index of the value.
        value: usize,
    },
    /// Rotations are unit quaternions, within a thousandth.
    #[error("value {value} is a quaternion of length {length}, not of length 1")]
    NotUnit {
        /// Index of the value.
        value: usize,
        /// How long it is.
        length: f32,
    },
}

impl Clip {
    /// Whether the clip can move `skeleton`: for clips that are made by hand or read with serde. What an import gives
    /// is checked already.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), ClipError> {
        if !(self.duration.is_finite() && self.duration >= 0.0) {
            return Err(ClipError::Duration {
                clip: self.name.clone(),
                duration: self.duration,
            });
        }
        self.check_joints(skeleton)?;
        self.check_morphs(skeleton)?;
        self.check_marks()
    }

    fn check_joints(&self, skeleton: &Skeleton) -> Result<(), ClipError> {
        for (index, tracks) in self.joints.iter().enumerate() {
            let joint = tracks.joint;
            let Some(name) = skeleton.names.get(usize::from(joint)) else {
                return Err(ClipError::JointRange {
                    clip: self.name.clone(),
                    joint,
                    joints: skeleton.len(),
                });
            };
            let before = index.checked_sub(1).map(|before| self.joints[before].joint);
            if let Some(before) = before.filter(|&before| before >= joint) {
                return Err(ClipError::JointOrder {
                    clip: self.name.clone(),
                    joint,
                    before,
                });
            }
            let faults = [
                ("translation", self.vectors(tracks.translation.as_ref())),
                ("rotation", self.rotations(tracks.rotation.as_ref())),
                ("scale", self.vectors(tracks.scale.as_ref())),
            ];
            for (property, outcome) in faults {
                outcome.map_err(|fault| ClipError::Track {
                    clip: self.name.clone(),
                    track: format!("{property} of joint {joint} (`{name}`)"),
                    fault,
                })?;
            }
        }
        Ok(())
    }

    fn check_morphs(&self, skeleton: &Skeleton) -> Result<(), ClipError> {
        let channels = skeleton.morphs.len();
        let mut next = 0;
        for morph in &self.morphs {
            let first = usize::from(morph.first);
            let end = first + usize::from(morph.count);
            if end > channels {
                return Err(ClipError::MorphRange {
                    clip: self.name.clone(),
                    first,
                    end,
                    channels,
                });
            }
            if first < next {
                return Err(ClipError::MorphOrder {
                    clip: self.name.clone(),
                    first: morph.first,
                });
            }
            next = end;
            let values = morph.track.values.iter().map(|weight| weight.is_finite());
            self.keys(&morph.track, usize::from(morph.count), values)
                .map_err(|fault| ClipError::Track {
                    clip: self.name.clone(),
                    track: format!("weights from channel {first} on"),
                    fault,
                })?;
        }
        Ok(())
    }

    fn check_marks(&self) -> Result<(), ClipError> {
        let mark = |kind, name: &str, expected| ClipError::Mark {
            clip: self.name.clone(),
            kind,
            name: name.to_owned(),
            expected,
        };
        let inside = |time: f32| (0.0..=self.duration).contains(&time);
        let named = |name: &str| (1..=MAX_MARK_NAME).contains(&name.len());
        let names = "its name must have 1 to 64 bytes";
        for (index, marker) in self.markers.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| self.markers[before].time);
            let wrong = if !named(&marker.name) {
                names
            } else if !inside(marker.time) || !marker.value.is_finite() {
                "its time must lie in the clip and its value be finite"
            } else if before.is_some_and(|before| before > marker.time) {
                "markers must be in the order of time"
            } else {
                continue;
            };
            return Err(mark("marker", &marker.name, wrong));
        }
        for (index, window) in self.windows.iter().enumerate() {
            let before = index
                .checked_sub(1)
                .map(|before| self.windows[before].begin);
            let wrong = if !named(&window.name) {
                names
            } else if !(inside(window.begin) && inside(window.end) && window.begin <= window.end) {
                "it must lie in the clip and not end before it begins"
            } else if before.is_some_and(|before| before > window.begin) {
                "windows must be in the order of their begin"
            } else {
                continue;
            };
            return Err(mark("window", &window.name, wrong));
        }
        for curve in &self.curves {
            let finite = curve.keys.iter().flatten().all(|number| number.is_finite());
            let ascends = curve.keys.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            let wrong = if !named(&curve.name) {
                names
            } else if curve.keys.is_empty() || !finite || !ascends {
                "it needs keys of finite numbers, their times strictly increasing"
            } else {
                continue;
            };
            return Err(mark("curve", &curve.name, wrong));
        }
        Ok(())
    }

    fn vectors(&self, track: Option<&Track<Vec3>>) -> Result<(), TrackFault> {
        track.map_or(Ok(()), |track| {
            self.keys(track, 1, track.values.iter().map(|value| value.is_finite()))
        })
    }

    fn rotations(&self, track: Option<&Track<Quat>>) -> Result<(), TrackFault> {
        let Some(track) = track else {
            return Ok(());
        };
        self.keys(track, 1, track.values.iter().map(|value| value.is_finite()))?;
        let stride = track.interpolation.values_per_key();
        let keys = track.values.iter().enumerate();
        for (value, rotation) in keys.skip(stride / 2).step_by(stride) {
            let length = rotation.length();
            if (length - 1.0).abs() > 1e-3 {
                return Err(TrackFault::NotUnit { value, length });
            }
        }
        Ok(())
    }

    /// Times and number of values; `finite` tells it of each value.
    fn keys<T>(
        &self,
        track: &Track<T>,
        per_key: usize,
        mut finite: impl Iterator<Item = bool>,
    ) -> Result<(), TrackFault> {
        let Some(&last) = track.times.last() else {
            return Err(TrackFault::NoKeys);
        };
        let mut before = None;
        for (key, &time) in track.times.iter().enumerate() {
            let later = before.is_none_or(|before| before < time);
            if !(time.is_finite() && time >= 0.0 && later) {
                return Err(TrackFault::Times { key, time });
            }
            before = Some(time);
        }
        if last > self.duration {
            return Err(TrackFault::AfterEnd { time: last });
        }
        let expected = track.times.len() * track.interpolation.values_per_key() * per_key;
        if track.values.len() != expected {
            return Err(TrackFault::Values {
                values: track.values.len(),
                expected,
            });
        }
        match finite.position(|finite| !finite) {
            Some(value) => Err(TrackFault::NotFinite { value }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
