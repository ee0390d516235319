//! A graph changes while it runs.

use serde_json::{Value, json};
use sinew_anim::{Graph, ParameterValue};

use crate::support::{Make, Player, clip, compile, one_layer, still};

fn reload(player: &mut Player, def: Value, clips: Vec<Make>) {
    let new: Graph = compile(def, clips).unwrap();
    player.state = player.state.migrate(&player.graph, &new);
    player.graph = new;
    player.show();
}

fn walking(clips: Vec<Make>) -> (Player, Value) {
    let def = one_layer(
        json!({ "speed": 0.0, "go": "trigger" }),
        json!({ "walk": { "clip": "walk" }, "run": { "clip": "run" } }),
        "walk",
        json!([{ "from": "walk", "to": "run", "when": "go", "duration": 1.0 }]),
    );
    (Player::new(def.clone(), clips), def)
}

fn clips() -> Vec<Make> {
    vec![
        clip("walk", 1.0).x(1, 0.0, 1.0).marker("m", 0.2),
        clip("run", 1.0).x(1, 0.0, 1.0),
        still("extra", 1.0, 0.0),
    ]
}

#[test]
fn the_same_graph_goes_on_as_if_nothing_had_happened() {
    let (mut player, def) = walking(clips());
    let (mut other, _) = walking(clips());
    for player in [&mut player, &mut other] {
        player.run_to(0.5, 0.1);
        player.pull("go");
        player.run_to(0.8, 0.1);
    }
    reload(&mut player, def, clips());
    for _ in 0..20 {
        player.step(0.1);
        other.step(0.1);
        assert_eq!(player.x(), other.x());
        assert_eq!(player.words(), other.words());
    }
}

#[test]
fn new_states_and_parameters_leave_the_phase_alone() {
    let (mut player, mut def) = walking(clips());
    player.set("speed", 3.0);
    player.run_to(0.35, 0.05);
    let before = player.x();
    // Both move every index there is.
    def["layers"][0]["states"]["aaa"] = json!({ "clip": "extra" });
    def["parameters"]["aaa"] = json!(true);
    reload(&mut player, def, clips());
    assert!((player.x() - before).abs() < 1e-6);
    let speed = player.graph.parameter("speed").unwrap();
    assert_eq!(player.state.value(speed), ParameterValue::Float(3.0));
    player.step(0.05);
    assert_eq!(player.state_name(), "walk");
    assert_eq!(player.count("m in walk"), 1);
    assert_eq!(player.count("enter walk"), 1);
}

#[test]
fn a_longer_clip_keeps_the_phase() {
    let (mut player, def) = walking(clips());
    player.run_to(0.5, 0.1);
    let mut longer = clips();
    longer[0] = clip("walk", 3.0).x(1, 0.0, 1.0);
    reload(&mut player, def, longer);
    assert!((player.x() - 0.5).abs() < 1e-5);
}

#[test]
fn a_current_state_that_is_gone_gives_way_to_the_entry() {
    let (mut player, _) = walking(clips());
    player.run_to(0.5, 0.1);
    let def = one_layer(
        json!({}),
        json!({ "rest": { "rest": true }, "run": { "clip": "run" } }),
        "rest",
        json!([]),
    );
    reload(&mut player, def, clips());
    player.step(0.1);
    assert_eq!(player.state_name(), "rest");
    assert!(!player.status().fading);
}

#[test]
fn a_parameter_whose_kind_changed_begins_anew_and_a_new_range_holds() {
    let (mut player, mut def) = walking(clips());
    player.set("speed", 9.0);
    def["parameters"]["speed"] = json!({ "type": "float", "max": 4 });
    reload(&mut player, def.clone(), clips());
    let speed = player.graph.parameter("speed").unwrap();
    assert_eq!(player.state.value(speed), ParameterValue::Float(4.0));
    def["parameters"]["speed"] = json!(false);
    reload(&mut player, def, clips());
    assert_eq!(player.state.value(speed), ParameterValue::Bool(false));
}

#[test]
fn a_fade_and_the_layer_weight_go_on() {
    let (mut player, def) = walking(clips());
    player.state.set_layer_weight(0, 0.5, 1.0);
    player.pull("go");
    player.run_to(0.3, 0.1);
    let (weight, status) = (player.state.layer_weight(0), player.status());
    reload(&mut player, def, clips());
    assert_eq!(player.state.layer_weight(0), weight);
    assert_eq!(player.status(), status);
}
