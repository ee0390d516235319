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
