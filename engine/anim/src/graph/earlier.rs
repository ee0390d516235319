//! What a machine showed a moment ago, for the speed with which a change by inertia begins.

use super::control::MAX_PLAYING;
use super::scratch::Slice;
use super::step::{Live, MachineStep};
use crate::{LoopMode, Pose};

/// Seconds over which the speed of a pose is measured where the step gives none.
const USUAL_STEP: f64 = 1.0 / 60.0;

/// Seconds too short to measure a speed over.
const TOO_SHORT: f64 = 1e-4;

/// A clock that is moved back for a moment, as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    machine: u16,
    clock: Clock,
    value: f64,
}

/// Which clock of a machine.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Of a playing state, by its place.
    State(usize),
    Fade,
    Inertia,
}

impl MachineStep<'_> {
    /// The machine's pose a step ago; gives how many seconds ago, none where nothing played yet.
    pub(super) fn write_earlier(&self, out: &mut Pose, live: &mut Live<'_>) -> Option<f32> {
        let step = if self.dt > 0.0 { self.dt } else { USUAL_STEP };
        let current = *self.state_of(live).playing.last()?;
        let mut seconds = step.min(current.age);
        let inner = self.innermost(&current, live).1.age;
        // What has begun inside just now is at its beginning and shows nothing of itself before.
        if inner >= TOO_SHORT {
            seconds = seconds.min(inner);
        }
        if seconds < TOO_SHORT {
            return None;
        }
        let bottom = live.scratch.kept.len();
        self.move_back(seconds, live);
        self.writer(false, live, |writer, buffers| {
            writer.machine(self.machine, buffers, out);
        });
        put_back(bottom, live);
        Some(seconds as f32)
    }

    /// Moves all clocks of the machine and of those inside back, none to before it began.
    fn move_back(&self, seconds: f64, live: &mut Live<'_>) {
        let clocks = self.clocks_before(seconds, live);
        let count = self.state_of(live).playing.len();
        for (index, cycles) in clocks.into_iter().enumerate().take(count) {
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
                inside.move_back(seconds, live);
            }
            let own = &mut self.state_mut(live).playing[index].cycles;
            let value = std::mem::replace(own, cycles);
            self.keep(Clock::State(index), value, live);
        }
        if let Some(fade) = &mut self.state_mut(live).fade {
            let value = fade.elapsed;
            fade.elapsed = (value - seconds).max(0.0);
            self.keep(Clock::Fade, value, live);
        }
        let inertia = &mut self.state_mut(live).inertia;
        let value = inertia.elapsed();
        inertia.set_elapsed((value - seconds).max(0.0));
        self.keep(Clock::Inertia, value, live);
    }

    /// Where the clocks of what plays were, those of followers by what they follow.
    fn clocks_before(&self, seconds: f64, live: &Live<'_>) -> [f64; MAX_PLAYING + 1] {
        let cx = self.context(live);
        let state = self.state_of(live);
        let mut before = [0.0; MAX_PLAYING + 1];
        for (index, playing) in state.playing.iter().enumerate().take(before.len()) {
            let definition = self.state(playing);
            let back = MachineStep {
                dt: seconds.min(playing.age),
                ..*self
            };
            let moment = Slice {
                begin: 0.0,
                end: -1.0,
            };
            let follows = self.base.filter(|_| playing.mode == LoopMode::Loop);
            let cycles = match follows {
                _ if cx.scrub(definition).is_some() => playing.cycles,
                Some(lead) if self.dt > 0.0 => {
                    let moment = Slice {
                        begin: 1.0,
                        end: 1.0 - back.dt / self.dt,
                    };
                    let (now, before) = lead.follow(&cx, definition, playing.cycles, moment);
                    playing.cycles + (before - now)
                }
                _ => {
                    let lap_seconds = cx.lap_seconds(definition);
                    back.clock_at_end(&cx, state, index, lap_seconds, moment)
                }
            };
            before[index] = match playing.mode {
                LoopMode::Once => cycles.clamp(0.0, 1.0),
                // What another lap showed is not known any more.
                LoopMode::Loop | LoopMode::PingPong if !definition.randoms.is_empty() => {
                    cycles.clamp(playing.cycles.floor(), playing.cycles.ceil())
                }
                LoopMode::Loop | LoopMode::PingPong => cycles,
            };
        }
        before
    }

    fn keep(&self, clock: Clock, value: f64, live: &mut Live<'_>) {
        live.scratch.kept.push(Kept {
            machine: self.machine,
            clock,
            value,
        });
    }
}

/// Puts clocks back, the last that was moved first.
fn put_back(bottom: usize, live: &mut Live<'_>) {
    while live.scratch.kept.len() > bottom {
        let Some(kept) = live.scratch.kept.pop() else {
            return;
        };
        let state = &mut live.machines[usize::from(kept.machine)];
        match kept.clock {
            Clock::State(index) => state.playing[index].cycles = kept.value,
            Clock::Fade => {
                if let Some(fade) = &mut state.fade {
                    fade.elapsed = kept.value;
                }
            }
            Clock::Inertia => state.inertia.set_elapsed(kept.value),
        }
    }
}
