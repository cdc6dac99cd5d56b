//! `bauta inspect`: what each variable of a file seems to be.

use bauta_plan::work::inspect::inspect;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, InspectArguments};
use crate::failure::Failure;
use crate::print::{object, out};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{count, table, text};

pub(crate) fn run(arguments: &InspectArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.file]);
    let progress = Progress::new(global.quiet || global.json);
    let profile = inspect(
        &arguments.file,
        &arguments.reading.reading(global),
        &progress,
    )?
    .profile;
    drop(progress);
    if global.json {
        object(&json!({ "file": arguments.file.display().to_string(), "profile": profile }));
        return Ok(Outcome::Fine);
    }
    out!(
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
    out!("{shown}");
    for doubt in &profile.decimal_doubts {
        out!("QUESTION: {doubt}");
    }
    for remark in &profile.remarks {
        out!("look at: {}", remark.text);
    }
    for column in &profile.columns {
        let flag = column.proposal.flag.map(bauta_data::inspect::Flag::text);
        for remark in flag.into_iter().chain(column.warnings()) {
            out!("look at {}: {remark}", column.name);
        }
        if let Some(question) = &column.date_question {
            out!(
                "look at {}: {}: {}",
                column.name,
                question.message,
                question.hint
            );
        }
    }
    Ok(Outcome::Fine)
}
