//! Making a record again from its plan and its input, and comparing everything but times.

use std::path::{Path, PathBuf};

use bauta_data::format;
use serde_json::Value;

use crate::error::RunError;
use crate::execute::{Executed, RunOptions, execute_in, released_record};
use crate::measure::RecordFigures;
use crate::plan::{Plan, ReleaseWhen};
use crate::publish::{Renderer, release_style, render};
use crate::record::{RunRecord, SeedSource, Ungated};
use crate::recount::recount;
use crate::run::{read, refuse_unjudged, stages_of};
use crate::stages::RunWatch;
use crate::suppressed_text::check_suppressed_text;

/// One thing that a record was compared on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What was compared.
    pub what: String,
    /// Whether it is the same.
    pub same: bool,
    /// What differs, in words; without any figure of the data.
    pub detail: String,
}

impl Comparison {
    pub(crate) fn new(what: impl Into<String>, same: bool, detail: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            same,
            detail: if same { String::new() } else { detail.into() },
        }
    }
}

/// The parts of a record that say when and on what machine it was made, and so differ every time.
const TIMES: &str = "times";

/// The parts of a record in words, and what it means if one differs.
const PARTS: [(&str, &str, &str); 18] = [
    ("format", "format of the record", ""),
    (
        "bauta_version",
        "version of Bauta",
        "the record was made by another version, whose figures may differ (see Results changed in the change log)",
    ),
    ("plan", "plan", ""),
    (
        "input",
        "input file",
        "everything below may differ for that reason",
    ),
    ("seed", "seed", ""),
    ("seed_source", "where the seed came from", ""),
    ("variables", "variables and their fates", ""),
    ("scenarios", "scenarios", ""),
    ("notes", "notes on the data", ""),
    ("steps", "steps", ""),
    ("rows", "whether records can be traced", ""),
    ("measures", "measures", ""),
    ("gates", "gates", "the verdict may be another"),
    ("ungated", "whether anything was to be judged", ""),
    ("claims", "keys of the released file, counted again", ""),
    ("released", "released file, made again", ""),
    ("reports", "reports, made again", ""),
    ("shuffled", "whether records are in a new order", ""),
];

/// What [`verify`] calls the question that a step with a limit of time answers with no.
pub const REPEATABLE: &str = "whether the run can be repeated";

/// The steps that the clock may have ended: nobody can make again what they made.
pub fn timed_steps(plan: &Plan) -> Vec<&str> {
    let timed = plan.steps.iter().filter(|step| step.facts().timed);
    timed.map(|step| step.key.as_str()).collect()
}

/// Runs the plan of a record again, without writing anything, and compares the whole record with what
/// comes out, and the files that it names with those on the disk.
///
/// `written` is the record as it was found, so that nothing in it is overlooked; `plan` its own plan
/// text, checked anew; `places` says where its files should lie.
pub fn verify(
    written: &Value,
    record: &RunRecord,
    plan: &Plan,
    places: &RecordPlaces,
    renderer: &dyn Renderer,
    watch: &dyn RunWatch,
) -> Result<Vec<Comparison>, RunError> {
    let timed = timed_steps(plan);
    if !timed.is_empty() {
        let detail = format!(
            "{} may have been ended by the clock, so that nobody can make the file again; only the files are compared with their hashes",
            timed.join(", ")
        );
        let mut found = vec![Comparison::new(REPEATABLE, false, detail)];
        let files = files_on_disk(record, places).into_iter();
        found.extend(files.map(FileOnDisk::compared));
        return Ok(found);
    }
    let again = made_again(record, plan, renderer, watch)?;
    let again = serde_json::to_value(&again).map_err(|error| RunError::NotWritten {
        what: "record",
        reason: error.to_string(),
    })?;
    let mut found = compared(written, &again);
    let files = files_on_disk(record, places).into_iter();
    found.extend(files.map(FileOnDisk::compared));
    Ok(found)
}

/// The record that the plan gives on its input now.
fn made_again(
    record: &RunRecord,
    plan: &Plan,
    renderer: &dyn Renderer,
    watch: &dyn RunWatch,
) -> Result<RunRecord, RunError> {
    let mut stages = stages_of(plan, watch);
    let loaded = stages.time("read", || read(plan, watch))?;
    let options = RunOptions {
        // A seed from the command line stands nowhere but in the record.
        seed: (record.seed_source == SeedSource::CommandLine).then_some(record.seed),
        // Nor does a permission from there.
        release_when: match record.ungated {
            Some(Ungated::CommandLine) => ReleaseWhen::Ungated,
            Some(Ungated::Plan) | None => ReleaseWhen::Gated,
        },
        ..RunOptions::default()
    };
    let figures = RecordFigures::Dropped;
    let executed = execute_in(plan, &loaded, options, figures, None, &mut stages)?;
    drop(loaded);
    let mut again = executed.record.clone();
    release_again(plan, &executed, &mut again, watch)?;
    // Reports show the times of their run.
    again.times = record.times.clone();
    render(plan, &mut again, renderer);
    Ok(again)
}

/// Makes the released file again, in memory, counts its keys and puts both down.
pub(crate) fn release_again(
    plan: &Plan,
    executed: &Executed,
    again: &mut RunRecord,
    watch: &dyn RunWatch,
) -> Result<(), RunError> {
    // Without a gate, and without anybody who let it go, there would have been no file.
    let may_go = again.passed() && refuse_unjudged(plan, again.ungated).is_ok();
    let Some(release) = plan.output.release.as_ref().filter(|_| may_go) else {
        return Ok(());
    };
    let style = release_style(plan, release, executed.style);
    let (path, table) = (&release.file.path, &executed.released);
    check_suppressed_text(path, &plan.output.suppressed, table, &executed.claims)?;
    let mut bytes = Vec::new();
    let print = format::write(&mut bytes, path, table, release.format, &style, watch)?;
    if !executed.claims.is_empty() {
        again.claims = recount(plan, path, style, table, &bytes, &executed.claims, watch)?;
    }
    if again.passed() {
        again.released = Some(released_record(release, &print, table));
    }
    Ok(())
}

/// Compares two records part by part, those included that only one of them has.
fn compared(written: &Value, again: &Value) -> Vec<Comparison> {
    let compare = |name: &str, what: &str, meaning: &str| {
        // A part without a value is not a part that is absent: nobody may add one.
        let (a, b) = (written.get(name), again.get(name));
        let differing = difference(a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null));
        let detail = match (differing.is_empty(), meaning.is_empty()) {
            (true, _) => meaning.to_owned(),
            (false, true) => differing,
            (false, false) => format!("{differing}; {meaning}"),
        };
        Comparison::new(what, a == b, detail)
    };
    let is_there = |name: &str| written.get(name).is_some() || again.get(name).is_some();
    let known = PARTS.iter().filter(|(name, ..)| is_there(name));
    let mut found: Vec<Comparison> = known
        .map(|(name, what, meaning)| compare(name, what, meaning))
        .collect();
    let others = [written, again].into_iter().filter_map(Value::as_object);
    let mut others: Vec<&String> = others.flat_map(serde_json::Map::keys).collect();
    others.retain(|name| *name != TIMES && PARTS.iter().all(|(part, ..)| part != name));
    others.sort_unstable();
    others.dedup();
    found.extend(others.into_iter().map(|name| compare(name, name, "")));
    found
}

/// Which members of two values differ, by their names.
fn difference(a: &Value, b: &Value) -> String {
    let names: Vec<String> = match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
            names.sort_unstable();
            names.dedup();
            let differ = names
                .into_iter()
                .filter(|name| a.get(*name) != b.get(*name));
            differ.cloned().collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
            pairs.map(|(n, (_, b))| member_name(n, b)).collect()
        }
        (Value::Array(_), Value::Array(_)) => return "there are more or fewer of them".to_owned(),
        (Value::Null, _) => return "the record has none".to_owned(),
        (_, Value::Null) => return "there should be none".to_owned(),
        _ => return String::new(),
    };
    if names.is_empty() {
        return String::new();
    }
    format!("these differ: {}", names.join(", "))
}

/// What a member of a list is called.
fn member_name(n: usize, member: &Value) -> String {
    let names = ["name", "key", "id", "file", "measure", "by"];
    let name = names.iter().find_map(|name| member.get(name)?.as_str());
    name.map_or_else(|| format!("number {}", n + 1), str::to_owned)
}

/// A file that a record names, and what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileOnDisk {
    /// What it is.
    pub what: &'static str,
    /// Its path as the plan gives it.
    pub file: String,
    /// Where it was looked for.
    pub place: PathBuf,
    /// What is there.
    pub found: OnDisk,
}

/// What is there of a file that a record names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OnDisk {
    /// The file with the hash that the record says.
    Same,
    /// A file with another hash.
    Changed,
    /// No file.
    Absent,
    /// A file that cannot be read, for this reason.
    Unreadable(String),
}

impl FileOnDisk {
    fn compared(self) -> Comparison {
        let what = format!("{} {}, on disk", self.what, self.place.display());
        Comparison::new(what, self.found == OnDisk::Same, self.found.in_words())
    }
}

impl OnDisk {
    /// What is there, in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Same => "as the record says".to_owned(),
            Self::Changed => "it was changed since the run".to_owned(),
            Self::Absent => "it is not there".to_owned(),
            Self::Unreadable(reason) => format!("it cannot be read: {reason}"),
        }
    }
}

/// What is there of the released file and the reports that a record names.
pub fn files_on_disk(record: &RunRecord, places: &RecordPlaces) -> Vec<FileOnDisk> {
    let released = record.released.iter();
    let released = released.map(|file| ("released file", &file.file, &file.sha256));
    let reports = record.reports.iter();
    let reports = reports.map(|report| ("report", &report.file, &report.sha256));
    released
        .chain(reports)
        .map(|(what, file, sha256)| {
            let place = places.of(file);
            FileOnDisk {
                what,
                file: file.clone(),
                found: on_disk(&place, sha256),
                place,
            }
        })
        .collect()
}

/// Where the files lie that a record names.
///
/// A record that was copied to another folder speaks of the files that were copied with it, not of those
/// that were left behind: so they are looked for where they lay as seen from the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordPlaces {
    /// The folder of the record.
    beside: PathBuf,
    /// That folder as the plan gives it.
    as_planned: PathBuf,
    /// The folder that all paths lead from, where the two do not tell it.
    otherwise: PathBuf,
}

impl RecordPlaces {
    /// As seen from the record.
    pub fn of_record(record: &RunRecord, record_file: &Path) -> Self {
        let (draft, _) = crate::toml::read(&record.plan.text);
        let named = draft.output.record.as_ref().or(draft.output.file.as_ref());
        let named = named.map(|spot| PathBuf::from(&spot.value));
        Self {
            // Without a "." before it: it is shown.
            beside: record_file.parent().unwrap_or(Path::new("")).to_owned(),
            as_planned: named
                .as_deref()
                .and_then(Path::parent)
                .unwrap_or(Path::new(""))
                .to_owned(),
            otherwise: plan_folder(record, record_file),
        }
    }

    /// All paths lead from this folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            beside: folder.to_owned(),
            as_planned: PathBuf::new(),
            otherwise: folder.to_owned(),
        }
    }

    /// Where a file lies that the record names so.
    pub fn of(&self, file: &str) -> PathBuf {
        if let Ok(from_record) = Path::new(file).strip_prefix(&self.as_planned) {
            return self.beside.join(from_record);
        }
        let real = Path::new(".").join(&self.beside).canonicalize();
        let real = real.unwrap_or_else(|_| self.beside.clone());
        if self.as_planned.is_relative() && real.ends_with(&self.as_planned) {
            let n_up = self.as_planned.components().count();
            if let Some(folder) = real.ancestors().nth(n_up) {
                return folder.join(file);
            }
        }
        self.otherwise.join(file)
    }
}

fn on_disk(file: &Path, expected: &str) -> OnDisk {
    match std::fs::File::open(file).and_then(bauta_data::Fingerprint::of) {
        Ok(print) if print.sha256 == expected => OnDisk::Same,
        Ok(_) => OnDisk::Changed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => OnDisk::Absent,
        Err(error) => OnDisk::Unreadable(error.to_string()),
    }
}

/// The folder that a record's paths lead from: the nearest one above the record in which its input
/// lies, or else its released file.
pub fn plan_folder(record: &RunRecord, record_file: &Path) -> PathBuf {
    let beside = crate::output::folder_of(record_file);
    let real = beside.canonicalize().unwrap_or_else(|_| beside.to_owned());
    let nearest = |file: &str| {
        let mut above = real.ancestors();
        above.find(|folder| folder.join(file).is_file())
    };
    let released = record.released.as_ref();
    nearest(&record.input.file)
        .or_else(|| nearest(&released?.file))
        .unwrap_or(beside)
        .to_owned()
}
