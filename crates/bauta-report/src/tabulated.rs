//! Series that are read as tables: several figures for the same points, side by side.

use bauta_methods::measure::{Measurement, Series};
use bauta_methods::risk::key_contribution::{BY_LEVEL, LEFT_OUT};
use bauta_plan::record::MeasureRecord;
use maud::{Markup, html};

use crate::number::Written as _;
use crate::page::scrolling;
use crate::words::capitalised;

/// What the points of such series are, by how the names of the series end.
const TABLES: [(&str, &str, &str); 2] = [
    (
        LEFT_OUT,
        "Key left out",
        "What is left if one key is not known",
    ),
    (
        BY_LEVEL,
        "Recoded to",
        "What is left if one key is recoded to a higher level of its hierarchy",
    ),
];

/// Whether a series stands in a table and is not drawn.
pub(crate) fn is_tabulated(series: &Series) -> bool {
    TABLES.iter().any(|(end, _, _)| series.name.ends_with(end))
}

/// The tables of a measure.
pub(crate) fn tables(measure: &MeasureRecord) -> Markup {
    html! {
        @for (end, points, caption) in TABLES {
            (table(measure, end, points, caption))
        }
    }
}

/// The series of a file whose names end so.
fn series_of<'a>(found: Option<&'a Measurement>, end: &str) -> Vec<&'a Series> {
    let series = found.into_iter().flat_map(|found| &found.series);
    series.filter(|series| series.name.ends_with(end)).collect()
}

fn table(measure: &MeasureRecord, end: &str, points: &str, caption: &str) -> Markup {
    let before = series_of(measure.before.as_ref(), end);
    let after = series_of(measure.after.as_ref(), end);
    let mut figures: Vec<&Series> = Vec::new();
    let mut rows: Vec<&str> = Vec::new();
    for series in before.iter().chain(&after) {
        if !figures.iter().any(|figure| figure.name == series.name) {
            figures.push(series);
        }
        for point in &series.points {
            if !rows.contains(&point.name.as_str()) {
                rows.push(&point.name);
            }
        }
    }
    let value = |all: &[&Series], name: &str, row: &str| {
        let series = all.iter().find(|series| series.name == name)?;
        let point = series.points.iter().find(|point| point.name == row)?;
        point.value
    };
    // Where nothing changed, one column says so for both files.
    let same = before == after || before.is_empty() || after.is_empty();
    let one = if after.is_empty() { &before } else { &after };
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" rowspan="2" { (points) }
                    @for figure in &figures {
                        @let name = capitalised(figure.name.trim_end_matches(end));
                        @if same { th scope="col" class="number" { (name) } }
                        @else { th scope="colgroup" colspan="2" class="pair" { (name) } }
                    }
                }
                tr {
                    @for _ in &figures {
                        @if same {
                            th scope="col" class="number sub" { (one_file(&before, &after)) }
                        } @else {
                            th scope="col" class="number sub" { "before" }
                            th scope="col" class="number sub" { "after" }
                        }
                    }
                }
            }
            tbody {
                @for row in &rows {
                    tr {
                        th scope="row" { (capitalised_if_general(row)) }
                        @for figure in &figures {
                            @let text = |all: &[&Series]| {
                                figure.unit.text_or_dash(value(all, &figure.name, row))
                            };
                            @if same { td class="number" { (text(one)) } }
                            @else {
                                td class="number" { (text(&before)) }
                                td class="number" { (text(&after)) }
                            }
                        }
                    }
                }
            }
        }
    };
    html! { @if !figures.is_empty() { (scrolling(caption, &body)) } }
}

/// The first row is about the file, all others begin with the name of a variable.
fn capitalised_if_general(row: &str) -> String {
    if row == bauta_methods::risk::key_contribution::AS_IT_IS {
        capitalised(row)
    } else {
        row.to_owned()
    }
}

fn one_file(before: &[&Series], after: &[&Series]) -> &'static str {
    match (before.is_empty(), after.is_empty()) {
        (false, false) => "both files",
        (false, true) => "before",
        (true, _) => "after",
    }
}
