//! Losses that are the mean of a figure of every cell.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::sums::{block_sum, compensated};
use crate::measure::{MeasureTask, Measurement};
use crate::missing::Missing;
use crate::pair::records::{BLOCK, VariablePair, overall, variable_pairs};

/// The mean of a figure of the two values of every cell, which is NaN where either of them is.
pub fn mean_of_figure(
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    figure: impl Fn(f64, f64) -> f64 + Sync,
) -> Result<Measurement, MethodError> {
    let fill = |variable: &VariablePair<'_>, first: usize, figures: &mut [f64]| {
        variable.fill(first, figures, &figure);
    };
    mean_of_cells(missing, task, context, fill, too_far)
}

/// The mean of a figure of every cell: over all, by variable and by record.
///
/// `fill` gives the figures of a variable for some masked records, from one on, NaN where a value is
/// missing; `not_finite` says what is wrong with a variable whose figures have no finite sum.
pub fn mean_of_cells(
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    fill: impl Fn(&VariablePair<'_>, usize, &mut [f64]) + Sync,
    not_finite: impl Fn(&VariablePair<'_>) -> MethodError,
) -> Result<Measurement, MethodError> {
    by_block(missing, task, context, &fill, &not_finite)
}

/// Compiled once for all figures; see `kernel/parallel.rs`.
fn by_block(
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    fill: &Fill<'_>,
    not_finite: &dyn Fn(&VariablePair<'_>) -> MethodError,
) -> Result<Measurement, MethodError> {
    let variables = variable_pairs(missing, task, context)?;
    let n = task.both()?.masked.n_records();
    let (mut means, mut cells) = (vec![0.0; n], vec![0; n]);
    let done = AtomicUsize::new(0);
    let blocks = means.par_chunks_mut(BLOCK).zip(cells.par_chunks_mut(BLOCK));
    let sums = blocks.enumerate().map(|(block, (means, cells))| {
        context.progress(done.fetch_add(means.len(), Ordering::Relaxed), n)?;
        Ok(one_block(&variables, block * BLOCK, fill, means, cells))
    });
    let sums = sums.collect::<Result<Vec<Vec<Summed>>, MethodError>>()?;
    let mut by_variable = Vec::new();
    for (j, variable) in variables.iter().enumerate() {
        let sum = compensated(sums.iter().map(|block| block[j].0));
        if !sum.is_finite() {
            return Err(not_finite(variable));
        }
        let n_cells: usize = sums.iter().map(|block| block[j].1).sum();
        let mean = (n_cells > 0).then(|| sum / n_cells as f64);
        by_variable.push((variable.name.to_owned(), mean, n_cells));
    }
    let (value, by_variable) = overall(&by_variable);
    Ok(Measurement {
        value,
        by_variable,
        per_record: Some(means),
        cells_per_record: Some(cells),
        ..Measurement::default()
    })
}

/// Gives the figures of a variable for some masked records, from one on.
type Fill<'f> = dyn Fn(&VariablePair<'_>, usize, &mut [f64]) + Sync + 'f;

/// Sum and number of the figures that are defined.
type Summed = (f64, usize);

/// Figures of the records from `first` on in all variables: summed by variable, averaged by
/// record. All that a block needs stays near the processor.
fn one_block(
    variables: &[VariablePair<'_>],
    first: usize,
    fill: &Fill<'_>,
    means: &mut [f64],
    cells: &mut [u32],
) -> Vec<Summed> {
    let mut figures = vec![0.0; means.len()];
    let mut sum_variable = |variable: &VariablePair<'_>| {
        fill(variable, first, &mut figures);
        let n_missing = figures.iter().filter(|figure| figure.is_nan()).count();
        if n_missing == 0 {
            for cells in cells.iter_mut() {
                *cells += 1;
            }
        } else {
            for (figure, cells) in figures.iter_mut().zip(cells.iter_mut()) {
                *cells += u32::from(!figure.is_nan());
                // Adds nothing to either sum.
                *figure = if figure.is_nan() { 0.0 } else { *figure };
            }
        }
        for (mean, figure) in means.iter_mut().zip(&figures) {
            *mean += figure;
        }
        (block_sum(&figures), figures.len() - n_missing)
    };
    let sums = variables.iter().map(&mut sum_variable).collect();
    for (mean, &cells) in means.iter_mut().zip(cells.iter()) {
        *mean /= f64::from(cells);
    }
    sums
}

/// An error for a variable whose distances have no finite sum.
pub fn too_far(variable: &VariablePair<'_>) -> MethodError {
    MethodError::data(
        variable.name,
        "original and masked values are so far apart that their distances leave the numbers of the machine",
        "check that both files state the variable in the same unit",
    )
}
