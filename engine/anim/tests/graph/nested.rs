//! Machines inside states.

use serde_json::{Value, json};
use sinew_anim::Play;

use crate::support::{Player, clip, still};

/// `ground`, and `air` with `rise` and `drop` in it; `up` and `down` lead there and back.
fn jumper(reenter: &str) -> Player {
    let inside = json!({
        "entry": "rise", "reenter": reenter,
        "states": { "rise": { "clip": "rise", "mode": "once" }, "drop": { "clip": "drop" } },
        "transitions": [{ "from": "rise", "to": "drop", "exit_time": 1, "duration": 0.2 }],
    });
    let def = json!({
        "parameters": { "up": "trigger", "down": "trigger" },
        "layers": [{ "name": "base", "entry": "ground",
            "states": { "ground": { "clip": "ground" }, "air": { "machine": inside } },
            "transitions": [
                { "from": "ground", "to": "air", "when": "up", "duration": 0.2 },
                { "from": "air", "to": "ground", "when": "down", "duration": 0.2 },
            ] }],
    });
    let clips = vec![
        still("ground", 1.0, 0.0),
        clip("rise", 1.0).x(1, 10.0, 11.0).marker("push", 0.25),
        clip("drop", 1.0).x(1, 20.0, 21.0).marker("fall", 0.5),
    ];
    Player::new(def, clips)
}

fn inside(player: &Player) -> (&str, f32) {
    let path = player.state.current_path(&player.graph, 0).expect("plays");
    let machine = player.graph.state_at(0, path).expect("known")[0];
    let status = player.state.machine_status(&player.graph, machine);
    (path, status.time)
}

#[test]
fn a_machine_that_is_entered_again_begins_at_its_entry() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.5, 0.1);
    assert_eq!(inside(&player).0, "air/drop");
    player.pull("down");
    player.run_to(2.5, 0.1);
    assert_eq!(inside(&player).0, "ground");
    player.pull("up");
    player.step(0.1);
    let (path, time) = inside(&player);
    assert_eq!(path, "air/rise");
    assert!((time - 0.1).abs() < 1e-6, "the clock is dt, not {time}");
}

#[test]
fn entered_again_while_it_is_still_faded_out_it_goes_on_where_it_is() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.5, 0.1);
    player.pull("down");
    player.step(0.1);
    player.pull("up");
    player.step(0.05);
    assert_eq!(inside(&player).0, "air/drop");
}

#[test]
fn a_machine_that_resumes_goes_on_where_it_was_left() {
    let mut player = jumper("resume");
    player.pull("up");
    player.run_to(1.5, 0.1);
    player.pull("down");
    player.run_to(3.0, 0.1);
    let before = player.state.machines[1].playing[0].cycles;
    player.pull("up");
    player.step(0.1);
    let (path, _) = inside(&player);
    assert_eq!(path, "air/drop");
    let now = player.state.machines[1].playing[0].cycles;
    assert!((now - before - 0.1).abs() < 1e-6, "{before} to {now}");
}

#[test]
fn states_inside_are_told_with_their_path_after_the_one_around_and_left_before_it() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.5, 0.1);
    player.pull("down");
    player.step(0.1);
    let told: Vec<&str> = player
        .words()
        .into_iter()
        .filter(|words| words.starts_with("enter") || words.starts_with("exit"))
        .collect();
    assert_eq!(
        told,
        [
            "enter ground",
            "exit ground for air",
            "enter air",
            "enter air/rise",
            "exit air/rise for air/drop",
            "enter air/drop",
            "exit air/drop",
            "exit air for ground",
            "enter ground",
        ]
    );
    assert_eq!(player.count("push in air/rise"), 1);
    assert_eq!(player.count("finished air/rise"), 1);
}

#[test]
fn fades_inside_and_around_multiply() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.0, 0.1);
    assert!((player.x() - 11.0).abs() < 1e-4);
    player.step(0.1);
    // Half of the way from the end of `rise` to a tenth of `drop`.
    assert!(
        (player.x() - (11.0 + 20.1) / 2.0).abs() < 1e-3,
        "{}",
        player.x()
    );
    player.pull("down");
    player.step(0.1);
    // The fade inside is over; around it, `ground` has half.
    assert!((player.x() - 20.2 / 2.0).abs() < 1e-3, "{}", player.x());
}

#[test]
fn an_exit_time_out_of_a_machine_is_measured_on_the_state_inside() {
    let inside = json!({
        "entry": "a", "states": { "a": { "clip": "a", "mode": "once" } }, "transitions": [],
    });
    let def = json!({ "layers": [{ "name": "base", "entry": "m",
        "states": { "m": { "machine": inside }, "n": { "clip": "n" } },
        "transitions": [{ "from": "m", "to": "n", "exit_time": 0.5, "duration": 0 }] }] });
    let mut player = Player::new(def, vec![still("a", 2.0, 1.0), still("n", 1.0, 2.0)]);
    player.run_to(0.9, 0.3);
    assert_eq!(player.state_name(), "m");
    player.step(0.3);
    assert_eq!(player.state_name(), "n");
    let cycles = player.state.machines[0].playing[0].cycles;
    assert!((cycles - 0.2).abs() < 1e-5, "begun at 1 s: {cycles}");
}

#[test]
fn the_speed_of_the_state_around_drives_the_states_inside() {
    let inside = json!({ "states": { "a": { "clip": "a" } }, "transitions": [] });
    let def = json!({ "layers": [{ "name": "base",
        "states": { "m": { "machine": inside, "speed": 2 } }, "transitions": [] }] });
    let mut player = Player::new(def, vec![clip("a", 1.0).x(1, 0.0, 1.0)]);
    player.run_to(0.3, 0.1);
    assert!((player.x() - 0.6).abs() < 1e-5, "{}", player.x());
}

#[test]
fn a_machine_in_a_blend_has_its_share_of_pose_and_root_motion() {
    let inside = json!({ "states": { "w": { "clip": "walk" } }, "transitions": [] });
    let def = json!({
        "parameters": { "v": 0.25 }, "root": { "joint": "root" },
        "layers": [{ "name": "base", "states": { "s": { "blend": "v", "points": [
            { "at": 0, "motion": { "rest": true } }, { "at": 1, "motion": { "machine": inside } },
        ] } }, "transitions": [] }],
    });
    let walk = clip("walk", 1.0).z(0, 0.0, 2.0).x(1, 4.0, 4.0);
    let mut player = Player::new(def, vec![walk]);
    player.run_to(2.0, 1.0 / 60.0);
    assert!((player.x() - 1.0).abs() < 1e-5, "{}", player.x());
    assert!((player.place[1] - 1.0).abs() < 1e-3, "{:?}", player.place);
}

#[test]
fn a_script_plays_a_state_inside_another() {
    let mut player = jumper("reset");
    let [machine, state] = player.graph.state_at(0, "air/drop").expect("known");
    player
        .state
        .play_in(&player.graph, machine, state, &Play::default());
    player.step(0.1);
    assert_eq!(inside(&player), ("air/drop", 0.1));
    assert_eq!(player.state_name(), "air");
}

#[test]
fn a_forced_state_is_there_at_once_and_nothing_is_told() {
    let mut player = jumper("reset");
    player.run_to(0.3, 0.1);
    let told = player.said.len();
    player.state.force_state(&player.graph, 0, 0);
    player.show();
    assert!((player.x() - 10.0).abs() < 1e-6, "{}", player.x());
    player.step(0.1);
    assert_eq!(player.said.len(), told, "{:?}", player.words());
    assert_eq!(inside(&player).0, "air/rise");
}

#[test]
fn states_inside_live_through_a_reload() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(1.6, 0.1);
    let before = player.state.clone();
    player.state = before.migrate(&player.graph, &player.graph);
    assert_eq!(player.state.machines, before.machines);
}

#[test]
fn a_restart_of_a_state_with_a_machine_fades_from_where_it_stood() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(0.8, 0.1);
    let stood = player.x();
    player.play(
        "air",
        Play {
            restart: true,
            fade: Some(0.4),
            ..Play::default()
        },
    );
    player.step(0.1);
    let (path, time) = inside(&player);
    assert_eq!((path, (time * 100.0).round()), ("air/rise", 10.0));
    let expected = stood + (10.1 - stood) * 0.25;
    assert!(
        (player.x() - expected).abs() < 1e-4,
        "{} is not {expected}",
        player.x()
    );
}

#[test]
fn random_splits_of_time_meet_the_same_events_in_nested_machines() {
    let run = |dts: &mut dyn FnMut() -> f32| {
        let mut player = jumper("reset");
        player.pull("up");
        while player.time < 6.0 {
            let left = (6.0 - player.time) as f32;
            player.step(dts().min(left.max(1e-4)));
        }
        let told = player.said.iter().filter(|said| said.time < 5.9);
        told.map(|said| (said.words.clone(), (said.time * 1000.0).round() as i64))
            .collect::<Vec<_>>()
    };
    let expected = run(&mut || 0.01);
    for seed in 1..30 {
        let mut random = crate::support::Random(seed * 77);
        let found = run(&mut || (random.next() * 0.4 + 0.001) as f32);
        assert_eq!(found.len(), expected.len(), "{found:?} is not {expected:?}");
        for (a, b) in found.iter().zip(&expected) {
            assert!(a.0 == b.0 && (a.1 - b.1).abs() <= 1, "{a:?} is not {b:?}");
        }
    }
}

/// A chain of machines deeper than may be is refused and does not exhaust the stack.
#[test]
fn nesting_without_end_is_refused() {
    let mut motion: Value = json!({ "clip": "a" });
    for _ in 0..40 {
        motion = json!({ "machine": { "states": { "s": motion }, "transitions": [] } });
    }
    let def =
        json!({ "layers": [{ "name": "base", "states": { "s": motion }, "transitions": [] }] });
    let errors = crate::support::compile(def, vec![still("a", 1.0, 0.0)]).expect_err("too deep");
    let codes = ["E-GRAPH-LIMIT", "E-GRAPH-TOO-DEEP"];
    assert!(codes.contains(&errors[0].code), "{errors:?}");
}

#[test]
fn what_is_inside_is_heard_from_the_first_moment_of_a_fade() {
    for dt in [0.01, 0.25] {
        let inside = json!({ "states": { "w": { "clip": "w" } }, "transitions": [] });
        let def = json!({
            "parameters": { "go": "trigger" },
            "layers": [{ "name": "base", "entry": "a",
                "states": { "a": { "clip": "a" }, "m": { "machine": inside } },
                "transitions": [{ "from": "a", "to": "m", "when": "go", "duration": 0.2 }] }],
        });
        let clips = vec![
            still("a", 1.0, 0.0),
            still("w", 1.0, 1.0)
                .marker("start", 0.0)
                .marker("soon", 0.1),
        ];
        let mut player = Player::new(def, clips);
        player.pull("go");
        player.run_to(0.5, dt);
        assert_eq!(player.count("start in m/w"), 1, "steps of {dt}");
        assert_eq!(player.count("soon in m/w"), 1, "steps of {dt}");
        let soon = player.said.iter().find(|said| said.words == "soon in m/w");
        let weight = soon.expect("told").weight;
        assert!(
            (weight - 0.5).abs() < 1e-4,
            "half way through the fade: {weight}"
        );
    }
}

#[test]
fn by_inertia_a_machine_inside_goes_on_at_the_speed_of_what_was_left() {
    let inside = json!({ "states": { "w": { "clip": "b" } }, "transitions": [] });
    let def = json!({
        "parameters": { "go": "trigger" }, "root": { "joint": "root" },
        "layers": [{ "name": "base", "entry": "a",
            "states": { "a": { "clip": "a" }, "m": { "machine": inside } },
            "transitions": [
                { "from": "a", "to": "m", "when": "go", "by": "inertial", "duration": 0.5 },
                { "from": "m", "to": "a", "when": "go", "by": "inertial", "duration": 0.5 },
            ] }],
    });
    let walk = |name: &str| clip(name, 1.0).z(0, 0.0, 1.5);
    let mut player = Player::new(def, vec![walk("a"), walk("b")]);
    let mut last = 0.0;
    for step in 0..200 {
        if step == 30 || step == 110 {
            player.pull("go");
        }
        player.step(0.01);
        let speed = (player.place[1] - last) / 0.01;
        last = player.place[1];
        assert!((speed - 1.5).abs() < 1e-3, "step {step}: {speed} m/s");
    }
}

#[test]
fn a_state_that_was_asked_for_inside_another_is_forgotten_with_it() {
    let mut player = jumper("reset");
    let [machine, state] = player.graph.state_at(0, "air/drop").expect("known");
    player
        .state
        .play_in(&player.graph, machine, state, &Play::default());
    player.play("ground", Play::default());
    player.run_to(0.5, 0.1);
    player.pull("up");
    player.step(0.1);
    assert_eq!(inside(&player).0, "air/rise");
}

#[test]
fn a_state_after_the_end_of_a_machine_waits_for_the_state_inside() {
    let mut player = jumper("reset");
    player.pull("up");
    player.run_to(0.5, 0.1);
    let play = Play {
        after_finish: true,
        fade: Some(0.0),
        ..Play::default()
    };
    player.play("ground", play);
    player.run_to(0.9, 0.1);
    assert_eq!(player.state_name(), "air");
    player.run_to(1.2, 0.1);
    assert_eq!(player.state_name(), "ground");
}

#[test]
fn entered_anew_in_its_own_fade_a_machine_fades_from_what_was_shown() {
    let inside = json!({ "states": { "w": { "clip": "w" } }, "transitions": [] });
    let def = json!({
        "parameters": { "go": "trigger" },
        "layers": [{ "name": "base", "entry": "a",
            "states": { "a": { "clip": "a" }, "m": { "machine": inside } },
            "transitions": [{ "from": "any", "to": "m", "when": "go", "duration": 1.0 }] }],
    });
    let mut player = Player::new(def, vec![still("a", 1.0, 0.0), still("w", 1.0, 1.0)]);
    player.pull("go");
    player.run_to(0.5, 0.05);
    let shown = player.x();
    assert!((shown - 0.5).abs() < 1e-4);
    player.pull("go");
    player.step(0.001);
    assert!(
        (player.x() - shown).abs() < 2e-3,
        "{shown} to {}",
        player.x()
    );
}

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
