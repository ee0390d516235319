//! The written form: what reads the same, what is refused, the schema.

use proptest::prelude::*;
use serde_json::{Value, json};
use sinew_anim::{Graph, GraphDef};

use crate::compiled_motions::clips;
use crate::support::{arcs, skeleton};

/// Compares a generated file with what it should be; `SINEW_UPDATE=1` writes it.
pub fn check_file(path: &str, expected: &str) {
    if std::env::var_os("SINEW_UPDATE").is_some() {
        std::fs::create_dir_all(std::path::Path::new(path).parent().unwrap()).unwrap();
        std::fs::write(path, expected).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is not current: run the tests with SINEW_UPDATE=1"
    );
}

#[test]
fn the_schema_is_current() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(GraphDef)).unwrap() + "\n";
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/animgraph.schema.json"
    );
    check_file(path, &schema);
}

/// Every table and list of `value` with its pointer, the outermost first.
fn parts(value: &Value) -> Vec<(String, &Value)> {
    let mut found = vec![(String::new(), value)];
    let mut next = 0;
    while let Some((place, value)) = found.get(next).cloned() {
        let inside = |key: &str| format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                found.extend(items.map(|(i, item)| (inside(&i.to_string()), item)));
            }
            Value::Object(items) => {
                found.extend(items.iter().map(|(key, item)| (inside(key), item)));
            }
            _ => {}
        }
        next += 1;
    }
    found.retain(|(_, value)| value.is_array() || value.is_object());
    found
}

/// A graph with a part replaced.
fn with(def: &Value, place: &str, part: Value) -> Value {
    let mut def = def.clone();
    *def.pointer_mut(place).expect("it has the part") = part;
    def
}

#[test]
fn a_list_is_no_table_at_any_depth() {
    let sound: Value = serde_json::from_str(include_str!("everything.json")).unwrap();
    let mut tables = 0;
    for (place, part) in parts(&sound) {
        let Value::Object(items) = part else { continue };
        tables += 1;
        let values: Vec<Value> = items.values().cloned().collect();
        for list in [json!([]), Value::Array(values)] {
            let def = with(&sound, &place, list);
            for error in [
                GraphDef::from_json(&def.to_string()).unwrap_err(),
                GraphDef::from_value(def).unwrap_err(),
            ] {
                assert_eq!(
                    (error.code, &error.pointer),
                    ("E-GRAPH-WRONG-TYPE", &place),
                    "{error}"
                );
                assert!(error.message.starts_with("invalid type: list"), "{error}");
            }
        }
    }
    assert!(tables > 50, "{tables}");
}

#[test]
fn an_empty_table_is_an_empty_list_in_scripts_and_a_mistake_in_files() {
    let sound: Value = serde_json::from_str(include_str!("everything.json")).unwrap();
    let mut lists = 0;
    for (place, _) in parts(&sound).iter().filter(|(_, part)| part.is_array()) {
        let table = with(&sound, place, json!({}));
        let error = GraphDef::from_json(&table.to_string()).unwrap_err();
        assert_eq!(
            (error.code, &error.pointer),
            ("E-GRAPH-WRONG-TYPE", place),
            "{error}"
        );
        let list = GraphDef::from_value(with(&sound, place, json!([])));
        // Where a list has a fixed length or must not be empty, neither will do.
        if let Ok(list) = list {
            lists += 1;
            assert_eq!(GraphDef::from_value(table), Ok(list), "{place}");
        }
    }
    assert!(lists > 10, "{lists}");
    let named = json!({ "layers": { "name": "l" } });
    let error = GraphDef::from_value(named).unwrap_err();
    let expected = "invalid type: table with key `name`, expected a list";
    assert_eq!(
        (error.pointer.as_str(), error.message.as_str()),
        ("/layers", expected)
    );
}

#[test]
fn a_word_is_written_as_text() {
    for mode in [json!({ "loop": null }), json!(["loop"]), json!(1)] {
        let states = json!({ "s": { "rest": true, "mode": mode } });
        let def = json!({ "layers": [{ "name": "l", "states": states }] });
        let error = GraphDef::from_json(&def.to_string()).unwrap_err();
        assert_eq!(error.pointer, "/layers/0/states/s/mode");
        assert!(error.message.ends_with("expected a word"), "{error}");
    }
}

#[test]
fn whole_numbers_may_be_written_as_floats_and_numbers_without_a_point() {
    let def = |priority: Value| {
        json!({ "version": 1.0, "parameters": { "a": 1 }, "layers": [{ "name": "l", "weight": 1, "transitions": [
            { "from": "s", "to": "s", "priority": priority, "duration": 1 },
        ] }] })
    };
    for priority in [json!(-1), json!(-1.0)] {
        let def = GraphDef::from_value(def(priority)).unwrap();
        assert_eq!(def.layers[0].transitions[0].priority, Some(-1));
    }
    for priority in [
        json!(0.5),
        json!("high"),
        json!(1e20),
        json!(5_000_000_000_i64),
    ] {
        let error = GraphDef::from_value(def(priority)).unwrap_err();
        assert_eq!(error.pointer, "/layers/0/transitions/0/priority");
        assert!(error.message.contains("whole number"), "{error}");
    }
}

#[test]
fn text_that_is_no_json_says_where() {
    let error = GraphDef::from_json("{\n  \"layers\": [,]\n}").unwrap_err();
    assert_eq!(error.code, "E-GRAPH-SYNTAX");
    assert!(error.message.contains("line 2"), "{error}");
}

#[test]
fn a_name_twice_is_an_error() {
    let states = r#"{ "layers": [{ "name": "l", "states": { "s": { "rest": true }, "s": { "rest": true } } }] }"#;
    for text in [states, r#"{ "layers": [], "layers": [] }"#] {
        assert_eq!(
            GraphDef::from_json(text).unwrap_err().code,
            "E-GRAPH-DUPLICATE",
            "{text}"
        );
    }
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    let mut value = json!({ "rest": true });
    for _ in 0..100 {
        value = json!({ "sequence": [value] });
    }
    let error = GraphDef::from_value(json!({ "motions": { "deep": value } })).unwrap_err();
    assert_eq!(error.code, "E-GRAPH-TOO-DEEP");
    let text = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(GraphDef::from_json(&text).is_err());
}

#[test]
fn both_forms_of_conditions_are_one_tree() {
    let graph = |when: Value| {
        let def = json!({
            "parameters": { "speed": 0.0, "n": { "type": "int" }, "up": true, "go": "trigger" },
            "layers": [{ "name": "l", "entry": "a", "states": { "a": { "rest": true }, "b": { "rest": true } },
                "transitions": [{ "from": "a", "to": "b", "when": when }] }],
        });
        let def = GraphDef::from_value(def).unwrap();
        let graph = Graph::compile(&def, &skeleton(), &[]).unwrap();
        graph.machines[0].transitions[0].when.clone()
    };
    let list = json!([
        { "parameter": "speed", "op": "ge", "value": 0.5 }, { "parameter": "n", "op": "ne", "value": 3 },
        { "parameter": "up", "op": "is_false" }, { "parameter": "go", "op": "trigger" },
    ]);
    assert_eq!(
        graph(list),
        graph(json!("speed >= 0.5 and n != 3 and not up and go"))
    );
    assert_eq!(graph(json!([])), None);
}

#[test]
fn writing_and_reading_again_gives_the_same() {
    for text in [include_str!("hero.json"), include_str!("everything.json")] {
        let def = GraphDef::from_json(text).unwrap();
        let again = GraphDef::from_value(serde_json::to_value(&def).unwrap()).unwrap();
        assert_eq!(def, again);
    }
}

#[test]
fn a_graph_with_some_of_everything_compiles() {
    let def = GraphDef::from_json(include_str!("everything.json")).unwrap();
    let graph = Graph::compile(&def, &skeleton(), &arcs(clips()));
    let graph = graph.unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!((graph.layers.len(), graph.machines.len()), (3, 4));
}

fn value() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        Just("any"),
        Just("walk"),
        Just("spine+"),
        Just("speed > 1"),
        Just("trigger"),
        Just("loop"),
        Just("distance"),
        Just("random"),
        Just("first_frame"),
        Just("additive"),
        Just(""),
        Just("\u{0}é"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5..70_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    let keys = proptest::sample::select(vec![
        "parameters",
        "layers",
        "states",
        "transitions",
        "name",
        "entry",
        "clip",
        "blend",
        "points",
        "at",
        "from",
        "to",
        "when",
        "exit_time",
        "duration",
        "mask",
        "weight",
        "root",
        "joint",
        "chains",
        "look_at",
        "chain",
        "a",
        "b",
        "walk",
        "motion",
        "motions",
        "events",
        "machine",
        "foot_ik",
        "legs",
        "value",
        "type",
        "ttl",
        "speed",
        "rest",
        "op",
        "parameter",
        "direct",
        "additive",
        "base",
        "add",
        "select",
        "children",
        "sequence",
        "mirror",
        "pairs",
        "range",
        "pose",
        "graph",
        "conduit",
        "slots",
        "after",
        "profile",
        "interrupted_by",
        "reference",
        "keep",
        "weights",
    ]);
    leaf.prop_recursive(7, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((keys.clone(), inner), 0..6).prop_map(|pairs| {
                Value::Object(
                    pairs
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// A sound graph with one part replaced by anything.
fn nearly_sound() -> impl Strategy<Value = Value> {
    let sound: Value = serde_json::from_str(include_str!("everything.json")).unwrap();
    let mut places = Vec::new();
    let mut open = vec![(String::new(), &sound)];
    while let Some((place, value)) = open.pop() {
        places.push(place.clone());
        match value {
            Value::Array(items) => open.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| (format!("{place}/{i}"), item)),
            ),
            Value::Object(items) => open.extend(
                items
                    .iter()
                    .map(|(key, item)| (format!("{place}/{key}"), item)),
            ),
            _ => {}
        }
    }
    (proptest::sample::select(places), value()).prop_map(move |(place, value)| {
        let mut def = sound.clone();
        if let Some(slot) = def.pointer_mut(&place) {
            *slot = value;
        }
        def
    })
}

fn survives(def: &Value) {
    let text = def.to_string();
    let read = GraphDef::from_value(def.clone());
    if let Ok(def) = &read {
        let clips = arcs(clips());
        if let Err(errors) = Graph::compile(def, &skeleton(), &clips) {
            assert!(!errors.is_empty());
        }
    }
    let _ = GraphDef::from_json(&text);
}

proptest! {
    #[test]
    fn no_values_make_it_panic(def in value()) {
        survives(&def);
    }

    #[test]
    fn no_broken_part_makes_it_panic(def in nearly_sound()) {
        survives(&def);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,60}") {
        let _ = GraphDef::from_json(&text);
    }
}
