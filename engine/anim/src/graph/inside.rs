//! Machines inside states: how they begin with the state around them, and where.

use super::align::aligned;
use super::begin::Start;
use super::begun::Begun;
use super::compiled::{Begin, State};
use super::control::{cycles_at, first_cycles};
use super::motion::Context;
use super::scratch::Slice;
use super::state::Playing;
use super::step::{Live, MachineStep};
use crate::LoopMode;

/// Where the entry state of a machine begins, as the change into the state around says.
#[derive(Clone, Copy)]
pub(super) enum BeginInside {
    /// At its start.
    Own,
    /// At clip seconds.
    Seconds(f32),
    /// At a share of its lap in running direction.
    Offset(f64),
    /// Where what was left stands.
    Left {
        /// The machine that it is in.
        machine: u16,
        playing: Playing,
        /// By markers rather than by phase.
        marker: bool,
    },
}

impl MachineStep<'_> {
    /// Lets the machines inside a state begin, or go on where they were left.
    pub(super) fn enter_inside(&self, playing: &Playing, begin: BeginInside, live: &mut Live<'_>) {
        let definition = self.state(playing);
        let cx = self.context(live);
        let speed = cx.speed_factor(definition, self.speed) as f32;
        let whole = cx.machine(definition);
        for &machine in &definition.machines {
            let inside = MachineStep {
                machine,
                speed,
                ..*self
            };
            let resume = inside.definition().resume;
            let state = inside.state_mut(live);
            state.started = false;
            if !resume {
                state.silence();
            }
            // What is entered anew begins to count anew.
            if let Some(begun) = live.scratch.begun.get_mut(usize::from(machine)) {
                *begun = Begun::default();
            }
            let is_whole = whole == Some(machine);
            inside.wake(if is_whole { begin } else { BeginInside::Own }, live);
        }
    }

    /// Begins a machine that does not play: at its entry, or where a script asked for. One that has been left
    /// to be resumed goes on where it is.
    pub(super) fn wake(&self, begin: BeginInside, live: &mut Live<'_>) {
        if let Some(&current) = self.state_of(live).playing.last() {
            self.enter_inside(&current, BeginInside::Own, live);
            return;
        }
        let request = self.state_mut(live).request.take();
        let index = request.map_or(self.definition().entry, |request| request.state);
        let begin = match request {
            Some(request) => request
                .play
                .at
                .map_or(BeginInside::Own, BeginInside::Seconds),
            None => begin,
        };
        let definition = &self.definition().states[usize::from(index)];
        self.choose_children(index, live);
        let cx = self.context(live);
        let cycles = match begin {
            BeginInside::Own => first_cycles(&cx, definition, self.speed, 0.0),
            BeginInside::Seconds(at) => cycles_at(&cx, definition, definition.mode, at),
            BeginInside::Offset(share) => first_cycles(&cx, definition, self.speed, share),
            BeginInside::Left {
                machine,
                playing,
                marker,
            } => {
                let around = MachineStep { machine, ..*self };
                left_clock(&cx, around.state(&playing), &playing, definition, marker)
            }
        };
        let cycles = cx.scrub(definition).unwrap_or(cycles);
        let state = self.state_mut(live);
        let playing = Playing::enter(index, definition, state.next_run, cycles);
        state.next_run = state.next_run.wrapping_add(1);
        state.playing.push(playing);
        self.enter_inside(&playing, begin, live);
    }

    /// The share of the step at which the machine that is the current state changes inside, if it does within a stretch: what
    /// is measured on the state inside is measured on another from there.
    pub(super) fn next_inside(&self, stretch: Slice, live: &mut Live<'_>) -> Option<f64> {
        let current = *self.state_of(live).playing.last()?;
        let cx = self.context(live);
        let machine = cx.machine(self.state(&current))?;
        let speed = cx.speed_factor(self.state(&current), self.speed) as f32;
        let inside = MachineStep {
            machine,
            speed,
            base: None,
            ..*self
        };
        inside.state_of(live).playing.last()?;
        let (base, leaves) = (live.scratch.spans.len(), live.scratch.leaves.len());
        inside.plan(stretch, live);
        let own = inside.next_start(base, live).map(|start| start.at);
        live.scratch.spans.truncate(base);
        live.scratch.leaves.truncate(leaves);
        let until = own.map_or(stretch.end, |at| at.clamp(stretch.begin, stretch.end));
        let further = inside.next_inside(
            Slice {
                end: until,
                ..stretch
            },
            live,
        );
        further.or(own)
    }

    /// What a change says of where the machine inside its destination begins.
    pub(super) fn begins_inside(
        &self,
        left: &Playing,
        start: &Start,
        live: &Live<'_>,
    ) -> BeginInside {
        match (start.seconds, start.begin) {
            (Some(at), _) => BeginInside::Seconds(at),
            (None, Begin::Own) => BeginInside::Own,
            (None, Begin::Offset(share)) => BeginInside::Offset(share),
            (None, Begin::Phase | Begin::Marker) => {
                let (around, playing) = self.innermost(left, live);
                BeginInside::Left {
                    machine: around.machine,
                    playing,
                    marker: start.begin == Begin::Marker,
                }
            }
        }
    }

    /// The state whose clock counts for a playing one: of a state that is a machine, the current one in it.
    pub(super) fn innermost(&self, playing: &Playing, live: &Live<'_>) -> (Self, Playing) {
        let cx = self.context(live);
        let (mut step, mut current) = (*self, *playing);
        while let Some(machine) = cx.machine(step.state(&current)) {
            let speed = cx.speed_factor(step.state(&current), step.speed) as f32;
            let inside = MachineStep {
                machine,
                speed,
                ..step
            };
            let Some(inner) = inside.state_of(live).playing.last() else {
                break;
            };
            (step, current) = (inside, *inner);
        }
        (step, current)
    }
}

/// Where a state begins that goes on from another: at its phase, or between the same markers.
pub(super) fn left_clock(
    cx: &Context<'_>,
    from: &State,
    left: &Playing,
    to: &State,
    marker: bool,
) -> f64 {
    if !marker {
        return left_cycles(left, to.mode);
    }
    let phase = left.mode.phase(left.cycles);
    let found = aligned(cx, from, phase, to, phase);
    found.map_or(phase, |cycles| to.mode.phase(cycles))
}

/// The clock of the state that is left, as the state that follows goes on with it.
pub(super) fn left_cycles(left: &Playing, mode: LoopMode) -> f64 {
    if mode == LoopMode::Loop && left.mode == LoopMode::Loop {
        left.cycles
    } else {
        left.mode.phase(left.cycles)
    }
}
