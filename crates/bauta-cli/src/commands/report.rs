//! `bauta report`: the report of a run record, its tables, or several runs side by side.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_plan::RunRecord;
use bauta_plan::output::{Access, write_file, write_files};
use bauta_plan::real_place;
use bauta_plan::record::FORMAT;
use bauta_report::{Audience, Comparison, csv_tables};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, ReportArguments};
use crate::failure::Failure;

pub(crate) fn run(arguments: &ReportArguments, global: &Global) -> Result<Outcome, Failure> {
    let records: Vec<RunRecord> = arguments
        .records
        .iter()
        .map(|file| load(file))
        .collect::<Result<_, _>>()?;
    match records.as_slice() {
        [record] => one(record, arguments, global),
        several => side_by_side(several, arguments, global),
    }
}

fn one(
    record: &RunRecord,
    arguments: &ReportArguments,
    global: &Global,
) -> Result<Outcome, Failure> {
    let tables = match &arguments.tables {
        Some(folder) => write_tables(record, folder, arguments)?,
        None => Vec::new(),
    };
    let (audience, access) = if arguments.external {
        (Audience::External, Access::Usual)
    } else {
        (Audience::Internal, Access::OwnerOnly)
    };
    let html = bauta_report::html(record, audience);
    let is_written = write_page(&html, arguments, access)?;
    let report = arguments.output.as_ref();
    let report = report.map(|file| file.display().to_string());
    match (global.json, is_written, tables.is_empty()) {
        (true, true, true) => println!("{}", json!({ "report": report })),
        (true, _, false) => println!("{}", json!({ "report": report, "tables": tables })),
        (true, false, true) => println!("{}", json!({ "html": html })),
        (false, false, true) => print!("{html}"),
        (false, ..) => {}
    }
    Ok(Outcome::Fine)
}

fn side_by_side(
    records: &[RunRecord],
    arguments: &ReportArguments,
    global: &Global,
) -> Result<Outcome, Failure> {
    if arguments.external {
        return Err(Failure::mistake(
            "runs side by side show risk figures, which the public must not see",
            "leave --external out, or give one record",
        ));
    }
    if arguments.tables.is_some() {
        return Err(Failure::mistake(
            "--tables writes the tables of one record",
            "give one record at a time; with --json several come as one object",
        ));
    }
    let names: Vec<String> = arguments
        .records
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let named: Vec<(&str, &RunRecord)> = names.iter().map(String::as_str).zip(records).collect();
    let comparison = Comparison::new(&named);
    if !comparison.same_input() && !global.quiet {
        eprintln!("warning: the runs did not read the same file");
    }
    let html = comparison.html();
    let is_written = write_page(&html, arguments, Access::OwnerOnly)?;
    if global.json {
        println!("{}", comparison.json());
    } else if !is_written {
        print!("{html}");
    }
    Ok(Outcome::Fine)
}

/// Writes the page where it was asked for; whether it was.
fn write_page(html: &str, arguments: &ReportArguments, access: Access) -> Result<bool, Failure> {
    let Some(file) = &arguments.output else {
        return Ok(false);
    };
    for record in &arguments.records {
        refuse_to_replace(record, file)?;
    }
    write_file(file, html.as_bytes(), access)?;
    Ok(true)
}

/// Writes the tables of a record to a folder, all or none; the names of the files.
fn write_tables(
    record: &RunRecord,
    folder: &Path,
    arguments: &ReportArguments,
) -> Result<Vec<String>, Failure> {
    let tables = csv_tables(record);
    let files: Vec<(PathBuf, &[u8])> = tables
        .iter()
        .map(|table| (folder.join(&table.file), table.text.as_bytes()))
        .collect();
    let read_or_written = arguments.records.iter().chain(&arguments.output);
    for other in read_or_written {
        for (file, _) in &files {
            refuse_to_replace(other, file)?;
        }
    }
    let is_new = !folder.exists();
    if is_new {
        std::fs::create_dir(folder)
            .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    }
    write_files(&files, Access::OwnerOnly).inspect_err(|_| {
        // Only a folder of our own, and only while nothing is in it.
        if is_new {
            let _ = std::fs::remove_dir(folder);
        }
    })?;
    let names = files.iter().map(|(file, _)| file.display().to_string());
    Ok(names.collect())
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
