//! Losses that are the mean of a figure of every cell.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::sums::{block_sum, compensated};
use crate::measure::{MeasureTask, Measurement};
use crate::missing::Missing;
use crate::pair::records::{BLOCK, VariablePair, overall, variable_pairs};

/// A figure of the two values of a cell. What it needs of a block of records is their values, and of the whole file no
/// more than the standard deviation of the original.
pub trait CellFigure: Sync {
    /// The figures of a variable for some records; NaN where either value is missing.
    fn fill(&self, of: VariableScale, original: &[f64], masked: &[f64], figures: &mut [f64]);

    /// What is wrong with a variable whose figures have no finite sum.
    fn not_finite(&self, name: &str, of: VariableScale) -> MethodError {
        let _ = of;
        too_far(name)
    }
}

/// What figures of cells need to know of a whole variable.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariableScale {
    /// Standard deviation of the original values.
    pub sd: f64,
}

impl<F: Fn(f64, f64) -> f64 + Sync> CellFigure for F {
    fn fill(&self, _: VariableScale, original: &[f64], masked: &[f64], figures: &mut [f64]) {
        for ((figure, &x), &z) in figures.iter_mut().zip(original).zip(masked) {
            *figure = self(x, z);
        }
    }
}

/// The mean of a figure of every cell: over all, by variable and, where somebody wants that, by record.
pub fn mean_of_cells(
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    figure: &dyn CellFigure,
) -> Result<Measurement, MethodError> {
    let variables = variable_pairs(missing, task, context)?;
    let n = task.both()?.masked.n_records();
    let mut records = RecordFigures::of(n, context);
    let sums = summed(&variables, figure, &mut records, context)?;
    let mut by_variable = Vec::new();
    for (j, variable) in variables.iter().enumerate() {
        let blocks = || sums.iter().flat_map(|stretch| &stretch[j]);
        let sum = compensated(blocks().map(|block| block.sum));
        if !sum.is_finite() {
            return Err(figure.not_finite(variable.name, scale_of(variable)));
        }
        let n_cells: usize = blocks().map(|block| block.n_cells).sum();
        let mean = (n_cells > 0).then(|| sum / n_cells as f64);
        by_variable.push((variable.name.to_owned(), mean, n_cells));
    }
    let (value, by_variable) = overall(&by_variable);
    Ok(Measurement {
        value,
        by_variable,
        per_record: records.means,
        cells_per_record: records.cells,
        ..Measurement::default()
    })
}

/// Sum and number of the figures of a block that are defined.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockSum {
    /// The sum.
    pub sum: f64,
    /// The number.
    pub n_cells: usize,
}

fn scale_of(variable: &VariablePair<'_>) -> VariableScale {
    VariableScale { sd: variable.sd }
}

/// Means and numbers of the figures of each record, if somebody wants them: they take more memory than a column.
struct RecordFigures {
    means: Option<Vec<f64>>,
    cells: Option<Vec<u32>>,
}

impl RecordFigures {
    fn of(n_records: usize, context: &RunContext<'_>) -> Self {
        let is_wanted = context.wants_record_figures();
        Self {
            means: is_wanted.then(|| vec![0.0; n_records]),
            cells: is_wanted.then(|| vec![0; n_records]),
        }
    }

    /// The places of each stretch.
    fn stretches(
        &mut self,
        n_records: usize,
        stretch: usize,
    ) -> Vec<Option<(&mut [f64], &mut [u32])>> {
        let parts = self.means.as_mut().zip(self.cells.as_mut());
        match parts {
            Some((means, cells)) => {
                let parts = means.chunks_mut(stretch).zip(cells.chunks_mut(stretch));
                parts.map(Some).collect()
            }
            None => (0..n_records.div_ceil(stretch)).map(|_| None).collect(),
        }
    }
}

/// The sums of the blocks of each variable, stretch by stretch.
fn summed(
    variables: &[VariablePair<'_>],
    figure: &dyn CellFigure,
    records: &mut RecordFigures,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<Vec<BlockSum>>>, MethodError> {
    let n = variables.first().map_or(0, VariablePair::n_records);
    let stretch = variables.iter().map(VariablePair::stretch).max();
    let stretch = stretch.unwrap_or(BLOCK);
    let done = AtomicUsize::new(0);
    let stretches = records.stretches(n, stretch).into_par_iter().enumerate();
    let sums = stretches.map(|(number, mut places)| {
        let first = number * stretch;
        let here = first..n.min(first + stretch);
        context.progress(done.fetch_add(here.len(), Ordering::Relaxed), n)?;
        let of_variable = |variable: &VariablePair<'_>| {
            // Of one variable at a time: there may be hundreds.
            let values = variable.of_records(here.clone());
            let blocks = (0..here.len()).step_by(BLOCK);
            let blocks = blocks.map(|from| {
                let block = from..here.len().min(from + BLOCK);
                let (x, z) = values.block(block.clone());
                let places = places.as_mut();
                let places =
                    places.map(|(means, cells)| (&mut means[block.clone()], &mut cells[block]));
                one_block(figure, scale_of(variable), x, z, places)
            });
            blocks.collect()
        };
        let sums: Vec<Vec<BlockSum>> = variables.iter().map(of_variable).collect();
        if let Some((means, cells)) = places {
            for (mean, &cells) in means.iter_mut().zip(cells.iter()) {
                *mean /= f64::from(cells);
            }
        }
        Ok(sums)
    });
    sums.collect()
}

/// Figures of a block of records in one variable: summed, and added to what is known of each record.
fn one_block(
    figure: &dyn CellFigure,
    of: VariableScale,
    original: &[f64],
    masked: &[f64],
    places: Option<(&mut [f64], &mut [u32])>,
) -> BlockSum {
    let mut figures = vec![0.0; masked.len()];
    let figures = &mut figures[..];
    figure.fill(of, original, masked, figures);
    let n_missing = figures.iter().filter(|figure| figure.is_nan()).count();
    let n_cells = figures.len() - n_missing;
    let (means, cells) = places.unwrap_or_default();
    if n_missing == 0 {
        for cells in cells.iter_mut() {
            *cells += 1;
        }
    } else {
        for (cells, figure) in cells.iter_mut().zip(&*figures) {
            *cells += u32::from(!figure.is_nan());
        }
        // Adds nothing to either sum.
        for figure in figures.iter_mut().filter(|figure| figure.is_nan()) {
            *figure = 0.0;
        }
    }
    for (mean, figure) in means.iter_mut().zip(&*figures) {
        *mean += figure;
    }
    BlockSum {
        sum: block_sum(figures),
        n_cells,
    }
}

/// An error for a variable whose distances have no finite sum.
pub fn too_far(name: &str) -> MethodError {
    MethodError::data(
        name,
        "original and masked values are so far apart that their distances leave the numbers of the machine",
        "check that both files state the variable in the same unit",
    )
}
