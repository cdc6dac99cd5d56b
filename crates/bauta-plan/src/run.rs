//! Carrying out a plan: read, mask, measure, judge, write.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bauta_data::format::{self, Loaded};
use bauta_data::{Column, DataError, DataErrorKind, Table, Values, Watch};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::context::shuffled;
use bauta_methods::note::KnownNote;
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MaskTask, MethodError, Pair, RunContext, Subject};
use sha2::{Digest, Sha256};

use crate::clock::now_utc;
use crate::measuring::{judge, measure_all, measure_record};
use crate::output::{Access, Staged};
use crate::plan::{NamedPath, Plan, Step, StepMethod};
use crate::problem::line_of;
use crate::record::{
    FORMAT, Fate, FileRecord, PlanRecord, RunRecord, ScenarioRecord, SeedSource, StageTime,
    StepRecord, TimesRecord, VariableRecord, params_record,
};
use crate::recount::{Claim, claims_of_gates, recount};

/// Someone who watches a run.
pub trait RunWatch: Watch {
    /// The next stage begins; `number` of `total`, from 1.
    fn stage(&self, name: &str, number: usize, total: usize);
}

/// Makes the reports of a run. This crate does not know how they look.
pub trait Renderer {
    /// The confidential report.
    fn internal(&self, record: &RunRecord) -> String;
    /// The public report.
    fn external(&self, record: &RunRecord) -> String;
}

/// Why a run ended without its outputs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// A file could not be read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A step or measure could not do its work.
    #[error("{place}: {error}")]
    Method {
        /// Which one.
        place: String,
        /// Line of the plan that asked for it, if there is one.
        line: Option<usize>,
        /// What the method said.
        error: Box<MethodError>,
    },
}

impl RunError {
    /// Whether the watcher asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Data(error) => error.kind == DataErrorKind::Cancelled,
            Self::Method { error, .. } => **error == MethodError::Cancelled,
        }
    }
}

/// Choices of a run that are not part of the plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Seed that goes before the plan's.
    pub seed: Option<u64>,
}

/// Runs a plan and writes its outputs: the record and the reports, and the released file last, and
/// only if every gate holds.
pub fn run(
    plan: &Plan,
    options: RunOptions,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<RunRecord, RunError> {
    let mut stages = Stages::new(plan, watch);
    let loaded = stages.time("read", || format::read(&plan.input.path, &plan.read, watch))?;
    let (mut record, released, claims) = execute(plan, &loaded, options, &mut stages)?;
    stages.begin("write");
    let mut staged_release = None;
    if record.passed() {
        let (staged, facts) = stage_release(plan, &loaded, &released, watch)?;
        if !claims.is_empty() {
            let (style, bytes) = (release_style(plan, &loaded), staged.read_back()?);
            record.claims = recount(plan, style, &released, &bytes, &claims, watch)?;
        }
        if record.passed() {
            record.released = Some(facts);
            staged_release = Some(staged);
        }
    }
    record.times = stages.finish();
    let mut staged = Vec::new();
    if let Some(target) = &plan.output.record {
        staged.push(stage_bytes(
            target,
            &record_json(&record),
            Access::OwnerOnly,
        )?);
    }
    if let Some(report) = &plan.output.report {
        staged.push(stage_bytes(
            report,
            renderer.internal(&record).as_bytes(),
            Access::OwnerOnly,
        )?);
    }
    if let Some(report) = plan
        .output
        .external_report
        .as_ref()
        .filter(|_| record.passed())
    {
        staged.push(stage_bytes(
            report,
            renderer.external(&record).as_bytes(),
            Access::Usual,
        )?);
    }
    if watch.cancelled() {
        return Err(DataError::cancelled(&plan.output.file.path).into());
    }
    // The released file last: it is never there without its evidence.
    for staged in staged.into_iter().chain(staged_release) {
        staged.publish()?;
    }
    Ok(record)
}

/// The record as it is written.
pub fn record_json(record: &RunRecord) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(record).unwrap_or_default();
    json.push(b'\n');
    json
}

fn stage_bytes(target: &NamedPath, content: &[u8], access: Access) -> Result<Staged, DataError> {
    let mut staged = Staged::new(&target.path, access)?;
    staged.write_with(|out| {
        out.write_all(content)
            .map_err(|error| DataError::io(&target.path, "write", &error))
    })?;
    staged.finish()?;
    Ok(staged)
}

fn stage_release(
    plan: &Plan,
    loaded: &Loaded,
    released: &Table,
    watch: &dyn RunWatch,
) -> Result<(Staged, FileRecord), DataError> {
    let target = &plan.output.file;
    let mut staged = Staged::new(&target.path, Access::Usual)?;
    let print = staged.write_with(|out| {
        format::write(
            out,
            &target.path,
            released,
            plan.output.format,
            &release_style(plan, loaded),
            watch,
        )
    })?;
    staged.finish()?;
    Ok((staged, file_record(&target.given, &print, released)))
}

/// The released file is spelled like the source, but for what its extension says.
pub(crate) fn release_style(plan: &Plan, loaded: &Loaded) -> format::TextStyle {
    let mut style = loaded.style;
    let prescribed = style.for_path(&plan.input.path).delimiter;
    if prescribed == style.delimiter && prescribed == b'\t' {
        // Tabs came with the extension and go with it.
        style.delimiter = b',';
    }
    style.for_path(&plan.output.file.path)
}

fn file_record(given: &str, print: &bauta_data::Fingerprint, table: &Table) -> FileRecord {
    FileRecord {
        file: given.to_owned(),
        sha256: print.sha256.clone(),
        n_bytes: print.n_bytes,
        n_records: table.n_records() as u64,
        n_variables: table.columns().len() as u64,
    }
}

/// Names and times the stages of a run.
pub(crate) struct Stages<'a> {
    watch: &'a dyn RunWatch,
    total: usize,
    started: String,
    start: Instant,
    current: Option<(String, Instant)>,
    done: Vec<StageTime>,
}

impl<'a> Stages<'a> {
    pub(crate) fn new(plan: &Plan, watch: &'a dyn RunWatch) -> Self {
        Self {
            watch,
            // Reading, measuring before and after, and writing, besides the steps.
            total: plan.steps.len() + 4,
            started: now_utc(),
            start: Instant::now(),
            current: None,
            done: Vec::new(),
        }
    }

    fn begin(&mut self, name: &str) {
        self.end();
        self.watch.stage(name, self.done.len() + 1, self.total);
        self.current = Some((name.to_owned(), Instant::now()));
    }

    fn end(&mut self) {
        if let Some((stage, since)) = self.current.take() {
            self.done.push(StageTime {
                stage,
                seconds: since.elapsed().as_secs_f64(),
            });
        }
    }

    pub(crate) fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        self.begin(name);
        let result = work();
        self.end();
        result
    }

    fn finish(mut self) -> TimesRecord {
        self.end();
        TimesRecord {
            started: self.started,
            seconds: self.start.elapsed().as_secs_f64(),
            stages: self.done,
            threads: rayon::current_num_threads() as u64,
        }
    }
}

/// Masks, measures and judges in memory; returns the record, the table to release, and what is
/// claimed of it.
pub(crate) fn execute(
    plan: &Plan,
    loaded: &Loaded,
    options: RunOptions,
    stages: &mut Stages<'_>,
) -> Result<(RunRecord, Table, Vec<Claim>), RunError> {
    let (seed, seed_source) = match (options.seed, plan.seed) {
        (Some(seed), _) => (seed, SeedSource::CommandLine),
        (None, Some(seed)) => (seed, SeedSource::Plan),
        (None, None) => (loaded.fingerprint.seed, SeedSource::InputFile),
    };
    let original = &loaded.table;
    let mut masked = Masked {
        table: original.clone(),
        touched: BTreeSet::new(),
        rows: Rows::Correspond,
        claims: Vec::new(),
    };
    let mut steps = Vec::new();
    for step in &plan.steps {
        stages.begin(&step.key);
        steps.push(masked.carry_out(plan, step, original, seed, stages.watch)?);
    }
    stages.begin("measure before");
    let watch = stages.watch;
    let before = measure_all(plan, &plan.measures, seed, watch, original, &|planned| {
        (planned.measure.declared().subject == Subject::OneFile).then_some(Files::One(original))
    })?;
    stages.begin("measure after");
    let pair = Pair {
        original,
        masked: &masked.table,
        rows: masked.rows,
    };
    // Who belongs to a subpopulation is decided by the original, or by the file's own values where
    // nobody can tell which record came from which.
    let own = (masked.rows == Rows::Unrelated).then(|| masked.table.clone().as_source());
    let selector = own.as_ref().unwrap_or(original);
    let after = measure_all(
        plan,
        &plan.measures,
        seed,
        watch,
        selector,
        &|planned| match planned.measure.declared().subject {
            Subject::OneFile if planned.groups.condition.is_some() => {
                Some(Files::One(own.as_ref().unwrap_or(&masked.table)))
            }
            Subject::OneFile => Some(Files::One(&masked.table)),
            Subject::CorrespondingPair if masked.rows == Rows::Unrelated => None,
            Subject::Pair | Subject::CorrespondingPair => Some(Files::Both(pair)),
        },
    )?;
    let measures = plan
        .measures
        .iter()
        .zip(before.into_iter().zip(after))
        .map(|(planned, (before, after))| measure_record(planned, before, after, masked.rows))
        .collect::<Vec<_>>();
    let gates = judge(&plan.gates, &measures);
    let variables = variable_records(plan, original, &masked);
    let mut claims = std::mem::take(&mut masked.claims);
    claims.extend(claims_of_gates(plan));
    let masked_rows = masked.rows;
    let released = masked.release(plan, seed, watch);
    let record = RunRecord {
        format: FORMAT.to_owned(),
        bauta_version: env!("CARGO_PKG_VERSION").to_owned(),
        plan: plan_record(plan),
        seed,
        seed_source,
        input: file_record(&plan.input.given, &loaded.fingerprint, original),
        variables,
        scenarios: scenario_records(plan),
        steps,
        rows: masked_rows,
        measures,
        gates,
        claims: Vec::new(),
        released: None,
        shuffled: plan.output.shuffle,
        times: TimesRecord::default(),
    };
    Ok((record, released, claims))
}

/// The file on its way through the steps.
struct Masked {
    table: Table,
    touched: BTreeSet<String>,
    /// Whether its records can be traced to those of the original.
    rows: Rows,
    /// What steps say of the keys, as far as no later step has touched them.
    claims: Vec<Claim>,
}

impl Masked {
    fn carry_out(
        &mut self,
        plan: &Plan,
        step: &Step,
        original: &Table,
        seed: u64,
        watch: &dyn RunWatch,
    ) -> Result<StepRecord, RunError> {
        let context = RunContext::new(seed, &step.key, watch);
        let on: Vec<usize> = step
            .on
            .iter()
            .filter_map(|name| self.table.index_of(name))
            .collect();
        let change = match step.method {
            StepMethod::Mask(mask) => {
                let task = MaskTask {
                    table: &self.table,
                    on: &on,
                    params: &step.params,
                };
                mask.mask(&task, &context)
            }
            StepMethod::Adjuster(adjuster) => {
                let pair = Pair {
                    original,
                    masked: &self.table,
                    rows: self.rows,
                };
                let task = AdjustTask {
                    pair,
                    on: &on,
                    params: &step.params,
                };
                adjuster.adjust(&task, &context)
            }
        };
        let mut change = change.map_err(|error| RunError::Method {
            place: format!("step `{}`", step.key),
            line: step.span.as_ref().map(|span| line_of(&plan.text, span)),
            error: Box::new(error),
        })?;
        let touched = change
            .columns
            .iter()
            .map(|(attr_idx, _)| self.table.column(*attr_idx).name().to_owned());
        let touched: Vec<String> = touched.collect();
        let loses_records = change.kept.is_some();
        self.claims.retain(|claim| {
            let stays = !loses_records && !claim.keys.iter().any(|key| touched.contains(key));
            if !stays {
                context.note(KnownNote::ClaimEnded {
                    by: claim.by.clone(),
                    k: claim.what.k,
                });
            }
            stays
        });
        let claimed = match step.method {
            StepMethod::Mask(mask) => mask.facts(&step.params).claims,
            StepMethod::Adjuster(adjuster) => adjuster.facts(&step.params).claims,
        };
        if let Some(what) = claimed.filter(|_| !step.on.is_empty()) {
            self.claims.push(Claim {
                by: format!("step `{}`", step.key),
                keys: step.on.clone(),
                what,
            });
        }
        self.touched.extend(touched);
        let rows = change.rows;
        self.rows = self.rows.and_then(rows);
        let evidence = change.evidence.take();
        self.table = change.apply_to(&self.table);
        let card = step.method.card();
        Ok(StepRecord {
            key: step.key.clone(),
            method: card.id.to_owned(),
            title: card.title.to_owned(),
            on: step.on.clone(),
            params: params_record(&step.params),
            why: step.why.clone(),
            rows,
            evidence,
            notes: context.into_notes(),
        })
    }

    /// The table as it is written: suppressed cells spelled, records in a new order if asked for.
    fn release(self, plan: &Plan, seed: u64, watch: &dyn RunWatch) -> Table {
        let mut table = self.table;
        for attr_idx in 0..table.columns().len() {
            if table.column(attr_idx).n_missing() > 0 {
                let column = table
                    .column(attr_idx)
                    .with_suppressed_text(&plan.output.suppressed);
                table = table.with_column(attr_idx, column);
            }
        }
        if plan.output.shuffle {
            let context = RunContext::new(seed, "output", watch);
            let order = shuffled(table.n_records(), &context.draws("record order"));
            table = table.take(&order);
        }
        table
    }
}

fn plan_record(plan: &Plan) -> PlanRecord {
    let digest = Sha256::digest(plan.text.as_bytes());
    PlanRecord {
        title: plan.title.clone(),
        file: plan.file.clone(),
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        text: plan.text.clone(),
    }
}

fn scenario_records(plan: &Plan) -> Vec<ScenarioRecord> {
    let records = plan.scenarios.iter().map(|scenario| ScenarioRecord {
        name: scenario.name.clone(),
        keys: scenario.keys.clone(),
        why: scenario.why.clone(),
    });
    records.collect()
}

fn variable_records(plan: &Plan, original: &Table, masked: &Masked) -> Vec<VariableRecord> {
    let records = original.columns().iter().map(|column| {
        let name = column.name();
        let after = masked.table.column_named(name);
        let fate = match after {
            None => Fate::Dropped,
            Some(_) if masked.touched.contains(name) => Fate::Masked,
            Some(_) => Fate::Untouched,
        };
        let changed = after
            .filter(|_| fate == Fate::Masked && masked.rows == Rows::Correspond)
            .map(|after| n_changed(column, after, &masked.table));
        VariableRecord {
            name: name.to_owned(),
            role: column.attribute().role,
            kind: column.attribute().kind,
            declared: plan.read.schema.attribute(name).is_some(),
            label: plan
                .labels
                .iter()
                .find(|(labelled, _)| labelled == name)
                .map(|(_, label)| label.clone()),
            n_missing: column.n_missing() as u64,
            fate,
            n_changed: changed,
            n_suppressed: after.map_or(0, |after| after.n_suppressed() as u64),
        }
    });
    records.collect()
}

/// Cells of a masked column that differ from the original.
fn n_changed(original: &Arc<Column>, masked: &Column, table: &Table) -> u64 {
    let differs = |record: usize| {
        let row = table.source_row(record);
        match (original.is_missing(row), masked.is_missing(record)) {
            (true, true) => false,
            (true, false) | (false, true) => true,
            (false, false) => match (original.values(), masked.values()) {
                (Values::Numeric(x), Values::Numeric(z)) => x[row].to_bits() != z[record].to_bits(),
                (Values::Categorical(x), Values::Categorical(z)) => {
                    x.levels.text(x.codes[row]) != z.levels.text(z.codes[record])
                }
                _ => true,
            },
        }
    };
    (0..table.n_records())
        .filter(|&record| differs(record))
        .count() as u64
}

/// The folder that a plan's paths are relative to.
pub fn folder_of(plan_file: &Path) -> &Path {
    plan_file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."))
}
