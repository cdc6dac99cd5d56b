//! Weighted rates of two files, row by row.

use crate::kernel::numbers::sums::{compensated, sums_by_cell};
use crate::pair::categories::TwoCategories;
use crate::pair::margins::{Margin, Weights};

/// Rates of original and masked file in rows and columns, and what each row rests on.
#[derive(Debug)]
pub(crate) struct RateTable {
    /// By file, row and column; none where a row has no weight.
    pub(crate) rates: [Vec<Vec<Option<f64>>>; 2],
    /// Sums of weights, by file and row.
    pub(crate) weight: [Vec<f64>; 2],
    /// Numbers of records with a positive weight, by file and row.
    pub(crate) records: [Vec<f64>; 2],
    /// The same by file, row and column; no columns where the rates are means.
    pub(crate) cells: [Vec<Vec<f64>>; 2],
}

impl RateTable {
    /// One row: the shares of some of a variable's codes among all of them.
    pub(crate) fn distribution(margins: &[Margin; 2], places: &[usize]) -> Self {
        let of = |file: usize, figures: fn(&Margin) -> &[f64]| {
            let figures = figures(&margins[file]);
            places.iter().map(|&place| figures[place]).collect()
        };
        Self::of_rows([0, 1].map(|file| {
            let weight: Vec<f64> = of(file, |margin| &margin.weight);
            let records: Vec<f64> = of(file, |margin| &margin.records);
            vec![shares(&weight, records)]
        }))
    }

    /// The shares of an outcome's first `n_columns` codes among the records of each code of a
    /// variable.
    pub(crate) fn shares(
        outcome: &TwoCategories,
        variable: &TwoCategories,
        weights: [Weights<'_>; 2],
        n_columns: usize,
    ) -> Self {
        let n_rows = variable.n_codes();
        Self::of_rows([0, 1].map(|file: usize| {
            let (row, column) = (&variable.codes[file], &outcome.codes[file]);
            let cells = sums_by_cell(row.len(), n_rows * n_columns, |record| {
                let place = column[record] as usize;
                let cell = row[record] as usize * n_columns + place;
                (place < n_columns).then(|| (cell, weights[file].and_count(record)))
            });
            let of_row = |row: usize| {
                let cells = &cells[row * n_columns..(row + 1) * n_columns];
                let figures = |figure: usize| cells.iter().map(move |cell| cell[figure]);
                shares(&figures(0).collect::<Vec<_>>(), figures(1).collect())
            };
            (0..n_rows).map(of_row).collect()
        }))
    }

    /// One column: the weighted means of numbers among the records of each code of a variable, or
    /// among all.
    pub(crate) fn means(
        values: [&[f64]; 2],
        variable: Option<&TwoCategories>,
        weights: [Weights<'_>; 2],
    ) -> Self {
        let n_rows = variable.map_or(1, TwoCategories::n_codes);
        Self::of_rows([0, 1].map(|file: usize| {
            let y = values[file];
            let sums = sums_by_cell(y.len(), n_rows, |record| {
                let row = variable.map_or(0, |variable| variable.codes[file][record] as usize);
                let [weight, counted] = weights[file].and_count(record);
                (!y[record].is_nan()).then(|| (row, [weight, counted, weight * y[record]]))
            });
            let of_row = |&[weight, records, sum]: &[f64; 3]| RatesOfRow {
                rates: vec![ratio(sum, weight)],
                weight,
                records,
                cells: Vec::new(),
            };
            sums.iter().map(of_row).collect()
        }))
    }

    fn of_rows(files: [Vec<RatesOfRow>; 2]) -> Self {
        let each = |figure: fn(&RatesOfRow) -> f64| {
            files
                .each_ref()
                .map(|rows| rows.iter().map(figure).collect())
        };
        Self {
            weight: each(|row| row.weight),
            records: each(|row| row.records),
            cells: files
                .each_ref()
                .map(|rows| rows.iter().map(|row| row.cells.clone()).collect()),
            rates: files.map(|rows| rows.into_iter().map(|row| row.rates).collect()),
        }
    }

    /// The rows that have records in one of the files.
    pub(crate) fn occurring(&self) -> Vec<usize> {
        occurring(&self.records[0], &self.records[1])
    }

    /// The records of a row in each file.
    pub(crate) fn records_of(&self, row: usize) -> [u64; 2] {
        self.records.each_ref().map(|records| records[row] as u64)
    }

    /// The records that a rate rests on in each file: those of its row, or of its cell where the row has
    /// others too.
    pub(crate) fn records_behind(&self, row: usize, column: usize) -> [u64; 2] {
        [0, 1].map(|file: usize| {
            let of_row = self.records[file][row];
            let of_cell = self.cells[file][row].get(column);
            let of_cell = of_cell.filter(|&&n_records| n_records > 0.0);
            of_cell.map_or(of_row, |of_cell| of_cell.min(of_row)) as u64
        })
    }

    /// The columns that have a rate above 0 in one of the files.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let n_columns = self.rates[0].first().map_or(0, Vec::len);
        let has = |column: usize| {
            let mut rows = self.rates.iter().flatten();
            rows.any(|row| row[column].is_some_and(|rate| rate != 0.0))
        };
        (0..n_columns).filter(|&column| has(column)).collect()
    }
}

/// Rates of one row, and what they rest on.
struct RatesOfRow {
    rates: Vec<Option<f64>>,
    /// Sum of the weights.
    weight: f64,
    /// Number of records with a positive weight.
    records: f64,
    /// The same by column.
    cells: Vec<f64>,
}

/// Each weight as a share of all.
fn shares(weight: &[f64], records: Vec<f64>) -> RatesOfRow {
    let total = compensated(weight.iter().copied());
    RatesOfRow {
        rates: weight.iter().map(|&weight| ratio(weight, total)).collect(),
        weight: total,
        records: compensated(records.iter().copied()),
        cells: records,
    }
}

/// None where there is no weight to divide by, and where a sum has left the numbers of the machine.
fn ratio(sum: f64, weight: f64) -> Option<f64> {
    let ratio = sum / weight;
    (weight > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// The codes that have records in one of two files.
pub(crate) fn occurring(original: &[f64], masked: &[f64]) -> Vec<usize> {
    let both = original.iter().zip(masked).enumerate();
    both.filter(|&(_, (&original, &masked))| original > 0.0 || masked > 0.0)
        .map(|(place, _)| place)
        .collect()
}
