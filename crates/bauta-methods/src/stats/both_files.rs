//! Variables of two files whose records need not correspond.

use bauta_data::Column;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{MeasureTask, Measurement, Part};
use crate::pair::Pair;
use crate::stats::corresponding::check_missing;

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
        let found = column_of_both(&pair, name)?;
        let n_cells = found.original.n_missing() + found.masked.n_missing();
        check_missing(name, n_cells, task.params, context)?;
        Ok(found)
    });
    columns.collect()
}

/// A variable in both files.
pub fn column_of_both<'a>(pair: &Pair<'a>, name: &'a str) -> Result<TwoColumns<'a>, MethodError> {
    let found = |column: Option<&'a Column>, file: &str| {
        column.ok_or_else(|| {
            MethodError::request(
                format!("the {file} file has no variable `{name}`"),
                "compare variables that both files have",
            )
        })
    };
    Ok(TwoColumns {
        name,
        original: found(pair.original.column_named(name), "original")?,
        masked: found(pair.masked.column_named(name), "masked")?,
    })
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
