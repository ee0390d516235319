//! Machines inside states.

use serde_json::{Value, json};
use sinew_anim::Play;

use crate::support::{Player, clip, still};

/// `ground`, and `air` with `rise` and `drop` in it; `up` and `down` lead there and back.
pub fn jumper(reenter: &str) -> Player {
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

pub fn inside(player: &Player) -> (&str, f32) {
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
