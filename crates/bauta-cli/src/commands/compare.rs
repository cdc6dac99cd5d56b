//! `bauta compare`: every measure of an original file and its masked version.

mod shown;
mod summary;

use std::path::PathBuf;

use bauta_plan::work::Planned;
use bauta_plan::work::compare::{
    CompareRequest, Compared, ComparedMeasure, PairBy, compare_files, compare_record,
};

use crate::Outcome;
use crate::arguments::{CompareArguments, Global};
use crate::commands::planned::planned;
use crate::commands::run::say_store;
use crate::failure::Failure;
use crate::print::say;
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &CompareArguments, global: &Global) -> Result<Outcome, Failure> {
    let files = arguments.original.iter().chain(&arguments.masked);
    recover_beside(files.chain(&arguments.record));
    let progress = Progress::new(global.quiet || global.json);
    let Asked { compared, planned } = compared(arguments, global, &progress)?;
    drop(progress);
    if let Some(store) = compared.put_aside.as_ref().filter(|_| !global.json) {
        say_store(store);
    }
    if global.json {
        shown::print_json(arguments, &compared);
    } else {
        summary::print(&compared, planned.as_ref());
        shown::print_table(arguments, &compared);
        if !global.quiet {
            show_notes(&compared.found);
        }
    }
    Ok(Outcome::Fine)
}

/// What was compared, and what a plan says of it.
struct Asked {
    compared: Compared,
    planned: Option<Planned>,
}

/// Compares two files, those of a plan, or those of a record.
fn compared(
    arguments: &CompareArguments,
    global: &Global,
    progress: &Progress,
) -> Result<Asked, Failure> {
    let (plan, record) = (arguments.plan.as_ref(), arguments.record.as_ref());
    let of_record = match (&arguments.original, &arguments.masked, plan) {
        (Some(original), None, None) if record.is_none() => Some(original),
        (None, _, None) => record,
        _ => None,
    };
    let planned = planned(plan, record.or(of_record), global)?;
    if let Some(file) = of_record {
        refuse_options_of_files(arguments)?;
        let request = request(arguments, [file, file]);
        let reading = arguments.reading.reading(global);
        let compared = compare_record(file, &reading, &request, progress)?;
        return Ok(Asked { compared, planned });
    }
    let [original, masked] = files_of(arguments, planned.as_ref())?;
    let request = CompareRequest {
        planned: planned.clone(),
        ..request(arguments, [&original, &masked])
    };
    let reading = arguments.reading.reading(global);
    let compared = compare_files(&original, &masked, &reading, &request, progress)?;
    Ok(Asked { compared, planned })
}

/// The files that are named, or those of the plan.
fn files_of(
    arguments: &CompareArguments,
    planned: Option<&Planned>,
) -> Result<[PathBuf; 2], Failure> {
    if let (Some(original), Some(masked)) = (&arguments.original, &arguments.masked) {
        return Ok([original.clone(), masked.clone()]);
    }
    let of_plan = planned.and_then(|planned| planned.input().zip(planned.release()));
    match (&arguments.original, of_plan) {
        (None, Some((input, release))) => Ok([input.to_owned(), release.to_owned()]),
        _ => Err(Failure::mistake(
            "two files are compared, and one is named",
            "name the original and the masked file, or leave both out to compare those of the plan or the run",
        )),
    }
}

/// A record says itself how its files are read and which records belong together.
fn refuse_options_of_files(arguments: &CompareArguments) -> Result<(), Failure> {
    let reading = &arguments.reading;
    let given = [
        ("--delimiter", reading.delimiter.is_some()),
        ("--decimal", reading.decimal.is_some()),
        ("--encoding", reading.encoding.is_some()),
        ("--missing-texts", reading.missing_texts.is_some()),
        ("--fold-spellings", !reading.fold_spellings.is_empty()),
        ("--dates", !reading.dates.is_empty()),
        ("--id", !arguments.id.is_empty()),
        ("--by-row", arguments.by_row),
    ];
    let given = given.iter().filter(|(_, given)| *given);
    let given: Vec<&str> = given.map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(Failure::mistake(
        format!(
            "{} would be said of two files; a record says how its files are read and paired",
            given.join(", ")
        ),
        "name both files, too, or leave the options out",
    ))
}

fn request(arguments: &CompareArguments, [original, masked]: [&PathBuf; 2]) -> CompareRequest {
    let names = [original, masked].map(|file| file.display().to_string());
    let [original, masked] = names;
    CompareRequest {
        on: arguments.on.clone(),
        keys: arguments.keys.clone(),
        ordered: arguments.ordered.clone(),
        hierarchies: arguments.hierarchy.clone(),
        sensitive: arguments.sensitive.clone(),
        weight: arguments.weight.clone(),
        pair_by: match (arguments.id.as_slice(), arguments.by_row) {
            ([], false) => PairBy::Row,
            ([], true) => PairBy::RowInAnyCase,
            (id, _) => PairBy::Id(id.to_vec()),
        },
        semantics: arguments.semantics,
        skip_missing: arguments.skip_missing,
        outliers: arguments.outliers,
        condition: arguments.condition.clone(),
        correspondence: arguments.correspondence.clone(),
        sample: arguments.sample,
        set: arguments.set.clone(),
        seed: arguments.seed,
        ..CompareRequest::of(original, masked)
    }
}

/// Each note once, with the measures that state it.
fn show_notes(found: &[ComparedMeasure]) {
    let mut texts: Vec<(String, Vec<&str>)> = Vec::new();
    for found in found {
        for text in found.notes.iter().map(|note| note.text.clone()) {
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, ids)) if ids.contains(&found.id) => {}
                Some((_, ids)) => ids.push(found.id),
                None => texts.push((text, vec![found.id])),
            }
        }
    }
    for (text, ids) in texts {
        say!("note ({}): {text}", ids.join(", "));
    }
}
