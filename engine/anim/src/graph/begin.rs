//! Beginning a state: what is left becomes the outgoing mix, frozen where it was a fade.

use super::advance::{GraphEventKind, Rank};
use super::choose::{choose, gate};
use super::compiled::{Motion, Transition};
use super::control::{MAX_PLAYING, cycles_at, first_cycles};
use super::def::FadeCurveDef;
use super::evaluate::LayerPose;
use super::fade::layer_weight;
use super::motion::{runs_backwards, state_rate};
use super::scratch::{Scratch, Span};
use super::state::{FadeClock, LayerState, PlayRequest, Playing};
use super::step::LayerStep;
use crate::LoopMode;

/// Seconds of a fade where none are given.
pub(super) const DEFAULT_FADE: f32 = 0.2;

/// Seconds; what is longer, infinity included, does not end in any game.
const LONGEST_FADE: f32 = 1e9;

/// A state that begins in the step.
pub(super) struct Start {
    state: u16,
    /// The share of the step after which it does.
    pub(super) begin: f64,
    seconds: f32,
    curve: FadeCurveDef,
    interruptible: bool,
    /// Laps from its beginning.
    offset: f64,
    /// Clip seconds, where a script asked for them.
    at: Option<f32>,
    /// Goes on from where the state still plays, if it is one that is being faded out.
    reuse: bool,
}

impl LayerStep<'_> {
    /// What a script asked for, if it begins in this step.
    pub(super) fn requested(&self, state: &mut LayerState, scratch: &Scratch) -> Option<Start> {
        let PlayRequest { state: to, play } = state.request?;
        let (current, span) = (state.playing.last()?, scratch.spans.last()?);
        if to == current.state && !play.restart {
            state.request = None;
            return None;
        }
        let begin = if play.after_finish {
            let definition = &self.layer.states[usize::from(current.state)];
            let backwards = runs_backwards(definition, self.parameters, self.speed);
            gate(1.0, true, current, span, backwards)?
        } else {
            0.0
        };
        state.request = None;
        Some(Start {
            state: to,
            begin,
            seconds: play.fade.unwrap_or(DEFAULT_FADE),
            curve: FadeCurveDef::Linear,
            interruptible: true,
            offset: 0.0,
            at: play.at,
            reuse: !play.restart && play.at.is_none(),
        })
    }

    /// The transition that starts in this step; its triggers count as used.
    pub(super) fn chosen(&self, state: &LayerState, scratch: &mut Scratch) -> Option<Start> {
        let span = scratch.spans.last()?;
        let (index, begin) = choose(self.layer, state, span, self.parameters, self.speed)?;
        let way: &Transition = &self.layer.transitions[usize::from(index)];
        for &trigger in way.when.iter().flat_map(|when| &when.triggers) {
            scratch.used_triggers[usize::from(trigger)] = true;
        }
        Some(Start {
            state: way.to,
            begin,
            seconds: way.duration,
            curve: way.curve,
            interruptible: way.interruptible,
            offset: way.offset.unwrap_or(0.0),
            at: None,
            reuse: true,
        })
    }

    /// Leaves the current state and begins another.
    pub(super) fn begin(&self, state: &mut LayerState, start: &Start, scratch: &mut Scratch) {
        let Some(left) = state.playing.last().copied() else {
            return;
        };
        let weight = state.fade.map_or(1.0, |fade| {
            fade.weight_at(fade.elapsed + start.begin * self.dt)
        });
        let layer_weight = layer_weight(self.layer, state, self.parameters);
        if let Some(fade) = state.fade.filter(|_| weight >= 1.0) {
            // Its own fade came to its end on the way here.
            let end = (fade.duration - fade.elapsed) / self.dt;
            let end = if end.is_finite() {
                end.clamp(0.0, start.begin)
            } else {
                0.0
            };
            let kind = GraphEventKind::FullyIn;
            self.tell(kind, Rank::Running, left.state, end, layer_weight, scratch);
        }
        let exit = GraphEventKind::StateExit {
            following: start.state,
        };
        self.tell(
            exit,
            Rank::Exit,
            left.state,
            start.begin,
            weight * layer_weight,
            scratch,
        );
        self.stop_current(state, start.begin, weight, scratch);
        let (playing, span) = self.entering(state, &left, start, scratch);
        if state.playing.len() >= MAX_PLAYING {
            self.drop_lightest(state, scratch);
        }
        state.playing.push(playing);
        scratch.spans.push(span);
        let LayerState { playing, heard, .. } = &mut *state;
        heard.retain(|heard| playing.iter().any(|playing| playing.run == heard.run));
        state.previous = Some(left.state);
        state.fade = Some(FadeClock {
            elapsed: 0.0,
            duration: f64::from(fade_seconds(start.seconds)),
            curve: start.curve,
            interruptible: start.interruptible,
        });
        let enter = GraphEventKind::StateEnter {
            previous: Some(left.state),
        };
        self.tell(enter, Rank::Enter, start.state, start.begin, 0.0, scratch);
    }

    /// Makes the current state and everything older the outgoing mix. A fade that is cut short
    /// freezes the mix as it is at that share of the step.
    fn stop_current(&self, state: &mut LayerState, begin: f64, weight: f32, scratch: &mut Scratch) {
        let last = state.playing.len() - 1;
        if weight >= 1.0 {
            // Whatever was fading out is gone by then.
            state.playing.drain(..last);
            scratch.spans.drain(..last);
            state.playing[0].share = 1.0;
            state.frozen = false;
        } else {
            self.freeze(state, begin, scratch);
            let (current, older) = match state.playing.split_last_mut() {
                Some(split) => split,
                None => return,
            };
            for playing in older {
                playing.share *= 1.0 - weight;
            }
            current.share = weight;
            state.frozen = true;
        }
    }

    /// Keeps the layer's mix of a moment of the step.
    fn freeze(&self, state: &mut LayerState, begin: f64, scratch: &mut Scratch) {
        let fade = state.fade;
        if let Some(fade) = &mut state.fade {
            fade.elapsed += begin * self.dt;
        }
        for (playing, span) in state.playing.iter_mut().zip(&scratch.spans) {
            playing.cycles = span.at(begin);
        }
        let mut mix = std::mem::take(&mut scratch.poses.layer);
        let mut work = LayerPose {
            graph: self.graph,
            layer: self.layer,
            state,
            parameters: self.parameters,
            root_in_pose: true,
        };
        let root = self.graph.root.as_ref().map(|root| {
            work.write(&mut scratch.poses, &mut mix);
            mix.joint(usize::from(root.joint))
        });
        work.root_in_pose = false;
        work.write(&mut scratch.poses, &mut mix);
        state.frozen_pose.copy_from(&mix);
        state.frozen_root = root.unwrap_or(state.frozen_root);
        scratch.poses.layer = mix;
        for (playing, span) in state.playing.iter_mut().zip(&scratch.spans) {
            playing.cycles = span.from;
        }
        state.fade = fade;
    }

    /// The state that begins, and its clock in the rest of the step. Within a sync group the phase
    /// is carried on; a state that is still being faded out goes on where it is.
    fn entering(
        &self,
        state: &mut LayerState,
        left: &Playing,
        start: &Start,
        scratch: &mut Scratch,
    ) -> (Playing, Span) {
        let definition = &self.layer.states[usize::from(start.state)];
        let still = state.playing.iter().rposition(|playing| {
            start.reuse
                && playing.state == start.state
                && playing.run != left.run
                && !playing.finished
        });
        if let Some(index) = still {
            scratch.spans[index].begin = 0.0;
            let (mut playing, span) = (state.playing.remove(index), scratch.spans.remove(index));
            playing.share = 1.0;
            return (playing, span);
        }
        let last = scratch.spans.len() - 1;
        let group = definition.sync_group;
        let same_group = group.is_some()
            && group == self.layer.states[usize::from(left.state)].sync_group
            && start.state != left.state;
        let carried = same_group && start.at.is_none();
        let from = match start.at {
            Some(at) => cycles_at(self.graph, definition, definition.mode, self.parameters, at),
            None if carried => {
                left_cycles(left, &scratch.spans[last], start.begin, definition.mode)
            }
            None => first_cycles(
                self.graph,
                definition,
                self.parameters,
                self.speed,
                start.offset,
            ),
        };
        let mut playing = Playing::enter(start.state, definition, state.next_run, from);
        state.next_run = state.next_run.wrapping_add(1);
        // A marker at the carried place was heard in the state before.
        playing.fresh = !carried;
        let motion = &self.graph.motions[usize::from(definition.motion)];
        let both_loop = playing.mode == LoopMode::Loop && left.mode == LoopMode::Loop;
        let to = if let Motion::Scrub { .. } = motion {
            from
        } else if carried && both_loop {
            from + scratch.spans[last].to - scratch.spans[last].at(start.begin)
        } else {
            let rate = state_rate(self.graph, definition, self.parameters, self.speed);
            from + rate * (1.0 - start.begin) * self.dt
        };
        let span = Span {
            from,
            to,
            begin: start.begin,
        };
        (playing, span)
    }

    fn drop_lightest(&self, state: &mut LayerState, scratch: &mut Scratch) {
        let lightest = state
            .playing
            .iter()
            .zip(0..)
            .min_by(|(a, _), (b, _)| a.share.total_cmp(&b.share));
        if let Some((_, index)) = lightest {
            state.playing.remove(index);
            scratch.spans.remove(index);
        }
    }
}

/// As asked for; not a number is at once.
fn fade_seconds(seconds: f32) -> f32 {
    if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(0.0, LONGEST_FADE)
    }
}

/// The clock of the state that is left, at a share of the step, as the state that follows goes on
/// with it.
fn left_cycles(left: &Playing, span: &Span, share: f64, mode: LoopMode) -> f64 {
    let cycles = span.at(share);
    if mode == LoopMode::Loop && left.mode == LoopMode::Loop {
        cycles
    } else {
        left.mode.phase(cycles)
    }
}
