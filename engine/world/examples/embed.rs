//! Sinew without scripts and without a window: the shipped hero walks for a second and says where its joints are.
//!
//! `cargo run -p sinew-world --example embed`

#![allow(clippy::print_stdout, reason = "printing is what an example does")]

use std::{error::Error, path::Path, sync::Arc};

use glam::Vec3;
use sinew_anim::GraphDef;
use sinew_assets::{Assets, LogicalPath, PROJECT_SPACE};
use sinew_world::{Input, Jobs, NoScripts, Physics, Spawn, Static, StaticShape, World, step};

const GRAPH: &str = r#"{
    "parameters": { "speed": 0.0 },
    "root": { "joint": "root", "axes": "planar" },
    "layers": [{ "name": "base", "entry": "move", "states": { "move": { "blend": "speed", "sync_group": "feet", "rate": "distance",
        "points": [{ "at": 0.0, "clip": "idle" }, { "at": 1.2, "clip": "walk" }, { "at": 3.2, "clip": "run" }] } } }]
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    // Models are read from the `assets` folder of a project; here it is this repository, two folders up.
    let project = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut world = World::new(Assets::new(project), Jobs::on_threads(0)?, 7);
    // A world begins without ground, and whoever moves falls.
    world.physics = Physics::new(&[Static {
        name: None,
        shape: StaticShape::Plane,
        center_world: Vec3::ZERO,
        yaw: 0.0,
        color: [1.0; 3],
    }]);
    let hero = world.spawn(Spawn {
        name: "hero".to_owned(),
        model: Some(LogicalPath::parse("hero.glb", PROJECT_SPACE)?),
        ..Spawn::default()
    })?;
    world.set_graph(hero, Arc::new(GraphDef::from_json(GRAPH)?))?;

    // Names are looked up once; what runs in every frame goes by index.
    let joints = [
        world.need_joint(hero, "head")?,
        world.need_joint(hero, "hand_R")?,
    ];
    let animation = world.need_animation_mut(hero)?;
    let graph = animation.graph.clone();
    let speed = graph.parameter("speed").ok_or("the graph has no `speed`")?;
    animation.state.set_float(&graph, speed, 1.2)?;

    for frame in 1..=60 {
        step(&mut world, &mut NoScripts, &Input::default(), 1.0 / 60.0);
        if frame % 20 == 0 {
            let hero = world.actors.need(hero)?;
            for (position_world, _) in joints.iter().filter_map(|&joint| hero.joint_world(joint)) {
                print!("{position_world:.3}  ");
            }
            println!(
                "after {:.2} s at {:.3}",
                world.clock.time, hero.position_world
            );
        }
    }
    Ok(())
}
