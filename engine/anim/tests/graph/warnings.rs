//! What works in another way than its author may expect.

use serde_json::{Value, json};
use sinew_anim::GRAPH_WARNINGS;

use crate::compiled_motions::{graph, parameters};
use crate::support::one_layer;

/// Code, place and message of each warning of a graph with this state beside another one.
fn warnings(state: Value) -> Vec<(&'static str, String, String)> {
    let states = json!({ "s": state, "t": { "rest": true } });
    let graph = graph(one_layer(parameters(), states, "t", json!([])));
    let warnings = graph.warnings().into_iter();
    warnings
        .map(|warning| (warning.code, warning.pointer, warning.message))
        .collect()
}

/// `walk` has `step` twice, `run` once, `sway` never.
fn blend(clips: [&str; 2]) -> Value {
    json!({ "blend": "x", "points": [{ "at": 0, "clip": clips[0] }, { "at": 1, "clip": clips[1] }] })
}

#[test]
fn markers_that_blended_clips_have_unequally_often_are_told() {
    let expected = (
        "W-GRAPH-MARKERS",
        "/layers/0/states/s".to_owned(),
        "in `s` marker `step` is in `walk` 2 times, in `run` once: of clips that are blended only the heaviest is heard"
            .to_owned(),
    );
    assert!(GRAPH_WARNINGS.iter().any(|(code, _)| *code == expected.0));
    assert_eq!(warnings(blend(["walk", "run"])), [expected]);
    // Inside a machine the place is that of the layer's state.
    let inner = json!({ "machine": { "states": { "deep": blend(["walk", "run"]) } } });
    let found = warnings(inner);
    assert_eq!(
        (found.len(), found[0].1.as_str()),
        (1, "/layers/0/states/s")
    );
    assert!(
        found[0].2.starts_with("in `s/deep` marker `step`"),
        "{}",
        found[0].2
    );
}

#[test]
fn what_is_heard_as_written_is_no_reason_to_warn() {
    let added = json!({ "additive": { "base": { "clip": "walk" }, "add": { "clip": "run" } } });
    let chosen = json!({ "select": "n", "children": [{ "clip": "walk" }, { "clip": "run" }] });
    for state in [
        blend(["walk", "sway"]),
        blend(["walk", "walk"]),
        json!({ "clip": "walk" }),
        added,
        chosen,
    ] {
        assert_eq!(warnings(state.clone()), [], "{state}");
    }
}

#[test]
fn polar_blends_with_half_a_turn_without_points_are_told() {
    let blend = |weights: &str, places: &[[f64; 2]]| {
        let point = |at: &[f64; 2]| json!({ "at": at, "clip": "sway" });
        let points: Vec<Value> = places.iter().map(point).collect();
        let plane = json!({ "blend": ["x", "y"], "weights": weights, "points": points });
        json!({ "direct": [{ "weight": "x", "motion": plane }] })
    };
    let round = [[0.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.0, 0.0]];
    let found = warnings(blend("polar", &round[..2]));
    assert_eq!((found.len(), found[0].0), (1, "W-GRAPH-GAP"));
    assert_eq!(found[0].1, "/layers/0/states/s");
    assert_eq!(warnings(blend("polar", &round)), []);
    assert_eq!(warnings(blend("gradient_band", &round[..2])), []);
}

/// Code, place and message of what is told of a graph with these transitions in its only layer.
fn shadowed(mut transitions: Value, per_step: u32) -> Vec<(String, String)> {
    let out = json!({ "from": "hub", "to": "c", "when": "x > 1" });
    transitions.as_array_mut().expect("a list").push(out);
    let states = json!({ "a": { "clip": "walk" }, "b": { "rest": true }, "c": { "rest": true },
        "gated": { "rest": true, "enter_when": "go" }, "hub": { "conduit": true } });
    let mut def = one_layer(
        json!({ "x": 0.0, "go": "trigger" }),
        states,
        "a",
        transitions,
    );
    def["transitions_per_step"] = json!(per_step);
    let told = graph(def).warnings().into_iter();
    told.filter(|told| told.code == "W-GRAPH-SHADOWED")
        .map(|told| (told.pointer, told.message))
        .collect()
}

#[test]
fn a_transition_behind_one_that_asks_for_nothing_is_told() {
    let b = json!({ "from": "a", "to": "b" });
    let c = json!({ "from": "a", "to": "c", "when": "x > 1" });
    let told = shadowed(json!([b, c]), 1);
    let message =
        "in `a` transition `a>c` never starts: `a>b` is tested before it and asks for nothing";
    assert_eq!(
        told,
        [("/layers/0/states/a".to_owned(), message.to_owned())]
    );
    let with = |key: &str, value: Value, def: &Value| {
        let mut def = def.clone();
        def[key] = value;
        def
    };
    let sound = [
        json!([c, b]),
        json!([with("when", json!("x < 1"), &b), c]),
        json!([with("exit_time", json!(0.5), &b), c]),
        json!([b, with("priority", json!(1), &c)]),
        json!([b, with("from", json!("any"), &c)]),
        json!([with("to", json!("gated"), &b), c]),
        json!([with("to", json!("hub"), &b), c]),
        json!([b, c, { "from": "c", "to": "a", "when": "go", "duration": 1, "interrupted_by": ["a>c"] }]),
    ];
    for transitions in sound {
        assert_eq!(shadowed(transitions.clone(), 1), [], "{transitions}");
    }
    assert_eq!(shadowed(json!([b, c]), 2), []);
}

#[test]
fn motions_that_nothing_names_are_told() {
    let mut def = one_layer(
        parameters(),
        json!({ "s": { "motion": "used" }, "t": { "select": "random", "children": ["inner", { "rest": true }] } }),
        "s",
        json!([]),
    );
    def["motions"] = json!({ "used": { "clip": "walk" }, "inner": { "clip": "run" }, "lost": { "clip": "walk" } });
    let def = sinew_anim::GraphDef::from_value(def).expect("reads");
    let told: Vec<_> = def
        .warnings()
        .into_iter()
        .map(|told| (told.code, told.pointer))
        .collect();
    assert_eq!(
        told,
        [("W-GRAPH-UNUSED-MOTION", "/motions/lost".to_owned())]
    );
}
