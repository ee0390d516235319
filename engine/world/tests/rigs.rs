//! Sockets and looks of actors that stand, turn and hang anyhow, against plain products of matrices in 64 bits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::Path, sync::Arc};

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};
use sinew_anim::{GraphDef, Pose, Skeleton};
use sinew_assets::{Assets, LogicalPath};
use sinew_world::{ActorId, Input, Jobs, Motion, NoScripts, RootMode, Spawn, Target, World, step};

const DT: f32 = 1.0 / 60.0;

/// SplitMix64, numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f32) as usize
    }

    fn place(&mut self, reach: f32) -> Vec3 {
        Vec3::from([(); 3].map(|()| self.range(-reach, reach)))
    }
}

fn empty_world(threads: usize) -> World {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let assets = Assets::new(project.unwrap());
    World::new(assets, Jobs::on_threads(threads).unwrap(), 7)
}

fn walking(clip: &str) -> Motion {
    let def = format!(
        r#"{{
        "root": {{ "joint": "root", "axes": "planar" }},
        "layers": [{{ "name": "base", "states": {{ "s": {{ "clip": "{clip}" }} }} }}],
        "chains": {{ "arm_r": {{ "kind": "two_bone", "joints": ["upperArm_R", "lowerArm_R", "hand_R"] }} }},
        "look_at": {{ "chain": ["upperChest", "neck", "head"], "max_yaw": 70, "max_pitch": 40 }}
    }}"#
    );
    Motion::Graph {
        def: Arc::new(GraphDef::from_json(&def).unwrap()),
        file: None,
        space: "sinew".to_owned(),
    }
}

fn hero(world: &mut World, name: String, position_world: Vec3, yaw: f32) -> ActorId {
    let spawn = Spawn {
        name,
        model: Some(LogicalPath::parse("hero.glb", "sinew").unwrap()),
        position_world,
        yaw,
        ..Spawn::default()
    };
    world.spawn(spawn).unwrap()
}

/// A joint in model space.
fn joint_model(skeleton: &Skeleton, pose: &Pose, joint: u16) -> DMat4 {
    let local = pose.joint(usize::from(joint));
    let local = DMat4::from_translation(local.translation.as_dvec3())
        * DMat4::from_quat(local.rotation.as_dquat())
        * DMat4::from_scale(local.scale.as_dvec3());
    let pre = skeleton.pre.iter().find(|(at, _)| *at == joint);
    let pre = pre.map_or(DMat4::IDENTITY, |(_, pre)| Mat4::from(*pre).as_dmat4());
    let above = skeleton.parent(joint);
    above.map_or(DMat4::IDENTITY, |above| joint_model(skeleton, pose, above)) * pre * local
}

/// Where an actor stands that hangs from others: through all of them, as they stand in this step.
fn world_of(world: &World, id: ActorId) -> DMat4 {
    let actor = world.actors.need(id).unwrap();
    let Some(attachment) = &actor.attachment else {
        return DMat4::from_rotation_translation(
            actor.rotation_world().as_dquat(),
            actor.position_world.as_dvec3(),
        );
    };
    let parent = world.actors.need(attachment.parent).unwrap();
    let animation = parent.animation.as_ref().unwrap();
    let skeleton = &animation.model.value.skeleton;
    let joint = skeleton.find(attachment.joint.as_ref().unwrap()).unwrap();
    let socket = world_of(world, attachment.parent) * joint_model(skeleton, &animation.pose, joint);
    // What hangs keeps its own size.
    let (_, rotation, place) = socket.to_scale_rotation_translation();
    DMat4::from_rotation_translation(rotation, place)
}

/// Towers of actors that walk, reach and hang from any joints of each other, whatever their order in the level.
#[test]
fn whoever_hangs_stands_at_the_joint_of_the_same_step() {
    let mut random = Random(0x50c);
    for case in 0..12 {
        let mut world = empty_world(1 + case % 3);
        let count = 2 + random.below(4);
        let mut ids: Vec<ActorId> = (0..count)
            .map(|index| {
                let (place, yaw) = (random.place(5.0), random.range(-3.0, 3.0));
                let id = hero(&mut world, format!("actor_{index}"), place, yaw);
                let clip = ["walk", "run", "idle"][random.below(3)];
                world.set_motion(id, walking(clip)).unwrap();
                id
            })
            .collect();
        // Who is above whom does not go by their numbers.
        for index in (1..count).rev() {
            ids.swap(index, random.below(index + 1));
        }
        for pair in ids.windows(2) {
            let names = &world.need_animation(pair[0]).unwrap().model.value;
            let names = &names.skeleton.names;
            let joint = names[random.below(names.len())].clone();
            world.attach(pair[1], pair[0], Some(&joint)).unwrap();
        }
        let reach = random.place(2.0);
        for frame in 0..40 {
            if frame == 10 {
                for &id in &ids {
                    let animation = world.need_animation_mut(id).unwrap();
                    animation.chains[0].target = Some(Target::Point(reach));
                    animation.chains[0].weight.to(1.0, 0.2);
                    animation.look.target = Some(Target::Point(-reach));
                    animation.look.weight.to(1.0, 0.2);
                }
            }
            step(&mut world, &mut NoScripts, &Input::default(), DT);
            for &id in &ids {
                let expected = world_of(&world, id);
                let actor = world.actors.need(id).unwrap();
                let place = actor.position_world.as_dvec3();
                let error = place.distance(expected.w_axis.truncate()) / (1.0 + place.length());
                assert!(error < 5e-6, "case {case}, frame {frame}: {error}");
                let turned = Mat4::from(actor.world).as_dmat4();
                assert!(
                    turned.abs_diff_eq(expected, 2e-5 * (1.0 + place.length())),
                    "case {case}, frame {frame}: {turned} {expected}"
                );
            }
        }
    }
}

#[test]
fn the_head_points_at_its_target_however_the_actor_is_turned() {
    let mut random = Random(0x100c);
    for case in 0..24 {
        let mut world = empty_world(1);
        // The quarters of a circle first, then anything.
        let quarter = std::f32::consts::FRAC_PI_2;
        let yaw = if case < 4 {
            quarter * case as f32
        } else {
            random.range(-3.1, 3.1)
        };
        let id = hero(&mut world, "hero".to_owned(), random.place(20.0), yaw);
        let clip = ["walk", "run", "idle"][case % 3];
        world.set_motion(id, walking(clip)).unwrap();
        world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
        step(&mut world, &mut NoScripts, &Input::default(), DT);
        let head = world.need_joint(id, "head").unwrap();
        let (eye, _) = world.actors.need(id).unwrap().joint_world(head).unwrap();
        let side = Quat::from_rotation_y(yaw + random.range(-0.6, 0.6));
        let up = Quat::from_rotation_x(random.range(-0.3, 0.3));
        let target = eye + side * (up * Vec3::Z) * 20.0;
        let look = &mut world.need_animation_mut(id).unwrap().look;
        look.target = Some(Target::Point(target));
        look.weight.to(1.0, 0.1);
        for frame in 0..60 {
            // Nothing holds the actor up: the target falls with it.
            let height = world.actors.need(id).unwrap().position_world.y;
            step(&mut world, &mut NoScripts, &Input::default(), DT);
            let actor = world.actors.need(id).unwrap();
            let fallen = actor.position_world.y - height;
            let animation = actor.animation.as_ref().unwrap();
            let skeleton = &animation.model.value.skeleton;
            let at_rest = joint_model(skeleton, &skeleton.rest, head);
            let now = world_of(&world, id) * joint_model(skeleton, &animation.pose, head);
            let forward = now.transform_vector3(at_rest.inverse().transform_vector3(DVec3::Z));
            let goal = animation.look.point_world.as_dvec3();
            let aim = (goal - now.w_axis.truncate()).normalize();
            let aimed = forward.normalize().dot(aim);
            assert!(frame < 10 || aimed >= 0.99999, "case {case}: {aimed}");
            assert!(frame < 10 || animation.look.report.reached, "case {case}");
            let look = &mut world.need_animation_mut(id).unwrap().look;
            if let Some(Target::Point(point)) = &mut look.target {
                point.y += fallen;
            }
        }
    }
}
