//! Root motion of every set of axes that a graph can ask for.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{Make, Player, Random, clip, one_layer};

/// A second along and about every axis: of the root's keys, yaw is all that a list can take of its turns.
fn restless(name: &str) -> Make {
    let mut make = clip(name, 1.0).yaw(0, 0.0, 70.0);
    let tracks = &mut make.0.joints[0];
    let places = vec![Vec3::ZERO, Vec3::new(0.4, 0.8, 1.5)];
    let turns = tracks.rotation.as_mut().expect("a turn was asked for");
    for (turn, pitch) in turns.values.iter_mut().zip([0.0, 0.5]) {
        *turn *= Quat::from_rotation_x(pitch);
    }
    let times = turns.times.clone();
    tracks.translation = Some(sinew_anim::Track {
        interpolation: sinew_anim::Interpolation::Linear,
        times,
        values: places,
    });
    make
}

fn player(axes: &Value, states: Value, clips: Vec<Make>) -> Player {
    let parameters = json!({ "go": "trigger", "speed": 0.0 });
    let ways = json!([{ "from": "a", "to": "b", "when": "go", "duration": 0.4 }]);
    let ways = if states.get("b").is_some() {
        ways
    } else {
        json!([])
    };
    let mut def = one_layer(parameters, states, "a", ways);
    def["root"] = json!({ "joint": "root", "axes": axes });
    Player::new(def, clips)
}

/// Where an actor is that does what the graph says.
#[derive(Default)]
struct Walker {
    place: Vec3,
    turn: Quat,
    yaw: f32,
}

impl Walker {
    fn step(&mut self, player: &mut Player, dt: f32) {
        player.step(dt);
        let root = player.out.root;
        self.place += self.turn * root.translation;
        self.turn = (self.turn * root.rotation).normalize();
        self.yaw += root.yaw;
    }

    #[track_caller]
    fn assert_near(&self, other: &Self, near: f32) {
        let turned = self.turn.dot(other.turn).abs();
        let same = self.place.abs_diff_eq(other.place, near) && 1.0 - turned < near;
        assert!(
            same,
            "{} {} and {} {}",
            self.place, self.turn, other.place, other.turn
        );
    }
}

fn walk(player: &mut Player, seconds: f64, mut dt: impl FnMut() -> f32) -> Walker {
    let mut walker = Walker::default();
    while player.time < seconds - 1e-6 {
        let left = (seconds - player.time) as f32;
        walker.step(player, dt().min(left));
    }
    walker
}

#[test]
fn each_form_takes_its_axes_and_leaves_the_rest_in_the_pose() {
    let (way, yaw) = (Vec3::new(0.4, 0.8, 1.5), 70_f32.to_radians());
    let cases = [
        (json!("planar"), [true, false, true, true]),
        (json!("planar_y"), [true, true, true, true]),
        (json!(["x", "z", "yaw"]), [true, false, true, true]),
        (json!(["yaw"]), [false, false, false, true]),
        (json!(["z", "x"]), [true, false, true, false]),
        (json!(["y"]), [false, true, false, false]),
        (json!([]), [false; 4]),
    ];
    for (axes, [x, y, z, turns]) in cases {
        let states = json!({ "a": { "clip": "a", "mode": "once" } });
        let mut player = player(&axes, states, vec![restless("a")]);
        let walker = walk(&mut player, 1.5, || 0.1);
        let share = |taken: bool, value: f32| if taken { value } else { 0.0 };
        let moved = Vec3::new(share(x, way.x), share(y, way.y), share(z, way.z));
        assert!(
            walker.place.abs_diff_eq(moved, 1e-5),
            "{axes}: {}",
            walker.place
        );
        assert!((walker.yaw - share(turns, yaw)).abs() < 1e-5, "{axes}");
        // Actor and pose together are the clip, which ends pitched.
        let root = player.pose.joint(0);
        let whole = walker.place + walker.turn * root.translation;
        assert!(whole.abs_diff_eq(way, 1e-5), "{axes}: {whole}");
        let expected = Quat::from_rotation_y(yaw) * Quat::from_rotation_x(0.5);
        let whole = walker.turn * root.rotation;
        assert!(whole.dot(expected).abs() > 1.0 - 1e-6, "{axes}: {whole}");
    }
}

#[test]
fn a_full_root_takes_everything() {
    let states = json!({ "a": { "clip": "a", "mode": "once" } });
    let mut player = player(&json!("full"), states, vec![restless("a")]);
    let walker = walk(&mut player, 1.5, || 0.1);
    let turn = Quat::from_rotation_y(70_f32.to_radians()) * Quat::from_rotation_x(0.5);
    assert!(walker.place.abs_diff_eq(Vec3::new(0.4, 0.8, 1.5), 1e-5));
    assert!(walker.turn.dot(turn).abs() > 1.0 - 1e-6);
    assert_eq!(player.pose.joint(0), player.graph.skeleton.rest.joint(0));
}

#[test]
fn a_list_of_the_planar_axes_is_planar_to_the_bit() {
    let run = |axes: Value| {
        let states = json!({ "a": { "clip": "a" } });
        let mut player = player(&axes, states, vec![restless("a")]);
        let mut roots = Vec::new();
        for _ in 0..100 {
            player.step(0.037);
            roots.push(player.out.root);
        }
        (roots, player.pose)
    };
    assert_eq!(run(json!("planar")), run(json!(["yaw", "z", "x"])));
}

#[test]
fn any_partition_of_time_gives_the_same_way_along_all_axes() {
    let mut random = Random(23);
    for axes in [json!("planar_y"), json!("full"), json!(["y", "z", "yaw"])] {
        for speed in [1.0, -1.3] {
            let states = json!({ "a": { "clip": "a", "speed": speed } });
            let start = || player(&axes, states.clone(), vec![restless("a")]);
            let whole = walk(&mut start(), 5.0, || 5.0);
            for _ in 0..20 {
                let pieces = walk(&mut start(), 5.0, || random.next() as f32 * 0.5 + 1e-4);
                pieces.assert_near(&whole, 1e-4);
            }
        }
    }
}

#[test]
fn fades_of_any_axes_agree_whatever_the_steps() {
    for axes in [json!("planar"), json!("planar_y"), json!("full")] {
        let run = |dt: f32| {
            let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" } });
            let clips = vec![restless("a"), clip("b", 1.0).z(0, 0.0, 2.0)];
            let mut player = player(&axes, states, clips);
            player.pull("go");
            walk(&mut player, 1.0, || dt)
        };
        let fine = run(1.0 / 960.0);
        for dt in [1.0 / 60.0, 0.125, 0.25] {
            run(dt).assert_near(&fine, 0.02);
        }
    }
}

/// Clips of a second with 0, 1 and 3 m, and clips of other lengths with the same speeds.
#[test]
fn the_way_of_a_line_of_walks_is_linear_between_them() {
    for (rate, [mid, fast]) in [("duration_mean", [1.0, 1.0]), ("distance", [0.7, 1.9])] {
        let states = json!({ "a": {
            "blend": "speed", "rate": rate,
            "points": [{ "at": 0, "clip": "stand" }, { "at": 1, "clip": "walk" }, { "at": 2, "clip": "run" }],
        } });
        for axes in [json!("planar"), json!("full"), json!(["z"])] {
            for (x, metres) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 2.0), (2.0, 3.0)] {
                let clips = vec![
                    clip("stand", 1.0).z(0, 0.0, 0.0),
                    clip("walk", mid).z(0, 0.0, mid),
                    clip("run", fast).z(0, 0.0, 3.0 * fast),
                ];
                let mut player = player(&axes, states.clone(), clips);
                player.set("speed", x);
                let walker = walk(&mut player, 1.0, || 1.0 / 60.0);
                let error = (walker.place.z - metres).abs();
                assert!(error < 1e-4, "{rate} {axes} {x}: {}", walker.place);
            }
        }
    }
}
