//! What can be wrong with a graph: one table of codes, and the error that carries one.

/// One thing that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GraphError {
    /// One of [`GRAPH_CODES`].
    pub code: &'static str,
    /// JSON pointer (RFC 6901) to the culprit, such as `/layers/0/states/walk/clip`; empty for the
    /// whole document.
    pub pointer: String,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do next, such as the nearest name.
    pub help: Option<String>,
}

impl GraphError {
    /// An error without help.
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

    /// The same with help.
    pub(crate) fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}

/// Every code of a [`GraphError`] and what it means; the page `docs/graph-codes.md` lists the same.
pub const GRAPH_CODES: &[(&str, &str)] = &[
    ("graph-syntax", "The text is not JSON."),
    (
        "graph-too-deep",
        "Tables and lists are nested deeper than 64 levels.",
    ),
    (
        "graph-unknown-key",
        "A key that no part of a graph has here.",
    ),
    (
        "graph-duplicate",
        "The same key, name or transition name twice.",
    ),
    ("graph-missing", "A key that is needed here is absent."),
    ("graph-wrong-type", "A value of the wrong type or form."),
    ("graph-unknown-word", "A word that is none of the choices."),
    (
        "graph-version",
        "A version of the format that this build does not read.",
    ),
    (
        "graph-not-supported",
        "Part of the format, but not built yet.",
    ),
    ("graph-not-finite", "A number that is not finite."),
    (
        "graph-no-effect",
        "A key that says nothing where it stands.",
    ),
    ("graph-range", "A number outside its range."),
    ("graph-limit", "More of something than fits."),
    ("graph-name", "A name that cannot be used."),
    ("graph-unknown-parameter", "No parameter of this name."),
    (
        "graph-parameter-kind",
        "A parameter of the wrong kind for its use.",
    ),
    ("graph-unknown-state", "No state of this name in the layer."),
    ("graph-unknown-motion", "No motion of this name."),
    ("graph-unknown-clip", "No clip of this name in the model."),
    (
        "graph-unknown-joint",
        "No joint of this name in the skeleton.",
    ),
    (
        "graph-clip-mismatch",
        "A clip that was made for another skeleton.",
    ),
    ("graph-no-states", "A layer without states."),
    ("graph-entry", "A layer that does not say where it begins."),
    (
        "graph-motion",
        "A state that has no motion, or more than one.",
    ),
    ("graph-cycle", "A motion that contains itself."),
    (
        "graph-points",
        "Blend space points that cannot be told apart or have the wrong form.",
    ),
    (
        "graph-expression",
        "A `when` that does not read as a condition.",
    ),
    (
        "graph-condition",
        "A condition whose operator or value does not suit its parameter.",
    ),
    ("graph-exit-time", "An exit time that can never be reached."),
    (
        "graph-root",
        "Root motion is asked for without a joint that carries it.",
    ),
    ("graph-chain", "Joints that make no chain."),
    ("graph-mask", "A mask that does not read."),
];

/// `parent` with one more step; `/` and `~` of names are escaped.
pub(crate) fn pointer(parent: &str, step: impl std::fmt::Display) -> String {
    let step = step.to_string().replace('~', "~0").replace('/', "~1");
    format!("{parent}/{step}")
}
