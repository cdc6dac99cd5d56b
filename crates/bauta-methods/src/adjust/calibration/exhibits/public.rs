//! What of a calibration may be published: what was done, and no figure.

use super::distance_in_words;
use crate::adjust::calibration::found::{Calibration, MarginRow, Solution};
use crate::exhibit::{Paragraph, Public, Words, listed};

/// What a user of the weights should know. Counts would say how many records were deleted,
/// ratios and bounds would help to undo the change of weights, totals are those of the
/// collected file; none of them leaves the house. Everything is taken apart without `..`: a field
/// that is added stops the compiler here, and somebody has to decide.
pub(super) fn public(calibration: &Calibration) -> Option<Public> {
    let Calibration {
        weight,
        start: _,
        unit,
        n_original: _,
        n_kept: _,
        scale: _,
        deletion: _,
        targets_from,
        margins,
        n_independent: _,
        redundant: _,
        solutions,
        histogram_from: _,
        histogram_step: _,
        bounds: _,
        shares: _,
        rounding,
    } = calibration;
    // The first is the one that was taken.
    let Solution {
        method,
        q: _,
        lower: _,
        upper: _,
        penalty,
        failed: _,
        iterations: _,
        multipliers: _,
        g: _,
        weights: _,
        histogram: _,
        density: _,
        kish_before: _,
        kish_after: _,
        n_negative: _,
        n_at_lower: _,
        n_at_upper: _,
        largest_error: _,
    } = solutions.first()?;
    let equal = if penalty.is_some() {
        "nearly equal"
    } else {
        "equal"
    };
    let totals = match targets_from.as_str() {
        "original file" => "those of the collected file",
        _ => "known totals",
    };
    let distance = distance_in_words(method);
    let done = Words::from("The weight ")
        .strong(weight)
        .text(" was calibrated: weighted totals of ")
        .text(listed(&terms(margins)))
        .text(format!(" computed from this file {equal} {totals}. "))
        .text(format!("Method: {method} ({distance})."))
        .text_if(
            unit == "household",
            " All members of a household have the same weight.",
        )
        .text_if(rounding.is_some(), " The weights are rounded.");
    let use_it = "Use this weight for every estimate; without it results do not stand for the \
        population.";
    Some(Public {
        text: vec![Paragraph::of(done), Paragraph::of(use_it)],
        views: Vec::new(),
    })
}

/// Variables, and crosses of variables, whose totals the weights reproduce.
fn terms(margins: &[MarginRow]) -> Vec<&str> {
    let mut terms: Vec<&str> = Vec::new();
    for margin in margins {
        let MarginRow {
            name: _,
            term,
            target: _,
            share: _,
            before: _,
            before_scaled: _,
            after: _,
            relative_error: _,
            n_before: _,
            n_after: _,
            place: _,
            told: _,
        } = margin;
        let term = match term.as_str() {
            // 1 counts records.
            "1" => "the whole population",
            named => named,
        };
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}
