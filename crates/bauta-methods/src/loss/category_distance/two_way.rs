//! The two-way table of two variables, in both files.

use crate::kernel::numbers::sums::{compensated, sums_by_cell};
use crate::loss::category_distance::total_variation;
use crate::pair::categories::TwoCategories;
use crate::pair::margins::Weights;

/// A larger table is nobody's to read.
pub(super) const MAX_CELLS: usize = 1_000_000;

/// The cells of both files, row by row.
pub(super) struct TwoWay {
    n_columns: usize,
    cells: [Vec<f64>; 2],
}

/// What two tables have in common.
#[derive(Clone, Copy, Default)]
pub(super) struct OfPair {
    /// Total variation; none where a table is empty.
    pub(super) distance: Option<f64>,
    /// Cramér's V of the original and of the masked file; none where a variable has one category.
    pub(super) v: [Option<f64>; 2],
}

impl OfPair {
    /// V of the masked file less that of the original.
    pub(super) fn v_change(&self) -> Option<f64> {
        Some(self.v[1]? - self.v[0]?)
    }
}

impl TwoWay {
    /// The table of the first `shape` codes of two variables.
    pub(super) fn new(
        [row, column]: [&TwoCategories; 2],
        [n_rows, n_columns]: [usize; 2],
        weights: [Weights<'_>; 2],
    ) -> Self {
        let cells = [0, 1].map(|file: usize| {
            let (row, column) = (&row.codes[file], &column.codes[file]);
            let sums = sums_by_cell(row.len(), n_rows * n_columns, |record| {
                let (row, column) = (row[record] as usize, column[record] as usize);
                let is_counted = row < n_rows && column < n_columns;
                let [weight, _] = weights[file].and_count(record);
                is_counted.then_some((row * n_columns + column, [weight]))
            });
            sums.into_iter().map(|[weight]| weight).collect()
        });
        Self { n_columns, cells }
    }

    pub(super) fn compared(&self) -> OfPair {
        let [original, masked] = &self.cells;
        OfPair {
            distance: total_variation(original, masked),
            v: [original, masked].map(|cells| cramers_v(cells, self.n_columns)),
        }
    }
}

/// Cramér's V: `√(φ² / (min(r, c) - 1))`, over rows and columns that occur; none where one of them is alone.
fn cramers_v(cells: &[f64], n_columns: usize) -> Option<f64> {
    let n_columns = n_columns.max(1);
    let rows = || cells.chunks_exact(n_columns);
    let of_rows: Vec<f64> = rows().map(|row| compensated(row.iter().copied())).collect();
    let of_columns: Vec<f64> = (0..n_columns)
        .map(|column| compensated(rows().map(|row| row[column])))
        .collect();
    let n = compensated(of_rows.iter().copied());
    let occurring = |totals: &[f64]| totals.iter().filter(|total| **total > 0.0).count();
    let fewer = occurring(&of_rows).min(occurring(&of_columns));
    if fewer < 2 {
        return None;
    }
    let terms = rows().zip(&of_rows).flat_map(|(row, of_row)| {
        row.iter().zip(&of_columns).map(move |(cell, of_column)| {
            if *cell > 0.0 {
                // Expected under independence; the sum of (f - e)²/e leaves no difference of large sums.
                let expected = of_row * (of_column / n);
                (cell - expected) * ((cell - expected) / expected)
            } else {
                of_row * (of_column / n)
            }
        })
    });
    let phi_squared = compensated(terms) / n;
    Some((phi_squared.max(0.0) / (fewer - 1) as f64).sqrt().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cramers_v_by_hand() {
        // 10 and 20 of 30 in either row; expected 15 each: χ² = 4 · 25/15, V = √(χ²/60) = 1/3.
        let v = cramers_v(&[10.0, 20.0, 20.0, 10.0], 2).unwrap();
        assert!((v - 1.0 / 3.0).abs() < 1e-15);
        // An empty row and column do not count.
        let v = cramers_v(&[10.0, 0.0, 20.0, 0.0, 0.0, 0.0, 20.0, 0.0, 10.0], 3).unwrap();
        assert!((v - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(cramers_v(&[5.0, 0.0, 0.0, 7.0], 2), Some(1.0));
        assert_eq!(cramers_v(&[1.0, 2.0, 2.0, 4.0], 2), Some(0.0));
        assert_eq!(cramers_v(&[1.0, 2.0], 2), None);
        assert_eq!(cramers_v(&[], 0), None);
    }
}
