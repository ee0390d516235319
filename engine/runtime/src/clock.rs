//! The only place that reads the time of day: everything below the runtime is told how long a step is.

use std::time::{Instant, SystemTime};

/// Now, for measuring spans.
#[allow(clippy::disallowed_methods, reason = "the runtime owns the clocks")]
pub fn now() -> Instant {
    Instant::now()
}

/// Now, for comparing with the times of files.
#[allow(clippy::disallowed_methods, reason = "the runtime owns the clocks")]
pub(crate) fn wall() -> SystemTime {
    SystemTime::now()
}
