//! With a part of every kind in the graph, and whatever is asked of it, what is told comes in pairs, the
//! state stays one of its graph, and one that was saved goes on the same to the bit.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

use serde_json::json;
use sinew_anim::{
    Advanced, EndReason, EventSource, GraphEvent, GraphEventKind, GraphState, Pose, advance,
    evaluate,
};

use crate::rich::{Done, VERSIONS, do_something_rare, graph_with, play_anything, read_again};
use crate::support::{Player, Random};

/// What a listener knows from what it was told.
#[derive(Default)]
struct Listener {
    /// The state that each machine is in.
    current: BTreeMap<u16, u16>,
    /// Windows that began and did not end.
    open: BTreeMap<(EventSource, u16, u16), i64>,
    /// Handles that were given and did not end.
    handles: BTreeSet<(u16, u32)>,
}

impl Listener {
    fn hear(&mut self, events: &[GraphEvent], case: &dyn Fn() -> String) {
        for event in events {
            match (event.kind, event.source) {
                (GraphEventKind::StateEnter { .. }, EventSource::State { machine, state }) => {
                    let before = self.current.insert(machine, state);
                    assert_eq!(
                        before,
                        None,
                        "entered, but not left before: {event:?}, {}",
                        case()
                    );
                }
                (GraphEventKind::StateExit { .. }, EventSource::State { machine, state }) => {
                    let before = self.current.remove(&machine);
                    assert_eq!(
                        before,
                        Some(state),
                        "left, but not entered: {event:?}, {}",
                        case()
                    );
                }
                (GraphEventKind::WindowBegin { name, clip }, source) => {
                    *self.open.entry((source, name, clip)).or_default() += 1;
                }
                (GraphEventKind::WindowEnd { name, clip, .. }, source) => {
                    let open = self.open.entry((source, name, clip)).or_default();
                    *open -= 1;
                    assert!(*open >= 0, "ended before it began: {event:?}, {}", case());
                }
                (GraphEventKind::SlotEnd { handle, .. }, EventSource::Slot(slot)) => {
                    let known = self.handles.remove(&(slot, handle));
                    assert!(known, "ended twice: {event:?}, {}", case());
                }
                _ => {}
            }
        }
    }

    /// What was done without a word.
    fn note(&mut self, done: &Done, player: &Player, case: &dyn Fn() -> String) {
        self.handles.extend(done.handle);
        self.hear(&done.ended, case);
        if done.migrated || done.silently {
            self.current = told_of(player);
        }
        if done.migrated {
            assert!(self.handles.is_empty(), "{:?}, {}", self.handles, case());
        }
    }
}

/// The states that have been entered, as the state itself has it.
fn told_of(player: &Player) -> BTreeMap<u16, u16> {
    let mut told = BTreeMap::new();
    for layer in &player.graph.layers {
        told_inside(player, layer.machine, &mut told);
    }
    told
}

fn told_inside(player: &Player, machine: u16, told: &mut BTreeMap<u16, u16>) {
    let state = &player.state.machines[usize::from(machine)];
    let Some(current) = state.playing.last().filter(|_| state.started) else {
        return;
    };
    told.insert(machine, current.state);
    let states = &player.graph.machines[usize::from(machine)].states;
    for inside in &states[usize::from(current.state)].machines {
        told_inside(player, *inside, told);
    }
}

fn hash(state: &GraphState) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash_into(&mut hasher);
    hasher.finish()
}

fn check(player: &Player, listener: &Listener, case: &dyn Fn() -> String) {
    let events = &player.out.events;
    let in_order = events.windows(2).all(|pair| pair[0].alpha <= pair[1].alpha);
    assert!(in_order, "{events:?}, {}", case());
    for event in events {
        assert!((0.0..=1.0).contains(&event.alpha), "{event:?}, {}", case());
        let weight = (0.0..=1.0 + 1e-5).contains(&event.weight);
        assert!(weight, "{event:?}, {}", case());
    }
    if let Err(why) = player.state.check(&player.graph) {
        panic!("{why}, {}", case());
    }
    assert_eq!(listener.current, told_of(player), "{}", case());
    let machines = player.state.machines.iter().map(|own| own.windows.len());
    let slots = player.state.slots.iter().map(|own| own.windows.len());
    let open: usize = machines.chain(slots).sum();
    let begun: i64 = listener.open.values().sum();
    assert_eq!(begun, open as i64, "windows, {}", case());
    for (slot, index) in player.state.slots.iter().zip(0_u16..) {
        let pending = slot.change.and_then(|change| change.to);
        let clips = slot.clips.iter().chain(&pending);
        let alive = clips.filter(|clip| clip.alive).map(|clip| clip.handle);
        let waiting = slot.ended.iter().map(|ended| ended.handle);
        let mut own: Vec<u32> = alive.chain(waiting).collect();
        own.sort_unstable();
        let known = listener.handles.iter().filter(|(slot, _)| *slot == index);
        let known: Vec<u32> = known.map(|(_, handle)| *handle).collect();
        assert_eq!(own, known, "handles, {}", case());
    }
    let root = player.out.root;
    let finite = root.translation.is_finite() && root.yaw.is_finite() && root.rotation.is_finite();
    assert!(finite, "{root:?}, {}", case());
    check_pose(&player.pose, case);
}

fn check_pose(pose: &Pose, case: &dyn Fn() -> String) {
    for joint in 0..pose.joints {
        let local = pose.joint(joint);
        let finite = local.translation.is_finite() && local.scale.is_finite();
        assert!(finite, "joint {joint}: {local:?}, {}", case());
        let unit = (local.rotation.length() - 1.0).abs() < 1e-4;
        assert!(unit, "joint {joint}: {local:?}, {}", case());
    }
}

/// What each machine plays, to be read where a case fails.
fn in_short(player: &Player, state: &GraphState) -> String {
    let mut text = String::new();
    for (own, definition) in state.machines.iter().zip(&player.graph.machines) {
        let playing = own.playing.iter().map(|playing| {
            let state = definition.states.get(usize::from(playing.state));
            let path = state.map_or("?", |state| state.path.as_str());
            format!("{path} {} run {}", playing.cycles, playing.run)
        });
        let playing: Vec<String> = playing.collect();
        let fade = own
            .fade
            .map(|fade| (fade.elapsed, fade.duration, fade.interruption));
        let (started, frozen, request) = (own.started, own.frozen, own.request);
        text += &format!(
            "\n  {playing:?} {fade:?} started {started} frozen {frozen:?} request {request:?}"
        );
    }
    text
}

/// A step with what was read from a file, in buffers that were never used.
fn step_again(player: &Player, before: &GraphState, dt: f32) -> (GraphState, Advanced, Pose) {
    let mut state = read_again(before);
    let (mut scratch, mut out, mut pose) = Default::default();
    advance(&player.graph, &mut state, dt, &mut scratch, &mut out);
    evaluate(&player.graph, &state, false, &mut scratch, &mut pose);
    (state, out, pose)
}

fn run(seed: u64, steps: usize) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let version = seed as usize % VERSIONS;
    let mut player = Player::of(graph_with(version, &json!({})));
    player.state = GraphState::start_seeded(&player.graph, seed);
    let mut listener = Listener::default();
    for step in 0..steps {
        let before = player.state.clone();
        let mut asked = Vec::new();
        while random.next() < 0.6 {
            let rare = random.next() < 0.1;
            asked.push((random.0, rare));
            let done = if rare {
                do_something_rare(&mut player, &mut random)
            } else {
                play_anything(&mut player, &mut random)
            };
            listener.note(&done, &player, &|| {
                format!("seed {seed}, step {step}, asked")
            });
        }
        let dts = [0.0, 1e-4, 1.0 / 60.0, 1.0 / 60.0, 0.1, 0.7, 5.0];
        let dt = dts[(random.next() * dts.len() as f64) as usize];
        let asked_state = player.state.clone();
        player.step(dt);
        let case = || {
            let [before, asked_state, after] =
                [&before, &asked_state, &player.state].map(|state| in_short(&player, state));
            let told = &player.said[player.said.len() - player.out.events.len()..];
            format!(
                "seed {seed}, step {step}, dt {dt}, {asked:?}\nbefore:{before}\nasked:{asked_state}\nafter:{after}\n{told:#?}"
            )
        };
        listener.hear(&player.out.events, &case);
        check(&player, &listener, &case);
        if step % 5 == 0 {
            let (state, out, pose) = step_again(&player, &asked_state, dt);
            assert_eq!(hash(&state), hash(&player.state), "{}", case());
            assert_eq!(hash(&player.state.clone()), hash(&player.state));
            assert_eq!(out, player.out, "{}", case());
            assert_eq!(pose, player.pose, "{}", case());
        }
    }
    let mut ended = Vec::new();
    player
        .state
        .close_windows(&player.graph, EndReason::Despawn, &mut ended);
    listener.hear(&ended, &|| format!("seed {seed}, the end"));
    assert!(listener.open.values().all(|open| *open == 0), "seed {seed}");
    assert_eq!(listener.handles, BTreeSet::new(), "seed {seed}");
}

#[test]
fn what_is_told_comes_in_pairs_and_what_was_saved_goes_on_whatever_is_asked() {
    let seeds = std::env::var("SINEW_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok());
    for seed in 1..=seeds.unwrap_or(200) {
        run(seed, 150);
    }
}
