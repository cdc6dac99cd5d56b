//! What deletion and calibration did to variables that were not calibrated on.

use bauta_methods::calibration::ShareRow;
use maud::{Markup, html};

use super::MAX_OPEN_ROWS;
use crate::number::Written as _;
use crate::number::{Unit, percent};
use crate::page::{scrolling, scrolling_tall};

/// Weighted shares of categories: original, as it was left, calibrated.
pub(super) fn shares(rows: &[ShareRow]) -> Markup {
    let caption = "Weighted shares of variables that were not calibrated on";
    let mut variables: Vec<&str> = Vec::new();
    for row in rows {
        if !variables.contains(&row.variable.as_str()) {
            variables.push(&row.variable);
        }
    }
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" rowspan="2" { "Category" }
                    th scope="col" rowspan="2" class="number" { "Original" }
                    th scope="colgroup" colspan="2" class="pair" { "Starting weights" }
                    th scope="colgroup" colspan="2" class="pair" { "Calibrated" }
                }
                tr {
                    @for _ in 0..2 {
                        th scope="col" class="number sub" { "share" }
                        th scope="col" class="number sub" { "difference" }
                    }
                }
            }
            @for variable in variables {
                tbody {
                    tr class="group" { th scope="rowgroup" colspan="6" { (variable) } }
                    @for row in rows.iter().filter(|row| row.variable == variable) { (share_row(row)) }
                }
            }
        }
    };
    html! {
        p { "Differences are from the original, in points of percent." }
        @if rows.len() > MAX_OPEN_ROWS { (scrolling_tall(caption, &body)) }
        @else { (scrolling(caption, &body)) }
    }
}

fn share_row(row: &ShareRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.category.as_deref().unwrap_or("missing")) }
            td class="number" { (percent(row.original)) }
            td class="number" { (percent(row.uncalibrated)) }
            td class="number change" { (Unit::Share.change(row.original, row.uncalibrated)) }
            td class="number" { (percent(row.calibrated)) }
            td class="number change" { (Unit::Share.change(row.original, row.calibrated)) }
        }
    }
}
