//! Mistakes in nested motions, machines, rules of transitions, layers and slots: code, place and words.

use serde_json::{Value, json};

use crate::errors::{expect_error, put, sound};

const STATE: &str = "/layers/0/states/walk";
const WAY: &str = "/layers/0/transitions/0";

/// What is put where, the code, where under that it is found, and words that are told.
type Case = (&'static str, Value, &'static str, &'static str, &'static str);

fn check(at: &str, cases: Vec<Case>) {
    for (key, what, code, place, words) in cases {
        let mut def = sound();
        // More names than the sound graph has: a motion, a trigger, an int.
        put(&mut def, "/motions", json!({ "m": { "clip": "walk" } }));
        put(&mut def, "/parameters/n", json!({ "type": "int" }));
        put(&mut def, &format!("{at}{key}"), what.clone());
        expect_error(def, code, &format!("{at}{place}"), words, &what);
    }
}

#[test]
fn mistakes_in_motions_are_found_where_they_are() {
    let many: Vec<Value> = (0..65).map(|_| json!("m")).collect();
    check(
        STATE,
        vec![
            ("", json!({ "direct": [] }), "E-GRAPH-MOTION", "/direct", "1 to 64 children, not 0"),
            (
                "",
                json!({ "direct": [{ "weight": "sped", "motion": "m" }] }),
                "E-GRAPH-UNKNOWN-PARAMETER",
                "/direct/0/weight",
                "`speed`",
            ),
            (
                "",
                json!({ "direct": [{ "weight": "speed", "motion": "mm" }] }),
                "E-GRAPH-UNKNOWN-MOTION",
                "/direct/0/motion",
                "`m`",
            ),
            (
                "",
                json!({ "additive": { "base": "m", "add": { "clip": "wlk" } } }),
                "E-GRAPH-UNKNOWN-CLIP",
                "/additive/add/clip",
                "`walk`",
            ),
            (
                "",
                json!({ "additive": { "base": "m", "add": "m", "weight": "jump" } }),
                "E-GRAPH-PARAMETER-KIND",
                "/additive/weight",
                "trigger",
            ),
            ("", json!({ "select": "n", "children": many }), "E-GRAPH-MOTION", "/children", "not 65"),
            ("", json!({ "select": "random" }), "E-GRAPH-MOTION", "/children", "not 0"),
            (
                "",
                json!({ "select": "speed", "children": ["m"] }),
                "E-GRAPH-PARAMETER-KIND",
                "/select",
                "needed here is: int",
            ),
            (
                "",
                json!({ "sequence": ["m", { "rest": true }] }),
                "E-GRAPH-MOTION",
                "/sequence/1",
                "a sequence plays clips; for other motions use a machine",
            ),
            (
                "",
                json!({ "sequence": [{ "clip": "walk", "time_parameter": "speed" }] }),
                "E-GRAPH-MOTION",
                "/sequence/0",
                "a sequence plays clips",
            ),
            ("", json!({ "sequence": [] }), "E-GRAPH-MOTION", "/sequence", "not 0"),
            (
                "",
                json!({ "select": "n", "children": [{ "clip": "walk", "speed": 2 }] }),
                "E-GRAPH-NO-EFFECT",
                "/children/0/speed",
                "the state that uses the motion",
            ),
            (
                "",
                json!({ "select": "n", "children": [{ "conduit": true }] }),
                "E-GRAPH-MOTION",
                "/children/0/conduit",
                "a state of a machine",
            ),
            (
                "",
                json!({ "select": "n", "children": [{}] }),
                "E-GRAPH-MOTION",
                "/children/0",
                "nothing says what plays",
            ),
            ("", json!({ "pose": "" }), "E-GRAPH-NAME", "/pose", "name"),
            ("", json!({ "conduit": false }), "E-GRAPH-MOTION", "/conduit", "conduit = true"),
            ("", json!({ "graph": "graphs/air" }), "E-GRAPH-FILE", "/graph", "cannot be read here"),
        ],
    );
}

#[test]
fn mistakes_in_clips_and_blends_are_found_where_they_are() {
    let mirror = |pairs: Value| json!({ "pairs": pairs });
    check(
        STATE,
        vec![
            ("/range", json!([0.5, 0.5]), "E-GRAPH-RANGE", "/range", "not after its begin"),
            ("/range", json!([-0.5, 0.5]), "E-GRAPH-RANGE", "/range/0", "from 0"),
            ("/range", json!([0.5, 9]), "E-GRAPH-RANGE", "/range/1", "is 9"),
            ("/range", json!([0.5]), "E-GRAPH-WRONG-TYPE", "/range", "2"),
            ("/mirror", json!("yes"), "E-GRAPH-WRONG-TYPE", "/mirror", "`pairs`"),
            (
                "/mirror",
                mirror(json!([["arm", "hnd"]])),
                "E-GRAPH-UNKNOWN-JOINT",
                "/mirror/pairs/0/1",
                "`hand`",
            ),
            ("/mirror", mirror(json!([["arm"]])), "E-GRAPH-WRONG-TYPE", "/mirror/pairs/0", "2"),
        ],
    );
    let point = |point: Value| json!([point]);
    check(
        "/layers/0/states/move",
        vec![
            ("/keep", json!(0), "E-GRAPH-RANGE", "/keep", "from 1 to 64"),
            ("/keep", json!(65), "E-GRAPH-RANGE", "/keep", "from 1 to 64"),
            ("/weights", json!("polar"), "E-GRAPH-NO-EFFECT", "/weights", "two parameters"),
            (
                "/points",
                point(json!({ "at": 0, "clip": "walk", "motion": "m" })),
                "E-GRAPH-MOTION",
                "/points/0",
                "exclude",
            ),
            (
                "/points",
                point(json!({ "at": 0 })),
                "E-GRAPH-MISSING",
                "/points/0",
                "neither",
            ),
            (
                "/points",
                point(json!({ "at": 0, "motion": { "blend": "speed", "points": [{ "at": 0, "clip": "rn" }] } })),
                "E-GRAPH-UNKNOWN-CLIP",
                "/points/0/motion/points/0/clip",
                "`run`",
            ),
            (
                "/points",
                point(json!({ "at": 0, "motion": { "blend": "speed", "rate": "distance", "points": [{ "at": 0, "clip": "run" }] } })),
                "E-GRAPH-ROOT",
                "/points/0/motion/rate",
                "root",
            ),
        ],
    );
}

#[test]
fn mistakes_in_machines_are_found_where_they_are() {
    let machine = |machine: Value| json!({ "machine": machine });
    let inside = json!({ "rise": { "clip": "walk" }, "fall": { "clip": "run" } });
    check(
        STATE,
        vec![
            ("", machine(json!({})), "E-GRAPH-NO-STATES", "/machine/states", "no states"),
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
                machine(json!({ "entry": "rise", "states": inside, "transitions": [{ "from": "rise", "to": "move" }] })),
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
                machine(json!({ "states": { "c": { "conduit": true } }, "transitions": [{ "from": "c", "to": "c" }] })),
                "E-GRAPH-ENTRY",
                "/machine",
                "conduit",
            ),
            ("/enter_when", json!("grounded and sped"), "E-GRAPH-UNKNOWN-PARAMETER", "/enter_when", "`speed`"),
            ("/sync_role", json!("always_leader"), "E-GRAPH-NO-EFFECT", "/sync_role", "`sync_group`"),
            ("/speaks", json!(1.5), "E-GRAPH-RANGE", "/speaks", "from 0 to 1"),
            ("/speaks", json!("loud"), "E-GRAPH-UNKNOWN-WORD", "/speaks", "`all`"),
            ("/events", json!([{ "name": "x" }]), "E-GRAPH-MISSING", "/events/0", "neither"),
            (
                "/events",
                json!([{ "name": "x", "phase": 0, "time": 0 }]),
                "E-GRAPH-NO-EFFECT",
                "/events/0/time",
                "excludes `phase`",
            ),
            ("/events", json!([{ "name": "x", "phase": 1.5 }]), "E-GRAPH-RANGE", "/events/0/phase", "from 0 to 1"),
            ("/events", json!([{ "name": "x", "time": -1 }]), "E-GRAPH-RANGE", "/events/0/time", "at least 0"),
            ("/events", json!([{ "name": "", "time": 1 }]), "E-GRAPH-NAME", "/events/0/name", "64 bytes"),
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
        hub.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
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
    let def = with(plain.clone(), json!([out("any", "hub"), out("any", "walk")]));
    expect_error(def, "E-GRAPH-CONDUIT", "/layers/0/states/hub", "no transition leads out", &nothing);
    let def = with(plain.clone(), json!([out("hub", "hub")]));
    expect_error(def, "E-GRAPH-CYCLE", "/layers/0/states/hub", "`hub` > `hub`", &nothing);
    let def = with(two, json!([out("a", "b"), out("b", "walk"), out("b", "a")]));
    expect_error(def, "E-GRAPH-CYCLE", "/layers/0/states/a", "`a` > `b` > `a`", &nothing);
    let mut def = with(plain.clone(), json!([out("hub", "walk")]));
    put(&mut def, "/layers/0/entry", json!("hub"));
    expect_error(def, "E-GRAPH-ENTRY", "/layers/0/entry", "conduit", &nothing);
    let late = json!([{ "from": "hub", "to": "walk", "exit_time": 0.5 }]);
    let def = with(plain, late);
    expect_error(def, "E-GRAPH-EXIT-TIME", "/layers/0/transitions/0/exit_time", "passed through", &nothing);
    for (key, value) in [
        ("mode", json!("once")),
        ("speed", json!(2)),
        ("speed_parameter", json!("speed")),
        ("sync_group", json!("feet")),
        ("speaks", json!("all")),
        ("events", json!([])),
    ] {
        let mut def = with(json!({ "hub": hub(json!({})) }), json!([out("hub", "walk")]));
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
            ("/profile", long, "E-GRAPH-UNKNOWN-JOINT", "/profile/hnd", "`hand`"),
            ("/profile", json!({ "arm": 1.5 }), "E-GRAPH-RANGE", "/profile/arm", "from 0 to 1"),
            ("/profile", json!({ "arm": "slow" }), "E-GRAPH-WRONG-TYPE", "/profile/arm", "number"),
            ("/by", json!("inertia"), "E-GRAPH-UNKNOWN-WORD", "/by", "`inertial`"),
            ("/latch", json!(true), "E-GRAPH-NO-EFFECT", "/latch", "`exit_time`"),
        ],
    );
}

#[test]
fn a_way_into_or_out_of_a_machine_inside_a_state_is_told_as_such() {
    let inside = json!({ "rise": { "clip": "walk" } });
    for (key, place) in [("to", "/to"), ("from", "/from")] {
        let mut def = sound();
        put(&mut def, "/layers/0/states/air", json!({ "machine": { "states": inside } }));
        put(&mut def, &format!("{WAY}/{key}"), json!("air/rise"));
        let words = "ways lead only between states of one machine";
        let place = format!("{WAY}{place}");
        expect_error(def, "E-GRAPH-UNKNOWN-STATE", &place, words, &Value::Null);
    }
    let out = json!([{ "from": "rise", "to": "walk" }]);
    let mut def = sound();
    put(&mut def, "/layers/0/states/z", json!({ "machine": { "states": inside, "transitions": out } }));
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
    expect_error(def, "E-GRAPH-DUPLICATE", "/layers/0/states/a~1b", "path `a/b`", &Value::Null);
}

#[test]
fn mistakes_in_layers_slots_and_rules_are_found_where_they_are() {
    check(
        "/layers/0",
        vec![
            ("/reference", json!("first_frame"), "E-GRAPH-NO-EFFECT", "/reference", "additive"),
            ("/space", json!("mesh"), "E-GRAPH-NO-EFFECT", "/space", "additive"),
            ("/follow", json!("base"), "E-GRAPH-NO-EFFECT", "/follow", "base layer"),
            ("/weight_curve", json!("lean"), "E-GRAPH-UNKNOWN-CURVE", "/weight_curve", "did you mean `lock`?"),
        ],
    );
    let over = |reference: Value| {
        json!({ "name": "over", "blend": "additive", "reference": reference, "states": { "s": { "rest": true } } })
    };
    check(
        "/layers/1",
        vec![
            ("", over(json!({ "clip": "wlk" })), "E-GRAPH-UNKNOWN-CLIP", "/reference/clip", "`walk`"),
            ("", over(json!({ "clip": "walk", "time": 5 })), "E-GRAPH-RANGE", "/reference/time", "ends at 1"),
            ("", over(json!({ "clip": "walk", "time": -1 })), "E-GRAPH-RANGE", "/reference/time", "at least 0"),
            ("", over(json!("frame")), "E-GRAPH-UNKNOWN-WORD", "/reference", "`first_frame`"),
        ],
    );
    check(
        "",
        vec![
            ("/slots", json!({ "hit": { "after": "bas" } }), "E-GRAPH-UNKNOWN-LAYER", "/slots/hit/after", "`base`"),
            ("/slots", json!({ "hit": { "mask": "am+" } }), "E-GRAPH-UNKNOWN-JOINT", "/slots/hit/mask", "`arm`"),
            ("/slots", json!({ "": {} }), "E-GRAPH-NAME", "/slots/", "name"),
            ("/transitions_per_step", json!(0), "E-GRAPH-RANGE", "/transitions_per_step", "from 1 to 8"),
            ("/transitions_per_step", json!(9), "E-GRAPH-RANGE", "/transitions_per_step", "from 1 to 8"),
        ],
    );
    let def = json!({ "slots": { "hit": {} } });
    expect_error(def, "E-GRAPH-UNKNOWN-LAYER", "/slots/hit", "the graph has none", &Value::Null);
}

#[test]
fn a_motion_that_contains_itself_through_others_is_a_cycle() {
    let hides: [(Value, &str); 5] = [
        (json!({ "select": "n", "children": ["m"] }), "/children/0"),
        (json!({ "direct": [{ "weight": "speed", "motion": "m" }] }), "/direct/0/motion"),
        (json!({ "additive": { "base": "m", "add": { "rest": true } } }), "/additive/base"),
        (json!({ "machine": { "states": { "s": { "motion": "m" } } } }), "/machine/states/s/motion"),
        (json!({ "blend": "speed", "points": [{ "at": 0, "motion": "m" }] }), "/points/0/motion"),
    ];
    for (hide, place) in hides {
        let mut def = sound();
        put(&mut def, "/parameters/n", json!({ "type": "int" }));
        put(&mut def, STATE, json!({ "motion": "m" }));
        put(&mut def, "/motions", json!({ "m": hide }));
        let place = format!("/motions/m{place}");
        expect_error(def, "E-GRAPH-CYCLE", &place, "`m` > `m`", &hide);
    }
}

#[test]
fn a_mistake_in_a_motion_that_is_used_twice_is_told_once() {
    let mut def = sound();
    put(&mut def, "/motions", json!({ "m": { "clip": "wlk" } }));
    put(&mut def, STATE, json!({ "select": "random", "children": ["m", "m"] }));
    put(&mut def, "/layers/0/states/other", json!({ "motion": "m" }));
    let errors = crate::errors::errors_of(def);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0].pointer, "/motions/m/clip");
}
