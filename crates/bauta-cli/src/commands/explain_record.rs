//! `bauta explain-record`: which keys single out one record.

use bauta_methods::Choice as _;
use bauta_methods::keys::unique_sets::UniqueSets;
use bauta_plan::work::explain_record::{ExplainRequest, Explained, explain_record_of};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{ExplainRecordArguments, Global};
use crate::failure::Failure;
use crate::print::{object, out};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{figure_text, percent};
use crate::words::joined;

/// Most sets that are told in words; `--json` has all.
const MAX_TOLD: usize = 12;

pub(crate) fn run(arguments: &ExplainRecordArguments, global: &Global) -> Result<Outcome, Failure> {
    let request = ExplainRequest {
        keys: arguments.keys.clone(),
        row: arguments.row,
        weight: arguments.weight.clone(),
        semantics: arguments.semantics,
        k: arguments.k,
    };
    recover_beside([&arguments.file]);
    let progress = Progress::new(global.quiet || global.json);
    let reading = arguments.reading.reading(global);
    let explained = explain_record_of(&arguments.file, &reading, &request, &progress)?;
    drop(progress);
    let Explained { found, risk } = explained;
    if global.json {
        print_json(arguments, &found, risk);
    } else {
        print_words(arguments, &found, risk);
    }
    Ok(Outcome::Fine)
}

fn names(arguments: &ExplainRecordArguments, set: &[usize]) -> Vec<String> {
    let names = set.iter().map(|&key| arguments.keys[key].clone());
    names.collect()
}

fn print_json(arguments: &ExplainRecordArguments, found: &UniqueSets, risk: f64) {
    let sets: Vec<Vec<String>> = found.sets.iter().map(|set| names(arguments, set)).collect();
    object(&json!({
        "file": arguments.file.display().to_string(),
        "row": arguments.row,
        "keys": arguments.keys,
        "semantics": arguments.semantics.name(),
        "k": arguments.k,
        "f": found.f,
        "F": found.big_f,
        "risk": risk,
        "sets": sets,
        "complete_up_to": found.complete_up_to,
    }));
}

fn print_words(arguments: &ExplainRecordArguments, found: &UniqueSets, risk: f64) {
    out!(
        "{}, row {}; known: {}; missing keys count as `{}`",
        arguments.file.display(),
        arguments.row,
        joined(&arguments.keys),
        arguments.semantics.name()
    );
    match found.f {
        1 => out!("No other record has this key."),
        2 => out!("1 other record has this key."),
        f => out!("{} other records have this key.", f - 1),
    }
    match &arguments.weight {
        Some(weight) => out!(
            "By {weight} it stands for {} in the population; the risk of re-identification is {}.",
            figure_text(Some(found.big_f)),
            percent(Some(risk))
        ),
        None => out!(
            "The file is taken for a census: the risk of re-identification is {}.",
            percent(Some(risk))
        ),
    }
    print_sets(arguments, found);
}

fn print_sets(arguments: &ExplainRecordArguments, found: &UniqueSets) {
    let what = match arguments.k {
        2 => "to be alone".to_owned(),
        k => format!("to be among fewer than {k}"),
    };
    if found.sets.is_empty() && found.complete_up_to.is_none() {
        out!("No set of these keys is enough {what}.");
        return;
    }
    for set in found.sets.iter().take(MAX_TOLD) {
        let set = names(arguments, set);
        match set.as_slice() {
            [] => out!("Nothing need be known {what}: the file has too few records."),
            [one] => out!("{one} alone is enough {what}."),
            several => out!("{} together are enough {what}.", joined(several)),
        }
    }
    let n_more = found.sets.len().saturating_sub(MAX_TOLD);
    if n_more > 0 {
        out!("And {n_more} more sets, none smaller; --json has them.");
    }
    if let Some(size) = found.complete_up_to {
        out!("All sets of up to {size} keys were looked at; there may be more of the larger ones.");
    }
}
