//! The frame as a whole, without scripts, on the shipped characters.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use glam::Vec3;
use sinew_anim::GraphDef;
use sinew_assets::{Assets, LogicalPath};
use sinew_world::{
    Changes, Input, Jobs, Motion, NoScripts, RootMode, Spawn, Target, World, hash, step,
};

const DT: f32 = 1.0 / 60.0;

fn empty_world(threads: usize) -> World {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    World::new(Assets::new(project), Jobs::on_threads(threads).unwrap(), 7)
}

fn file(name: &str) -> LogicalPath {
    LogicalPath::parse(name, "sinew").unwrap()
}

fn character(name: &str, model: &str, position_world: Vec3) -> Spawn {
    Spawn {
        name: name.to_owned(),
        model: Some(file(model)),
        position_world,
        ..Spawn::default()
    }
}

fn walking() -> Motion {
    let def = r#"{
        "parameters": { "speed": { "type": "float", "value": 1.2 } },
        "root": { "joint": "root", "axes": "planar" },
        "layers": [{ "name": "base", "entry": "move", "states": { "move": {
            "blend": "speed", "rate": "distance", "sync_group": "feet",
            "points": [{ "at": 0, "clip": "idle" }, { "at": 1.2, "clip": "walk" }, { "at": 3.2, "clip": "run" }]
        } } }],
        "chains": { "arm_r": { "kind": "two_bone", "joints": ["upperArm_R", "lowerArm_R", "hand_R"] } },
        "look_at": { "chain": ["upperChest", "neck", "head"], "max_yaw": 70, "max_pitch": 40 }
    }"#;
    Motion::Graph {
        def: Arc::new(GraphDef::from_json(def).unwrap()),
        file: None,
        space: "sinew".to_owned(),
    }
}

fn crowd(threads: usize, count: usize) -> World {
    let mut world = empty_world(threads);
    for index in 0..count {
        let spot = Vec3::new(index as f32 * 1.5, 0.0, 0.0);
        let id = world
            .spawn(character(&format!("walker_{index}"), "hero.glb", spot))
            .unwrap();
        world.set_motion(id, walking()).unwrap();
        let animation = world.need_animation_mut(id).unwrap();
        let speed = animation.graph.parameter("speed").unwrap();
        let graph = animation.graph.clone();
        animation
            .state
            .set_float(&graph, speed, 3.2 * index as f32 / count as f32)
            .unwrap();
        animation.look.target = Some(Target::Point(Vec3::new(0.0, 1.6, 5.0)));
        animation.look.weight.to(1.0, 0.3);
    }
    world
}

fn run(world: &mut World, steps: u32) -> u64 {
    for _ in 0..steps {
        step(world, &mut NoScripts, &Input::default(), DT);
    }
    hash(world, &NoScripts)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let serial = run(&mut crowd(1, 16), 90);
    for threads in [2, 3, 8] {
        assert_eq!(
            run(&mut crowd(threads, 16), 90),
            serial,
            "{threads} threads"
        );
    }
    assert_ne!(run(&mut crowd(1, 16), 91), serial);
}

#[test]
fn root_motion_walks_the_actor_at_the_clip_s_speed() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("walker", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(id, walking()).unwrap();
    run(&mut world, 60);
    let walked = world.actors.need(id).unwrap();
    assert!(
        (walked.position_world.z - 1.2).abs() < 0.02,
        "{}",
        walked.position_world
    );
    assert!(walked.position_world.x.abs() < 0.02);

    let before = walked.position_world;
    world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
    run(&mut world, 60);
    let still = world.actors.need(id).unwrap();
    assert!((still.position_world - before).with_y(0.0).length() < 1e-5);
    assert!(still.animation.as_ref().unwrap().root.translation.z > 0.015);
}

#[test]
fn a_socket_is_where_its_joint_is_in_the_same_step() {
    let mut world = empty_world(2);
    // The child comes first in the order of actors, so only waves can put it right.
    let child = world
        .spawn(character("lantern", "lever.glb", Vec3::ZERO))
        .unwrap();
    let carrier = world
        .spawn(character("carrier", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(carrier, walking()).unwrap();
    world.attach(child, carrier, Some("hand_R")).unwrap();
    let hand = world.need_joint(carrier, "hand_R").unwrap();
    for frame in 0..80 {
        if frame == 20 {
            // A hand that reaches while the clip plays and the root moves.
            let chain = &mut world.need_animation_mut(carrier).unwrap().chains[0];
            chain.target = Some(Target::Point(Vec3::new(-0.25, 1.25, 1.0)));
            chain.weight.to(1.0, 0.2);
        }
        step(&mut world, &mut NoScripts, &Input::default(), DT);
        let (at_world, _) = world
            .actors
            .need(carrier)
            .unwrap()
            .joint_world(hand)
            .unwrap();
        let hung = world.actors.need(child).unwrap().position_world;
        let error = hung.distance(at_world) / (1.0 + at_world.length());
        assert!(error < 1e-6, "{error}");
    }
}

#[test]
fn a_hand_reaches_what_it_is_asked_to_and_lets_go() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(id, walking()).unwrap();
    world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
    run(&mut world, 1);
    let hand = world.need_joint(id, "hand_R").unwrap();
    let free = world.actors.need(id).unwrap().joint_world(hand).unwrap().0;
    let goal = Vec3::new(-0.25, 1.25, 0.35);
    let chain = &mut world.need_animation_mut(id).unwrap().chains[0];
    chain.target = Some(Target::Point(goal));
    chain.weight.to(1.0, 0.2);
    run(&mut world, 30);
    let reached = world.actors.need(id).unwrap().joint_world(hand).unwrap().0;
    assert!(reached.distance(goal) < 1e-3, "{reached}");
    let chain = &mut world.need_animation_mut(id).unwrap().chains[0];
    assert!(chain.report.reached);
    chain.target = None;
    chain.weight.to(0.0, 0.2);
    run(&mut world, 30);
    let back = world.actors.need(id).unwrap().joint_world(hand).unwrap().0;
    assert!(
        back.distance(free) < 0.5 && back.distance(goal) > 0.1,
        "{back}"
    );
}

#[test]
fn a_hand_that_is_let_go_returns_without_a_jump_and_can_be_asked_again_meanwhile() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(id, walking()).unwrap();
    world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
    let hand = world.need_joint(id, "hand_R").unwrap();
    let place = |world: &World| world.actors.need(id).unwrap().joint_world(hand).unwrap().0;
    let goal = Vec3::new(-0.25, 1.25, 0.35);
    let ask = |world: &mut World, target: Option<Vec3>, seconds: f32| {
        let chain = &mut world.need_animation_mut(id).unwrap().chains[0];
        chain.target = target.map(Target::Point);
        let weight = if target.is_some() { 1.0 } else { 0.0 };
        chain.weight.to(weight, seconds);
    };
    // A twin that never reaches shows where the animation alone has the hand.
    let mut free = world.clone();
    run(&mut world, 1);
    ask(&mut world, Some(goal), 0.2);
    run(&mut world, 30);
    run(&mut free, 31);
    assert!(place(&world).distance(goal) < 1e-3);
    ask(&mut world, None, 0.3);
    let mut last = place(&world);
    let mut way = 0.0;
    for step in 1..=40 {
        run(&mut world, 1);
        run(&mut free, 1);
        let now = place(&world);
        // In 18 steps it goes about half a metre, fastest in the middle.
        assert!(now.distance(last) < 0.1, "step {step}: {last} to {now}");
        way += now.distance(last);
        last = now;
        if step == 1 {
            assert!(now.distance(goal) < 0.03, "it sets out slowly: {now}");
        }
        if step >= 18 {
            let left = now.distance(place(&free));
            assert!(left < 1e-4, "step {step}: {left} m are left");
        }
    }
    assert!(way > 0.2, "{way}");
    ask(&mut world, Some(goal), 0.1);
    run(&mut world, 20);
    ask(&mut world, None, 0.3);
    run(&mut world, 6);
    let (before, chain) = (
        place(&world),
        world.need_animation(id).unwrap().chains[0].clone(),
    );
    assert!(chain.weight.value > 0.0, "the weight tells what is left");
    ask(&mut world, Some(goal), 0.2);
    run(&mut world, 1);
    assert!(
        place(&world).distance(before) < 0.1,
        "asked again without a jump"
    );
    run(&mut world, 30);
    assert!(place(&world).distance(goal) < 1e-3);
}

#[test]
fn a_change_of_motion_leaves_no_jump_once_the_actor_was_seen() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    let clip = |name: &str| Motion::Clip {
        clip: name.to_owned(),
        looping: true,
    };
    world.set_motion(id, clip("walk")).unwrap();
    run(&mut world, 1);
    let first = world.need_animation(id).unwrap();
    assert!(first.state.inertia.is_over(), "nothing to change from");
    run(&mut world, 20);
    let mut before = world.need_animation(id).unwrap().pose.clone();
    world.set_motion(id, clip("sit_idle")).unwrap();
    for step in 0..15 {
        run(&mut world, 1);
        let pose = &world.need_animation(id).unwrap().pose;
        for joint in 0..pose.joints {
            let turn = before.rotation(joint).angle_between(pose.rotation(joint));
            assert!(turn < 0.5, "step {step}, joint {joint}: {turn}");
        }
        before = pose.clone();
    }
    assert!(world.need_animation(id).unwrap().state.inertia.is_over());
}

#[test]
fn what_a_graph_is_about_to_do_is_kept_only_where_it_is_asked_for() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(id, walking()).unwrap();
    run(&mut world, 2);
    assert!(world.need_animation(id).unwrap().explained.is_empty());
    world.explain = true;
    run(&mut world, 1);
    assert!(!world.need_animation(id).unwrap().explained.is_empty());
}

#[test]
fn a_hand_stays_where_it_is_asked_to_be_while_the_chest_turns_to_look() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    world.set_motion(id, walking()).unwrap();
    world.need_animation_mut(id).unwrap().root_mode = RootMode::Report;
    let hand = world.need_joint(id, "hand_R").unwrap();
    let goal = Vec3::new(-0.25, 1.25, 0.35);
    let animation = world.need_animation_mut(id).unwrap();
    animation.chains[0].target = Some(Target::Point(goal));
    animation.chains[0].weight.to(1.0, 0.1);
    animation.look.target = Some(Target::Point(Vec3::new(-3.0, 1.0, 1.5)));
    animation.look.weight.to(1.0, 0.1);
    run(&mut world, 20);
    let reached = world.actors.need(id).unwrap().joint_world(hand).unwrap().0;
    assert!(reached.distance(goal) < 1e-3, "{reached}");
    let animation = world.need_animation(id).unwrap();
    assert!(animation.chains[0].report.reached);
    assert!(animation.look.angles.is_some_and(|[yaw, _]| yaw < -0.5));
}

#[test]
fn a_destroyed_actor_is_gone_after_the_phase_and_its_handle_says_so() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("guard", "robot.glb", Vec3::ZERO))
        .unwrap();
    world.destroy(id).unwrap();
    assert!(
        world.actors.find("guard").is_none(),
        "not found from now on"
    );
    assert!(
        world.actors.get(id).is_some(),
        "still answers in this phase"
    );
    run(&mut world, 1);
    let error = world.destroy(id).unwrap_err();
    assert_eq!(error.to_string(), "actor `guard` was destroyed at frame 1");
    world
        .spawn(character("guard", "robot.glb", Vec3::ZERO))
        .unwrap();
}

#[test]
fn a_model_that_is_broken_on_reload_changes_nothing_and_a_good_one_goes_on_by_name() {
    let mut world = crowd(1, 2);
    run(&mut world, 30);
    let id = world.actors.find("walker_1").unwrap().id;
    let before = hash(&world, &NoScripts);
    let broken = Changes {
        files: vec![(file("hero.glb"), b"glTF nonsense".to_vec())],
        ..Changes::default()
    };
    let faults = world.reload(broken).unwrap_err();
    assert!(!faults.is_empty());
    assert_eq!(hash(&world, &NoScripts), before);

    let phase = |world: &World| {
        let animation = world.need_animation(id).unwrap();
        animation.state.layer_status(&animation.graph, 0).time
    };
    let time = phase(&world);
    let bytes = world.assets.read(&file("hero.glb")).unwrap();
    let good = Changes {
        files: vec![(file("hero.glb"), bytes)],
        ..Changes::default()
    };
    let changed = world.reload(good).unwrap();
    assert_eq!(changed.models, [file("hero.glb")]);
    assert_eq!(phase(&world), time);
}

#[test]
fn a_level_s_actors_stay_where_they_are_when_another_line_changes() {
    let folder = std::env::temp_dir().join(format!("sinew-level-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let level = |robot_z: f32, wall: &str| {
        format!(
            "id = \"yard\"\nversion = \"1.0.0\"\n{wall}\n[[plane]]\n\
             [[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nclip = \"walk\"\n\
             [[actor]]\nname = \"robot\"\nmodel = \"sinew:robot.glb\"\nposition = [3, 0, {robot_z:.1}]\n"
        )
    };
    std::fs::write(folder.join("level.toml"), level(0.0, "")).unwrap();
    let mut world = empty_world(1);
    let def = world.assets.open_level(&folder).unwrap();
    let path = LogicalPath::parse("level.toml", "yard").unwrap();
    world.start_level(path.clone(), def).unwrap();
    run(&mut world, 30);
    let hero = |world: &World| world.actors.find("hero").unwrap().position_world;
    let at = hero(&world);
    assert!(at.z > 0.4, "root motion carried the hero to {at}");

    let text = level(
        2.0,
        "[[box]]\nname = \"wall\"\ncenter = [0, 1, 9]\nsize = [4, 2, 1]",
    );
    let changes = |text: &str| Changes {
        files: vec![(path.clone(), text.as_bytes().to_vec())],
        ..Changes::default()
    };
    world.reload(changes(&text)).unwrap();
    assert_eq!(hero(&world), at);
    assert_eq!(world.actors.find("robot").unwrap().position_world.z, 2.0);
    assert_eq!(world.level.statics.len(), 2);

    let faults = world
        .reload(changes("id = \"yard\"\nversion = 3\n"))
        .unwrap_err();
    assert!(faults[0].span.is_some(), "{:?}", faults[0]);
    assert_eq!(world.level.statics.len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn properties_of_one_name_belong_to_one_actor() {
    let mut world = empty_world(1);
    let id = world
        .spawn(character("a", "robot.glb", Vec3::ZERO))
        .unwrap();
    world
        .set_properties(
            id,
            BTreeMap::from([("near".to_owned(), sinew_world::Data::Number(2.0))]),
        )
        .unwrap();
    assert_eq!(
        world.property(id, "near"),
        Some(&sinew_world::Data::Number(2.0))
    );
    assert_eq!(world.property(id, "far"), None);
    let taken = world
        .spawn(character("a", "robot.glb", Vec3::ZERO))
        .unwrap_err();
    assert_eq!(taken.to_string(), "there is already an actor named `a`");
}

#[test]
fn a_fault_of_a_graph_file_is_shown_in_that_file() {
    let mut world = empty_world(1);
    let path = file("walk.animgraph.json");
    let text = r#"{"version": 1, "layers": [{"name": "base", "entry": "m", "states": {"m": {"clip": "wlak"}}}]}"#;
    world.assets.insert(&path, text.as_bytes().to_vec());
    let id = world
        .spawn(character("hero", "hero.glb", Vec3::ZERO))
        .unwrap();
    let motion = Motion::Graph {
        def: world.assets.graph(&path).unwrap().value,
        space: path.space.clone(),
        file: Some(path),
    };
    let sinew_world::WorldError::Asset(fault) = world.set_motion(id, motion).unwrap_err() else {
        unreachable!("a graph's fault is an asset's")
    };
    let span = fault.span.expect("a place in the file");
    assert_eq!(&text[span.start..span.end], "\"wlak\"");
    assert!(fault.help.unwrap().contains("walk"));
}
