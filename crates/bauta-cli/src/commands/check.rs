//! `bauta check`: a plan, checked to the end.

use std::path::{Path, PathBuf};

use bauta_data::store::Store;
use bauta_data::{DataError, format};
use bauta_methods::mask::Effect;
use bauta_plan::foreseen::{Shortage, shortages};
use bauta_plan::plan::EngineSettings;
use bauta_plan::run::{folder_of, refuse_unjudged, ungated};
use bauta_plan::sweep::Grid;
use bauta_plan::work::Mistake;
use bauta_plan::{Plan, Problem, ProblemKind};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{CheckArguments, Global, PlanArguments};
#[cfg(feature = "engine")]
use crate::commands::run::engine;
use crate::commands::sweep;
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::words::counted;

pub(crate) fn run(asked: &CheckArguments, global: &Global) -> Result<Outcome, Failure> {
    let arguments = &asked.plan;
    if let Some(grid) = grid_of(&arguments.plan)? {
        check_grid(&grid, arguments, global);
        return Ok(Outcome::Fine);
    }
    let plan = load(&arguments.plan, global)?;
    refuse_unjudged(&plan, ungated(&plan, arguments.run_options(None, global)))?;
    check_decimal_mark(&plan, global)?;
    check_memory(&plan, asked, &arguments.plan)?;
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
        object(&json!({
            "ok": true,
            "steps": steps,
            "idle": idle,
            "switched_off": plan.switched_off.iter().map(|step| &step.key).collect::<Vec<_>>(),
            "measures": plan.measures.len(),
            "gates": plan.gates.len(),
            "advice": plan.advice,
        }));
    } else {
        out!(
            "{}: fine; {}, {}, {}",
            arguments.plan.display(),
            counted(plan.steps.len(), "step"),
            counted(plan.measures.len(), "measure"),
            counted(plan.gates.len(), "gate")
        );
        for step in idle {
            say!("note: with its parameters the step `{step}` changes nothing");
        }
        for step in &plan.switched_off {
            say!("note: switched off: {}", step.in_words());
        }
        say_advice(&plan);
    }
    Ok(Outcome::Fine)
}

/// The grid of a plan that is one, every variant of it checked.
fn grid_of(file: &Path) -> Result<Option<Grid>, Failure> {
    let text = read_plan(file)?;
    // A plan that cannot be read as a grid is no other plan either, and says what is wrong as a plan.
    let is_grid = |problem: &Problem| problem.kind == ProblemKind::Sweep;
    match Grid::read(&text) {
        Ok(grid) if grid.axes.is_empty() => Ok(None),
        Ok(grid) => {
            sweep::check(&grid, file, &text)?;
            Ok(Some(grid))
        }
        Err(problems) if problems.iter().any(is_grid) => Err(refused(file, &text, problems)),
        Err(_) => Ok(None),
    }
}

fn check_grid(grid: &Grid, arguments: &PlanArguments, global: &Global) {
    if global.json {
        let mut all = sweep::grid_object(grid);
        all["ok"] = json!(true);
        object(&all);
        return;
    }
    sweep::print_grid(grid);
    let plan = arguments.plan.display();
    out!("{plan}: every variant is fine; `bauta sweep {plan}` runs them");
}

/// Tells what a plan could do besides, with the lines to add.
pub(crate) fn say_advice(plan: &Plan) {
    for advice in &plan.advice {
        say!("advice: {}:", advice.text);
        for line in advice.lines.lines() {
            say!("{}", format!("    {line}").trim_end());
        }
    }
}

/// Looks at all numbers of the file where their decimal mark is not stated: a run would ask for it.
fn check_decimal_mark(plan: &Plan, global: &Global) -> Result<(), Failure> {
    let Some(input) = &plan.input else {
        return Ok(());
    };
    let progress = Progress::new(global.quiet || global.json);
    format::check_decimal_mark(&input.path, &plan.read, &progress)?;
    Ok(())
}

/// Looks whether the steps and measures can do with the memory that they may take, and whether those are there who are to
/// count keys.
fn check_memory(plan: &Plan, asked: &CheckArguments, file: &Path) -> Result<(), Failure> {
    if let Some(folder) = &plan.engine.spill {
        Store::check_folder(folder)?;
    }
    #[cfg(feature = "engine")]
    let counted = engine::counter(plan, &asked.engine)?.is_some();
    #[cfg(not(feature = "engine"))]
    let counted = {
        let CheckArguments { plan: _ } = asked;
        false
    };
    let lacking = shortages(plan, counted)?;
    let (certain, estimated): (Vec<Shortage>, Vec<Shortage>) =
        lacking.into_iter().partition(Shortage::is_refused);
    for one in &estimated {
        say!("warning: {} ({})", one.message(), one.hint());
    }
    if certain.is_empty() {
        return Ok(());
    }
    let problems = certain.iter().map(Shortage::problem).collect();
    Err(refused(file, &plan.text, problems))
}

/// Reads and checks a plan.
pub(crate) fn load(file: &Path, global: &Global) -> Result<Plan, Failure> {
    let text = read_plan(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let checked = bauta_plan::check_text(&text, &name, folder_of(file));
    let mut plan = checked.map_err(|problems| refused(file, &text, problems))?;
    plan.engine = EngineSettings {
        memory: global.memory.or(plan.engine.memory),
        spill: global.spill.clone().or(plan.engine.spill),
    };
    plan.read.memory = plan.engine.memory;
    recover_beside(
        plan.output
            .paths()
            .into_iter()
            .chain(plan.reads.iter().map(PathBuf::as_path)),
    );
    Ok(plan)
}

/// The text of a plan.
pub(crate) fn read_plan(file: &Path) -> Result<String, Failure> {
    recover_beside([file]);
    let bytes =
        std::fs::read(file).map_err(|error| DataError::io(file, "read the plan", &error))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::mistake(
            format!("{} is not UTF-8 text", file.display()),
            "save the plan as UTF-8",
        )
    })
}

/// Why a plan is not taken.
pub(crate) fn refused(file: &Path, text: &str, problems: Vec<Problem>) -> Failure {
    match problems.as_slice() {
        [problem] if problem.kind == ProblemKind::NotAPlan => Failure::Mistake(Mistake {
            message: problem.message.clone(),
            hint: problem.hint.clone(),
            file: Some(file.to_owned()),
            variable: None,
        }),
        _ => Failure::Plan {
            file: file.to_owned(),
            text: text.to_owned(),
            problems,
        },
    }
}
