//! Beginning a state: what is left becomes the outgoing mix, frozen or alive, or a difference that
//! dies away.

use super::advance::{GraphEventKind, Rank};
use super::align::aligned;
use super::choose::{Crossing, Gate, gate};
use super::compiled::{Begin, State, TransitionBlend};
use super::control::{MAX_PLAYING, cycles_at, first_cycles};
use super::def::{FadeCurveDef, InterruptionDef};
use super::evaluate::PoseWriter;
use super::fade::current_weight;
use super::inside::{left_clock, left_cycles};
use super::motion::Context;
use super::state::{FadeClock, MachineState, PlayRequest, Playing};
use super::step::{Live, MachineStep};
use crate::LoopMode;

/// Seconds of a fade where none are given.
pub(super) const DEFAULT_FADE: f32 = 0.2;

/// Seconds; what is longer, infinity included, does not end in any game.
const LONGEST_FADE: f32 = 1e9;

/// A state that begins in the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) state: u16,
    /// The share of the step at which it does.
    pub(super) at: f64,
    /// What the clock of the state that is left comes by then.
    pub(super) crossing: Option<Crossing>,
    pub(super) blend: TransitionBlend,
    pub(super) interruption: InterruptionDef,
    /// The transition that starts, out of the last conduit where it goes through some; none for what
    /// a script asked for.
    pub(super) transition: Option<u16>,
    /// The way out of the state that is left.
    pub(super) first: Option<u16>,
    /// Where the state begins.
    pub(super) begin: Begin,
    /// Clip seconds, where a script asked for them.
    pub(super) seconds: Option<f32>,
    /// Goes on from where the state still plays, if it is one that is being faded out.
    pub(super) reuse: bool,
}

impl MachineStep<'_> {
    /// What a script asked for, if it begins in the rest of the step.
    pub(super) fn requested(&self, base: usize, live: &mut Live<'_>) -> Option<Start> {
        let state = self.state_of(live);
        let PlayRequest { state: to, play } = state.request?;
        let current = *state.playing.last()?;
        let span = live.scratch.spans[base + state.playing.len() - 1];
        if to == current.state && !play.restart {
            self.state_mut(live).request = None;
            return None;
        }
        let gate = if play.after_finish {
            let last = base + state.playing.len() - 1;
            gate(1.0, true, &self.clock(&current, last, live))?
        } else {
            Gate::open(&span)
        };
        Some(Start {
            state: to,
            at: gate.at,
            crossing: gate.crossing,
            blend: TransitionBlend {
                duration: play.fade.unwrap_or(DEFAULT_FADE),
                inertial: play.inertial,
                curve: FadeCurveDef::Linear,
                profile: None,
            },
            interruption: InterruptionDef::Frozen,
            transition: None,
            first: None,
            begin: Begin::Own,
            seconds: play.at,
            reuse: !play.restart && play.at.is_none(),
        })
    }

    /// Leaves the current state and begins another.
    pub(super) fn begin(&self, start: &Start, live: &mut Live<'_>) {
        let state = self.state_mut(live);
        let Some(left) = state.playing.last().copied() else {
            return;
        };
        if start.transition.is_none() {
            state.request = None;
        }
        let weight = current_weight(state);
        let first_event = live.scratch.events.len();
        live.scratch.beginnings.push(first_event);
        self.use_triggers(start, live);
        self.leave_inside(&left, start.at, live);
        let exit = GraphEventKind::StateExit {
            following: Some(start.state),
        };
        let told = weight * self.weight.at(start.at);
        self.tell(exit, Rank::Exit, left.state, start.at, told, live);
        let running = self.state_of(live).fade;
        let is_cut = running.is_some() && weight < 1.0;
        live.scratch.has_cut |= start.blend.duration <= 0.0;
        let by_inertia = start.blend.inertial
            || (is_cut
                && running.is_some_and(|fade| fade.interruption == InterruptionDef::Inertial));
        if by_inertia {
            self.change_by_inertia(&left, start, live);
        } else {
            self.cross_over(&left, start, weight, live);
        }
        let enter = GraphEventKind::StateEnter {
            previous: Some(left.state),
        };
        self.tell(enter, Rank::Enter, start.state, start.at, 0.0, live);
    }

    /// The destination plays at once; what it differs by from what is shown dies away.
    fn change_by_inertia(&self, left: &Playing, start: &Start, live: &mut Live<'_>) {
        let blend = TransitionBlend {
            inertial: true,
            ..start.blend
        };
        let start = &Start { blend, ..*start };
        let buffers = &mut live.scratch.poses;
        let [mut source, mut earlier, mut target] =
            [buffers.take(), buffers.take(), buffers.take()];
        self.write(&mut source, live);
        let elapsed = self.write_earlier(&mut earlier, live);
        let velocity = self.velocity(live);
        let inside = self.begins_inside(left, start, live);
        let playing = self.entering(left, start, live);
        let older = self.state_of(live).playing.len();
        self.drop_runs(0..older, start.at, live);
        let state = self.state_mut(live);
        state.frozen = None;
        state.inertia.clear();
        state.playing.push(playing);
        self.enter_inside(&playing, inside, live);
        self.start_fade(start, live);
        self.write(&mut target, live);
        let new_velocity = self.velocity(live);
        let profile = start.blend.profile;
        let profile = profile.map(|index| self.graph.profiles[usize::from(index)].as_slice());
        let seconds = fade_seconds(start.blend.duration);
        let state = self.state_mut(live);
        let before = elapsed.map(|seconds| (&earlier, seconds));
        state
            .inertia
            .begin(&source, before, &target, seconds, profile);
        for ((offset, old), new) in state
            .root_inertia
            .iter_mut()
            .zip(velocity)
            .zip(new_velocity)
        {
            offset.begin(old - new, 0.0, f64::from(seconds));
        }
        state.previous = Some(left.state);
        let buffers = &mut live.scratch.poses;
        for pose in [source, earlier, target] {
            buffers.give(pose);
        }
    }

    /// Both play, and the weight goes from one to the other.
    fn cross_over(&self, left: &Playing, start: &Start, weight: f32, live: &mut Live<'_>) {
        let state = self.state_of(live);
        let last = state.playing.len() - 1;
        let is_cut = weight < 1.0;
        let still = self.still_plays(left, start, live);
        let remembers = self.has_memory(start.state) && still.is_none();
        let plays_twice = remembers && state.playing.iter().any(|own| own.state == start.state);
        let rule = state
            .fade
            .map_or(InterruptionDef::Frozen, |fade| fade.interruption);
        // One share a state does not say how far joints with a length of their own have changed over; the
        // frozen pose does.
        let profiled = |blend: &TransitionBlend| blend.profile.is_some();
        let was_profiled = state.fade.is_some_and(|fade| profiled(&fade.blend));
        // Two states that give way to each other turn round on the spot.
        let turns_round = is_cut
            && !was_profiled
            && !profiled(&start.blend)
            && rule == InterruptionDef::Live
            && last == 1
            && still == Some(0)
            && state.frozen.is_none();
        if !is_cut {
            self.drop_runs(0..last, start.at, live);
            let state = self.state_mut(live);
            state.frozen = None;
            state.playing[0].share = 1.0;
            state.playing[0].root_share = 1.0;
        } else {
            let root_weight = self.root_weight(state, weight);
            let keeps_alive = rule == InterruptionDef::Live
                && !was_profiled
                && last + 1 < MAX_PLAYING
                && (still.is_none() || turns_round)
                && !plays_twice;
            if !keeps_alive {
                self.freeze(live);
            }
            let state = self.state_mut(live);
            for playing in &mut state.playing[..last] {
                playing.share *= 1.0 - weight;
                playing.root_share *= 1.0 - root_weight;
            }
            state.playing[last].share = weight;
            state.playing[last].root_share = root_weight;
        }
        if plays_twice {
            // A state with machines or choices inside has only one memory of them.
            if !is_cut {
                self.freeze(live);
            }
            let state = self.state_of(live);
            let twin = state
                .playing
                .iter()
                .position(|own| own.state == start.state);
            if let Some(twin) = twin {
                self.drop_runs(twin..twin + 1, start.at, live);
            }
        }
        let inside = self.begins_inside(left, start, live);
        let playing = match still.filter(|_| is_cut) {
            Some(index) => self.take_back(index, live),
            None => self.entering(left, start, live),
        };
        if self.state_of(live).playing.len() >= MAX_PLAYING {
            self.drop_lightest(start.at, live);
        }
        self.state_mut(live).playing.push(playing);
        if still.is_none() || !is_cut {
            self.enter_inside(&playing, inside, live);
        }
        self.start_fade(start, live);
        let state = self.state_mut(live);
        state.previous = Some(left.state);
        if turns_round {
            state.playing[0].share = 1.0;
            state.playing[0].root_share = 1.0;
            if let Some(fade) = &mut state.fade {
                fade.elapsed = fade.seconds_at(1.0 - weight);
            }
        }
    }

    /// The weight of the current state for the root joint, given that for the others.
    fn root_weight(&self, state: &MachineState, weight: f32) -> f32 {
        match (&self.graph.root, &state.fade) {
            (Some(root), Some(fade)) => fade.weight_at_joint(self.graph, root.joint, fade.elapsed),
            _ => weight,
        }
    }

    fn start_fade(&self, start: &Start, live: &mut Live<'_>) {
        self.state_mut(live).fade = Some(FadeClock {
            elapsed: 0.0,
            duration: f64::from(fade_seconds(start.blend.duration)),
            blend: start.blend,
            transition: start.transition,
            interruption: start.interruption,
        });
    }

    /// The place in `playing` of the destination where it is still being faded out and goes on.
    fn still_plays(&self, left: &Playing, start: &Start, live: &Live<'_>) -> Option<usize> {
        let playing = &self.state_of(live).playing;
        playing.iter().rposition(|playing| {
            start.reuse
                && playing.state == start.state
                && playing.run != left.run
                && !playing.finished
        })
    }

    /// Takes a state that goes on out of the outgoing mix.
    fn take_back(&self, index: usize, live: &mut Live<'_>) -> Playing {
        let state = self.state_mut(live);
        let mut playing = state.playing.remove(index);
        if let Some(frozen) = state
            .frozen
            .as_mut()
            .filter(|frozen| index < usize::from(**frozen))
        {
            *frozen -= 1;
        }
        playing.share = 1.0;
        playing.root_share = 1.0;
        playing
    }

    /// Keeps the machine's mix as it stands, without what still dies away in it.
    fn freeze(&self, live: &mut Live<'_>) {
        let mut mix = live.scratch.poses.take();
        let root = self.graph.root.as_ref().map(|root| {
            self.writer(true, live, |writer, buffers| {
                writer.mix(self.machine, buffers, &mut mix);
            });
            mix.joint(usize::from(root.joint))
        });
        self.writer(false, live, |writer, buffers| {
            writer.mix(self.machine, buffers, &mut mix);
        });
        let state = self.state_mut(live);
        state.frozen_pose.copy_from(&mix);
        state.frozen_root = root.unwrap_or(state.frozen_root);
        state.frozen = Some(state.playing.len() as u16);
        live.scratch.poses.give(mix);
    }

    /// The machine's pose as shown, root motion taken out.
    fn write(&self, out: &mut crate::Pose, live: &mut Live<'_>) {
        self.writer(false, live, |writer, buffers| {
            writer.machine(self.machine, buffers, out);
        });
    }

    /// Lends what poses are written from.
    pub(super) fn writer<R>(
        &self,
        root_in_pose: bool,
        live: &mut Live<'_>,
        use_it: impl FnOnce(&PoseWriter<'_>, &mut super::scratch::PoseBuffers) -> R,
    ) -> R {
        let writer = PoseWriter {
            cx: Context {
                graph: self.graph,
                parameters: self.parameters,
                randoms: live.randoms,
            },
            machines: live.machines,
            poses: self.poses,
            root_in_pose,
        };
        use_it(&writer, &mut live.scratch.poses)
    }

    /// The state that begins, on its clock. Within a sync group the phase is carried on.
    fn entering(&self, left: &Playing, start: &Start, live: &mut Live<'_>) -> Playing {
        let definition = &self.definition().states[usize::from(start.state)];
        self.choose_children(start.state, live);
        let cx = self.context(live);
        let group = definition.sync_group;
        let left_definition = self.state(left);
        let same_group =
            group.is_some() && group == left_definition.sync_group && start.state != left.state;
        let carried = same_group && start.seconds.is_none();
        let cycles = match (start.seconds, start.begin) {
            (Some(at), _) => cycles_at(&cx, definition, definition.mode, at),
            (None, _) if carried => self.carried(left, definition, live),
            (None, Begin::Own) => first_cycles(&cx, definition, self.speed, 0.0),
            (None, Begin::Offset(offset)) => first_cycles(&cx, definition, self.speed, offset),
            (None, Begin::Phase | Begin::Marker) => {
                let (around, source) = self.innermost(left, live);
                let marker = start.begin == Begin::Marker;
                left_clock(&cx, around.state(&source), &source, definition, marker)
            }
        };
        let cycles = cx.scrub(definition).unwrap_or(cycles);
        let state = self.state_mut(live);
        let mut playing = Playing::enter(start.state, definition, state.next_run, cycles);
        state.next_run = state.next_run.wrapping_add(1);
        // A marker at the carried place was heard in the state before.
        playing.fresh = !carried;
        if carried {
            playing.lock = left.lock;
        }
        playing
    }

    /// The clock with which a state goes on within its sync group: by the markers that both have, else
    /// by phase.
    fn carried(&self, left: &Playing, definition: &State, live: &Live<'_>) -> f64 {
        let same = left_cycles(left, definition.mode);
        if definition.mode != LoopMode::Loop || left.mode != LoopMode::Loop {
            return same;
        }
        let phase = left.mode.phase(left.cycles);
        let cx = self.context(live);
        aligned(&cx, self.state(left), phase, definition, same).unwrap_or(same)
    }

    fn drop_lightest(&self, at: f64, live: &mut Live<'_>) {
        let playing = &self.state_of(live).playing;
        let older = playing.iter().zip(0..);
        let lightest = older.min_by(|(a, _), (b, _)| a.share.total_cmp(&b.share));
        if let Some((_, index)) = lightest {
            self.drop_runs(index..index + 1, at, live);
        }
    }

    fn has_memory(&self, state: u16) -> bool {
        let state: &State = &self.definition().states[usize::from(state)];
        !state.machines.is_empty() || !state.randoms.is_empty()
    }
}

/// As asked for; not a number is at once.
fn fade_seconds(seconds: f32) -> f32 {
    if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(0.0, LONGEST_FADE)
    }
}
