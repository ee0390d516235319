//! What the format knows and the graph cannot do yet is refused, never passed over.

use serde_json::{Value, json};

use crate::errors::{errors_of, put, sound};

#[test]
fn what_is_not_built_is_refused_where_it_stands() {
    let legs = json!([["j", "arm", "hand"]]);
    let cases: Vec<(&str, Value, &str)> = vec![
        (
            "/foot_ik",
            json!({ "legs": legs, "range": 0.5 }),
            "/foot_ik",
        ),
        ("/constraints", json!([{ "kind": "aim" }]), "/constraints"),
        (
            "/chains",
            json!({ "arm": { "kind": "fabrik", "from": "j", "to": "hand" } }),
            "/chains/arm/kind",
        ),
        (
            "/chains",
            json!({ "arm": { "kind": "ccd", "from": "j", "to": "hand" } }),
            "/chains/arm/kind",
        ),
        (
            "/chains",
            json!({ "arm": { "from": "j", "to": "hand", "limits": {} } }),
            "/chains/arm/limits",
        ),
    ];
    for (at, what, place) in cases {
        let mut def = sound();
        put(&mut def, at, what.clone());
        let errors = errors_of(def);
        let pointed = errors
            .iter()
            .any(|error| error.code == "E-GRAPH-NOT-SUPPORTED" && error.pointer == place);
        assert!(pointed, "{at} = {what}: {errors:#?}");
    }
}
