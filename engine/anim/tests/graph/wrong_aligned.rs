//! Blends whose clips cannot be aligned by markers.

use serde_json::{Value, json};

use crate::aligned::graph;
use crate::support::{Make, compile, one_layer, still};

#[test]
fn what_cannot_be_aligned_says_which_clip_and_which_marker() {
    let with = |name: &str, markers: &[(&str, f32)]| {
        let make = still(name, 8.0, 0.0);
        markers
            .iter()
            .fold(make, |make, (name, time)| make.marker(name, *time))
    };
    let numbered = |name: &str, count: usize| {
        (0..count).fold(still(name, 8.0, 0.0), |make, at| {
            make.marker("s", at as f32 * 0.1)
        })
    };
    let point = "/layers/0/states/move/points/1";
    let cases = [
        (
            json!("marker"),
            with("b", &[]),
            "E-GRAPH-ALIGN",
            point,
            "clip `b` has no markers",
        ),
        (
            json!("marker"),
            with("b", &[("x", 1.0)]),
            "E-GRAPH-ALIGN",
            point,
            "in common: `l`, `r`",
        ),
        (
            json!(["l", "r"]),
            with("b", &[("l", 1.0)]),
            "E-GRAPH-ALIGN",
            point,
            "clip `b` has no marker `r`",
        ),
        (
            json!("marker"),
            with("b", &[("l", 1.0), ("l", 2.0), ("r", 3.0)]),
            "E-GRAPH-ALIGN",
            point,
            "clip `b` has the markers `l`, `l`, `r` in a lap, which do not follow each other as `l`, `r` of clip `a` do",
        ),
        (
            json!([]),
            with("b", &[("l", 1.0)]),
            "E-GRAPH-ALIGN",
            "/layers/0/states/move/align",
            "names no markers",
        ),
        (
            json!("steps"),
            with("b", &[]),
            "E-GRAPH-UNKNOWN-WORD",
            "/layers/0/states/move/align",
            "steps",
        ),
        (
            json!(1),
            with("b", &[]),
            "E-GRAPH-WRONG-TYPE",
            "/layers/0/states/move/align",
            "a list of names of markers",
        ),
    ];
    for (align, b, code, place, words) in cases {
        let a = with("a", &[("l", 1.0), ("r", 5.0)]);
        check(json!({ "align": align }), vec![a, b], code, place, words);
    }
    let many = vec![numbered("a", 7), numbered("b", 10)];
    check(
        json!({}),
        many,
        "E-GRAPH-LIMIT",
        point,
        "70 intervals between markers; 64 fit",
    );
    let two = || vec![with("a", &[("l", 1.0)]), with("b", &[("l", 1.0)])];
    let turning = json!({ "mode": "ping_pong" });
    check(
        turning,
        two(),
        "E-GRAPH-ALIGN",
        "/layers/0/states/move/mode",
        "cannot turn back",
    );
    let apart = |align: &str, own: &str| {
        let points = json!([{ "at": 0, "clip": "a", "align": own }, { "at": 1, "clip": "b" }]);
        json!({ "align": align, "points": points })
    };
    let place = "/layers/0/states/move/points/0/align";
    check(
        apart("phase", "phase"),
        two(),
        "E-GRAPH-NO-EFFECT",
        place,
        "aligned by markers",
    );
    check(
        apart("marker", "marker"),
        two(),
        "E-GRAPH-NO-EFFECT",
        place,
        "of the blend",
    );
    let clip = one_layer(
        json!({}),
        json!({ "s": { "clip": "a", "align": "marker" } }),
        "s",
        json!([]),
    );
    let errors = compile(clip, two()).expect_err("no blend");
    assert_eq!(
        (errors[0].code, errors[0].pointer.as_str()),
        ("E-GRAPH-MOTION", "/layers/0/states/s/align")
    );
}

#[track_caller]
fn check(more: Value, clips: Vec<Make>, code: &str, place: &str, words: &str) {
    let mut more = more;
    if more.get("points").is_none() {
        more["points"] = json!([{ "at": 0, "clip": "a" }, { "at": 1, "clip": "b" }]);
    }
    let errors = compile(graph(more), clips).expect_err(words);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let error = &errors[0];
    assert_eq!(
        (error.code, error.pointer.as_str()),
        (code, place),
        "{error:?}"
    );
    assert!(
        error.message.contains(words),
        "{} lacks {words}",
        error.message
    );
}
