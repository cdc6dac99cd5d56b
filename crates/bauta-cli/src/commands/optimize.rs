//! `bauta optimize`: a masked file with the moments of its original.

use bauta_methods::Note;
use bauta_methods::note::NoteRank;
use bauta_plan::work::compare::PairBy;
use bauta_plan::work::optimize::{OptimizeFound, OptimizeRequest, optimize};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::arguments::{Global, OptimizeArguments};
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{figure, table, text};

pub(crate) fn run(arguments: &OptimizeArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.original, &arguments.masked, &arguments.output]);
    let request = request(arguments, global)?;
    let progress = Progress::new(global.quiet || global.json);
    let found = optimize(&request, global.replace(), &progress)?;
    drop(progress);
    if global.json {
        object(&as_json(&found, arguments));
    } else {
        show(&found, arguments, global);
    }
    Ok(Outcome::Fine)
}

fn request(arguments: &OptimizeArguments, global: &Global) -> Result<OptimizeRequest, Failure> {
    let named = [
        ("p", arguments.p),
        ("q", arguments.q),
        ("target", arguments.target),
    ];
    let named = named
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_string())));
    let named: Vec<(String, String)> = named.collect();
    if let Some((name, _)) =
        (arguments.set.iter()).find(|(name, _)| named.iter().any(|(known, _)| known == name))
    {
        return Err(Failure::mistake(
            format!("`{name}` is given twice"),
            "say it once, with its own option or with --set",
        ));
    }
    Ok(OptimizeRequest {
        original: arguments.original.clone(),
        masked: arguments.masked.clone(),
        output: arguments.output.clone(),
        reading: arguments.reading.reading(global),
        on: arguments.on.clone(),
        pair_by: match (arguments.id.as_slice(), arguments.by_row) {
            ([], false) => PairBy::Row,
            ([], true) => PairBy::RowInAnyCase,
            (id, _) => PairBy::Id(id.to_vec()),
        },
        set: named
            .into_iter()
            .chain(arguments.set.iter().cloned())
            .collect(),
        seed: arguments.seed,
    })
}

fn show(found: &OptimizeFound, arguments: &OptimizeArguments, global: &Global) {
    out!(
        "{} towards the moments of {}: {}.",
        arguments.masked.display(),
        arguments.original.display(),
        found.on.join(", ")
    );
    out!("{}", found.pairing.in_words());
    if !found.left.is_empty() {
        out!(
            "Left as they are, since no record was masked in them: {}.",
            found.left.join(", ")
        );
    }
    let mut rows = table(["figure", "before", "after"]);
    for (label, [before, after]) in &found.figures {
        rows.add_row([text(label.as_str()), figure(*before), figure(*after)]);
    }
    out!("{rows}");
    let warnings = found
        .notes
        .iter()
        .filter(|note| note.rank == NoteRank::Warning);
    warnings.for_each(|note| out!("WARNING: {}", note.text));
    out!(
        "Smaller is better in every row but those of IL1, which should be where it was aimed at. The original steered every change: see what an intruder could learn by `bauta compare` and `bauta link` on {} before anybody gets it.",
        arguments.output.display()
    );
    if !global.quiet {
        found
            .notes
            .iter()
            .filter(|note| note.rank != NoteRank::Warning)
            .for_each(|note| say!("note: {}", note.text));
        say!("wrote {}", arguments.output.display());
    }
}

fn as_json(found: &OptimizeFound, arguments: &OptimizeArguments) -> Value {
    let figures: Map<String, Value> = (found.figures.iter())
        .map(|(label, [before, after])| {
            (label.clone(), json!({ "before": before, "after": after }))
        })
        .collect();
    json!({
        "original": arguments.original.display().to_string(),
        "masked": arguments.masked.display().to_string(),
        "written": arguments.output.display().to_string(),
        "on": found.on,
        "left": found.left,
        "pairing": found.pairing.in_words(),
        "figures": figures,
        "search": found.data,
        "notes": found.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
    })
}
