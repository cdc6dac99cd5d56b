//! Run records, altered: read or refused, shown without a panic, and found out when they are verified.

use std::sync::OnceLock;

use bauta_data::Fingerprint;
use bauta_plan::record::{RunRecord, SeedSource, TimesRecord};
use bauta_plan::work::files_of_record;
use bauta_plan::{check_text, verify};
use bauta_report::{Audience, Comparison, HtmlRenderer, csv_tables, html};
use serde_json::{Map, Value};

use super::Target;
use super::plans::{self, Columns, carry_out, told};
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::damage::{damaged, edited};
use crate::fuzz::make::json::altered;
use crate::fuzz::make::plan::{self, About, DATA, PLAN};
use crate::fuzz::make::table::{MadeTable, Numbers};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::{Patience, World};

/// Run records, as bytes and as JSON.
pub(crate) struct Records;

const ALTERED: &str = "altered.json";
const WRITTEN: &str = "written.json";
/// The hash of the record as it was written: one that was made smaller is no longer what the run said.
const WHOLE: &str = "written.sha256";
/// What to put where in the record that the plan gives now, as JSON pointers. Cases that are kept have this in the
/// place of two records, which another version would write otherwise.
const PUT: &str = "put.json";

impl Target for Records {
    fn name(&self) -> &'static str {
        "records"
    }

    fn share(&self) -> u32 {
        2
    }

    fn make(&self, draws: &mut Draws, world: &World) -> Case {
        let runs = runs(world);
        let (run, other) = (draws.pick(runs), draws.pick(runs));
        let written = run.text(WRITTEN);
        let altered = match draws.below(4) {
            0 => damaged(draws, written.as_bytes(), other.text(WRITTEN).as_bytes()),
            1 => edited(draws, written, other.text(WRITTEN)).into_bytes(),
            _ => {
                let value: Value = serde_json::from_str(written).unwrap_or_default();
                let value = altered(draws, &value);
                serde_json::to_vec_pretty(&value).expect("JSON is JSON")
            }
        };
        run.with(ALTERED, altered)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        let put = case.get(PUT).map(|_| put(case, world));
        let case = put.as_ref().unwrap_or(case);
        let bytes = case.get(ALTERED).unwrap_or_default();
        let data = case.text(DATA);
        let header = data.lines().next().unwrap_or_default();
        let canaries = Canaries::of_data(data, [header, case.text(PLAN)]);
        let record = match RunRecord::read(bytes) {
            Ok(record) => record,
            Err(problem) => {
                told(&canaries, "the problem", &problem.to_string())?;
                return Ok(Verdict::Refused);
            }
        };
        show(case, &record);
        verified(case, &record, &canaries, world)
    }
}

/// Runs that went through, each with its record, the same for the same seed.
fn runs(world: &World) -> &'static [Case] {
    static RUNS: OnceLock<Vec<Case>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let made = (0..200).filter_map(|number| {
            let mut draws = Draws::of_case(world.seed, "runs of records", number);
            went_through(&mut draws, world)
        });
        made.take(12).collect()
    })
}

fn went_through(draws: &mut Draws, world: &World) -> Option<Case> {
    let table = MadeTable::usual(draws, 12, Numbers::Usual);
    let mut case = plan::case(draws, world, &table, About::Anything);
    // Reports show times, and a case must not depend on them.
    let lines = case
        .text(PLAN)
        .lines()
        .filter(|line| !line.contains("report = \""));
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    case.set(PLAN, text.into_bytes());
    recorded(case, world)
}

/// The case with what its plan writes.
fn recorded(mut case: Case, world: &World) -> Option<Case> {
    let done = carry_out(&case, case.text(PLAN), Columns::InMemory, world).ok()?;
    let mut record = done.record.ok()?;
    record.times = TimesRecord::default();
    let released = done.plan.output.release.filter(|_| record.passed());
    if let Some(released) = released {
        case.set(
            &released.file.given,
            std::fs::read(&released.file.path).ok()?,
        );
    }
    let written = bauta_plan::publish::record_json(&record).ok()?;
    let whole = Fingerprint::of_bytes(written.as_ref()).sha256 + "\n";
    Some(case.with(WRITTEN, written).with(WHOLE, whole))
}

/// The case with the record that its plan gives, and with that record altered as the case says.
fn put(case: &Case, world: &World) -> Case {
    let Some(run) = recorded(case.clone(), world) else {
        return case.clone();
    };
    let mut record: Value = serde_json::from_str(run.text(WRITTEN)).unwrap_or_default();
    let all: Map<String, Value> = serde_json::from_str(case.text(PUT)).unwrap_or_default();
    for (place, value) in all {
        let (parent, name) = place.rsplit_once('/').unwrap_or_default();
        if let Some(parent) = record.pointer_mut(parent) {
            parent[name] = value;
        }
    }
    run.with(
        ALTERED,
        serde_json::to_vec_pretty(&record).expect("JSON is JSON"),
    )
}

/// Whatever a record says can be shown.
fn show(case: &Case, record: &RunRecord) {
    for audience in [Audience::Internal, Audience::External] {
        html(record, audience);
    }
    csv_tables(record);
    for step in &record.steps {
        step.to_json();
    }
    for claim in &record.claims {
        claim.in_words();
    }
    if let Ok(written) = RunRecord::read(case.get(WRITTEN).unwrap_or_default()) {
        let compared = Comparison::new(&[("a.json", &written), ("b.json", record)]);
        compared.html();
        compared.json();
    }
}

/// A record that says something else than the run did does not verify.
fn verified(case: &Case, record: &RunRecord, canaries: &Canaries, world: &World) -> Outcome {
    let folder = world.empty_folder();
    case.unpack(folder.path()).expect("room in memory");
    files_of_record(record, &folder.path().join(ALTERED));
    let plan = match check_text(&record.plan.text, &record.plan.file, folder.path()) {
        Ok(plan) => plan,
        Err(problems) => {
            plans::problems_are_silent(canaries, &problems)?;
            return Ok(Verdict::Refused);
        }
    };
    let value = |name: &str| -> Value { serde_json::from_str(case.text(name)).unwrap_or_default() };
    let (altered, written) = (value(ALTERED), value(WRITTEN));
    let found = verify::verify(
        &altered,
        record,
        &plan,
        &verify::RecordPlaces::in_folder(folder.path()),
        &HtmlRenderer,
        &Patience,
    );
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            told(canaries, "the error", &error.to_string())?;
            return Ok(Verdict::Refused);
        }
    };
    for comparison in &found {
        told(
            canaries,
            "a comparison",
            &format!("{} {}", comparison.what, comparison.detail),
        )?;
    }
    let says_the_same = found.iter().all(|comparison| comparison.same);
    let whole = Fingerprint::of_bytes(case.get(WRITTEN).unwrap_or_default()).sha256;
    let is_whole = case.text(WHOLE).trim_end() == whole;
    if is_whole && says_the_same && !is_equivalent(&altered, &written) {
        return Err(Finding::new(Oracle::Record, "an altered record verifies"));
    }
    Ok(Verdict::Accepted)
}

/// Whether two records say the same of a run. When it was, and under what name its plan lay, is not of the run; and a
/// seed from the command line stands nowhere but in the record itself.
fn is_equivalent(altered: &Value, written: &Value) -> bool {
    let plain = |record: &Value| {
        let mut record = record.clone();
        record["times"] = Value::Null;
        record["plan"]["file"] = Value::Null;
        record
    };
    let from_command_line = serde_json::to_value(SeedSource::CommandLine).ok();
    let own_seed = altered.get("seed_source") == from_command_line.as_ref();
    own_seed || plain(altered) == plain(written)
}
