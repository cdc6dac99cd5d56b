//! What weighs a record when keys are counted.

use bauta_data::{Column, Table};

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;

/// Checks that a weight column can weigh: finite and not negative. Absent weights are fine.
pub fn check_weights(table: &Table) -> Result<(), MethodError> {
    let Some(column) = table.weight() else {
        return Ok(());
    };
    let Some(weights) = column.as_numeric() else {
        return Err(MethodError::data(
            column.name(),
            "weights must be numbers",
            "give it the kind continuous",
        ));
    };
    match weights
        .iter()
        .position(|weight| weight.is_nan() || *weight < 0.0)
    {
        None => Ok(()),
        Some(record) => Err(MethodError::Data {
            variable: Some(column.name().to_owned()),
            row: Some(table.source_row(record) + 1),
            message: "the weight is missing or negative".to_owned(),
            hint: "every record needs a weight of at least 0".to_owned(),
        }),
    }
}

/// Sum of the weights, or the number of records where there are none.
pub fn population(table: &Table) -> f64 {
    let weights = table.weight().and_then(Column::as_numeric);
    weights.map_or(table.n_records() as f64, |weights| {
        compensated(weights.iter().copied())
    })
}
