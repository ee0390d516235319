//! Carrying an actor's state over to a new version of its graph.

use super::compiled::{Graph, Layer};
use super::control::NO_SPEAKER;
use super::state::{GraphState, LayerState, ParameterValue, Playing};
use crate::{LoopMode, Pose};

impl GraphState {
    /// This state, run by `old`, as one that `new` runs: everything is matched by name.
    ///
    /// Parameters keep their values where the kind is the same. States keep phase, weight and fade;
    /// a current state that is gone gives way to the entry state. Clips that changed keep their
    /// phase. Nothing that was heard is heard again.
    pub fn migrate(&self, old: &Graph, new: &Graph) -> Self {
        let mut state = Self::start(new);
        state.speed = self.speed;
        state.paused = self.paused;
        self.migrate_parameters(old, new, &mut state);
        for (definition, layer) in new.layers.iter().zip(&mut state.layers) {
            let Some(index) = old.layer(&definition.name).map(usize::from) else {
                continue;
            };
            if let Some(before) = self.layers.get(index) {
                let same_joints = old.skeleton.names == new.skeleton.names
                    && old.skeleton.morphs == new.skeleton.morphs;
                migrate_layer(&old.layers[index], before, definition, layer, same_joints);
            }
        }
        state
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

fn migrate_layer(
    old: &Layer,
    before: &LayerState,
    new: &Layer,
    layer: &mut LayerState,
    same_joints: bool,
) {
    let renamed = |state: u16| {
        let name = &old.states.get(usize::from(state))?.name;
        let found = new.states.iter().position(|state| state.name == *name);
        found.map(|index| index as u16)
    };
    layer.weight = before.weight;
    layer.previous = before.previous.and_then(renamed);
    layer.request = before.request.and_then(|mut request| {
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
    layer.started = before.started;
    layer.next_run = before.next_run;
    let older = &before.playing[..before.playing.len() - 1];
    let kept = older.iter().filter_map(moved);
    layer.playing.clear();
    if before.fade.is_some() && (!before.frozen || same_joints) {
        layer.playing.extend(kept);
    }
    let mix_is_kept = !layer.playing.is_empty() || (before.frozen && same_joints);
    if mix_is_kept && before.fade.is_some() {
        layer.fade = before.fade;
        layer.frozen = before.frozen;
        layer.frozen_pose = if same_joints {
            before.frozen_pose.clone()
        } else {
            Pose::default()
        };
        layer.frozen_root = before.frozen_root;
    }
    layer.playing.push(current);
}

/// The same clock under a state that may have another mode now.
fn moved_clock(playing: &Playing, state: u16, was: LoopMode, is: LoopMode) -> Playing {
    let mut moved = Playing {
        state,
        speaker: NO_SPEAKER,
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
