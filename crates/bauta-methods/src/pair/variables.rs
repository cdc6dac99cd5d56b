//! Variables of two files whose records need not correspond.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::Side;
use crate::measure::{MeasureTask, Measurement, Part};
use crate::missing::{Missing, check_missing};
use crate::pair::Pair;
use crate::pair::records::incomplete_skipped;

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
        let found = |table: &'a Table, file: Side| {
            table.column_named(name).ok_or_else(|| {
                MethodError::request(
                    format!("the {} file has no variable `{name}`", file.name()),
                    "compare variables that both files have",
                )
            })
        };
        Ok(Self {
            name,
            original: found(pair.original, Side::Original)?,
            masked: found(pair.masked, Side::Masked)?,
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

    /// Whether one of the files has no value of it at all.
    pub fn lacks_values(&self) -> bool {
        let lacks = |column: &Column| column.n_missing() == column.len();
        lacks(self.original) || lacks(self.masked)
    }

    /// Number of cells without a value, in both files together.
    pub fn n_missing(&self) -> usize {
        self.original.n_missing() + self.masked.n_missing()
    }
}

/// The task's variables in both files, missing only where allowed.
pub fn columns_of_both<'a>(
    task: &MeasureTask<'a>,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<Vec<TwoColumns<'a>>, MethodError> {
    let pair = task.both()?;
    let columns = task.on.iter().map(|name| {
        let columns = TwoColumns::of(pair, name)?;
        check_missing(name, columns.n_missing(), missing, context)?;
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

/// The records of each file that enter an analysis: those that lack no value that it needs, of which
/// a note says how many do, and that weigh.
pub(crate) fn entering_records(
    pair: &Pair<'_>,
    lacks: impl Fn(Side, usize) -> bool + Sync,
    context: &RunContext<'_>,
) -> [Vec<u32>; 2] {
    let mut n_lacking = [0, 0];
    let files = [pair.original, pair.masked];
    let entering = Side::BOTH.map(|file| {
        let table = files[file as usize];
        let mut entering: Vec<u32> = (0..table.n_records() as u32)
            .into_par_iter()
            .with_min_len(4096)
            .filter(|&record| !lacks(file, record as usize))
            .collect();
        n_lacking[file as usize] = table.n_records() - entering.len();
        if let Some(weights) = table.weight().and_then(Column::as_numeric) {
            entering.retain(|&record| weights[record as usize] > 0.0);
        }
        entering
    });
    if n_lacking != [0, 0] {
        context.note(incomplete_skipped(n_lacking[0], n_lacking[1]));
    }
    entering
}
