//! How exactly machines inside states begin, end, count and are measured.

use serde_json::json;
use sinew_anim::Play;

use crate::nested::{inside, jumper};
use crate::support::{Player, clip, still};

#[test]
fn a_seek_moves_the_clock_of_the_innermost_state() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(0.5, 0.1);
    player.state.seek(&player.graph, 0, 0.75);
    player.show();
    assert!((player.x() - 10.75).abs() < 1e-4, "{}", player.x());
}

#[test]
fn a_state_played_at_seconds_begins_there_inside() {
    let mut player = jumper("reset");
    let play = Play {
        at: Some(0.5),
        ..Play::default()
    };
    player.play("air", play);
    player.step(0.1);
    let (path, time) = inside(&player);
    assert_eq!(path, "air/rise");
    assert!((time - 0.6).abs() < 1e-6, "{time}");
}

#[test]
fn the_end_of_a_machine_is_told_once_after_that_of_the_state_inside() {
    for dt in [0.01, 0.1, 0.3, 1.5] {
        let inside = json!({ "states": { "a": { "clip": "a", "mode": "once" } } });
        let def = json!({ "layers": [{ "name": "base",
            "states": { "m": { "machine": inside } }, "transitions": [] }] });
        let mut player = Player::new(def, vec![still("a", 1.0, 0.0)]);
        player.run_to(3.0, dt);
        let ends = player.said.iter();
        let ends: Vec<_> = ends
            .filter(|said| said.words.starts_with("finished"))
            .collect();
        assert_eq!(ends.len(), 2, "steps of {dt}");
        assert_eq!(ends[0].words, "finished m/a");
        assert_eq!(ends[1].words, "finished m");
        assert!(ends.iter().all(|end| (end.time - 1.0).abs() < 1e-5));
    }
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.5, 0.1);
    assert_eq!(player.count("finished air"), 0, "another state follows");
}

#[test]
fn one_press_opens_one_door_of_a_machine() {
    let states = json!({ "a": { "clip": "x" }, "b": { "clip": "x" }, "c": { "clip": "x" } });
    let ways =
        json!([{ "from": "a", "to": "b", "when": "go" }, { "from": "b", "to": "c", "when": "go" }]);
    let parameters = json!({ "go": "trigger" });
    let mut def = crate::support::one_layer(parameters, states.clone(), "a", ways.clone());
    def["transitions_per_step"] = json!(2);
    let other = json!({ "name": "over", "entry": "a", "states": states, "transitions": ways });
    def["layers"].as_array_mut().expect("a list").push(other);
    let mut player = Player::new(def, vec![still("x", 1.0, 0.0)]);
    player.pull("go");
    player.step(0.1);
    for layer in [0, 1] {
        let state = player.state.layer_status(&player.graph, layer).state;
        assert_eq!(player.graph.states(layer)[usize::from(state)].name, "b");
    }
}

#[test]
fn the_difference_that_dies_away_goes_on_at_the_speed_of_the_machine_that_was_left() {
    // The hand moves at -3 m/s inside the machine and stands where the change leads: without the speed of what is
    // inside, the difference would begin to die away from rest.
    let inside = json!({ "states": { "w": { "clip": "move" } }, "transitions": [] });
    let def = json!({
        "parameters": { "go": "trigger" },
        "layers": [{ "name": "base", "entry": "m",
            "states": { "m": { "machine": inside }, "end": { "clip": "end" } },
            "transitions": [
                { "from": "m", "to": "end", "when": "go", "by": "inertial", "duration": 0.5 },
            ] }],
    });
    let moving = clip("move", 10.0).x(1, 0.0, -30.0);
    let mut player = Player::new(def, vec![moving, still("end", 1.0, -40.0)]);
    player.run_to(2.0, 0.01);
    let (x0, v0, t1) = (player.x() + 40.0, -3.0_f32, 0.5_f32);
    player.pull("go");
    let t = 0.01_f32;
    player.step(t);
    let a0 = ((-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1)).max(0.0);
    let a = -(a0 * t1 * t1 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t1.powi(5));
    let b = (3.0 * a0 * t1 * t1 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t1.powi(4));
    let c = -(3.0 * a0 * t1 * t1 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t1.powi(3));
    let left = a * t.powi(5) + b * t.powi(4) + c * t.powi(3) + a0 * t * t / 2.0 + v0 * t + x0;
    let shown = player.x();
    assert!(
        (shown + 40.0 - left).abs() < 2e-3,
        "{shown} and not {}",
        left - 40.0
    );
}

#[test]
fn measuring_its_speed_leaves_a_machine_where_it_was() {
    let left_by = |by: &str| {
        let inside = json!({ "reenter": "resume", "entry": "a",
            "states": { "a": { "clip": "a" }, "b": { "clip": "b" } },
            "transitions": [{ "from": "a", "to": "b", "exit_time": 0.3, "duration": 0.9 }] });
        let def = json!({
            "parameters": { "go": "trigger" },
            "layers": [{ "name": "base", "entry": "m",
                "states": { "m": { "machine": inside }, "end": { "clip": "end" } },
                "transitions": [
                    { "from": "m", "to": "end", "when": "go", "by": by, "duration": 0.0 },
                ] }],
        });
        let clips = vec![
            clip("a", 1.0).x(1, 0.0, 1.0),
            still("b", 0.7, 2.0),
            still("end", 1.0, 5.0),
        ];
        let mut player = Player::new(def, clips);
        player.run_to(0.7, 0.013);
        player.pull("go");
        player.step(0.013);
        player.state.machines[1].clone()
    };
    let inertial = left_by("inertial");
    let current = inertial.playing.last().expect("it is to be resumed");
    assert!(current.cycles > 0.3, "{current:?}");
    assert_eq!(inertial, left_by("crossfade"));
}

/// A machine whose states lead on to each other whenever `go` is set, in a state that fades in.
fn chain(transitions_per_step: u32) -> Player {
    let inside = json!({ "entry": "a",
        "states": { "a": { "clip": "x" }, "b": { "clip": "x" }, "c": { "clip": "x" }, "d": { "clip": "x" } },
        "transitions": [
            { "from": "a", "to": "b", "when": "go", "duration": 0 },
            { "from": "b", "to": "c", "when": "go", "duration": 0 },
            { "from": "c", "to": "d", "when": "go", "duration": 0 },
        ] });
    let def = json!({
        "parameters": { "go": false, "in": "trigger" },
        "transitions_per_step": transitions_per_step,
        "layers": [{ "name": "base", "entry": "out",
            "states": { "out": { "clip": "x" }, "m": { "machine": inside } },
            "transitions": [{ "from": "out", "to": "m", "when": "in", "duration": 0.05 }] }],
    });
    Player::new(def, vec![still("x", 1.0, 0.0)])
}

#[test]
fn transitions_inside_are_counted_over_the_whole_step_however_it_is_cut() {
    for (limit, expected) in [(1, "m/b"), (2, "m/c"), (3, "m/d")] {
        let mut player = chain(limit);
        player.pull("in");
        player.step(0.01);
        assert_eq!(inside(&player).0, "m/a");
        // The fade around ends within this step, so the machine runs in two slices.
        let go = player.graph.parameter("go").expect("there");
        let set = player.state.set_bool(&player.graph, go, true);
        set.expect("a bool");
        player.step(0.1);
        assert_eq!(inside(&player).0, expected, "{limit} a step");
    }
}

#[test]
fn an_offset_reaches_the_entry_of_a_machine_and_a_resumed_one_ignores_it() {
    for (reenter, again) in [("reset", 0.35), ("resume", 1.05)] {
        let inside =
            json!({ "reenter": reenter, "states": { "a": { "clip": "a" } }, "transitions": [] });
        let def = json!({
            "parameters": { "go": "trigger", "back": "trigger" },
            "layers": [{ "name": "base", "entry": "out",
                "states": { "out": { "clip": "a" }, "m": { "machine": inside } },
                "transitions": [
                    { "from": "out", "to": "m", "when": "go", "offset": 0.25, "duration": 0 },
                    { "from": "m", "to": "out", "when": "back", "duration": 0 },
                ] }],
        });
        let mut player = Player::new(def, vec![still("a", 1.0, 0.0)]);
        let clock = |player: &Player| player.state.machines[1].playing[0].cycles;
        player.pull("go");
        player.step(0.1);
        assert!((clock(&player) - 0.35).abs() < 1e-6, "{}", clock(&player));
        player.run_to(0.7, 0.1);
        player.pull("back");
        player.step(0.1);
        player.pull("go");
        player.step(0.1);
        assert!(
            (clock(&player) - again).abs() < 1e-6,
            "{reenter}: {}",
            clock(&player)
        );
    }
}

#[test]
fn aligned_with_what_was_left_a_machine_begins_at_its_phase_inside() {
    let inside = json!({ "states": { "a": { "clip": "slow" } }, "transitions": [] });
    let def = json!({
        "parameters": { "go": "trigger" },
        "layers": [{ "name": "base", "entry": "out",
            "states": { "out": { "clip": "fast" }, "m": { "machine": inside } },
            "transitions": [{ "from": "out", "to": "m", "when": "go", "align": "phase", "duration": 0 }] }],
    });
    let mut player = Player::new(def, vec![still("fast", 1.0, 0.0), still("slow", 2.0, 0.0)]);
    player.run_to(0.4, 0.1);
    player.pull("go");
    player.step(0.1);
    let clock = player.state.machines[1].playing[0].cycles;
    assert!((clock - 0.45).abs() < 1e-6, "{clock}");
}

#[test]
fn an_exit_time_out_of_a_machine_is_exact_where_the_state_inside_changes_in_the_step() {
    for dt in [0.01, 0.05, 0.13, 0.5, 2.0] {
        let inside = json!({ "entry": "a",
            "states": { "a": { "clip": "a", "mode": "once" }, "b": { "clip": "b", "mode": "once" } },
            "transitions": [{ "from": "a", "to": "b", "exit_time": 0.4, "duration": 0 }] });
        let def = json!({
            "parameters": {},
            "layers": [{ "name": "base", "entry": "m",
                "states": { "m": { "machine": inside }, "out": { "clip": "out" } },
                "transitions": [{ "from": "m", "to": "out", "exit_time": 0.5, "latch": false, "duration": 0 }] }],
        });
        let clips = vec![
            still("a", 0.5, 0.0),
            still("b", 0.4, 1.0),
            still("out", 1.0, 2.0),
        ];
        let mut player = Player::new(def, clips);
        player.run_to(2.0, dt);
        let left = player.said.iter().find(|said| said.words == "enter out");
        let time = left.expect("it comes out").time;
        // `a` gives way after 0.2 s, half of `b` is 0.2 s later.
        assert!((time - 0.4).abs() < 1e-5, "steps of {dt}: {time}");
    }
}
