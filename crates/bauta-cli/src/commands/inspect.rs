//! `bauta inspect`: what each variable of a file seems to be.

use std::path::Path;

use bauta_data::Schema;
use bauta_data::format::{Loaded, read};
use bauta_data::inspect::{FileProfile, inspect};
use bauta_data::number::DecimalMark;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{FileOptions, Global, InspectArguments};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::tables::{count, table, text};

pub(crate) fn run(arguments: &InspectArguments, global: &Global) -> Result<Outcome, Failure> {
    let (_, profile) = profile(&arguments.file, &arguments.reading, global)?;
    if global.json {
        println!(
            "{}",
            json!({ "file": arguments.file.display().to_string(), "profile": profile })
        );
        return Ok(Outcome::Fine);
    }
    println!(
        "{}: {} records, {} variables",
        arguments.file.display(),
        profile.n_records,
        profile.columns.len()
    );
    let mut shown = table(["variable", "values", "missing", "role", "kind", "why"]);
    for column in &profile.columns {
        shown.add_row([
            text(column.name.clone()),
            count(column.n_distinct),
            count(column.n_missing),
            text(column.proposal.role.name()),
            text(column.proposal.kind.name()),
            text(column.proposal.reason.clone()),
        ]);
    }
    println!("{shown}");
    for column in &profile.columns {
        let flag = column.proposal.flag.map(bauta_data::inspect::Flag::text);
        for remark in flag.into_iter().chain(column.warnings()) {
            println!("look at {}: {remark}", column.name);
        }
    }
    Ok(Outcome::Fine)
}

/// Reads a file as text and looks at it.
pub(crate) fn profile(
    file: &Path,
    reading: &FileOptions,
    global: &Global,
) -> Result<(Loaded, FileProfile), Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let loaded = read(file, &reading.read_options(Schema::default()), &progress)?;
    let profile = inspect(&loaded.table);
    Ok((loaded, profile))
}

/// The decimal mark that was asked for, or the one that was found.
pub(crate) fn decimal_mark(reading: &FileOptions, profile: &FileProfile) -> DecimalMark {
    reading.decimal.unwrap_or(profile.decimal)
}
