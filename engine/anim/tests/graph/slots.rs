//! One-shot clips in slots: weights, handles, changes without a jump.

use serde_json::{Value, json};
use sinew_anim::{EndReason, GraphEventKind, SlotPlay, SlotStop, Window};

use crate::support::{J, Make, Player, Random, clip, one_layer, still};

/// A base that holds joint `j` at 0, a slot over it, and clips that hold it at 1 and at 3.
fn player_of(slot: Value) -> Player {
    let states = json!({ "s": { "clip": "base" } });
    let mut def = one_layer(json!({}), states, "s", json!([]));
    def["slots"] = json!({ "slot": slot });
    let windowed = |mut make: Make| {
        make.0.windows.push(Window {
            name: "hit".to_owned(),
            begin: 0.25,
            end: 0.75,
        });
        make
    };
    let clips = vec![
        still("base", 1.0, 0.0),
        windowed(still("one", 1.0, 1.0).marker("m", 0.5)),
        still("three", 1.0, 3.0),
        clip("ramp", 1.0).x(J as u16, 0.0, 1.0),
        still("short", 0.3, 1.0),
    ];
    Player::new(def, clips)
}

fn player() -> Player {
    player_of(json!({ "after": "base" }))
}

fn clip_of(player: &Player, name: &str) -> u16 {
    let clips = player.graph.clips.iter();
    let mut names = clips.map(|clip| clip.clip.name.as_str());
    names.position(|own| own == name).expect("known") as u16
}

fn play(player: &mut Player, name: &str, play: SlotPlay) -> Option<u32> {
    let clip = clip_of(player, name);
    player.state.play_slot(&player.graph, 0, clip, &play)
}

fn ends(player: &Player) -> Vec<&str> {
    let words = player.said.iter().map(|said| said.words.as_str());
    words
        .filter(|words| {
            words.starts_with("end ") && words.contains(" in slot") && !words.contains("hit")
        })
        .collect()
}

#[test]
fn a_clip_fades_in_and_is_gone_exactly_at_its_end() {
    let mut player = player();
    let handle = play(&mut player, "one", SlotPlay::default()).expect("free");
    assert_eq!(player.x(), 0.0);
    for _ in 0..44 {
        player.step(0.025);
        let t = player.time;
        let expected = (t / 0.2).min((1.0 - t) / 0.2).clamp(0.0, 1.0) as f32;
        assert!(
            (player.x() - expected).abs() < 1e-5,
            "{} at {t}",
            player.x()
        );
    }
    assert_eq!(ends(&player), [format!("end {handle} in slot: Finished")]);
    let end = player
        .said
        .iter()
        .find(|said| said.words.starts_with("end 0 "));
    assert!((end.expect("told").time - 1.0).abs() < 1e-6);
    assert_eq!(player.state.slot_status(&player.graph, 0), None);
}

#[test]
fn any_steps_give_the_same_weights_and_events() {
    let mut random = Random(0x1075);
    for _ in 0..60 {
        let how = SlotPlay {
            fade_in: (random.next() * 0.5) as f32,
            fade_out: (random.next() * 0.7) as f32,
            speed: if random.next() < 0.5 { 1.5 } else { -0.8 },
            ..SlotPlay::default()
        };
        let until = 0.1 + random.next();
        let mut whole = player();
        play(&mut whole, "one", how);
        whole.step(until as f32);
        let mut pieces = player();
        play(&mut pieces, "one", how);
        while pieces.time < until {
            let left = (until - pieces.time) as f32;
            pieces.step((random.next() as f32 * 0.1 + 1e-4).min(left));
        }
        assert!(
            (whole.x() - pieces.x()).abs() < 1e-4,
            "{how:?} until {until}"
        );
        let told = |player: &Player| -> Vec<(String, f64)> {
            let said = player.said.iter();
            said.filter(|said| !said.words.starts_with("tick"))
                .map(|said| (said.words.clone(), said.time))
                .collect()
        };
        let (whole, pieces) = (told(&whole), told(&pieces));
        assert_eq!(
            whole.len(),
            pieces.len(),
            "{how:?}: {whole:?} and {pieces:?}"
        );
        for ((a, at), (b, other)) in whole.iter().zip(&pieces) {
            assert_eq!(a, b);
            assert!((at - other).abs() < 1e-5, "{a}: {at} and {other}");
        }
    }
}

#[test]
fn a_clip_that_is_shorter_than_its_fades_shares_its_length_between_them() {
    let mut player = player();
    let how = SlotPlay {
        fade_in: 0.2,
        fade_out: 0.4,
        ..SlotPlay::default()
    };
    play(&mut player, "short", how);
    player.step(0.1);
    assert!((player.x() - 1.0).abs() < 1e-5);
    player.step(0.1);
    assert!((player.x() - 0.5).abs() < 1e-5);
    player.step(0.1);
    assert_eq!(player.x(), 0.0);
}

#[test]
fn a_new_clip_ends_the_older_handle_and_changes_over_from_it() {
    let mut player = player();
    let first = play(&mut player, "one", SlotPlay::default()).expect("free");
    player.step(0.5);
    assert_eq!(player.x(), 1.0);
    let second = play(&mut player, "three", SlotPlay::default()).expect("same priority");
    player.step(0.1);
    assert_eq!(ends(&player), [format!("end {first} in slot: Interrupted")]);
    assert!((player.x() - 2.0).abs() < 1e-5, "half way: {}", player.x());
    player.step(0.1);
    assert!((player.x() - 3.0).abs() < 1e-5);
    player.step(0.8);
    assert_eq!(ends(&player).len(), 2);
    assert_eq!(ends(&player)[1], format!("end {second} in slot: Finished"));
    assert_eq!(player.x(), 0.0);
}

#[test]
fn a_higher_priority_is_not_interrupted_by_a_lower_one() {
    let mut player = player();
    let of = |priority| SlotPlay {
        priority,
        ..SlotPlay::default()
    };
    assert!(play(&mut player, "one", of(2)).is_some());
    assert_eq!(play(&mut player, "three", of(1)), None);
    player.step(0.1);
    assert_eq!(play(&mut player, "three", of(1)), None);
    assert!(play(&mut player, "three", of(2)).is_some());
    assert!(player.state.stop_slot(0, &SlotStop::default()));
    assert!(
        play(&mut player, "one", of(-5)).is_some(),
        "what is stopped holds nothing"
    );
}

#[test]
fn stopping_fades_out_and_ends_the_handle_at_once() {
    let mut player = player();
    let looping = SlotPlay {
        looping: true,
        ..SlotPlay::default()
    };
    let handle = play(&mut player, "one", looping).expect("free");
    player.step(3.5);
    assert_eq!(player.x(), 1.0);
    assert!(
        !player.state.stop_slot(
            0,
            &SlotStop {
                handle: Some(handle + 1),
                ..SlotStop::default()
            }
        ),
        "another handle"
    );
    assert!(player.state.stop_slot(
        0,
        &SlotStop {
            handle: Some(handle),
            fade_out: Some(0.4),
            ..SlotStop::default()
        }
    ));
    assert!(
        !player.state.stop_slot(
            0,
            &SlotStop {
                handle: Some(handle),
                fade_out: Some(0.4),
                ..SlotStop::default()
            }
        ),
        "once"
    );
    player.said.clear();
    player.step(0.1);
    assert_eq!(
        player.words(),
        [
            "end hit in slot: Interrupted",
            &format!("end {handle} in slot: Interrupted")
        ]
    );
    assert!((player.x() - 0.75).abs() < 1e-5);
    player.step(0.3);
    assert_eq!(player.x(), 0.0);
    assert!(player.state.slots[0].clips.is_empty());
}

#[test]
fn markers_and_windows_of_a_slot_are_heard_with_its_name() {
    let mut player = player();
    play(&mut player, "one", SlotPlay::default());
    player.step(0.1);
    player.said.clear();
    player.step(1.0);
    assert_eq!(
        player.words(),
        [
            "begin hit in slot",
            "m in slot",
            "end hit in slot: Finished",
            "end 0 in slot: Finished"
        ]
    );
    for (said, (time, weight)) in
        player
            .said
            .iter()
            .zip([(0.25, 1.0), (0.5, 1.0), (0.75, 1.0), (1.0, 0.0)])
    {
        assert!((said.time - time).abs() < 1e-5, "{said:?}");
        assert!((said.weight - weight).abs() < 1e-5, "{said:?}");
    }
}

#[test]
fn backwards_a_clip_begins_at_its_end_and_finishes_at_its_start() {
    let mut player = player();
    let how = SlotPlay {
        speed: -1.0,
        fade_in: 0.0,
        fade_out: 0.0,
        ..SlotPlay::default()
    };
    play(&mut player, "ramp", how);
    player.step(0.25);
    assert!((player.x() - 0.75).abs() < 1e-5);
    let status = player.state.slot_status(&player.graph, 0).expect("plays");
    assert!((status.time - 0.75).abs() < 1e-5);
    player.step(0.75);
    assert_eq!(ends(&player), ["end 0 in slot: Finished"]);
    assert_eq!(player.x(), 0.0);
}

#[test]
fn a_mask_and_an_additive_slot_are_laid_as_layers_are() {
    let mut masked = player_of(json!({ "after": "base", "mask": "arm+" }));
    play(&mut masked, "one", SlotPlay::default());
    masked.step(0.5);
    assert_eq!(masked.x(), 0.0);
    let mut added = player_of(json!({ "after": "base", "blend": "additive" }));
    play(&mut added, "one", SlotPlay::default());
    added.step(0.1);
    assert!((added.x() - 0.5).abs() < 1e-5, "rest is 0: {}", added.x());
}

#[test]
fn speed_zero_and_pause_hold_a_clip_where_it_is() {
    let mut player = player();
    play(&mut player, "ramp", SlotPlay::default());
    player.step(0.5);
    player.state.speed = 0.0;
    player.step(2.0);
    assert!((player.x() - 0.5).abs() < 1e-5);
    player.state.speed = 1.0;
    player.state.paused = true;
    player.step(2.0);
    player.state.paused = false;
    assert!((player.x() - 0.5).abs() < 1e-5);
    player.step(0.5);
    assert_eq!(ends(&player).len(), 1);
}

#[test]
fn nonsense_is_refused_or_does_no_harm() {
    let mut player = player();
    let graph = &player.graph;
    let state = &mut player.state;
    assert_eq!(state.play_slot(graph, 9, 0, &SlotPlay::default()), None);
    assert_eq!(state.play_slot(graph, 0, 999, &SlotPlay::default()), None);
    assert!(!state.stop_slot(9, &SlotStop::default()));
    assert!(!state.stop_slot(0, &SlotStop::default()));
    let odd = SlotPlay {
        fade_in: f32::NAN,
        fade_out: f32::INFINITY,
        speed: f32::NAN,
        at: Some(f32::NAN),
        ..SlotPlay::default()
    };
    play(&mut player, "one", odd);
    for dt in [0.0, 0.1, 1e9] {
        player.step(dt);
        assert!(player.x().is_finite());
    }
    // As often as a script likes between two steps, but not without end.
    let played = (0..200).filter(|_| play(&mut player, "one", SlotPlay::default()).is_some());
    assert_eq!(played.count(), 64);
    player.said.clear();
    player.step(0.1);
    assert_eq!(ends(&player).len(), 64);
}

#[test]
fn an_actor_that_goes_away_ends_its_handles() {
    let mut player = player();
    play(&mut player, "one", SlotPlay::default());
    player.step(0.5);
    play(&mut player, "three", SlotPlay::default());
    let mut ended = Vec::new();
    player
        .state
        .close_windows(&player.graph, EndReason::Despawn, &mut ended);
    let kinds: Vec<_> = ended.iter().map(|event| event.kind).collect();
    assert!(
        matches!(
            kinds[..],
            [
                GraphEventKind::WindowEnd {
                    reason: EndReason::Interrupted,
                    ..
                },
                GraphEventKind::SlotEnd {
                    handle: 0,
                    reason: EndReason::Interrupted,
                    ..
                },
                GraphEventKind::SlotEnd {
                    handle: 1,
                    reason: EndReason::Despawn,
                    ..
                },
            ]
        ),
        "{kinds:?}"
    );
    player.said.clear();
    player.step(0.1);
    assert_eq!(ends(&player), [""; 0]);
}

#[test]
fn whatever_is_played_every_handle_ends_once_and_nothing_jumps() {
    let mut random = Random(0x5107);
    for run in 0..60 {
        let mut player = player();
        let mut handles = Vec::new();
        let names = ["one", "three", "ramp", "short"];
        let mut before = player.x();
        for _ in 0..300 {
            // No fade is shorter than .1 s, no clip is further than 3 m away.
            let fade = |random: &mut Random| 0.1 + 0.3 * random.next() as f32;
            match (random.next() * 12.0) as u32 {
                0 => {
                    let how = SlotPlay {
                        fade_in: fade(&mut random),
                        fade_out: fade(&mut random),
                        priority: (random.next() * 2.0) as i32,
                        looping: random.next() < 0.3,
                        ..SlotPlay::default()
                    };
                    let name = names[(random.next() * 4.0) as usize];
                    handles.extend(play(&mut player, name, how));
                }
                1 => {
                    let fade = fade(&mut random);
                    player.state.stop_slot(
                        0,
                        &SlotStop {
                            fade_out: Some(fade),
                            ..SlotStop::default()
                        },
                    );
                }
                _ => {}
            }
            let dt = 0.002 + 0.01 * random.next() as f32;
            player.step(dt);
            // A short clip squeezes its fades to .3 s together; two of them at once, and the ramp itself.
            let most = 3.0 * dt * (2.0 / 0.06) + dt;
            let jump = (player.x() - before).abs();
            assert!(jump <= most, "run {run}: {jump} in {dt}");
            before = player.x();
        }
        player.state.stop_slot(0, &SlotStop::default());
        player.step(1.0);
        let mut told: Vec<u32> = ends(&player)
            .iter()
            .map(|words| {
                words
                    .split(' ')
                    .nth(1)
                    .expect("handle")
                    .parse()
                    .expect("number")
            })
            .collect();
        told.sort_unstable();
        assert_eq!(told, handles, "run {run}");
    }
}
