//! `bauta calibrate FILE`: weights that reach totals, as a plan of one step.

use std::path::PathBuf;

use bauta_methods::adjust::calibration::found::{
    Calibration, Distribution, MarginRow, QUANTILE_SHARES, Solution,
};
use bauta_methods::adjust::calibration::told::tells_quantile;
use bauta_methods::few_records::{RULE_OF_TEN, is_few};
use bauta_methods::{Card, registry};
use bauta_plan::record::{RunRecord, StepRecord};
use bauta_plan::work::Done;
use bauta_plan::work::calibrate::{CalibrateRequest, DROP, WITH_KEYS, adjuster, calibrate};
use bauta_report::HtmlRenderer;
use clap::{ArgMatches, FromArgMatches as _};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{FileOptions, Global};
use crate::commands::mask::{given_params, show};
use crate::commands::run::{run_object, verdict, warn_of_older};
use crate::failure::Failure;
use crate::print::{out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{
    Shown, count, figure, figure_text, number_cell, percent, table, text, total_text,
};
use comfy_table::Cell;

/// Margins that are shown on the terminal.
const MAX_MARGINS: usize = 10;

pub(crate) fn run(arguments: &ArgMatches, global: &Global) -> Result<Outcome, Failure> {
    let request = request(arguments, global)?;
    let written = request.record.iter().chain(&request.report);
    recover_beside(written.chain([&request.file, &request.output]));
    let progress = Progress::new(global.quiet || global.json);
    let options = global.run_options(None);
    let Done { plan, record } = calibrate(&request, options, &progress, &HtmlRenderer)?;
    drop(progress);
    warn_of_older(&plan, &record);
    let step = calibration_step(&record);
    if global.json {
        let mut object = run_object(&plan, &record);
        // It was not judged, and is no release.
        if let Some(object) = object.as_object_mut() {
            let written = object.remove("released");
            object.insert("calibrated".to_owned(), json!(written));
        }
        object["calibration"] = json!(step.and_then(StepRecord::told));
        crate::print::object(&object);
    } else {
        if let Some(evidence) = step.and_then(|step| step.evidence.as_deref()) {
            let calibration: Calibration = serde_json::from_value(evidence.data.clone())
                .map_err(|_| Failure::bug("evidence of another kind".to_owned()))?;
            print_calibration(&calibration);
        }
        if !global.quiet {
            show(&record);
            say_dropped(&record);
        }
    }
    Ok(verdict(&record))
}

/// Which columns were dropped and why, one by one.
fn say_dropped(record: &RunRecord) {
    let mut steps = record.steps.iter();
    let Some(step) = steps.find(|step| step.method == DROP) else {
        return;
    };
    for why in step.why.iter().flat_map(|why| why.split("; ")) {
        say!("dropped {why}");
    }
    let them = if step.on.len() == 1 { "it" } else { "them" };
    say!("--keep {} would keep {them}", step.on.join(","));
}

/// The step that calibrated.
fn calibration_step(record: &RunRecord) -> Option<&StepRecord> {
    let is_calibration = |step: &&StepRecord| {
        let evidence = step.evidence.as_deref();
        evidence.is_some_and(|evidence| evidence.id == "calibration")
    };
    record.steps.iter().find(is_calibration)
}

/// What was asked for.
fn request(arguments: &ArgMatches, global: &Global) -> Result<CalibrateRequest, Failure> {
    let names = |name: &str| -> Vec<String> {
        let given = arguments.get_many(name).into_iter().flatten();
        given.cloned().collect()
    };
    let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned();
    let keys = names("keys");
    let card = adjuster(&keys)?;
    let weight: Option<&String> = arguments.get_one("weight");
    let (Some(file), Some(output), Some(weight)) = (path("file"), path("output"), weight) else {
        let needed = "a file, --weight and -o are needed";
        return Err(Failure::mistake(needed, "see --help"));
    };
    refuse_rules_without_keys(card, arguments)?;
    let options = FileOptions::from_arg_matches(arguments).map_err(Failure::Usage)?;
    Ok(CalibrateRequest {
        file,
        reading: options.reading(global),
        output,
        record: path("record"),
        report: path("report"),
        weight: weight.clone(),
        household: arguments.get_one("household").cloned(),
        keys,
        continuous: names("continuous"),
        identifiers: names("identifiers"),
        keep: names("keep"),
        new_weight: arguments.get_one("new-weight").cloned(),
        params: given_params(card, arguments),
    })
}

/// Rules of deletion say nothing where no keys are named.
fn refuse_rules_without_keys(card: &Card, arguments: &ArgMatches) -> Result<(), Failure> {
    let rules = registry::card(WITH_KEYS).map_or(&[][..], |card| card.params);
    let given = rules.iter().find(|spec| {
        card.param(spec.name).is_none() && arguments.get_one::<String>(spec.name).is_some()
    });
    match given {
        None => Ok(()),
        Some(spec) => Err(Failure::mistake(
            format!(
                "--{} says which records to delete, and needs keys",
                spec.name
            ),
            "name them with --keys, or leave it out",
        )),
    }
}

/// Totals, ratios and the cost of unequal weights. What rests on few records stands in the record alone.
fn print_calibration(calibration: &Calibration) {
    out!(
        "{} of {} records have a weight; {} totals, {} independent",
        calibration.n_kept,
        calibration.n_original,
        calibration.margins.len(),
        calibration.n_independent
    );
    out!("{}", margins_table(calibration));
    if calibration.margins.len() > MAX_MARGINS {
        let n_more = calibration.margins.len() - MAX_MARGINS;
        out!("and {n_more} more totals that are reached as well or better");
    }
    if is_few(calibration.n_kept) {
        out!("figures of g rest on fewer than {RULE_OF_TEN} records and stand in the record");
    } else {
        out!(
            "starting weights were multiplied by {}; g = new weight / starting weight so multiplied",
            figure_text(Some(calibration.scale))
        );
        out!("{}", solutions_table(calibration));
    }
    for solution in &calibration.solutions {
        if let Some(reason) = &solution.failed {
            out!("{}: no solution: {reason}", solution.method);
        }
    }
    if let Some(rounding) = &calibration.rounding {
        out!(
            "rounded to {}: the largest change of a total is {}, of {}",
            figure_text(Some(rounding.to)),
            figure_text(Some(rounding.largest_change)),
            calibration.told_name(&rounding.margin)
        );
    }
}

fn margins_table(calibration: &Calibration) -> Shown {
    let mut worst: Vec<&MarginRow> = calibration.margins.iter().collect();
    // Stable: of equal errors the first in the plan stands first.
    let size = |row: &MarginRow| without_noise(row.relative_error.abs());
    worst.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut shown = table([
        "total", "target", "share", "before", "after", "error", "records",
    ]);
    for row in worst.into_iter().take(MAX_MARGINS) {
        let share = row.share.filter(|_| row.told.target);
        shown.add_row([
            text(calibration.told_name(&row.name)),
            total(row.told.target.then_some(row.target)),
            text(share.map(|share| percent(Some(share))).unwrap_or_default()),
            total(row.told.before.then_some(row.before)),
            total(row.told.reached.then_some(row.after)),
            figure(Some(without_noise(row.relative_error))),
            count(usize::try_from(row.n_after).unwrap_or(usize::MAX)),
        ]);
    }
    shown
}

/// A total with the digits that it has: a target is what somebody wrote.
fn total(value: Option<f64>) -> Cell {
    let text = value.map_or_else(|| "-".to_owned(), total_text);
    number_cell(text)
}

/// What is nearer than this to a whole number differs from it by adding up.
const NOISE: f64 = 1e-12;

fn without_noise(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() < NOISE {
        whole
    } else {
        value
    }
}

/// Figures down, solutions across. The ends of a distribution are those of single records: means of ten
/// stand for them.
fn solutions_table(calibration: &Calibration) -> Shown {
    let solved = calibration.solutions.iter();
    let solved: Vec<&Solution> = solved.filter(|one| one.failed.is_none()).collect();
    let headings = solved.iter().map(|one| one.method.as_str());
    let mut shown = table(["figure"].into_iter().chain(headings));
    let mut add = |name: String, of: &dyn Fn(&Solution) -> Option<f64>| {
        let figures = solved.iter().map(|one| figure(of(one).map(without_noise)));
        shown.add_row(std::iter::once(text(name)).chain(figures));
    };
    let end = |of: &Distribution, end: usize| of.ends.map(|ends| ends[end]);
    add("mean of g".to_owned(), &|one| Some(one.g.mean));
    add("ten smallest g, mean".to_owned(), &|one| end(&one.g, 0));
    for (idx, share) in QUANTILE_SHARES.into_iter().enumerate() {
        if tells_quantile(calibration.n_kept, share) {
            let name = format!("{} % of g", figure_text(Some((100.0 * share).round())));
            add(name, &|one| one.g.quantiles.get(idx).copied());
        }
    }
    add("ten largest g, mean".to_owned(), &|one| end(&one.g, 1));
    let weights = |one: &Solution, at: usize| end(&one.weights, at);
    add("ten smallest weights, mean".to_owned(), &|one| {
        weights(one, 0)
    });
    add("ten largest weights, mean".to_owned(), &|one| {
        weights(one, 1)
    });
    add("negative weights".to_owned(), &|one| {
        Some(one.n_negative as f64)
    });
    add("Kish 1 + cv² before".to_owned(), &|one| {
        Some(one.kish_before)
    });
    add("Kish 1 + cv² after".to_owned(), &|one| {
        Some(one.kish_after)
    });
    add("steps of the solver".to_owned(), &|one| {
        Some(one.iterations.len() as f64)
    });
    add("largest error".to_owned(), &|one| Some(one.largest_error));
    shown
}
