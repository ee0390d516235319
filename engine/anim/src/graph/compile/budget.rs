//! How large a compiled graph may grow. A named motion is put in place wherever it is used, so a short document can
//! ask for a graph without end.

use super::Compiler;

/// Most motions of a graph, parts of sequences included; their indices have 16 bits.
const MAX_MOTIONS: usize = 65_535;

/// Most bytes of names, conditions, markers and lists that compiling makes from the document.
const MAX_BYTES: usize = 1 << 26;

/// What was spent so far.
#[derive(Default)]
pub(super) struct Budget {
    motions: usize,
    bytes: usize,
    /// Something ran out, and was told: whatever is still to be compiled is left out.
    pub(super) spent: bool,
}

impl Compiler<'_> {
    /// Counts motions; false where they are too many.
    pub(super) fn spend_motions(&mut self, count: usize, place: &str) -> bool {
        self.budget.motions = self.budget.motions.saturating_add(count);
        if self.budget.motions > MAX_MOTIONS {
            let message = format!(
                "more than {MAX_MOTIONS} motions in the graph, named ones counted wherever they are used"
            );
            self.run_out(place, message);
        }
        !self.budget.spent
    }

    /// Counts bytes; false where they are too many.
    pub(super) fn spend_bytes(&mut self, count: usize, place: &str) -> bool {
        self.budget.bytes = self.budget.bytes.saturating_add(count);
        if self.budget.bytes > MAX_BYTES {
            let message = "the graph is too large with its named motions put in place";
            self.run_out(place, message.to_owned());
        }
        !self.budget.spent
    }

    /// Tells, once, that something ran out.
    pub(super) fn run_out(&mut self, place: &str, message: String) {
        if !self.budget.spent {
            self.budget.spent = true;
            self.report.error("E-GRAPH-LIMIT", place, message);
        }
    }
}
