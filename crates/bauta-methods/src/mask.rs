//! Masks: what changes the file.

use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Attribute, Column, Kind, Table};

use crate::by_record::ColumnNumbers;
use crate::card::Card;
use crate::context::RunContext;
use crate::error::{MethodError, refused};
use crate::exhibit::Evidence;
use crate::kernel::numbers::streamed::{Streamed, each_stretch};
use crate::kernel::parallel::each;
use crate::keys::Semantics;
use crate::note::Note;
use crate::pair::Rows;
use crate::params::{ParamProblem, Params, RawValue};

pub(crate) mod became;
pub(crate) mod by_record;
pub(crate) mod categories;
pub(crate) mod continuous;
pub(crate) mod dates;
pub mod drop_identifiers;
pub mod flip_rare;
pub mod individual_ranking;
pub(crate) mod jointly;
pub mod jpeg;
pub mod max_distance;
pub mod mdav;
pub(crate) mod microaggregation;
pub mod noise_additive;
pub mod noise_correlated;
pub mod noise_mixture;
pub mod noise_multiplicative;
pub mod noise_swap;
pub mod projection;
pub mod rank_swap;
pub mod recode;
pub mod recode_rare;
pub mod renumber;
pub mod resample;
pub mod round;
pub mod sample;
pub mod scale_back;
pub(crate) mod strata;
pub mod suppress_local;
pub mod suppress_records;
pub mod synth_normal;
pub mod synthesize;
pub mod top_bottom;

/// What a mask is to work on.
#[derive(Clone, Copy, Debug)]
pub struct MaskTask<'a> {
    /// The file as it is now.
    pub table: &'a Table,
    /// Positions of the variables to mask.
    pub on: &'a [usize],
}

impl MaskTask<'_> {
    /// Masks each variable as if it stood alone, on each thread one at a time.
    pub(crate) fn column_by_column(
        &self,
        context: &RunContext<'_>,
        masked: impl Fn(&Column) -> Result<Column, MethodError> + Sync,
    ) -> Result<Change, MethodError> {
        let (n, n_begun) = (self.on.len(), AtomicUsize::new(0));
        let columns = each(n, &|at| {
            context.progress(n_begun.fetch_add(1, Ordering::Relaxed), n)?;
            let attr_idx = self.on[at];
            Ok((attr_idx, masked(self.table.column(attr_idx))?))
        });
        // Of several variables that cannot be masked the first is told, whichever thread came to its end first.
        let columns = columns.into_iter().collect::<Result<_, MethodError>>()?;
        Ok(Change::of_columns(columns))
    }
}

/// A variable has no two different values; the method left it as it is.
pub(crate) fn constant_variable(variable: &str) -> Note {
    let text = format!("{variable} has no two different values and was left as it is");
    Note::new("constant-variable", text).with("variable", variable)
}

/// Notes the variables whose numbers had more digits than a double holds and have not any more.
pub(crate) fn note_lost_digits(table: &Table, change: &Change, context: &RunContext<'_>) {
    for (attr_idx, after) in &change.columns {
        let before = table.column(*attr_idx);
        let is_computed = || after.is_numeric() && after.exact().is_none();
        if before.exact().is_some() && is_computed() {
            context.note(rounded_to_doubles(before.name()));
        }
    }
}

/// A step computed numbers of a variable that has more digits than a double holds.
fn rounded_to_doubles(variable: &str) -> Note {
    let text = format!(
        "{variable} has numbers with more digits than a double holds; the step computed in doubles, and all its numbers were rounded to 15 to 17 digits"
    );
    Note::new("rounded-to-doubles", text).with("variable", variable)
}

/// What a step does to a file. What is not named here stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Columns that take the place of those at the given positions.
    pub columns: Vec<(usize, Column)>,
    /// Positions of columns that are removed.
    pub dropped: Vec<usize>,
    /// The records that stay, in order; `None` keeps all.
    pub kept: Option<Vec<u32>>,
    /// Whether the records that stay can still be traced to those that were there.
    pub rows: Rows,
    /// What the step shows for itself; boxed, since most steps show nothing.
    pub evidence: Option<Box<Evidence>>,
}

impl Change {
    /// Replaces columns and nothing else.
    pub fn of_columns(columns: Vec<(usize, Column)>) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// The change, or an error where a value that is there would become none, or an infinite one:
    /// no file can say so, and no measure look at it.
    pub(crate) fn of_numbers(self, table: &Table) -> Result<Self, MethodError> {
        let n_lost = |column: &Column| {
            if column.is_on_disk() {
                return n_lost_on_disk(column);
            }
            let z = column.as_numeric().unwrap_or_default();
            let is_lost = |(record, z): (usize, &f64)| !z.is_finite() && !column.is_missing(record);
            z.iter().enumerate().filter(|&cell| is_lost(cell)).count()
        };
        let counted = self.columns.iter().map(|(_, column)| n_lost(column));
        let lost: Vec<String> = counted
            .zip(&self.columns)
            .filter(|(n_cells, _)| *n_cells > 0)
            .map(|(n_cells, (attr_idx, _))| {
                format!("{n_cells} of `{}`", table.column(*attr_idx).name())
            })
            .collect();
        if lost.is_empty() {
            return Ok(self);
        }
        Err(MethodError::Data {
            variable: None,
            row: None,
            message: format!("masked values are no finite numbers: {}", lost.join(", ")),
            hint: "state the variable in a larger unit, or choose milder parameters".to_owned(),
        })
    }

    /// The table after the change.
    pub fn apply_to(self, table: &Table) -> Table {
        let mut changed = table.clone();
        for (attr_idx, column) in self.columns {
            changed = changed.with_column(attr_idx, column);
        }
        if let Some(kept) = self.kept {
            changed = changed.take(&kept);
        }
        changed.without_columns(&self.dropped)
    }
}

/// Cells of a column in a file that hold no finite number and are not missing.
fn n_lost_on_disk(column: &Column) -> usize {
    let Some(z) = ColumnNumbers::of(column) else {
        return 0;
    };
    let n_not_finite = |records| {
        let z = z.some(records);
        z.iter().filter(|z| !z.is_finite()).count()
    };
    let counts = each_stretch(z.len(), z.stretch(), &n_not_finite);
    // A missing cell holds no number.
    let n_lost: usize = counts.into_iter().sum();
    n_lost.saturating_sub(column.n_missing())
}

/// What a mask promises of the file that it leaves: every record shares its key (the step's
/// variables) with at least k - 1 others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyClaim {
    /// Smallest class.
    pub k: u32,
    /// How missing key values count.
    pub semantics: Semantics,
}

/// The keys of which a step promises something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimedKeys {
    /// What an intruder who knows them is called, where there are several such sets.
    pub scenario: Option<String>,
    /// The keys.
    pub keys: Vec<String>,
    /// How many of them an intruder knows at a time; none where it is all of them.
    pub subsets: Option<usize>,
}

impl ClaimedKeys {
    /// All of some keys together.
    pub fn all(keys: &[String]) -> Self {
        Self {
            scenario: None,
            keys: keys.to_vec(),
            subsets: None,
        }
    }
}

/// How the variables of one step bear on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Together {
    #[default]
    /// Not at all: each is masked as if it stood alone.
    Apart,
    /// A variable's masked values depend on which others are masked with it, but not on the order
    /// in which the plan names them.
    Jointly,
}

/// What kind a masked variable is of afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KindAfter {
    /// The one it had.
    #[default]
    Same,
    /// Numbers become ordered categories; categories stay what they are.
    OrderedIfContinuous,
    /// It is no longer there.
    Gone,
}

impl KindAfter {
    /// What a variable of some kind is afterwards; none if it is no longer there.
    pub const fn of(self, kind: Kind) -> Option<Kind> {
        match (self, kind) {
            (Self::Gone, _) => None,
            (Self::OrderedIfContinuous, Kind::Continuous) => Some(Kind::Ordered),
            (Self::Same | Self::OrderedIfContinuous, kind) => Some(kind),
        }
    }
}

/// Whether a step can change anything at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effect {
    /// What it changes, the data decide.
    #[default]
    Open,
    /// With these parameters it changes nothing, whatever the data.
    Nothing,
}

impl Effect {
    /// That of a step which changes nothing under a condition on its parameters.
    pub(crate) const fn nothing_if(condition: bool) -> Self {
        if condition { Self::Nothing } else { Self::Open }
    }
}

/// Whether what a step leaves of a value is still true of its record.
///
/// Counts of equal keys say something about an intruder only as long as it is: whoever knows the true value
/// of a perturbed key looks for near values, not for equal ones. A step perturbs unless it says otherwise, so
/// that a method which forgets to say so claims too little rather than too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Truth {
    /// Values may be replaced by such as are not those of the record: swaps, noise, averages, synthesis.
    #[default]
    Perturbed,
    /// Values stay, become coarser, or vanish: recoding, suppression, rounding, choice of records.
    Kept,
}

/// What can be said of a step before any data are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepFacts {
    /// What its variables are afterwards.
    pub kind_after: KindAfter,
    /// How its variables bear on each other.
    pub together: Together,
    /// What it promises of the keys it works on; a run counts again before it says so.
    pub claims: Option<KeyClaim>,
    /// Whether it also changes the sampling weight, though nobody names it: a choice of records
    /// stands for all of them only with other weights.
    pub reweights: bool,
    /// Whether it may remove records, so that a comparison of variables which it leaves alone says something.
    pub removes_records: bool,
    /// Whether masked records can be traced to original ones. What the step returns says the same.
    pub rows: Rows,
    /// Whether it can change anything at all.
    pub effect: Effect,
    /// Whether what it leaves of a value is still true.
    pub truth: Truth,
    /// Whether the clock may decide what it does, so that nobody can repeat it.
    pub timed: bool,
}

impl StepFacts {
    /// A step whose variables are masked together.
    pub const JOINTLY: Self = Self {
        kind_after: KindAfter::Same,
        together: Together::Jointly,
        claims: None,
        reweights: false,
        removes_records: false,
        rows: Rows::Correspond,
        effect: Effect::Open,
        truth: Truth::Perturbed,
        timed: false,
    };

    /// A step that gives records other weights and leaves the variables it is told of alone.
    pub const REWEIGHTS: Self = Self {
        kind_after: KindAfter::Same,
        together: Together::Apart,
        claims: None,
        reweights: true,
        removes_records: false,
        rows: Rows::Correspond,
        effect: Effect::Open,
        truth: Truth::Kept,
        timed: false,
    };

    /// The same of a step after which what is left of a value is still true.
    #[must_use]
    pub(crate) const fn truthful(mut self) -> Self {
        self.truth = Truth::Kept;
        self
    }

    /// The same of a step that changes nothing under a condition on its parameters.
    #[must_use]
    pub(crate) const fn nothing_if(mut self, condition: bool) -> Self {
        self.effect = Effect::nothing_if(condition);
        self
    }
}

/// How a mask is written: its settings as a type, and what it does with them. The registry lists it
/// as a [`Mask`].
pub trait MaskMethod: Sync {
    /// Its parameters, read and valid.
    type Settings: Send + Sync;

    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Reads the parameters: the one place that looks at them. All that can be wrong with them
    /// whatever the variables is told here.
    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>>;

    /// Problems that only the variables' descriptions can show.
    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (settings, on);
        Vec::new()
    }

    /// What can be said of it before any data are read.
    fn facts(&self, settings: &Self::Settings) -> StepFacts {
        let _ = settings;
        StepFacts::default()
    }

    /// Of which keys it promises what its facts claim; each set of them by itself.
    fn claimed_keys(&self, settings: &Self::Settings, on: &[String]) -> Vec<ClaimedKeys> {
        let _ = settings;
        vec![ClaimedKeys::all(on)]
    }

    /// Does it.
    fn mask(
        &self,
        settings: &Self::Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// Parameters that show it at work, for documentation and conformance tests.
    fn example(&self) -> Vec<(&'static str, RawValue)>;

    /// Parameters at which it changes nothing, if there are such.
    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>>;
}

/// A method that changes the file, as the registry lists it. It does not measure.
pub trait Mask: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Everything that can be told to be wrong before data are read.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem>;

    /// What can be said of it before any data are read, with parameters that [`Self::check`] accepts.
    fn facts(&self, params: &Params) -> StepFacts;

    /// Of which keys it promises what its facts claim; each set of them by itself.
    fn claimed_keys(&self, params: &Params, on: &[String]) -> Vec<ClaimedKeys>;

    /// Does it, with parameters that [`Self::check`] accepts or an error.
    fn mask(
        &self,
        params: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// Parameters that show it at work.
    fn example(&self) -> Vec<(&'static str, RawValue)>;

    /// Parameters at which it changes nothing, if there are such.
    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>>;
}

impl<M: MaskMethod> Mask for M {
    fn card(&self) -> &'static Card {
        MaskMethod::card(self)
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        match self.settings(params) {
            Ok(settings) => MaskMethod::check(self, &settings, on),
            Err(problems) => problems,
        }
    }

    fn facts(&self, params: &Params) -> StepFacts {
        let settings = self.settings(params);
        settings.map_or_else(|_| StepFacts::default(), |s| MaskMethod::facts(self, &s))
    }

    fn claimed_keys(&self, params: &Params, on: &[String]) -> Vec<ClaimedKeys> {
        let settings = self.settings(params);
        settings.map_or_else(|_| Vec::new(), |s| MaskMethod::claimed_keys(self, &s, on))
    }

    fn mask(
        &self,
        params: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let settings = self.settings(params).map_err(refused)?;
        let change = MaskMethod::mask(self, &settings, task, context)?;
        let change = change.of_numbers(task.table)?;
        note_lost_digits(task.table, &change, context);
        Ok(change)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        MaskMethod::example(self)
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        MaskMethod::neutral(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Role;
    use bauta_data::column::NumberText;
    use bauta_data::missing::{MissingCells, MissingRules};
    use std::sync::Arc;

    #[test]
    fn values_that_become_no_numbers_are_an_error_that_counts_them() {
        let column = |name: &str, values: Vec<f64>| {
            let attribute = Arc::new(Attribute::new(name, Role::Sensitive, Kind::Continuous));
            // The last one is missing.
            let missing = MissingCells::new(vec![0, 0, 0, 1], MissingRules::default().marks());
            Column::numeric(attribute, values, missing, NumberText::default())
        };
        let before = || vec![1.0, 2.0, 3.0, f64::NAN];
        let table = Table::new(vec![column("x", before()), column("y", before())], 4);
        let fine = Change::of_columns(vec![(0, column("x", vec![7.0, 8.0, 9.0, f64::NAN]))]);
        assert!(fine.of_numbers(&table).is_ok());
        let lost = Change::of_columns(vec![
            (0, column("x", vec![f64::INFINITY, f64::NAN, 9.0, f64::NAN])),
            (1, column("y", vec![1.0, f64::NEG_INFINITY, 9.0, f64::NAN])),
        ]);
        let message = lost.of_numbers(&table).unwrap_err().to_string();
        assert!(message.contains("2 of `x`, 1 of `y`"), "{message}");
    }
}
