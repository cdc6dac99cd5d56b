//! What a gate looks at, resolved against the figures that its measure declares.

use bauta_methods::Measurement;
use bauta_methods::figure::{FigureName, Unit};

use crate::record::MeasureRecord;

/// The figure of a measurement that a gate looks at.
#[derive(Clone, PartialEq, Debug)]
pub enum GateFigure {
    /// The one that the measure is known for.
    Value,
    /// That of the outlying records alone.
    Outliers,
    /// That of the other records.
    Rest,
    /// One that the measure declares.
    Declared(FigureName),
    /// The value for a variable.
    OfVariable(String),
}

impl GateFigure {
    /// The figure in a measurement; none where it is not defined.
    pub fn of(&self, found: &Measurement) -> Option<f64> {
        match self {
            Self::Value => found.value,
            Self::Outliers => found.outliers,
            Self::Rest => found.rest,
            Self::Declared(name) => found.figure(name.clone()),
            Self::OfVariable(variable) => {
                let mut parts = found.by_variable.iter();
                parts.find(|part| part.name == *variable)?.value
            }
        }
    }

    /// How plans and records spell it; none for the value.
    pub fn spelled(&self) -> Option<String> {
        match self {
            Self::Value => None,
            Self::Outliers => Some("outliers".to_owned()),
            Self::Rest => Some("rest".to_owned()),
            Self::Declared(name) => Some(name.spelled()),
            Self::OfVariable(variable) => Some(variable.clone()),
        }
    }

    /// What people call it, and how it is written.
    pub fn in_words(&self, measure: &MeasureRecord) -> (String, Unit) {
        let value = &measure.value;
        match self {
            Self::Value => (value.label.to_string(), value.unit),
            Self::Outliers | Self::Rest | Self::OfVariable(_) => {
                (self.spelled().unwrap_or_default(), value.unit)
            }
            Self::Declared(name) => match measure.declared(name) {
                Some(declared) => (declared.label_of(name), declared.unit),
                None => (name.spelled(), Unit::Number),
            },
        }
    }
}
