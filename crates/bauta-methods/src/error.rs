//! Why a method could not do its work.

use crate::params::ParamProblem;

/// Why a method could not do its work. Never carries a cell value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MethodError {
    /// What was asked for cannot be done: the user's mistake.
    #[error("{message} ({hint})")]
    Request {
        /// The variable concerned.
        variable: Option<String>,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The data are not fit for the method.
    #[error("{}{}{message} ({hint})", named(variable.as_ref()), at(*row))]
    Data {
        /// The variable concerned.
        variable: Option<String>,
        /// Row of the source file, from 1, headers not counted.
        row: Option<usize>,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The watcher asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A mistake of ours.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

fn named(variable: Option<&String>) -> String {
    variable.map_or_else(String::new, |name| format!("variable `{name}`: "))
}

fn at(row: Option<usize>) -> String {
    row.map_or_else(String::new, |row| format!("row {row}: "))
}

impl MethodError {
    /// The user asked for something that cannot be done.
    pub fn request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Request {
            variable: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A variable is not fit for the method.
    pub fn data(variable: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Data {
            variable: Some(variable.to_owned()),
            row: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A variable has missing values and the method refuses them.
    pub fn missing_refused(variable: &str, n_missing: usize) -> Self {
        Self::data(
            variable,
            format!("{n_missing} values are missing"),
            "set missing = \"skip\" to leave them out, or impute them first",
        )
    }
}

/// The error of a method that was given parameters which nobody had checked.
pub(crate) fn refused(problems: Vec<ParamProblem>) -> MethodError {
    let mut problems = problems.into_iter();
    problems.next().map_or_else(
        || MethodError::Internal("parameters were refused without a reason".to_owned()),
        |first| MethodError::request(first.message, first.hint),
    )
}
