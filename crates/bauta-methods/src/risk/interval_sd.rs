#![doc = include_str!("interval_sd.md")]

use rayon::prelude::*;

use crate::card::{Card, Family, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1s::CONTENT;
use crate::measure::{
    Better, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};
use crate::stats::corresponding::{
    MISSING, RecordMeans, VariablePair, n_defined, overall, variable_pairs,
};

/// Share of original values near their masked value, in standard deviations. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IntervalSd;

static CARD: Card = Card {
    id: "interval-sd",
    title: "Interval disclosure by standard deviation (SDID)",
    summary: "share of original values within 1 to 10 % of a standard deviation of their masked value",
    family: Family::Risk,
    page: include_str!("interval_sd.md"),
    params: &[MISSING],
    targets: CONTENT,
    randomness: Randomness::None,
    references: &["mateo2004"],
};

/// Interval half-widths, in percent of a standard deviation.
const WIDTHS: std::ops::RangeInclusive<u8> = 1..=10;
const N_WIDTHS: usize = 10;

impl Measure for IntervalSd {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::CorrespondingPair
    }

    fn scope(&self) -> Scope {
        Scope::Variables
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: 1.0,
            better: Better::Lower,
            at_identity: Some(1.0),
            value_name: "share disclosed",
        }
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let variables = variable_pairs(task, context)?;
        let n = task.both()?.masked.n_records();
        let mut hits_by_width = [0; N_WIDTHS];
        let mut by_variable = Vec::new();
        let mut per_record = RecordMeans::new(n);
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let first_widths = first_widths(variable);
            let n_cells = n_defined(&first_widths);
            let hits = hits(&first_widths);
            let total: usize = hits.iter().sum();
            for (sum, hit) in hits_by_width.iter_mut().zip(hits) {
                *sum += hit;
            }
            let share = (n_cells > 0).then(|| total as f64 / (N_WIDTHS * n_cells) as f64);
            by_variable.push((variable.name.to_owned(), share, n_cells));
            per_record.add(&first_widths);
        }
        let n_cells: usize = by_variable.iter().map(|(_, _, n_cells)| n_cells).sum();
        let (value, parts) = overall(&by_variable);
        let by_width = WIDTHS.zip(hits_by_width).map(|(width, hits)| Part {
            name: format!("{width} %"),
            value: (n_cells > 0).then(|| hits as f64 / n_cells as f64),
        });
        let (first_widths, cells) = per_record.finish();
        Ok(Measurement {
            value,
            by_variable: parts,
            series: vec![Series {
                name: "share disclosed by interval width".to_owned(),
                unit: "share of values".to_owned(),
                points: by_width.collect(),
            }],
            per_record: Some(shares_of_widths(first_widths)),
            cells_per_record: Some(cells),
            ..Measurement::default()
        })
    }
}

/// For each record the first width that holds its distance, or `N_WIDTHS` if none does; NaN where
/// a value is missing.
fn first_widths(variable: &VariablePair<'_>) -> Vec<f64> {
    let half_widths: Vec<f64> = WIDTHS
        .map(|width| f64::from(width) / 100.0 * variable.sd)
        .collect();
    let mut distances = variable.distances();
    distances
        .par_iter_mut()
        .with_min_len(4096)
        .filter(|distance| !distance.is_nan())
        .for_each(|distance| {
            *distance = half_widths.partition_point(|half| half < distance) as f64;
        });
    distances
}

/// Hits per width: a distance that one width holds, all wider ones hold too.
fn hits(first_widths: &[f64]) -> [usize; N_WIDTHS] {
    let count = |block: &[f64]| {
        let mut first = [0; N_WIDTHS + 1];
        for width in block.iter().filter(|width| !width.is_nan()) {
            first[*width as usize] += 1;
        }
        first
    };
    let add = |a: [usize; N_WIDTHS + 1], b: [usize; N_WIDTHS + 1]| {
        std::array::from_fn(|width| a[width] + b[width])
    };
    let first = first_widths
        .par_chunks(4096)
        .map(count)
        .reduce(|| [0; N_WIDTHS + 1], add);
    let mut so_far = 0;
    std::array::from_fn(|width| {
        so_far += first[width];
        so_far
    })
}

/// The share of widths that hold a record's values, from its mean first width.
fn shares_of_widths(mean_first_widths: Vec<f64>) -> Vec<f64> {
    let share = |mean: f64| (N_WIDTHS as f64 - mean) / N_WIDTHS as f64;
    mean_first_widths.into_iter().map(share).collect()
}
