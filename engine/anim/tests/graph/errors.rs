//! Every mistake has a code, a place and, where there is one, the nearest name.

use serde_json::{Value, json};
use sinew_anim::{Curve, GRAPH_CODES, Graph, GraphDef, GraphError};

use crate::support::{Make, arcs, clip, compile, one_layer, skeleton, still};

pub(crate) fn clips() -> Vec<Make> {
    let mut walk = still("walk", 1.0, 0.0);
    walk.0.curves.push(Curve {
        name: "lock".to_owned(),
        keys: vec![[0.0, 1.0]],
    });
    vec![walk, still("run", 1.0, 1.0)]
}

/// A graph that compiles, to be broken.
pub(crate) fn sound() -> Value {
    json!({
        "parameters": { "speed": 0.0, "grounded": true, "jump": "trigger" },
        "layers": [{ "name": "base", "entry": "walk",
            "states": {
                "walk": { "clip": "walk" },
                "move": { "blend": "speed", "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] },
            },
            "transitions": [{ "from": "walk", "to": "move", "when": "grounded and speed > 0.1" }],
        }],
    })
}

/// Puts a value at a pointer, making the last key where it is not there.
pub(crate) fn put(def: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match def.pointer_mut(parent).unwrap() {
        Value::Object(table) => {
            table.insert(key.to_owned(), value);
        }
        Value::Array(list) => {
            let index: usize = key.parse().unwrap();
            if index == list.len() {
                list.push(value)
            } else {
                list[index] = value
            }
        }
        other => panic!("{other} at {parent}"),
    }
}

pub(crate) fn errors_of(def: Value) -> Vec<GraphError> {
    compile(def, clips()).err().unwrap_or_default()
}

/// The graph has a mistake of this code at this place that is told in these words; `what` was put in.
#[track_caller]
pub(crate) fn expect_error(def: Value, code: &str, place: &str, words: &str, what: &Value) {
    let errors = errors_of(def);
    let mut found = errors.iter().filter(|error| error.code == code);
    let Some(error) = found.find(|error| error.pointer == place) else {
        panic!("{place} = {what}: expected {code} there, found {errors:#?}");
    };
    let help = error.help.as_deref().unwrap_or_default();
    let text = format!("{} {help}", error.message);
    assert!(
        text.contains(words),
        "{place} = {what}: `{text}` lacks `{words}`"
    );
    let listed = GRAPH_CODES.iter().any(|(known, _)| *known == code);
    assert!(listed, "{code} is not in the table");
}

#[test]
fn the_sound_graph_compiles() {
    assert_eq!(errors_of(sound()), []);
}

#[test]
fn each_mistake_is_found_where_it_is() {
    let state = "/layers/0/states/walk";
    let points = "/layers/0/states/move/points";
    let way = "/layers/0/transitions/0";
    let cases: Vec<(String, Value, &str, &str, &str)> = vec![
        // where it is put, what, code, where it is found, words
        (
            "/layer".into(),
            json!([]),
            "E-GRAPH-UNKNOWN-KEY",
            "/layer",
            "did you mean `layers`?",
        ),
        (
            format!("{state}/clp"),
            json!("walk"),
            "E-GRAPH-UNKNOWN-KEY",
            "/layers/0/states/walk/clp",
            "did you mean `clip`?",
        ),
        (
            format!("{way}/durations"),
            json!(1),
            "E-GRAPH-UNKNOWN-KEY",
            "/layers/0/transitions/0/durations",
            "`duration`",
        ),
        (
            format!("{state}/mode"),
            json!("lop"),
            "E-GRAPH-UNKNOWN-WORD",
            "/layers/0/states/walk/mode",
            "`loop`",
        ),
        (
            format!("{way}/duration"),
            json!("fast"),
            "E-GRAPH-WRONG-TYPE",
            "/layers/0/transitions/0/duration",
            "expected a number",
        ),
        (
            "/parameters/speed".into(),
            json!(null),
            "E-GRAPH-WRONG-TYPE",
            "/parameters/speed",
            "a number, true, false, \"trigger\" or a table",
        ),
        (
            "/parameters/speed".into(),
            json!("triger"),
            "E-GRAPH-UNKNOWN-WORD",
            "/parameters/speed",
            "`trigger`",
        ),
        (
            "/layers".into(),
            json!({ "base": 1 }),
            "E-GRAPH-WRONG-TYPE",
            "/layers",
            "expected a list",
        ),
        (
            "/layers/0/states".into(),
            json!(["walk"]),
            "E-GRAPH-WRONG-TYPE",
            "/layers/0/states",
            "keyed by name",
        ),
        (
            way.into(),
            json!({ "from": "walk" }),
            "E-GRAPH-MISSING",
            "/layers/0/transitions/0",
            "`to`",
        ),
        (
            "/version".into(),
            json!(2),
            "E-GRAPH-VERSION",
            "/version",
            "version 1",
        ),
        (
            format!("{state}/clip"),
            json!("wlak"),
            "E-GRAPH-UNKNOWN-CLIP",
            "/layers/0/states/walk/clip",
            "did you mean `walk`?",
        ),
        (
            format!("{points}/1/clip"),
            json!("sprint"),
            "E-GRAPH-UNKNOWN-CLIP",
            "/layers/0/states/move/points/1/clip",
            "known are `run`, `walk`",
        ),
        (
            "/layers/0/entry".into(),
            json!("walks"),
            "E-GRAPH-UNKNOWN-STATE",
            "/layers/0/entry",
            "`walk`",
        ),
        (
            format!("{way}/to"),
            json!("mov"),
            "E-GRAPH-UNKNOWN-STATE",
            "/layers/0/transitions/0/to",
            "`move`",
        ),
        (
            format!("{way}/from"),
            json!(["walk", "wolk"]),
            "E-GRAPH-UNKNOWN-STATE",
            "/layers/0/transitions/0/from/1",
            "`walk`",
        ),
        (
            format!("{way}/from"),
            json!([]),
            "E-GRAPH-MISSING",
            "/layers/0/transitions/0/from",
            "any",
        ),
        (
            format!("{way}/when"),
            json!("grounded and sped > 1"),
            "E-GRAPH-UNKNOWN-PARAMETER",
            "/layers/0/transitions/0/when",
            "`speed`",
        ),
        (
            format!("{way}/when"),
            json!("grounded and"),
            "E-GRAPH-EXPRESSION",
            "/layers/0/transitions/0/when",
            "column 13",
        ),
        (
            format!("{way}/when"),
            json!("jump > 0"),
            "E-GRAPH-EXPRESSION",
            "/layers/0/transitions/0/when",
            "trigger",
        ),
        (
            format!("{way}/when"),
            json!([{ "parameter": "jump", "op": "gt", "value": 0 }]),
            "E-GRAPH-CONDITION",
            "/layers/0/transitions/0/when/0",
            "trigger",
        ),
        (
            format!("{way}/when"),
            json!([{ "parameter": "speeed", "op": "gt", "value": 0 }]),
            "E-GRAPH-UNKNOWN-PARAMETER",
            "/layers/0/transitions/0/when/0/parameter",
            "`speed`",
        ),
        (
            format!("{way}/exit_time"),
            json!(1.5),
            "E-GRAPH-EXIT-TIME",
            "/layers/0/transitions/0/exit_time",
            "1.5",
        ),
        (
            format!("{way}/exit_time"),
            json!(-0.5),
            "E-GRAPH-RANGE",
            "/layers/0/transitions/0/exit_time",
            "from 0 to 1",
        ),
        (
            format!("{way}/duration"),
            json!(-1),
            "E-GRAPH-RANGE",
            "/layers/0/transitions/0/duration",
            "at least 0",
        ),
        (
            format!("{way}/reenter"),
            json!("never"),
            "E-GRAPH-NO-EFFECT",
            "/layers/0/transitions/0/reenter",
            "any",
        ),
        (
            format!("{points}/1/at"),
            json!(0),
            "E-GRAPH-POINTS",
            "/layers/0/states/move/points/1/at",
            "point 0",
        ),
        (
            format!("{points}/1/at"),
            json!([0, 1]),
            "E-GRAPH-POINTS",
            "/layers/0/states/move/points/1/at",
            "one parameter",
        ),
        (
            points.into(),
            json!([]),
            "E-GRAPH-POINTS",
            points,
            "1 to 64",
        ),
        (
            "/layers/0/states/move/blend".into(),
            json!("grounded"),
            "E-GRAPH-PARAMETER-KIND",
            "/layers/0/states/move/blend",
            "bool",
        ),
        (
            "/layers/0/states/move/blend".into(),
            json!(["speed"]),
            "E-GRAPH-POINTS",
            "/layers/0/states/move/blend",
            "two",
        ),
        (
            "/layers/0/states/move/rate".into(),
            json!("distance"),
            "E-GRAPH-ROOT",
            "/layers/0/states/move/rate",
            "root",
        ),
        (
            format!("{state}/rest"),
            json!(true),
            "E-GRAPH-MOTION",
            state,
            "exclude",
        ),
        (
            state.into(),
            json!({ "speed": 2 }),
            "E-GRAPH-MOTION",
            state,
            "no motion",
        ),
        (
            format!("{state}/points"),
            json!([]),
            "E-GRAPH-MOTION",
            "/layers/0/states/walk/points",
            "belongs to `blend`",
        ),
        (
            format!("{state}/speed_parameter"),
            json!("spead"),
            "E-GRAPH-UNKNOWN-PARAMETER",
            "/layers/0/states/walk/speed_parameter",
            "`speed`",
        ),
        (
            "/layers/0/states/any".into(),
            json!({ "rest": true }),
            "E-GRAPH-NAME",
            "/layers/0/states/any",
            "any",
        ),
        (
            "/layers/1".into(),
            json!({ "name": "base", "states": { "s": { "rest": true } } }),
            "E-GRAPH-DUPLICATE",
            "/layers/1/name",
            "base",
        ),
        (
            "/layers/1".into(),
            json!({ "name": "top", "states": {} }),
            "E-GRAPH-NO-STATES",
            "/layers/1/states",
            "top",
        ),
        (
            "/layers/0/weight".into(),
            json!(1.5),
            "E-GRAPH-RANGE",
            "/layers/0/weight",
            "from 0 to 1",
        ),
        (
            "/layers/0/mask".into(),
            json!("j+ -hnd"),
            "E-GRAPH-UNKNOWN-JOINT",
            "/layers/0/mask",
            "`hand`",
        ),
        (
            "/layers/0/mask".into(),
            json!({ "joints": [{ "joint": "am" }] }),
            "E-GRAPH-UNKNOWN-JOINT",
            "/layers/0/mask/joints/0/joint",
            "`arm`",
        ),
        (
            "/layers/0/mask".into(),
            json!(""),
            "E-GRAPH-MASK",
            "/layers/0/mask",
            "empty",
        ),
        (
            "/root".into(),
            json!({ "joint": "rot" }),
            "E-GRAPH-UNKNOWN-JOINT",
            "/root/joint",
            "`root`",
        ),
        (
            "/chains".into(),
            json!({ "arm": { "joints": ["j", "arm"] } }),
            "E-GRAPH-CHAIN",
            "/chains/arm/joints",
            "3 joints",
        ),
        (
            "/chains".into(),
            json!({ "arm": { "joints": ["arm", "j", "hand"] } }),
            "E-GRAPH-CHAIN",
            "/chains/arm/joints/1",
            "not below",
        ),
        (
            "/chains".into(),
            json!({ "arm": { "joints": ["j", "arm", "hant"] } }),
            "E-GRAPH-UNKNOWN-JOINT",
            "/chains/arm/joints/2",
            "`hand`",
        ),
        (
            "/chains".into(),
            json!({ "arm": { "from": "j", "to": "tail" } }),
            "E-GRAPH-CHAIN",
            "/chains/arm",
            "not below",
        ),
        (
            "/look_at".into(),
            json!({ "chain": ["j", "hed"] }),
            "E-GRAPH-UNKNOWN-JOINT",
            "/look_at/chain/1",
            "known are",
        ),
        (
            "/look_at".into(),
            json!({ "chain": ["j"], "max_yaw": 200 }),
            "E-GRAPH-RANGE",
            "/look_at/max_yaw",
            "180",
        ),
        (
            "/look_at".into(),
            json!({ "chain": ["j"], "forward": [0, 0, 0] }),
            "E-GRAPH-RANGE",
            "/look_at/forward",
            "length",
        ),
        (
            "/parameters/new".into(),
            json!({ "min": 1 }),
            "E-GRAPH-MISSING",
            "/parameters/new",
            "type",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "int", "value": 1.5 }),
            "E-GRAPH-PARAMETER-KIND",
            "/parameters/new/value",
            "whole",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "float", "value": 5, "max": 1 }),
            "E-GRAPH-RANGE",
            "/parameters/new/value",
            "5",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "float", "min": 5, "max": 1 }),
            "E-GRAPH-RANGE",
            "/parameters/new/min",
            "above",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "bool", "ttl": 1 }),
            "E-GRAPH-PARAMETER-KIND",
            "/parameters/new/ttl",
            "triggers",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "bool", "source": "speed" }),
            "E-GRAPH-PARAMETER-KIND",
            "/parameters/new/source",
            "float",
        ),
        (
            "/parameters/new".into(),
            json!({ "type": "trigger", "ttl": "ever" }),
            "E-GRAPH-UNKNOWN-WORD",
            "/parameters/new/ttl",
            "forever",
        ),
        (
            "/parameters/new".into(),
            json!(1e39),
            "E-GRAPH-NOT-FINITE",
            "/parameters/new/value",
            "finite",
        ),
        (
            format!("{state}/speed"),
            json!(1e39),
            "E-GRAPH-NOT-FINITE",
            "/layers/0/states/walk/speed",
            "finite",
        ),
    ];
    for (at, what, code, place, words) in cases {
        let mut def = sound();
        put(&mut def, &at, what.clone());
        expect_error(def, code, place, words, &what);
    }
}

#[test]
fn all_mistakes_are_found_at_once() {
    let mut def = sound();
    put(&mut def, "/layers/0/entry", json!("nowhere"));
    put(&mut def, "/layers/0/states/walk/clip", json!("nothing"));
    put(&mut def, "/layers/0/transitions/0/when", json!("nobody"));
    put(&mut def, "/layers/0/mask", json!("nobone"));
    let codes: Vec<_> = errors_of(def).iter().map(|error| error.code).collect();
    for code in [
        "E-GRAPH-UNKNOWN-STATE",
        "E-GRAPH-UNKNOWN-CLIP",
        "E-GRAPH-UNKNOWN-PARAMETER",
        "E-GRAPH-UNKNOWN-JOINT",
    ] {
        assert!(codes.contains(&code), "{codes:?} lacks {code}");
    }
}

#[test]
fn a_motion_that_contains_itself_is_a_cycle() {
    let mut def = one_layer(json!({}), json!({ "s": { "motion": "a" } }), "s", json!([]));
    def["motions"] = json!({ "a": { "motion": "b" }, "b": { "motion": "a" } });
    let errors = errors_of(def.clone());
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(
        (errors[0].code, errors[0].pointer.as_str()),
        ("E-GRAPH-CYCLE", "/motions/b/motion")
    );
    def["motions"] = json!({ "a": { "motion": "b" }, "b": { "clip": "walk" } });
    assert_eq!(errors_of(def), []);
}

#[test]
fn a_clip_of_another_skeleton_is_refused() {
    let def = one_layer(json!({}), json!({ "s": { "clip": "c" } }), "s", json!([]));
    let errors = compile(def, vec![clip("c", 1.0).x(77, 0.0, 1.0)]).unwrap_err();
    assert_eq!(errors[0].code, "E-GRAPH-CLIP-MISMATCH");
    assert_eq!(errors[0].pointer, "/layers/0/states/s/clip");
}

#[test]
fn several_states_need_an_entry_and_names_are_escaped_in_pointers() {
    let def = json!({ "layers": [{ "name": "l", "states": { "a/b~c": { "clip": "x" }, "d": { "rest": true } } }] });
    let errors = errors_of(def);
    assert!(
        errors
            .iter()
            .any(|error| error.code == "E-GRAPH-ENTRY" && error.pointer == "/layers/0")
    );
    assert!(
        errors
            .iter()
            .any(|error| error.pointer == "/layers/0/states/a~1b~0c/clip")
    );
}

#[test]
fn numbers_that_are_not_finite_are_refused_in_hand_made_graphs() {
    let mut def = GraphDef::from_value(sound()).unwrap();
    def.layers[0].weight = Some(f32::NAN);
    def.layers[0].transitions[0].duration = Some(f32::INFINITY);
    def.layers[0].transitions[0].exit_time = Some(f32::NAN);
    def.layers[0].transitions[0].offset = Some(f32::NAN);
    let errors = Graph::compile(&def, &skeleton(), &arcs(clips())).unwrap_err();
    assert_eq!(
        errors
            .iter()
            .filter(|error| error.code == "E-GRAPH-NOT-FINITE")
            .count(),
        4,
        "{errors:#?}"
    );
}
