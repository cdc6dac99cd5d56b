//! `bauta risk`: what an intruder could re-identify by the keys, on one screen.

mod screen;

use bauta_data::Table;
use bauta_methods::Choice as _;
use bauta_methods::{Measurement, Note};
use bauta_plan::work::WorkError;
use bauta_plan::work::risk::{Left, RiskFound, RiskRequest, Riskiest, risk_of};
use serde_json::{Map, json};

use crate::Outcome;
use crate::arguments::{Global, RiskArguments};
use crate::failure::{Failure, joined};
use crate::print::{object, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &RiskArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside(arguments.per_record.iter().chain([&arguments.file]));
    let progress = Progress::new(global.quiet || global.json);
    let (request, reading) = (request(arguments), arguments.reading.reading(global));
    let found = risk_of(
        &arguments.file,
        &reading,
        &request,
        arguments.per_record.as_deref(),
        global.replace(),
        &progress,
    );
    let (table, found) = found.map_err(|error| match error {
        WorkError::Settings { problems, .. } => Failure::mistake(joined(&problems), "see --help"),
        error => Failure::from(error),
    })?;
    drop(progress);
    let asked = Asked { arguments, request };
    if global.json {
        print_json(&asked, &table, &found);
    } else {
        screen::print(&asked, &table, &found);
        show_notes(&found.notes, global);
    }
    Ok(Outcome::Fine)
}

/// What was asked for, by its options and as the library takes it.
struct Asked<'a> {
    arguments: &'a RiskArguments,
    request: RiskRequest,
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
fn show_notes(notes: &[Note], global: &Global) {
    let mut texts: Vec<String> = Vec::new();
    for text in notes.iter().map(|note| note.text.clone()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    for text in texts.iter().filter(|_| !global.quiet) {
        say!("note: {text}");
    }
}

fn print_json(asked: &Asked<'_>, table: &Table, found: &RiskFound) {
    let arguments = asked.arguments;
    let counted = &found.counted;
    let violations: Map<String, serde_json::Value> = arguments
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
    object(&json!({
        "file": arguments.file.display().to_string(),
        "n_records": table.n_records(),
        "keys": arguments.keys,
        "semantics": arguments.semantics.name(),
        "k": violations,
        "uniques": counted.part("uniques"),
        "smallest_class": counted.value,
        "expected_reidentifications": found.individual.part("expected_reidentifications"),
        "contributions": contributions_json(found),
        "levels": levels_json(found),
        "riskiest": found.riskiest.iter().map(riskiest_json).collect::<Vec<_>>(),
        "measures": measures,
        "notes": found.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
    }));
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
