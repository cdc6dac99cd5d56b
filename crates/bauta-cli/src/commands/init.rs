//! `bauta init`: a commented plan for a file.

use std::path::PathBuf;

use bauta_data::Role;
use bauta_data::inspect::{ColumnProfile, FileProfile};
use bauta_plan::output::folder_of;
use bauta_plan::work::init::init;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, InitArguments};
use crate::failure::Failure;
use crate::print::{object, out};
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &InitArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan_file = plan_path(arguments);
    recover_beside([&arguments.file, &plan_file]);
    let (file, reading) = (&arguments.file, arguments.reading.reading(global));
    let progress = Progress::new(global.quiet || global.json);
    let proposed = init(
        file,
        &plan_file,
        arguments.seed,
        global.replace(),
        &reading,
        &progress,
    )?;
    let profile = &proposed.profile;
    drop(progress);
    if global.json {
        object(&json!({ "plan": plan_file.display().to_string(), "profile": profile }));
    } else {
        out!(
            "{}: {} records, {} variables",
            arguments.file.display(),
            profile.n_records,
            profile.columns.len()
        );
        for role in Role::ALL {
            let names: Vec<&str> = with_role(profile, role)
                .map(|column| column.name.as_str())
                .collect();
            if !names.is_empty() {
                out!("  {}: {}", role.name(), names.join(", "));
            }
        }
        show_doubts(profile);
        let marked = match proposed.n_to_look_at() {
            0 => String::new(),
            1 => " One line of it is marked LOOK.".to_owned(),
            n => format!(" {n} lines of it are marked LOOK."),
        };
        out!(
            "Wrote {}.{marked} Read the reasons in it, correct what is wrong, and then:",
            plan_file.display()
        );
        out!("  bauta check {0}\n  bauta run {0}", plan_file.display());
    }
    Ok(Outcome::Fine)
}

/// What has to be answered in the plan, and what there is to know.
fn show_doubts(profile: &FileProfile) {
    for doubt in &profile.decimal_doubts {
        out!("QUESTION: {doubt}");
    }
    if !profile.decimal_doubts.is_empty() {
        out!("The plan asks for the decimal mark; it is refused until you state it there.");
    }
    for remark in &profile.remarks {
        out!("look at: {}", remark.text);
    }
}

fn plan_path(arguments: &InitArguments) -> PathBuf {
    arguments
        .output
        .clone()
        .unwrap_or_else(|| folder_of(&arguments.file).join("plan.toml"))
}

fn with_role(profile: &FileProfile, role: Role) -> impl Iterator<Item = &ColumnProfile> {
    profile
        .columns
        .iter()
        .filter(move |column| column.proposal.role == role)
}
