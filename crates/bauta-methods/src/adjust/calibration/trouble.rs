//! Why there are no such weights, in words. Margins are named where that can be told: the user asked
//! for them, and cannot mend what is not named. A category of few records is said by its place, and a
//! total that rests on few is not given: an error is read on a screen and sent by mail.

use bauta_data::{Kind, Table};

use crate::adjust::calibration::bounds::Feasible;
use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::distance::Distance;
use crate::adjust::calibration::found::Told;
use crate::adjust::calibration::limits::allows_bounds;
use crate::adjust::calibration::margins::{Margin, Margins, TargetFrom};
use crate::adjust::calibration::rank::{Contradiction, Rank};
use crate::adjust::calibration::solve::{End, Search};
use crate::context::RunContext;
use crate::error::{ErrorCode, MethodError};

/// Different records up to which the smallest upper bound is worked out for a message.
const WORKED_OUT_UP_TO: usize = 100_000;
/// So many things are named in one message.
const NAMED: usize = 5;

/// The error of margins that no record is left for, and of those that only records without weight
/// could reach.
pub(crate) fn impossible_margins(
    margins: &Margins,
    released: &Table,
    distance: Distance,
    is_exact: impl Fn(usize) -> bool,
) -> Result<(), MethodError> {
    let empty: Vec<&Margin> = margins
        .all
        .iter()
        .enumerate()
        .filter(|(position, _)| is_exact(*position))
        .map(|(_, margin)| margin)
        .filter(|margin| margin.n_after == 0 && margin.target != 0.0)
        .collect();
    if let Some(first) = empty.first() {
        let texts: Vec<String> = empty
            .iter()
            .map(|margin| empty_text(margins, margin))
            .collect();
        return Err(MethodError::request(
            format!("{}: {}", ErrorCode::CalibrationEmpty, listed(&texts, "; ")),
            merge_hint(margins, released, first),
        ));
    }
    let (lower, _) = distance.range();
    let positive = lower > 0.0 || matches!(distance, Distance::Raking | Distance::Sinh { .. });
    let counts = |margin: &&Margin| margins.terms[margin.term].counts();
    let unreachable: Vec<String> = margins
        .all
        .iter()
        .filter(counts)
        .filter(|margin| {
            let below = margin.target < 0.0 && (positive || lower >= 0.0);
            below || (margin.target == 0.0 && positive)
        })
        .filter(|margin| margin.n_after > 0)
        .map(|margin| {
            format!(
                "margin {} has {} and {} records",
                margins.in_messages(margin),
                target_text(margin),
                margin.n_after
            )
        })
        .collect();
    if unreachable.is_empty() {
        return Ok(());
    }
    Err(MethodError::request(
        format!(
            "{}: positive weights cannot reach every target: {}",
            ErrorCode::CalibrationInfeasible,
            listed(&unreachable, "; ")
        ),
        "delete those records, correct the total, or use the linear method",
    ))
}

fn empty_text(margins: &Margins, margin: &Margin) -> String {
    let term = &margins.terms[margin.term];
    let category = if margin.told.name {
        let labels = margin.cell.iter().map(|(_, label)| label.as_str());
        labels.collect::<Vec<_>>().join(", ")
    } else {
        format!("{} of {}", margin.place, margins.n_places(margin))
    };
    let deleted = if margin.n_before > 0 {
        format!(" after deletion ({} deleted)", margin.n_before)
    } else {
        String::new()
    };
    format!(
        "calibration variable {v}: category {category} has {t} but no record left{deleted}. Merge it or drop {v}.",
        v = term.text,
        t = target_text(margin),
    )
}

fn target_text(margin: &Margin) -> String {
    if margin.told.target {
        format!("target {}", margin.target)
    } else {
        "a target".to_owned()
    }
}

/// Which category to merge an empty one with: a neighbour if they are ordered, else the smallest.
fn merge_hint(margins: &Margins, released: &Table, empty: &Margin) -> String {
    let term = &margins.terms[empty.term];
    let drop = format!(
        "recode it first, or leave `{}` out of the margins",
        term.text
    );
    let [(variable, _)] = empty.cell.as_slice() else {
        return drop;
    };
    let siblings: Vec<&Margin> = margins
        .all
        .iter()
        .filter(|margin| margin.term == empty.term)
        .collect();
    let Some(at) = siblings.iter().position(|margin| margin.name == empty.name) else {
        return drop;
    };
    let kind = released
        .column_named(variable)
        .map(|column| column.attribute().kind);
    let filled = |margin: &&&Margin| margin.n_after > 0;
    let partner = if kind == Some(Kind::Ordered) {
        let before = siblings[..at].iter().rev().find(filled);
        before.or_else(|| siblings[at + 1..].iter().find(filled))
    } else {
        siblings
            .iter()
            .filter(filled)
            .min_by_key(|margin| margin.n_after)
    };
    match partner {
        Some(partner) => format!(
            "merge it with {} by a recode step, or leave `{variable}` out of the margins",
            margins.in_messages(partner)
        ),
        None => drop,
    }
}

/// The error of margins that disagree. Sums of the user's own totals are told. Those of the file are
/// not: their difference is the total of the records that are gone, which may be one.
pub(crate) fn contradictory(margins: &Margins, found: &[Contradiction]) -> MethodError {
    let side = |side: &[(usize, f64)]| {
        let names: Vec<String> = side
            .iter()
            .map(|&(margin, coefficient)| {
                let name = margins.in_messages(&margins.all[margin]);
                if coefficient.to_bits() == 1.0_f64.to_bits() {
                    name
                } else {
                    format!("{coefficient} × {name}")
                }
            })
            .collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            listed(&names, " + ")
        }
    };
    let texts: Vec<String> = found
        .iter()
        .map(|found| {
            let (left, right) = (side(&found.left), side(&found.right));
            let mut both = found.left.iter().chain(&found.right);
            if both.any(|&(margin, _)| margins.all[margin].target_from == TargetFrom::Original) {
                return format!("{left} is the same as {right}, and their totals are not");
            }
            let (left_sum, right_sum) = (found.left_sum, found.right_sum);
            let difference = left_sum - right_sum;
            format!("{left} sums to {left_sum}, {right} to {right_sum} (difference {difference})")
        })
        .collect();
    MethodError::request(
        format!(
            "{}: margins disagree: {}",
            ErrorCode::CalibrationContradiction,
            listed(&texts, "; ")
        ),
        "in the records that are left these are the same; correct the totals, scale those of one term to the other's sum, \
         leave one of the terms out, or let totals be missed a little (`penalty`, see `bauta explain calibrate`)",
    )
}

/// The error of a search that did not reach the margins.
pub(crate) fn not_reached(
    margins: &Margins,
    design: &Design,
    rank: &Rank,
    distance: Distance,
    search: &Search,
    context: &RunContext<'_>,
) -> Result<MethodError, MethodError> {
    let (lower, upper) = distance.range();
    let bounded = distance.is_bounded();
    let too_many = design.n_profiles() > WORKED_OUT_UP_TO || !allows_bounds(design);
    let smallest = if lower.is_finite() && !too_many {
        Feasible::new(design, &rank.independent).smallest_upper(lower, context)?
    } else {
        Some(f64::NEG_INFINITY)
    };
    let proved = search.end == End::Infeasible || smallest.is_none_or(|least| least > upper);
    if proved {
        let tightest = tightest(margins, design, &search.lambda);
        let (range, remedy) = match (bounded, smallest) {
            (true, Some(least)) if least.is_finite() => (
                format!(
                    "no weights in [{lower},{upper}] reach the margins (proved). For L={lower} the smallest U is {least}."
                ),
                "raise `upper`, lower `lower`, or leave margins out",
            ),
            (true, Some(_)) => (
                format!("no weights in [{lower},{upper}] reach the margins (proved)."),
                "raise `upper`, lower `lower`, or leave margins out",
            ),
            (true, None) => (
                format!(
                    "no weights in [{lower},{upper}] reach the margins (proved). For L={lower} there is no U."
                ),
                "lower `lower`, or leave margins out",
            ),
            (false, _) => (
                "no positive weights reach the margins (proved).".to_owned(),
                "leave margins out, merge categories, or use the linear method",
            ),
        };
        return Ok(MethodError::request(
            format!(
                "{}: {range} Tightest margins: {tightest}",
                ErrorCode::CalibrationInfeasible
            ),
            remedy,
        ));
    }
    let (margin, got) = match search.end {
        End::Undecided { margin, got } => (margin, got),
        End::Reached | End::Infeasible => (0, f64::NAN),
    };
    let worst = &margins.all[margin];
    let figures = match worst.told {
        Told {
            target: true,
            reached: true,
            ..
        } => format!(": {got} vs {}", worst.target),
        _ => String::new(),
    };
    Ok(MethodError::request(
        format!(
            "{}: no convergence after {} iterations, worst margin {}{figures}",
            ErrorCode::CalibrationNoConvergence,
            search.steps.len(),
            margins.in_messages(worst),
        ),
        "widen the bounds, or try the linear method",
    ))
}

/// The margins that weigh most in the proof.
fn tightest(margins: &Margins, design: &Design, lambda: &[f64]) -> String {
    let weight = |margin: &usize| (lambda[*margin] * design.targets[*margin]).abs();
    let mut ranked: Vec<usize> = (0..design.n_margins()).collect();
    ranked.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    let names: Vec<String> = ranked
        .into_iter()
        .take(3)
        .map(|margin| margins.in_messages(&margins.all[margin]))
        .collect();
    names.join(", ")
}

fn listed(texts: &[String], between: &str) -> String {
    let shown = texts[..texts.len().min(NAMED)].join(between);
    match texts.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}{between}and {more} more"),
    }
}

/// Rounding that leaves no weight: nothing could be estimated with them.
pub(crate) fn all_rounded_to_zero(n_records: usize, to: f64) -> MethodError {
    MethodError::request(
        format!("rounding to multiples of {to} makes all {n_records} weights 0"),
        "choose a `round_to` that is small beside the weights",
    )
}
