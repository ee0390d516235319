//! What scripts do to a graph's state and read from it.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use serde_json::json;
use sinew_anim::{Graph, GraphState, ParameterError, ParameterValue, Play};

use crate::support::{Player, Random, clip, one_layer, skeleton, still};

fn kinds() -> Player {
    let parameters = json!({
        "f": { "type": "float", "value": 1.5, "min": -1, "max": 2 },
        "i": { "type": "int", "value": 3, "min": 0, "max": 10 },
        "b": true, "t": "trigger",
    });
    Player::new(
        one_layer(parameters, json!({ "s": { "rest": true } }), "s", json!([])),
        vec![],
    )
}

#[test]
fn parameters_begin_at_their_value_and_keep_their_range() {
    let mut player = kinds();
    let (graph, state) = (&player.graph, &mut player.state);
    let index = |name| graph.parameter(name).unwrap();
    assert_eq!(state.value(index("f")), ParameterValue::Float(1.5));
    assert_eq!(state.value(index("i")), ParameterValue::Int(3));
    assert_eq!(state.value(index("b")), ParameterValue::Bool(true));
    assert_eq!(state.value(index("t")), ParameterValue::Trigger(false));
    state.set_float(graph, index("f"), 9.0).unwrap();
    state.set_int(graph, index("i"), -9).unwrap();
    assert_eq!(state.value(index("f")), ParameterValue::Float(2.0));
    assert_eq!(state.value(index("i")), ParameterValue::Int(0));
}

#[test]
fn what_a_parameter_cannot_hold_is_refused_and_changes_nothing() {
    let mut player = kinds();
    let (graph, state) = (&player.graph, &mut player.state);
    let before = state.clone();
    let index = |name| graph.parameter(name).unwrap();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = state.set_float(graph, index("f"), value).unwrap_err();
        assert!(matches!(error, ParameterError::NotFinite { .. }));
    }
    let error = state.set_float(graph, index("b"), 1.0).unwrap_err();
    assert_eq!(error.to_string(), "parameter `b` is a bool, not a float");
    assert!(state.set_int(graph, index("f"), 1).is_err());
    assert!(state.set_bool(graph, index("t"), true).is_err());
    assert!(state.set_trigger(graph, index("b")).is_err());
    assert!(matches!(
        state.set_bool(graph, 99, true),
        Err(ParameterError::Unknown(99))
    ));
    assert_eq!(*state, before);
}

fn two_states() -> Player {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b", "mode": "once" } });
    let clips = vec![clip("a", 2.0).x(1, 0.0, 2.0), clip("b", 2.0).x(1, 0.0, 2.0)];
    Player::new(one_layer(json!({}), states, "a", json!([])), clips)
}

#[test]
fn play_fades_to_a_state_from_where_it_is_asked() {
    let mut player = two_states();
    player.play(
        "b",
        Play {
            fade: Some(0.5),
            at: Some(1.0),
            ..Play::default()
        },
    );
    assert_eq!(player.state_name(), "a", "begins with the next step");
    player.step(0.1);
    let status = player.status();
    assert_eq!(player.state_name(), "b");
    assert!((status.time - 1.1).abs() < 1e-6);
    assert!((status.length - 2.0).abs() < 1e-6);
    assert!((status.weight - 0.2).abs() < 1e-6);
    assert!(status.fading);
    assert_eq!(status.previous, Some(0));
}

#[test]
fn play_again_changes_nothing_and_restart_fades_from_itself() {
    let mut player = two_states();
    player.run_to(1.0, 0.1);
    player.play("a", Play::default());
    player.step(0.1);
    assert!((player.status().time - 1.1).abs() < 1e-5);
    assert!(!player.status().fading);
    player.play(
        "a",
        Play {
            restart: true,
            fade: Some(0.4),
            ..Play::default()
        },
    );
    player.step(0.1);
    assert!((player.status().time - 0.1).abs() < 1e-5);
    assert!(
        (player.x() - (1.2 * 0.75 + 0.1 * 0.25)).abs() < 1e-4,
        "{}",
        player.x()
    );
}

#[test]
fn play_after_finish_waits_for_the_end() {
    let mut player = two_states();
    player.play(
        "b",
        Play {
            fade: Some(0.0),
            ..Play::default()
        },
    );
    player.step(0.1);
    player.play(
        "a",
        Play {
            after_finish: true,
            fade: Some(0.0),
            ..Play::default()
        },
    );
    player.run_to(1.95, 0.1);
    assert_eq!(player.state_name(), "b");
    player.run_to(2.1, 0.1);
    assert_eq!(player.state_name(), "a");
    assert_eq!(player.count("finished b"), 1);
}

#[test]
fn seek_is_exact_and_looping_can_be_changed() {
    let mut player = two_states();
    player.state.seek(&player.graph, 0, 1.25);
    player.show();
    assert!((player.x() - 1.25).abs() < 1e-6);
    player.state.set_looping(&player.graph, 0, false);
    player.run_to(2.0, 0.1);
    assert_eq!(player.x(), 2.0);
    assert!(player.status().finished);
    assert_eq!(player.count("finished a"), 1);
}

#[test]
fn indices_that_do_not_exist_are_harmless() {
    let mut player = two_states();
    let before = player.state.clone();
    player.state.play(&player.graph, 7, 0, &Play::default());
    player.state.play(&player.graph, 0, 7, &Play::default());
    player.state.seek(&player.graph, 7, 1.0);
    player.state.set_layer_weight(7, 1.0, 0.0);
    player.state.set_looping(&player.graph, 7, true);
    assert_eq!(player.state.layer_status(&player.graph, 7).length, 0.0);
    assert_eq!(player.state, before);
}

#[test]
fn hostile_numbers_neither_hang_nor_poison() {
    let mut player = two_states();
    for dt in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30, 1e-30] {
        player.state.speed = f32::NAN;
        player.step(dt);
        player.state.speed = f32::INFINITY;
        player.step(dt);
        player.state.speed = -1e30;
        player.step(dt);
        player.state.seek(&player.graph, 0, f32::NAN);
        player.play(
            "b",
            Play {
                fade: Some(f32::NAN),
                at: Some(f32::INFINITY),
                ..Play::default()
            },
        );
        player.step(0.1);
        player.play(
            "a",
            Play {
                fade: Some(f32::INFINITY),
                at: Some(-1e30),
                ..Play::default()
            },
        );
        player.step(0.1);
        assert!(player.x().is_finite());
        assert!(player.status().progress.is_finite());
    }
}

#[test]
fn a_clip_plays_without_a_written_graph() {
    let make = clip("any", 1.0).x(1, 0.0, 1.0);
    let graph = Graph::single_clip(&skeleton(), &Arc::new(make.0), true).unwrap();
    let mut player = Player::of(graph);
    player.step(1.25);
    assert!((player.x() - 0.25).abs() < 1e-6);
    let mut player = Player::of(Graph::rest(&skeleton()));
    player.step(0.1);
    assert_eq!(player.pose, skeleton().rest);
}

#[test]
fn a_state_that_was_saved_goes_on_the_same_to_the_bit() {
    let states = json!({
        "m": { "blend": "v", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] },
        "n": { "clip": "c" },
    });
    let ways = json!([
        { "from": "m", "to": "n", "when": "go", "duration": 0.3 },
        { "from": "n", "to": "m", "when": "not go", "duration": 0.4 },
    ]);
    let clips = vec![
        still("a", 1.0, 0.0).marker("x", 0.3),
        still("b", 0.7, 1.0).marker("x", 0.4),
        clip("c", 2.0).x(1, 0.0, 1.0),
    ];
    let def = one_layer(json!({ "v": 0.0, "go": false }), states, "m", ways);
    let mut player = Player::new(def.clone(), clips.clone());
    let mut random = Random(5);
    for _ in 0..100 {
        player.set("v", random.next() as f32);
        player.flag("go", random.next() < 0.5);
        player.step(0.05);
    }
    let text = serde_json::to_string(&player.state).unwrap();
    let mut other = Player::new(def, clips);
    other.state = serde_json::from_str::<GraphState>(&text).unwrap();
    let hash = |player: &Player| {
        let mut hasher = DefaultHasher::new();
        player.state.hash_into(&mut hasher);
        hasher.finish()
    };
    for _ in 0..50 {
        assert_eq!(hash(&player), hash(&other));
        let (v, go) = (random.next() as f32, random.next() < 0.5);
        for player in [&mut player, &mut other] {
            player.set("v", v);
            player.flag("go", go);
            player.step(0.05);
        }
        assert_eq!(player.out, other.out);
        assert_eq!(player.pose, other.pose);
    }
}

#[test]
fn the_hash_sees_every_kind_of_change() {
    let player = two_states();
    let hash = |state: &GraphState| {
        let mut hasher = DefaultHasher::new();
        state.hash_into(&mut hasher);
        hasher.finish()
    };
    let base = hash(&player.state);
    let changes: [fn(&mut GraphState); 6] = [
        |state| state.speed = 2.0,
        |state| state.paused = true,
        |state| state.machines[0].playing[0].cycles += 1e-12,
        |state| state.layers[0].weight.value = 0.5,
        |state| state.machines[0].previous = Some(0),
        |state| state.machines[0].frozen_root.translation.x = 1.0,
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut state = player.state.clone();
        change(&mut state);
        assert_ne!(hash(&state), base, "change {index}");
    }
}

#[test]
fn a_phase_that_a_parameter_gives_is_not_sought() {
    let states =
        json!({ "swing": { "clip": "pull", "time_parameter": "open" }, "rest": { "rest": true } });
    let clips = vec![clip("pull", 2.0).x(1, 0.0, 1.0).marker("click", 1.0)];
    let def = one_layer(json!({ "open": 0.25 }), states, "swing", json!([]));
    let mut player = Player::new(def, clips);
    player.step(0.1);
    player.state.seek(&player.graph, 0, 1.8);
    player.step(0.1);
    assert!((player.x() - 0.25).abs() < 1e-6);
    player.play("rest", Play::default());
    player.step(0.1);
    let at = Some(1.8);
    player.play(
        "swing",
        Play {
            at,
            ..Play::default()
        },
    );
    player.run_to(2.0, 0.1);
    assert_eq!(player.count("click in swing"), 0, "{:?}", player.words());
}

/// An actor that is brought to a stop, as for a hit, neither ends what plays nor opens its gates.
#[test]
fn a_state_that_runs_down_and_is_stopped_is_not_at_its_end() {
    for (mode, start) in [("once", 1.0_f32), ("loop", 0.0)] {
        let states = json!({ "back": { "clip": "c", "mode": mode, "speed": -1.0 }, "next": { "rest": true } });
        let ways = json!([{ "from": "back", "to": "next", "exit_time": 0.7, "duration": 0.0 }]);
        let clips = vec![clip("c", 1.0).x(1, 0.0, 1.0)];
        let mut player = Player::new(one_layer(json!({}), states, "back", ways), clips);
        player.state.speed = 0.0;
        player.run_to(0.5, 0.1);
        assert_eq!(
            (player.state_name(), player.count("finished back")),
            ("back", 0),
            "{mode}"
        );
        assert_eq!(player.status().progress, start, "{mode}");
        player.state.speed = 1.0;
        player.run_to(0.7, 0.1);
        player.state.speed = 0.0;
        player.run_to(1.0, 0.1);
        assert_eq!(
            player.state_name(),
            "back",
            "{mode} at {}",
            player.status().progress
        );
        player.state.speed = 1.0;
        player.run_to(1.6, 0.1);
        assert_eq!(player.state_name(), "next", "{mode}");
    }
}

#[test]
fn a_state_that_finished_stays_so_while_the_actor_stands_still() {
    let mut player = two_states();
    player.play("b", Play::default());
    player.run_to(2.5, 0.1);
    assert!(player.status().finished);
    player.state.speed = 0.0;
    player.run_to(3.0, 0.1);
    assert!(player.status().finished);
    assert_eq!(player.count("finished b"), 1);
}
