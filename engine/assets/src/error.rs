//! Why a file cannot be read.

use std::{io, sync::Arc};

use crate::{Diagnostic, LogicalPath, PathError, diagnostic::shown};

/// Why a logical path gives no bytes. Paths in the fields are as messages show them.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AssetError {
    /// The path breaks a rule.
    #[error("`{path}` {error}")]
    Path {
        /// As written.
        path: String,
        /// The rule.
        error: PathError,
    },
    /// No level or mod of this id is there.
    #[error("`{path}`: there is no level or mod `{space}`")]
    UnknownSpace {
        /// The whole path.
        path: String,
        /// Its space.
        space: String,
        /// The nearest space that is there.
        nearest: Option<String>,
    },
    /// No such file or folder.
    #[error("there is no `{missing}` in {folder} (wanted for `{path}`)")]
    Missing {
        /// The whole path.
        path: String,
        /// The first part of it that is not there.
        missing: String,
        /// Where it was looked for.
        folder: String,
        /// The nearest name in that folder, as a path that can be written.
        nearest: Option<String>,
    },
    /// A name differs from the real one in case alone, which works on some systems only.
    #[error(
        "`{path}` is really spelled `{real}`: capital and small letters differ on some systems"
    )]
    WrongCase {
        /// The path as written.
        path: String,
        /// As it is spelled on disk.
        real: String,
    },
    /// A folder, a device or the like.
    #[error("`{path}` is no file")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// A symbolic link that leads out of the folder of the level or mod.
    #[error("`{path}` is a link that leaves the folder of `{space}`")]
    Leaves {
        /// The path.
        path: String,
        /// The space whose folder it leaves.
        space: String,
    },
    /// More bytes than a file of its kind may have.
    #[error("`{path}` has more than the {limit} bytes that a file of its kind may have")]
    TooLarge {
        /// The path.
        path: String,
        /// The limit, bytes.
        limit: u64,
    },
    /// Not UTF-8.
    #[error("`{path}` is no text: byte {offset} is not UTF-8")]
    NotText {
        /// The path.
        path: String,
        /// First byte that is not text.
        offset: usize,
    },
    /// The system refused.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The path.
        path: String,
        /// In the system's words.
        reason: String,
        /// The system's error.
        #[source]
        source: Option<Arc<io::Error>>,
    },
}

impl AssetError {
    /// The stable code of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Path { error, .. } => error.code(),
            Self::UnknownSpace { .. } => "E-ASSET-SPACE",
            Self::Missing { .. } => "E-ASSET-MISSING",
            Self::WrongCase { .. } => "E-ASSET-CASE",
            Self::NotAFile { .. } => "E-ASSET-NOT-A-FILE",
            Self::Leaves { .. } => "E-ASSET-LEAVES",
            Self::TooLarge { .. } => "E-ASSET-TOO-LARGE",
            Self::NotText { .. } => "E-ASSET-NOT-TEXT",
            Self::Unreadable { .. } => "E-ASSET-UNREADABLE",
        }
    }

    /// What to write instead, where that is known.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::Missing { nearest, .. } | Self::UnknownSpace { nearest, .. } => {
                nearest.as_deref()
            }
            Self::WrongCase { real, .. } => Some(real),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Path { .. } => Some(LogicalPath::HELP.to_owned()),
            Self::WrongCase { real, .. } => Some(format!("write `{real}`")),
            _ => self
                .suggestion()
                .map(|name| format!("did you mean `{name}`?")),
        }
    }
}

impl From<AssetError> for Diagnostic {
    fn from(error: AssetError) -> Self {
        Self {
            help: error.help(),
            ..Self::error(error.code(), error.to_string())
        }
    }
}

impl From<PathError> for Diagnostic {
    fn from(error: PathError) -> Self {
        Self::error(error.code(), format!("the path {error}")).help(LogicalPath::HELP)
    }
}

impl From<AssetError> for Box<Diagnostic> {
    fn from(error: AssetError) -> Self {
        Box::new(error.into())
    }
}

impl AssetError {
    pub(crate) fn path(text: &str, error: PathError) -> Self {
        Self::Path {
            path: shown(text),
            error,
        }
    }

    pub(crate) fn unreadable(path: &str, error: io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
            source: Some(Arc::new(error)),
        }
    }
}
