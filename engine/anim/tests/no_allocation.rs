//! The jobs that run every frame allocate nothing once their buffers have their size.

#![allow(
    unsafe_code,
    reason = "counting allocations takes an allocator, and that trait is unsafe"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::{Affine3A, Quat, Vec2, Vec3};
use sinew_anim::{
    Clip, Inertia, Interpolation, Interval, Joint, JointTracks, LookAtInput, LoopMode, MeshScratch,
    Pole, Pose, RootAxes, RootTrack, Rotations, Skeleton, Track, Transform, Triangulation,
    TwoBoneInput, WeightedLog, additive_layer, additive_layer_mesh, blend_two, blend_weighted,
    blended_root_motion, gradient_band_weights, keep_heaviest, linear_weights, local_to_model,
    look_at, occurrences, override_layer, palette, polar_band_weights, sample, two_bone,
};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that is
// allocated here (a const thread-local without a destructor).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

fn skeleton() -> Skeleton {
    let joints: Vec<Joint> = (0..12_u16)
        .map(|index| Joint {
            name: format!("joint_{index}"),
            parent: index.checked_sub(1),
            rest: Transform {
                translation: Vec3::Y * 0.3,
                rotation: Quat::from_rotation_x(0.1),
                ..Transform::IDENTITY
            },
            pre: None,
        })
        .collect();
    Skeleton::new(&joints, &[("face/smile".to_owned(), 0.0)]).expect("parents come first")
}

fn clip() -> Clip {
    let turn = |joint: u16| JointTracks {
        joint,
        rotation: Some(Track {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![Quat::IDENTITY, Quat::from_rotation_y(1.0)],
        }),
        ..JointTracks::default()
    };
    Clip {
        duration: 1.0,
        joints: (0..12).map(turn).collect(),
        ..Clip::default()
    }
}

#[test]
fn the_jobs_of_a_frame_allocate_nothing_once_warm() {
    let (skeleton, clip) = (skeleton(), clip());
    let roots = [RootAxes::Planar, RootAxes::Full]
        .map(|axes| RootTrack::new(&skeleton, &clip, 0, axes, 0.0, 1.0));
    let mut poses = [(); 3].map(|()| skeleton.rest.clone());
    let mut out = skeleton.rest.clone();
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    let mut matrices = [Affine3A::IDENTITY; 2];
    let mut weights = [0.0; 3];
    let plane = [Vec2::ZERO, Vec2::X, Vec2::Y];
    let triangulation = Triangulation::new(&plane);
    let mut scratch = MeshScratch::default();
    additive_layer_mesh(&skeleton, &mut out, &poses[0], 0.5, None, &mut scratch);
    let mut inertia = Inertia::with_room(skeleton.len(), skeleton.morphs.len());

    let before = allocations();
    for step in 0..10 {
        let time = step as f32 * 0.1;
        for (index, pose) in poses.iter_mut().enumerate() {
            pose.copy_from(&skeleton.rest);
            sample(&clip, time * index as f32, pose);
        }
        for root in &roots {
            root.take_out(f64::from(time), &mut poses[0]);
        }
        linear_weights(&[0.0, 1.0, 2.0], time, &mut weights);
        polar_band_weights(&plane, Vec2::splat(time), &mut weights);
        triangulation.weights(&plane, Vec2::splat(time), &mut weights);
        keep_heaviest(&mut weights, 2);
        gradient_band_weights(&plane, Vec2::splat(time), &mut weights);
        blend_weighted(
            poses.iter().zip([0.5, 0.3, 0.2]),
            &mut out,
            Rotations::Slerp,
        );
        blend_two(&poses[0], &poses[1], 0.5, &mut out, Rotations::Slerp);
        override_layer(&mut out, &poses[2], 0.5, Some(&[1.0; 13]), Rotations::Slerp);
        additive_layer(&mut out, &poses[1], &skeleton.rest, 0.5, None);
        additive_layer_mesh(&skeleton, &mut out, &poses[1], 0.5, None, &mut scratch);
        let before = Some((&poses[1], 0.1));
        inertia.begin(&poses[0], before, &poses[2], 0.3, None);
        inertia.step(0.1);
        inertia.apply(&mut out);
        local_to_model(&skeleton, &out, &mut model);
        solve(&skeleton, &model, &mut out);
        palette(&model, &[3, 4], &[Affine3A::IDENTITY; 2], &mut matrices);
        let interval = Interval {
            from: f64::from(time),
            to: f64::from(time) + 3.0,
            entry: step == 0,
            mode: LoopMode::PingPong,
        };
        assert_eq!(occurrences(0.5, &interval).count(), 3);
        for root in &roots {
            blended_root_motion(0.1, root.axes, |begin, end| {
                let at = |share: f64| interval.from + (interval.to - interval.from) * share;
                let mut sum = WeightedLog::default();
                for weight in [0.4, 0.6] {
                    sum.add(weight, &root.delta(LoopMode::Loop, at(begin), at(end)));
                }
                sum
            });
        }
    }
    assert_eq!(allocations() - before, 0);
}

fn solve(skeleton: &Skeleton, model: &[Affine3A], pose: &mut Pose) {
    let reach = TwoBoneInput {
        joints: [4, 6, 8],
        target_model: Vec3::ONE,
        pole: Pole::Rest,
        weight: 0.5,
        soft: 0.9,
    };
    two_bone(skeleton, model, &reach, pose);
    let look = LookAtInput {
        chain: &[9, 10, 11],
        target_model: Vec3::ONE,
        forward_model: Vec3::Z,
        max_yaw: 1.0,
        max_pitch: 1.0,
        weight: 1.0,
        previous: Some([0.0, 0.0]),
        max_turn: 0.1,
    };
    look_at(skeleton, model, &look, pose);
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(vec![1_u8; 100]));
    assert_eq!(allocations() - before, 1);
}
