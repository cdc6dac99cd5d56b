#![doc = include_str!("eigenvalue_distance.md")]

use std::borrow::Cow;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::matrix::symmetric::{covariance, eigen};
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{finite_moments, is_constant};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::missing::MISSING;
use crate::pair::variables::columns_of_both;
use crate::params::{ParamProblem, Params};

/// Distance between the eigenvalues of two correlation matrices. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct EigenvalueDistance;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "eigenvalue-distance",
        title: "Eigenvalue distance",
        summary: "difference between the eigenvalues of the correlation matrices of original and masked file",
        family: Family::Loss,
        page: include_str!("eigenvalue_distance.md"),
        params: &[MISSING],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["templ2015"],
    },
    value: FigureSpec::value("distance", Unit::Number)
        .within(0.0, 2.0)
        .lower_is_better(),
    ..MeasureCard::LOSS
};

/// Share of the sum of eigenvalues below which one counts as 0: rounding leaves 1e-15 or so.
const NOTHING: f64 = 1e-8;

impl MeasureMethod for EigenvalueDistance {
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
        let columns = columns_of_both(task, context)?;
        let mut files: [Vec<&[f64]>; 2] = [Vec::new(), Vec::new()];
        for column in &columns {
            let (x, z) = column.numbers()?;
            files[0].push(x);
            files[1].push(z);
        }
        context.go_on()?;
        let lambda = eigenvalues(&files[0], task.on, "original")?;
        context.go_on()?;
        let mu = eigenvalues(&files[1], task.on, "masked")?;
        Ok(match (lambda, mu) {
            (Some(lambda), Some(mu)) => compared(&lambda, &mu),
            _ => Measurement::default(),
        })
    }
}

/// The eigenvalues of the correlation matrix, the largest first; none without variables or with
/// fewer than two complete records.
fn eigenvalues(
    columns: &[&[f64]],
    names: &[String],
    file: &str,
) -> Result<Option<Vec<f64>>, MethodError> {
    let n = columns.first().map_or(0, |column| column.len());
    let complete = complete_rows(n, columns);
    let kept: Vec<Cow<'_, [f64]>> = columns
        .iter()
        .map(|&column| {
            if complete.len() == n {
                Cow::Borrowed(column)
            } else {
                Cow::Owned(taken(column, &complete))
            }
        })
        .collect();
    let columns: Vec<&[f64]> = kept.iter().map(AsRef::as_ref).collect();
    if columns.first().is_none_or(|column| column.len() < 2) {
        return Ok(None);
    }
    let mut means = Vec::new();
    for (column, name) in columns.iter().zip(names) {
        if is_constant(column) {
            return Err(MethodError::data(
                name,
                format!(
                    "it has no two different values in the {file} file, so that it has no correlations"
                ),
                "leave the variable out of this measure",
            ));
        }
        means.push(finite_moments(name, column)?.mean);
    }
    Ok(Some(
        eigen(&covariance(&columns, &means).to_correlation()).values,
    ))
}

fn compared(lambda: &[f64], mu: &[f64]) -> Measurement {
    let d = lambda.len() as f64;
    let pairs = || lambda.iter().zip(mu);
    let absolute: f64 = pairs().map(|(lambda, mu)| (lambda - mu).abs()).sum();
    let terms = || pairs().filter(|(lambda, _)| **lambda > NOTHING * d);
    let relative: f64 = terms()
        .map(|(lambda, mu)| (lambda - mu).abs() / lambda)
        .sum();
    let series = |name: &str, values: &[f64]| Series {
        name: name.to_owned(),
        axis: "eigenvalue".to_owned(),
        unit: Unit::Number,
        file: None,
        variable: None,
        table: None,
        points: (1..)
            .zip(values)
            .map(|(number, &value): (usize, _)| Part {
                name: number.to_string(),
                value: Some(value),
            })
            .collect(),
    };
    let mut found = Measurement {
        value: Some(absolute / d),
        series: vec![
            series("eigenvalues of the original", lambda),
            series("eigenvalues of the masked file", mu),
        ],
        ..Measurement::default()
    };
    found.push_part("relative", relative);
    found.push_part("relative_terms", terms().count() as f64);
    found
}
