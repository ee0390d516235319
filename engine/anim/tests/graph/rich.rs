//! A graph with a part of every kind, and somebody who asks it for anything.

use serde_json::{Value, json};
use sinew_anim::{
    Curve, EndReason, Graph, GraphEvent, GraphState, Play, Pose, SlotPlay, SlotStop, Window,
};

use crate::support::{Make, Player, Random, clip, compile, still};

/// Which of the versions of the graph: with another state inside, without the machine of one state, and
/// with the states and layers in other numbers.
pub const VERSIONS: usize = 3;

fn clips() -> Vec<Make> {
    let windowed = |mut make: Make, name: &str, begin: f32, end: f32| {
        let name = name.to_owned();
        make.0.windows.push(Window { name, begin, end });
        make
    };
    let curved = |mut make: Make, keys: &[[f32; 2]]| {
        let (name, keys) = ("lift".to_owned(), keys.to_vec());
        make.0.curves.push(Curve { name, keys });
        make
    };
    let walk = clip("walk", 1.0)
        .z(0, 0.0, 1.2)
        .x(1, 0.0, 1.0)
        .marker("step", 0.0)
        .marker("step", 0.5);
    let run = clip("run", 0.7)
        .z(0, 0.0, 2.5)
        .yaw(0, 0.0, 30.0)
        .marker("step", 0.1)
        .marker("step", 0.4);
    let jump = clip("jump", 0.4).yaw(1, 0.0, 170.0).marker("land", 0.4);
    let sway = clip("sway", 1.3).yaw(2, -80.0, 80.0).marker("turn", 1.3);
    vec![
        curved(windowed(walk, "down", 0.2, 0.6), &[[0.0, 0.0], [1.0, 1.0]]),
        windowed(run, "down", 0.0, 0.7),
        windowed(windowed(jump, "air", 0.1, 0.4), "air", 0.2, 0.2),
        curved(windowed(sway, "arm", 0.5, 1.0), &[[0.0, 0.5], [1.3, 1.0]]),
        still("pose", 0.0, 2.0).marker("still", 0.0),
    ]
}

fn nested(reenter: &str, extra: bool) -> Value {
    let deep = json!({ "machine": { "entry": "one", "reenter": reenter,
        "states": {
            "one": { "clip": "jump", "mode": "once", "events": [{ "name": "mid", "phase": 0.5 }] },
            "two": { "select": "random", "children": [{ "clip": "walk" }, { "clip": "sway" }, { "clip": "run" }] },
        },
        "transitions": [
            { "from": "one", "to": "two", "exit_time": 1, "duration": 0.2, "by": "inertial" },
            { "from": "two", "to": "one", "when": "flag", "duration": 0.1, "interruption": "live" },
        ] } });
    let mut states = json!({
        "rise": { "clip": "jump", "mode": "once" },
        "drop": { "clip": "sway" },
        "deep": deep,
    });
    if extra {
        states["again"] = json!({ "clip": "run" });
    }
    json!({ "machine": { "entry": "rise", "reenter": reenter, "states": states,
        "transitions": [
            { "from": "rise", "to": "drop", "exit_time": 1, "duration": 0.3, "interruption": "live" },
            { "from": "drop", "to": "deep", "when": "v > 0.3", "exit_time": 0.2, "duration": 0.4, "interruption": "inertial" },
            { "from": "any", "to": "rise", "when": "hop", "reenter": "always", "duration": 0.2 },
        ] } })
}

fn base_states(version: usize) -> Value {
    let points = json!([{ "at": 0, "clip": "walk" }, { "at": 0.5, "clip": "run", "speed": 1.2 }, { "at": 1, "clip": "run" }]);
    let plane = json!([
        { "at": [0, 0], "clip": "pose" }, { "at": [1, 0], "clip": "walk" }, { "at": [0, 1], "clip": "run" },
        { "at": [-1, -1], "motion": { "clip": "sway", "mirror": { "pairs": [["arm", "tail"]] } } },
    ]);
    let mut states = json!({
        "move": { "blend": "v", "align": "marker", "points": points, "sync_group": "feet", "rate": "distance", "sync_role": "always_leader" },
        "walk": { "clip": "walk", "sync_group": "feet", "speed_parameter": "rate" },
        "strafe": { "blend": ["v", "rate"], "points": plane, "weights": "delaunay", "speaks": "all" },
        "round": { "blend": ["v", "rate"], "points": plane, "weights": "polar", "keep": 2, "sync_group": "feet" },
        "jump": { "clip": "jump", "mode": "once", "speed": 1.5 },
        "back": { "clip": "jump", "mode": "once", "speed": -1.0 },
        "sway": { "clip": "sway", "mode": "ping_pong" },
        "hold": { "clip": "sway", "time_parameter": "v" },
        "lean": { "additive": { "base": { "direct": [{ "weight": "v", "motion": { "clip": "walk" } }, { "weight": "rate", "motion": { "clip": "run" } }] },
                                "add": { "clip": "sway" }, "weight": "v" }, "speaks": "all" },
        "row": { "sequence": [{ "clip": "walk" }, { "clip": "jump" }, { "clip": "run", "range": [0.1, 0.5] }] },
        "pick": { "select": "n", "children": [{ "rest": true }, { "pose": "kept" }, { "clip": "sway", "time_parameter": "v" }] },
        "dice": { "select": "random", "children": [{ "clip": "walk" }, { "clip": "run" }, { "clip": "sway" }] },
        "air": nested("reset", version == 1),
        "swim": nested("resume", false),
        "hub": { "conduit": true },
        "rest": { "rest": true, "enter_when": "v > 0.2" },
    });
    if version == 2 {
        states["air"] = json!({ "clip": "jump" });
        states["aaa"] = json!({ "clip": "run" });
    }
    states
}

fn ways() -> Value {
    json!([
        { "from": "any", "to": "hub", "when": "go", "duration": 0.1, "priority": 2, "reenter": "never" },
        { "from": "hub", "to": "air", "when": "v > 0.6", "duration": 0.3, "interruption": "live" },
        { "from": "hub", "to": "swim", "when": "v > 0.3", "duration": 0.25, "by": "inertial" },
        { "from": "hub", "to": "rest", "when": "rate > 0", "duration": 0.2, "interruption": "live" },
        { "from": ["jump", "back", "air"], "to": "move", "exit_time": 1.0, "duration": 0.3, "curve": "smooth", "interruption": "live" },
        { "from": "move", "to": "walk", "exit_time": 0.3, "when": "flag", "duration": 0.4, "interruption": "inertial" },
        { "from": "walk", "to": "move", "when": "not flag", "duration": 0.2, "interruption": "live", "interrupted_by": ["walk>round"] },
        { "from": "walk", "to": "round", "when": "hop", "duration": 0.5, "align": "marker", "profile": { "arm": 0.5, "hand": 0.25 } },
        { "from": "round", "to": "move", "when": "v > 0.4", "duration": 0.5, "interruption": "live" },
        { "from": "sway", "to": "strafe", "exit_time": 0.9, "latch": false, "offset": 0.4, "interruption": "none" },
        { "from": "strafe", "to": "back", "when": "v > 0.7", "offset": 0.2 },
        { "from": "rest", "to": "hold", "when": "flag and rate < 0", "interruption": "live" },
        { "from": "hold", "to": "lean", "when": "v > 0.5", "duration": 0.3, "interruption": "live" },
        { "from": "lean", "to": "row", "exit_time": 0.5, "duration": 0.3, "align": "phase", "by": "inertial", "profile": { "arm": 0.5 } },
        { "from": "row", "to": "dice", "exit_time": 1.0, "duration": 0.3, "interruption": "live" },
        { "from": "dice", "to": "pick", "exit_time": 0.5, "when": "hop", "duration": 0.3, "interruption": "live" },
        { "from": "pick", "to": "dice", "when": "not flag", "duration": 0.4, "interruption": "live" },
        { "from": "any", "to": "sway", "when": "go and v < 0.1", "reenter": "always", "interruption": "live" },
    ])
}

/// One version of the graph; `extra` keys go over those of the whole.
pub fn graph_with(version: usize, extra: &Value) -> Graph {
    let over = json!({ "name": "over", "entry": "sway", "mask": "arm+", "weight": 0.5, "weight_parameter": "v",
        "root_motion": true, "root_weights": "target",
        "states": { "sway": { "clip": "sway" }, "jump": { "clip": "jump", "mode": "once" }, "in": nested("resume", false) },
        "transitions": [{ "from": "jump", "to": "in", "exit_time": 0.5, "duration": 0.5 }, { "from": "sway", "to": "jump", "when": "hop" },
            { "from": "in", "to": "sway", "when": "flag", "duration": 0.3, "interruption": "inertial" }] });
    let added = json!({ "name": "added", "entry": "a", "blend": "additive", "space": "mesh", "reference": "first_frame", "weight_curve": "lift",
        "follow": "base", "states": { "a": { "clip": "walk" }, "b": { "clip": "sway" } },
        "transitions": [{ "from": "a", "to": "b", "when": "hop", "duration": 0.2, "interruption": "live" }, { "from": "b", "to": "a", "when": "flag", "duration": 0.2 }] });
    let base = json!({ "name": "base", "entry": "move", "states": base_states(version), "transitions": ways() });
    let mut def = json!({
        "parameters": { "v": 0.0, "rate": 1.0, "n": { "type": "int", "value": 1 }, "flag": false, "go": "trigger", "hop": "trigger" },
        "root": { "joint": "root" },
        "layers": if version == 2 { json!([base, added, over]) } else { json!([base, over, added]) },
        "slots": { "hit": { "after": "over", "mask": "arm+", "blend": "additive" }, "whole": { "after": "base" } },
        "transitions_per_step": 4,
    });
    for (key, value) in extra.as_object().expect("a table") {
        def[key] = value.clone();
    }
    compile(def, clips()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// What somebody did that is not told, and what ended outside of a step.
#[derive(Default)]
pub struct Done {
    /// What the machines play was replaced without a word.
    pub silently: bool,
    /// The graph is another version: all of the state was carried over.
    pub migrated: bool,
    /// Ended outside of a step.
    pub ended: Vec<GraphEvent>,
    /// A handle that was given.
    pub handle: Option<(u16, u32)>,
}

/// Changes a parameter, plays, stops, seeks or fades something: what games do all the time.
pub fn play_anything(player: &mut Player, random: &mut Random) -> Done {
    let mut done = Done::default();
    let mut number = |low: f64, high: f64| (low + (high - low) * random.next()) as f32;
    let layer = number(0.0, 3.0) as u16;
    let play = Play {
        fade: (number(0.0, 1.0) < 0.7).then(|| number(0.0, 1.0)),
        at: (number(0.0, 1.0) < 0.3).then(|| number(-1.0, 3.0)),
        restart: number(0.0, 1.0) < 0.5,
        after_finish: number(0.0, 1.0) < 0.3,
        inertial: number(0.0, 1.0) < 0.3,
    };
    match number(0.0, 13.0) as usize {
        0 | 1 => player.set("v", number(-0.5, 1.5)),
        2 => player.set("rate", number(-2.0, 2.0).round()),
        3 => player.flag("flag", number(0.0, 1.0) < 0.5),
        4 | 5 => player.pull("go"),
        6 => player.pull("hop"),
        7 => {
            let state = number(0.0, player.graph.states(layer).len() as f64) as u16;
            player.state.play(&player.graph, layer, state, &play);
        }
        8 => {
            let machine = number(0.0, player.graph.machines.len() as f64) as u16;
            let states = &player.graph.machines[usize::from(machine)].states;
            let state = number(0.0, states.len() as f64) as u16;
            player.state.play_in(&player.graph, machine, state, &play);
        }
        9 => {
            let fade_in = number(0.0, 0.4);
            let how = SlotPlay {
                fade_in,
                fade_out: number(0.0, 0.4),
                inertial: fade_in < 0.16,
                priority: number(0.0, 2.0) as i32,
                speed: number(-2.0, 2.0),
                looping: number(0.0, 1.0) < 0.3,
                at: (number(0.0, 1.0) < 0.2).then(|| number(-1.0, 2.0)),
            };
            let slot = number(0.0, 2.0) as u16;
            let clip = number(0.0, 5.0) as u16;
            let handle = player.state.play_slot(&player.graph, slot, clip, &how);
            done.handle = handle.map(|handle| (slot, handle));
        }
        10 => {
            let fade = number(0.0, 0.3);
            player.state.stop_slot(
                number(0.0, 2.0) as u16,
                &SlotStop {
                    fade_out: Some(fade),
                    inertial: (fade < 0.1).then_some(true),
                    ..SlotStop::default()
                },
            );
        }
        11 => player.state.seek(&player.graph, layer, number(-2.0, 3.0)),
        _ => {
            let index = player.graph.parameter("n").expect("known");
            let value = number(-1.0, 4.0) as i32;
            player
                .state
                .set_int(&player.graph, index, value)
                .expect("int");
        }
    }
    let weight = number(0.0, 1.0).round();
    if number(0.0, 1.0) < 0.05 {
        player
            .state
            .set_layer_weight(layer, weight, number(0.0, 0.5));
    }
    done
}

/// What games do seldom: force, reset, keep a pose, let a pose change over, read everything again.
pub fn do_something_rare(player: &mut Player, random: &mut Random) -> Done {
    let mut done = Done::default();
    let mut number = |low: f64, high: f64| (low + (high - low) * random.next()) as f32;
    let layer = number(0.0, 3.0) as u16;
    match number(0.0, 9.0) as usize {
        0 => {
            let state = number(0.0, player.graph.states(layer).len() as f64) as u16;
            player.state.force_state(&player.graph, layer, state);
            done.silently = true;
        }
        1 => {
            player.state.reset(&player.graph);
            done.silently = true;
        }
        2 => {
            let shown: Pose = player.pose.clone();
            player.state.keep_pose(0, &shown);
        }
        3 => {
            let shown: Pose = player.pose.clone();
            let seconds = number(0.0, 1.0);
            player
                .state
                .change_from(&player.graph, &shown, seconds, &mut player.scratch);
        }
        4 => player.state.speed = number(-2.0, 3.0).round(),
        5 => player.state.paused = number(0.0, 1.0) < 0.2,
        6 => {
            let looping = number(0.0, 1.0) < 0.5;
            player.state.set_looping(&player.graph, layer, looping);
        }
        7 => player.state = read_again(&player.state),
        _ => {
            let version = number(0.0, VERSIONS as f64) as usize;
            let new = graph_with(version, &json!({}));
            player
                .state
                .close_windows(&player.graph, EndReason::Reload, &mut done.ended);
            player.state = player.state.migrate(&player.graph, &new);
            player.graph = new;
            done.migrated = true;
        }
    }
    done
}

/// The state as it comes back from a file.
pub fn read_again(state: &GraphState) -> GraphState {
    let text = serde_json::to_string(state).expect("plain data");
    serde_json::from_str(&text).expect("reads what it wrote")
}
