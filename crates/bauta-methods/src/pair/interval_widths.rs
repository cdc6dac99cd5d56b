//! Shares of original values that intervals of ten widths hold: what measures of interval
//! disclosure have in common.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::figure::Unit;
use crate::kernel::numbers::sums::compensated;
use crate::measure::{Measurement, Part, Series};
use crate::pair::records::{BLOCK, RecordMeans, n_defined, overall};

/// Interval half-widths, in percent.
pub const WIDTHS: RangeInclusive<u8> = 1..=10;
/// How many there are.
pub const N_WIDTHS: usize = 10;

/// The number of values that each width holds, from the number of widths that miss each: a value
/// that one width holds, all wider ones hold too. NaN where a value is missing.
pub fn hits_by_width(misses: &[f64]) -> [f64; N_WIDTHS] {
    let count = |block: &[f64]| {
        let mut first = [0_usize; N_WIDTHS + 1];
        for width in block.iter().filter(|width| !width.is_nan()) {
            first[*width as usize] += 1;
        }
        first
    };
    let add = |a: [usize; N_WIDTHS + 1], b: [usize; N_WIDTHS + 1]| {
        std::array::from_fn(|width| a[width] + b[width])
    };
    let first = misses
        .par_chunks(BLOCK)
        .map(count)
        .reduce(|| [0; N_WIDTHS + 1], add);
    let mut so_far = 0;
    std::array::from_fn(|width| {
        so_far += first[width];
        so_far as f64
    })
}

/// Gathers what was held, variable by variable.
#[derive(Clone, Debug)]
pub struct WidthShares {
    by_width: [f64; N_WIDTHS],
    by_variable: Vec<(String, Option<f64>, usize)>,
    misses: RecordMeans,
}

impl WidthShares {
    /// For so many masked records.
    pub fn new(n_records: usize) -> Self {
        Self {
            by_width: [0.0; N_WIDTHS],
            by_variable: Vec::new(),
            misses: RecordMeans::new(n_records),
        }
    }

    /// Takes in one variable: how many widths do not hold each record's value (NaN where a value
    /// is missing), and how many values each width holds.
    pub fn add(&mut self, name: &str, misses: &[f64], by_width: [f64; N_WIDTHS]) {
        let n_cells = n_defined(misses);
        for (sum, hits) in self.by_width.iter_mut().zip(by_width) {
            *sum += hits;
        }
        let hits = compensated(by_width.into_iter());
        let share = (n_cells > 0).then(|| hits / (N_WIDTHS * n_cells) as f64);
        self.by_variable.push((name.to_owned(), share, n_cells));
        self.misses.add(misses);
    }

    /// The shares overall, by variable, by width and by record.
    pub fn finish(self) -> Measurement {
        let n_cells: usize = self.by_variable.iter().map(|(_, _, n_cells)| n_cells).sum();
        let (value, by_variable) = overall(&self.by_variable);
        let points = WIDTHS.zip(self.by_width).map(|(width, hits)| {
            let share = (n_cells > 0).then(|| hits / n_cells as f64);
            Part::new(format!("{width} %"), share)
        });
        let (mean_misses, cells) = self.misses.finish();
        let share = |misses: f64| (N_WIDTHS as f64 - misses) / N_WIDTHS as f64;
        Measurement {
            value,
            by_variable,
            series: vec![Series::new(
                "share disclosed by interval width",
                "share of values",
                Unit::Share,
                points.collect(),
            )],
            per_record: Some(mean_misses.into_iter().map(share).collect()),
            cells_per_record: Some(cells),
            ..Measurement::default()
        }
    }
}
