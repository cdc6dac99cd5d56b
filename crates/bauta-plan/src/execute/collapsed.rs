//! What a step left of a variable that says next to nothing any more: nearly all records in one category, or blank.

use bauta_data::column::Values;
use bauta_data::{Column, Table};
use bauta_methods::mask::Truth;
use bauta_methods::note::NoteRank;
use bauta_methods::{Change, Note};
use rayon::prelude::*;

use crate::plan::Step;

/// Share of the records in one category from which on a variable has collapsed.
const NEARLY_ALL: f64 = 0.95;
/// Share of the values that are blanked from which on a variable is hardly there any more.
const MOST: f64 = 0.5;

/// A warning for each variable that a step left without content, which it had before: breaks in another unit, a map
/// that misses, a level too high, keys so fine that suppression blanks them.
pub(super) fn collapsed(change: &Change, step: &Step, table: &Table) -> Vec<Note> {
    if step.facts().truth == Truth::Perturbed {
        return Vec::new();
    }
    let notes: Vec<Option<Note>> = change
        .columns
        .par_iter()
        .map(|(attr_idx, after)| {
            let before = table.column(*attr_idx);
            mostly_blank(before, after).or_else(|| nearly_one_category(before, after))
        })
        .collect();
    notes.into_iter().flatten().collect()
}

fn mostly_blank(before: &Column, after: &Column) -> Option<Note> {
    let n_present = before.len() - before.n_missing();
    let n_blanked = after.n_missing().saturating_sub(before.n_missing());
    if n_blanked == 0 || (n_blanked as f64) < MOST * n_present as f64 {
        return None;
    }
    let variable = before.name();
    let text = format!(
        "{variable}: {n_blanked} of {n_present} values were blanked; recode it further before, or leave it out"
    );
    let note = Note::new("mostly-blanked", text).with("variable", variable);
    let note = note
        .with("n_blanked", n_blanked)
        .with("n_values", n_present);
    Some(note.ranked(NoteRank::Warning))
}

fn nearly_one_category(before: &Column, after: &Column) -> Option<Note> {
    let n_present = after.len() - after.n_missing();
    let n_largest = majority(after).filter(|_| n_present > 1)?;
    let was_so = || {
        let n_before = before.len() - before.n_missing();
        majority(before).is_some_and(|n_largest| is_nearly_all(n_largest, n_before))
    };
    if !is_nearly_all(n_largest, n_present) || was_so() {
        return None;
    }
    let variable = before.name();
    let text = format!(
        "{variable}: {n_largest} of {n_present} records are in one category now; look whether that is meant"
    );
    let note = Note::new("nearly-one-category", text).with("variable", variable);
    let note = note
        .with("n_largest", n_largest)
        .with("n_records", n_present);
    Some(note.ranked(NoteRank::Warning))
}

fn is_nearly_all(n_largest: usize, n: usize) -> bool {
    n_largest as f64 >= NEARLY_ALL * n as f64
}

/// How many records have the value that more than half of them have; none where there is no such value.
fn majority(column: &Column) -> Option<usize> {
    let present = (0..column.len()).filter(|record| !column.is_missing(*record));
    match column.values() {
        Values::Categorical(categories) => {
            majority_of(present.map(|at| u64::from(categories.codes.at(at))))
        }
        Values::Numeric(numbers) => majority_of(present.map(|at| numbers[at].to_bits())),
    }
}

/// By pairing off different values: what is left over is the only one that can be a majority (Boyer and Moore).
fn majority_of(values: impl Iterator<Item = u64> + Clone) -> Option<usize> {
    let mut left_over = (0, 0_usize);
    for value in values.clone() {
        left_over = match left_over {
            (_, 0) => (value, 1),
            (held, count) if held == value => (held, count + 1),
            (held, count) => (held, count - 1),
        };
    }
    let mut n = 0;
    let mut n_held = 0;
    for value in values {
        n += 1;
        n_held += usize::from(value == left_over.0);
    }
    (2 * n_held > n).then_some(n_held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_is_found_wherever_it_stands() {
        let of = |values: &[u64]| majority_of(values.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some(1));
        assert_eq!(of(&[1, 2, 1, 3, 1]), Some(3));
        assert_eq!(of(&[1, 1, 2, 2]), None);
        assert_eq!(of(&[2, 3, 4, 9, 9, 9, 9]), Some(4));
    }
}
