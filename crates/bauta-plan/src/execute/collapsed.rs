//! What a step left of a variable that says next to nothing any more: nearly all records in one category.

use std::collections::HashMap;
use std::hash::Hash;

use bauta_data::column::Values;
use bauta_data::{Column, Table};
use bauta_methods::mask::Truth;
use bauta_methods::note::NoteRank;
use bauta_methods::{Change, Note};

use crate::plan::Step;

/// Share of the records in one category from which on a variable has collapsed.
const NEARLY_ALL: f64 = 0.95;

/// A warning for each variable that a coarsening put into nearly one category, which it was not in before: breaks in
/// another unit, a map that misses, a level too high.
pub(super) fn collapsed(change: &Change, step: &Step, table: &Table) -> Vec<Note> {
    let facts = step.facts();
    // What suppression leaves is for it to say, and what a perturbation leaves is no category.
    if facts.truth == Truth::Perturbed || facts.claims.is_some() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for (attr_idx, after) in &change.columns {
        let before = table.column(*attr_idx);
        let (n_largest, n_present) = largest_category(after);
        let (n_before, n_present_before) = largest_category(before);
        let nearly = |n_largest: usize, n: usize| n_largest as f64 >= NEARLY_ALL * n as f64;
        if n_present > 1 && nearly(n_largest, n_present) && !nearly(n_before, n_present_before) {
            notes.push(nearly_one_category(before.name(), n_largest, n_present));
        }
    }
    notes
}

/// How many records have the most frequent value, and how many have one.
fn largest_category(column: &Column) -> (usize, usize) {
    let is_present = |record: &usize| !column.is_missing(*record);
    let present = (0..column.len()).filter(is_present);
    match column.values() {
        Values::Categorical(categories) => most_frequent(present.map(|at| categories.codes[at])),
        Values::Numeric(numbers) => most_frequent(present.map(|at| numbers[at].to_bits())),
    }
}

fn most_frequent<T: Eq + Hash>(values: impl Iterator<Item = T>) -> (usize, usize) {
    let mut counts: HashMap<T, usize> = HashMap::new();
    let mut n = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        n += 1;
    }
    (counts.into_values().max().unwrap_or(0), n)
}

/// A variable says next to nothing any more.
fn nearly_one_category(variable: &str, n_largest: usize, n_present: usize) -> Note {
    let text = format!(
        "{variable}: {n_largest} of {n_present} records are in one category now; look whether that is meant"
    );
    Note::new("nearly-one-category", text)
        .with("variable", variable)
        .with("n_largest", n_largest)
        .with("n_records", n_present)
        .ranked(NoteRank::Warning)
}
