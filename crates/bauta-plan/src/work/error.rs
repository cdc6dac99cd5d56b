//! Why work without a plan could not be done.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_methods::{MethodError, ParamProblem};

use crate::error::RunError;
use crate::problem::Problem;

/// Why something could not be done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WorkError {
    /// What was asked for cannot be done.
    #[error("{} ({})", .0.message, .0.hint)]
    Mistake(Mistake),
    /// The parameters of a measure do not fit.
    #[error("{measure}: {}", problems.first().map_or("", |problem| problem.message.as_str()))]
    Settings {
        /// The measure.
        measure: &'static str,
        /// What is wrong.
        problems: Vec<ParamProblem>,
    },
    /// Put as a plan, the request has problems.
    #[error("{}", .0.first().map_or("", |problem| problem.message.as_str()))]
    Problems(Vec<Problem>),
    /// A file has problems.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The work ended early.
    #[error(transparent)]
    Run(RunError),
}

/// Something that cannot be done, and what it concerns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The file concerned.
    pub file: Option<PathBuf>,
    /// The variable concerned.
    pub variable: Option<String>,
}

impl From<RunError> for WorkError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Data(error) => Self::Data(error),
            error => Self::Run(error),
        }
    }
}

impl From<MethodError> for WorkError {
    fn from(error: MethodError) -> Self {
        Self::Run(RunError::Method {
            place: String::new(),
            line: None,
            error: Box::new(error),
        })
    }
}

impl WorkError {
    /// A mistake that concerns no single variable.
    pub fn mistake(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Mistake(Mistake {
            message: message.into(),
            hint: hint.into(),
            ..Mistake::default()
        })
    }

    /// A mistake about a variable.
    pub(crate) fn of_variable(
        variable: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Mistake(Mistake {
            message: message.into(),
            hint: hint.into(),
            file: None,
            variable: Some(variable.to_owned()),
        })
    }

    /// A mistake of ours.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::from(MethodError::Internal(message.into()))
    }

    /// The same about a variable of this file.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Mistake(mistake) if mistake.variable.is_some() && mistake.file.is_none() => {
                Self::Mistake(Mistake {
                    file: Some(path.to_owned()),
                    ..mistake
                })
            }
            other => other,
        }
    }

    /// The same of work on a file that no plan describes: the file in place of a line.
    pub(crate) fn of_file(self, file: &Path) -> Self {
        match self {
            Self::Run(RunError::Method { place, error, .. }) => Self::Run(RunError::Method {
                place: format!("{}: {place}", file.display()),
                line: None,
                error,
            }),
            other => other,
        }
    }
}
