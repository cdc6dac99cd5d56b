//! `bauta compare`: every measure of an original file and its masked version.

mod shown;

use bauta_plan::work::compare::{
    CompareRequest, Compared, ComparedMeasure, PairBy, compare_files, compare_record,
};

use crate::Outcome;
use crate::arguments::{CompareArguments, Global};
use crate::failure::Failure;
use crate::print::say;
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &CompareArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.original].into_iter().chain(&arguments.masked));
    let progress = Progress::new(global.quiet || global.json);
    let compared = compared(arguments, global, &progress)?;
    drop(progress);
    if global.json {
        shown::print_json(arguments, &compared);
    } else {
        shown::print_table(arguments, &compared);
        if !global.quiet {
            show_notes(&compared.found);
        }
    }
    Ok(Outcome::Fine)
}

/// Compares two files, or those of a record.
fn compared(
    arguments: &CompareArguments,
    global: &Global,
    progress: &Progress,
) -> Result<Compared, Failure> {
    let (original, request) = (&arguments.original, request(arguments));
    let Some(masked) = &arguments.masked else {
        refuse_options_of_files(arguments)?;
        return Ok(compare_record(original, global.memory, &request, progress)?);
    };
    let reading = arguments.reading.reading(global);
    Ok(compare_files(
        original, masked, &reading, &request, progress,
    )?)
}

/// A record says itself how its files are read.
fn refuse_options_of_files(arguments: &CompareArguments) -> Result<(), Failure> {
    let reading = &arguments.reading;
    let given = [
        ("--delimiter", reading.delimiter.is_some()),
        ("--decimal", reading.decimal.is_some()),
        ("--encoding", reading.encoding.is_some()),
        ("--missing-texts", reading.missing_texts.is_some()),
        ("--fold-spellings", !reading.fold_spellings.is_empty()),
    ];
    let given = given.iter().filter(|(_, given)| *given);
    let given: Vec<&str> = given.map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(Failure::mistake(
        format!(
            "{} would be said of two files; a record says how its files are read",
            given.join(", ")
        ),
        "name the masked file, too, or leave the options out",
    ))
}

fn request(arguments: &CompareArguments) -> CompareRequest {
    let masked = arguments.masked.as_ref();
    CompareRequest {
        original: arguments.original.display().to_string(),
        masked: masked.map_or_else(String::new, |masked| masked.display().to_string()),
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
