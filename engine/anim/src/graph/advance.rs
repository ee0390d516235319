//! One step of an actor's graph: transitions on the step's interval, clocks, events, root motion.
//!
//! Reads the graph, parameters and `dt`; writes the state and what came out of the step. The pose is
//! [`evaluate`](crate::evaluate)'s business and may be skipped.

use super::choose::{choose, gate};
use super::compiled::{Graph, Layer, Motion, Transition};
use super::control::{MAX_PLAYING, cycles_at, first_cycles};
use super::def::FadeCurveDef;
use super::evaluate::LayerPose;
use super::fade::{current_weight, layer_weight};
use super::hear::Hearing;
use super::motion::{number, speed_factor, state_rate};
use super::root::RootStep;
use super::scratch::{Scratch, Span};
use super::state::{
    FadeClock, GraphState, LayerState, ParameterState, ParameterValue, PlayRequest, Playing,
};
use crate::{LoopMode, RootDelta};

/// Markers that one actor can give in a step; what is beyond is counted in
/// [`Advanced::events_lost`].
pub const MAX_MARKERS: usize = 64;

/// Seconds of a fade where none are given.
pub(super) const DEFAULT_FADE: f32 = 0.2;

/// What came out of a step. Cleared by [`advance`]; its buffers are used again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Advanced {
    /// In order of place in the step, layer, state and declaration.
    pub events: Vec<GraphEvent>,
    /// How the base layer moved the root, in the frame in which the step began.
    pub root: RootDelta,
    /// Markers beyond [`MAX_MARKERS`].
    pub events_lost: u32,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphEvent {
    /// What.
    pub kind: GraphEventKind,
    /// Index in [`Graph::layers`].
    pub layer: u16,
    /// Index in [`Layer::states`].
    pub state: u16,
    /// Weight in the actor's pose, 0 to 1.
    pub weight: f32,
    /// Place in the step, 0 to 1.
    pub alpha: f32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GraphEventKind {
    /// A clip came by a marker.
    Marker {
        /// Index in [`Graph::names`].
        name: u16,
        /// As the clip's author gave it.
        value: f32,
        /// Clip seconds of the marker.
        time: f32,
        /// Index in [`Graph::clips`].
        clip: u16,
    },
    /// The state began.
    StateEnter {
        /// The state before; none at the actor's start.
        previous: Option<u16>,
    },
    /// The state was left; it may still be faded out.
    StateExit {
        /// The state that begins.
        following: u16,
    },
    /// A once-state came to its end.
    Finished,
    /// The fade into the state is over.
    FullyIn,
}

/// Order of events at one instant in one layer: what ends, then what begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A marker of a state that played before.
    Running,
    /// The end of a once-state.
    Finished,
    /// A state is left.
    Exit,
    /// A state begins.
    Enter,
    /// A marker of the state that has just begun.
    Entered,
    /// A fade is over.
    FullyIn,
}

/// An event with what it is sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) alpha: f64,
    pub(super) rank: Rank,
    /// Grows in running direction.
    pub(super) lap: i64,
    /// Order of declaration.
    pub(super) order: u32,
    pub(super) event: GraphEvent,
}

/// Lets `dt` seconds pass (negative and not finite count as 0). `out` is cleared first. Nothing is
/// allocated once `scratch` and `out` have seen as much as there is to hold.
pub fn advance(
    graph: &Graph,
    state: &mut GraphState,
    dt: f32,
    scratch: &mut Scratch,
    out: &mut Advanced,
) {
    out.events.clear();
    out.root = RootDelta::default();
    out.events_lost = 0;
    if state.paused {
        return;
    }
    let dt = if dt.is_finite() {
        f64::from(dt.max(0.0))
    } else {
        0.0
    };
    scratch.events.clear();
    scratch.used_triggers.clear();
    scratch.used_triggers.resize(state.parameters.len(), false);
    let speed = if state.speed.is_finite() {
        state.speed
    } else {
        0.0
    };
    for (index, (layer, layer_state)) in graph.layers.iter().zip(&mut state.layers).enumerate() {
        let step = LayerStep {
            graph,
            layer,
            index: index as u16,
            parameters: &state.parameters,
            speed,
            dt,
        };
        step.run(layer_state, scratch, out);
    }
    age_triggers(graph, &mut state.parameters, &scratch.used_triggers, dt);
    hand_over(&mut scratch.events, out);
}

fn age_triggers(graph: &Graph, parameters: &mut [ParameterState], used: &[bool], dt: f64) {
    for ((parameter, definition), used) in parameters.iter_mut().zip(&graph.parameters).zip(used) {
        if parameter.value != ParameterValue::Trigger(true) {
            continue;
        }
        parameter.seconds_left -= dt;
        let expired = definition.ttl.is_some() && parameter.seconds_left <= 1e-6;
        if *used || expired {
            parameter.value = ParameterValue::Trigger(false);
            parameter.seconds_left = 0.0;
        }
    }
}

/// Sorts the events and keeps as many markers as fit.
fn hand_over(events: &mut [Pending], out: &mut Advanced) {
    events.sort_unstable_by(|a, b| {
        let key = |p: &Pending| (p.event.layer, p.rank, p.event.state, p.lap, p.order);
        a.alpha
            .total_cmp(&b.alpha)
            .then_with(|| key(a).cmp(&key(b)))
    });
    let mut markers = 0;
    for pending in events {
        let is_marker = matches!(pending.event.kind, GraphEventKind::Marker { .. });
        markers += usize::from(is_marker);
        if is_marker && markers > MAX_MARKERS {
            out.events_lost = out.events_lost.saturating_add(1);
        } else {
            out.events.push(pending.event);
        }
    }
}

/// What one layer's step depends on.
struct LayerStep<'a> {
    graph: &'a Graph,
    layer: &'a Layer,
    index: u16,
    parameters: &'a [ParameterState],
    speed: f32,
    dt: f64,
}

/// A state that begins in the step.
struct Start {
    state: u16,
    /// The share of the step after which it does.
    begin: f64,
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
    fn run(&self, state: &mut LayerState, scratch: &mut Scratch, out: &mut Advanced) {
        if state.playing.is_empty() {
            return;
        }
        state.weight.step(self.dt as f32);
        if !state.started {
            state.started = true;
            let first = state.playing[0].state;
            let enter = GraphEventKind::StateEnter { previous: None };
            self.tell(enter, Rank::Enter, first, 0.0, 1.0, scratch);
            self.tell(
                GraphEventKind::FullyIn,
                Rank::FullyIn,
                first,
                0.0,
                1.0,
                scratch,
            );
        }
        self.plan(state, scratch);
        let start = self
            .requested(state, scratch)
            .or_else(|| self.chosen(state, scratch));
        let fade_begin = start.as_ref().map_or(0.0, |start| start.begin);
        if let Some(start) = &start {
            self.begin(state, start, scratch);
        }
        let left = start.is_some().then_some(fade_begin);
        let fade_end = self.fade_end(state, fade_begin);
        self.move_clocks(state, fade_begin, fade_end, left, scratch, out);
        if let Some(rig) = self.graph.root.as_ref().filter(|_| self.index == 0) {
            let step = RootStep {
                graph: self.graph,
                layer: self.layer,
                state,
                parameters: self.parameters,
                spans: &scratch.spans,
                fade_begin,
                dt: self.dt,
            };
            out.root = step.motion(rig, &mut scratch.root).into();
        }
        self.end_fade(state, fade_begin, fade_end, scratch);
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
            let weight = super::fade::playing_weight(state, index, current);
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

    /// What a script asked for, if it begins in this step.
    fn requested(&self, state: &mut LayerState, scratch: &Scratch) -> Option<Start> {
        let PlayRequest { state: to, play } = state.request?;
        let (current, span) = (state.playing.last()?, scratch.spans.last()?);
        if to == current.state && !play.restart {
            state.request = None;
            return None;
        }
        let begin = if play.after_finish {
            gate(1.0, true, current, span)?
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
            reuse: false,
        })
    }

    /// The transition that starts in this step; its triggers count as used.
    fn chosen(&self, state: &LayerState, scratch: &mut Scratch) -> Option<Start> {
        let span = scratch.spans.last()?;
        let (index, begin) = choose(self.layer, state, span, self.parameters)?;
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
    fn begin(&self, state: &mut LayerState, start: &Start, scratch: &mut Scratch) {
        let Some(left) = state.playing.last().copied() else {
            return;
        };
        let weight = state.fade.map_or(1.0, |fade| {
            fade.weight_at(fade.elapsed + start.begin * self.dt)
        });
        let layer_weight = layer_weight(self.layer, state, self.parameters);
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
        let (mut playing, span) = self.entering(state, &left, start, scratch);
        if state.playing.len() >= MAX_PLAYING {
            self.drop_lightest(state, scratch);
        }
        playing.run = state.next_run;
        state.next_run = state.next_run.wrapping_add(1);
        state.playing.push(playing);
        scratch.spans.push(span);
        state.previous = Some(left.state);
        state.fade = Some(FadeClock {
            elapsed: 0.0,
            duration: f64::from(start.seconds.max(0.0)),
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
        if let Some(current) = state.playing.last_mut().filter(|_| weight >= 1.0) {
            current.share = 1.0;
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
        let mut playing = Playing::enter(start.state, definition, 0, from);
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

    /// The share of the step after which nothing older than the current state is left.
    fn fade_end(&self, state: &LayerState, fade_begin: f64) -> f64 {
        let Some(fade) = state.fade else {
            return 1.0;
        };
        let left = (fade.duration - fade.elapsed).max(0.0);
        if left <= 0.0 {
            return fade_begin;
        }
        if self.dt <= 0.0 {
            return 1.0;
        }
        (fade_begin + left / self.dt).min(1.0)
    }

    /// Lets the time of the step pass for every clock, and tells what it meets.
    fn move_clocks(
        &self,
        state: &mut LayerState,
        fade_begin: f64,
        fade_end: f64,
        left: Option<f64>,
        scratch: &mut Scratch,
        out: &mut Advanced,
    ) {
        let layer_weight = layer_weight(self.layer, state, self.parameters);
        let count = state.playing.len();
        for index in 0..count {
            let is_current = index + 1 == count;
            let is_left = left.is_some() && index + 2 == count;
            let span = scratch.spans[index];
            let LayerState {
                playing,
                heard,
                fade,
                ..
            } = &mut *state;
            let playing = &mut playing[index];
            let definition = &self.layer.states[usize::from(playing.state)];
            let motion = &self.graph.motions[usize::from(definition.motion)];
            let entered = is_current && left.is_some();
            let hearing = Hearing {
                graph: self.graph,
                parameters: self.parameters,
                motion,
                layer: self.index,
                layer_weight,
                span,
                rank: if entered {
                    Rank::Entered
                } else {
                    Rank::Running
                },
                fade: fade.map(|fade| (fade, fade_begin)),
                is_current,
                end: if is_current { 1.0 } else { fade_end },
                dt: self.dt,
            };
            if layer_weight > 0.0 {
                let lost = hearing.listen(playing, heard, &mut scratch.events);
                out.events_lost = out
                    .events_lost
                    .saturating_add(u32::try_from(lost).unwrap_or(u32::MAX));
            }
            let told_until = if is_current {
                1.0
            } else {
                left.unwrap_or(-1.0)
            };
            if let Some(alpha) = self.finish(playing, &span, motion) {
                if is_current || (is_left && alpha <= told_until) {
                    let state = playing.state;
                    self.tell(
                        GraphEventKind::Finished,
                        Rank::Finished,
                        state,
                        alpha,
                        layer_weight,
                        scratch,
                    );
                }
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
        let backwards = speed_factor(definition, self.parameters, self.speed) < 0.0;
        let end = if backwards { 0.0 } else { 1.0 };
        let has_length = super::motion::lap_rate(motion, self.parameters) > 0.0;
        let reached = !has_length
            || if backwards {
                span.to <= end
            } else {
                span.to >= end
            };
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
    fn end_fade(
        &self,
        state: &mut LayerState,
        fade_begin: f64,
        fade_end: f64,
        scratch: &mut Scratch,
    ) {
        let Some(fade) = &mut state.fade else {
            return;
        };
        fade.elapsed += (1.0 - fade_begin) * self.dt;
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
        self.tell(
            GraphEventKind::FullyIn,
            Rank::FullyIn,
            current,
            fade_end,
            weight,
            scratch,
        );
    }

    fn tell(
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
