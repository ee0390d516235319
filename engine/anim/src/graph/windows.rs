//! Windows of clips: each one that begins ends exactly once.
//!
//! A window begins where the clock comes into it, or at once where its leaf begins to speak with the
//! clock inside. It ends where the clock leaves it on either side, or sooner where its leaf falls
//! silent, its state is dropped or its clock is moved.

use super::advance::{EndReason, EventSource, GraphEvent, GraphEventKind, Pending, Rank};
use super::compiled::{Graph, LeafWindow};
use super::hear::{Class, Hearing};
use super::passage::{Edge, Followed, follow};
use super::slot::close_slots;
use super::slot_step::tick_slots;
use super::state::{GraphState, MachineState, OpenWindow, Playing};
use super::stretch::Stretch;

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
            let place = (self.span.slice.begin, Rank::Marker, i64::MIN);
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
                    let place = (self.span.slice.begin, Rank::Marker, i64::MAX);
                    let reason = EndReason::Interrupted;
                    events.extend(end_event(self.graph, self.machine, open, reason, place));
                }
                !is_own(open)
            });
            return 0;
        }
        let mut lost = 0;
        for (window, number) in self.state.leaves[usize::from(leaf)].windows.iter().zip(0..) {
            let id = OpenWindow {
                run: playing.run,
                state: playing.state,
                leaf,
                window: number,
                lap: 0,
                progress: 0.0,
                weight: 0.0,
                ending: None,
            };
            let found = windows.iter().position(|open| open.is(&id));
            let open = found.map(|at| windows[at].lap);
            let places = [window.begin, window.end];
            let stretch = stretch.with_windows_to(window.end);
            let after = follow(places, &stretch, open, speaks, &mut |edge| {
                events.push(self.edge_event(&id, window, edge));
            });
            lost += after.lost;
            keep(windows, found, after, &id, self.window_weight(leaf));
        }
        lost
    }

    /// The weight of a leaf in the actor's pose at the end of the slice.
    fn window_weight(&self, leaf: u16) -> f32 {
        self.weight_of(leaf) * self.weight.at(self.span.slice.end)
    }

    fn edge_event(&self, of: &OpenWindow, window: &LeafWindow, edge: Edge) -> Pending {
        let alpha = self.span.share(edge.alpha);
        let forwards = self.span.to >= self.span.from;
        Pending {
            alpha,
            moment: 0,
            rank: Rank::Marker,
            lap: if forwards {
                edge.lap
            } else {
                edge.lap.saturating_neg()
            },
            order: edge_order(of, edge),
            event: GraphEvent {
                kind: edge_kind(window.name, window.clip, edge),
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
        (self.run, self.leaf, self.window) == (other.run, other.leaf, other.window)
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

/// The clip and the name of an open window.
fn clip_and_name(graph: &Graph, machine: u16, open: &OpenWindow) -> Option<[u16; 2]> {
    let machine = graph.machines.get(usize::from(machine))?;
    let state = machine.states.get(usize::from(open.state))?;
    let leaf = state.leaves.get(usize::from(open.leaf))?;
    let window = leaf.windows.get(usize::from(open.window))?;
    Some([window.clip, window.name])
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
        moment: 0,
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
    end_where(graph, machine, state, reason, alpha, events, |open| {
        open.run == run
    });
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
            let place = (alpha, Rank::Marker, i64::MAX);
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

fn tick_machine(graph: &Graph, machine: u16, state: &mut MachineState, events: &mut Vec<Pending>) {
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
        // After all else.
        moment: u32::MAX,
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
                let place = (0.0, Rank::Marker, 0);
                let end = end_event(graph, index, &open, reason, place);
                out.extend(end.map(|pending| pending.event));
            }
        }
        close_slots(graph, self, reason, out);
    }
}
