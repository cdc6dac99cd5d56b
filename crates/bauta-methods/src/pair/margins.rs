//! Weights and records of the categories of a variable, in both files.

use bauta_data::{Column, Table};

use crate::kernel::numbers::sums::sums_by_cell;
use crate::pair::categories::TwoCategories;

/// The weights of a file; each record has 1 where there is no weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<'a>(Option<&'a [f64]>);

impl<'a> Weights<'a> {
    /// Those of a file.
    pub(crate) fn of(table: &'a Table) -> Self {
        Self(table.weight().and_then(Column::as_numeric))
    }

    /// Every record has 1, whatever the file says.
    pub(crate) const fn alike() -> Self {
        Self(None)
    }

    /// That of a record, and 1 if it is positive: a record without weight does not hide another.
    pub(crate) fn and_count(self, record: usize) -> [f64; 2] {
        let weight = self.0.map_or(1.0, |weights| weights[record]);
        [weight, f64::from(u8::from(weight > 0.0))]
    }
}

/// Weight and records of each category in one file.
#[derive(Clone, Debug)]
pub(crate) struct Margin {
    /// Sum of the weights, by code.
    pub(crate) weight: Vec<f64>,
    /// Number of records with a positive weight, by code.
    pub(crate) records: Vec<f64>,
}

impl Margin {
    /// Those of both files.
    pub(crate) fn of_both(variable: &TwoCategories, weights: [Weights<'_>; 2]) -> [Self; 2] {
        [0, 1].map(|file: usize| {
            let codes = &variable.codes[file];
            let sums = sums_by_cell(codes.len(), variable.n_codes(), |record| {
                let cell = codes[record] as usize;
                Some((cell, weights[file].and_count(record)))
            });
            Self {
                weight: sums.iter().map(|sums| sums[0]).collect(),
                records: sums.iter().map(|sums| sums[1]).collect(),
            }
        })
    }
}
