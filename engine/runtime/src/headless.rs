//! Runs without a window: steps of a fixed length, the same result every time.

use std::time::Duration;

use sinew_world::Input;

use crate::{clock, run::Outputs, session::Session};

/// Seconds of a step where nothing else is said.
pub(crate) const STEP: f32 = 1.0 / 60.0;

/// How fast a run without a window goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it can.
    Fast,
    /// As fast as the time of day, for files that change meanwhile.
    RealTime,
}

/// Runs `frames` steps of `dt` seconds; without `frames` it runs until the process is ended. A replay has steps of its own
/// and ends by itself.
///
/// # Errors
/// The trace or recording cannot be written; a replay is not the recording.
pub fn headless(
    session: &mut Session,
    outputs: &mut Outputs,
    dt: f32,
    frames: Option<u64>,
    pace: Pace,
) -> anyhow::Result<()> {
    let mut due = clock::now();
    let mut done = 0;
    while frames.is_none_or(|frames| done < frames) {
        let mut input = Input::default();
        let Some(dt) = outputs.before_step(session, &mut input, dt) else {
            break;
        };
        session.step(&input, dt);
        outputs.after_step(session, &input, dt)?;
        done += 1;
        if pace == Pace::RealTime {
            due += Duration::from_secs_f32(dt);
            let now = clock::now();
            match due.checked_duration_since(now) {
                Some(rest) => std::thread::sleep(rest),
                // Too slow for real time: go on from here rather than run after it.
                None => due = now,
            }
        }
    }
    Ok(())
}
