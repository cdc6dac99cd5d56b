//! Why a run did not come to its end.

use bauta_data::{DataError, DataErrorKind};
use bauta_methods::MethodError;

/// Why a run ended without its outputs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// A file could not be read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A step or measure could not do its work.
    #[error("{place}: {error}")]
    Method {
        /// Which one.
        place: String,
        /// Line of the plan that asked for it, if there is one.
        line: Option<usize>,
        /// What the method said.
        error: Box<MethodError>,
    },
    /// The plan releases a file and judges nothing.
    #[error("the plan sets no condition of release: the file would go whatever the figures say")]
    NothingJudged,
    /// What a run found cannot be put down.
    #[error("the {what} cannot be written: {reason}")]
    NotWritten {
        /// What.
        what: &'static str,
        /// Why not.
        reason: String,
    },
}

impl RunError {
    /// A mistake of ours: something is not there that a checked plan has.
    pub(crate) fn internal(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Method {
            place: place.into(),
            line: None,
            error: Box::new(MethodError::Internal(message.into())),
        }
    }

    /// Whether the watcher asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Data(error) => error.kind == DataErrorKind::Cancelled,
            Self::Method { error, .. } => **error == MethodError::Cancelled,
            Self::NothingJudged | Self::NotWritten { .. } => false,
        }
    }
}
