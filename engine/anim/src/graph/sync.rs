//! Clocks that keep step with others: sync groups, and layers that follow the base.

use super::align::{aligned, kept_in_step};
use super::compiled::State;
use super::def::SyncRoleDef;
use super::fade::{current_weight, playing_weight};
use super::motion::Context;
use super::scratch::Slice;
use super::state::MachineState;
use super::step::{Live, MachineStep};
use crate::LoopMode;

/// By how much a newer state must outweigh the leader of its sync group to lead it.
const LEADER_HYSTERESIS: f32 = 0.05;

impl MachineStep<'_> {
    /// The clock of a playing state at the end of the slice. Within a sync group it keeps step with
    /// the leader: between the same markers where both have some, else at the same phase. Where a lap of the
    /// leader has more steps than one of its own, it runs through several laps meanwhile.
    pub(super) fn clock_at_end(
        &self,
        cx: &Context<'_>,
        state: &MachineState,
        index: usize,
        lap_seconds: f64,
        rest: Slice,
    ) -> f64 {
        let playing = &state.playing[index];
        let leader = self.leader(state, index);
        let leading = &state.playing[leader];
        let rate = if leader == index {
            cx.rate_of_lap(lap_seconds, self.state(playing), self.speed)
        } else {
            cx.state_rate(self.state(leading), self.speed)
        };
        let moved = rate * rest.length() * self.dt;
        let by_phase = playing.cycles + moved;
        if leader == index {
            return by_phase;
        }
        if leading.lock != playing.lock {
            return by_phase;
        }
        let [from, to] = [leading, playing].map(|playing| self.state(playing));
        let led = [leading.cycles, leading.cycles + moved];
        kept_in_step(cx, from, led, to, playing.cycles).unwrap_or(by_phase)
    }

    /// The place in `playing` of the state that leads the sync group of a playing one: itself where
    /// it is in none.
    fn leader(&self, state: &MachineState, index: usize) -> usize {
        let playing = &state.playing[index];
        let own = self.state(playing);
        let alone = state.playing.len() == 1 || own.sync_group.is_none();
        if alone || playing.mode != LoopMode::Loop {
            return index;
        }
        let current = current_weight(state);
        let mut leader: Option<(usize, bool, f32)> = None;
        for (other, playing) in state.playing.iter().enumerate() {
            let definition = self.state(playing);
            let together =
                definition.sync_group == own.sync_group && playing.mode == LoopMode::Loop;
            if !together || definition.sync_role == SyncRoleDef::AlwaysFollower {
                continue;
            }
            let always = definition.sync_role == SyncRoleDef::AlwaysLeader;
            let weight = playing_weight(state, other, current);
            let leads = match leader {
                None => true,
                Some((_, before, heaviest)) if before == always => {
                    weight > heaviest + LEADER_HYSTERESIS
                }
                Some(_) => always,
            };
            if leads {
                leader = Some((other, always, weight));
            }
        }
        leader.map_or(index, |(leader, ..)| leader)
    }

    /// The innermost current state, which other layers may follow.
    pub(super) fn followed(&self, live: &Live<'_>) -> Option<Followed> {
        let current = *self.state_of(live).playing.last()?;
        let cx = self.context(live);
        let definition = self.state(&current);
        let speed = cx.speed_factor(definition, self.speed) as f32;
        if let Some(machine) = cx.machine(definition) {
            let inside = MachineStep {
                machine,
                speed,
                ..*self
            };
            return inside.followed(live);
        }
        Some(Followed {
            machine: self.machine,
            state: current.state,
            run: current.run,
            loops: current.mode == LoopMode::Loop,
            cycles: current.cycles,
            moved: cx.state_rate(definition, self.speed) * self.dt,
        })
    }
}

/// Where a state that others follow stands.
#[derive(Clone, Copy)]
pub(super) struct Followed {
    machine: u16,
    state: u16,
    run: u32,
    loops: bool,
    cycles: f64,
    /// Laps in a step of the length of this one.
    moved: f64,
}

impl Followed {
    /// How the state has moved in the step, `before` being what was followed at its begin. None where it
    /// does not loop.
    pub(super) fn lead(self, before: Option<Self>) -> Option<Lead> {
        let same = |before: &Self| (before.machine, before.run) == (self.machine, self.run);
        let begin = before.filter(same).map(|before| before.cycles);
        self.loops.then_some(Lead {
            machine: self.machine,
            state: self.state,
            cycles: [begin.unwrap_or(self.cycles - self.moved), self.cycles],
        })
    }
}

/// How the base layer's current state moves in a step.
#[derive(Clone, Copy)]
pub(super) struct Lead {
    machine: u16,
    state: u16,
    /// Laps at begin and end of the step.
    cycles: [f64; 2],
}

impl Lead {
    /// The clock of a state that follows, at begin and end of a slice: between the same markers where both have
    /// some, else at the same phase in the lap that it is in. Where the base has jumped, so does it.
    pub(super) fn follow(
        &self,
        cx: &Context<'_>,
        state: &State,
        cycles: f64,
        rest: Slice,
    ) -> (f64, f64) {
        let machine = &cx.graph.machines[usize::from(self.machine)];
        let base = &machine.states[usize::from(self.state)];
        let at = |share: f64| self.cycles[0] + (self.cycles[1] - self.cycles[0]) * share;
        let [begin, end] = [rest.begin, rest.end].map(at);
        let by_markers = aligned(cx, base, begin, state, cycles).and_then(|from| {
            let to = kept_in_step(cx, base, [begin, end], state, from)?;
            Some((from, to))
        });
        by_markers.unwrap_or_else(|| {
            let from = begin + (cycles - begin).round();
            (from, from + (end - begin))
        })
    }
}
