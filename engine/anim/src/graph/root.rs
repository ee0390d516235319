//! Root motion of a slice: that of everything that plays, weighted as the pose is.

use super::compiled::{Leaf, RootRig};
use super::def::RootWeightsDef;
use super::motion::Part;
use super::scratch::{Slice, Span};
use super::state::{MachineState, Playing};
use super::step::{Live, MachineStep};
use crate::{LoopMode, RootAxes, Travel, WeightedLog, blended_root_motion};

/// Most pieces that a slice is cut into while weights change.
const MOST_PIECES: f64 = 256.0;

/// Seconds over which velocities are measured.
const MOMENT: f64 = 1.0 / 240.0;

impl MachineStep<'_> {
    /// The motion of a slice, in the frame of its start. While a fade runs, its weights are taken at
    /// the end of each 1/60 s.
    pub(super) fn travel(&self, slice: Slice, base: usize, live: &mut Live<'_>) -> Travel {
        let axes = self.axes();
        let Some(rig) = &self.graph.root else {
            return Travel::identity(axes);
        };
        let seconds = slice.length() * self.dt;
        let state = self.state_of(live);
        let dies_away = state.root_inertia.iter().any(|offset| !offset.is_over());
        let fades = state.fade.is_some_and(|fade| !fade.blend.inertial);
        let count = if fades || dies_away {
            (seconds * 60.0 - 1e-5).ceil().clamp(1.0, MOST_PIECES)
        } else {
            1.0
        };
        let mut total = Travel::identity(axes);
        for index in 0..count as usize {
            let share = |index: usize| slice.begin + slice.length() * (index as f64 / count);
            let piece = [share(index), share(index + 1)];
            let travel = self.piece(rig, piece, base, live);
            total = total.then(if dies_away {
                self.with_inertia(travel, seconds / count, live)
            } else {
                travel
            });
        }
        total
    }

    /// The motion between two shares of the step, by the weights at the second one.
    fn piece(&self, rig: &RootRig, [begin, end]: [f64; 2], base: usize, live: &Live<'_>) -> Travel {
        let axes = self.axes();
        let state = self.state_of(live);
        let weights = self.root_weights(rig, state, base, end, live);
        blended_root_motion(self.dt * (end - begin), axes, |from, to| {
            let shares = [from, to].map(|own| begin + (end - begin) * own);
            let seconds = self.dt * (shares[1] - shares[0]);
            let mut log = WeightedLog::default();
            for (index, playing) in state.playing.iter().enumerate() {
                let weight = f64::from(weights[index]);
                if weight > 0.0 {
                    let span = &live.scratch.spans[base + index];
                    self.add(&mut log, rig, playing, span, weight, shares, seconds, live);
                }
            }
            log
        })
    }

    /// Adds what one state moves.
    #[expect(clippy::too_many_arguments, reason = "the innermost part of one sum")]
    fn add(
        &self,
        log: &mut WeightedLog,
        rig: &RootRig,
        playing: &Playing,
        span: &Span,
        weight: f64,
        shares: [f64; 2],
        seconds: f64,
        live: &Live<'_>,
    ) {
        let definition = self.state(playing);
        let [from, to] = shares.map(|share| span.at(share));
        for (index, leaf) in definition.leaves.iter().enumerate() {
            let own = f64::from(live.scratch.leaves[span.leaves + index]);
            // What is laid over by an additive motion has a choir of its own and moves nothing.
            // A clip whose phase is a parameter only moves where it is all that plays.
            let by_clock = !leaf.scrubbed || definition.leaves.len() == 1;
            if own > 0.0 && leaf.choir == 0 && by_clock {
                let travel = leaf_travel(rig, leaf, playing.mode, from, to);
                log.add(weight * own, &travel);
            }
        }
        if definition.machines.is_empty() {
            return;
        }
        let axes = self.axes();
        self.context(live).parts(definition, 1.0, &mut |part, own| {
            if let Part::Machine {
                machine,
                added: false,
            } = part
            {
                let velocity = live.scratch.velocities[usize::from(machine)];
                let travel = Travel::exp(axes, velocity.map(|part| part * seconds));
                log.add(weight * f64::from(own), &travel);
            }
        });
    }

    /// The weight of each playing state in the root motion at a share of the step, as the root joint's pose has
    /// it; together 1. A part of the outgoing mix that no longer plays on its own counts for the current
    /// state: it is one of them that goes on.
    fn root_weights(
        &self,
        rig: &RootRig,
        state: &MachineState,
        base: usize,
        share: f64,
        live: &Live<'_>,
    ) -> [f32; super::control::MAX_PLAYING + 1] {
        let mut weights = [0.0; super::control::MAX_PLAYING + 1];
        let last = state.playing.len() - 1;
        let slice = live.scratch.spans[base].slice;
        let current = state.fade.as_ref().map_or(1.0, |fade| {
            let seconds = fade.elapsed + (share - slice.begin) * self.dt;
            fade.weight_at_joint(self.graph, rig.joint, seconds)
        });
        let rule = self.graph.layers[usize::from(self.layer)].root_weights;
        let current = match rule {
            RootWeightsDef::Pose => current,
            RootWeightsDef::Target => 1.0,
            RootWeightsDef::Source if current < 1.0 => 0.0,
            RootWeightsDef::Source => 1.0,
        };
        let mut older = 0.0;
        for (weight, playing) in weights.iter_mut().zip(&state.playing[..last]) {
            *weight = playing.root_share * (1.0 - current);
            older += *weight;
        }
        weights[last] = (1.0 - older).max(0.0);
        weights
    }

    /// The motion with what is left of a difference in velocity, over a short piece of the step.
    fn with_inertia(&self, travel: Travel, seconds: f64, live: &mut Live<'_>) -> Travel {
        let state = self.state_mut(live);
        let mut log = travel.log();
        for (part, offset) in log.iter_mut().zip(&mut state.root_inertia) {
            let before = offset.value();
            offset.step(seconds);
            *part += (before + offset.value()) * 0.5 * seconds;
        }
        Travel::exp(self.axes(), log)
    }

    /// Measures the velocities of the machines inside the states that play.
    fn velocities_inside(&self, live: &mut Live<'_>) {
        for index in 0..self.state_of(live).playing.len() {
            let playing = self.state_of(live).playing[index];
            let definition = self.state(&playing);
            let speed = self.context(live).speed_factor(definition, self.speed) as f32;
            for &machine in &definition.machines {
                let inside = MachineStep {
                    machine,
                    speed,
                    base: None,
                    ..*self
                };
                if !inside.state_of(live).playing.is_empty() {
                    live.scratch.velocities[usize::from(machine)] = inside.velocity(live);
                }
            }
        }
    }

    /// How the machine moves the root at this moment, a second, as in [`Travel::log`].
    pub(super) fn velocity(&self, live: &mut Live<'_>) -> [f64; 6] {
        if self.graph.root.is_none() {
            return [0.0; 6];
        }
        self.velocities_inside(live);
        let (spans, leaves) = (live.scratch.spans.len(), live.scratch.leaves.len());
        let moment = MachineStep {
            dt: MOMENT,
            ..*self
        };
        moment.plan(Slice::WHOLE, live);
        let kept = self.state_of(live).root_inertia;
        let travel = moment.travel(Slice::WHOLE, spans, live);
        self.state_mut(live).root_inertia = kept;
        live.scratch.spans.truncate(spans);
        live.scratch.leaves.truncate(leaves);
        travel.log().map(|part| part / MOMENT)
    }
}

/// The motion of a leaf between two places on the clock of its state.
pub(super) fn leaf_travel(
    rig: &RootRig,
    leaf: &Leaf,
    mode: LoopMode,
    from: f64,
    to: f64,
) -> Travel {
    let (mode, [from, to]) = leaf.own_clock(mode, [from, to]);
    if let [only] = leaf.parts.as_slice() {
        return rig.tracks[usize::from(only.clip)].delta(mode, from, to);
    }
    let axes = rig
        .tracks
        .first()
        .map_or(RootAxes::Planar, |track| track.axes);
    let into = |phase: f64| into_sequence(rig, leaf, axes, phase);
    let [begin, end] = [from, to].map(|cycles| into(mode.phase(cycles)));
    let laps = (to.floor() - from.floor()) as i64;
    if mode == LoopMode::Loop && laps != 0 {
        let cycle = into(1.0);
        begin.inverse().then(cycle.power(laps)).then(end)
    } else {
        begin.inverse().then(end)
    }
}

/// The motion from the start of a sequence to a phase of its lap.
fn into_sequence(rig: &RootRig, leaf: &Leaf, axes: RootAxes, phase: f64) -> Travel {
    let mut travel = Travel::identity(axes);
    for part in &leaf.parts {
        if phase <= part.begin {
            break;
        }
        let length = part.end - part.begin;
        let own = if length > 0.0 {
            ((phase - part.begin) / length).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let track = &rig.tracks[usize::from(part.clip)];
        travel = travel.then(track.delta(LoopMode::Once, 0.0, own));
    }
    travel
}
