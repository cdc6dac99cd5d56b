//! Shares of original values that intervals of ten widths hold: what measures of interval
//! disclosure have in common.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::context::RunContext;
use crate::figure::Unit;
use crate::kernel::numbers::sums::compensated;
use crate::measure::{Measurement, Part, Series};
use crate::pair::records::{BLOCK, RecordMeans, overall};

/// Interval half-widths, in percent.
pub const WIDTHS: RangeInclusive<u8> = 1..=10;
/// How many there are.
pub const N_WIDTHS: usize = 10;

/// How many values no smaller width holds, by width; those that none holds come last.
pub type FirstWidths = [usize; N_WIDTHS + 1];

/// Counts numbers of widths that miss a value: a value that one width holds, all wider ones hold too. NaN where a value is
/// missing.
pub fn count_misses(misses: &[f64]) -> FirstWidths {
    let mut first = [0_usize; N_WIDTHS + 1];
    for width in misses.iter().filter(|width| !width.is_nan()) {
        first[*width as usize] += 1;
    }
    first
}

/// The counts of all blocks.
pub fn add_counts(a: FirstWidths, b: FirstWidths) -> FirstWidths {
    std::array::from_fn(|width| a[width] + b[width])
}

/// The number of values that each width holds.
pub fn held_by_width(first: FirstWidths) -> [f64; N_WIDTHS] {
    let mut so_far = 0;
    std::array::from_fn(|width| {
        so_far += first[width];
        so_far as f64
    })
}

/// The number of values that each width holds, from the number of widths that miss each.
pub fn hits_by_width(misses: &[f64]) -> [f64; N_WIDTHS] {
    let counts = misses.par_chunks(BLOCK).map(count_misses);
    held_by_width(counts.reduce(|| [0; N_WIDTHS + 1], add_counts))
}

/// Gathers what was held, variable by variable.
#[derive(Clone, Debug)]
pub struct WidthShares {
    by_width: [f64; N_WIDTHS],
    by_variable: Vec<(String, Option<f64>, usize)>,
    /// Means over variables for each record, if somebody wants them.
    misses: Option<RecordMeans>,
}

impl WidthShares {
    /// For so many masked records.
    pub fn new(n_records: usize, context: &RunContext<'_>) -> Self {
        Self {
            by_width: [0.0; N_WIDTHS],
            by_variable: Vec::new(),
            misses: (context.wants_record_figures()).then(|| RecordMeans::new(n_records)),
        }
    }

    /// Whether figures of records are wanted.
    pub fn wants_records(&self) -> bool {
        self.misses.is_some()
    }

    /// Takes in one variable: how many cells have a value, and how many of them each width holds.
    pub fn add(&mut self, name: &str, n_cells: usize, by_width: [f64; N_WIDTHS]) {
        for (sum, hits) in self.by_width.iter_mut().zip(by_width) {
            *sum += hits;
        }
        let hits = compensated(by_width.into_iter());
        let share = (n_cells > 0).then(|| hits / (N_WIDTHS * n_cells) as f64);
        self.by_variable.push((name.to_owned(), share, n_cells));
    }

    /// Takes in how many widths do not hold the value of each record from `first` on in one variable, NaN where a value is
    /// missing.
    pub fn add_records(&mut self, first: usize, misses: &[f64]) {
        if let Some(means) = &mut self.misses {
            means.add_from(first, misses);
        }
    }

    /// The shares overall, by variable, by width and by record.
    pub fn finish(self) -> Measurement {
        let n_cells: usize = self.by_variable.iter().map(|(_, _, n_cells)| n_cells).sum();
        let (value, by_variable) = overall(&self.by_variable);
        let points = WIDTHS.zip(self.by_width).map(|(width, hits)| {
            let share = (n_cells > 0).then(|| hits / n_cells as f64);
            Part::new(format!("{width} %"), share)
        });
        let share = |misses: f64| (N_WIDTHS as f64 - misses) / N_WIDTHS as f64;
        let (per_record, cells_per_record) = match self.misses.map(RecordMeans::finish) {
            Some((misses, cells)) => (Some(misses.into_iter().map(share).collect()), Some(cells)),
            None => (None, None),
        };
        Measurement {
            value,
            by_variable,
            series: vec![Series::new(
                "share disclosed by interval width",
                "share of values",
                Unit::Share,
                points.collect(),
            )],
            per_record,
            cells_per_record,
            ..Measurement::default()
        }
    }
}
