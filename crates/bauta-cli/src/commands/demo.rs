//! `bauta demo`: the whole way on a survey made on the spot.

use std::path::Path;

use bauta_data::DataError;
use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};
use bauta_plan::output::{Access, Guard, Publication};

use crate::Outcome;
use crate::arguments::{DemoArguments, Global};
use crate::commands::check::load;
use crate::commands::run::{carry_out, print_json, print_summary, verdict};
use crate::failure::Failure;
use crate::print::out;
use crate::recovery::recover_beside;

/// The plan of the demonstration.
const PLAN: &str = include_str!("demo.toml");

pub(crate) fn run(arguments: &DemoArguments, global: &Global) -> Result<Outcome, Failure> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    let plan_file = folder.join("plan.toml");
    recover_beside([&plan_file]);
    keep_changes(&plan_file, global)?;
    let survey = survey_csv(SURVEY_RECORDS, SURVEY_SEED);
    let survey_file = folder.join("survey.csv");
    let guard = Guard::new::<&Path>([], global.replace());
    let mut publication = Publication::begin(&[&survey_file, &plan_file], &guard)?;
    publication.add_bytes(&survey_file, &survey, Access::Usual)?;
    // A plan with a seed is confidential.
    publication.add_bytes(&plan_file, PLAN.as_bytes(), Access::OwnerOnly)?;
    publication.commit()?;
    let plan = load(&plan_file, global)?;
    let record = carry_out(&plan, global.run_options(arguments.seed), None, global)?;
    if global.json {
        print_json(&plan, &record);
    } else {
        out!(
            "A victimisation survey was made in {} and protected by the plan there.\n",
            folder.display()
        );
        print_summary(&plan, &record, &plan_file);
        out!(
            "\nOpen {} in a browser.",
            folder.join("report.html").display()
        );
        out!(
            "Then change {} and run `bauta run {}`.",
            plan_file.display(),
            plan_file.display()
        );
    }
    Ok(verdict(&record))
}

/// A plan that its reader has changed is told what to do with it.
fn keep_changes(plan_file: &Path, global: &Global) -> Result<(), Failure> {
    match std::fs::read(plan_file) {
        Ok(text) if text != PLAN.as_bytes() && !global.force => Err(Failure::mistake(
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
