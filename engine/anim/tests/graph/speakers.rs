//! Who is heard in a blend space, and what is one event there.

use serde_json::json;
use sinew_anim::GraphEventKind;

use crate::support::{Player, Random, one_layer, still};

fn walk_run(dedup: bool, walk: &[f32], run: &[f32]) -> Player {
    let mut def = one_layer(
        json!({ "speed": 0.0 }),
        json!({ "move": { "blend": "speed", "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] } }),
        "move",
        json!([]),
    );
    def["events"] = json!({ "dedup": dedup });
    let marked = |name: &str, times: &[f32]| {
        times.iter().fold(still(name, 1.0, 0.0), |make, time| {
            make.marker("foot", *time)
        })
    };
    Player::new(def, vec![marked("walk", walk), marked("run", run)])
}

#[test]
fn in_a_blend_the_heaviest_speaks_and_a_challenger_must_exceed_it() {
    let mut player = walk_run(false, &[0.25], &[0.75]);
    let time_of = |player: &mut Player, speed: f32| {
        player.set("speed", speed);
        player.said.clear();
        for _ in 0..10 {
            player.step(0.1);
        }
        player
            .said
            .iter()
            .filter(|said| said.words == "foot in move")
            .map(|said| said.time.fract())
            .collect::<Vec<_>>()
    };
    let near = |times: &[f64], place: f64| times.len() == 1 && (times[0] - place).abs() < 1e-5;
    let times = time_of(&mut player, 0.3);
    assert!(near(&times, 0.25), "{times:?}");
    // .51 against .49: not enough to take over.
    let times = time_of(&mut player, 0.51);
    assert!(near(&times, 0.25), "{times:?}");
    let times = time_of(&mut player, 0.6);
    assert!(near(&times, 0.75), "{times:?}");
    // And back only where the other exceeds it.
    let times = time_of(&mut player, 0.49);
    assert!(near(&times, 0.75), "{times:?}");
}

#[test]
fn a_step_that_two_samples_share_is_one_event() {
    // The speaker changes between the walk's step at .3 and the run's at .4: once.
    let mut player = walk_run(true, &[0.3], &[0.4]);
    player.run_to(0.35, 0.05);
    assert_eq!(player.count("foot in move"), 1);
    player.set("speed", 1.0);
    player.run_to(1.2, 0.05);
    assert_eq!(player.count("foot in move"), 1);
    player.run_to(2.2, 0.05);
    assert_eq!(player.count("foot in move"), 2);
}

#[test]
fn a_new_speaker_that_is_past_a_step_not_heard_yet_tells_it_at_once() {
    let mut player = walk_run(true, &[0.6], &[0.2]);
    player.run_to(0.4, 0.05);
    assert_eq!(player.count("foot in move"), 0);
    player.set("speed", 1.0);
    player.step(0.05);
    assert_eq!(player.count("foot in move"), 1);
    player.set("speed", 0.0);
    player.run_to(1.0, 0.05);
    assert_eq!(player.count("foot in move"), 1, "never twice a lap");
}

#[test]
fn steps_on_both_sides_of_the_lap_boundary_are_the_same() {
    let mut player = walk_run(true, &[0.98], &[0.02]);
    player.run_to(0.99, 0.01);
    assert_eq!(player.count("foot in move"), 1);
    player.set("speed", 1.0);
    player.run_to(1.1, 0.01);
    assert_eq!(player.count("foot in move"), 1);
    player.run_to(2.1, 0.01);
    assert_eq!(player.count("foot in move"), 2);
    player.set("speed", 0.0);
    player.run_to(3.1, 0.01);
    assert_eq!(player.count("foot in move"), 3);
}

#[test]
fn with_different_counts_only_the_speaker_counts() {
    let mut player = walk_run(true, &[0.1, 0.6], &[0.3]);
    player.run_to(1.0, 0.05);
    assert_eq!(player.count("foot in move"), 2);
    player.set("speed", 1.0);
    player.run_to(2.0, 0.05);
    assert_eq!(player.count("foot in move"), 3);
}

#[test]
fn however_the_weight_moves_a_shared_step_comes_once_a_lap() {
    let mut random = Random(99);
    for run in 0..40 {
        let (a, b) = (random.next(), random.next());
        // Far enough from the boundary that laps can be counted by the clock.
        let place = |x: f64| (0.3 + 0.4 * x) as f32;
        let mut player = walk_run(true, &[place(a)], &[place(b)]);
        while player.time < 20.0 {
            player.set("speed", random.next() as f32);
            player.step((random.next() * 0.08) as f32);
        }
        let mut laps: Vec<i64> = player
            .said
            .iter()
            .filter(|said| said.words == "foot in move")
            .map(|said| said.time.floor() as i64)
            .collect();
        let count = laps.len();
        laps.dedup();
        assert_eq!(laps.len(), count, "run {run}: twice in a lap");
        assert!(
            laps.windows(2).all(|pair| pair[1] == pair[0] + 1),
            "run {run}: {laps:?}"
        );
        assert!(count >= 19, "run {run}: {count}");
    }
}

#[test]
fn backwards_a_shared_step_comes_once_a_lap_too() {
    let mut def = one_layer(
        json!({ "speed": 0.0 }),
        json!({ "move": { "blend": "speed", "speed": -1.0, "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] } }),
        "move",
        json!([]),
    );
    def["events"] = json!({ "dedup": true });
    let clips = vec![
        still("walk", 1.0, 0.0).marker("foot", 0.3),
        still("run", 1.0, 0.0).marker("foot", 0.4),
    ];
    let mut player = Player::new(def, clips);
    let mut random = Random(7);
    while player.time < 10.0 {
        player.set("speed", random.next() as f32);
        player.step(0.03);
    }
    assert_eq!(player.count("foot in move"), 10);
}

/// Where walk and run have the steps of a lap, each with its number as its value.
fn numbered(walk: &[f32], run: &[f32], speaks: serde_json::Value, speed: f32) -> Player {
    let state = json!({ "blend": "speed", "speed": speed, "speaks": speaks,
        "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] });
    let def = one_layer(
        json!({ "speed": 0.0 }),
        json!({ "move": state }),
        "move",
        json!([]),
    );
    let marked = |name: &str, times: &[f32]| {
        let times = times.iter().zip(0_u8..);
        times.fold(still(name, 1.0, 0.0), |make, (time, number)| {
            make.marker_with("foot", *time, f32::from(number))
        })
    };
    Player::new(def, vec![marked("walk", walk), marked("run", run)])
}

/// By how much the run's steps are renumbered to be those of the walk that are within a quarter of
/// the spacing across the lap boundary.
fn renumbered(walk: &[f32], run: &[f32]) -> i64 {
    let near = 0.25 / walk.len() as f32;
    let (first, last) = (walk[0], walk[walk.len() - 1]);
    if (run[0] - first).abs() <= near {
        0
    } else if 1.0 + run[0] - last < near {
        -1
    } else {
        i64::from(1.0 + first - run[run.len() - 1] < near)
    }
}

/// The numbers of all steps of `player` that are told while its speed parameter jumps about.
fn told_numbers(
    player: &mut Player,
    random: &mut Random,
    shift: i64,
    count: i64,
    speed: f64,
) -> Vec<i64> {
    let mut numbers = Vec::new();
    while player.time < 12.0 {
        player.set("speed", random.next() as f32);
        let begin = player.time;
        let dt = (random.next() * random.next() * 0.5) as f32;
        player.step(dt);
        for event in &player.out.events {
            let GraphEventKind::Marker {
                value, time, clip, ..
            } = event.kind
            else {
                continue;
            };
            let clip = clip.expect("of a clip");
            let is_run = player.graph.clips[usize::from(clip)].clip.name == "run";
            let cycles = speed * (begin + f64::from(event.alpha) * f64::from(dt));
            // The last one that was passed, in running direction.
            let laps = cycles - f64::from(time);
            let lap = if speed > 0.0 {
                (laps + 1e-5).floor()
            } else {
                (laps - 1e-5).ceil()
            };
            let own = if is_run { shift } else { 0 };
            numbers.push(lap as i64 * count + value as i64 + own);
        }
    }
    numbers
}

#[test]
fn whoever_speaks_every_number_is_told_once_and_none_is_left_out() {
    let mut random = Random(0xf007);
    for run in 0..200 {
        let count = 1 + (random.next() * 3.0) as usize;
        let mut places = || {
            let mut places: Vec<f32> = (0..count).map(|_| random.next() as f32).collect();
            places.sort_by(f32::total_cmp);
            places
        };
        let (a, b) = (places(), places());
        let apart = |places: &[f32]| places.windows(2).all(|pair| pair[1] - pair[0] > 1e-3);
        if !apart(&a) || !apart(&b) {
            continue;
        }
        let speed = if random.next() < 0.5 { 1.0 } else { -1.0 };
        let speaks = match (random.next() * 3.0) as u32 {
            0 => json!("dominant"),
            1 => json!("all"),
            _ => json!(0.4),
        };
        let mut player = numbered(&a, &b, speaks.clone(), speed);
        let shift = renumbered(&a, &b);
        let numbers = told_numbers(&mut player, &mut random, shift, count as i64, speed.into());
        let step = if speed > 0.0 { 1 } else { -1 };
        assert!(
            numbers.windows(2).all(|pair| pair[1] == pair[0] + step),
            "run {run}, {speaks} at {speed}: {a:?} {b:?}: {numbers:?}"
        );
        assert!(
            numbers.len() + 1 >= 11 * count,
            "run {run}: {}",
            numbers.len()
        );
    }
}

#[test]
fn all_speak_or_those_of_enough_weight_or_none() {
    for (speaks, speed, expected) in [
        (json!("dominant"), 0.3, vec!["walk"]),
        (json!("all"), 0.3, vec!["walk", "run"]),
        (json!("all"), 0.0, vec!["walk"]),
        (json!(0.3), 0.3, vec!["walk", "run"]),
        (json!(0.4), 0.3, vec!["walk"]),
        (json!(0.8), 0.3, vec![]),
        (json!("none"), 0.3, vec![]),
    ] {
        let state = json!({ "blend": "speed", "speaks": speaks,
            "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] });
        let mut def = one_layer(
            json!({ "speed": speed }),
            json!({ "move": state }),
            "move",
            json!([]),
        );
        def["events"] = json!({ "dedup": false });
        let clips = vec![
            still("walk", 1.0, 0.0).marker("walk", 0.2),
            still("run", 1.0, 0.0).marker("run", 0.4),
        ];
        let mut player = Player::new(def, clips);
        player.step(0.9);
        let heard: Vec<&str> = player
            .words()
            .into_iter()
            .filter_map(|words| words.strip_suffix(" in move"))
            .collect();
        assert_eq!(heard, expected, "{speaks} at {speed}");
        for said in player
            .said
            .iter()
            .filter(|said| said.words.ends_with(" in move"))
        {
            let own = if said.words.starts_with("run") {
                speed
            } else {
                1.0 - speed
            };
            assert!((said.weight - own).abs() < 1e-6, "{said:?}");
        }
    }
}

#[test]
fn a_name_that_only_a_lighter_leaf_has_is_told_by_it_where_all_speak() {
    let state = json!({ "blend": "speed", "speaks": "all",
        "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] });
    let def = one_layer(
        json!({ "speed": 0.3 }),
        json!({ "move": state }),
        "move",
        json!([]),
    );
    let clips = vec![
        still("walk", 1.0, 0.0).marker("foot", 0.2),
        still("run", 1.0, 0.0)
            .marker("foot", 0.25)
            .marker("pant", 0.5),
    ];
    let mut player = Player::new(def, clips);
    player.run_to(3.0, 0.07);
    assert_eq!(player.count("foot in move"), 3);
    assert_eq!(player.count("pant in move"), 3);
}

#[test]
fn what_is_laid_over_speaks_beside_what_it_is_laid_over() {
    let state = json!({ "additive": {
        "base": { "blend": "speed", "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] },
        "add": { "clip": "lean" } } });
    let def = one_layer(
        json!({ "speed": 0.2 }),
        json!({ "move": state }),
        "move",
        json!([]),
    );
    let clips = vec![
        still("walk", 1.0, 0.0).marker("walk", 0.2),
        still("run", 1.0, 0.0).marker("run", 0.4),
        still("lean", 1.0, 0.0).marker("lean", 0.3),
    ];
    let mut player = Player::new(def, clips);
    player.step(0.9);
    assert_eq!(player.count("walk in move"), 1);
    assert_eq!(player.count("run in move"), 0);
    assert_eq!(player.count("lean in move"), 1);
}

#[test]
fn a_scrubbed_clip_is_heard_as_a_whole_state_and_silent_in_a_blend() {
    let scrub = json!({ "clip": "c", "time_parameter": "t" });
    let clips = || vec![still("c", 1.0, 0.0).marker("m", 0.5)];
    let parameters = json!({ "t": 0.2, "w": 1.0 });
    let def = one_layer(parameters.clone(), json!({ "s": scrub }), "s", json!([]));
    let mut player = Player::new(def, clips());
    for (t, expected) in [(0.2, 0), (0.8, 1), (0.9, 1), (0.5, 2), (0.5, 2), (0.4, 2)] {
        player.set("t", t);
        player.step(0.1);
        assert_eq!(player.count("m in s"), expected, "at {t}");
    }
    let inside = json!({ "direct": [{ "weight": "w", "motion": scrub }] });
    let mut player = Player::new(
        one_layer(parameters, json!({ "s": inside }), "s", json!([])),
        clips(),
    );
    for t in [0.2, 0.8, 0.1] {
        player.set("t", t);
        player.step(0.1);
    }
    assert_eq!(player.count("m in s"), 0);
}
