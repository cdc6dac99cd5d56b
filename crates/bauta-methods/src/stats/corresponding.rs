//! Numeric variables of two files, record beside record.

use bauta_data::{Column, Kind};

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{MeasureTask, Part};
use crate::note::Note;
use crate::pair::{Pair, Rows};
use crate::stats::moments::moments;

/// What to do with missing values: shared by the methods on continuous variables.
pub const MISSING: ParamSpec = ParamSpec {
    name: "missing",
    meaning: "what to do with missing values",
    ty: ParamType::Choice(&[
        ("refuse", "stop with an error that names the variable"),
        ("skip", "leave those cells out and say how many"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("refuse")),
};

/// One variable in both files.
#[derive(Clone, Copy, Debug)]
pub struct VariablePair<'a> {
    /// Its name.
    pub name: &'a str,
    /// Original values.
    pub original: &'a [f64],
    /// Masked values.
    pub masked: &'a [f64],
    /// Standard deviation of the original values.
    pub sd: f64,
    pair: Pair<'a>,
}

impl VariablePair<'_> {
    /// Original and masked value of a masked record; none where either is missing.
    pub fn values(&self, masked_record: usize) -> Option<(f64, f64)> {
        let x = self.original[self.pair.original_record(masked_record)];
        let z = self.masked[masked_record];
        (!x.is_nan() && !z.is_nan()).then_some((x, z))
    }

    /// |x - z| of a masked record; none where either is missing.
    pub fn distance(&self, masked_record: usize) -> Option<f64> {
        self.values(masked_record).map(|(x, z)| (x - z).abs())
    }
}

/// The task's variables in both files, checked: numeric, and missing only where allowed.
pub fn variable_pairs<'a>(
    task: &MeasureTask<'a>,
    context: &RunContext<'_>,
) -> Result<Vec<VariablePair<'a>>, MethodError> {
    let pair = task.both()?;
    if pair.rows == Rows::Unrelated {
        return Err(MethodError::request(
            "the records of the two files do not correspond",
            "name an id that both files have, or give files with the same records in the same order",
        ));
    }
    let refuse = task.params.choice("missing") == "refuse";
    task.on
        .iter()
        .map(|name| {
            let original = numeric(pair.original.column_named(name), name, "original")?;
            let masked = numeric(pair.masked.column_named(name), name, "masked")?;
            let found = VariablePair {
                name,
                original,
                masked,
                sd: moments(original).sd,
                pair,
            };
            let n_cells = (0..masked.len())
                .filter(|&i| found.values(i).is_none())
                .count();
            if n_cells > 0 && refuse {
                return Err(MethodError::missing_refused(name, n_cells));
            }
            if n_cells > 0 {
                context.note(Note::MissingSkipped {
                    variable: name.clone(),
                    n_cells,
                });
            }
            Ok(found)
        })
        .collect()
}

fn numeric<'a>(
    column: Option<&'a Column>,
    name: &str,
    file: &str,
) -> Result<&'a [f64], MethodError> {
    let column = column.ok_or_else(|| {
        MethodError::request(
            format!("the {file} file has no variable `{name}`"),
            "compare variables that both files have",
        )
    })?;
    column.as_numeric().ok_or_else(|| {
        MethodError::request(
            format!("`{name}` is not numeric in the {file} file"),
            format!("give it the kind {}", Kind::Continuous.name()),
        )
    })
}

/// An error for a variable that varies in the masked file and not in the original one.
pub fn zero_sd(name: &str) -> MethodError {
    MethodError::data(
        name,
        "the standard deviation of the original is 0, so that distances cannot be stated in its units",
        "leave the variable out of this measure",
    )
}

/// The figure of each variable and the mean of all cells.
pub fn overall(by_variable: &[(String, Option<f64>, usize)]) -> (Option<f64>, Vec<Part>) {
    let n_cells: usize = by_variable.iter().map(|(_, _, n)| n).sum();
    let total: f64 = by_variable
        .iter()
        .filter_map(|(_, mean, n)| mean.map(|mean| mean * *n as f64))
        .sum();
    let parts = by_variable
        .iter()
        .map(|(name, value, _)| Part {
            name: name.clone(),
            value: *value,
        })
        .collect();
    ((n_cells > 0).then(|| total / n_cells as f64), parts)
}
