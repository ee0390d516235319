//! Why a file is refused, and the list of remarks that an accepted one collects.

use std::collections::HashSet;

use crate::Warning;

/// A file that was refused: what is wrong and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {message}{}", place(pointer))]
pub struct ImportError {
    /// A code of the table in `docs/import-codes.md`, such as `E-CYCLE`.
    pub code: &'static str,
    /// JSON pointer of the culprit, such as `/nodes/3/children/0`; empty for the file as a whole.
    pub pointer: String,
    /// What was found and what was expected.
    pub message: String,
    /// What to do about it, where there is something to do.
    pub help: Option<String>,
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!(" (at {pointer})")
    }
}

impl ImportError {
    pub(crate) fn new(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What every step of the import returns.
pub(crate) type Result<T> = std::result::Result<T, ImportError>;

/// Remarks in the order in which they came up, each code once a place.
#[derive(Default)]
pub(crate) struct Warnings {
    pub(crate) list: Vec<Warning>,
    seen: HashSet<(&'static str, String)>,
}

impl Warnings {
    pub(crate) fn add(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        let pointer = pointer.into();
        if self.seen.insert((code, pointer.clone())) {
            self.list.push(Warning {
                code,
                pointer,
                message: message.into(),
            });
        }
    }
}
