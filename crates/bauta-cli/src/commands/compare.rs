//! `bauta compare`: every measure of an original file and its masked version.

mod shown;

use bauta_plan::work::compare::{CompareRequest, ComparedMeasure, compare_files};

use crate::Outcome;
use crate::arguments::{CompareArguments, Global};
use crate::failure::Failure;
use crate::print::say;
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &CompareArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.original, &arguments.masked]);
    let progress = Progress::new(global.quiet || global.json);
    let (original, masked) = (&arguments.original, &arguments.masked);
    let (request, reading) = (request(arguments), arguments.reading.reading(global));
    let compared = compare_files(original, masked, &reading, &request, &progress)?;
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

fn request(arguments: &CompareArguments) -> CompareRequest {
    CompareRequest {
        original: arguments.original.display().to_string(),
        masked: arguments.masked.display().to_string(),
        on: arguments.on.clone(),
        keys: arguments.keys.clone(),
        ordered: arguments.ordered.clone(),
        hierarchies: arguments.hierarchy.clone(),
        sensitive: arguments.sensitive.clone(),
        weight: arguments.weight.clone(),
        id: arguments.id.clone(),
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
