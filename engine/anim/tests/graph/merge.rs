//! Patches: laid over a graph by name, and equal to what somebody would have written by hand.

use serde_json::{Value, json};
use sinew_anim::{GraphDef, GraphError};

use crate::support::{Random, compile, still};

fn def(value: Value) -> GraphDef {
    GraphDef::from_value(value).expect("a graph that reads")
}

fn hero() -> Value {
    json!({
        "parameters": {
            "speed": { "type": "float", "value": 1, "max": 4 },
            "lives": { "type": "int", "value": 3 },
            "grounded": true,
            "jump": "trigger",
        },
        "layers": [
            {
                "name": "base",
                "entry": "idle",
                "states": {
                    "idle": { "clip": "idle", "mode": "loop", "speed": 0.5 },
                    "walk": { "clip": "walk", "range": [0, 1], "sync_group": "feet" },
                    "jump": { "clip": "jump", "mode": "once" },
                },
                "transitions": [
                    { "from": "idle", "to": "walk", "when": "speed > 0.1", "duration": 0.3 },
                    { "from": "walk", "to": "idle", "when": "speed < 0.1" },
                    { "from": ["idle", "walk"], "to": "jump", "when": "jump", "profile": { "j": 0.5 } },
                    { "from": "idle", "to": "walk", "when": "lives > 5" },
                    { "name": "land", "from": "jump", "to": "idle", "exit_time": 1 },
                ],
            },
            { "name": "wave", "mask": "arm+", "weight": 0, "states": { "wave": { "clip": "wave" } } },
        ],
        "chains": { "arm": { "from": "j", "to": "hand", "soft": 0.9 } },
        "slots": { "hit": { "after": "base" } },
        "motions": { "turn": { "clip": "walk" } },
        "events": { "fade": "both", "dedup": true },
    })
}

/// What the patch gives is the hero's graph as `edit` would write it by hand.
fn check(patch: Value, edit: impl Fn(&mut Value)) {
    let merged = def(hero()).merge(&def(patch.clone()));
    let mut by_hand = hero();
    edit(&mut by_hand);
    let merged = merged.unwrap_or_else(|errors| panic!("{patch}: {errors:?}"));
    assert_eq!(
        without_made_names(merged),
        without_made_names(def(by_hand)),
        "{patch}"
    );
}

/// Names that say no more than the states do.
fn without_made_names(mut graph: GraphDef) -> GraphDef {
    for way in graph
        .layers
        .iter_mut()
        .flat_map(|layer| &mut layer.transitions)
    {
        let made = way.name.as_ref().is_some_and(|name| name.contains('>'));
        way.name = way.name.take().filter(|_| !made);
    }
    graph
}

fn refused(patch: Value) -> Vec<GraphError> {
    def(hero())
        .merge(&def(patch))
        .expect_err("a patch that is wrong")
}

#[test]
fn an_empty_patch_changes_nothing() {
    check(json!({}), |_| {});
    check(json!({ "layers": [{ "name": "base" }] }), |_| {});
}

#[test]
fn what_a_patch_leaves_out_stays() {
    check(
        json!({ "layers": [{ "name": "base", "states": { "idle": { "speed": 2 } } }] }),
        |graph| graph["layers"][0]["states"]["idle"]["speed"] = json!(2),
    );
    check(
        json!({ "layers": [{ "name": "wave", "weight": 1 }] }),
        |graph| {
            graph["layers"][1]["weight"] = json!(1);
        },
    );
    check(json!({ "events": { "fade": "target" } }), |graph| {
        graph["events"]["fade"] = json!("target");
    });
    check(json!({ "strict": true, "rotations": "nlerp" }), |graph| {
        graph["strict"] = json!(true);
        graph["rotations"] = json!("nlerp");
    });
}

#[test]
fn new_things_are_added_and_new_layers_go_on_top() {
    let state = json!({ "clip": "walk", "speed": -1 });
    let ways = [
        json!({ "from": "walk", "to": "moonwalk", "when": "moon" }),
        json!({ "from": "moonwalk", "to": "walk", "when": "not moon" }),
    ];
    check(
        json!({
            "parameters": { "moon": false },
            "layers": [
                { "name": "hat", "states": { "hat": { "rest": true } } },
                { "name": "base", "states": { "moonwalk": state }, "transitions": ways },
            ],
            "slots": { "cough": {} },
            "chains": { "neck": { "joints": ["j", "arm", "hand"] } },
            "motions": { "bow": { "clip": "idle" } },
        }),
        |graph| {
            graph["parameters"]["moon"] = json!(false);
            let layers = graph["layers"].as_array_mut().expect("a list");
            layers.push(json!({ "name": "hat", "states": { "hat": { "rest": true } } }));
            let base = &mut layers[0];
            base["states"]["moonwalk"] = state.clone();
            base["transitions"]
                .as_array_mut()
                .expect("a list")
                .extend(ways.clone());
            graph["slots"]["cough"] = json!({});
            graph["chains"]["neck"] = json!({ "joints": ["j", "arm", "hand"] });
            graph["motions"]["bow"] = json!({ "clip": "idle" });
        },
    );
}

#[test]
fn a_state_that_gets_another_motion_keeps_how_it_plays() {
    let points = json!([{ "at": 0, "clip": "idle" }, { "at": 1, "clip": "walk" }]);
    check(
        json!({ "layers": [{ "name": "base", "states": { "walk": { "blend": "speed", "points": points } } }] }),
        |graph| {
            graph["layers"][0]["states"]["walk"] =
                json!({ "blend": "speed", "points": points, "sync_group": "feet" });
        },
    );
    check(
        json!({ "layers": [{ "name": "base", "states": { "walk": { "clip": "run" } } }] }),
        |graph| graph["layers"][0]["states"]["walk"]["clip"] = json!("run"),
    );
}

#[test]
fn machines_in_states_are_merged_as_layers_are() {
    let inner = json!({
        "layers": [{ "name": "base", "states": { "swim": { "machine": {
            "entry": "float",
            "states": { "float": { "clip": "float" }, "dive": { "clip": "dive" } },
            "transitions": [{ "from": "float", "to": "dive", "when": "grounded" }],
        } } } }],
    });
    let patch = json!({
        "layers": [{ "name": "base", "states": { "swim": { "machine": {
            "states": { "float": { "speed": 2 }, "dive": { "remove": true } },
        } } } }],
    });
    let once = def(hero()).merge(&def(inner)).expect("adds a state");
    let twice = once.merge(&def(patch)).expect("changes what is in it");
    let machine = twice.layers[0].states["swim"]
        .machine
        .as_ref()
        .expect("a machine");
    assert_eq!(machine.states.keys().collect::<Vec<_>>(), ["float"]);
    assert_eq!(machine.states["float"].speed, Some(2.0));
    assert_eq!(machine.states["float"].clip.as_deref(), Some("float"));
    assert_eq!(machine.entry.as_deref(), Some("float"));
    assert!(
        machine.transitions.is_empty(),
        "no way leads to what is gone"
    );
}

#[test]
fn transitions_are_found_by_the_name_that_they_have_or_get() {
    let ways = |ways: Value| json!({ "layers": [{ "name": "base", "transitions": ways }] });
    check(
        ways(json!([{ "from": "idle", "to": "walk", "duration": 1 }])),
        |graph| {
            graph["layers"][0]["transitions"][0]["duration"] = json!(1);
        },
    );
    check(
        ways(json!([{ "name": "idle>walk#2", "duration": 1 }])),
        |graph| {
            graph["layers"][0]["transitions"][3]["duration"] = json!(1);
        },
    );
    check(
        ways(json!([{ "name": "land", "duration": 1, "to": "walk" }])),
        |graph| {
            graph["layers"][0]["transitions"][4]["duration"] = json!(1);
            graph["layers"][0]["transitions"][4]["to"] = json!("walk");
        },
    );
    check(
        ways(json!([{ "from": ["idle", "walk"], "to": "jump", "profile": { "arm": 0.1 } }])),
        |graph| graph["layers"][0]["transitions"][2]["profile"]["arm"] = json!(0.1),
    );
    check(
        ways(json!([
            { "from": "idle", "to": "walk", "remove": true },
            { "name": "idle>walk#2", "duration": 1 },
        ])),
        |graph| {
            let ways = graph["layers"][0]["transitions"]
                .as_array_mut()
                .expect("a list");
            ways[3]["duration"] = json!(1);
            ways.remove(0);
        },
    );
}

#[test]
fn remove_takes_things_out_and_with_a_state_the_ways_to_it() {
    check(
        json!({
            "parameters": { "lives": { "remove": true } },
            "layers": [
                { "name": "wave", "remove": true },
                { "name": "base", "states": { "walk": { "remove": true } } },
            ],
            "chains": { "arm": { "remove": true } },
            "slots": { "hit": { "remove": true } },
            "motions": { "turn": { "remove": true } },
        }),
        |graph| {
            for (table, name) in [
                ("parameters", "lives"),
                ("chains", "arm"),
                ("slots", "hit"),
                ("motions", "turn"),
            ] {
                graph[table].as_object_mut().expect("a table").remove(name);
            }
            graph["layers"].as_array_mut().expect("a list").remove(1);
            let base = &mut graph["layers"][0];
            base["states"]
                .as_object_mut()
                .expect("a table")
                .remove("walk");
            let ways = base["transitions"].as_array_mut().expect("a list");
            ways[2]["from"] = json!(["idle"]);
            *ways = vec![ways[2].clone(), ways[4].clone()];
        },
    );
    check(
        json!({ "layers": [{ "name": "wave", "remove": false }] }),
        |_| {},
    );
}

#[test]
fn a_parameter_gets_another_value_and_keeps_the_rest() {
    check(
        json!({ "parameters": { "speed": 2, "lives": 5 } }),
        |graph| {
            graph["parameters"]["speed"]["value"] = json!(2);
            graph["parameters"]["lives"]["value"] = json!(5);
        },
    );
    check(
        json!({ "parameters": { "speed": { "max": 9 } } }),
        |graph| {
            graph["parameters"]["speed"]["max"] = json!(9);
        },
    );
    check(
        json!({ "parameters": { "grounded": false, "jump": { "ttl": 1 } } }),
        |graph| {
            graph["parameters"]["grounded"] = json!(false);
            graph["parameters"]["jump"] = json!({ "type": "trigger", "ttl": 1 });
        },
    );
}

#[test]
fn a_chain_is_named_by_its_ends_or_by_its_joints() {
    check(
        json!({ "chains": { "arm": { "joints": ["j", "arm", "hand"] } } }),
        |graph| {
            graph["chains"]["arm"] = json!({ "joints": ["j", "arm", "hand"], "soft": 0.9 });
        },
    );
    check(json!({ "chains": { "arm": { "to": "arm" } } }), |graph| {
        graph["chains"]["arm"]["to"] = json!("arm");
    });
}

#[test]
fn a_patch_that_is_wrong_by_itself_says_where() {
    for (patch, code, place, word) in [
        (
            json!({ "parameters": { "speed": true } }),
            "E-GRAPH-PARAMETER-KIND",
            "/parameters/speed",
            "is a float",
        ),
        (
            json!({ "parameters": { "lives": { "type": "float" } } }),
            "E-GRAPH-PARAMETER-KIND",
            "/parameters/lives",
            "is a int",
        ),
        (
            json!({ "parameters": { "sped": { "remove": true } } }),
            "E-GRAPH-REMOVE",
            "/parameters/sped/remove",
            "speed",
        ),
        (
            json!({ "layers": [{ "name": "bas", "remove": true }] }),
            "E-GRAPH-REMOVE",
            "/layers/0/remove",
            "base",
        ),
        (
            json!({ "layers": [{ "name": "base" }, { "name": "base" }] }),
            "E-GRAPH-DUPLICATE",
            "/layers/1/name",
            "base",
        ),
        (
            json!({ "layers": [{ "name": "base", "states": { "wlak": { "remove": true } } }] }),
            "E-GRAPH-REMOVE",
            "/layers/0/states/wlak/remove",
            "walk",
        ),
        (
            json!({ "layers": [{ "name": "base", "transitions": [{ "from": "walk", "to": "jump", "remove": true }] }] }),
            "E-GRAPH-REMOVE",
            "/layers/0/transitions/0/remove",
            "walk>jump",
        ),
    ] {
        let errors = refused(patch.clone());
        assert_eq!(errors.len(), 1, "{errors:?}");
        let error = &errors[0];
        let said = format!(
            "{} {}",
            error.message,
            error.help.as_deref().unwrap_or_default()
        );
        assert_eq!(
            (error.code, error.pointer.as_str()),
            (code, place),
            "{patch}"
        );
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn a_way_without_an_end_is_a_mistake_only_in_a_whole_graph() {
    let states = json!({ "a": { "clip": "a" } });
    let graph = |way: Value| json!({ "layers": [{ "name": "base", "states": states, "transitions": [way] }] });
    for (way, word) in [
        (json!({ "from": "a" }), "`to`"),
        (json!({ "to": "a" }), "nowhere"),
    ] {
        let errors = compile(graph(way), vec![still("a", 1.0, 0.0)]).expect_err("half a way");
        assert!(errors[0].message.contains(word), "{errors:?}");
    }
}

#[test]
fn paths_of_graphs_are_renamed_wherever_they_stand() {
    let graph = def(json!({
        "parameters": { "graph": "trigger" },
        "layers": [{ "name": "base", "states": {
            "a": { "graph": "x" },
            "graph": { "sequence": [{ "graph": "y" }, { "machine": { "states": { "b": { "graph": "z" } } } }] },
        } }],
        "motions": { "m": { "graph": "w" } },
    }));
    let renamed = graph
        .rename_graphs(&|path| format!("mod:{path}"))
        .expect("plain numbers");
    let text = serde_json::to_string(&renamed).expect("plain data");
    for path in ["x", "y", "z", "w"] {
        assert!(text.contains(&format!("\"mod:{path}\"")), "{text}");
    }
    assert_eq!(renamed.parameters, graph.parameters);
}

/// Patches of different things may come in any order, and one that was applied changes nothing again.
#[test]
fn patches_of_different_things_commute_and_are_idempotent() {
    let patches = [
        json!({ "parameters": { "speed": 2 } }),
        json!({ "parameters": { "moon": false } }),
        json!({ "layers": [{ "name": "base", "states": { "idle": { "speed": 3 } } }] }),
        json!({ "layers": [{ "name": "base", "transitions": [{ "from": "walk", "to": "idle", "duration": 1 }] }] }),
        json!({ "layers": [{ "name": "wave", "weight": 0.5 }] }),
        json!({ "chains": { "arm": { "soft": 0.5 } } }),
        json!({ "events": { "dedup": false } }),
    ];
    let mut random = Random(7);
    let in_order = |order: &[usize]| {
        order.iter().fold(def(hero()), |graph, &index| {
            graph
                .merge(&def(patches[index].clone()))
                .expect("a good patch")
        })
    };
    let all: Vec<usize> = (0..patches.len()).collect();
    let expected = in_order(&all);
    for _ in 0..200 {
        let mut order = all.clone();
        for last in (1..order.len()).rev() {
            order.swap(last, (random.next() * (last + 1) as f64) as usize);
        }
        assert_eq!(in_order(&order), expected, "{order:?}");
        order.extend_from_slice(&order.clone());
        assert_eq!(in_order(&order), expected, "{order:?}");
    }
}
