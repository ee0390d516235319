//! Mistakes in machines, states and transitions: code, place and words.

use serde_json::{Value, json};

use crate::errors::{expect_error, put, sound};
use crate::wrong_motions::check;

const STATE: &str = "/layers/0/states/walk";
const WAY: &str = "/layers/0/transitions/0";

#[test]
fn mistakes_in_machines_are_found_where_they_are() {
    let machine = |machine: Value| json!({ "machine": machine });
    let inside = json!({ "rise": { "clip": "walk" }, "fall": { "clip": "run" } });
    check(
        STATE,
        vec![
            (
                "",
                machine(json!({})),
                "E-GRAPH-NO-STATES",
                "/machine/states",
                "no states",
            ),
            (
                "",
                machine(json!({ "states": inside })),
                "E-GRAPH-ENTRY",
                "/machine",
                "known are `fall`, `rise`",
            ),
            (
                "",
                machine(json!({ "entry": "ris", "states": inside })),
                "E-GRAPH-UNKNOWN-STATE",
                "/machine/entry",
                "`rise`",
            ),
            (
                "",
                machine(
                    json!({ "entry": "rise", "states": inside, "transitions": [{ "from": "rise", "to": "away" }] }),
                ),
                "E-GRAPH-UNKNOWN-STATE",
                "/machine/transitions/0/to",
                "known are",
            ),
            (
                "",
                machine(json!({ "entry": "rise", "states": inside, "transitions": [
                    { "name": "x", "from": "rise", "to": "fall" }, { "name": "x", "from": "fall", "to": "rise" },
                ] })),
                "E-GRAPH-DUPLICATE",
                "/machine/transitions/1/name",
                "`x`",
            ),
            (
                "",
                machine(
                    json!({ "states": { "c": { "conduit": true } }, "transitions": [{ "from": "c", "to": "c" }] }),
                ),
                "E-GRAPH-ENTRY",
                "/machine",
                "conduit",
            ),
            (
                "/enter_when",
                json!("grounded and sped"),
                "E-GRAPH-UNKNOWN-PARAMETER",
                "/enter_when",
                "`speed`",
            ),
            (
                "/sync_role",
                json!("always_leader"),
                "E-GRAPH-NO-EFFECT",
                "/sync_role",
                "`sync_group`",
            ),
            (
                "/speaks",
                json!(1.5),
                "E-GRAPH-RANGE",
                "/speaks",
                "from 0 to 1",
            ),
            (
                "/speaks",
                json!("loud"),
                "E-GRAPH-UNKNOWN-WORD",
                "/speaks",
                "`all`",
            ),
            (
                "/events",
                json!([{ "name": "x" }]),
                "E-GRAPH-MISSING",
                "/events/0",
                "neither",
            ),
            (
                "/events",
                json!([{ "name": "x", "phase": 0, "time": 0 }]),
                "E-GRAPH-NO-EFFECT",
                "/events/0/time",
                "excludes `phase`",
            ),
            (
                "/events",
                json!([{ "name": "x", "phase": 1.5 }]),
                "E-GRAPH-RANGE",
                "/events/0/phase",
                "from 0 to 1",
            ),
            (
                "/events",
                json!([{ "name": "x", "time": -1 }]),
                "E-GRAPH-RANGE",
                "/events/0/time",
                "at least 0",
            ),
            (
                "/events",
                json!([{ "name": "", "time": 1 }]),
                "E-GRAPH-NAME",
                "/events/0/name",
                "64 bytes",
            ),
            (
                "/events",
                json!([{ "name": "é".repeat(33), "time": 1 }]),
                "E-GRAPH-NAME",
                "/events/0/name",
                "64 bytes",
            ),
        ],
    );
}

#[test]
fn mistakes_in_conduits_are_found_where_they_are() {
    let hub = |extra: Value| {
        let mut hub = json!({ "conduit": true });
        hub.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        hub
    };
    let with = |states: Value, ways: Value| {
        let mut def = sound();
        for (name, state) in states.as_object().unwrap() {
            put(&mut def, &format!("/layers/0/states/{name}"), state.clone());
        }
        put(&mut def, "/layers/0/transitions", ways);
        def
    };
    let out = |from: &str, to: &str| json!({ "from": from, "to": to });
    let plain = json!({ "hub": hub(json!({})) });
    let two = json!({ "a": hub(json!({})), "b": hub(json!({})) });
    let nothing = Value::Null;

    // What leads in from anywhere is no way out.
    let def = with(
        plain.clone(),
        json!([out("any", "hub"), out("any", "walk")]),
    );
    expect_error(
        def,
        "E-GRAPH-CONDUIT",
        "/layers/0/states/hub",
        "no transition leads out",
        &nothing,
    );
    let def = with(plain.clone(), json!([out("hub", "hub")]));
    expect_error(
        def,
        "E-GRAPH-CYCLE",
        "/layers/0/states/hub",
        "`hub` > `hub`",
        &nothing,
    );
    let def = with(two, json!([out("a", "b"), out("b", "walk"), out("b", "a")]));
    expect_error(
        def,
        "E-GRAPH-CYCLE",
        "/layers/0/states/a",
        "`a` > `b` > `a`",
        &nothing,
    );
    let mut def = with(plain.clone(), json!([out("hub", "walk")]));
    put(&mut def, "/layers/0/entry", json!("hub"));
    expect_error(def, "E-GRAPH-ENTRY", "/layers/0/entry", "conduit", &nothing);
    let late = json!([{ "from": "hub", "to": "walk", "exit_time": 0.5 }]);
    let def = with(plain, late);
    expect_error(
        def,
        "E-GRAPH-EXIT-TIME",
        "/layers/0/transitions/0/exit_time",
        "passed through",
        &nothing,
    );
    for (key, value) in [
        ("mode", json!("once")),
        ("speed", json!(2)),
        ("speed_parameter", json!("speed")),
        ("sync_group", json!("feet")),
        ("speaks", json!("all")),
        ("events", json!([])),
    ] {
        let mut def = with(
            json!({ "hub": hub(json!({})) }),
            json!([out("hub", "walk")]),
        );
        put(&mut def, &format!("/layers/0/states/hub/{key}"), value);
        let place = format!("/layers/0/states/hub/{key}");
        expect_error(def, "E-GRAPH-NO-EFFECT", &place, "conduit", &nothing);
    }
}

#[test]
fn mistakes_in_transitions_are_found_where_they_are() {
    let long = json!({ "arm": 0.5, "hnd": 0.2 });
    check(
        WAY,
        vec![
            (
                "",
                json!({ "from": "walk", "to": "move", "offset": 0.5, "align": "phase" }),
                "E-GRAPH-NO-EFFECT",
                "/align",
                "excludes `offset`",
            ),
            (
                "",
                json!({ "from": "walk", "to": "move", "by": "inertial", "curve": "smooth" }),
                "E-GRAPH-NO-EFFECT",
                "/curve",
                "crossfades",
            ),
            (
                "",
                json!({ "from": "walk", "to": "move", "interruption": "none", "interrupted_by": [] }),
                "E-GRAPH-NO-EFFECT",
                "/interrupted_by",
                "none",
            ),
            (
                "/interrupted_by",
                json!(["walk>move", "walk>mov"]),
                "E-GRAPH-UNKNOWN-TRANSITION",
                "/interrupted_by/1",
                "did you mean `walk>move`?",
            ),
            (
                "/interrupted_by",
                json!(["walk>move", "walk>move"]),
                "E-GRAPH-DUPLICATE",
                "/interrupted_by/1",
                "twice",
            ),
            (
                "/profile",
                long,
                "E-GRAPH-UNKNOWN-JOINT",
                "/profile/hnd",
                "`hand`",
            ),
            (
                "/profile",
                json!({ "arm": 1.5 }),
                "E-GRAPH-RANGE",
                "/profile/arm",
                "from 0 to 1",
            ),
            (
                "/profile",
                json!({ "arm": "slow" }),
                "E-GRAPH-WRONG-TYPE",
                "/profile/arm",
                "number",
            ),
            (
                "/by",
                json!("inertia"),
                "E-GRAPH-UNKNOWN-WORD",
                "/by",
                "`inertial`",
            ),
            (
                "/latch",
                json!(true),
                "E-GRAPH-NO-EFFECT",
                "/latch",
                "`exit_time`",
            ),
        ],
    );
}

#[test]
fn a_way_into_or_out_of_a_machine_inside_a_state_is_told_as_such() {
    let inside = json!({ "rise": { "clip": "walk" } });
    for (key, place) in [("to", "/to"), ("from", "/from")] {
        let mut def = sound();
        put(
            &mut def,
            "/layers/0/states/air",
            json!({ "machine": { "states": inside } }),
        );
        put(&mut def, &format!("{WAY}/{key}"), json!("air/rise"));
        let words = "ways lead only between states of one machine";
        let place = format!("{WAY}{place}");
        expect_error(def, "E-GRAPH-UNKNOWN-STATE", &place, words, &Value::Null);
    }
    let out = json!([{ "from": "rise", "to": "walk" }]);
    let mut def = sound();
    put(
        &mut def,
        "/layers/0/states/z",
        json!({ "machine": { "states": inside, "transitions": out } }),
    );
    let place = "/layers/0/states/z/machine/transitions/0/to";
    let words = "ways lead only between states of one machine";
    expect_error(def, "E-GRAPH-UNKNOWN-STATE", place, words, &Value::Null);
}

#[test]
fn two_states_with_one_path_are_refused() {
    let mut def = sound();
    let states = def.pointer_mut("/layers/0/states").unwrap();
    states["a"] = json!({ "machine": { "states": { "b": { "rest": true } } } });
    states["a/b"] = json!({ "rest": true });
    expect_error(
        def,
        "E-GRAPH-DUPLICATE",
        "/layers/0/states/a~1b",
        "path `a/b`",
        &Value::Null,
    );
}
