//! Blend spaces: weights, shared phase, rates.

use serde_json::json;

use crate::support::{J, Player, Random, angle, clip, one_layer, still};

fn line(rate: &str, clips: Vec<crate::support::Make>) -> Player {
    let mut def = one_layer(
        json!({ "speed": 0.0 }),
        json!({ "move": { "blend": "speed", "rate": rate, "points": [
            { "at": 0, "clip": "a" }, { "at": 1, "clip": "b" },
        ] } }),
        "move",
        json!([]),
    );
    def["root"] = json!({ "joint": "root" });
    Player::new(def, clips)
}

#[test]
fn the_rate_of_a_blend_is_the_mean_of_durations_or_of_rates() {
    for (rate, hertz) in [("duration_mean", 1.0 / 1.5), ("rate_mean", 0.75)] {
        let mut player = line(rate, vec![still("a", 1.0, 0.0), still("b", 2.0, 1.0)]);
        player.set("speed", 0.5);
        player.step(0.5);
        assert!(
            (f64::from(player.status().progress) - 0.5 * hertz).abs() < 1e-6,
            "{rate}"
        );
    }
}

#[test]
fn samples_of_different_lengths_stay_in_phase_for_a_minute() {
    // 1 s and .8 s, weight .5, 60 s.
    for (rate, laps) in [("duration_mean", 60.0 / 0.9), ("rate_mean", 67.5)] {
        let mut player = line(
            rate,
            vec![clip("a", 1.0).x(1, 0.0, 1.0), clip("b", 0.8).x(2, 0.0, 1.0)],
        );
        player.set("speed", 0.5);
        for _ in 0..3600 {
            player.step(1.0 / 60.0);
            // Each sample shows its phase as the way of a joint of its own, which the other has at rest.
            let shown = [J, 2].map(|joint| player.pose.translation(joint).x * 2.0);
            let phase = player.status().progress;
            assert!((shown[0] - shown[1]).abs() < 1e-4, "{shown:?}");
            assert!((shown[0] - phase).abs() < 1e-4, "{shown:?} and {phase}");
        }
        let cycles = player.state.machines[0].playing[0].cycles;
        assert!((cycles - laps).abs() < 1e-3, "{rate}: {cycles}");
    }
}

#[test]
fn distance_makes_root_speed_linear_between_clips_of_different_lengths() {
    // 1 m in 1 s and 3 m in .75 s: 1 and 4 m/s.
    let clips = vec![
        clip("a", 1.0).z(0, 0.0, 1.0),
        clip("b", 0.75).z(0, 0.0, 3.0),
    ];
    for (weight, speed) in [(0.0, 1.0), (0.25, 1.75), (0.5, 2.5), (1.0, 4.0)] {
        let mut player = line("distance", clips.clone());
        player.set("speed", weight);
        for _ in 0..240 {
            player.step(1.0 / 60.0);
        }
        let travelled = player.place[1];
        assert!(
            (travelled - 4.0 * speed).abs() < 1e-4,
            "weight {weight}: {travelled}"
        );
    }
}

#[test]
fn travel_follows_the_parameter() {
    // Clips of 1 s with 0, 1 and 3 m, and of any lengths in `distance` mode.
    let equal = [1.0, 1.0, 1.0];
    let mut cases = vec![
        (equal, "duration_mean"),
        (equal, "rate_mean"),
        (equal, "distance"),
        ([2.0, 1.0, 0.7], "distance"),
    ];
    let mut random = Random(0xd157);
    for _ in 0..40 {
        let lengths = [(); 3].map(|()| (0.2 + random.next() * 3.0) as f32);
        cases.push((lengths, "distance"));
    }
    for (lengths, rate) in cases {
        for (speed, metres) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)] {
            let mut def = one_layer(
                json!({ "speed": speed }),
                json!({ "move": { "blend": "speed", "rate": rate, "points": [
                    { "at": 3, "clip": "run" }, { "at": 0, "clip": "idle" }, { "at": 1, "clip": "walk" },
                ] } }),
                "move",
                json!([]),
            );
            def["root"] = json!({ "joint": "root" });
            let [idle, walk, run] = lengths;
            let clips = vec![
                clip("idle", idle).z(0, 0.0, 0.0),
                clip("walk", walk).z(0, 0.0, walk),
                clip("run", run).z(0, 0.0, 3.0 * run),
            ];
            let mut player = Player::new(def, clips);
            for _ in 0..60 {
                player.step(1.0 / 60.0);
            }
            assert!(
                (player.place[1] - metres).abs() < 1e-4,
                "{lengths:?} at {speed}: {}",
                player.place[1]
            );
        }
    }
}

#[test]
fn outside_the_samples_the_ends_hold() {
    let mut player = line(
        "duration_mean",
        vec![still("a", 1.0, 2.0), still("b", 1.0, 4.0)],
    );
    for (speed, x) in [(-9.0, 2.0), (0.25, 2.5), (9.0, 4.0)] {
        player.set("speed", speed);
        player.show();
        assert!((player.x() - x).abs() < 1e-6);
    }
}

#[test]
fn over_two_parameters_the_weights_are_gradient_bands() {
    let def = one_layer(
        json!({ "x": 0.0, "y": 0.0 }),
        json!({ "move": { "blend": ["x", "y"], "points": [
            { "at": [0, 0], "clip": "idle" }, { "at": [1, 0], "clip": "right" }, { "at": [-1, 0], "clip": "left" },
            { "at": [0, 1], "clip": "front" }, { "at": [0, -1], "clip": "back" },
        ] } }),
        "move",
        json!([]),
    );
    let clips = vec![
        still("idle", 1.0, 1.0),
        still("right", 1.0, 10.0),
        still("left", 1.0, 100.0),
        still("front", 1.0, 1000.0),
        still("back", 1.0, 10000.0),
    ];
    let mut player = Player::new(def, clips);
    let cases = [
        ([0.0, 0.0], 1.0),
        ([1.0, 0.0], 10.0),
        ([0.5, 0.0], 5.5),
        ([0.5, 0.5], 1011.0 / 3.0),
    ];
    for ([x, y], expected) in cases {
        player.set("x", x);
        player.set("y", y);
        player.show();
        assert!(
            (player.x() - expected).abs() < 1e-3,
            "({x}, {y}): {} not {expected}",
            player.x()
        );
    }
}

#[test]
fn the_order_of_the_points_changes_nothing() {
    let points = [(0.0, "a"), (1.0, "b"), (2.5, "c"), (4.0, "d")];
    let clips = || {
        vec![
            still("a", 1.0, 0.0),
            still("b", 0.5, 3.0),
            still("c", 2.0, 4.0),
            still("d", 1.0, 9.0),
        ]
    };
    let mut random = Random(3);
    for _ in 0..20 {
        let mut shuffled = points;
        for index in (1..shuffled.len()).rev() {
            shuffled.swap(index, (random.next() * (index + 1) as f64) as usize);
        }
        let def = |points: &[(f64, &str)]| {
            let points: Vec<_> = points
                .iter()
                .map(|(at, clip)| json!({ "at": at, "clip": clip }))
                .collect();
            one_layer(
                json!({ "v": 0.0 }),
                json!({ "m": { "blend": "v", "points": points } }),
                "m",
                json!([]),
            )
        };
        let mut one = Player::new(def(&points), clips());
        let mut other = Player::new(def(&shuffled), clips());
        let v = random.next() as f32 * 5.0 - 0.5;
        for player in [&mut one, &mut other] {
            player.set("v", v);
            player.step(0.3);
        }
        assert!((one.x() - other.x()).abs() < 1e-6);
        assert!((one.status().progress - other.status().progress).abs() < 1e-6);
    }
}

#[test]
fn a_samples_own_speed_shortens_its_lap() {
    let def = one_layer(
        json!({ "v": 1.0 }),
        json!({ "m": { "blend": "v", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "a", "speed": 2 }] } }),
        "m",
        json!([]),
    );
    let mut player = Player::new(def, vec![still("a", 1.0, 0.0)]);
    player.step(0.25);
    assert!((player.status().progress - 0.5).abs() < 1e-6);
}

#[test]
fn a_parameter_can_hold_the_phase() {
    let def = one_layer(
        json!({ "open": 0.0 }),
        json!({ "swing": { "clip": "pull", "time_parameter": "open" } }),
        "swing",
        json!([]),
    );
    let clips = vec![clip("pull", 2.0).yaw(1, 0.0, 80.0).marker("click", 1.0)];
    let mut player = Player::new(def, clips);
    for (open, degrees) in [(0.25, 20.0), (0.75, 60.0), (2.0, 80.0), (0.0, 0.0)] {
        player.set("open", open);
        player.step(0.1);
        let expected = glam::Quat::from_rotation_y(f32::to_radians(degrees));
        assert!(angle(player.pose.rotation(J), expected) < 1e-5, "{open}");
    }
    assert_eq!(player.count("click in swing"), 2, "once up, once down");
    assert_eq!(player.count("finished swing"), 0);
}

#[test]
fn a_speed_parameter_scales_and_reverses() {
    let def = one_layer(
        json!({ "rate": 1.0 }),
        json!({ "s": { "clip": "c", "speed": 2.0, "speed_parameter": "rate" } }),
        "s",
        json!([]),
    );
    let mut player = Player::new(def, vec![clip("c", 1.0).x(1, 0.0, 1.0)]);
    player.step(0.1);
    assert!((player.x() - 0.2).abs() < 1e-6);
    player.set("rate", -0.5);
    player.step(0.1);
    assert!((player.x() - 0.1).abs() < 1e-6);
    player.set("rate", 0.0);
    player.step(0.1);
    assert!((player.x() - 0.1).abs() < 1e-6);
}
