//! What machines, states and transitions compile to.

use serde_json::{Value, json};
use sinew_anim::{
    Begin, FadeCurveDef, InterruptionDef, LoopMode, Machine, Motion, Speaks, StateMarkerAt,
    SyncRoleDef,
};

use crate::compiled_motions::{graph, motion, of_state, parameters, state};
use crate::support::one_layer;

#[test]
fn machines_stand_behind_those_around_them() {
    let inner = json!({ "entry": "b", "reenter": "resume", "states": {
        "a": { "rest": true }, "b": { "machine": { "states": { "deep": { "clip": "walk" } } } },
    }, "transitions": [{ "from": "a", "to": "b", "by": "inertial" }] });
    let states = json!({ "one": { "clip": "run" }, "two": { "direct": [{ "weight": "x", "motion": { "machine": inner } }, { "weight": "y", "motion": { "clip": "sway" } }] } });
    let mut def = one_layer(parameters(), states, "one", json!([]));
    def["layers"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "over", "states": { "s": { "rest": true } } }));
    let graph = graph(def);
    let at = |machine: &Machine| {
        (
            machine.layer,
            machine.parent,
            machine.entry,
            machine.resume,
            machine.inertial,
        )
    };
    let all: Vec<_> = graph.machines.iter().map(at).collect();
    assert_eq!(
        all,
        [
            (0, None, 0, false, false),
            (0, Some([0, 1]), 1, true, true),
            (0, Some([1, 1]), 0, false, false),
            (1, None, 0, false, false),
        ]
    );
    assert_eq!((graph.layers[0].machine, graph.layers[1].machine), (0, 3));
    assert_eq!(graph.machines[0].states[1].machines, [1]);
    assert_eq!(graph.machines[1].states[1].machines, [2]);
    assert_eq!(graph.machines[2].states[0].path, "two/b/deep");
    assert_eq!(graph.state_at(0, "two/b/deep"), Some([2, 0]));
    // The clips inside belong to the states inside.
    assert_eq!(graph.machines[0].states[1].leaves.len(), 1);
    assert_eq!(graph.machines[2].states[0].leaves.len(), 1);
}

#[test]
fn named_motions_are_put_in_place_wherever_they_are_used() {
    let states = json!({ "a": { "motion": "m" }, "b": { "motion": "m", "mode": "once" } });
    let mut def = one_layer(parameters(), states, "a", json!([]));
    def["motions"] = json!({ "m": { "machine": { "states": { "s": { "motion": "c" } } } }, "c": { "clip": "walk" } });
    let graph = graph(def);
    assert_eq!(graph.machines.len(), 3);
    assert_eq!(graph.clips.len(), 1);
    assert_eq!(graph.machines[2].parent, Some([0, 1]));
}

#[test]
fn states_say_how_they_play_and_who_speaks() {
    let graph = of_state(json!({
        "clip": "walk", "mode": "ping_pong", "speed": -2, "speed_parameter": "x", "sync_group": "feet", "sync_role": "always_follower",
        "speaks": 0.25, "enter_when": "flag and x > 1",
        "events": [{ "name": "zap", "phase": 0.5, "value": 3 }, { "name": "at", "time": 0.25 }],
    }));
    let own = state(&graph);
    assert_eq!((own.mode, own.speed), (LoopMode::PingPong, -2.0));
    assert_eq!(own.speed_parameter, graph.parameter("x"));
    assert_eq!(
        (own.sync_group, own.sync_role),
        (Some(0), SyncRoleDef::AlwaysFollower)
    );
    assert_eq!(own.speaks, Speaks::Threshold(0.25));
    assert!(own.enter_when.is_some());
    let markers: Vec<(&str, StateMarkerAt, f32)> = own
        .markers
        .iter()
        .map(|marker| {
            (
                graph.names[usize::from(marker.name)].as_str(),
                marker.at,
                marker.value,
            )
        })
        .collect();
    assert_eq!(
        markers,
        [
            ("zap", StateMarkerAt::Phase(0.5), 3.0),
            ("at", StateMarkerAt::Seconds(0.25), 0.0)
        ]
    );
    assert_eq!(graph.names, ["at", "end", "hit", "low", "step", "zap"]);
    for (word, speaks) in [
        ("dominant", Speaks::Dominant),
        ("all", Speaks::Threshold(0.0)),
        ("none", Speaks::None),
    ] {
        let graph = of_state(json!({ "clip": "walk", "speaks": word }));
        assert_eq!(state(&graph).speaks, speaks, "{word}");
    }
}

#[test]
fn conduits_are_left_by_their_own_ways_only() {
    let states = json!({ "a": { "rest": true }, "b": { "rest": true }, "hub": { "conduit": true, "enter_when": "flag" } });
    let ways = json!([{ "from": "any", "to": "hub", "when": "go" }, { "from": "hub", "to": "b", "when": "x > 1" }, { "from": "hub", "to": "a" }]);
    let graph = graph(one_layer(parameters(), states, "a", ways));
    let states = &graph.machines[0].states;
    let ways: Vec<&[u16]> = states
        .iter()
        .map(|state| state.ways_out.as_slice())
        .collect();
    assert_eq!(ways, [&[0][..], &[0], &[1, 2]]);
    assert!(states[2].conduit && !states[0].conduit);
    assert!(matches!(motion(&graph, states[2].motion), Motion::Rest));
}

#[test]
fn transitions_say_how_one_state_gives_way() {
    let states = json!({ "a": { "clip": "walk" }, "b": { "clip": "run" } });
    let ways = json!([
        { "from": "a", "to": "b", "by": "inertial", "duration": 0.4, "align": "phase", "interruption": "live", "interrupted_by": ["back", "a>b#2"] },
        { "from": "a", "to": "b", "curve": "smooth", "offset": 0.5, "interruption": "inertial", "exit_time": 0.5, "latch": false },
        { "name": "back", "from": "b", "to": "a", "align": "marker", "interruption": "none", "profile": { "j": 0.5, "hand": 1, "arm": 0.25 } },
        { "from": ["a", "b"], "to": "a", "profile": { "arm": 0.25, "hand": 1, "j": 0.5 }, "interrupted_by": [] },
        { "from": "any", "to": "b", "profile": { "root": 1 }, "reenter": "always" },
    ]);
    let graph = graph(one_layer(parameters(), states, "a", ways));
    let ways = &graph.machines[0].transitions;
    assert_eq!(
        (ways[0].blend.inertial, ways[0].blend.duration),
        (true, 0.4)
    );
    assert_eq!(
        (ways[1].blend.inertial, ways[1].blend.curve),
        (false, FadeCurveDef::Smooth)
    );
    let begins: Vec<Begin> = ways.iter().map(|way| way.begin).collect();
    assert_eq!(
        begins[..4],
        [Begin::Phase, Begin::Offset(0.5), Begin::Marker, Begin::Own]
    );
    let rules: Vec<InterruptionDef> = ways.iter().map(|way| way.interruption).collect();
    use InterruptionDef::{Frozen, Inertial, Live, None as Nobody};
    assert_eq!(rules, [Live, Inertial, Nobody, Frozen, Frozen]);
    // By index, ascending, whatever their order in the list.
    assert_eq!(ways[0].interrupted_by, Some(vec![1, 2]));
    assert_eq!(
        (
            ways[1].interrupted_by.clone(),
            ways[3].interrupted_by.clone()
        ),
        (None, Some(vec![]))
    );
    assert_eq!((ways[1].latch, ways[1].exit_time), (false, Some(0.5)));
    // root, j, arm, hand, tail: the nearest entry above counts, and equal profiles are one.
    assert_eq!(graph.profiles, [[1.0, 0.5, 0.25, 1.0, 1.0]]);
    let profiles: Vec<Option<u16>> = ways.iter().map(|way| way.blend.profile).collect();
    assert_eq!(profiles, [None, None, Some(0), Some(0), None]);
    assert_eq!(ways[3].name, "a+b>a");
    assert!(graph.machines[0].inertial);
}

#[test]
fn a_machine_is_inertial_where_a_way_or_an_interruption_is() {
    let of = |way: Value| {
        let states = json!({ "a": { "rest": true }, "b": { "rest": true } });
        let graph = graph(one_layer(parameters(), states, "a", json!([way])));
        graph.machines[0].inertial
    };
    assert!(!of(json!({ "from": "a", "to": "b" })));
    assert!(of(json!({ "from": "a", "to": "b", "by": "inertial" })));
    assert!(of(
        json!({ "from": "a", "to": "b", "interruption": "inertial" })
    ));
}
