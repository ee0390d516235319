//! Which transition of a machine starts in a step, and when in the step; and why others do not.

use super::begin::Start;
use super::begun::Begun;
use super::compiled::{MAX_STATES, Transition};
use super::def::{InterruptionDef, ReenterDef};
use super::motion::number;
use super::scratch::Span;
use super::state::Playing;
use super::step::{Live, MachineStep};
use crate::LoopMode;
use crate::expression::Expression;

/// In [`Scratch::used_by`](crate::Scratch) for no machine yet.
const NO_MACHINE: u16 = u16::MAX;

/// Why a transition does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The running fade lets nothing interrupt it, or not this transition.
    Fade,
    /// It leads to the state that plays, and may not do so now.
    Reenter,
    /// The destination has begun in this step already.
    Again,
    /// `when` does not hold.
    Condition,
    /// The exit time is not open.
    Gate,
    /// `enter_when` of the destination does not hold.
    EnterWhen,
    /// It leads into a conduit that no way out of is open.
    Conduit,
}

/// The conduits that nothing leads on from, found while parameters stand still, so that each is looked into
/// once, however many ways lead to it.
#[derive(Default)]
pub(super) struct Closed([u64; MAX_STATES / 64 + 1]);

impl Closed {
    fn contains(&self, conduit: u16) -> bool {
        self.0[usize::from(conduit) / 64] & (1 << (conduit % 64)) != 0
    }

    fn add(&mut self, conduit: u16) {
        self.0[usize::from(conduit) / 64] |= 1 << (conduit % 64);
    }
}

/// The clock that an exit time is measured on.
pub(super) struct Clock {
    /// The machine that plays the state.
    machine: u16,
    playing: Playing,
    span: Span,
    /// Whether the state runs down.
    backwards: bool,
}

/// When an exit time is open.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    /// The share of the step.
    pub(super) at: f64,
    /// What the clock comes by then.
    pub(super) crossing: Option<Crossing>,
}

impl Gate {
    /// From the begin of a span.
    pub(super) fn open(span: &Span) -> Self {
        Self {
            at: span.slice.begin,
            crossing: None,
        }
    }
}

/// Where a gate stands on the clock of a machine's current state. A slice that ends there ends exactly there, so
/// that the markers of the place and the end of a clip are met before the state is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    machine: u16,
    cycles: f64,
}

impl Crossing {
    /// Laps at the end of a slice, without what rounding left to the gate.
    pub(super) fn snap(self, machine: u16, cycles: f64) -> f64 {
        let near = (self.cycles - cycles).abs() <= 1e-9 * (1.0 + cycles.abs());
        if machine == self.machine && near {
            self.cycles
        } else {
            cycles
        }
    }
}

impl MachineStep<'_> {
    /// The transition that starts in the rest of the step: the first way out of the current state
    /// (higher priority, then own before "any", then document order) that nothing holds.
    pub(super) fn chosen(&self, base: usize, begun: &Begun, live: &Live<'_>) -> Option<Start> {
        let state = self.state_of(live);
        let current = state.playing.last()?;
        let ways = self.state(current).ways_out.iter();
        let mut closed = Closed::default();
        ways.copied().find_map(|index| {
            let verdict = self.verdict(index, base, begun, &mut closed, live);
            verdict.ok()
        })
    }

    /// Whether a way out of the current state starts in the rest of the step, and how.
    pub(super) fn verdict(
        &self,
        index: u16,
        base: usize,
        begun: &Begun,
        closed: &mut Closed,
        live: &Live<'_>,
    ) -> Result<Start, Held> {
        let state = self.state_of(live);
        let way = &self.definition().transitions[usize::from(index)];
        let last = state.playing.len() - 1;
        let current = state.playing[last];
        if let Some(fade) = &state.fade {
            let running = fade
                .transition
                .map(|running| &self.definition().transitions[usize::from(running)]);
            let listed = running.and_then(|running| running.interrupted_by.as_ref());
            let may = listed.is_none_or(|list| list.binary_search(&index).is_ok());
            if fade.interruption == InterruptionDef::None || !may {
                return Err(Held::Fade);
            }
        }
        if way.to == current.state && !self.may_reenter(way, None, live) {
            return Err(Held::Reenter);
        }
        if !self.holds(way.when.as_ref(), live) {
            return Err(Held::Condition);
        }
        let gate = match way.exit_time {
            None => Gate::open(&live.scratch.spans[base + last]),
            Some(exit_time) => {
                let clock = self.clock(&current, base + last, live);
                gate(exit_time, way.latch, &clock).ok_or(Held::Gate)?
            }
        };
        let last = self.through(index, closed, live)?;
        let onward = &self.definition().transitions[usize::from(last)];
        if onward.to == current.state && !self.may_reenter(way, Some(onward), live) {
            return Err(Held::Reenter);
        }
        if begun.contains(self.definition().transitions[usize::from(last)].to) {
            return Err(Held::Again);
        }
        Ok(self.start(last, index, gate))
    }

    /// Follows a transition through conduits to a state in which a machine can stay: the last on the way there.
    fn through(&self, index: u16, closed: &mut Closed, live: &Live<'_>) -> Result<u16, Held> {
        let to = self.definition().transitions[usize::from(index)].to;
        let state = &self.definition().states[usize::from(to)];
        if !self.holds(state.enter_when.as_ref(), live) {
            return Err(Held::EnterWhen);
        }
        if !state.conduit {
            return Ok(index);
        }
        let onward = self.onward(to, closed, live).ok_or(Held::Conduit)?;
        Ok(onward[1])
    }

    /// The first way out of a conduit that leads to a state in which a machine can stay, and the last on the way
    /// there. That conduits lead round is refused when a graph is compiled.
    fn onward(&self, conduit: u16, closed: &mut Closed, live: &Live<'_>) -> Option<[u16; 2]> {
        if closed.contains(conduit) {
            return None;
        }
        for &index in &self.definition().states[usize::from(conduit)].ways_out {
            let way = &self.definition().transitions[usize::from(index)];
            if self.holds(way.when.as_ref(), live)
                && let Ok(last) = self.through(index, closed, live)
            {
                return Some([index, last]);
            }
        }
        closed.add(conduit);
        None
    }

    fn start(&self, last: u16, first: u16, gate: Gate) -> Start {
        let way = &self.definition().transitions[usize::from(last)];
        Start {
            state: way.to,
            at: gate.at,
            crossing: gate.crossing,
            blend: way.blend,
            interruption: way.interruption,
            transition: Some(last),
            first: Some(first),
            begin: way.begin,
            seconds: None,
            reuse: true,
        }
    }

    /// The clock that an exit time is measured on: of a machine, that of the state inside.
    pub(super) fn clock(&self, playing: &Playing, span: usize, live: &Live<'_>) -> Clock {
        let own = live.scratch.spans[span];
        let cx = self.context(live);
        let (step, current) = self.innermost(playing, live);
        let definition = step.state(&current);
        let backwards = cx.runs_backwards(definition, step.speed);
        let mut span = own;
        if step.machine != self.machine {
            let moved = cx.state_rate(definition, step.speed) * own.slice.length() * self.dt;
            (span.from, span.to) = (current.cycles, current.cycles + moved);
        }
        Clock {
            machine: step.machine,
            playing: current,
            span,
            backwards,
        }
    }

    /// Whether an "any" transition may go where the machine already is, itself or through conduits.
    fn may_reenter(&self, way: &Transition, onward: Option<&Transition>, live: &Live<'_>) -> bool {
        if !way.any {
            return true;
        }
        match way.reenter {
            ReenterDef::Always => true,
            ReenterDef::Never => false,
            ReenterDef::ByTrigger => {
                let ways = [way].into_iter().chain(onward);
                let mut triggers =
                    ways.flat_map(|way| way.when.iter().flat_map(|when| &when.triggers));
                triggers.any(|&trigger| self.seen(trigger, live) != 0.0)
            }
        }
    }

    /// The triggers that a transition tested, and those that led through conduits, count as used: for the
    /// machine at once, for others with the end of the step.
    pub(super) fn use_triggers(&self, start: &Start, live: &mut Live<'_>) {
        let first = live.scratch.used_by.len();
        let mut closed = Closed::default();
        let mut next = start.first;
        while let Some(index) = next {
            let way = &self.definition().transitions[usize::from(index)];
            let to = &self.definition().states[usize::from(way.to)];
            let tested = way.when.iter().chain(&to.enter_when);
            for &trigger in tested.flat_map(|when| &when.triggers) {
                live.scratch.used_triggers[usize::from(trigger)] = true;
                // Conduits further on still see it.
                live.scratch.used_by.push([NO_MACHINE, trigger]);
            }
            let onward = to.conduit.then(|| self.onward(way.to, &mut closed, live));
            next = onward.flatten().map(|[index, _]| index);
        }
        for [machine, _] in &mut live.scratch.used_by[first..] {
            *machine = self.machine;
        }
    }

    fn holds(&self, when: Option<&Expression>, live: &Live<'_>) -> bool {
        when.is_none_or(|when| when.holds(|index| self.seen(index, live)))
    }

    /// A parameter as this machine sees it: a trigger that it has used in this step is not set any more.
    fn seen(&self, parameter: u16, live: &Live<'_>) -> f64 {
        if live.scratch.used_by.contains(&[self.machine, parameter]) {
            0.0
        } else {
            number(self.parameters, parameter)
        }
    }
}

/// The share of the step at which the exit time is open, if it is within the span.
///
/// An exit time below 1 stays open from there to the end of the lap in running direction; 1 on a
/// loop is open only where a lap boundary is crossed; a finished once-state stays open. With `latch`
/// off it is open only where it is crossed.
pub(super) fn gate(exit_time: f64, latch: bool, clock: &Clock) -> Option<Gate> {
    let span = &clock.span;
    let once = clock.playing.mode == LoopMode::Once;
    if once && clock.playing.finished && latch {
        return Some(Gate::open(span));
    }
    // Progress runs upwards whatever the direction; a clock that stands still has that of its state.
    let backwards = span.to < span.from || (span.to == span.from && clock.backwards);
    let progress = |cycles: f64| match (backwards, once) {
        (false, _) => cycles,
        (true, true) => 1.0 - cycles,
        (true, false) => -cycles,
    };
    let (from, to) = (progress(span.from), progress(span.to));
    let into_lap = if once { from } else { from - from.floor() };
    let is_open = if once {
        into_lap >= exit_time
    } else {
        exit_time < 1.0 && into_lap >= exit_time
    };
    if is_open && latch {
        return Some(Gate::open(span));
    }
    let mut crossing = from - into_lap + exit_time;
    if !once && crossing <= from {
        crossing += 1.0;
    }
    (from < crossing && crossing <= to).then(|| Gate {
        at: span.share((crossing - from) / (to - from)),
        crossing: Some(Crossing {
            machine: clock.machine,
            cycles: match (backwards, once) {
                (false, _) => crossing,
                (true, true) => 1.0 - crossing,
                (true, false) => -crossing,
            },
        }),
    })
}
