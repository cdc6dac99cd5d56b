//! What a run did and found, on a screen: from what was done to the verdict.

use std::path::Path;

use bauta_methods::note::NoteRank;
use bauta_plan::Plan;
use bauta_plan::record::{RunRecord, StepRecord};

use super::measured::{measures_table, only_in_report, warnings};
use super::verdict::{claims_lines, gate_text, verdict_lines, where_to_look, written_line};
use super::{FEW_RECORDS, variables};
use crate::print::out;
use crate::tables::count_text;

/// Notes of a step that are shown besides its warnings.
const MAX_NOTES: usize = 12;

/// Prints what was done, what was found, and the verdict with what was written.
pub(crate) fn print_summary(plan: &Plan, record: &RunRecord, plan_file: &Path) {
    out!(
        "{}: {} records, {} variables read",
        record.input.file,
        count_text(record.input.n_records),
        count_text(record.input.n_variables)
    );
    for note in &record.notes {
        out!("  look at: {}", note.text);
    }
    if !record.steps.is_empty() {
        out!("\nWhat was done");
    }
    record.steps.iter().for_each(print_step);
    variables::print(plan, record);
    print_measures(plan, record);
    print_conditions(record);
    out!();
    for line in verdict_lines(record) {
        out!("{line}");
    }
    if !record.passed() {
        out!("Where to look, and what to try:");
        for line in where_to_look(plan, record, plan_file) {
            out!("  - {line}");
        }
    }
    print_files(plan, record);
    if let Some(file) = left_behind(plan, record) {
        out!(
            "left:     {file} is there from an earlier run, and nothing above is about it: delete it, or give this plan \
             another output file"
        );
    }
}

/// The file that a plan would release and did not, where one of that name is there all the same.
fn left_behind<'p>(plan: &'p Plan, record: &RunRecord) -> Option<&'p str> {
    let release = plan.output.release.as_ref()?;
    let is_there = record.released.is_none() && release.file.path.exists();
    is_there.then_some(release.file.given.as_str())
}

fn print_step(step: &StepRecord) {
    match step.on.as_slice() {
        [] => out!("  {}", step.key),
        on => out!("  {}: {}", step.key, on.join(", ")),
    }
    let is_warning = |rank| rank == NoteRank::Warning;
    let (warnings, facts): (Vec<_>, Vec<_>) =
        (step.notes.iter()).partition(|note| is_warning(note.rank));
    for note in facts.iter().take(MAX_NOTES) {
        out!("    {}", note.text);
    }
    if facts.len() > MAX_NOTES {
        out!(
            "    and {} more that the record has",
            facts.len() - MAX_NOTES
        );
    }
    for note in warnings {
        out!("    WARNING: {}", note.text);
    }
}

fn print_measures(plan: &Plan, record: &RunRecord) {
    let shown = measures_table(record);
    if !shown.is_empty() {
        out!("\nWhat was measured");
        out!("{shown}");
    }
    let elsewhere = only_in_report(record);
    if !elsewhere.is_empty() {
        let place = if plan.output.report.is_some() {
            "the report"
        } else {
            "the record"
        };
        out!("in {place}, by variable: {}", elsewhere.join(", "));
    }
    let mut found = record.measures.iter().filter_map(|of| of.after.as_ref());
    if found.any(|found| !found.few.is_none()) {
        out!("{FEW_RECORDS} and stand in the record");
    }
    for note in warnings(record) {
        out!("- {note}");
    }
}

fn print_conditions(record: &RunRecord) {
    if !record.gates.is_empty() || !record.claims.is_empty() {
        out!("\nConditions of release");
    }
    for gate in &record.gates {
        out!("  gate {}", gate_text(gate));
    }
    for line in claims_lines(&record.claims) {
        out!("  {line}");
    }
}

/// What was written, and who may have it.
fn print_files(plan: &Plan, record: &RunRecord) {
    if let Some(line) = written_line(record) {
        out!("{line}");
    }
    let output = &plan.output;
    let public = output.external_report.as_ref().filter(|_| record.passed());
    if let Some(path) = public {
        out!("public:   {}", path.given);
    }
    if let Some(path) = &output.record {
        out!("record:   {} (confidential)", path.given);
    }
    if let Some(path) = &output.report {
        out!("report:   {} (confidential)", path.given);
    }
}
