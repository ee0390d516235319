//! Windows of clips: begin, tick, and exactly one end whatever happens.

use serde_json::{Value, json};
use sinew_anim::{
    EndReason, EventSource, GraphEvent, GraphEventKind, MAX_MARKERS, Play, SlotPlay, SlotStop,
    Window,
};

use crate::support::{Make, Player, Random, compile, one_layer, still};

fn windowed(make: Make, name: &str, begin: f32, end: f32) -> Make {
    let mut make = make;
    make.0.windows.push(Window {
        name: name.to_owned(),
        begin,
        end,
    });
    make
}

fn hit(begin: f32, end: f32) -> Make {
    windowed(still("c", 1.0, 0.0), "hit", begin, end)
}

fn one_state(state: Value, make: Make) -> Player {
    let states = json!({ "s": state });
    Player::new(one_layer(json!({}), states, "s", json!([])), vec![make])
}

/// Begins and ends, each with its time.
fn edges(player: &Player) -> Vec<(&str, f64)> {
    let said = player.said.iter();
    said.filter(|said| !said.words.starts_with("tick") && said.words.contains(" hit "))
        .map(|said| (said.words.as_str(), said.time))
        .collect()
}

fn assert_edges(player: &Player, expected: &[(&str, f64)]) {
    let found = edges(player);
    let words = |edges: &[(&str, f64)]| -> Vec<String> {
        edges.iter().map(|(words, _)| (*words).to_owned()).collect()
    };
    assert_eq!(words(&found), words(expected), "{found:?}");
    for ((words, a), (_, b)) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-5, "{words}: {a}, not {b}");
    }
}

#[test]
fn a_window_begins_ticks_and_ends_at_its_times() {
    let mut player = one_state(json!({ "clip": "c" }), hit(0.25, 0.5));
    let mut progress = Vec::new();
    for _ in 0..8 {
        player.step(0.125);
        for event in &player.out.events {
            if let GraphEventKind::WindowTick { progress: own, .. } = event.kind {
                progress.push(own);
            }
        }
    }
    assert_edges(
        &player,
        &[("begin hit in s", 0.25), ("end hit in s: Finished", 0.5)],
    );
    // Open at the end of the steps to .25 and .375, over in that to .5.
    assert_eq!(progress, [0.0, 0.5]);
}

#[test]
fn several_laps_in_one_step_begin_and_end_it_each_time() {
    for speed in [1.0, -1.0] {
        let state = json!({ "clip": "c", "speed": speed });
        let mut player = one_state(state, hit(0.25, 0.75));
        player.step(2.5);
        let begin = "begin hit in s";
        let end = "end hit in s: Finished";
        assert_edges(
            &player,
            &[
                (begin, 0.25),
                (end, 0.75),
                (begin, 1.25),
                (end, 1.75),
                (begin, 2.25),
            ],
        );
        assert_eq!(player.count("tick hit in s"), 1, "once a step");
    }
}

#[test]
fn a_state_that_is_entered_inside_a_window_begins_it_there() {
    let states = json!({ "a": { "rest": true }, "s": { "clip": "c" } });
    let ways = json!([{ "from": "a", "to": "s", "when": "go", "offset": 0.3, "duration": 0 }]);
    let def = one_layer(json!({ "go": "trigger" }), states, "a", ways);
    let mut player = Player::new(def, vec![hit(0.25, 0.5)]);
    player.step(0.5);
    player.pull("go");
    player.step(0.3);
    assert_edges(
        &player,
        &[("begin hit in s", 0.5), ("end hit in s: Finished", 0.7)],
    );
}

#[test]
fn a_window_ends_as_interrupted_where_its_state_is_gone() {
    let states = json!({ "s": { "clip": "c" }, "a": { "rest": true } });
    let ways = json!([{ "from": "s", "to": "a", "when": "go", "duration": 0.25 }]);
    let def = one_layer(json!({ "go": "trigger" }), states, "s", ways);
    let mut player = Player::new(def, vec![hit(0.25, 1.0)]);
    player.step(0.5);
    player.pull("go");
    player.step(0.5);
    // The state is heard while it is faded out.
    assert_edges(
        &player,
        &[
            ("begin hit in s", 0.25),
            ("end hit in s: Interrupted", 0.75),
        ],
    );
}

#[test]
fn a_seek_ends_a_window_and_begins_it_again_where_the_clock_is_still_inside() {
    let mut player = one_state(json!({ "clip": "c" }), hit(0.25, 0.75));
    player.step(0.5);
    player.state.seek(&player.graph, 0, 0.3);
    player.step(0.1);
    player.state.seek(&player.graph, 0, 0.9);
    player.step(0.05);
    assert_edges(
        &player,
        &[
            ("begin hit in s", 0.25),
            ("end hit in s: Seek", 0.5),
            ("begin hit in s", 0.5),
            ("end hit in s: Seek", 0.6),
        ],
    );
}

#[test]
fn a_window_of_a_sample_that_no_longer_speaks_is_interrupted() {
    let states = json!({ "move": { "blend": "speed", "points": [
        { "at": 0, "clip": "c" }, { "at": 1, "clip": "d" }] } });
    let clips = vec![
        windowed(still("c", 1.0, 0.0), "hit", 0.2, 0.8),
        still("d", 1.0, 0.0),
    ];
    let def = one_layer(json!({ "speed": 0.0 }), states, "move", json!([]));
    let mut player = Player::new(def, clips);
    player.step(0.5);
    player.set("speed", 1.0);
    player.step(0.1);
    player.set("speed", 0.0);
    player.step(0.1);
    player.step(0.2);
    assert_edges(
        &player,
        &[
            ("begin hit in move", 0.2),
            ("end hit in move: Interrupted", 0.5),
            ("begin hit in move", 0.6),
            ("end hit in move: Finished", 0.8),
        ],
    );
}

#[test]
fn a_window_without_length_is_told_as_a_whole() {
    let mut player = one_state(json!({ "clip": "c" }), hit(0.5, 0.5));
    player.step(2.0);
    let (begin, end) = ("begin hit in s", "end hit in s: Finished");
    assert_edges(
        &player,
        &[(begin, 0.5), (end, 0.5), (begin, 1.5), (end, 1.5)],
    );
    assert_eq!(player.count("tick hit in s"), 0);
}

#[test]
fn in_a_silent_layer_nothing_begins_and_what_is_open_still_ends() {
    let layer = json!({ "name": "over", "states": { "s": { "clip": "c" } } });
    let def = json!({ "layers": [{ "name": "base", "states": { "r": { "rest": true } } }, layer] });
    let mut player = Player::new(def, vec![hit(0.25, 0.5)]);
    player.step(0.3);
    player.state.set_layer_weight(1, 0.0, 0.0);
    player.step(1.0);
    assert_edges(
        &player,
        &[("begin hit in s", 0.25), ("end hit in s: Finished", 0.5)],
    );
    // Heard again inside: it begins there.
    player.step(0.1);
    player.state.set_layer_weight(1, 1.0, 0.0);
    player.run_to(1.45, 0.05);
    assert_eq!(edges(&player).len(), 3, "{:?}", edges(&player));
}

#[test]
fn an_actor_that_goes_away_ends_what_is_open() {
    for reason in [EndReason::Despawn, EndReason::Reload] {
        let mut player = one_state(json!({ "clip": "c" }), hit(0.25, 0.5));
        player.step(0.3);
        let mut ended = Vec::new();
        player
            .state
            .close_windows(&player.graph, reason, &mut ended);
        let kinds: Vec<_> = ended.iter().map(|event| event.kind).collect();
        assert!(
            matches!(kinds[..], [GraphEventKind::WindowEnd { reason: told, .. }] if told == reason),
            "{kinds:?}"
        );
        player
            .state
            .close_windows(&player.graph, reason, &mut ended);
        assert_eq!(ended.len(), 1);
    }
}

#[test]
fn laps_that_do_not_fit_are_counted_with_begin_and_end_together() {
    let mut player = one_state(json!({ "clip": "c" }), hit(0.25, 0.5));
    player.step(1e6);
    assert_eq!(player.count("begin hit in s"), MAX_MARKERS);
    assert_eq!(player.count("end hit in s: Finished"), MAX_MARKERS);
    assert_eq!(player.out.events_lost as usize, 1_000_000 - MAX_MARKERS);
}

/// Begins less ends of each window of each source.
#[derive(Default)]
struct Balance(std::collections::BTreeMap<(EventSource, u16, u16), i64>);

impl Balance {
    fn add(&mut self, events: &[GraphEvent]) {
        for event in events {
            let (key, change) = match event.kind {
                GraphEventKind::WindowBegin { name, clip } => ((event.source, name, clip), 1),
                GraphEventKind::WindowEnd { name, clip, .. } => ((event.source, name, clip), -1),
                _ => continue,
            };
            let open = self.0.entry(key).or_default();
            *open += change;
            assert!(*open >= 0, "{event:?} ended more often than it began");
        }
    }

    fn open(&self) -> i64 {
        self.0.values().sum()
    }
}

fn busy_graph() -> (Value, Vec<Make>) {
    let states = json!({
        "a": { "clip": "a", "speed_parameter": "rate" },
        "b": { "clip": "b", "mode": "ping_pong", "speed_parameter": "rate" },
        "c": { "clip": "c", "mode": "once" },
        "move": { "blend": "speed", "points": [{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }] },
        "chance": { "select": "random", "children": [{ "clip": "a" }, { "clip": "b" }] },
        "row": { "sequence": [{ "clip": "c" }, { "clip": "a" }], "speaks": "all" },
        "inside": { "machine": { "entry": "x", "states": { "x": { "clip": "a" }, "y": { "clip": "b" } },
            "transitions": [{ "from": "x", "to": "y", "exit_time": 0.7 }, { "from": "y", "to": "x", "exit_time": 0.4 }] } },
    });
    let ways = json!([
        { "from": "a", "to": "b", "when": "go", "duration": 0.3 },
        { "from": "b", "to": "move", "exit_time": 0.6, "interruption": "live" },
        { "from": "move", "to": "chance", "when": "speed > 0.8", "by": "inertial" },
    ]);
    let mut def = one_layer(
        json!({ "speed": 0.0, "rate": 1.0, "go": "trigger" }),
        states.clone(),
        "a",
        ways,
    );
    let over =
        json!({ "name": "over", "entry": "c", "states": states, "weight_parameter": "speed" });
    def["layers"].as_array_mut().expect("a list").push(over);
    def["slots"] = json!({ "slot": { "after": "base" } });
    let make = |name: &str, length: f32, windows: &[[f32; 2]]| {
        windows
            .iter()
            .fold(still(name, length, 0.0), |make, [begin, end]| {
                windowed(make, "hit", *begin, *end)
            })
    };
    let clips = vec![
        make("a", 1.0, &[[0.2, 0.6], [0.5, 1.0]]),
        make("b", 0.7, &[[0.0, 0.7], [0.3, 0.3]]),
        make("c", 0.4, &[[0.1, 0.4]]),
    ];
    (def, clips)
}

#[test]
fn every_begin_has_one_end_whatever_is_asked_of_the_graph() {
    let mut random = Random(0x51de);
    for run in 0..40 {
        let (def, clips) = busy_graph();
        let mut player = Player::new(def.clone(), clips.clone());
        let mut balance = Balance::default();
        for _ in 0..150 {
            let layer = u16::from(random.next() < 0.3);
            let state = (random.next() * 7.0) as u16;
            let amount = random.next() as f32;
            match (random.next() * 14.0) as u32 {
                0 => player.state.seek(&player.graph, layer, amount),
                1 => {
                    let play = Play {
                        fade: Some(amount * 0.5),
                        restart: random.next() < 0.5,
                        ..Play::default()
                    };
                    player.state.play(&player.graph, layer, state, &play);
                }
                2 => player.set("speed", amount),
                3 => player.set("rate", amount * 4.0 - 2.0),
                4 => player.pull("go"),
                5 => player.state.force_state(&player.graph, layer, state),
                6 if random.next() < 0.3 => player.state.reset(&player.graph),
                7 => player.state.set_layer_weight(1, amount.round(), 0.1),
                8 => {
                    let play = SlotPlay {
                        speed: amount * 4.0 - 2.0,
                        looping: random.next() < 0.3,
                        ..SlotPlay::default()
                    };
                    let clip = (amount * 3.0) as u16;
                    player.state.play_slot(&player.graph, 0, clip, &play);
                }
                9 => {
                    player.state.stop_slot(
                        0,
                        &SlotStop {
                            fade_out: Some(amount * 0.2),
                            ..SlotStop::default()
                        },
                    );
                }
                10 if random.next() < 0.3 => {
                    let mut ended = Vec::new();
                    player
                        .state
                        .close_windows(&player.graph, EndReason::Reload, &mut ended);
                    balance.add(&ended);
                    assert_eq!(balance.open(), 0, "run {run}");
                    let new = compile(def.clone(), clips.clone()).expect("compiles");
                    player.state = player.state.migrate(&player.graph, &new);
                    player.graph = new;
                }
                _ => {}
            }
            player.step((random.next() * random.next() * 0.5) as f32);
            balance.add(&player.out.events);
            let open: usize = player.state.machines.iter().map(|m| m.windows.len()).sum();
            let in_slots: usize = player.state.slots.iter().map(|s| s.windows.len()).sum();
            assert_eq!(balance.open(), (open + in_slots) as i64, "run {run}");
        }
        let mut ended = Vec::new();
        player
            .state
            .close_windows(&player.graph, EndReason::Despawn, &mut ended);
        balance.add(&ended);
        assert!(!balance.0.is_empty());
        assert_eq!(balance.open(), 0, "run {run}");
    }
}
