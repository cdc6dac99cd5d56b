//! Carrying out a plan from file to file: read, execute, publish.

use std::path::Path;
use std::sync::Arc;

use bauta_data::format;
use bauta_data::store::{CountsClasses, Store};
use bauta_methods::MethodError;

use crate::execute::{Executed, STAGES_OF_MEASURING, execute_in};
use crate::foreseen::refuse_shortage;
use crate::measure::RecordFigures;
use crate::output::Guard;
use crate::plan::Plan;
use crate::publish::{Outcome, publish_with};
use crate::record::{RunRecord, TimesRecord, Ungated};
use crate::seed_in_texts::public_texts_with;
use crate::stages::Stages;
use crate::within::{Limits, run_within, store_record};

pub use crate::error::RunError;
pub use crate::execute::{RunOptions, ungated};
pub use crate::output::{Replace, folder_of};
pub use crate::publish::{Renderer, record_json};
pub use crate::stages::RunWatch;

/// Runs a plan and writes its outputs: the record and the reports, and the released file last, and
/// only if every gate holds. Where the plan says how much memory it may take and the file needs more, its columns lie on
/// the disk meanwhile; the outputs are the same.
pub fn run(
    plan: &Plan,
    options: RunOptions,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<RunRecord, RunError> {
    match Limits::of(plan, None)? {
        Some(limits) => run_within(plan, options, &limits, watch, renderer),
        None => run_in(plan, options, None, watch, renderer),
    }
}

/// The same with classes of equal keys counted by somebody else: an engine, or a cluster.
pub fn run_counted(
    plan: &Plan,
    options: RunOptions,
    counter: Arc<dyn CountsClasses>,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<RunRecord, RunError> {
    match Limits::of(plan, Some(counter))? {
        Some(limits) => run_within(plan, options, &limits, watch, renderer),
        None => run_in(plan, options, None, watch, renderer),
    }
}

/// The same with the columns of all tables in a store, if there is one: the outputs are the same, and no more is in memory
/// than a step or a measure looks at.
pub fn run_in(
    plan: &Plan,
    options: RunOptions,
    store: Option<&Store>,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<RunRecord, RunError> {
    refuse_published_seed(plan, options)?;
    refuse_unjudged(plan, ungated(plan, options))?;
    let guard = Guard::new(&plan.reads, options.replace);
    // Before hours of work, not after them.
    guard.check(&plan.output.paths())?;
    let mut stages = stages_of(plan, watch);
    let loaded = stages.time("read", || read_into(plan, store, watch))?;
    if let Some(store) = store {
        // Not after an hour of work.
        refuse_shortage(plan, &loaded.table, store.allowed())?;
    }
    let figures = RecordFigures::Dropped;
    let Executed {
        record,
        released,
        claims,
        style,
        ..
    } = execute_in(plan, &loaded, options, figures, store, &mut stages)?;
    // What is written is not compared with the original any more.
    drop(loaded);
    stages.begin("write");
    let outcome = Outcome {
        record,
        released,
        claims: &claims,
        style,
    };
    publish_with(plan, outcome, &guard, renderer, watch, || TimesRecord {
        store: store.map(|store| store_record(store, plan.engine.memory)),
        ..stages.finish()
    })
}

/// A seed from the command line must not stand in a public text either.
fn refuse_published_seed(plan: &Plan, options: RunOptions) -> Result<(), RunError> {
    let texts = options.seed.map(|seed| public_texts_with(plan, seed));
    let texts = texts.unwrap_or_default();
    if texts.is_empty() {
        return Ok(());
    }
    let message = format!("the seed is published: {} would show it", texts.join(", "));
    let error = MethodError::Request {
        variable: None,
        message,
        hint: "take it out of there, or choose another seed".to_owned(),
    };
    Err(RunError::Method {
        place: "plan".to_owned(),
        line: None,
        error: Box::new(error),
    })
}

/// A file goes only where something was judged, or where somebody said that nothing need be.
pub fn refuse_unjudged(plan: &Plan, ungated: Option<Ungated>) -> Result<(), RunError> {
    if plan.output.release.is_none() || !plan.gates.is_empty() || ungated.is_some() {
        return Ok(());
    }
    Err(RunError::NothingJudged)
}

/// The stages of a run: reading, measuring before and after, and writing, besides the steps.
pub(crate) fn stages_of<'a>(plan: &Plan, watch: &'a dyn RunWatch) -> Stages<'a> {
    Stages::new(plan.steps.len() + STAGES_OF_MEASURING + 2, watch)
}

/// Reads the file of a plan.
pub(crate) fn read(plan: &Plan, watch: &dyn RunWatch) -> Result<format::Loaded, RunError> {
    Ok(format::read(input_of(plan)?, &plan.read, watch)?)
}

/// Reads the file of a plan, into a store if there is one.
pub(crate) fn read_into(
    plan: &Plan,
    store: Option<&Store>,
    watch: &dyn RunWatch,
) -> Result<format::Loaded, RunError> {
    match store {
        Some(store) => Ok(format::read_stored(
            input_of(plan)?,
            &plan.read,
            store,
            watch,
        )?),
        None => read(plan, watch),
    }
}

fn input_of(plan: &Plan) -> Result<&Path, RunError> {
    let input = plan.input.as_ref().ok_or_else(|| {
        RunError::internal(
            "reading",
            "the plan names no file; execute it on data in memory",
        )
    })?;
    Ok(&input.path)
}
