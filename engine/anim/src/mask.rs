//! Masks: how much a layer says of each joint.

use crate::layer::share;
use crate::{Clip, Skeleton, nearest};

/// The weights of a layer: one a joint, 0..=1, and after those, once [`Mask::cover_morphs`] was called, one a morph
/// channel. As [`crate::override_layer`] takes it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mask {
    /// By joint, then by morph channel.
    pub joints: Vec<f32>,
}

/// The most entries of a mask: as many as a skeleton of usual size needs, four times over.
pub const MAX_MASK_RULES: usize = 4096;

/// Wrong entries that are told; looking for near names is slow.
const MAX_ERRORS: usize = 64;

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
    /// More entries than [`MAX_MASK_RULES`].
    #[error("more than {MAX_MASK_RULES} entries")]
    TooMany,
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
    /// Entries that name no joint, the first 64; a text without entries or with more than
    /// [`MAX_MASK_RULES`].
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
    /// Rules that name no joint or hold a number that is not finite, the first 64; more than
    /// [`MAX_MASK_RULES`].
    pub fn from_rules<'a>(
        skeleton: &Skeleton,
        others: f32,
        rules: impl IntoIterator<Item = MaskRule<'a>>,
    ) -> Result<Self, Vec<MaskError>> {
        let mut joints = vec![share(others); skeleton.len()];
        let mut levels = vec![None; skeleton.len()];
        let mut errors = Vec::new();
        for (entry, rule) in rules.into_iter().enumerate() {
            if entry >= MAX_MASK_RULES {
                errors.push(MaskError::TooMany);
            }
            if errors.len() >= MAX_ERRORS || entry >= MAX_MASK_RULES {
                break;
            }
            let name = rule.joint.to_owned();
            match skeleton.find(rule.joint) {
                _ if !(rule.weight.is_finite() && rule.falloff.is_finite()) => {
                    errors.push(MaskError::NotFinite { name, entry });
                }
                Some(joint) => apply(skeleton, joint, &rule, &mut levels, &mut joints),
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

/// Writes what a rule says. `levels` is room for how far each joint stands below the rule's, one a
/// joint; what is in it does not matter.
fn apply(
    skeleton: &Skeleton,
    joint: u16,
    rule: &MaskRule,
    levels: &mut [Option<u16>],
    joints: &mut [f32],
) {
    let joint = usize::from(joint);
    joints[joint] = share(rule.weight);
    if !rule.children {
        return;
    }
    levels[..joint].fill(None);
    levels[joint] = Some(0);
    for below in joint + 1..skeleton.len() {
        // Parents come first, so theirs is known.
        let parent = skeleton.parent(below as u16);
        let level = parent.and_then(|parent| levels[usize::from(parent)]);
        levels[below] = level.map(|level| level + 1);
        if let Some(level) = levels[below] {
            let kept = 1.0 - rule.falloff * f32::from(level);
            joints[below] = share(rule.weight * kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, MorphTrack, Transform};

    /// root > hips > (leg, spine > (head, arm > hand > finger))
    fn skeleton() -> Skeleton {
        let names = [
            ("root", None),
            ("hips", Some(0)),
            ("spine", Some(1)),
            ("leg", Some(1)),
            ("head", Some(2)),
            ("arm_L", Some(2)),
            ("hand_L", Some(5)),
            ("finger_L", Some(6)),
        ];
        let joints = names.map(|(name, parent)| Joint {
            name: name.to_owned(),
            parent,
            rest: Transform::IDENTITY,
            pre: None,
        });
        let morphs = ["face/smile", "face/blink", "face/frown"].map(|name| (name.to_owned(), 0.0));
        Skeleton::new(&joints, &morphs).expect("valid")
    }

    #[test]
    fn text_adds_joints_and_subtrees_and_takes_subtrees_out_in_order() {
        let cases: [(&str, [f32; 8]); 8] = [
            ("spine", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ("spine+", [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
            ("spine+ -hand_L", [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
            (
                "  arm_L+   -hand_L+ ",
                [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            ),
            ("-hand_L spine+", [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            ("-spine", [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            ("+leg head", [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
            (
                "root+ -arm_L finger_L",
                [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0],
            ),
        ];
        for (text, expected) in cases {
            let mask = Mask::parse(&skeleton(), text).expect(text);
            assert_eq!(mask.joints, expected, "{text}");
        }
    }

    #[test]
    fn rules_weigh_subtrees_with_falloff() {
        let rule = |joint, weight, children, falloff| MaskRule {
            joint,
            weight,
            children,
            falloff,
        };
        let rules = [
            rule("spine", 1.0, true, 0.25),
            rule("head", 0.5, false, 9.0),
        ];
        let mask = Mask::from_rules(&skeleton(), 0.1, rules).expect("valid");
        assert_eq!(mask.joints, [0.1, 0.1, 1.0, 0.1, 0.5, 0.75, 0.5, 0.25]);
        // A negative falloff ramps in, and weights stay within 0..=1.
        let rules = [
            rule("spine", 0.4, true, -1.0),
            rule("hips", -3.0, false, 0.0),
        ];
        let mask = Mask::from_rules(&skeleton(), 7.0, rules).expect("valid");
        assert_eq!(mask.joints, [1.0, 0.0, 0.4, 1.0, 0.8, 0.8, 1.0, 1.0]);
    }

    #[test]
    fn all_wrong_names_and_numbers_are_told_at_once() {
        let errors = Mask::parse(&skeleton(), "spin+ -elephant head").expect_err("wrong names");
        let unknown = |name: &str, nearest: Option<&str>, entry| MaskError::UnknownJoint {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned),
            entry,
        };
        assert_eq!(
            errors,
            [
                unknown("spin", Some("spine"), 0),
                unknown("elephant", None, 1)
            ]
        );
        assert_eq!(Mask::parse(&skeleton(), "  "), Err(vec![MaskError::Empty]));
        let nan = MaskRule {
            joint: "head",
            weight: f32::NAN,
            children: false,
            falloff: 0.0,
        };
        let errors = Mask::from_rules(&skeleton(), 0.0, [nan]).expect_err("not finite");
        assert_eq!(
            errors[0].to_string(),
            "the weight and falloff of `head` must be finite numbers"
        );
    }

    #[test]
    fn morph_channels_follow_the_clips_that_drive_them() {
        let clip = Clip {
            morphs: vec![MorphTrack {
                first: 1,
                count: 1,
                ..MorphTrack::default()
            }],
            ..Clip::default()
        };
        let mut mask = Mask::parse(&skeleton(), "head").expect("valid");
        for _ in 0..2 {
            mask.cover_morphs(&skeleton(), [&clip, &Clip::default()]);
            assert_eq!(mask.joints[8..], [0.0, 1.0, 0.0]);
        }
    }
}
