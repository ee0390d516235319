//! A step allocates nothing once warm: counted, not believed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unsafe_code, reason = "counts calls of the system's allocator")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use glam::Vec3;
use sinew_assets::{Assets, LogicalPath};
use sinew_world::{Input, Jobs, Motion, NoScripts, Spawn, World, step};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_without_scripts_allocates_nothing_once_warm() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let mut world = World::new(Assets::new(project), Jobs::serial(), 7);
    for index in 0..8 {
        let spawn = Spawn {
            model: Some(LogicalPath::parse("hero.glb", "sinew").unwrap()),
            position_world: Vec3::X * index as f32,
            ..Spawn::default()
        };
        let id = world.spawn(spawn).unwrap();
        let motion = Motion::Clip {
            clip: "walk".to_owned(),
            looping: true,
        };
        world.set_motion(id, motion).unwrap();
    }
    let input = Input::default();
    for _ in 0..120 {
        step(&mut world, &mut NoScripts, &input, 1.0 / 60.0);
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..120 {
        step(&mut world, &mut NoScripts, &input, 1.0 / 60.0);
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}
