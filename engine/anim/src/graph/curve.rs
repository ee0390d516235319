//! Named curves of what plays, blended as its pose is.

use super::compiled::{Graph, Layer, LayerBlend, Leaf, Motion, State};
use super::fade::{current_weight, layer_weight, playing_weight};
use super::motion::{Context, Part, number};
use super::state::{GraphState, Playing};
use crate::sample_curve;

/// The value of a curve (index in [`Graph::curves`]) in the pose of an actor.
///
/// Within a layer it is the sum over all clips by their weights, where those that lack it count as 0. A
/// layer with it in any of its clips moves what is below towards its own value by its weight, or adds
/// to it where it is additive; other layers leave it. Slots do the same with the clip they play. 0
/// where nothing has it.
pub fn curve_value(graph: &Graph, state: &GraphState, curve: u16) -> f32 {
    let reading = Reading::new(graph, state, curve);
    let mut value = 0.0;
    for (layer, index) in graph.layers.iter().zip(0..) {
        let weight = layer_weight(graph, layer, index, state);
        if weight > 0.0
            && let Some(own) = reading.layer(layer)
        {
            value = laid_over(layer.blend, value, own, weight);
        }
        for (slot, own) in graph.slots.iter().zip(&state.slots) {
            let weight = own.weight.value;
            if slot.after != index || weight <= 0.0 {
                continue;
            }
            let mut mix = None;
            for clip in &own.clips {
                let phase = clip.mode.phase(clip.cycles);
                let below: f32 = mix.unwrap_or(0.0);
                if let Some(over) = reading.clip(clip.clip, phase) {
                    mix = Some(below + (over - below) * clip.share.value);
                } else if mix.is_some() {
                    mix = Some(below * (1.0 - clip.share.value));
                }
            }
            if let Some(mix) = mix {
                value = laid_over(slot.blend, value, mix, weight);
            }
        }
    }
    value
}

/// The value of a curve that a layer's weight follows: in the layer itself, else in the nearest layer
/// below that has it in any of its clips, else 0.
pub(super) fn layer_curve(graph: &Graph, state: &GraphState, layer: u16, curve: u16) -> f32 {
    let reading = Reading::new(graph, state, curve);
    let layers = graph.layers.iter().take(usize::from(layer) + 1);
    let found = layers.rev().find_map(|layer| reading.layer(layer));
    found.unwrap_or(0.0)
}

fn laid_over(blend: LayerBlend, below: f32, own: f32, weight: f32) -> f32 {
    match blend {
        LayerBlend::Override => below + (own - below) * weight,
        LayerBlend::Additive(_) => below + own * weight,
    }
}

/// Where a curve is read.
struct Reading<'a> {
    cx: Context<'a>,
    state: &'a GraphState,
    curve: u16,
}

impl<'a> Reading<'a> {
    fn new(graph: &'a Graph, state: &'a GraphState, curve: u16) -> Self {
        let cx = Context {
            graph,
            parameters: &state.parameters,
            randoms: &state.randoms,
        };
        Self { cx, state, curve }
    }

    /// The value in a layer's own machine; none where no clip of it has the curve.
    fn layer(&self, layer: &Layer) -> Option<f32> {
        let mut is_met = false;
        let value = self.machine(layer.machine, &mut is_met);
        (is_met || self.is_in_machine(layer.machine)).then_some(value)
    }

    fn machine(&self, machine: u16, is_met: &mut bool) -> f32 {
        let index = usize::from(machine);
        let states = &self.cx.graph.machines[index].states;
        let machine = &self.state.machines[index];
        let current = current_weight(machine);
        let last = machine.playing.len().saturating_sub(1);
        // A part of the outgoing mix that no longer plays on its own counts for the current state, as it does in
        // the root motion: it is one of them that goes on.
        let mut rest = 1.0;
        let mut value = 0.0;
        for (index, playing) in machine.playing.iter().enumerate() {
            let weight = if index == last {
                f32::max(rest, 0.0)
            } else {
                playing_weight(machine, index, current)
            };
            rest -= weight;
            let definition = &states[usize::from(playing.state)];
            self.cx.parts(definition, weight, &mut |part, weight| {
                value += weight
                    * match part {
                        Part::Leaf(leaf) => match self.leaf(definition, playing, leaf) {
                            Some(value) => {
                                *is_met = true;
                                value
                            }
                            None => 0.0,
                        },
                        Part::Machine { machine, .. } => self.machine(machine, is_met),
                    };
            });
        }
        value
    }

    fn leaf(&self, state: &State, playing: &Playing, leaf: u16) -> Option<f32> {
        let definition = &state.leaves[usize::from(leaf)];
        let phase = if definition.scrubbed {
            let parameter = scrubbed_by(self.cx.graph, state.motion, leaf);
            parameter.map_or(0.0, |index| {
                number(self.cx.parameters, index).clamp(0.0, 1.0)
            })
        } else {
            playing.mode.phase(playing.cycles)
        };
        let (clip, phase) = part_at(definition, phase)?;
        self.clip(clip, phase)
    }

    /// The value in a clip at a phase of its lap.
    fn clip(&self, clip: u16, phase: f64) -> Option<f32> {
        let clip = self.cx.graph.clips.get(usize::from(clip))?;
        let found = clip
            .curves
            .binary_search_by_key(&self.curve, |[curve, _]| *curve);
        let [_, own] = clip.curves[found.ok()?];
        let curve = clip.clip.curves.get(usize::from(own))?;
        let seconds = clip.start + phase * clip.duration;
        Some(sample_curve(curve, seconds as f32))
    }

    /// Whether any clip of a machine has the curve.
    fn is_in_machine(&self, machine: u16) -> bool {
        let states = &self.cx.graph.machines[usize::from(machine)].states;
        states.iter().any(|state| {
            let parts = state.leaves.iter().flat_map(|leaf| &leaf.parts);
            parts
                .map(|part| part.clip)
                .any(|clip| self.is_in_clip(clip))
                || state
                    .machines
                    .iter()
                    .any(|inside| self.is_in_machine(*inside))
        })
    }

    fn is_in_clip(&self, clip: u16) -> bool {
        let curves = &self.cx.graph.clips[usize::from(clip)].curves;
        curves
            .binary_search_by_key(&self.curve, |[curve, _]| *curve)
            .is_ok()
    }
}

/// The clip that a leaf shows at a phase of its state, and the phase in that clip.
fn part_at(leaf: &Leaf, phase: f64) -> Option<(u16, f64)> {
    let phase = leaf.own_phase(phase);
    let after = leaf.parts.iter().rposition(|part| part.begin <= phase);
    let part = leaf.parts.get(after.unwrap_or(0))?;
    let length = part.end - part.begin;
    let own = if length > 0.0 {
        ((phase - part.begin) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    Some((part.clip, own))
}

/// The parameter that gives the phase of a scrubbed leaf.
fn scrubbed_by(graph: &Graph, motion: u16, leaf: u16) -> Option<u16> {
    let inside = |motion: u16| scrubbed_by(graph, motion, leaf);
    match &graph.motions[usize::from(motion)] {
        Motion::Scrub { sample, parameter } => (sample.leaf == leaf).then_some(*parameter),
        Motion::Blend(space) => space.children.iter().find_map(|child| inside(child.motion)),
        Motion::Direct(children) => children.iter().find_map(|child| inside(child.motion)),
        Motion::Additive { base, add, .. } => inside(*base).or_else(|| inside(*add)),
        Motion::Select { children, .. } | Motion::Random { children, .. } => {
            children.iter().find_map(|child| inside(*child))
        }
        Motion::Rest
        | Motion::Clip(_)
        | Motion::Sequence { .. }
        | Motion::Machine(_)
        | Motion::Pose(_) => None,
    }
}
