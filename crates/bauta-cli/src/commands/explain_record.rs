//! `bauta explain-record`: which keys single out one record.

use bauta_data::format::read;
use bauta_methods::keys::benedetti_franconi::expected_inverse;
use bauta_methods::keys::check_weights;
use bauta_methods::keys::unique_sets::{UniqueSets, unique_sets};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{ExplainRecordArguments, Global};
use crate::commands::risk::{key_schema, positions, refuse_repeats, semantics_of};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::tables::{figure_text, percent};
use crate::words::joined;

/// Most sets that are told in words; `--json` has all.
const MAX_TOLD: usize = 12;

pub(crate) fn run(arguments: &ExplainRecordArguments, global: &Global) -> Result<Outcome, Failure> {
    refuse_repeats(arguments.keys.iter().chain(&arguments.weight))?;
    let progress = Progress::new(global.quiet || global.json);
    let schema = key_schema(&arguments.keys, arguments.weight.as_deref(), None);
    let options = arguments.reading.read_options(schema);
    let table = read(&arguments.file, &options, &progress)?.table;
    drop(progress);
    let record = record_of(arguments, table.n_records())?;
    check_weights(&table)?;
    let keys = positions(&table, &arguments.keys);
    let semantics = semantics_of(&arguments.semantics);
    let found = unique_sets(&table, &keys, record, arguments.k, semantics)?;
    let risk = expected_inverse(f64::from(found.f), found.big_f);
    if global.json {
        print_json(arguments, &found, risk);
    } else {
        print_words(arguments, &found, risk);
    }
    Ok(Outcome::Fine)
}

/// Position of the row asked for.
fn record_of(arguments: &ExplainRecordArguments, n_records: usize) -> Result<usize, Failure> {
    let position = arguments.row.checked_sub(1);
    let position = position.and_then(|position| usize::try_from(position).ok());
    position
        .filter(|&record| record < n_records)
        .ok_or_else(|| {
            let message = format!("{} has no row {}", arguments.file.display(), arguments.row);
            let hint = match n_records {
                0 => "the file has no record".to_owned(),
                n => format!("rows go from 1, the first below the header, to {n}"),
            };
            Failure::mistake(message, hint)
        })
}

fn names(arguments: &ExplainRecordArguments, set: &[usize]) -> Vec<String> {
    let names = set.iter().map(|&key| arguments.keys[key].clone());
    names.collect()
}

fn print_json(arguments: &ExplainRecordArguments, found: &UniqueSets, risk: f64) {
    let sets: Vec<Vec<String>> = found.sets.iter().map(|set| names(arguments, set)).collect();
    println!(
        "{}",
        json!({
            "file": arguments.file.display().to_string(),
            "row": arguments.row,
            "keys": arguments.keys,
            "semantics": arguments.semantics,
            "k": arguments.k,
            "f": found.f,
            "F": found.big_f,
            "risk": risk,
            "sets": sets,
            "complete_up_to": found.complete_up_to,
        })
    );
}

fn print_words(arguments: &ExplainRecordArguments, found: &UniqueSets, risk: f64) {
    println!(
        "{}, row {}; known: {}; missing keys count as `{}`",
        arguments.file.display(),
        arguments.row,
        joined(&arguments.keys),
        arguments.semantics
    );
    match found.f {
        1 => println!("No other record has this key."),
        2 => println!("1 other record has this key."),
        f => println!("{} other records have this key.", f - 1),
    }
    match &arguments.weight {
        Some(weight) => println!(
            "By {weight} it stands for {} in the population; the risk of re-identification is {}.",
            figure_text(Some(found.big_f)),
            percent(Some(risk))
        ),
        None => println!(
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
        println!("No set of these keys is enough {what}.");
        return;
    }
    for set in found.sets.iter().take(MAX_TOLD) {
        let set = names(arguments, set);
        match set.as_slice() {
            [] => println!("Nothing need be known {what}: the file has too few records."),
            [one] => println!("{one} alone is enough {what}."),
            several => println!("{} together are enough {what}.", joined(several)),
        }
    }
    let n_more = found.sets.len().saturating_sub(MAX_TOLD);
    if n_more > 0 {
        println!("And {n_more} more sets, none smaller; --json has them.");
    }
    if let Some(size) = found.complete_up_to {
        println!(
            "All sets of up to {size} keys were looked at; there may be more of the larger ones."
        );
    }
}
