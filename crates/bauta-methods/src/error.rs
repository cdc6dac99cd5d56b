//! Why a method could not do its work.

use std::fmt;

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

/// Errors that guides and scripts know by a name of their own, which stands first in the message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorCode {
    /// A margin that no record can reach.
    CalibrationEmpty,
    /// Margins that no weights reach.
    CalibrationInfeasible,
    /// Margins that contradict each other.
    CalibrationContradiction,
    /// The solver did not settle.
    CalibrationNoConvergence,
    /// Bounds that exclude 1.
    CalibrationBounds,
    /// A variable to calibrate on has very many categories for so few records.
    CalibrationManyCategories,
    /// A variable to calibrate on has missing values.
    CalibrationMissing,
    /// A starting weight that cannot be one.
    Weight,
    /// Every record is at risk.
    AllAtRisk,
}

impl ErrorCode {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CalibrationEmpty => "E-CAL-EMPTY",
            Self::CalibrationInfeasible => "E-CAL-INFEASIBLE",
            Self::CalibrationContradiction => "E-CAL-CONTRADICT",
            Self::CalibrationNoConvergence => "E-CAL-NOCONV",
            Self::CalibrationBounds => "E-CAL-BOUNDS",
            Self::CalibrationManyCategories => "E-CAL-MANY",
            Self::CalibrationMissing => "E-CAL-NA",
            Self::Weight => "E-WEIGHT",
            Self::AllAtRisk => "E-ALL",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
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
