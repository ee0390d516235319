//! Skeletons: joints parents first, found by name.

use glam::Affine3A;
use serde::{Deserialize, Serialize};

use crate::{Pose, Transform};

/// Marks a joint without a parent in [`Skeleton::parents`].
pub const NO_PARENT: u16 = u16::MAX;

/// The most joints a skeleton can hold (indices are 16 bits and the last one is [`NO_PARENT`]).
pub const MAX_JOINTS: usize = NO_PARENT as usize;

/// What [`Skeleton::new`] takes for each joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Identity of the joint; unique in the skeleton.
    pub name: String,
    /// Index of the parent, lower than this joint's own.
    pub parent: Option<u16>,
    /// Authored local transform (not the bind pose).
    pub rest: Transform,
    /// A constant map between the parent's space and this joint's local transform, for what
    /// translation, rotation and scale cannot say (shear): `model = parent * pre * local`.
    pub pre: Option<Affine3A>,
}

/// A hierarchy of joints and the names of the morph channels that move with it.
/// Model space is the space of the roots' parents; for an imported file it is the scene's space.
/// Reading one with serde checks it as [`Skeleton::new`] does.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Skeleton {
    /// Unique names, by joint.
    pub names: Vec<String>,
    /// Parent of each joint, lower than the joint itself, or [`NO_PARENT`].
    pub parents: Vec<u16>,
    /// Authored local transforms and default morph weights.
    pub rest: Pose,
    /// Constant maps in front of some joints' local transforms, by ascending joint.
    pub pre: Vec<(u16, Affine3A)>,
    /// Names of the morph channels (`mesh/target`, unique), in the order of [`Pose::morphs`].
    pub morphs: Vec<String>,
}

/// Why a list of joints makes no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A parent must come before its children.
    #[error("joint {joint} (`{name}`) has parent {parent}, which does not come before it")]
    ParentAfterChild {
        /// The child.
        joint: usize,
        /// The child's name.
        name: String,
        /// What it names as its parent.
        parent: u16,
    },
    /// Names are identity.
    #[error("joints {first} and {second} are both named `{name}`")]
    DuplicateName {
        /// The first joint of the name.
        first: usize,
        /// The second joint of the name.
        second: usize,
        /// The name.
        name: String,
    },
    /// Too many joints for 16-bit indices.
    #[error("{count} joints, at most {MAX_JOINTS} fit")]
    TooManyJoints {
        /// Joints given.
        count: usize,
    },
    /// A number that is not finite.
    #[error("joint {joint} (`{name}`) has a rest transform that is not finite")]
    NotFinite {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// Names of morph channels are identity too.
    #[error("morph channels {first} and {second} are both named `{name}`")]
    DuplicateMorph {
        /// The first channel of the name.
        first: usize,
        /// The second channel of the name.
        second: usize,
        /// The name.
        name: String,
    },
    /// A default weight that is not finite.
    #[error("morph channel {channel} (`{name}`) has a default weight that is not finite")]
    MorphNotFinite {
        /// The channel.
        channel: usize,
        /// Its name.
        name: String,
    },
    /// Too many morph channels for 16-bit indices.
    #[error("{count} morph channels, at most {MAX_JOINTS} fit")]
    TooManyMorphs {
        /// Channels given.
        count: usize,
    },
    /// Lists of a written skeleton that must be as long as another one.
    #[error("`{list}` has {count} entries, there are {expected} `{like}`")]
    Lengths {
        /// The list.
        list: &'static str,
        /// Its entries.
        count: usize,
        /// The list that it goes with.
        like: &'static str,
        /// Entries of that one.
        expected: usize,
    },
    /// The constant maps of a written skeleton must be in the order of joints.
    #[error(
        "entry {entry} of `pre` is for joint {joint}, which is not a later joint of the skeleton than that of the entry before it"
    )]
    PreOrder {
        /// Place in the list.
        entry: usize,
        /// The joint that it names.
        joint: u16,
    },
}

impl Skeleton {
    /// Checks and stores `joints`; `morphs` gives each channel's name and default weight.
    ///
    /// # Errors
    /// See [`SkeletonError`].
    pub fn new(joints: &[Joint], morphs: &[(String, f32)]) -> Result<Self, SkeletonError> {
        if joints.len() > MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints {
                count: joints.len(),
            });
        }
        let mut seen = std::collections::HashMap::new();
        let mut rest = Pose::identity(joints.len(), morphs.len());
        let mut pre = Vec::new();
        for (index, joint) in joints.iter().enumerate() {
            if let Some(first) = seen.insert(joint.name.as_str(), index) {
                return Err(SkeletonError::DuplicateName {
                    first,
                    second: index,
                    name: joint.name.clone(),
                });
            }
            if let Some(parent) = joint.parent.filter(|&parent| usize::from(parent) >= index) {
                return Err(SkeletonError::ParentAfterChild {
                    joint: index,
                    name: joint.name.clone(),
                    parent,
                });
            }
            let finite_pre = joint.pre.is_none_or(|pre| pre.is_finite());
            if !joint.rest.to_affine().is_finite() || !finite_pre {
                return Err(SkeletonError::NotFinite {
                    joint: index,
                    name: joint.name.clone(),
                });
            }
            rest.set_joint(index, joint.rest);
            pre.extend(joint.pre.map(|pre| (index as u16, pre)));
        }
        check_morphs(morphs)?;
        for (weight, (_, default)) in rest.morphs.iter_mut().zip(morphs) {
            *weight = *default;
        }
        Ok(Self {
            names: joints.iter().map(|joint| joint.name.clone()).collect(),
            parents: joints
                .iter()
                .map(|joint| joint.parent.unwrap_or(NO_PARENT))
                .collect(),
            rest,
            pre,
            morphs: morphs.iter().map(|(name, _)| name.clone()).collect(),
        })
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// True for a skeleton without joints.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The joint of this name. Linear: look names up when a thing is built, not while it runs.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.names
            .iter()
            .position(|joint| joint == name)
            .map(|index| index as u16)
    }

    /// The morph channels that a name means: the one of exactly this name (`face/smile`), else every one whose target
    /// has it (`smile`), on whichever meshes. Linear, as [`Self::find`].
    pub fn morphs_named(&self, name: &str) -> impl Iterator<Item = u16> {
        let exact = self.morphs.iter().position(|channel| channel == name);
        let means = move |(index, channel): &(usize, &String)| match exact {
            Some(exact) => *index == exact,
            None => channel
                .strip_suffix(name)
                .is_some_and(|mesh| mesh.ends_with('/') && !name.is_empty()),
        };
        let channels = self.morphs.iter().enumerate();
        channels.filter(means).map(|(index, _)| index as u16)
    }

    /// The parent of a joint; `None` for a root.
    pub fn parent(&self, joint: u16) -> Option<u16> {
        Some(self.parents[usize::from(joint)]).filter(|&parent| parent != NO_PARENT)
    }

    /// True where `ancestor` is `joint` or stands above it.
    pub fn is_under(&self, joint: u16, ancestor: u16) -> bool {
        std::iter::successors(Some(joint), |&at| self.parent(at)).any(|at| at == ancestor)
    }
}

fn check_morphs(morphs: &[(String, f32)]) -> Result<(), SkeletonError> {
    if morphs.len() > MAX_JOINTS {
        return Err(SkeletonError::TooManyMorphs {
            count: morphs.len(),
        });
    }
    let mut seen = std::collections::HashMap::new();
    for (channel, (name, default)) in morphs.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), channel) {
            return Err(SkeletonError::DuplicateMorph {
                first,
                second: channel,
                name: name.clone(),
            });
        }
        if !default.is_finite() {
            return Err(SkeletonError::MorphNotFinite {
                channel,
                name: name.clone(),
            });
        }
    }
    Ok(())
}

/// A skeleton as it is written down.
#[derive(Deserialize)]
struct Unchecked {
    names: Vec<String>,
    parents: Vec<u16>,
    rest: Pose,
    pre: Vec<(u16, Affine3A)>,
    morphs: Vec<String>,
}

impl TryFrom<Unchecked> for Skeleton {
    type Error = SkeletonError;

    fn try_from(written: Unchecked) -> Result<Self, SkeletonError> {
        let count = written.names.len();
        let lengths = [
            ("parents", written.parents.len(), "names", count),
            ("rest.joints", written.rest.joints, "names", count),
            (
                "rest.morphs",
                written.rest.morphs.len(),
                "morphs",
                written.morphs.len(),
            ),
        ];
        for (list, found, like, expected) in lengths {
            if found != expected {
                return Err(SkeletonError::Lengths {
                    list,
                    count: found,
                    like,
                    expected,
                });
            }
        }
        let mut pre = vec![None; count];
        let mut next = 0;
        for (entry, &(joint, map)) in written.pre.iter().enumerate() {
            let at = usize::from(joint);
            if at < next || at >= count {
                return Err(SkeletonError::PreOrder { entry, joint });
            }
            next = at + 1;
            pre[at] = Some(map);
        }
        let rest = &written.rest;
        let names = written.names.into_iter().zip(written.parents).zip(pre);
        let joints: Vec<Joint> = names
            .enumerate()
            .map(|(index, ((name, parent), pre))| Joint {
                name,
                parent: Some(parent).filter(|&parent| parent != NO_PARENT),
                rest: rest.joint(index),
                pre,
            })
            .collect();
        let defaults = rest.morphs.iter().copied();
        let morphs: Vec<(String, f32)> = written.morphs.into_iter().zip(defaults).collect();
        Self::new(&joints, &morphs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<u16>) -> Joint {
        Joint {
            name: name.to_owned(),
            parent,
            rest: Transform::IDENTITY,
            pre: None,
        }
    }

    #[test]
    fn a_parent_after_its_child_and_a_name_twice_are_refused() {
        let cases = [
            (vec![joint("a", Some(0))], "does not come before it"),
            (
                vec![joint("a", None), joint("a", Some(0))],
                "both named `a`",
            ),
        ];
        for (joints, expected) in cases {
            let error = Skeleton::new(&joints, &[]).expect_err(expected);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn names_and_ancestors_are_found() {
        let joints = [
            joint("root", None),
            joint("hips", Some(0)),
            joint("tail", Some(0)),
        ];
        let skeleton = Skeleton::new(&joints, &[("face/smile".to_owned(), 0.25)]).expect("valid");
        assert_eq!(skeleton.find("tail"), Some(2));
        assert_eq!(skeleton.find("head"), None);
        assert!(skeleton.is_under(1, 0));
        assert!(!skeleton.is_under(2, 1));
        assert_eq!(skeleton.rest.morphs, [0.25]);
    }

    #[test]
    fn morph_channels_are_found_by_their_whole_name_or_by_their_target() {
        let morphs = ["head/smile", "teeth/smile", "head/oh/wide", "smile"];
        let morphs = morphs.map(|name| (name.to_owned(), 0.0));
        let skeleton = Skeleton::new(&[], &morphs).expect("sound");
        let found = |name: &str| skeleton.morphs_named(name).collect::<Vec<_>>();
        assert_eq!(found("teeth/smile"), [1]);
        assert_eq!(found("smile"), [3], "one of exactly this name comes first");
        assert_eq!(found("oh/wide"), [2]);
        for none in ["mile", "", "/", "head", "head/"] {
            assert!(found(none).is_empty(), "{none}");
        }
        let shared = Skeleton::new(&[], &morphs[..3]).expect("sound");
        assert_eq!(shared.morphs_named("smile").collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn what_is_read_is_checked_as_what_is_built() {
        let mut head = joint("head", Some(0));
        head.pre = Some(Affine3A::from_scale(glam::Vec3::new(1.0, 2.0, 3.0)));
        let morphs = [("face/smile".to_owned(), 0.5)];
        let skeleton = Skeleton::new(&[joint("hips", None), head], &morphs).expect("sound");
        let written = serde_json::to_value(&skeleton).expect("plain data");
        let read = |value| serde_json::from_value::<Skeleton>(value);
        assert_eq!(read(written.clone()).expect("its own text"), skeleton);

        let cases = [
            ("/parents/1", "1".into(), "does not come before it"),
            ("/parents/0", "1".into(), "does not come before it"),
            ("/names/1", "\"hips\"".into(), "both named `hips`"),
            ("/names", "[\"hips\"]".into(), "`parents` has 2 entries"),
            ("/morphs", "[]".into(), "`rest.morphs` has 1 entries"),
            ("/rest/joints", "3".into(), "`rest.joints` has 3 entries"),
            ("/rest/joints", "9".into(), "9 joints do not fit 1 blocks"),
            ("/pre/0/0", "7".into(), "entry 0 of `pre` is for joint 7"),
            ("/rest/morphs/0", "1e39".into(), "default weight"),
            ("/rest/morphs/0", "null".into(), "expected f32"),
        ] as [(&str, String, &str); 10];
        for (pointer, value, expected) in cases {
            let mut spoilt = written.clone();
            *spoilt.pointer_mut(pointer).expect(pointer) =
                serde_json::from_str(&value).expect("JSON");
            let error = read(spoilt).expect_err(expected).to_string();
            assert!(error.contains(expected), "{pointer}: {error}");
        }
    }

    #[test]
    fn morph_channels_are_unique_and_finite() {
        let same = [("a".to_owned(), 0.0), ("a".to_owned(), 0.0)];
        let error = Skeleton::new(&[], &same).expect_err("twice");
        assert!(
            matches!(error, SkeletonError::DuplicateMorph { second: 1, .. }),
            "{error}"
        );
        let error = Skeleton::new(&[], &[("a".to_owned(), f32::NAN)]).expect_err("no number");
        assert!(
            matches!(error, SkeletonError::MorphNotFinite { channel: 0, .. }),
            "{error}"
        );
    }
}
