#![doc = include_str!("univariate_summary.md")]

use bauta_data::{Categorical, Column, Kind, Role, Values};

use crate::card::{Card, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::RULE_OF_TEN;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::moments::{is_constant, moments};
use crate::kernel::numbers::quantile::sorted_present;
use crate::kernel::numbers::sums::{compensated, sum_by};
use crate::keys::asked::positions;
use crate::keys::check_weights;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series, Subject};
use crate::params::{ParamProblem, Params};

/// Size, location and spread of each variable. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct UnivariateSummary;

const RECORDS: FigureSpec = FigureSpec::count("records", "records").per_variable();
const MISSING_VALUES: FigureSpec = FigureSpec::count("missing", "missing values").per_variable();
const MEAN: FigureSpec = any_number("mean", "mean").per_variable().public();
const SD: FigureSpec = FigureSpec::number("sd", "standard deviation")
    .per_variable()
    .public();
const WEIGHTED_MEAN: FigureSpec = any_number("weighted_mean", "weighted mean")
    .per_variable()
    .public();
const CATEGORIES: FigureSpec = FigureSpec::count("categories", "categories").per_variable();
const ENTROPY: FigureSpec = FigureSpec::number("entropy", "entropy in nats").per_variable();

const fn any_number(id: &'static str, label: &'static str) -> FigureSpec {
    FigureSpec::number(id, label).within(f64::NEG_INFINITY, f64::INFINITY)
}

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "univariate-summary",
        title: "Univariate summary",
        summary: "size, missing values, location and spread of each variable, without showing a value",
        page: include_str!("univariate_summary.md"),
        targets: Targets {
            kinds: &Kind::ALL,
            default_roles: &[Role::Key, Role::Sensitive, Role::Other],
            refused_roles: &[],
        },
        scaling: Scaling::Variable,
        references: &["hundepool2012"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::OneFile,
    at_identity: None,
    value: FigureSpec::value("", Unit::Number).within(f64::NEG_INFINITY, f64::INFINITY),
    figures: &[
        RECORDS,
        MISSING_VALUES,
        MEAN,
        SD,
        WEIGHTED_MEAN,
        CATEGORIES,
        ENTROPY,
    ],
    by_variable: false,
    ..MeasureCard::LOSS
};

/// A band mean must rest on so many records, or it could show a single one.
const MIN_BAND: usize = RULE_OF_TEN as usize;
const N_BANDS: usize = 10;

impl MeasureMethod for UnivariateSummary {
    type Settings = ();

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, _: &Params) -> Result<(), Vec<ParamProblem>> {
        Ok(())
    }

    fn measure(
        &self,
        (): &(),
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        check_weights(table)?;
        let weights = table.weight().and_then(Column::as_numeric);
        let mut found = Measurement::default();
        let on = positions(table, task.on)?;
        for (done, &attr_idx) in on.iter().enumerate() {
            context.progress(done, on.len())?;
            let column = table.column(attr_idx);
            let name = column.name();
            found.give(RECORDS.of_variable(name), column.len() as f64);
            found.give(MISSING_VALUES.of_variable(name), column.n_missing() as f64);
            column.looked_at(|column| match column.values() {
                Values::Numeric(values) => summarise_numbers(&mut found, name, values, weights),
                Values::Categorical(categories) => {
                    summarise_categories(&mut found, column, categories);
                }
            });
        }
        Ok(found)
    }
}

fn summarise_numbers(found: &mut Measurement, name: &str, values: &[f64], weights: Option<&[f64]>) {
    let plain = moments(values);
    // A mean of fewer records than a band needs could give one of them away.
    // So could the mean of values that are all the same.
    let shown = plain.n >= MIN_BAND && !is_constant(values);
    let figure = |value: f64| (shown && value.is_finite()).then_some(value);
    found.give(MEAN.of_variable(name), figure(plain.mean));
    found.give(SD.of_variable(name), figure(plain.sd));
    if let Some(weights) = weights {
        let present = |i: usize| !values[i].is_nan();
        let total = sum_by(values.len(), |i| if present(i) { weights[i] } else { 0.0 });
        let sum = sum_by(values.len(), |i| {
            if present(i) {
                weights[i] * values[i]
            } else {
                0.0
            }
        });
        // A record without weight does not hide another's value in the weighted mean.
        let n_weighing = (0..values.len())
            .filter(|&i| present(i) && weights[i] > 0.0)
            .count();
        let mean = (shown && n_weighing >= MIN_BAND).then(|| sum / total);
        let mean = mean.filter(|mean| mean.is_finite());
        found.give(WEIGHTED_MEAN.of_variable(name), mean);
    }
    if plain.n >= MIN_BAND * N_BANDS {
        found.series.push(band_means(name, values));
    }
}

/// Mean of each tenth of the values in rising order: the shape of a distribution without showing
/// any order statistic, each of which is somebody's value.
fn band_means(name: &str, values: &[f64]) -> Series {
    let sorted = sorted_present(values);
    let points = (0..N_BANDS).map(|band| {
        let (first, last) = (
            band * sorted.len() / N_BANDS,
            (band + 1) * sorted.len() / N_BANDS,
        );
        let values = &sorted[first..last];
        let mean = compensated(values.iter().copied()) / values.len() as f64;
        // The mean of equal values is one of them.
        let shown = (!is_constant(values)).then_some(mean);
        Part::new(format!("{}-{} %", band * 10, band * 10 + 10), shown)
    });
    Series::new("mean of each tenth", name, Unit::Number, points.collect()).of_variable(name)
}

fn summarise_categories(found: &mut Measurement, column: &Column, categories: &Categorical) {
    let name = column.name();
    let mut counts = vec![0_usize; categories.levels.len()];
    for (record, code) in categories.codes.iter().enumerate() {
        if !column.is_missing(record) {
            counts[code as usize] += 1;
        }
    }
    let n: usize = counts.iter().sum();
    let occurring: Vec<f64> = counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| count as f64)
        .collect();
    found.give(CATEGORIES.of_variable(name), occurring.len() as f64);
    // Entropy in nats: 0 for one category, ln(m) for m equal ones.
    let entropy = compensated(occurring.iter().map(|count| {
        let share = count / n as f64;
        -share * libm::log(share)
    }));
    found.give(ENTROPY.of_variable(name), (n > 0).then_some(entropy));
}
