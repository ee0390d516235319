//! Letting go: joints that a goal held go over to what the animation says, by inertia.

use glam::Quat;
use serde::{Deserialize, Serialize};
use sinew_anim::{Inertia, Pose};

/// What a goal did to its joints, and what is left of it once it is let go.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Release {
    /// Rotations of the joints as they were shown in the last step.
    shown: Pose,
    /// Those of the step before.
    before: Pose,
    /// How many steps of those are known: 0 while nothing is held.
    known: u8,
    /// What is left.
    inertia: Inertia,
    /// The goal was let go and has not been asked for again.
    let_go: bool,
}

impl Release {
    /// For so many joints, at rest. With that room nothing is allocated later.
    pub(crate) fn new(joints: usize) -> Self {
        Self {
            shown: Pose::identity(joints, 0),
            before: Pose::identity(joints, 0),
            inertia: Inertia::with_room(joints, 0),
            ..Self::default()
        }
    }

    /// True from when the goal is let go until it is asked for again.
    pub(crate) fn is_let_go(&self) -> bool {
        self.let_go
    }

    /// True where nothing is held and nothing is left.
    pub(crate) fn is_over(&self) -> bool {
        self.known == 0 && self.inertia.is_over()
    }

    /// Lets go, to be at the animated rotations of `pose` in `seconds`. `dt` is the length of a step.
    pub(crate) fn begin(&mut self, joints: &[u16], pose: &Pose, seconds: f32, dt: f32) {
        self.let_go = true;
        if self.known == 0 {
            return;
        }
        let mut target = std::mem::take(&mut self.before);
        let mut before = target.clone();
        gather(joints, pose, &mut target);
        if self.known < 2 {
            before.copy_from(&self.shown);
        }
        let moving = (self.known == 2).then_some((&before, dt));
        self.inertia
            .begin(&self.shown, moving, &target, seconds, None);
        self.before = before;
    }

    /// The goal is asked for again; what is left dies away all the same.
    pub(crate) fn hold(&mut self) {
        self.let_go = false;
    }

    /// Lets a step pass and adds what is left to the animated pose.
    pub(crate) fn apply(&mut self, joints: &[u16], pose: &mut Pose, dt: f32) {
        self.inertia.step(dt);
        if self.inertia.is_over() {
            return;
        }
        let mut turned = std::mem::take(&mut self.before);
        gather(joints, pose, &mut turned);
        self.inertia.apply(&mut turned);
        for (index, &joint) in joints.iter().enumerate() {
            pose.set_rotation(usize::from(joint), turned.rotation(index));
        }
        self.before = turned;
    }

    /// Keeps what a step shows, as long as the goal or what is left of it has a part in it.
    pub(crate) fn show(&mut self, joints: &[u16], pose: &Pose, holds: bool) {
        if !holds && self.inertia.is_over() {
            self.known = 0;
            return;
        }
        std::mem::swap(&mut self.shown, &mut self.before);
        gather(joints, pose, &mut self.shown);
        self.known = (self.known + 1).min(2);
    }
}

fn gather(joints: &[u16], pose: &Pose, out: &mut Pose) {
    for (index, &joint) in joints.iter().enumerate().take(out.joints) {
        let joint = usize::from(joint);
        let rotation = if joint < pose.joints {
            pose.rotation(joint)
        } else {
            Quat::IDENTITY
        };
        out.set_rotation(index, rotation);
    }
}
