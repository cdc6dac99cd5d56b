#![doc = include_str!("interval_sd.md")]

use rayon::prelude::*;

use crate::card::{Card, Family, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1s::CONTENT;
use crate::measure::{
    Better, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};
use crate::stats::corresponding::{MISSING, VariablePair, overall, variable_pairs};

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
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let (hits, n_cells) = hits(variable, n);
            let total: usize = hits.iter().sum();
            for (sum, hit) in hits_by_width.iter_mut().zip(hits) {
                *sum += hit;
            }
            let share = (n_cells > 0).then(|| total as f64 / (N_WIDTHS * n_cells) as f64);
            by_variable.push((variable.name.to_owned(), share, n_cells));
        }
        let n_cells: usize = by_variable.iter().map(|(_, _, n_cells)| n_cells).sum();
        let (value, parts) = overall(&by_variable);
        let by_width = WIDTHS.zip(hits_by_width).map(|(width, hits)| Part {
            name: format!("{width} %"),
            value: (n_cells > 0).then(|| hits as f64 / n_cells as f64),
        });
        Ok(Measurement {
            value,
            by_variable: parts,
            series: vec![Series {
                name: "share disclosed by interval width".to_owned(),
                unit: "share of values".to_owned(),
                points: by_width.collect(),
            }],
            per_record: Some((0..n).map(|i| record_share(&variables, i)).collect()),
            ..Measurement::default()
        })
    }
}

/// Which of the widths p·S hold a distance: all from the returned one on.
fn first_width(distance: f64, sd: f64) -> usize {
    WIDTHS
        .map(|width| f64::from(width) / 100.0)
        .position(|p| distance <= p * sd)
        .unwrap_or(N_WIDTHS)
}

/// Hits per width, and the number of cells looked at.
fn hits(variable: &VariablePair<'_>, n: usize) -> ([usize; N_WIDTHS], usize) {
    let add = |mut a: ([usize; N_WIDTHS], usize), b: ([usize; N_WIDTHS], usize)| {
        for (sum, hit) in a.0.iter_mut().zip(b.0) {
            *sum += hit;
        }
        (a.0, a.1 + b.1)
    };
    (0..n)
        .into_par_iter()
        .fold(
            Default::default,
            |mut sums: ([usize; N_WIDTHS], usize), i| {
                if let Some(distance) = variable.distance(i) {
                    sums.1 += 1;
                    for hit in &mut sums.0[first_width(distance, variable.sd)..] {
                        *hit += 1;
                    }
                }
                sums
            },
        )
        .reduce(Default::default, add)
}

fn record_share(variables: &[VariablePair<'_>], i: usize) -> f64 {
    let (mut hits, mut n_cells) = (0, 0);
    for variable in variables {
        if let Some(distance) = variable.distance(i) {
            hits += N_WIDTHS - first_width(distance, variable.sd);
            n_cells += N_WIDTHS;
        }
    }
    hits as f64 / n_cells as f64
}
