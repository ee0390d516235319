//! The sample level runs as written.

use glam::Vec2;
use sinew_assets::{Assets, LogicalPath};
use sinew_script::{ScriptHost, check};
use sinew_world::{Change, Data, Input, Jobs, World, hash, step};

use super::bench::project;

fn plaza(threads: usize) -> (World, ScriptHost) {
    let mut world = World::new(
        Assets::new(&project()),
        Jobs::on_threads(threads).unwrap(),
        1,
    );
    let level = world
        .assets
        .open_level(&project().join("samples/plaza"))
        .unwrap();
    let path = LogicalPath::parse("level.toml", "plaza").unwrap();
    world.start_level(path, level).unwrap();
    let mut host = ScriptHost::default();
    let faults = host.load(&mut world);
    assert!(faults.is_empty(), "{faults:#?}");
    (world, host)
}

/// Walks, runs, jumps and waves.
fn input(world: &World, frame: usize) -> Input {
    let change = |action: &str, value: Vec2| Change {
        action: world.controls.find(action).unwrap(),
        value,
    };
    let changes = match frame {
        30 => vec![change("move", Vec2::Y)],
        120 => vec![change("run", Vec2::X)],
        200 => vec![change("jump", Vec2::X)],
        205 => vec![change("jump", Vec2::ZERO)],
        300 => vec![change("move", Vec2::ZERO), change("run", Vec2::ZERO)],
        360 => vec![change("wave", Vec2::X)],
        365 => vec![change("wave", Vec2::ZERO)],
        _ => Vec::new(),
    };
    Input {
        changes,
        ..Input::default()
    }
}

fn run(threads: usize) -> (World, ScriptHost) {
    let (mut world, mut host) = plaza(threads);
    for frame in 0..600 {
        let input = input(&world, frame);
        step(&mut world, &mut host, &input, 1.0 / 60.0);
    }
    (world, host)
}

#[test]
fn the_plaza_runs_ten_seconds_without_an_error_and_the_same_on_any_number_of_threads() {
    let (world, host) = run(1);
    let problems: Vec<String> = host
        .problems()
        .iter()
        .map(|problem| sinew_script::render(&problem.diagnostic, false))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let hero = world.actors.find("hero").unwrap();
    assert!(
        hero.position_world.distance(glam::Vec3::new(0.0, 0.0, 4.0)) > 2.0,
        "the hero walked to {}",
        hero.position_world
    );
    let companion = world.actors.find("companion").unwrap();
    assert!(
        companion.position_world.length() > 0.5,
        "the companion patrols, {}",
        companion.position_world
    );
    assert!(matches!(
        host.fields(companion.id, 0).get("next"),
        Some(Data::Int(_))
    ));
    let first = hash(&world, &host);
    for threads in [1, 2, 4] {
        let (world, host) = run(threads);
        assert_eq!(hash(&world, &host), first, "on {threads} threads");
    }
}

#[test]
fn the_lever_takes_the_hand_and_gives_it_back() {
    let (mut world, mut host) = plaza(1);
    let id = world.actors.find("hero").unwrap().id;
    let lever = world.actors.find("lever").unwrap().position_world;
    world
        .teleport(
            id,
            lever + glam::Vec3::new(0.0, 0.0, 0.8),
            Some(std::f32::consts::PI),
        )
        .unwrap();
    let pull = Change {
        action: world.controls.find("use").unwrap(),
        value: Vec2::X,
    };
    step(
        &mut world,
        &mut host,
        &Input {
            changes: vec![pull],
            ..Input::default()
        },
        1.0 / 60.0,
    );
    let weight = |world: &World| world.need_animation(id).unwrap().chains[0].weight.value;
    let mut most = 0.0_f32;
    for _ in 0..240 {
        step(&mut world, &mut host, &Input::default(), 1.0 / 60.0);
        most = most.max(weight(&world));
    }
    assert!(most > 0.9, "the arm reaches: {most}");
    assert_eq!(weight(&world), 0.0, "the arm is free again");
    assert!(host.problems().is_empty(), "{:#?}", host.problems());
}

#[test]
fn the_samples_check_clean() {
    let faults = check(&project(), &[]);
    assert!(faults.is_empty(), "{faults:#?}");
}
