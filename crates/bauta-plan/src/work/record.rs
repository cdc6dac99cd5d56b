//! Run records on the disk.

use std::path::Path;

use bauta_data::DataError;

use super::WorkError;
use crate::record::RunRecord;

/// Reads a run record from a file.
pub fn read_record(file: &Path) -> Result<RunRecord, WorkError> {
    let bytes =
        std::fs::read(file).map_err(|error| DataError::io(file, "read the record", &error))?;
    RunRecord::read(&bytes).map_err(|problem| {
        WorkError::mistake(
            format!("{} is not a run record: {problem}", file.display()),
            "give the .record.json that `bauta run` wrote",
        )
    })
}
