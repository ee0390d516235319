//! Root motion of graphs: exact for one clip, weighted as the pose in blends and fades.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use serde_json::json;
use sinew_anim::{Graph, GraphDef, Joint, Pose, Skeleton, Transform, evaluate};

use crate::support::{J, Make, Player, Random, arcs, clip, one_layer};

pub fn with_root(mut def: serde_json::Value) -> serde_json::Value {
    def["root"] = json!({ "joint": "root", "axes": "planar" });
    def
}

fn one_clip(make: Make, mode: &str) -> Player {
    let states = json!({ "s": { "clip": "c", "mode": mode } });
    Player::new(
        with_root(one_layer(json!({}), states, "s", json!([]))),
        vec![make],
    )
}

#[test]
fn the_last_partial_step_of_a_once_clip_counts() {
    for dt in [1.0 / 60.0, 0.013, 0.4, 2.0] {
        let mut player = one_clip(clip("c", 1.0).yaw(0, 0.0, 90.0), "once");
        player.run_to(3.0, dt);
        assert!(
            (player.place[2] - std::f64::consts::FRAC_PI_2).abs() < 1e-5,
            "dt {dt}"
        );
    }
}

#[test]
fn ping_pong_comes_back() {
    // 2 m/s
    let mut player = one_clip(clip("c", 1.0).z(0, 0.0, 2.0), "ping_pong");
    player.run_to(1.5, 0.05);
    assert!((player.place[1] - 1.0).abs() < 1e-4);
    player.run_to(2.0, 0.05);
    assert!(player.place[1].abs() < 1e-4);
}

#[test]
fn any_partition_of_time_gives_the_same_way() {
    let mut random = Random(17);
    for _ in 0..100 {
        let make = || clip("c", 1.3).z(0, 0.0, 1.7).yaw(0, 0.0, 140.0);
        let mut whole = one_clip(make(), "loop");
        whole.step(5.0);
        let mut pieces = one_clip(make(), "loop");
        while pieces.time < 5.0 - 1e-7 {
            let left = (5.0 - pieces.time) as f32;
            pieces.step((random.next() as f32 * 0.5).min(left));
        }
        for axis in 0..3 {
            assert!((whole.place[axis] - pieces.place[axis]).abs() < 1e-4);
        }
    }
}

/// A quarter circle of a metre in a second.
fn quarter_circle() -> Make {
    let mut make = clip("c", 1.0).z(0, 0.0, 1.0).yaw(0, 0.0, 90.0);
    let turn = std::f32::consts::FRAC_PI_2;
    let times: Vec<f32> = (0..=64).map(|key| key as f32 / 64.0).collect();
    let place = |t: &f32| Vec3::new(1.0 - (turn * t).cos(), 0.0, (turn * t).sin()) * turn.recip();
    let tracks = &mut make.0.joints[0];
    let translation = tracks.translation.as_mut().expect("made");
    translation.values = times.iter().map(place).collect();
    translation.times = times.clone();
    let rotation = tracks.rotation.as_mut().expect("made");
    rotation.values = times
        .iter()
        .map(|t| Quat::from_rotation_y(turn * t))
        .collect();
    rotation.times = times;
    make
}

#[test]
fn four_quarter_circles_close_whatever_the_steps() {
    let mut random = Random(14);
    for mode in ["loop", "machine", "sequence"] {
        for _ in 0..20 {
            let clip = json!({ "clip": "c" });
            let state = match mode {
                "loop" => clip,
                "machine" => {
                    json!({ "machine": { "states": { "in": clip }, "transitions": [] } })
                }
                _ => json!({ "sequence": [clip, clip] }),
            };
            let def = with_root(one_layer(json!({}), json!({ "s": state }), "s", json!([])));
            let mut player = Player::new(def, vec![quarter_circle()]);
            while player.time < 4.0 - 1e-7 {
                let left = (4.0 - player.time) as f32;
                player.step((random.next() as f32 * 0.9).min(left));
            }
            let [x, z, yaw] = player.place;
            assert!(x.hypot(z) < 1e-3, "{mode}: ({x}, {z})");
            assert!((yaw - std::f64::consts::TAU).abs() < 1e-3, "{mode}: {yaw}");
        }
    }
}

/// The same way in the world of an armature that is turned, scaled and mirrored anyhow.
#[test]
fn an_armature_turned_and_scaled_anyhow_goes_the_same_way() {
    let mut random = Random(15);
    let mut number = |low: f64, high: f64| (low + (high - low) * random.next()) as f32;
    for case in 0..60 {
        let scale = [0.01, 1.0, 100.0, number(0.3, 3.0)][case % 4];
        let mirrored = if case % 2 == 0 { -scale } else { scale };
        let rotation = if case % 3 == 0 {
            Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2)
        } else {
            Quat::from_scaled_axis(Vec3::new(
                number(-2.0, 2.0),
                number(-2.0, 2.0),
                number(-2.0, 2.0),
            ))
        };
        let armature = Transform {
            translation: Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)),
            rotation,
            scale: Vec3::new(mirrored, scale, scale),
        };
        let local = armature_matrix(&armature).inverse();
        let at_rest = Transform {
            translation: local.transform_point3(Vec3::ZERO),
            ..Transform::IDENTITY
        };
        let joint = |name: &str, parent, rest| Joint {
            name: name.to_owned(),
            parent,
            rest,
            pre: None,
        };
        let joints = [
            joint("armature", None, armature),
            joint("root", Some(0), at_rest),
        ];
        let skeleton = Arc::new(Skeleton::new(&joints, &[]).expect("sound"));
        // The quarter circle as the armature has to say it: points by its inverse, turns by conjugation.
        let mut make = quarter_circle();
        let tracks = &mut make.0.joints[0];
        tracks.joint = 1;
        for place in &mut tracks.translation.as_mut().expect("made").values {
            *place = local.transform_point3(*place);
        }
        for turn in &mut tracks.rotation.as_mut().expect("made").values {
            let (axis, angle) = turn.to_axis_angle();
            let side = mirrored.signum();
            let axis = rotation.inverse() * axis;
            *turn = Quat::from_axis_angle(Vec3::new(axis.x, axis.y * side, axis.z * side), angle);
        }
        let def = with_root(one_layer(
            json!({}),
            json!({ "s": { "clip": "c" } }),
            "s",
            json!([]),
        ));
        let def = GraphDef::from_value(def).expect("reads");
        let graph = Graph::compile(&def, &skeleton, &arcs(vec![make])).expect("compiles");
        let mut player = Player::of(graph);
        while player.time < 2.5 - 1e-6 {
            let left = (2.5 - player.time) as f32;
            player.step(number(0.0, 0.4).min(left));
        }
        // Two and a half quarters round a centre one radius to the left.
        let (radius, turned) = (
            std::f64::consts::FRAC_2_PI,
            2.5 * std::f64::consts::FRAC_PI_2,
        );
        let expected = [radius * (1.0 - turned.cos()), radius * turned.sin(), turned];
        for (found, expected) in player.place.into_iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-3,
                "case {case}: {:?}",
                player.place
            );
        }
        // What is left of the root stands as at rest.
        let model = armature_matrix(&armature).transform_point3(player.pose.translation(1));
        assert!(
            model.length() < 1e-4 * scale.max(1.0),
            "case {case}: {model}"
        );
    }
}

fn armature_matrix(armature: &Transform) -> Affine3A {
    Affine3A::from_scale_rotation_translation(
        armature.scale,
        armature.rotation,
        armature.translation,
    )
}

#[test]
fn a_fade_moves_by_weight_whatever_the_steps() {
    let states = json!({ "walk": { "clip": "walk" }, "run": { "clip": "run" } });
    let ways = json!([{ "from": "walk", "to": "run", "when": "go", "duration": 0.5 }]);
    let def = with_root(one_layer(json!({ "go": "trigger" }), states, "walk", ways));
    // 1 and 3 m/s: half a second at the mean of both.
    for dt in [1.0 / 120.0, 1.0 / 60.0, 0.125, 0.25] {
        let clips = vec![
            clip("walk", 1.0).z(0, 0.0, 1.0),
            clip("run", 1.0).z(0, 0.0, 3.0),
        ];
        let mut player = Player::new(def.clone(), clips);
        player.pull("go");
        player.run_to(0.5, dt);
        assert!(
            (player.place[1] - 1.0).abs() < 0.02,
            "dt {dt}: {}",
            player.place[1]
        );
    }
}

#[test]
fn coarse_steps_of_a_turning_fade_agree_with_fine_ones() {
    let states = json!({ "walk": { "clip": "walk" }, "turn": { "clip": "turn" } });
    let ways = json!([{ "from": "walk", "to": "turn", "when": "go", "duration": 0.6 }]);
    let def = with_root(one_layer(json!({ "go": "trigger" }), states, "walk", ways));
    let run = |dt: f32| {
        let clips = vec![
            clip("walk", 1.0).z(0, 0.0, 1.0),
            clip("turn", 1.0).z(0, 0.0, 2.0).yaw(0, 0.0, 90.0),
        ];
        let mut player = Player::new(def.clone(), clips);
        player.pull("go");
        player.run_to(1.0, dt);
        player.place
    };
    let fine = run(1.0 / 960.0);
    for dt in [1.0 / 60.0, 0.125, 0.25] {
        let coarse = run(dt);
        for axis in 0..3 {
            assert!(
                (coarse[axis] - fine[axis]).abs() < 0.02,
                "dt {dt}: {coarse:?} and {fine:?}"
            );
        }
    }
}

#[test]
fn the_motion_is_taken_out_of_the_pose_unless_asked_for() {
    let make = clip("c", 1.0).z(0, 0.0, 2.0).x(1, 0.0, 1.0);
    let mut player = one_clip(make, "loop");
    player.step(0.5);
    assert!(player.pose.translation(0).length() < 1e-6);
    assert!((player.x() - 0.5).abs() < 1e-6);
    let mut pose = Pose::default();
    evaluate(
        &player.graph,
        &player.state,
        true,
        &mut player.scratch,
        &mut pose,
    );
    assert!((pose.translation(0).z - 1.0).abs() < 1e-6);
    assert_eq!(pose.translation(J), player.pose.translation(J));
}

#[test]
fn a_frozen_mix_keeps_both_roots() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "rest": true } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0 },
        { "from": "b", "to": "c", "when": "c", "duration": 1.0 },
    ]);
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let clips = vec![clip("a", 1.0).z(0, 0.0, 1.0), clip("b", 1.0).z(0, 0.0, 1.0)];
    let mut player = Player::new(with_root(one_layer(parameters, states, "a", ways)), clips);
    player.pull("b");
    player.run_to(0.5, 0.1);
    player.pull("c");
    player.step(0.1);
    assert!(player.pose.translation(0).length() < 1e-6);
    let mut pose = Pose::default();
    evaluate(
        &player.graph,
        &player.state,
        true,
        &mut player.scratch,
        &mut pose,
    );
    assert!((pose.translation(0).z - 0.5 * 0.9).abs() < 1e-5);
}

#[test]
fn only_the_base_layer_moves_the_root() {
    let layer = |name: &str| json!({ "name": name, "states": { "s": { "clip": name } } });
    let def = with_root(json!({ "layers": [layer("base"), layer("over")] }));
    let clips = vec![
        clip("base", 1.0).z(0, 0.0, 1.0),
        clip("over", 1.0).z(0, 0.0, 9.0),
    ];
    let mut player = Player::new(def, clips);
    player.run_to(1.0, 0.1);
    assert!((player.place[1] - 1.0).abs() < 1e-5);
}

#[test]
fn seeking_and_pausing_move_nothing() {
    let mut player = one_clip(clip("c", 1.0).z(0, 0.0, 1.0).marker("m", 0.25), "loop");
    player.step(0.1);
    player.state.seek(&player.graph, 0, 0.5);
    player.step(0.1);
    assert!((player.place[1] - 0.2).abs() < 1e-6);
    assert_eq!(player.count("m in s"), 0);
    player.state.paused = true;
    player.step(0.1);
    assert!((player.place[1] - 0.2).abs() < 1e-6);
}

#[test]
fn clips_that_agree_on_a_root_need_no_root_in_the_graph() {
    let mut make = clip("c", 1.0).z(0, 0.0, 1.0);
    make.0.root_joint = Some("root".to_owned());
    let states = json!({ "s": { "clip": "c" } });
    let mut player = Player::new(one_layer(json!({}), states, "s", json!([])), vec![make]);
    player.step(0.5);
    assert!((player.place[1] - 0.5).abs() < 1e-6);
}

/// The motion that is taken out of the clips comes back with the weight that the pose has.
#[test]
fn a_base_layer_that_is_half_there_moves_the_root_half_as_far() {
    for mask in [json!(null), json!({ "others": 0.5 })] {
        let mut def = with_root(
            json!({ "layers": [{ "name": "base", "states": { "s": { "clip": "c" } } }] }),
        );
        let mut share = 0.5;
        def["layers"][0]["weight"] = json!(0.5);
        if !mask.is_null() {
            def["layers"][0]["mask"] = mask;
            share *= 0.5;
        }
        let mut player = Player::new(def, vec![clip("c", 1.0).z(0, 0.0, 2.0)]);
        player.run_to(1.5, 0.1);
        assert!(
            (player.place[1] - 3.0 * share).abs() < 1e-5,
            "{:?}",
            player.place
        );
    }
}

#[test]
fn the_root_s_way_changes_over_in_the_time_that_a_profile_gives_its_joint() {
    let states = json!({ "walk": { "clip": "walk" }, "run": { "clip": "run" } });
    let ways = json!([{ "from": "walk", "to": "run", "when": "go", "duration": 1.0, "profile": { "root": 0.5 } }]);
    let def = with_root(one_layer(json!({ "go": "trigger" }), states, "walk", ways));
    for dt in [0.005, 0.01, 0.05, 0.25, 1.0] {
        let clips = vec![
            clip("walk", 1.0).z(0, 0.0, 1.0),
            clip("run", 1.0).z(0, 0.0, 4.0),
        ];
        let mut player = Player::new(def.clone(), clips);
        player.pull("go");
        player.run_to(1.0, dt);
        // Half a second from 1 to 4 m/s, half a second at 4 m/s.
        let expected = 1.25 + 2.0;
        let way = player.place[1];
        assert!(
            (way - expected).abs() < 0.01 * expected,
            "steps of {dt}: {way}"
        );
    }
}

#[test]
fn a_frozen_pose_goes_on_sliding_by_its_share() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" }, "c": { "rest": true } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "b", "duration": 1.0 },
        { "from": "b", "to": "c", "when": "c", "duration": 1.0 },
    ]);
    let parameters = json!({ "b": "trigger", "c": "trigger" });
    let clips = vec![clip("a", 1.0).z(0, 0.0, 1.0), clip("b", 1.0).z(0, 0.0, 3.0)];
    let mut player = Player::new(with_root(one_layer(parameters, states, "a", ways)), clips);
    player.pull("b");
    player.run_to(0.5, 0.01);
    let before = player.place[1];
    player.pull("c");
    player.run_to(1.6, 0.01);
    // The mix of 1 and 3 m/s half and half, dying away evenly within a second.
    let way = player.place[1] - before;
    assert!((way - 1.0).abs() < 0.02, "{way}");
}

#[test]
fn a_profile_that_ends_the_root_s_fade_early_does_so_for_its_way() {
    let states = json!({ "walk": { "clip": "walk" }, "run": { "clip": "run" } });
    let clips = || {
        vec![
            clip("walk", 1.0).z(0, 0.0, 1.0),
            clip("run", 1.0).z(0, 0.0, 3.0),
        ]
    };
    let mut random = Random(71);
    for factor in [0.0, 0.25, 0.5, 1.0] {
        for curve in ["linear", "smooth"] {
            let ways = json!([{ "from": "walk", "to": "run", "when": "go", "duration": 0.8, "curve": curve, "profile": { "root": factor } }]);
            let def = with_root(one_layer(
                json!({ "go": "trigger" }),
                states.clone(),
                "walk",
                ways,
            ));
            // Both curves lie as much above half as below, so the root's fade moves by the mean of both.
            let fade = 0.8 * factor;
            let expected = fade * 2.0 + (1.0 - fade) * 3.0;
            for most in [0.01, 0.06, 0.25] {
                let mut player = Player::new(def.clone(), clips());
                player.pull("go");
                while player.time < 1.0 - 1e-7 {
                    let left = (1.0 - player.time) as f32;
                    player.step(((0.3 + random.next() as f32) * most).min(left));
                }
                let way = player.place[1];
                assert!(
                    (way - expected).abs() < 0.01 * expected,
                    "{factor} {curve}, steps up to {most}: {way}, not {expected}"
                );
            }
        }
    }
}
