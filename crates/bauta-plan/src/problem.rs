//! What can be wrong with a plan, and where it says so.

use std::ops::Range;

use bauta_data::DataProblem;
use bauta_methods::ParamProblem;

/// A place in the plan's text, in bytes.
pub type Span = Range<usize>;

/// What sort of mistake a [`Problem`] is. The names are stable: scripts read them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The text is not TOML.
    Syntax,
    /// The plan says something that it cannot say.
    Plan,
    /// A variable that the file does not have.
    UnknownVariable,
    /// A method that does not exist.
    UnknownMethod,
    /// A parameter is wrong.
    Parameter,
    /// The data file is not fit.
    Data,
}

impl ProblemKind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Plan => "plan",
            Self::UnknownVariable => "unknown-variable",
            Self::UnknownMethod => "unknown-method",
            Self::Parameter => "parameter",
            Self::Data => "data",
        }
    }
}

/// One thing wrong with a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What sort of mistake.
    pub kind: ProblemKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// Where, if it can be told.
    pub span: Option<Span>,
    /// The variable concerned.
    pub variable: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn at(
        kind: ProblemKind,
        span: &Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
            span: Some(span.clone()),
            variable: None,
        }
    }

    /// The same problem of a variable.
    #[must_use]
    pub fn of_variable(mut self, variable: &str) -> Self {
        self.variable = Some(variable.to_owned());
        self
    }

    /// A problem of the data that a line of the plan brought up.
    pub fn from_data(problem: DataProblem, span: &Span) -> Self {
        let place = problem
            .line
            .map_or_else(String::new, |line| format!("line {line}: "));
        Self {
            kind: ProblemKind::Data,
            message: format!("{place}{}", problem.message),
            hint: problem.hint,
            span: Some(span.clone()),
            variable: problem.variable,
        }
    }

    /// A problem of a parameter at a place.
    pub fn from_param(problem: ParamProblem, span: &Span) -> Self {
        Self::at(ProblemKind::Parameter, span, problem.message, problem.hint)
    }

    /// Line in the plan's text, from 1.
    pub fn line(&self, text: &str) -> Option<usize> {
        self.span.as_ref().map(|span| line_of(text, span))
    }
}

/// A value and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spot<T> {
    /// A value at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// Line on which a place of a text begins, from 1.
pub fn line_of(text: &str, span: &Span) -> usize {
    text[..span.start.min(text.len())].matches('\n').count() + 1
}
