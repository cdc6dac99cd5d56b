//! `bauta mask METHOD FILE`: one mask, as a plan of one step.

use std::path::PathBuf;

use bauta_methods::params::parse_text;
use bauta_methods::{Card, Randomness, RawValue, registry};
use bauta_plan::record::{Purpose, RunRecord};
use bauta_plan::work::Done;
use bauta_plan::work::mask::{MaskRequest, mask};
use bauta_report::HtmlRenderer;
use clap::{ArgMatches, FromArgMatches as _};

use crate::Outcome;
use crate::arguments::{FileOptions, Global};
use crate::commands::run::{claim_text, print_json, verdict, warn_of_older};
use crate::failure::Failure;
use crate::print::say;
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::count_text;

pub(crate) fn run(
    method: &str,
    arguments: &ArgMatches,
    global: &Global,
) -> Result<Outcome, Failure> {
    let card = registry::card(method).ok_or_else(|| {
        Failure::mistake(format!("there is no mask `{method}`"), "see `bauta list`")
    })?;
    let reading = FileOptions::from_arg_matches(arguments).map_err(Failure::Usage)?;
    let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned();
    let (Some(file), Some(output)) = (path("file"), path("output")) else {
        return Err(Failure::mistake("a file and -o are needed", "see --help"));
    };
    let on: Vec<String> = arguments
        .get_many("on")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let request = MaskRequest {
        card,
        file,
        reading: reading.reading(global),
        output,
        record: path("record"),
        on,
        household: named(card, household_param(card), arguments, "household"),
        weight: named(card, weight_param(card), arguments, "weight"),
        params: given_params(card, arguments),
    };
    recover_beside(
        request
            .record
            .iter()
            .chain([&request.file, &request.output]),
    );
    let progress = Progress::new(global.quiet || global.json);
    let drawn = card.randomness == Randomness::Seeded;
    let seed = drawn.then(|| arguments.get_one("seed").copied()).flatten();
    let options = global.run_options(seed);
    let Done { plan, record } = mask(&request, options, &progress, &HtmlRenderer)?;
    drop(progress);
    warn_of_older(&plan, &record);
    if global.json {
        print_json(&plan, &record);
    } else if !global.quiet {
        show(&record);
    }
    Ok(verdict(&record))
}

/// The parameter for which a mask looks at households: to act on whole ones, or to blank what is theirs.
pub(crate) fn household_param(card: &Card) -> &'static str {
    if card.param("household_keys").is_some() {
        "household_keys"
    } else {
        "households"
    }
}

/// The parameter for which a mask looks at the weights: to scale them, or to know a risk.
pub(crate) fn weight_param(card: &Card) -> &'static str {
    if card.param("risk").is_some() {
        "risk"
    } else {
        "weights"
    }
}

/// What was done goes to standard error: the data are in the file.
pub(crate) fn show(record: &RunRecord) {
    for note in &record.notes {
        say!("look at {}", note.text);
    }
    for step in &record.steps {
        match step.on.as_slice() {
            [] => say!("{}", step.method),
            on => say!("{}: {}", step.method, on.join(", ")),
        }
        for note in &step.notes {
            say!("  {}", note.text);
        }
    }
    for claim in &record.claims {
        say!("{}", claim_text(claim, "written file"));
    }
    if let Some(file) = &record.released {
        let what = match record.purpose() {
            Purpose::Release => "wrote",
            Purpose::Calibration => "calibrated:",
        };
        say!(
            "{what} {} ({} records)",
            file.file,
            count_text(file.n_records)
        );
        if record.purpose() == Purpose::Release {
            say!("nothing was judged, and all other columns are as they were");
        }
    }
}

/// The variable of a role that a parameter of the mask looks for: the household id of masks that
/// can act on whole households, the weight of those that change it.
fn named(card: &Card, param: &str, arguments: &ArgMatches, argument: &str) -> Option<String> {
    card.param(param)?;
    arguments.get_one(argument).cloned()
}

pub(crate) fn given_params(card: &Card, arguments: &ArgMatches) -> Vec<(&'static str, RawValue)> {
    let given = card.params.iter().filter_map(|spec| {
        let text: &String = arguments.get_one(spec.name)?;
        Some((spec.name, parse_text(spec.ty, text)))
    });
    given.collect()
}
