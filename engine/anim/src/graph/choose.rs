//! Which transition of a layer starts in a step, and when in the step.

use super::compiled::{Layer, Transition};
use super::def::ReenterDef;
use super::motion::{number, runs_backwards};
use super::scratch::Span;
use super::state::{LayerState, ParameterState, Playing};
use crate::LoopMode;

/// The transition that starts in a step, with the share of the step after which it does: the first
/// way out of the current state (higher priority, then own before "any", then document order) whose
/// conditions hold and whose gate is open.
pub(super) fn choose(
    layer: &Layer,
    state: &LayerState,
    span: &Span,
    parameters: &[ParameterState],
    speed: f32,
) -> Option<(u16, f64)> {
    if state.fade.is_some_and(|fade| !fade.interruptible) {
        return None;
    }
    let current = state.playing.last()?;
    let definition = &layer.states[usize::from(current.state)];
    let backwards = runs_backwards(definition, parameters, speed);
    let ways = &definition.ways_out;
    ways.iter().copied().find_map(|index| {
        let way = &layer.transitions[usize::from(index)];
        let allowed = may_reenter(way, current, parameters) && holds(way, parameters);
        let begin = match way.exit_time {
            _ if !allowed => None,
            None => Some(0.0),
            Some(exit_time) => gate(exit_time, way.latch, current, span, backwards),
        };
        begin.map(|begin| (index, begin))
    })
}

fn holds(way: &Transition, parameters: &[ParameterState]) -> bool {
    let when = way.when.as_ref();
    when.is_none_or(|when| when.holds(|index| number(parameters, index)))
}

/// Whether an "any" transition may go where the layer already is.
fn may_reenter(way: &Transition, current: &Playing, parameters: &[ParameterState]) -> bool {
    if !way.any || way.to != current.state {
        return true;
    }
    match way.reenter {
        ReenterDef::Always => true,
        ReenterDef::Never => false,
        ReenterDef::ByTrigger => {
            let mut triggers = way.when.iter().flat_map(|when| &when.triggers);
            triggers.any(|&trigger| number(parameters, trigger) != 0.0)
        }
    }
}

/// The share of the step after which the exit time is open, if it is in this step.
///
/// An exit time below 1 stays open from there to the end of the lap in running direction; 1 on a
/// loop is open only in a step that crosses a lap boundary; a finished once-state stays open. With
/// `latch` off it is open only in a step that crosses it.
pub(super) fn gate(
    exit_time: f64,
    latch: bool,
    playing: &Playing,
    span: &Span,
    backwards: bool,
) -> Option<f64> {
    let once = playing.mode == LoopMode::Once;
    if once && playing.finished && latch {
        return Some(0.0);
    }
    // Progress runs upwards whatever the direction; a clock that stands still has that of its state.
    let backwards = span.to < span.from || (span.to == span.from && backwards);
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
        return Some(0.0);
    }
    let mut crossing = from - into_lap + exit_time;
    if !once && crossing <= from {
        crossing += 1.0;
    }
    (from < crossing && crossing <= to).then(|| (crossing - from) / (to - from))
}
