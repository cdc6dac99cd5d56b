//! What a calibration states about its margins and weights. Margins of few records are counted for
//! everybody and named in the run record.

use serde_json::json;

use crate::adjust::calibration::margins::{Margin, Margins};
use crate::adjust::calibration::rank::Rank;
use crate::few_records::{RULE_OF_TEN, is_few};
use crate::note::{Note, NoteRank};

/// Margins that rest on fewer records are noted.
const SMALL: u64 = 30;

/// Rounding made weights 0.
pub(super) fn weights_rounded_to_zero(n_records: usize) -> Note {
    let text =
        format!("rounding made {n_records} weights 0; round to a smaller number to keep them");
    Note::new("weights-rounded-to-zero", text)
        .with("n_records", n_records)
        .ranked(NoteRank::Warning)
}

/// Totals this many times the sum of the weights, or this part of it, are rather of another unit.
const OTHER_UNIT: f64 = 10.0;

/// What the totals are, compared with what the weights add up to, if that is odd.
pub(super) fn totals_of_another_unit(scale: f64) -> Option<Note> {
    let is_odd = !(1.0 / OTHER_UNIT..=OTHER_UNIT).contains(&scale);
    is_odd.then(|| {
        let times = if scale > 1.0 {
            format!("{scale:.0} times")
        } else {
            format!("1/{:.0} of", scale.recip())
        };
        let text = format!(
            "the totals are {times} what the weights add up to: look whether they are shares, percentages or \
             thousands, since every weight is multiplied by that; shares and percentages are totals with `population`, the \
             number that they are of (W-CAL-SCALE)"
        );
        Note::new("totals-of-another-unit", text)
            .ranked(NoteRank::Warning)
    })
}

/// Calibration made weights negative.
pub(super) fn negative_weights(n_records: usize) -> Note {
    let text =
        format!("{n_records} negative weights; raking, logit and sinh never give any (W-CAL-NEG)");
    Note::new("negative-weights", text)
        .with("n_records", n_records)
        .ranked(NoteRank::Warning)
}

/// Margins without records, redundant ones, and those that rest on few records.
pub(super) fn of_margins(margins: &Margins, rank: &Rank) -> Vec<Note> {
    let of = |wanted: &dyn Fn(&Margin) -> bool| -> Vec<&Margin> {
        margins.all.iter().filter(|margin| wanted(margin)).collect()
    };
    let empty = of(&|margin| margin.n_after == 0);
    let redundant: Vec<&Margin> = redundant(margins, rank).collect();
    let small = of(&|margin| margin.n_after > 0 && margin.n_after < SMALL);
    let mut notes = Vec::new();
    if !empty.is_empty() {
        notes.push(empty_margins_left_out(&empty));
    }
    if !redundant.is_empty() {
        let (n_independent, n_margins) = (rank.independent.len(), margins.all.len());
        notes.push(redundant_margins(n_independent, n_margins, &redundant));
    }
    if !small.is_empty() {
        notes.push(small_margins(&small));
    }
    notes
}

/// The margins that follow from others, but for those that no record is left of.
pub(super) fn redundant<'m>(margins: &'m Margins, rank: &Rank) -> impl Iterator<Item = &'m Margin> {
    let redundant = rank.redundant.iter().map(|&margin| &margins.all[margin]);
    redundant.filter(|margin| margin.n_after > 0)
}

/// Margins with target 0 and no record, which hold whatever the weights.
fn empty_margins_left_out(margins: &[&Margin]) -> Note {
    let text =
        |names: String| format!("margins with target 0 and no record were left out: {names}");
    let note = Note::new("empty-margins-left-out", text(some(margins)))
        .with("n_margins", margins.len())
        .with("margins", named(margins));
    in_full(note, margins, &text)
}

/// Margins that follow from others, with which they agree.
fn redundant_margins(n_independent: usize, n_margins: usize, margins: &[&Margin]) -> Note {
    let text = |names: String| {
        format!(
            "{n_independent} of {n_margins} margins are independent; {names} dropped as redundant (W-RANK)"
        )
    };
    let note = Note::new("redundant-margins", text(some(margins)))
        .with("n_independent", n_independent)
        .with("n_margins", n_margins)
        .with("margins", named(margins));
    in_full(note, margins, &text)
}

/// Margins that rest on few records, with their numbers.
fn small_margins(margins: &[&Margin]) -> Note {
    let texts = |margins: &mut dyn Iterator<Item = &&Margin>| -> Vec<String> {
        let text = |margin: &&Margin| {
            format!("margin {} rests on {} records", margin.name, margin.n_after)
        };
        margins.map(text).collect()
    };
    let rows = |margins: &mut dyn Iterator<Item = &&Margin>| {
        let rows = margins.map(|margin| json!([margin.name, margin.n_after]));
        rows.collect::<Vec<_>>()
    };
    let told = || margins.iter().filter(|margin| is_told(margin));
    let mut parts = texts(&mut told());
    let n_few = margins.len() - parts.len();
    match n_few {
        0 => {}
        1 => parts.push(format!(
            "1 margin rests on fewer than {RULE_OF_TEN} records"
        )),
        n => parts.push(format!(
            "{n} margins rest on fewer than {RULE_OF_TEN} records each"
        )),
    }
    let text = |parts: Vec<String>| format!("{} (W-SMALL)", parts.join(", "));
    let note = Note::new("small-margins", text(parts))
        .with("n_margins", margins.len())
        .with("n_few", n_few)
        .with("margins", rows(&mut told()));
    if n_few == 0 {
        return note;
    }
    note.within(text(texts(&mut margins.iter())))
        .with_within("margins", rows(&mut margins.iter()))
}

/// Whether a margin is named where its records are counted: not only its category, also that so few
/// are left of it tells of somebody.
fn is_told(margin: &Margin) -> bool {
    margin.told.name && !is_few(margin.n_after)
}

/// The note with all names for the run record, where some cannot be told.
fn in_full(note: Note, margins: &[&Margin], text: &dyn Fn(String) -> String) -> Note {
    if margins.iter().all(|margin| margin.told.name) {
        return note;
    }
    let names = margins.iter().map(|margin| margin.name.clone());
    let names: Vec<String> = names.collect();
    note.within(text(names.join(", ")))
        .with_within("margins", names)
}

/// The names that can be told.
fn named(margins: &[&Margin]) -> Vec<String> {
    let told = margins.iter().filter(|margin| margin.told.name);
    told.map(|margin| margin.name.clone()).collect()
}

/// The names that can be told, and how many there are besides.
fn some(margins: &[&Margin]) -> String {
    let named = named(margins);
    match (named.as_slice(), margins.len() - named.len()) {
        (named, 0) => named.join(", "),
        ([], 1) => format!("one of fewer than {RULE_OF_TEN} records"),
        ([], n_few) => format!("{n_few} of fewer than {RULE_OF_TEN} records each"),
        (named, n_few) => format!("{} and {n_few} more of few records", named.join(", ")),
    }
}
