//! Windows of clips: each one that begins ends exactly once.
//!
//! A window begins where the clock comes into it, or at once where its leaf begins to speak with the
//! clock inside. It ends where the clock leaves it on either side, or sooner where its leaf falls
//! silent, its state is dropped or its clock is moved. What a slice of a step comes by follows from
//! roundings of `cycles - place` as for markers, so any partition of the same time gives the same.

use super::advance::{EndReason, EventSource, GraphEvent, GraphEventKind, MAX_MARKERS};
use super::advance::{Pending, Rank};
use super::compiled::{ClipWindow, Graph, LeafPart};
use super::hear::{Class, Hearing};
use super::slot::close_slots;
use super::slot_step::tick_slots;
use super::state::{GraphState, MachineState, OpenWindow, Playing};
use super::stretch::Stretch;
use crate::LoopMode;

/// The clock comes into a window or out of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) begins: bool,
    /// The lap of the window; in ping-pong the leg.
    pub(super) lap: i64,
    /// Where in the stretch, 0 to 1.
    pub(super) alpha: f64,
}

/// How a window stands at the end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Followed {
    /// The lap in which it is open.
    pub(super) open: Option<i64>,
    /// How far an open one has come, 0 to 1 in running direction.
    pub(super) progress: f32,
    /// Laps whose begin and end were left out, since there are more than [`MAX_MARKERS`].
    pub(super) lost: usize,
}

/// Follows a window from `begin` to `end` (phases, 0 to 1) through a stretch. `open` is the lap in
/// which it is open before; nothing begins unless `may_begin`.
pub(super) fn follow(
    [begin, end]: [f64; 2],
    stretch: &Stretch,
    open: Option<i64>,
    may_begin: bool,
    tell: &mut dyn FnMut(Edge),
) -> Followed {
    if begin >= end {
        return instants(begin, stretch, open, may_begin, tell);
    }
    let legs = match stretch.interval.mode {
        LoopMode::PingPong => [Some((begin, end, 2, 0)), Some((2.0 - end, 2.0 - begin, 2, 1))],
        LoopMode::Once | LoopMode::Loop => [Some((begin, end, 1, 0)), None],
    };
    let mut after = Followed::default();
    for (begin, end, period, odd) in legs.into_iter().flatten() {
        let passage = Passage {
            places: [begin, end],
            period,
            odd,
            stretch,
            may_begin,
        };
        let own = open.filter(|lap| lap.rem_euclid(period) == odd);
        passage.follow(own, tell, &mut after);
    }
    after
}

/// A window without length begins and ends wherever a marker would be met.
fn instants(
    phase: f64,
    stretch: &Stretch,
    open: Option<i64>,
    may_begin: bool,
    tell: &mut dyn FnMut(Edge),
) -> Followed {
    if let Some(lap) = open {
        tell(Edge {
            begins: false,
            lap,
            alpha: 0.0,
        });
    }
    if !may_begin {
        return Followed::default();
    }
    for occurrence in stretch.occurrences(phase).take(MAX_MARKERS) {
        for begins in [true, false] {
            tell(Edge {
                begins,
                lap: occurrence.lap,
                alpha: occurrence.alpha,
            });
        }
    }
    Followed {
        lost: stretch.count(phase).saturating_sub(MAX_MARKERS),
        ..Followed::default()
    }
}

/// The visits to a window that lies at `places` and at whole multiples of `period` from there.
struct Passage<'a> {
    places: [f64; 2],
    period: i64,
    /// What a lap leaves when it is divided by the period.
    odd: i64,
    stretch: &'a Stretch,
    may_begin: bool,
}

/// Visits counted in running direction.
struct Visits {
    forwards: bool,
    /// Where the visit of number 0 starts and stops.
    start: f64,
    stop: f64,
    period: f64,
    first: i64,
    last: i64,
}

impl Visits {
    /// The last visit that has started at a place.
    fn started(&self, at: f64) -> i64 {
        self.number(at - self.start)
    }

    /// The last visit that has stopped.
    fn stopped(&self, at: f64) -> i64 {
        self.number(at - self.stop)
    }

    fn number(&self, laps: f64) -> i64 {
        let number = (laps / self.period).floor() as i64;
        number.clamp(self.first.saturating_sub(1), self.last)
    }

    /// The visit that goes on at a place.
    fn inside(&self, at: f64) -> Option<i64> {
        let visit = self.started(at);
        (visit > self.stopped(at)).then_some(visit)
    }

    /// A place on the clock, as visits count.
    fn place(&self, cycles: f64) -> f64 {
        if self.forwards { cycles } else { -cycles }
    }
}

impl Passage<'_> {
    fn visits(&self, forwards: bool) -> Visits {
        let [begin, end] = self.places;
        let [first, last] = self.stretch.laps;
        let (start, stop) = if forwards { (begin, end) } else { (-end, -begin) };
        let [first, last] = if forwards {
            [first, last]
        } else {
            [last.saturating_neg(), first.saturating_neg()]
        };
        Visits {
            forwards,
            start,
            stop,
            period: self.period as f64,
            first,
            last,
        }
    }

    fn lap(&self, visit: i64, forwards: bool) -> i64 {
        let index = if forwards { visit } else { visit.saturating_neg() };
        index.saturating_mul(self.period).saturating_add(self.odd)
    }

    fn follow(&self, open: Option<i64>, tell: &mut dyn FnMut(Edge), after: &mut Followed) {
        let (from, to) = (self.stretch.interval.from, self.stretch.interval.to);
        if self.stretch.stands() {
            return self.stand(from, open, tell, after);
        }
        let forwards = self.stretch.forwards();
        let visits = self.visits(forwards);
        let (from, to) = (visits.place(from), visits.place(to));
        let lap = |visit| self.lap(visit, forwards);
        let alpha = |place: f64, visit: i64| {
            let place = place + visits.period * visit as f64;
            ((place - from) / (to - from)).clamp(0.0, 1.0)
        };
        let mut edge = |begins, lap, alpha| tell(Edge { begins, lap, alpha });
        let stopped = visits.stopped(to);
        let mut going = None;
        match (visits.inside(from), open) {
            (Some(visit), Some(_)) => going = Some(visit),
            (Some(visit), None) if self.may_begin => {
                edge(true, lap(visit), 0.0);
                going = Some(visit);
            }
            (None, Some(open)) => edge(false, open, 0.0),
            (_, None) => {}
        }
        if let Some(visit) = going.take_if(|visit| *visit <= stopped) {
            edge(false, lap(visit), alpha(visits.stop, visit));
        }
        let (before, started) = (visits.started(from), visits.started(to));
        if self.may_begin && started > before {
            let through = stopped.min(started).saturating_sub(before).max(0);
            let most = i64::try_from(MAX_MARKERS).unwrap_or(i64::MAX);
            for visit in before + 1..=before.saturating_add(through.min(most)) {
                edge(true, lap(visit), alpha(visits.start, visit));
                edge(false, lap(visit), alpha(visits.stop, visit));
            }
            let lost = usize::try_from(through.saturating_sub(most)).unwrap_or(0);
            after.lost = after.lost.saturating_add(lost);
            if started > stopped {
                edge(true, lap(started), alpha(visits.start, started));
                going = Some(started);
            }
        }
        if let Some(visit) = going {
            after.open = Some(lap(visit));
            let start = visits.start + visits.period * visit as f64;
            let share = (to - start) / (visits.stop - visits.start);
            after.progress = share.clamp(0.0, 1.0) as f32;
        }
    }

    /// A clock that stands still leaves a window open where it is inside in either direction, and
    /// opens one where it is inside in both.
    fn stand(
        &self,
        at: f64,
        open: Option<i64>,
        tell: &mut dyn FnMut(Edge),
        after: &mut Followed,
    ) {
        let [up, down] = [true, false].map(|forwards| {
            let visits = self.visits(forwards);
            visits.inside(visits.place(at)).map(|visit| self.lap(visit, forwards))
        });
        let lap = match open {
            Some(_) => up.or(down),
            None => up.and(down).filter(|_| self.may_begin),
        };
        let edge = |begins, lap| Edge {
            begins,
            lap,
            alpha: 0.0,
        };
        match (open, lap) {
            (None, Some(lap)) => tell(edge(true, lap)),
            (Some(open), None) => tell(edge(false, open)),
            _ => {}
        }
        if let Some(lap) = lap {
            let [begin, end] = self.places;
            let index = lap.div_euclid(self.period) * self.period;
            let share = (at - index as f64 - begin) / (end - begin);
            after.open = Some(lap);
            after.progress = share.clamp(0.0, 1.0) as f32;
        }
    }
}

impl Hearing<'_> {
    /// Ends the windows of a state whose clock was moved between steps.
    pub(super) fn end_moved(
        &self,
        playing: &Playing,
        windows: &mut Vec<OpenWindow>,
        events: &mut Vec<Pending>,
    ) {
        windows.retain(|open| {
            let Some(reason) = open.ending.filter(|_| open.run == playing.run) else {
                return true;
            };
            let place = (self.span.slice.begin, self.rank, i64::MIN);
            events.extend(end_event(self.graph, self.machine, open, reason, place));
            false
        });
    }

    /// Follows the windows of one leaf through the slice; gives how many laps were left out.
    pub(super) fn follow_leaf(
        &self,
        leaf: u16,
        speaks: bool,
        playing: &Playing,
        stretch: &Stretch,
        windows: &mut Vec<OpenWindow>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let is_own = |open: &OpenWindow| (open.run, open.leaf) == (playing.run, leaf);
        if !speaks && !windows.iter().any(is_own) {
            return 0;
        }
        if self.audible && !speaks {
            windows.retain(|open| {
                if is_own(open) {
                    let place = (self.span.slice.begin, self.rank, i64::MAX);
                    let reason = EndReason::Interrupted;
                    events.extend(end_event(self.graph, self.machine, open, reason, place));
                }
                !is_own(open)
            });
            return 0;
        }
        let mut lost = 0;
        for (part, index) in self.state.leaves[usize::from(leaf)].parts.iter().zip(0..) {
            let own = &self.graph.clips[usize::from(part.clip)].windows;
            for (window, number) in own.iter().zip(0..) {
                let id = OpenWindow {
                    run: playing.run,
                    state: playing.state,
                    leaf,
                    part: index,
                    window: number,
                    lap: 0,
                    progress: 0.0,
                    weight: 0.0,
                    ending: None,
                };
                let found = windows.iter().position(|open| open.is(&id));
                let open = found.map(|at| windows[at].lap);
                let phases = in_state(part, window);
                let after = follow(phases, stretch, open, speaks, &mut |edge| {
                    events.push(self.edge_event(&id, part.clip, window, edge));
                });
                lost += after.lost;
                keep(windows, found, after, &id, self.window_weight(leaf));
            }
        }
        lost
    }

    /// The weight of a leaf in the actor's pose at the end of the slice.
    fn window_weight(&self, leaf: u16) -> f32 {
        self.weight_of(leaf) * self.weight.at(self.span.slice.end)
    }

    fn edge_event(&self, of: &OpenWindow, clip: u16, window: &ClipWindow, edge: Edge) -> Pending {
        let alpha = self.span.share(edge.alpha);
        let forwards = self.span.to >= self.span.from;
        Pending {
            alpha,
            rank: self.rank,
            lap: if forwards { edge.lap } else { edge.lap.saturating_neg() },
            order: edge_order(of, edge),
            event: GraphEvent {
                kind: edge_kind(window.name, clip, edge),
                layer: self.layer,
                source: EventSource::State {
                    machine: self.machine,
                    state: of.state,
                },
                weight: self.weight_of(of.leaf) * self.weight.at(alpha),
                alpha: alpha as f32,
            },
        }
    }
}

impl OpenWindow {
    /// Whether both are the same window of the same run.
    pub(super) fn is(&self, other: &Self) -> bool {
        (self.run, self.leaf, self.part, self.window)
            == (other.run, other.leaf, other.part, other.window)
    }
}

/// Notes how a window stands after a stretch; `found` is where it is in the list, if it was open.
pub(super) fn keep(
    windows: &mut Vec<OpenWindow>,
    found: Option<usize>,
    after: Followed,
    id: &OpenWindow,
    weight: f32,
) {
    let open = after.open.map(|lap| OpenWindow {
        lap,
        progress: after.progress,
        weight,
        ..*id
    });
    match (found, open) {
        (Some(at), Some(open)) => windows[at] = open,
        (Some(at), None) => {
            windows.swap_remove(at);
        }
        (None, Some(open)) => windows.push(open),
        (None, None) => {}
    }
}

pub(super) fn edge_order(of: &OpenWindow, edge: Edge) -> u32 {
    let class = if edge.begins {
        Class::WindowBegin
    } else {
        Class::WindowEnd
    };
    class.order(of.leaf, usize::from(of.window))
}

pub(super) fn edge_kind(name: u16, clip: u16, edge: Edge) -> GraphEventKind {
    if edge.begins {
        GraphEventKind::WindowBegin { name, clip }
    } else {
        GraphEventKind::WindowEnd {
            name,
            clip,
            reason: EndReason::Finished,
        }
    }
}

/// Begin and end of a window in phases of the state that plays its clip.
fn in_state(part: &LeafPart, window: &ClipWindow) -> [f64; 2] {
    if (part.begin, part.end) == (0.0, 1.0) {
        return [window.begin, window.end];
    }
    let place = |phase: f64| (part.begin + (part.end - part.begin) * phase).clamp(0.0, 1.0);
    [place(window.begin), place(window.end)]
}

/// The clip and the name of an open window.
fn clip_and_name(graph: &Graph, machine: u16, open: &OpenWindow) -> Option<[u16; 2]> {
    let machine = graph.machines.get(usize::from(machine))?;
    let state = machine.states.get(usize::from(open.state))?;
    let leaf = state.leaves.get(usize::from(open.leaf))?;
    let clip = leaf.parts.get(usize::from(open.part))?.clip;
    let windows = &graph.clips.get(usize::from(clip))?.windows;
    Some([clip, windows.get(usize::from(open.window))?.name])
}

/// An end that no clock brings, at a share of the step; none for a window that the graph does not have.
fn end_event(
    graph: &Graph,
    machine: u16,
    open: &OpenWindow,
    reason: EndReason,
    (alpha, rank, lap): (f64, Rank, i64),
) -> Option<Pending> {
    let [clip, name] = clip_and_name(graph, machine, open)?;
    let edge = Edge {
        begins: false,
        lap,
        alpha,
    };
    Some(Pending {
        alpha,
        rank,
        lap,
        order: edge_order(open, edge),
        event: GraphEvent {
            kind: GraphEventKind::WindowEnd { name, clip, reason },
            layer: graph.machines[usize::from(machine)].layer,
            source: EventSource::State {
                machine,
                state: open.state,
            },
            weight: open.weight,
            alpha: alpha as f32,
        },
    })
}

/// Ends the open windows of a run that is dropped at a share of the step.
pub(super) fn end_run(
    graph: &Graph,
    machine: u16,
    state: &mut MachineState,
    run: u32,
    reason: EndReason,
    alpha: f64,
    events: &mut Vec<Pending>,
) {
    end_where(graph, machine, state, reason, alpha, events, |open| open.run == run);
}

fn end_where(
    graph: &Graph,
    machine: u16,
    state: &mut MachineState,
    reason: EndReason,
    alpha: f64,
    events: &mut Vec<Pending>,
    ends: impl Fn(&OpenWindow) -> bool,
) {
    state.windows.retain(|open| {
        if ends(open) {
            // After whatever begins at the same instant.
            let place = (alpha, Rank::Entered, i64::MAX);
            let reason = open.ending.unwrap_or(reason);
            events.extend(end_event(graph, machine, open, reason, place));
        }
        !ends(open)
    });
}

/// Tells how far open windows have come; once a step, at its end. Those of runs that were dropped
/// between steps end first.
pub(super) fn tick(graph: &Graph, state: &mut GraphState, events: &mut Vec<Pending>) {
    for (machine, index) in state.machines.iter_mut().zip(0..) {
        if !machine.windows.is_empty() {
            tick_machine(graph, index, machine, events);
        }
    }
    tick_slots(graph, state, events);
}

fn tick_machine(
    graph: &Graph,
    machine: u16,
    state: &mut MachineState,
    events: &mut Vec<Pending>,
) {
    let playing = std::mem::take(&mut state.playing);
    let is_gone = |open: &OpenWindow| {
        open.ending.is_some() || !playing.iter().any(|playing| playing.run == open.run)
    };
    let reason = EndReason::Interrupted;
    end_where(graph, machine, state, reason, 0.0, events, is_gone);
    state.playing = playing;
    for open in &state.windows {
        let Some([clip, name]) = clip_and_name(graph, machine, open) else {
            continue;
        };
        let source = EventSource::State {
            machine,
            state: open.state,
        };
        let layer = graph.machines[usize::from(machine)].layer;
        events.push(tick_event(open, [clip, name], layer, source));
    }
}

/// How far a window has come at the end of the step.
pub(super) fn tick_event(
    open: &OpenWindow,
    [clip, name]: [u16; 2],
    layer: u16,
    source: EventSource,
) -> Pending {
    Pending {
        alpha: 1.0,
        rank: Rank::FullyIn,
        lap: 0,
        order: Class::Marker.order(open.leaf, usize::from(open.window)),
        event: GraphEvent {
            kind: GraphEventKind::WindowTick {
                name,
                clip,
                progress: open.progress,
            },
            layer,
            source,
            weight: open.weight,
            alpha: 1.0,
        },
    }
}

/// Lets the open windows of a run end with the next step, since its clock was moved.
pub(super) fn seek(windows: &mut [OpenWindow], run: u32) {
    for open in windows.iter_mut().filter(|open| open.run == run) {
        open.ending = Some(EndReason::Seek);
    }
}

/// Lets all open windows end with the next step, since what plays was replaced.
pub(super) fn interrupt(windows: &mut [OpenWindow]) {
    for open in windows {
        open.ending.get_or_insert(EndReason::Interrupted);
    }
}

impl GraphState {
    /// Ends every open window and every clip in a slot, outside of a step: the actor or its graph goes
    /// away. What has ended is added to `out`, in the order of machines and slots.
    pub fn close_windows(&mut self, graph: &Graph, reason: EndReason, out: &mut Vec<GraphEvent>) {
        for (machine, index) in self.machines.iter_mut().zip(0..) {
            for open in machine.windows.drain(..) {
                let reason = open.ending.unwrap_or(reason);
                let place = (0.0, Rank::Running, 0);
                let end = end_event(graph, index, &open, reason, place);
                out.extend(end.map(|pending| pending.event));
            }
        }
        close_slots(graph, self, reason, out);
    }
}

#[cfg(test)]
mod tests;
