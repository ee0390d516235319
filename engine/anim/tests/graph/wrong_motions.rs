//! Mistakes in motions, clips and blends: code, place and words.

use serde_json::{Value, json};

use crate::errors::{errors_of, expect_error, put, sound};

const STATE: &str = "/layers/0/states/walk";

/// What is put where, the code, where under that it is found, and words that are told.
pub(crate) type Case = (
    &'static str,
    Value,
    &'static str,
    &'static str,
    &'static str,
);

pub(crate) fn check(at: &str, cases: Vec<Case>) {
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
            (
                "",
                json!({ "direct": [] }),
                "E-GRAPH-MOTION",
                "/direct",
                "1 to 64 children, not 0",
            ),
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
            (
                "",
                json!({ "select": "n", "children": many }),
                "E-GRAPH-MOTION",
                "/children",
                "not 65",
            ),
            (
                "",
                json!({ "select": "random" }),
                "E-GRAPH-MOTION",
                "/children",
                "not 0",
            ),
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
            (
                "",
                json!({ "sequence": [] }),
                "E-GRAPH-MOTION",
                "/sequence",
                "not 0",
            ),
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
            (
                "",
                json!({ "conduit": false }),
                "E-GRAPH-MOTION",
                "/conduit",
                "conduit = true",
            ),
            (
                "",
                json!({ "graph": "graphs/air" }),
                "E-GRAPH-FILE",
                "/graph",
                "cannot be read here",
            ),
        ],
    );
}

#[test]
fn mistakes_in_clips_and_blends_are_found_where_they_are() {
    let mirror = |pairs: Value| json!({ "pairs": pairs });
    check(
        STATE,
        vec![
            (
                "/range",
                json!([0.5, 0.5]),
                "E-GRAPH-RANGE",
                "/range",
                "not after its begin",
            ),
            (
                "/range",
                json!([-0.5, 0.5]),
                "E-GRAPH-RANGE",
                "/range/0",
                "from 0",
            ),
            (
                "/range",
                json!([0.5, 9]),
                "E-GRAPH-RANGE",
                "/range/1",
                "is 9",
            ),
            ("/range", json!([0.5]), "E-GRAPH-WRONG-TYPE", "/range", "2"),
            (
                "/mirror",
                json!("yes"),
                "E-GRAPH-WRONG-TYPE",
                "/mirror",
                "`pairs`",
            ),
            (
                "/mirror",
                mirror(json!([["arm", "hnd"]])),
                "E-GRAPH-UNKNOWN-JOINT",
                "/mirror/pairs/0/1",
                "`hand`",
            ),
            (
                "/mirror",
                mirror(json!([["arm"]])),
                "E-GRAPH-WRONG-TYPE",
                "/mirror/pairs/0",
                "2",
            ),
        ],
    );
    let point = |point: Value| json!([point]);
    check(
        "/layers/0/states/move",
        vec![
            ("/keep", json!(0), "E-GRAPH-RANGE", "/keep", "from 1 to 64"),
            ("/keep", json!(65), "E-GRAPH-RANGE", "/keep", "from 1 to 64"),
            (
                "/weights",
                json!("polar"),
                "E-GRAPH-NO-EFFECT",
                "/weights",
                "two parameters",
            ),
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
                point(
                    json!({ "at": 0, "motion": { "blend": "speed", "points": [{ "at": 0, "clip": "rn" }] } }),
                ),
                "E-GRAPH-UNKNOWN-CLIP",
                "/points/0/motion/points/0/clip",
                "`run`",
            ),
            (
                "/points",
                point(
                    json!({ "at": 0, "motion": { "blend": "speed", "rate": "distance", "points": [{ "at": 0, "clip": "run" }] } }),
                ),
                "E-GRAPH-ROOT",
                "/points/0/motion/rate",
                "root",
            ),
        ],
    );
}

#[test]
fn a_motion_that_contains_itself_through_others_is_a_cycle() {
    let hides: [(Value, &str); 5] = [
        (json!({ "select": "n", "children": ["m"] }), "/children/0"),
        (
            json!({ "direct": [{ "weight": "speed", "motion": "m" }] }),
            "/direct/0/motion",
        ),
        (
            json!({ "additive": { "base": "m", "add": { "rest": true } } }),
            "/additive/base",
        ),
        (
            json!({ "machine": { "states": { "s": { "motion": "m" } } } }),
            "/machine/states/s/motion",
        ),
        (
            json!({ "blend": "speed", "points": [{ "at": 0, "motion": "m" }] }),
            "/points/0/motion",
        ),
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
    put(
        &mut def,
        STATE,
        json!({ "select": "random", "children": ["m", "m"] }),
    );
    put(&mut def, "/layers/0/states/other", json!({ "motion": "m" }));
    let errors = errors_of(def);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0].pointer, "/motions/m/clip");
}
