//! Sync groups: states that keep step by markers, whoever leads and however blends change.

use serde_json::json;
use sinew_anim::Play;

use crate::support::{Make, Player, Random, one_layer, still};

fn marked(name: &str, duration: f32, markers: &[(&str, f32)]) -> Make {
    let make = still(name, duration, 0.0);
    markers
        .iter()
        .fold(make, |make, (name, time)| make.marker(name, *time))
}

/// A walk of two steps and a run of four, unevenly.
fn walk_and_run(roles: [&str; 2]) -> Player {
    let state =
        |clip: &str, role: &str| json!({ "clip": clip, "sync_group": "feet", "sync_role": role });
    let states = json!({ "walk": state("walk", roles[0]), "run": state("run", roles[1]) });
    let ways = json!([
        { "from": "walk", "to": "run", "when": "run", "duration": 1000.0 },
        { "from": "run", "to": "walk", "when": "not run", "duration": 1000.0 },
    ]);
    let clips = vec![
        marked("walk", 1.0, &[("l", 0.1), ("r", 0.7)]),
        marked(
            "run",
            1.5,
            &[("r", 0.2), ("l", 0.4), ("r", 1.0), ("l", 1.3)],
        ),
    ];
    Player::new(
        one_layer(json!({ "run": false }), states, "walk", ways),
        clips,
    )
}

/// The marker before a clock, counted through all laps, and the share of the way to the next one.
fn beat(places: &[f64], cycles: f64) -> f64 {
    let count = places.len();
    let lap = (cycles - places[0]).floor();
    let phase = cycles - lap;
    let at = places
        .iter()
        .rposition(|place| *place <= phase)
        .unwrap_or(0);
    let next = if at + 1 < count {
        places[at + 1]
    } else {
        places[0] + 1.0
    };
    lap * count as f64 + at as f64 + (phase - places[at]) / (next - places[at])
}

const WALK: [f64; 2] = [0.1, 0.7];
const RUN: [f64; 4] = [0.2 / 1.5, 0.4 / 1.5, 1.0 / 1.5, 1.3 / 1.5];

#[test]
fn two_laps_of_a_leader_of_two_steps_are_one_of_a_follower_of_four() {
    for roles in [
        ["always_leader", "can_be_leader"],
        ["can_be_leader", "always_leader"],
    ] {
        // Steps of any length, several laps at once too.
        for longest in [0.05, 0.7, 5.0] {
            let mut player = walk_and_run(roles);
            player.run_to(0.25, 0.05);
            player.flag("run", true);
            let mut random = Random(3);
            let mut first = None;
            for step in 0..200 {
                player.step((random.next() * longest) as f32);
                let playing = &player.state.machines[0].playing;
                assert_eq!(playing.len(), 2, "both play");
                let [walk, run] = [
                    beat(&WALK, playing[0].cycles),
                    beat(&RUN, playing[1].cycles),
                ];
                let ahead = run - walk;
                // The run counts from a right foot, the walk from a left one.
                assert!(
                    (ahead - ahead.round()).abs() < 1e-6,
                    "step {step}: {walk} {run}"
                );
                assert_eq!(
                    (ahead.round() as i64).rem_euclid(2),
                    1,
                    "a left foot is a left foot"
                );
                let first = *first.get_or_insert(ahead);
                assert!(
                    (ahead - first).abs() < 1e-6,
                    "no step is lost: {first} {ahead}"
                );
                if player.time > 300.0 {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_follower_of_more_steps_tells_each_of_them_once_in_any_partition() {
    let said = |step: &mut dyn FnMut() -> f32| {
        let mut player = walk_and_run(["always_leader", "can_be_leader"]);
        player.flag("run", true);
        while player.time < 19.95 {
            let left = (19.95 - player.time) as f32;
            player.step(step().min(left.max(1e-3)));
        }
        ["l in walk", "r in walk", "l in run", "r in run"].map(|words| player.count(words))
    };
    // The walk leads: a lap a second. The run makes as many steps.
    let expected = said(&mut || 1.0 / 60.0);
    assert_eq!(expected[..2], [20, 20]);
    assert!(
        expected[2..].iter().all(|count| (19..=20).contains(count)),
        "{expected:?}"
    );
    let mut random = Random(77);
    for longest in [0.05, 0.4, 2.9] {
        let found = said(&mut || (random.next() * longest) as f32);
        assert_eq!(found, expected, "steps up to {longest}");
    }
}

#[test]
fn the_group_runs_at_the_leaders_steps_a_second() {
    // Two steps a second of the walk; 2.667 of the run.
    for (roles, steps) in [
        (["always_leader", "can_be_leader"], 2.0),
        (["can_be_leader", "always_leader"], 4.0 / 1.5),
    ] {
        let mut player = walk_and_run(roles);
        player.flag("run", true);
        player.step(0.0);
        let beats = |player: &Player| {
            let playing = &player.state.machines[0].playing;
            [
                beat(&WALK, playing[0].cycles),
                beat(&RUN, playing[1].cycles),
            ]
        };
        let before = beats(&player);
        for _ in 0..180 {
            player.step(1.0 / 60.0);
        }
        for (after, before) in beats(&player).into_iter().zip(before) {
            // Over three seconds: whole laps of the leader.
            assert!(
                (after - before - 3.0 * steps).abs() < 1e-3,
                "{roles:?}: {before} {after}"
            );
        }
    }
}

/// A blend that leads and a clip that follows.
fn led_by_a_blend(first: &[(&str, f32)], second: &[(&str, f32)]) -> Player {
    let states = json!({
        "blend": { "blend": "v", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }],
                   "sync_group": "feet", "sync_role": "always_leader" },
        "other": { "clip": "o", "sync_group": "feet" },
    });
    let ways = json!([{ "from": "blend", "to": "other", "when": "go", "duration": 1000.0 }]);
    let clips = vec![
        marked("a", 1.0, first),
        marked("b", 1.0, second),
        marked("o", 1.0, &[("l", 0.0), ("r", 0.5)]),
    ];
    Player::new(
        one_layer(json!({ "v": 0.0, "go": false }), states, "blend", ways),
        clips,
    )
}

#[test]
fn a_follower_of_a_blend_goes_by_the_mean_of_its_markers() {
    let mut player = led_by_a_blend(&[("l", 0.1), ("r", 0.5)], &[("r", 0.8), ("l", 0.95)]);
    player.flag("go", true);
    let mut random = Random(4);
    for _ in 0..500 {
        let v = random.next();
        player.set("v", v as f32);
        player.step((random.next() * 0.1) as f32);
        // The second clip's left foot is down before the lap begins.
        let mean = [0.1 * (1.0 - v) - 0.05 * v, 0.5 * (1.0 - v) + 0.8 * v];
        let playing = &player.state.machines[0].playing;
        let apart = beat(&mean, playing[0].cycles) - beat(&[0.0, 0.5], playing[1].cycles);
        assert!(
            (apart - (apart / 2.0).round() * 2.0).abs() < 1e-5,
            "{v}: {apart}"
        );
    }
}

#[test]
fn a_follower_never_jumps_while_weights_change_slowly() {
    let layouts: [[&[(&str, f32)]; 2]; 3] = [
        [&[("l", 0.1), ("r", 0.5)], &[("r", 0.8), ("l", 0.95)]],
        // One has a name more.
        [
            &[("l", 0.0), ("x", 0.2), ("r", 0.3)],
            &[("l", 0.2), ("r", 0.9)],
        ],
        [&[("l", 0.0), ("r", 0.2)], &[("r", 0.45), ("l", 0.9)]],
    ];
    for [a, b] in layouts {
        let mut player = led_by_a_blend(a, b);
        player.flag("go", true);
        player.step(0.0);
        let mut before = player.state.machines[0].playing[1].cycles;
        let dt = 1.0 / 120.0;
        for step in 0..4800 {
            // There and back in ten seconds.
            let v = (f64::from(step) / 600.0 - 1.0).rem_euclid(2.0) - 1.0;
            player.set("v", v.abs() as f32);
            player.step(dt);
            let now = player.state.machines[0].playing[1].cycles;
            let moved = now - before;
            before = now;
            // A lap a second, stretched by the shortest interval (.1 of a lap on .5), and what the markers
            // drift: less than half a lap in 600 steps, stretched likewise.
            let stretch = 0.5 / 0.1;
            let most = (f64::from(dt) + 0.5 / 600.0) * stretch;
            assert!(moved.abs() <= most, "step {step}: {moved} of {most}");
        }
        assert!(before > 30.0, "{before}");
    }
}

#[test]
fn by_other_layouts_the_heavier_clip_counts() {
    // Two steps and four.
    let mut player = led_by_a_blend(
        &[("l", 0.1), ("r", 0.5)],
        &[("l", 0.2), ("r", 0.3), ("l", 0.6), ("r", 0.9)],
    );
    player.flag("go", true);
    let cases: [(f32, &[f64]); 2] = [(0.3, &[0.1, 0.5]), (0.7, &[0.2, 0.3, 0.6, 0.9])];
    for (v, places) in cases {
        player.set("v", v);
        for _ in 0..50 {
            player.step(0.021);
            let playing = &player.state.machines[0].playing;
            let apart = beat(places, playing[0].cycles) - beat(&[0.0, 0.5], playing[1].cycles);
            assert!(
                (apart - (apart / 2.0).round() * 2.0).abs() < 1e-5,
                "{v}: {apart}"
            );
        }
    }
}

#[test]
fn a_newer_state_leads_once_it_is_heavier_by_a_twentieth() {
    let state = |clip: &str| json!({ "clip": clip, "sync_group": "feet" });
    let states = json!({ "a": state("a"), "b": state("b") });
    let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 1.0 }]);
    let clips = vec![still("a", 1.0, 0.0), still("b", 0.5, 0.0)];
    let def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
    let mut player = Player::new(def, clips);
    player.pull("go");
    let mut before = 0.0;
    for step in 0..190 {
        player.step(0.005);
        let now = player.state.machines[0].playing[1].cycles;
        // The weights at the begin of the step: w against 1 - w.
        let weight = f64::from(step) * 0.005;
        let rate = if weight > 1.0 - weight + 0.05 {
            2.0
        } else {
            1.0
        };
        let near_border = (2.0 * weight - 1.05).abs() < 0.01;
        assert!(
            near_border || (now - before - 0.005 * rate).abs() < 1e-6,
            "at {weight}: {}",
            now - before
        );
        before = now;
    }
}

#[test]
fn a_state_that_weighs_nothing_keeps_step() {
    // In the first step of a fade the destination has no weight; nor has a clip of a blend that is far away.
    let mut player = walk_and_run(["always_leader", "can_be_leader"]);
    player.run_to(0.4, 0.05);
    player.flag("run", true);
    player.step(0.0);
    let playing = &player.state.machines[0].playing;
    assert_eq!(player.state.layer_status(&player.graph, 0).weight, 0.0);
    let apart = beat(&WALK, playing[0].cycles) - beat(&RUN, playing[1].cycles);
    assert!((apart - apart.round()).abs() < 1e-6, "{apart}");
}

#[test]
fn a_blend_that_is_aligned_keeps_step_with_its_group() {
    let clips = vec![
        marked("a", 1.0, &[("l", 0.1), ("r", 0.5)]),
        marked("b", 1.4, &[("r", 0.1), ("l", 0.3), ("r", 1.0), ("l", 1.2)]),
        marked("o", 1.0, &[("l", 0.2), ("r", 0.9)]),
    ];
    let states = json!({
        "blend": { "blend": "v", "align": "marker", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }], "sync_group": "feet" },
        "other": { "clip": "o", "sync_group": "feet", "sync_role": "always_leader" },
    });
    let ways = json!([{ "from": "blend", "to": "other", "when": "go", "duration": 1000.0 }]);
    let def = one_layer(json!({ "v": 0.0, "go": false }), states, "blend", ways);
    let mut player = Player::new(def, clips);
    player.run_to(0.3, 0.05);
    player.flag("go", true);
    let mut random = Random(8);
    let mut first = None;
    for _ in 0..300 {
        player.set("v", random.next() as f32);
        player.step((random.next() * 1.7) as f32);
        let playing = &player.state.machines[0].playing;
        // The lap of the blend has four intervals of the same length.
        let ahead = playing[0].cycles * 4.0 - beat(&[0.2, 0.9], playing[1].cycles);
        let first = *first.get_or_insert(ahead);
        assert!(
            (ahead - ahead.round()).abs() < 1e-5 && (ahead - first).abs() < 1e-5,
            "{first} {ahead}"
        );
    }
}

#[test]
fn an_overlay_that_follows_goes_by_the_markers_of_the_base() {
    let clips = vec![
        marked("a", 1.0, &[("l", 0.1), ("r", 0.5)]),
        marked("b", 1.4, &[("r", 0.1), ("l", 0.3), ("r", 1.0), ("l", 1.2)]),
        marked("o", 1.0, &[("l", 0.2), ("r", 0.9)]),
    ];
    let base = json!({ "blend": "v", "align": "marker", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] });
    let def = json!({
        "parameters": { "v": 0.3 },
        "layers": [
            { "name": "base", "states": { "base": base }, "transitions": [] },
            { "name": "over", "follow": "base", "states": { "over": { "clip": "o" } }, "transitions": [] },
        ],
    });
    let mut player = Player::new(def, clips);
    let mut random = Random(8);
    let mut first = None;
    for _ in 0..300 {
        player.set("v", random.next() as f32);
        player.step((random.next() * 1.7) as f32);
        let [base, over] = [0, 1].map(|machine| player.state.machines[machine].playing[0].cycles);
        // Four intervals a lap of the base, two of the overlay.
        let ahead = base * 4.0 - beat(&[0.2, 0.9], over);
        let first = *first.get_or_insert(ahead);
        assert!((ahead - first).abs() < 1e-5, "{first} {ahead}");
        assert!(
            (ahead / 2.0 - (ahead / 2.0).round()).abs() < 1e-5,
            "a left foot is a left foot"
        );
    }
    let steps = player.state.machines[0].playing[0].cycles * 4.0;
    let told = player.count("l in over") + player.count("r in over");
    assert!((told as f64 - steps).abs() <= 2.0, "{told} of {steps}");
}

#[test]
fn what_was_restarted_goes_its_own_way() {
    let mut player = walk_and_run(["can_be_leader", "can_be_leader"]);
    player.run_to(0.4, 0.05);
    let play = Play {
        restart: true,
        fade: Some(2.0),
        ..Play::default()
    };
    player.play("walk", play);
    player.step(0.0);
    player.run_to(0.9, 0.05);
    let playing = &player.state.machines[0].playing;
    assert!((playing[0].cycles - playing[1].cycles - 0.4).abs() < 1e-5);
}
