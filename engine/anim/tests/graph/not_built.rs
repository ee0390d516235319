//! What the format knows and the graph cannot do yet is refused, never passed over.

use serde_json::{Value, json};

use crate::errors::{errors_of, put, sound};

#[test]
fn what_is_not_built_is_refused_where_it_stands() {
    let state = "/layers/0/states/walk";
    let way = "/layers/0/transitions/0";
    let whole = |motion: Value| (state.to_owned(), motion);
    let cases: Vec<(String, Value)> = vec![
        ("/slots".into(), json!({ "hit": { "after": "base" } })),
        ("/rotations".into(), json!("nlerp")),
        ("/transitions_per_step".into(), json!(4)),
        ("/strict".into(), json!(true)),
        (
            "/foot_ik".into(),
            json!({ "legs": [["j", "arm", "hand"]], "range": 0.5 }),
        ),
        ("/constraints".into(), json!([{ "kind": "aim" }])),
        ("/events".into(), json!({ "fade": "target" })),
        (
            "/chains".into(),
            json!({ "arm": { "kind": "fabrik", "from": "j", "to": "hand" } }),
        ),
        ("/layers/0/blend".into(), json!("additive")),
        (
            "/layers/0/reference".into(),
            json!({ "clip": "walk", "time": 0.5 }),
        ),
        ("/layers/0/space".into(), json!("mesh")),
        ("/layers/0/follow".into(), json!("base")),
        ("/layers/0/weight_curve".into(), json!("w")),
        ("/layers/0/root_motion".into(), json!(false)),
        ("/layers/0/root_weights".into(), json!("target")),
        (format!("{state}/range"), json!([0, 1])),
        (format!("{state}/mirror"), json!(true)),
        (format!("{state}/sync_role"), json!("always_leader")),
        (format!("{state}/speaks"), json!(0.5)),
        (format!("{state}/speaks"), json!("none")),
        (format!("{state}/enter_when"), json!("grounded")),
        (
            format!("{state}/events"),
            json!([{ "name": "x", "phase": 0.5 }]),
        ),
        ("/layers/0/states/move/weights".into(), json!("polar")),
        ("/layers/0/states/move/keep".into(), json!(4)),
        (
            "/layers/0/states/move/points/0".into(),
            json!({ "at": 0, "motion": { "clip": "walk" } }),
        ),
        whole(json!({ "direct": [{ "weight": "speed", "motion": { "clip": "walk" } }] })),
        whole(json!({ "additive": { "base": "a", "add": { "clip": "run" }, "weight": "speed" } })),
        whole(json!({ "select": "random", "children": [{ "clip": "walk" }, "named"] })),
        whole(json!({ "sequence": [{ "clip": "walk" }, { "clip": "run" }] })),
        whole(
            json!({ "machine": { "entry": "a", "states": { "a": { "rest": true } }, "transitions": [], "reenter": "reset" } }),
        ),
        whole(json!({ "graph": "graphs/other" })),
        whole(json!({ "pose": "kept" })),
        whole(json!({ "conduit": true })),
        (format!("{way}/by"), json!("inertial")),
        (format!("{way}/align"), json!("phase")),
        (format!("{way}/interruption"), json!("live")),
        (format!("{way}/interrupted_by"), json!(["x"])),
        (format!("{way}/profile"), json!({ "spine": 0.5 })),
    ];
    for (at, what) in cases {
        let mut def = sound();
        put(&mut def, &at, what.clone());
        let errors = errors_of(def);
        let pointed = errors
            .iter()
            .any(|error| error.code == "E-GRAPH-NOT-SUPPORTED" && error.pointer.starts_with(&at));
        assert!(pointed, "{at} = {what}: {errors:#?}");
    }
}
