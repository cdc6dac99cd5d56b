//! What weighs a record when keys are counted.

use std::ops::Range;

use bauta_data::{Column, Table};

use crate::by_record::ColumnNumbers;
use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::exact_sum;
use crate::kernel::numbers::streamed::{Streamed, each_stretch, range_of};

/// Checks that a weight column can weigh: finite and not negative, and so their sum. Absent weights are fine.
pub fn check_weights(table: &Table) -> Result<(), MethodError> {
    let Some(column) = table.weight() else {
        return Ok(());
    };
    let Some(weights) = ColumnNumbers::of(column) else {
        return Err(MethodError::data(
            column.name(),
            "weights must be numbers",
            "give it the kind continuous",
        ));
    };
    match first_unfit(weights) {
        None if adds_up(weights) => Ok(()),
        None => Err(MethodError::data(
            column.name(),
            "the weights add up to more than a number can hold",
            "give weights that count people, households or businesses",
        )),
        Some(record) => Err(MethodError::Data {
            variable: Some(column.name().to_owned()),
            row: Some(table.source_row(record) + 1),
            message: "the weight is missing or negative".to_owned(),
            hint: "every record needs a weight of at least 0".to_owned(),
        }),
    }
}

/// The first record whose weight cannot weigh.
fn first_unfit(weights: ColumnNumbers<'_>) -> Option<usize> {
    let unfit = |records: Range<usize>| {
        let here = weights.some(records.clone());
        let at = here
            .iter()
            .position(|weight| weight.is_nan() || *weight < 0.0);
        at.map(|at| records.start + at)
    };
    let found = each_stretch(weights.len(), weights.stretch(), &unfit);
    found.into_iter().flatten().next()
}

/// Whether the sum of weights that are not negative is a number.
fn adds_up(weights: ColumnNumbers<'_>) -> bool {
    let (_, largest) = range_of(&weights);
    // Of nearly all files this says so, without a look at all weights together.
    (largest * weights.len() as f64) < 0.5 * f64::MAX || exact_sum(weights.whole()).is_finite()
}

/// Sum of the weights, whatever their order, or the number of records where there are none.
pub fn population(table: &Table) -> f64 {
    let weights = table.weight().and_then(Column::as_numeric);
    weights.map_or(table.n_records() as f64, exact_sum)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bauta_data::column::NumberText;
    use bauta_data::{Attribute, Kind, Role};

    use super::*;

    #[test]
    fn weights_that_add_up_to_no_number_weigh_nothing() {
        let weighed = |weights: &[f64]| {
            let weight = Arc::new(Attribute::new("w", Role::Weight, Kind::Continuous));
            let column = Column::numeric(weight, weights.to_vec(), None, NumberText::default());
            let table = Table::new(vec![column], weights.len());
            check_weights(&table).map_err(|error| error.to_string())
        };
        assert_eq!(weighed(&[1e308, 0.0, 3.0]), Ok(()));
        // 2e308 is beyond the largest double, 1.8e308.
        let told = weighed(&[1e308, 1e308]).unwrap_err();
        assert!(
            told.contains("add up to more than a number can hold"),
            "{told}"
        );
        assert!(weighed(&[1.0, -1.0]).is_err() && weighed(&[f64::NAN]).is_err());
    }
}
