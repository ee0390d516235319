//! Letting go: joints that a goal held go over to what the animation says, by inertia.

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
    #[serde(skip)]
    buffer: Pose,
}

impl Release {
    /// For so many joints, at rest. With that room nothing is allocated later.
    pub(crate) fn new(joints: usize) -> Self {
        Self {
            shown: Pose::identity(joints, 0),
            before: Pose::identity(joints, 0),
            buffer: Pose::identity(joints, 0),
            inertia: Inertia::with_room(joints, 0),
            ..Self::default()
        }
    }

    /// True from when the goal is let go until it is asked for again.
    pub(crate) fn is_let_go(&self) -> bool {
        self.let_go
    }

    /// Lets go, to be at the animated rotations of `pose` in `seconds`. `dt` is the length of a step.
    pub(crate) fn begin(&mut self, joints: &[u16], pose: &Pose, seconds: f32, dt: f32) {
        self.let_go = true;
        if self.known == 0 {
            return;
        }
        self.gather(joints, pose);
        let moving = (self.known == 2).then_some((&self.before, dt));
        self.inertia
            .begin(&self.shown, moving, &self.buffer, seconds, None);
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
        self.gather(joints, pose);
        self.inertia.apply(&mut self.buffer);
        for (index, &joint) in joints.iter().enumerate().take(self.buffer.joints) {
            pose.set_rotation(usize::from(joint), self.buffer.rotation(index));
        }
    }

    /// Keeps what a step shows, as long as the goal or what is left of it has a part in it.
    pub(crate) fn show(&mut self, joints: &[u16], pose: &Pose, holds: bool) {
        if !holds && self.inertia.is_over() {
            self.known = 0;
            return;
        }
        self.gather(joints, pose);
        std::mem::swap(&mut self.shown, &mut self.before);
        self.shown.copy_from(&self.buffer);
        self.known = (self.known + 1).min(2);
    }

    /// Takes the joints' rotations out of a pose into the buffer.
    fn gather(&mut self, joints: &[u16], pose: &Pose) {
        self.buffer.copy_from(&self.shown);
        for (index, &joint) in joints.iter().enumerate().take(self.buffer.joints) {
            self.buffer
                .set_rotation(index, pose.rotation(usize::from(joint)));
        }
    }
}
