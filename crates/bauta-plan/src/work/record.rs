//! Run records on the disk.

use std::path::{Path, PathBuf};

use bauta_data::DataError;

use super::WorkError;
use crate::check::{Folder, files_read};
use crate::record::{RecordProblem, RunRecord};
use crate::toml;
use crate::verify::{RecordPlaces, plan_folder};

/// Reads a run record from a file.
pub fn read_record(file: &Path) -> Result<RunRecord, WorkError> {
    Ok(read_record_whole(file)?.0)
}

/// Reads a run record from a file, and everything that stands there, known or not.
pub fn read_record_whole(file: &Path) -> Result<(RunRecord, serde_json::Value), WorkError> {
    let bytes =
        std::fs::read(file).map_err(|error| DataError::io(file, "read the record", &error))?;
    let whole = serde_json::from_slice(&bytes).unwrap_or_default();
    let record = RunRecord::read(&bytes).map_err(|problem| {
        let hint = match problem {
            RecordProblem::OtherFormat { .. } => {
                "use the version of Bauta that wrote it, or run its plan again"
            }
            _ => "give the .record.json that `bauta run` wrote",
        };
        let message = format!("{} is not a run record: {problem}", file.display());
        WorkError::mistake(message, hint)
    })?;
    Ok((record, whole))
}

/// The files that the run of a record read, and the one that it released: what lies where its paths
/// lead from the place of the record.
pub fn files_of_record(record: &RunRecord, record_file: &Path) -> Vec<PathBuf> {
    let folder = plan_folder(record, record_file);
    let released = record.released.iter().map(|file| folder.join(&file.file));
    let (draft, _) = toml::read(&record.plan.text);
    let read = files_read(&draft, &record.plan.file, &Folder(&folder));
    let input = folder.join(&record.input.file);
    let places = RecordPlaces::of_record(record, record_file);
    let copied = record.released.iter().map(|file| places.of(&file.file));
    let found = read.into_iter().chain(released).chain(copied);
    found.chain([input]).collect()
}
