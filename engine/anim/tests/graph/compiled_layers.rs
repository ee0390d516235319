//! What layers, slots and rules of the whole graph compile to.

use serde_json::{Value, json};
use sinew_anim::{
    Clip, FadeSpeaksDef, Graph, GraphDef, LayerBlend, Motion, RootAxes, RootWeightsDef, Rotations,
    Skeleton, SpaceDef, sample,
};

use crate::compiled_motions::{clips, graph, motion, parameters};
use crate::support::{arcs, clip, compile, one_layer, skeleton, still};

#[test]
fn layers_say_how_they_are_laid_over_what_is_below() {
    let states = json!({ "s": { "clip": "walk" } });
    let def = json!({
        "parameters": parameters(),
        "layers": [
            { "name": "base", "states": states },
            { "name": "lean", "states": states, "blend": "additive", "space": "mesh", "weight_curve": "lean", "follow": "base" },
            { "name": "arms", "states": states, "root_motion": true, "root_weights": "target", "weight": 0.5, "weight_parameter": "y" },
        ],
    });
    let graph = graph(def);
    assert_eq!(graph.curves, ["lean", "lock"]);
    assert_eq!(graph.clips[0].curves, [[0, 1], [1, 0]]);
    let blends: Vec<LayerBlend> = graph.layers.iter().map(|layer| layer.blend).collect();
    assert_eq!(
        blends,
        [
            LayerBlend::Override,
            LayerBlend::Additive(SpaceDef::Mesh),
            LayerBlend::Override
        ]
    );
    let [base, lean, arms] = graph.layers.as_slice() else {
        panic!("three layers");
    };
    assert_eq!(
        (base.root_motion, lean.root_motion, arms.root_motion),
        (true, false, true)
    );
    assert_eq!(
        (lean.weight_curve, lean.follow_base, base.follow_base),
        (Some(0), true, false)
    );
    assert_eq!(
        (base.root_weights, arms.root_weights),
        (RootWeightsDef::Pose, RootWeightsDef::Target)
    );
    // Relative to rest, so the clip as it is.
    assert_eq!(graph.clips.len(), 1);
}

/// j's x at clip seconds.
fn x_at(clip: &Clip, skeleton: &Skeleton, time: f32) -> f32 {
    let mut pose = skeleton.rest.clone();
    sample(clip, time, &mut pose);
    pose.translation(1).x
}

#[test]
fn clips_of_additive_layers_are_differences_from_their_reference() {
    let make = || vec![clip("lean", 1.0).x(1, 2.0, 6.0), still("stand", 1.0, 5.0)];
    let of = |reference: Value, state: Value| {
        let layer = json!({ "name": "lean", "blend": "additive", "reference": reference, "states": { "s": state } });
        let graph = compile(json!({ "layers": [layer] }), make());
        graph.unwrap_or_else(|errors| panic!("{errors:#?}"))
    };
    let lean = json!({ "clip": "lean" });
    let cases = [
        (json!("rest"), lean.clone(), 2.0),
        (json!("first_frame"), lean.clone(), 0.0),
        (
            json!("first_frame"),
            json!({ "clip": "lean", "range": [0.5, 1] }),
            -2.0,
        ),
        (json!({ "clip": "lean", "time": 0.5 }), lean.clone(), -2.0),
        (json!({ "clip": "stand" }), lean.clone(), -3.0),
    ];
    for (reference, state, x) in cases {
        let graph = of(reference.clone(), state);
        let found = x_at(&graph.clips[0].clip, &graph.skeleton, 0.0);
        assert!((found - x).abs() < 1e-5, "{reference}: {found}, not {x}");
        assert_eq!(graph.clips[0].clip.name, "lean");
    }
    // What an additive motion adds stays the difference from rest, as does a state that holds no clip.
    let state = json!({ "additive": { "base": { "clip": "stand" }, "add": { "machine": { "states": { "s": { "clip": "lean" } } } } } });
    let graph = of(json!("first_frame"), state);
    let found: Vec<f32> = graph
        .clips
        .iter()
        .map(|clip| x_at(&clip.clip, &graph.skeleton, 0.0))
        .collect();
    assert_eq!(found, [0.0, 2.0]);
}

#[test]
fn slots_lie_over_layers_and_have_every_clip_of_the_model() {
    let def = json!({
        "layers": [
            { "name": "base", "states": { "s": { "clip": "run", "mirror": true } } },
            { "name": "over", "blend": "additive", "reference": "first_frame", "states": { "s": { "clip": "run", "range": [0, 1] } } },
        ],
        "slots": { "hit": { "after": "base", "mask": "arm+", "blend": "additive" }, "all": {} },
    });
    let graph = graph(def);
    let slots: Vec<(&str, u16, LayerBlend, bool)> = graph
        .slots
        .iter()
        .map(|slot| {
            (
                slot.name.as_str(),
                slot.after,
                slot.blend,
                slot.mask.is_some(),
            )
        })
        .collect();
    let local = LayerBlend::Additive(SpaceDef::Local);
    assert_eq!(
        slots,
        [
            ("all", 1, LayerBlend::Override, false),
            ("hit", 0, local, true)
        ]
    );
    let played: Vec<(&str, f64)> = graph
        .clips
        .iter()
        .map(|clip| (clip.clip.name.as_str(), clip.duration))
        .collect();
    assert_eq!(
        played,
        [
            ("pose", 0.0),
            ("run", 2.0),
            ("sway", 1.0),
            ("walk", 1.0),
            ("run", 2.0),
            ("run", 1.0)
        ]
    );
    // By name a clip is found as it was made.
    let made = arcs(clips());
    let run = usize::from(graph.clip("run").unwrap());
    assert_eq!(graph.clips[run].clip, made[1]);
    assert_eq!(graph.clip("fly"), None);
}

#[test]
fn rules_of_the_whole_graph_are_kept() {
    let def = json!({ "rotations": "nlerp", "transitions_per_step": 8, "strict": true, "events": { "fade": "most_active", "entry": "exclusive", "dedup": false },
        "layers": [{ "name": "base", "states": { "s": { "rest": true } } }] });
    let graph = graph(def);
    assert_eq!(
        (graph.rotations, graph.transitions_per_step, graph.strict),
        (Rotations::Nlerp, 8, true)
    );
    assert_eq!(graph.events.fade, FadeSpeaksDef::MostActive);
    assert!(!graph.events.entry_inclusive && !graph.events.dedup);
    let plain = Graph::rest(&skeleton());
    assert_eq!(
        (plain.rotations, plain.transitions_per_step, plain.strict),
        (Rotations::Slerp, 1, false)
    );
}

#[test]
fn kept_poses_are_in_byte_order() {
    let states =
        json!({ "a": { "pose": "late" }, "b": { "pose": "early" }, "c": { "pose": "late" } });
    let graph = graph(one_layer(json!({}), states, "a", json!([])));
    assert_eq!(graph.poses, ["early", "late"]);
    let own = |index: usize| motion(&graph, graph.machines[0].states[index].motion);
    assert!(matches!(
        (own(0), own(1), own(2)),
        (Motion::Pose(1), Motion::Pose(0), Motion::Pose(1))
    ));
}

#[test]
fn roots_take_the_axes_that_are_asked_for() {
    let of = |axes: Value| {
        let mut def = one_layer(
            json!({}),
            json!({ "s": { "clip": "walk" } }),
            "s",
            json!([]),
        );
        def["root"] = json!({ "joint": "root", "axes": axes });
        graph(def).root.unwrap().tracks[0].axes
    };
    assert_eq!(of(json!("planar_y")), RootAxes::PlanarY);
    assert_eq!(of(json!("full")), RootAxes::Full);
    let mask = RootAxes::Mask {
        x: true,
        y: false,
        z: false,
        yaw: true,
    };
    assert_eq!(of(json!(["yaw", "x"])), mask);
}

#[test]
fn of_clips_of_one_name_the_first_counts() {
    let clips = arcs(vec![still("c", 1.0, 1.0), still("c", 2.0, 2.0)]);
    let graph = Graph::single_clip(&skeleton(), &clips[1], true).unwrap();
    assert_eq!(graph.clips[0].duration, 2.0);
    let def = GraphDef::from_value(one_layer(
        json!({}),
        json!({ "s": { "clip": "c" } }),
        "s",
        json!([]),
    ));
    let graph = Graph::compile(&def.unwrap(), &skeleton(), &clips).unwrap();
    assert_eq!(graph.clips[0].duration, 1.0);
}
