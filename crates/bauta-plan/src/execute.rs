//! Carrying out a plan in memory: measure, mask, measure again, judge. No file is read or written.

mod collapsed;
mod described;
mod masking;
mod seen_again;
mod unchanged;

use std::collections::HashMap;
use std::path::Path;

use bauta_data::fingerprint::Hasher;
use bauta_data::format::{self, FileFormat, Loaded, TextStyle};
use bauta_data::store::Store;
use bauta_data::{Column, DataError, DataProblem, Kind, Table, Unwatched};
use bauta_methods::measure::Scope;
use bauta_methods::pair::Rows;
use bauta_methods::{Family, Files, Pair, SharedFacts, Subject};

use crate::claims::{Claim, claims_of_gates};
use crate::error::RunError;
use crate::judge::{PerturbedKey, Seen, judge, measure_record};
use crate::measure::{Measured, Measuring, RecordFigures};
use crate::output::Replace;
use crate::plan::{Plan, PlannedMeasure, ReleaseWhen};
use crate::record::{FORMAT, MeasureRecord, RunRecord, SeedSource, TimesRecord, Ungated};
use crate::stages::{RunWatch, Stages};
use described::{
    data_notes, file_record, notes_of_untouched, plan_record, scenario_records, variable_records,
};
use masking::Masked;
use seen_again::sees_the_same;

pub(crate) use described::released_record;
pub(crate) use masking::masks_apart;

/// Stages of work in memory besides the steps: measuring before and after.
pub(crate) const STAGES_OF_MEASURING: usize = 2;

/// What a file in memory is called in records and messages.
const IN_MEMORY: &str = "in memory";

/// Choices of a run that are not part of the plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Seed that goes before the plan's.
    pub seed: Option<u64>,
    /// What outputs may replace.
    pub replace: Replace,
    /// Whether a file may go though the plan sets no gate.
    pub release_when: ReleaseWhen,
}

/// What came of a plan, before anything is written.
#[derive(Clone, Debug)]
pub struct Executed {
    /// What was done and found. Whether a release was counted again and written, [`publish`] adds.
    ///
    /// [`publish`]: crate::publish::publish
    pub record: RunRecord,
    /// The file after all steps, records in their order.
    pub masked: Table,
    /// The file as it would be released: suppressed cells spelled, records in a new order if the plan
    /// says so. Whether it may be released, `record.gates` say; what steps and gates claim of its keys
    /// is counted in the bytes that [`publish`](crate::publish::publish) writes, and is not in the
    /// record before.
    pub released: Table,
    /// What each measure of the plan found, with the figures of single records.
    pub measured: Vec<BeforeAndAfter>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) style: TextStyle,
}

/// What a measure found before masking and after.
#[derive(Clone, PartialEq, Debug)]
pub struct BeforeAndAfter {
    /// Before; nothing for measures that compare.
    pub before: Measured,
    /// After, or the comparison.
    pub after: Measured,
}

/// A table that was made in memory, as if it had been read: its hash is that of the CSV file it would
/// be written to.
pub fn in_memory(table: Table) -> Result<Loaded, DataError> {
    let style = TextStyle::default();
    let path = Path::new(IN_MEMORY);
    let format = FileFormat::Text;
    let mut hasher = Hasher::default();
    format::write(&mut hasher, path, &table, format, &style, &Unwatched)?;
    Ok(Loaded {
        table,
        fingerprint: hasher.finish(),
        format,
        style,
        remarks: Vec::new(),
        shown_marks: Vec::new(),
    })
}

/// Masks, measures and judges in memory, on the threads of the caller.
pub fn execute(
    plan: &Plan,
    loaded: &Loaded,
    options: RunOptions,
    watch: &dyn RunWatch,
) -> Result<Executed, RunError> {
    let mut stages = Stages::new(plan.steps.len() + STAGES_OF_MEASURING, watch);
    let kept = RecordFigures::Kept;
    let mut executed = execute_in(plan, loaded, options, kept, None, &mut stages)?;
    executed.record.times = stages.finish();
    Ok(executed)
}

/// The same as a part of a longer run. Of a table that lies in a store, no more than a step or a measure looks at is in
/// memory at a time, and what steps make of it goes there too.
pub(crate) fn execute_in(
    plan: &Plan,
    loaded: &Loaded,
    options: RunOptions,
    record_figures: RecordFigures,
    store: Option<&Store>,
    stages: &mut Stages<'_>,
) -> Result<Executed, RunError> {
    check_described(plan, &loaded.table)?;
    let (seed, seed_source) = seed_of(plan, loaded, options);
    let (original, watch) = (&loaded.table, stages.watch());
    let measuring = Measuring {
        plan,
        seed,
        watch,
        original,
        facts: &SharedFacts::default(),
        record_figures,
    };
    stages.begin("measure before");
    let before = measuring.all(|planned| {
        (planned.measure.declared().subject == Subject::OneFile).then_some(Files::One(original))
    })?;
    let mut masked = Masked::new(original, store);
    let mut steps = Vec::new();
    for step in &plan.steps {
        stages.begin(&step.key);
        steps.push(masked.carry_out(plan, step, original, seed, watch)?);
    }
    masked.check_weight_name(plan)?;
    stages.begin("measure after");
    let after = measured_after(&measuring, &masked, &before)?;
    let measured = before.into_iter().zip(after);
    let measured = measured.map(|(before, after)| BeforeAndAfter { before, after });
    let measured: Vec<BeforeAndAfter> = measured.collect();
    let measures = measure_records(plan, original, &measured, &masked);
    let mut record = record_of(plan, loaded, (seed, seed_source), measures, masked.rows);
    record.steps = steps;
    record.ungated = ungated(plan, options);
    record.variables = variable_records(plan, original, &masked);
    record.notes.extend(notes_of_untouched(plan, &masked));
    let mut claims = std::mem::take(&mut masked.claims);
    claims.extend(claims_of_gates(plan));
    for claim in &mut claims {
        let perturbed = claim.keys.iter();
        let perturbed = perturbed.filter(|key| masked.perturbed.contains_key(*key));
        claim.perturbed = perturbed.cloned().collect();
    }
    Ok(Executed {
        record,
        released: masked.release(plan, seed, watch)?,
        masked: masked.table,
        measured,
        claims,
        style: loaded.style,
    })
}

/// Whether a comparison finds something that was masked: of what nobody touched, every figure is that of a
/// perfect file, and a gate on it would hold whatever happened to the others.
fn compares(planned: &PlannedMeasure, masked: &Masked, original: &Table) -> bool {
    let declared = planned.measure.declared();
    declared.subject == Subject::OneFile
        || declared.looks_at_untouched
        // A risk of what nobody touched is that of the original, and says so.
        || (declared.card.family == Family::Risk && !planned.on.is_empty())
        || masked.compares(&planned.on, original, declared)
}

/// Takes every measure of the masked file, or of both. What was found `before` stands where the masked file shows
/// nothing else.
fn measured_after(
    measuring: &Measuring<'_>,
    masked: &Masked,
    before: &[Measured],
) -> Result<Vec<Measured>, RunError> {
    let original = measuring.original;
    let pair = Pair {
        original: measuring.original,
        masked: &masked.table,
        rows: masked.rows,
    };
    // Who belongs to a subpopulation is decided by the original, or by the file's own values where
    // nobody can tell which record came from which.
    let own = (masked.rows == Rows::Unrelated).then(|| masked.table.clone().as_source());
    let measuring = Measuring {
        original: own.as_ref().unwrap_or(measuring.original),
        ..*measuring
    };
    let files = |planned: &PlannedMeasure| match planned.measure.declared().subject {
        Subject::OneFile if planned.groups.condition.is_some() => {
            Some(Files::One(own.as_ref().unwrap_or(&masked.table)))
        }
        Subject::OneFile => Some(Files::One(&masked.table)),
        Subject::CorrespondingPair if masked.rows == Rows::Unrelated => None,
        Subject::Pair | Subject::CorrespondingPair if !compares(planned, masked, original) => None,
        Subject::Pair | Subject::CorrespondingPair => Some(Files::Both(pair)),
    };
    let planned = measuring.plan.measures.iter().zip(before);
    let after = planned.map(|(planned, before)| {
        if sees_the_same(planned, original, &masked.table) {
            return Ok(before.clone());
        }
        measuring.taken(planned, files(planned))
    });
    after.collect()
}

fn seed_of(plan: &Plan, loaded: &Loaded, options: RunOptions) -> (u64, SeedSource) {
    match (options.seed, plan.seed) {
        (Some(seed), _) => (seed, SeedSource::CommandLine),
        (None, Some(seed)) => (seed, SeedSource::Plan),
        (None, None) => (loaded.fingerprint.seed, SeedSource::InputFile),
    }
}

/// A table must be what the plan was checked for; one that was read under [`Plan::read`] is.
fn check_described(plan: &Plan, table: &Table) -> Result<(), DataError> {
    let declared = plan.read.schema.attributes.iter();
    let columns: HashMap<&str, &Column> = (table.columns().iter())
        .map(|column| (column.name(), column.as_ref()))
        .collect();
    let unlike = declared.filter(|attribute| {
        columns.get(attribute.name.as_str()).is_none_or(|column| {
            let found = column.attribute();
            (found.role, found.kind) != (attribute.role, attribute.kind)
                || (attribute.kind == Kind::Continuous && !column.is_numeric())
        })
    });
    let names: Vec<&str> = unlike.map(|attribute| attribute.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let problem = DataProblem::file(
        format!("the plan describes other columns: {}", names.join(", ")),
        "read the data with the options of the plan",
    );
    Err(DataError::one(Path::new(IN_MEMORY), problem))
}

/// Who lets the file go though the plan sets no gate; none where it sets one, or nobody does.
pub fn ungated(plan: &Plan, options: RunOptions) -> Option<Ungated> {
    if !plan.gates.is_empty() {
        return None;
    }
    match (plan.output.release_when, options.release_when) {
        (ReleaseWhen::Ungated, _) => Some(Ungated::Plan),
        (ReleaseWhen::Gated, ReleaseWhen::Ungated) => Some(Ungated::CommandLine),
        (ReleaseWhen::Gated, ReleaseWhen::Gated) => None,
    }
}

/// What the record says of the measures.
fn measure_records(
    plan: &Plan,
    original: &Table,
    measured: &[BeforeAndAfter],
    masked: &Masked,
) -> Vec<MeasureRecord> {
    let planned = plan.measures.iter().zip(measured);
    let records = planned.map(|(planned, found)| {
        let seen = Seen {
            rows: masked.rows,
            compares: compares(planned, masked, original),
            perturbed: perturbed_keys(planned, original, masked),
        };
        measure_record(planned, &found.before, &found.after, seen)
    });
    records.collect()
}

/// The keys that a step perturbed, where a measure counts keys of one file.
fn perturbed_keys(
    planned: &PlannedMeasure,
    original: &Table,
    masked: &Masked,
) -> Vec<PerturbedKey> {
    let declared = planned.measure.declared();
    if declared.scope != Scope::Scenario || declared.subject != Subject::OneFile {
        return Vec::new();
    }
    let keys = planned.on.iter().filter_map(|key| {
        let steps = masked.perturbed.get(key)?;
        let column = original.column_named(key)?;
        Some(PerturbedKey {
            name: key.clone(),
            kind: column.attribute().kind,
            steps: steps.clone(),
        })
    });
    keys.collect()
}

/// The record but for steps and variables, which the masked file is needed for.
fn record_of(
    plan: &Plan,
    loaded: &Loaded,
    (seed, seed_source): (u64, SeedSource),
    measures: Vec<MeasureRecord>,
    rows: Rows,
) -> RunRecord {
    let file = plan.input.as_ref();
    let file = file.map_or(IN_MEMORY, |input| input.given.as_str());
    RunRecord {
        format: FORMAT.to_owned(),
        bauta_version: env!("CARGO_PKG_VERSION").to_owned(),
        plan: plan_record(plan),
        seed,
        seed_source,
        input: file_record(file, &(&loaded.fingerprint).into(), &loaded.table),
        notes: data_notes(plan, loaded),
        variables: Vec::new(),
        scenarios: scenario_records(plan),
        steps: Vec::new(),
        ungated: None,
        gates: judge(&plan.gates, &measures),
        measures,
        claims: Vec::new(),
        released: None,
        reports: Vec::new(),
        shuffled: plan.output.shuffle,
        rows,
        times: TimesRecord::default(),
    }
}
