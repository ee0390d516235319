//! States that no longer play, and what they take with them.

use super::advance::{EndReason, GraphEventKind, Rank};
use super::state::{MachineState, Playing};
use super::step::{Live, MachineStep};
use super::windows;

impl MachineStep<'_> {
    /// Tells that the states inside a state are left with it.
    pub(super) fn leave_inside(&self, left: &Playing, at: f64, live: &mut Live<'_>) {
        for &machine in &self.state(left).machines {
            let inside = MachineStep { machine, ..*self };
            let Some(current) = inside.state_of(live).playing.last().copied() else {
                continue;
            };
            if !std::mem::replace(&mut inside.state_mut(live).started, false) {
                // It was not told that it began.
                continue;
            }
            inside.leave_inside(&current, at, live);
            let exit = GraphEventKind::StateExit { following: None };
            inside.tell(
                exit,
                Rank::ExitInside,
                current.state,
                at,
                self.weight.at(at),
                live,
            );
        }
    }

    /// States that no longer play.
    pub(super) fn drop_runs(&self, range: std::ops::Range<usize>, at: f64, live: &mut Live<'_>) {
        for index in range.clone() {
            let run = live.machines[usize::from(self.machine)].playing[index].run;
            self.end_windows(run, EndReason::Interrupted, at, live);
        }
        for index in range.clone() {
            self.sleep_inside(index, at, live);
        }
        let state = self.state_mut(live);
        if let Some(frozen) = &mut state.frozen {
            let count = usize::from(*frozen)
                .min(range.end)
                .saturating_sub(range.start);
            *frozen -= count as u16;
        }
        state.playing.drain(range);
        let MachineState { playing, heard, .. } = state;
        heard.retain(|heard| playing.iter().any(|playing| playing.run == heard.run));
    }

    /// Ends what the machines inside a state play, unless another run of the state goes on.
    fn sleep_inside(&self, index: usize, at: f64, live: &mut Live<'_>) {
        let playing = self.state_of(live).playing[index];
        let definition = self.state(&playing);
        if definition.machines.is_empty() {
            return;
        }
        let again = |other: &Playing| other.state == playing.state && other.run != playing.run;
        if self.state_of(live).playing.iter().any(again) {
            return;
        }
        for &machine in &definition.machines {
            let inside = MachineStep { machine, ..*self };
            let count = inside.state_of(live).playing.len();
            if inside.definition().resume && count > 0 {
                inside.drop_runs(0..count - 1, at, live);
                let state = inside.state_mut(live);
                state.fade = None;
                state.frozen = None;
                state.inertia.clear();
                state.root_inertia = Default::default();
                let run = state.playing[0].run;
                inside.end_windows(run, EndReason::Interrupted, at, live);
            } else {
                inside.drop_runs(0..count, at, live);
                inside.state_mut(live).silence();
            }
        }
    }

    fn end_windows(&self, run: u32, reason: EndReason, at: f64, live: &mut Live<'_>) {
        let machine = &mut live.machines[usize::from(self.machine)];
        if machine.windows.is_empty() {
            return;
        }
        windows::end_run(
            self.graph,
            self.machine,
            machine,
            run,
            reason,
            at,
            &mut live.scratch.events,
        );
    }
}

impl MachineState {
    /// Nothing plays any more; what was kept room for stays.
    pub(super) fn silence(&mut self) {
        self.playing.clear();
        self.fade = None;
        self.frozen = None;
        self.inertia.clear();
        self.root_inertia = Default::default();
        self.heard.clear();
        self.previous = None;
    }
}
