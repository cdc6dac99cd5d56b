#![doc = include_str!("eigenvalue_distance.md")]

use std::borrow::Cow;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Side, Unit};
use crate::kernel::matrix::symmetric::{covariance, eigen};
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{finite_moments, is_constant};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::missing::{MISSING, Missing};
use crate::pair::variables::columns_of_both;
use crate::params::{ParamProblem, Params};

/// Distance between the eigenvalues of two correlation matrices. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct EigenvalueDistance;

const RELATIVE: FigureSpec = FigureSpec::number("relative", "relative distance").lower_is_better();
const RELATIVE_TERMS: FigureSpec =
    FigureSpec::count("relative_terms", "eigenvalues in the relative distance");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "eigenvalue-distance",
        title: "Eigenvalue distance",
        summary: "difference between the eigenvalues of the correlation matrices of original and masked file",
        page: include_str!("eigenvalue_distance.md"),
        params: &[MISSING],
        references: &["templ2015"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("distance", Unit::Number)
        .within(0.0, 2.0)
        .lower_is_better(),
    figures: &[RELATIVE, RELATIVE_TERMS],
    by_variable: false,
    ..MeasureCard::LOSS
};

/// Share of the sum of eigenvalues below which one counts as 0: rounding leaves 1e-15 or so.
const NOTHING: f64 = 1e-8;

impl MeasureMethod for EigenvalueDistance {
    type Settings = Missing;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Missing, Vec<ParamProblem>> {
        Ok(Missing::asked(params))
    }

    fn measure(
        &self,
        missing: &Missing,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let columns = columns_of_both(task, *missing, context)?;
        let mut files: [Vec<&[f64]>; 2] = [Vec::new(), Vec::new()];
        for column in &columns {
            let (x, z) = column.numbers()?;
            files[0].push(x);
            files[1].push(z);
        }
        context.go_on()?;
        let lambda = eigenvalues(&files[0], task.on, Side::Original)?;
        context.go_on()?;
        let mu = eigenvalues(&files[1], task.on, Side::Masked)?;
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
    file: Side,
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
                    "it has no two different values in the {} file, so that it has no correlations",
                    file.name()
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
    let series = |file: Side, values: &[f64]| {
        let point = |(number, &value): (usize, &f64)| Part::new(number.to_string(), value);
        let points = (1..).zip(values).map(point).collect();
        let spelled = match file {
            Side::Original => "eigenvalues of the original",
            Side::Masked => "eigenvalues of the masked file",
        };
        Series::new("eigenvalues", "eigenvalue", Unit::Number, points)
            .of_side(file)
            .spelled_as(spelled.to_owned())
    };
    let mut found = Measurement {
        value: Some(absolute / d),
        series: vec![series(Side::Original, lambda), series(Side::Masked, mu)],
        ..Measurement::default()
    };
    found.give(&RELATIVE, relative);
    found.give(&RELATIVE_TERMS, terms().count() as f64);
    found
}
