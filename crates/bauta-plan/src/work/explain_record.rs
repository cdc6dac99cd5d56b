//! Which keys single out one record.

use std::path::Path;

use bauta_data::format::read_described;
use bauta_data::{Table, Watch};
use bauta_methods::keys::benedetti_franconi::expected_inverse;
use bauta_methods::keys::unique_sets::{UniqueSets, unique_sets};
use bauta_methods::keys::{Semantics, check_weights};

use super::keys::{key_schema, positions, refuse_repeats};
use super::{Reading, WorkError};

/// Which record, and what is known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct ExplainRequest {
    /// Variables that an intruder knows.
    pub keys: Vec<String>,
    /// The record: 1 is the first.
    pub row: u64,
    /// Sampling weight.
    pub weight: Option<String>,
    /// How a missing key counts.
    pub semantics: Semantics,
    /// Sets of keys that fewer than so many records share; 2 means alone.
    pub k: u32,
}

/// What singles out a record.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The sets of keys, as positions in the request's.
    pub found: UniqueSets,
    /// Risk of re-identification.
    pub risk: f64,
}

/// Explains a record of a file.
pub fn explain_record_of(
    file: &Path,
    reading: &Reading,
    request: &ExplainRequest,
    watch: &dyn Watch,
) -> Result<Explained, WorkError> {
    refuse_repeats(request.keys.iter().chain(&request.weight))?;
    let schema = key_schema(&request.keys, request.weight.as_deref(), None);
    let table = read_described(file, &reading.options(schema), watch)?;
    explain_record(&table, &file.display().to_string(), request)
}

/// Explains a record of a table that messages call `name`.
pub fn explain_record(
    table: &Table,
    name: &str,
    request: &ExplainRequest,
) -> Result<Explained, WorkError> {
    let record = record_of(request.row, name, table.n_records())?;
    check_weights(table)?;
    let keys = positions(table, &request.keys)?;
    let found = unique_sets(table, &keys, record, request.k, request.semantics)?;
    let risk = expected_inverse(f64::from(found.f), found.big_f);
    Ok(Explained { found, risk })
}

/// Position of the row asked for.
fn record_of(row: u64, name: &str, n_records: usize) -> Result<usize, WorkError> {
    let position = row.checked_sub(1);
    let position = position.and_then(|position| usize::try_from(position).ok());
    position
        .filter(|&record| record < n_records)
        .ok_or_else(|| {
            let hint = match n_records {
                0 => "the file has no record".to_owned(),
                n => format!("rows go from 1, the first below the header, to {n}"),
            };
            WorkError::mistake(format!("{name} has no row {row}"), hint)
        })
}
