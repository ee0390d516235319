//! Layers over layers, and phase carried within sync groups.

use serde_json::json;

use crate::support::{J, Player, clip, one_layer, still};

const ARM: usize = 2;
const HAND: usize = 3;

fn two_layers(over: serde_json::Value) -> Player {
    let mut layer = json!({ "name": "over", "states": { "o": { "clip": "over" } } });
    layer
        .as_object_mut()
        .unwrap()
        .extend(over.as_object().unwrap().clone());
    let def = json!({
        "parameters": { "much": 1.0 },
        "layers": [{ "name": "base", "states": { "b": { "clip": "base" } } }, layer],
    });
    let all = |name: &str, x: f32| (1..4).fold(clip(name, 1.0), |make, joint| make.x(joint, x, x));
    Player::new(def, vec![all("base", 1.0), all("over", 3.0)])
}

fn xs(player: &Player) -> [f32; 3] {
    [J, ARM, HAND].map(|joint| player.pose.translation(joint).x)
}

#[test]
fn an_overlay_lies_over_the_base_by_its_weight() {
    assert_eq!(xs(&two_layers(json!({}))), [3.0; 3]);
    assert_eq!(xs(&two_layers(json!({ "weight": 0.25 }))), [1.5; 3]);
    assert_eq!(xs(&two_layers(json!({ "weight": 0.0 }))), [1.0; 3]);
}

#[test]
fn a_mask_says_which_joints() {
    assert_eq!(xs(&two_layers(json!({ "mask": "arm+" }))), [1.0, 3.0, 3.0]);
    assert_eq!(xs(&two_layers(json!({ "mask": "arm" }))), [1.0, 3.0, 1.0]);
    assert_eq!(
        xs(&two_layers(json!({ "mask": "j+ -hand" }))),
        [3.0, 3.0, 1.0]
    );
    let table = json!({ "mask": { "others": 0.5, "joints": [{ "joint": "hand", "weight": 0.25 }] }, "weight": 0.5 });
    assert_eq!(xs(&two_layers(table)), [1.5, 1.5, 1.25]);
}

#[test]
fn a_scripts_fade_begins_at_the_layers_own_weight_and_the_parameter_scales_it() {
    let mut player = two_layers(json!({ "weight": 0.0, "weight_parameter": "much" }));
    player.state.set_layer_weight(1, 1.0, 0.2);
    for expected in [2.0, 3.0, 3.0] {
        player.step(0.1);
        assert!((xs(&player)[0] - expected).abs() < 1e-5);
    }
    assert_eq!(player.state.layer_weight(1), 1.0);
    player.set("much", 0.25);
    player.show();
    assert!((xs(&player)[0] - 1.5).abs() < 1e-5);
    player.set("much", -3.0);
    player.show();
    assert_eq!(xs(&player), [1.0; 3]);
}

#[test]
fn three_layers_lie_one_over_the_other() {
    let layer = |name: &str, weight: f32| json!({ "name": name, "weight": weight, "states": { "s": { "clip": name } } });
    let def = json!({ "layers": [layer("one", 1.0), layer("two", 0.5), layer("three", 0.5)] });
    let clips = vec![
        still("one", 1.0, 0.0),
        still("two", 1.0, 4.0),
        still("three", 1.0, 8.0),
    ];
    let player = Player::new(def, clips);
    assert!((player.x() - 5.0).abs() < 1e-6);
}

fn grouped(walk: f32, run: f32) -> Player {
    let states = json!({
        "walk": { "clip": "walk", "sync_group": "feet" },
        "run": { "clip": "run", "sync_group": "feet" },
        "stand": { "clip": "stand" },
    });
    let ways = json!([
        { "from": "walk", "to": "run", "when": "run", "duration": 0.4 },
        { "from": "run", "to": "walk", "when": "not run", "duration": 0.4 },
        { "from": "any", "to": "stand", "when": "stop", "duration": 0.1 },
        { "from": "stand", "to": "walk", "when": "run", "duration": 0.1 },
    ]);
    let parameters = json!({ "run": false, "stop": "trigger" });
    let clips = vec![
        clip("walk", walk).x(1, 0.0, 1.0),
        clip("run", run).x(1, 0.0, 1.0),
        still("stand", 1.0, 0.0),
    ];
    Player::new(one_layer(parameters, states, "walk", ways), clips)
}

#[test]
fn phase_is_carried_within_a_group_and_stays_locked_in_the_fade() {
    let mut player = grouped(1.0, 0.6);
    player.run_to(0.3, 0.05);
    player.flag("run", true);
    let mut last = f64::from(player.status().progress);
    while player.time < 0.8 {
        player.step(0.05);
        let playing = &player.state.machines[0].playing;
        assert!(
            playing
                .windows(2)
                .all(|pair| (pair[0].cycles - pair[1].cycles).abs() < 1e-9)
        );
        let phase = f64::from(player.status().progress);
        let moved = (phase - last).rem_euclid(1.0);
        assert!(moved > 0.049 && moved < 0.05 / 0.6 + 1e-6, "moved {moved}");
        last = phase;
        if player.status().fading {
            assert!(
                (f64::from(player.x()) - phase).abs() < 1e-4,
                "both show the phase"
            );
        }
    }
}

#[test]
fn a_state_outside_the_group_begins_at_its_start() {
    let mut player = grouped(1.0, 0.6);
    player.run_to(0.3, 0.1);
    player.pull("stop");
    player.run_to(0.8, 0.1);
    player.flag("run", true);
    player.step(0.1);
    assert_eq!(player.state_name(), "walk");
    assert!((player.status().progress - 0.1).abs() < 1e-5);
}

#[test]
fn a_backward_state_of_a_group_runs_the_phase_down() {
    let states = json!({
        "walk": { "clip": "walk", "sync_group": "feet" },
        "moon": { "clip": "walk", "sync_group": "feet", "speed": -1.0 },
    });
    let ways = json!([{ "from": "walk", "to": "moon", "when": "moon", "duration": 0.2 }]);
    let clips = vec![clip("walk", 1.0).x(1, 0.0, 1.0)];
    let mut player = Player::new(
        one_layer(json!({ "moon": false }), states, "walk", ways),
        clips,
    );
    player.run_to(0.5, 0.05);
    player.flag("moon", true);
    player.step(0.05);
    assert!((player.x() - 0.55).abs() < 1e-5, "the heavier state leads");
    player.run_to(0.8, 0.05);
    let before = player.x();
    player.step(0.05);
    assert!((before - player.x() - 0.05).abs() < 1e-5);
}

/// A quarter about X below, a quarter about Y added to the clip's own reference: before the base where the joint has it,
/// after it where the model has.
#[test]
fn what_is_added_turns_before_the_base_or_after_it_as_its_space_says() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let quarter_x = glam::Quat::from_xyzw(half, 0.0, 0.0, half);
    let clips = || {
        let mut base = clip("base", 1.0).yaw(1, 0.0, 0.0);
        let turns = base.0.joints[0].rotation.as_mut().expect("made");
        turns.values.fill(quarter_x);
        let add = clip("add", 1.0).yaw(1, 30.0, 120.0);
        vec![base, add, clip("from", 1.0).yaw(1, 30.0, 30.0)]
    };
    let references = [
        json!("first_frame"),
        json!({ "clip": "add", "time": 0.0 }),
        json!({ "clip": "from" }),
    ];
    for (space, z) in [("local", 0.5), ("mesh", -0.5)] {
        for reference in &references {
            let layer = |name: &str, clip: &str| json!({ "name": name, "states": { "s": { "clip": clip, "mode": "once" } } });
            let mut over = layer("over", "add");
            over["blend"] = json!("additive");
            over["space"] = json!(space);
            over["reference"] = reference.clone();
            let def = json!({ "layers": [layer("base", "base"), over] });
            let mut player = Player::new(def.clone(), clips());
            // On its own reference it adds nothing.
            assert!(crate::support::angle(player.pose.rotation(1), quarter_x) < 1e-6);
            player.run_to(1.0, 0.1);
            let expected = glam::Quat::from_xyzw(0.5, 0.5, z, 0.5);
            let error = crate::support::angle(player.pose.rotation(1), expected);
            assert!(error < 1e-6, "{space} {reference}: {error}");
        }
    }
}
