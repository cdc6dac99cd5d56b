//! What of a calibration may be published: what was done, and no figure.

use bauta_methods::Calibration;
use bauta_methods::calibration::{MarginRow, Solution};

/// A calibration of weights without any figure.
pub(crate) struct PublicCalibration<'a> {
    /// The weight variable.
    pub(crate) weight: &'a str,
    /// Whether all members of a household have the same weight.
    pub(crate) by_household: bool,
    /// Variables, and crosses of variables, whose totals the weights reproduce.
    pub(crate) terms: Vec<&'a str>,
    /// Whose totals they are, in words.
    pub(crate) totals: &'static str,
    /// Whether the totals are reached only nearly.
    pub(crate) nearly: bool,
    /// The method.
    pub(crate) method: &'a str,
    /// Whether the weights were rounded.
    pub(crate) rounded: bool,
}

impl<'a> PublicCalibration<'a> {
    /// What a user of the weights should know. Counts would say how many records were deleted,
    /// ratios and bounds would help to undo the change of weights, totals are those of the
    /// collected file; none of them leaves the house.
    pub(super) fn of(calibration: &'a Calibration) -> Option<Self> {
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
            } = margin;
            // 1 counts records.
            let term = if term == "1" {
                "the whole population"
            } else {
                term
            };
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        Some(Self {
            weight,
            by_household: unit == "household",
            terms,
            totals: if targets_from == "original file" {
                "those of the collected file"
            } else {
                "known totals"
            },
            nearly: penalty.is_some(),
            method,
            rounded: rounding.is_some(),
        })
    }
}
