//! The order in which the points of a blend are written changes nothing: not the pose, not the clock, not the way,
//! not what is heard.

use glam::Vec2;
use serde_json::{Value, json};
use sinew_anim::{Triangulation, gradient_band_weights, linear_weights, polar_band_weights};

use crate::support::{Make, Player, Random, clip, one_layer};

/// The same points in another order.
fn shuffled(points: &[Value], random: &mut Random) -> Vec<Value> {
    let mut points = points.to_vec();
    for index in (1..points.len()).rev() {
        points.swap(index, (random.next() * (index + 1) as f64) as usize);
    }
    points
}

/// One clip a sample, all of them different: length, pose, travel, a turn, steps.
fn clips(count: usize, random: &mut Random) -> Vec<Make> {
    let make = |index: usize| {
        let seconds = (0.4 + random.next()) as f32;
        let turn = (random.next() * 80.0 - 40.0) as f32;
        clip(&format!("c{index}"), seconds)
            .x(1, random.next() as f32 * 4.0, random.next() as f32 * 4.0)
            .yaw(2, turn, -turn)
            .z(0, 0.0, seconds * (1.0 + random.next() as f32))
            .yaw(0, 0.0, turn)
            .marker("step", seconds * random.next() as f32)
            .marker("step", seconds * random.next() as f32)
    };
    (0..count).map(make).collect()
}

fn number(value: &Value) -> f32 {
    value.as_f64().expect("a number") as f32
}

fn player(state: &Value, points: &[Value], clips: &[Make]) -> Player {
    let mut state = state.clone();
    state["points"] = json!(points);
    let mut def = one_layer(
        json!({ "x": 0.0, "y": 0.0 }),
        json!({ "s": state }),
        "s",
        json!([]),
    );
    def["root"] = json!({ "joint": "root" });
    Player::new(def, clips.to_vec())
}

/// Whether no two weights are so near to each other, or so nearly apart by what it takes to become the speaker, that
/// the last bit decides. Of equals the first in the document counts.
fn is_clear(weights: &[f32]) -> bool {
    let had = || weights.iter().filter(|weight| **weight > 0.0);
    let near = |a: f32, b: f32| (a - b).abs() < 1e-3 || ((a - b).abs() - 0.05).abs() < 1e-3;
    let pairs = had().enumerate();
    let clear = |(at, a): (usize, &f32)| had().skip(at + 1).all(|b| !near(*a, *b));
    pairs.into_iter().all(clear) && had().all(|weight| !near(*weight, 0.3) && *weight > 1e-4)
}

/// Runs both with the same parameters and steps, wherever the weights are clear.
fn assert_alike(
    one: &mut Player,
    other: &mut Player,
    random: &mut Random,
    weights: &dyn Fn([f64; 2]) -> Vec<f32>,
    case: &str,
) {
    let mut done = 0;
    while done < 12 {
        let place = [random.next() * 4.0 - 2.0, random.next() * 4.0 - 2.0];
        if !is_clear(&weights(place)) {
            continue;
        }
        done += 1;
        let dt = (random.next() * 0.2) as f32;
        for player in [&mut *one, &mut *other] {
            player.set("x", place[0] as f32);
            player.set("y", place[1] as f32);
            player.step(dt);
        }
        assert!((one.x() - other.x()).abs() < 2e-5, "{case}: pose");
        let turned = crate::support::angle(one.pose.rotation(2), other.pose.rotation(2));
        assert!(turned < 2e-5, "{case}: {turned} rad");
        let phases = [&*one, &*other].map(|player| player.state.machines[0].playing[0].cycles);
        assert!(
            (phases[0] - phases[1]).abs() < 1e-5,
            "{case}: clock {phases:?}"
        );
        for axis in 0..3 {
            let apart = (one.place[axis] - other.place[axis]).abs();
            assert!(apart < 2e-5, "{case}: way {axis} {apart}");
        }
    }
    assert_eq!(one.words(), other.words(), "{case}");
    for (a, b) in one.said.iter().zip(&other.said) {
        assert!((a.time - b.time).abs() < 1e-4, "{case}: {a:?} and {b:?}");
        assert!((a.weight - b.weight).abs() < 1e-4, "{case}: {a:?} {b:?}");
    }
}

#[test]
fn on_a_line() {
    let mut random = Random(0x11e5);
    for run in 0..60 {
        let count = 2 + run % 6;
        let clips = clips(count, &mut random);
        let points: Vec<Value> = (0..count)
            .map(|index| json!({ "at": random.next() * 3.0 - 1.5, "clip": format!("c{index}"), "speed": 0.5 + random.next() }))
            .collect();
        let rate = ["duration_mean", "rate_mean", "distance"][run % 3];
        let speaks = [json!("dominant"), json!("all"), json!(0.3)][run / 3 % 3].clone();
        let state = json!({ "blend": "x", "rate": rate, "speaks": speaks });
        let mut one = player(&state, &points, &clips);
        let mut other = player(&state, &shuffled(&points, &mut random), &clips);
        let at: Vec<f32> = points.iter().map(|point| number(&point["at"])).collect();
        let weights = |[x, _]: [f64; 2]| {
            let mut weights = vec![0.0; count];
            linear_weights(&at, x as f32, &mut weights);
            weights
        };
        let case = format!("run {run}, {rate}");
        assert_alike(&mut one, &mut other, &mut random, &weights, &case);
    }
}

#[test]
fn over_a_plane_by_every_rule() {
    let mut random = Random(0x21e5);
    for run in 0..180 {
        let count = 3 + run % 6;
        let clips = clips(count, &mut random);
        let mut points: Vec<Value> = (0..count)
            .map(|index| {
                let at = [random.next() * 3.0 - 1.5, random.next() * 3.0 - 1.5];
                json!({ "at": at, "clip": format!("c{index}"), "speed": 0.5 + random.next() })
            })
            .collect();
        // With a centre in half of the runs, as strafe sets have one.
        if run % 2 == 0 {
            points[0]["at"] = json!([0.0, 0.0]);
        }
        let rule = ["gradient_band", "polar", "delaunay"][run % 3];
        let rate = ["duration_mean", "rate_mean", "distance"][run / 3 % 3];
        let speaks = [json!("dominant"), json!("all"), json!(0.3)][run / 9 % 3].clone();
        let mut state =
            json!({ "blend": ["x", "y"], "weights": rule, "rate": rate, "speaks": speaks });
        if run % 4 < 2 {
            state["keep"] = json!(1 + run % 4);
        }
        let mut one = player(&state, &points, &clips);
        let mut other = player(&state, &shuffled(&points, &mut random), &clips);
        let at: Vec<Vec2> = points
            .iter()
            .map(|point| Vec2::new(number(&point["at"][0]), number(&point["at"][1])))
            .collect();
        let weights = |[x, y]: [f64; 2]| {
            let mut weights = vec![0.0; count];
            let place = Vec2::new(x as f32, y as f32);
            match rule {
                "polar" => polar_band_weights(&at, place, &mut weights),
                "delaunay" => Triangulation::new(&at).weights(&at, place, &mut weights),
                _ => gradient_band_weights(&at, place, &mut weights),
            }
            weights
        };
        let case = format!("run {run}, {rule}, {rate}");
        assert_alike(&mut one, &mut other, &mut random, &weights, &case);
    }
}
