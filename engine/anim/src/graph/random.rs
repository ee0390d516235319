//! Random choices: made where a state is entered and at the end of each of its laps.

use super::compiled::RandomSlot;
use super::state::RandomChoice;
use super::step::{Live, MachineStep};
use crate::LoopMode;

impl MachineStep<'_> {
    /// Where a random choice is made next, at the end of a lap.
    pub(super) fn next_turn(&self, base: usize, until: f64, live: &Live<'_>) -> Option<Turn> {
        let mut first: Option<Turn> = None;
        let playing = self.state_of(live).playing.iter();
        for (index, playing) in playing.enumerate() {
            let looping = playing.mode != LoopMode::Once;
            if self.state(playing).randoms.is_empty() || !looping {
                continue;
            }
            let span = live.scratch.spans[base + index];
            let (cycles, met) = if span.to > span.from {
                let next = span.from.floor() + 1.0;
                (next, next <= span.to)
            } else {
                let next = span.from.ceil() - 1.0;
                (next, next >= span.to && span.to < span.from)
            };
            if !met {
                continue;
            }
            let own = (cycles - span.from) / (span.to - span.from);
            let at = span.share(own);
            if at <= until && first.is_none_or(|turn| at < turn.at) {
                first = Some(Turn {
                    index,
                    run: playing.run,
                    cycles,
                    at,
                });
            }
        }
        first
    }

    /// Chooses anew for a state that has come to the end of a lap.
    pub(super) fn turn(&self, turn: Turn, live: &mut Live<'_>) {
        let machine = self.state_mut(live);
        // The end of a fade may just have cleared away older states.
        let mut playing = machine.playing.iter_mut();
        let Some(playing) = playing.find(|playing| playing.run == turn.run) else {
            return;
        };
        playing.cycles = turn.cycles;
        let state = playing.state;
        self.choose_children(state, live);
    }

    /// Makes every random choice of a state.
    pub(super) fn choose_children(&self, state: u16, live: &mut Live<'_>) {
        let state = &self.definition().states[usize::from(state)];
        for random in &state.randoms {
            live.randoms[usize::from(random.slot)].next(self.seed, *random);
        }
    }
}

/// A state that has come to the end of a lap.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// Its place in `playing` before the slice.
    pub(super) index: usize,
    run: u32,
    pub(super) cycles: f64,
    /// The share of the step.
    pub(super) at: f64,
}

impl RandomChoice {
    /// Another child than the last, by chance.
    fn next(&mut self, seed: u64, of: RandomSlot) {
        let (slot, children) = (of.slot, u64::from(of.children));
        let number = mix(seed ^ mix(u64::from(slot) << 32 ^ self.count));
        self.child = match (self.count, children) {
            (_, 0 | 1) => 0,
            (0, _) => (number % children) as u16,
            _ => {
                let other = (number % (children - 1)) as u16;
                other + u16::from(other >= self.child)
            }
        };
        self.count += 1;
    }
}

/// A well-spread number from any number (SplitMix64's finisher).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
