//! One work at one size: makes the input, runs the method, and checks what it gave.

use bauta_data::{Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::measure::{Files, Measurement, Subject};
use bauta_methods::pair::{Pair, Rows};
use bauta_methods::{MaskTask, MeasureTask, Params, RunContext, registry};

use super::figures::Figures;
use super::resources::measured;
use super::work::{Input, Job, Work};
use super::{calibration, check_masks, check_measures, inputs, reference};

const SEED: u64 = 7;

/// Runs a work and returns what it took.
pub(super) fn run(work: &Work, n: usize) -> Result<Figures, String> {
    let params =
        Params::check(work.card, &work.params).map_err(|problems| format!("{problems:?}"))?;
    let table = match work.input {
        Input::Survey | Input::SurveyAndMasked | Input::SurveyAndSuppressed => inputs::survey(n),
        Input::SurveyWithHouseholds => inputs::survey_with_households(n),
        Input::SurveyWithMissing => inputs::survey_with_missing(n),
        Input::Amounts => inputs::amounts(n),
        Input::Census => inputs::census(n)?,
        Input::Search(_) => inputs::searched(n),
    };
    match work.job {
        Job::Method if registry::mask(work.card.id).is_some() => run_mask(work, &table, &params),
        Job::Method if work.card.id == "post-mask" => run_optimisation(work, &table, &params),
        Job::Method if registry::adjuster(work.card.id).is_some() => {
            calibration::run(work, &table, &params)
        }
        Job::Method => run_measure(work, &table, &params),
        Job::PlainMdav => reference::plain_mdav(work, &table, &params),
        Job::NearestRecord => reference::nearest_record(work, &table),
    }
}

fn run_mask(work: &Work, table: &Table, params: &Params) -> Result<Figures, String> {
    let mask = registry::mask(work.card.id).ok_or("not a mask")?;
    let on: Vec<usize> = work
        .on
        .iter()
        .filter_map(|name| table.index_of(name))
        .collect();
    let (figures, masked) = measured(|| {
        let context = RunContext::new(SEED, work.card.id, &Unwatched);
        let task = MaskTask { table, on: &on };
        let change = mask
            .mask(params, &task, &context)
            .map_err(|error| error.to_string())?;
        Ok(change.apply_to(table))
    })?;
    check_masks::check(work, params, table, &masked)?;
    Ok(Figures {
        answer: check_masks::answer(work, &masked),
        ..figures
    })
}

fn run_optimisation(work: &Work, table: &Table, params: &Params) -> Result<Figures, String> {
    let adjuster = registry::adjuster(work.card.id).ok_or("not an adjuster")?;
    let masked = inputs::changed_amounts(table.n_records());
    let on: Vec<usize> = (work.on.iter())
        .filter_map(|name| masked.index_of(name))
        .collect();
    let (figures, improved) = measured(|| {
        let context = RunContext::new(SEED, work.card.id, &Unwatched);
        let pair = Pair {
            original: table,
            masked: &masked,
            rows: Rows::Correspond,
        };
        let change = adjuster
            .adjust(params, &AdjustTask { pair, on: &on }, &context)
            .map_err(|error| error.to_string())?;
        Ok(change.apply_to(&masked))
    })?;
    check_masks::check_moments(work, table, &masked, &improved)?;
    Ok(figures)
}

/// The file after local suppression with the parameters of its example.
fn suppressed(table: &Table, on: &[String]) -> Result<Table, String> {
    let mask = registry::mask("suppress-local").ok_or("there is no suppression")?;
    let given: Vec<_> = mask
        .example()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let params = Params::check(mask.card(), &given).map_err(|problems| format!("{problems:?}"))?;
    let on: Vec<usize> = on.iter().filter_map(|name| table.index_of(name)).collect();
    let task = MaskTask { table, on: &on };
    let context = RunContext::new(SEED, mask.card().id, &Unwatched);
    let change = mask
        .mask(&params, &task, &context)
        .map_err(|error| error.to_string())?;
    Ok(change.apply_to(table))
}

fn run_measure(work: &Work, table: &Table, params: &Params) -> Result<Figures, String> {
    let measure = registry::measure(work.card.id).ok_or("not a measure")?;
    let masked = match (measure.declared().subject, work.input) {
        (Subject::OneFile, _) => None,
        (_, Input::Amounts) => Some(inputs::changed_amounts(table.n_records())),
        (_, Input::SurveyAndSuppressed) => Some(suppressed(table, &work.on)?),
        (_, Input::SurveyAndMasked) => Some(inputs::masked_survey(table)),
        _ => return Err("there is no masked version of the survey to compare with".to_owned()),
    };
    let (figures, found) = measured(|| {
        let context = RunContext::new(SEED, work.card.id, &Unwatched);
        let files = masked.as_ref().map_or(Files::One(table), |masked| {
            Files::Both(Pair {
                original: table,
                masked,
                rows: Rows::Correspond,
            })
        });
        let task = MeasureTask::new(files, &work.on);
        measure
            .measure(params, &task, &context)
            .map_err(|error| error.to_string())
    })?;
    check_measures::check(work, params, table, masked.as_ref(), &found)?;
    Ok(Figures {
        answer: answer(&found),
        ..figures
    })
}

/// The figure to compare with a peer's: one that every record has a part in.
fn answer(found: &Measurement) -> Option<f64> {
    found.part("uniques").or(found.value).or_else(|| {
        let figures = found.figures.iter();
        let means = figures.filter(|figure| figure.name.id == "mean");
        means.map(|figure| figure.value).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::work;
    use bauta_methods::{Card, Family};

    /// A method that nobody wrote a check for must not be timed as if it were right.
    #[test]
    fn a_method_without_a_check_fails() {
        for known in ["rank-swap", "recode", "il1s", "k-anonymity"] {
            let work = work::all().into_iter().find(|work| work.name == known);
            let mut work = work.expect("a work");
            work.card = Box::leak(Box::new(Card {
                id: "brand-new",
                ..*work.card
            }));
            let table = match work.input {
                Input::Amounts => inputs::amounts(50),
                _ => inputs::survey(50),
            };
            let params = Params::check(work.card, &work.params).expect("its example");
            let told = if registry::mask(known).is_some() {
                check_masks::check(&work, &params, &table, &table)
            } else {
                let same = (known == "il1s").then_some(&table);
                let found = Measurement::default();
                check_measures::recounted(&work, &params, &table, same, &found).map(|_| ())
            };
            let told = told.expect_err(known);
            assert!(told.contains("no check"), "{known}: {told}");
        }
    }

    #[test]
    fn every_work_runs_and_passes_its_own_check() {
        for work in work::all() {
            if let Some(reason) = inputs::absent(work.input) {
                println!("not run: {reason}");
                continue;
            }
            // Margins and models need records in every cell.
            let fills_cells = work.card.family == Family::Adjuster
                || calibration::of_model(work.card.id).is_some();
            let n = if fills_cells { 9_640 } else { 300 };
            let figures = run(&work, n).unwrap_or_else(|error| panic!("{}: {error}", work.name));
            assert!(figures.seconds > 0.0, "{}", work.name);
        }
    }
}
