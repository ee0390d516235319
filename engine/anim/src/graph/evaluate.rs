//! The pose of an actor: a pure function of graph and state.

use super::compiled::{Graph, Layer, LayerBlend, Leaf, Motion};
use super::def::SpaceDef;
use super::fade::{current_weight, layer_weight};
use super::motion::{Context, blend_weights};
use super::scratch::{PoseBuffers, Scratch};
use super::slot;
use super::state::{FadeClock, GraphState, MachineState, Playing};
use crate::{
    Mask, Pose, additive_layer, additive_layer_mesh, blend_weighted, override_layer, sample,
};

/// Writes the local pose of an actor: the rest pose, and over it each layer from the base up with the
/// slots that lie over it.
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
    let writer = PoseWriter::new(graph, state, root_in_pose);
    writer.stack(state, None, &mut scratch.poses, pose);
    state.inertia.apply(pose);
}

/// What poses are written from.
pub(super) struct PoseWriter<'a> {
    pub(super) cx: Context<'a>,
    pub(super) machines: &'a [MachineState],
    pub(super) poses: &'a [Option<Pose>],
    pub(super) root_in_pose: bool,
}

impl<'a> PoseWriter<'a> {
    pub(super) fn new(graph: &'a Graph, state: &'a GraphState, root_in_pose: bool) -> Self {
        Self {
            cx: Context {
                graph,
                parameters: &state.parameters,
                randoms: &state.randoms,
            },
            machines: &state.machines,
            poses: &state.poses,
            root_in_pose,
        }
    }

    fn graph(&self) -> &Graph {
        self.cx.graph
    }

    /// The rest pose, and over it the layers and slots from the base up; all, or those below a slot.
    pub(super) fn stack(
        &self,
        state: &GraphState,
        below: Option<u16>,
        buffers: &mut PoseBuffers,
        pose: &mut Pose,
    ) {
        let graph = self.graph();
        pose.copy_from(&graph.skeleton.rest);
        let last = below.map(|slot| graph.slots[usize::from(slot)].after);
        for (layer, index) in graph.layers.iter().zip(0..) {
            let weight = layer_weight(graph, layer, index, state);
            if weight > 0.0 {
                self.layer(layer, weight, buffers, pose);
            }
            let is_last = last == Some(index);
            let end = below.filter(|_| is_last).map_or(usize::MAX, usize::from);
            slot::write_slots(self, state, index, end, buffers, pose);
            if is_last {
                return;
            }
        }
    }

    fn layer(&self, layer: &Layer, weight: f32, buffers: &mut PoseBuffers, pose: &mut Pose) {
        let mut own = buffers.take();
        self.machine(layer.machine, buffers, &mut own);
        let mask = layer.mask.as_ref();
        self.lay(layer.blend, mask, weight, &own, buffers, pose);
        buffers.give(own);
    }

    /// Lays a pose over what is below.
    pub(super) fn lay(
        &self,
        blend: LayerBlend,
        mask: Option<&Mask>,
        weight: f32,
        own: &Pose,
        buffers: &mut PoseBuffers,
        pose: &mut Pose,
    ) {
        let graph = self.graph();
        let mask = mask.map(|mask| mask.joints.as_slice());
        match blend {
            LayerBlend::Override => override_layer(pose, own, weight, mask, graph.rotations),
            LayerBlend::Additive(SpaceDef::Local) => {
                additive_layer(pose, own, &graph.skeleton.rest, weight, mask);
            }
            LayerBlend::Additive(SpaceDef::Mesh) => {
                let scratch = &mut buffers.mesh;
                additive_layer_mesh(&graph.skeleton, pose, own, weight, mask, scratch);
            }
        }
    }

    /// What a machine shows: its mix, with what dies away in it.
    pub(super) fn machine(&self, machine: u16, buffers: &mut PoseBuffers, out: &mut Pose) {
        self.mix(machine, buffers, out);
        self.machines[usize::from(machine)].inertia.apply(out);
    }

    /// The mix of what a machine plays.
    pub(super) fn mix(&self, machine: u16, buffers: &mut PoseBuffers, out: &mut Pose) {
        let state = &self.machines[usize::from(machine)];
        let Some((current, older)) = state.playing.split_last() else {
            out.copy_from(&self.graph().skeleton.rest);
            return;
        };
        let fade = state.fade.as_ref().filter(|fade| !fade.blend.inertial);
        let Some(fade) = fade.filter(|_| current_weight(state) < 1.0) else {
            return self.state(machine, current, buffers, out);
        };
        self.outgoing(machine, state, older, buffers, out);
        let mut entering = buffers.take();
        self.state(machine, current, buffers, &mut entering);
        self.cross(fade, &entering, buffers, out);
        buffers.give(entering);
    }

    /// The outgoing mix: what is frozen, and over it each older state by its share of what came
    /// before it.
    fn outgoing(
        &self,
        machine: u16,
        state: &MachineState,
        older: &[Playing],
        buffers: &mut PoseBuffers,
        out: &mut Pose,
    ) {
        let mut alive = older;
        let mut below = 0.0;
        if let Some(frozen) = state.frozen {
            alive = &older[usize::from(frozen).min(older.len())..];
            below = (1.0 - alive.iter().map(|playing| playing.share).sum::<f32>()).max(0.0);
            self.frozen(state, out);
        } else if let Some((oldest, rest)) = older.split_first() {
            self.state(machine, oldest, buffers, out);
            below = oldest.share;
            alive = rest;
        }
        for playing in alive {
            below += playing.share;
            let share = if below > 0.0 {
                playing.share / below
            } else {
                1.0
            };
            let mut own = buffers.take();
            self.state(machine, playing, buffers, &mut own);
            override_layer(out, &own, share, None, self.graph().rotations);
            buffers.give(own);
        }
    }

    fn frozen(&self, state: &MachineState, out: &mut Pose) {
        out.copy_from(&state.frozen_pose);
        if let Some(root) = self.graph().root.as_ref().filter(|_| self.root_in_pose) {
            out.set_joint(usize::from(root.joint), state.frozen_root);
        }
    }

    /// Lays the current state over the outgoing mix, joint by joint where the fade has a profile.
    fn cross(&self, fade: &FadeClock, entering: &Pose, buffers: &mut PoseBuffers, out: &mut Pose) {
        let rotations = self.graph().rotations;
        let weight = fade.weight_at(fade.elapsed);
        let Some(profile) = fade.blend.profile else {
            return override_layer(out, entering, weight, None, rotations);
        };
        let factors = &self.graph().profiles[usize::from(profile)];
        let mut weights = std::mem::take(&mut buffers.weights);
        weights.clear();
        weights.extend(
            factors
                .iter()
                .map(|factor| fade.weight_of_joint(*factor, fade.elapsed)),
        );
        weights.resize(out.joints + out.morphs.len(), weight);
        override_layer(out, entering, 1.0, Some(&weights), rotations);
        buffers.weights = weights;
    }

    fn state(&self, machine: u16, playing: &Playing, buffers: &mut PoseBuffers, out: &mut Pose) {
        let machine = &self.graph().machines[usize::from(machine)];
        let state = &machine.states[usize::from(playing.state)];
        let phase = playing.mode.phase(playing.cycles);
        self.motion(state.motion, &state.leaves, phase, buffers, out);
    }

    fn motion(
        &self,
        motion: u16,
        leaves: &[Leaf],
        phase: f64,
        buffers: &mut PoseBuffers,
        out: &mut Pose,
    ) {
        let motion = &self.graph().motions[usize::from(motion)];
        match motion {
            Motion::Rest => out.copy_from(&self.graph().skeleton.rest),
            Motion::Clip(sample) => {
                let phase = leaves[usize::from(sample.leaf)].own_phase(phase);
                self.clip(sample.clip, phase, out);
            }
            Motion::Scrub { sample, parameter } => {
                let phase = super::motion::number(self.cx.parameters, *parameter);
                self.clip(sample.clip, phase.clamp(0.0, 1.0), out);
            }
            Motion::Blend(space) => {
                let weights = blend_weights(space, self.cx.parameters);
                let children = space.children.iter().zip(weights);
                let children = children.map(|(child, weight)| (child.motion, weight));
                self.blend(children, 0.0, leaves, phase, buffers, out);
            }
            Motion::Direct(children) => {
                let weights = self.cx.direct_weights(motion);
                let missing = (1.0 - weights.iter().sum::<f32>()).max(0.0);
                let children = children.iter().zip(weights);
                let children = children.map(|(child, weight)| (child.motion, weight));
                self.blend(children, missing, leaves, phase, buffers, out);
            }
            Motion::Additive { base, add, weight } => {
                self.motion(*base, leaves, phase, buffers, out);
                let mut own = buffers.take();
                self.motion(*add, leaves, phase, buffers, &mut own);
                let weight = self.cx.additive_weight(*weight);
                additive_layer(out, &own, &self.graph().skeleton.rest, weight, None);
                buffers.give(own);
            }
            Motion::Select { .. } | Motion::Random { .. } => match self.cx.selected(motion) {
                Some(child) => self.motion(child, leaves, phase, buffers, out),
                None => out.copy_from(&self.graph().skeleton.rest),
            },
            Motion::Sequence { leaf } => self.sequence(&leaves[usize::from(*leaf)], phase, out),
            Motion::Machine(machine) => self.machine(*machine, buffers, out),
            Motion::Pose(pose) => match self.poses.get(usize::from(*pose)) {
                Some(Some(pose)) => out.copy_from(pose),
                _ => out.copy_from(&self.graph().skeleton.rest),
            },
        }
    }

    /// The mean of motions by weight, with as much of the rest pose as `missing`.
    fn blend(
        &self,
        children: impl Iterator<Item = (u16, f32)> + Clone,
        missing: f32,
        leaves: &[Leaf],
        phase: f64,
        buffers: &mut PoseBuffers,
        out: &mut Pose,
    ) {
        let rest = &self.graph().skeleton.rest;
        let missing = if missing > 1e-6 { missing } else { 0.0 };
        let active = children.filter(|(_, weight)| *weight > 0.0);
        let mut only = active.clone();
        match (only.next(), only.next()) {
            (None, _) => return out.copy_from(rest),
            (Some((motion, _)), None) if missing <= 0.0 => {
                return self.motion(motion, leaves, phase, buffers, out);
            }
            _ => {}
        }
        let first = buffers.stack.len();
        for (motion, _) in active.clone() {
            let mut pose = buffers.take();
            self.motion(motion, leaves, phase, buffers, &mut pose);
            buffers.stack.push(pose);
        }
        let poses = &buffers.stack[first..];
        let weights = active.map(|(_, weight)| weight);
        let filler = (missing > 0.0).then_some((rest, missing));
        let all = poses.iter().zip(weights).chain(filler);
        blend_weighted(all, out, self.graph().rotations);
        while buffers.stack.len() > first {
            if let Some(pose) = buffers.stack.pop() {
                buffers.give(pose);
            }
        }
    }

    fn sequence(&self, leaf: &Leaf, phase: f64, out: &mut Pose) {
        let phase = leaf.own_phase(phase);
        let after = leaf.parts.iter().rposition(|part| part.begin <= phase);
        let Some(part) = leaf.parts.get(after.unwrap_or(0)) else {
            return out.copy_from(&self.graph().skeleton.rest);
        };
        let length = part.end - part.begin;
        let own = if length > 0.0 {
            (phase - part.begin) / length
        } else {
            0.0
        };
        self.clip(part.clip, own.clamp(0.0, 1.0), out);
    }

    /// A clip of the graph at a phase of its lap, over the rest pose.
    pub(super) fn clip(&self, clip: u16, phase: f64, out: &mut Pose) {
        let graph = self.graph();
        let played = &graph.clips[usize::from(clip)];
        out.copy_from(&graph.skeleton.rest);
        let seconds = played.start + phase * played.duration;
        sample(&played.clip, seconds as f32, out);
        if let Some(root) = graph.root.as_ref().filter(|_| !self.root_in_pose) {
            root.tracks[usize::from(clip)].take_out(seconds, out);
        }
    }
}
