//! What a character's graph costs a step: three clips in a blend space, an overlay, markers, root
//! motion.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use serde_json::json;
use sinew_anim::{
    Advanced, Clip, Graph, GraphDef, GraphState, Interpolation, Joint, JointTracks, Marker, Pose,
    Scratch, Skeleton, Track, Transform, advance, evaluate,
};

const JOINTS: u16 = 64;
const KEYS: usize = 31;

fn skeleton() -> Arc<Skeleton> {
    let joint = |index: u16| Joint {
        name: format!("joint_{index}"),
        parent: index.checked_sub(1).map(|before| before / 2),
        rest: Transform::from_translation(Vec3::Y * 0.2),
        pre: None,
    };
    let joints: Vec<Joint> = (0..JOINTS).map(joint).collect();
    Arc::new(Skeleton::new(&joints, &[]).expect("parents come first"))
}

/// One second in which every joint turns and the root walks, with two footsteps.
fn clip(name: &str, stride: f32) -> Arc<Clip> {
    let times: Vec<f32> = (0..KEYS)
        .map(|key| key as f32 / (KEYS - 1) as f32)
        .collect();
    let turn = |joint: u16, time: f32| Quat::from_rotation_x((time * 6.0 + f32::from(joint)).sin());
    let joints = (0..JOINTS).map(|joint| JointTracks {
        joint,
        translation: (joint == 0).then(|| Track {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![Vec3::ZERO, Vec3::Z * stride],
        }),
        rotation: (joint != 0).then(|| Track {
            interpolation: Interpolation::Linear,
            times: times.clone(),
            values: times.iter().map(|time| turn(joint, *time)).collect(),
        }),
        scale: None,
    });
    let marker = |time| Marker {
        name: "step".to_owned(),
        time,
        value: 1.0,
    };
    Arc::new(Clip {
        name: name.to_owned(),
        duration: 1.0,
        joints: joints.collect(),
        markers: vec![marker(0.2), marker(0.7)],
        ..Clip::default()
    })
}

fn graph() -> Graph {
    let def = json!({
        "parameters": { "speed": 0.7, "go": "trigger" },
        "root": { "joint": "joint_0" },
        "layers": [
            { "name": "base", "entry": "move", "states": {
                "move": { "blend": "speed", "rate": "distance", "points": [
                    { "at": 0, "clip": "idle" }, { "at": 1, "clip": "walk" }, { "at": 3, "clip": "run" },
                ] },
                "jump": { "clip": "idle", "mode": "once" },
            }, "transitions": [
                { "from": "move", "to": "jump", "when": "go and speed > 0.5" },
                { "from": "jump", "to": "move", "exit_time": 0.8 },
            ] },
            { "name": "upper", "mask": "joint_1+", "weight": 0.5, "states": { "wave": { "clip": "run" } } },
        ],
    });
    let def = GraphDef::from_value(def).expect("reads");
    let clips = [clip("idle", 0.0), clip("walk", 1.2), clip("run", 3.0)];
    Graph::compile(&def, &skeleton(), &clips).expect("compiles")
}

fn steps(criterion: &mut Criterion) {
    let graph = graph();
    let mut state = GraphState::start(&graph);
    let (mut scratch, mut out, mut pose) =
        (Scratch::default(), Advanced::default(), Pose::default());
    criterion.bench_function("graph advance", |bench| {
        bench.iter(|| {
            advance(
                &graph,
                black_box(&mut state),
                1.0 / 60.0,
                &mut scratch,
                &mut out,
            )
        });
    });
    criterion.bench_function("graph evaluate", |bench| {
        bench.iter(|| evaluate(&graph, black_box(&state), false, &mut scratch, &mut pose));
    });
}

criterion_group!(benches, steps);
criterion_main!(benches);
