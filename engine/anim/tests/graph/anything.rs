//! Whatever is asked of a graph, in whatever order, its state stays sound.

use serde_json::json;
use sinew_anim::{Graph, GraphEventKind, GraphState, LoopMode, Play};

use crate::support::{Make, Player, Random, clip, compile, still};

fn clips() -> Vec<Make> {
    vec![
        clip("walk", 1.0)
            .z(0, 0.0, 1.2)
            .x(1, 0.0, 1.0)
            .marker("step", 0.0)
            .marker("step", 0.5),
        clip("run", 0.7)
            .z(0, 0.0, 2.5)
            .yaw(0, 0.0, 30.0)
            .marker("step", 0.1)
            .marker("step", 0.4),
        clip("jump", 0.4).yaw(1, 0.0, 170.0).marker("land", 0.4),
        clip("sway", 1.3).yaw(2, -80.0, 80.0).marker("turn", 1.3),
        still("pose", 0.0, 2.0).marker("still", 0.0),
    ]
}

/// A graph with one of everything; `extra` is one more state, for a second version of it.
fn graph(extra: bool) -> Graph {
    let points = json!([{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }]);
    let plane = json!([{ "at": [0, 0], "clip": "pose" }, { "at": [1, 0], "clip": "walk" }, { "at": [0, 1], "clip": "run" }]);
    let mut states = json!({
        "move": { "blend": "v", "points": points, "sync_group": "feet", "rate": "distance" },
        "walk": { "clip": "walk", "sync_group": "feet", "speed_parameter": "rate" },
        "strafe": { "blend": ["v", "rate"], "points": plane },
        "jump": { "clip": "jump", "mode": "once", "speed": 1.5 },
        "back": { "clip": "jump", "mode": "once", "speed": -1.0 },
        "sway": { "clip": "sway", "mode": "ping_pong" },
        "hold": { "clip": "sway", "time_parameter": "v" },
        "pose": { "clip": "pose" },
        "rest": { "rest": true },
    });
    if extra {
        states["again"] = json!({ "clip": "run" });
    }
    let ways = json!([
        { "from": "any", "to": "jump", "when": "go", "duration": 0.1, "priority": 1 },
        { "from": ["jump", "back"], "to": "move", "exit_time": 1.0, "duration": 0.3, "curve": "smooth" },
        { "from": "move", "to": "walk", "exit_time": 0.3, "when": "flag", "duration": 0.4 },
        { "from": "walk", "to": "move", "when": "not flag", "duration": 0.0 },
        { "from": "sway", "to": "strafe", "exit_time": 0.9, "latch": false, "offset": 0.4, "interruption": "none" },
        { "from": "strafe", "to": "back", "when": "v > 0.7", "offset": 0.2 },
        { "from": "rest", "to": "hold", "when": "flag and rate < 0" },
        { "from": "any", "to": "sway", "when": "go and v < 0.1", "reenter": "always" },
    ]);
    let over = json!({ "name": "over", "entry": "sway", "mask": "arm+", "weight": 0.5, "weight_parameter": "v",
        "states": { "sway": { "clip": "sway" }, "jump": { "clip": "jump", "mode": "once" } },
        "transitions": [{ "from": "jump", "to": "sway", "exit_time": 0.5, "duration": 0.5 }, { "from": "sway", "to": "jump", "when": "go" }] });
    let def = json!({
        "parameters": { "v": 0.0, "rate": 1.0, "flag": false, "go": "trigger" },
        "root": { "joint": "root" },
        "layers": [{ "name": "base", "entry": "move", "states": states, "transitions": ways }, over],
    });
    compile(def, clips()).expect("sound")
}

/// Asks for something.
fn disturb(player: &mut Player, random: &mut Random) {
    let mut number = |low: f64, high: f64| (low + (high - low) * random.next()) as f32;
    let what = number(0.0, 13.0) as usize;
    let layer = number(0.0, 2.0) as u16;
    let states = player.graph.states(layer).len();
    let state = number(0.0, states as f64) as u16;
    match what {
        0 => player.set("v", number(-0.5, 1.5)),
        1 => player.set("rate", number(-2.0, 2.0).round()),
        2 => player.flag("flag", number(0.0, 1.0) < 0.5),
        3 => player.pull("go"),
        4 | 5 => {
            let play = Play {
                fade: (number(0.0, 1.0) < 0.7).then(|| number(0.0, 1.0)),
                at: (number(0.0, 1.0) < 0.3).then(|| number(-1.0, 3.0)),
                restart: number(0.0, 1.0) < 0.5,
                after_finish: number(0.0, 1.0) < 0.3,
                inertial: number(0.0, 1.0) < 0.3,
            };
            player.state.play(&player.graph, layer, state, &play);
        }
        6 => player.state.seek(&player.graph, layer, number(-2.0, 3.0)),
        7 => player.state.speed = number(-2.0, 3.0).round(),
        8 => {
            let looping = number(0.0, 1.0) < 0.5;
            player.state.set_looping(&player.graph, layer, looping);
        }
        9 => player
            .state
            .set_layer_weight(layer, number(0.0, 1.0).round(), number(0.0, 0.5)),
        10 => player.state.paused = number(0.0, 1.0) < 0.2,
        11 => {
            let text = serde_json::to_string(&player.state).expect("plain data");
            player.state = serde_json::from_str(&text).expect("reads what it wrote");
        }
        _ => {
            let old = std::mem::replace(&mut player.graph, graph(number(0.0, 1.0) < 0.5));
            player.state = player.state.migrate(&old, &player.graph);
        }
    }
}

/// What holds after any step.
fn check(player: &Player, current: &mut [String; 2], case: &str) {
    let events = &player.out.events;
    assert!(
        events.windows(2).all(|pair| pair[0].alpha <= pair[1].alpha),
        "{case}: {events:?}"
    );
    for event in events {
        assert!((0.0..=1.0).contains(&event.alpha), "{case}: {event:?}");
        assert!(
            (0.0..=1.0 + 1e-5).contains(&event.weight),
            "{case}: {event:?}"
        );
        let name = player.graph.source_name(event.source);
        let current = &mut current[usize::from(event.layer)];
        match event.kind {
            // Told in pairs: what is left is what was entered before.
            GraphEventKind::StateExit { .. } => assert_eq!(name, current, "{case}"),
            GraphEventKind::StateEnter { .. } => name.clone_into(current),
            _ => {}
        }
    }
    for (index, layer) in player.state.machines.iter().enumerate() {
        let status = player.state.layer_status(&player.graph, index as u16);
        let name = &player.graph.states(index as u16)[usize::from(status.state)].name;
        assert_eq!(name, &current[index], "{case}");
        assert!((0.0..=1.0).contains(&status.progress), "{case}: {status:?}");
        assert!((0.0..=1.0).contains(&status.weight), "{case}: {status:?}");
        let (last, older) = layer.playing.split_last().expect("something plays");
        assert!(older.len() < 8, "{case}");
        let fades = layer.fade.is_some_and(|fade| !fade.blend.inertial);
        assert_eq!(
            older.is_empty() && layer.frozen.is_none(),
            !fades,
            "{case}: {layer:?}"
        );
        let shares: f32 = older.iter().map(|playing| playing.share).sum();
        assert!(shares <= 1.0 + 1e-4, "{case}: {shares}");
        assert!(
            layer.frozen.is_some() || older.is_empty() || shares > 1.0 - 1e-4,
            "{case}: {shares}"
        );
        let in_lap = last.mode != LoopMode::Once || (0.0..=1.0).contains(&last.cycles);
        assert!(in_lap && last.cycles.is_finite(), "{case}: {last:?}");
    }
    let root = player.out.root;
    assert!(
        root.translation.is_finite() && root.yaw.is_finite(),
        "{case}"
    );
    for joint in 0..player.pose.joints {
        let local = player.pose.joint(joint);
        assert!(local.translation.is_finite(), "{case}");
        assert!(
            (local.rotation.length() - 1.0).abs() < 1e-4,
            "{case}: {local:?}"
        );
    }
}

#[test]
fn whatever_is_asked_in_whatever_order_the_state_stays_sound() {
    for seed in 1..=150_u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut player = Player::of(graph(false));
        let mut current = ["move".to_owned(), "sway".to_owned()];
        for step in 0..200 {
            let before: GraphState = player.state.clone();
            if random.next() < 0.5 {
                disturb(&mut player, &mut random);
            }
            // A reload may take the current state away.
            for (index, name) in current.iter_mut().enumerate() {
                if player.graph.state(index as u16, name).is_none() {
                    let machine = &player.graph.machines[index];
                    name.clone_from(&machine.states[usize::from(machine.entry)].name);
                }
            }
            let dts = [0.0, 1e-4, 1.0 / 60.0, 0.1, 0.7, 5.0];
            let dt = dts[(random.next() * dts.len() as f64) as usize];
            player.step(dt);
            check(
                &player,
                &mut current,
                &format!("seed {seed}, step {step}, dt {dt} after {before:?}"),
            );
        }
    }
}
