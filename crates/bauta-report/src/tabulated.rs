//! Series that are read as tables: several figures for the same points, side by side.

use bauta_methods::measure::{Measurement, Series, SeriesTable};
use bauta_plan::record::MeasureRecord;
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::Written as _;
use crate::page::scrolling;
use crate::words::capitalised;

/// Whether a series stands in a table and is not drawn.
pub(crate) fn is_tabulated(series: &Series) -> bool {
    series.table.is_some()
}

/// The tables of a measure.
pub(crate) fn tables(measure: &MeasureRecord, labels: &Labels<'_>) -> Markup {
    let both = [&measure.before, &measure.after].into_iter().flatten();
    let mut tables: Vec<&SeriesTable> = Vec::new();
    for table in both
        .flat_map(|found| &found.series)
        .filter_map(|series| series.table.as_ref())
    {
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    html! { @for shown in tables { (table(measure, shown, labels)) } }
}

/// The series of a file that stand in a table.
fn series_of<'a>(found: Option<&'a Measurement>, table: &SeriesTable) -> Vec<&'a Series> {
    let series = found.into_iter().flat_map(|found| &found.series);
    series.filter(|series| series.is_in(table)).collect()
}

fn table(measure: &MeasureRecord, shown: &SeriesTable, labels: &Labels<'_>) -> Markup {
    let before = series_of(measure.before.as_ref(), shown);
    let after = series_of(measure.after.as_ref(), shown);
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
            caption { (shown.caption) }
            thead {
                tr {
                    th scope="col" rowspan="2" { (shown.points) }
                    @for figure in &figures {
                        @let name = capitalised(&figure.name);
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
                        th scope="row" { (name_of(row, shown, labels)) }
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
    html! { @if !figures.is_empty() { (scrolling(&shown.caption, &body)) } }
}

/// The first row is about the file, all others begin with the name of a variable.
fn name_of(row: &str, shown: &SeriesTable, labels: &Labels<'_>) -> Markup {
    if row == shown.whole {
        html! { (capitalised(row)) }
    } else {
        labels.row(row)
    }
}

fn one_file(before: &[&Series], after: &[&Series]) -> &'static str {
    match (before.is_empty(), after.is_empty()) {
        (false, false) => "both files",
        (false, true) => "before",
        (true, _) => "after",
    }
}
