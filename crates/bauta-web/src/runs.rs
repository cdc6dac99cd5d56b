//! Runs that were tried: each is kept beside the plan with all that it found, and releases nothing.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bauta_plan::RunRecord;
use bauta_plan::output::Replace;
use bauta_plan::plan::{NamedPath, Plan};
use bauta_plan::record::{FileRecord, GateRecord};
use bauta_plan::run::{RunError, RunOptions, record_json, run};
use bauta_report::HtmlRenderer;
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::failure::of_run;
use crate::jobs::{Ended, Job};
use crate::lock::{make_folder, own_file, read_own};

const RUNS: &str = "runs";
const RECORD: &str = "record.json";
/// The file that a run which was tried would have released.
const WOULD_RELEASE: &str = "would-release.json";
/// Records that are held; the others are read again from the disk.
const MOST_KEPT: usize = 60;
/// The files that the run read, as they were then.
const READ: &str = "read.json";

/// A run that is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeptRun {
    /// Its number, from 1.
    pub(crate) n: u64,
    /// All that it did and found. That of a run that was tried says that nothing was released.
    pub(crate) record: Arc<RunRecord>,
    /// The file that a run which was tried would have released; none if it would not, or did.
    pub(crate) would_release: Option<FileRecord>,
    /// Whether its file was released.
    pub(crate) is_release: bool,
    /// The files that it read, as they were then.
    read: Vec<ReadFile>,
}

/// A file that a run read: another size or time says that it was changed since.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct ReadFile {
    path: PathBuf,
    n_bytes: u64,
    changed: Option<SystemTime>,
}

impl ReadFile {
    /// The files that a plan reads besides its own text.
    fn all(plan: &Plan) -> Vec<Self> {
        let files = plan
            .reads
            .iter()
            .filter(|path| path.extension().is_none_or(|one| one != "toml"));
        files.map(|path| Self::now(path)).collect()
    }

    fn now(path: &Path) -> Self {
        let facts = path.metadata().ok();
        Self {
            path: path.to_owned(),
            n_bytes: facts.as_ref().map_or(0, fs::Metadata::len),
            changed: facts.and_then(|facts| facts.modified().ok()),
        }
    }
}

impl KeptRun {
    /// What it is called.
    pub(crate) fn name(&self) -> String {
        format!("run {}", self.n)
    }

    /// The record as it would be, had the file been released.
    pub(crate) fn as_it_will_be(&self) -> RunRecord {
        let mut record = RunRecord::clone(&self.record);
        if record.released.is_none() {
            record.released.clone_from(&self.would_release);
        }
        record
    }

    /// Whether it is of this plan, word for word, and of the files as they are now.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        self.record.plan.text == text && self.files_are_the_same()
    }

    /// Whether the files that it read are what they were.
    pub(crate) fn files_are_the_same(&self) -> bool {
        self.read
            .iter()
            .all(|file| *file == ReadFile::now(&file.path))
    }

    /// Conditions that failed here and that another run was not judged by any more.
    pub(crate) fn failed_and_gone(&self, later: &RunRecord) -> Vec<GateRecord> {
        let asked = |gate: &GateRecord| {
            (
                gate.measure.clone(),
                gate.part.clone(),
                gate.scenario.clone(),
                gate.condition.clone(),
                gate.at_least.map(f64::to_bits),
                gate.at_most.map(f64::to_bits),
            )
        };
        let failed = self.record.gates.iter().filter(|gate| !gate.passed);
        let gone = failed.filter(|gate| !later.gates.iter().any(|kept| asked(kept) == asked(gate)));
        gone.cloned().collect()
    }
}

/// Runs of all plans that were read from the disk.
#[derive(Default)]
pub(crate) struct Runs(Mutex<Vec<(PathBuf, Arc<RunRecord>)>>);

impl Runs {
    /// The runs of a plan, newest first. One that a crash cut off has no record and is none.
    pub(crate) fn of(&self, desk: &Desk) -> Vec<KeptRun> {
        let folder = desk.history_folder().join(RUNS);
        let mut numbers: Vec<u64> = (fs::read_dir(&folder).into_iter().flatten())
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let kept = numbers.into_iter().filter_map(|n| {
            let place = run_folder(&folder, n);
            let would = read_own(&place.join(WOULD_RELEASE)).ok();
            let read = read_own(&place.join(READ)).ok();
            let record = self.record(&place.join(RECORD))?;
            Some(KeptRun {
                n,
                read: read
                    .and_then(|text| serde_json::from_str(&text).ok())
                    .unwrap_or_default(),
                is_release: record.released.is_some(),
                record,
                would_release: would.and_then(|text| serde_json::from_str(&text).ok()),
            })
        });
        kept.collect()
    }

    fn record(&self, file: &Path) -> Option<Arc<RunRecord>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, record)) = known.iter().find(|(known, _)| known == file) {
            return Some(Arc::clone(record));
        }
        if known.len() >= MOST_KEPT {
            known.remove(0);
        }
        let text = read_own(file).ok()?;
        let record = Arc::new(RunRecord::read(text.as_bytes()).ok()?);
        known.push((file.to_owned(), Arc::clone(&record)));
        Some(record)
    }
}

fn run_folder(folder: &Path, n: u64) -> PathBuf {
    folder.join(format!("{n:06}"))
}

/// Runs a plan as `bauta run` does, and keeps what it found. The file is made and counted again like one that is
/// released, in a folder that only its owner can open, and removed.
pub(crate) fn try_out(desk: &Desk, plan: &Plan, job: &Job) -> Result<u64, Ended> {
    let (n, place) = fresh(desk).map_err(|error| failed(&error))?;
    keep_json(&place, READ, &ReadFile::all(plan)).map_err(|error| failed(&error))?;
    let elsewhere = outputs_in(plan, &place);
    let options = RunOptions {
        replace: Replace::AnyFile,
        ..RunOptions::default()
    };
    let done = run(&elsewhere, options, job, &HtmlRenderer);
    let kept = done.map_err(|error| ended(&error)).and_then(|mut record| {
        if let Some(release) = &elsewhere.output.release {
            let _ = fs::remove_file(&release.file.path);
        }
        let would = record.released.take();
        let kept = match &would {
            Some(would) => keep_json(&place, WOULD_RELEASE, would),
            None => Ok(()),
        };
        kept.and_then(|()| keep(&place, &record))
            .map_err(|error| failed(&error))
    });
    if kept.is_err() {
        // Nothing of the data stays behind.
        let _ = fs::remove_dir_all(&place);
    }
    kept.map(|()| n)
}

/// Runs a plan, and releases its file if all conditions hold.
pub(crate) fn release(desk: &Desk, plan: &Plan, job: &Job) -> Result<u64, Ended> {
    // Its place first: what was released is then kept, or nothing is.
    let (n, place) = fresh(desk).map_err(|error| failed(&error))?;
    keep_json(&place, READ, &ReadFile::all(plan)).map_err(|error| failed(&error))?;
    let done = run(plan, RunOptions::default(), job, &HtmlRenderer);
    let record = done.map_err(|error| {
        let _ = fs::remove_dir_all(&place);
        ended(&error)
    })?;
    let kept = keep(&place, &record);
    kept.map(|()| n).map_err(|error| {
        let what = if record.released.is_some() {
            "the file was released with its record and reports; only the history here"
        } else {
            "nothing was released; the run"
        };
        Ended::Failed(format!("{what} cannot be kept: {error}"))
    })
}

/// Removes what a crash left of a run: it may hold data, and nobody will finish it.
pub(crate) fn clear_unfinished(history: &Path) {
    let folder = history.join(RUNS);
    if fs::symlink_metadata(&folder).is_ok_and(|facts| !facts.is_dir()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.path().join(RECORD).exists() {
            // What cannot be removed is in nobody's way; it stays readable by its owner alone.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A new folder for a run.
fn fresh(desk: &Desk) -> io::Result<(u64, PathBuf)> {
    let folder = desk.history_folder().join(RUNS);
    make_folder(&folder)?;
    let numbers = fs::read_dir(&folder)?
        .filter_map(|entry| -> Option<u64> { entry.ok()?.file_name().to_str()?.parse().ok() });
    let n = numbers.max().unwrap_or(0) + 1;
    let place = run_folder(&folder, n);
    make_folder(&place)?;
    Ok((n, place))
}

fn keep_json(place: &Path, name: &str, what: &impl Serialize) -> io::Result<()> {
    let mut file = own_file().open(place.join(name))?;
    file.write_all(&serde_json::to_vec(what)?)
}

/// The record last: a folder without one is no run.
fn keep(place: &Path, record: &RunRecord) -> io::Result<()> {
    let json = record_json(record).map_err(io::Error::other)?;
    let beside = place.join("record.part");
    let mut file = own_file().open(&beside)?;
    file.write_all(&json)?;
    file.sync_all()?;
    fs::rename(beside, place.join(RECORD))
}

/// The same plan with its file in another folder, and nothing else written. What the record says of it stays as the plan
/// gives it.
fn outputs_in(plan: &Plan, place: &Path) -> Plan {
    let mut plan = plan.clone();
    let output = &mut plan.output;
    if let Some(release) = &mut output.release {
        let name = Path::new(&release.file.given)
            .file_name()
            .unwrap_or_default();
        release.file.path = place.join(name);
    }
    output.record = None;
    output.report = None;
    output.external_report = None;
    plan
}

/// The files that a plan writes, as it gives them, which are there now.
pub(crate) fn outputs(plan: &Plan) -> Vec<(&'static str, &NamedPath)> {
    let output = &plan.output;
    let release = output.release.as_ref().map(|release| &release.file);
    let all = [
        ("file", release),
        ("external", output.external_report.as_ref()),
        ("report", output.report.as_ref()),
        ("record", output.record.as_ref()),
    ];
    all.into_iter()
        .filter_map(|(what, named)| Some((what, named?)))
        .filter(|(_, named)| named.path.is_file())
        .collect()
}

fn ended(error: &RunError) -> Ended {
    if error.is_cancelled() {
        Ended::Cancelled
    } else {
        Ended::Failed(of_run(error))
    }
}

fn failed(error: &io::Error) -> Ended {
    Ended::Failed(format!("the run cannot be kept: {error}"))
}
