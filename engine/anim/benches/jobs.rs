//! What the jobs cost for a character of 60 joints; one bench a job.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec2, Vec3};
use sinew_anim::{
    AdditiveSpace, Clip, Inertia, InertiaScalar, Interpolation, Interval, Joint, JointTracks,
    LookAtInput, LoopMode, Mask, MeshScratch, MirrorPairs, Pole, Pose, RootAxes, RootTrack,
    Rotations, Skeleton, SpringOffset, Track, Transform, Triangulation, TwoBoneInput, WeightedLog,
    additive_layer, additive_layer_mesh, blend, blend_two, blended_root_motion,
    gradient_band_weights, keep_heaviest, linear_weights, local_to_model, look_at, mirror_clip,
    occurrences, override_layer, palette, polar_band_weights, rebase_clip, sample, two_bone,
};

const JOINTS: u16 = 60;
const KEYS: usize = 31;

/// A body of chains of four joints hanging off a spine.
fn skeleton() -> Skeleton {
    let joints: Vec<Joint> = (0..JOINTS)
        .map(|index| Joint {
            name: format!("joint_{index}"),
            parent: match index {
                0 => None,
                1..6 => Some(index - 1),
                _ if (index - 6) % 4 == 0 => Some(index % 6),
                _ => Some(index - 1),
            },
            rest: Transform::from_translation(Vec3::Y * 0.2),
            pre: None,
        })
        .collect();
    Skeleton::new(&joints, &[]).expect("parents come first")
}

/// One second in which every joint turns and the root walks.
fn clip(phase: f32) -> Clip {
    let times: Vec<f32> = (0..KEYS)
        .map(|key| key as f32 / (KEYS - 1) as f32)
        .collect();
    let turn = |joint: u16, time: f32| {
        let angle = (time * std::f32::consts::TAU + phase + f32::from(joint)).sin() * 0.5;
        let axis = Vec3::new(f32::from(joint), 1.0, phase).normalize_or(Vec3::Y);
        Quat::from_axis_angle(axis, angle)
    };
    let joints = (0..JOINTS)
        .map(|joint| JointTracks {
            joint,
            rotation: Some(Track {
                interpolation: Interpolation::Linear,
                times: times.clone(),
                values: times.iter().map(|&time| turn(joint, time)).collect(),
            }),
            translation: (joint == 0).then(|| Track {
                interpolation: Interpolation::Linear,
                times: times.clone(),
                values: times.iter().map(|&time| Vec3::Z * time).collect(),
            }),
            scale: None,
        })
        .collect();
    Clip {
        duration: 1.0,
        joints,
        ..Clip::default()
    }
}

struct Scene {
    skeleton: Skeleton,
    clips: Vec<Clip>,
    poses: Vec<Pose>,
    model: Vec<Affine3A>,
}

fn scene() -> Scene {
    let skeleton = skeleton();
    let clips: Vec<Clip> = (0..5_u8).map(|index| clip(f32::from(index))).collect();
    let poses: Vec<Pose> = clips
        .iter()
        .map(|clip| {
            let mut pose = skeleton.rest.clone();
            sample(clip, 0.37, &mut pose);
            pose
        })
        .collect();
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(&skeleton, &poses[0], &mut model);
    Scene {
        skeleton,
        clips,
        poses,
        model,
    }
}

fn poses(criterion: &mut Criterion) {
    let mut scene = scene();
    let mut out = scene.skeleton.rest.clone();
    let mut time = 0.0;
    criterion.bench_function("sample", |b| {
        b.iter(|| {
            time = (time + 0.0137) % 1.0;
            sample(&scene.clips[0], black_box(time), &mut out);
        });
    });
    let [p0, p1, p2, p3, p4] = [0, 1, 2, 3, 4].map(|index| &scene.poses[index]);
    criterion.bench_function("blend_two", |b| {
        b.iter(|| blend_two(p0, p1, black_box(0.3), &mut out, Rotations::Slerp));
    });
    let five = [(p0, 0.3), (p1, 0.25), (p2, 0.2), (p3, 0.15), (p4, 0.1)];
    criterion.bench_function("blend_five", |b| {
        b.iter(|| blend(black_box(&five), &mut out, Rotations::Slerp));
    });
    criterion.bench_function("blend_five_nlerp", |b| {
        b.iter(|| blend(black_box(&five), &mut out, Rotations::Nlerp));
    });
    let mask = Mask::parse(&scene.skeleton, "joint_3+").expect("a joint of the skeleton");
    criterion.bench_function("override_layer", |b| {
        b.iter(|| {
            let mask = Some(mask.joints.as_slice());
            override_layer(&mut out, p1, black_box(0.3), mask, Rotations::Slerp);
        });
    });
    criterion.bench_function("local_to_model", |b| {
        b.iter(|| local_to_model(&scene.skeleton, black_box(p0), &mut scene.model));
    });
    let skin: Vec<u16> = (0..JOINTS).collect();
    let inverse_bind = vec![Affine3A::IDENTITY; skin.len()];
    let mut matrices = inverse_bind.clone();
    criterion.bench_function("palette", |b| {
        b.iter(|| palette(black_box(&scene.model), &skin, &inverse_bind, &mut matrices));
    });
}

fn changes(criterion: &mut Criterion) {
    let scene = scene();
    let [before, source, target] = [0, 1, 2].map(|index| &scene.poses[index]);
    let mut out = target.clone();
    let mut inertia = Inertia::with_room(scene.skeleton.len(), 0);
    let before = Some((before, 1.0 / 60.0));
    criterion.bench_function("inertia_begin", |b| {
        b.iter(|| inertia.begin(black_box(source), before, target, 0.3, None));
    });
    inertia.begin(source, None, target, 0.3, None);
    inertia.step(0.05);
    criterion.bench_function("inertia_apply", |b| {
        b.iter(|| inertia.apply(black_box(&mut out)));
    });
    criterion.bench_function("inertia_scalar", |b| {
        let mut inertia = InertiaScalar::default();
        inertia.begin(1.0, -2.0, 1e9);
        b.iter(|| {
            inertia.step(black_box(1e-3));
            inertia.value()
        });
    });
    criterion.bench_function("spring_offset", |b| {
        let mut spring = SpringOffset::default();
        b.iter(|| {
            spring.speed += 1.0;
            spring.step(black_box(0.2), 1.0 / 60.0);
        });
    });
    let rest = &scene.skeleton.rest;
    criterion.bench_function("additive_layer", |b| {
        b.iter(|| {
            out.copy_from(target);
            additive_layer(&mut out, source, rest, black_box(0.7), None);
        });
    });
    let mut scratch = MeshScratch::default();
    criterion.bench_function("additive_layer_mesh", |b| {
        b.iter(|| {
            out.copy_from(target);
            let weight = black_box(0.7);
            additive_layer_mesh(
                &scene.skeleton,
                &mut out,
                source,
                weight,
                None,
                &mut scratch,
            );
        });
    });
}

fn clip_changes(criterion: &mut Criterion) {
    let scene = scene();
    let pairs = MirrorPairs::by_name(&scene.skeleton);
    criterion.bench_function("mirror_clip", |b| {
        b.iter(|| mirror_clip(&scene.skeleton, black_box(&scene.clips[0]), &pairs));
    });
    criterion.bench_function("rebase_clip", |b| {
        let reference = &scene.poses[1];
        b.iter(|| {
            let clip = black_box(&scene.clips[0]);
            rebase_clip(&scene.skeleton, clip, reference, AdditiveSpace::Mesh)
        });
    });
}

fn weights(criterion: &mut Criterion) {
    let line = [0.0, 1.5, 4.0, 6.0];
    let plane: Vec<Vec2> = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
        .map(Vec2::from)
        .to_vec();
    let mut weights = [0.0; 5];
    criterion.bench_function("linear_weights", |b| {
        b.iter(|| linear_weights(&line, black_box(2.2), &mut weights[..4]));
    });
    criterion.bench_function("gradient_band_weights", |b| {
        b.iter(|| gradient_band_weights(&plane, black_box(Vec2::new(0.3, 0.6)), &mut weights));
    });
    let p = Vec2::new(0.3, 0.6);
    criterion.bench_function("polar_band_weights", |b| {
        b.iter(|| polar_band_weights(&plane, black_box(p), &mut weights));
    });
    criterion.bench_function("triangulation", |b| {
        b.iter(|| Triangulation::new(black_box(&plane)));
    });
    let triangulation = Triangulation::new(&plane);
    criterion.bench_function("triangulation_weights", |b| {
        b.iter(|| triangulation.weights(&plane, black_box(p), &mut weights));
    });
    criterion.bench_function("keep_heaviest", |b| {
        b.iter(|| {
            let mut weights = black_box([0.1, 0.3, 0.2, 0.15, 0.25]);
            keep_heaviest(&mut weights, 4);
            weights
        });
    });
}

fn clocks(criterion: &mut Criterion) {
    let scene = scene();
    let step = Interval {
        from: 17.49,
        to: 17.51,
        entry: false,
        mode: LoopMode::Loop,
    };
    criterion.bench_function("occurrences", |b| {
        b.iter(|| occurrences(black_box(0.5), &step).count());
    });
    let tracks: Vec<RootTrack> = scene
        .clips
        .iter()
        .map(|clip| {
            let duration = f64::from(clip.duration);
            RootTrack::new(&scene.skeleton, clip, 0, RootAxes::Planar, 0.0, duration)
        })
        .collect();
    criterion.bench_function("root_delta", |b| {
        b.iter(|| tracks[0].delta(LoopMode::Loop, black_box(17.49), black_box(17.51)));
    });
    criterion.bench_function("blended_root_motion", |b| {
        b.iter(|| {
            blended_root_motion(1.0 / 60.0, RootAxes::Planar, |begin, end| {
                let at = |share: f64| 17.49 + 0.02 * share;
                let mut sum = WeightedLog::default();
                for (index, weight) in black_box([(0, 0.6), (1, 0.4)]) {
                    let delta = tracks[index].delta(LoopMode::Loop, at(begin), at(end));
                    sum.add(weight, &delta);
                }
                sum
            })
        });
    });
    let mut pose = scene.poses[0].clone();
    criterion.bench_function("take_out", |b| {
        b.iter(|| tracks[0].take_out(black_box(0.37), &mut pose));
    });
}

fn solvers(criterion: &mut Criterion) {
    let scene = scene();
    let mut pose = scene.poses[0].clone();
    let place = |joint: usize| Vec3::from(scene.model[joint].translation);
    let reach = TwoBoneInput {
        joints: [7, 8, 9],
        target_model: place(7).lerp(place(9), 0.8) + Vec3::X * 0.05,
        pole: Pole::Direction(Vec3::Z),
        weight: 1.0,
        soft: 0.97,
    };
    criterion.bench_function("two_bone", |b| {
        b.iter(|| two_bone(&scene.skeleton, &scene.model, black_box(&reach), &mut pose));
    });
    let look = LookAtInput {
        chain: &[3, 4, 5],
        target_model: Vec3::new(2.0, 1.5, 3.0),
        forward_model: Vec3::Z,
        max_yaw: 1.2,
        max_pitch: 0.8,
        weight: 1.0,
        previous: Some([0.0, 0.0]),
        max_turn: 0.1,
    };
    criterion.bench_function("look_at", |b| {
        b.iter(|| look_at(&scene.skeleton, &scene.model, black_box(&look), &mut pose));
    });
}

criterion_group!(
    benches,
    poses,
    changes,
    clip_changes,
    weights,
    clocks,
    solvers
);
criterion_main!(benches);
