//! Values of a parameter that are dates, and the variables that they are for.

use bauta_data::{Attribute, Column};

use crate::error::MethodError;
use crate::params::ParamProblem;

/// What the values of a parameter are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// Numbers.
    Numbers,
    /// Days of the calendar.
    Dates,
}

impl Unit {
    /// By whether a parameter was given as dates.
    pub(crate) const fn of(is_date: bool) -> Self {
        if is_date { Self::Dates } else { Self::Numbers }
    }

    /// What is wrong with numbers for variables that are said to hold dates.
    pub(crate) fn check(self, param: &str, on: &[&Attribute]) -> Vec<ParamProblem> {
        let is_wrong = |attribute: &&&Attribute| self == Self::Numbers && attribute.date.is_some();
        let problem = |attribute: &&Attribute| {
            ParamProblem::of(param, holds_dates(&attribute.name, param), date_hint(param))
        };
        on.iter().filter(is_wrong).map(problem).collect()
    }

    /// The same once the values are known.
    pub(crate) fn fits(self, param: &str, column: &Column) -> Result<(), MethodError> {
        let name = column.name();
        match (self, column.date_format()) {
            (Self::Numbers, Some(_)) => Err(MethodError::request(
                holds_dates(name, param),
                date_hint(param),
            )),
            (Self::Dates, None) => Err(MethodError::request(
                format!("`{param}` is a date, and `{name}` holds none"),
                format!(
                    "give a number, or say how the dates of `{name}` are spelled: date = \"dd/mm/yyyy\""
                ),
            )),
            (Self::Numbers, None) | (Self::Dates, Some(_)) => Ok(()),
        }
    }
}

fn holds_dates(variable: &str, param: &str) -> String {
    format!("`{variable}` holds dates, and `{param}` is a number")
}

fn date_hint(param: &str) -> String {
    format!("write a date, year first: {param} = \"2020-12-31\"")
}
