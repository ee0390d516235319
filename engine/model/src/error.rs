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

/// The most remarks that one file gets; a hostile one could ask for one a byte.
const MAX_WARNINGS: usize = 4096;

/// Remarks in the order in which they came up, each code once a place.
#[derive(Default)]
pub(crate) struct Warnings {
    pub(crate) list: Vec<Warning>,
    left_out: usize,
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
        if self.list.len() >= MAX_WARNINGS {
            self.left_out += 1;
        } else if self.seen.insert((code, pointer.clone())) {
            self.list.push(Warning {
                code,
                pointer,
                message: message.into(),
                file: None,
            });
        }
    }

    /// All remarks, with a last one that counts those that were too many.
    pub(crate) fn finish(mut self) -> Vec<Warning> {
        if self.left_out > 0 {
            self.list.push(Warning {
                code: "W-MORE",
                pointer: String::new(),
                message: format!("{} further remarks were left out", self.left_out),
                file: None,
            });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_once_and_a_flood_is_counted() {
        let mut warnings = Warnings::default();
        for place in 0..5000 {
            warnings.add("W-EXTRAS", format!("/{}", place / 2 * 2), "twice");
            warnings.add("W-MESH-OUTSIDE-SCENE", format!("/{place}"), "each");
        }
        let list = warnings.finish();
        assert_eq!(list.len(), MAX_WARNINGS + 1);
        assert_eq!(list[MAX_WARNINGS].code, "W-MORE");
    }
}
