//! Markers and state events: each once, at its time, whatever the steps.

use serde_json::json;
use sinew_anim::{GraphEventKind, MAX_MARKERS, Play};

use crate::support::{Make, Player, Random, clip, one_layer, still};

fn one_state(state: serde_json::Value, events: serde_json::Value, clips: Vec<Make>) -> Player {
    let mut def = one_layer(json!({}), json!({ "s": state }), "s", json!([]));
    def["events"] = events;
    Player::new(def, clips)
}

fn looped(make: Make, entry: &str) -> Player {
    one_state(
        json!({ "clip": "c" }),
        json!({ "entry": entry }),
        vec![make],
    )
}

#[test]
fn a_marker_at_the_start_is_heard_in_every_lap() {
    // Markers at 0 and .5, 24 steps of .125.
    for (entry, at_start) in [("exclusive", 3), ("inclusive", 4)] {
        let mut player = looped(
            clip("c", 1.0).marker("zero", 0.0).marker("half", 0.5),
            entry,
        );
        for _ in 0..24 {
            player.step(0.125);
        }
        assert_eq!(player.count("zero in s"), at_start, "{entry}");
        assert_eq!(player.count("half in s"), 3, "{entry}");
    }
}

#[test]
fn one_long_step_hears_what_many_short_ones_do() {
    // A 2 s step over markers 0 and .5 of a 1 s loop gives five or four.
    for (entry, expected) in [("inclusive", 5), ("exclusive", 4)] {
        let mut player = looped(clip("c", 1.0).marker("m", 0.0).marker("m", 0.5), entry);
        player.step(2.0);
        assert_eq!(player.count("m in s"), expected, "{entry}");
    }
}

#[test]
fn a_marker_at_the_end_is_heard_once_a_lap() {
    for entry in ["inclusive", "exclusive"] {
        let mut player = looped(clip("c", 1.0).marker("end", 1.0), entry);
        for _ in 0..40 {
            player.step(0.125);
        }
        assert_eq!(player.count("end in s"), 5, "{entry}");

        let state = json!({ "clip": "c", "mode": "once" });
        let mut player = one_state(
            state,
            json!({ "entry": entry }),
            vec![clip("c", 1.0).marker("end", 1.0)],
        );
        player.run_to(1.0, 0.125);
        assert_eq!(player.count("end in s"), 1, "{entry}");
        player.run_to(3.0, 0.125);
        assert_eq!(player.count("end in s"), 1, "{entry}, held");
        assert_eq!(player.count("finished s"), 1);
    }
}

#[test]
fn playing_the_same_state_from_a_handler_changes_nothing() {
    // A marker at .99999, the handler plays the same state, 10 s at 60 Hz.
    let mut player = looped(clip("c", 1.0).marker("late", 0.99999), "inclusive");
    let mut heard = 0;
    for _ in 0..600 {
        player.step(1.0 / 60.0);
        let markers = player.out.events.iter();
        let markers = markers
            .filter(|event| matches!(event.kind, GraphEventKind::Marker { .. }))
            .count();
        heard += markers;
        if markers > 0 {
            player.play("s", Play::default());
        }
    }
    assert_eq!(heard, 10);
    assert_eq!(player.count("enter s"), 1);
}

#[test]
fn nothing_is_heard_again_past_the_end() {
    // Once, markers at .2 and .8; the next clip is queued from the start, or asked for or queued 1 s after the end.
    for (early, queued) in [(true, true), (false, false), (false, true)] {
        let states = json!({ "s": { "clip": "c", "mode": "once" }, "next": { "clip": "d" } });
        let clips = vec![
            clip("c", 1.0).marker("m", 0.2).marker("n", 0.8),
            still("d", 1.0, 0.0),
        ];
        let mut player = Player::new(one_layer(json!({}), states, "s", json!([])), clips);
        let play = Play {
            after_finish: queued,
            fade: Some(1.0),
            ..Play::default()
        };
        if early {
            player.play("next", play);
        }
        player.run_to(2.0, 1.0 / 60.0);
        player.play("next", play);
        player.run_to(4.0, 1.0 / 60.0);
        assert_eq!((player.count("m in s"), player.count("n in s")), (1, 1));
        assert_eq!(player.count("finished s"), 1);
        let entered: Vec<f64> = player
            .said
            .iter()
            .filter(|said| said.words == "enter next")
            .map(|said| said.time)
            .collect();
        let expected = if early { 1.0 } else { 2.0 };
        assert!(
            entered.len() == 1 && (entered[0] - expected).abs() < 1e-5,
            "{entered:?}"
        );
    }
}

#[test]
fn backwards_each_marker_and_the_end_come_once() {
    let state = json!({ "clip": "c", "mode": "once", "speed": -1.0 });
    let mut player = one_state(
        state,
        json!({}),
        vec![clip("c", 1.0).x(1, 0.0, 1.0).marker("m", 0.5)],
    );
    player.run_to(2.0, 1.0 / 60.0);
    assert_eq!(player.count("m in s"), 1);
    assert_eq!(player.count("finished s"), 1);
    let finished = player.said.iter().find(|said| said.words == "finished s");
    let at = finished.expect("told").time;
    assert!(
        (at - 1.0).abs() < 1e-6,
        "at the beginning of the clip, after a lap: {at}"
    );
    assert_eq!(player.status().time, 0.0);
    assert_eq!(player.x(), 0.0);
}

#[test]
fn standing_still_hears_nothing_twice() {
    let mut player = looped(clip("c", 1.0).marker("zero", 0.0), "inclusive");
    for _ in 0..5 {
        player.step(0.0);
    }
    assert_eq!(player.count("zero in s"), 1);
    assert_eq!(player.count("enter s"), 1);
    player.state.paused = true;
    player.run_to(5.0, 0.5);
    assert_eq!(player.count("zero in s"), 1);
    player.state.paused = false;
    player.state.speed = 0.0;
    player.run_to(9.0, 0.5);
    assert_eq!(player.count("zero in s"), 1);
    assert_eq!(player.status().progress, 0.0);
}

#[test]
fn a_change_of_state_is_told_in_the_order_in_which_it_happens() {
    let states = json!({ "b": { "clip": "b", "mode": "once" }, "a": { "clip": "a" } });
    let ways = json!([{ "from": "b", "to": "a", "exit_time": 1.0, "duration": 0.2 }]);
    let clips = vec![
        still("a", 1.0, 0.0).marker("first", 0.0),
        still("b", 1.0, 1.0).marker("last", 1.0),
    ];
    let mut player = Player::new(one_layer(json!({}), states, "b", ways), clips);
    player.step(0.9);
    player.said.clear();
    player.step(0.5);
    assert_eq!(
        player.words(),
        [
            "last in b",
            "finished b",
            "exit b for a",
            "enter a",
            "first in a",
            "in a"
        ]
    );
    for (said, time) in player.said.iter().zip([1.0, 1.0, 1.0, 1.0, 1.0, 1.2]) {
        assert!((said.time - time).abs() < 1e-6, "{said:?}");
    }
}

#[test]
fn a_state_that_was_left_early_is_not_told_to_finish() {
    let states = json!({ "b": { "clip": "b", "mode": "once" }, "a": { "clip": "a" } });
    let ways = json!([{ "from": "b", "to": "a", "exit_time": 0.5, "duration": 2.0 }]);
    let clips = vec![still("a", 1.0, 0.0), still("b", 1.0, 1.0)];
    let mut player = Player::new(one_layer(json!({}), states, "b", ways), clips);
    player.run_to(2.0, 0.1);
    assert_eq!(player.count("finished b"), 0);
    assert_eq!(player.count("exit b for a"), 1);
}

#[test]
fn a_fade_that_ends_in_the_step_of_the_next_switch_is_told() {
    let states =
        json!({ "a": { "clip": "a" }, "b": { "clip": "b", "mode": "once" }, "c": { "clip": "a" } });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 0.25 },
        { "from": "b", "to": "c", "exit_time": 0.5, "duration": 0.25 },
    ]);
    let clips = vec![still("a", 1.0, 0.0), still("b", 1.0, 1.0)];
    let mut player = Player::new(
        one_layer(json!({ "go": "trigger" }), states, "a", ways),
        clips,
    );
    player.pull("go");
    player.step(0.2);
    player.said.clear();
    player.step(0.4);
    assert_eq!(player.words(), ["in b", "exit b for c", "enter c"]);
    assert!((player.said[0].time - 0.25).abs() < 1e-6);
    assert!((player.said[1].time - 0.5).abs() < 1e-6);
    assert!((player.x() - 0.6).abs() < 1e-5, "faded from all of b");
}

#[test]
fn an_outgoing_state_is_silent_once_it_is_gone() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
    let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 0.25 }]);
    let clips = vec![
        still("a", 1.0, 0.0)
            .marker("early", 0.2)
            .marker("late", 0.3),
        still("b", 1.0, 1.0),
    ];
    let mut player = Player::new(
        one_layer(json!({ "go": "trigger" }), states, "a", ways),
        clips,
    );
    player.pull("go");
    player.step(1.0);
    assert_eq!(player.count("early in a"), 1);
    assert_eq!(player.count("late in a"), 0);
    let early = player
        .said
        .iter()
        .find(|said| said.words == "early in a")
        .unwrap();
    assert!((early.weight - 0.2).abs() < 1e-5);
}

#[test]
fn too_many_markers_are_counted_and_the_first_are_kept() {
    let mut player = looped(
        clip("c", 1.0).marker("m", 0.5).marker("n", 0.75),
        "inclusive",
    );
    player.step(1e6);
    let markers = player
        .out
        .events
        .iter()
        .filter(|event| matches!(event.kind, GraphEventKind::Marker { .. }));
    assert_eq!(markers.count(), MAX_MARKERS);
    assert_eq!(player.out.events_lost as usize, 2_000_000 - MAX_MARKERS);
    let marker = player
        .said
        .iter()
        .rfind(|said| said.words == "n in s")
        .unwrap();
    assert!(marker.time < 33.0, "the first in time: {marker:?}");
}

#[test]
fn a_silent_layer_is_not_heard_but_goes_on() {
    let layer = json!({ "name": "over", "weight": 0.0, "states": { "s": { "clip": "c" } } });
    let def = json!({ "layers": [{ "name": "base", "states": { "r": { "rest": true } } }, layer] });
    let mut player = Player::new(def, vec![clip("c", 1.0).marker("m", 0.5)]);
    player.run_to(2.0, 0.1);
    assert_eq!(player.count("m in s"), 0);
    player.state.set_layer_weight(1, 0.5, 0.0);
    player.run_to(3.0, 0.1);
    let heard: Vec<_> = player
        .said
        .iter()
        .filter(|said| said.words == "m in s")
        .collect();
    assert_eq!(heard.len(), 1);
    assert!((heard[0].weight - 0.5).abs() < 1e-6);
    assert!((heard[0].time - 2.5).abs() < 1e-5);
}

/// The clock of a silent layer passes markers that nobody is to hear later, whoever speaks by then.
#[test]
fn what_passed_while_a_layer_was_silent_is_not_told_when_it_is_heard_again() {
    let move_state = json!({ "blend": "speed", "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] });
    let over = json!({ "name": "over", "states": { "move": move_state } });
    let def = json!({ "parameters": { "speed": 0.0 },
        "layers": [{ "name": "base", "states": { "r": { "rest": true } } }, over] });
    let clips = vec![
        still("walk", 1.0, 0.0).marker("foot", 0.5),
        still("run", 1.0, 0.0).marker("foot", 0.4),
    ];
    let mut player = Player::new(def, clips);
    player.step(0.1);
    player.state.set_layer_weight(1, 0.0, 0.0);
    player.run_to(0.6, 0.1);
    player.set("speed", 1.0);
    player.run_to(0.8, 0.1);
    player.state.set_layer_weight(1, 1.0, 0.0);
    player.run_to(1.3, 0.1);
    assert_eq!(player.count("foot in move"), 0, "{:?}", player.said);
    player.run_to(1.5, 0.1);
    assert_eq!(player.count("foot in move"), 1);
}

/// A weight is that in the actor's pose: the layer's times the state's own.
#[test]
fn what_is_told_of_a_state_carries_its_weight_in_the_pose() {
    let layer = json!({ "name": "over", "weight": 0.25, "entry": "a",
        "states": { "a": { "clip": "a" }, "b": { "clip": "b", "mode": "once" } },
        "transitions": [{ "from": "a", "to": "b", "when": "go", "duration": 1.0 }] });
    let def = json!({ "parameters": { "go": "trigger" },
        "layers": [{ "name": "base", "states": { "r": { "rest": true } } }, layer] });
    let clips = vec![still("a", 1.0, 0.0), still("b", 0.5, 1.0)];
    let mut player = Player::new(def, clips);
    player.step(0.1);
    player.pull("go");
    player.run_to(1.5, 0.1);
    let weight_of = |words: &str| {
        let said = player.said.iter().find(|said| said.words == words);
        said.expect("told").weight
    };
    for (words, weight) in [
        ("enter a", 0.25),
        ("in a", 0.25),
        ("finished b", 0.125),
        ("in b", 0.25),
    ] {
        assert!(
            (weight_of(words) - weight).abs() < 1e-6,
            "{words}: {}",
            weight_of(words)
        );
    }
}

/// Whatever the names are, and also where the first step leaves the first state at once.
#[test]
fn the_first_state_is_entered_before_it_speaks_and_before_it_is_left() {
    let states = json!({ "b": { "clip": "b" }, "a": { "clip": "a" } });
    let ways = json!([{ "from": "b", "to": "a", "when": "go", "duration": 0.0 }]);
    let clips = vec![
        still("a", 1.0, 0.0),
        still("b", 1.0, 1.0).marker("zero", 0.0),
    ];
    let def = one_layer(json!({ "go": true }), states, "b", ways);
    let mut player = Player::new(def, clips);
    player.step(0.1);
    let words = [
        "enter b",
        "in b",
        "zero in b",
        "exit b for a",
        "enter a",
        "in a",
    ];
    assert_eq!(player.words(), words);
}

#[test]
fn a_state_has_markers_of_its_own_by_phase_and_by_seconds() {
    let state = json!({ "clip": "c", "speaks": "none", "events": [
        { "name": "half", "phase": 0.5, "value": 7.0 },
        { "name": "late", "time": 1.5 },
        { "name": "start", "phase": 0.0 },
        { "name": "never", "time": 9.0 },
    ] });
    let mut player = one_state(state, json!({}), vec![clip("c", 2.0).marker("m", 0.1)]);
    player.step(2.0);
    let heard: Vec<(&str, f64)> = player
        .said
        .iter()
        .filter(|said| said.words.ends_with(" in s"))
        .map(|said| (said.words.as_str(), said.time))
        .collect();
    let expected = [
        ("start in s", 0.0),
        ("half in s", 1.0),
        ("late in s", 1.5),
        ("start in s", 2.0),
    ];
    assert_eq!(heard, expected);
    let half = player.out.events.iter().find_map(|event| match event.kind {
        GraphEventKind::Marker {
            value: 7.0,
            time,
            clip,
            ..
        } => Some((time, clip)),
        _ => None,
    });
    assert_eq!(half, Some((1.0, None)));
}

#[test]
fn a_sequence_is_heard_where_its_clips_stand_in_the_lap() {
    let state = json!({ "sequence": [{ "clip": "a" }, { "clip": "b" }] });
    let clips = vec![
        clip("a", 1.0).marker("a", 0.5).marker("seam", 1.0),
        clip("b", 3.0).marker("b", 1.0),
    ];
    let mut player = one_state(state, json!({}), clips);
    player.step(4.25);
    let heard: Vec<(&str, f64)> = player
        .said
        .iter()
        .filter(|said| said.words.ends_with(" in s"))
        .map(|said| (said.words.as_str(), said.time))
        .collect();
    let expected = [("a in s", 0.5), ("seam in s", 1.0), ("b in s", 2.0)];
    assert_eq!(heard.len(), expected.len(), "{heard:?}");
    for ((words, time), (expected, at)) in heard.iter().zip(expected) {
        assert_eq!(*words, expected);
        assert!((time - at).abs() < 1e-6, "{words} at {time}");
    }
}

/// Each child is heard for its own laps only, both ends of them included.
#[test]
fn what_is_chosen_by_chance_is_heard_for_whole_laps() {
    for speed in [1.0, -1.0] {
        let state = json!({ "select": "random", "speed": speed,
            "children": [{ "clip": "a" }, { "clip": "b" }, { "clip": "c" }] });
        let make = |name: &str| {
            clip(name, 1.0)
                .marker(&format!("{name} first"), 0.0)
                .marker(&format!("{name} mid"), 0.5)
                .marker(&format!("{name} last"), 1.0)
        };
        let mut random = Random(0x1a95);
        let mut player = one_state(state, json!({}), ["a", "b", "c"].map(make).into());
        while player.time < 20.0 {
            player.step((random.next() * 1.4) as f32);
        }
        let heard: Vec<&str> = player
            .words()
            .into_iter()
            .filter_map(|words| words.strip_suffix(" in s"))
            .filter(|words| words.contains(' '))
            .collect();
        let order = if speed > 0.0 {
            ["first", "mid", "last"]
        } else {
            ["last", "mid", "first"]
        };
        assert!(heard.len() >= 57, "{heard:?}");
        for (lap, told) in heard.chunks_exact(3).enumerate() {
            let expected = order.map(|place| format!("{} {place}", &told[0][..1]));
            assert_eq!(told, expected, "lap {lap} at {speed}");
            if lap > 0 {
                assert_ne!(told[0][..1], heard[3 * lap - 1][..1], "no child twice");
            }
        }
    }
}

#[test]
fn the_rule_of_fades_says_who_is_heard() {
    for (rule, early, late) in [
        ("both", "ab", "ab"),
        ("source", "a", "a"),
        ("target", "b", "b"),
        ("most_active", "a", "b"),
    ] {
        let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
        let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 1.0 }]);
        let mut def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
        def["events"] = json!({ "fade": rule });
        let make = |name: &str, x| {
            (1..10).fold(still(name, 1.0, x), |make, tenth| {
                make.marker("m", 0.1 * tenth as f32 + 0.05)
            })
        };
        let mut player = Player::new(def, vec![make("a", 0.0), make("b", 1.0)]);
        player.pull("go");
        player.step(0.0);
        for (until, expected) in [(0.4, early), (0.9, late)] {
            player.run_to(until - 0.2, 0.1);
            player.said.clear();
            player.run_to(until, 0.1);
            let heard: String = ["a", "b"]
                .into_iter()
                .filter(|state| player.count(&format!("m in {state}")) > 0)
                .collect();
            assert_eq!(heard, expected, "{rule} until {until}");
        }
    }
}
