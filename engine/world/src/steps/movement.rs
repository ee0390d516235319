//! Root motion or requested velocity, gravity and the level's ground: where actors go.
//!
//! reads: requests, root motion, the level's colliders. writes: positions, yaws, leans, what was achieved; empties requests.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use crate::{Actor, Behaviour, Character, Physics, RootMode, World};

/// Substeps are at most this long, seconds.
const LONGEST_SUBSTEP: f32 = 1.0 / 60.0 + 1e-6;
/// A step is cut into at most this many substeps; longer steps get longer substeps.
const MOST_SUBSTEPS: u32 = 16;
/// Root motion that rises or sinks faster than this carries the actor in place of gravity, metres a second.
const SLOWEST_LIFT: f32 = 1e-3;

pub(super) fn run(world: &mut World, behaviour: &mut dyn Behaviour, dt: f32) {
    let substeps = ((dt / LONGEST_SUBSTEP).ceil() as u32).clamp(1, MOST_SUBSTEPS);
    let sub_dt = dt / substeps as f32;
    for actor in world.actors.iter_mut() {
        actor.velocity_world = Vec3::ZERO;
        actor.yaw_rate = 0.0;
    }
    for _ in 0..substeps {
        if sub_dt > 0.0 {
            behaviour.fixed_update(world, sub_dt);
            let gravity = world.level.def.gravity;
            for actor in world.actors.iter_mut() {
                move_actor(actor, &world.physics, gravity, sub_dt, substeps);
            }
        }
    }
    for actor in world.actors.iter_mut() {
        actor.requests = Default::default();
        if actor.attachment.is_none() {
            actor.place();
        }
    }
}

fn move_actor(actor: &mut Actor, physics: &Physics, gravity: f32, dt: f32, substeps: u32) {
    if actor.attachment.is_some() {
        return;
    }
    let yaw_before = actor.yaw;
    let wish = wanted(actor, dt, substeps);
    if let Some((direction, rate)) = actor.requests.face {
        actor.yaw = turned(actor.yaw, direction, rate * dt);
        actor.straighten(rate * dt);
    }
    actor.yaw_rate += (actor.yaw - yaw_before) / dt / substeps as f32;
    actor.yaw = PI - (PI - actor.yaw).rem_euclid(TAU);
    if wish != Vec3::ZERO || actor.requests.jump.is_some() {
        actor
            .character
            .get_or_insert_with(|| body_of(&actor.animation));
    }
    let Some(mut character) = actor.character else {
        return;
    };
    if let Some(speed) = actor.requests.jump.take() {
        character.vertical_speed = speed;
    } else if actor.grounded {
        character.vertical_speed = character.vertical_speed.min(0.0);
    }
    let lifted = wish.y.abs() > SLOWEST_LIFT * dt && character.vertical_speed <= 0.0;
    if lifted {
        character.vertical_speed = 0.0;
    } else {
        character.vertical_speed -= gravity * dt;
    }
    let step = wish + Vec3::Y * character.vertical_speed * dt;
    let walked = physics.walk(
        actor.position_world,
        character.radius,
        character.height,
        step,
        dt,
    );
    actor.grounded = walked.grounded && step.y <= 0.0;
    if actor.grounded {
        character.vertical_speed = 0.0;
    }
    actor.position_world += walked.moved_world;
    actor.velocity_world += walked.moved_world / dt / substeps as f32;
    actor.character = Some(character);
}

/// The way of a substep, metres in the world, by request or root motion; root motion also turns. Only root motion
/// that takes the height goes up or down.
fn wanted(actor: &mut Actor, dt: f32, substeps: u32) -> Vec3 {
    let root = actor
        .animation
        .as_ref()
        .filter(|animation| animation.root_mode == RootMode::Move)
        .map(|animation| animation.root.share(substeps));
    let by_root = root.map_or(Vec3::ZERO, |root| {
        let way = actor.rotation_world() * root.translation;
        actor.turn_by(&root);
        way
    });
    match actor.requests.velocity_world {
        Some(velocity) => Vec3::new(velocity.x, 0.0, velocity.z) * dt,
        None => by_root,
    }
}

/// `yaw` turned towards a horizontal direction by at most `most` radians.
fn turned(yaw: f32, direction: Vec3, most: f32) -> f32 {
    let flat = Vec3::new(direction.x, 0.0, direction.z);
    if flat.length_squared() < 1e-8 {
        return yaw;
    }
    let off = (flat.x.atan2(flat.z) - yaw + PI).rem_euclid(TAU) - PI;
    yaw + off.clamp(-most.abs(), most.abs())
}

fn body_of(animation: &Option<crate::Animation>) -> Character {
    let bounds = animation
        .as_ref()
        .map_or([Vec3::ZERO; 2], |animation| animation.model.value.bounds);
    let height = (bounds[1].y - bounds[0].y.min(0.0)).clamp(0.4, 4.0);
    Character {
        radius: (height * 0.17).clamp(0.1, 0.5),
        height,
        vertical_speed: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use sinew_anim::RootDelta;

    use super::*;

    #[test]
    fn turning_takes_the_short_way_and_no_more_than_allowed() {
        let cases = [
            (0.0, Vec3::X, 10.0, PI / 2.0),
            (0.0, Vec3::X, 0.5, 0.5),
            (3.0, Vec3::new(-0.1, 0.0, -1.0), 0.2, 3.2),
            (1.0, Vec3::ZERO, 0.5, 1.0),
            (1.0, Vec3::Y, 0.5, 1.0),
        ];
        for (yaw, direction, most, expected) in cases {
            let got = turned(yaw, direction, most);
            assert!((got - expected).abs() < 1e-5, "{yaw} to {direction}: {got}");
        }
    }

    #[test]
    fn substeps_of_a_turning_step_end_where_the_whole_step_does() {
        let way = Vec3::new(0.3, 0.2, 0.8);
        let rolling = RootDelta {
            translation: way,
            rotation: Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.2),
            yaw: 0.0,
        };
        for root in [RootDelta::upright(way, 1.2), rolling] {
            for count in [1, 2, 7, 16] {
                let part = root.share(count);
                let mut actor = Actor::named("a");
                for _ in 0..count {
                    actor.position_world += actor.rotation_world() * part.translation;
                    actor.turn_by(&part);
                }
                let at = actor.position_world;
                assert!(at.abs_diff_eq(way, 1e-5), "{count}: {at}");
                let turned = actor.rotation_world();
                assert!(1.0 - turned.dot(root.rotation).abs() < 1e-6, "{turned}");
            }
        }
    }
}
