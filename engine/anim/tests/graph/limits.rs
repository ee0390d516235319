//! Graphs that ask for too much: refused with a code, in time that grows with their size.

use serde_json::{Value, json};
use sinew_anim::{GraphDef, MAX_MASK_RULES};

use crate::support::{Make, clip, compile, one_layer, skeleton, still};

/// The first code and place of what is wrong; empty where nothing is.
fn first_error(def: Value, clips: Vec<Make>) -> (String, String) {
    let errors = compile(def, clips).err().unwrap_or_default();
    let first = errors.first();
    first.map_or_else(Default::default, |error| {
        (error.code.to_owned(), error.pointer.clone())
    })
}

fn rests(count: usize) -> Value {
    let states = (0..count).map(|index| (format!("s{index:05}"), json!({ "rest": true })));
    Value::Object(states.collect())
}

#[test]
fn as_many_layers_and_states_as_there_may_be_have_their_own_motions() {
    let layer = |index: usize| json!({ "name": format!("l{index}"), "entry": "s00000", "states": rests(1023) });
    let layers: Vec<Value> = (0..64).map(layer).collect();
    let graph = compile(json!({ "layers": layers }), vec![]).expect("within the limits");
    let motions = graph.layers.iter().flat_map(|layer| &layer.states);
    assert!(
        motions
            .enumerate()
            .all(|(index, state)| usize::from(state.motion) == index)
    );

    let many: Vec<Value> = (0..65)
        .map(|index| json!({ "name": format!("l{index}"), "states": rests(1) }))
        .collect();
    let limit = |place: &str| ("E-GRAPH-LIMIT".to_owned(), place.to_owned());
    assert_eq!(
        first_error(json!({ "layers": many }), vec![]),
        limit("/layers")
    );
    let def = one_layer(json!({}), rests(1024), "s00000", json!([]));
    assert_eq!(first_error(def, vec![]), limit("/layers/0/states"));
}

#[test]
fn thousands_of_transitions_between_two_states_get_names_at_once() {
    let ways: Vec<Value> = (0..16_000)
        .map(|_| json!({ "from": "a", "to": "b" }))
        .collect();
    let states = json!({ "a": { "rest": true }, "b": { "rest": true } });
    let graph = compile(one_layer(json!({}), states, "a", json!(ways)), vec![]).expect("sound");
    let names: Vec<&str> = graph.layers[0]
        .transitions
        .iter()
        .map(|way| way.name.as_str())
        .collect();
    assert_eq!(names[..3], ["a>b", "a>b#2", "a>b#3"]);
    assert_eq!(names[15_999], "a>b#16000");
}

#[test]
fn ways_from_any_state_are_counted_for_every_state() {
    let ways: Vec<Value> = (0..300)
        .map(|_| json!({ "from": "any", "to": "s00000" }))
        .collect();
    let def = one_layer(json!({}), rests(1000), "s00000", json!(ways));
    let limit = (
        "E-GRAPH-LIMIT".to_owned(),
        "/layers/0/transitions/262".to_owned(),
    );
    assert_eq!(first_error(def, vec![]), limit);
}

/// Looking for the nearest of a thousand long names takes long, so a hostile graph must not be able to
/// ask for it as often as it likes.
#[test]
fn no_more_mistakes_are_told_than_anyone_reads() {
    let long = |index: usize| format!("{:04}{}", index, "x".repeat(70));
    let states = (0..1000).map(|index| (long(index), json!({ "rest": true })));
    let ways: Vec<Value> = (0..16_000)
        .map(|index| json!({ "from": format!("{index:05}{}", "y".repeat(70)), "to": long(1), "when": "nobody" }))
        .collect();
    let def = one_layer(
        json!({}),
        Value::Object(states.collect()),
        &long(0),
        json!(ways),
    );
    let errors = compile(def, vec![]).expect_err("unknown names");
    assert_eq!(errors.len(), 64);
}

#[test]
fn a_mask_of_too_many_or_too_many_wrong_entries_ends_early() {
    let masked = |mask: String| {
        let mut def = one_layer(json!({}), rests(1), "s00000", json!([]));
        def["layers"][0]["mask"] = json!(mask);
        compile(def, vec![]).err().unwrap_or_default()
    };
    assert_eq!(masked("arm+ ".repeat(MAX_MASK_RULES)), []);
    let errors = masked("arm+ ".repeat(MAX_MASK_RULES + 1));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0].pointer, "/layers/0/mask");
    assert_eq!(masked("nobody ".repeat(100_000)).len(), 64);
}

#[test]
fn clips_with_a_flood_of_markers_are_refused_and_many_names_keep_their_own() {
    let marked = |count: usize| {
        (0..count).fold(clip("c", 1.0), |make, index| {
            make.marker(&format!("m{index:05}"), index as f32 / count as f32)
        })
    };
    let def = || one_layer(json!({}), json!({ "s": { "clip": "c" } }), "s", json!([]));
    let limit = (
        "E-GRAPH-LIMIT".to_owned(),
        "/layers/0/states/s/clip".to_owned(),
    );
    assert_eq!(first_error(def(), vec![marked(4097)]), limit);
    let graph = compile(def(), vec![marked(4096)]).expect("within the limit");
    let own = graph.markers[0]
        .iter()
        .map(|marker| usize::from(marker.name));
    assert!(own.eq(0..4096));
}

/// Seventeen clips of 4096 names each are more than 16 bits can tell apart.
#[test]
fn more_marker_names_than_have_an_index_are_refused() {
    let clips: Vec<Make> = (0..17)
        .map(|clip_index| {
            let make = still(&format!("c{clip_index}"), 1.0, 0.0);
            (0..4096).fold(make, |make, index| {
                make.marker(&format!("{clip_index} {index}"), 0.5)
            })
        })
        .collect();
    let states = (0..17).map(|index| (format!("s{index}"), json!({ "clip": format!("c{index}") })));
    let def = one_layer(json!({}), Value::Object(states.collect()), "s0", json!([]));
    assert_eq!(first_error(def, clips).0, "E-GRAPH-LIMIT");
}

#[test]
fn names_are_found_whatever_their_order_in_the_document() {
    let text = r#"{ "parameters": { "z": 1.0, "a": true, "m": "trigger", "Z": 2.0 },
        "layers": [{ "name": "base", "entry": "walk", "states": { "walk": { "rest": true }, "Run": { "rest": true }, "é": { "rest": true } } }] }"#;
    let def = GraphDef::from_json(text).expect("reads");
    let graph = sinew_anim::Graph::compile(&def, &skeleton(), &[]).expect("sound");
    for (index, parameter) in graph.parameters.iter().enumerate() {
        assert_eq!(graph.parameter(&parameter.name), Some(index as u16));
    }
    for (index, state) in graph.layers[0].states.iter().enumerate() {
        assert_eq!(graph.state(0, &state.name), Some(index as u16));
    }
    assert_eq!(
        (
            graph.parameter("b"),
            graph.state(0, ""),
            graph.state(9, "walk")
        ),
        (None, None, None)
    );
}

#[test]
fn blend_spaces_over_floods_of_marker_names_are_refused() {
    let clips: Vec<Make> = (0..16)
        .map(|clip_index| {
            let make = still(&format!("c{clip_index}"), 1.0, 0.0);
            (0..1000).fold(make, |make, index| {
                make.marker(&format!("{clip_index} {index}"), 0.5)
            })
        })
        .collect();
    let points: Vec<Value> = (0..16)
        .map(|index| json!({ "at": index, "clip": format!("c{index}") }))
        .collect();
    let states = |count: usize| {
        let state = |index| {
            (
                format!("s{index}"),
                json!({ "blend": "v", "points": points }),
            )
        };
        Value::Object((0..count).map(state).collect())
    };
    let def = |count| one_layer(json!({ "v": 0.0 }), states(count), "s0", json!([]));
    assert_eq!(first_error(def(4), clips.clone()).0, "");
    assert_eq!(first_error(def(5), clips).0, "E-GRAPH-LIMIT");
}
