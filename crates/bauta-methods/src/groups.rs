//! Measuring parts of a file: outlying records apart from the rest, and subpopulations.

use bauta_data::{Condition, Table};

use crate::card::Family;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::is_few;
use crate::figure::{FigureName, FigureSpec};
use crate::kernel::numbers::sums::sum_by;
use crate::measure::{Files, Measure, MeasureTask, Measurement, Scope};
use crate::note::{Note, NoteRank};
use crate::pair::outliers::outliers;
use crate::pair::records::traced_to_nearest;
use crate::pair::{Pair, Rows};
use crate::params::Params;

/// How far an estimate from a sample may be off. A measure that samples declares it and gives it; on
/// a subpopulation it is found anew here, with [`SAMPLED`].
pub(crate) const STANDARD_ERROR: FigureSpec =
    FigureSpec::share("standard error", "standard error").lower_is_better();

/// On how many records of a subpopulation an estimate from a sample rests.
pub(crate) const SAMPLED: FigureSpec = FigureSpec::count("records sampled", "records sampled");

/// Which records a measure is to look at, and which apart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Groups {
    /// Share of records that count as outliers; their figure and that of the rest are then given too.
    pub outliers: Option<f64>,
    /// Condition that original records satisfy; the measure then looks at those only.
    pub condition: Option<Condition>,
}

impl Groups {
    /// Whether the whole file is looked at and nothing apart.
    pub fn are_none(&self) -> bool {
        self.outliers.is_none() && self.condition.is_none()
    }
}

/// Takes a measure on the groups that are asked for.
///
/// A loss on a subpopulation is that of the two files with only its records, so that means and
/// covariances are its own. A risk looks for those records in the whole files, since an intruder
/// does. Outliers are outliers of the whole original, and the original's values decide who belongs
/// to a subpopulation: `original` is the file that the records of a single one came from.
pub fn measure_groups(
    measure: &dyn Measure,
    params: &Params,
    task: &MeasureTask<'_>,
    groups: &Groups,
    original: &Table,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    // Keys have no farthest record, and their measures no subpopulation of figures.
    if groups.are_none() || measure.declared().scope == Scope::Scenario {
        return measure.measure(params, task, context);
    }
    match task.files {
        Files::One(table) => one_file(measure, params, task, table, groups, original, context),
        Files::Both(pair) => two_files(measure, params, task, &pair, groups, context),
    }
}

fn one_file(
    measure: &dyn Measure,
    params: &Params,
    task: &MeasureTask<'_>,
    table: &Table,
    groups: &Groups,
    original: &Table,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let Some(condition) = &groups.condition else {
        return measure.measure(params, task, context);
    };
    let selected = of_masked(&satisfying(condition, original)?, table);
    let part = part_of(table, &selected);
    let mut found = measure.measure(
        params,
        &MeasureTask {
            files: Files::One(&part),
            ..*task
        },
        context,
    )?;
    found.per_record = None;
    found.cells_per_record = None;
    found.few.all = is_few(part.n_records() as u64);
    Ok(found)
}

fn two_files(
    measure: &dyn Measure,
    params: &Params,
    task: &MeasureTask<'_>,
    pair: &Pair<'_>,
    groups: &Groups,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    // For each masked record the original one whose group it belongs to.
    let retraced;
    let partners = match (pair.rows, groups.outliers) {
        (Rows::Correspond, _) | (Rows::Unrelated, None) => pair.masked,
        (Rows::Unrelated, Some(_)) => {
            retraced = traced_to_nearest(pair, task.on, context)?;
            &retraced
        }
    };
    let is_outlier = match groups.outliers {
        Some(share) => Some(of_masked(
            &outliers(pair.original, task.on, share)?,
            partners,
        )),
        None => None,
    };
    let Some(condition) = &groups.condition else {
        let mut found = measure.measure(params, task, context)?;
        split(&mut found, is_outlier.as_deref(), None);
        return Ok(found);
    };
    let in_original = satisfying(condition, pair.original)?;
    let in_masked = if pair.rows == Rows::Correspond {
        of_masked(&in_original, pair.masked)
    } else {
        context.note(condition_on_each_file());
        satisfying(condition, pair.masked)?
    };
    if measure.card().family == Family::Loss {
        let original = part_of(pair.original, &in_original);
        let masked = masked_part(pair, &in_original, &in_masked);
        let part = Pair {
            original: &original,
            masked: &masked,
            rows: pair.rows,
        };
        let mut found = measure.measure(
            params,
            &MeasureTask {
                files: Files::Both(part),
                whole: Some(*pair),
                ..*task
            },
            context,
        )?;
        let kept = is_outlier.map(|marks| kept_of(&marks, &in_masked));
        split(&mut found, kept.as_deref(), None);
        let n_records = original.n_records().min(masked.n_records());
        found.few.all = is_few(n_records as u64);
        return Ok(found);
    }
    let found = measure.measure(params, task, context)?;
    if found.per_record.is_none() {
        context.note(not_measured(
            measure.card().id,
            "it has no figure by record, and so none for a subpopulation",
        ));
    }
    let mut found = averaged(found, is_outlier.as_deref(), &in_masked);
    let n_records = in_masked.iter().filter(|is_in| **is_in).count();
    found.few.all = is_few(n_records as u64);
    Ok(found)
}

/// Records do not correspond, so that each file's records were selected by its own values.
fn condition_on_each_file() -> Note {
    Note::new(
        "condition-on-each-file",
        "the records do not correspond, so that each file's own values decided which belong to the subpopulation",
    )
}

/// A measure that nobody asked for by name and that the data do not allow, and why not.
pub fn not_measured(measure: &str, reason: &str) -> Note {
    Note::new(
        "not-measured",
        format!("{measure} was not measured: {reason}"),
    )
    .with("measure", measure)
    .with("reason", reason)
    .ranked(NoteRank::Warning)
}

/// The records of the original that satisfy a condition; an error if there are none.
fn satisfying(condition: &Condition, table: &Table) -> Result<Vec<bool>, MethodError> {
    let selected = condition
        .holds(table)
        .map_err(|problem| MethodError::request(problem.message, problem.hint))?;
    if table.n_records() > 0 && !selected.contains(&true) {
        return Err(MethodError::request(
            format!("no record satisfies the condition `{condition}`"),
            "widen the condition",
        ));
    }
    Ok(selected)
}

/// For each masked record whether its original has a mark.
fn of_masked(marks: &[bool], masked: &Table) -> Vec<bool> {
    (0..masked.n_records())
        .map(|record| marks.get(masked.source_row(record)).copied() == Some(true))
        .collect()
}

fn positions(marks: &[bool]) -> Vec<u32> {
    (0..marks.len() as u32)
        .filter(|&record| marks[record as usize])
        .collect()
}

fn kept_of<T: Copy>(values: &[T], kept: &[bool]) -> Vec<T> {
    values
        .iter()
        .zip(kept)
        .filter(|(_, kept)| **kept)
        .map(|(value, _)| *value)
        .collect()
}

/// Some records as a file of its own.
fn part_of(table: &Table, selected: &[bool]) -> Table {
    table.take(&positions(selected)).as_source()
}

/// The masked records of a subpopulation, traced to its original records.
fn masked_part(pair: &Pair<'_>, in_original: &[bool], in_masked: &[bool]) -> Table {
    if pair.rows == Rows::Unrelated {
        return part_of(pair.masked, in_masked);
    }
    let mut new_row = vec![0_u32; in_original.len()];
    let mut next = 0;
    for (row, &selected) in in_original.iter().enumerate() {
        new_row[row] = next;
        next += u32::from(selected);
    }
    let taken = pair.masked.take(&positions(in_masked));
    let rows: Vec<u32> = (0..taken.n_records())
        .map(|record| new_row[taken.source_row(record)])
        .collect();
    taken.traced_to(rows)
}

/// Adds the figures of outliers and the rest to a measurement of records.
fn split(found: &mut Measurement, is_outlier: Option<&[bool]>, within: Option<&[bool]>) {
    let (Some(figures), Some(is_outlier)) = (&found.per_record, is_outlier) else {
        return;
    };
    let cells = found.cells_per_record.as_deref();
    let inside = |record: usize| within.is_none_or(|within| within[record]);
    let in_outliers = |record: usize| inside(record) && is_outlier[record];
    let in_rest = |record: usize| inside(record) && !is_outlier[record];
    let few = |wanted: &dyn Fn(usize) -> bool| {
        let of_group = (0..figures.len()).filter(|&record| wanted(record));
        is_few(of_group.filter(|&record| !figures[record].is_nan()).count() as u64)
    };
    (found.few.outliers, found.few.rest) = (few(&in_outliers), few(&in_rest));
    found.outliers = mean_of(figures, cells, in_outliers);
    found.rest = mean_of(figures, cells, in_rest);
}

/// A measurement of all records reduced to those of a subpopulation.
fn averaged(found: Measurement, is_outlier: Option<&[bool]>, within: &[bool]) -> Measurement {
    let mut reduced = Measurement {
        per_record: found.per_record,
        cells_per_record: found.cells_per_record,
        ..Measurement::default()
    };
    split(&mut reduced, is_outlier, Some(within));
    if let Some(figures) = reduced.per_record.take() {
        let cells = reduced.cells_per_record.take();
        reduced.value = mean_of(&figures, cells.as_deref(), |record| within[record]);
        let error = FigureName::from(&STANDARD_ERROR);
        if found.figures.iter().any(|figure| figure.name == error) {
            let kept = kept_of(&figures, within);
            let (m, error) = standard_error(&kept);
            reduced.give(&SAMPLED, m as f64);
            reduced.give(&STANDARD_ERROR, error);
        }
        reduced.per_record = Some(kept_of(&figures, within));
        reduced.cells_per_record = cells.map(|cells| kept_of(&cells, within));
    }
    reduced
}

/// Number of figures that a sample gave, and the standard error of their mean: √((1 - m/N) s²/m) for m
/// of N records, s² with m - 1; none for fewer than two.
fn standard_error(figures: &[f64]) -> (usize, Option<f64>) {
    let sampled: Vec<f64> = figures.iter().copied().filter(|x| !x.is_nan()).collect();
    let m = sampled.len();
    if m < 2 {
        return (m, None);
    }
    let mean = sum_by(m, |i| sampled[i]) / m as f64;
    let squares = sum_by(m, |i| (sampled[i] - mean) * (sampled[i] - mean));
    let variance = squares / (m - 1) as f64;
    let missed = 1.0 - m as f64 / figures.len() as f64;
    (m, Some((missed * variance / m as f64).sqrt()))
}

/// The mean of some records' figures, weighted by the cells they rest on.
fn mean_of(
    figures: &[f64],
    cells: Option<&[u32]>,
    wanted: impl Fn(usize) -> bool + Sync,
) -> Option<f64> {
    let weight = |record: usize| -> f64 {
        if !wanted(record) || figures[record].is_nan() {
            return 0.0;
        }
        cells.map_or(1.0, |cells| f64::from(cells[record]))
    };
    let total = sum_by(figures.len(), weight);
    let sum = sum_by(figures.len(), |record| {
        let weight = weight(record);
        if weight == 0.0 {
            0.0
        } else {
            weight * figures[record]
        }
    });
    (total > 0.0).then(|| sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_within_a_subpopulation_has_its_own_standard_error() {
        // Two of four records were sampled: s² of 0 and 1 is 0.5, (1 - 2/4) 0.5 / 2 = 0.125.
        let (m, error) = standard_error(&[0.0, f64::NAN, 1.0, f64::NAN]);
        assert_eq!(m, 2);
        assert!((error.expect("two figures") - 0.125_f64.sqrt()).abs() < 1e-15);
        assert_eq!(standard_error(&[f64::NAN, 1.0]), (1, None));
    }

    #[test]
    fn means_are_weighted_by_cells() {
        // (3 · 1 + 1 · 5) / 4 = 2; a record without a figure counts nothing.
        let figures = [1.0, 5.0, f64::NAN, 100.0];
        let mean = mean_of(&figures, Some(&[3, 1, 0, 9]), |record| record < 3);
        assert_eq!(mean, Some(2.0));
        assert_eq!(mean_of(&figures, None, |record| record == 2), None);
    }
}
