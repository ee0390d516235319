//! Morph weights that game code holds over what the animation says, until it lets them go.

use serde::{Deserialize, Serialize};
use sinew_anim::{Fade, Pose, Skeleton};

/// A morph channel whose weight is held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldMorph {
    /// Index into the skeleton's morph channels.
    pub channel: u16,
    /// The held weight, on its way from one to the next.
    pub weight: Fade,
    /// How much of it is seen over the animation's own weight, 0 to 1.
    pub share: Fade,
}

/// The held weights of an actor, by ascending channel.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct HeldMorphs(pub Vec<HeldMorph>);

impl HeldMorphs {
    /// Holds a channel at `weight`, to be reached in `seconds` from what is shown now; 0 or less is at once. Asking again
    /// for the same weight changes nothing. A weight that is not finite is ignored.
    pub fn hold(&mut self, channel: u16, weight: f32, seconds: f32) {
        if !weight.is_finite() {
            return;
        }
        match self.place(channel) {
            Ok(index) => {
                let held = &mut self.0[index];
                held.weight.to(weight, seconds);
                held.share.to(1.0, seconds);
            }
            Err(index) => {
                let mut share = Fade::at(0.0);
                share.to(1.0, seconds);
                let held = HeldMorph {
                    channel,
                    weight: Fade::at(weight),
                    share,
                };
                self.0.insert(index, held);
            }
        }
    }

    /// Lets a channel go back to the animation's weight in `seconds`; 0 or less is at once.
    pub fn release(&mut self, channel: u16, seconds: f32) {
        let Ok(index) = self.place(channel) else {
            return;
        };
        self.0[index].share.to(0.0, seconds);
        if self.0[index].share == Fade::at(0.0) {
            self.0.remove(index);
        }
    }

    fn place(&self, channel: u16) -> Result<usize, usize> {
        self.0.binary_search_by_key(&channel, |held| held.channel)
    }

    /// Lets `dt` seconds pass.
    pub(crate) fn advance(&mut self, dt: f32) {
        self.0.retain_mut(|held| {
            held.weight.step(dt);
            held.share.step(dt);
            held.share != Fade::at(0.0)
        });
    }

    /// Puts the held weights over those of `pose`; at full share they are exactly the held ones.
    pub(crate) fn apply(&self, pose: &mut Pose) {
        for held in &self.0 {
            if let Some(shown) = pose.morphs.get_mut(usize::from(held.channel)) {
                let (weight, share) = (held.weight.value, held.share.value);
                *shown = if share >= 1.0 {
                    weight
                } else {
                    *shown + (weight - *shown) * share
                };
            }
        }
    }

    /// Whether they are what this file makes, for channels that the skeleton has.
    pub fn fit(&self, skeleton: &Skeleton) -> bool {
        let ascending = self
            .0
            .windows(2)
            .all(|pair| pair[0].channel < pair[1].channel);
        let sound = |held: &HeldMorph| {
            let fades = [held.weight, held.share];
            let numbers = fades.map(|fade| [fade.value, fade.target, fade.seconds_left]);
            usize::from(held.channel) < skeleton.morphs.len()
                && numbers
                    .as_flattened()
                    .iter()
                    .all(|number| number.is_finite())
        };
        ascending && self.0.iter().all(sound)
    }

    /// Follows the names of channels from one skeleton to another; what the new one lacks is let go.
    pub(crate) fn follow(&mut self, from: &Skeleton, to: &Skeleton) {
        self.0.retain_mut(|held| {
            let name = from.morphs.get(usize::from(held.channel));
            let found = name.and_then(|name| to.morphs.iter().position(|other| other == name));
            found.is_some_and(|channel| {
                held.channel = channel as u16;
                true
            })
        });
        self.0.sort_by_key(|held| held.channel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of two channels that the animation has at 0.25.
    fn shown(held: &HeldMorphs) -> Vec<f32> {
        let mut pose = Pose::identity(0, 2);
        pose.morphs.fill(0.25);
        held.apply(&mut pose);
        pose.morphs
    }

    #[test]
    fn a_held_weight_stays_until_it_is_released() {
        let mut held = HeldMorphs::default();
        held.hold(1, -0.5, 0.0);
        for _ in 0..3 {
            held.advance(0.1);
            assert_eq!(shown(&held), [0.25, -0.5]);
        }
        held.release(1, 0.0);
        held.release(1, 0.0);
        assert_eq!(
            (shown(&held), held),
            (vec![0.25, 0.25], HeldMorphs::default())
        );
    }

    #[test]
    fn fades_go_straight_from_what_is_shown_and_back() {
        let mut held = HeldMorphs::default();
        held.hold(0, 1.25, 1.0);
        let mut seen = Vec::new();
        for step in 0..8 {
            match step {
                2 => held.hold(0, 0.25, 1.0),
                4 => held.release(0, 1.0),
                _ => {}
            }
            held.advance(0.25);
            seen.push(shown(&held)[0]);
        }
        // Weight and share each go straight to what was asked last.
        let weights = [1.25, 1.25, 1.0, 0.75, 0.5, 0.25, 0.25, 0.25];
        let shares = [0.25, 0.5, 0.75, 1.0, 0.75, 0.5, 0.25, 0.0];
        let expected = weights.iter().zip(shares);
        let expected: Vec<f32> = expected
            .map(|(weight, share)| 0.25 + (weight - 0.25) * share)
            .collect();
        assert_eq!(seen, expected);
        assert!(held.0.is_empty(), "nothing is left of what was released");
    }

    #[test]
    fn asking_again_for_the_same_weight_changes_nothing() {
        let mut held = HeldMorphs::default();
        for _ in 0..4 {
            held.hold(0, 1.25, 1.0);
            held.advance(0.25);
        }
        assert_eq!(shown(&held)[0], 1.25);
        held.hold(0, f32::NAN, 0.0);
        assert_eq!(shown(&held)[0], 1.25);
    }

    #[test]
    fn names_are_followed_to_another_skeleton() {
        let skeleton = |names: &[&str]| {
            let morphs: Vec<_> = names.iter().map(|&name| (name.to_owned(), 0.0)).collect();
            Skeleton::new(&[], &morphs).expect("sound")
        };
        let mut held = HeldMorphs::default();
        for channel in 0..3 {
            held.hold(channel, f32::from(channel), 0.0);
        }
        held.follow(&skeleton(&["a", "b", "c"]), &skeleton(&["c", "x", "a"]));
        assert!(held.fit(&skeleton(&["c", "x", "a"])) && !held.fit(&skeleton(&["c", "x"])));
        let now: Vec<_> = held
            .0
            .iter()
            .map(|held| (held.channel, held.weight.value))
            .collect();
        assert_eq!(now, [(0, 2.0), (2, 0.0)]);
    }
}
