//! What runs Sinew: the command line, sessions with live reload, the window, unseen runs, pictures and traces.
//!
//! The runtime owns clocks, windows, watching and re-reading; it hands changed bytes to the script host and measured
//! time to the world, which know neither.

pub mod cli;
pub mod clock;
mod commands;
pub mod console;
pub mod demo;
mod headless;
pub mod input;
mod overlay;
pub mod picture;
pub mod project;
mod read;
pub mod record;
pub mod replay;
mod run;
pub mod session;
mod settle;
pub mod trace;
mod verdicts;
pub mod watch;
mod window;

use sinew_assets::Diagnostic;

pub use headless::{Pace, headless};
pub use project::Project;
pub use run::Outputs;
pub use session::{Options, Session};
pub use settle::Change;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// It has been said already.
    Said,
    /// Faults of files.
    Faults(Vec<Diagnostic>),
    /// Anything else, for people.
    Other(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(faults: Vec<Diagnostic>) -> Self {
        Self::Faults(faults)
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(fault: Box<Diagnostic>) -> Self {
        Self::Faults(vec![*fault])
    }
}
