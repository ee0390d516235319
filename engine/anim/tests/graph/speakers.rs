//! Who is heard in a blend space, and what is one event there.

use serde_json::json;

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
