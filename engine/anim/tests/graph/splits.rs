//! Whatever the steps are that time comes in, the same happens at the same times: in fades of every kind, in sync
//! groups, in machines inside states, where clips end and where they turn.

use glam::Vec3;
use serde_json::{Value, json};
use sinew_anim::Play;

use crate::support::{Make, Player, Random, clip, one_layer};

/// A number in a range, to the hundredth, so that a failing case reads well.
fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    ((low + (high - low) * random.next()) * 1000.0).round() / 1000.0
}

fn one_of<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[(random.next() * words.len() as f64) as usize]
}

fn clips(random: &mut Random) -> Vec<Make> {
    let names = ["a", "b", "c", "d", "e"];
    let make = |name: &str| {
        let seconds = between(random, 0.5, 1.6) as f32;
        let (low, high) = (between(random, -1.0, 0.0), between(random, 0.0, 1.0));
        let mut make = clip(name, seconds)
            .z(0, 0.0, between(random, 0.5, 2.0) as f32)
            .x(1, 0.0, 0.0);
        // Up and down: a jump from lap to lap would be speed to what dies away by inertia.
        let track = make.0.joints[1].translation.as_mut().expect("made");
        track.times = vec![0.0, seconds * 0.5, seconds];
        track.values = [low, high, low].map(|x| Vec3::X * x as f32).to_vec();
        for number in 0..3 {
            let share = match (random.next() * 6.0) as u32 {
                0 => 0.0,
                1 => 1.0,
                _ => random.next() as f32,
            };
            make = make.marker(&format!("{name}{number}"), seconds * share);
        }
        make.0.windows.push(sinew_anim::Window {
            name: format!("w{name}"),
            begin: seconds * between(random, 0.05, 0.45) as f32,
            end: seconds * between(random, 0.5, 0.95) as f32,
        });
        make
    };
    names.map(make).into()
}

/// When one of two states is left that alternate.
const CYCLE: [f64; 2] = [0.5, 0.9];

/// A way out that its own clock opens; the words that may stand in it are all there.
fn way(random: &mut Random, from: &str, to: &str, exits: [f64; 2]) -> Value {
    // Of two states that alternate one does not begin twice in a step, and goes on where it still shows.
    let alternate = exits == CYCLE || exits[0] == 1.0;
    let longest = if alternate { 0.3 } else { 0.8 };
    let mut way = json!({
        "from": from, "to": to, "exit_time": between(random, exits[0], exits[1]),
        "duration": between(random, 0.1, longest),
        "interruption": one_of(random, &["frozen", "live", "inertial"]),
    });
    match (random.next() * 3.0) as u32 {
        0 => way["by"] = json!("inertial"),
        1 => way["curve"] = json!("smooth"),
        _ => {}
    }
    match (random.next() * 4.0) as u32 {
        0 if !alternate => way["offset"] = json!(between(random, 0.0, 0.4)),
        1 if !alternate => way["align"] = json!("phase"),
        2 => way["profile"] = json!({ "arm": 0.5 }),
        _ => {}
    }
    way
}

/// States that follow each other by their own clocks: looping and in step, turning at their ends, once, with a
/// machine inside, clips in a row and clips by chance.
fn by_itself(random: &mut Random) -> Value {
    let inside = json!({ "entry": "rise", "reenter": one_of(random, &["reset", "resume"]),
        "states": {
            "rise": { "clip": "c", "mode": "once" },
            "drop": { "clip": "d", "speed": between(random, 0.6, 1.4) },
        },
        "transitions": [
            way(random, "rise", "drop", [1.0, 1.0]),
            way(random, "drop", "rise", CYCLE),
        ] });
    let points = json!([{ "at": 0, "clip": "b" }, { "at": 1, "clip": "c", "speed": 1.3 }]);
    let states = json!({
        "lead": { "clip": "a", "sync_group": "feet", "sync_role": "always_leader" },
        "walk": { "blend": "v", "points": points, "sync_group": "feet", "speaks": "all" },
        "sway": { "clip": "d", "mode": "ping_pong", "speed": between(random, 0.7, 1.3) },
        "back": { "clip": "e", "mode": "once", "speed": -1.0 },
        "once": { "clip": "e", "mode": "once" },
        "deep": { "machine": inside, "speed": between(random, 0.7, 1.3) },
        "row": { "sequence": [{ "clip": "a" }, { "clip": "d" }] },
        "dice": { "select": "random", "children": [{ "clip": "a" }, { "clip": "b" }, { "clip": "c" }] },
    });
    let order = [
        "lead", "walk", "lead", "sway", "back", "deep", "row", "dice", "once",
    ];
    let mut ways = Vec::new();
    for pair in [
        "walk", "sway", "back", "deep", "row", "dice", "once", "lead",
    ]
    .windows(2)
    {
        let exits = match pair[0] {
            "back" | "once" => [1.0, 1.0],
            "deep" => [0.3, 0.9],
            _ => [0.45, 0.95],
        };
        ways.push(way(random, pair[0], pair[1], exits));
    }
    ways.push(way(random, order[0], order[1], [0.45, 0.95]));
    let over = json!({ "name": "over", "mask": "arm+", "blend": one_of(random, &["override", "additive"]), "entry": "o",
        "states": { "o": { "clip": "b" }, "p": { "clip": "c", "mode": "once" } },
        "transitions": [way(random, "o", "p", CYCLE), way(random, "p", "o", [1.0, 1.0])] });
    let base = json!({ "name": "base", "entry": "lead", "states": states, "transitions": ways });
    json!({
        "parameters": { "v": between(random, 0.0, 1.0) },
        "root": { "joint": "root" },
        "transitions_per_step": 8,
        "events": { "entry": one_of(random, &["inclusive", "exclusive"]), "dedup": false,
            "fade": one_of(random, &["both", "source", "target"]) },
        "layers": [base, over],
    })
}

/// The same with crossfades only.
fn without_inertia(def: &Value) -> Value {
    let text = def.to_string();
    let text = text.replace(r#""by":"inertial""#, r#""by":"crossfade""#);
    let text = text.replace(r#""interruption":"inertial""#, r#""interruption":"live""#);
    serde_json::from_str(&text).expect("as it was")
}

const SECONDS: f64 = 12.0;

/// All that was told but ticks, which come once a step.
fn told(player: &Player) -> Vec<(&str, f64)> {
    let told = player
        .said
        .iter()
        .filter(|said| !said.words.starts_with("tick"));
    told.filter(|said| said.time < SECONDS - 0.01)
        .map(|said| (said.words.as_str(), said.time))
        .collect()
}

/// Also gives the metres gone forwards and back together.
fn run(def: &Value, clips: &[Make], dt: &mut dyn FnMut() -> f32) -> (Player, f64) {
    let mut player = Player::new(def.clone(), clips.to_vec());
    let mut gone = 0.0;
    while player.time < SECONDS - 1e-6 {
        let (left, before) = ((SECONDS - player.time) as f32, player.place[1]);
        player.step(dt().min(left));
        gone += (player.place[1] - before).abs();
    }
    (player, gone)
}

fn one_state(state: Value, events: Value, clips: Vec<Make>) -> Player {
    let mut def = one_layer(json!({}), json!({ "s": state }), "s", json!([]));
    def["events"] = events;
    Player::new(def, clips)
}

#[test]
fn machines_that_run_by_themselves_do_the_same_in_any_steps() {
    let seeds = std::env::var("SINEW_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok());
    for seed in 1..=seeds.unwrap_or(60_u64) {
        let mut random = Random(seed * 0x9E37_79B9);
        let mut def = by_itself(&mut random);
        let by_inertia = seed % 2 == 0;
        if !by_inertia {
            def = without_inertia(&def);
        }
        let clips = clips(&mut random);
        let (fine, gone) = run(&def, &clips, &mut || 1.0 / 240.0);
        let expected = told(&fine);
        assert!(expected.len() > 30, "seed {seed}: {}", expected.len());
        for longest in [0.03, 0.07, 0.13] {
            let (coarse, _) = run(&def, &clips, &mut || {
                (random.next() * longest + 1e-4) as f32
            });
            let found = told(&coarse);
            for (index, (a, b)) in found.iter().zip(&expected).enumerate() {
                let same = a.0 == b.0 && (a.1 - b.1).abs() < 1e-4;
                assert!(
                    same,
                    "seed {seed}, steps up to {longest}, event {index}: {a:?} is not {b:?}\n{def:#}\n{:#?}\n{:#?}",
                    &found[index.saturating_sub(4)..(index + 4).min(found.len())],
                    &expected[index.saturating_sub(4)..(index + 4).min(expected.len())],
                );
            }
            assert_eq!(found.len(), expected.len(), "seed {seed}");
            let apart = (coarse.x() - fine.x()).abs();
            // By inertia a pose goes on with the speed of the step before, which is a chord of what it did.
            assert!(
                by_inertia || apart < 2e-3,
                "seed {seed}, {longest}: pose {apart}"
            );
            let apart = (coarse.place[1] - fine.place[1]).abs();
            assert!(
                apart < 0.01 * gone,
                "seed {seed}, {longest}: {apart} of {gone} m"
            );
        }
    }
}

/// A gate stands somewhere inside a step; what lies at the same place of the lap belongs to the state that is left.
#[test]
fn what_stands_at_the_gate_is_told_before_the_state_is_left() {
    let mut random = Random(0x9a7e);
    for run in 0..600 {
        let backwards = run % 2 == 0;
        let mode = ["once", "loop"][run / 2 % 2];
        let kind = ["exit_time", "after_finish", "inside"][run / 4 % 3];
        let exit = if kind == "after_finish" || random.next() < 0.5 {
            1.0
        } else {
            between(&mut random, 0.1, 0.9)
        };
        let seconds = between(&mut random, 0.3, 2.0) as f32;
        let speed = between(&mut random, 0.3, 2.5) * if backwards { -1.0 } else { 1.0 };
        let phase = if backwards { 1.0 - exit } else { exit };
        let own = json!({ "clip": "c", "mode": mode, "speed": speed });
        let state = if kind == "inside" {
            json!({ "machine": { "states": { "in": own }, "transitions": [] } })
        } else {
            own
        };
        let states = json!({ "s": state, "next": { "rest": true } });
        let ways = if kind == "after_finish" {
            json!([])
        } else {
            json!([{ "from": "s", "to": "next", "exit_time": exit, "duration": 0 }])
        };
        let make = clip("c", seconds).marker("gate", seconds * phase as f32);
        let mut player = Player::new(one_layer(json!({}), states, "s", ways), vec![make]);
        player.step(0.01);
        if kind == "after_finish" {
            let play = Play {
                after_finish: true,
                fade: Some(0.0),
                ..Play::default()
            };
            player.play("next", play);
        }
        while player.count("enter next") == 0 {
            player.step((random.next() * 0.4) as f32);
            assert!(player.time < 100.0, "run {run}: it is left");
        }
        let name = if kind == "inside" { "s/in" } else { "s" };
        let words = player.words();
        let place = |words: &[&str], what: &str| words.iter().position(|told| *told == what);
        let left = place(&words, "exit s for next");
        let case = format!("run {run}, {kind}, {mode}, exit {exit}, speed {speed}: {words:?}");
        // A place that 32 bits of the marker's time round past the gate lies behind it.
        let exact = exit == 1.0;
        if exact {
            assert_eq!(player.count(&format!("gate in {name}")), 1, "{case}");
            assert!(place(&words, &format!("gate in {name}")) < left, "{case}");
        }
        if mode == "once" && exact {
            assert_eq!(player.count(&format!("finished {name}")), 1, "{case}");
            assert!(place(&words, &format!("finished {name}")) < left, "{case}");
        }
    }
}

/// Five places in a clip of a second: its ends and equal ones among them.
fn marker_times(random: &mut Random) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for _ in 0..5 {
        let time = match (random.next() * 6.0) as u32 {
            0 => 0.0,
            1 => 1.0,
            2 => times.last().copied().unwrap_or(0.5),
            _ => random.next() as f32,
        };
        times.push(time);
    }
    times
}

#[test]
fn random_steps_hear_the_same_at_the_same_times() {
    let mut random = Random(0x5eed);
    for _ in 0..200 {
        let times = marker_times(&mut random);
        let speed = if random.next() < 0.5 { 1.3 } else { -0.7 };
        let mode = ["loop", "once", "ping_pong"][(random.next() * 3.0) as usize];
        let entry = ["inclusive", "exclusive"][(random.next() * 2.0) as usize];
        let (state, events) = (
            json!({ "clip": "c", "speed": speed, "mode": mode }),
            json!({ "entry": entry }),
        );
        let mut make = clip("c", 1.0);
        for (index, time) in times.iter().enumerate() {
            make = make.marker(&format!("m{index}"), *time);
        }
        let mut whole = one_state(state.clone(), events.clone(), vec![make.clone()]);
        whole.step(4.0);
        let mut pieces = one_state(state, events, vec![make]);
        while pieces.time < 4.0 {
            let left = (4.0 - pieces.time) as f32;
            pieces.step((random.next() as f32 * 0.4).min(left));
        }
        let told = |player: &Player| -> Vec<(String, f64)> {
            player
                .said
                .iter()
                .map(|said| (said.words.clone(), said.time))
                .collect()
        };
        let (whole, pieces) = (told(&whole), told(&pieces));
        let names = |told: &[(String, f64)]| {
            told.iter()
                .map(|(name, _)| name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(&whole),
            names(&pieces),
            "{mode} at {speed}, {entry}: {times:?}"
        );
        let expected = closed_form(&times, mode, speed, entry);
        for (index, count) in expected.iter().enumerate() {
            let words = format!("m{index} in s");
            let heard = names(&whole).iter().filter(|name| **name == words).count();
            assert_eq!(
                heard, *count,
                "m{index}, {mode} at {speed}, {entry}: {times:?}"
            );
        }
        for ((name, a), (_, b)) in whole.iter().zip(&pieces) {
            assert!((a - b).abs() < 1e-5, "{name}: {a} and {b}");
        }
    }
}

/// How often markers of a clip of a second are met in 4 s, counted place by place.
fn closed_form(times: &[f32], mode: &str, speed: f64, entry: &str) -> Vec<usize> {
    let backwards_once = mode == "once" && speed < 0.0;
    let from = if backwards_once { 1.0 } else { 0.0 };
    let mut to = from + speed * 4.0;
    if mode == "once" {
        to = to.clamp(0.0, 1.0);
    }
    let met = |place: f64| {
        let passed = if speed > 0.0 {
            from < place && place <= to
        } else {
            to <= place && place < from
        };
        passed || (entry == "inclusive" && place == from)
    };
    // Backwards from 0 the clock enters at the end of the lap before.
    let laps = match (mode, speed > 0.0) {
        ("once", _) => 0..=0,
        (_, true) => 0..=9,
        (_, false) => -9..=-1,
    };
    let count = |time: &f32| {
        let m = f64::from(*time);
        let mut places: Vec<f64> = laps
            .clone()
            .map(|lap| {
                let back = mode == "ping_pong" && lap % 2 != 0;
                f64::from(lap) + if back { 1.0 - m } else { m }
            })
            .collect();
        if mode == "ping_pong" {
            // A turning point is one place of two legs.
            places.dedup();
        }
        places.into_iter().filter(|place| met(*place)).count()
    };
    times.iter().map(count).collect()
}

/// The count of a marker in a stretch of a loop, forwards and backwards, as written on paper.
#[test]
fn the_count_of_a_loop_is_the_closed_form_whatever_the_steps() {
    let mut random = Random(0xc105);
    for _ in 0..200 {
        let phase = match (random.next() * 4.0) as u32 {
            0 => 0.0,
            1 => 1.0,
            _ => random.next() as f32,
        };
        let speed = (random.next() * 6.0 - 3.0) as f32;
        let state = json!({ "clip": "c", "speed": speed });
        let events = json!({ "entry": "exclusive" });
        let mut player = one_state(state, events, vec![clip("c", 1.0).marker("m", phase)]);
        while player.time < 3.0 {
            player.step((random.next() * 0.7) as f32);
        }
        let cycles = player.state.machines[0].playing[0].cycles;
        let phase = f64::from(phase);
        let expected = if speed >= 0.0 {
            (cycles - phase).floor() - (-phase).floor()
        } else {
            (-phase).ceil() - (cycles - phase).ceil()
        };
        assert_eq!(
            player.count("m in s") as f64,
            expected,
            "{phase} at {speed} to {cycles}"
        );
    }
}
