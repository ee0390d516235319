//! The graphs of the sample's scripts, over a skeleton with their joints and clips.

use std::sync::Arc;

use sinew_anim::{Graph, GraphDef, Joint, ParameterSource, Play, Skeleton, Transform};

use crate::support::{Make, Player, arcs, clip};

/// The joints that the graphs name, in one line with the arm beside it.
fn biped() -> Arc<Skeleton> {
    let parents = [
        ("root", None),
        ("spine", Some(0)),
        ("upperChest", Some(1)),
        ("neck", Some(2)),
        ("head", Some(3)),
        ("upperArm_R", Some(2)),
        ("lowerArm_R", Some(5)),
        ("hand_R", Some(6)),
    ];
    let joints = parents.map(|(name, parent)| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform::from_translation(glam::Vec3::Y * 0.3),
        pre: None,
    });
    Arc::new(Skeleton::new(&joints, &[]).expect("valid"))
}

fn clips() -> Vec<Make> {
    let mut clips = vec![
        clip("idle", 3.0).z(0, 0.0, 0.0),
        clip("walk", 1.0)
            .z(0, 0.0, 1.2)
            .marker("footstep_l", 0.2)
            .marker("footstep_r", 0.7),
        clip("run", 0.7)
            .z(0, 0.0, 2.24)
            .marker("footstep_l", 0.15)
            .marker("footstep_r", 0.5),
    ];
    for (name, seconds) in [
        ("jump_start", 0.4),
        ("fall", 0.8),
        ("land", 0.5),
        ("wave", 1.5),
        ("reach", 1.0),
    ] {
        clips.push(clip(name, seconds).yaw(1, 0.0, 30.0));
    }
    clips
}

fn compiled(text: &str) -> Graph {
    let def = GraphDef::from_json(text).unwrap();
    Graph::compile(&def, &biped(), &arcs(clips())).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

#[test]
fn the_hero_walks_jumps_lands_and_waves() {
    let graph = compiled(include_str!("hero.json"));
    assert_eq!(graph.chains[0].joints, [5, 6, 7]);
    let look_at = graph.look_at.clone().unwrap();
    assert_eq!(look_at.chain, [2, 3, 4]);
    assert!((look_at.max_yaw - 70_f32.to_radians()).abs() < 1e-6);
    let speed = usize::from(graph.parameter("speed").unwrap());
    assert_eq!(graph.parameters[speed].source, Some(ParameterSource::Speed));

    let mut player = Player::of(graph);
    player.flag("grounded", true);
    player.set("speed", 1.2);
    player.run_to(1.0, 1.0 / 60.0);
    assert_eq!(player.state_name(), "move");
    assert!((player.place[1] - 1.2).abs() < 1e-3, "{}", player.place[1]);
    assert_eq!(
        player.count("footstep_l in move") + player.count("footstep_r in move"),
        2
    );

    player.pull("jump");
    player.step(1.0 / 60.0);
    assert_eq!(player.state_name(), "jump");
    player.flag("grounded", false);
    player.run_to(1.6, 1.0 / 60.0);
    assert_eq!(player.state_name(), "fall");
    player.flag("grounded", true);
    player.run_to(1.8, 1.0 / 60.0);
    assert_eq!(player.state_name(), "land");
    player.run_to(2.5, 1.0 / 60.0);
    assert_eq!(player.state_name(), "move");

    let upper = player.graph.layer("upper").unwrap();
    let wave = player.graph.state(upper, "wave").unwrap();
    player.state.set_layer_weight(upper, 1.0, 0.2);
    player.state.play(
        &player.graph,
        upper,
        wave,
        &Play {
            restart: true,
            ..Play::default()
        },
    );
    player.run_to(5.0, 1.0 / 60.0);
    assert_eq!(player.count("finished wave"), 1);
}

#[test]
fn the_companion_walks_at_the_speed_that_it_has() {
    for speed in [0.3, 1.2, 2.0, 3.2] {
        let mut player = Player::of(compiled(include_str!("companion.json")));
        player.set("speed", speed);
        for _ in 0..600 {
            player.step(1.0 / 60.0);
        }
        let expected = f64::from(speed) * 10.0;
        assert!(
            (player.place[1] - expected).abs() < 1e-3 * expected,
            "{speed}: {}",
            player.place[1]
        );
    }
}
