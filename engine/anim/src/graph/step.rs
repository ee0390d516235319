//! One layer's part of a step: what begins, what the clocks meet, what ends.

use super::advance::{Advanced, GraphEvent, GraphEventKind, Pending, Rank};
use super::begin::Start;
use super::compiled::{Graph, Layer, Motion, RootRig};
use super::control::NO_SPEAKER;
use super::fade::{Began, FadeStep, current_weight, layer_weight, playing_weight};
use super::hear::Hearing;
use super::motion::{lap_rate, number, runs_backwards, speed_factor, state_rate};
use super::root::RootStep;
use super::scratch::{Scratch, Span};
use super::state::{LayerState, ParameterState, Playing};
use crate::LoopMode;

/// What one layer's step depends on.
pub(super) struct LayerStep<'a> {
    pub(super) graph: &'a Graph,
    pub(super) layer: &'a Layer,
    pub(super) index: u16,
    pub(super) parameters: &'a [ParameterState],
    pub(super) speed: f32,
    pub(super) dt: f64,
}

impl LayerStep<'_> {
    pub(super) fn run(&self, state: &mut LayerState, scratch: &mut Scratch, out: &mut Advanced) {
        if state.playing.is_empty() {
            return;
        }
        state.weight.step(self.dt as f32);
        if !state.started {
            state.started = true;
            let first = state.playing[0].state;
            let weight = layer_weight(self.layer, state, self.parameters);
            let enter = GraphEventKind::StateEnter { previous: None };
            self.tell(enter, Rank::First, first, 0.0, weight, scratch);
            let fully_in = GraphEventKind::FullyIn;
            self.tell(fully_in, Rank::FirstFullyIn, first, 0.0, weight, scratch);
        }
        self.plan(state, scratch);
        let before = state.fade;
        let left = state.playing[state.playing.len() - 1].run;
        let start = match self.requested(state, scratch) {
            Some(start) => Some(start),
            None => self.chosen(state, scratch),
        };
        if let Some(start) = &start {
            self.begin(state, start, scratch);
        }
        let began = start.map(|start: Start| Began {
            at: start.begin,
            left,
            before,
        });
        let fade = FadeStep::new(state.fade, began, self.dt);
        self.move_clocks(state, &fade, scratch, out);
        if let Some(rig) = self.graph.root.as_ref().filter(|_| self.index == 0) {
            let step = RootStep {
                graph: self.graph,
                layer: self.layer,
                share: self.root_share(rig, state),
                state,
                parameters: self.parameters,
                spans: &scratch.spans,
                fade: &fade,
                dt: self.dt,
            };
            out.root = step.motion(rig, &mut scratch.root).into();
        }
        self.end_fade(state, &fade, scratch);
    }

    /// How much of the layer's motion the root joint of the pose follows, 0 to 1.
    fn root_share(&self, rig: &RootRig, state: &LayerState) -> f32 {
        let mask = self.layer.mask.as_ref();
        let mask = mask.map_or(1.0, |mask| mask.joints[usize::from(rig.joint)]);
        mask * layer_weight(self.layer, state, self.parameters)
    }

    /// What every clock will do, were nothing to begin.
    fn plan(&self, state: &LayerState, scratch: &mut Scratch) {
        let current = current_weight(state);
        scratch.spans.clear();
        for playing in &state.playing {
            let definition = &self.layer.states[usize::from(playing.state)];
            let motion = &self.graph.motions[usize::from(definition.motion)];
            let from = playing.cycles;
            let to = match motion {
                Motion::Scrub { parameter, .. } => {
                    number(self.parameters, *parameter).clamp(0.0, 1.0)
                }
                _ => from + self.rate(state, playing, current) * self.dt,
            };
            scratch.spans.push(Span {
                from,
                to,
                begin: 0.0,
            });
        }
    }

    /// Laps a second; that of the heaviest member of its sync group.
    fn rate(&self, state: &LayerState, playing: &Playing, current: f32) -> f64 {
        let definition = |playing: &Playing| &self.layer.states[usize::from(playing.state)];
        let own = definition(playing);
        let mut leader = (playing, f32::NEG_INFINITY);
        let in_group = own.sync_group.is_some() && playing.mode == LoopMode::Loop;
        for (index, other) in state.playing.iter().enumerate() {
            let weight = playing_weight(state, index, current);
            let together = in_group
                && definition(other).sync_group == own.sync_group
                && other.mode == LoopMode::Loop;
            if together && weight > leader.1 {
                leader = (other, weight);
            }
        }
        state_rate(
            self.graph,
            definition(leader.0),
            self.parameters,
            self.speed,
        )
    }

    /// Lets the time of the step pass for every clock, and tells what it meets.
    fn move_clocks(
        &self,
        state: &mut LayerState,
        fade: &FadeStep,
        scratch: &mut Scratch,
        out: &mut Advanced,
    ) {
        let layer_weight = layer_weight(self.layer, state, self.parameters);
        let LayerState { playing, heard, .. } = state;
        let last = playing.len() - 1;
        for (index, playing) in playing.iter_mut().enumerate() {
            let is_current = index == last;
            let span = scratch.spans[index];
            let definition = &self.layer.states[usize::from(playing.state)];
            let motion = &self.graph.motions[usize::from(definition.motion)];
            let hearing = Hearing {
                graph: self.graph,
                parameters: self.parameters,
                motion,
                layer: self.index,
                layer_weight,
                span,
                fade,
                is_current,
            };
            if layer_weight > 0.0 {
                let lost = hearing.listen(playing, heard, &mut scratch.events);
                let lost = u32::try_from(lost).unwrap_or(u32::MAX);
                out.events_lost = out.events_lost.saturating_add(lost);
            } else {
                // What passes unheard is not told later.
                heard.retain(|heard| heard.run != playing.run);
                playing.speaker = NO_SPEAKER;
            }
            // What was left may still end where it was left; what was left before is not told.
            let told_until = match fade.began {
                _ if is_current => 1.0,
                Some(began) if began.left == playing.run => began.at,
                _ => -1.0,
            };
            let end = self.finish(playing, &span, motion);
            if let Some(alpha) = end.filter(|alpha| *alpha <= told_until) {
                let kind = GraphEventKind::Finished;
                let weight = hearing.weight_at(playing, alpha);
                self.tell(kind, Rank::Finished, playing.state, alpha, weight, scratch);
            }
            playing.cycles = match playing.mode {
                LoopMode::Once => span.to.clamp(0.0, 1.0),
                LoopMode::Loop | LoopMode::PingPong => span.to,
            };
            playing.fresh = false;
        }
    }

    /// Whether a once-state comes to its end in this step, and where.
    fn finish(&self, playing: &mut Playing, span: &Span, motion: &Motion) -> Option<f64> {
        if playing.mode != LoopMode::Once || matches!(motion, Motion::Scrub { .. }) {
            return None;
        }
        let definition = &self.layer.states[usize::from(playing.state)];
        let backwards = runs_backwards(definition, self.parameters, self.speed);
        let end = if backwards { 0.0 } else { 1.0 };
        let has_length = lap_rate(motion, self.parameters) > 0.0;
        if has_length && speed_factor(definition, self.parameters, self.speed) == 0.0 {
            // What stands still neither comes to its end nor leaves it.
            return None;
        }
        let is_past = if backwards {
            span.to <= end
        } else {
            span.to >= end
        };
        let reached = !has_length || is_past;
        let before = std::mem::replace(&mut playing.finished, reached);
        if !reached || before {
            return None;
        }
        let own = (end - span.from) / (span.to - span.from);
        let own = if has_length && own.is_finite() {
            own.clamp(0.0, 1.0)
        } else {
            0.0
        };
        Some(span.share(own))
    }

    /// Lets the time of the step pass for the fade, and clears away what it ends.
    fn end_fade(&self, state: &mut LayerState, step: &FadeStep, scratch: &mut Scratch) {
        let Some(fade) = &mut state.fade else {
            return;
        };
        fade.elapsed += (1.0 - step.begin()) * self.dt;
        if !fade.is_over_at(fade.elapsed) {
            return;
        }
        let last = state.playing.len() - 1;
        state.playing.drain(..last);
        state.fade = None;
        state.frozen = false;
        let LayerState { playing, heard, .. } = &mut *state;
        heard.retain(|heard| playing.iter().any(|playing| playing.run == heard.run));
        let current = playing[0].state;
        let weight = layer_weight(self.layer, state, self.parameters);
        let kind = GraphEventKind::FullyIn;
        self.tell(kind, Rank::FullyIn, current, step.end, weight, scratch);
    }

    pub(super) fn tell(
        &self,
        kind: GraphEventKind,
        rank: Rank,
        state: u16,
        alpha: f64,
        weight: f32,
        scratch: &mut Scratch,
    ) {
        scratch.events.push(Pending {
            alpha,
            rank,
            lap: 0,
            order: 0,
            event: GraphEvent {
                kind,
                layer: self.index,
                state,
                weight,
                alpha: alpha as f32,
            },
        });
    }
}
