//! `bauta check`: a plan, checked to the end.

use std::path::Path;

use bauta_data::DataError;
use bauta_methods::mask::Effect;
use bauta_plan::Plan;
use bauta_plan::run::folder_of;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, PlanArguments};
use crate::failure::Failure;

pub(crate) fn run(arguments: &PlanArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan = load(&arguments.plan)?;
    let idle: Vec<&str> = plan
        .steps
        .iter()
        .filter(|step| step.effect() == Effect::Nothing)
        .map(|step| step.key.as_str())
        .collect();
    if global.json {
        let steps: Vec<&str> = plan
            .steps
            .iter()
            .map(|step| step.method.card().id)
            .collect();
        println!(
            "{}",
            json!({
                "ok": true,
                "steps": steps,
                "idle": idle,
                "measures": plan.measures.len(),
                "gates": plan.gates.len(),
            })
        );
    } else {
        println!(
            "{}: fine; {} steps, {} measures, {} gates",
            arguments.plan.display(),
            plan.steps.len(),
            plan.measures.len(),
            plan.gates.len()
        );
        for step in idle {
            eprintln!("note: with its parameters the step `{step}` changes nothing");
        }
    }
    Ok(Outcome::Fine)
}

/// Reads and checks a plan.
pub(crate) fn load(file: &Path) -> Result<Plan, Failure> {
    let bytes =
        std::fs::read(file).map_err(|error| DataError::io(file, "read the plan", &error))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::mistake(
            format!("{} is not UTF-8 text", file.display()),
            "save the plan as UTF-8",
        )
    })?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    bauta_plan::check_text(&text, &name, folder_of(file)).map_err(|problems| Failure::Plan {
        file: file.to_owned(),
        text,
        problems,
    })
}
