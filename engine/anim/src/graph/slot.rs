//! Slots: places in the stack of layers where scripts play one-shot clips.
//!
//! A slot has one weight over what is below it, and the clips that change over into each other
//! inside, oldest first. What a script played last has the handle that is alive; the others only
//! give way to it. A handle ends exactly once. Changes by inertia wait for the next step that takes
//! time (`slot_inertia`).

use serde::{Deserialize, Serialize};

use super::advance::{EndReason, EventSource, GraphEvent, GraphEventKind};
use super::compiled::{Graph, Slot};
use super::evaluate::PoseWriter;
use super::scratch::{PoseBuffers, Scratch};
use super::slot_inertia;
use super::slot_step::SlotStep;
use super::state::{GraphState, OpenWindow};
use crate::{Fade, Inertia, LoopMode, Pose, override_layer};

/// Clips that one slot shows at once; where changes follow faster than they fade, the lightest goes.
pub(super) const MAX_CLIPS: usize = 8;

/// Ends that wait to be told with the next step, a slot.
const MAX_ENDED: usize = 64;

/// Seconds; what is longer, infinity included, does not end in any game.
const LONGEST_FADE: f32 = 1e9;

/// How a script plays a clip in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotPlay {
    /// Seconds in which it comes in over what is below, or over what the slot shows; 0.2 by default.
    pub fade_in: f32,
    /// The last seconds of the clip, in which it goes out; 0.2 by default. Where the clip is shorter
    /// than both fades, they share its length. By inertia, the seconds after its end.
    pub fade_out: f32,
    /// By inertia rather than by fades: it is there at once and gone at once, and what that makes for a
    /// difference dies away.
    pub inertial: bool,
    /// What plays gives way to the same or a higher priority.
    pub priority: i32,
    /// Factor on the playing speed; backwards below 0, from the clip's end.
    pub speed: f32,
    /// Plays until it is stopped.
    pub looping: bool,
    /// Clip seconds where it begins; its start in running direction unless given.
    pub at: Option<f32>,
}

impl Default for SlotPlay {
    fn default() -> Self {
        Self {
            fade_in: 0.2,
            fade_out: 0.2,
            inertial: false,
            priority: 0,
            speed: 1.0,
            looping: false,
            at: None,
        }
    }
}

/// A clip in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotClip {
    /// As [`GraphState::play_slot`] gave it.
    pub handle: u32,
    /// Index in [`Graph::clips`].
    pub clip: u16,
    /// The clock: laps since phase 0 of lap 0, unwrapped.
    pub cycles: f64,
    /// What happens at the end.
    pub mode: LoopMode,
    /// Factor on the playing speed.
    pub speed: f32,
    /// No time has passed since it was played.
    pub fresh: bool,
    /// Its handle has not ended; what has ended is not heard and only gives way.
    pub alive: bool,
    /// How far it has changed over from the older clips of the slot, 0 to 1.
    pub share: Fade,
    /// Seconds of its end in which it goes out; by inertia, those after its end.
    pub fade_out: f32,
    /// See [`SlotPlay::inertial`].
    pub inertial: bool,
    /// See [`SlotPlay::priority`].
    pub priority: i32,
}

/// A handle that has ended and has not been told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotEnded {
    /// As [`GraphState::play_slot`] gave it.
    pub handle: u32,
    /// Index in [`Graph::clips`].
    pub clip: u16,
    /// Why.
    pub reason: EndReason,
}

/// A change by inertia that was asked for and has not been made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotChange {
    /// What the slot then plays; nothing where it was stopped.
    pub to: Option<SlotClip>,
    /// In which the difference dies away.
    pub seconds: f32,
}

/// How a slot is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SlotStop {
    /// Only where this handle is what plays.
    pub handle: Option<u32>,
    /// Seconds in which it goes out; those of its [`SlotPlay`] unless given.
    pub fade_out: Option<f32>,
    /// By inertia, or by a fade; as it was played unless given.
    pub inertial: Option<bool>,
}

/// One slot's part of a [`GraphState`].
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct SlotState {
    /// What it shows, oldest first.
    pub clips: Vec<SlotClip>,
    /// Over what is below.
    pub weight: Fade,
    /// To be made at the begin of the next step that takes time.
    pub change: Option<SlotChange>,
    /// What is left of changes, over what the slot shows.
    pub inertia: Inertia,
    /// To be told with the next step.
    pub ended: Vec<SlotEnded>,
    /// Windows that are open; their runs are handles.
    pub windows: Vec<OpenWindow>,
    /// The next handle.
    pub next_handle: u32,
}

/// What a slot is playing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotStatus {
    /// As [`GraphState::play_slot`] gave it.
    pub handle: u32,
    /// Index in [`Graph::clips`].
    pub clip: u16,
    /// Clip seconds into the lap.
    pub time: f32,
    /// Phase of the lap, 0 to 1.
    pub progress: f32,
    /// Weight over what is below the slot, 0 to 1.
    pub weight: f32,
}

impl SlotState {
    /// What a script played last, if its handle has not ended.
    pub(super) fn current(&self) -> Option<&SlotClip> {
        match &self.change {
            Some(change) => change.to.as_ref(),
            None => self.clips.last().filter(|clip| clip.alive),
        }
    }

    /// Ends the handle that is alive; it is told with the next step.
    fn end_current(&mut self, reason: EndReason) {
        let Some(current) = self.current() else {
            return;
        };
        self.ended.push(SlotEnded {
            handle: current.handle,
            clip: current.clip,
            reason,
        });
        if let Some(change) = &mut self.change {
            change.to = None;
            return;
        }
        self.clips
            .pop_if(|current| current.fresh && current.share.value <= 0.0);
        if let Some(current) = self.clips.last_mut() {
            current.alive = false;
        }
    }

    /// Fades out in so many seconds, whatever its weight was to become.
    fn leave(&mut self, seconds: f32) {
        self.change = None;
        self.weight.target = 0.0;
        self.weight.seconds_left = seconds;
        if seconds <= 0.0 {
            self.weight = Fade::at(0.0);
        }
    }

    /// Takes out the clip that shows least.
    fn drop_lightest(&mut self) {
        let mut rest = 1.0;
        let mut lightest = (0, f32::INFINITY);
        for (index, clip) in self.clips.iter().enumerate().rev() {
            let shown = rest * clip.share.value;
            rest -= shown;
            if shown < lightest.1 {
                lightest = (index, shown);
            }
        }
        self.clips.remove(lightest.0);
        if let Some(oldest) = self.clips.first_mut() {
            oldest.share = Fade::at(1.0);
        }
    }
}

impl GraphState {
    /// Plays a clip in a slot, from the next step on. What the slot plays ends as interrupted and gives
    /// way without a jump. Gives the handle that the end is told with; none where what plays has a
    /// higher priority, the graph has no such slot or clip, or the slot was played 64 times since the
    /// last step.
    pub fn play_slot(
        &mut self,
        graph: &Graph,
        slot: u16,
        clip: u16,
        play: &SlotPlay,
    ) -> Option<u32> {
        graph.slots.get(usize::from(slot))?;
        let length = graph.clips.get(usize::from(clip))?.duration;
        let state = self.slots.get_mut(usize::from(slot))?;
        let current = state.current();
        let is_held = current.is_some_and(|current| current.priority > play.priority);
        if is_held || state.ended.len() >= MAX_ENDED {
            return None;
        }
        state.end_current(EndReason::Interrupted);
        let mut new = begun(play, clip, length, state.next_handle);
        state.next_handle = state.next_handle.wrapping_add(1);
        if play.inertial {
            state.change = Some(SlotChange {
                to: Some(new),
                seconds: seconds(play.fade_in),
            });
            return Some(new.handle);
        }
        state.change = None;
        if state.weight.value <= 0.0 {
            state.clips.clear();
        }
        if state.clips.len() >= MAX_CLIPS {
            state.drop_lightest();
        }
        let [fade_in, fade_out] = fades(play, &new, length);
        new.fade_out = fade_out;
        if !state.clips.is_empty() {
            new.share = Fade::at(0.0);
            new.share.to(1.0, fade_in);
        }
        state.weight.to(1.0, fade_in);
        state.clips.push(new);
        Some(new.handle)
    }

    /// Stops what a slot plays: its handle ends as interrupted, and it goes out. Gives whether anything
    /// was stopped.
    pub fn stop_slot(&mut self, slot: u16, stop: &SlotStop) -> bool {
        let Some(state) = self.slots.get_mut(usize::from(slot)) else {
            return false;
        };
        let Some(current) = state.current().copied() else {
            return false;
        };
        if stop.handle.is_some_and(|handle| handle != current.handle) {
            return false;
        }
        state.end_current(EndReason::Interrupted);
        let fade_out = seconds(stop.fade_out.unwrap_or(current.fade_out));
        if stop.inertial.unwrap_or(current.inertial) {
            state.change = Some(SlotChange {
                to: None,
                seconds: fade_out,
            });
        } else {
            state.leave(fade_out);
        }
        true
    }

    /// What a slot plays; none where nothing does, or what was played only fades out after its end.
    pub fn slot_status(&self, graph: &Graph, slot: u16) -> Option<SlotStatus> {
        let state = self.slots.get(usize::from(slot))?;
        let current = state.current()?;
        let length = graph.clips.get(usize::from(current.clip))?.duration;
        let progress = current.mode.phase(current.cycles);
        Some(SlotStatus {
            handle: current.handle,
            clip: current.clip,
            time: (progress * length) as f32,
            progress: progress as f32,
            weight: match state.change {
                Some(_) => 0.0,
                None => state.weight.value * current.share.value,
            },
        })
    }
}

/// A clip as it begins, alone in its slot.
fn begun(play: &SlotPlay, clip: u16, length: f64, handle: u32) -> SlotClip {
    let speed = if play.speed.is_finite() {
        play.speed
    } else {
        0.0
    };
    let start = if speed < 0.0 { 1.0 } else { 0.0 };
    let at = play.at.map(|at| f64::from(at) / length);
    SlotClip {
        handle,
        clip,
        cycles: at
            .filter(|at| at.is_finite())
            .map_or(start, |at| at.clamp(0.0, 1.0)),
        mode: if play.looping {
            LoopMode::Loop
        } else {
            LoopMode::Once
        },
        speed,
        fresh: true,
        alive: true,
        share: Fade::at(1.0),
        fade_out: seconds(play.fade_out),
        inertial: play.inertial,
        priority: play.priority,
    }
}

/// Seconds of fade-in and fade-out, together no longer than what is left of the clip.
fn fades(play: &SlotPlay, clip: &SlotClip, length: f64) -> [f32; 2] {
    let [fade_in, fade_out] = [seconds(play.fade_in), seconds(play.fade_out)];
    let left = if clip.speed < 0.0 {
        clip.cycles
    } else {
        1.0 - clip.cycles
    };
    let left = (left * length / f64::from(clip.speed.abs())) as f32;
    let both = fade_in + fade_out;
    if clip.mode == LoopMode::Loop || both <= left || !left.is_finite() {
        [fade_in, fade_out]
    } else {
        [fade_in, fade_out].map(|fade| fade * (left / both))
    }
}

/// As asked for; not a number is at once.
fn seconds(asked: f32) -> f32 {
    if asked.is_nan() {
        0.0
    } else {
        asked.clamp(0.0, LONGEST_FADE)
    }
}

/// Lets the time of a step pass for every slot; gives how many markers did not fit.
pub(super) fn advance_slots(
    graph: &Graph,
    state: &mut GraphState,
    dt: f64,
    scratch: &mut Scratch,
) -> u32 {
    let speed = if state.speed.is_finite() {
        f64::from(state.speed)
    } else {
        0.0
    };
    let mut lost = 0;
    for index in in_stack(graph) {
        let step = SlotStep {
            graph,
            index,
            speed,
            dt,
        };
        // Taken out, since what is below is read while it runs.
        let mut own = std::mem::take(&mut state.slots[usize::from(index)]);
        lost += step.run(&mut own, state, scratch);
        state.slots[usize::from(index)] = own;
    }
    slot_inertia::forget_below(scratch);
    u32::try_from(lost).unwrap_or(u32::MAX)
}

/// The slots from the lowest up.
pub(super) fn in_stack(graph: &Graph) -> impl Iterator<Item = u16> + '_ {
    let layers = 0..graph.layers.len();
    layers.flat_map(|layer| {
        let slots = graph.slots.iter().zip(0_u16..);
        let over = slots.filter(move |(slot, _)| usize::from(slot.after) == layer);
        over.map(|(_, index)| index)
    })
}

/// Lays the slots that lie over a layer over the pose so far, those below `end` in the list.
pub(super) fn write_slots(
    writer: &PoseWriter<'_>,
    state: &GraphState,
    layer: u16,
    end: usize,
    buffers: &mut PoseBuffers,
    pose: &mut Pose,
) {
    let slots = writer.cx.graph.slots.iter().zip(&state.slots).take(end);
    for (definition, own) in slots.filter(|(slot, _)| slot.after == layer) {
        if own.weight.value > 0.0 && !own.clips.is_empty() {
            write_clips(
                writer,
                definition,
                &own.clips,
                own.weight.value,
                buffers,
                pose,
            );
        }
        own.inertia.apply(pose);
    }
}

/// Lays the mix of a slot's clips over what is below.
pub(super) fn write_clips(
    writer: &PoseWriter<'_>,
    definition: &Slot,
    clips: &[SlotClip],
    weight: f32,
    buffers: &mut PoseBuffers,
    pose: &mut Pose,
) {
    let Some((oldest, newer)) = clips.split_first() else {
        return;
    };
    let mut mix = buffers.take();
    writer.clip(oldest.clip, oldest.mode.phase(oldest.cycles), &mut mix);
    for clip in newer {
        let mut over = buffers.take();
        writer.clip(clip.clip, clip.mode.phase(clip.cycles), &mut over);
        let rotations = writer.cx.graph.rotations;
        override_layer(&mut mix, &over, clip.share.value, None, rotations);
        buffers.give(over);
    }
    let mask = definition.mask.as_ref();
    writer.lay(definition.blend, mask, weight, &mix, buffers, pose);
    buffers.give(mix);
}

/// Ends every slot outside of a step: the actor or its graph goes away.
pub(super) fn close_slots(
    graph: &Graph,
    state: &mut GraphState,
    reason: EndReason,
    out: &mut Vec<GraphEvent>,
) {
    for ((slot, own), index) in graph.slots.iter().zip(&mut state.slots).zip(0..) {
        own.end_current(reason);
        for ended in &own.ended {
            let mut tell = |kind, weight| {
                out.push(GraphEvent {
                    kind,
                    layer: slot.after,
                    source: EventSource::Slot(index),
                    weight,
                    alpha: 0.0,
                });
            };
            for open in own.windows.iter().filter(|open| open.run == ended.handle) {
                if let Some(kind) = ended.window_end(graph, open) {
                    tell(kind, open.weight);
                }
            }
            tell(ended.told(), 0.0);
        }
        *own = SlotState {
            next_handle: own.next_handle,
            ..SlotState::default()
        };
    }
}

impl SlotEnded {
    /// The event of the end.
    pub(super) fn told(&self) -> GraphEventKind {
        GraphEventKind::SlotEnd {
            handle: self.handle,
            clip: self.clip,
            reason: self.reason,
        }
    }

    /// The event of the end of a window that was open.
    pub(super) fn window_end(&self, graph: &Graph, open: &OpenWindow) -> Option<GraphEventKind> {
        let windows = &graph.clips.get(usize::from(self.clip))?.windows;
        Some(GraphEventKind::WindowEnd {
            name: windows.get(usize::from(open.window))?.name,
            clip: self.clip,
            reason: self.reason,
        })
    }
}

/// Ends what every slot plays, to be told with the next step, and shows nothing any more.
pub(super) fn interrupt_slots(slots: &mut [SlotState]) {
    for slot in slots {
        slot.end_current(EndReason::Interrupted);
        slot.leave(0.0);
        slot.inertia.clear();
    }
}
