//! Timers by name: plain data, so they survive a reload of the script that they call.

use serde::{Deserialize, Serialize};

use crate::ActorId;

/// Calls a function of an actor's script by name, once or again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timer {
    /// Whose script is called.
    pub actor: ActorId,
    /// Which of the actor's scripts, in order.
    pub script: u16,
    /// The function.
    pub name: String,
    /// Seconds until the next call.
    pub left: f64,
    /// Seconds between calls; `None` calls once.
    pub every: Option<f64>,
}

/// A timer that ran out in this step.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// Whose script is called.
    pub actor: ActorId,
    /// Which of the actor's scripts.
    pub script: u16,
    /// The function.
    pub name: String,
}

/// All timers, by the order of starting.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timers {
    pub(crate) running: Vec<Timer>,
}

impl Timers {
    /// Starts a timer; one of the same name of the same script starts anew.
    pub fn start(&mut self, timer: Timer) {
        self.cancel(timer.actor, timer.script, &timer.name);
        self.running.push(timer);
    }

    /// Stops a timer; true if there was one.
    pub fn cancel(&mut self, actor: ActorId, script: u16, name: &str) -> bool {
        let before = self.running.len();
        self.running.retain(|timer| {
            !(timer.actor == actor && timer.script == script && timer.name == name)
        });
        self.running.len() != before
    }

    /// True while a timer of this name runs.
    pub fn pending(&self, actor: ActorId, script: u16, name: &str) -> bool {
        self.running
            .iter()
            .any(|timer| timer.actor == actor && timer.script == script && timer.name == name)
    }

    /// How many timers an actor's scripts have running.
    pub fn count(&self, actor: ActorId) -> usize {
        self.running
            .iter()
            .filter(|timer| timer.actor == actor)
            .count()
    }

    /// Stops all timers of an actor that goes.
    pub(crate) fn forget(&mut self, actor: ActorId) {
        self.running.retain(|timer| timer.actor != actor);
    }

    /// Moves all timers on by `dt` seconds and gives those that ran out, by actor and then by age. A repeating timer
    /// calls at most once a step and keeps its beat.
    pub fn take_due(&mut self, dt: f64) -> Vec<Due> {
        let mut due = Vec::new();
        self.running.retain_mut(|timer| {
            timer.left -= dt;
            if timer.left > 0.0 {
                return true;
            }
            due.push(Due {
                actor: timer.actor,
                script: timer.script,
                name: timer.name.clone(),
            });
            let Some(every) = timer.every else {
                return false;
            };
            let laps = (-timer.left / every).floor() + 1.0;
            timer.left += laps * every;
            true
        });
        due.sort_by_key(|due| due.actor);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTOR: ActorId = ActorId {
        index: 0,
        generation: 0,
    };

    fn timer(name: &str, left: f64, every: Option<f64>) -> Timer {
        Timer {
            actor: ACTOR,
            script: 0,
            name: name.to_owned(),
            left,
            every,
        }
    }

    #[test]
    fn a_repeating_timer_keeps_its_beat_over_uneven_steps() {
        let mut timers = Timers::default();
        timers.start(timer("tick", 1.0, Some(1.0)));
        let steps = [0.4, 0.7, 0.2, 0.9, 0.1, 1.0, 0.7];
        let ticks: usize = steps.iter().map(|&dt| timers.take_due(dt).len()).sum();
        assert_eq!(ticks, 4, "four whole seconds passed");
    }

    #[test]
    fn starting_a_name_again_leaves_one_timer() {
        let mut timers = Timers::default();
        timers.start(timer("release", 1.0, None));
        timers.start(timer("release", 2.0, None));
        assert!(timers.take_due(1.5).is_empty());
        assert_eq!(timers.take_due(1.0).len(), 1);
        assert!(!timers.pending(ACTOR, 0, "release"));
    }
}
