//! Masks: how much a layer says of each joint.

use crate::{Clip, Skeleton, nearest};

/// The weights of a layer: one a joint, 0..=1, and after those, once [`Mask::cover_morphs`] was called, one a morph
/// channel. As [`crate::override_layer`] takes it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mask {
    /// By joint, then by morph channel.
    pub joints: Vec<f32>,
}

/// One line of a mask's table form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaskRule<'a> {
    /// Name of the joint.
    pub joint: &'a str,
    /// Weight of the joint; results are clamped to 0..=1.
    pub weight: f32,
    /// Whether the joints below it get the weight too.
    pub children: bool,
    /// Share of the weight lost with each level below: `weight * (1 - falloff * level)`. Negative gains.
    pub falloff: f32,
}

/// Why a mask is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaskError {
    /// Names are those of the skeleton.
    #[error("no joint is named `{name}`")]
    UnknownJoint {
        /// As written.
        name: String,
        /// A joint whose name is close.
        nearest: Option<String>,
        /// Which entry, from 0.
        entry: usize,
    },
    /// A weight or falloff that is not a finite number.
    #[error("the weight and falloff of `{name}` must be finite numbers")]
    NotFinite {
        /// The joint.
        name: String,
        /// Which entry, from 0.
        entry: usize,
    },
    /// A mask of no entries would silence its layer.
    #[error("an empty mask covers no joint; name a joint, such as `spine+`")]
    Empty,
}

impl Mask {
    /// Reads the text form, entries parted by spaces and applied in order: `spine` is that joint, `spine+` the
    /// joint and all below it, `-hand_L` takes a joint and all below it out again. Where the first entry
    /// takes out, all others are in.
    ///
    /// # Errors
    /// All entries that name no joint; a text without entries.
    pub fn parse(skeleton: &Skeleton, text: &str) -> Result<Self, Vec<MaskError>> {
        if text.split_whitespace().next().is_none() {
            return Err(vec![MaskError::Empty]);
        }
        let others = if text.trim_start().starts_with('-') {
            1.0
        } else {
            0.0
        };
        let rules = text.split_whitespace().map(|entry| {
            let (name, out) = match entry.strip_prefix('-') {
                Some(name) => (name, true),
                None => (entry.strip_prefix('+').unwrap_or(entry), false),
            };
            let (name, below) = match name.strip_suffix('+') {
                Some(name) => (name, true),
                None => (name, out),
            };
            MaskRule {
                joint: name,
                weight: if out { 0.0 } else { 1.0 },
                children: below,
                falloff: 0.0,
            }
        });
        Self::from_rules(skeleton, others, rules)
    }

    /// Builds the table form: every joint has weight `others`, then the rules apply in order.
    ///
    /// # Errors
    /// All rules that name no joint or hold a number that is not finite.
    pub fn from_rules<'a>(
        skeleton: &Skeleton,
        others: f32,
        rules: impl IntoIterator<Item = MaskRule<'a>>,
    ) -> Result<Self, Vec<MaskError>> {
        let mut joints = vec![clamped(others); skeleton.len()];
        let mut errors = Vec::new();
        for (entry, rule) in rules.into_iter().enumerate() {
            let name = rule.joint.to_owned();
            match skeleton.find(rule.joint) {
                _ if !(rule.weight.is_finite() && rule.falloff.is_finite()) => {
                    errors.push(MaskError::NotFinite { name, entry });
                }
                Some(joint) => apply(skeleton, joint, &rule, &mut joints),
                None => {
                    let names = skeleton.names.iter().map(String::as_str);
                    let nearest = nearest(rule.joint, names).map(str::to_owned);
                    errors.push(MaskError::UnknownJoint {
                        name,
                        nearest,
                        entry,
                    });
                }
            }
        }
        if errors.is_empty() {
            Ok(Self { joints })
        } else {
            Err(errors)
        }
    }

    /// Adds the weights of the morph channels: 1 for those that one of `clips` drives, 0 for the rest, so
    /// that a masked layer moves the face only where its clips do.
    pub fn cover_morphs<'a>(
        &mut self,
        skeleton: &Skeleton,
        clips: impl IntoIterator<Item = &'a Clip>,
    ) {
        let mut channels = vec![0.0; skeleton.morphs.len()];
        for track in clips.into_iter().flat_map(|clip| &clip.morphs) {
            let driven = channels.iter_mut().skip(usize::from(track.first));
            driven
                .take(usize::from(track.count))
                .for_each(|channel| *channel = 1.0);
        }
        self.joints.truncate(skeleton.len());
        self.joints.extend(channels);
    }
}

fn apply(skeleton: &Skeleton, joint: u16, rule: &MaskRule, joints: &mut [f32]) {
    joints[usize::from(joint)] = clamped(rule.weight);
    if !rule.children {
        return;
    }
    for below in joint + 1..skeleton.len() as u16 {
        let level = std::iter::successors(Some(below), |&at| skeleton.parent(at))
            .take_while(|&at| at >= joint)
            .position(|at| at == joint);
        if let Some(level) = level {
            let kept = 1.0 - rule.falloff * level as f32;
            joints[usize::from(below)] = clamped(rule.weight * kept);
        }
    }
}

/// In 0..=1; not a number is 0.
fn clamped(weight: f32) -> f32 {
    weight.max(0.0).min(1.0)
}
