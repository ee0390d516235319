//! Blends whose clips are aligned by markers.

use serde_json::{Value, json};
use sinew_anim::{Curve, LoopMode, Play, Pose, RootAxes, RootTrack, Window, curve_value, sample};

use crate::support::{Make, Player, Random, clip, one_layer, still};

/// A clip with markers: seconds of a lap, and names with seconds.
type Layout = (f32, &'static [(&'static str, f32)]);

const WALK: Layout = (1.0, &[("l", 0.1), ("r", 0.6)]);
/// Two strides a lap, the first marker of the walk in the middle.
const RUN: Layout = (1.2, &[("r", 0.05), ("l", 0.4), ("r", 0.8), ("l", 1.0)]);
const LIMP: Layout = (1.5, &[("r", 0.2), ("l", 1.3)]);
const NAMES: [&str; 3] = ["walk", "run", "limp"];
const LAYOUTS: [Layout; 3] = [WALK, RUN, LIMP];
/// Laps of each in a lap of the blend, which has four intervals.
const LAPS: [f64; 3] = [2.0, 1.0, 2.0];

/// Each clip moves a joint of its own from 0 to 1, so that its phase can be read from the pose.
fn clips() -> Vec<Make> {
    let make = |index: usize| {
        let (duration, markers) = LAYOUTS[index];
        let make = clip(NAMES[index], duration).x(1 + index as u16, 0.0, 1.0);
        markers
            .iter()
            .fold(make, |make, (name, time)| make.marker(name, *time))
    };
    (0..3).map(make).collect()
}

fn state(more: Value) -> Value {
    let mut state = json!({ "blend": "v", "align": "marker", "points": [
        { "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }, { "at": 2, "clip": "limp" },
    ] });
    for (key, value) in more.as_object().expect("a table") {
        state[key] = value.clone();
    }
    state
}

pub fn graph(more: Value) -> Value {
    let mut def = one_layer(
        json!({ "v": 0.0 }),
        json!({ "move": state(more) }),
        "move",
        json!([]),
    );
    def["root"] = json!({ "joint": "root" });
    def
}

/// The weight of each clip at a place of the line.
fn weights(v: f64) -> [f64; 3] {
    [
        (1.0 - v).max(0.0),
        1.0 - (v - 1.0).abs(),
        (v - 1.0).max(0.0),
    ]
}

/// The marker before a phase of the clip's own lap, and the share of the way to the next one, by walking over
/// all of them.
fn beat((duration, markers): Layout, phase: f64) -> (&'static str, f64) {
    let seconds = phase * f64::from(duration);
    let places = |index: usize| {
        let lap = (index / markers.len()) as f64 - 1.0;
        f64::from(markers[index % markers.len()].1) + lap * f64::from(duration)
    };
    let before = (0..2 * markers.len())
        .rev()
        .find(|&index| places(index) <= seconds + 1e-6);
    let before = before.expect("one lap before");
    let share = (seconds - places(before)) / (places(before + 1) - places(before));
    (markers[before % markers.len()].0, share)
}

/// That all clips which show stand at the same beat, which is the one of the state's phase.
#[track_caller]
fn assert_in_step(player: &Player, v: f64) {
    let progress = player.state.layer_status(&player.graph, 0).progress;
    let place = f64::from(progress) * 4.0;
    let expected = (["l", "r"][place as usize % 2], place.fract());
    for (index, weight) in weights(v).into_iter().enumerate() {
        if weight < 0.05 {
            continue;
        }
        let own = f64::from(player.pose.translation(1 + index).x) / weight;
        let (name, share) = beat(LAYOUTS[index], own);
        // Just before a marker and at it are the same.
        let apart = (share - expected.1).abs();
        let at_border = apart > 0.999;
        assert!(
            apart < 1e-4 || at_border,
            "{}: {share}, {expected:?}",
            NAMES[index]
        );
        assert!(
            name == expected.0 || at_border,
            "{}: {name}, {expected:?}",
            NAMES[index]
        );
    }
}

#[test]
fn clips_that_are_aligned_by_markers_stand_between_the_same_two() {
    let mut player = Player::new(graph(json!({})), clips());
    let mut random = Random(71);
    for _ in 0..2000 {
        let v = (random.next() * 2.0) as f32;
        player.set("v", v);
        player.step((random.next() * 0.3) as f32);
        assert_in_step(&player, f64::from(v));
    }
    assert!(player.state.machines[0].playing[0].cycles > 50.0);
}

#[test]
fn by_phase_they_do_not() {
    let mut player = Player::new(graph(json!({ "align": "phase" })), clips());
    player.set("v", 0.5);
    player.step(0.33);
    let own = [1, 2].map(|joint| f64::from(player.pose.translation(joint).x) * 2.0);
    assert!((own[0] - own[1]).abs() < 1e-6, "one phase");
    assert_ne!(beat(WALK, own[0]).0, beat(RUN, own[1]).0);
}

#[test]
fn a_lap_takes_the_mean_of_what_the_clips_take_for_as_many_intervals() {
    // d · L / n of each clip.
    let seconds = [2.0, 1.2, 3.0];
    for v in [0.0, 0.3, 1.0, 1.25, 2.0] {
        let own = weights(v);
        let mean = |of: fn(f64) -> f64| -> f64 {
            own.iter()
                .zip(seconds)
                .map(|(weight, seconds)| weight * of(seconds))
                .sum()
        };
        for (rate, expected) in [
            ("duration_mean", mean(|seconds| seconds)),
            ("rate_mean", 1.0 / mean(|seconds| 1.0 / seconds)),
        ] {
            let mut player = Player::new(graph(json!({ "rate": rate })), clips());
            player.set("v", v as f32);
            let length = f64::from(player.status().length);
            assert!((length - expected).abs() < 1e-5, "{rate} at {v}: {length}");
            player.step(0.3);
            let progress = f64::from(player.status().progress);
            assert!((progress - 0.3 / expected).abs() < 1e-6, "{rate} at {v}");
            assert!((f64::from(player.status().time) - 0.3).abs() < 1e-5);
        }
    }
}

#[test]
fn they_stay_in_step_for_a_minute() {
    let mut player = Player::new(graph(json!({})), clips());
    player.set("v", 0.5);
    for _ in 0..3600 {
        player.step(1.0 / 60.0);
        assert_in_step(&player, 0.5);
    }
    let cycles = player.state.machines[0].playing[0].cycles;
    assert!((cycles - 60.0 / 1.6).abs() < 1e-3, "{cycles}");
}

/// The same clips walking: metres of a lap.
fn walking(metres: [f32; 3]) -> Vec<Make> {
    let with = |(make, metres): (Make, f32)| make.z(0, 0.0, metres);
    clips().into_iter().zip(metres).map(with).collect()
}

#[test]
fn the_root_travels_as_many_laps_of_each_clip_as_it_plays() {
    let metres = [1.2, 3.3, 0.4];
    for v in [0.0, 0.25, 0.5, 1.0, 1.7, 2.0] {
        let mut player = Player::new(graph(json!({})), walking(metres));
        player.set("v", v as f32);
        let own = weights(v);
        let sum = |of: [f64; 3]| -> f64 { own.iter().zip(of).map(|(w, of)| w * of).sum() };
        let lap = sum([0, 1, 2].map(|i| LAPS[i] * f64::from(LAYOUTS[i].0)));
        let way = sum([0, 1, 2].map(|i| LAPS[i] * f64::from(metres[i])));
        // A hundred laps, and the same in steps of any length.
        let mut random = Random(5);
        while player.time < 100.0 * lap {
            let step = (random.next() * 0.5).min(100.0 * lap - player.time);
            player.step(step as f32);
            if player.time > 100.0 * lap - 1e-6 {
                break;
            }
        }
        let cycles = player.state.machines[0].playing[0].cycles;
        assert!((cycles - 100.0).abs() < 1e-3, "{v}: {cycles}");
        let expected = way * cycles;
        // Steps are short floats: what they round to counts.
        let off = (player.place[1] - expected).abs() - (cycles - 100.0).abs() * way;
        assert!(off < 2e-3, "{v}: {} not {expected}", player.place[1]);
    }
}

#[test]
fn a_turning_root_goes_the_way_of_its_own_laps() {
    let turning = || {
        let mut clips = walking([1.0, 2.0, 1.0]);
        clips[1] = clips[1].clone().yaw(0, 0.0, 50.0);
        clips
    };
    let mut player = Player::new(graph(json!({})), turning());
    player.set("v", 1.0);
    for _ in 0..700 {
        player.step(0.02);
    }
    let cycles = player.state.machines[0].playing[0].cycles;
    // The run begins at its marker at .4 s.
    let own = |cycles: f64| {
        let knots = [0.4, 0.8, 1.0, 1.25, 1.6].map(|seconds| seconds / 1.2);
        let place = cycles.fract() * 4.0;
        let at = place as usize;
        cycles.floor() + knots[at] + (knots[at + 1] - knots[at]) * place.fract()
    };
    let skeleton = crate::support::skeleton();
    let run = &turning()[1].0;
    let track = RootTrack::new(
        &skeleton,
        run,
        0,
        RootAxes::Planar,
        0.0,
        f64::from(run.duration),
    );
    let expected = track
        .delta(LoopMode::Loop, own(0.0), own(cycles))
        .translation();
    let [x, z, _] = player.place;
    let off = (x - expected.x).hypot(z - expected.z);
    assert!(off < 1e-4, "{:?} not {expected}", player.place);
    assert!(cycles > 11.0);
}

#[test]
fn distance_makes_root_speed_linear_between_clips_of_different_steps() {
    // 1.2 m/s and 3 m/s.
    let clips = walking([1.2, 3.6, 0.0]);
    for (v, speed) in [(0.0, 1.2), (0.25, 1.65), (0.5, 2.1), (1.0, 3.0)] {
        let mut player = Player::new(graph(json!({ "rate": "distance" })), clips.clone());
        player.set("v", v);
        let lap = f64::from(player.status().length);
        // Over whole laps: within one, intervals of a clip are played faster or slower.
        player.run_to(0.0, 0.1);
        for _ in 0..40 {
            player.step((lap / 10.0) as f32);
        }
        let found = player.place[1] / player.time;
        assert!((found - speed).abs() < 1e-4, "{v}: {found}");
    }
}

/// What is said in twenty seconds while the parameter stays, in steps that `step` gives.
fn said(v: f32, mut step: impl FnMut() -> f32) -> Vec<(String, f64)> {
    let mut player = Player::new(graph(json!({})), clips());
    player.set("v", v);
    while player.time < 20.0 {
        let left = (20.0 - player.time) as f32;
        player.step(step().min(left));
        if left < 1e-4 {
            break;
        }
    }
    let said = player.said.into_iter().map(|said| (said.words, said.time));
    said.collect()
}

#[test]
fn every_partition_of_the_time_tells_the_same() {
    for v in [0.0, 0.4, 0.9, 1.3, 2.0] {
        let expected = said(v, || 1.0 / 60.0);
        assert!(expected.len() > 25, "{expected:?}");
        let mut random = Random(9 + (v * 100.0) as u64);
        for _ in 0..6 {
            let found = said(v, || (random.next() * 0.6) as f32);
            let words = |said: &[(String, f64)]| -> Vec<String> {
                said.iter().map(|(words, _)| words.clone()).collect()
            };
            assert_eq!(words(&found), words(&expected), "at {v}");
            let near = found
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a.1 - b.1).abs() < 1e-4);
            assert!(near, "at {v}");
        }
    }
}

#[test]
fn steps_are_told_one_after_the_other_whoever_speaks() {
    let mut player = Player::new(graph(json!({})), clips());
    let mut random = Random(33);
    for _ in 0..3000 {
        player.set("v", (random.next() * 2.0) as f32);
        player.step((random.next() * 0.1) as f32);
    }
    let steps: Vec<&str> = player
        .words()
        .into_iter()
        .filter(|words| words.contains(" in move"))
        .collect();
    let alternate = steps.windows(2).all(|pair| pair[0] != pair[1]);
    assert!(alternate && steps.len() > 200, "{steps:?}");
    let intervals = player.state.machines[0].playing[0].cycles * 4.0;
    assert!((steps.len() as f64 - intervals).abs() <= 1.0);
}

#[test]
fn windows_are_open_where_each_clip_is_in_them() {
    // Over the boundary of the blend's lap, of the clip's own, all of it, and within an interval.
    let spans: [(&str, f32, f32); 4] = [
        ("begin", 0.35, 0.5),
        ("own", 0.9, 1.2),
        ("all", 0.0, 1.2),
        ("short", 0.55, 0.6),
    ];
    for speed in [1.0, -1.0] {
        let mut clips = clips();
        for (name, begin, end) in spans {
            let name = name.to_owned();
            clips[1].0.windows.push(Window { name, begin, end });
        }
        clips[1]
            .0
            .windows
            .sort_by(|a, b| a.begin.total_cmp(&b.begin));
        let mut player = Player::new(graph(json!({ "speed": speed })), clips);
        player.set("v", 1.0);
        let mut random = Random(17);
        for _ in 0..2000 {
            player.step((random.next() * 0.07) as f32);
            let seconds = f64::from(player.pose.translation(2).x) * 1.2;
            for (name, begin, end) in spans {
                let [begin, end] = [begin, end].map(f64::from);
                let near_edge = [begin, end, 0.0, 1.2]
                    .iter()
                    .any(|edge| (seconds - edge).abs() < 1e-4);
                let open = player.state.machines[0].windows.iter().any(|open| {
                    let leaf = &player.graph.states(0)[0].leaves[usize::from(open.leaf)];
                    player.graph.names[usize::from(leaf.windows[usize::from(open.window)].name)]
                        == name
                });
                let inside = begin < seconds && seconds < end;
                assert!(
                    near_edge || open == inside,
                    "{name} at {seconds} by {speed}"
                );
            }
        }
        let laps = player.state.machines[0].playing[0].cycles.abs();
        for (name, ..) in spans {
            let begun = player.count(&format!("begin {name} in move"));
            let ended = player.count(&format!("end {name} in move: Finished"));
            assert!(
                begun - ended <= 1 && (begun as f64 - laps).abs() <= 1.0,
                "{name}: {begun} in {laps}"
            );
        }
    }
}

#[test]
fn windows_of_a_clip_that_is_repeated_are_told_in_each_of_its_laps() {
    let mut clips = clips();
    let window = Window {
        name: "w".to_owned(),
        begin: 0.95,
        end: 1.0,
    };
    clips[0].0.windows.push(window);
    let mut player = Player::new(graph(json!({})), clips);
    player.run_to(10.0, 0.05);
    assert_eq!(player.count("begin w in move"), 10);
    assert_eq!(player.count("end w in move: Finished"), 10);
}

#[test]
fn curves_are_read_where_the_clip_stands() {
    let mut clips = clips();
    for make in &mut clips[..2] {
        let keys = vec![[0.0, 0.0], [make.0.duration, 1.0]];
        make.0.curves.push(Curve {
            name: "own".to_owned(),
            keys,
        });
    }
    let mut player = Player::new(graph(json!({})), clips);
    let curve = player.graph.curve("own").expect("known");
    let mut random = Random(2);
    for _ in 0..200 {
        player.set("v", random.next() as f32);
        player.step(0.07);
        let found = curve_value(&player.graph, &player.state, curve);
        let expected: f32 = (1..3).map(|joint| player.pose.translation(joint).x).sum();
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn every_interpolation_is_exact() {
    for interpolation in [
        sinew_anim::Interpolation::Step,
        sinew_anim::Interpolation::Linear,
        sinew_anim::Interpolation::Cubic,
    ] {
        let mut random = Random(91);
        let mut clips = clips();
        let times = vec![0.0, 0.31, 0.77, 1.2];
        let count = times.len() * interpolation.values_per_key();
        let mut quat = || {
            let mut number = || random.next() as f32 - 0.5;
            glam::Quat::from_xyzw(number(), number(), number(), number() + 1.0).normalize()
        };
        let values = (0..count).map(|_| quat()).collect();
        clips[1].0.joints[0].rotation = Some(sinew_anim::Track {
            interpolation,
            times,
            values,
        });
        let run = clips[1].0.clone();
        let mut player = Player::new(graph(json!({})), clips);
        player.set("v", 1.0);
        for _ in 0..100 {
            player.step(0.031);
            // Where it is in its own lap shows in the joint's x.
            let seconds = player.pose.translation(2).x * 1.2;
            let mut expected = Pose::default();
            expected.copy_from(&player.graph.skeleton.rest);
            sample(&run, seconds, &mut expected);
            let off = crate::support::angle(player.pose.rotation(2), expected.rotation(2));
            assert!(off < 1e-4, "{interpolation:?} at {seconds}: {off}");
        }
    }
}

#[test]
fn a_state_that_plays_once_ends_after_one_lap() {
    let mut player = Player::new(graph(json!({ "mode": "once" })), walking([1.0, 2.0, 1.0]));
    player.set("v", 0.5);
    player.run_to(3.0, 0.07);
    assert_eq!(player.count("finished move"), 1);
    assert!(player.status().finished);
    assert!((player.place[1] - 2.0).abs() < 1e-5, "{:?}", player.place);
    assert_eq!(
        (player.count("l in move"), player.count("r in move")),
        (2, 2)
    );
}

#[test]
fn seconds_are_those_of_the_blend_s_lap() {
    let mut player = Player::new(graph(json!({})), clips());
    player.set("v", 0.5);
    let play = Play {
        at: Some(0.6),
        restart: true,
        fade: Some(0.0),
        ..Play::default()
    };
    player.play("move", play);
    player.step(0.0);
    // 1.6 s for four intervals: in the middle of the second.
    let status = player.status();
    assert!((status.time - 0.6).abs() < 1e-5 && (status.progress - 0.375).abs() < 1e-6);
    assert_in_step(&player, 0.5);
    player.state.seek(&player.graph, 0, 1.8);
    player.show();
    assert!((player.status().progress - 0.125).abs() < 1e-6);
    assert_in_step(&player, 0.5);
}

#[test]
fn markers_can_be_named_and_a_point_can_stay_out() {
    let mut clips = clips();
    // A name that only the walk has, in between, and an idle without any.
    clips[0] = clip("walk", 1.0)
        .x(1, 0.0, 1.0)
        .marker("l", 0.1)
        .marker("x", 0.3)
        .marker("r", 0.6);
    clips[1] = clips[1].clone().marker("x", 1.1);
    clips.push(clip("idle", 3.0).x(4, 0.0, 1.0));
    let points = json!([
        { "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }, { "at": 2, "clip": "limp" },
        { "at": 4, "clip": "idle", "align": "phase" },
    ]);
    for align in [json!(["l", "r"]), json!("marker")] {
        let mut player = Player::new(
            graph(json!({ "align": align, "points": points })),
            clips.clone(),
        );
        player.set("v", 0.5);
        for _ in 0..100 {
            player.step(0.03);
            assert_in_step(&player, 0.5);
        }
        // What stays out has the lap of the others.
        player.set("v", 3.0);
        player.step(0.0);
        let length = player.status().length;
        assert!((length - (3.0 + 3.0) / 2.0).abs() < 1e-5, "{length}");
        let own = player.pose.translation(4).x * 2.0;
        assert!((own - player.status().progress).abs() < 1e-5, "{own}");
    }
}

#[test]
fn all_that_plays_by_the_clock_is_aligned() {
    let mut clips = clips();
    clips.push(clip("step_l", 0.4).x(4, 0.0, 0.5).marker("l", 0.1));
    clips.push(clip("step_r", 0.6).x(4, 0.5, 1.0).marker("r", 0.2));
    clips.push(clip("lean", 5.0).x(0, 0.0, 1.0));
    let points = json!([
        { "at": 0, "motion": { "additive": { "base": { "clip": "walk" }, "add": { "clip": "lean" } } } },
        { "at": 1, "motion": { "blend": "w", "points": [{ "at": 0, "clip": "run" }, { "at": 1, "clip": "limp" }] } },
        { "at": 2, "motion": { "sequence": [{ "clip": "step_l" }, { "clip": "step_r" }] }, "speed": 2 },
    ]);
    let mut def = graph(json!({ "points": points }));
    def["parameters"]["w"] = json!(0.25);
    def.as_object_mut().expect("a table").remove("root");
    let mut player = Player::new(def, clips);
    // A lap of the sequence is a second, played at twice its speed, and it is played twice.
    for (v, length) in [(0.0, 2.0), (1.0, 0.75 * 1.2 + 0.25 * 3.0), (2.0, 1.0)] {
        player.set("v", v);
        let found = f64::from(player.status().length);
        assert!((found - length).abs() < 1e-5, "{found}");
    }
    for _ in 0..200 {
        player.set("v", 0.5);
        player.step(0.03);
        let progress = f64::from(player.status().progress);
        // Half the walk; of the other half a quarter limps.
        let own = [(1, 0.5), (2, 0.375), (3, 0.125)].map(|(joint, weight): (usize, f64)| {
            beat(
                LAYOUTS[joint - 1],
                f64::from(player.pose.translation(joint).x) / weight,
            )
        });
        let share = (progress * 4.0).fract();
        let near = |found: f64| (found - share).abs() < 1e-4 || (found - share).abs() > 0.999;
        assert!(own.iter().all(|(_, found)| near(*found)), "{own:?} {share}");
        // What is added has the lap of the state.
        let lean = f64::from(player.pose.translation(0).x) * 2.0;
        assert!((lean - progress).abs() < 1e-5, "{lean} {progress}");
        player.set("v", 2.0);
        player.show();
        let own = f64::from(player.pose.translation(4).x);
        // Parts of .4 and .6 s, half the way of the joint each.
        let phase = if own < 0.5 {
            own * 0.8
        } else {
            0.4 + (own - 0.5) * 1.2
        };
        let (_, found) = beat((1.0, &[("l", 0.1), ("r", 0.6)]), phase);
        assert!(near(found), "{found} {share}");
    }
}

#[test]
fn ranges_and_mirrored_clips_are_aligned_by_what_is_left_of_them() {
    let mut clips = clips();
    clips.push(
        still("long", 4.0, 0.0)
            .marker("l", 0.5)
            .marker("r", 1.5)
            .marker("l", 2.0)
            .marker("r", 3.5),
    );
    let points = json!([
        { "at": 0, "clip": "walk" },
        { "at": 1, "motion": { "clip": "long", "range": [1.0, 3.0] } },
    ]);
    let player = Player::new(graph(json!({ "points": points })), clips);
    let leaf = &player.graph.states(0)[0].leaves[1];
    let warp = leaf.warp.as_ref().expect("aligned");
    assert_eq!(
        (warp.laps, warp.knots.as_slice()),
        (1, &[0.5, 1.25, 1.5][..])
    );
}
