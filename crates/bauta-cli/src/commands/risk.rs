//! `bauta risk`: what an intruder could re-identify by the keys, on one screen.

mod screen;

use std::path::{Path, PathBuf};

use bauta_methods::Choice as _;
use bauta_methods::{Measurement, Note};
use bauta_plan::work::risk::{
    AskedFile, Left, LookedAt, PlannedRisk, RiskFound, RiskRequest, Riskiest, risk_by_plan, risk_of,
};
use bauta_plan::work::{Planned, WorkError};
use serde_json::{Map, json};

use crate::Outcome;
use crate::arguments::{Global, RiskArguments};
use crate::commands::planned::planned;
use crate::commands::run::say_store;
use crate::failure::{Failure, joined};
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &RiskArguments, global: &Global) -> Result<Outcome, Failure> {
    refuse_too_little(arguments)?;
    recover_beside(arguments.per_record.iter().chain(&arguments.file));
    let planned = planned(arguments.plan.as_ref(), arguments.record.as_ref(), global)?;
    let file = file_of(arguments, planned.as_ref())?;
    let progress = Progress::new(global.quiet || global.json);
    let (read, risks) = risks(arguments, &file, planned.as_ref(), global, &progress)?;
    drop(progress);
    if let Some(store) = read.put_aside.as_ref().filter(|_| !global.json) {
        say_store(store);
    }
    let views: Vec<View<'_>> = risks
        .iter()
        .map(|risk| View {
            file: &file,
            planned: planned.as_ref(),
            risk,
        })
        .collect();
    if global.json {
        print_json(&views, &read);
        return Ok(Outcome::Fine);
    }
    say_of_which_file(arguments, planned.as_ref());
    for (position, view) in views.iter().enumerate() {
        if position > 0 {
            out!();
        }
        screen::print(view, &read);
    }
    let notes = risks.iter().flat_map(|risk| &risk.found.notes);
    show_notes(notes, global);
    Ok(Outcome::Fine)
}

/// Where nobody named a file, it is the one before the steps: whoever has just released the other must not mistake it.
fn say_of_which_file(arguments: &RiskArguments, planned: Option<&Planned>) {
    let Some(planned) = planned.filter(|_| arguments.file.is_none()) else {
        return;
    };
    out!("This is the original, before the steps of the plan.");
    if let Some(release) = planned.release().filter(|release| release.exists()) {
        let by = if let Some(plan) = &arguments.plan {
            format!("--plan {}", plan.display())
        } else {
            let record = arguments
                .record
                .iter()
                .map(|record| record.display().to_string());
            format!("--record {}", record.collect::<String>())
        };
        out!(
            "Of what was released: bauta risk {} {by}",
            release.display()
        );
    }
    out!();
}

/// Without keys nobody knows what an intruder is assumed to know, and without a file there is nothing to look at.
fn refuse_too_little(arguments: &RiskArguments) -> Result<(), Failure> {
    let is_planned = arguments.plan.is_some() || arguments.record.is_some();
    match &arguments.file {
        None if !is_planned => Err(Failure::mistake(
            "risk is counted of a file, by the keys that an intruder knows, and neither is named",
            "bauta risk FILE --keys NAMES; or bauta risk --plan PLAN, whose scenarios say what intruders know \
             (`bauta init FILE` writes a first plan)",
        )),
        Some(file) if !is_planned && arguments.keys.is_empty() => Err(Failure::mistake(
            format!(
                "{}: nothing says what an intruder is assumed to know",
                file.display()
            ),
            "name the keys with --keys, or give a plan that does with --plan (`bauta inspect FILE` shows which \
             variables look like keys, `bauta init FILE` writes a first plan)",
        )),
        _ => Ok(()),
    }
}

/// What was asked by one set of keys, and found.
struct View<'a> {
    file: &'a Path,
    planned: Option<&'a Planned>,
    risk: &'a PlannedRisk,
}

/// The file that is named, or the one that the plan protects.
fn file_of(arguments: &RiskArguments, planned: Option<&Planned>) -> Result<PathBuf, Failure> {
    let input = planned.and_then(Planned::input).map(Path::to_owned);
    let file = arguments.file.clone().or(input);
    file.ok_or_else(|| Failure::mistake("the plan names no file", "name the file to look at"))
}

/// The risk by the keys that were named, or by those of every scenario.
fn risks(
    arguments: &RiskArguments,
    file: &Path,
    planned: Option<&Planned>,
    global: &Global,
    progress: &Progress,
) -> Result<(LookedAt, Vec<PlannedRisk>), Failure> {
    let (request, reading) = (request(arguments), arguments.reading.reading(global));
    let per_record = arguments.per_record.as_deref();
    let replace = global.replace();
    let found = match planned {
        Some(planned) => {
            let asked = AskedFile {
                file,
                reading: &reading,
                scenario: arguments.scenario.as_deref(),
                per_record,
            };
            risk_by_plan(asked, planned, &request, replace, progress)
        }
        None if arguments.scenario.is_some() => {
            return Err(Failure::mistake(
                "--scenario names one of a plan, and none is given",
                "give --plan or --record, or leave it out",
            ));
        }
        None => {
            risk_of(file, &reading, &request, per_record, replace, progress).map(|(read, found)| {
                let risk = PlannedRisk {
                    scenario: None,
                    absent: Vec::new(),
                    request,
                    found,
                };
                (read, vec![risk])
            })
        }
    };
    found.map_err(|error| match error {
        WorkError::Settings { problems, .. } => Failure::mistake(joined(&problems), "see --help"),
        error => Failure::from(error),
    })
}

fn request(arguments: &RiskArguments) -> RiskRequest {
    RiskRequest {
        keys: arguments.keys.clone(),
        weight: arguments.weight.clone(),
        household: arguments.household.clone(),
        sensitive: arguments.sensitive.clone(),
        semantics: arguments.semantics,
        k: arguments.k.clone(),
        threshold: arguments.threshold,
        rate: arguments.rate,
        hierarchies: arguments.hierarchy.clone(),
        riskiest: arguments.riskiest,
    }
}

/// Facts that the measures state, on standard error.
fn show_notes<'n>(notes: impl Iterator<Item = &'n Note>, global: &Global) {
    let mut texts: Vec<String> = Vec::new();
    for text in notes.map(|note| note.text.clone()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    for text in texts.iter().filter(|_| !global.quiet) {
        say!("note: {text}");
    }
}

/// One object for one set of keys; for several scenarios one that holds one of each.
fn print_json(views: &[View<'_>], read: &LookedAt) {
    match views {
        [one] => object(&risk_object(one, read)),
        several => {
            let file = several.first().map(|view| view.file.display().to_string());
            let scenarios = several.iter().map(|view| risk_object(view, read));
            object(&json!({
                "file": file,
                "n_records": read.n_records,
                "scenarios": scenarios.collect::<Vec<_>>(),
            }));
        }
    }
}

fn risk_object(view: &View<'_>, read: &LookedAt) -> serde_json::Value {
    let PlannedRisk { request, found, .. } = view.risk;
    let counted = &found.counted;
    let violations: Map<String, serde_json::Value> = request
        .k
        .iter()
        .map(|k| (k.to_string(), json!(counted.part(&format!("below_{k}")))))
        .collect();
    let mut measures = vec![
        measure_json("k-anonymity", counted),
        measure_json("individual-risk", &found.individual),
        measure_json("key-contribution", &found.contribution),
    ];
    let diversity = found.diversity.iter();
    measures.extend(diversity.map(|diversity| measure_json("l-diversity", diversity)));
    let scenario = view.risk.scenario.as_ref();
    json!({
        "file": view.file.display().to_string(),
        "scenario": scenario.map(|scenario| &scenario.name),
        "n_records": read.n_records,
        "keys": request.keys,
        "absent_keys": view.risk.absent,
        "weight": request.weight,
        "household": request.household,
        "sensitive": request.sensitive,
        "semantics": request.semantics.name(),
        "k": violations,
        "uniques": counted.part("uniques"),
        "smallest_class": counted.value,
        "expected_reidentifications": found.individual.part("expected_reidentifications"),
        "contributions": contributions_json(found),
        "levels": levels_json(found),
        "riskiest": found.riskiest.iter().map(riskiest_json).collect::<Vec<_>>(),
        "measures": measures,
        "notes": found.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
    })
}

/// For each key what is left without it, and the share of the records below k that goes.
fn contributions_json(found: &RiskFound) -> Vec<serde_json::Value> {
    let shares = &found.contribution.by_variable;
    let left = found.left_out().into_iter().filter(Left::is_changed);
    let left = left.zip(shares);
    left.map(|(left, share)| {
        json!({
            "left_out": left.name,
            "share": share.value,
            "below_k": left.below,
            "uniques": left.uniques,
            "expected_reidentifications": left.expected,
        })
    })
    .collect()
}

/// For each level above the present one what recoding to it would leave.
fn levels_json(found: &RiskFound) -> Vec<serde_json::Value> {
    let levels = found.by_level().into_iter();
    levels
        .filter(Left::is_changed)
        .map(|left| {
            let (key, level) = left.key_and_level();
            json!({
                "key": key,
                "level": level.parse::<u64>().ok(),
                "below_k": left.below,
                "uniques": left.uniques,
                "expected_reidentifications": left.expected,
            })
        })
        .collect()
}

fn riskiest_json(riskiest: &Riskiest) -> serde_json::Value {
    json!({
        "row": riskiest.row,
        "f": riskiest.f,
        "F": riskiest.big_f,
        "risk": riskiest.risk,
        "household_risk": riskiest.household_risk,
        "enough": riskiest.enough,
    })
}

/// A measurement as scripts read it on a screen.
pub(crate) fn measure_json(id: &str, found: &Measurement) -> serde_json::Value {
    let found = found.told();
    let parts = found.parts().map(|(name, value)| (name, json!(value)));
    let parts: Map<String, serde_json::Value> = parts.collect();
    let mut object = json!({ "id": id, "value": found.value, "parts": parts });
    if !found.by_variable.is_empty() {
        let by_variable = found.by_variable.iter();
        let by_variable = by_variable.map(|part| (part.name.clone(), json!(part.value)));
        object["by_variable"] = by_variable.collect::<Map<_, _>>().into();
    }
    object
}
