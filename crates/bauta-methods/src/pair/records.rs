//! Numeric variables of two files, record beside record.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Column, Kind, Table};
use rayon::prelude::*;

use crate::by_record::ColumnNumbers;
use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::facts::ColumnsOfBoth;
use crate::kernel::numbers::grid::Grid;
use crate::kernel::numbers::moments::{finite_moments, finite_moments_along, is_constant, moments};
use crate::kernel::numbers::streamed::{Streamed, each_stretch};
use crate::kernel::space::nearest::{NearestTree, Queries};
use crate::kernel::space::points::Points;
use crate::kernel::space::yardstick::Yardstick;
use crate::measure::{Files, MeasureTask, Part};
use crate::missing::{Missing, check_missing};
use crate::note::Note;
use crate::pair::{Pair, Rows};
use crate::params::{Params, choices};

choices! {
    /// Which original record a masked one is compared with.
    pub enum Correspondence {
        Own = "own": "the record that it was made from",
        Nearest = "nearest": "the nearest one in all variables, standardised; the lowest row of several",
    }
}

/// Which original record a masked one is compared with: shared by measures that offer both.
pub const CORRESPONDENCE: ParamSpec = ParamSpec::choice::<Correspondence>(
    "correspondence",
    "which original record a masked record is compared with",
)
.unset("own where the records correspond, nearest where they do not");

impl Correspondence {
    /// What was asked for by [`CORRESPONDENCE`], if anything was.
    pub fn asked(params: &Params) -> Option<Self> {
        params.choice_if_set(CORRESPONDENCE.name)
    }
}

/// Does the work of a measure that has [`CORRESPONDENCE`] on the pairs of records that it asks for.
///
/// Under `nearest`, the task handed on holds a masked file whose records are traced to their nearest
/// originals, so that what follows need not know.
pub fn matched<T>(
    asked: Option<Correspondence>,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    work: impl FnOnce(&MeasureTask<'_>) -> Result<T, MethodError>,
) -> Result<T, MethodError> {
    let pair = task.both()?;
    if compares_own(asked, &pair) {
        return work(task);
    }
    let masked = traced_to_nearest(&pair, task.on, context)?;
    context.note(nearest_compared());
    let nearest = Pair {
        original: pair.original,
        masked: &masked,
        rows: Rows::Correspond,
    };
    work(&MeasureTask {
        files: Files::Both(nearest),
        ..*task
    })
}

/// Each masked record was compared with its nearest original one.
fn nearest_compared() -> Note {
    let text = "each masked record was compared with the original record nearest to it";
    Note::new("nearest-compared", text)
}

/// Whether a measure that has [`CORRESPONDENCE`] compares each masked record with its own original.
pub fn compares_own(asked: Option<Correspondence>, pair: &Pair<'_>) -> bool {
    match asked {
        Some(asked) => asked == Correspondence::Own,
        None => pair.rows == Rows::Correspond,
    }
}

/// The masked file with each record traced to the nearest original one: Euclidean distance in all
/// the variables, differences in standard deviations of the original.
pub fn traced_to_nearest(
    pair: &Pair<'_>,
    on: &[String],
    context: &RunContext<'_>,
) -> Result<Table, MethodError> {
    if pair.original.n_records() == 0 && pair.masked.n_records() > 0 {
        return Err(MethodError::request(
            "the original has no records, so that none is nearest",
            "compare with a file that has records",
        ));
    }
    if on.is_empty() {
        // Without variables all records are equally near, and the lowest row is taken.
        let rows = vec![0; pair.masked.n_records()];
        return Ok(pair.masked.clone().traced_to(rows));
    }
    let find = || nearest_originals(pair, on, context).map(Arc::new);
    let rows = match context.facts().zip(ColumnsOfBoth::of(pair, on)) {
        Some((facts, columns)) => facts.nearest.or_found(columns, find)?,
        None => find()?,
    };
    Ok(pair.masked.clone().traced_to(Arc::unwrap_or_clone(rows)))
}

/// The nearest original of each masked record.
fn nearest_originals(
    pair: &Pair<'_>,
    on: &[String],
    context: &RunContext<'_>,
) -> Result<Vec<u32>, MethodError> {
    let placed = PlacedColumns::of(pair, on)?;
    let tree = NearestTree::taking(placed.original.points(), placed.by.clone());
    // Few originals are nearer than the own one, so that most others need not be looked at.
    let own_is_known = check_rows(pair).is_ok();
    let to_own = |record: usize, point: &[f64]| {
        if !own_is_known {
            return f64::INFINITY;
        }
        let mut own = vec![0.0; point.len()];
        placed
            .original
            .place(pair.original_record(record), &mut own);
        placed.by.squared_distance(&own, point)
    };
    let done = AtomicUsize::new(0);
    let n_masked = pair.masked.n_records();
    tree.nearest_rows(&placed.masked, to_own, |n_block| {
        let before = done.fetch_add(n_block, Ordering::Relaxed);
        context.progress(before, n_masked)
    })
}

/// Both files as points, and how far apart they are.
pub struct PairedPoints {
    /// The original records.
    pub original: Points,
    /// The masked records.
    pub masked: Points,
    /// Distances in standard deviations of the original.
    pub by: Yardstick,
}

/// Both files as points: see [`PlacedColumns`].
pub fn paired_points(pair: &Pair<'_>, on: &[String]) -> Result<PairedPoints, MethodError> {
    let placed = PlacedColumns::of(pair, on)?;
    Ok(PairedPoints {
        original: placed.original.points(),
        masked: placed.masked.points(),
        by: placed.by,
    })
}

/// The columns of both files as coordinates of points. Each variable is in steps of its decimal grid, so that its
/// differences are those of the numbers that the files show; they are divided by the standard deviation of the
/// original. Missing values are refused: a distance needs every variable.
struct PlacedColumns<'a> {
    original: Placed<'a>,
    masked: Placed<'a>,
    by: Yardstick,
}

impl<'a> PlacedColumns<'a> {
    fn of(pair: &Pair<'a>, on: &[String]) -> Result<Self, MethodError> {
        let mut columns: [Vec<&[f64]>; 2] = [Vec::new(), Vec::new()];
        let (mut grids, mut units) = (Vec::new(), Vec::new());
        for name in on {
            let files = [(pair.original, "original"), (pair.masked, "masked")];
            for ((table, file), columns) in files.into_iter().zip(&mut columns) {
                columns.push(complete_column(table, name, file)?);
            }
            let [original, masked] =
                [0, 1].map(|file| columns[file].last().copied().unwrap_or_default());
            let sd = finite_moments(name, original)?.sd;
            // The mean of equal values can be rounded, so that their standard deviation is not quite 0.
            if sd == 0.0 || is_constant(original) {
                grids.push(None);
                units.push(0.0);
            } else {
                let grid = Grid::of_both(original, masked);
                grids.push(Some(grid));
                units.push(unit(original, grid).unwrap_or(sd * grid.steps()));
            }
        }
        let [original, masked] = columns.map(|columns| Placed {
            columns,
            grids: grids.clone(),
        });
        Ok(Self {
            original,
            masked,
            by: Yardstick::in_units(&units),
        })
    }
}

/// A column of numbers without a missing value.
fn complete_column<'a>(table: &'a Table, name: &str, file: &str) -> Result<&'a [f64], MethodError> {
    let values = numeric(table.column_named(name), name, file)?;
    let n_missing = values.len() - n_defined(values);
    if n_missing == 0 {
        return Ok(values);
    }
    Err(MethodError::data(
        name,
        format!("{n_missing} values are missing in the {file} file"),
        "distances between records need every variable: leave it out, or impute it first",
    ))
}

/// The columns of one file, and the grid of each; none where a column counts for nothing.
struct Placed<'a> {
    columns: Vec<&'a [f64]>,
    grids: Vec<Option<Grid>>,
}

impl Placed<'_> {
    /// All records side by side.
    fn points(&self) -> Points {
        Points::placed(&self.columns, &self.grids, |value, grid| {
            grid.map_or(0.0, |grid| grid.in_steps(value))
        })
    }
}

impl Queries for Placed<'_> {
    fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.iter().len())
    }

    fn place(&self, query: usize, point: &mut [f64]) {
        for ((place, column), grid) in point.iter_mut().zip(&self.columns).zip(&self.grids) {
            *place = grid.map_or(0.0, |grid| grid.in_steps(column[query]));
        }
    }
}

/// The standard deviation in steps, of distances from the first value: those are exact, so that it is
/// known to its last digits however far from 0 the values lie. None where they are too large for it.
fn unit(values: &[f64], grid: Grid) -> Option<f64> {
    let first = grid.in_steps(values.first().copied()?);
    let from_first: Vec<f64> = values
        .iter()
        .map(|&value| grid.in_steps(value) - first)
        .collect();
    Some(moments(&from_first).sd).filter(|sd| sd.is_finite() && *sd > 0.0)
}

/// Positions of the records that have a value in all of the variables; none if that is every record.
pub fn complete_records(table: &Table, on: &[String]) -> Option<Vec<u32>> {
    let may_lack: Vec<&Column> = on
        .iter()
        .filter_map(|name| table.column_named(name))
        .filter(|column| column.n_missing() > 0)
        .collect();
    if may_lack.is_empty() {
        return None;
    }
    let lacks = |record: &u32| {
        let mut columns = may_lack.iter();
        columns.any(|column| column.is_missing(*record as usize))
    };
    let n = table.n_records();
    let complete: Vec<u32> = (0..n as u32).filter(|record| !lacks(record)).collect();
    (complete.len() < n).then_some(complete)
}

/// Records that lack a value were left out of a file's means and covariances, of a model, or of a
/// search for nearest records.
pub fn incomplete_skipped(n_original: usize, n_masked: usize) -> Note {
    Note::new(
        "incomplete-records-skipped",
        format!(
            "records without all of the values were left out: {n_original} of the original, {n_masked} of the masked file"
        ),
    )
    .with("n_original", n_original)
    .with("n_masked", n_masked)
}

/// One variable in both files.
#[derive(Clone, Copy, Debug)]
pub struct VariablePair<'a> {
    /// Its name.
    pub name: &'a str,
    /// Original values.
    pub original: ColumnNumbers<'a>,
    /// Masked values.
    pub masked: ColumnNumbers<'a>,
    /// Standard deviation of the original values.
    pub sd: f64,
    pair: Pair<'a>,
}

impl VariablePair<'_> {
    /// Masked records.
    pub fn n_records(&self) -> usize {
        self.masked.len()
    }

    /// Whether its values are read for each look.
    pub fn is_on_disk(&self) -> bool {
        self.original.is_on_disk() || self.masked.is_on_disk()
    }

    /// Masked records that are best looked at together: a multiple of [`BLOCK`].
    pub fn stretch(&self) -> usize {
        if self.is_on_disk() {
            self.original.stretch().max(self.masked.stretch())
        } else {
            BLOCK
        }
    }

    /// The values of some masked records, and the original values that belong to them.
    pub fn of_records(&self, records: Range<usize>) -> PairedValues<'_> {
        PairedValues {
            original: self.originals(records.clone()),
            masked: self.masked.some(records),
        }
    }

    fn originals(&self, records: Range<usize>) -> Cow<'_, [f64]> {
        if self.pair.masked.rows_as_in_source() {
            return self.original.some(records);
        }
        let rows = || {
            records
                .clone()
                .map(|record| self.pair.original_record(record))
        };
        let (Some(first), Some(last)) = (rows().min(), rows().max()) else {
            return Cow::default();
        };
        // Records that stayed lie near each other; those that were looked for may lie anywhere.
        if self.original.is_on_disk() && last - first < WIDE * records.len() {
            let part = self.original.some(first..last + 1);
            return rows().map(|row| part[row - first]).collect();
        }
        let whole = self.original.whole();
        rows().map(|row| whole[row]).collect()
    }

    /// How many masked records lack a value, or the original of it.
    fn n_incomplete(&self) -> usize {
        let count = |records| {
            let values = self.of_records(records);
            let lacks = |(x, z): &(f64, f64)| x.is_nan() || z.is_nan();
            values.pairs().filter(lacks).count()
        };
        let counts = each_stretch(self.n_records(), self.stretch(), &count);
        counts.into_iter().sum()
    }
}

/// Original records that are read for the sake of one masked one among them, at the most.
const WIDE: usize = 8;

/// Values of masked records, and the original values that belong to them.
#[derive(Clone, Debug)]
pub struct PairedValues<'a> {
    original: Cow<'a, [f64]>,
    masked: Cow<'a, [f64]>,
}

impl PairedValues<'_> {
    /// x and z of each record.
    pub fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        let pairs = self.original.iter().zip(self.masked.iter());
        pairs.map(|(&x, &z)| (x, z))
    }

    /// The values of the records of a block: originals and masked ones.
    pub fn block(&self, records: Range<usize>) -> (&[f64], &[f64]) {
        (&self.original[records.clone()], &self.masked[records])
    }
}

/// Records per parallel block.
pub const BLOCK: usize = 4096;

/// Number of figures that are defined.
pub fn n_defined(figures: &[f64]) -> usize {
    let defined = |block: &[f64]| block.iter().filter(|figure| !figure.is_nan()).count();
    figures.par_chunks(BLOCK).map(defined).sum()
}

/// The mean over variables of a figure of each record, gathered variable by variable.
#[derive(Clone, Debug)]
pub struct RecordMeans {
    sums: Vec<f64>,
    counts: Vec<u32>,
}

impl RecordMeans {
    /// For so many records.
    pub fn new(n_records: usize) -> Self {
        Self {
            sums: vec![0.0; n_records],
            counts: vec![0; n_records],
        }
    }

    /// Takes in the figures of one variable; those that are not defined are left out.
    pub fn add(&mut self, figures: &[f64]) {
        self.add_from(0, figures);
    }

    /// The same of the records from one on.
    pub fn add_from(&mut self, first: usize, figures: &[f64]) {
        let totals = (self.sums[first..].par_iter_mut()).zip(&mut self.counts[first..]);
        let totals = totals.with_min_len(BLOCK).zip(figures);
        totals.for_each(|((sum, count), figure)| {
            if !figure.is_nan() {
                *sum += figure;
                *count += 1;
            }
        });
    }

    /// The means, NaN for records without any figure, and how many figures each rests on.
    pub fn finish(self) -> (Vec<f64>, Vec<u32>) {
        let totals = self.sums.into_iter().zip(&self.counts);
        let means = totals.map(|(sum, &count)| sum / f64::from(count)).collect();
        (means, self.counts)
    }
}

/// The task's variables in both files, checked: numeric, and missing only where allowed.
pub fn variable_pairs<'a>(
    missing: Missing,
    task: &MeasureTask<'a>,
    context: &RunContext<'_>,
) -> Result<Vec<VariablePair<'a>>, MethodError> {
    let pair = task.both()?;
    check_rows(&pair)?;
    task.on
        .iter()
        .map(|name| {
            let original = numbers(pair.original.column_named(name), name, "original")?;
            let masked = numbers(pair.masked.column_named(name), name, "masked")?;
            let found = VariablePair {
                name,
                original,
                masked,
                sd: finite_moments_along(name, &original)?.sd,
                pair,
            };
            let has_missing = |table: &Table| {
                let column = table.column_named(name);
                column.is_some_and(|column| column.n_missing() > 0)
            };
            let n_cells = if has_missing(pair.original) || has_missing(pair.masked) {
                found.n_incomplete()
            } else {
                0
            };
            check_missing(name, n_cells, missing, context)?;
            Ok(found)
        })
        .collect()
}

/// Every masked record must have come from a record that the original has.
pub fn check_rows(pair: &Pair<'_>) -> Result<(), MethodError> {
    if pair.rows == Rows::Unrelated {
        return Err(MethodError::request(
            "the records of the two files do not correspond",
            "name an id that both files have, or give files with the same records in the same order",
        ));
    }
    let (original, masked) = (pair.original, pair.masked);
    if !original.rows_as_in_source() {
        return Err(MethodError::Internal(
            "the original of a pair is itself a choice of records".to_owned(),
        ));
    }
    let (n, n_masked) = (original.n_records(), masked.n_records());
    let all_there = if masked.rows_as_in_source() {
        n_masked == n
    } else {
        (0..n_masked).all(|i| pair.original_record(i) < n)
    };
    if all_there {
        return Ok(());
    }
    Err(MethodError::request(
        format!(
            "the original has {n} records and the masked file {n_masked}, and they do not correspond"
        ),
        "name an id that both files have, or give files with the same records in the same order",
    ))
}

/// A file's numbers of one variable.
pub fn numeric<'a>(
    column: Option<&'a Column>,
    name: &str,
    file: &str,
) -> Result<&'a [f64], MethodError> {
    numbers(column, name, file).map(ColumnNumbers::whole)
}

/// The same, which need not all be in memory.
pub fn numbers<'a>(
    column: Option<&'a Column>,
    name: &str,
    file: &str,
) -> Result<ColumnNumbers<'a>, MethodError> {
    let column = column.ok_or_else(|| {
        MethodError::request(
            format!("the {file} file has no variable `{name}`"),
            "compare variables that both files have",
        )
    })?;
    ColumnNumbers::of(column).ok_or_else(|| {
        MethodError::request(
            format!("`{name}` is not numeric in the {file} file"),
            format!("give it the kind {}", Kind::Continuous.name()),
        )
    })
}

/// An error for a variable that varies in the masked file and not in the original one.
pub fn zero_sd(name: &str) -> MethodError {
    MethodError::data(
        name,
        "the standard deviation of the original is 0, so that distances cannot be stated in its units",
        "leave the variable out of this measure",
    )
}

/// The figure of each variable and the mean of all cells.
pub fn overall(by_variable: &[(String, Option<f64>, usize)]) -> (Option<f64>, Vec<Part>) {
    let n_cells: usize = by_variable.iter().map(|(_, _, n)| n).sum();
    let total: f64 = by_variable
        .iter()
        .filter_map(|(_, mean, n)| mean.map(|mean| mean * *n as f64))
        .sum();
    let parts = by_variable
        .iter()
        .map(|(name, value, _)| Part::new(name, *value))
        .collect();
    ((n_cells > 0).then(|| total / n_cells as f64), parts)
}
