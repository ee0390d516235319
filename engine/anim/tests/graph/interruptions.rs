//! What a change does when another begins, and changes by inertia.

use serde_json::{Value, json};

use crate::root_motion::with_root;
use crate::support::{J, Player, clip, one_layer, still};

/// States `a`, `b` and `c` whose clips move `j` along x at 1, 2 and 3 m/s from 0, 10 and 20; flags of
/// the same names lead there.
fn three(way: Value) -> Player {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    let mut ways = Vec::new();
    for to in ["a", "b", "c"] {
        let mut own =
            json!({ "from": "any", "to": to, "when": format!("to_{to}"), "duration": 1.0 });
        for (key, value) in way.as_object().expect("a table") {
            own[key] = value.clone();
        }
        ways.push(own);
    }
    let parameters = json!({ "to_a": "trigger", "to_b": "trigger", "to_c": "trigger" });
    let def = one_layer(parameters, states, "a", Value::Array(ways));
    let moving = |name: &str, from: f32, speed: f32| {
        clip(name, 100.0).x(J as u16, from, from + 100.0 * speed)
    };
    let clips = vec![
        moving("a", 0.0, 1.0),
        moving("b", 10.0, 2.0),
        moving("c", 20.0, 3.0),
    ];
    Player::new(def, clips)
}

fn near(player: &Player, expected: f64, what: &str) {
    let found = f64::from(player.x());
    assert!(
        (found - expected).abs() < 2e-3,
        "{what}: {found} is not {expected}"
    );
}

#[test]
fn a_live_interruption_lets_everything_that_fades_out_run_on() {
    let mut player = three(json!({ "interruption": "live" }));
    player.run_to(1.0, 0.01);
    player.pull("to_b");
    player.run_to(1.5, 0.01);
    player.pull("to_c");
    for step in 0..=60 {
        let since = f64::from(step) * 0.01;
        let (a, b, c) = (1.5 + since, 10.0 + 2.0 * (0.5 + since), 20.0 + 3.0 * since);
        let outgoing = (a + b) / 2.0;
        near(
            &player,
            outgoing + (c - outgoing) * since,
            &format!("{since} s"),
        );
        player.step(0.01);
    }
    player.run_to(2.6, 0.01);
    near(&player, 20.0 + 3.0 * 1.1, "after the fade");
}

#[test]
fn frozen_is_the_default_and_stands_still() {
    for way in [json!({}), json!({ "interruption": "frozen" })] {
        let mut player = three(way);
        player.run_to(1.0, 0.01);
        player.pull("to_b");
        player.run_to(1.5, 0.01);
        let mix = (1.5 + 11.0) / 2.0;
        near(&player, mix, "before");
        player.pull("to_c");
        player.run_to(1.9, 0.01);
        near(&player, mix + (20.0 + 3.0 * 0.4 - mix) * 0.4, "frozen");
    }
}

#[test]
fn going_back_in_a_live_fade_turns_round_on_the_spot() {
    let mut player = three(json!({ "interruption": "live" }));
    player.run_to(1.0, 0.01);
    player.pull("to_b");
    player.run_to(1.25, 0.01);
    let weight_of_a = 0.75;
    player.pull("to_a");
    for step in 0..20 {
        let since = f64::from(step) * 0.01;
        let (a, b) = (1.25 + since, 10.0 + 2.0 * (0.25 + since));
        near(
            &player,
            b + (a - b) * (weight_of_a + since),
            &format!("{since} s"),
        );
        player.step(0.01);
    }
    player.run_to(1.55, 0.01);
    near(&player, 1.55, "back after a quarter of the fade");
    assert!(!player.status().fading);
}

#[test]
fn an_inertial_transition_shows_no_jump_and_ends_on_its_target() {
    let mut player = three(json!({ "by": "inertial", "duration": 0.5 }));
    player.run_to(1.0, 0.01);
    player.pull("to_b");
    let mut last = f64::from(player.x());
    for step in 0..70 {
        player.step(0.01);
        let now = f64::from(player.x());
        assert!((now - last).abs() < 0.5, "step {step}: {last} to {now}");
        assert!(
            now > last - 1e-3,
            "never away from its target: {last} to {now}"
        );
        last = now;
    }
    near(&player, 10.0 + 2.0 * 0.7, "after it");
    assert_eq!(player.count("in b"), 1);
    assert!(!player.status().fading);
    assert_eq!(player.state.machines[0].playing.len(), 1);
}

/// A difference of one that stands still, within 0.3 s: the values of the published curve, whatever the steps.
#[test]
fn a_difference_at_rest_dies_away_as_published() {
    for steps in [
        vec![0.05, 0.05, 0.05, 0.2],
        vec![0.01; 35],
        vec![0.15, 0.3],
        vec![0.05, 0.1, 0.15],
    ] {
        let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
        let ways =
            json!([{ "from": "a", "to": "b", "when": "go", "by": "inertial", "duration": 0.3 }]);
        let def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
        let clips = vec![still("a", 1.0, 3.0), still("b", 1.0, 2.0)];
        let mut player = Player::new(def, clips);
        player.step(0.1);
        player.pull("go");
        let mut since = 0.0;
        let mut met = 0;
        for dt in steps {
            player.step(dt);
            since += f64::from(dt);
            let left = f64::from(player.x()) - 2.0;
            for (at, expected) in [(0.05, 0.9645), (0.1, 0.7901), (0.15, 0.5), (0.3, 0.0)] {
                if (since - at).abs() < 1e-6 {
                    assert!((left - expected).abs() < 1e-4, "{since} s: {left}");
                    met += 1;
                }
            }
        }
        assert!(met > 0);
    }
}

#[test]
fn the_first_inertial_frame_is_what_was_shown_and_the_speed_goes_on() {
    let mut player = three(json!({ "by": "inertial", "duration": 0.5 }));
    player.run_to(1.0, 0.01);
    let before = f64::from(player.x());
    player.pull("to_b");
    player.step(0.000_1);
    near(&player, before, "no time has passed");
}

#[test]
fn an_inertial_rule_makes_whatever_interrupts_inertial() {
    let mut player = three(json!({ "interruption": "inertial" }));
    player.run_to(1.0, 0.01);
    player.pull("to_b");
    player.run_to(1.5, 0.01);
    let shown = player.x();
    player.pull("to_c");
    player.step(0.001);
    assert!(
        (player.x() - shown).abs() < 0.05,
        "{shown} to {}",
        player.x()
    );
    let machine = &player.state.machines[0];
    assert_eq!(machine.playing.len(), 1);
    assert!(machine.fade.expect("fades").blend.inertial);
    player.run_to(2.6, 0.01);
    near(&player, 20.0 + 3.0 * (player.time - 1.5), "after it");
}

#[test]
fn inertia_on_inertia_stays_continuous() {
    let mut player = three(json!({ "by": "inertial" }));
    player.run_to(0.5, 0.01);
    let mut last = f64::from(player.x());
    for step in 0..400 {
        if step % 13 == 0 {
            player.pull(["to_b", "to_c", "to_a"][step / 13 % 3]);
        }
        player.step(0.01);
        let now = f64::from(player.x());
        assert!((now - last).abs() < 1.2, "step {step}: {last} to {now}");
        last = now;
    }
}

#[test]
fn the_velocity_of_the_root_changes_over_without_a_jump() {
    let states = json!({ "walk": { "clip": "walk" }, "run": { "clip": "run" } });
    let ways =
        json!([{ "from": "walk", "to": "run", "when": "go", "by": "inertial", "duration": 0.5 }]);
    let mut def = one_layer(json!({ "go": "trigger" }), states, "walk", ways);
    def["root"] = json!({ "joint": "root" });
    let clips = vec![
        clip("walk", 1.0).z(0, 0.0, 1.0),
        clip("run", 1.0).z(0, 0.0, 4.0),
    ];
    let mut player = Player::new(def, clips);
    player.run_to(1.0, 0.01);
    player.pull("go");
    let mut speeds = Vec::new();
    let mut last = player.place[1];
    for _ in 0..80 {
        player.step(0.01);
        speeds.push((player.place[1] - last) / 0.01);
        last = player.place[1];
    }
    assert!((speeds[0] - 1.0).abs() < 0.05, "{}", speeds[0]);
    assert!((speeds[79] - 4.0).abs() < 1e-3, "{}", speeds[79]);
    for pair in speeds.windows(2) {
        assert!(
            pair[1] >= pair[0] - 1e-3 && pair[1] - pair[0] < 0.2,
            "{pair:?}"
        );
    }
}

#[test]
fn only_listed_transitions_interrupt() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "a" }, "c": { "clip": "a" }, "d": { "clip": "a" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 1.0, "interrupted_by": ["to_d"] },
        { "from": "b", "to": "c" },
        { "name": "to_d", "from": "b", "to": "d", "when": "d", "priority": -1 },
    ]);
    let def = one_layer(
        json!({ "go": "trigger", "d": "trigger" }),
        states,
        "a",
        ways,
    );
    let mut player = Player::new(def, vec![still("a", 1.0, 0.0)]);
    player.pull("go");
    player.run_to(0.5, 0.1);
    assert_eq!(player.state_name(), "b", "`b>c` may not interrupt");
    let mut waits = player.state.clone();
    player.pull("d");
    player.step(0.1);
    assert_eq!(player.state_name(), "d");
    // After the fade the list says nothing any more.
    std::mem::swap(&mut player.state, &mut waits);
    player.run_to(1.2, 0.1);
    assert_eq!(player.state_name(), "c");
}

#[test]
fn a_profile_changes_joints_over_in_their_share_of_the_time() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
    let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 1.0, "profile": { "arm": 0.5 } }]);
    let def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
    let clips = vec![
        clip("a", 1.0).x(1, 0.0, 0.0).x(2, 0.0, 0.0),
        clip("b", 1.0).x(1, 1.0, 1.0).x(2, 1.0, 1.0),
    ];
    let mut player = Player::new(def, clips);
    player.pull("go");
    let x = |player: &Player, joint: usize| player.pose.translation(joint).x;
    player.run_to(0.25, 0.05);
    assert!((x(&player, 1) - 0.25).abs() < 1e-5);
    assert!((x(&player, 2) - 0.5).abs() < 1e-5);
    player.run_to(0.75, 0.05);
    assert!((x(&player, 1) - 0.75).abs() < 1e-5);
    assert_eq!(x(&player, 2), 1.0);
}

#[test]
fn joints_with_a_profile_go_on_without_a_jump_through_interruptions() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    for (rule, back, profiles) in [
        ("frozen", "c", [0.5, 1.0]),
        ("live", "c", [0.5, 1.0]),
        ("live", "a", [0.5, 0.5]),
        ("live", "a", [1.0, 0.5]),
        ("live", "a", [1.0, 1.0]),
    ] {
        let ways = json!([
            { "from": "a", "to": "b", "when": "go", "duration": 1.0, "interruption": rule, "profile": { "arm": profiles[0] } },
            { "from": "b", "to": back, "when": "on", "duration": 1.0, "profile": { "arm": profiles[1] } },
        ]);
        let parameters = json!({ "go": "trigger", "on": "trigger" });
        let def = one_layer(parameters, states.clone(), "a", ways);
        let at = |name: &str, x: f32| clip(name, 1.0).x(1, x, x).x(2, x, x);
        let mut player = Player::new(def, vec![at("a", 0.0), at("b", 1.0), at("c", 3.0)]);
        player.pull("go");
        let x = |player: &Player| [1, 2].map(|joint| player.pose.translation(joint).x);
        let mut before = x(&player);
        for step in 0..160 {
            if step == 40 {
                player.pull("on");
            }
            player.step(0.01);
            let now = x(&player);
            for (now, before) in now.iter().zip(before) {
                assert!(
                    (now - before).abs() < 0.06,
                    "{rule} to {back} {profiles:?}, step {step}: {before}, then {now}"
                );
            }
            before = now;
        }
        let end = if back == "a" { 0.0 } else { 3.0 };
        assert!(x(&player).iter().all(|x| (x - end).abs() < 1e-5));
    }
}

#[test]
fn a_reloaded_pose_changes_over_by_inertia() {
    let mut player = three(json!({}));
    player.run_to(1.0, 0.01);
    let shown = player.pose.clone();
    player.state.force_state(&player.graph, 0, 2);
    let mut scratch = std::mem::take(&mut player.scratch);
    player
        .state
        .change_from(&player.graph, &shown, 0.2, &mut scratch);
    player.scratch = scratch;
    player.show();
    near(&player, 1.0, "at once");
    player.run_to(1.25, 0.01);
    near(&player, 20.0 + 3.0 * 0.25, "after it");
}

/// How the root moved in each step of `dt`, in m/s along z.
fn speeds(player: &mut Player, count: usize, dt: f32) -> Vec<f64> {
    let mut last = player.place[1];
    let mut step = || {
        player.step(dt);
        (player.place[1] - std::mem::replace(&mut last, player.place[1])) / f64::from(dt)
    };
    (0..count).map(|_| step()).collect()
}

#[test]
fn the_velocity_of_the_root_goes_on_through_interruptions() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    for rule in ["frozen", "live", "inertial"] {
        for back in ["a", "c"] {
            let ways = json!([
                { "from": "a", "to": "b", "when": "b", "duration": 1.0, "interruption": rule },
                { "from": "b", "to": back, "when": "c", "duration": 1.0 },
            ]);
            let parameters = json!({ "b": "trigger", "c": "trigger" });
            let clips = vec![
                clip("a", 1.0).z(0, 0.0, 1.0),
                clip("b", 1.0).z(0, 0.0, 4.0),
                clip("c", 1.0).z(0, 0.0, 2.0),
            ];
            let def = with_root(one_layer(parameters, states.clone(), "a", ways));
            let mut player = Player::new(def, clips);
            player.pull("b");
            let mut way = speeds(&mut player, 50, 0.01);
            player.pull("c");
            way.extend(speeds(&mut player, 110, 0.01));
            assert_eq!(player.state_name(), back);
            for (index, pair) in way.windows(2).enumerate() {
                let change = (pair[1] - pair[0]).abs();
                assert!(change < 0.1, "{rule} to {back}, step {index}: {pair:?}");
            }
            let end = if back == "a" { 1.0 } else { 2.0 };
            assert!(
                (way[159] - end).abs() < 1e-3,
                "{rule} to {back}: {}",
                way[159]
            );
        }
    }
}

#[test]
fn the_root_s_velocity_goes_on_where_a_profiled_fade_is_frozen() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0, "profile": { "root": 0.5 } },
        { "from": "b", "to": "c", "when": "c", "duration": 1.0 },
    ]);
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let clips = vec![
        clip("a", 1.0).z(0, 0.0, 1.0),
        clip("b", 1.0).z(0, 0.0, 4.0),
        clip("c", 1.0).z(0, 0.0, 2.0),
    ];
    let mut player = Player::new(with_root(one_layer(parameters, states, "a", ways)), clips);
    player.pull("b");
    let mut way = speeds(&mut player, 40, 0.01);
    player.pull("c");
    way.extend(speeds(&mut player, 40, 0.01));
    for pair in way.windows(2) {
        assert!((pair[1] - pair[0]).abs() < 0.1, "{pair:?}");
    }
}
