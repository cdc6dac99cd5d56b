#![doc = include_str!("univariate_summary.md")]

use bauta_data::{Categorical, Column, Kind, Role, Values};

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
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

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "univariate-summary",
        title: "Univariate summary",
        summary: "size, missing values, location and spread of each variable, without showing a value",
        family: Family::Loss,
        page: include_str!("univariate_summary.md"),
        params: &[],
        targets: Targets {
            kinds: &Kind::ALL,
            default_roles: &[Role::Key, Role::Sensitive, Role::Other],
            refused_roles: &[],
        },
        randomness: Randomness::None,
        references: &["hundepool2012"],
    },
    subject: Subject::OneFile,
    at_identity: None,
    value: FigureSpec::value("", Unit::Number).within(f64::NEG_INFINITY, f64::INFINITY),
    ..MeasureCard::LOSS
};

/// A band mean must rest on so many records, or it could show a single one.
const MIN_BAND: usize = 10;
const N_BANDS: usize = 10;

impl MeasureMethod for UnivariateSummary {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
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
            found.push_part(format!("{name}.records"), column.len() as f64);
            found.push_part(format!("{name}.missing"), column.n_missing() as f64);
            match column.values() {
                Values::Numeric(values) => summarise_numbers(&mut found, name, values, weights),
                Values::Categorical(categories) => {
                    summarise_categories(&mut found, column, categories);
                }
            }
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
    found.push_part(format!("{name}.mean"), figure(plain.mean));
    found.push_part(format!("{name}.sd"), figure(plain.sd));
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
        found.push_part(
            format!("{name}.weighted_mean"),
            mean.filter(|mean| mean.is_finite()),
        );
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
        Part {
            name: format!("{}-{} %", band * 10, band * 10 + 10),
            // The mean of equal values is one of them.
            value: (!is_constant(values)).then_some(mean),
        }
    });
    Series {
        name: format!("{name}: mean of each tenth"),
        axis: name.to_owned(),
        unit: Unit::Number,
        file: None,
        variable: None,
        table: None,
        points: points.collect(),
    }
}

fn summarise_categories(found: &mut Measurement, column: &Column, categories: &Categorical) {
    let name = column.name();
    let mut counts = vec![0_usize; categories.levels.len()];
    for (record, &code) in categories.codes.iter().enumerate() {
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
    found.push_part(format!("{name}.categories"), occurring.len() as f64);
    // Entropy in nats: 0 for one category, ln(m) for m equal ones.
    let entropy = compensated(occurring.iter().map(|count| {
        let share = count / n as f64;
        -share * libm::log(share)
    }));
    found.push_part(format!("{name}.entropy"), (n > 0).then_some(entropy));
}
