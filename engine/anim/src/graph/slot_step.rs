//! One slot's part of a step.

use super::advance::{EndReason, EventSource, GraphEvent, GraphEventKind, MAX_MARKERS};
use super::advance::{Pending, Rank};
use super::compiled::Graph;
use super::hear::Class;
use super::motion::rate_of;
use super::passage::{Edge, follow};
use super::scratch::{Scratch, Slice};
use super::slot::{SlotChange, SlotClip, SlotEnded, SlotState};
use super::state::{GraphState, OpenWindow};
use super::stretch::Stretch;
use super::windows::{edge_kind, edge_order, keep, tick_event};
use crate::{Fade, LoopMode};

/// A clip is at its end where this many seconds are left: steps of 1/60 s that are added up in f32 must
/// not need one step more than the arithmetic on paper.
pub(super) const TOLERANCE: f64 = 1e-6;

/// What one slot's step depends on.
pub(super) struct SlotStep<'a> {
    pub(super) graph: &'a Graph,
    pub(super) index: u16,
    /// Factor on all clocks; fades are not scaled.
    pub(super) speed: f64,
    /// Seconds.
    pub(super) dt: f64,
}

/// A stretch of the step, in which the weights of the clip that is heard are straight or level.
struct Piece {
    slice: Slice,
    seconds: f64,
    /// As they stand at its begin.
    weight: Fade,
    share: Fade,
}

impl Piece {
    /// Weight in the actor's pose at a share of the piece.
    fn weight_at(&self, own: f64) -> f32 {
        let seconds = (own * self.seconds) as f32;
        let [mut weight, mut share] = [self.weight, self.share];
        weight.step(seconds) * share.step(seconds)
    }

    fn share_of_step(&self, own: f64) -> f64 {
        self.slice.begin + self.slice.length() * own
    }
}

impl SlotStep<'_> {
    /// Lets the time of the step pass, cut where the clip begins to go out and where it ends; gives how
    /// many markers did not fit. `around` is the actor's state, advanced but for this slot and those over
    /// it.
    pub(super) fn run(
        &self,
        state: &mut SlotState,
        around: &GraphState,
        scratch: &mut Scratch,
    ) -> usize {
        self.tell_ended(state, &mut scratch.events);
        if self.dt > 0.0
            && let Some(change) = state.change.take()
        {
            self.change_by_inertia(state, &change, 0.0, around, scratch);
        }
        let mut lost = 0;
        let mut at = 0.0;
        while let Some(current) = state.clips.last().copied() {
            let left = self.seconds_left(&current).filter(|_| current.alive);
            let rest = (self.dt - at).max(0.0);
            let fade_out = match current.inertial {
                true => 0.0,
                false => f64::from(current.fade_out),
            };
            let goes_out = left.is_some_and(|left| {
                let ends_at_once = current.inertial && left <= rest + TOLERANCE;
                left <= fade_out * (1.0 + 1e-9) + 1e-9 || ends_at_once
            });
            let until = match left {
                Some(left) if goes_out => left,
                Some(left) => left - fade_out,
                None => f64::INFINITY,
            };
            if let Some(left) = left.filter(|_| goes_out && !current.inertial) {
                state.weight.target = 0.0;
                state.weight.seconds_left = left as f32;
            }
            let ends = goes_out && until <= rest + TOLERANCE;
            lost += self.piece(state, at, until.min(rest), ends, &mut scratch.events);
            at += until.min(rest);
            if ends {
                self.finish(state, at, around, scratch);
            } else if !current.alive && state.weight == Fade::at(0.0) {
                state.clips.clear();
            }
            if until > rest {
                break;
            }
        }
        // With nothing to play, what still dies away goes on alone.
        state.inertia.step((self.dt - at).max(0.0) as f32);
        lost
    }

    /// Seconds until a once-clip ends; none for what never does.
    pub(super) fn seconds_left(&self, clip: &SlotClip) -> Option<f64> {
        if clip.mode != LoopMode::Once {
            return None;
        }
        let length = self.graph.clips[usize::from(clip.clip)].duration;
        if rate_of(length) == 0.0 {
            return Some(0.0);
        }
        let rate = self.rate(clip);
        if rate > 0.0 {
            Some(((1.0 - clip.cycles) / rate).max(0.0))
        } else if rate < 0.0 {
            Some((clip.cycles / -rate).max(0.0))
        } else {
            None
        }
    }

    /// Laps a second, signed.
    pub(super) fn rate(&self, clip: &SlotClip) -> f64 {
        let length = self.graph.clips[usize::from(clip.clip)].duration;
        let rate = rate_of(length) * f64::from(clip.speed) * self.speed;
        if rate.is_finite() { rate } else { 0.0 }
    }

    /// Lets some seconds pass for all clips and weights.
    fn piece(
        &self,
        state: &mut SlotState,
        at: f64,
        seconds: f64,
        ends: bool,
        events: &mut Vec<Pending>,
    ) -> usize {
        let share = |at: f64| if self.dt > 0.0 { at / self.dt } else { 0.0 };
        let slice = Slice {
            begin: share(at),
            end: share(at + seconds),
        };
        let SlotState {
            clips,
            weight,
            windows,
            inertia,
            ..
        } = state;
        let mut lost = 0;
        for clip in clips.iter_mut() {
            let rate = self.rate(clip);
            let to = match clip.mode {
                // Exactly the end, whatever the rounding.
                LoopMode::Once if ends && clip.alive => f64::from(u8::from(rate >= 0.0)),
                LoopMode::Once => (clip.cycles + rate * seconds).clamp(0.0, 1.0),
                LoopMode::Loop | LoopMode::PingPong => clip.cycles + rate * seconds,
            };
            if clip.alive {
                let entry = clip.fresh && self.graph.events.entry_inclusive;
                let stretch = Stretch::new(clip.mode, clip.cycles, to, entry);
                let piece = Piece {
                    slice,
                    seconds,
                    weight: *weight,
                    share: clip.share,
                };
                lost += self.hear(clip, &piece, &stretch, events);
                lost += self.follow_windows(clip, &piece, &stretch, windows, events);
            }
            clip.cycles = to;
            clip.fresh = false;
            clip.share.step(seconds as f32);
        }
        weight.step(seconds as f32);
        inertia.step(seconds as f32);
        // Whatever a clip has wholly changed over from is gone.
        let covered = clips.iter().rposition(|clip| clip.share.value >= 1.0);
        clips.drain(..covered.unwrap_or(0));
        lost
    }

    fn hear(
        &self,
        clip: &SlotClip,
        piece: &Piece,
        stretch: &Stretch,
        events: &mut Vec<Pending>,
    ) -> usize {
        let mut lost = 0;
        let markers = &self.graph.clips[usize::from(clip.clip)].markers;
        for (declared, marker) in markers.iter().enumerate() {
            let kind = GraphEventKind::Marker {
                name: marker.name,
                value: marker.value,
                time: marker.time,
                clip: Some(clip.clip),
            };
            for occurrence in stretch.occurrences(marker.phase).take(MAX_MARKERS) {
                let forwards = stretch.forwards();
                events.push(Pending {
                    lap: signed(occurrence.lap, forwards),
                    order: Class::Marker.order(0, declared),
                    ..self.pending(
                        kind,
                        piece.share_of_step(occurrence.alpha),
                        Rank::Marker,
                        piece.weight_at(occurrence.alpha),
                    )
                });
            }
            lost += stretch.count(marker.phase).saturating_sub(MAX_MARKERS);
        }
        lost
    }

    fn follow_windows(
        &self,
        clip: &SlotClip,
        piece: &Piece,
        stretch: &Stretch,
        windows: &mut Vec<OpenWindow>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let mut lost = 0;
        let own = &self.graph.clips[usize::from(clip.clip)].windows;
        for (window, number) in own.iter().zip(0..) {
            let id = OpenWindow {
                run: clip.handle,
                state: 0,
                leaf: 0,
                window: number,
                lap: 0,
                progress: 0.0,
                weight: 0.0,
                ending: None,
            };
            let found = windows.iter().position(|open| open.is(&id));
            let open = found.map(|at| windows[at].lap);
            let places = [window.begin, window.end];
            let after = follow(places, stretch, open, true, &mut |edge: Edge| {
                let kind = edge_kind(window.name, clip.clip, edge);
                let alpha = piece.share_of_step(edge.alpha);
                events.push(Pending {
                    lap: signed(edge.lap, stretch.forwards()),
                    order: edge_order(&id, edge),
                    ..self.pending(kind, alpha, Rank::Marker, piece.weight_at(edge.alpha))
                });
            });
            lost += after.lost;
            keep(windows, found, after, &id, piece.weight_at(1.0));
        }
        lost
    }

    /// The clip has come to its end at so many seconds of the step: nothing of the slot is left.
    fn finish(&self, state: &mut SlotState, at: f64, around: &GraphState, scratch: &mut Scratch) {
        let alpha = if self.dt > 0.0 { at / self.dt } else { 0.0 };
        if let Some(current) = state.clips.last().copied() {
            let ended = SlotEnded {
                handle: current.handle,
                clip: current.clip,
                reason: EndReason::Finished,
            };
            let events = &mut scratch.events;
            self.end(&ended, state, alpha, Rank::Finished, 0, events);
            if current.inertial {
                let change = SlotChange {
                    to: None,
                    seconds: current.fade_out,
                };
                self.change_by_inertia(state, &change, at, around, scratch);
            }
        }
        state.clips.clear();
        state.weight = Fade::at(0.0);
    }

    /// Tells what has ended between steps.
    fn tell_ended(&self, state: &mut SlotState, events: &mut Vec<Pending>) {
        let mut ended = std::mem::take(&mut state.ended);
        for (ended, order) in ended.drain(..).zip(0..) {
            self.end(&ended, state, 0.0, Rank::First, order, events);
        }
        state.ended = ended;
    }

    /// Tells that a handle has ended, after the windows that were open in it.
    fn end(
        &self,
        ended: &SlotEnded,
        state: &mut SlotState,
        alpha: f64,
        rank: Rank,
        order: u32,
        events: &mut Vec<Pending>,
    ) {
        state.windows.retain(|open| {
            let is_own = open.run == ended.handle;
            if let Some(kind) = ended.window_end(self.graph, open).filter(|_| is_own) {
                events.push(Pending {
                    lap: i64::from(order),
                    ..self.pending(kind, alpha, rank, open.weight)
                });
            }
            !is_own
        });
        let weight = state.weight.value;
        events.push(Pending {
            lap: i64::from(order),
            order: u32::MAX,
            ..self.pending(ended.told(), alpha, rank, weight)
        });
    }

    fn pending(&self, kind: GraphEventKind, alpha: f64, rank: Rank, weight: f32) -> Pending {
        Pending {
            alpha,
            moment: 0,
            rank,
            lap: 0,
            order: 0,
            event: GraphEvent {
                kind,
                layer: self.graph.slots[usize::from(self.index)].after,
                source: EventSource::Slot(self.index),
                weight,
                alpha: alpha as f32,
            },
        }
    }
}

/// Grows in running direction.
fn signed(lap: i64, forwards: bool) -> i64 {
    if forwards { lap } else { lap.saturating_neg() }
}

/// Tells how far the open windows of slots have come.
pub(super) fn tick_slots(graph: &Graph, state: &GraphState, events: &mut Vec<Pending>) {
    for ((slot, own), index) in graph.slots.iter().zip(&state.slots).zip(0..) {
        for open in &own.windows {
            let clip = own.clips.iter().find(|clip| clip.handle == open.run);
            let Some(clip) = clip.map(|clip| clip.clip) else {
                continue;
            };
            let windows = &graph.clips[usize::from(clip)].windows;
            let Some(name) = windows.get(usize::from(open.window)).map(|own| own.name) else {
                continue;
            };
            events.push(tick_event(
                open,
                [clip, name],
                slot.after,
                EventSource::Slot(index),
            ));
        }
    }
}
