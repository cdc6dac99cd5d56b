//! Variables of two files whose records need not correspond.

use bauta_data::{Column, Table};

use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{MeasureTask, Measurement, Part};
use crate::missing::{Missing, check_missing};
use crate::pair::Pair;

/// One variable in both files.
#[derive(Clone, Copy, Debug)]
pub struct TwoColumns<'a> {
    /// Its name.
    pub name: &'a str,
    /// In the original.
    pub original: &'a Column,
    /// In the masked file.
    pub masked: &'a Column,
}

impl<'a> TwoColumns<'a> {
    /// A variable that both files must have.
    pub fn of(pair: Pair<'a>, name: &'a str) -> Result<Self, MethodError> {
        let found = |table: &'a Table, file: &str| {
            table.column_named(name).ok_or_else(|| {
                MethodError::request(
                    format!("the {file} file has no variable `{name}`"),
                    "compare variables that both files have",
                )
            })
        };
        Ok(Self {
            name,
            original: found(pair.original, "original")?,
            masked: found(pair.masked, "masked")?,
        })
    }

    /// The values of both; an error where one holds categories.
    pub fn numbers(&self) -> Result<(&'a [f64], &'a [f64]), MethodError> {
        let original = self.original.as_numeric();
        let numbers = original.zip(self.masked.as_numeric());
        numbers.ok_or_else(|| {
            MethodError::request(
                format!("`{}` is not numeric in both files", self.name),
                "compare variables that hold numbers in both",
            )
        })
    }
}

/// The task's variables in both files, missing only where allowed.
pub fn columns_of_both<'a>(
    task: &MeasureTask<'a>,
    context: &RunContext<'_>,
) -> Result<Vec<TwoColumns<'a>>, MethodError> {
    let pair = task.both()?;
    let columns = task.on.iter().map(|name| {
        let columns = TwoColumns::of(pair, name)?;
        let n_cells = columns.original.n_missing() + columns.masked.n_missing();
        check_missing(name, n_cells, Missing::asked(task.params), context)?;
        Ok(columns)
    });
    columns.collect()
}

/// A figure of each variable, and their mean over the variables that have one.
pub fn mean_of_variables(by_variable: Vec<Part>) -> Measurement {
    let figures: Vec<f64> = by_variable.iter().filter_map(|part| part.value).collect();
    let mean = figures.iter().sum::<f64>() / figures.len() as f64;
    Measurement {
        value: (!figures.is_empty()).then_some(mean),
        by_variable,
        ..Measurement::default()
    }
}
