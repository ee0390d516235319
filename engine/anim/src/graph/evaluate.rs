//! The pose of an actor: a pure function of graph and state.

use super::compiled::{BlendSpace, Graph, Layer, Motion, Sample};
use super::fade::{current_weight, layer_weight};
use super::motion::blend_weights;
use super::scratch::{PoseBuffers, Scratch};
use super::state::{GraphState, LayerState, ParameterState, Playing};
use crate::{Pose, Rotations, blend_weighted, override_layer, sample};

/// Writes the local pose of an actor: the rest pose, and over it each layer from the base up.
///
/// Root motion is taken out of all clips unless `root_in_pose`. `pose` takes the size of the skeleton;
/// nothing is allocated once `scratch` and `pose` have been used with a graph of this size.
pub fn evaluate(
    graph: &Graph,
    state: &GraphState,
    root_in_pose: bool,
    scratch: &mut Scratch,
    pose: &mut Pose,
) {
    pose.copy_from(&graph.skeleton.rest);
    for (layer, layer_state) in graph.layers.iter().zip(&state.layers) {
        let weight = layer_weight(layer, layer_state, &state.parameters);
        if weight <= 0.0 {
            continue;
        }
        let work = LayerPose {
            graph,
            layer,
            state: layer_state,
            parameters: &state.parameters,
            root_in_pose,
        };
        let mask = layer.mask.as_ref().map(|mask| mask.joints.as_slice());
        let mut out = std::mem::take(&mut scratch.poses.layer);
        work.write(&mut scratch.poses, &mut out);
        override_layer(pose, &out, weight, mask, Rotations::Slerp);
        scratch.poses.layer = out;
    }
}

/// What the pose of one layer depends on.
pub(super) struct LayerPose<'a> {
    pub(super) graph: &'a Graph,
    pub(super) layer: &'a Layer,
    pub(super) state: &'a LayerState,
    pub(super) parameters: &'a [ParameterState],
    pub(super) root_in_pose: bool,
}

impl LayerPose<'_> {
    /// The mix of what the layer plays.
    pub(super) fn write(&self, buffers: &mut PoseBuffers, out: &mut Pose) {
        let weight = current_weight(self.state);
        let Some((current, older)) = self.state.playing.split_last() else {
            out.copy_from(&self.graph.skeleton.rest);
            return;
        };
        if weight >= 1.0 {
            return self.write_state(current, buffers, out);
        }
        match older.last() {
            Some(source) if !self.state.frozen => self.write_state(source, buffers, out),
            _ => self.write_frozen(out),
        }
        let mut entering = std::mem::take(&mut buffers.current);
        self.write_state(current, buffers, &mut entering);
        override_layer(out, &entering, weight, None, Rotations::Slerp);
        buffers.current = entering;
    }

    fn write_frozen(&self, out: &mut Pose) {
        out.copy_from(&self.state.frozen_pose);
        if let Some(root) = self.graph.root.as_ref().filter(|_| self.root_in_pose) {
            out.set_joint(usize::from(root.joint), self.state.frozen_root);
        }
    }

    fn write_state(&self, playing: &Playing, buffers: &mut PoseBuffers, out: &mut Pose) {
        let state = &self.layer.states[usize::from(playing.state)];
        let phase = playing.mode.phase(playing.cycles);
        match &self.graph.motions[usize::from(state.motion)] {
            Motion::Rest => out.copy_from(&self.graph.skeleton.rest),
            Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
                self.write_sample(sample, phase, out);
            }
            Motion::Blend(space) => self.write_blend(space, phase, buffers, out),
        }
    }

    fn write_blend(
        &self,
        space: &BlendSpace,
        phase: f64,
        buffers: &mut PoseBuffers,
        out: &mut Pose,
    ) {
        let weights = blend_weights(space, self.parameters);
        let active = space.samples.iter().zip(weights).filter(|(_, w)| *w > 0.0);
        let count = active.clone().count();
        if count <= 1 {
            if let Some((only, _)) = active.clone().next() {
                self.write_sample(only, phase, out);
            }
            return;
        }
        if buffers.samples.len() < count {
            buffers.samples.resize_with(count, Pose::default);
        }
        for ((sample, _), pose) in active.clone().zip(&mut buffers.samples) {
            self.write_sample(sample, phase, pose);
        }
        let weights = active.map(|(_, weight)| weight);
        blend_weighted(buffers.samples.iter().zip(weights), out, Rotations::Slerp);
    }

    fn write_sample(&self, of: &Sample, phase: f64, out: &mut Pose) {
        let clip = &self.graph.clips[usize::from(of.clip)];
        let seconds = phase * f64::from(clip.duration);
        out.copy_from(&self.graph.skeleton.rest);
        sample(clip, seconds as f32, out);
        if let Some(root) = self.graph.root.as_ref().filter(|_| !self.root_in_pose) {
            root.tracks[usize::from(of.clip)].take_out(seconds, out);
        }
    }
}
