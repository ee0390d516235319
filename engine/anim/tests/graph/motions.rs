//! What a state can play besides a clip and a blend of clips.

use serde_json::{Value, json};
use sinew_anim::{Pose, linear_weights};

use crate::support::{J, Player, Random, clip, one_layer, still};

fn state(parameters: Value, motion: Value) -> Player {
    let clips = vec![
        clip("a", 1.0).x(J as u16, 0.0, 1.0).marker("m", 0.5),
        clip("b", 2.0).x(J as u16, 10.0, 12.0).marker("n", 0.5),
        clip("c", 1.0).x(J as u16, 100.0, 100.0),
        clip("add", 1.0).x(J as u16, 0.0, 0.5),
        clip("limp", 1.0).x(2, 1.0, 1.0),
    ];
    Player::new(
        one_layer(parameters, json!({ "s": motion }), "s", json!([])),
        clips,
    )
}

fn near(player: &Player, expected: f32) {
    let found = player.x();
    assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
}

#[test]
fn a_range_plays_only_those_seconds_of_a_clip() {
    let mut player = state(json!({}), json!({ "clip": "b", "range": [0.5, 1.5] }));
    near(&player, 10.5);
    player.run_to(0.75, 0.05);
    near(&player, 11.25);
    player.run_to(1.25, 0.05);
    near(&player, 10.75);
    assert_eq!(
        player.count("n in s"),
        2,
        "at its first second and after a lap"
    );
}

#[test]
fn a_range_moves_the_root_by_what_is_in_it() {
    let mut def = one_layer(
        json!({}),
        json!({ "s": { "clip": "w", "range": [1.0, 2.0] } }),
        "s",
        json!([]),
    );
    def["root"] = json!({ "joint": "root" });
    // 1 m in its first second, 3 m in its second.
    let mut walk = clip("w", 2.0).z(0, 0.0, 4.0);
    let track = walk.0.joints[0].translation.as_mut().expect("made");
    track.times = vec![0.0, 1.0, 2.0];
    track.values = [0.0, 1.0, 4.0].map(|z| glam::Vec3::Z * z).to_vec();
    let mut player = Player::new(def, vec![walk]);
    player.run_to(2.5, 0.05);
    assert!((player.place[1] - 7.5).abs() < 1e-4, "{:?}", player.place);
}

#[test]
fn a_parameter_scrubs_a_clip() {
    let mut player = state(
        json!({ "t": 0.25 }),
        json!({ "clip": "b", "time_parameter": "t" }),
    );
    near(&player, 10.5);
    player.set("t", 0.75);
    player.step(0.1);
    near(&player, 11.5);
}

#[test]
fn motions_in_a_blend_share_its_phase() {
    let inner =
        json!({ "blend": "u", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] });
    let motion = json!({ "blend": "v", "points": [{ "at": 0, "motion": inner }, { "at": 1, "clip": "c", "speed": 2 }] });
    let mut player = state(json!({ "u": 0.5, "v": 0.5 }), motion);
    player.run_to(0.5, 0.01);
    // Durations: inner (1 + 2) / 2 = 1.5 s, outer (1.5 + 0.5) / 2 = 1 s.
    let phase = 0.5;
    let inner = (phase + 10.0 + 2.0 * phase) / 2.0;
    near(&player, (inner + 100.0) / 2.0);
}

#[test]
fn a_direct_blend_shows_rest_for_what_is_missing_and_shares_what_is_too_much() {
    let motion = json!({ "direct": [{ "weight": "p", "motion": { "clip": "c" } }, { "weight": "q", "motion": { "rest": true } }] });
    let mut player = state(json!({ "p": 0.25, "q": 0.0 }), motion);
    near(&player, 25.0);
    player.set("p", 3.0);
    player.set("q", 1.0);
    player.show();
    near(&player, 75.0);
    player.set("p", -1.0);
    player.show();
    near(&player, 0.0);
}

#[test]
fn an_additive_motion_is_laid_over_its_base_by_weight() {
    let motion =
        json!({ "additive": { "base": { "clip": "c" }, "add": { "clip": "add" }, "weight": "w" } });
    let mut player = state(json!({ "w": 0.5 }), motion);
    player.run_to(0.5, 0.1);
    near(&player, 100.0 + 0.5 * 0.25);
    player.set("w", 0.0);
    player.show();
    assert_eq!(player.x(), 100.0);
}

#[test]
fn a_number_selects_a_child_and_keeps_the_phase() {
    let motion =
        json!({ "select": "i", "children": [{ "clip": "a" }, { "clip": "b" }, { "clip": "c" }] });
    let mut player = state(json!({ "i": { "type": "int" } }), motion);
    let mut choose = |number: i32, expected: f32| {
        let index = player.graph.parameter("i").expect("known");
        player
            .state
            .set_int(&player.graph, index, number)
            .expect("an int");
        player.show();
        near(&player, expected);
    };
    choose(0, 0.0);
    choose(1, 10.0);
    choose(2, 100.0);
    choose(7, 100.0);
    choose(-3, 0.0);
}

#[test]
fn chance_takes_another_child_each_lap_and_each_of_them_often() {
    let children = json!([{ "clip": "a" }, { "clip": "a2" }, { "clip": "a3" }]);
    let motion = json!({ "select": "random", "children": children });
    let clips = || {
        ["a", "a2", "a3"]
            .into_iter()
            .zip([1.0, 0.5, 0.25])
            .map(|(name, seconds)| still(name, seconds, seconds).marker(name, seconds * 0.5))
            .collect::<Vec<_>>()
    };
    let def = one_layer(json!({}), json!({ "s": motion }), "s", json!([]));
    let heard = |dt: &mut dyn FnMut() -> f32, seed: u64| {
        let mut player = Player::new(def.clone(), clips());
        player.state = sinew_anim::GraphState::start_seeded(&player.graph, seed);
        while player.time < 100.0 {
            player.step(dt());
        }
        let told = player.said.iter().filter(|said| said.time < 99.0);
        let told = told.filter(|said| said.words.ends_with("in s") && said.words.starts_with('a'));
        told.map(|said| (said.words.clone(), (said.time * 100.0).round() as i64))
            .collect::<Vec<_>>()
    };
    let reference = heard(&mut || 1.0 / 60.0, 1);
    let names: Vec<&str> = reference.iter().map(|(words, _)| words.as_str()).collect();
    assert!(
        names.windows(2).all(|pair| pair[0] != pair[1]),
        "none twice in a row"
    );
    for name in ["a in s", "a2 in s", "a3 in s"] {
        let share = names.iter().filter(|own| **own == name).count() as f64 / names.len() as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.1, "{name}: {share}");
    }
    // Whatever the steps, the same happens; another seed is another story.
    let mut random = Random(9);
    let other = heard(&mut || (random.next() * 2.0 + 0.01) as f32, 1);
    assert_eq!(other.len(), reference.len());
    for (a, b) in other.iter().zip(&reference) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() <= 1, "{a:?} is not {b:?}");
    }
    assert_ne!(heard(&mut || 1.0 / 60.0, 2), reference);
}

#[test]
fn a_sequence_plays_clips_one_after_another_and_ends_after_the_last() {
    let motion = json!({ "sequence": [{ "clip": "a" }, { "clip": "b" }, { "clip": "a", "range": [0.5, 1.0] }], "mode": "once" });
    let mut player = state(json!({}), motion);
    player.run_to(0.5, 0.1);
    near(&player, 0.5);
    player.run_to(2.0, 0.1);
    near(&player, 11.0);
    player.run_to(3.25, 0.05);
    near(&player, 0.75);
    player.run_to(4.0, 0.1);
    near(&player, 1.0);
    assert_eq!(player.count("finished s"), 1);
    assert_eq!(
        player.count("m in s"),
        2,
        "at 0.5 s, and where the range begins"
    );
}

#[test]
fn a_sequence_travels_as_far_as_its_clips_together() {
    let motion = json!({ "sequence": [{ "clip": "turn" }, { "clip": "walk" }] });
    let mut def = one_layer(json!({}), json!({ "s": motion }), "s", json!([]));
    def["root"] = json!({ "joint": "root" });
    let clips = vec![
        clip("turn", 1.0).yaw(0, 0.0, 90.0),
        clip("walk", 1.0).z(0, 0.0, 2.0),
    ];
    let mut random = Random(3);
    for _ in 0..20 {
        let mut player = Player::new(def.clone(), clips.clone());
        // Four times a right turn and a way of 2 m are a square.
        while player.time < 8.0 {
            let left = (8.0 - player.time) as f32;
            player.step(((random.next() * 3.0) as f32).min(left).max(1e-3));
        }
        let [x, z, yaw] = player.place;
        assert!(x.abs() < 2e-2 && z.abs() < 2e-2, "{:?}", player.place);
        assert!((yaw - std::f64::consts::TAU).abs() < 2e-2, "{yaw}");
    }
}

#[test]
fn a_kept_pose_is_shown_until_another_is_kept() {
    let mut player = state(json!({}), json!({ "pose": "fallen" }));
    near(&player, 0.0);
    let pose = player.graph.pose("fallen").expect("named by the graph");
    let mut kept: Pose = player.pose.clone();
    kept.set_translation(J, glam::Vec3::X * 7.0);
    player.state.keep_pose(pose, &kept);
    player.step(0.1);
    near(&player, 7.0);
    player.state.keep_pose(9, &kept);
}

#[test]
fn a_mirrored_clip_moves_the_other_side() {
    let mut clips = vec![still("a", 1.0, 0.0)];
    clips[0] = clip("a", 1.0).x(J as u16, 1.0, 1.0);
    let def = one_layer(
        json!({}),
        json!({ "s": { "clip": "a", "mirror": true } }),
        "s",
        json!([]),
    );
    let player = Player::new(def, clips);
    assert!((player.x() + 1.0).abs() < 1e-6, "{}", player.x());
}

#[test]
fn an_additive_layer_adds_what_its_clip_does_to_its_reference() {
    let layer = |reference: Value| {
        let mut over = json!({ "name": "over", "blend": "additive", "states": { "o": { "clip": "b" } }, "transitions": [], "weight": 0.5 });
        if !reference.is_null() {
            over["reference"] = reference;
        }
        json!({ "layers": [
            { "name": "base", "states": { "s": { "clip": "c" } }, "transitions": [] }, over,
        ] })
    };
    let cases = [
        (Value::Null, 10.0),
        (json!("rest"), 10.0),
        (json!("first_frame"), 0.0),
        (json!({ "clip": "b", "time": 1.0 }), -1.0),
        (json!({ "clip": "c" }), -90.0),
    ];
    for (reference, at_start) in cases {
        let clips = vec![
            clip("b", 2.0).x(J as u16, 10.0, 12.0),
            clip("c", 1.0).x(J as u16, 100.0, 100.0),
        ];
        let mut player = Player::new(layer(reference.clone()), clips);
        player.run_to(0.5, 0.1);
        let expected = 100.0 + 0.5 * (at_start + 0.5);
        let found = player.x();
        assert!(
            (found - expected).abs() < 1e-3,
            "{reference}: {found} is not {expected}"
        );
    }
}

#[test]
fn an_overlay_moves_the_root_only_where_it_says_so() {
    for (own, expected) in [(None, 1.0), (Some(true), 2.5), (Some(false), 1.0)] {
        let mut over = json!({ "name": "over", "weight": 0.5, "states": { "o": { "clip": "fast" } }, "transitions": [] });
        if let Some(own) = own {
            over["root_motion"] = json!(own);
        }
        let def = json!({ "root": { "joint": "root" }, "layers": [
            { "name": "base", "states": { "s": { "clip": "slow" } }, "transitions": [] }, over,
        ] });
        let clips = vec![
            clip("slow", 1.0).z(0, 0.0, 1.0),
            clip("fast", 1.0).z(0, 0.0, 4.0),
        ];
        let mut player = Player::new(def, clips);
        player.run_to(1.0, 0.05);
        assert!(
            (player.place[1] - expected).abs() < 1e-4,
            "{own:?}: {:?}",
            player.place
        );
    }
}

#[test]
fn the_root_of_a_fade_can_be_that_of_its_source_or_target() {
    let run = |rule: &str| {
        let states = json!({ "a": { "clip": "slow" }, "b": { "clip": "fast" } });
        let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 1.0 }]);
        let mut def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
        def["root"] = json!({ "joint": "root" });
        def["layers"][0]["root_weights"] = json!(rule);
        let clips = vec![
            clip("slow", 1.0).z(0, 0.0, 1.0),
            clip("fast", 1.0).z(0, 0.0, 3.0),
        ];
        let mut player = Player::new(def, clips);
        player.pull("go");
        player.run_to(1.0, 0.01);
        player.place[1]
    };
    for (rule, expected) in [("pose", 2.0), ("source", 1.0), ("target", 3.0)] {
        let found = run(rule);
        assert!((found - expected).abs() < 0.04, "{rule}: {found}");
    }
}

#[test]
fn blends_take_any_of_their_rules_and_keep_the_heaviest() {
    let cross = json!([
        { "at": [0, 0], "clip": "a" }, { "at": [1, 0], "clip": "b" }, { "at": [-1, 0], "clip": "c" }, { "at": [0, 1], "clip": "add" }, { "at": [0, -1], "clip": "limp" },
    ]);
    for (rule, weights) in [
        ("gradient_band", [1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0]),
        ("polar", [0.2265, 0.3867, 0.0, 0.3867]),
        ("delaunay", [0.0, 0.5, 0.0, 0.5]),
    ] {
        let motion = json!({ "blend": ["x", "y"], "points": cross, "weights": rule });
        let player = state(json!({ "x": 0.5, "y": 0.5 }), motion);
        let expected = weights[1] * 10.0 + weights[2] * 100.0;
        let found = player.x();
        assert!(
            (found - expected).abs() < 5e-3,
            "{rule}: {found} is not {expected}"
        );
    }
    let line = json!({ "blend": "x", "keep": 1, "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "c" }] });
    let player = state(json!({ "x": 0.75 }), line);
    near(&player, 100.0);
    let mut weights = [0.0; 2];
    linear_weights(&[0.0, 1.0], 0.75, &mut weights);
    assert_eq!(weights, [0.25, 0.75]);
}
