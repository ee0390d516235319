//! Crossfades and what interrupts them.

use glam::Quat;
use serde_json::json;
use sinew_anim::Play;

use crate::support::{J, Player, Random, angle, clip, one_layer, still};

fn three_stills(transitions: serde_json::Value) -> Player {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let clips = vec![
        still("a", 1.0, 0.0),
        still("b", 1.0, 1.0),
        still("c", 1.0, 2.0),
    ];
    Player::new(one_layer(parameters, states, "a", transitions), clips)
}

#[test]
fn the_angle_is_weight_times_angle_on_every_frame() {
    for curve in ["linear", "smooth"] {
        let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
        let way =
            json!([{ "from": "a", "to": "b", "when": "go", "duration": 0.5, "curve": curve }]);
        let clips = vec![
            clip("a", 1.0).yaw(1, 0.0, 0.0),
            clip("b", 1.0).yaw(1, 80.0, 80.0),
        ];
        let mut player = Player::new(
            one_layer(json!({ "go": "trigger" }), states, "a", way),
            clips,
        );
        player.pull("go");
        for step in 1..=40 {
            player.step(1.0 / 60.0);
            let t = (f64::from(step) / 30.0).min(1.0);
            let weight = if curve == "linear" {
                t
            } else {
                t * t * (3.0 - 2.0 * t)
            };
            let expected = Quat::from_rotation_y((weight * 80_f64.to_radians()) as f32);
            let error = angle(player.pose.rotation(J), expected);
            assert!(error < 1e-5, "{curve} step {step}: {error}");
            assert!(f64::from(player.status().weight - weight as f32).abs() < 1e-6);
        }
    }
}

/// The seconds of a fade in four frames, and whatever the frames are: both clips move meanwhile.
#[test]
fn what_moves_in_a_fade_is_mixed_by_weight_times_angle_on_every_frame() {
    let mut random = Random(0xfade);
    for case in 0..40 {
        let (from, to) = (random.next() * 120.0 - 60.0, random.next() * 120.0 - 60.0);
        let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
        let way = json!([{ "from": "a", "to": "b", "when": "go", "duration": 0.25 }]);
        // From 0 to 60 degrees in a second; `b` from and to anything.
        let clips = vec![
            clip("a", 1.0).yaw(1, 0.0, 60.0),
            clip("b", 1.0).yaw(1, from as f32, to as f32),
        ];
        let def = one_layer(json!({ "go": "trigger" }), states, "a", way);
        let mut player = Player::new(def, clips);
        player.step(0.125);
        player.pull("go");
        let mut since = 0.0;
        while since < 0.25 {
            let dt = if case == 0 {
                0.062_5
            } else {
                (random.next() * 0.1) as f32
            };
            player.step(dt);
            since += f64::from(dt);
            let weight = (since / 0.25).min(1.0);
            let (a, b) = (60.0 * (0.125 + since), from + (to - from) * since);
            let expected = (a + (b - a) * weight).to_radians();
            let error = angle(
                player.pose.rotation(J),
                Quat::from_rotation_y(expected as f32),
            );
            assert!(error < 1e-5, "case {case} at {since}: {error}");
        }
    }
}

/// The chord of 60 degrees instead of the arc.
#[test]
fn a_graph_that_asks_for_nlerp_lags_as_much_as_nlerp_does() {
    let mut worst = 0.0_f64;
    for rotations in ["slerp", "nlerp"] {
        for step in 0..=400 {
            let weight = f64::from(step) / 400.0;
            let states = json!({ "s": { "blend": "v", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] } });
            let mut def = one_layer(json!({ "v": weight }), states, "s", json!([]));
            def["rotations"] = json!(rotations);
            let clips = vec![
                clip("a", 1.0).yaw(1, 0.0, 0.0),
                clip("b", 1.0).yaw(1, 60.0, 60.0),
            ];
            let player = Player::new(def, clips);
            let straight = Quat::from_rotation_y((weight * 60_f64.to_radians()) as f32);
            let lag = angle(player.pose.rotation(J), straight);
            if rotations == "slerp" {
                assert!(lag < 1e-6, "{weight}: {lag}");
            } else {
                worst = worst.max(lag);
                if step == 100 {
                    assert!((lag - 4.564e-3).abs() < 1e-6, "{lag}");
                }
            }
        }
    }
    assert!((worst - 4.668e-3).abs() < 1e-6, "{worst}");
}

#[test]
fn a_second_fade_starts_from_the_frozen_mix() {
    let mut player = three_stills(json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0 },
        { "from": "b", "to": "c", "when": "c", "duration": 0.5 },
    ]));
    player.pull("b");
    for _ in 0..50 {
        player.step(0.01);
    }
    assert!((player.x() - 0.5).abs() < 1e-5);
    player.pull("c");
    for step in 1..=50 {
        player.step(0.01);
        let expected = 0.5 + 1.5 * (step as f32 * 0.01) / 0.5;
        assert!(
            (player.x() - expected).abs() < 1e-4,
            "step {step}: {} not {expected}",
            player.x()
        );
    }
    assert!(!player.status().fading);
}

#[test]
fn a_short_fade_does_not_inherit_a_long_one() {
    let mut player = three_stills(json!([
        { "from": "a", "to": "b", "when": "b", "duration": 10.0 },
        { "from": "b", "to": "c", "when": "c", "duration": 0.2 },
    ]));
    player.pull("b");
    for _ in 0..100 {
        player.step(0.01);
    }
    player.pull("c");
    for _ in 0..20 {
        player.step(0.01);
    }
    assert_eq!(player.x(), 2.0);
    assert!(!player.status().fading);
}

#[test]
fn a_fade_freezes_the_mix_at_the_place_of_the_gate() {
    let states =
        json!({ "a": { "clip": "a" }, "b": { "clip": "b", "mode": "once" }, "c": { "clip": "c" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 1.0 },
        { "from": "b", "to": "c", "exit_time": 0.5, "duration": 1.0 },
    ]);
    let clips = || {
        vec![
            still("a", 1.0, 0.0),
            still("b", 1.0, 1.0),
            still("c", 1.0, 2.0),
        ]
    };
    let def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
    // One coarse run whose last step crosses the gate, one fine run that stops at it.
    let mut coarse = Player::new(def.clone(), clips());
    coarse.pull("go");
    coarse.step(0.4);
    coarse.step(0.2);
    let mut fine = Player::new(def, clips());
    fine.pull("go");
    fine.run_to(0.6, 0.05);
    let expected = 0.5 + (2.0 - 0.5) * 0.1;
    assert!((coarse.x() - expected).abs() < 1e-5, "{}", coarse.x());
    assert!((fine.x() - expected).abs() < 1e-5, "{}", fine.x());
}

#[test]
fn what_is_frozen_is_still_heard() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 0.5 },
        { "from": "b", "to": "c", "when": "c", "duration": 0.5 },
    ]);
    let clips = vec![
        still("a", 1.0, 0.0).marker("m", 0.6),
        still("b", 1.0, 1.0).marker("n", 0.5),
        still("c", 1.0, 2.0),
    ];
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let mut player = Player::new(one_layer(parameters, states, "a", ways), clips);
    player.run_to(0.1, 0.1);
    player.pull("b");
    player.run_to(0.4, 0.1);
    player.pull("c");
    player.run_to(2.5, 0.1);
    assert_eq!(player.count("m in a"), 1);
    assert_eq!(player.count("n in b"), 1);
    let heard = player
        .said
        .iter()
        .find(|said| said.words == "m in a")
        .unwrap();
    // At .6 s the first fade stood at .6 when it was cut short at .4, the second is at .4.
    assert!((heard.weight - 0.4 * 0.6).abs() < 1e-4, "{heard:?}");
}

#[test]
fn what_is_frozen_stands_still() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "clip": "c" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0 },
        { "from": "b", "to": "c", "when": "c", "duration": 1.0 },
    ]);
    let clips = vec![
        clip("a", 1.0).x(1, 0.0, 1.0),
        clip("b", 1.0).x(1, 0.0, 1.0),
        still("c", 1.0, 0.0),
    ];
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let mut player = Player::new(one_layer(parameters, states, "a", ways), clips);
    player.pull("b");
    player.run_to(0.5, 0.1);
    player.pull("c");
    let frozen = player.x();
    for step in 1..=4 {
        player.step(0.1);
        let expected = frozen * (1.0 - 0.1 * step as f32);
        assert!((player.x() - expected).abs() < 1e-5);
    }
}

#[test]
fn going_back_to_a_state_that_is_still_seen_goes_on_with_it() {
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0 },
        { "from": "b", "to": "a", "when": "c", "duration": 1.0 },
    ]);
    let mut player = three_stills(ways);
    player.run_to(0.3, 0.1);
    player.pull("b");
    player.run_to(0.5, 0.1);
    player.pull("c");
    player.run_to(0.7, 0.1);
    assert_eq!(player.state_name(), "a");
    assert!((player.status().progress - 0.7).abs() < 1e-5);
    player.run_to(2.0, 0.1);
    assert_eq!(player.x(), 0.0);
}

#[test]
fn many_interruptions_stay_continuous_and_bounded() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
    let clips = vec![still("a", 1.0, 0.0), still("b", 1.0, 1.0)];
    let mut player = Player::new(one_layer(json!({}), states, "a", json!([])), clips);
    let mut last = player.x();
    for step in 0..200 {
        let to = if step % 2 == 0 { "b" } else { "a" };
        player.play(
            to,
            Play {
                fade: Some(1.0),
                restart: true,
                ..Play::default()
            },
        );
        player.step(0.01);
        assert!(
            (player.x() - last).abs() < 0.011,
            "step {step}: {last} to {}",
            player.x()
        );
        last = player.x();
        assert!(player.state.machines[0].playing.len() <= 8);
    }
    player.run_to(4.0, 0.01);
    assert_eq!(player.x(), 0.0);
}

#[test]
fn what_was_heard_is_forgotten_with_the_state_that_spoke() {
    let blend = |clip: &str| json!({ "blend": "v", "points": [{ "at": 0, "clip": clip }, { "at": 1, "clip": "b" }] });
    let states = json!({ "x": blend("a"), "y": blend("a") });
    let clips = vec![
        still("a", 1.0, 0.0).marker("m", 0.5),
        still("b", 1.0, 1.0).marker("m", 0.5),
    ];
    let mut player = Player::new(
        one_layer(json!({ "v": 0.5 }), states, "x", json!([])),
        clips,
    );
    for step in 0..500 {
        let to = if step % 2 == 0 { "y" } else { "x" };
        player.play(
            to,
            Play {
                fade: Some(0.5),
                ..Play::default()
            },
        );
        player.step(0.1);
        assert!(player.state.machines[0].heard.len() <= 8);
    }
}

#[test]
fn no_duration_is_at_once_and_none_given_is_a_fifth_of_a_second() {
    let mut player = three_stills(json!([
        { "from": "a", "to": "b", "when": "b", "duration": 0 },
        { "from": "b", "to": "c", "when": "c" },
    ]));
    player.pull("b");
    player.step(0.05);
    assert_eq!(player.x(), 1.0);
    assert!(!player.status().fading);
    player.pull("c");
    player.step(0.05);
    assert!((player.x() - 1.25).abs() < 1e-5);
}

#[test]
fn playing_speed_scales_clocks_and_not_fades() {
    let mut player =
        three_stills(json!([{ "from": "a", "to": "b", "when": "b", "duration": 1.0 }]));
    player.state.speed = 3.0;
    player.pull("b");
    player.step(0.1);
    assert!((player.status().progress - 0.3).abs() < 1e-6);
    assert!((player.status().weight - 0.1).abs() < 1e-6);
}

/// Scripts get the crossfades that transitions have.
#[test]
fn playing_a_state_that_is_still_seen_goes_on_with_it_unless_asked_to_restart() {
    for (play, progress) in [
        (Play::default(), 0.7),
        (
            Play {
                restart: true,
                ..Play::default()
            },
            0.2,
        ),
        (
            Play {
                at: Some(0.1),
                ..Play::default()
            },
            0.3,
        ),
    ] {
        let mut player = three_stills(json!([]));
        player.run_to(0.3, 0.1);
        player.play(
            "b",
            Play {
                fade: Some(1.0),
                ..Play::default()
            },
        );
        player.run_to(0.5, 0.1);
        player.play(
            "a",
            Play {
                fade: Some(1.0),
                ..play
            },
        );
        player.run_to(0.7, 0.1);
        assert_eq!(player.state_name(), "a");
        assert!(
            (player.status().progress - progress).abs() < 1e-5,
            "{play:?}"
        );
    }
}
