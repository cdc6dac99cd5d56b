//! `bauta run`: a plan, carried out.

#[cfg(feature = "engine")]
pub(crate) mod engine;
mod measured;
mod screen;
mod variables;
mod verdict;

use std::sync::Arc;

use bauta_data::store::CountsClasses;
use bauta_methods::{Measurement, Note};
use bauta_plan::foreseen::{Certainty, shortages};
use bauta_plan::plan::NamedPath;
use bauta_plan::record::{GateRecord, MeasureRecord, RunRecord, StepRecord, StoreRecord};
use bauta_plan::run::{RunOptions, run as run_plan, run_counted};
use bauta_plan::{Judged, Plan};
use bauta_report::HtmlRenderer;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, RunArguments};
use crate::commands::check::{load, say_advice};
use crate::commands::risk::measure_json;
use crate::failure::Failure;
use crate::print::{object, say};
use crate::progress::Progress;

pub(crate) use screen::print_summary;
pub(crate) use verdict::{claim_text, verdict_lines};

pub(crate) fn run(arguments: &RunArguments, global: &Global) -> Result<Outcome, Failure> {
    let (file, ungated) = (&arguments.plan.plan, arguments.plan.ungated);
    let plan = load(file, global)?;
    if ungated && !plan.gates.is_empty() {
        say!("note: the plan sets gates, and they decide; --ungated changes nothing");
    }
    let options = arguments.plan.run_options(arguments.seed, global);
    #[cfg(feature = "engine")]
    let counter = engine::counter(&plan, &arguments.engine)?;
    #[cfg(not(feature = "engine"))]
    let counter = None;
    refuse_or_warn(&plan, counter.is_some())?;
    let record = carry_out(&plan, options, counter, global)?;
    if global.json {
        print_json(&plan, &record);
    } else {
        // The verdict stays in sight: what else could be done is said before it.
        say_advice(&plan);
        print_summary(&plan, &record, file);
    }
    Ok(verdict(&record))
}

/// Refuses what certainly needs more memory than there may be, before hours of work; what is estimated is a warning.
fn refuse_or_warn(plan: &Plan, counted: bool) -> Result<(), Failure> {
    for lacking in shortages(plan, counted)? {
        match lacking.certainty {
            Certainty::Certain => return Err(lacking.error(plan).into()),
            Certainty::Estimate => say!("warning: {} ({})", lacking.message(), lacking.hint()),
        }
    }
    Ok(())
}

/// Runs a plan with progress and the reports of `bauta-report`; `counter` counts keys, if somebody else is to.
pub(crate) fn carry_out(
    plan: &Plan,
    options: RunOptions,
    counter: Option<Arc<dyn CountsClasses>>,
    global: &Global,
) -> Result<RunRecord, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let record = match counter {
        Some(counter) => run_counted(plan, options, counter, &progress, &HtmlRenderer)?,
        None => run_plan(plan, options, &progress, &HtmlRenderer)?,
    };
    if let Some(store) = &record.times.store {
        say_store(store);
    }
    warn_of_older(plan, &record);
    Ok(record)
}

/// Tells of what lay on the disk.
pub(crate) fn say_store(store: &StoreRecord) {
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    say!(
        "put aside on the disk: {} MB at the most; removed",
        megabytes(store.most_bytes)
    );
    if store.n_removed > 0 {
        say!(
            "also removed: what {} left on the disk",
            match store.n_removed {
                1 => "a run that was killed had".to_owned(),
                n => format!("{n} runs that were killed had"),
            }
        );
    }
}

/// Warns of public files that are there and that this run did not write.
pub(crate) fn warn_of_older(plan: &Plan, record: &RunRecord) {
    let release = plan.output.release.as_ref();
    let public = [
        release.map(|release| &release.file),
        plan.output.external_report.as_ref(),
    ];
    let left = public
        .into_iter()
        .flatten()
        .filter(|file| file.path.exists());
    for file in left.filter(|_| !record.passed()) {
        say!(
            "warning: {} is from an earlier run and is not what this plan gives now",
            file.given
        );
    }
}

pub(crate) fn verdict(record: &RunRecord) -> Outcome {
    if record.passed() {
        Outcome::Fine
    } else {
        Outcome::Refused
    }
}

/// Why a figure of a subpopulation, or of outliers, is not on the screen.
pub(crate) const FEW_RECORDS: &str = "- figures of fewer than 10 records are not shown";

/// Prints what a run found, as scripts read it.
pub(crate) fn print_json(plan: &Plan, record: &RunRecord) {
    object(&run_object(plan, record));
}

/// What a run found, as scripts read it. The seed stays in the record.
pub(crate) fn run_object(plan: &Plan, record: &RunRecord) -> serde_json::Value {
    let measures: Vec<serde_json::Value> = record.measures.iter().map(measure_object).collect();
    let steps: Vec<serde_json::Value> = record.steps.iter().map(StepRecord::to_json).collect();
    let named = |path: &Option<NamedPath>| path.as_ref().map(|path| path.given.clone());
    let judged = Judged::of(record);
    json!({
        "input": record.input,
        "notes": record.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
        "steps": steps,
        "measures": measures,
        "gates": record.gates.iter().map(gate_object).collect::<Vec<_>>(),
        "claims": record.claims,
        "advice": plan.advice,
        // Where nothing was judged, nothing was passed.
        "passed": (judged != Judged::Nothing).then(|| record.passed()),
        "judged": judged,
        "ungated": record.ungated,
        "released": record.released,
        "record": named(&plan.output.record),
        "report": named(&plan.output.report),
    })
}

/// A gate as scripts read it on a screen.
fn gate_object(gate: &GateRecord) -> serde_json::Value {
    let mut object = json!(gate);
    object["found"] = json!(gate.told());
    object
}

/// The figures after masking, and those before where there are such.
fn measure_object(measure: &MeasureRecord) -> serde_json::Value {
    let nothing = Measurement::default();
    let mut object = measure_json(&measure.id, measure.after.as_ref().unwrap_or(&nothing));
    object["scenario"] = json!(measure.scenario);
    object["on"] = json!(measure.on);
    object["perturbed"] = json!(measure.perturbed);
    if let Some(before) = &measure.before {
        object["before"] = measure_json(&measure.id, before);
    }
    object["notes"] = measure.notes.iter().map(Note::to_json).collect();
    object
}
