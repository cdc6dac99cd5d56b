//! Writing what came of a plan: the record, the reports and the released file, all of them or none.

use std::collections::HashSet;
use std::time::Instant;

use bauta_data::format::{self, TextStyle};
use bauta_data::{DataError, Fingerprint, Table, Watch};

use crate::claims::Claim;
use crate::error::RunError;
use crate::execute::{Executed, released_record};
use crate::output::{Access, Guard, Publication, Replace, Staged};
use crate::plan::{NamedPath, Plan, Release};
use crate::record::{FileRecord, Readers, ReportRecord, RunRecord, StageTime, TimesRecord};
use crate::recount::recount;
use crate::run::refuse_unjudged;
use crate::suppressed_text::check_suppressed_text;

/// Makes the reports of a run. This crate does not know how they look.
pub trait Renderer {
    /// The confidential report.
    fn internal(&self, record: &RunRecord) -> String;
    /// The public report.
    fn external(&self, record: &RunRecord) -> String;
}

/// Writes what a plan says: the record and the reports, and the released file only if every gate and,
/// counted again in what was written, every claim holds. All of it is there, or nothing.
pub fn publish(
    plan: &Plan,
    executed: &Executed,
    replace: Replace,
    renderer: &dyn Renderer,
    watch: &dyn Watch,
) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    let guard = Guard::new(&plan.reads, replace);
    let outcome = Outcome {
        record: executed.record.clone(),
        released: executed.released.clone(),
        claims: &executed.claims,
        style: executed.style,
    };
    publish_with(plan, outcome, &guard, renderer, watch, || {
        let mut times = executed.record.times.clone();
        let seconds = start.elapsed().as_secs_f64();
        let stage = "write".to_owned();
        times.stages.push(StageTime { stage, seconds });
        times.seconds += seconds;
        times
    })
}

/// What came of a plan, as far as it is written.
pub(crate) struct Outcome<'e> {
    pub(crate) record: RunRecord,
    pub(crate) released: Table,
    pub(crate) claims: &'e [Claim],
    pub(crate) style: TextStyle,
}

/// The same as a part of a longer run, whose times are asked for when all but evidence is written.
pub(crate) fn publish_with(
    plan: &Plan,
    outcome: Outcome<'_>,
    guard: &Guard,
    renderer: &dyn Renderer,
    watch: &dyn Watch,
    times: impl FnOnce() -> TimesRecord,
) -> Result<RunRecord, RunError> {
    refuse_unjudged(plan, outcome.record.ungated)?;
    let paths = plan.output.paths();
    let mut publication = Publication::begin(&paths, guard)?;
    let (mut record, release) = stage_release(plan, outcome, &mut publication, watch)?;
    record.times = times();
    let reports = render(plan, &mut record, renderer);
    if let Some(target) = &plan.output.record {
        let json = record_json(&record)?;
        publication.add_bytes(&target.path, &json, Access::OwnerOnly)?;
    }
    for report in &reports {
        let access = match report.readers {
            Readers::Internal => Access::OwnerOnly,
            Readers::External => Access::Usual,
        };
        publication.add_bytes(&report.target.path, report.html.as_bytes(), access)?;
    }
    if watch.cancelled() {
        let path = paths.last().copied().unwrap_or(std::path::Path::new(""));
        return Err(DataError::cancelled(path).into());
    }
    // The released file last: it is never there without its evidence.
    if let Some(release) = release {
        publication.add(release);
    }
    publication.commit()?;
    Ok(record)
}

/// The record as it is written.
pub fn record_json(record: &RunRecord) -> Result<Vec<u8>, RunError> {
    let mut json = serde_json::to_vec_pretty(record).map_err(|error| RunError::NotWritten {
        what: "record",
        reason: error.to_string(),
    })?;
    json.push(b'\n');
    Ok(json)
}

/// A report that is to be written.
pub(crate) struct Report<'p> {
    target: &'p NamedPath,
    readers: Readers,
    html: String,
}

/// Makes the reports that a plan asks for, and puts their hashes down in the record that they show.
pub(crate) fn render<'p>(
    plan: &'p Plan,
    record: &mut RunRecord,
    renderer: &dyn Renderer,
) -> Vec<Report<'p>> {
    let internal = plan.output.report.as_ref().map(|target| Report {
        target,
        readers: Readers::Internal,
        html: renderer.internal(record),
    });
    let external = plan.output.external_report.as_ref();
    let external = external.filter(|_| record.passed()).map(|target| Report {
        target,
        readers: Readers::External,
        html: renderer.external(record),
    });
    let reports: Vec<Report<'p>> = internal.into_iter().chain(external).collect();
    record.reports = reports.iter().map(Report::put_down).collect();
    reports
}

impl Report<'_> {
    fn put_down(&self) -> ReportRecord {
        let print = Fingerprint::of_bytes(self.html.as_bytes());
        ReportRecord {
            file: self.target.given.clone(),
            readers: self.readers,
            sha256: print.sha256,
            n_bytes: print.n_bytes,
        }
    }
}

/// The released file, written where nobody sees it, if every gate holds and every claim, counted again
/// in its bytes; the record then says so.
fn stage_release(
    plan: &Plan,
    outcome: Outcome<'_>,
    publication: &mut Publication<'_>,
    watch: &dyn Watch,
) -> Result<(RunRecord, Option<Staged>), RunError> {
    let Outcome {
        mut record,
        released: table,
        claims,
        style,
    } = outcome;
    let Some(release) = plan.output.release.as_ref().filter(|_| record.passed()) else {
        return Ok((record, None));
    };
    let path = &release.file.path;
    check_suppressed_text(path, &plan.output.suppressed, &table, claims)?;
    let style = release_style(plan, release, style);
    let mut staged = publication.start(path, Access::Usual)?;
    let facts = write_release(&mut staged, &table, release, style, watch)?;
    if !claims.is_empty() {
        // Columns that nobody looks at any more make room for those that are read again.
        let keys = claimed_columns(&table, claims);
        drop(table);
        record.claims = recount(plan, path, style, &keys, &staged, claims, watch)?;
    }
    if !record.passed() {
        return Ok((record, None));
    }
    record.released = Some(facts);
    Ok((record, Some(staged)))
}

/// The columns that something is claimed of.
fn claimed_columns(released: &Table, claims: &[Claim]) -> Table {
    let keys: HashSet<&str> = (claims.iter())
        .flat_map(|claim| claim.keys.iter().map(String::as_str))
        .collect();
    let names = released.names().enumerate();
    let others = names.filter(|(_, name)| !keys.contains(name));
    let others: Vec<usize> = others.map(|(attr_idx, _)| attr_idx).collect();
    released.without_columns(&others)
}

fn write_release(
    staged: &mut Staged,
    table: &Table,
    release: &Release,
    style: TextStyle,
    watch: &dyn Watch,
) -> Result<FileRecord, DataError> {
    let print = staged.write_with(|out| {
        format::write(
            out,
            &release.file.path,
            table,
            release.format,
            &style,
            watch,
        )
    })?;
    staged.finish(&print.sha256)?;
    Ok(released_record(release, &print, table))
}

/// The released file is spelled like the source, but for what its extension says.
pub(crate) fn release_style(plan: &Plan, release: &Release, source: TextStyle) -> TextStyle {
    let mut style = source;
    if let Some(input) = &plan.input {
        let prescribed = format::delimiter_of_extension(&input.path);
        if prescribed == Some(style.delimiter) {
            // Tabs came with the extension and go with it; tabs in a .csv file stay.
            style.delimiter = b',';
        }
    }
    style.for_path(&release.file.path)
}
