//! The time that scripts may take. The only file of this crate that reads a clock.
//!
//! Both languages count safepoints: Luau's interrupts (loops, calls), Rhai's operations. A count repeats exactly from run to
//! run; a wall clock suits a window that records nothing. What costs far more than a step is charged for beforehand
//! ([`charge`]), and a clock ends what counting cannot: a frame that would take seconds.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// How a mod's share of a frame is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Safepoints of a mod in a frame: the same in every run.
    Steps(u64),
    /// Time of a mod in a frame: for windows that do not record.
    Wall(Duration),
}

impl Default for Budget {
    fn default() -> Self {
        Budget::Steps(2_000_000)
    }
}

impl Budget {
    /// As a window that does not record should use it.
    pub const WINDOW: Self = Budget::Wall(Duration::from_millis(20));
}

/// Safepoints that a call gets at least, so that the callers after an endless loop in the same mod still run.
const RESERVE: u64 = 10_000;
/// A wall clock is looked at once in so many safepoints.
const CLOCK_EVERY: u64 = 32;
/// A mod whose steps are counted is stopped all the same when it takes so long in one frame: a step may copy megabytes.
/// Ordinary scripts end by their count in a twentieth of it, so that runs repeat.
const BACKSTOP: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
struct Running {
    /// Steps that are left, those granted in [`UNTIL`] included.
    left: u64,
    /// What was granted to [`UNTIL`].
    granted: u64,
    /// What is left of the frame; none where no script runs.
    wall: Option<Duration>,
    /// When the clock was first looked at: reading it costs as much as a short callback.
    since: Option<Instant>,
    over: bool,
}

const IDLE: Running = Running {
    left: u64::MAX,
    granted: u64::MAX,
    wall: None,
    since: None,
    over: false,
};

thread_local! {
    /// Safepoints until there is something to look at: all that most safepoints touch.
    static UNTIL: Cell<u64> = const { Cell::new(u64::MAX) };
    static RUNNING: Cell<Running> = const { Cell::new(IDLE) };
}

impl Running {
    /// Takes what was passed since the last grant off what is left.
    fn settle(&mut self) {
        self.left -= self.granted - UNTIL.get();
        self.granted = UNTIL.get();
    }

    /// Grants so many safepoints until the next look, or what is left.
    fn grant(&mut self, most: u64) {
        self.granted = most.min(self.left);
        UNTIL.set(self.granted);
    }
}

/// What one mod has used of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    steps: u64,
    wall: Duration,
}

/// Runs `work` of a mod within what is left of its budget; tells whether it went over.
#[allow(
    clippy::disallowed_methods,
    reason = "this is the file that reads the clock"
)]
pub(crate) fn run<R>(budget: Budget, used: &mut Used, work: impl FnOnce() -> R) -> (R, bool) {
    let (steps, wall, since) = match budget {
        Budget::Steps(steps) => {
            let left = steps.saturating_sub(used.steps).max(RESERVE);
            (left, BACKSTOP, None)
        }
        Budget::Wall(wall) => (u64::MAX, wall, Some(Instant::now())),
    };
    let mut now = Running {
        left: steps,
        granted: 0,
        wall: Some(wall.saturating_sub(used.wall).max(wall / 20)),
        since,
        over: false,
    };
    // Restored even where `work` panics, so that the next call does not inherit a spent budget.
    let restore = Restore(UNTIL.get(), RUNNING.get());
    now.grant(CLOCK_EVERY);
    RUNNING.set(now);
    let result = work();
    let mut after = RUNNING.get();
    after.settle();
    drop(restore);
    used.steps = used.steps.saturating_add(steps - after.left);
    used.wall += after.since.map_or(Duration::ZERO, |since| since.elapsed());
    (result, after.over)
}

struct Restore(u64, Running);

impl Drop for Restore {
    fn drop(&mut self) {
        UNTIL.set(self.0);
        RUNNING.set(self.1);
    }
}

/// Passes one safepoint; true once the budget is spent, and from then on at every safepoint.
pub(crate) fn spend() -> bool {
    let until = UNTIL.get();
    if until > 1 {
        UNTIL.set(until - 1);
        return false;
    }
    look()
}

/// The last safepoint that was granted, or one beyond.
#[allow(
    clippy::disallowed_methods,
    reason = "this is the file that reads the clock"
)]
#[cold]
fn look() -> bool {
    let mut now = RUNNING.get();
    if UNTIL.get() == 0 {
        now.over = true;
    } else {
        UNTIL.set(0);
        now.settle();
        let since = *now.since.get_or_insert_with(Instant::now);
        now.over = now.wall.is_some_and(|wall| since.elapsed() >= wall);
        now.grant(if now.over { 0 } else { CLOCK_EVERY });
    }
    RUNNING.set(now);
    now.over
}

/// Counts something that costs as much as so many steps; the next safepoint stops the script if that was too much.
pub(crate) fn charge(steps: u64) {
    let mut now = RUNNING.get();
    if now.wall.is_some() {
        now.settle();
        now.left = now.left.saturating_sub(steps);
        now.grant(1);
        RUNNING.set(now);
    }
}

/// True once the running call is over its budget.
pub(crate) fn is_over() -> bool {
    RUNNING.get().over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_charged_counts_as_steps_and_stops_at_the_next_safepoint() {
        let mut used = Used::default();
        let budget = Budget::Steps(RESERVE * 2);
        let (_, over) = run(budget, &mut used, || {
            charge(RESERVE * 3);
            assert!(!is_over(), "a charge raises nothing by itself");
            assert!(spend() && is_over());
        });
        assert!(over);
        charge(u64::MAX);
        assert!(!spend(), "outside of a call nothing is counted");
    }

    #[test]
    fn a_frame_that_takes_long_ends_though_its_steps_are_few() {
        let mut used = Used {
            steps: 0,
            wall: BACKSTOP,
        };
        let (_, over) = run(Budget::Steps(u64::MAX), &mut used, || while !spend() {});
        assert!(over, "ended by the clock");
    }

    #[test]
    fn a_spent_budget_stays_spent_and_leaves_a_reserve_for_the_next_call() {
        let mut used = Used::default();
        let budget = Budget::Steps(RESERVE * 2);
        let count = || (0..RESERVE * 10).take_while(|_| !spend()).count() as u64;
        let (first, over) = run(budget, &mut used, || {
            let steps = count();
            assert!(spend() && is_over(), "once over, always over");
            steps
        });
        assert_eq!((first, over), (RESERVE * 2, true));
        let (second, over) = run(budget, &mut used, count);
        assert_eq!((second, over), (RESERVE, true));
        assert!(
            !spend() && !is_over(),
            "outside of a call there is no budget"
        );
    }
}
