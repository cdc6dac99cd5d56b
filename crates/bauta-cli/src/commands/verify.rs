//! `bauta verify`: the plan of a record, run again and compared.

use std::path::{Path, PathBuf};

use bauta_plan::RunRecord;
use bauta_plan::run::folder_of;
use bauta_plan::verify::{Comparison, released_path, verify};
use bauta_plan::work::read_record;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, VerifyArguments};
use crate::failure::Failure;
use crate::progress::Progress;

pub(crate) fn run(arguments: &VerifyArguments, global: &Global) -> Result<Outcome, Failure> {
    let record = read_record(&arguments.record)?;
    let folder = arguments
        .folder
        .clone()
        .unwrap_or_else(|| plan_folder(&record, &arguments.record));
    let plan = bauta_plan::check_text(&record.plan.text, &record.plan.file, &folder).map_err(
        |problems| Failure::Plan {
            file: PathBuf::from(&record.plan.file),
            text: record.plan.text.clone(),
            problems,
        },
    )?;
    let progress = Progress::new(global.quiet || global.json);
    let released = released_path(&record, &folder);
    let compared = verify(&record, &plan, released.as_deref(), &progress)?;
    drop(progress);
    let same = compared.iter().all(|comparison| comparison.same);
    if global.json {
        print_json(same, &compared);
    } else {
        for comparison in &compared {
            let verdict = if comparison.same { "same" } else { "DIFFERS" };
            println!("{verdict:8} {}", comparison.what);
            if !comparison.same {
                println!("         {}", comparison.detail);
            }
        }
        println!(
            "{}",
            if same {
                "The record holds."
            } else {
                "The record does NOT hold."
            }
        );
    }
    Ok(if same {
        Outcome::Fine
    } else {
        Outcome::Refused
    })
}

fn print_json(same: bool, compared: &[Comparison]) {
    let compared: Vec<serde_json::Value> = compared
        .iter()
        .map(|comparison| json!({ "what": comparison.what, "same": comparison.same, "detail": comparison.detail }))
        .collect();
    println!("{}", json!({ "same": same, "compared": compared }));
}

/// The folder of the plan: the nearest one above the record in which the record's input lies.
fn plan_folder(record: &RunRecord, record_file: &Path) -> PathBuf {
    let beside = folder_of(record_file);
    let real = beside.canonicalize().unwrap_or_else(|_| beside.to_owned());
    let holds_input = |folder: &&Path| folder.join(&record.input.file).is_file();
    real.ancestors()
        .find(holds_input)
        .unwrap_or(beside)
        .to_owned()
}
