//! Local poses of all actors, in parallel.
//!
//! reads: graph states, held morph weights. writes: local poses.

use crate::{RootMode, World};

pub(super) fn run(world: &mut World) {
    world.jobs.for_each(&mut world.actors, |actor, scratch| {
        let Some(animation) = &mut actor.animation else {
            return;
        };
        let root_in_pose = animation.root_mode == RootMode::Off;
        sinew_anim::evaluate(
            &animation.graph,
            &animation.state,
            root_in_pose,
            scratch,
            &mut animation.pose,
        );
        animation.shown = true;
        animation.held_morphs.apply(&mut animation.pose);
    });
}
