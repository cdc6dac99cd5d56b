//! Fits of one model to two files, and how far they agree.

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::error::MethodError;
use crate::figure::Unit;
use crate::kernel::matrix::symmetric::{Symmetric, column_root};
use crate::kernel::numbers::normal;
use crate::measure::{MeasureTask, Measurement, Part, Series};
use crate::models::design_matrix::{Design, DesignColumn};
use crate::models::interval_overlap::{Disjoint, interval_overlap};
use crate::pair::categories::FILES;
use crate::params::{ParamProblem, Params};

/// What is explained.
pub(crate) const RESPONSE: ParamSpec = ParamSpec {
    name: "response",
    meaning: "the variable that the model explains; it is no predictor, even if `on` names it",
    ty: ParamType::Variables,
    default: ParamDefault::Required,
};

/// Confidence of the intervals.
pub(crate) const LEVEL: ParamSpec = ParamSpec {
    name: "level",
    meaning: "confidence level of the intervals",
    ty: ParamType::Fraction {
        min: 0.01,
        max: 0.9999,
    },
    default: ParamDefault::Value(ConstValue::Number(0.95)),
};

/// Which errors the intervals rest on.
pub(crate) const ERRORS: ParamSpec = ParamSpec {
    name: "errors",
    meaning: "which standard errors the intervals rest on",
    ty: ParamType::Choice(&[
        ("model", "those of the model, with normalised weights"),
        ("robust", "those of the sandwich estimator"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("model")),
};

/// What is wrong with the response that was named.
pub(crate) fn problems(params: &Params) -> Vec<ParamProblem> {
    if params.texts(RESPONSE.name).len() == 1 {
        return Vec::new();
    }
    vec![ParamProblem::of(
        RESPONSE.name,
        "a model explains one variable",
        "name one variable in `response`",
    )]
}

/// The response and the predictors of a task.
pub(crate) fn variables<'a>(
    task: &MeasureTask<'a>,
) -> Result<(&'a str, Vec<&'a str>), MethodError> {
    let [response] = task.params.texts(RESPONSE.name) else {
        let problem = problems(task.params).remove(0);
        return Err(MethodError::request(problem.message, problem.hint));
    };
    let predictors = task.on.iter().filter(|name| *name != response);
    Ok((response, predictors.map(String::as_str).collect()))
}

/// Refuses predictors that are combinations of others.
pub(crate) fn refuse_dependent(design: &Design) -> Result<(), MethodError> {
    let (products, _) = design.normal_equations(|row| (design.responses.w[row], 0.0));
    let root = column_root(&products);
    let Some(column) = root.dependent.first().map(|&at| &design.columns[at]) else {
        return Ok(());
    };
    Err(MethodError::data(
        &column.variable,
        format!(
            "{} is a combination of the predictors before it in the {} file, so that its coefficient is not determined",
            column.place, design.file
        ),
        "leave out one of the predictors, merge categories, or set missing = \"skip\" if it is about missing values",
    ))
}

/// An estimated coefficient.
struct Estimate {
    column: DesignColumn,
    beta: f64,
    error: f64,
    robust: f64,
}

/// The coefficients of a model in one file.
pub(crate) struct Fit {
    estimates: Vec<Estimate>,
    n_records: usize,
}

impl Fit {
    /// Undoes the standardising: β = β'/s, and β₀ = β'₀ - Σ β' m/s.
    pub(crate) fn new(design: Design, beta: &[f64], model: &Symmetric, robust: &Symmetric) -> Self {
        let columns = &design.columns;
        let to_origin: Vec<f64> = columns
            .iter()
            .enumerate()
            .map(|(j, column)| {
                if j == 0 {
                    1.0
                } else {
                    -column.centre / column.scale
                }
            })
            .collect();
        let intercept_error = |covariance: &Symmetric| {
            let order = covariance.order();
            let entry = |j: usize, k: usize| to_origin[j] * to_origin[k] * covariance.at(j, k);
            let sum: f64 = (0..order)
                .flat_map(|j| (0..order).map(move |k| (j, k)))
                .map(|(j, k)| entry(j, k))
                .sum();
            sum.max(0.0).sqrt()
        };
        let intercept = beta.iter().zip(&to_origin).map(|(beta, c)| beta * c).sum();
        let errors = [intercept_error(model), intercept_error(robust)];
        let n_records = design.n_records;
        let estimate = |(j, column): (usize, DesignColumn)| {
            let error = |covariance: &Symmetric| covariance.at(j, j).max(0.0).sqrt() / column.scale;
            let (beta, error, robust) = match j {
                0 => (intercept, errors[0], errors[1]),
                _ => (beta[j] / column.scale, error(model), error(robust)),
            };
            Estimate {
                column,
                beta,
                error,
                robust,
            }
        };
        Self {
            estimates: design
                .columns
                .into_iter()
                .enumerate()
                .map(estimate)
                .collect(),
            n_records,
        }
    }

    /// The same model of a response that was standardised too: y = centre + scale y'.
    pub(crate) fn of_response(mut self, centre: f64, scale: f64) -> Self {
        for estimate in &mut self.estimates {
            estimate.beta *= scale;
            estimate.error *= scale;
            estimate.robust *= scale;
        }
        self.estimates[0].beta += centre;
        self
    }
}

/// How coefficients are read besides as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// As they are.
    Plainly,
    /// As odds ratios too.
    AsOddsRatios,
}

/// The fits of both files beside each other.
pub(crate) struct TwoFits<'a> {
    pub(crate) fits: [&'a Fit; 2],
    pub(crate) reads: Reads,
    z: f64,
    robust: bool,
    disjoint: Disjoint,
}

/// A figure of each coefficient: its name, its unit, and how it is found.
type Figure<'f> = (&'static str, &'static str, &'f dyn Fn(&Estimate) -> f64);

/// Overlaps of a coefficient's intervals: on its own scale, and as odds ratios.
struct Overlap {
    plain: Option<f64>,
    odds: Option<f64>,
}

impl<'a> TwoFits<'a> {
    pub(crate) fn new(fits: [&'a Fit; 2], reads: Reads, params: &Params) -> Self {
        Self {
            fits,
            reads,
            z: normal::quantile(0.5 + params.number(LEVEL.name) / 2.0),
            robust: params.choice(ERRORS.name) == "robust",
            disjoint: Disjoint::of(params),
        }
    }

    /// The measurement: mean overlap, and every coefficient of both files.
    pub(crate) fn compared(&self, predictors: &[&str]) -> Measurement {
        let overlaps = self.overlaps();
        let mut found = Measurement::default();
        let counted = |of: &dyn Fn(&Overlap) -> Option<f64>, predictor: Option<usize>| {
            let compared = overlaps.iter().filter(|(estimate, _)| {
                let column = &estimate.column;
                column.is_compared && predictor.is_none_or(|at| column.predictor == Some(at))
            });
            let figures: Vec<f64> = compared.filter_map(|(_, overlap)| of(overlap)).collect();
            let mean = figures.iter().sum::<f64>() / figures.len() as f64;
            (!figures.is_empty()).then_some(mean)
        };
        let (plain, odds) = (|o: &Overlap| o.plain, |o: &Overlap| o.odds);
        let value: &dyn Fn(&Overlap) -> Option<f64> = match self.reads {
            Reads::Plainly => &plain,
            Reads::AsOddsRatios => &odds,
        };
        found.value = counted(value, None);
        if self.reads == Reads::AsOddsRatios {
            found.push_part("mean overlap of odds ratios", counted(&odds, None));
            found.push_part("mean overlap of log-odds", counted(&plain, None));
        }
        let by_variable = predictors.iter().enumerate().map(|(at, name)| Part {
            name: (*name).to_owned(),
            value: counted(value, Some(at)),
        });
        found.by_variable = by_variable.collect();
        let n_compared = overlaps
            .iter()
            .filter(|(of, _)| of.column.is_compared)
            .count();
        found.push_part("coefficients compared", n_compared as f64);
        found.push_part("coefficients in one file only", self.n_unmatched() as f64);
        for (fit, file) in self.fits.iter().zip(FILES) {
            found.push_part(format!("records, {file}"), fit.n_records as f64);
        }
        self.add_estimates(&mut found);
        self.add_overlaps(&overlaps, &mut found);
        found
    }

    /// The coefficients that both files have, those of the original, with their overlaps.
    fn overlaps(&self) -> Vec<(&Estimate, Overlap)> {
        let masked = &self.fits[1].estimates;
        let both = self.fits[0].estimates.iter().filter_map(|original| {
            let of_masked = |other: &&Estimate| other.column.label == original.column.label;
            Some((original, masked.iter().find(of_masked)?))
        });
        let overlap = |(original, masked): (&'a Estimate, &Estimate)| {
            let ends = [original, masked].map(|of| self.interval(of));
            let [o, m] = ends;
            // e^x - e^c over e^c, with the original's c: the share is the same, without overflow
            // and without the digits that e^x near 1 would lose.
            let odds = |end: f64| libm::expm1(end - original.beta);
            let odds = |(low, high): (f64, f64)| (odds(low), odds(high));
            let overlap = Overlap {
                plain: interval_overlap(o, m, self.disjoint),
                odds: interval_overlap(odds(o), odds(m), self.disjoint),
            };
            (original, overlap)
        };
        both.map(overlap).collect()
    }

    fn n_unmatched(&self) -> usize {
        let [original, masked] = self.fits.map(|fit| &fit.estimates);
        let alone = |these: &[Estimate], others: &[Estimate]| {
            let absent = |of: &&Estimate| {
                others
                    .iter()
                    .all(|other| other.column.label != of.column.label)
            };
            these.iter().filter(absent).count()
        };
        alone(original, masked) + alone(masked, original)
    }

    fn error(&self, of: &Estimate) -> f64 {
        if self.robust { of.robust } else { of.error }
    }

    fn interval(&self, of: &Estimate) -> (f64, f64) {
        let half = self.z * self.error(of);
        (of.beta - half, of.beta + half)
    }

    fn add_estimates(&self, found: &mut Measurement) {
        let unit = match self.reads {
            Reads::Plainly => "units of the response",
            Reads::AsOddsRatios => "log-odds",
        };
        let mut figures: Vec<Figure<'_>> = vec![
            ("coefficient", unit, &|of| of.beta),
            ("standard error", unit, &|of| of.error),
            ("robust standard error", unit, &|of| of.robust),
        ];
        let low = |of: &Estimate| self.interval(of).0;
        let high = |of: &Estimate| self.interval(of).1;
        let odds_low = |of: &Estimate| libm::exp(low(of));
        let odds_high = |of: &Estimate| libm::exp(high(of));
        let odds: [Figure<'_>; 3] = [
            ("odds ratio", "odds ratio", &|of| libm::exp(of.beta)),
            ("lower bound of the odds ratio", "odds ratio", &odds_low),
            ("upper bound of the odds ratio", "odds ratio", &odds_high),
        ];
        match self.reads {
            Reads::Plainly => {
                figures.push(("lower bound", unit, &low));
                figures.push(("upper bound", unit, &high));
            }
            Reads::AsOddsRatios => figures.extend(odds),
        }
        for (name, unit, figure) in figures {
            for (fit, file) in self.fits.iter().zip(FILES) {
                let part = |of: &Estimate| Part {
                    name: of.column.label.clone(),
                    value: Some(figure(of)).filter(|value| value.is_finite()),
                };
                found.series.push(Series {
                    name: format!("{name}, {file}"),
                    axis: unit.to_owned(),
                    unit: Unit::Number,
                    file: None,
                    variable: None,
                    table: None,
                    points: fit.estimates.iter().map(part).collect(),
                });
            }
        }
    }

    fn add_overlaps(&self, overlaps: &[(&Estimate, Overlap)], found: &mut Measurement) {
        let mut add_overlap = |name: &str, of: &dyn Fn(&Overlap) -> Option<f64>| {
            let part = |(estimate, overlap): &(&Estimate, Overlap)| Part {
                name: estimate.column.label.clone(),
                value: of(overlap),
            };
            found.series.push(Series {
                name: name.to_owned(),
                axis: "share of the intervals".to_owned(),
                unit: Unit::Share,
                file: None,
                variable: None,
                table: None,
                points: overlaps.iter().map(part).collect(),
            });
        };
        if self.reads == Reads::AsOddsRatios {
            add_overlap("overlap of odds ratios", &|overlap| overlap.odds);
            add_overlap("overlap of log-odds", &|overlap| overlap.plain);
        } else {
            add_overlap("overlap", &|overlap| overlap.plain);
        }
    }
}
