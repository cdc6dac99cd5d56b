//! What a plan, or the record of a run, says of the variables of a file, for commands that look at files.

use std::path::{Path, PathBuf};

use bauta_plan::work::{Planned, read_record};

use crate::arguments::Global;
use crate::commands::check::load;
use crate::failure::Failure;
use crate::words::joined;

/// What `--plan` or `--record` says; none where neither is given.
pub(crate) fn planned(
    plan: Option<&PathBuf>,
    record: Option<&PathBuf>,
    global: &Global,
) -> Result<Option<Planned>, Failure> {
    if let Some(plan) = plan {
        return Ok(Some(Planned::of(&load(plan, global)?)));
    }
    record.map(|record| planned_by(record)).transpose()
}

/// What the plan of a record says.
fn planned_by(file: &Path) -> Result<Planned, Failure> {
    let record = read_record(file)?;
    Ok(Planned::of_record(&record, file)?)
}

/// Names in a sentence, with what the plan calls them: "sex (Sex), age (Age in years) and zip".
pub(crate) fn with_labels(names: &[String], planned: Option<&Planned>) -> String {
    let called = |name: &String| match planned.and_then(|planned| planned.label(name)) {
        Some(label) => format!("{name} ({label})"),
        None => name.clone(),
    };
    joined(&names.iter().map(called).collect::<Vec<_>>())
}
