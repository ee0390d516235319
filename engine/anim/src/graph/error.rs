//! What can be wrong with a graph: one table of codes, and the error that carries one.

/// One thing that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GraphError {
    /// One of [`GRAPH_CODES`]; of a warning, of [`GRAPH_WARNINGS`].
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
    ("E-GRAPH-SYNTAX", "The text is not JSON."),
    (
        "E-GRAPH-TOO-DEEP",
        "Tables and lists are nested deeper than 64 levels.",
    ),
    (
        "E-GRAPH-UNKNOWN-KEY",
        "A key that no part of a graph has here.",
    ),
    (
        "E-GRAPH-DUPLICATE",
        "The same key, name or transition name twice.",
    ),
    ("E-GRAPH-MISSING", "A key that is needed here is absent."),
    ("E-GRAPH-WRONG-TYPE", "A value of the wrong type or form."),
    (
        "E-GRAPH-UNKNOWN-WORD",
        "A word that is none of the choices.",
    ),
    (
        "E-GRAPH-VERSION",
        "A version of the format that this build does not read.",
    ),
    (
        "E-GRAPH-NOT-SUPPORTED",
        "Part of the format, but not built yet.",
    ),
    ("E-GRAPH-NOT-FINITE", "A number that is not finite."),
    (
        "E-GRAPH-NO-EFFECT",
        "A key that says nothing where it stands.",
    ),
    ("E-GRAPH-RANGE", "A number outside its range."),
    ("E-GRAPH-LIMIT", "More of something than fits."),
    ("E-GRAPH-NAME", "A name that cannot be used."),
    ("E-GRAPH-UNKNOWN-PARAMETER", "No parameter of this name."),
    (
        "E-GRAPH-PARAMETER-KIND",
        "A parameter of the wrong kind for its use.",
    ),
    (
        "E-GRAPH-UNKNOWN-STATE",
        "No state of this name in the machine.",
    ),
    (
        "E-GRAPH-UNKNOWN-TRANSITION",
        "No transition of this name in the machine.",
    ),
    ("E-GRAPH-UNKNOWN-LAYER", "No layer of this name."),
    ("E-GRAPH-UNKNOWN-MOTION", "No motion of this name."),
    ("E-GRAPH-UNKNOWN-CLIP", "No clip of this name in the model."),
    (
        "E-GRAPH-UNKNOWN-CURVE",
        "No curve of this name in the clips of the graph.",
    ),
    (
        "E-GRAPH-UNKNOWN-JOINT",
        "No joint of this name in the skeleton.",
    ),
    (
        "E-GRAPH-CLIP-MISMATCH",
        "A clip that was made for another skeleton.",
    ),
    (
        "E-GRAPH-NO-STATES",
        "A machine without states, or a strict graph that plays nothing.",
    ),
    (
        "E-GRAPH-ENTRY",
        "A machine that does not say where it begins, or begins in a conduit.",
    ),
    ("E-GRAPH-CONDUIT", "A conduit that nothing leads out of."),
    (
        "E-GRAPH-MOTION",
        "A motion that is none, more than one, or has no place here.",
    ),
    (
        "E-GRAPH-FILE",
        "Another graph, named by path, that is not at hand.",
    ),
    (
        "E-GRAPH-CYCLE",
        "A motion or graph that contains itself, or conduits that lead round.",
    ),
    (
        "E-GRAPH-POINTS",
        "Blend space points that cannot be told apart or have the wrong form.",
    ),
    (
        "E-GRAPH-ALIGN",
        "Clips of a blend whose markers do not follow each other alike.",
    ),
    (
        "E-GRAPH-EXPRESSION",
        "A `when` that does not read as a condition.",
    ),
    (
        "E-GRAPH-CONDITION",
        "A condition whose operator or value does not suit its parameter.",
    ),
    (
        "E-GRAPH-EXIT-TIME",
        "An exit time that can never be reached.",
    ),
    (
        "E-GRAPH-ROOT",
        "Root motion is asked for without a joint that carries it.",
    ),
    ("E-GRAPH-CHAIN", "Joints that make no chain."),
    ("E-GRAPH-MASK", "A mask that does not read."),
    (
        "E-GRAPH-REMOVE",
        "A patch that takes out what is not there.",
    ),
];

/// Every code of [`Graph::warnings`](crate::Graph::warnings) and what it means.
pub const GRAPH_WARNINGS: &[(&str, &str)] = &[
    (
        "W-GRAPH-MARKERS",
        "Clips that are blended have a marker unequally often.",
    ),
    (
        "W-GRAPH-GAP",
        "The points of a polar blend leave half a turn of directions without any.",
    ),
    (
        "W-GRAPH-SHADOWED",
        "A transition that never starts, since one before it asks for nothing.",
    ),
    (
        "W-GRAPH-UNUSED-MOTION",
        "A motion of `motions` that nothing names.",
    ),
];

/// `parent` with one more step; `/` and `~` of names are escaped.
pub(crate) fn pointer(parent: &str, step: impl std::fmt::Display) -> String {
    let step = step.to_string().replace('~', "~0").replace('/', "~1");
    format!("{parent}/{step}")
}
