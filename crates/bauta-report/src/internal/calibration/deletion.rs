//! Who was deleted, round by round and category by category.

use bauta_methods::calibration::{DeletedRow, Deletion};
use maud::{Markup, html};

use super::MAX_OPEN_ROWS;
use crate::number::{NO_FIGURE, count, percent};
use crate::page::{scrolling, scrolling_tall};
use crate::words::sentence;

/// The deletion of records at risk.
pub(super) fn deletion(found: &Deletion) -> Markup {
    html! {
        p { (sentence(&found.rule)) }
        (rounds(&found.rounds))
        (by_category(&found.by_category))
    }
}

fn rounds(rounds: &[u64]) -> Markup {
    let caption = "Records at risk found in each round; deleting them may put others at risk";
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Round" }
                    @for round in 1..=rounds.len() { th scope="col" class="number" { (round) } }
                }
            }
            tbody {
                tr {
                    th scope="row" { "Records at risk" }
                    @for &n_at_risk in rounds { td class="number" { (count(n_at_risk)) } }
                }
            }
        }
    };
    html! { @if !rounds.is_empty() { (scrolling(caption, &body)) } }
}

fn by_category(rows: &[DeletedRow]) -> Markup {
    let caption = "Deleted records by key and category";
    let mut variables: Vec<&str> = Vec::new();
    for row in rows {
        if !variables.contains(&row.variable.as_str()) {
            variables.push(&row.variable);
        }
    }
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Category" }
                    th scope="col" class="number" { "Records" }
                    th scope="col" class="number" { "Deleted" }
                    th scope="col" class="number" { "Share deleted" }
                }
            }
            @for variable in variables {
                tbody {
                    tr class="group" { th scope="rowgroup" colspan="4" { (variable) } }
                    @for row in rows.iter().filter(|row| row.variable == variable) { (deleted_row(row)) }
                }
            }
        }
    };
    html! {
        @if rows.len() > MAX_OPEN_ROWS { (scrolling_tall(caption, &body)) }
        @else if !rows.is_empty() { (scrolling(caption, &body)) }
    }
}

fn deleted_row(row: &DeletedRow) -> Markup {
    let share = (row.n_before > 0).then(|| percent(row.n_deleted as f64 / row.n_before as f64));
    html! {
        tr {
            th scope="row" { (row.category.as_deref().unwrap_or("missing")) }
            td class="number" { (count(row.n_before)) }
            td class="number" { (count(row.n_deleted)) }
            td class="number" { (share.as_deref().unwrap_or(NO_FIGURE)) }
        }
    }
}
