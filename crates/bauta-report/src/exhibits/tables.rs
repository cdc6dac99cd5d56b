//! Tables of exhibits.

use bauta_methods::exhibit::{Cell, Column, Fold, Layout, Place, Table, Unit, View};
use maud::{Markup, html};

use super::words::figure;
use crate::number::Written as _;
use crate::number::{NO_FIGURE, count};
use crate::page::{scrolling, scrolling_tall};

/// Longest table that stands open; longer ones scroll in a box of their own.
const MAX_OPEN_ROWS: usize = 15;
/// Most columns of a table that is no wider than it must be.
const MAX_NARROW: usize = 5;

/// A table on its way to the page: without what only files have.
struct Page<'a> {
    table: &'a Table,
    /// Positions of the columns, that of the headings first.
    columns: Vec<usize>,
    /// Rows that have a heading, with their positions.
    rows: Vec<(usize, &'a [Cell])>,
}

impl<'a> Page<'a> {
    fn of(table: &'a Table) -> Self {
        let columns = table.columns.iter().enumerate();
        let columns: Vec<usize> = columns
            .filter(|(_, column)| column.place != Place::File)
            .filter(|(_, column)| table.group.as_ref() != Some(&column.name))
            .map(|(position, _)| position)
            .collect();
        let has_heading = |row: &&[Cell]| {
            let first = columns.first();
            first.is_some_and(|&first| {
                row[first] != Cell::None || table.columns[first].none.is_some()
            })
        };
        let rows = table.rows.iter().map(Vec::as_slice).enumerate();
        let rows = rows.filter(|(_, row)| row.len() == table.columns.len());
        let rows = rows.filter(|(_, row)| has_heading(row)).collect();
        Self {
            table,
            columns,
            rows,
        }
    }

    fn column(&self, position: usize) -> &'a Column {
        &self.table.columns[position]
    }

    /// Headings of groups, in the order of their first occurrence.
    fn groups(&self) -> Vec<Option<&'a Cell>> {
        let mut groups = Vec::new();
        for (_, row) in &self.rows {
            let group = self.group_of(row);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    fn group_of(&self, row: &'a [Cell]) -> Option<&'a Cell> {
        let name = self.table.group.as_ref()?;
        row.get(position_of(self.table, name)?)
    }

    /// Columns as they stand side by side, differences counted.
    fn n_columns(&self) -> usize {
        let compared = self.columns.iter().filter(|&&at| self.is_compared(at));
        self.columns.len() + compared.count()
    }

    fn is_compared(&self, position: usize) -> bool {
        self.column(position).differs_from.is_some()
    }
}

fn position_of(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name == name)
}

/// Rows that a page shows.
pub(super) fn n_rows(table: &Table) -> usize {
    Page::of(table).rows.len()
}

/// Whether there is room for a drawing beside it.
pub(super) fn is_slim(table: &Table) -> bool {
    table.layout == Layout::Down && Page::of(table).n_columns() <= 2
}

/// A table below its caption.
pub(super) fn table(view: &View, table: &Table) -> Markup {
    let page = Page::of(table);
    let (body, n_lines, is_narrow) = match table.layout {
        Layout::Down => (
            html! { (head(&page)) @for group in page.groups() { (body(&page, group)) } },
            page.rows.len(),
            page.n_columns() <= MAX_NARROW,
        ),
        Layout::Across => (across(&page), page.columns.len(), true),
    };
    let body = html! {
        table class=[is_narrow.then_some("narrow")] { caption { (view.caption) } (body) }
    };
    match view.fold {
        Fold::Folded => html! {
            details {
                summary { (view.caption) " (" (count(page.rows.len() as u64)) ")" }
                (scrolling_tall(&view.caption, &body))
            }
        },
        Fold::Open if n_lines > MAX_OPEN_ROWS => scrolling_tall(&view.caption, &body),
        Fold::Open => scrolling(&view.caption, &body),
    }
}

const fn class(column: &Column) -> Option<&'static str> {
    match column.unit {
        Some(Unit::Count | Unit::Number | Unit::Share) => Some("number"),
        None => None,
    }
}

fn head(page: &Page<'_>) -> Markup {
    let any_compared = page.columns.iter().any(|&at| page.is_compared(at));
    let rows = any_compared.then_some("2");
    html! {
        thead {
            tr {
                @for &at in &page.columns {
                    @let column = page.column(at);
                    @if page.is_compared(at) {
                        th scope="colgroup" colspan="2" class="pair" { (column.label) }
                    } @else {
                        th scope="col" rowspan=[rows] class=[class(column)] { (column.label) }
                    }
                }
            }
            @if any_compared {
                tr {
                    @for &at in page.columns.iter().filter(|&&at| page.is_compared(at)) {
                        th scope="col" class="number sub" { (unit_name(page.column(at))) }
                        th scope="col" class="number sub" { "difference" }
                    }
                }
            }
        }
    }
}

const fn unit_name(column: &Column) -> &'static str {
    match column.unit {
        Some(Unit::Share) => "share",
        Some(Unit::Count) => "count",
        Some(Unit::Number) | None => "figure",
    }
}

fn body(page: &Page<'_>, group: Option<&Cell>) -> Markup {
    let rows = page.rows.iter();
    let rows = rows.filter(|(_, row)| page.group_of(row) == group);
    html! {
        tbody {
            @if let Some(group) = group {
                tr class="group" {
                    th scope="rowgroup" colspan=(page.n_columns()) { (text(group, &Column::default())) }
                }
            }
            @for (position, row) in rows {
                tr class=[page.table.marked.contains(position).then_some("value")] {
                    @for (idx, &at) in page.columns.iter().enumerate() {
                        @let column = page.column(at);
                        @if idx == 0 { th scope="row" class=[class(column)] { (cell(&row[at], column)) } }
                        @else { td class=[class(column)] { (cell(&row[at], column)) } }
                        @if page.is_compared(at) {
                            td class="number change" { (difference(page.table, row, at)) }
                        }
                    }
                }
            }
        }
    }
}

/// A row for each column, a column for each row.
fn across(page: &Page<'_>) -> Markup {
    let Some((&first, others)) = page.columns.split_first() else {
        return html! {};
    };
    let heading = page.column(first);
    html! {
        thead {
            tr {
                @if heading.label.is_empty() { td {} } @else { th scope="col" { (heading.label) } }
                @for (_, row) in &page.rows {
                    th scope="col" class="number" { (text(&row[first], heading)) }
                }
            }
        }
        tbody {
            @for &at in others {
                tr {
                    th scope="row" { (page.column(at).label) }
                    @for (_, row) in &page.rows {
                        td class="number" { (cell(&row[at], page.column(at))) }
                    }
                }
            }
        }
    }
}

/// A cell, marked where its figure is beyond the limit of its column.
fn cell(cell: &Cell, column: &Column) -> Markup {
    let is_bad = column.limit.is_some_and(|limit| match cell {
        Cell::Number(value) => value.is_nan() || value.abs() > limit,
        Cell::None => true,
        Cell::Text(_) => false,
    });
    if !is_bad {
        return html! { (text(cell, column)) };
    }
    // What is marked deserves a digit more.
    let digits = column.digits.map(|digits| digits + 1);
    let closer = Column {
        digits,
        ..column.clone()
    };
    html! { strong class="bad" { "✗ " (text(cell, &closer)) } }
}

fn text(cell: &Cell, column: &Column) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(value) => figure(Some(*value), column.unit.unwrap_or_default(), column.digits),
        Cell::None => column.none.as_deref().unwrap_or(NO_FIGURE).to_owned(),
    }
}

/// From the figure that a column is compared with to its own.
fn difference(table: &Table, row: &[Cell], at: usize) -> String {
    let column = &table.columns[at];
    let from = column.differs_from.as_ref();
    let from = from.and_then(|name| row.get(position_of(table, name)?));
    match (from, &row[at]) {
        (Some(Cell::Number(before)), Cell::Number(after)) => {
            column.unit.unwrap_or_default().change(*before, *after)
        }
        _ => NO_FIGURE.to_owned(),
    }
}
