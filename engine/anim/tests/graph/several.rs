//! Several transitions in one step, conduits, conditions for entering, sync groups by markers, and
//! why transitions do not start.

use serde_json::{Value, json};
use sinew_anim::{Held, Verdict, explain};

use crate::support::{Player, clip, one_layer, still};

fn chain(count: u32) -> Player {
    let states = json!({ "a": { "clip": "x" }, "b": { "clip": "x" }, "c": { "clip": "x" }, "d": { "clip": "x" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 0 },
        { "from": "b", "to": "c", "duration": 0 },
        { "from": "c", "to": "d", "duration": 0 },
        { "from": "d", "to": "a", "duration": 0 },
    ]);
    let mut def = one_layer(json!({ "go": false }), states, "a", ways);
    def["transitions_per_step"] = json!(count);
    Player::new(def, vec![clip("x", 1.0).x(1, 0.0, 1.0)])
}

#[test]
fn as_many_transitions_start_in_a_step_as_the_graph_allows() {
    for (count, expected) in [(1, "b"), (2, "c"), (3, "d"), (8, "d")] {
        let mut player = chain(count);
        player.flag("go", true);
        player.step(0.1);
        assert_eq!(player.state_name(), expected, "{count} a step");
        // Chained ones spend the rest of the step.
        assert!((player.x() - 0.1).abs() < 1e-6);
    }
}

#[test]
fn a_circle_of_open_transitions_goes_round_once_a_step_at_most() {
    let mut player = chain(8);
    player.flag("go", true);
    player.step(0.1);
    assert_eq!(player.state_name(), "d", "not back to where the step began");
    assert_eq!(player.count("enter a"), 1);
    player.step(0.1);
    assert_eq!(player.state_name(), "c");
}

#[test]
fn chained_gates_each_open_at_their_own_place_in_the_step() {
    let states = json!({
        "a": { "clip": "x", "mode": "once" }, "b": { "clip": "x", "mode": "once" }, "c": { "clip": "x", "mode": "once" },
    });
    let ways = json!([
        { "from": "a", "to": "b", "exit_time": 1, "duration": 0 },
        { "from": "b", "to": "c", "exit_time": 0.5, "duration": 0 },
    ]);
    let mut def = one_layer(json!({}), states, "a", ways);
    def["transitions_per_step"] = json!(2);
    let clips = || vec![clip("x", 1.0).x(1, 0.0, 1.0).marker("m", 0.25)];
    let mut player = Player::new(def.clone(), clips());
    player.step(1.75);
    assert_eq!(player.state_name(), "c");
    assert!(
        (player.x() - 0.25).abs() < 1e-5,
        "1.75 s = 1 + 0.5 + 0.25: {}",
        player.x()
    );
    let told: Vec<(String, f64)> = player
        .said
        .iter()
        .filter(|said| said.words.starts_with("enter") || said.words.starts_with('m'))
        .map(|said| (said.words.clone(), (said.time * 1000.0).round() / 1000.0))
        .collect();
    let expected = [
        ("enter a", 0.0),
        ("m in a", 0.25),
        ("enter b", 1.0),
        ("m in b", 1.25),
        ("enter c", 1.5),
        ("m in c", 1.75),
    ];
    let expected: Vec<(String, f64)> = expected.map(|(words, at)| (words.to_owned(), at)).into();
    assert_eq!(told, expected);
    // Small steps come to the same.
    let mut small = Player::new(def, clips());
    small.run_to(1.75, 0.05);
    assert!((small.x() - player.x()).abs() < 1e-4);
}

fn with_conduit(parameters: Value) -> Player {
    let states = json!({
        "idle": { "clip": "x" }, "choose": { "conduit": true }, "left": { "clip": "x" }, "right": { "clip": "x" },
    });
    let ways = json!([
        { "from": "idle", "to": "choose", "when": "go", "duration": 0.5 },
        { "from": "choose", "to": "left", "when": "side < 0", "duration": 0.1 },
        { "from": "choose", "to": "right", "when": "side > 0", "duration": 0.3 },
    ]);
    Player::new(
        one_layer(parameters, states, "idle", ways),
        vec![still("x", 1.0, 0.0)],
    )
}

#[test]
fn a_conduit_is_passed_through_in_the_same_step() {
    for (side, expected, fade) in [(-1.0, "left", 0.1), (1.0, "right", 0.3)] {
        let mut player = with_conduit(json!({ "go": "trigger", "side": side }));
        player.pull("go");
        player.step(0.05);
        assert_eq!(player.state_name(), expected);
        let duration = player.state.machines[0].fade.expect("fades").duration;
        assert!(
            (duration - fade).abs() < 1e-6,
            "the way out says how: {duration}"
        );
        assert_eq!(player.count("enter choose"), 0);
    }
}

#[test]
fn a_conduit_without_an_open_way_out_keeps_the_way_in_shut_and_the_trigger_set() {
    let mut player = with_conduit(json!({ "go": "trigger", "side": 0.0 }));
    player.pull("go");
    player.step(0.05);
    assert_eq!(player.state_name(), "idle");
    player.set("side", 1.0);
    player.step(0.05);
    assert_eq!(
        player.state_name(),
        "right",
        "the trigger had not been used"
    );
}

#[test]
fn a_state_is_entered_only_where_its_own_condition_holds() {
    let states = json!({ "a": { "clip": "x" }, "b": { "clip": "x", "enter_when": "ready" } });
    let ways = json!([{ "from": "a", "to": "b", "duration": 0 }]);
    let mut player = Player::new(
        one_layer(json!({ "ready": false }), states, "a", ways),
        vec![still("x", 1.0, 0.0)],
    );
    player.step(0.1);
    assert_eq!(player.state_name(), "a");
    player.flag("ready", true);
    player.step(0.1);
    assert_eq!(player.state_name(), "b");
}

/// Two walks whose feet come down at other phases.
fn out_of_step(align: Value) -> Player {
    let group = if align == json!("group") {
        json!("feet")
    } else {
        Value::Null
    };
    let state = |clip: &str| {
        let mut state = json!({ "clip": clip });
        if !group.is_null() {
            state["sync_group"] = group.clone();
        }
        state
    };
    let mut way = json!({ "from": "a", "to": "b", "when": "go", "duration": 0.5 });
    if group.is_null() {
        way["align"] = align;
    }
    let def = one_layer(
        json!({ "go": "trigger" }),
        json!({ "a": state("a"), "b": state("b") }),
        "a",
        json!([way]),
    );
    let clips = vec![
        still("a", 1.0, 0.0).marker("l", 0.0).marker("r", 0.5),
        still("b", 2.0, 0.0).marker("r", 0.4).marker("l", 1.6),
    ];
    Player::new(def, clips)
}

#[test]
fn a_state_can_begin_between_the_markers_that_the_source_is_between() {
    let mut player = out_of_step(json!("marker"));
    player.run_to(0.75, 0.05);
    player.pull("go");
    player.step(0.0);
    // Half of the way from r to l: from 0.2 to 0.8 of b's lap.
    let cycles = player.state.machines[0].playing[1].cycles;
    assert!((cycles - 0.5).abs() < 1e-6, "{cycles}");
    let mut by_phase = out_of_step(json!("phase"));
    by_phase.run_to(0.75, 0.05);
    by_phase.pull("go");
    by_phase.step(0.0);
    let cycles = by_phase.state.machines[0].playing[1].cycles;
    assert!((cycles - 0.75).abs() < 1e-6, "{cycles}");
}

#[test]
fn members_of_a_sync_group_keep_between_the_same_markers() {
    let mut player = out_of_step(json!("group"));
    player.run_to(0.3, 0.05);
    player.pull("go");
    // Places of l and r in the laps of a and b.
    let share = |cycles: f64, l: f64, r: f64| {
        let phase = (cycles - l).rem_euclid(1.0);
        let to_r = (r - l).rem_euclid(1.0);
        if phase < to_r {
            phase / to_r
        } else {
            1.0 + (phase - to_r) / (1.0 - to_r)
        }
    };
    for step in 0..9 {
        player.step(0.05);
        let playing = &player.state.machines[0].playing;
        assert_eq!(playing.len(), 2);
        let (a, b) = (
            share(playing[0].cycles, 0.0, 0.5),
            share(playing[1].cycles, 0.8, 0.2),
        );
        let apart = (a - b).rem_euclid(2.0);
        assert!(apart.min(2.0 - apart) < 1e-6, "step {step}: {a} and {b}");
    }
}

#[test]
fn an_overlay_that_follows_has_the_phase_of_the_base() {
    let def = json!({
        "parameters": { "v": 0.0 },
        "layers": [
            { "name": "base", "states": { "m": { "blend": "v", "points": [{ "at": 0, "clip": "slow" }, { "at": 1, "clip": "fast" }] } }, "transitions": [] },
            { "name": "over", "follow": "base", "states": { "o": { "clip": "over" } }, "transitions": [] },
        ],
    });
    let clips = vec![
        still("slow", 2.0, 0.0),
        still("fast", 0.5, 0.0),
        still("over", 1.0, 0.0).marker("m", 0.5),
    ];
    let mut player = Player::new(def, clips);
    let mut random = crate::support::Random(5);
    for step in 0..300 {
        player.set("v", random.next() as f32);
        player.step((random.next() * 0.1) as f32);
        let phase = |layer| player.state.layer_status(&player.graph, layer).progress;
        let apart = (phase(0) - phase(1)).abs();
        assert!(apart.min(1.0 - apart) < 1e-5, "step {step}: {apart}");
    }
    let laps = player.state.machines[0].playing[0].cycles;
    let heard = player.count("m in o") as f64;
    assert!((heard - laps).abs() <= 1.0, "{heard} in {laps} laps");
}

#[test]
fn the_leader_of_a_group_is_who_may_lead() {
    let run = |roles: [&str; 2]| {
        let state =
            |clip: &str, role: &str| json!({ "clip": clip, "sync_group": "g", "sync_role": role });
        let states = json!({ "a": state("a", roles[0]), "b": state("b", roles[1]) });
        let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 1.0 }]);
        let mut player = Player::new(
            one_layer(json!({ "go": "trigger" }), states, "a", ways),
            vec![still("a", 1.0, 0.0), still("b", 0.5, 0.0)],
        );
        player.pull("go");
        player.run_to(0.2, 0.05);
        player.state.machines[0].playing[1].cycles
    };
    let (of_a, of_b) = (0.2, 0.4);
    let cases = [
        (["can_be_leader", "can_be_leader"], of_a),
        (["can_be_leader", "always_leader"], of_b),
        (["always_follower", "can_be_leader"], of_b),
        (["always_leader", "always_leader"], of_a),
    ];
    for (roles, expected) in cases {
        let found = run(roles);
        assert!((found - expected).abs() < 1e-6, "{roles:?}: {found}");
    }
}

#[test]
fn every_way_out_says_why_it_does_not_start() {
    let states = json!({ "a": { "clip": "x" }, "b": { "clip": "x" }, "c": { "clip": "x", "enter_when": "open" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "grounded and speed > 0.5" },
        { "from": "a", "to": "b", "exit_time": 0.9 },
        { "from": "a", "to": "c" },
        { "name": "go", "from": "any", "to": "b", "when": "go" },
        { "name": "again", "from": "a", "to": "b", "when": "go", "priority": -1 },
    ]);
    let parameters = json!({ "grounded": true, "speed": 0.2, "open": false, "go": "trigger" });
    let mut player = Player::new(
        one_layer(parameters, states, "a", ways),
        vec![still("x", 1.0, 0.0)],
    );
    player.step(0.1);
    player.pull("go");
    let before = player.state.clone();
    let told = explain(&player.graph, &player.state, 0, 0.01);
    assert_eq!(player.state, before, "asking changes nothing");
    let machine = &player.graph.machines[0];
    let verdict = |name: &str| {
        let found = told[0]
            .candidates
            .iter()
            .find(|candidate| machine.transitions[usize::from(candidate.transition)].name == name);
        found.expect("a way out").verdict.clone()
    };
    let Verdict::Held {
        by: Held::Condition,
        why,
    } = verdict("a>b")
    else {
        panic!("{:?}", verdict("a>b"));
    };
    assert_eq!(why, "`speed > 0.5` (speed is 0.2)");
    assert!(matches!(
        verdict("a>b#2"),
        Verdict::Held { by: Held::Gate, .. }
    ));
    assert!(matches!(
        verdict("a>c"),
        Verdict::Held {
            by: Held::EnterWhen,
            ..
        }
    ));
    assert!(matches!(verdict("go"), Verdict::Starts { .. }));
    assert!(matches!(
        verdict("again"),
        Verdict::LostTo {
            transition: Some(_)
        }
    ));
    let by = |index: u16| {
        let name = &player.graph.parameters[usize::from(index)].name;
        (name == "speed").then(|| "hero.lua:12".to_owned())
    };
    let words = told[0].in_words(&player.graph, &by);
    for line in [
        "layer `base` is in `a`",
        "a>b: `speed > 0.5` (speed is 0.2)",
        "a>b#2: exit_time 0.9 is not reached: `a` is at 0.100 of its lap",
        "again: could start, but `go` goes before it",
        "speed was set last by hero.lua:12",
    ] {
        assert!(words.contains(line), "{line} in\n{words}");
    }
    let c = player.graph.state(0, "c").expect("known");
    let words = told[0].why_not(&player.graph, c, &by);
    assert!(words.contains("`open` (open is false)"), "{words}");
    player.step(0.01);
    assert_eq!(player.state_name(), "b", "and what was said to start does");
}

#[test]
fn any_through_a_conduit_does_not_restart_the_state_that_plays() {
    let states =
        json!({ "idle": { "clip": "x" }, "hub": { "conduit": true }, "walk": { "clip": "x" } });
    let ways = json!([
        { "from": "any", "to": "hub", "when": "grounded", "duration": 0 },
        { "from": "hub", "to": "walk", "when": "v > 0.1", "duration": 0 },
    ]);
    let parameters = json!({ "grounded": true, "v": 1.0 });
    let mut player = Player::new(
        one_layer(parameters, states, "idle", ways),
        vec![clip("x", 1.0).x(1, 0.0, 1.0)],
    );
    player.run_to(0.5, 0.1);
    assert_eq!(player.count("enter walk"), 1);
    assert!((player.x() - 0.5).abs() < 1e-5, "{}", player.x());
}

#[test]
fn a_choice_that_ends_with_a_fade_leaves_the_state_that_follows_alone() {
    let states = json!({
        "r": { "select": "random", "children": [{ "clip": "a" }, { "clip": "b" }] },
        "n": { "clip": "n" },
    });
    let ways = json!([{ "from": "r", "to": "n", "exit_time": 0.75, "duration": 0.25 }]);
    let clips = vec![
        still("a", 1.0, 0.0),
        still("b", 1.0, 0.0),
        clip("n", 1.0).x(1, 0.0, 1.0),
    ];
    for dt in [0.25, 1.5, 0.05] {
        let mut player = Player::new(
            one_layer(json!({}), states.clone(), "r", ways.clone()),
            clips.clone(),
        );
        player.run_to(1.5, dt);
        let cycles = player.state.machines[0].playing[0].cycles;
        assert!((cycles - 0.75).abs() < 1e-5, "steps of {dt}: {cycles}");
    }
}

#[test]
fn a_restart_in_a_sync_group_begins_anew_and_stays_there() {
    let states = json!({ "w": { "clip": "w", "sync_group": "feet" } });
    let mut player = Player::new(
        one_layer(json!({}), states, "w", json!([])),
        vec![still("w", 1.0, 0.0).marker("l", 0.1).marker("r", 0.6)],
    );
    player.run_to(0.6, 0.05);
    let play = sinew_anim::Play {
        restart: true,
        fade: Some(0.5),
        ..sinew_anim::Play::default()
    };
    player.play("w", play);
    player.step(0.05);
    let playing = &player.state.machines[0].playing;
    let found = [playing[0].cycles, playing[1].cycles];
    assert!(
        (found[0] - 0.65).abs() < 1e-6 && (found[1] - 0.05).abs() < 1e-6,
        "{found:?}"
    );
}

#[test]
fn an_overlay_follows_the_state_inside_a_base_that_is_a_machine() {
    let inside = json!({ "states": { "w": { "clip": "w" } }, "transitions": [] });
    let def = json!({ "layers": [
        { "name": "base", "states": { "m": { "machine": inside, "speed": 2 } }, "transitions": [] },
        { "name": "over", "follow": "base", "states": { "o": { "clip": "o" } }, "transitions": [] },
    ] });
    let clips = vec![still("w", 1.0, 0.0), still("o", 3.0, 0.0).marker("m", 1.5)];
    let mut player = Player::new(def, clips);
    player.run_to(2.2, 0.05);
    let progress = player.state.layer_status(&player.graph, 1).progress;
    assert!((progress - 0.4).abs() < 1e-4, "{progress}");
    assert_eq!(player.count("m in o"), 4);
}

#[test]
fn states_that_follow_each_other_at_one_instant_are_told_one_after_the_other() {
    let states = json!({ "a": { "clip": "x" }, "b": { "clip": "x" }, "c": { "clip": "x" } });
    let ways =
        json!([{ "from": "a", "to": "b", "when": "go" }, { "from": "b", "to": "c", "when": "go" }]);
    let mut def = one_layer(json!({ "go": false }), states, "a", ways);
    def["transitions_per_step"] = json!(2);
    let mut player = Player::new(def, vec![still("x", 1.0, 0.0)]);
    player.flag("go", true);
    player.step(0.1);
    let told = [
        "enter a",
        "in a",
        "exit a for b",
        "enter b",
        "exit b for c",
        "enter c",
    ];
    assert_eq!(player.words(), told);
}

#[test]
fn what_is_said_of_an_overlay_that_follows_the_base_is_what_happens() {
    let parameters = json!({ "speed": 1.0 });
    let over = json!({ "name": "over", "entry": "a", "follow": "base",
        "states": { "a": { "clip": "long" }, "b": { "clip": "long" } },
        "transitions": [
            { "from": "a", "to": "b", "exit_time": 0.35, "latch": false, "duration": 0.01 },
            { "from": "b", "to": "a", "exit_time": 0.8, "latch": false, "duration": 0.01 },
        ] });
    let base = json!({ "w": { "clip": "short", "speed_parameter": "speed" } });
    let mut def = one_layer(parameters, base, "w", json!([]));
    def["layers"].as_array_mut().expect("a list").push(over);
    let mut player = Player::new(def, vec![still("short", 0.7, 0.0), still("long", 5.0, 0.0)]);
    let mut started = 0;
    for step in 0..200 {
        player.set("speed", 0.5 + (step % 7) as f32 * 0.3);
        let dt = 0.01 + (step % 5) as f32 * 0.007;
        let told = explain(&player.graph, &player.state, 1, dt);
        let mut starts = told[0].candidates.iter();
        let starts = starts.any(|candidate| matches!(candidate.verdict, Verdict::Starts { .. }));
        let before = player.state.layer_status(&player.graph, 1).state;
        player.step(dt);
        let after = player.state.layer_status(&player.graph, 1).state;
        assert_eq!(starts, before != after, "step {step}");
        started += usize::from(starts);
    }
    assert!(started > 10, "{started} transitions");
}
