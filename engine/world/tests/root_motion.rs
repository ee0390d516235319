//! Root motion of all axes on a whole actor: what it does to place, lean, joints and state.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::Path, sync::Arc};

use glam::{Affine3A, Quat, Vec3};
use serde_json::{Value, json};
use sinew_anim::{Clip, GraphDef, Interpolation, JointTracks, Track};
use sinew_assets::{Assets, LogicalPath};
use sinew_world::{
    Actor, ActorId, Input, Jobs, Motion, NoScripts, Physics, RootMode, Spawn, Static, StaticShape,
    World, hash, step,
};

const DT: f32 = 1.0 / 60.0;

/// A second of a turn by `radians` about `axis` through a point above the ground, while rising by `rise` metres.
fn turning(axis: Vec3, radians: f32, rise: f32) -> Clip {
    let centre = Vec3::new(0.2, 0.9, 0.1);
    let times: Vec<f32> = (0..=60).map(|key| key as f32 / 60.0).collect();
    let turn = |t: &f32| Quat::from_axis_angle(axis, radians * t);
    let place = |t: &f32| centre - turn(t) * centre + Vec3::Y * rise * *t;
    clip(
        times.iter().map(place).collect(),
        times.iter().map(turn).collect(),
        times,
    )
}

fn clip(places: Vec<Vec3>, turns: Vec<Quat>, times: Vec<f32>) -> Clip {
    fn linear<T>(times: &[f32], values: Vec<T>) -> Option<Track<T>> {
        Some(Track {
            interpolation: Interpolation::Linear,
            times: times.to_vec(),
            values,
        })
    }
    Clip {
        name: "own".to_owned(),
        duration: 1.0,
        joints: vec![JointTracks {
            joint: 0,
            translation: linear(&times, places),
            rotation: linear(&times, turns),
            scale: None,
        }],
        ..Clip::default()
    }
}

fn motion(axes: &Value) -> Motion {
    let def = json!({
        "root": { "joint": "root", "axes": axes },
        "layers": [{ "name": "base", "states": { "s": { "clip": "own", "mode": "once" } } }],
    });
    Motion::Graph {
        def: Arc::new(GraphDef::from_value(def).unwrap()),
        file: None,
        space: "sinew".to_owned(),
    }
}

/// A hero in the void that plays a clip of our own.
fn scene(own: Clip, axes: &Value, mode: RootMode) -> (World, ActorId) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let assets = Assets::new(project.unwrap());
    let mut world = World::new(assets, Jobs::on_threads(1).unwrap(), 7);
    let hero = Spawn {
        name: "hero".to_owned(),
        model: Some(LogicalPath::parse("hero.glb", "sinew").unwrap()),
        position_world: Vec3::new(1.0, 0.0, 2.0),
        yaw: 0.6,
        root_mode: mode,
        ..Spawn::default()
    };
    let id = world.spawn(hero).unwrap();
    let animation = world.need_animation_mut(id).unwrap();
    let mut model = (*animation.model.value).clone();
    assert_eq!(model.skeleton.names[0], "root");
    model.clips.push(Arc::new(own));
    animation.model.value = Arc::new(model);
    world.set_motion(id, motion(axes)).unwrap();
    (world, id)
}

fn run(world: &mut World, steps: u32, dt: f32) {
    for _ in 0..steps {
        step(world, &mut NoScripts, &Input::default(), dt);
    }
}

fn actor(world: &World, id: ActorId) -> &Actor {
    world.actors.need(id).unwrap()
}

/// The root and all that hangs from it; meshes may stand beside it.
fn joints_world(world: &World, id: ActorId) -> Vec<Affine3A> {
    let actor = actor(world, id);
    let animation = actor.animation.as_ref().unwrap();
    let skeleton = &animation.graph.skeleton;
    let body =
        (0..skeleton.len() as u16).filter(|&joint| joint == 0 || skeleton.is_under(joint, 0));
    body.map(|joint| actor.world * animation.model_joints[usize::from(joint)])
        .collect()
}

fn slant() -> Vec3 {
    Vec3::new(0.48, 0.6, 0.64)
}

fn all_axes() -> Vec<Value> {
    vec![
        json!("planar"),
        json!("planar_y"),
        json!("full"),
        json!(["yaw"]),
        json!(["x", "y"]),
        json!(["y", "z", "yaw"]),
        json!([]),
    ]
}

/// Whoever applies the motion, the skin is where the clip says. In the void only a clip that takes the height keeps an
/// actor from falling, so without one the fall is put back.
#[test]
fn actor_and_pose_together_are_the_clip_whatever_axes_the_actor_takes() {
    let own = || turning(slant(), 2.5, 0.7);
    for axes in all_axes() {
        let (mut moved, id) = scene(own(), &axes, RootMode::Move);
        let (mut posed, twin) = scene(own(), &axes, RootMode::Off);
        let takes_height = ["planar_y", "full"].contains(&axes.as_str().unwrap_or_default())
            || axes
                .as_array()
                .is_some_and(|axes| axes.contains(&json!("y")));
        for _ in 0..55 {
            run(&mut moved, 1, DT);
            run(&mut posed, 1, DT);
            let height = actor(&moved, id).position_world.y;
            let fall = if takes_height { 0.0 } else { height };
            let put_back = Affine3A::from_translation(Vec3::Y * -fall);
            let joints = joints_world(&moved, id).into_iter();
            for (joint, expected) in joints.zip(joints_world(&posed, twin)) {
                let joint = put_back * joint;
                assert!(
                    joint.abs_diff_eq(expected, 2e-4),
                    "{axes}: {joint} {expected}"
                );
            }
        }
    }
}

#[test]
fn a_roll_turns_the_whole_actor_and_its_heading_stays() {
    let own = turning(Vec3::X, std::f32::consts::FRAC_PI_2, 0.5);
    let (mut world, id) = scene(own, &json!("full"), RootMode::Move);
    run(&mut world, 60, DT);
    let actor = actor(&world, id);
    let up = actor.world.transform_vector3(Vec3::Y);
    assert!(up.abs_diff_eq(actor.forward_world(), 1e-4), "{up}");
    assert!((actor.yaw - 0.6).abs() < 1e-4, "{}", actor.yaw);
    // The root of the pose stands as at rest: the socket has all of the motion from the actor.
    let (at_world, turned) = actor.joint_world(0).unwrap();
    assert!(at_world.abs_diff_eq(actor.position_world, 1e-5));
    assert!(turned.dot(actor.rotation_world()).abs() > 1.0 - 1e-5);
}

#[test]
fn long_steps_end_where_short_ones_do() {
    for axes in all_axes() {
        let end = |steps: u32| {
            let (mut world, id) = scene(turning(slant(), 2.5, 0.7), &axes, RootMode::Move);
            run(&mut world, steps, 1.0 / steps as f32);
            let actor = actor(&world, id);
            (actor.position_world.with_y(0.0), actor.rotation_world())
        };
        let (fine_place, fine_turn) = end(120);
        for steps in [60, 20, 4] {
            let (place, turn) = end(steps);
            assert!(place.abs_diff_eq(fine_place, 1e-3), "{axes} {steps}");
            assert!(turn.dot(fine_turn).abs() > 1.0 - 1e-5, "{axes} {steps}");
        }
    }
}

#[test]
fn modes_switch_while_running() {
    let own = turning(slant(), 2.5, 0.7);
    let (mut world, id) = scene(own, &json!("full"), RootMode::Move);
    run(&mut world, 20, DT);
    let turned = actor(&world, id).rotation_world();
    assert!(actor(&world, id).tilt != Quat::IDENTITY);

    world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
    let mut reported = Quat::IDENTITY;
    for _ in 0..20 {
        run(&mut world, 1, DT);
        let animation = world.need_animation(id).unwrap();
        reported *= animation.root.rotation;
        let root = animation.pose.joint(0);
        assert_eq!(root, animation.graph.skeleton.rest.joint(0));
    }
    assert_eq!(actor(&world, id).rotation_world(), turned);
    let expected = Quat::from_axis_angle(slant(), 2.5 * 20.0 / 60.0);
    assert!(reported.dot(expected).abs() > 1.0 - 1e-5, "{reported}");

    world.need_animation_mut(id).unwrap().root_mode = RootMode::Off;
    run(&mut world, 10, DT);
    assert_eq!(actor(&world, id).rotation_world(), turned);
    let posed = world.need_animation(id).unwrap().pose.rotation(0);
    let expected = Quat::from_axis_angle(slant(), 2.5 * 50.0 / 60.0);
    assert!(posed.dot(expected).abs() > 1.0 - 1e-5, "{posed}");
}

#[test]
fn a_yaw_that_is_set_and_facing_stand_the_actor_upright() {
    let leaned = || {
        let own = turning(Vec3::X, 1.2, 0.7);
        let (mut world, id) = scene(own, &json!("full"), RootMode::Move);
        run(&mut world, 60, DT);
        (world, id)
    };
    let (mut world, id) = leaned();
    world.teleport(id, Vec3::ZERO, None).unwrap();
    let up = actor(&world, id).world.transform_vector3(Vec3::Y);
    assert!(up.y < 0.5, "{up}");
    world.teleport(id, Vec3::ZERO, Some(1.0)).unwrap();
    let upright = Affine3A::from_rotation_y(1.0);
    assert!(actor(&world, id).world.abs_diff_eq(upright, 1e-6));

    let (mut world, id) = leaned();
    for _ in 0..60 {
        let asked = &mut world.actors.need_mut(id).unwrap().requests;
        asked.face = Some((Vec3::X, 2.0));
        run(&mut world, 1, DT);
    }
    let actor = actor(&world, id);
    assert_eq!(actor.tilt, Quat::IDENTITY);
    assert!(actor.forward_world().abs_diff_eq(Vec3::X, 1e-4));
}

#[test]
fn the_hash_sees_a_lean() {
    let (mut world, id) = scene(turning(Vec3::X, 0.0, 0.0), &json!("full"), RootMode::Move);
    let before = hash(&world, &NoScripts);
    world.actors.need_mut(id).unwrap().tilt = Quat::from_rotation_x(1e-3);
    assert_ne!(hash(&world, &NoScripts), before);
}

#[test]
fn a_leap_of_the_clip_leaves_the_ground_and_comes_back_to_it() {
    let times: Vec<f32> = (0..=20).map(|key| key as f32 / 20.0).collect();
    let height = |t: &f32| Vec3::new(0.0, 4.0 * t * (1.0 - t), *t);
    let places = times.iter().map(height).collect();
    let own = clip(places, vec![Quat::IDENTITY; times.len()], times);
    let (mut world, id) = scene(own, &json!("planar_y"), RootMode::Move);
    world.physics = Physics::new(&[Static {
        name: None,
        shape: StaticShape::Plane,
        center_world: Vec3::ZERO,
        yaw: 0.0,
        color: [1.0; 3],
    }]);
    run(&mut world, 30, DT);
    let top = actor(&world, id);
    assert!(
        (top.position_world.y - 1.0).abs() < 0.02,
        "{}",
        top.position_world
    );
    assert!(!top.grounded);
    run(&mut world, 60, DT);
    let back = actor(&world, id);
    assert!(
        back.position_world.y.abs() < 0.02,
        "{}",
        back.position_world
    );
    assert!(back.grounded);
    let way = (back.position_world - Vec3::new(1.0, 0.0, 2.0)).dot(back.forward_world());
    assert!((way - 1.0).abs() < 0.02, "{way}");
}
