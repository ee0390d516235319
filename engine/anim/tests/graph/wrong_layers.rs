//! Mistakes in layers, slots and rules of the whole graph: code, place and words.

use serde_json::{Value, json};

use crate::errors::expect_error;
use crate::wrong_motions::check;

#[test]
fn mistakes_in_layers_slots_and_rules_are_found_where_they_are() {
    check(
        "/layers/0",
        vec![
            (
                "/reference",
                json!("first_frame"),
                "E-GRAPH-NO-EFFECT",
                "/reference",
                "additive",
            ),
            (
                "/space",
                json!("mesh"),
                "E-GRAPH-NO-EFFECT",
                "/space",
                "additive",
            ),
            (
                "/follow",
                json!("base"),
                "E-GRAPH-NO-EFFECT",
                "/follow",
                "base layer",
            ),
            (
                "/weight_curve",
                json!("lok"),
                "E-GRAPH-UNKNOWN-CURVE",
                "/weight_curve",
                "did you mean `lock`?",
            ),
        ],
    );
    let over = |reference: Value| json!({ "name": "over", "blend": "additive", "reference": reference, "states": { "s": { "rest": true } } });
    check(
        "/layers/1",
        vec![
            (
                "",
                over(json!({ "clip": "wlk" })),
                "E-GRAPH-UNKNOWN-CLIP",
                "/reference/clip",
                "`walk`",
            ),
            (
                "",
                over(json!({ "clip": "walk", "time": 5 })),
                "E-GRAPH-RANGE",
                "/reference/time",
                "ends at 1",
            ),
            (
                "",
                over(json!({ "clip": "walk", "time": -1 })),
                "E-GRAPH-RANGE",
                "/reference/time",
                "at least 0",
            ),
            (
                "",
                over(json!("frame")),
                "E-GRAPH-UNKNOWN-WORD",
                "/reference",
                "`first_frame`",
            ),
        ],
    );
    check(
        "",
        vec![
            (
                "/slots",
                json!({ "hit": { "after": "bas" } }),
                "E-GRAPH-UNKNOWN-LAYER",
                "/slots/hit/after",
                "`base`",
            ),
            (
                "/slots",
                json!({ "hit": { "mask": "am+" } }),
                "E-GRAPH-UNKNOWN-JOINT",
                "/slots/hit/mask",
                "`arm`",
            ),
            (
                "/slots",
                json!({ "": {} }),
                "E-GRAPH-NAME",
                "/slots/",
                "name",
            ),
            (
                "/transitions_per_step",
                json!(0),
                "E-GRAPH-RANGE",
                "/transitions_per_step",
                "from 1 to 8",
            ),
            (
                "/transitions_per_step",
                json!(9),
                "E-GRAPH-RANGE",
                "/transitions_per_step",
                "from 1 to 8",
            ),
        ],
    );
    let def = json!({ "slots": { "hit": {} } });
    expect_error(
        def,
        "E-GRAPH-UNKNOWN-LAYER",
        "/slots/hit",
        "the graph has none",
        &Value::Null,
    );
}

#[test]
fn a_strict_graph_must_play_something() {
    let errors = crate::support::compile(serde_json::json!({ "strict": true }), Vec::new())
        .expect_err("nothing plays");
    assert_eq!(errors[0].code, "E-GRAPH-NO-STATES");
    assert_eq!(errors[0].pointer, "/strict");
    let states = serde_json::json!({ "s": { "rest": true } });
    let mut def =
        crate::support::one_layer(serde_json::json!({}), states, "s", serde_json::json!([]));
    def["strict"] = serde_json::json!(true);
    crate::support::compile(def, Vec::new()).expect("it plays");
}
