//! Tables of a text.

use maud::{Markup, html};

use super::inline::{Marks, inline_with};
use crate::page::{scrolling, scrolling_tall};

/// A table of more rows scrolls in a box of its own.
const MAX_ROWS: usize = 60;
/// Columns from which a table is set smaller on paper, and from which smaller still.
const MANY: usize = 9;
const MOST: usize = 13;
/// Columns of numbers that a telephone does not show side by side.
const SOME: usize = 5;
/// A column with a longer cell holds words.
const WORDS: usize = 36;

/// Lines of a table, its headings first, as markup that scrolls where there is no room.
pub(crate) fn table(lines: &[&str], marks: &Marks<'_>) -> Markup {
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| cells(line)).collect();
    let Some((headings, rest)) = rows.split_first() else {
        return html! {};
    };
    let is_ruler = |row: &&Vec<&str>| row.iter().all(|cell| cell.trim_matches('-').is_empty());
    let body: Vec<&Vec<&str>> = match rest.first() {
        Some(first) if is_ruler(&first) => rest[1..].iter().collect(),
        _ => rest.iter().collect(),
    };
    let is_of_words = |column: usize| {
        let mut cells = body.iter().filter_map(|row| row.get(column));
        cells.any(|cell| cell.chars().count() > WORDS)
    };
    let words: Vec<bool> = (0..headings.len()).map(is_of_words).collect();
    let class = match headings.len() {
        MOST.. => "most",
        MANY.. => "many",
        // On a telephone they must be scrolled, and that is to be seen.
        SOME.. if !words.contains(&true) => "narrow wide",
        // Stretched over the page, cells of one row would stand far apart.
        _ if !words.contains(&true) => "narrow",
        _ => "stacked",
    };
    let class_of = |column: usize| -> Option<&'static str> {
        if words[column] {
            return Some("words");
        }
        let cells = body.iter().filter_map(|row| row.get(column));
        let filled: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
        let n_numbers = filled.iter().filter(|cell| is_number(cell)).count();
        // Ranges of ages begin like numbers.
        (n_numbers > 0 && n_numbers * 5 >= filled.len() * 4).then_some("number")
    };
    let classes: Vec<Option<&str>> = (0..headings.len()).map(class_of).collect();
    let of = |column: usize| classes.get(column).copied().flatten();
    let markup = html! {
        table class=(class) {
            thead { tr {
                @for (column, heading) in headings.iter().enumerate() {
                    th scope="col" class=[of(column)] { (inline_with(heading, marks)) }
                }
            } }
            tbody {
                @for row in &body {
                    tr {
                        @for (column, cell) in row.iter().enumerate() {
                            td class=[of(column)] data-label=[headings.get(column)] { (inline_with(cell, marks)) }
                        }
                    }
                }
            }
        }
    };
    let label = headings.first().copied().unwrap_or("table");
    if body.len() > MAX_ROWS {
        scrolling_tall(label, &markup)
    } else {
        scrolling(label, &markup)
    }
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(str::trim).collect()
}

/// Whether a cell is a figure, perhaps with its spread, a star or a per cent sign.
fn is_number(cell: &str) -> bool {
    let bare = cell.trim_matches('*').trim_end_matches('%').trim_end();
    let first = bare.split(" ± ").next().unwrap_or(bare);
    bare.split(" ± ").count() <= 2 && first.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_right_and_words_left() {
        let lines = [
            "| a | b |",
            "|---|---|",
            "| x | 1.20 ± 0.10 |",
            "| -24 | **2** |",
            "| 25-49 |  |",
        ];
        let html = table(&lines, &Marks::PLAIN).into_string();
        assert!(
            html.contains(
                "<td data-label=\"a\">x</td><td class=\"number\" data-label=\"b\">1.20 ± 0.10</td>"
            ),
            "{html}"
        );
        assert!(
            html.contains(
                "<td data-label=\"a\">-24</td><td class=\"number\" data-label=\"b\"><strong>2</strong></td>"
            ),
            "{html}"
        );
        assert!(!html.contains("---"));
        assert!(
            is_number("-0.5") && is_number("0.096*") && !is_number("2 of 3") && !is_number("5-9")
        );
    }
}
