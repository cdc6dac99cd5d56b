//! What the methods that count keys are asked for, and what they say, in the same words.

use bauta_data::Table;

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::{Frequencies, Semantics, check_weights, frequencies};
use crate::note::Note;

/// How a missing key value counts: shared by the measures that count keys.
pub(crate) const SEMANTICS: ParamSpec =
    ParamSpec::choice::<Semantics>("semantics", "how a missing key value counts")
        .or_word("visible");

/// Notes keys without any value.
pub(crate) fn note_empty_keys(table: &Table, keys: &[usize], context: &RunContext<'_>) {
    for &attr_idx in keys {
        let column = table.column(attr_idx);
        if column.n_missing() == table.n_records() && table.n_records() > 0 {
            context.note(all_missing(column.name()));
        }
    }
}

/// Every value of a key is missing, so that it never tells records apart.
fn all_missing(variable: &str) -> Note {
    Note::new(
        "key-all-missing",
        format!("{variable} is missing in every record and never tells records apart"),
    )
    .with("variable", variable)
}

/// Classes whose weights sum to less than their number of records; 1/f was used.
pub(crate) fn weights_below_frequency(n_records: usize) -> Note {
    Note::new(
        "weights-below-frequency",
        format!(
            "{n_records} records are in classes whose weights sum to less than their count; 1/f was used"
        ),
    )
    .with("n_records", n_records)
}

/// There is no weight, so that the file was taken for all of the population.
pub(crate) fn taken_for_population() -> Note {
    Note::new(
        "taken-for-population",
        "there is no weight: the file was taken for the whole population",
    )
}

/// Positions of the named variables in a table.
pub(crate) fn positions(table: &Table, on: &[String]) -> Result<Vec<usize>, MethodError> {
    on.iter()
        .map(|name| {
            table.index_of(name).ok_or_else(|| {
                MethodError::request(
                    format!("there is no variable `{name}` in the file, or a step dropped it"),
                    "measure it before it is dropped, or take it out of the list",
                )
            })
        })
        .collect()
}

/// Counts the keys of a task and notes what deserves it.
pub(crate) fn count(
    table: &Table,
    on: &[String],
    semantics: Semantics,
    context: &RunContext<'_>,
) -> Result<Frequencies, MethodError> {
    check_weights(table)?;
    context.go_on()?;
    let keys = positions(table, on)?;
    note_empty_keys(table, &keys, context);
    frequencies(table, &keys, semantics)
}
