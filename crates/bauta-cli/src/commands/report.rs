//! `bauta report`: the report of a run record.

use std::path::Path;

use bauta_data::DataError;
use bauta_plan::RunRecord;
use bauta_plan::output::{Access, write_file};
use bauta_plan::real_place;
use bauta_plan::record::FORMAT;
use bauta_report::Audience;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, ReportArguments};
use crate::failure::Failure;

pub(crate) fn run(arguments: &ReportArguments, global: &Global) -> Result<Outcome, Failure> {
    let record = load(&arguments.record)?;
    let audience = if arguments.external {
        Audience::External
    } else {
        Audience::Internal
    };
    let html = bauta_report::html(&record, audience);
    match &arguments.output {
        Some(file) => {
            refuse_to_replace(&arguments.record, file)?;
            let access = if arguments.external {
                Access::Usual
            } else {
                Access::OwnerOnly
            };
            write_file(file, html.as_bytes(), access)?;
            if global.json {
                println!("{}", json!({ "report": file.display().to_string() }));
            }
        }
        None if global.json => println!("{}", json!({ "html": html })),
        None => print!("{html}"),
    }
    Ok(Outcome::Fine)
}

/// Refuses to write over the file that was read.
pub(crate) fn refuse_to_replace(read: &Path, written: &Path) -> Result<(), Failure> {
    if real_place(read) == real_place(written) {
        return Err(Failure::mistake(
            format!("{} would be replaced by the output", read.display()),
            "choose another name for the output",
        ));
    }
    Ok(())
}

/// Reads a run record.
pub(crate) fn load(file: &Path) -> Result<RunRecord, Failure> {
    let bytes =
        std::fs::read(file).map_err(|error| DataError::io(file, "read the record", &error))?;
    let not_a_record = |detail: String| {
        Failure::mistake(
            format!("{} is not a run record: {detail}", file.display()),
            "give the .record.json that `bauta run` wrote",
        )
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| {
        not_a_record(format!(
            "not JSON at line {}, column {}",
            error.line(),
            error.column()
        ))
    })?;
    match value.get("format").and_then(serde_json::Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(not_a_record(format!(
                "its format is `{other}`, this version reads `{FORMAT}`"
            )));
        }
        None => return Err(not_a_record("it names no format".to_owned())),
    }
    // What the parser says may quote the seed or a figure, so it is not passed on.
    serde_json::from_value(value)
        .map_err(|_| not_a_record("a field is absent or of the wrong type".to_owned()))
}
