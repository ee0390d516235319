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
    let motions = graph.machines.iter().flat_map(|machine| &machine.states);
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
    let names: Vec<&str> = graph.machines[0]
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
    let wrong: Vec<String> = (0..100_000).map(|index| format!("nobody{index}")).collect();
    assert_eq!(masked(wrong.join(" ")).len(), 64);
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
    let own = graph.clips[0]
        .markers
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
    for (index, state) in graph.states(0).iter().enumerate() {
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

/// A motion `m<n>` that stands on `m<n - 1>` as often as `inside` says, down to a clip.
fn tower(levels: usize, inside: impl Fn(&str) -> Value) -> Value {
    let floor = ("m0".to_owned(), json!({ "clip": "c" }));
    let upper = (1..levels).map(|level| {
        let below = format!("m{}", level - 1);
        (format!("m{level}"), inside(&below))
    });
    Value::Object(std::iter::once(floor).chain(upper).collect())
}

fn of_tower(levels: usize, inside: impl Fn(&str) -> Value) -> Value {
    let top = json!({ "s": { "motion": format!("m{}", levels - 1) } });
    let mut def = one_layer(
        json!({ "v": 0.0, "n": { "type": "int" } }),
        top,
        "s",
        json!([]),
    );
    def["motions"] = tower(levels, inside);
    def
}

/// A few lines that ask for more motions than there are atoms.
#[test]
fn named_motions_that_multiply_are_refused_at_once() {
    let select = |below: &str| json!({ "select": "n", "children": vec![below; 64] });
    let direct = |below: &str| {
        let child = json!({ "weight": "v", "motion": below });
        json!({ "direct": vec![child; 64] })
    };
    let machine = |below: &str| {
        let states = (0..64).map(|index| (format!("s{index}"), json!({ "motion": below })));
        json!({ "machine": { "entry": "s0", "states": Value::Object(states.collect()) } })
    };
    let ways = |below: &str| {
        let ways = vec![json!({ "from": "any", "to": "s", "when": "v > 1" }); 9000];
        let states = json!({ "s": { "motion": below }, "t": { "motion": below } });
        json!({ "machine": { "entry": "s", "states": states, "transitions": ways } })
    };
    for def in [
        of_tower(15, select),
        of_tower(15, direct),
        of_tower(15, machine),
        of_tower(15, ways),
    ] {
        let errors = compile(def, vec![clip("c", 1.0)]).expect_err("endless");
        assert!(
            errors.iter().any(|error| error.code == "E-GRAPH-LIMIT"),
            "{errors:#?}"
        );
        assert!(errors.len() < 64, "{}", errors.len());
    }
}

#[test]
fn long_names_that_multiply_are_refused_at_once() {
    let name = "x".repeat(100_000);
    let machine = |below: &str| {
        let states = (0..8).map(|index| (format!("{index}{name}"), json!({ "motion": below })));
        json!({ "machine": { "entry": format!("0{name}"), "states": Value::Object(states.collect()) } })
    };
    let (code, _) = first_error(of_tower(8, machine), vec![clip("c", 1.0)]);
    assert_eq!(code, "E-GRAPH-LIMIT");
}

#[test]
fn motions_stand_in_each_other_sixteen_deep_and_no_deeper() {
    let machine = |below: &str| json!({ "machine": { "states": { "s": { "motion": below } } } });
    let select = |below: &str| json!({ "select": "n", "children": [below] });
    let clips = || vec![clip("c", 1.0)];
    for inside in [&machine as &dyn Fn(&str) -> Value, &select] {
        assert_eq!(first_error(of_tower(16, inside), clips()).0, "");
        assert_eq!(
            first_error(of_tower(17, inside), clips()).0,
            "E-GRAPH-LIMIT"
        );
    }
    // Names alone do not nest, but they end too.
    let name = |below: &str| json!({ "motion": below });
    assert_eq!(first_error(of_tower(60, name), clips()).0, "");
    assert_eq!(first_error(of_tower(70, name), clips()).0, "E-GRAPH-LIMIT");
}

#[test]
fn a_state_has_no_more_clips_and_additions_than_fit() {
    let children = |count: usize| {
        let point = |index| json!({ "at": index, "clip": "c" });
        let points: Vec<Value> = (0..count).map(point).collect();
        json!({ "blend": "v", "points": points })
    };
    let direct = |counts: &[usize]| {
        let child = |count: &usize| json!({ "weight": "v", "motion": children(*count) });
        let state = json!({ "direct": counts.iter().map(child).collect::<Vec<_>>() });
        one_layer(json!({ "v": 0.0 }), json!({ "s": state }), "s", json!([]))
    };
    let clips = || vec![clip("c", 1.0)];
    assert_eq!(first_error(direct(&[64; 4]), clips()).0, "");
    let (code, place) = first_error(direct(&[64, 64, 64, 64, 1]), clips());
    assert_eq!(
        (code.as_str(), place.as_str()),
        (
            "E-GRAPH-LIMIT",
            "/layers/0/states/s/direct/4/motion/points/0/clip"
        )
    );

    let added = |count: usize| {
        let mut state = json!({ "clip": "c" });
        for _ in 0..count {
            state = json!({ "additive": { "base": state, "add": { "clip": "c" } } });
        }
        one_layer(json!({}), json!({ "s": state }), "s", json!([]))
    };
    assert_eq!(first_error(added(3), clips()).0, "");
    assert_eq!(first_error(added(4), clips()).0, "E-GRAPH-LIMIT");
}

#[test]
fn machines_slots_poses_and_profiles_are_counted() {
    let machines = |count: usize| {
        let machine = json!({ "machine": { "states": { "s": { "rest": true } } } });
        let states = (0..count).map(|index| (format!("s{index:04}"), machine.clone()));
        one_layer(
            json!({}),
            Value::Object(states.collect()),
            "s0000",
            json!([]),
        )
    };
    assert_eq!(first_error(machines(1023), vec![]).0, "");
    let mut two = machines(600);
    let mut second = machines(600)["layers"][0].clone();
    second["name"] = json!("second");
    two["layers"].as_array_mut().expect("list").push(second);
    assert_eq!(first_error(two, vec![]).0, "E-GRAPH-LIMIT");

    let slots = |count: usize| {
        let mut def = one_layer(json!({}), rests(1), "s00000", json!([]));
        let slots = (0..count).map(|index| (format!("{index}"), json!({})));
        def["slots"] = Value::Object(slots.collect());
        def
    };
    assert_eq!(first_error(slots(64), vec![]).0, "");
    let limit = |place: &str| ("E-GRAPH-LIMIT".to_owned(), place.to_owned());
    assert_eq!(first_error(slots(65), vec![]), limit("/slots"));

    let poses = |count: usize| {
        let states = (0..count).map(|index| {
            (
                format!("s{index:02}"),
                json!({ "pose": format!("{index}") }),
            )
        });
        one_layer(json!({}), Value::Object(states.collect()), "s00", json!([]))
    };
    assert_eq!(first_error(poses(64), vec![]).0, "");
    assert_eq!(
        first_error(poses(65), vec![]),
        limit("/layers/0/states/s64/pose")
    );

    let profiles = |count: usize| {
        let way = |index: usize| json!({ "from": "s00000", "to": "s00000", "profile": { "arm": index as f64 / 1000.0 } });
        let ways: Vec<Value> = (0..count).map(way).collect();
        one_layer(json!({}), rests(1), "s00000", json!(ways))
    };
    assert_eq!(first_error(profiles(256), vec![]).0, "");
    assert_eq!(
        first_error(profiles(257), vec![]),
        limit("/layers/0/transitions/256/profile")
    );
}

#[test]
fn ranges_of_one_clip_cannot_make_a_flood_of_markers() {
    let marked = (0..4096).fold(clip("c", 1.0), |make, index| {
        make.marker("m", index as f32 / 4096.0)
    });
    let state = |index: usize| {
        let end = 0.5 + index as f64 / 10_000.0;
        (
            format!("s{index:04}"),
            json!({ "clip": "c", "range": [0, end] }),
        )
    };
    let def = |count: usize| {
        let states = Value::Object((0..count).map(state).collect());
        one_layer(json!({}), states, "s0000", json!([]))
    };
    assert_eq!(first_error(def(200), vec![marked.clone()]).0, "");
    assert_eq!(first_error(def(300), vec![marked]).0, "E-GRAPH-LIMIT");
}
