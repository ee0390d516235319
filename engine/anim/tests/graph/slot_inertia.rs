//! Clips in slots that come and go by inertia.

use serde_json::{Value, json};
use sinew_anim::{GraphState, Play, Pose, SlotPlay, SlotStop};

use crate::support::{J, Make, Player, Random, angle, clip, one_layer, still};

const ARM: u16 = 2;

const BY_INERTIA: SlotPlay = SlotPlay {
    fade_in: 0.3,
    fade_out: 0.3,
    inertial: true,
    priority: 0,
    speed: 1.0,
    looping: false,
    at: None,
};

const STOP: SlotStop = SlotStop {
    handle: None,
    fade_out: None,
    inertial: None,
};

/// The polynomial of fifth degree of the contract, in powers of the time.
fn quintic(x0: f64, v0: f64, seconds: f64, t: f64) -> f64 {
    let v0 = if x0 * v0 < 0.0 { v0 } else { 0.0 };
    let t1 = if v0 == 0.0 {
        seconds
    } else {
        seconds.min(-5.0 * x0 / v0)
    };
    if t >= t1 {
        return 0.0;
    }
    let a0 = (-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1);
    let a0 = if x0 > 0.0 { a0.max(0.0) } else { a0.min(0.0) };
    let fifth = -(a0 * t1.powi(2) + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t1.powi(5));
    let fourth = (3.0 * a0 * t1.powi(2) + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t1.powi(4));
    let third = -(3.0 * a0 * t1.powi(2) + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t1.powi(3));
    fifth * t.powi(5) + fourth * t.powi(4) + third * t.powi(3) + a0 / 2.0 * t * t + v0 * t + x0
}

/// A base that stands at 0 (`rest`) or goes from 0 to 5 in ten seconds (`go`), and a slot over it.
fn player_of(slot: Value, entry: &str) -> Player {
    let states =
        json!({ "rest": { "clip": "rest" }, "go": { "clip": "go" }, "far": { "clip": "far" } });
    let mut def = one_layer(json!({}), states, entry, json!([]));
    def["slots"] = json!({ "slot": slot });
    let go: Make = clip("go", 10.0).x(J as u16, 0.0, 5.0).yaw(ARM, 0.0, 90.0);
    let clips = vec![
        still("rest", 1.0, 0.0),
        go,
        still("far", 1.0, 9.0),
        still("one", 1.0, 1.0).marker("m", 0.5).marker("end", 1.0),
        clip("fall", 1.0).x(J as u16, 3.0, 2.0),
        clip("rise", 1.0).x(J as u16, -4.0, -3.0),
        clip("turn", 1.0).yaw(ARM, 80.0, 40.0),
        still("brief", 0.05, 1.0),
    ];
    Player::new(def, clips)
}

fn still_base() -> Player {
    player_of(json!({ "after": "base" }), "rest")
}

fn play(player: &mut Player, name: &str, play: SlotPlay) -> Option<u32> {
    let mut clips = player.graph.clips.iter();
    let clip = clips.position(|own| own.clip.name == name).expect("known");
    player.state.play_slot(&player.graph, 0, clip as u16, &play)
}

fn ends(player: &Player) -> Vec<&str> {
    let words = player.said.iter().map(|said| said.words.as_str());
    words
        .filter(|words| words.starts_with("end ") && !words.starts_with("end in"))
        .collect()
}

fn assert_near(found: f32, expected: f64, what: impl std::fmt::Display) {
    assert!(
        (f64::from(found) - expected).abs() < 2e-4,
        "{found} instead of {expected}: {what}"
    );
}

#[test]
fn a_clip_is_there_at_once_and_the_difference_dies_away_as_the_contract_says() {
    let mut player = still_base();
    play(&mut player, "one", BY_INERTIA);
    player.show();
    assert_eq!(player.x(), 0.0, "with the next step");
    player.step(0.0);
    assert_eq!(player.x(), 0.0, "with the next step that takes time");
    for (seconds, left) in [(0.05, 0.9645), (0.1, 0.7901), (0.15, 0.5), (0.3, 0.0)] {
        player.step((seconds - player.time) as f32);
        assert_near(player.x(), 1.0 - left, player.time);
        let status = player.state.slot_status(&player.graph, 0).expect("plays");
        assert_eq!(status.weight, 1.0);
    }
}

#[test]
fn a_clip_plays_whole_and_its_last_motion_goes_on_after_its_end() {
    for dt in [0.01_f32, 0.07, 0.25, 1.1] {
        let mut player = still_base();
        let how = SlotPlay {
            fade_in: 0.0,
            ..BY_INERTIA
        };
        play(&mut player, "fall", how);
        while player.time < 1.6 {
            player.step(dt);
            let t = player.time;
            let expected = if t < 1.0 - 1e-6 {
                3.0 - t
            } else {
                quintic(2.0, -1.0, 0.3, (t - 1.0).max(0.0))
            };
            assert_near(player.x(), expected, format!("{t} in steps of {dt}"));
        }
        assert_eq!(player.x(), 0.0);
        assert_eq!(ends(&player), ["end 0 in slot: Finished"]);
        let end = player
            .said
            .iter()
            .find(|said| said.words.starts_with("end 0"));
        let end = end.expect("told");
        assert!((end.time - 1.0).abs() < 1e-5, "{}", end.time);
        assert_eq!(end.weight, 1.0);
    }
}

#[test]
fn a_rotation_dies_away_as_an_angle() {
    let mut player = still_base();
    play(
        &mut player,
        "turn",
        SlotPlay {
            fade_in: 0.0,
            ..BY_INERTIA
        },
    );
    player.step(0.97);
    for _ in 0..30 {
        player.step(0.013);
        let t = player.time - 1.0;
        let expected = if t < 0.0 {
            (40.0 - 40.0 * t).to_radians()
        } else {
            quintic(40_f64.to_radians(), -(40_f64.to_radians()), 0.3, t)
        };
        let found = angle(player.pose.rotation(usize::from(ARM)), glam::Quat::IDENTITY);
        assert_near(found as f32, expected, t);
    }
}

/// The greatest change of speed between three steps of a millisecond that follow each other, around
/// something that is done after half a second.
fn kink(player: &mut Player, mut act: impl FnMut(&mut Player)) -> (f32, f32) {
    let dt = 1.0 / 1024.0;
    player.run_to(player.time + 0.5, dt);
    let mut seen = [player.x(); 3];
    let (mut jump, mut kink) = (0.0_f32, 0.0_f32);
    for index in 0..40 {
        if index == 4 {
            act(player);
        }
        player.step(dt);
        seen = [seen[1], seen[2], player.x()];
        if index >= 2 {
            let speeds = [(seen[1] - seen[0]) / dt, (seen[2] - seen[1]) / dt];
            jump = jump.max((seen[2] - seen[1]).abs());
            kink = kink.max((speeds[1] - speeds[0]).abs());
        }
    }
    (jump, kink)
}

#[test]
fn neither_pose_nor_speed_jumps_whatever_moves_below() {
    for slot in [
        json!({ "after": "base" }),
        json!({ "after": "base", "mask": "j" }),
    ] {
        let mut player = player_of(slot, "go");
        let long = SlotPlay {
            speed: 0.2,
            ..BY_INERTIA
        };
        let mut check = |what: &str, act: &mut dyn FnMut(&mut Player)| {
            let (jump, kink) = kink(&mut player, act);
            assert!(jump < 0.02, "{what}: a jump of {jump} m");
            // What the polynomial itself bends within a step stays below 0.5 m/s.
            assert!(kink < 0.5, "{what}: a kink of {kink} m/s");
        };
        check("it begins", &mut |player| {
            play(player, "fall", long);
        });
        check("another takes its place", &mut |player| {
            play(player, "rise", long);
        });
        check("it is stopped", &mut |player| {
            assert!(player.state.stop_slot(0, &STOP));
        });
        check("it plays again", &mut |player| {
            play(player, "fall", SlotPlay { speed: 2.0, ..long });
        });
        check("it comes to its end", &mut |_| {});
    }
}

#[test]
fn an_additive_slot_leaves_only_what_it_added() {
    for dt in [0.01_f32, 0.09] {
        let mut player = player_of(json!({ "after": "base", "blend": "additive" }), "go");
        play(&mut player, "one", BY_INERTIA);
        let mut stopped = false;
        while player.time < 1.4 {
            if player.time >= 0.5 && !stopped {
                player.state.stop_slot(0, &STOP);
                stopped = true;
                player.time = 0.5;
            }
            let base = player.status().time;
            player.step(dt);
            let _ = base;
            let t = f64::from(player.status().time);
            let since = player.time - 0.5;
            let added = if stopped {
                quintic(1.0, 0.0, 0.3, since)
            } else {
                1.0 - quintic(1.0, 0.0, 0.3, player.time)
            };
            assert_near(player.x(), t * 0.5 + added, format!("{t} in {dt}"));
        }
    }
}

#[test]
fn joints_out_of_reach_of_the_mask_keep_their_bits() {
    let bits = |pose: &Pose, joint: usize| {
        let t = pose.joint(joint);
        let parts = [t.translation.to_array(), t.scale.to_array()];
        let parts = parts.into_iter().flatten().chain(t.rotation.to_array());
        parts.map(f32::to_bits).collect::<Vec<_>>()
    };
    let mut alone = player_of(json!({ "after": "base", "mask": "arm+" }), "go");
    let mut player = player_of(json!({ "after": "base", "mask": "arm+" }), "go");
    let mut moved = false;
    for index in 0..200 {
        match index {
            10 | 60 => drop(play(&mut player, "turn", BY_INERTIA)),
            30 => drop(player.state.stop_slot(0, &STOP)),
            _ => {}
        }
        player.step(0.013);
        alone.step(0.013);
        for joint in [0, J, 4] {
            assert_eq!(
                bits(&player.pose, joint),
                bits(&alone.pose, joint),
                "{index}"
            );
        }
        moved |= bits(&player.pose, 2) != bits(&alone.pose, 2);
    }
    assert!(moved);
    assert_eq!(player.pose, alone.pose, "all of it is over");
}

#[test]
fn any_steps_give_the_same_pose_and_events() {
    let mut random = Random(0x1e57);
    for run in 0..80 {
        let how = SlotPlay {
            fade_in: (random.next() * 0.5) as f32,
            fade_out: (random.next() * 0.7) as f32,
            speed: if random.next() < 0.5 { 1.5 } else { -0.8 },
            ..BY_INERTIA
        };
        let name = ["one", "fall", "brief"][(random.next() * 3.0) as usize];
        let until = 0.03 + 1.8 * random.next();
        let start = || {
            let mut player = player_of(json!({ "after": "base" }), "go");
            player.step(0.1);
            player.said.clear();
            play(&mut player, name, how);
            player
        };
        let (mut whole, mut pieces) = (start(), start());
        whole.step(until as f32);
        while pieces.time < whole.time {
            let left = (whole.time - pieces.time) as f32;
            pieces.step((random.next() as f32 * 0.1 + 1e-3).min(left));
        }
        let apart = (whole.x() - pieces.x()).abs();
        assert!(
            apart < 2e-3,
            "run {run}: {apart}, {name} {how:?} until {until}"
        );
        let told = |player: &Player| -> Vec<String> {
            player.said.iter().map(|said| said.words.clone()).collect()
        };
        assert_eq!(told(&whole), told(&pieces), "run {run}");
        for (a, b) in whole.said.iter().zip(&pieces.said) {
            assert!((a.time - b.time).abs() < 1e-5, "{}", a.words);
        }
    }
}

#[test]
fn a_cut_below_in_the_same_step_makes_no_jump() {
    let mut player = still_base();
    play(
        &mut player,
        "one",
        SlotPlay {
            looping: true,
            ..BY_INERTIA
        },
    );
    player.step(0.5);
    player.state.stop_slot(0, &STOP);
    player.play(
        "far",
        Play {
            fade: Some(0.0),
            ..Play::default()
        },
    );
    player.step(0.001);
    assert!((player.x() - 1.0).abs() < 0.02, "{}", player.x());
    player.run_to(1.0, 0.01);
    assert_eq!(player.x(), 9.0);
}

#[test]
fn whatever_is_asked_every_handle_ends_once_and_nothing_jumps() {
    let mut random = Random(0x51e7);
    let names = ["one", "fall", "rise", "brief"];
    for run in 0..60 {
        let mut player = player_of(json!({ "after": "base" }), "go");
        let mut handles = Vec::new();
        let mut before = player.x();
        for _ in 0..300 {
            while random.next() < 0.15 {
                // Fades would make speeds of their own.
                let how = SlotPlay {
                    fade_in: 0.1 + random.next() as f32,
                    fade_out: 0.1 + random.next() as f32,
                    looping: random.next() < 0.3,
                    priority: (random.next() * 2.0) as i32,
                    ..BY_INERTIA
                };
                if random.next() < 0.6 {
                    let name = names[(random.next() * 4.0) as usize];
                    handles.extend(play(&mut player, name, how));
                } else {
                    player.state.stop_slot(0, &STOP);
                }
            }
            player.show();
            assert_eq!(player.x(), before, "nothing is shown before its step");
            let dt = 0.002 + 0.01 * random.next() as f32;
            player.step(dt);
            // A difference of 9 m over .1 s, where a clip that loops jumps by 1 m on its own.
            let most = 1.875 * 9.0 / 0.1 * dt + 1.1;
            let jump = (player.x() - before).abs();
            assert!(jump <= most, "run {run}: {jump} in {dt}");
            assert_eq!(player.state.check(&player.graph), Ok(()));
            before = player.x();
        }
        player.state.stop_slot(0, &STOP);
        player.step(1.2);
        player.step(1.2);
        let number = |words: &&str| words.split(' ').nth(1).expect("a handle").parse().ok();
        let mut told: Vec<u32> = ends(&player).iter().filter_map(number).collect();
        told.sort_unstable();
        assert_eq!(told, handles, "run {run}");
    }
}

#[test]
fn a_fade_and_an_inertial_change_may_take_each_others_place_before_a_step() {
    let fading = SlotPlay {
        inertial: false,
        ..BY_INERTIA
    };
    let mut player = still_base();
    play(&mut player, "fall", BY_INERTIA);
    play(&mut player, "one", fading);
    player.step(0.15);
    assert_near(player.x(), 0.5, "the fade alone");
    play(&mut player, "fall", fading);
    play(&mut player, "one", BY_INERTIA);
    player.step(0.01);
    assert!((player.x() - 0.5).abs() < 0.05, "{}", player.x());
    player.step(0.5);
    assert_eq!(player.x(), 1.0);
    let by_fade = SlotStop {
        inertial: Some(false),
        ..STOP
    };
    assert!(player.state.stop_slot(0, &by_fade));
    player.step(0.15);
    assert_near(player.x(), 0.5, "half faded out");
    assert_eq!(ends(&player).len(), 4);
}

#[test]
fn state_goes_on_from_a_copy_and_a_reset_shows_nothing_of_it() {
    let mut player = still_base();
    play(&mut player, "fall", BY_INERTIA);
    let waiting = player.state.clone();
    player.step(0.1);
    for state in [&waiting, &player.state] {
        let text = serde_json::to_string(state).expect("plain data");
        let read: GraphState = serde_json::from_str(&text).expect("the same");
        assert_eq!(read, *state);
    }
    let mut broken = waiting;
    if let Some(change) = &mut broken.slots[0].change {
        change.seconds = f32::NAN;
    }
    assert!(broken.check(&player.graph).is_err());
    player.state.reset(&player.graph);
    player.step(0.01);
    assert_eq!(player.x(), 0.0);
    assert_eq!(ends(&player), ["end 0 in slot: Interrupted"]);
}

#[test]
fn nothing_depends_on_whether_poses_were_looked_at() {
    let mut seen = player_of(json!({ "after": "base" }), "go");
    let mut unseen = player_of(json!({ "after": "base" }), "go");
    for index in 0..100 {
        for player in [&mut seen, &mut unseen] {
            match index {
                5 | 20 => drop(play(player, "fall", BY_INERTIA)),
                40 => drop(player.state.stop_slot(0, &STOP)),
                _ => {}
            }
        }
        seen.step(0.02);
        let Player {
            graph,
            state,
            scratch,
            out,
            ..
        } = &mut unseen;
        sinew_anim::advance(graph, state, 0.02, scratch, out);
        assert_eq!(seen.state, unseen.state);
    }
}
