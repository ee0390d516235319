//! Graphs that name other graphs by path.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sinew_anim::{Graph, GraphDef, GraphError, Motion, ParameterValue};

use crate::support::{arcs, clip, skeleton};

type Files = BTreeMap<&'static str, Value>;

fn inline(def: &Value, files: &Files) -> Result<GraphDef, Vec<GraphError>> {
    let mut read = BTreeMap::new();
    let def = GraphDef::from_value(def.clone()).expect("reads");
    def.inline(&mut |path| {
        *read.entry(path.to_owned()).or_insert(0) += 1;
        assert_eq!(read[path], 1, "{path} is read again");
        let missing = || {
            let help = Some("did you mean `air`?".to_owned());
            let (code, pointer) = ("E-GRAPH-FILE", String::new());
            let message = "no such file".to_owned();
            GraphError {
                code,
                pointer,
                message,
                help,
            }
        };
        GraphDef::from_value(files.get(path).ok_or_else(missing)?.clone())
    })
}

fn compile(def: &Value, files: &Files) -> Result<Graph, Vec<GraphError>> {
    let clips = arcs(vec![clip("walk", 1.0), clip("run", 2.0)]);
    Graph::compile(&inline(def, files)?, &skeleton(), &clips)
}

fn outer(state: Value) -> Value {
    json!({ "parameters": { "speed": 3.0 }, "motions": { "m": { "clip": "run" } },
        "layers": [{ "name": "base", "entry": "air", "states": { "air": state, "floor": { "motion": "m" } } }] })
}

fn air() -> Value {
    json!({ "version": 1, "parameters": { "speed": 1.0, "up": true }, "motions": { "m": { "clip": "walk" } },
        "layers": [{ "name": "air", "entry": "rise", "states": { "rise": { "motion": "m" }, "fall": { "rest": true } },
            "transitions": [{ "from": "rise", "to": "fall", "when": "up and speed > 2" }] }] })
}

#[test]
fn a_graph_in_a_state_is_its_machine_with_its_own_motions_and_shared_parameters() {
    let files = Files::from([("air", air())]);
    let graph = compile(&outer(json!({ "graph": "air" })), &files).expect("sound");
    let inner = &graph.machines[1];
    assert_eq!(inner.parent, Some([0, 0]));
    assert_eq!(inner.states[1].path, "air/rise");
    assert_eq!(
        (inner.entry, inner.transitions[0].name.as_str()),
        (1, "rise>fall")
    );
    let clip_of = |motion: u16| match &graph.motions[usize::from(motion)] {
        Motion::Clip(sample) => graph.clips[usize::from(sample.clip)].clip.name.clone(),
        other => panic!("{other:?}"),
    };
    // `m` is another motion in each file.
    assert_eq!(clip_of(inner.states[1].motion), "walk");
    assert_eq!(clip_of(graph.machines[0].states[1].motion), "run");
    // What the outer graph says of a parameter counts.
    let defaults: Vec<(&str, ParameterValue)> = graph
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.default))
        .collect();
    let expected = [
        ("speed", ParameterValue::Float(3.0)),
        ("up", ParameterValue::Bool(true)),
    ];
    assert_eq!(defaults, expected);
}

#[test]
fn a_graph_is_read_once_and_stands_wherever_it_is_named() {
    let mid = json!({ "layers": [{ "name": "l", "states": { "s": { "select": "random", "children": [{ "graph": "air" }, { "graph": "air" }] } } }] });
    let files = Files::from([("air", air()), ("mid", mid)]);
    let def = outer(
        json!({ "direct": [{ "weight": "speed", "motion": { "graph": "mid" } }, { "weight": "speed", "motion": { "graph": "air" } }] }),
    );
    let graph = compile(&def, &files).expect("sound");
    // base, mid, air twice in it, and air.
    assert_eq!(graph.machines.len(), 5);
    let path = |machine: usize| graph.machines[machine].states[0].path.as_str();
    assert_eq!(
        [1, 2, 3, 4].map(path),
        ["air/s", "air/s/fall", "air/s#2/fall", "air#2/fall"]
    );
}

/// The only error.
#[track_caller]
fn error(result: Result<Graph, Vec<GraphError>>) -> GraphError {
    let mut errors = result.expect_err("something is wrong");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.remove(0)
}

#[test]
fn what_is_wrong_in_a_file_is_told_where_it_is_named() {
    let broken = |place: &str, value: Value| {
        let mut file = air();
        crate::errors::put(&mut file, place, value);
        file
    };
    let layers = json!([{ "name": "a", "states": { "s": { "rest": true } } }, { "name": "b", "states": { "s": { "rest": true } } }]);
    let cases = [
        (
            "/motions/m/clip",
            json!("wlk"),
            "E-GRAPH-UNKNOWN-CLIP",
            "in `air` at /motions/m/clip: there is no clip `wlk`",
        ),
        (
            "/layers/0/entry",
            json!("ris"),
            "E-GRAPH-UNKNOWN-STATE",
            "in `air` at /layers/0/entry: there is no state `ris`",
        ),
        (
            "/layers/0/stats",
            json!({}),
            "E-GRAPH-UNKNOWN-KEY",
            "in `air` at /layers/0/stats: unknown key `stats`",
        ),
        (
            "/layers/0/mask",
            json!("arm"),
            "E-GRAPH-MOTION",
            "in `air` at /layers/0/mask: `mask` belongs to the layer around it",
        ),
        (
            "/slots",
            json!({ "hit": {} }),
            "E-GRAPH-MOTION",
            "in `air` at /slots: `slots` belongs to the graph around it",
        ),
        (
            "/layers",
            layers,
            "E-GRAPH-MOTION",
            "in `air` at /layers: has 2 layers",
        ),
        (
            "/layers",
            json!([]),
            "E-GRAPH-MOTION",
            "in `air` at /layers: has 0 layers",
        ),
        (
            "/version",
            json!(2),
            "E-GRAPH-VERSION",
            "in `air` at /version: version 2",
        ),
        (
            "/parameters/speed",
            json!(true),
            "E-GRAPH-PARAMETER-KIND",
            "in `air` at /parameters/speed: parameter `speed` is a bool, but a float",
        ),
    ];
    for (place, value, code, words) in cases {
        let files = Files::from([("air", broken(place, value))]);
        let error = error(compile(&outer(json!({ "graph": "air" })), &files));
        assert_eq!(
            (error.code, error.pointer.as_str()),
            (code, "/layers/0/states/air/graph")
        );
        assert!(error.message.starts_with(words), "{error}");
    }
    // Through another file the place is still one of the document itself.
    let mid = json!({ "layers": [{ "name": "l", "states": { "s": { "graph": "air" } } }] });
    let files = Files::from([
        ("air", broken("/motions/m/clip", json!("wlk"))),
        ("mid", mid),
    ]);
    let error = error(compile(&outer(json!({ "graph": "mid" })), &files));
    assert_eq!(error.pointer, "/layers/0/states/air/graph");
    assert!(
        error.message.starts_with("in `air` at /motions/m/clip"),
        "{error}"
    );
}

#[test]
fn a_blend_by_distance_in_a_file_without_a_root_is_told_where_the_file_is_named() {
    let state =
        json!({ "blend": "speed", "rate": "distance", "points": [{ "at": 0, "clip": "walk" }] });
    let file = json!({ "layers": [{ "name": "l", "states": { "s": state } }] });
    let error = error(compile(
        &outer(json!({ "graph": "air" })),
        &Files::from([("air", file)]),
    ));
    assert_eq!(
        (error.code, error.pointer.as_str()),
        ("E-GRAPH-ROOT", "/layers/0/states/air/graph")
    );
    assert!(
        error
            .message
            .starts_with("in `air` at /layers/0/states/s/rate"),
        "{error}"
    );
}

#[test]
fn files_that_contain_themselves_or_are_not_there_are_told() {
    let naming =
        |path: &str| json!({ "layers": [{ "name": "l", "states": { "s": { "graph": path } } }] });
    let files = Files::from([
        ("a", naming("b")),
        ("b", naming("a")),
        ("c", naming("nowhere")),
    ]);
    let found = error(compile(&outer(json!({ "graph": "a" })), &files));
    assert_eq!(
        (found.code, found.pointer.as_str()),
        ("E-GRAPH-CYCLE", "/layers/0/states/air/graph")
    );
    assert!(found.message.contains("`a` > `b` > `a`"), "{found}");
    let found = error(compile(&outer(json!({ "graph": "nowhere" })), &files));
    assert_eq!(
        (found.code, found.help.as_deref()),
        ("E-GRAPH-FILE", Some("did you mean `air`?"))
    );
    assert_eq!(found.message, "in `nowhere`: no such file");
    let found = error(compile(&outer(json!({ "graph": "c" })), &files));
    assert_eq!(found.pointer, "/layers/0/states/air/graph");
}

#[test]
fn files_in_files_in_files_end_somewhere() {
    let def = GraphDef::from_value(outer(json!({ "graph": "0" }))).expect("reads");
    let mut read = 0;
    let errors = def
        .inline(&mut |path| {
            read += 1;
            let next = path.parse::<u32>().expect("a number") + 1;
            let def = json!({ "layers": [{ "name": "l", "states": { "s": { "graph": next.to_string() } } }] });
            GraphDef::from_value(def)
        })
        .expect_err("endless");
    assert_eq!(
        (errors.len(), errors[0].code, read),
        (1, "E-GRAPH-LIMIT", 16)
    );
}

#[test]
fn a_graph_that_names_none_stays_as_it_is() {
    let def = GraphDef::from_value(air()).expect("reads");
    assert_eq!(inline(&air(), &Files::new()).expect("sound"), def);
}
