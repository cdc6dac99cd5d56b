#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Kind, Role};

use rayon::prelude::*;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::stats::corresponding::{BLOCK, MISSING, VariablePair, overall, variable_pairs, zero_sd};
use crate::stats::sums::{block_sum, compensated};

/// Distance between original and masked values in standard deviations. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1s;

/// Continuous variables that are content, not design.
pub(crate) const CONTENT: Targets = Targets {
    kinds: &[Kind::Continuous],
    default_roles: &[Role::Sensitive, Role::Key, Role::Other],
    refused_roles: &[],
};

static CARD: Card = Card {
    id: "il1s",
    title: "IL1s",
    summary: "mean distance between original and masked values, in standard deviations of the original",
    family: Family::Loss,
    page: include_str!("il1s.md"),
    params: &[MISSING],
    targets: CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "mateo2004"],
};

impl Measure for Il1s {
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
            max: f64::INFINITY,
            better: Better::Lower,
            at_identity: Some(0.0),
            value_name: "mean distance",
        }
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let variables = variable_pairs(task, context)?;
        let n = task.both()?.masked.n_records();
        let (mut means, mut cells) = (vec![0.0; n], vec![0; n]);
        let done = AtomicUsize::new(0);
        let blocks = means.par_chunks_mut(BLOCK).zip(cells.par_chunks_mut(BLOCK));
        let sums = blocks.enumerate().map(|(block, (means, cells))| {
            context.progress(done.fetch_add(means.len(), Ordering::Relaxed), n)?;
            Ok(measure_block(&variables, block * BLOCK, means, cells))
        });
        let sums = sums.collect::<Result<Vec<_>, MethodError>>()?;
        let of_variable = |(j, variable): (usize, &VariablePair<'_>)| {
            mean_distance(variable, sums.iter().map(|block| block[j]))
        };
        let by_variable = variables.iter().enumerate().map(of_variable);
        let by_variable = by_variable.collect::<Result<Vec<_>, MethodError>>()?;
        let (value, parts) = overall(&by_variable);
        Ok(Measurement {
            value,
            by_variable: parts,
            per_record: Some(means),
            cells_per_record: Some(cells),
            ..Measurement::default()
        })
    }
}

/// Sum and number of the distances that are defined.
type Summed = (f64, usize);

/// Distances of the records from `first` on in all variables: summed by variable, averaged by
/// record. All that a block needs stays near the processor.
fn measure_block(
    variables: &[VariablePair<'_>],
    first: usize,
    means: &mut [f64],
    cells: &mut [u32],
) -> Vec<Summed> {
    let mut distances = vec![0.0; means.len()];
    let mut sum_variable = |variable: &VariablePair<'_>| {
        variable.distances_from(first, &mut distances);
        if variable.sd > 0.0 {
            let unit = SQRT_2 * variable.sd;
            for distance in &mut distances {
                *distance /= unit;
            }
        } else {
            // A cell that did not change counts 0 whatever S is; another has no finite distance.
            let changed = distances.iter_mut().filter(|distance| **distance > 0.0);
            changed.for_each(|distance| *distance = f64::INFINITY);
        }
        let n_missing = distances
            .iter()
            .filter(|distance| distance.is_nan())
            .count();
        if n_missing == 0 {
            for cells in cells.iter_mut() {
                *cells += 1;
            }
        } else {
            for (distance, cells) in distances.iter_mut().zip(cells.iter_mut()) {
                *cells += u32::from(!distance.is_nan());
                // Adds nothing to either sum.
                *distance = if distance.is_nan() { 0.0 } else { *distance };
            }
        }
        for (mean, distance) in means.iter_mut().zip(&distances) {
            *mean += distance;
        }
        (block_sum(&distances), distances.len() - n_missing)
    };
    let sums = variables.iter().map(&mut sum_variable).collect();
    for (mean, &cells) in means.iter_mut().zip(cells.iter()) {
        *mean /= f64::from(cells);
    }
    sums
}

fn mean_distance(
    variable: &VariablePair<'_>,
    blocks: impl Iterator<Item = Summed> + Clone,
) -> Result<(String, Option<f64>, usize), MethodError> {
    let sum = compensated(blocks.clone().map(|(sum, _)| sum));
    if !sum.is_finite() {
        return Err(if variable.sd == 0.0 {
            zero_sd(variable.name)
        } else {
            too_far(variable.name)
        });
    }
    let n_cells = blocks.map(|(_, n_cells)| n_cells).sum();
    Ok((
        variable.name.to_owned(),
        (n_cells > 0).then(|| sum / n_cells as f64),
        n_cells,
    ))
}

fn too_far(variable: &str) -> MethodError {
    MethodError::data(
        variable,
        "original and masked values are so far apart that their distances leave the numbers of the machine",
        "check that both files state the variable in the same unit",
    )
}
