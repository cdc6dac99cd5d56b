//! What becomes of records with a missing value where variables are masked together.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::complete::complete_rows;
use crate::mask::continuous::numbers;
use crate::mask::microaggregation::AGGREGATE;
use crate::missing::Missing;
use crate::note::Note;
use crate::params::{ParamProblem, Params, choices};

choices! {
    /// What becomes of records with a missing value.
    pub(crate) enum Gaps {
        Refuse = "refuse": "stop with an error that names the variable",
        Available = "available": "group them by the values that they have; gaps stay gaps",
        Unmasked = "unmasked": "release them as they are, in no group, and say how many",
        Skip = "skip": "leave missing values out; an error if that leaves other values of a record unmasked",
    }
}

/// What becomes of records with a missing value: shared by the masks that group several variables.
pub(crate) const GAPS: ParamSpec =
    ParamSpec::choice::<Gaps>("missing", "what becomes of records with a missing value")
        .or_word("refuse");

impl Gaps {
    /// What was asked for by [`GAPS`].
    pub(crate) fn asked(params: &Params) -> Self {
        params.choice_of(GAPS.name)
    }

    /// The numbers of a variable, NaN where missing; an error or a note where some are.
    pub(super) fn numbers_of<'a>(
        self,
        column: &'a Column,
        context: &RunContext<'_>,
    ) -> Result<&'a [f64], MethodError> {
        let missing = match self {
            Self::Refuse => Missing::Refuse,
            Self::Available | Self::Unmasked | Self::Skip => Missing::Skip,
        };
        numbers(column, missing, context)
    }
}

impl From<Missing> for Gaps {
    /// For masks that take each variable alone: a missing value then leaves no other unmasked.
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Refuse => Self::Refuse,
            Missing::Skip => Self::Skip,
        }
    }
}

/// The records of a block that go into groups.
pub(super) struct TakingPart {
    /// Which they are; none for all.
    pub(super) records: Option<Vec<u32>>,
    /// Which values they have.
    pub(super) values: Present,
}

/// Which values of a block the records have that go into groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Present {
    /// All of them.
    All,
    /// At least one each.
    Some,
}

impl TakingPart {
    /// Those without a gap, or those that have a value; says how many others there are.
    pub(super) fn of(
        table: &Table,
        block: &[usize],
        columns: &[&[f64]],
        gaps: Gaps,
        context: &RunContext<'_>,
    ) -> Self {
        let has_missing = |&attr_idx: &usize| table.column(attr_idx).n_missing() > 0;
        if !block.iter().any(has_missing) {
            return Self {
                records: None,
                values: Present::All,
            };
        }
        let n = table.n_records();
        let complete = complete_rows(n, columns);
        let with_value = rows_with_value(n, columns);
        let n_partial = with_value.len() - complete.len();
        if n_partial > 0 {
            let names: Vec<&str> = block.iter().map(|&idx| table.column(idx).name()).collect();
            context.note(match gaps {
                Gaps::Available => grouped_by_part(&names, n_partial),
                Gaps::Unmasked | Gaps::Skip | Gaps::Refuse => out_of_groups(&names, n_partial),
            });
        }
        let (records, values) = match gaps {
            Gaps::Available => (with_value, Present::Some),
            Gaps::Unmasked | Gaps::Skip | Gaps::Refuse => (complete, Present::All),
        };
        Self {
            records: Some(records),
            values,
        }
    }
}

/// The records that have a value in one of some columns, in order.
fn rows_with_value(n_records: usize, columns: &[&[f64]]) -> Vec<u32> {
    (0..n_records as u32)
        .into_par_iter()
        .with_min_len(4096)
        .filter(|&row| columns.iter().any(|column| !column[row as usize].is_nan()))
        .collect()
}

/// An error where records have values beside a gap, in any block: left out of the groups they would
/// be released as they are.
pub(super) fn refuse_unmasked(table: &Table, blocks: &[Vec<usize>]) -> Result<(), MethodError> {
    let n_partial = |block: &Vec<usize>| {
        let columns = block.iter().map(|&idx| table.column(idx).as_numeric());
        // Variables that hold no numbers are refused when they are read.
        let columns: Option<Vec<&[f64]>> = columns.collect();
        columns.map_or(0, |columns| {
            let n = table.n_records();
            rows_with_value(n, &columns).len() - complete_rows(n, &columns).len()
        })
    };
    let found: Vec<String> = blocks
        .iter()
        .map(|block| (block, n_partial(block)))
        .filter(|(_, n_records)| *n_records > 0)
        .map(|(block, n_records)| {
            let names: Vec<&str> = block.iter().map(|&idx| table.column(idx).name()).collect();
            format!("{n_records} of {}", names.join(", "))
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(MethodError::request(
        format!(
            "records with a missing value would be released unmasked in their other values: {}",
            found.join("; ")
        ),
        "set missing = \"available\" to group them by the values that they have, or missing = \"unmasked\" to \
         release them as they are",
    ))
}

/// Missing values that nothing was said about.
pub(super) fn refused(variable: &str, n_missing: usize) -> MethodError {
    MethodError::data(
        variable,
        format!("{n_missing} values are missing"),
        "set missing = \"available\" to group records by the values that they have, or impute them first",
    )
}

/// A record with gaps has no values to lend where it has a gap.
pub(super) fn no_medoid() -> ParamProblem {
    ParamProblem::of(
        AGGREGATE.name,
        "a group has no medoid where its records have gaps",
        "choose aggregate = \"mean\" or \"median\" with missing = \"available\"",
    )
}

/// Records that are in no group because a value of theirs is missing, and kept their values.
fn out_of_groups(variables: &[&str], n_records: usize) -> Note {
    let text = format!(
        "{}: {n_records} records have a missing value, are in no group and kept their values",
        variables.join(", ")
    );
    Note::new("records-out-of-groups", text)
        .with("variables", variables)
        .with("n_records", n_records)
}

/// Records that were grouped by the values that they have.
fn grouped_by_part(variables: &[&str], n_records: usize) -> Note {
    let text = format!(
        "{}: {n_records} records have a missing value and were grouped by the values that they have",
        variables.join(", ")
    );
    Note::new("records-grouped-by-part", text)
        .with("variables", variables)
        .with("n_records", n_records)
}
