//! Once warm, a step and a pose allocate nothing.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a counting allocator is an unsafe trait; a test that cannot go on says so"
)]

#[path = "graph/support.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use sinew_anim::{Play, advance, evaluate};
use support::{Player, Random, clip, still};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Everything at once: a plane of samples, a line, fades cut short, an overlay, markers, root motion.
fn busy() -> Player {
    let states = json!({
        "strafe": { "blend": ["x", "y"], "points": [
            { "at": [0, 0], "clip": "a" }, { "at": [1, 0], "clip": "b" }, { "at": [0, 1], "clip": "c" }, { "at": [-1, -1], "clip": "d" },
        ] },
        "line": { "blend": "x", "rate": "distance", "points": [{ "at": -1, "clip": "a" }, { "at": 1, "clip": "b" }] },
        "once": { "clip": "c", "mode": "once" },
    });
    let ways = json!([
        { "from": "any", "to": "line", "when": "go and x > 0", "duration": 0.3 },
        { "from": "any", "to": "strafe", "when": "go and x <= 0", "duration": 0.3, "curve": "smooth" },
        { "from": ["line", "strafe"], "to": "once", "exit_time": 0.9, "when": "y > 0.5", "duration": 0.2 },
    ]);
    let def = json!({
        "parameters": { "x": 0.0, "y": 0.0, "go": "trigger" },
        "root": { "joint": "root" },
        "layers": [
            { "name": "base", "entry": "strafe", "states": states, "transitions": ways },
            { "name": "over", "entry": "once", "states": states, "transitions": ways, "mask": "arm+", "weight": 0.5 },
        ],
    });
    let walk = |name: &str, seconds: f32| {
        clip(name, seconds)
            .z(0, 0.0, seconds)
            .yaw(0, 0.0, 45.0)
            .marker("m", 0.1)
            .marker("n", 0.3)
    };
    let clips = vec![
        walk("a", 1.0),
        walk("b", 0.7),
        walk("c", 1.3),
        still("d", 1.0, 2.0).marker("m", 0.9),
    ];
    Player::new(def, clips)
}

fn drive(player: &mut Player, random: &mut Random, steps: usize) -> usize {
    let mut events = 0;
    for _ in 0..steps {
        player.set("x", random.next() as f32 * 2.0 - 1.0);
        player.set("y", random.next() as f32 * 2.0 - 1.0);
        if random.next() < 0.2 {
            player.pull("go");
        }
        if random.next() < 0.05 {
            player.play(
                "once",
                Play {
                    restart: true,
                    ..Play::default()
                },
            );
        }
        advance(
            &player.graph,
            &mut player.state,
            1.0 / 60.0,
            &mut player.scratch,
            &mut player.out,
        );
        evaluate(
            &player.graph,
            &player.state,
            false,
            &mut player.scratch,
            &mut player.pose,
        );
        events += player.out.events.len();
    }
    events
}

#[test]
fn a_warm_graph_allocates_nothing() {
    let mut player = busy();
    let mut random = Random(21);
    drive(&mut player, &mut random, 3000);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let events = drive(&mut player, &mut random, 2000);
    let after = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(events > 1000, "the run was busy: {events} events");
    assert_eq!(after - before, 0);
}
