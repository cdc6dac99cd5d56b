//! The totals that weights had to reach, before and after.

use bauta_methods::Calibration;
use bauta_methods::calibration::MarginRow;
use maud::{Markup, html};

use super::{MAX_OPEN_ROWS, rank_note};
use crate::number::Written as _;
use crate::number::{NO_FIGURE, Unit, count, counted, number, significant};
use crate::page::{scrolling, scrolling_tall};

/// Largest |relative error| of a total that counts as reached.
const REACHED: f64 = 1e-6;

/// The table of totals, by term, and what is to be said about it.
pub(super) fn margins(calibration: &Calibration) -> Markup {
    let rows = &calibration.margins;
    let n_missed = rows.iter().filter(|row| is_missed(row)).count() as u64;
    let is_penalised = calibration
        .solutions
        .first()
        .is_some_and(|taken| taken.penalty.is_some());
    html! {
        @if n_missed == 0 {
            p { strong class="good" { "✓ " (counted(rows.len() as u64, "total is", "totals are")) " reached" }
                ", each to within a millionth." }
        } @else {
            p {
                strong class="bad" {
                    "✗ " (counted(n_missed, "total is", "totals are")) " missed"
                }
                " by more than a millionth, of " (count(rows.len() as u64)) "."
                @if is_penalised { " The plan sets a penalty, so that totals are reached only nearly." }
            }
        }
        (rank_note(calibration))
        (table(calibration))
        p class="soft" {
            "Relative error: (after − target) / max(1, |target|); marked ✗ where it is above 10⁻⁶. "
            "Share: of the target in its term. "
            "n: the " (unit_name(calibration)) " that a total rests on, in the original and among those left."
        }
    }
}

fn is_missed(row: &MarginRow) -> bool {
    // An error that is no number is no total reached.
    row.relative_error.is_nan() || row.relative_error.abs() > REACHED
}

fn unit_name(calibration: &Calibration) -> &'static str {
    if calibration.unit == "household" {
        "households"
    } else {
        "records"
    }
}

fn table(calibration: &Calibration) -> Markup {
    let rows = &calibration.margins;
    let caption = "Totals by term of the plan";
    let is_scaled = calibration.scale.total_cmp(&1.0).is_ne();
    let mut terms: Vec<&str> = Vec::new();
    for row in rows {
        if !terms.contains(&row.term.as_str()) {
            terms.push(&row.term);
        }
    }
    let n_columns = if is_scaled { 9 } else { 8 };
    let body = html! {
        table class="margins" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Total" }
                    th scope="col" class="number" { "Target" }
                    th scope="col" class="number" { "Share" }
                    th scope="col" class="number" { "Before" }
                    @if is_scaled { th scope="col" class="number" { "Before, scaled" } }
                    th scope="col" class="number" { "After" }
                    th scope="col" class="number" { "Relative error" }
                    th scope="col" class="number" { "n before" }
                    th scope="col" class="number" { "n after" }
                }
            }
            @for term in terms {
                tbody {
                    tr class="group" { th scope="rowgroup" colspan=(n_columns) { (term) } }
                    @for row in rows.iter().filter(|row| row.term == term) {
                        (margin_row(row, is_scaled))
                    }
                }
            }
        }
    };
    if rows.len() > MAX_OPEN_ROWS {
        scrolling_tall(caption, &body)
    } else {
        scrolling(caption, &body)
    }
}

fn margin_row(row: &MarginRow, is_scaled: bool) -> Markup {
    html! {
        tr {
            th scope="row" { (row.name) }
            td class="number" { (number(row.target)) }
            td class="number" { (Unit::Share.text_or_dash(row.share)) }
            td class="number" { (number(row.before)) }
            @if is_scaled { td class="number" { (number(row.before_scaled)) } }
            td class="number" { (number(row.after)) }
            td class="number" {
                @if is_missed(row) { strong class="bad" { "✗ " (significant(row.relative_error, 3)) } }
                @else { (significant(row.relative_error, 2)) }
            }
            td class="number" { (row.n_before.map_or_else(|| NO_FIGURE.to_owned(), count)) }
            td class="number" { (count(row.n_after)) }
        }
    }
}
