//! `bauta verify`: a record, made again and compared, or its signature.

use std::path::{Path, PathBuf};

use bauta_plan::record::RunRecord;
use bauta_plan::sign::{Signed, check_signature};
use bauta_plan::verify::{
    Comparison, FileOnDisk, OnDisk, RecordPlaces, files_on_disk, plan_folder, verify,
};
use bauta_plan::work::{read_record, read_record_whole};
use bauta_report::HtmlRenderer;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, VerifyArguments};
use crate::commands::run::verdict_lines;
use crate::failure::Failure;
use crate::print::{object, out};
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &VerifyArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.record]);
    match &arguments.key {
        Some(key) => signature(arguments, key, global),
        None => repeat(arguments, global),
    }
}

/// Where the files of the record should lie.
fn places(arguments: &VerifyArguments, record: &RunRecord) -> RecordPlaces {
    match &arguments.folder {
        Some(folder) => RecordPlaces::in_folder(folder),
        None => RecordPlaces::of_record(record, &arguments.record),
    }
}

/// Makes the record again.
fn repeat(arguments: &VerifyArguments, global: &Global) -> Result<Outcome, Failure> {
    let (record, written) = read_record_whole(&arguments.record)?;
    let given = arguments.folder.clone();
    let places = places(arguments, &record);
    let folder = given.unwrap_or_else(|| plan_folder(&record, &arguments.record));
    let input = folder.join(&record.input.file);
    if !input.exists() {
        return Err(Failure::mistake(
            format!(
                "{}: the file that the record was made from is not there",
                input.display()
            ),
            "--folder DIR names the folder of the plan and its data, where the record was copied or they were moved",
        ));
    }
    let mut plan = bauta_plan::check_text(&record.plan.text, &record.plan.file, &folder).map_err(
        |problems| Failure::Plan {
            file: PathBuf::from(&record.plan.file),
            text: record.plan.text.clone(),
            problems,
        },
    )?;
    plan.read.memory = global.memory;
    let progress = Progress::new(global.quiet || global.json);
    let compared = verify(&written, &record, &plan, &places, &HtmlRenderer, &progress)?;
    drop(progress);
    let same = compared.iter().all(|comparison| comparison.same);
    if global.json {
        print_json(same, &compared);
    } else {
        for comparison in &compared {
            let verdict = if comparison.same { "same" } else { "DIFFERS" };
            out!("{verdict:8} {}", comparison.what);
            if !comparison.same && !comparison.detail.is_empty() {
                out!("         {}", comparison.detail);
            }
        }
        out!(
            "{}",
            if same {
                "The record holds: made again, it is the same but for times."
            } else {
                "The record does NOT hold."
            }
        );
        if same {
            out!("What it records:");
            for line in verdict_lines(&record) {
                out!("  {line}");
            }
        }
    }
    Ok(outcome(same))
}

fn print_json(same: bool, compared: &[Comparison]) {
    let compared: Vec<serde_json::Value> = compared
        .iter()
        .map(|comparison| json!({ "what": comparison.what, "same": comparison.same, "detail": comparison.detail }))
        .collect();
    object(&json!({ "same": same, "compared": compared }));
}

/// Checks the signature, and the files of the record that are there.
fn signature(arguments: &VerifyArguments, key: &Path, global: &Global) -> Result<Outcome, Failure> {
    let signed = check_signature(&arguments.record, key)?;
    let (state, sentence) = in_words(&signed);
    let is_signed = matches!(signed, Signed::By { .. });
    // Hashes that nobody vouches for say nothing of the files.
    let files = if is_signed {
        let record = read_record(&arguments.record)?;
        files_on_disk(&record, &places(arguments, &record))
    } else {
        Vec::new()
    };
    let is_wrong = |file: &FileOnDisk| !matches!(file.found, OnDisk::Same | OnDisk::Absent);
    let holds = is_signed && !files.iter().any(is_wrong);
    if global.json {
        let files: Vec<serde_json::Value> = files
            .iter()
            .map(|file| json!({ "file": file.file, "found": file.found.in_words() }))
            .collect();
        object(&json!({ "signature": state, "same": holds, "files": files }));
        return Ok(outcome(holds));
    }
    out!("{sentence}");
    for file in &files {
        let verdict = match file.found {
            OnDisk::Same => "same",
            OnDisk::Absent => "not here",
            OnDisk::Changed | OnDisk::Unreadable(_) => "DIFFERS",
        };
        out!("{verdict:8} {} {}", file.what, file.place.display());
        if is_wrong(file) {
            out!("         {}", file.found.in_words());
        }
    }
    out!(
        "{}",
        if holds {
            "The signature holds. The run was not repeated: `bauta verify` without --key does that, with the data."
        } else {
            "The record is NOT to be trusted by this key."
        }
    );
    Ok(outcome(holds))
}

fn in_words(signed: &Signed) -> (&'static str, String) {
    match signed {
        Signed::By { signed } => ("signed", format!("signed with this key at {signed}")),
        Signed::Not => (
            "unsigned",
            "NOT SIGNED: there is no signature beside the record (RECORD.sig)".to_owned(),
        ),
        Signed::ByAnother => (
            "wrong-key",
            "WRONG KEY: the record was signed with another key than this".to_owned(),
        ),
        Signed::Altered => (
            "altered",
            "ALTERED: the record or its signature was changed after it was signed".to_owned(),
        ),
    }
}

fn outcome(holds: bool) -> Outcome {
    if holds {
        Outcome::Fine
    } else {
        Outcome::Refused
    }
}
