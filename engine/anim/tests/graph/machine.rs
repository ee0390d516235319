//! Transitions: conditions, exit times, priority, "any", triggers.

use serde_json::json;
use sinew_anim::Play;

use crate::support::{Player, Random, clip, one_layer, still};

fn walk_and_jump(transitions: serde_json::Value) -> Player {
    let states = json!({
        "walk": { "clip": "walk" },
        "jump": { "clip": "jump", "mode": "once" },
        "fall": { "clip": "fall" },
    });
    let parameters = json!({
        "speed": 0.0, "grounded": true, "jump": "trigger", "long": { "type": "trigger", "ttl": "forever" },
        "now": { "type": "trigger", "ttl": 0 },
    });
    let clips = vec![
        still("walk", 1.0, 0.0),
        still("jump", 1.0, 1.0),
        still("fall", 1.0, 2.0),
    ];
    Player::new(one_layer(parameters, states, "walk", transitions), clips)
}

#[test]
fn a_condition_takes_the_whole_step_and_a_gate_the_rest_of_it() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "duration": 0.5 },
        { "from": "jump", "to": "fall", "exit_time": 0.55, "duration": 0.2 },
    ]));
    player.step(0.1);
    player.set("speed", 2.0);
    player.step(0.1);
    assert_eq!(player.state_name(), "jump");
    assert!((player.status().progress - 0.1).abs() < 1e-6);
    assert!((player.status().weight - 0.2).abs() < 1e-6);
    player.run_to(0.6, 0.1);
    assert_eq!(player.state_name(), "jump");
    // The gate at .55 is crossed half way through the step from .5 to .6.
    player.step(0.1);
    assert_eq!(player.state_name(), "fall");
    assert!(
        (player.status().progress - 0.05).abs() < 1e-6,
        "{:?}",
        player.status()
    );
    assert!((player.status().weight - 0.25).abs() < 1e-5);
}

#[test]
fn an_exit_time_stays_open_to_the_end_of_its_lap() {
    let transitions = json!([{ "from": "walk", "to": "jump", "when": "speed > 1", "exit_time": 0.6, "duration": 0 }]);
    for (asked_at, left_at) in [(0.2, 0.6), (0.7, 0.7), (1.1, 1.6)] {
        let mut player = walk_and_jump(transitions.clone());
        player.run_to(asked_at, 0.01);
        player.set("speed", 2.0);
        while player.state_name() == "walk" {
            player.step(0.01);
        }
        let exit = player
            .said
            .iter()
            .find(|said| said.words == "exit walk for jump")
            .unwrap();
        assert!(
            (exit.time - left_at).abs() < 1e-4,
            "asked at {asked_at}: {exit:?}"
        );
    }
}

#[test]
fn without_latch_only_the_step_that_crosses_the_gate_is_open() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "exit_time": 0.6, "latch": false, "duration": 0 },
    ]));
    player.run_to(0.7, 0.01);
    player.set("speed", 2.0);
    player.run_to(1.595, 0.01);
    assert_eq!(player.state_name(), "walk");
    player.run_to(1.62, 0.01);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn exit_time_one_on_a_loop_opens_at_lap_boundaries_only() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "exit_time": 1.0, "duration": 0 },
    ]));
    player.run_to(1.05, 0.1);
    player.set("speed", 2.0);
    player.run_to(1.9, 0.1);
    assert_eq!(player.state_name(), "walk");
    player.run_to(2.1, 0.1);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn a_finished_state_stays_open_for_a_condition_that_comes_later() {
    // Once, the condition comes at t = 2.
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "jump", "duration": 0 },
        { "from": "jump", "to": "fall", "when": "speed > 1", "exit_time": 1.0, "duration": 0 },
    ]));
    player.pull("jump");
    player.run_to(2.0, 0.01);
    assert_eq!(player.state_name(), "jump");
    assert!(player.status().finished);
    player.set("speed", 2.0);
    player.step(0.01);
    assert_eq!(player.state_name(), "fall");
    assert_eq!(player.count("finished jump"), 1);
}

#[test]
fn backwards_an_exit_time_counts_in_running_direction() {
    let states = json!({
        "back": { "clip": "back", "mode": "once", "speed": -1.0 },
        "end": { "clip": "end" },
    });
    let transitions = json!([{ "from": "back", "to": "end", "exit_time": 0.75, "duration": 0 }]);
    let clips = vec![clip("back", 1.0).x(1, 0.0, 1.0), still("end", 1.0, 5.0)];
    let mut player = Player::new(one_layer(json!({}), states, "back", transitions), clips);
    assert!((player.x() - 1.0).abs() < 1e-6);
    player.run_to(0.7, 0.1);
    assert!((player.x() - 0.3).abs() < 1e-5);
    player.step(0.1);
    assert_eq!(player.state_name(), "end");
}

#[test]
fn higher_priority_wins_then_own_before_any_then_order() {
    let first = |transitions| {
        let mut player = walk_and_jump(transitions);
        player.step(0.1);
        player.state_name().to_owned()
    };
    let to_jump = json!({ "from": "walk", "to": "jump", "when": "grounded" });
    let to_fall = json!({ "from": "walk", "to": "fall", "when": "grounded" });
    let mut any_jump = to_jump.clone();
    any_jump["from"] = json!("any");
    let mut high_fall = to_fall.clone();
    high_fall["priority"] = json!(1);
    assert_eq!(first(json!([to_jump, to_fall])), "jump");
    assert_eq!(first(json!([to_jump, high_fall])), "fall");
    assert_eq!(first(json!([any_jump, to_fall])), "fall");
    any_jump["priority"] = json!(2);
    assert_eq!(first(json!([to_fall, any_jump, high_fall])), "jump");
}

#[test]
fn a_list_of_states_is_left_by_one_transition() {
    let mut player = walk_and_jump(json!([
        { "from": ["walk", "jump"], "to": "fall", "when": [{ "parameter": "grounded", "op": "is_false" }] },
        { "from": "fall", "to": "jump", "when": "grounded" },
    ]));
    for (grounded, expected) in [
        (true, "walk"),
        (false, "fall"),
        (true, "jump"),
        (false, "fall"),
    ] {
        player.flag("grounded", grounded);
        player.step(0.1);
        assert_eq!(player.state_name(), expected);
    }
}

#[test]
fn a_trigger_is_cleared_at_the_end_of_the_step_that_uses_it() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "jump", "duration": 0 },
        { "from": "jump", "to": "fall", "when": "jump", "duration": 0 },
    ]));
    player.pull("jump");
    player.step(0.1);
    assert_eq!(player.state_name(), "jump");
    player.step(0.1);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn all_layers_see_a_trigger_in_the_same_step() {
    let machine = json!({ "a": { "rest": true }, "b": { "rest": true } });
    let way = json!([{ "from": "a", "to": "b", "when": "go", "duration": 0 }]);
    let mut player = Player::new(
        json!({ "parameters": { "go": "trigger" }, "layers": [
            { "name": "base", "entry": "a", "states": machine, "transitions": way },
            { "name": "over", "entry": "a", "states": machine, "transitions": way },
        ] }),
        vec![],
    );
    player.pull("go");
    player.step(0.1);
    for layer in 0..2 {
        assert_eq!(player.state.layer_status(&player.graph, layer).state, 1);
    }
}

#[test]
fn an_unused_trigger_waits_for_its_time_only() {
    // Used from `fall` only, where each player goes after a while.
    let ways = |trigger: &str| {
        json!([
            { "from": "walk", "to": "fall", "when": "speed > 1", "duration": 0 },
            { "from": "fall", "to": "jump", "when": trigger, "duration": 0 },
        ])
    };
    let cases = [
        ("jump", 0.2, "jump"),
        ("jump", 0.3, "fall"),
        ("long", 9.0, "jump"),
        ("now", 0.02, "fall"),
    ];
    for (trigger, wait, expected) in cases {
        let mut player = walk_and_jump(ways(trigger));
        player.pull(trigger);
        player.run_to(wait - 0.02, 0.01);
        player.set("speed", 2.0);
        player.run_to(wait + 0.5, 0.01);
        assert_eq!(player.state_name(), expected, "{trigger} after {wait} s");
    }
}

#[test]
fn a_trigger_of_no_time_counts_in_its_own_step() {
    let mut player = walk_and_jump(json!([{ "from": "walk", "to": "jump", "when": "now" }]));
    player.pull("now");
    player.step(0.1);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn a_cleared_trigger_does_nothing() {
    let mut player = walk_and_jump(json!([{ "from": "walk", "to": "jump", "when": "jump" }]));
    player.pull("jump");
    let jump = player.graph.parameter("jump").unwrap();
    player.state.reset_trigger(&player.graph, jump).unwrap();
    player.step(0.1);
    assert_eq!(player.state_name(), "walk");
}

fn idle_and_jump(reenter: Option<&str>) -> Player {
    let mut to_idle = json!({ "from": "any", "to": "idle", "when": "idle", "duration": 0 });
    if let Some(reenter) = reenter {
        to_idle["reenter"] = json!(reenter);
    }
    let states = json!({ "idle": { "clip": "idle" }, "jump": { "clip": "jump" } });
    let parameters = json!({ "idle": "trigger", "jump": "trigger" });
    let transitions =
        json!([to_idle, { "from": "idle", "to": "jump", "when": "jump", "duration": 0 }]);
    let clips = vec![clip("idle", 10.0).x(1, 0.0, 10.0), still("jump", 10.0, 1.0)];
    Player::new(one_layer(parameters, states, "idle", transitions), clips)
}

#[test]
fn any_into_the_current_state_restarts_it_by_trigger_and_uses_it_up() {
    // The default.
    let mut player = idle_and_jump(None);
    player.run_to(1.0, 0.1);
    player.pull("idle");
    player.step(0.1);
    assert_eq!(player.count("enter idle"), 2);
    assert!((player.x() - 0.1).abs() < 1e-4, "restarted");
    player.pull("jump");
    player.run_to(2.5, 0.1);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn a_trigger_that_may_not_reenter_expires_and_pulls_nothing_back_later() {
    // With reenter = never.
    let mut player = idle_and_jump(Some("never"));
    player.run_to(1.0, 0.1);
    player.pull("idle");
    player.run_to(2.0, 0.1);
    assert_eq!(player.count("enter idle"), 1);
    player.pull("jump");
    player.run_to(4.0, 0.1);
    assert_eq!(player.state_name(), "jump");
}

#[test]
fn any_into_the_current_state_without_a_trigger_does_not_restart_it() {
    let mut player = walk_and_jump(json!([{ "from": "any", "to": "jump", "when": "speed > 1" }]));
    player.set("speed", 2.0);
    player.run_to(1.0, 0.1);
    assert_eq!(player.count("enter jump"), 1);
    let mut player = walk_and_jump(
        json!([{ "from": "any", "to": "jump", "when": "speed > 1", "reenter": "always" }]),
    );
    player.set("speed", 2.0);
    player.run_to(1.0, 0.1);
    assert_eq!(player.count("enter jump"), 10);
}

#[test]
fn the_current_state_is_the_destination_while_fading() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "duration": 1 },
        { "from": "walk", "to": "fall", "when": "not grounded", "duration": 1 },
        { "from": "jump", "to": "walk", "when": "not grounded", "duration": 1 },
    ]));
    player.set("speed", 2.0);
    player.step(0.1);
    player.flag("grounded", false);
    player.step(0.1);
    assert_eq!(player.words().last(), Some(&"enter walk"));
}

#[test]
fn a_fade_that_may_not_be_interrupted_is_not_but_scripts_may() {
    let ways = json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "duration": 0.5, "interruption": "none" },
        { "from": "jump", "to": "fall", "when": "not grounded" },
    ]);
    let mut player = walk_and_jump(ways.clone());
    player.set("speed", 2.0);
    player.flag("grounded", false);
    player.run_to(0.45, 0.05);
    assert_eq!(player.state_name(), "jump");
    player.run_to(0.6, 0.05);
    assert_eq!(player.state_name(), "fall");

    let mut player = walk_and_jump(ways);
    player.set("speed", 2.0);
    player.step(0.1);
    player.play("fall", Play::default());
    player.step(0.1);
    assert_eq!(player.state_name(), "fall");
}

#[test]
fn an_offset_says_where_the_destination_begins() {
    let mut player = walk_and_jump(json!([
        { "from": "walk", "to": "jump", "when": "speed > 1", "offset": 0.25 },
    ]));
    player.set("speed", 2.0);
    player.step(0.1);
    assert!((player.status().progress - 0.35).abs() < 1e-6);
}

#[test]
fn a_clip_without_length_finishes_at_once_and_loops_without_hanging() {
    for (mode, finished) in [("once", true), ("loop", false), ("ping_pong", false)] {
        let states = json!({ "pose": { "clip": "pose", "mode": mode }, "next": { "rest": true } });
        let transitions =
            json!([{ "from": "pose", "to": "next", "exit_time": 1.0, "duration": 0.1 }]);
        let clips = vec![still("pose", 0.0, 3.0)];
        let mut player = Player::new(one_layer(json!({}), states, "pose", transitions), clips);
        assert_eq!(player.x(), 3.0);
        player.step(0.25);
        player.step(0.25);
        assert_eq!(
            player.state_name(),
            if finished { "next" } else { "pose" },
            "{mode}"
        );
        assert!(player.x().is_finite());
    }
}

#[test]
fn any_partition_of_time_takes_the_same_way() {
    let states = json!({
        "a": { "clip": "a" }, "b": { "clip": "b", "mode": "once" },
        "c": { "blend": "v", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] },
    });
    let ways = json!([
        { "from": "a", "to": "b", "exit_time": 0.5, "duration": 0.2 },
        { "from": "b", "to": "c", "exit_time": 1.0, "duration": 0.5, "curve": "smooth" },
        { "from": "c", "to": "a", "exit_time": 0.4, "duration": 0.25 },
    ]);
    let mut def = one_layer(json!({ "v": 0.3 }), states, "a", ways);
    def["root"] = json!({ "joint": "root" });
    let clips = || {
        vec![
            clip("a", 1.0)
                .x(1, 0.0, 1.0)
                .z(0, 0.0, 1.0)
                .marker("m", 0.3)
                .marker("n", 0.9),
            clip("b", 0.7)
                .x(1, 2.0, 1.0)
                .z(0, 0.0, 2.0)
                .marker("m", 0.35)
                .marker("n", 0.7),
        ]
    };
    let mut fine = Player::new(def.clone(), clips());
    fine.run_to(10.0, 0.001);
    let mut random = Random(77);
    for run in 0..20 {
        let mut player = Player::new(def.clone(), clips());
        while player.time < 10.0 - 1e-6 {
            let left = (10.0 - player.time) as f32;
            player.step((random.next() as f32 * 0.15).min(left));
        }
        assert_eq!(player.words(), fine.words(), "run {run}");
        for (a, b) in player.said.iter().zip(&fine.said) {
            assert!((a.time - b.time).abs() < 1e-4, "run {run}: {a:?} and {b:?}");
            assert!(
                (a.weight - b.weight).abs() < 1e-3,
                "run {run}: {a:?} and {b:?}"
            );
        }
        assert!((player.x() - fine.x()).abs() < 1e-3, "run {run}");
        assert!(
            (player.place[1] - fine.place[1]).abs() < 0.01 * fine.place[1],
            "run {run}"
        );
    }
}

#[test]
fn a_switch_without_fade_in_the_middle_of_a_step_loses_no_way() {
    let states = json!({ "a": { "clip": "a", "mode": "once" }, "b": { "clip": "b" } });
    let ways = json!([{ "from": "a", "to": "b", "exit_time": 1.0, "duration": 0 }]);
    let mut def = one_layer(json!({}), states, "a", ways);
    def["root"] = json!({ "joint": "root" });
    let clips = vec![
        clip("a", 1.0).z(0, 0.0, 1.0).marker("m", 0.9),
        clip("b", 1.0).z(0, 0.0, 3.0),
    ];
    let mut player = Player::new(def, clips);
    player.step(0.8);
    player.step(0.4);
    assert!((player.place[1] - 1.6).abs() < 1e-5, "{}", player.place[1]);
    let heard = player
        .said
        .iter()
        .find(|said| said.words == "m in a")
        .unwrap();
    assert!(
        (heard.weight - 1.0).abs() < 1e-6,
        "at full weight until the switch"
    );
}
