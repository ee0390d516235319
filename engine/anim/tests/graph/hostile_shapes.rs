//! Graphs whose parts multiply: a step of them ends soon all the same.

use serde_json::{Map, Value, json};
use sinew_anim::{Graph, GraphState};

use crate::support::{Player, clip, compile, one_layer, still};

/// A state that chooses anew hundreds of times a step, beside `inside`.
fn restless(inside: Option<Value>) -> Value {
    let choice = json!({ "select": "random", "children": [{ "clip": "walk" }, { "clip": "run" }] });
    let mut parts = vec![json!({ "weight": "one", "motion": choice })];
    if let Some(state) = inside {
        let machine = json!({ "entry": "s", "states": { "s": state } });
        parts.push(json!({ "weight": "one", "motion": { "machine": machine } }));
    }
    json!({ "direct": parts, "speed": 1e6 })
}

#[test]
fn machines_inside_machines_do_not_multiply_the_slices_of_a_step() {
    let state = (0..6).fold(restless(None), |inside, _| restless(Some(inside)));
    let def = one_layer(json!({ "one": 1.0 }), json!({ "s": state }), "s", json!([]));
    let clips = vec![clip("walk", 1.0).z(0, 0.0, 1.0), clip("run", 0.5)];
    let mut player = Player::of(compile(def, clips).expect("sound"));
    for dt in [1.0 / 60.0, 1.0, 1e6] {
        let before = player.state.machines[0].playing[0].cycles;
        player.step(dt);
        let moved = player.state.machines[0].playing[0].cycles - before;
        assert!(
            moved > f64::from(dt) * 1e6,
            "the whole step passes: {moved}"
        );
        assert!(player.pose.joint(0).translation.is_finite());
    }
}

/// `a`, then `rows` rows of conduits that each lead to all of the next, then `b` behind a closed door.
fn fan(rows: usize, width: usize, door: &str) -> Graph {
    let name = |row: usize, column: usize| format!("c{row}_{column}");
    let mut states = Map::new();
    let mut ways = Vec::new();
    states.insert("a".to_owned(), json!({ "clip": "a" }));
    states.insert("b".to_owned(), json!({ "clip": "b" }));
    for column in 0..width {
        ways.push(json!({ "from": "a", "to": name(0, column) }));
        for row in 0..rows {
            states.insert(name(row, column), json!({ "conduit": true }));
            if row + 1 < rows {
                let next = (0..width).map(|next| name(row + 1, next));
                ways.extend(next.map(|to| json!({ "from": name(row, column), "to": to })));
            }
        }
        ways.push(json!({ "from": name(rows - 1, column), "to": "b", "when": door }));
    }
    let def = one_layer(
        json!({ "open": false, "go": "trigger" }),
        Value::Object(states),
        "a",
        Value::Array(ways),
    );
    compile(def, vec![still("a", 1.0, 0.0), still("b", 1.0, 1.0)]).expect("sound")
}

#[test]
fn each_conduit_is_looked_into_once_however_many_ways_lead_there() {
    // 12^20 ways.
    let mut player = Player::of(fan(20, 12, "open"));
    player.step(0.1);
    assert_eq!(player.state_name(), "a");
    let why = sinew_anim::explain(&player.graph, &player.state, 0, 0.1);
    assert!(!why.is_empty());
    player.flag("open", true);
    player.step(0.1);
    assert_eq!(player.state_name(), "b");
}

#[test]
fn a_trigger_in_the_midst_of_conduits_is_used() {
    let states = json!({ "a": { "clip": "a" }, "b": { "clip": "b" },
        "c": { "conduit": true }, "d": { "conduit": true } });
    let ways = json!([{ "from": "a", "to": "c" }, { "from": "c", "to": "d", "when": "go" }, { "from": "d", "to": "b" }]);
    let def = one_layer(
        json!({ "go": { "type": "trigger", "ttl": "forever" } }),
        states,
        "a",
        ways,
    );
    let clips = vec![still("a", 1.0, 0.0), still("b", 1.0, 1.0)];
    let mut player = Player::of(compile(def, clips).expect("sound"));
    player.pull("go");
    player.step(0.1);
    assert_eq!(player.state_name(), "b");
    let go = player.graph.parameter("go").expect("known");
    assert!(!is_set(&player.state, go), "it opens no second way");
}

fn is_set(state: &GraphState, trigger: u16) -> bool {
    let value = state.parameters[usize::from(trigger)].value;
    value == sinew_anim::ParameterValue::Trigger(true)
}
