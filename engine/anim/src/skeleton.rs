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
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
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

    /// The parent of a joint; `None` for a root.
    pub fn parent(&self, joint: u16) -> Option<u16> {
        Some(self.parents[usize::from(joint)]).filter(|&parent| parent != NO_PARENT)
    }

    /// True where `ancestor` is `joint` or stands above it.
    pub fn is_under(&self, joint: u16, ancestor: u16) -> bool {
        std::iter::successors(Some(joint), |&at| self.parent(at)).any(|at| at == ancestor)
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
}
