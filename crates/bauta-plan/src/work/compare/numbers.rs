//! Which variables of two files are compared as numbers.

use bauta_data::date::format_of;
use bauta_data::format::Loaded;
use bauta_data::number::{DecimalMark, ReadAs, ShownMark};
use bauta_data::{Column, Role, Table, near};

use super::{CompareRequest, Styled, WorkError};

/// Columns without another use that are to be compared as numbers, if they are numbers, and those that a plan says are.
pub(super) fn is_compared(column: &Column, request: &CompareRequest) -> bool {
    let on = request.on.as_ref();
    let name = column.name();
    let has = |names: &[String]| names.iter().any(|known| known == name);
    match on {
        // Whoever names a variable says what it is.
        Some(on) => has(on) && (column.attribute().role == Role::Other || has(&request.numbers)),
        None if has(&request.no_numbers) => false,
        None => column.attribute().role == Role::Other || has(&request.numbers),
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

/// Every column of numbers that has no other use becomes numeric.
pub(super) fn with_numbers(mut table: Table, request: &CompareRequest, mark: DecimalMark) -> Table {
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        if is_compared(column, request)
            && let Some(numeric) = column.parsed_as_numbers(mark)
        {
            table = table.with_column(attr_idx, numeric);
        }
    }
    table
}

/// Every compared column of all files that holds dates, in one spelling, becomes one of days. What could be read in two
/// ways stays text.
pub(super) fn with_dates(files: &mut [Styled], request: &CompareRequest) {
    let names = files.first().map(|file| file.table.names());
    let names: Vec<String> = names.into_iter().flatten().map(str::to_owned).collect();
    for name in names {
        let columns = files.iter().map(|file| file.table.column_named(&name));
        let Some(columns) = columns.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let is_text = |column: &&Column| column.as_numeric().is_none();
        let compared = |column: &&Column| is_compared(column, request);
        if request.is_id(&name)
            || !columns
                .iter()
                .all(|column| is_text(column) && compared(column))
        {
            continue;
        }
        let categories = columns.iter().filter_map(|column| column.as_categorical());
        let texts = categories.flat_map(|categories| categories.levels.iter());
        let Ok(format) = format_of(texts) else {
            continue;
        };
        for file in &mut *files {
            let position = file.table.index_of(&name);
            let days = position.and_then(|at| file.table.column(at).parsed_as_dates(format));
            if let (Some(at), Some(days)) = (position, days) {
                file.table = file.table.clone().with_column(at, days);
            }
        }
    }
}

/// The variables to compare: those named, or all that are numeric in both files.
pub(super) fn variables(
    original: &Table,
    masked: &Table,
    request: &CompareRequest,
) -> Result<Vec<String>, WorkError> {
    let numeric = |table: &Table, name: &str| {
        table
            .column_named(name)
            .is_some_and(|column| column.as_numeric().is_some())
    };
    let Some(on) = &request.on else {
        let names = original
            .columns()
            .iter()
            .filter(|column| is_compared(column, request))
            .map(|column| column.name().to_owned());
        return Ok(names
            .filter(|name| !request.is_id(name) && numeric(original, name) && numeric(masked, name))
            .collect());
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
    Ok(on.clone())
}
