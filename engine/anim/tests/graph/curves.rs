//! Named curves, blended as the pose is.

use serde_json::{Value, json};
use sinew_anim::{Curve, Play, SlotPlay, curve_value};

use crate::support::{Make, Player, one_layer, still};

fn curved(mut make: Make, name: &str, keys: &[[f32; 2]]) -> Make {
    make.0.curves.push(Curve {
        name: name.to_owned(),
        keys: keys.to_vec(),
    });
    make
}

/// Clips whose curve `lock` goes from 0 to 1, is 4, and is not there.
fn clips() -> Vec<Make> {
    vec![
        curved(still("up", 1.0, 0.0), "lock", &[[0.0, 0.0], [1.0, 1.0]]),
        curved(still("four", 1.0, 1.0), "lock", &[[0.0, 4.0]]),
        still("plain", 1.0, 1.0),
    ]
}

fn lock(player: &Player) -> f32 {
    let curve = player.graph.curve("lock").expect("known");
    curve_value(&player.graph, &player.state, curve)
}

#[track_caller]
fn assert_lock(player: &Player, expected: f32) {
    let found = lock(player);
    assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
}

fn one_state(parameters: Value, state: Value) -> Player {
    let def = one_layer(parameters, json!({ "s": state }), "s", json!([]));
    Player::new(def, clips())
}

#[test]
fn a_curve_is_read_at_the_clip_s_time() {
    let mut player = one_state(json!({}), json!({ "clip": "up", "speed": 2.0 }));
    assert_lock(&player, 0.0);
    player.step(0.2);
    assert_lock(&player, 0.4);
    player.step(0.4);
    assert_lock(&player, 0.2);
}

#[test]
fn in_a_blend_it_is_the_sum_by_weight_and_what_lacks_it_counts_as_zero() {
    let state = json!({ "blend": "speed", "points": [
        { "at": 0, "clip": "up" }, { "at": 1, "clip": "four" }, { "at": 2, "clip": "plain" }] });
    let mut player = one_state(json!({ "speed": 0.0 }), state);
    player.step(0.5);
    for (speed, expected) in [(0.0, 0.5), (0.5, 2.25), (1.0, 4.0), (1.75, 1.0), (2.0, 0.0)] {
        player.set("speed", speed);
        assert_lock(&player, expected);
    }
}

#[test]
fn in_a_fade_it_goes_over_as_the_pose_does() {
    let states = json!({ "a": { "clip": "four" }, "b": { "clip": "plain" } });
    let mut player = Player::new(one_layer(json!({}), states, "a", json!([])), clips());
    player.step(0.1);
    player.play(
        "b",
        Play {
            fade: Some(0.4),
            ..Play::default()
        },
    );
    for expected in [3.0, 2.0, 1.0, 0.0, 0.0] {
        player.step(0.1);
        assert_lock(&player, expected);
    }
}

#[test]
fn a_curve_goes_on_without_a_jump_through_interruptions() {
    let states =
        json!({ "a": { "clip": "four" }, "b": { "clip": "plain" }, "c": { "rest": true } });
    for rule in ["frozen", "live"] {
        for to in ["a", "c"] {
            let ways = json!([
                { "from": "a", "to": "b", "when": "b", "duration": 1.0, "interruption": rule },
                { "from": "b", "to": to, "when": "c", "duration": 1.0 },
            ]);
            let parameters = json!({ "b": "trigger", "c": "trigger" });
            let mut player = Player::new(one_layer(parameters, states.clone(), "a", ways), clips());
            player.pull("b");
            let mut before = 4.0;
            for step in 0..160 {
                if step == 50 {
                    player.pull("c");
                }
                player.step(0.01);
                let now = lock(&player);
                assert!(
                    (now - before).abs() < 0.05,
                    "{rule} to {to}, step {step}: {before}, then {now}"
                );
                before = now;
            }
            assert_lock(&player, if to == "a" { 4.0 } else { 0.0 });
        }
    }
}

#[test]
fn a_scrubbed_clip_and_a_sequence_are_read_where_they_are() {
    let scrub = json!({ "clip": "up", "time_parameter": "t" });
    let mut player = one_state(json!({ "t": 0.75 }), scrub.clone());
    player.step(0.1);
    assert_lock(&player, 0.75);
    let state = json!({ "direct": [{ "weight": "w", "motion": scrub }] });
    let mut player = one_state(json!({ "t": 0.75, "w": 0.5 }), state);
    player.step(0.1);
    assert_lock(&player, 0.375);
    let state = json!({ "sequence": [{ "clip": "plain" }, { "clip": "up" }] });
    let mut player = one_state(json!({}), state);
    player.step(0.5);
    assert_lock(&player, 0.0);
    player.step(0.75);
    assert_lock(&player, 0.25);
}

#[test]
fn machines_inside_states_count_by_their_weight() {
    let inside = json!({ "machine": { "entry": "x", "states": {
        "x": { "clip": "four" }, "y": { "clip": "plain" } } } });
    let state = json!({ "blend": "speed", "points": [
        { "at": 0, "motion": inside }, { "at": 1, "clip": "plain" }] });
    let mut player = one_state(json!({ "speed": 0.25 }), state);
    player.step(0.1);
    assert_lock(&player, 3.0);
}

#[test]
fn a_layer_that_has_it_moves_it_by_its_weight_and_others_leave_it() {
    let over = |clip: &str| {
        json!({ "layers": [
            { "name": "base", "states": { "s": { "clip": "four" } } },
            { "name": "over", "weight": 0.5, "entry": "a",
              "states": { "a": { "clip": clip }, "b": { "clip": "plain" } } },
        ] })
    };
    let mut player = Player::new(over("up"), clips());
    player.step(0.5);
    assert_lock(&player, 2.25);
    // It has the curve in another state.
    player.state.play(
        &player.graph,
        1,
        1,
        &Play {
            fade: Some(0.0),
            ..Play::default()
        },
    );
    player.step(0.1);
    assert_lock(&player, 2.0);
    let mut player = Player::new(over("plain"), clips());
    player.step(0.5);
    assert_lock(&player, 4.0);
}

#[test]
fn a_slot_moves_it_while_it_plays() {
    let states = json!({ "s": { "clip": "plain" } });
    let mut def = one_layer(json!({}), states, "s", json!([]));
    def["slots"] = json!({ "slot": { "after": "base" } });
    let mut player = Player::new(def, clips());
    player.step(0.1);
    assert_lock(&player, 0.0);
    let clip = player
        .graph
        .clips
        .iter()
        .position(|clip| clip.clip.name == "four");
    let clip = clip.expect("all clips are there for slots") as u16;
    player
        .state
        .play_slot(&player.graph, 0, clip, &SlotPlay::default());
    player.step(0.1);
    assert_lock(&player, 2.0);
    player.step(0.3);
    assert_lock(&player, 4.0);
    player.step(0.7);
    assert_lock(&player, 0.0);
}

#[test]
fn the_weight_of_a_layer_follows_a_curve() {
    let layers = |over: &str| {
        json!({ "layers": [
            { "name": "base", "states": { "s": { "clip": "up" } } },
            { "name": "over", "weight_curve": "lock", "states": { "s": { "clip": over } } },
        ] })
    };
    // Not in the layer itself: that of the layer below.
    let mut player = Player::new(layers("plain"), clips());
    for _ in 0..3 {
        player.step(0.25);
        assert!(
            (f64::from(player.x()) - player.time).abs() < 1e-5,
            "{}",
            player.x()
        );
    }
    // Its own, which is above 1.
    let mut player = Player::new(layers("four"), clips());
    player.step(0.25);
    assert_eq!(player.x(), 1.0);
}

#[test]
fn a_curve_goes_on_without_a_jump_where_a_frozen_fade_is_interrupted() {
    let states =
        json!({ "a": { "clip": "plain" }, "b": { "clip": "four" }, "c": { "clip": "plain" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 1.0 },
        { "from": "b", "to": "c", "when": "stop", "duration": 0.5 },
    ]);
    let def = one_layer(
        json!({ "go": "trigger", "stop": "trigger" }),
        states,
        "a",
        ways,
    );
    let mut player = Player::new(def, clips());
    player.pull("go");
    player.run_to(0.5, 0.01);
    assert_lock(&player, 2.0);
    player.pull("stop");
    player.step(0.01);
    assert_lock(&player, 2.0 * (1.0 - 0.02));
    player.run_to(0.75, 0.01);
    assert_lock(&player, 1.0);
    player.run_to(1.1, 0.01);
    assert_lock(&player, 0.0);
}
