//! Every bit of a [`GraphState`] into a hash.

use std::hash::{Hash, Hasher};

use super::state::{GraphState, LayerState, ParameterState, ParameterValue, Playing};
use crate::{Pose, Transform};

impl GraphState {
    /// Feeds every bit of state to a hasher: equal states of one graph give equal hashes on every
    /// machine.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        self.speed.to_bits().hash(hasher);
        self.paused.hash(hasher);
        for parameter in &self.parameters {
            hash_parameter(parameter, hasher);
        }
        for layer in &self.layers {
            hash_layer(layer, hasher);
        }
    }
}

fn hash_parameter(parameter: &ParameterState, hasher: &mut impl Hasher) {
    match parameter.value {
        ParameterValue::Float(value) => (0_u8, value.to_bits()).hash(hasher),
        ParameterValue::Int(value) => (1_u8, value).hash(hasher),
        ParameterValue::Bool(value) => (2_u8, value).hash(hasher),
        ParameterValue::Trigger(value) => (3_u8, value).hash(hasher),
    }
    parameter.seconds_left.to_bits().hash(hasher);
}

fn hash_layer(layer: &LayerState, hasher: &mut impl Hasher) {
    (layer.playing.len() as u64).hash(hasher);
    for playing in &layer.playing {
        hash_playing(playing, hasher);
    }
    layer.fade.is_some().hash(hasher);
    if let Some(fade) = &layer.fade {
        fade.elapsed.to_bits().hash(hasher);
        fade.duration.to_bits().hash(hasher);
        (fade.curve as u8).hash(hasher);
        fade.interruptible.hash(hasher);
    }
    layer.frozen.hash(hasher);
    hash_pose(&layer.frozen_pose, hasher);
    hash_transform(&layer.frozen_root, hasher);
    for value in [
        layer.weight.value,
        layer.weight.target,
        layer.weight.seconds_left,
    ] {
        value.to_bits().hash(hasher);
    }
    layer.previous.hash(hasher);
    layer.started.hash(hasher);
    layer.request.is_some().hash(hasher);
    if let Some(request) = &layer.request {
        request.state.hash(hasher);
        request.play.fade.map(f32::to_bits).hash(hasher);
        request.play.at.map(f32::to_bits).hash(hasher);
        (request.play.restart, request.play.after_finish).hash(hasher);
    }
    for heard in &layer.heard {
        (heard.run, heard.marker, heard.next).hash(hasher);
    }
    layer.next_run.hash(hasher);
}

fn hash_playing(playing: &Playing, hasher: &mut impl Hasher) {
    (playing.state, playing.run, playing.speaker).hash(hasher);
    playing.cycles.to_bits().hash(hasher);
    (playing.fresh, playing.finished, playing.mode as u8).hash(hasher);
    playing.share.to_bits().hash(hasher);
}

fn hash_pose(pose: &Pose, hasher: &mut impl Hasher) {
    pose.joints.hash(hasher);
    for block in &pose.blocks {
        let vectors = block.translation.iter().chain(&block.scale);
        for component in vectors.chain(&block.rotation) {
            component.map(f32::to_bits).hash(hasher);
        }
    }
    for morph in &pose.morphs {
        morph.to_bits().hash(hasher);
    }
}

fn hash_transform(transform: &Transform, hasher: &mut impl Hasher) {
    let vectors = transform.translation.to_array().into_iter();
    let rest = transform.rotation.to_array().into_iter();
    for value in vectors.chain(rest).chain(transform.scale.to_array()) {
        value.to_bits().hash(hasher);
    }
}
