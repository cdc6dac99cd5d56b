//! What local suppression says of its work.

use crate::keys::suppression::{Blanks, Ended};
use crate::note::{Note, NoteRank};

/// What the count does not promise; for the public too, whom the summary of the method is shown.
pub(super) fn counted_before_suppression() -> Note {
    let text = "keys were counted in the values before suppression, which the released file does not show: \
        whoever counts the released file may find keys that fewer than k records share, even single ones";
    Note::new("counted-before-suppression", text)
        .public()
        .ranked(NoteRank::Warning)
}

/// Records deleted since their blanks could be worked out.
pub(super) fn deleted_by_audit(n_records: usize) -> Note {
    Note::new(
        "records-deleted-by-audit",
        format!(
            "{n_records} records were deleted, since their blanks could be worked out by elimination"
        ),
    )
    .with("n_records", n_records)
}

/// Records with one more blank, since the first could be worked out.
pub(super) fn blanked_by_audit(n_records: usize) -> Note {
    Note::new(
        "blanked-by-audit",
        format!(
            "{n_records} records lost one more value, since the first could be worked out by elimination"
        ),
    )
    .with("n_records", n_records)
}

/// Records whose blanks can be worked out by elimination.
pub(super) fn given_away(n_records: usize) -> Note {
    Note::new(
        "given-away",
        format!(
            "the blanks of {n_records} records can be worked out by elimination; reversal = \"blank\" or \"delete\" mends that"
        ),
    )
    .with("n_records", n_records)
    .ranked(NoteRank::Warning)
}

/// Cells of a variable were suppressed.
pub(super) fn cells_suppressed(variable: &str, n_cells: u64) -> Note {
    Note::new(
        "cells-suppressed",
        match n_cells {
            1 => format!("{variable}: 1 cell was suppressed"),
            _ => format!("{variable}: {n_cells} cells were suppressed"),
        },
    )
    .with("variable", variable)
    .with("n_cells", n_cells)
}

/// What suppression cost, and what it would have cost at least.
pub(super) fn suppression_cost(n_records: u64, cost: f64, blanks: &Blanks) -> Note {
    let bound = if cost > blanks.lower_bound {
        format!("at least {} for any", blanks.lower_bound)
    } else {
        "the least possible".to_owned()
    };
    let rounds = match blanks.rounds {
        0 => String::new(),
        1 => "; the output was mended once".to_owned(),
        n => format!("; the output was mended {n} times"),
    };
    Note::new(
        "suppression-cost",
        format!("{n_records} records have a suppressed cell; cost {cost}, {bound}{rounds}"),
    )
    .with("n_records", n_records)
    .with("cost", cost)
    .with("lower_bound", blanks.lower_bound)
    .with("rounds", blanks.rounds)
    .ranked(NoteRank::Sum)
}

/// The search for cheaper blanks did not come to its end; nothing where it did.
pub(super) fn search_ended(ended: Ended) -> Option<Note> {
    let text = match ended {
        Ended::Itself => return None,
        Ended::AtItsLimit => {
            "the search for cheaper blanks met its limit of work; what was found until then stands"
        }
        Ended::NotBegun => {
            "there are too many keys, or too many different ones, to search for cheaper blanks: those of search = \"fixpoint\" stand"
        }
    };
    Some(Note::new("search-limited", text))
}

/// Several sets of keys were made safe, those within others not counted.
pub(super) fn sets_made_safe(n_sets: usize) -> Note {
    let text = match n_sets {
        1 => "one set of keys was made safe; the others are within it".to_owned(),
        n => format!("{n} sets of keys were made safe, each by itself"),
    };
    Note::new("key-sets", text).with("n_sets", n_sets)
}

/// Records are blanked one by one in a file whose household id joins them.
pub(super) fn members_tell() -> Note {
    let text = "the file has a household id: a blank of a key that all members share can be read from another member, unless \
                `household_keys` names it";
    Note::new("household-members-tell", text).ranked(NoteRank::Warning)
}
