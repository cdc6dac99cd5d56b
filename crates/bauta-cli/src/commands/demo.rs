//! `bauta demo`: the whole way on a survey made on the spot.

use bauta_plan::work::demo;

use crate::Outcome;
use crate::arguments::{DemoArguments, Global};
use crate::commands::check::load;
use crate::commands::run::{carry_out, print_json, print_summary, verdict};
use crate::failure::Failure;
use crate::print::out;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &DemoArguments, global: &Global) -> Result<Outcome, Failure> {
    let folder = &arguments.folder;
    // What a kill left beside the plan is finished or taken back before anything is made.
    recover_beside([&folder.join("plan.toml")]);
    let plan_file = demo::make(folder, global.replace())?;
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
