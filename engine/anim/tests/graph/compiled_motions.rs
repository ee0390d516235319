//! What motions and clips compile to.

use std::sync::Arc;

use serde_json::{Value, json};
use sinew_anim::{
    Curve, Graph, LeafPart, LoopMode, Motion, PlaneRule, Points, RandomSlot, RateDef, State,
    Window, sample,
};

use crate::support::{Make, clip, compile, one_layer, skeleton, still};

pub(crate) fn clips() -> Vec<Make> {
    let mut walk = clip("walk", 1.0)
        .z(0, 0.0, 1.2)
        .marker("step", 0.25)
        .marker("step", 0.75)
        .marker("end", 1.0);
    let window = |name: &str, begin, end| Window {
        name: name.to_owned(),
        begin,
        end,
    };
    walk.0.windows = vec![window("low", 0.0, 0.25), window("hit", 0.5, 0.9)];
    let curve = |name: &str| Curve {
        name: name.to_owned(),
        keys: vec![[0.0, 1.0]],
    };
    walk.0.curves = vec![curve("lock"), curve("lean")];
    let mut run = clip("run", 2.0).z(0, 0.0, 3.0).marker("step", 1.0);
    run.0.curves = vec![curve("lean")];
    vec![walk, run, still("sway", 1.0, 2.0), still("pose", 0.0, 3.0)]
}

pub(crate) fn parameters() -> Value {
    json!({ "x": 0.0, "y": 0.0, "n": { "type": "int" }, "go": "trigger", "flag": true })
}

pub(crate) fn graph(def: Value) -> Graph {
    compile(def, clips()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// A graph of one state.
pub(crate) fn of_state(state: Value) -> Graph {
    let mut def = one_layer(parameters(), json!({ "s": state }), "s", json!([]));
    def["root"] = json!({ "joint": "root" });
    def["motions"] = json!({ "named": { "clip": "run" } });
    graph(def)
}

pub(crate) fn state(graph: &Graph) -> &State {
    &graph.machines[0].states[0]
}

pub(crate) fn motion(graph: &Graph, index: u16) -> &Motion {
    &graph.motions[usize::from(index)]
}

/// The name of the clip that a motion plays.
pub(crate) fn clip_of(graph: &Graph, index: u16) -> &str {
    match motion(graph, index) {
        Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
            &graph.clips[usize::from(sample.clip)].clip.name
        }
        other => panic!("{other:?} is no clip"),
    }
}

#[test]
fn motions_stand_in_front_of_what_is_in_them_and_leaves_in_the_order_of_a_walk() {
    let graph = of_state(json!({ "direct": [
        { "weight": "x", "motion": { "blend": "y", "points": [{ "at": 0, "clip": "walk", "speed": 2 }, { "at": 1, "motion": "named" }] } },
        { "weight": "y", "motion": { "clip": "sway" } },
    ] }));
    let state = state(&graph);
    let Motion::Direct(children) = motion(&graph, state.motion) else {
        panic!("{:?}", graph.motions);
    };
    assert_eq!(state.motion, 0);
    let Motion::Blend(space) = motion(&graph, children[0].motion) else {
        panic!("{:?}", graph.motions);
    };
    let speeds: Vec<f64> = space.children.iter().map(|child| child.speed).collect();
    assert_eq!(
        (speeds, space.keep, space.rate),
        (vec![2.0, 1.0], None, RateDef::DurationMean)
    );
    assert_eq!(clip_of(&graph, space.children[1].motion), "run");
    assert_eq!(clip_of(&graph, children[1].motion), "sway");
    let names: Vec<&str> = state
        .leaves
        .iter()
        .map(|leaf| {
            graph.clips[usize::from(leaf.parts[0].clip)]
                .clip
                .name
                .as_str()
        })
        .collect();
    assert_eq!(names, ["walk", "run", "sway"]);
    assert_eq!(state.choirs.len(), 1);
    assert_eq!(state.choirs[0].leaves, [0, 1, 2]);
    assert_eq!(graph.parameter("x"), Some(children[0].weight));
}

#[test]
fn clips_have_their_stride_and_duration() {
    let graph = of_state(
        json!({ "blend": "x", "rate": "distance", "keep": 2, "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] }),
    );
    let lengths: Vec<[f64; 2]> = graph
        .clips
        .iter()
        .map(|clip| [clip.duration, (clip.stride * 1e4).round() / 1e4])
        .collect();
    assert_eq!(lengths, [[1.0, 1.2], [2.0, 3.0]]);
    let Motion::Blend(space) = motion(&graph, 0) else {
        panic!("no blend");
    };
    assert_eq!((space.keep, space.rate), (Some(2), RateDef::Distance));
}

#[test]
fn planes_have_the_rule_that_they_ask_for() {
    let points = json!([{ "at": [0, 0], "clip": "walk" }, { "at": [1, 0], "clip": "run" }, { "at": [0, 1], "clip": "sway" }]);
    let rule = |weights: &str| {
        let graph = of_state(json!({ "blend": ["x", "y"], "weights": weights, "points": points }));
        match motion(&graph, 0) {
            Motion::Blend(space) => match &space.points {
                Points::Plane { rule, .. } => rule.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(rule("gradient_band"), PlaneRule::GradientBand);
    assert_eq!(rule("polar"), PlaneRule::Polar);
    assert!(matches!(rule("delaunay"), PlaneRule::Delaunay(_)));
}

#[test]
fn what_is_added_is_a_choir_of_its_own() {
    let graph = of_state(json!({ "additive": {
        "base": { "blend": "x", "points": [{ "at": 0, "clip": "walk" }, { "at": 1, "clip": "run" }] },
        "add": { "select": "n", "children": [{ "clip": "sway" }, { "rest": true }] },
        "weight": "y",
    } }));
    let Motion::Additive { base, add, weight } = *motion(&graph, 0) else {
        panic!("{:?}", graph.motions);
    };
    assert!(matches!(motion(&graph, base), Motion::Blend(_)));
    assert!(matches!(motion(&graph, add), Motion::Select { children, .. } if children.len() == 2));
    assert_eq!(weight, graph.parameter("y"));
    let state = state(&graph);
    let choirs: Vec<&[u16]> = state
        .choirs
        .iter()
        .map(|choir| choir.leaves.as_slice())
        .collect();
    assert_eq!(choirs, [&[0, 1][..], &[2]]);
    assert_eq!(
        state
            .leaves
            .iter()
            .map(|leaf| leaf.choir)
            .collect::<Vec<_>>(),
        [0, 0, 1]
    );
    // Both of the first choir have `step`, twice and once; `end` is in one alone.
    let names: Vec<(&str, u32)> = state.choirs[0]
        .markers
        .iter()
        .map(|marker| {
            (
                graph.names[usize::from(marker.name)].as_str(),
                marker.shared,
            )
        })
        .collect();
    assert_eq!(names, [("end", 1), ("step", 0)]);
    assert_eq!(state.choirs[0].markers[1].own, [vec![0, 1], vec![0]]);
    assert!(state.choirs[1].markers.is_empty());
    // A choir that nobody is in is none.
    let graph =
        of_state(json!({ "additive": { "base": { "rest": true }, "add": { "clip": "walk" } } }));
    assert_eq!(graph.machines[0].states[0].choirs.len(), 1);
    assert_eq!(graph.machines[0].states[0].leaves[0].choir, 0);
}

#[test]
fn choices_are_numbered_through_the_graph_and_known_to_their_states() {
    let choice = json!({ "select": "random", "children": ["named", "named", { "clip": "walk" }] });
    let states = json!({ "a": choice, "b": { "direct": [{ "weight": "x", "motion": choice }, { "weight": "y", "motion": choice }] } });
    let mut def = one_layer(parameters(), states, "a", json!([]));
    def["motions"] = json!({ "named": { "clip": "run" } });
    let graph = graph(def);
    assert_eq!(graph.randoms, 3);
    let slot = |slot| RandomSlot { slot, children: 3 };
    let states = &graph.machines[0].states;
    assert_eq!(states[0].randoms, [slot(0)]);
    assert_eq!(states[1].randoms, [slot(1), slot(2)]);
    assert!(
        matches!(motion(&graph, states[0].motion), Motion::Random { slot: 0, children } if children.len() == 3)
    );
}

#[test]
fn a_sequence_plays_its_clips_in_one_lap() {
    let graph = of_state(
        json!({ "sequence": [{ "clip": "walk" }, "named", { "clip": "walk", "range": [0.5, 1.0] }] }),
    );
    let Motion::Sequence { leaf: 0 } = *motion(&graph, 0) else {
        panic!("{:?}", graph.motions);
    };
    let leaf = &state(&graph).leaves[0];
    assert_eq!(leaf.duration, 3.5);
    assert!((leaf.stride - (1.2 + 3.0 + 0.6)).abs() < 1e-5, "{leaf:?}");
    let part = |clip, begin: f64, end: f64| LeafPart {
        clip,
        begin: begin / 3.5,
        end: end / 3.5,
    };
    let last = LeafPart {
        end: 1.0,
        ..part(2, 3.0, 3.5)
    };
    assert_eq!(leaf.parts, [part(0, 0.0, 1.0), part(1, 1.0, 3.0), last]);
    let heard: Vec<(u16, f64)> = leaf
        .markers
        .iter()
        .map(|marker| (marker.clip, (marker.phase * 3.5 * 1e6).round() / 1e6))
        .collect();
    assert_eq!(
        heard,
        [
            (0, 0.25),
            (0, 0.75),
            (0, 1.0),
            (1, 2.0),
            (2, 3.25),
            (2, 3.5)
        ]
    );
    // Poses without length share the lap.
    let graph = of_state(json!({ "sequence": [{ "clip": "pose" }, { "clip": "pose" }] }));
    let parts = &state(&graph).leaves[0].parts;
    assert_eq!(
        (parts[0].end, parts[1].begin, parts[1].end),
        (0.5, 0.5, 1.0)
    );
}

#[test]
fn a_range_has_its_own_phases_and_cuts_windows() {
    let graph = of_state(json!({ "clip": "walk", "range": [0.5, 0.75] }));
    let clip = &graph.clips[0];
    assert_eq!((clip.start, clip.duration), (0.5, 0.25));
    assert!((clip.stride - 0.3).abs() < 1e-5);
    let markers: Vec<(&str, f64, f32)> = clip
        .markers
        .iter()
        .map(|marker| {
            (
                graph.names[usize::from(marker.name)].as_str(),
                marker.phase,
                marker.time,
            )
        })
        .collect();
    assert_eq!(markers, [("step", 1.0, 0.75)]);
    let windows: Vec<(&str, f64, f64)> = clip
        .windows
        .iter()
        .map(|window| {
            (
                graph.names[usize::from(window.name)].as_str(),
                window.begin,
                window.end,
            )
        })
        .collect();
    assert_eq!(windows, [("hit", 0.0, 1.0)]);
    // All of a clip is the clip, also where a duration was written down in short.
    for range in [json!([0, 1]), json!([-0.0, 1.0005])] {
        let state = json!({ "direct": [{ "weight": "x", "motion": { "clip": "walk" } }, { "weight": "y", "motion": { "clip": "walk", "range": range } }] });
        assert_eq!(of_state(state).clips.len(), 1);
    }
}

#[test]
fn each_way_of_playing_a_clip_is_there_once() {
    let pairs = json!({ "pairs": [["arm", "tail"]] });
    let graph = of_state(json!({ "select": "n", "children": [
        { "clip": "walk" }, { "clip": "walk" }, { "clip": "walk", "mirror": false },
        { "clip": "walk", "range": [0, 0.5] }, { "clip": "walk", "range": [0, 0.5] },
        { "clip": "walk", "mirror": true }, { "clip": "walk", "mirror": true }, { "clip": "walk", "mirror": pairs },
        { "clip": "walk", "mirror": true, "range": [0, 0.5] },
    ] }));
    assert_eq!(graph.clips.len(), 5);
    assert!(graph.clips.iter().all(|clip| clip.clip.name == "walk"));
    let same = |a: usize, b: usize| Arc::ptr_eq(&graph.clips[a].clip, &graph.clips[b].clip);
    assert!(same(0, 1) && same(2, 4) && !same(0, 2) && !same(2, 3));
}

#[test]
fn a_mirrored_clip_goes_to_the_other_side() {
    let graph = of_state(json!({ "clip": "sway", "mirror": true }));
    let mut pose = skeleton().rest.clone();
    sample(&graph.clips[0].clip, 0.5, &mut pose);
    assert!(
        (pose.translation(1).x + 2.0).abs() < 1e-5,
        "{:?}",
        pose.translation(1)
    );
}

#[test]
fn a_clip_by_a_parameter_is_scrubbed_and_stops_at_both_ends() {
    let graph = of_state(json!({ "clip": "walk", "time_parameter": "x" }));
    assert!(
        matches!(motion(&graph, 0), Motion::Scrub { parameter, .. } if Some(*parameter) == graph.parameter("x"))
    );
    let own = state(&graph);
    assert_eq!(own.mode, LoopMode::Once);
    assert!(own.leaves[0].scrubbed);
    // Inside another motion the state keeps its own clock.
    let graph = of_state(
        json!({ "direct": [{ "weight": "x", "motion": { "clip": "walk", "time_parameter": "y" } }, { "weight": "y", "motion": "named" }] }),
    );
    let own = state(&graph);
    assert_eq!(
        (own.mode, own.leaves[0].scrubbed, own.leaves[1].scrubbed),
        (LoopMode::Loop, true, false)
    );
    // What is scrubbed there is not heard, so it does not count.
    assert_eq!(own.choirs[0].markers.len(), 1);
    assert_eq!(own.choirs[0].markers[0].own, [vec![], vec![0]]);
}
