//! What a calibration shows for itself: who was deleted, which totals had to be reached and were,
//! by how much weights changed, and what that did to variables nobody calibrated on.

mod bounds;
mod deletion;
mod margins;
mod public;
mod shares;
mod solver;
mod spread;

use bauta_data::number::number_text;

use super::found::{Calibration, Solution};
use crate::error::MethodError;
use crate::exhibit::{Cell, Column, Evidence, Exhibit, Fact, Shows, View, Words};

/// Longest table or list that stands open where it is not what a reader looks for first.
const LONG: usize = 15;

/// A calibration as evidence.
pub fn evidence(calibration: &Calibration) -> Result<Evidence, MethodError> {
    Ok(Evidence {
        id: "calibration".to_owned(),
        title: "Calibration of the weights".to_owned(),
        subject: calibration.weight.clone(),
        summary: summary(calibration),
        exhibits: exhibits(calibration),
        data: serde_json::to_value(calibration).map_err(|error| {
            MethodError::Internal(format!("a calibration cannot be recorded: {error}"))
        })?,
    })
}

/// The exhibits, always the same ones: those without figures have headings only.
pub(crate) fn exhibits(calibration: &Calibration) -> Vec<Exhibit> {
    vec![
        Exhibit {
            id: "overview".to_owned(),
            views: vec![View::new("", Shows::Facts(overview(calibration)))],
            public: public::public(calibration),
            ..Exhibit::default()
        },
        deletion::exhibit(calibration.deletion.as_ref()),
        margins::exhibit(calibration),
        spread::exhibit(calibration),
        solver::exhibit(calibration),
        bounds::exhibit(calibration.bounds.as_ref(), &calibration.solutions),
        shares::exhibit(&calibration.shares),
    ]
}

/// The calibration in one sentence.
fn summary(calibration: &Calibration) -> Words {
    let Some(taken) = calibration.solutions.first() else {
        return Words::new();
    };
    let words = Words::from(calibration.weight.as_str())
        .text(format!(" calibrated by {} to ", taken.method))
        .count(calibration.margins.len() as u64)
        .text(" totals, largest relative error ")
        .digits(taken.largest_error, 2)
        .text("; 1 + cv² ")
        .number(taken.kish_before)
        .text(" before, ")
        .number(taken.kish_after)
        .text(" after");
    let words = match taken.g.quantiles.as_slice() {
        [least, .., largest] => words
            .text("; g from ")
            .number(*least)
            .text(" to ")
            .number(*largest),
        [] | [_] => words,
    };
    words.text(".")
}

/// What was calibrated.
fn overview(calibration: &Calibration) -> Vec<Fact> {
    let Calibration {
        weight,
        start,
        unit,
        n_original,
        n_kept,
        scale,
        ..
    } = calibration;
    let from = format!(", from {start}");
    let belongs_to = match unit.as_str() {
        "household" => "the household: its members share one",
        _ => "the record",
    };
    let records = Words::new().count(*n_kept).text(" of ").count(*n_original);
    let mut facts = vec![
        Fact::new(
            "Weight",
            Words::from(weight.as_str()).text_if(start != weight, &from),
        ),
        Fact::new("Belongs to", belongs_to),
        Fact::new(
            "Records",
            records.text_if(n_kept != n_original, " are left"),
        ),
        Fact::new(
            "Starting weights",
            if is_scaled(*scale) {
                Words::from("multiplied by γ = ").digits(*scale, 7)
            } else {
                "as they were".into()
            },
        ),
        Fact::new("Totals", format!("from the {}", calibration.targets_from)),
    ];
    if let Some(taken) = calibration.solutions.first() {
        let method = capitalised(&solution_name(taken));
        let method = format!("{method} ({})", distance_in_words(&taken.method));
        facts.push(Fact::new("Method", method));
    }
    if let Some(rounding) = &calibration.rounding {
        facts.push(Fact::new(
            "Rounding",
            Words::from("to multiples of ")
                .text(as_given(rounding.to))
                .text("; the largest change of a total is ")
                .number(rounding.largest_change)
                .text(format!(", of {}", rounding.margin)),
        ));
    }
    facts
}

fn is_scaled(scale: f64) -> bool {
    scale.total_cmp(&1.0).is_ne()
}

/// The distance that a method makes least.
fn distance_in_words(method: &str) -> &'static str {
    match method {
        "linear" => "chi-square distance",
        "raking" => "entropy distance, the raking ratio",
        "logit" => "logit distance, with bounds on the ratios",
        "truncated" => "chi-square distance, with bounds on the ratios",
        "sinh" => "hyperbolic sine distance",
        _ => "a distance of its own",
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

/// The same, marked if it is the one that was taken where there are others.
fn marked_name(solution: &Solution, is_taken: bool) -> String {
    let name = solution_name(solution);
    if is_taken { name + " (taken)" } else { name }
}

/// What tells the solutions of a calibration apart in files.
const SOLUTION: [&str; 6] = ["solution", "method", "q", "lower", "upper", "penalty"];

fn solution_columns() -> Vec<Column> {
    SOLUTION.iter().map(|name| Column::filed(name)).collect()
}

fn solution_cells(idx: usize, solution: &Solution) -> Vec<Cell> {
    vec![
        (idx as u64 + 1).into(),
        solution.method.as_str().into(),
        solution.q.as_str().into(),
        solution.lower.into(),
        solution.upper.into(),
        solution.penalty.into(),
    ]
}

/// A parameter as a plan would write it; of a number that was searched for, twelve digits.
fn as_given(value: f64) -> String {
    let text = number_text(value);
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    if n_digits > 15 {
        let rounded = format!("{value:.11e}").parse().unwrap_or(value);
        number_text(rounded)
    } else {
        text
    }
}

fn capitalised(text: &str) -> String {
    let mut symbols = text.chars();
    let first = symbols.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(symbols).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_as_they_were_given() {
        assert_eq!(as_given(0.141_592_6), "0.1415926");
        assert_eq!(as_given(0.1 + 0.2), "0.3");
        assert_eq!(as_given(3.0), "3");
    }

    /// Files that scripts read do not depend on what a calibration found.
    #[test]
    fn tables_have_their_headings_without_any_figure() {
        for exhibit in exhibits(&Calibration::default()) {
            for view in exhibit.views {
                if let Shows::Table(table) = view.shows {
                    assert!(
                        table
                            .rows
                            .iter()
                            .all(|row| row.len() == table.columns.len())
                    );
                    assert!(!table.columns.is_empty(), "{}", view.caption);
                }
            }
        }
    }
}
