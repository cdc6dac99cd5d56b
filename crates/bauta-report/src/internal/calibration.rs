//! How weights were calibrated: who was deleted, which totals had to be reached and were, by how
//! much weights changed, and what that did to variables nobody calibrated on.

mod bounds;
mod deletion;
mod margins;
mod shares;
mod solver;
mod spread;

use bauta_methods::Calibration;
use bauta_methods::calibration::Solution;
use bauta_plan::RunRecord;
use bauta_plan::record::StepRecord;
use maud::{Markup, html};

use crate::number::{as_given, count, counted, number};
use crate::page::facts;
use crate::words::{capitalised, distance, listed};

/// Longest table that stands open; longer ones are folded.
const MAX_OPEN_ROWS: usize = 15;

/// The calibrations of a run; none where no weight was calibrated.
pub(super) fn section(record: &RunRecord) -> Option<Markup> {
    let calibrated: Vec<(&StepRecord, &Calibration)> = record
        .steps
        .iter()
        .filter_map(|step| Some((step, step.calibration.as_deref()?)))
        .collect();
    if calibrated.is_empty() {
        return None;
    }
    Some(html! {
        @for (idx, (step, calibration)) in calibrated.iter().enumerate() {
            h3 { (step.title) ": " (calibration.weight) }
            (one(calibration, &format!("calibration-{idx}")))
        }
    })
}

fn one(calibration: &Calibration, id: &str) -> Markup {
    html! {
        (overview(calibration))
        @if let Some(found) = &calibration.deletion {
            h4 { "Records deleted because they were at risk" }
            (deletion::deletion(found))
        }
        h4 { "Totals that the weights had to reach" }
        (margins::margins(calibration))
        h4 { "By how much weights changed" }
        (spread::spread(calibration, id))
        h4 { "How the weights were found" }
        (solver::solver(calibration))
        @if let Some(found) = &calibration.bounds {
            h4 { "Bounds that the totals allow" }
            (bounds::bounds(found, &calibration.solutions, id))
        }
        @if !calibration.shares.is_empty() {
            h4 { "Variables that were not calibrated on" }
            (shares::shares(&calibration.shares))
        }
    }
}

/// What was calibrated, in rows.
fn overview(calibration: &Calibration) -> Markup {
    let Calibration {
        weight,
        start,
        unit,
        n_original,
        n_kept,
        scale,
        ..
    } = calibration;
    let mut rows = vec![
        (
            "Weight",
            html! { (weight) @if start != weight { ", from " (start) } },
        ),
        (
            "Belongs to",
            html! { (if unit == "household" { "the household: its members share one" } else { "the record" }) },
        ),
        (
            "Records",
            html! {
                (count(*n_kept)) " of " (count(*n_original))
                @if n_kept != n_original { " are left" }
            },
        ),
        ("Starting weights", html! { (scaling(*scale)) }),
        ("Totals", html! { "from the " (calibration.targets_from) }),
    ];
    if let Some(taken) = calibration.solutions.first() {
        rows.push((
            "Method",
            html! { (capitalised(&solution_name(taken))) " (" (distance(&taken.method)) ")" },
        ));
    }
    if let Some(rounding) = &calibration.rounding {
        rows.push((
            "Rounding",
            html! {
                "to multiples of " (as_given(rounding.to)) "; the largest change of a total is "
                (number(rounding.largest_change)) ", of " (rounding.margin)
            },
        ));
    }
    facts(&rows)
}

fn scaling(scale: f64) -> String {
    if scale.total_cmp(&1.0).is_eq() {
        "as they were".to_owned()
    } else {
        format!("multiplied by γ = {}", crate::number::significant(scale, 7))
    }
}

/// What tells a solution from others: method, bounds, q weights, penalty.
fn solution_name(solution: &Solution) -> String {
    let mut out = solution.method.clone();
    match (solution.lower, solution.upper) {
        (Some(lower), Some(upper)) => {
            out += &format!(" between {} and {}", as_given(lower), as_given(upper));
        }
        (Some(lower), None) => out += &format!(" from {}", as_given(lower)),
        (None, Some(upper)) => out += &format!(" up to {}", as_given(upper)),
        (None, None) => {}
    }
    if !solution.q.is_empty() && solution.q != "uniform" {
        out += &format!(", q {}", solution.q);
    }
    if let Some(penalty) = solution.penalty {
        out += &format!(", penalty {}", as_given(penalty));
    }
    out
}

/// The solutions that there are.
fn solved(calibration: &Calibration) -> Vec<&Solution> {
    let solutions = calibration.solutions.iter();
    solutions
        .filter(|solution| solution.failed.is_none())
        .collect()
}

/// How many margins are independent, and which follow from others.
fn rank_note(calibration: &Calibration) -> Markup {
    let redundant: Vec<&str> = calibration.redundant.iter().map(String::as_str).collect();
    let n_margins = calibration.margins.len() as u64;
    let named = counted(
        redundant.len() as u64,
        "follows from the others and was left out of the equations: ",
        "follow from the others and were left out of the equations: ",
    );
    html! {
        @if redundant.is_empty() {
            p { "All " (count(n_margins)) " totals are independent of each other." }
        } @else {
            p {
                "Of " (count(n_margins)) " totals " (count(calibration.n_independent))
                " are independent of each other; " (named)
                @if redundant.len() <= MAX_OPEN_ROWS { (listed(&redundant)) "." }
            }
            @if redundant.len() > MAX_OPEN_ROWS {
                details {
                    summary { "Show the totals that follow from others" }
                    p { (listed(&redundant)) "." }
                }
            }
        }
    }
}
