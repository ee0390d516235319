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

#[path = "graph/rich.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rich;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use sinew_anim::{GraphState, Play, advance, curve_value, evaluate};
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

/// Tests of one binary run at once, and the count is of all threads.
static ALONE: Mutex<()> = Mutex::new(());

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

/// Plays anything on a graph with a part of everything; gives the steps that allocated, and how many
/// events there were.
fn drive_rich(player: &mut Player, random: &mut Random, steps: usize) -> (Vec<String>, usize) {
    let (mut allocating, mut events) = (Vec::new(), 0);
    for step in 0..steps {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        while random.next() < 0.3 {
            rich::play_anything(player, random);
        }
        let asked = ALLOCATIONS.load(Ordering::Relaxed);
        let dt = if random.next() < 0.1 { 0.2 } else { 1.0 / 60.0 };
        let (graph, state) = (&player.graph, &mut player.state);
        advance(graph, state, dt, &mut player.scratch, &mut player.out);
        let advanced = ALLOCATIONS.load(Ordering::Relaxed);
        evaluate(graph, state, false, &mut player.scratch, &mut player.pose);
        for curve in 0..graph.curves.len() as u16 {
            std::hint::black_box(curve_value(graph, state, curve));
        }
        let shown = ALLOCATIONS.load(Ordering::Relaxed);
        let counts = [asked - before, advanced - asked, shown - advanced];
        if counts != [0; 3] {
            allocating.push(format!("step {step}: asked, advanced, shown {counts:?}"));
        }
        events += player.out.events.len();
    }
    (allocating, events)
}

/// The rules of the whole graph that exclude each other.
fn rules() -> [serde_json::Value; 4] {
    [
        json!({}),
        json!({ "root": { "joint": "root", "axes": "full" }, "rotations": "nlerp",
            "events": { "fade": "most_active", "dedup": false, "entry": "exclusive" } }),
        json!({ "root": { "joint": "root", "axes": "planar_y" }, "events": { "fade": "target" },
            "transitions_per_step": 8 }),
        json!({ "root": { "joint": "root", "axes": ["z", "yaw"] }, "events": { "fade": "source" } }),
    ]
}

#[test]
fn a_warm_graph_with_a_part_of_everything_allocates_nothing() {
    let _alone = ALONE.lock();
    for (rules, seed) in rules().iter().zip(77..) {
        for version in 0..rich::VERSIONS {
            let mut player = Player::of(rich::graph_with(version, rules));
            let mut random = Random(seed + version as u64);
            // Warm is what has shown as much inside each other as it ever does.
            drive_rich(&mut player, &mut random, 12_000);
            let (allocating, events) = drive_rich(&mut player, &mut random, 3000);
            assert!(events > 1000, "the run was busy: {events} events");
            assert_eq!(allocating, [""; 0], "version {version}, {rules}");
        }
    }
}

/// A new actor of a graph that is known, in buffers that other actors have used, as in a crowd.
#[test]
fn what_a_new_actor_allocates_is_soon_over() {
    let _alone = ALONE.lock();
    let mut old = Player::of(rich::graph_with(0, &json!({})));
    let mut random = Random(5);
    drive_rich(&mut old, &mut random, 4000);
    old.state = GraphState::start(&old.graph);
    let (first, _) = drive_rich(&mut old, &mut random, 1000);
    let (later, _) = drive_rich(&mut old, &mut random, 3000);
    assert!(
        later.len() <= first.len() && later.len() < 8,
        "{first:?}, later {later:?}"
    );
}

#[test]
fn a_warm_graph_allocates_nothing() {
    let _alone = ALONE.lock();
    let mut player = busy();
    let mut random = Random(21);
    drive(&mut player, &mut random, 3000);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let events = drive(&mut player, &mut random, 2000);
    let after = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(events > 1000, "the run was busy: {events} events");
    assert_eq!(after - before, 0);
}
