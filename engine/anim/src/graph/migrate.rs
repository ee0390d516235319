//! Carrying an actor's state over to a new version of its graph.

use super::compiled::{Graph, MAX_CHOIRS, Machine, State};
use super::control::NO_SPEAKER;
use super::state::{FadeClock, GraphState, MachineState, ParameterValue, Playing};
use crate::{LoopMode, Pose};

impl GraphState {
    /// This state, run by `old`, as one that `new` runs: everything is matched by name.
    ///
    /// Parameters keep their values where the kind is the same. States keep phase, weight and fade, in
    /// machines inside states too; a current state that is gone gives way to the entry state. Clips
    /// that changed keep their phase. Nothing that was heard is heard again. Windows that were open are
    /// no longer, and slots are empty: see [`close_windows`](Self::close_windows).
    pub fn migrate(&self, old: &Graph, new: &Graph) -> Self {
        let mut state = Self::start_seeded(new, self.seed);
        state.speed = self.speed;
        state.paused = self.paused;
        self.migrate_parameters(old, new, &mut state);
        let same_joints =
            old.skeleton.names == new.skeleton.names && old.skeleton.morphs == new.skeleton.morphs;
        for (definition, layer) in new.layers.iter().zip(&mut state.layers) {
            let before = old.layer(&definition.name);
            if let Some(before) = before.and_then(|index| self.layers.get(usize::from(index))) {
                *layer = *before;
            }
        }
        for (index, definition) in new.machines.iter().enumerate() {
            let Some(before) = counterpart(old, new, index) else {
                continue;
            };
            self.keep_choices(&old.machines[before], definition, &mut state);
            migrate_machine(
                &old.machines[before],
                &self.machines[before],
                definition,
                &mut state.machines[index],
                same_joints,
            );
        }
        for (name, pose) in new.poses.iter().zip(&mut state.poses) {
            let before = old.pose(name).filter(|_| same_joints);
            *pose = before.and_then(|index| self.poses[usize::from(index)].clone());
        }
        state
    }

    /// Random choices of states that are still there go on.
    fn keep_choices(&self, old: &Machine, new: &Machine, state: &mut Self) {
        for definition in &new.states {
            let before = old.states.iter().find(|own| own.name == definition.name);
            let Some(before) = before else { continue };
            for (own, was) in definition.randoms.iter().zip(&before.randoms) {
                let choice = self.randoms.get(usize::from(was.slot));
                if let Some(choice) = choice.filter(|choice| choice.child < own.children) {
                    state.randoms[usize::from(own.slot)] = *choice;
                }
            }
        }
    }

    fn migrate_parameters(&self, old: &Graph, new: &Graph, state: &mut Self) {
        for (definition, index) in new.parameters.iter().zip(0_u16..) {
            let Some(before) = old.parameter(&definition.name) else {
                continue;
            };
            let kind = old.parameters[usize::from(before)].kind;
            let Some(value) = self.parameters.get(usize::from(before)) else {
                continue;
            };
            if kind != definition.kind {
                continue;
            }
            // Through the setters, so that a new range holds.
            let _ = match value.value {
                ParameterValue::Float(value) => state.set_float(new, index, value),
                ParameterValue::Int(value) => state.set_int(new, index, value),
                ParameterValue::Bool(value) => state.set_bool(new, index, value),
                ParameterValue::Trigger(true) => state.set_trigger(new, index),
                ParameterValue::Trigger(false) => Ok(()),
            };
            state.parameters[usize::from(index)].seconds_left = value.seconds_left;
        }
    }
}

/// The machine of `old` in the same place: the same layer, inside the states of the same names.
fn counterpart(old: &Graph, new: &Graph, index: usize) -> Option<usize> {
    // Of several in one state, the one with the same number.
    let place = |graph: &Graph, index: usize| {
        let machine = &graph.machines[index];
        let before = graph.machines[..index].iter();
        let number = before
            .filter(|other| other.parent == machine.parent)
            .count();
        let number = machine.parent.map_or(0, |_| number);
        let layer = graph.layers[usize::from(machine.layer)].name.clone();
        let around = machine.parent.map(|[around, state]| {
            let states = &graph.machines[usize::from(around)].states;
            states[usize::from(state)].path.clone()
        });
        (layer, around, number)
    };
    let wanted = place(new, index);
    (0..old.machines.len()).find(|&other| place(old, other) == wanted)
}

fn migrate_machine(
    old: &Machine,
    before: &MachineState,
    new: &Machine,
    machine: &mut MachineState,
    same_joints: bool,
) {
    let renamed = |state: u16| {
        let name = &old.states.get(usize::from(state))?.name;
        let same = |state: &State| state.name == *name && !state.conduit;
        let found = new.states.iter().position(same);
        found.map(|index| index as u16)
    };
    machine.previous = before.previous.and_then(renamed);
    machine.request = before.request.and_then(|mut request| {
        request.state = renamed(request.state)?;
        Some(request)
    });
    let moved = |playing: &Playing| {
        let state = renamed(playing.state)?;
        let was = old.states[usize::from(playing.state)].mode;
        let is = new.states[usize::from(state)].mode;
        Some(moved_clock(playing, state, was, is))
    };
    let Some(current) = before.playing.last().and_then(moved) else {
        return;
    };
    machine.started = before.started;
    machine.next_run = before.next_run;
    if same_joints {
        machine.inertia = before.inertia.clone();
        machine.root_inertia = before.root_inertia;
    }
    machine.playing.clear();
    if let Some(fade) = before.fade {
        let older = &before.playing[..before.playing.len() - 1];
        keep_fade(fade, older, before, machine, same_joints, &moved);
    }
    machine.playing.push(current);
    if let Some(fade) = &mut machine.fade {
        let name = |index: u16| old.transitions.get(usize::from(index)).map(|own| &own.name);
        let found = fade.transition.and_then(name);
        let found = found.and_then(|name| new.transitions.iter().position(|own| own.name == *name));
        fade.transition = found.map(|index| index as u16);
        let profile = fade
            .transition
            .map(|index| &new.transitions[usize::from(index)].blend);
        fade.blend.profile = profile.and_then(|blend| blend.profile);
    }
}

/// The fade goes on where its outgoing mix can be shown.
fn keep_fade(
    fade: FadeClock,
    older: &[Playing],
    before: &MachineState,
    machine: &mut MachineState,
    same_joints: bool,
    moved: &impl Fn(&Playing) -> Option<Playing>,
) {
    let frozen = before.frozen.map_or(0, usize::from).min(older.len());
    if before.frozen.is_some() && !same_joints {
        return;
    }
    machine
        .playing
        .extend(older[..frozen].iter().filter_map(moved));
    let still_frozen = machine.playing.len() as u16;
    machine
        .playing
        .extend(older[frozen..].iter().filter_map(moved));
    let mix_is_kept = before.frozen.is_some() || !machine.playing.is_empty();
    if !mix_is_kept && !fade.blend.inertial {
        return;
    }
    machine.fade = Some(fade);
    machine.frozen = before.frozen.map(|_| still_frozen);
    machine.frozen_pose = if same_joints {
        before.frozen_pose.clone()
    } else {
        Pose::default()
    };
    machine.frozen_root = before.frozen_root;
}

/// The same clock under a state that may have another mode now.
fn moved_clock(playing: &Playing, state: u16, was: LoopMode, is: LoopMode) -> Playing {
    let mut moved = Playing {
        state,
        speakers: [NO_SPEAKER; MAX_CHOIRS],
        ..*playing
    };
    // A mode that a script had set stays.
    if playing.mode == was && was != is {
        moved.cycles = playing.mode.phase(playing.cycles);
        moved.mode = is;
        moved.finished = false;
    }
    moved
}
