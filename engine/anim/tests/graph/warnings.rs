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
