//! Masks of numbers by record: once some statistics of whole columns are known, each block of records is masked by itself.
//!
//! What a block needs is the settings, the statistics, the values of its records and the rows of the source that they came
//! from, and nothing else of the file. In memory the blocks are those of the columns as they lie there; of columns in files
//! each is read, masked and written.

use std::borrow::Cow;
use std::ops::Range;

use bauta_data::column::NewNumbers;
use bauta_data::{Column, Table};

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::streamed::{STRETCH, Streamed, each_stretch};
use crate::mask::Change;
use crate::mask::continuous::{Fit, FitStatistics};
use crate::mask::jointly::JointVariable;

/// Records that are masked at a time: few enough that those of a dozen variables stay near the processor.
const BLOCK: usize = 1024;

/// The records of a block.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'t> {
    /// The table whose records they are; it says which rows of the source they came from, by which draws are found.
    pub(crate) table: &'t Table,
    /// Which.
    pub(crate) records: Range<usize>,
}

/// What a mask makes of a block: from the values of each variable, NaN where missing, their masked values. The places for
/// these hold 0 before.
pub(crate) type MaskBlock<'m> =
    dyn Fn(&Rows<'_>, &[&[f64]], &mut [&mut [f64]]) -> Result<(), MethodError> + Sync + 'm;

/// The same of one variable.
pub(crate) type MaskColumn<'m> =
    dyn Fn(&Rows<'_>, &[f64], &mut [f64]) -> Result<(), MethodError> + Sync + 'm;

/// Masks variables block by block, and fits what comes of them to what they were. The masked columns lie where the
/// variables do.
pub(crate) fn masked_by_record(
    table: &Table,
    variables: &[JointVariable<'_>],
    fit: Fit,
    context: &RunContext<'_>,
    mask: &MaskBlock<'_>,
) -> Result<Change, MethodError> {
    let made = variables
        .iter()
        .map(|variable| NewNumbers::of(variable.column));
    let mut made: Vec<NewNumbers<'_>> = made.collect();
    each_masked(table, variables, fit, context, mask, &mut |at, z| {
        made[at].add(z);
    })?;
    let made = made.into_iter().map(NewNumbers::finish);
    let columns = variables.iter().map(|variable| variable.attr_idx).zip(made);
    Ok(Change::of_columns(columns.collect()))
}

/// The same of one variable.
pub(crate) fn column_by_record(
    table: &Table,
    variable: JointVariable<'_>,
    fit: Fit,
    context: &RunContext<'_>,
    mask: &MaskColumn<'_>,
) -> Result<Column, MethodError> {
    let mut made = NewNumbers::of(variable.column);
    let of_one: &MaskBlock<'_> = &|rows, x, z| {
        let mut cells = x.iter().zip(z);
        cells.try_for_each(|(x, z)| mask(rows, x, z))
    };
    each_masked(table, &[variable], fit, context, of_one, &mut |_, z| {
        made.add(z);
    })?;
    Ok(made.finish())
}

/// The masked values of each variable, all of them in memory.
pub(crate) fn values_by_record(
    table: &Table,
    variables: &[JointVariable<'_>],
    fit: Fit,
    context: &RunContext<'_>,
    mask: &MaskBlock<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let mut values: Vec<Vec<f64>> = variables.iter().map(|_| Vec::new()).collect();
    each_masked(table, variables, fit, context, mask, &mut |at, mut z| {
        values[at].append(&mut z);
    })?;
    Ok(values)
}

/// Hands on the masked values of each variable, block after block in the order of the records.
fn each_masked(
    table: &Table,
    variables: &[JointVariable<'_>],
    fit: Fit,
    context: &RunContext<'_>,
    mask: &MaskBlock<'_>,
    hand_on: &mut dyn FnMut(usize, Vec<f64>),
) -> Result<(), MethodError> {
    let statistics = variables.iter().map(|variable| fit.statistics(&variable.x));
    let statistics: Vec<FitStatistics> = statistics.collect();
    let mut n_clamped = vec![0; variables.len()];
    let n = table.n_records();
    let stretch = variables.iter().map(|variable| variable.x.stretch()).max();
    let stretch = stretch.unwrap_or(STRETCH);
    // As many as threads can mask are in memory besides what is there anyway.
    let at_once = stretch * rayon::current_num_threads();
    for start in (0..n).step_by(at_once) {
        if variables.len() > 1 {
            context.progress(start, n)?;
        }
        let masked = each_stretch(at_once.min(n - start), stretch, &|records| {
            context.go_on()?;
            let records = start + records.start..start + records.end;
            stretch_of(table, variables, &statistics, records, mask)
        });
        for masked in masked {
            for (at, (z, n_cells)) in masked?.into_iter().enumerate() {
                hand_on(at, z);
                n_clamped[at] += n_cells;
            }
        }
    }
    for ((variable, statistics), n_cells) in variables.iter().zip(&statistics).zip(n_clamped) {
        statistics.note(variable.name(), n_cells, context);
    }
    Ok(())
}

/// The masked values of each variable in some records, and how many were moved back into its range.
fn stretch_of(
    table: &Table,
    variables: &[JointVariable<'_>],
    statistics: &[FitStatistics],
    records: Range<usize>,
    mask: &MaskBlock<'_>,
) -> Result<Vec<(Vec<f64>, usize)>, MethodError> {
    let values = variables
        .iter()
        .map(|variable| variable.x.some(records.clone()));
    let values: Vec<Cow<'_, [f64]>> = values.collect();
    let mut masked: Vec<Vec<f64>> = variables.iter().map(|_| vec![0.0; records.len()]).collect();
    for from in (0..records.len()).step_by(BLOCK) {
        let block = from..records.len().min(from + BLOCK);
        let x: Vec<&[f64]> = values.iter().map(|values| &values[block.clone()]).collect();
        let mut z: Vec<&mut [f64]> = masked
            .iter_mut()
            .map(|masked| &mut masked[block.clone()])
            .collect();
        let rows = Rows {
            table,
            records: records.start + block.start..records.start + block.end,
        };
        mask(&rows, &x, &mut z)?;
    }
    let fitted = masked.into_iter().zip(statistics);
    let fitted = fitted.map(|(mut z, statistics)| {
        let n_cells = statistics.fit(&mut z);
        (z, n_cells)
    });
    Ok(fitted.collect())
}
