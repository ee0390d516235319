//! One machine's part of a step: cut into slices where something begins or ends, and each slice run
//! whole.

use super::advance::{EventSource, GraphEvent, GraphEventKind, Pending, Rank};
use super::begin::Start;
use super::choose::Crossing;
use super::compiled::{Graph, Machine, State};
use super::def::FadeSpeaksDef;
use super::fade::{MachineWeight, StateWeight, current_weight, playing_weight};
use super::hear::Hearing;
use super::inside::BeginInside;
use super::motion::{Context, Part};
use super::random::Turn;
use super::scratch::{Scratch, Slice, Span};
use super::state::{MachineState, ParameterState, Playing, RandomChoice};
use super::sync::Lead;
use crate::{LoopMode, Pose, RootAxes, Travel};

/// Slices that one machine's step is cut into at most where a fade or a lap ends; what is left then runs as
/// one.
const MAX_SLICES: usize = 256;

/// Slices of all machines of an actor together, after which none is cut any more: each slice of a machine is a
/// step of those inside, so without it their numbers would multiply.
const MAX_SLICES_OF_ALL: usize = 4096;

/// What the step of a machine depends on.
#[derive(Clone, Copy)]
pub(super) struct MachineStep<'a> {
    pub(super) graph: &'a Graph,
    pub(super) parameters: &'a [ParameterState],
    pub(super) seed: u64,
    /// Factor on all clocks.
    pub(super) speed: f32,
    /// Seconds of the whole step.
    pub(super) dt: f64,
    pub(super) layer: u16,
    pub(super) machine: u16,
    /// Weight of the machine in the actor's pose.
    pub(super) weight: MachineWeight,
    /// What scripts keep for states to show.
    pub(super) poses: &'a [Option<Pose>],
    /// The state around the machine is being left: nothing begins in it any more.
    pub(super) leaving: bool,
    /// How the base layer's current state moves, for layers that follow it.
    pub(super) base: Option<Lead>,
    /// Where a gate of a machine around it stands on its clock at the end of the stretch.
    pub(super) crossing: Option<Crossing>,
}

/// What a step writes.
pub(super) struct Live<'a> {
    pub(super) machines: &'a mut [MachineState],
    pub(super) randoms: &'a mut [RandomChoice],
    pub(super) scratch: &'a mut Scratch,
    /// Markers that did not fit.
    pub(super) lost: u32,
}

impl<'a> MachineStep<'a> {
    /// Lets a stretch of the step pass, and gives how the machine moved the root in it.
    pub(super) fn run(&self, stretch: Slice, live: &mut Live<'_>) -> Travel {
        let axes = self.axes();
        if self.state_of(live).playing.is_empty() {
            self.wake(BeginInside::Own, live);
        }
        self.tell_first(stretch.begin, live);
        let mut travel = Travel::identity(axes);
        let own = usize::from(self.machine);
        let first = self.state_of(live).playing.last();
        let first = first.map(|playing| playing.state);
        live.scratch.begun[own].stand_in(first);
        let mut at = stretch.begin;
        let mut slices = 0;
        loop {
            let rest = Slice {
                begin: at,
                end: stretch.end,
            };
            let base = live.scratch.spans.len();
            let leaves = live.scratch.leaves.len();
            self.plan(rest, live);
            let mut start = self.next_start(base, live);
            if let Some(start) = &mut start {
                // Rounding must not put it past what begins around the machine at the end of the stretch.
                start.at = start.at.clamp(at, stretch.end.max(at));
            }
            let mut until = start.as_ref().map_or(stretch.end, |start| start.at);
            let mut turned = None;
            if slices < MAX_SLICES && live.scratch.slices < MAX_SLICES_OF_ALL {
                // A fade that ends where something begins ends with it.
                let end = self.fade_end(at, live);
                until = end.filter(|end| *end < until - 1e-9).unwrap_or(until);
                turned = self.next_turn(base, until, live);
                until = turned.map_or(until, |turn: Turn| turn.at);
                let inside = self.next_inside(Slice { end: until, ..rest }, live);
                if let Some(change) = inside.filter(|change| at < *change && *change < until - 1e-9)
                {
                    (until, turned) = (change, None);
                }
            }
            slices += 1;
            live.scratch.slices += 1;
            let slice = Slice {
                begin: at,
                end: until,
            };
            // What is left at once does nothing more.
            let runs_inside = slice.length() > 0.0 || start.is_none();
            let crossing = start.as_ref().and_then(|start| start.crossing);
            let step = Self {
                crossing: crossing.or(self.crossing),
                ..*self
            };
            let (moved, ended) = step.slice(slice, turned, runs_inside, base, live);
            travel = travel.then(moved);
            live.scratch.spans.truncate(base);
            live.scratch.leaves.truncate(leaves);
            at = until;
            self.end_fade(at, live);
            if let Some(turn) = turned {
                self.turn(turn, live);
            }
            match start {
                Some(start) if start.at <= at => {
                    live.scratch.begun[own].note(start.state);
                    self.begin(&start, live);
                }
                _ => {
                    if let Some(share) = ended {
                        self.finish_around(share, live);
                    }
                    if at >= stretch.end {
                        break;
                    }
                }
            }
        }
        travel
    }

    pub(super) fn definition(&self) -> &'a Machine {
        &self.graph.machines[usize::from(self.machine)]
    }

    pub(super) fn state(&self, playing: &Playing) -> &'a State {
        &self.definition().states[usize::from(playing.state)]
    }

    pub(super) fn state_of<'l>(&self, live: &'l Live<'_>) -> &'l MachineState {
        &live.machines[usize::from(self.machine)]
    }

    pub(super) fn state_mut<'l>(&self, live: &'l mut Live<'_>) -> &'l mut MachineState {
        &mut live.machines[usize::from(self.machine)]
    }

    pub(super) fn context<'c>(&self, live: &'c Live<'_>) -> Context<'c>
    where
        'a: 'c,
    {
        Context {
            graph: self.graph,
            parameters: self.parameters,
            randoms: live.randoms,
        }
    }

    pub(super) fn axes(&self) -> RootAxes {
        let root = self.graph.root.as_ref();
        let track = root.and_then(|root| root.tracks.first());
        track.map_or(RootAxes::Planar, |track| track.axes)
    }

    /// The state in which the machine begins or goes on, told once each time that it is entered.
    fn tell_first(&self, at: f64, live: &mut Live<'_>) {
        let state = self.state_mut(live);
        if self.leaving || std::mem::replace(&mut state.started, true) {
            return;
        }
        let first = state.playing[state.playing.len() - 1].state;
        let ranks = match self.definition().parent {
            None => [Rank::First, Rank::FirstFullyIn],
            Some(_) => [Rank::Enter, Rank::FullyIn],
        };
        let enter = GraphEventKind::StateEnter { previous: None };
        let weight = self.weight.at(at);
        self.tell(enter, ranks[0], first, at, weight, live);
        let fully_in = GraphEventKind::FullyIn;
        self.tell(fully_in, ranks[1], first, at, weight, live);
    }

    /// Puts on the stack what every clock does in the rest of the step, were nothing to begin, and how
    /// much of each leaf shows.
    pub(super) fn plan(&self, rest: Slice, live: &mut Live<'_>) {
        let state = &live.machines[usize::from(self.machine)];
        let cx = Context {
            graph: self.graph,
            parameters: self.parameters,
            randoms: live.randoms,
        };
        let Scratch { spans, leaves, .. } = &mut *live.scratch;
        for (index, playing) in state.playing.iter().enumerate() {
            let definition = self.state(playing);
            let lap_seconds = cx.lap_seconds(definition);
            let follows = self.base.filter(|_| playing.mode == LoopMode::Loop);
            let (from, to) = match (cx.scrub(definition), follows) {
                (Some(phase), _) => (playing.cycles, phase),
                (None, Some(base)) => base.follow(&cx, definition, playing.cycles, rest),
                (None, None) => {
                    let to = self.clock_at_end(&cx, state, index, lap_seconds, rest);
                    (playing.cycles, to)
                }
            };
            let first = leaves.len();
            leaves.resize(first + definition.leaves.len(), 0.0);
            cx.parts(definition, 1.0, &mut |part, weight| {
                if let Part::Leaf(leaf) = part {
                    leaves[first + usize::from(leaf)] += weight;
                }
            });
            spans.push(Span {
                from,
                to,
                slice: rest,
                lap_seconds,
                leaves: first,
            });
        }
    }

    /// The share of the step at which the running fade ends, if it does before the step does.
    fn fade_end(&self, at: f64, live: &Live<'_>) -> Option<f64> {
        let fade = self.state_of(live).fade.as_ref()?;
        let left = (fade.duration - fade.elapsed).max(0.0);
        if fade.is_over_at(fade.elapsed) {
            return Some(at);
        }
        (self.dt > 0.0).then(|| at + left / self.dt)
    }

    /// Lets a slice pass in which nothing begins or ends. Gives how it moved the root, and where the current
    /// state came to its end in it.
    fn slice(
        &self,
        slice: Slice,
        turned: Option<Turn>,
        runs_inside: bool,
        base: usize,
        live: &mut Live<'_>,
    ) -> (Travel, Option<f64>) {
        let count = self.state_of(live).playing.len();
        let playing = &live.machines[usize::from(self.machine)].playing;
        for (span, playing) in live.scratch.spans[base..].iter_mut().zip(playing) {
            span.to = span.at(slice.end);
            span.slice = slice;
            if playing.mode == LoopMode::Once {
                span.meet_end();
            }
        }
        if let Some(crossing) = self.crossing {
            let current = &mut live.scratch.spans[base + count - 1];
            current.to = crossing.snap(self.machine, current.to);
        }
        if let Some(turn) = turned {
            // Exactly there, so that what lies on the boundary is heard once.
            live.scratch.spans[base + turn.index].to = turn.cycles;
        }
        for index in 0..if runs_inside { count } else { 0 } {
            self.run_inside(index, slice, live);
        }
        let mut ended = None;
        for index in 0..count {
            ended = self.listen(index, base, live);
        }
        let travel = self.travel(slice, base, live);
        let seconds = slice.length() * self.dt;
        for index in 0..count {
            let span = live.scratch.spans[base + index];
            let state = self.state_mut(live);
            let playing = &mut state.playing[index];
            playing.cycles = match playing.mode {
                LoopMode::Once => span.to.clamp(0.0, 1.0),
                LoopMode::Loop | LoopMode::PingPong => span.to,
            };
            playing.age += seconds;
            playing.fresh = false;
        }
        let state = self.state_mut(live);
        if let Some(fade) = &mut state.fade {
            fade.elapsed += seconds;
        }
        state.inertia.step(seconds as f32);
        (travel, ended)
    }

    /// Lets the machines inside a playing state run.
    fn run_inside(&self, index: usize, slice: Slice, live: &mut Live<'_>) {
        let state = self.state_of(live);
        let playing = state.playing[index];
        let definition = self.state(&playing);
        if definition.machines.is_empty() {
            return;
        }
        let is_current = index + 1 == state.playing.len();
        let weight = StateWeight {
            fade: state.fade,
            slice,
            dt: self.dt,
            share: playing.share,
            is_current,
            machine: self.weight,
        };
        for &machine in &definition.machines {
            let mut own = 0.0;
            let cx = self.context(live);
            cx.parts(definition, 1.0, &mut |part, weight| match part {
                Part::Machine { machine: other, .. } if other == machine => own += weight,
                _ => {}
            });
            let factor = cx.speed_factor(definition, self.speed);
            let inside = MachineStep {
                machine,
                weight: MachineWeight {
                    slice,
                    begin: weight.at(slice.begin) * own,
                    end: weight.at(slice.end) * own,
                },
                speed: factor as f32,
                leaving: self.leaving || !is_current,
                base: None,
                crossing: self.crossing.filter(|_| is_current),
                ..*self
            };
            let travel = inside.run(slice, live);
            let seconds = slice.length() * self.dt;
            if seconds > 0.0 {
                let velocity = travel.log().map(|part| part / seconds);
                live.scratch.velocities[usize::from(machine)] = velocity;
            }
        }
    }

    /// Tells what a playing state meets in the slice, and gives where it came to its end.
    fn listen(&self, index: usize, base: usize, live: &mut Live<'_>) -> Option<f64> {
        let state = self.state_of(live);
        let playing = state.playing[index];
        let definition = self.state(&playing);
        let span = live.scratch.spans[base + index];
        let is_current = index + 1 == state.playing.len();
        let weight = StateWeight {
            fade: state.fade,
            slice: span.slice,
            dt: self.dt,
            share: playing.share,
            is_current,
            machine: self.weight,
        };
        let audible = self.weight.shows(span.slice) && self.speaks(index, state);
        let machine = &mut live.machines[usize::from(self.machine)];
        let Scratch { leaves, events, .. } = &mut *live.scratch;
        let hearing = Hearing {
            graph: self.graph,
            layer: self.layer,
            machine: self.machine,
            state: definition,
            leaves: &leaves[span.leaves..span.leaves + definition.leaves.len()],
            lap_seconds: span.lap_seconds,
            span,
            weight,
            audible,
        };
        let MachineState {
            playing,
            heard,
            windows,
            ..
        } = machine;
        let lost = hearing.listen(&mut playing[index], heard, windows, events);
        live.lost = live
            .lost
            .saturating_add(u32::try_from(lost).unwrap_or(u32::MAX));
        let share = self.finish(index, &span, live)?;
        let kind = GraphEventKind::Finished;
        let state = self.state_of(live).playing[index].state;
        // What is only faded out tells nothing of its end.
        if !is_current || self.leaving {
            return None;
        }
        self.tell(kind, Rank::Finished, state, share, weight.at(share), live);
        Some(share)
    }

    /// Whether the rule of fades lets a playing state be heard.
    fn speaks(&self, index: usize, state: &MachineState) -> bool {
        let is_current = index + 1 == state.playing.len();
        if state.playing.len() < 2 {
            return true;
        }
        match self.graph.events.fade {
            FadeSpeaksDef::Both => true,
            FadeSpeaksDef::Source => !is_current,
            FadeSpeaksDef::Target => is_current,
            FadeSpeaksDef::MostActive => {
                let current = current_weight(state);
                let own = playing_weight(state, index, current);
                let heavier = |other: usize| {
                    let weight = playing_weight(state, other, current);
                    weight > own || (weight == own && other > index)
                };
                !(0..state.playing.len()).any(heavier)
            }
        }
    }

    /// Clears away what a fade ends.
    fn end_fade(&self, at: f64, live: &mut Live<'_>) {
        let state = self.state_of(live);
        if !state.fade.is_some_and(|fade| fade.is_over_at(fade.elapsed)) {
            return;
        }
        let older = state.playing.len() - 1;
        self.drop_runs(0..older, at, live);
        let state = self.state_mut(live);
        state.fade = None;
        state.frozen = None;
        let current = state.playing[0].state;
        let kind = GraphEventKind::FullyIn;
        self.tell(kind, Rank::FullyIn, current, at, self.weight.at(at), live);
    }

    /// What is to begin next: what a script asked for, else a transition.
    pub(super) fn next_start(&self, base: usize, live: &mut Live<'_>) -> Option<Start> {
        if self.leaving {
            return None;
        }
        match self.requested(base, live) {
            Some(start) => Some(start),
            None => {
                let begun = live.scratch.begun[usize::from(self.machine)];
                let may = begun.count < usize::from(self.graph.transitions_per_step);
                may.then(|| self.chosen(base, &begun, live)).flatten()
            }
        }
    }

    pub(super) fn tell(
        &self,
        kind: GraphEventKind,
        rank: Rank,
        state: u16,
        alpha: f64,
        weight: f32,
        live: &mut Live<'_>,
    ) {
        live.scratch.events.push(Pending {
            alpha,
            moment: 0,
            rank,
            lap: 0,
            order: 0,
            event: GraphEvent {
                kind,
                layer: self.layer,
                source: EventSource::State {
                    machine: self.machine,
                    state,
                },
                weight,
                alpha: alpha as f32,
            },
        });
    }
}
