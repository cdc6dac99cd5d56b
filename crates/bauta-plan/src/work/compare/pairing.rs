//! Which masked record came from which original one: the one place where two files are paired.

use std::collections::{HashMap, HashSet};

use bauta_data::{Table, near};
use bauta_methods::pair::Rows;
use bauta_methods::pair::row_order::{RowOrder, Verdict, judge};

use super::measures::cell;
use super::{CompareRequest, WorkError};

/// How records are to be paired.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PairBy {
    /// By row, unless the files contradict it.
    #[default]
    Row,
    /// By row, whatever the files show.
    RowInAnyCase,
    /// By equal values of these variables.
    Id(Vec<String>),
}

/// How records were paired.
#[derive(Clone, PartialEq, Debug)]
pub enum Pairing {
    /// By row.
    Row(RowOrder),
    /// By equal values.
    Id {
        /// The variables.
        variables: Vec<String>,
        /// Original records that are not in the masked file.
        n_not_masked: usize,
    },
    /// As the run of a record made them, which was repeated.
    Run {
        /// Original records that the run deleted.
        n_not_masked: usize,
    },
    /// Not at all: the files differ in length, and nothing else was named.
    LengthsDiffer,
    /// Not at all: a step of the run made records that come from no single one.
    NotTraceable,
}

impl Pairing {
    /// Whether masked records can be traced to original ones.
    pub fn rows(&self) -> Rows {
        match self {
            Self::Row(_) | Self::Id { .. } | Self::Run { .. } => Rows::Correspond,
            Self::LengthsDiffer | Self::NotTraceable => Rows::Unrelated,
        }
    }

    /// Whether it is known, or plausible, that paired records belong together.
    pub fn is_relied_on(&self) -> bool {
        match self {
            Self::Row(order) => order.verdict == Verdict::Plausible,
            Self::Id { .. } | Self::Run { .. } => true,
            Self::LengthsDiffer | Self::NotTraceable => false,
        }
    }

    /// One line on how records were paired, and how far that can be relied on.
    pub fn in_words(&self) -> String {
        match self {
            Self::Row(order) => {
                let shown = order.in_words();
                match order.verdict {
                    Verdict::Plausible => format!("Records are paired by row: {shown}."),
                    Verdict::Undecided => format!(
                        "Records are paired by row, and nothing shows that rows correspond: {shown}. If the masked file is in another order, figures by record mean nothing; --id, or `compare` with the run's record, would tell."
                    ),
                    Verdict::Contradicted => format!(
                        "Records are paired by row only because --by-row says so: {shown}. Figures by record, risks among them, mean nothing unless you know better."
                    ),
                }
            }
            Self::Id {
                variables,
                n_not_masked,
            } => format!(
                "Records are paired by {}{}.",
                variables.join(", "),
                left_out(*n_not_masked)
            ),
            Self::Run { n_not_masked } => format!(
                "Records are paired as the run made them, which was repeated{}.",
                left_out(*n_not_masked)
            ),
            Self::LengthsDiffer => "The files differ in length and no --id was named: measures that compare record by record are left out.".to_owned(),
            Self::NotTraceable => "A step of the run made records that cannot be traced to original ones: measures that compare record by record are left out.".to_owned(),
        }
    }
}

fn left_out(n_not_masked: usize) -> String {
    match n_not_masked {
        0 => String::new(),
        1 => "; 1 record of the original is not in the masked file".to_owned(),
        n => format!("; {n} records of the original are not in the masked file"),
    }
}

/// Pairs the records of two files as asked for.
pub(in crate::work) fn paired(
    original: &Table,
    masked: Table,
    request: &CompareRequest,
) -> Result<(Table, Pairing), WorkError> {
    let insisted = match &request.pair_by {
        PairBy::Id(variables) => return by_id(original, masked, variables, request),
        PairBy::Row => false,
        PairBy::RowInAnyCase => true,
    };
    if original.n_records() != masked.n_records() {
        return Ok((masked, Pairing::LengthsDiffer));
    }
    let order = judge(original, &masked);
    if order.verdict == Verdict::Contradicted && !insisted {
        let shown = order.in_words();
        let (original, masked) = (&request.original, &request.masked);
        return Err(WorkError::mistake(
            format!(
                "the rows of {masked} do not seem to be those of {original}, so that nothing is compared by row: {shown}"
            ),
            "pair records by a variable that both files have (--id), or give the run's record to `bauta compare`; --by-row pairs them by row all the same, for records that were masked beyond recognition or made anew",
        ));
    }
    Ok((masked, Pairing::Row(order)))
}

/// Pairs records by equal values, if each stands for one record. All that is wrong is told at once.
fn by_id(
    original: &Table,
    masked: Table,
    variables: &[String],
    request: &CompareRequest,
) -> Result<(Table, Pairing), WorkError> {
    refuse_absent(original, &masked, variables, request)?;
    refuse_too_many(original, &masked, variables)?;
    let of_original = Ids::of(&original.view(), variables);
    let of_masked = Ids::of(&masked.view(), variables);
    let mut problems = Vec::new();
    let name = variables.join(", ");
    for (ids, file) in [
        (&of_original, &request.original),
        (&of_masked, &request.masked),
    ] {
        if ids.n_missing > 0 {
            problems.push(format!(
                "{file}: {} records have no `{name}`",
                ids.n_missing
            ));
        }
        let n_shared = ids.n_shared();
        if n_shared > 0 {
            problems.push(format!(
                "{file}: {n_shared} records share their `{name}` with others"
            ));
        }
    }
    let row_of = of_original.rows();
    let rows: Vec<Option<u32>> = (of_masked.texts.iter())
        .map(|text| row_of.get(text).copied())
        .collect();
    let n_unknown = rows.iter().filter(|row| row.is_none()).count();
    if n_unknown > 0 {
        problems.push(format!(
            "{}: {n_unknown} records have a `{name}` that no record of {} has",
            request.masked, request.original
        ));
    }
    if !problems.is_empty() {
        return Err(WorkError::mistake(
            problems.join("; "),
            "an id has another value in every record, and masked records have that of their original; several variables together may be one (--id a,b)",
        ));
    }
    let pairing = Pairing::Id {
        variables: variables.to_vec(),
        n_not_masked: original.n_records() - masked.n_records(),
    };
    let rows = rows.into_iter().flatten().collect();
    Ok((masked.traced_to(rows), pairing))
}

/// The ids of both files are in memory, wherever the files are.
fn refuse_too_many(
    original: &Table,
    masked: &Table,
    variables: &[String],
) -> Result<(), WorkError> {
    // The place of a list, and a text with its allocation for each variable.
    const LIST: u64 = 48;
    const TEXT: u64 = 56;
    let n_records = (original.n_records() + masked.n_records()) as u64;
    let needed = n_records.saturating_mul(LIST + TEXT * variables.len() as u64);
    let columns = original.columns().iter().chain(masked.columns());
    let room = columns.map(|column| column.room_in_store()).min();
    if room.is_none_or(|room| needed <= room) {
        return Ok(());
    }
    Err(WorkError::mistake(
        format!(
            "pairing by `{}` keeps the ids of both files in memory, about {} MB, and {} MB are allowed for variables",
            variables.join(", "),
            needed.div_ceil(1_000_000),
            room.unwrap_or_default() / 1_000_000
        ),
        "allow more with --memory (half of it is for variables), or compare with the run's record",
    ))
}

/// All variables of the id that a file has not.
fn refuse_absent(
    original: &Table,
    masked: &Table,
    variables: &[String],
    request: &CompareRequest,
) -> Result<(), WorkError> {
    let mut absent = Vec::new();
    for (table, file) in [(original, &request.original), (masked, &request.masked)] {
        for name in variables {
            if table.index_of(name).is_none() {
                let hint = near::column_hint(name, table.names());
                absent.push((format!("{file} has no variable `{name}`"), hint));
            }
        }
    }
    let Some((_, hint)) = absent.first() else {
        return Ok(());
    };
    let hint = hint.clone();
    let messages: Vec<String> = absent.into_iter().map(|(message, _)| message).collect();
    Err(WorkError::mistake(messages.join("; "), hint))
}

/// The ids of a file's records.
struct Ids {
    texts: Vec<Vec<String>>,
    n_missing: usize,
}

impl Ids {
    fn of(table: &Table, variables: &[String]) -> Self {
        let columns = variables.iter().filter_map(|name| table.column_named(name));
        let columns: Vec<_> = columns.collect();
        let text = |record| columns.iter().map(|column| cell(column, record)).collect();
        let is_missing = |record: &usize| columns.iter().any(|column| column.is_missing(*record));
        Self {
            texts: (0..table.n_records()).map(text).collect(),
            n_missing: (0..table.n_records()).filter(is_missing).count(),
        }
    }

    /// Records whose id is that of another one, too.
    fn n_shared(&self) -> usize {
        let (mut seen, mut again) = (HashSet::new(), HashSet::new());
        for text in &self.texts {
            if !seen.insert(text) {
                again.insert(text);
            }
        }
        self.texts
            .iter()
            .filter(|text| again.contains(text))
            .count()
    }

    fn rows(&self) -> HashMap<&Vec<String>, u32> {
        let rows = self.texts.iter().zip(0..);
        rows.collect()
    }
}
