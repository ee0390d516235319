//! What an import repaired or left out, told rather than done in silence.

/// A remark about a file that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// A code of the table in `docs/import-codes.md`, such as `W-WEIGHTS-RESCALED`.
    pub code: &'static str,
    /// JSON pointer of the culprit, such as `/meshes/0/primitives/1`.
    pub pointer: String,
    /// What was found and what was done about it.
    pub message: String,
    /// Name of the file beside the model's that it is about, such as `hero.clips.json`; `None` for the model's own.
    pub file: Option<String>,
}
