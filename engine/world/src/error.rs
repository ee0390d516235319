//! What can be asked of a world in vain.

/// Why a request to the world was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A handle of an actor that is gone.
    #[error("actor `{name}` was destroyed at frame {frame}")]
    Destroyed {
        /// Who it was.
        name: String,
        /// The step in which it went.
        frame: u64,
    },
    /// A handle that never named an actor of this world, or one long gone.
    #[error("there is no such actor any more")]
    NoActor,
    /// Living actors have unique names.
    #[error("there is already an actor named `{0}`")]
    NameTaken(String),
    /// The actor has no model, so it has no joints, clips or graph.
    #[error("actor `{0}` has no model")]
    NoModel(String),
    /// A name that the actor's model or graph does not have.
    #[error("{owner} has no {what} `{name}`{}", hint(nearest))]
    Unknown {
        /// Whose list was searched, such as "the graph of `hero`".
        owner: String,
        /// Kind of thing, such as "state".
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The closest name that exists.
        nearest: Option<String>,
    },
    /// A value of the wrong kind or out of range.
    #[error("{0}")]
    Invalid(String),
    /// A file that could not be used.
    #[error("{}", .0.message)]
    Asset(Box<sinew_assets::Diagnostic>),
}

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}
