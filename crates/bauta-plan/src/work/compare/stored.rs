//! Files that are compared, in a store.

use std::path::Path;

use bauta_data::format::{self, FileFormat, Loaded, ReadOptions};
use bauta_data::number::DecimalMark;
use bauta_data::store::Store;
use bauta_data::{Attribute, Column, Kind, Role, Table, Watch};

use super::numbers::{is_compared, is_compared_as};
use super::{CompareRequest, WorkError};

/// A column where others of its file are: in memory, or in the store.
pub(super) fn kept(column: Column, store: Option<&Store>) -> Result<Column, WorkError> {
    match store {
        Some(store) => Ok(store.put(&column)?),
        None => Ok(column),
    }
}

/// Reads a file into a store. What nobody described of a Parquet file are numbers from the start where they are to be compared
/// as such: as categories all their different values would be in memory.
pub(super) fn read(
    file: &Path,
    options: &ReadOptions,
    request: &CompareRequest,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Loaded, WorkError> {
    if FileFormat::of_path(file)? == FileFormat::Parquet {
        let mut options = options.clone();
        for name in format::number_columns(file)? {
            let is_free = options.schema.attribute(&name).is_none();
            if is_free && is_compared_as(&name, Role::Other, request) {
                let kind = Kind::Continuous;
                let numbers = Attribute {
                    kind,
                    ..Attribute::undeclared(&name)
                };
                options.schema.attributes.push(numbers);
            }
        }
        let read = format::read_stored(file, &options, store, watch);
        // A cell that is no finite number makes a column of categories of it.
        if let Some(read) = read.ok().filter(|read| are_plain(&read.table, &options)) {
            return Ok(read);
        }
    }
    Ok(format::read_stored(file, options, store, watch)?)
}

/// Whether no number was read as missing though nobody says that it means so.
fn are_plain(table: &Table, options: &ReadOptions) -> bool {
    const NO_NUMBER: &str = "NaN";
    let is_said = options
        .schema
        .missing
        .texts
        .iter()
        .any(|text| text == NO_NUMBER);
    let mut columns = table.columns().iter();
    is_said || columns.all(|column| !column.stored_marks().any(|text| text == NO_NUMBER))
}

/// Every column of numbers that has no other use becomes numeric.
pub(super) fn with_numbers(
    mut table: Table,
    request: &CompareRequest,
    mark: DecimalMark,
    store: &Store,
) -> Result<Table, WorkError> {
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        if !is_compared(column, request) {
            continue;
        }
        if let Some(numeric) = store.read_as_numbers(column, mark)? {
            table = table.with_column(attr_idx, numeric);
        }
    }
    Ok(table)
}
