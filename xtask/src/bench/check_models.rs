//! What a model gave satisfies the equations that define it, summed the plain way.

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::{Column, Table};
use bauta_methods::Params;
use bauta_methods::measure::Measurement;

use super::work::Work;

/// Whether the residuals of the original's model go with no predictor: Σ w (y - ŷ) x = 0.
pub(super) fn residuals_go_with_nothing(
    work: &Work,
    params: &Params,
    original: &Table,
    found: &Measurement,
) -> bool {
    let Some((response, coefficients)) = response(params, original).zip(coefficients(found)) else {
        return false;
    };
    let is_logistic = work.card.id == "logistic-regression";
    let name = response.name();
    let predictors = work.on.iter().filter(|on| *on != name);
    let predictors: Vec<&Column> = predictors
        .filter_map(|on| original.column_named(on))
        .collect();
    let Some(y) = outcomes(response) else {
        return false;
    };
    let weights = original.weight().and_then(Column::as_numeric);
    // By label: the sum of residuals, and that of their sizes.
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (record, y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        let mut row = vec![("intercept".to_owned(), 1.0)];
        row.extend(predictors.iter().map(|column| entry(column, record)));
        let of = |(label, x): &(String, f64)| coefficients.get(label).unwrap_or(&0.0) * x;
        let eta: f64 = row.iter().map(of).sum();
        let fitted = if is_logistic {
            1.0 / (1.0 + (-eta).exp())
        } else {
            eta
        };
        let w = weights.map_or(1.0, |weights| weights[record]);
        for (label, x) in row {
            let sum = sums.entry(label).or_default();
            let residual = w * (y - fitted) * x;
            *sum = (sum.0 + residual, sum.1 + residual.abs());
        }
    }
    sums.values().all(|(sum, size)| sum.abs() <= 1e-8 * size)
}

/// The total inertia of J categories of Q variables is J/Q - 1.
pub(super) fn inertia_is_that_of_the_categories(
    work: &Work,
    params: &Params,
    original: &Table,
    found: &Measurement,
) -> bool {
    let placed = params.texts("supplementary");
    let active = work.on.iter().filter(|name| !placed.contains(name));
    let active: Vec<&Column> = active
        .filter_map(|name| original.column_named(name))
        .collect();
    let n_categories: usize = active
        .iter()
        .map(|column| {
            let labels = (0..original.n_records()).map(|record| entry(column, record).0);
            labels.collect::<BTreeSet<_>>().len()
        })
        .sum();
    let expected = n_categories as f64 / active.len() as f64 - 1.0;
    let inertia = found.part("total inertia, original");
    inertia.is_some_and(|inertia| (inertia - expected).abs() <= 1e-9 * expected)
}

fn response<'t>(params: &Params, original: &'t Table) -> Option<&'t Column> {
    original.column_named(params.texts("response").first()?)
}

fn coefficients(found: &Measurement) -> Option<BTreeMap<String, f64>> {
    let mut all = found.series.iter();
    let series = all.find(|series| series.spelled() == "coefficient, original")?;
    let named = |point: &bauta_methods::measure::Part| Some((point.name.clone(), point.value?));
    series.points.iter().map(named).collect()
}

/// The response as a number: whether it is not the commonest category, or the number itself.
fn outcomes(response: &Column) -> Option<Vec<f64>> {
    let Some(categories) = response.as_categorical() else {
        return response.as_numeric().map(<[f64]>::to_vec);
    };
    let mut counts = vec![0; categories.levels.len()];
    let present = |record: &usize| !response.is_missing(*record);
    for record in (0..response.len()).filter(present) {
        counts[categories.codes.at(record) as usize] += 1;
    }
    let most = counts.iter().max()?;
    let commonest = counts.iter().position(|count| count == most)?;
    let outcome = |record: usize| {
        if response.is_missing(record) {
            f64::NAN
        } else {
            f64::from(u8::from(categories.codes.at(record) as usize != commonest))
        }
    };
    Some((0..response.len()).map(outcome).collect())
}

/// A record's entry of a predictor: the dummy of its category, or its number.
fn entry(column: &Column, record: usize) -> (String, f64) {
    let name = column.name();
    match column.as_categorical() {
        _ if column.is_missing(record) => (format!("{name}=missing"), 1.0),
        Some(categories) => {
            let text = categories.levels.text(categories.codes.at(record));
            (format!("{name}={text}"), 1.0)
        }
        None => {
            let x = column.as_numeric().map_or(f64::NAN, |x| x[record]);
            (name.to_owned(), x)
        }
    }
}
