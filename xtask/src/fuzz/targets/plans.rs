//! Plans from the registry's cards on small tables: checked, carried out, published, made again and verified.

use std::path::Path;
use std::sync::Arc;

use bauta_data::format::{self, Loaded};
use bauta_methods::Note;
use bauta_plan::execute::RunOptions;
use bauta_plan::plan::ReleaseWhen;
use bauta_plan::record::RunRecord;
use bauta_plan::run::{self, RunError};
use bauta_plan::within::{Limits, run_within};
use bauta_plan::{Plan, Problem, check_text, verify};
use bauta_report::{HtmlRenderer, csv_tables};
use serde_json::Value;
use tempfile::TempDir;

use super::Target;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::damage::{damaged, edited};
use crate::fuzz::make::plan::{self, About, DATA, PLAN};
use crate::fuzz::make::table::{MadeTable, Numbers};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::oracle::plain_counter::PlainCounter;
use crate::fuzz::oracle::released::Released;
use crate::fuzz::world::{Patience, World};

/// Plans of some steps, measures and gates.
pub(crate) struct Plans;

/// One method at a time, on numbers at the ends of what doubles can hold.
pub(crate) struct Settings;

/// Plans whose text is damaged.
pub(crate) struct PlanTexts;

impl Target for Plans {
    fn name(&self) -> &'static str {
        "plans"
    }

    fn share(&self) -> u32 {
        4
    }

    fn make(&self, draws: &mut Draws, world: &World) -> Case {
        let n_records = draws.pick(&[0, 1, 2, 5, 12, 12, 30, 30, 60]);
        let table = MadeTable::usual(draws, n_records, Numbers::Usual);
        plan::case(draws, world, &table, About::Anything)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        run(case, world)
    }
}

impl Target for Settings {
    fn name(&self) -> &'static str {
        "settings"
    }

    fn share(&self) -> u32 {
        4
    }

    fn make(&self, draws: &mut Draws, world: &World) -> Case {
        let n_records = draws.pick(&[0, 1, 2, 3, 8, 12, 25, 40]);
        let table = MadeTable::usual(draws, n_records, Numbers::Extreme);
        plan::case(draws, world, &table, About::OneMethod)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        run(case, world)
    }
}

impl Target for PlanTexts {
    fn name(&self) -> &'static str {
        "plan-texts"
    }

    fn make(&self, draws: &mut Draws, world: &World) -> Case {
        let table = MadeTable::usual(draws, 8, Numbers::Usual);
        let mut case = plan::case(draws, world, &table, About::Anything);
        let other = plan::case(draws, world, &table, About::OneMethod);
        let (text, other) = (case.text(PLAN), other.text(PLAN));
        let text = if draws.one_in(3) {
            damaged(draws, text.as_bytes(), other.as_bytes())
        } else {
            edited(draws, text, other).into_bytes()
        };
        case.set(PLAN, text);
        case
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        run(case, world)
    }
}

/// A plan that was carried out in a folder of its own.
pub(super) struct Done {
    folder: TempDir,
    /// The plan.
    pub(super) plan: Plan,
    /// What came of it.
    pub(super) record: Result<RunRecord, RunError>,
}

/// Where the columns of a run are.
#[derive(Clone, Copy)]
pub(super) enum Columns {
    InMemory,
    /// In files, in blocks of one record. Keys are counted by somebody else.
    Stored,
}

/// Carries a plan out in a folder of its own, if nothing is wrong with it.
pub(super) fn carry_out(
    case: &Case,
    text: &str,
    columns: Columns,
    world: &World,
) -> Result<Done, Vec<Problem>> {
    let folder = world.empty_folder();
    case.unpack(folder.path()).expect("room in memory");
    let plan = check_text(text, PLAN, folder.path())?;
    // Plans without a gate are run as well, to their end.
    let options = RunOptions {
        release_when: ReleaseWhen::Ungated,
        ..RunOptions::default()
    };
    let record = match columns {
        Columns::InMemory => run::run(&plan, options, &Patience, &HtmlRenderer),
        Columns::Stored => {
            let limits = Limits {
                block_records: 1,
                counter: Some(Arc::new(PlainCounter)),
                ..Limits::new(None, folder.path())
            };
            run_within(&plan, options, &limits, &Patience, &HtmlRenderer)
        }
    };
    Ok(Done {
        folder,
        plan,
        record,
    })
}

/// Carries the plan of a case out and looks at everything that comes of it.
pub(super) fn run(case: &Case, world: &World) -> Outcome {
    let text = case.get(PLAN).unwrap_or_default();
    // The command refuses what is no text before a plan is looked at.
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(Verdict::Refused);
    };
    let canaries = canaries(case);
    let done = match carry_out(case, text, Columns::InMemory, world) {
        Ok(done) => done,
        Err(problems) => {
            problems_are_silent(&canaries, &problems)?;
            return Ok(Verdict::Refused);
        }
    };
    same_on_one_thread(case, text, &done, world)?;
    same_in_store(case, text, &done, world)?;
    let record = match &done.record {
        Ok(record) => record,
        Err(error) => {
            told(&canaries, "the error", &error.to_string())?;
            return nothing_left(case, &done, &[]).map(|()| Verdict::Refused);
        }
    };
    notes_are_silent(&canaries, record)?;
    looks_whole(case, &done, record)?;
    released_is_as_told(case, &done, record)?;
    public_report_is_silent(&canaries, &done)?;
    verifies(&done, record)?;
    csv_tables(record);
    Ok(Verdict::Accepted)
}

/// A plan is refused with reasons that show no cell.
pub(super) fn problems_are_silent(
    canaries: &Canaries,
    problems: &[Problem],
) -> Result<(), Finding> {
    for problem in problems {
        told(
            canaries,
            "a problem",
            &format!("{} ({})", problem.message, problem.hint),
        )?;
    }
    if problems.is_empty() {
        return Err(Finding::new(
            Oracle::Law,
            "the plan was refused without a reason",
        ));
    }
    Ok(())
}

/// What people are told shows no cell and no mistake of ours.
pub(super) fn told(canaries: &Canaries, what: &str, message: &str) -> Result<(), Finding> {
    if message.contains("internal error") {
        return Err(Finding::new(Oracle::Internal, message));
    }
    canaries.look_for(what, message)
}

/// Cells of the data, but for what stands in the plan, in files of levels and totals, and in the header.
pub(super) fn canaries(case: &Case) -> Canaries {
    let data = String::from_utf8_lossy(case.get(DATA).unwrap_or_default());
    let header = data.lines().next().unwrap_or_default();
    let others = case.files().iter().filter(|(name, _)| name != DATA);
    let others: Vec<_> = others
        .map(|(_, content)| String::from_utf8_lossy(content))
        .collect();
    let public = others.iter().map(AsRef::as_ref).chain([header]);
    Canaries::of_data(&data, public.collect::<Vec<&str>>())
}

fn same_on_one_thread(case: &Case, text: &str, done: &Done, world: &World) -> Result<(), Finding> {
    let again = world.on_one(|| carry_out(case, text, Columns::InMemory, world));
    same(done, again.ok().as_ref()).map_err(|what| {
        let message = format!("{what} on one thread and on several");
        Finding::new(Oracle::Threads, message)
    })
}

/// With columns in files, in blocks so small that there are some, a plan gives the same.
fn same_in_store(case: &Case, text: &str, done: &Done, world: &World) -> Result<(), Finding> {
    let again = carry_out(case, text, Columns::Stored, world).ok();
    same(done, again.as_ref())
        .map_err(|what| Finding::new(Oracle::Store, format!("{what} in memory and in a store")))?;
    match again {
        Some(again) => nothing_left(case, &again, &written_names(&again)),
        None => Ok(()),
    }
}

/// What differs of a plan that was carried out twice, in words.
fn same(done: &Done, again: Option<&Done>) -> Result<(), String> {
    let Some(again) = again else {
        return Err("the plan was refused only once,".to_owned());
    };
    match (&done.record, &again.record) {
        (Ok(first), Ok(second)) => {
            let plain =
                |record: &RunRecord| serde_json::to_value(record.clone().without_times()).ok();
            if let (Some(first), Some(second)) = (plain(first), plain(second))
                && first != second
            {
                return Err(format!(
                    "the record is another one {}",
                    first_difference("", &first, &second)
                ));
            }
            let bytes = |done: &Done| {
                let release = done.plan.output.release.as_ref()?;
                std::fs::read(&release.file.path).ok()
            };
            if bytes(done) != bytes(again) {
                return Err("the released file is another one".to_owned());
            }
        }
        (Err(first), Err(second)) => {
            let plain = |error: &RunError, done: &Done| {
                let folder = done.folder.path().display().to_string();
                error.to_string().replace(&folder, "")
            };
            let (first, second) = (plain(first, done), plain(second, again));
            if first != second {
                return Err(format!("the error is another one (`{first}`, `{second}`)"));
            }
        }
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            return Err(format!("the run came to its end only once ({error}),"));
        }
    }
    Ok(())
}

/// Where two values differ first.
fn first_difference(place: &str, first: &Value, second: &Value) -> String {
    match (first, second) {
        (Value::Object(a), Value::Object(b)) => {
            let differing = a.iter().find(|(name, value)| b.get(*name) != Some(*value));
            match differing {
                Some((name, value)) => {
                    let other = b.get(name).unwrap_or(&Value::Null);
                    first_difference(&format!("{place}.{name}"), value, other)
                }
                None => format!("at {place}"),
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let differing = a.iter().zip(b).position(|(a, b)| a != b);
            differing.map_or_else(String::new, |at| {
                first_difference(&format!("{place}[{at}]"), &a[at], &b[at])
            })
        }
        _ => format!("at {place}: {first} and {second}"),
    }
}

/// The files that a plan says it writes.
fn written_names(done: &Done) -> Vec<&str> {
    let output = &done.plan.output;
    let release = output.release.as_ref().map(|release| &release.file);
    let files = [
        output.record.as_ref(),
        output.report.as_ref(),
        output.external_report.as_ref(),
        release,
    ];
    let files = files.into_iter().flatten();
    files.map(|file| file.given.as_str()).collect()
}

fn notes_are_silent(canaries: &Canaries, record: &RunRecord) -> Result<(), Finding> {
    let steps = record.steps.iter().flat_map(|step| &step.notes);
    let measures = record.measures.iter().flat_map(|measure| &measure.notes);
    for note in steps.chain(measures) {
        told(canaries, "a note", &note.text)?;
        told(
            canaries,
            "a note for scripts",
            &Note::to_json(note).to_string(),
        )?;
    }
    Ok(())
}

/// The files of the folder: what was there, what the plan says, and nothing else.
fn nothing_left(case: &Case, done: &Done, written: &[&str]) -> Result<(), Finding> {
    let entries = std::fs::read_dir(done.folder.path()).expect("the folder is ours");
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let was_there = case.get(&name).is_some();
        if !was_there && name != ".bauta-written" && !written.contains(&name.as_str()) {
            return Err(Finding::new(
                Oracle::Record,
                format!("a file was left behind: `{name}`"),
            ));
        }
    }
    for (name, content) in case.files() {
        if std::fs::read(done.folder.path().join(name)).ok().as_ref() != Some(content) {
            return Err(Finding::new(
                Oracle::Record,
                format!("the input `{name}` was changed"),
            ));
        }
    }
    Ok(())
}

/// The record says what was written, its verdicts follow from its figures, and it reads back.
fn looks_whole(case: &Case, done: &Done, record: &RunRecord) -> Result<(), Finding> {
    let output = &done.plan.output;
    let passed = record.passed();
    let evidence = [&output.record, &output.report].into_iter().flatten();
    let public = [
        output.external_report.as_ref(),
        output.release.as_ref().map(|release| &release.file),
    ];
    let public = public.into_iter().flatten().filter(|_| passed);
    let written: Vec<&str> = evidence
        .chain(public)
        .map(|file| file.given.as_str())
        .collect();
    nothing_left(case, done, &written)?;
    for name in &written {
        if !done.folder.path().join(name).is_file() {
            return Err(Finding::new(
                Oracle::Record,
                format!("`{name}` was not written"),
            ));
        }
    }
    if passed != record.released.is_some() {
        return Err(Finding::new(
            Oracle::Record,
            "released although refused, or the other way",
        ));
    }
    for gate in &record.gates {
        let holds = gate.found.is_some_and(|found| {
            gate.at_least.is_none_or(|low| found >= low)
                && gate.at_most.is_none_or(|high| found <= high)
        });
        // Counts of perturbed keys pass only where the plan answers for them.
        let counts = gate.perturbed.is_empty() || gate.although_perturbed.is_some();
        if (holds && counts) != gate.passed {
            return Err(Finding::new(
                Oracle::Record,
                format!(
                    "the gate on {} says otherwise than its figure",
                    gate.measure
                ),
            ));
        }
    }
    let on_disk = output
        .record
        .as_ref()
        .and_then(|file| std::fs::read(&file.path).ok());
    let on_disk = on_disk.unwrap_or_default();
    let again = RunRecord::read(&on_disk).map_err(|problem| {
        Finding::new(
            Oracle::Record,
            format!("the record cannot be read: {problem}"),
        )
    })?;
    let value = |record: &RunRecord| serde_json::to_value(record).ok();
    if value(&again) != value(record) || &again != record {
        return Err(Finding::new(
            Oracle::Record,
            "the record reads back as another one",
        ));
    }
    Ok(())
}

fn released_is_as_told(case: &Case, done: &Done, record: &RunRecord) -> Result<(), Finding> {
    let Some(release) = done
        .plan
        .output
        .release
        .as_ref()
        .filter(|_| record.passed())
    else {
        return Ok(());
    };
    let bytes = std::fs::read(&release.file.path).unwrap_or_default();
    let input = case.get(DATA).unwrap_or_default();
    let loaded = input_of(done)?;
    let released = Released {
        plan: &done.plan,
        record,
        input: (input, &loaded),
    };
    released.look_at(Path::new(&release.file.given), &bytes)
}

fn input_of(done: &Done) -> Result<Loaded, Finding> {
    let path = done
        .plan
        .input
        .as_ref()
        .map(|input| input.path.clone())
        .unwrap_or_default();
    format::read(&path, &done.plan.read, &Patience).map_err(|error| {
        Finding::new(
            Oracle::Law,
            format!("the input can be read only once: {error}"),
        )
    })
}

fn public_report_is_silent(canaries: &Canaries, done: &Done) -> Result<(), Finding> {
    let Some(report) = &done.plan.output.external_report else {
        return Ok(());
    };
    let Ok(page) = std::fs::read_to_string(&report.path) else {
        return Ok(());
    };
    // Drawings and hashes are full of digits.
    let words = without_drawings(&page);
    canaries.look_for("the public report", &words)
}

/// The text of a page: without tags, and so without the coordinates of drawings, and without hashes.
fn without_drawings(page: &str) -> String {
    let pieces = page
        .split('<')
        .map(|piece| piece.split_once('>').map_or("", |(_, text)| text));
    let pieces = pieces.filter(|text| text.len() != 64);
    pieces.collect::<Vec<_>>().join(" ")
}

/// Made again from its plan and its input, the record is the same; of a run that the clock may have ended,
/// that nobody can make it again is said, and nothing else differs.
fn verifies(done: &Done, record: &RunRecord) -> Result<(), Finding> {
    let written = done
        .plan
        .output
        .record
        .as_ref()
        .and_then(|file| std::fs::read(&file.path).ok());
    let written: Value = serde_json::from_slice(&written.unwrap_or_default()).unwrap_or_default();
    let found = verify::verify(
        &written,
        record,
        &done.plan,
        &verify::RecordPlaces::in_folder(done.folder.path()),
        &HtmlRenderer,
        &Patience,
    );
    let found = found.map_err(|error| {
        Finding::new(
            Oracle::Record,
            format!("the run cannot be made again: {error}"),
        )
    })?;
    let repeatable = verify::timed_steps(&done.plan).is_empty();
    let said = found
        .iter()
        .any(|one| one.what == verify::REPEATABLE && !one.same);
    if said == repeatable {
        return Err(Finding::new(
            Oracle::Record,
            format!("{} is told wrongly", verify::REPEATABLE),
        ));
    }
    let differs = |one: &&verify::Comparison| !one.same && one.what != verify::REPEATABLE;
    match found.iter().find(differs) {
        None => Ok(()),
        Some(comparison) => {
            let message = format!(
                "made again, this differs: {} {}",
                comparison.what, comparison.detail
            );
            Err(Finding::new(Oracle::Record, message))
        }
    }
}
