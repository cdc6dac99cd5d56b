//! `bauta init`: a commented plan for a file.

mod asked;

use std::path::{Path, PathBuf};

use bauta_data::Role;
use bauta_data::inspect::{ColumnProfile, FileProfile};
use bauta_plan::output::folder_of;
use bauta_plan::work::advise::{Answers, Because, init_advised};
use bauta_plan::work::init::{Proposed, init};
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
    let (proposed, advice) = if arguments.advise.wanted {
        // Before the file is read: nobody waits for a question.
        let answers = asked::answers(&arguments.advise)?;
        let progress = Progress::new(global.quiet || global.json);
        let (seed, replace) = (arguments.seed, global.replace());
        let advised = init_advised(
            file, &plan_file, seed, replace, &reading, &answers, &progress,
        )?;
        (advised.proposed, Some((answers, advised.because)))
    } else {
        let progress = Progress::new(global.quiet || global.json);
        let (seed, replace) = (arguments.seed, global.replace());
        let proposed = init(file, &plan_file, seed, replace, &reading, &progress)?;
        (proposed, None)
    };
    if global.json {
        let mut shown =
            json!({ "plan": plan_file.display().to_string(), "profile": &proposed.profile });
        if let Some((answers, because)) = &advice {
            shown["answers"] = json!(answers);
            shown["because"] = json!(because);
        }
        object(&shown);
        return Ok(Outcome::Fine);
    }
    show_roles(arguments, &proposed.profile);
    show_doubts(&proposed.profile);
    if let Some((answers, because)) = &advice {
        show_advice(answers, because);
    }
    show_what_next(&plan_file, &proposed, advice.is_some());
    Ok(Outcome::Fine)
}

/// What each variable is proposed to be for.
fn show_roles(arguments: &InitArguments, profile: &FileProfile) {
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
}

/// What was proposed, and why.
fn show_advice(answers: &Answers, because: &[Because]) {
    out!("\nYour answers");
    for (question, options) in answers.chosen() {
        let labels: Vec<&str> = options.iter().map(|option| option.label).collect();
        out!("  {} {}", question.text, labels.join("; "));
    }
    out!("\nWhat follows from them");
    for Because { what, why, page } in because {
        out!("  {what}\n    {why} ({page})");
    }
    out!("");
}

fn show_what_next(plan_file: &Path, proposed: &Proposed, is_advised: bool) {
    let marked = match proposed.n_to_look_at() {
        0 => String::new(),
        1 => " One line of it is marked LOOK.".to_owned(),
        n => format!(" {n} lines of it are marked LOOK."),
    };
    let plan = plan_file.display();
    out!("Wrote {plan}.{marked} Read the reasons in it, correct what is wrong, and then:");
    out!("  bauta check {plan}\n  bauta run {plan}");
    if is_advised {
        out!(
            "Where a gate does not hold, nothing is released: make keys coarser, ask for less, or give the file to fewer."
        );
    }
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
