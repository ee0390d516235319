//! Slots that come and go by inertia: the clip is there, or gone, at once, and what is shown differs by
//! a difference that dies away.
//!
//! What is shown is what the slot makes of what lies below it, so joints out of reach of its mask have no
//! difference. What lies below moves within the step while the slot may end in the middle of it: it is
//! looked at before the step and after it, and taken as going straight in between.

use super::compiled::Graph;
use super::evaluate::PoseWriter;
use super::scratch::{PoseBuffers, Scratch};
use super::slot::{MAX_CLIPS, SlotChange, SlotClip, SlotState, write_clips};
use super::slot_step::{SlotStep, TOLERANCE};
use super::state::GraphState;
use crate::{ChangeMotion, Fade, LoopMode, Pose, blend_two};

/// Seconds over which speeds are measured.
const MOMENT: f64 = 1.0 / 240.0;

/// Poses that a change is worked out with, those of what lies below included.
const MOST_POSES: usize = 24;

/// Below steps this short (seconds), what lies below is taken to stand still.
const SHORTEST: f64 = 1e-4;

/// Keeps what lies below each slot that will change by inertia in the step, before anything moves.
pub(super) fn remember_below(graph: &Graph, state: &GraphState, dt: f64, scratch: &mut Scratch) {
    forget_below(scratch);
    if dt <= 0.0 {
        return;
    }
    let speed = f64::from(super::advance::finite_speed(state.speed));
    for (index, own) in (0_u16..).zip(&state.slots) {
        let step = SlotStep {
            graph,
            index,
            speed,
            dt,
        };
        let ends = own.current().is_some_and(|current| {
            let left = step.seconds_left(current);
            current.inertial && left.is_some_and(|left| left <= dt + TOLERANCE)
        });
        if ends || own.change.is_some() {
            if scratch.below.is_empty() {
                let count = MOST_POSES + graph.slots.len();
                scratch.poses.make_room(count, &graph.skeleton.rest);
                scratch.below.reserve(graph.slots.len());
            }
            let mut pose = scratch.poses.take();
            let writer = PoseWriter::new(graph, state, false);
            writer.stack(state, Some(index), &mut scratch.poses, &mut pose);
            scratch.below.push((index, pose));
        }
    }
}

/// Gives back what [`remember_below`] kept.
pub(super) fn forget_below(scratch: &mut Scratch) {
    while let Some((_, pose)) = scratch.below.pop() {
        scratch.poses.give(pose);
    }
}

impl SlotStep<'_> {
    /// Makes a change so many seconds into the step: the slot shows the clip, or nothing, and the
    /// difference to what it showed dies away.
    pub(super) fn change_by_inertia(
        &self,
        own: &mut SlotState,
        change: &SlotChange,
        at: f64,
        around: &GraphState,
        scratch: &mut Scratch,
    ) {
        let [mut now, mut from, mut to] = [(); 3].map(|()| scratch.poses.take());
        let moment = self.write_below(at, around, scratch, [&mut now, &mut from, &mut to]);
        let writer = PoseWriter::new(self.graph, around, false);
        let buffers = &mut scratch.poses;
        let mut show = |own: &SlotState, below: &Pose, seconds: f64| {
            let mut pose = buffers.take();
            pose.copy_from(below);
            self.write_moved(&writer, own, seconds, buffers, &mut pose);
            pose
        };
        let source = [(&now, 0.0), (&from, -moment), (&to, 0.0)]
            .map(|(below, seconds)| show(own, below, seconds));
        own.clips.clear();
        own.clips.extend(change.to);
        own.weight = Fade::at(f32::from(u8::from(change.to.is_some())));
        own.inertia.clear();
        let target = [(&now, 0.0), (&from, 0.0), (&to, moment)]
            .map(|(below, seconds)| show(own, below, seconds));
        let motion = ChangeMotion {
            source: [&source[1], &source[2]],
            target: [&target[1], &target[2]],
            seconds: moment as f32,
        };
        own.inertia
            .begin_moving(&source[0], &target[0], motion, change.seconds);
        for pose in [now, from, to].into_iter().chain(source).chain(target) {
            scratch.poses.give(pose);
        }
    }

    /// What lies below so many seconds into the step, and two poses between which it moves around then;
    /// gives the seconds between those.
    fn write_below(
        &self,
        at: f64,
        around: &GraphState,
        scratch: &mut Scratch,
        [now, from, to]: [&mut Pose; 3],
    ) -> f64 {
        let buffers = &mut scratch.poses;
        let mut after = buffers.take();
        let writer = PoseWriter::new(self.graph, around, false);
        writer.stack(around, Some(self.index), buffers, &mut after);
        let kept = scratch.below.iter().find(|(slot, _)| *slot == self.index);
        // Across a cut there is no way to be half of.
        let before = kept.filter(|_| !scratch.has_cut);
        let before = before.map_or(&after, |(_, pose)| pose);
        let share = |seconds: f64| (seconds / self.dt).clamp(0.0, 1.0) as f32;
        let (moment, moved) = if self.dt < SHORTEST {
            (MOMENT, 0.0)
        } else {
            let moment = MOMENT.min(self.dt);
            (moment, moment)
        };
        let begin = at.min(self.dt - moved);
        let places = [at, begin, begin + moved];
        for (out, seconds) in [now, from, to].into_iter().zip(places) {
            blend_two(before, &after, share(seconds), out, self.graph.rotations);
        }
        buffers.give(after);
        moment
    }

    /// Lays what the slot showed some seconds ago, or shows in some, over what lies below.
    fn write_moved(
        &self,
        writer: &PoseWriter<'_>,
        own: &SlotState,
        seconds: f64,
        buffers: &mut PoseBuffers,
        pose: &mut Pose,
    ) {
        if let Some(first) = own.clips.first() {
            let clip = |index| self.moved_clip(own.clips.get(index).unwrap_or(first), seconds);
            let clips: [SlotClip; MAX_CLIPS] = std::array::from_fn(clip);
            let clips = &clips[..own.clips.len().min(MAX_CLIPS)];
            let definition = &self.graph.slots[usize::from(self.index)];
            let weight = moved_weight(&own.weight, seconds);
            write_clips(writer, definition, clips, weight, buffers, pose);
        }
        own.inertia.apply_before(-seconds as f32, pose);
    }

    fn moved_clip(&self, clip: &SlotClip, seconds: f64) -> SlotClip {
        let cycles = clip.cycles + self.rate(clip) * seconds;
        SlotClip {
            cycles: match clip.mode {
                LoopMode::Once => cycles.clamp(0.0, 1.0),
                LoopMode::Loop | LoopMode::PingPong => cycles,
            },
            share: Fade::at(moved_weight(&clip.share, seconds)),
            ..*clip
        }
    }
}

/// A weight some seconds before it stands as it does, or after, on its straight way.
fn moved_weight(fade: &Fade, seconds: f64) -> f32 {
    if fade.seconds_left <= 0.0 {
        return fade.value;
    }
    let speed = (fade.target - fade.value) / fade.seconds_left;
    (fade.value + speed * seconds as f32).clamp(0.0, 1.0)
}
