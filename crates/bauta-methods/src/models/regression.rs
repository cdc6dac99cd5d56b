//! Fits of one model to two files, and how far they agree.

use bauta_data::{Kind, Role};

use crate::card::{Card, ParamSpec, ParamType, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::min_records;
use crate::figure::{FigureSpec, Side, Unit};
use crate::kernel::matrix::symmetric::{Symmetric, column_root};
use crate::kernel::numbers::normal;
use crate::measure::{IntervalEnd, MeasureCard, Measurement, Part, Series};
use crate::models::design_matrix::{Design, DesignColumn, Model, REFERENCE, Reference};
use crate::models::interval_overlap::{Disjoint, interval_overlap, mean_overlap};
use crate::pair::Pair;
use crate::pair::categories::MissingCategory;
use crate::params::{ParamProblem, Params, choices};

choices! {
    /// Which standard errors intervals rest on.
    pub(crate) enum Errors {
        Model = "model": "those of the model, with normalised weights",
        Robust = "robust": "those of the sandwich estimator",
    }
}

/// What is explained.
pub(crate) const RESPONSE: ParamSpec = ParamSpec::new(
    "response",
    "the variable that the model explains; it is no predictor, even if `on` names it",
    ParamType::Variables,
);

/// Confidence of the intervals.
pub(crate) const LEVEL: ParamSpec = ParamSpec::new(
    "level",
    "confidence level of the intervals",
    ParamType::Fraction {
        min: 0.01,
        max: 0.9999,
    },
)
.or_number(0.95);

/// Which errors the intervals rest on.
pub(crate) const ERRORS: ParamSpec =
    ParamSpec::choice::<Errors>("errors", "which standard errors the intervals rest on")
        .or_word("model");

/// Variables that may explain another one: not those that say who a record is or what it weighs.
const PREDICTORS: Targets = Targets {
    kinds: &Kind::ALL,
    default_roles: &[Role::Key, Role::Sensitive, Role::Other],
    refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
};

/// What the measures that compare regressions have in common.
pub(crate) const REGRESSION: MeasureCard = MeasureCard {
    card: Card {
        targets: PREDICTORS,
        ..Card::PLAIN
    },
    value: mean_overlap("value", "mean interval overlap"),
    at_identity: Some(1.0),
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// Mean overlap of the intervals of odds ratios.
pub(crate) const OVERLAP_OF_ODDS_RATIOS: FigureSpec =
    mean_overlap("mean overlap of odds ratios", "mean overlap of odds ratios");
/// Mean overlap of the intervals of the coefficients of a logistic model.
pub(crate) const OVERLAP_OF_LOG_ODDS: FigureSpec =
    mean_overlap("mean overlap of log-odds", "mean overlap of log-odds");
/// Coefficients that the mean is over.
pub(crate) const COMPARED: FigureSpec =
    FigureSpec::count("coefficients compared", "coefficients compared");
/// Coefficients that have no partner.
pub(crate) const UNMATCHED: FigureSpec = FigureSpec::count(
    "coefficients in one file only",
    "coefficients in one file only",
)
.lower_is_better();
/// Records that entered the model.
pub(crate) const RECORDS: FigureSpec =
    FigureSpec::count("records", "records in the model").per_side();

/// What is explained and how, and how the fits are compared.
pub struct ModelSettings {
    /// The variable that is explained.
    pub(crate) response: String,
    reference: Reference,
    missing: MissingCategory,
    level: f64,
    errors: Errors,
    disjoint: Disjoint,
    /// Records that a figure of the tables rests on at least.
    min_records: u64,
}

impl ModelSettings {
    /// What the parameters say that all regressions have.
    pub(crate) fn read(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let [response] = params.texts(RESPONSE.name) else {
            return Err(vec![ParamProblem::of(
                RESPONSE.name,
                "a model explains one variable",
                "name one variable in `response`",
            )]);
        };
        Ok(Self {
            response: response.clone(),
            reference: params.choice_of(REFERENCE.name),
            missing: MissingCategory::asked(params),
            level: params.number(LEVEL.name),
            errors: params.choice_of(ERRORS.name),
            disjoint: Disjoint::asked(params),
            min_records: min_records(params),
        })
    }

    /// The predictors among the variables of a task.
    pub(crate) fn predictors<'a>(&self, on: &'a [String]) -> Vec<&'a str> {
        let others = on.iter().filter(|name| **name != self.response);
        others.map(String::as_str).collect()
    }

    /// The model of a response of both files by these predictors.
    pub(crate) fn model<'a>(
        &self,
        pair: &Pair<'a>,
        predictors: &[&'a str],
        responses: [Vec<f64>; 2],
        context: &RunContext<'_>,
    ) -> Result<Model<'a>, MethodError> {
        let (missing, reference) = (self.missing, self.reference);
        Model::new(pair, predictors, responses, missing, reference, context)
    }
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
            column.place,
            design.file.name()
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
    errors: Errors,
    disjoint: Disjoint,
    min_records: u64,
}

/// A figure of each coefficient: its name, its axis, and how it is found.
type Figure<'f> = (&'static str, &'static str, &'f dyn Fn(&Estimate) -> f64);

/// The figure that a bound is about, and which end it is.
fn bounded(name: &str) -> Option<(&'static str, IntervalEnd)> {
    match name {
        LOWER => Some((COEFFICIENT, IntervalEnd::Lower)),
        UPPER => Some((COEFFICIENT, IntervalEnd::Upper)),
        ODDS_LOWER => Some((ODDS, IntervalEnd::Lower)),
        ODDS_UPPER => Some((ODDS, IntervalEnd::Upper)),
        _ => None,
    }
}

const COEFFICIENT: &str = "coefficient";
const LOWER: &str = "lower bound";
const UPPER: &str = "upper bound";
const ODDS: &str = "odds ratio";
const ODDS_LOWER: &str = "lower bound of the odds ratio";
const ODDS_UPPER: &str = "upper bound of the odds ratio";

/// Overlaps of a coefficient's intervals: on its own scale, and as odds ratios.
struct Overlap {
    plain: Option<f64>,
    odds: Option<f64>,
}

impl<'a> TwoFits<'a> {
    pub(crate) fn new(fits: [&'a Fit; 2], reads: Reads, settings: &ModelSettings) -> Self {
        Self {
            fits,
            reads,
            z: normal::quantile(0.5 + settings.level / 2.0),
            errors: settings.errors,
            disjoint: settings.disjoint,
            min_records: settings.min_records,
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
            found.give(&OVERLAP_OF_ODDS_RATIOS, counted(&odds, None));
            found.give(&OVERLAP_OF_LOG_ODDS, counted(&plain, None));
        }
        let by_variable = predictors.iter().enumerate();
        found.by_variable = by_variable
            .map(|(at, &name)| Part::new(name, counted(value, Some(at))))
            .collect();
        let n_compared = overlaps
            .iter()
            .filter(|(of, _)| of.column.is_compared)
            .count();
        found.give(&COMPARED, n_compared as f64);
        found.give(&UNMATCHED, self.n_unmatched() as f64);
        for (fit, file) in self.fits.iter().zip(Side::BOTH) {
            found.give(RECORDS.of_side(file), fit.n_records as f64);
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
        match self.errors {
            Errors::Model => of.error,
            Errors::Robust => of.robust,
        }
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
            (COEFFICIENT, unit, &|of| of.beta),
            ("standard error", unit, &|of| of.error),
            ("robust standard error", unit, &|of| of.robust),
        ];
        let low = |of: &Estimate| self.interval(of).0;
        let high = |of: &Estimate| self.interval(of).1;
        let odds_low = |of: &Estimate| libm::exp(low(of));
        let odds_high = |of: &Estimate| libm::exp(high(of));
        let odds: [Figure<'_>; 3] = [
            (ODDS, "odds ratio", &|of| libm::exp(of.beta)),
            (ODDS_LOWER, "odds ratio", &odds_low),
            (ODDS_UPPER, "odds ratio", &odds_high),
        ];
        match self.reads {
            Reads::Plainly => {
                figures.push((LOWER, unit, &low));
                figures.push((UPPER, unit, &high));
            }
            Reads::AsOddsRatios => figures.extend(odds),
        }
        for (name, unit, figure) in figures {
            for (fit, file) in self.fits.iter().zip(Side::BOTH) {
                let part = |of: &Estimate| self.part(&of.column, Some(figure(of)));
                let points = fit.estimates.iter().map(part).collect();
                let series = Series::new(name, unit, Unit::Number, points).of_side(file);
                found.series.push(match bounded(name) {
                    Some((of, end)) => series.bounding(of, end),
                    None => series,
                });
            }
        }
    }

    /// A figure of a coefficient as the tables have it: the coefficient of a category that one record has
    /// is what that record's response lacks to be explained.
    fn part(&self, column: &DesignColumn, figure: Option<f64>) -> Part {
        let n_records = column.n_records;
        let shown = |figure: &f64| n_records >= self.min_records && figure.is_finite();
        Part::new(column.label.as_str(), figure.filter(shown)).of_records(n_records)
    }

    fn add_overlaps(&self, overlaps: &[(&Estimate, Overlap)], found: &mut Measurement) {
        let mut add_overlap = |name: &str, of: &dyn Fn(&Overlap) -> Option<f64>| {
            let points = overlaps.iter();
            let points = points.map(|(estimate, overlap)| self.part(&estimate.column, of(overlap)));
            let points = points.collect();
            let axis = "share of the intervals";
            found
                .series
                .push(Series::new(name, axis, Unit::Share, points));
        };
        match self.reads {
            Reads::AsOddsRatios => {
                add_overlap("overlap of odds ratios", &|overlap| overlap.odds);
                add_overlap("overlap of log-odds", &|overlap| overlap.plain);
            }
            Reads::Plainly => add_overlap("overlap", &|overlap| overlap.plain),
        }
    }
}
