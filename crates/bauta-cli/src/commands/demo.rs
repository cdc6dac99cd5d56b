//! `bauta demo`: the whole way on a survey made on the spot.

use std::path::Path;

use bauta_data::DataError;
use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};
use bauta_plan::output::{Access, write_file};

use crate::Outcome;
use crate::arguments::{DemoArguments, Global};
use crate::commands::check::load;
use crate::commands::run::{carry_out, print_json, print_summary, verdict};
use crate::failure::Failure;

/// The plan of the demonstration.
const PLAN: &str = include_str!("demo.toml");

pub(crate) fn run(arguments: &DemoArguments, global: &Global) -> Result<Outcome, Failure> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    let plan_file = folder.join("plan.toml");
    keep_changes(&plan_file)?;
    write_file(
        &folder.join("survey.csv"),
        &survey_csv(SURVEY_RECORDS, SURVEY_SEED),
        Access::Usual,
    )?;
    write_file(&plan_file, PLAN.as_bytes(), Access::Usual)?;
    let plan = load(&plan_file)?;
    let record = carry_out(&plan, global)?;
    if global.json {
        print_json(&plan, &record);
    } else {
        println!(
            "A victimisation survey was made in {} and protected by the plan there.\n",
            folder.display()
        );
        print_summary(&plan, &record);
        println!(
            "\nOpen {} in a browser.",
            folder.join("report.html").display()
        );
        println!(
            "Then change {} and run `bauta run {}`.",
            plan_file.display(),
            plan_file.display()
        );
    }
    Ok(verdict(&record))
}

/// A plan that its reader has changed is not overwritten.
fn keep_changes(plan_file: &Path) -> Result<(), Failure> {
    match std::fs::read(plan_file) {
        Ok(text) if text != PLAN.as_bytes() => Err(Failure::mistake(
            format!(
                "{} is not the plan of the demonstration",
                plan_file.display()
            ),
            format!(
                "run it with `bauta run {}`, or name another folder",
                plan_file.display()
            ),
        )),
        _ => Ok(()),
    }
}
