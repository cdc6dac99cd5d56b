//! Which variables of two files are compared as numbers.

use std::sync::Arc;

use bauta_data::date::{DateDoubt, format_of};
use bauta_data::format::Loaded;
use bauta_data::inspect::no_amounts;
use bauta_data::number::{DecimalMark, ReadAs, ShownMark};
use bauta_data::store::Store;
use bauta_data::{Column, Role, Table, near};
use rayon::prelude::*;

use super::stored::kept;
use super::{CompareRequest, WorkError};

/// Columns without another use that are to be compared as numbers, if they are numbers, and those that a plan says are.
pub(super) fn is_compared(column: &Column, request: &CompareRequest) -> bool {
    is_compared_as(column.name(), column.attribute().role, request)
}

/// The same of a variable of some role.
pub(super) fn is_compared_as(name: &str, role: Role, request: &CompareRequest) -> bool {
    let on = request.on.as_ref();
    let has = |names: &[String]| names.iter().any(|known| known == name);
    match on {
        // Whoever names a variable says what it is.
        Some(on) => has(on) && (role == Role::Other || has(&request.numbers)),
        None if has(&request.no_numbers) => false,
        None => role == Role::Other || has(&request.numbers),
    }
}

/// What the columns show of the decimal mark; those that are to be compared are read as numbers.
pub(super) fn shown_marks(loaded: &Loaded, request: &CompareRequest) -> Vec<ShownMark> {
    let is_compared = |name: &str| {
        let column = loaded.table.column_named(name);
        !request.is_id(name) && column.is_some_and(|column| is_compared(column, request))
    };
    let mut shown = loaded.shown_marks.clone();
    for column in &mut shown {
        if is_compared(&column.variable) {
            column.read_as = ReadAs::Numbers;
        }
    }
    shown
}

/// What is kept of the texts of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::work) enum Texts {
    /// All of them: a file of masked numbers is written from the table.
    All,
    /// Those that the numbers do not give again.
    Needed,
}

/// Every column of numbers that has no other use becomes numeric.
pub(super) fn with_numbers(
    mut table: Table,
    request: &CompareRequest,
    mark: DecimalMark,
    texts: Texts,
) -> Table {
    let read = |column: &Arc<Column>| match texts {
        _ if !is_compared(column, request) => None,
        Texts::All => column.parsed_as_numbers(mark),
        Texts::Needed => column.read_as_numbers(mark),
    };
    let columns: Vec<Option<Column>> = table.columns().par_iter().map(read).collect();
    for (attr_idx, numeric) in columns.into_iter().enumerate() {
        if let Some(numeric) = numeric {
            table = table.with_column(attr_idx, numeric);
        }
    }
    table
}

/// Every compared column that holds dates in all files, in the spelling that a plan states or that all of them show,
/// becomes one of days. What could be read in two ways stays text.
pub(super) fn with_dates(
    tables: &mut [Table],
    request: &CompareRequest,
    store: Option<&Store>,
) -> Result<(), WorkError> {
    let names = tables.first().map(Table::names);
    let names: Vec<String> = names.into_iter().flatten().map(str::to_owned).collect();
    for name in names.iter().filter(|name| !request.is_id(name)) {
        let days = {
            let columns = tables.iter().map(|table| {
                let column = table.column_named(name)?;
                Some(column.view().unwrap_or_else(|| column.clone()))
            });
            let columns = columns.collect::<Option<Vec<Column>>>();
            columns.and_then(|columns| as_days(&columns, request))
        };
        for (table, column) in tables.iter_mut().zip(days.into_iter().flatten()) {
            if let Some(at) = table.index_of(name) {
                *table = table.clone().with_column(at, kept(column, store)?);
            }
        }
    }
    Ok(())
}

/// The columns of one variable as days, if all of them are compared and hold dates in one spelling.
fn as_days(columns: &[Column], request: &CompareRequest) -> Option<Vec<Column>> {
    let is_text = |column: &Column| !column.is_numeric();
    if !columns.iter().all(|column| is_compared(column, request)) || !columns.iter().any(is_text) {
        return None;
    }
    let stated = columns.iter().find_map(Column::date_format);
    let format = stated.or_else(|| {
        let categories = columns.iter().filter_map(|column| column.as_categorical());
        let texts = categories.flat_map(|categories| categories.levels.iter());
        format_of(texts).ok()
    })?;
    columns
        .iter()
        .map(|column| column.parsed_as_dates(format))
        .collect()
}

/// Those of some variables that are dates.
pub(super) fn dates_among(table: &Table, names: &[String]) -> Vec<String> {
    let is_date = |name: &&String| {
        let column = table.column_named(name);
        column.is_some_and(|column| column.date_format().is_some())
    };
    names.iter().filter(is_date).cloned().collect()
}

/// Variables of both files, and why each is not compared as a number.
type NoNumbers = Vec<(String, String)>;

/// What was not taken for numbers, where nobody said what the variables are: numbers of units and codes, unless there
/// is nothing else, and dates that could be read in several ways.
fn not_taken(original: &Table, numeric: &mut Vec<String>, request: &CompareRequest) -> NoNumbers {
    let mut left: NoNumbers = Vec::new();
    if request.planned.is_none() {
        let code = |name: &String| {
            let column = original.column_named(name)?;
            let what = column.looked_at(no_amounts)?;
            Some((name.clone(), what.to_owned()))
        };
        let codes: NoNumbers = numeric.iter().filter_map(code).collect();
        if codes.len() < numeric.len() {
            numeric.retain(|name| codes.iter().all(|(code, _)| code != name));
            left.extend(codes);
        }
    }
    for column in original.columns() {
        if column.is_numeric() || !is_compared(column, request) {
            continue;
        }
        let doubt = column.looked_at(|column| {
            let categories = column.as_categorical()?;
            format_of(categories.levels.iter()).err()
        });
        if let Some(doubt) = doubt.filter(|doubt| *doubt != DateDoubt::NoDate) {
            let problem = doubt.problem();
            left.push((column.name().to_owned(), problem.message));
        }
    }
    left
}

/// The variables to compare: those named, or all that are numeric in both files; and what was not taken for numbers.
pub(super) fn variables(
    original: &Table,
    masked: &Table,
    request: &CompareRequest,
) -> Result<(Vec<String>, NoNumbers), WorkError> {
    let numeric =
        |table: &Table, name: &str| table.column_named(name).is_some_and(Column::is_numeric);
    let Some(on) = &request.on else {
        let names = original
            .columns()
            .iter()
            .filter(|column| is_compared(column, request))
            .map(|column| column.name().to_owned());
        let mut names: Vec<String> = names
            .filter(|name| !request.is_id(name) && numeric(original, name) && numeric(masked, name))
            .collect();
        let left = not_taken(original, &mut names, request);
        return Ok((names, left));
    };
    for name in on {
        for (table, file) in [(original, &request.original), (masked, &request.masked)] {
            if table.index_of(name).is_none() {
                return Err(WorkError::mistake(
                    format!("{file} has no variable `{name}`"),
                    near::column_hint(name, table.names()),
                ));
            }
            if !numeric(table, name) {
                return Err(WorkError::mistake(
                    format!("`{name}` is not numeric in {file}"),
                    "declare its missing texts with --missing-texts, or leave it out of --on",
                ));
            }
        }
    }
    Ok((on.clone(), Vec::new()))
}
