//! What programs and scripts do to a [`GraphState`] and read from it.

use super::advance::finite_speed;
use super::align::aligned;
use super::compiled::{Graph, MAX_CHOIRS, Machine, State};
use super::evaluate::evaluate;
use super::fade::{MachineWeight, current_weight, playing_weight};
use super::inside::BeginInside;
use super::motion::{Context, Part};
use super::scratch::Scratch;
use super::slot::{SlotState, interrupt_slots};
use super::state::{
    GraphState, LayerState, LayerStatus, MachineState, ParameterState, Play, PlayRequest, Playing,
    RandomChoice,
};
use super::step::{Live, MachineStep};
use super::windows;
use crate::{Fade, Inertia, LoopMode, Pose, Transform};

/// States that one layer plays at once; where a fade is interrupted more often, the lightest falls
/// silent.
pub(super) const MAX_PLAYING: usize = 8;

/// Open windows of a machine that there is room for from the start.
const USUAL_WINDOWS: usize = 128;

/// [`Playing::speakers`] before anybody has spoken.
pub(super) const NO_SPEAKER: u16 = u16::MAX;

impl GraphState {
    /// The state of an actor that has just begun: parameters at their defaults, each layer in its
    /// entry state. Random choices are those of seed 0.
    pub fn start(graph: &Graph) -> Self {
        Self::start_seeded(graph, 0)
    }

    /// The same with random choices of its own.
    pub fn start_seeded(graph: &Graph, seed: u64) -> Self {
        let parameters = graph.parameters.iter().map(|parameter| ParameterState {
            value: parameter.default,
            seconds_left: 0.0,
        });
        let layers = graph.layers.iter().map(|layer| LayerState {
            weight: Fade::at(layer.weight),
        });
        let mut state = Self {
            parameters: parameters.collect(),
            layers: layers.collect(),
            machines: graph
                .machines
                .iter()
                .map(|machine| MachineState::with_room(graph, machine))
                .collect(),
            slots: graph.slots.iter().map(|_| SlotState::default()).collect(),
            randoms: vec![RandomChoice::default(); usize::from(graph.randoms)],
            seed,
            poses: vec![None; graph.poses.len()],
            inertia: Inertia::default(),
            speed: 1.0,
            paused: false,
        };
        state.wake(graph);
        state
    }

    /// Begins every layer that does not play.
    pub(super) fn wake(&mut self, graph: &Graph) {
        let mut scratch = Scratch::default();
        for (layer, index) in graph.layers.iter().zip(0..) {
            let step = MachineStep {
                graph,
                parameters: &self.parameters,
                seed: self.seed,
                speed: finite_speed(self.speed),
                dt: 0.0,
                layer: index,
                machine: layer.machine,
                weight: MachineWeight::of(0.0),
                poses: &self.poses,
                leaving: false,
                base: None,
                crossing: None,
            };
            let mut live = Live {
                machines: &mut self.machines,
                randoms: &mut self.randoms,
                scratch: &mut scratch,
                lost: 0,
            };
            if step.state_of(&live).playing.is_empty() {
                step.wake(BeginInside::Own, &mut live);
            }
        }
    }

    /// Asks for a state of a layer; it begins with the next step, by a crossfade that other
    /// transitions may interrupt. Asking for the state that plays changes nothing unless `restart`; one
    /// that is still faded out goes on where it is, unless `restart` or `at` say otherwise. The last
    /// request before a step wins. Indices that the graph does not have are ignored.
    pub fn play(&mut self, graph: &Graph, layer: u16, state: u16, play: &Play) {
        if let Some(layer) = graph.layers.get(usize::from(layer)) {
            self.play_in(graph, layer.machine, state, play);
        }
    }

    /// Asks for a state of any machine, as [`GraphState::play`]; the states around the machine are
    /// asked for with it.
    pub fn play_in(&mut self, graph: &Graph, machine: u16, state: u16, play: &Play) {
        let Some(definition) = graph.machines.get(usize::from(machine)) else {
            return;
        };
        if usize::from(state) >= definition.states.len() {
            return;
        }
        if definition.states[usize::from(state)].conduit {
            return;
        }
        self.machines[usize::from(machine)].request = Some(PlayRequest { state, play: *play });
        // What was asked for inside of other states is not asked for any more.
        for (other, own) in graph.machines.iter().zip(&mut self.machines) {
            if other
                .parent
                .is_some_and(|[around, at]| around == machine && at != state)
            {
                own.request = None;
            }
        }
        if let Some([around, state]) = definition.parent {
            let play = Play {
                restart: false,
                at: None,
                ..*play
            };
            self.play_in(graph, around, state, &play);
        }
    }

    /// Puts a layer into a state at once: no fade, nothing of it is told, nothing moves the root.
    pub fn force_state(&mut self, graph: &Graph, layer: u16, state: u16) {
        let Some(definition) = graph.layers.get(usize::from(layer)) else {
            return;
        };
        let machine = usize::from(definition.machine);
        let states = &graph.machines[machine].states;
        let known = states.get(usize::from(state));
        if known.is_none_or(|state| state.conduit) {
            return;
        }
        let layers_machines = graph.machines.iter().zip(&mut self.machines);
        for (_, machine) in layers_machines.filter(|(own, _)| own.layer == layer) {
            machine.silence();
            // What was asked for before does not come after it.
            machine.request = None;
            windows::interrupt(&mut machine.windows);
        }
        self.machines[machine].request = Some(PlayRequest {
            state,
            play: Play::default(),
        });
        self.wake(graph);
        let machines = graph.machines.iter().zip(&mut self.machines);
        for (_, machine) in machines.filter(|(own, _)| own.layer == layer) {
            machine.started = true;
        }
    }

    /// Begins the whole graph again: every layer in its entry state, parameters at their defaults.
    pub fn reset(&mut self, graph: &Graph) {
        let before = std::mem::replace(self, Self::start_seeded(graph, self.seed));
        // What was open ends with the next step.
        for (machine, before) in self.machines.iter_mut().zip(before.machines) {
            machine.windows = before.windows;
            windows::interrupt(&mut machine.windows);
        }
        self.slots = before.slots;
        interrupt_slots(&mut self.slots);
    }

    /// Keeps a pose under one of the graph's names, for states that show it. It must be one of the
    /// graph's skeleton, root motion taken out.
    pub fn keep_pose(&mut self, pose: u16, kept: &Pose) {
        if let Some(slot) = self.poses.get_mut(usize::from(pose)) {
            match slot {
                Some(own) => own.copy_from(kept),
                None => *slot = Some(kept.clone()),
            }
        }
    }

    /// Lets the whole pose change over from what is `shown` to what the graph shows now, by inertia in
    /// so many seconds: after a reload, or when an actor has not been evaluated for a while.
    pub fn change_from(
        &mut self,
        graph: &Graph,
        shown: &Pose,
        seconds: f32,
        scratch: &mut Scratch,
    ) {
        if shown.joints != graph.skeleton.len() {
            return;
        }
        self.inertia.clear();
        let mut target = scratch.poses.take();
        evaluate(graph, self, false, scratch, &mut target);
        self.inertia.begin(shown, None, &target, seconds, None);
        scratch.poses.give(target);
    }

    /// Moves the clock of a layer's current state to clip seconds, exactly; of a state that is a
    /// machine, that of the current state in it. Nothing on the way is
    /// heard and nothing moves the root; open windows end. States of its sync group in the layer go
    /// along. Seconds past the end wrap where the state loops and hold elsewhere. A state whose phase is
    /// a parameter stays where the parameter says.
    pub fn seek(&mut self, graph: &Graph, layer: u16, seconds: f32) {
        let Some(layer) = graph.layers.get(usize::from(layer)) else {
            return;
        };
        let index = usize::from(self.innermost_machine(graph, layer.machine));
        let states = &graph.machines[index].states;
        let cx = Context {
            graph,
            parameters: &self.parameters,
            randoms: &self.randoms,
        };
        let machine = &mut self.machines[index];
        let Some(current) = machine.playing.last().copied() else {
            return;
        };
        let state = &states[usize::from(current.state)];
        let cycles = cycles_at(&cx, state, current.mode, seconds);
        let MachineState {
            playing,
            heard,
            windows,
            ..
        } = machine;
        for playing in playing {
            let other = &states[usize::from(playing.state)];
            let together = state.sync_group.is_some() && state.sync_group == other.sync_group;
            if playing.run == current.run || together {
                let phase = current.mode.phase(cycles);
                let locked = playing.run != current.run && playing.lock == current.lock;
                let along = locked.then(|| aligned(&cx, state, phase, other, cycles));
                playing.cycles = along.flatten().unwrap_or(cycles);
                playing.fresh = false;
                playing.finished = false;
                heard.retain(|heard| heard.run != playing.run);
                windows::seek(windows, playing.run);
            }
        }
    }

    /// The machine that the innermost current state is in; what is around it has not come to its end.
    fn innermost_machine(&mut self, graph: &Graph, mut machine: u16) -> u16 {
        let cx = Context {
            graph,
            parameters: &self.parameters,
            randoms: &self.randoms,
        };
        loop {
            let states = &graph.machines[usize::from(machine)].states;
            let Some(current) = self.machines[usize::from(machine)].playing.last_mut() else {
                return machine;
            };
            let Some(inside) = cx.machine(&states[usize::from(current.state)]) else {
                return machine;
            };
            current.finished = false;
            machine = inside;
        }
    }

    /// Fades a layer's weight to `weight` (clamped to 0..=1) in `seconds`; asking again for the same
    /// weight does not begin the fade again.
    pub fn set_layer_weight(&mut self, layer: u16, weight: f32, seconds: f32) {
        if let Some(layer) = self.layers.get_mut(usize::from(layer)) {
            layer.weight.to(weight.clamp(0.0, 1.0), seconds);
        }
    }

    /// A layer's weight as faded by scripts, before its parameter; 0 for an unknown layer.
    pub fn layer_weight(&self, layer: u16) -> f32 {
        let layer = self.layers.get(usize::from(layer));
        layer.map_or(0.0, |layer| layer.weight.value)
    }

    /// Lets a layer's current state loop, or play once and hold, whatever its graph says, until it
    /// is left.
    pub fn set_looping(&mut self, graph: &Graph, layer: u16, looping: bool) {
        let Some(layer) = graph.layers.get(usize::from(layer)) else {
            return;
        };
        let MachineState { playing, heard, .. } = &mut self.machines[usize::from(layer.machine)];
        let Some(current) = playing.last_mut() else {
            return;
        };
        let mode = if looping {
            LoopMode::Loop
        } else {
            LoopMode::Once
        };
        if current.mode == mode {
            return;
        }
        // A once-clock knows lap 0 only; laps are counted from there again.
        heard.retain(|heard| heard.run != current.run);
        current.cycles = current.mode.phase(current.cycles);
        current.mode = mode;
        current.finished = false;
    }

    /// What a layer is doing; for a layer that the graph does not have, state 0 at rest.
    pub fn layer_status(&self, graph: &Graph, layer: u16) -> LayerStatus {
        let machine = graph
            .layers
            .get(usize::from(layer))
            .map(|layer| layer.machine);
        machine.map_or(LayerStatus::NOTHING, |machine| {
            self.machine_status(graph, machine)
        })
    }

    /// What a machine is doing; of a state that is a machine, time and progress are those of the state
    /// inside.
    pub fn machine_status(&self, graph: &Graph, machine: u16) -> LayerStatus {
        let index = usize::from(machine);
        let found = graph.machines.get(index).zip(self.machines.get(index));
        let Some((definition, machine)) = found else {
            return LayerStatus::NOTHING;
        };
        let Some(current) = machine.playing.last() else {
            return LayerStatus::NOTHING;
        };
        let state = &definition.states[usize::from(current.state)];
        let cx = Context {
            graph,
            parameters: &self.parameters,
            randoms: &self.randoms,
        };
        let own = LayerStatus {
            state: current.state,
            time: 0.0,
            progress: 0.0,
            length: 0.0,
            weight: current_weight(machine),
            fading: machine.fade.is_some(),
            finished: current.finished,
            previous: machine.previous,
        };
        if let Some(inside) = cx.machine(state) {
            let inside = self.machine_status(graph, inside);
            return LayerStatus {
                time: inside.time,
                progress: inside.progress,
                length: inside.length,
                finished: inside.finished,
                ..own
            };
        }
        let length = cx.lap_seconds(state) as f32;
        let progress = current.mode.phase(current.cycles) as f32;
        LayerStatus {
            time: progress * length,
            progress,
            length,
            ..own
        }
    }

    /// The machine and state at the end of a path such as `air/rise` in a layer.
    pub fn current_path<'g>(&self, graph: &'g Graph, layer: u16) -> Option<&'g str> {
        let mut machine = graph.layers.get(usize::from(layer))?.machine;
        let cx = Context {
            graph,
            parameters: &self.parameters,
            randoms: &self.randoms,
        };
        loop {
            let current = self.machines.get(usize::from(machine))?.playing.last()?;
            let state = &graph.machines[usize::from(machine)].states[usize::from(current.state)];
            match cx.machine(state) {
                Some(inside) if !self.machines[usize::from(inside)].playing.is_empty() => {
                    machine = inside;
                }
                _ => return Some(&state.path),
            }
        }
    }

    /// Calls `clip` with every clip that a layer plays: its index in [`Graph::clips`], its weight in the
    /// layer, and its phase.
    pub fn clips_of_layer(&self, graph: &Graph, layer: u16, clip: &mut dyn FnMut(u16, f32, f64)) {
        if let Some(layer) = graph.layers.get(usize::from(layer)) {
            self.clips_of_machine(graph, layer.machine, 1.0, clip);
        }
    }

    fn clips_of_machine(
        &self,
        graph: &Graph,
        machine: u16,
        weight: f32,
        clip: &mut dyn FnMut(u16, f32, f64),
    ) {
        let definition = &graph.machines[usize::from(machine)];
        let machine = &self.machines[usize::from(machine)];
        let cx = Context {
            graph,
            parameters: &self.parameters,
            randoms: &self.randoms,
        };
        let current = current_weight(machine);
        for (index, playing) in machine.playing.iter().enumerate() {
            let state = &definition.states[usize::from(playing.state)];
            let phase = playing.mode.phase(playing.cycles);
            let own = weight * playing_weight(machine, index, current);
            cx.parts(state, own, &mut |part, weight| match part {
                Part::Leaf(leaf) => {
                    let parts = &state.leaves[usize::from(leaf)].parts;
                    let after = parts.iter().rposition(|part| part.begin <= phase);
                    if let Some(part) = parts.get(after.unwrap_or(0)) {
                        let length = (part.end - part.begin).max(f64::MIN_POSITIVE);
                        let own = ((phase - part.begin) / length).clamp(0.0, 1.0);
                        clip(part.clip, weight, own);
                    }
                }
                Part::Machine { machine, .. } => {
                    self.clips_of_machine(graph, machine, weight, clip);
                }
            });
        }
    }
}

impl LayerStatus {
    const NOTHING: Self = Self {
        state: 0,
        time: 0.0,
        progress: 0.0,
        length: 0.0,
        weight: 0.0,
        fading: false,
        finished: false,
        previous: None,
    };
}

impl MachineState {
    /// Of a machine that does not play yet, with room for what it will hold.
    fn with_room(graph: &Graph, machine: &Machine) -> Self {
        let joints = graph.skeleton.len();
        let morphs = graph.skeleton.morphs.len();
        // A machine of one state can only fade when it restarts from itself; others are made ready.
        let frozen_pose = if machine.states.len() > 1 {
            graph.skeleton.rest.clone()
        } else {
            Pose::default()
        };
        let shared = machine.states.iter().map(|state| {
            let markers = state.choirs.iter().map(|choir| choir.markers.len());
            markers.sum::<usize>()
        });
        let windows = machine.states.iter().map(|state| {
            let windows = state.leaves.iter().map(|leaf| leaf.windows.len());
            windows.sum::<usize>()
        });
        let windows = MAX_PLAYING * windows.max().unwrap_or(0);
        Self {
            playing: Vec::with_capacity(MAX_PLAYING),
            frozen_pose,
            frozen_root: Transform::IDENTITY,
            inertia: if machine.inertial {
                Inertia::with_room(joints, morphs)
            } else {
                Inertia::default()
            },
            heard: Vec::with_capacity(MAX_PLAYING * shared.max().unwrap_or(0)),
            windows: Vec::with_capacity(windows.min(USUAL_WINDOWS)),
            ..Self::default()
        }
    }
}

impl Playing {
    /// A state that begins at `cycles`.
    pub(super) fn enter(index: u16, state: &State, run: u32, cycles: f64) -> Self {
        Self {
            state: index,
            run,
            cycles,
            fresh: true,
            finished: false,
            mode: state.mode,
            share: 1.0,
            root_share: 1.0,
            age: 0.0,
            lock: run,
            speakers: [NO_SPEAKER; MAX_CHOIRS],
        }
    }
}

/// Where a state begins, `offset` laps into it in running direction.
pub(super) fn first_cycles(cx: &Context<'_>, state: &State, speed: f32, offset: f64) -> f64 {
    if let Some(phase) = cx.scrub(state) {
        return phase;
    }
    let backwards = cx.runs_backwards(state, speed);
    match (backwards, state.mode) {
        (false, _) => offset,
        (true, LoopMode::Once) => 1.0 - offset,
        (true, LoopMode::Loop | LoopMode::PingPong) => -offset,
    }
}

/// The clock of a state at clip seconds; a parameter that gives the phase goes on giving it.
pub(super) fn cycles_at(cx: &Context<'_>, state: &State, mode: LoopMode, seconds: f32) -> f64 {
    if let Some(phase) = cx.scrub(state) {
        return phase;
    }
    let length = cx.lap_seconds(state);
    let cycles = f64::from(seconds) / length;
    if length <= 0.0 || !cycles.is_finite() {
        return 0.0;
    }
    match mode {
        LoopMode::Once => cycles.clamp(0.0, 1.0),
        LoopMode::Loop | LoopMode::PingPong => cycles,
    }
}
