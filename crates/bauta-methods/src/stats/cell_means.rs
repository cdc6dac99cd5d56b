//! Losses that are the mean of a figure of every cell.

use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{MeasureTask, Measurement};
use crate::stats::corresponding::{RecordMeans, VariablePair, n_defined, overall, variable_pairs};
use crate::stats::sums::sum_by;

/// The mean of a figure of every cell: over all, by variable and by record.
///
/// `figures` gives one figure per masked record, NaN where a value is missing; `not_finite` says
/// what is wrong with a variable whose figures have no finite sum.
pub fn mean_of_cells(
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    figures: impl Fn(&VariablePair<'_>) -> Vec<f64>,
    not_finite: impl Fn(&VariablePair<'_>) -> MethodError,
) -> Result<Measurement, MethodError> {
    let variables = variable_pairs(task, context)?;
    let mut by_variable = Vec::new();
    let mut per_record = RecordMeans::new(task.both()?.masked.n_records());
    for (done, variable) in variables.iter().enumerate() {
        context.progress(done, variables.len())?;
        let figures = figures(variable);
        let sum = sum_by(figures.len(), |i| {
            if figures[i].is_nan() { 0.0 } else { figures[i] }
        });
        if !sum.is_finite() {
            return Err(not_finite(variable));
        }
        let n_cells = n_defined(&figures);
        let mean = (n_cells > 0).then(|| sum / n_cells as f64);
        by_variable.push((variable.name.to_owned(), mean, n_cells));
        per_record.add(&figures);
    }
    let (value, by_variable) = overall(&by_variable);
    let (per_record, cells) = per_record.finish();
    Ok(Measurement {
        value,
        by_variable,
        per_record: Some(per_record),
        cells_per_record: Some(cells),
        ..Measurement::default()
    })
}

/// An error for a variable whose distances have no finite sum.
pub fn too_far(variable: &VariablePair<'_>) -> MethodError {
    MethodError::data(
        variable.name,
        "original and masked values are so far apart that their distances leave the numbers of the machine",
        "check that both files state the variable in the same unit",
    )
}
