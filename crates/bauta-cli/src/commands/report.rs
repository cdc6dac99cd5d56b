//! `bauta report`: the report of a run record, its tables, or several runs side by side.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_plan::RunRecord;
use bauta_plan::output::{Access, Guard, Publication};
use bauta_plan::work::{files_of_record, read_record};
use bauta_report::{Audience, Comparison, csv_tables};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, ReportArguments};
use crate::failure::Failure;
use crate::print::{exactly, object, say};
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &ReportArguments, global: &Global) -> Result<Outcome, Failure> {
    let written = arguments.output.iter().cloned();
    let tables = arguments.tables.iter().map(|folder| folder.join("tables"));
    recover_beside(
        arguments
            .records
            .iter()
            .cloned()
            .chain(written)
            .chain(tables),
    );
    let records: Vec<RunRecord> = arguments
        .records
        .iter()
        .map(|file| read_record(file))
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
    let (audience, access) = if arguments.external {
        (Audience::External, Access::Usual)
    } else {
        (Audience::Internal, Access::OwnerOnly)
    };
    let html = bauta_report::html(record, audience);
    let tables = arguments.tables.as_ref().map(|folder| {
        let tables = csv_tables(record).into_iter();
        let files = tables.map(|table| (folder.join(&table.file), table.text));
        files.collect::<Vec<(PathBuf, String)>>()
    });
    let tables = tables.unwrap_or_default();
    write(
        arguments,
        &html,
        access,
        &tables,
        &guard(&[record], arguments, global),
    )?;
    let tables: Vec<String> = tables
        .iter()
        .map(|(file, _)| file.display().to_string())
        .collect();
    let report = arguments.output.as_ref();
    let report = report.map(|file| file.display().to_string());
    match (global.json, report.is_some(), tables.is_empty()) {
        (true, true, true) => object(&json!({ "report": report })),
        (true, _, false) => object(&json!({ "report": report, "tables": tables })),
        (true, false, true) => object(&json!({ "html": html })),
        (false, false, true) => exactly(&html),
        (false, ..) => say_written(report.iter().chain(&tables), global),
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
        say!("warning: the runs did not read the same file");
    }
    let html = comparison.html();
    let all: Vec<&RunRecord> = records.iter().collect();
    let guard = guard(&all, arguments, global);
    write(arguments, &html, Access::OwnerOnly, &[], &guard)?;
    if global.json {
        object(&comparison.json());
    } else if let Some(page) = &arguments.output {
        say_written([&page.display().to_string()], global);
    } else {
        exactly(&html);
    }
    Ok(Outcome::Fine)
}

fn say_written<'w>(files: impl IntoIterator<Item = &'w String>, global: &Global) {
    if !global.quiet {
        files.into_iter().for_each(|file| say!("wrote {file}"));
    }
}

/// Guards the records and all that they name against the outputs; reports may be written again.
fn guard(records: &[&RunRecord], arguments: &ReportArguments, global: &Global) -> Guard {
    let named = records.iter().zip(&arguments.records);
    let named = named.flat_map(|(record, file)| files_of_record(record, file));
    let read: Vec<PathBuf> = arguments.records.iter().cloned().chain(named).collect();
    Guard::new(&read, global.replace())
}

/// Writes the page and the tables where they were asked for, all or none.
fn write(
    arguments: &ReportArguments,
    html: &str,
    access: Access,
    tables: &[(PathBuf, String)],
    guard: &Guard,
) -> Result<(), Failure> {
    let folder = arguments.tables.as_deref();
    let is_new = folder.is_some_and(|folder| !folder.exists());
    if let Some(folder) = folder.filter(|_| is_new) {
        std::fs::create_dir(folder)
            .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    }
    let written = publish(arguments.output.as_deref(), html, access, tables, guard);
    if let (Err(_), Some(folder), true) = (&written, folder, is_new) {
        // A folder of our own, while nothing is in it.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(written?)
}

fn publish(
    page: Option<&Path>,
    html: &str,
    access: Access,
    tables: &[(PathBuf, String)],
    guard: &Guard,
) -> Result<(), DataError> {
    let targets = tables.iter().map(|(file, _)| file.as_path()).chain(page);
    let targets: Vec<&Path> = targets.collect();
    let mut publication = Publication::begin(&targets, guard)?;
    for (file, text) in tables {
        publication.add_bytes(file, text.as_bytes(), Access::OwnerOnly)?;
    }
    if let Some(page) = page {
        publication.add_bytes(page, html.as_bytes(), access)?;
    }
    publication.commit()
}
