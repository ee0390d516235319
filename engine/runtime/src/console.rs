//! What is wrong right now, in words: on the screen, in the log and in the trace.

use sinew_assets::{Diagnostic, Severity};
use sinew_script::Problem;

/// The most that is kept; more says that there is more.
const MOST: usize = 40;
/// Seconds of game time that a warning stays on the screen.
const WARNING_SECONDS: f64 = 12.0;

/// Why something is on the console, which decides when it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Files that were refused: until a good version loads.
    Reload,
    /// Running scripts and the world: until the next reload.
    Running,
    /// A file that is gone: until it is back.
    Missing,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What.
    pub fault: Diagnostic,
    /// As it is shown: with the line and a caret under it.
    pub rendered: String,
    /// How often it was said.
    pub count: u64,
    cause: Cause,
    since: f64,
}

/// Everything that is wrong right now, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// In the order of first saying.
    pub entries: Vec<Entry>,
    /// Said since they were last taken, for the trace; only while `record`.
    pub fresh: Vec<Diagnostic>,
    /// Whether `fresh` is kept.
    pub record: bool,
}

impl Console {
    /// Says something; what was said before is only counted. `time` is game time.
    pub fn say(&mut self, fault: Diagnostic, cause: Cause, time: f64) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.fault == fault) {
            entry.count += 1;
            entry.since = time;
            return;
        }
        let rendered = sinew_script::render(&fault, false);
        log(fault.severity, rendered.trim_end());
        if self.record {
            self.fresh.push(fault.clone());
        }
        if self.entries.len() >= MOST {
            self.entries.remove(0);
        }
        self.entries.push(Entry {
            fault,
            rendered,
            count: 1,
            cause,
            since: time,
        });
    }

    /// Takes away what no longer holds after a reload that worked; `problems` are those of scripts that still stand.
    pub fn clear(&mut self, problems: &[Problem]) {
        let stands = |entry: &Entry| {
            problems
                .iter()
                .any(|problem| problem.diagnostic == entry.fault)
        };
        self.entries.retain(|entry| match entry.cause {
            Cause::Reload => false,
            Cause::Running => stands(entry),
            Cause::Missing => true,
        });
    }

    /// Takes over how often the problems of scripts came: scripts say each of them once.
    pub fn count(&mut self, problems: &[Problem]) {
        for problem in problems {
            let about = |entry: &&mut Entry| {
                entry.cause == Cause::Running && entry.fault == problem.diagnostic
            };
            if let Some(entry) = self.entries.iter_mut().find(about) {
                entry.count = problem.count;
            }
        }
    }

    /// Takes away the reasons of the last refusal, since there is a newer one.
    pub fn forget_refusal(&mut self) {
        self.entries.retain(|entry| entry.cause != Cause::Reload);
    }

    /// Takes away what was said of a file that is back.
    pub fn found(&mut self, file: &str) {
        let about = |entry: &Entry| {
            entry.cause == Cause::Missing && entry.fault.file.as_deref() == Some(file)
        };
        self.entries.retain(|entry| !about(entry));
    }

    /// Takes away warnings that were long enough on the screen.
    pub fn age(&mut self, time: f64) {
        let stays = |entry: &Entry| {
            entry.fault.severity == Severity::Error
                || entry.cause == Cause::Missing
                || time - entry.since < WARNING_SECONDS
        };
        self.entries.retain(stays);
    }

    /// Whether an error is being shown.
    pub fn has_errors(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.fault.severity == Severity::Error)
    }
}

fn log(severity: Severity, text: &str) {
    match severity {
        Severity::Error => tracing::error!("{text}"),
        Severity::Warning => tracing::warn!("{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console() -> Console {
        let mut console = Console::default();
        console.say(Diagnostic::error("E-A", "a"), Cause::Reload, 0.0);
        console.say(Diagnostic::warning("W-B", "b"), Cause::Running, 0.0);
        console.say(
            Diagnostic::warning("W-C", "c").in_file("c.lua"),
            Cause::Missing,
            0.0,
        );
        console
    }

    fn codes(console: &Console) -> Vec<&str> {
        console
            .entries
            .iter()
            .map(|entry| entry.fault.code.as_str())
            .collect()
    }

    #[test]
    fn the_same_again_is_counted() {
        let mut console = console();
        console.say(Diagnostic::error("E-A", "a"), Cause::Reload, 1.0);
        assert_eq!(console.entries.len(), 3);
        assert_eq!(console.entries[0].count, 2);
    }

    #[test]
    fn each_goes_when_its_cause_does() {
        let mut all = console();
        all.age(100.0);
        assert_eq!(codes(&all), ["E-A", "W-C"]);
        all.clear(&[]);
        assert_eq!(codes(&all), ["W-C"]);
        all.found("c.lua");
        assert!(all.entries.is_empty());
        let mut all = console();
        all.forget_refusal();
        assert_eq!(codes(&all), ["W-B", "W-C"]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut console = Console::default();
        for index in 0..1000 {
            console.say(
                Diagnostic::error("E-A", index.to_string()),
                Cause::Running,
                0.0,
            );
        }
        assert_eq!(console.entries.len(), MOST);
        assert_eq!(console.entries[MOST - 1].fault.message, "999");
    }
}
