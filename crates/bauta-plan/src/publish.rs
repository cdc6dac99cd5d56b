//! Writing what came of a plan: the record and the reports, and the released file last.

use std::time::Instant;

use bauta_data::format::{self, TextStyle};
use bauta_data::{DataError, Watch};

use crate::error::RunError;
use crate::execute::{Executed, released_record};
use crate::output::{Access, Staged};
use crate::plan::{NamedPath, Plan, Release};
use crate::record::{FileRecord, RunRecord, StageTime, TimesRecord};
use crate::recount::recount;

/// Makes the reports of a run. This crate does not know how they look.
pub trait Renderer {
    /// The confidential report.
    fn internal(&self, record: &RunRecord) -> String;
    /// The public report.
    fn external(&self, record: &RunRecord) -> String;
}

/// Writes what a plan says: the record and the reports, and the released file last, and only if every
/// gate and, counted again in what was written, every claim holds. Nothing is there before all is.
pub fn publish(
    plan: &Plan,
    executed: &Executed,
    renderer: &dyn Renderer,
    watch: &dyn Watch,
) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    publish_with(plan, executed, renderer, watch, || {
        let mut times = executed.record.times.clone();
        let seconds = start.elapsed().as_secs_f64();
        let stage = "write".to_owned();
        times.stages.push(StageTime { stage, seconds });
        times.seconds += seconds;
        times
    })
}

/// The same as a part of a longer run, whose times are asked for when all but evidence is written.
pub(crate) fn publish_with(
    plan: &Plan,
    executed: &Executed,
    renderer: &dyn Renderer,
    watch: &dyn Watch,
    times: impl FnOnce() -> TimesRecord,
) -> Result<RunRecord, RunError> {
    let mut record = executed.record.clone();
    let staged_release = stage_release(plan, executed, &mut record, watch)?;
    record.times = times();
    let mut staged = Vec::new();
    if let Some(target) = &plan.output.record {
        let json = record_json(&record)?;
        staged.push(stage_bytes(target, &json, Access::OwnerOnly)?);
    }
    if let Some(report) = &plan.output.report {
        let html = renderer.internal(&record);
        staged.push(stage_bytes(report, html.as_bytes(), Access::OwnerOnly)?);
    }
    let external = plan.output.external_report.as_ref();
    if let Some(report) = external.filter(|_| record.passed()) {
        let html = renderer.external(&record);
        staged.push(stage_bytes(report, html.as_bytes(), Access::Usual)?);
    }
    if watch.cancelled() {
        let release = plan.output.release.as_ref();
        let target = release
            .map(|release| &release.file)
            .or(plan.output.record.as_ref());
        let path = target.map(|target| target.path.clone()).unwrap_or_default();
        return Err(DataError::cancelled(&path).into());
    }
    // The released file last: it is never there without its evidence.
    for staged in staged.into_iter().chain(staged_release) {
        staged.publish()?;
    }
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

fn stage_bytes(target: &NamedPath, content: &[u8], access: Access) -> Result<Staged, DataError> {
    let mut staged = Staged::new(&target.path, access)?;
    staged.write_with(|out| {
        out.write_all(content)
            .map_err(|error| DataError::io(&target.path, "write", &error))
    })?;
    staged.finish()?;
    Ok(staged)
}

/// The released file, written where nobody sees it, if every gate holds and every claim, counted again
/// in its bytes; the record then says so.
fn stage_release(
    plan: &Plan,
    executed: &Executed,
    record: &mut RunRecord,
    watch: &dyn Watch,
) -> Result<Option<Staged>, RunError> {
    let Some(release) = plan.output.release.as_ref().filter(|_| record.passed()) else {
        return Ok(None);
    };
    let style = release_style(plan, release, executed.style);
    let mut staged = Staged::new(&release.file.path, Access::Usual)?;
    let facts = write_release(&mut staged, executed, release, style, watch)?;
    if !executed.claims.is_empty() {
        let bytes = staged.read_back()?;
        let (path, table) = (&release.file.path, &executed.released);
        let claims = &executed.claims;
        record.claims = recount(plan, path, style, table, &bytes, claims, watch)?;
    }
    if !record.passed() {
        return Ok(None);
    }
    record.released = Some(facts);
    Ok(Some(staged))
}

fn write_release(
    staged: &mut Staged,
    executed: &Executed,
    release: &Release,
    style: TextStyle,
    watch: &dyn Watch,
) -> Result<FileRecord, DataError> {
    let table = &executed.released;
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
    staged.finish()?;
    Ok(released_record(release, &print, table))
}

/// The released file is spelled like the source, but for what its extension says.
pub(crate) fn release_style(plan: &Plan, release: &Release, source: TextStyle) -> TextStyle {
    let mut style = source;
    if let Some(input) = &plan.input {
        let prescribed = style.for_path(&input.path).delimiter;
        if prescribed == style.delimiter && prescribed == b'\t' {
            // Tabs came with the extension and go with it.
            style.delimiter = b',';
        }
    }
    style.for_path(&release.file.path)
}
