//! From local poses to joints in the world: look-at, chains, model matrices, attachments; in waves.
//!
//! reads: local poses, positions, goals. writes: poses, model matrices, attached actors' places, reports, the camera.
//!
//! A wave holds the actors all of whose parents (attached to, or target of a goal) are in earlier waves, so a socket is
//! never a step late. A cycle is cut at its lowest actor, which sees the others' joints of the step before.

use glam::{Affine3A, Quat, Vec3};
use sinew_anim::{Fade, LookAtInput, Pose, TwoBoneInput};

use crate::{Actor, ActorId, Actors, Animation, Pole, Release, Target, World};

/// Wave of an actor that has not been placed in one yet.
const UNKNOWN: u16 = u16::MAX;

pub(super) fn run(world: &mut World, dt: f32) {
    let cut = sort_into_waves(&mut world.actors, &mut world.waves);
    if let Some(actor) = cut.and_then(|id| world.actors.get(id)) {
        world.remark_once("W-CYCLE", &actor.name.clone(), |name| {
            format!("`{name}` waits for itself through attachments or targets: it sees the others' joints of the step before")
        });
    }
    for wave in 0..=world.waves {
        resolve(&mut world.actors, wave);
        world.jobs.for_each(&mut world.actors, |actor, _| {
            if actor.wave == wave {
                finish_actor(actor, dt);
            }
        });
    }
    world.camera.follow(&world.actors, world.clock.frame, dt);
}

/// Returns an actor at which a cycle had to be cut.
fn sort_into_waves(actors: &mut Actors, last: &mut u16) -> Option<ActorId> {
    *last = 0;
    for actor in actors.iter_mut() {
        let free = actor.attachment.is_none()
            && goals(actor).all(|target| !matches!(target, Target::Actor { .. }));
        actor.wave = if free { 0 } else { UNKNOWN };
    }
    let mut cut = None;
    for index in 0..actors.places() {
        while actors.at(index).is_some_and(|actor| actor.wave == UNKNOWN) {
            let top = first_open(actors, index);
            let parents = actors
                .at(top)
                .map(|actor| wave_after_parents(actors, actor));
            let (wave, in_cycle) = parents.unwrap_or_default();
            if in_cycle {
                cut = cut.or(actors.at(top).map(|actor| actor.id));
            }
            set_wave(actors, top, wave, last);
        }
    }
    cut
}

/// The actor to be placed before `index` can be: the end of its chain of unplaced parents or, where that runs in a
/// circle, the circle's lowest actor.
fn first_open(actors: &Actors, index: usize) -> usize {
    let up = |at: usize| actors.at(at).and_then(|actor| open_parent(actors, actor));
    let mut at = index;
    for _ in 0..actors.places() {
        match up(at) {
            Some(parent) => at = parent,
            None => return at,
        }
    }
    let circle = std::iter::successors(up(at), |&next| up(next).filter(|_| next != at));
    circle.min().unwrap_or(at)
}

fn open_parent(actors: &Actors, actor: &Actor) -> Option<usize> {
    parents(actors, actor)
        .find(|parent| parent.wave == UNKNOWN)
        .map(|parent| parent.id.index as usize)
}

fn wave_after_parents(actors: &Actors, actor: &Actor) -> (u16, bool) {
    let waves = parents(actors, actor).map(|parent| parent.wave);
    let in_cycle = waves.clone().any(|wave| wave == UNKNOWN);
    let placed = waves.filter(|&wave| wave != UNKNOWN).max();
    (placed.map_or(0, |wave| wave + 1), in_cycle)
}

fn set_wave(actors: &mut Actors, index: usize, wave: u16, last: &mut u16) {
    if let Some(actor) = actors.at_mut(index) {
        actor.wave = wave;
        *last = (*last).max(wave);
    }
}

fn goals(actor: &Actor) -> impl Iterator<Item = Target> + Clone {
    let animation = actor.animation.as_ref();
    let chains = animation.map_or(&[][..], |animation| &animation.chains);
    chains
        .iter()
        .filter_map(|chain| chain.target)
        .chain(animation.and_then(|animation| animation.look.target))
}

/// Whom an actor waits for: whom it hangs from, and whose place or socket it aims at where that is known only once the
/// other is finished. Where a free actor stands is known before, so two who look at each other wait for nobody.
fn parents<'a>(actors: &'a Actors, actor: &'a Actor) -> impl Iterator<Item = &'a Actor> + Clone {
    let own = actor.id;
    let attached = actor
        .attachment
        .as_ref()
        .map(|attachment| attachment.parent);
    let aimed = goals(actor).filter_map(|target| match target {
        Target::Actor { actor, joint } => {
            let late = joint.is_some() || actors.get(actor)?.attachment.is_some();
            late.then_some(actor)
        }
        Target::Point(_) => None,
    });
    let ids = attached
        .into_iter()
        .chain(aimed)
        .filter(move |&id| id != own);
    ids.filter_map(|id| actors.get(id))
}

/// Puts into each actor of a wave what it needs of others, so that the parallel part sees one actor at a time.
fn resolve(actors: &mut Actors, wave: u16) {
    for index in 0..actors.places() {
        let Some(actor) = actors.at(index).filter(|actor| actor.wave == wave) else {
            continue;
        };
        let socket = actor.attachment.as_ref().map(|attachment| {
            let parent = actors.get(attachment.parent);
            parent.map(|parent| socket_world(parent, attachment.joint.as_deref()))
        });
        match socket {
            Some(Some(world)) => hang(actors.at_mut(index), world),
            Some(None) => let_go(actors.at_mut(index)),
            None => {}
        }
        let Some(animation) = actors.at(index).and_then(|actor| actor.animation.as_ref()) else {
            continue;
        };
        for chain in 0..animation.chains.len() {
            let point = chain_target(actors, index, chain);
            if let Some(animation) = animation_at(actors, index) {
                let goal = &mut animation.chains[chain];
                release_if_gone(&mut goal.target, point, &mut goal.weight);
                goal.point_world = point.unwrap_or(goal.point_world);
            }
        }
        let point = actors
            .at(index)
            .and_then(|actor| actor.animation.as_ref()?.look.target)
            .and_then(|target| point_of(actors, target, true));
        if let Some(animation) = animation_at(actors, index) {
            let goal = &mut animation.look;
            release_if_gone(&mut goal.target, point, &mut goal.weight);
            goal.point_world = point.unwrap_or(goal.point_world);
        }
    }
}

fn animation_at(actors: &mut Actors, index: usize) -> Option<&mut Animation> {
    actors.at_mut(index)?.animation.as_mut()
}

fn chain_target(actors: &Actors, index: usize, chain: usize) -> Option<Vec3> {
    let target = actors.at(index)?.animation.as_ref()?.chains[chain].target?;
    point_of(actors, target, false)
}

/// Seconds in which a goal fades whose target went away.
const LOST_TARGET_FADE: f32 = 0.3;

fn release_if_gone(target: &mut Option<Target>, point: Option<Vec3>, weight: &mut Fade) {
    if target.is_some() && point.is_none() {
        *target = None;
        weight.to(0.0, LOST_TARGET_FADE);
    }
}

fn point_of(actors: &Actors, target: Target, looking: bool) -> Option<Vec3> {
    match target {
        Target::Point(point) => Some(point),
        Target::Actor { actor, joint } => {
            let actor = actors.get(actor)?;
            let socket = joint.and_then(|joint| actor.joint_world(joint));
            let origin = actor.position_world;
            let face = origin + Vec3::Y * face_height(actor);
            Some(
                socket.map_or(if looking { face } else { origin }, |(position, _)| {
                    position
                }),
            )
        }
    }
}

/// Where one looks to look somebody in the face: nine tenths of the height.
fn face_height(actor: &Actor) -> f32 {
    let top = actor
        .animation
        .as_ref()
        .map_or(0.0, |animation| animation.model.value.bounds[1].y);
    top * 0.9
}

fn socket_world(parent: &Actor, joint: Option<&str>) -> Affine3A {
    let joint_model = joint.and_then(|name| {
        let animation = parent.animation.as_ref()?;
        let joint = animation.model.value.skeleton.find(name)?;
        animation.model_joints.get(usize::from(joint)).copied()
    });
    parent.world * joint_model.unwrap_or(Affine3A::IDENTITY)
}

fn hang(actor: Option<&mut Actor>, world: Affine3A) {
    let Some(actor) = actor else {
        return;
    };
    let (_, rotation, position) = world.to_scale_rotation_translation();
    actor.world = Affine3A::from_rotation_translation(rotation, position);
    actor.position_world = position;
    actor.tilt = Quat::IDENTITY;
    let forward = rotation * Vec3::Z;
    if forward.x.hypot(forward.z) > 1e-4 {
        actor.yaw = forward.x.atan2(forward.z);
    }
}

fn let_go(actor: Option<&mut Actor>) {
    if let Some(actor) = actor {
        actor.attachment = None;
        actor.place();
    }
}

/// The look goes first: it turns what the arms hang from, and a hand is to be where it was asked to be.
fn finish_actor(actor: &mut Actor, dt: f32) {
    let Some(animation) = &mut actor.animation else {
        return;
    };
    let_go_of_goals(animation, dt);
    let skeleton = &animation.model.value.skeleton;
    sinew_anim::local_to_model(skeleton, &animation.pose, &mut animation.model_joints);
    let world_to_model = actor.world.inverse();
    look(animation, world_to_model, dt);
    reach(animation, world_to_model, dt);
    remember_goals(animation);
}

/// Joints that a goal has let go keep what is left of it, on top of the animation.
fn let_go_of_goals(animation: &mut Animation, dt: f32) {
    let Animation {
        graph,
        pose,
        chains,
        look,
        ..
    } = animation;
    if let Some(rig) = &graph.look_at {
        let wanted = look.target.is_some();
        release(
            &mut look.release,
            &mut look.weight,
            wanted,
            &rig.chain,
            pose,
            dt,
        );
    }
    for (rig, goal) in graph.chains.iter().zip(chains) {
        let wanted = goal.target.is_some();
        release(
            &mut goal.release,
            &mut goal.weight,
            wanted,
            &rig.joints,
            pose,
            dt,
        );
    }
}

fn release(
    release: &mut Release,
    weight: &mut Fade,
    wanted: bool,
    joints: &[u16],
    pose: &mut Pose,
    dt: f32,
) {
    if wanted && release.is_let_go() {
        // What is left of the last hold is on the joints already.
        weight.value = 0.0;
        release.hold();
    }
    if !wanted && weight.target <= 0.0 && !release.is_let_go() {
        release.begin(joints, pose, weight.seconds_left, dt);
    }
    release.apply(joints, pose, dt);
}

/// Keeps what the joints of goals show, to go on from there when they are let go.
fn remember_goals(animation: &mut Animation) {
    let Animation {
        graph,
        pose,
        chains,
        look,
        ..
    } = animation;
    if let Some(rig) = &graph.look_at {
        let holds = look.weight.value > 0.0 && !look.release.is_let_go();
        look.release.show(&rig.chain, pose, holds);
    }
    for (rig, goal) in graph.chains.iter().zip(chains) {
        let holds = goal.weight.value > 0.0 && !goal.release.is_let_go();
        goal.release.show(&rig.joints, pose, holds);
    }
}

fn look(animation: &mut Animation, world_to_model: Affine3A, dt: f32) {
    let Animation {
        model,
        graph,
        pose,
        model_joints,
        look,
        ..
    } = animation;
    let weight = look.weight.step(dt);
    if weight <= 0.0 || look.release.is_let_go() {
        look.angles = None;
        return;
    }
    let Some(rig) = &graph.look_at else {
        return;
    };
    let input = LookAtInput {
        chain: &rig.chain,
        target_model: world_to_model.transform_point3(look.point_world),
        forward_model: rig.forward_model,
        max_yaw: rig.max_yaw,
        max_pitch: rig.max_pitch,
        weight,
        previous: look.angles,
        max_turn: rig.speed.map_or(f32::INFINITY, |speed| speed * dt),
    };
    let skeleton = &model.value.skeleton;
    let (report, angles) = sinew_anim::look_at(skeleton, model_joints, &input, pose);
    look.report = report;
    look.angles = Some(angles);
    sinew_anim::local_to_model(skeleton, pose, model_joints);
}

fn reach(animation: &mut Animation, world_to_model: Affine3A, dt: f32) {
    let Animation {
        model,
        graph,
        pose,
        model_joints,
        chains,
        ..
    } = animation;
    let skeleton = &model.value.skeleton;
    for (rig, goal) in graph.chains.iter().zip(chains.iter_mut()) {
        let weight = goal.weight.step(dt);
        let [hip, knee, foot] = rig.joints[..] else {
            continue;
        };
        if weight <= 0.0 || goal.release.is_let_go() {
            continue;
        }
        let pole = match goal.pole {
            Pole::PointWorld(point) => {
                sinew_anim::Pole::Point(world_to_model.transform_point3(point))
            }
            Pole::DirectionModel(direction) => sinew_anim::Pole::Direction(direction),
            Pole::Default => rig
                .pole_dir
                .map_or(sinew_anim::Pole::Rest, sinew_anim::Pole::Direction),
        };
        let input = TwoBoneInput {
            joints: [hip, knee, foot],
            target_model: world_to_model.transform_point3(goal.point_world),
            pole,
            weight,
            soft: rig.soft,
        };
        goal.report = sinew_anim::two_bone(skeleton, model_joints, &input, pose);
        sinew_anim::local_to_model(skeleton, pose, model_joints);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attachment;

    fn hanging(names: &[(&str, Option<usize>)]) -> Actors {
        let mut actors = Actors::default();
        let ids: Vec<ActorId> = names
            .iter()
            .map(|(name, _)| actors.insert(Actor::named(name)))
            .collect();
        for (id, (_, parent)) in ids.iter().zip(names) {
            let attachment = parent.map(|parent| Attachment {
                parent: ids[parent],
                joint: None,
            });
            actors.get_mut(*id).expect("inserted").attachment = attachment;
        }
        actors
    }

    #[test]
    fn every_actor_comes_after_what_it_hangs_from() {
        let chain: Vec<(String, Option<usize>)> = (0..60)
            .map(|index| (format!("link_{index}"), (index < 59).then_some(index + 1)))
            .collect();
        let chain: Vec<(&str, Option<usize>)> = chain
            .iter()
            .map(|(name, parent)| (name.as_str(), *parent))
            .collect();
        let mut actors = hanging(&chain);
        let mut last = 0;
        assert_eq!(sort_into_waves(&mut actors, &mut last), None);
        assert_eq!(last, 59);
        let waves: Vec<u16> = actors.iter().map(|actor| actor.wave).collect();
        assert!(waves.is_sorted_by(|a, b| *a == b + 1), "{waves:?}");
    }

    #[test]
    fn a_cycle_is_cut_at_its_lowest_actor() {
        let mut actors = hanging(&[("a", Some(2)), ("b", None), ("c", Some(3)), ("d", Some(2))]);
        let mut last = 0;
        let cut = sort_into_waves(&mut actors, &mut last).expect("c and d wait for each other");
        assert_eq!(&*actors.need(cut).expect("there").name, "c");
        let waves: Vec<u16> = actors.iter().map(|actor| actor.wave).collect();
        assert_eq!(waves, [1, 0, 0, 1]);
    }
}
