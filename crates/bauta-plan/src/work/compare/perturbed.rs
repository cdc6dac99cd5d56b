//! Keys that were perturbed between two files, as far as the files show it.

use std::collections::HashMap;

use bauta_data::Column;
use bauta_methods::note::NoteRank;
use bauta_methods::pair::Rows;
use bauta_methods::{Note, Pair};

use super::Pairing;

/// Keys of which records with one original value show different masked ones: no recoding does that, nor suppression,
/// so that their values need not be true and counts of them say nothing of an intruder. Where records cannot be traced
/// only those that a plan perturbs are known.
pub(super) fn perturbed(
    pair: &Pair<'_>,
    pairing: &Pairing,
    keys: &[String],
    by_plan: &[String],
) -> Vec<String> {
    let are_traced = pair.rows != Rows::Unrelated && pairing.is_relied_on();
    let is_seen = |key: &String| {
        let columns = pair.original.column_named(key);
        let columns = columns.zip(pair.masked.column_named(key));
        columns.is_some_and(|(original, masked)| {
            !original.looked_at(|original| {
                masked.looked_at(|masked| is_recoding(pair, original, masked))
            })
        })
    };
    let is_perturbed = |key: &&String| by_plan.contains(key) || (are_traced && is_seen(key));
    keys.iter().filter(is_perturbed).cloned().collect()
}

/// Whether every original value became one masked value, wherever it was not suppressed.
fn is_recoding(pair: &Pair<'_>, original: &Column, masked: &Column) -> bool {
    let (Some(before), Some(after)) = (original.as_categorical(), masked.as_categorical()) else {
        return true;
    };
    let mut became: HashMap<u32, u32> = HashMap::new();
    (0..masked.len()).all(|record| {
        let row = pair.original_record(record);
        let is_shown = !masked.is_missing(record) && !original.is_missing(row);
        !is_shown || {
            let code = after.codes.at(record);
            *became.entry(before.codes.at(row)).or_insert(code) == code
        }
    })
}

/// What a reader must know of counts of such keys.
pub(super) fn not_meaningful(keys: &[String]) -> Note {
    let text = format!(
        "not meaningful for the masked file if keys were perturbed: records with one original value show different \
         masked ones in {}, as after swaps or noise, or a step of the plan makes them, and whoever knows a true value then \
         looks for near records, not for equal ones: `bauta link` and the measure `pld` do that",
        keys.join(", ")
    );
    Note::new("perturbed-keys", text)
        .with("variables", keys)
        .ranked(NoteRank::Warning)
}
