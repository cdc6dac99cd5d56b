//! What can be wrong with a plan, and where it says so.

use std::borrow::Cow;
use std::ops::{Deref, Range};

use bauta_data::DataProblem;
use bauta_methods::ParamProblem;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A place in the plan's text, in bytes.
pub type Span = Range<usize>;

/// Where a part of a draft stands in its text; nowhere for what was built by code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place(Option<Span>);

impl Place {
    /// No place: built by code.
    pub const NOWHERE: Self = Self(None);

    /// The bytes of the text.
    pub fn span(&self) -> Option<&Span> {
        self.0.as_ref()
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self(Some(span))
    }
}

/// What sort of mistake a [`Problem`] is. The names are stable: scripts read them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The text is no plan at all.
    NotAPlan,
    /// The text is not TOML.
    Syntax,
    /// The plan says something that it cannot say.
    Plan,
    /// The plan is a grid of plans, or its axes are wrong.
    Sweep,
    /// A variable that the file does not have.
    UnknownVariable,
    /// A method that does not exist.
    UnknownMethod,
    /// A parameter is wrong.
    Parameter,
    /// The data file is not fit.
    Data,
    /// A step or measure needs more memory than there may be.
    Memory,
}

impl ProblemKind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotAPlan => "not-a-plan",
            Self::Syntax => "syntax",
            Self::Plan => "plan",
            Self::Sweep => "sweep",
            Self::UnknownVariable => "unknown-variable",
            Self::UnknownMethod => "unknown-method",
            Self::Parameter => "parameter",
            Self::Data => "data",
            Self::Memory => "memory",
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
        place: &Place,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
            span: place.0.clone(),
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
    pub fn from_data(problem: DataProblem, place: &Place) -> Self {
        let line = problem
            .line
            .map_or_else(String::new, |line| format!("line {line}: "));
        Self {
            kind: ProblemKind::Data,
            message: format!("{line}{}", problem.message),
            hint: problem.hint,
            span: place.0.clone(),
            variable: problem.variable,
        }
    }

    /// The same, of a file that the plan names.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.message = format!("{file}: {}", self.message);
        self
    }

    /// A problem of a parameter at a place.
    pub fn from_param(problem: ParamProblem, place: &Place) -> Self {
        Self::at(ProblemKind::Parameter, place, problem.message, problem.hint)
    }

    /// Line in the plan's text, from 1.
    pub fn line(&self, text: &str) -> Option<usize> {
        self.span.as_ref().map(|span| line_of(text, span))
    }
}

/// A value and where it stands. Written and compared as the value alone: where it stands is for
/// messages.
#[derive(Clone, Debug, Default)]
pub struct Spot<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T> Spot<T> {
    /// A value at a place.
    pub fn new(value: T, place: impl Into<Place>) -> Self {
        let place = place.into();
        Self { value, place }
    }
}

impl<T> Deref for Spot<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for Spot<T> {
    fn from(value: T) -> Self {
        Self::new(value, Place::NOWHERE)
    }
}

impl From<&str> for Spot<String> {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl<T: PartialEq> PartialEq for Spot<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Serialize> Serialize for Spot<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

impl<T: JsonSchema> JsonSchema for Spot<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Line on which a place of a text begins, from 1.
pub fn line_of(text: &str, span: &Span) -> usize {
    text[..span.start.min(text.len())].matches('\n').count() + 1
}
