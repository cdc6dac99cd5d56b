#![doc = include_str!("linear_regression.md")]

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::MIN_RECORDS;
use crate::figure::{FigureSpec, Side};
use crate::kernel::matrix::least_squares::{inverse, sandwich, solve};
use crate::kernel::matrix::symmetric::{Symmetric, column_root};
use crate::kernel::numbers::moments::{Moments, finite_moments};
use crate::kernel::numbers::sums::sum_by;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::models::design_matrix::{Design, REFERENCE};
use crate::models::interval_overlap::OVERLAP;
use crate::models::regression::{
    COMPARED, ERRORS, Fit, LEVEL, ModelSettings, RECORDS, REGRESSION, RESPONSE, Reads, TwoFits,
    UNMATCHED, refuse_dependent,
};
use crate::pair::categories::MISSING_CATEGORY;
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params, RawValue};

/// How far a linear model of both files agrees. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct LinearRegression;

const R_SQUARED: FigureSpec = FigureSpec::number("R²", "R²")
    .within(f64::NEG_INFINITY, 1.0)
    .per_side();
const SIGMA: FigureSpec =
    FigureSpec::number("residual standard deviation", "residual standard deviation").per_side();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "linear-regression",
        title: "Linear regression",
        summary: "how far the confidence intervals of a weighted linear model agree between the files",
        page: include_str!("linear_regression.md"),
        params: &[
            RESPONSE,
            REFERENCE,
            MISSING_CATEGORY,
            LEVEL,
            ERRORS,
            OVERLAP,
            MIN_RECORDS,
        ],
        references: &["karr2006", "binder1983", "bergeat2015"],
        ..REGRESSION.card
    },
    figures: &[COMPARED, UNMATCHED, RECORDS, R_SQUARED, SIGMA],
    ..REGRESSION
};

impl MeasureMethod for LinearRegression {
    type Settings = ModelSettings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<ModelSettings, Vec<ParamProblem>> {
        ModelSettings::read(params)
    }

    fn measure(
        &self,
        settings: &ModelSettings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        context.progress(0, 2)?;
        let (response, predictors) = (&settings.response, settings.predictors(task.on));
        let (original, masked) = TwoColumns::of(pair, response)?.numbers()?;
        let mut units = Vec::new();
        let mut responses = [original.to_vec(), masked.to_vec()];
        for (values, file) in responses.iter_mut().zip(Side::BOTH) {
            units.push(standardise(response, values, file)?);
        }
        let model = settings.model(&pair, &predictors, responses, context)?;
        let mut fits = Vec::new();
        for (file, unit) in Side::BOTH.into_iter().zip(&units) {
            context.progress(fits.len(), 2)?;
            fits.push(fit_linear(model.design(file)?, unit)?);
        }
        let two = [&fits[0].fit, &fits[1].fit];
        let mut found = TwoFits::new(two, Reads::Plainly, settings).compared(&predictors);
        for (of, file) in fits.iter().zip(Side::BOTH) {
            found.give(R_SQUARED.of_side(file), of.r_squared);
            found.give(SIGMA.of_side(file), of.sigma);
        }
        Ok(found)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("response", RawValue::Text("income".to_owned()))]
    }
}

/// Brings a response to mean 0 and standard deviation 1, and says what these were.
fn standardise(name: &str, values: &mut [f64], file: Side) -> Result<Moments, MethodError> {
    let unit = finite_moments(name, values)?;
    if unit.sd <= 0.0 || !(1.0 / unit.sd).is_finite() {
        return Err(MethodError::data(
            name,
            format!(
                "the response has no two different values in the {} file",
                file.name()
            ),
            "name another response",
        ));
    }
    for value in values {
        *value = (*value - unit.mean) / unit.sd;
    }
    Ok(unit)
}

/// Corrections of a solution by its own residuals.
const REFINEMENTS: usize = 2;

/// A fitted model and what only linear models have.
struct LinearFit {
    fit: Fit,
    r_squared: Option<f64>,
    sigma: f64,
}

/// Weighted least squares; the response was standardised by `unit`.
fn fit_linear(design: Design, unit: &Moments) -> Result<LinearFit, MethodError> {
    refuse_dependent(&design)?;
    let rows = &design.responses;
    let (n_rows, order) = (design.n_rows(), design.columns.len());
    let (products, right) =
        design.normal_equations(|row| (rows.w[row], rows.w[row] * rows.mean[row]));
    let root = column_root(&products);
    let mut beta = solve(&root, &right);
    let mut fitted = design.predicted(&beta);
    // The equations square the condition of the columns; residuals give the lost digits back.
    for _ in 0..REFINEMENTS {
        let (_, left_over) = design.normal_equations(|row| {
            let residual = rows.mean[row] - fitted[row];
            (0.0, rows.w[row] * residual)
        });
        let correction = solve(&root, &left_over);
        beta.iter_mut()
            .zip(correction)
            .for_each(|(beta, by)| *beta += by);
        fitted = design.predicted(&beta);
    }
    let residual = sum_by(n_rows, |row| rows.squares(row, fitted[row]));
    let n = design.n_records as f64;
    let mean = sum_by(n_rows, |row| rows.w[row] * rows.mean[row]) / n;
    let total = sum_by(n_rows, |row| rows.squares(row, mean));
    // At least one record more than coefficients: the design was checked.
    let variance = residual / (n - order as f64);
    let unscaled = inverse(&root, order);
    let (meat, _) = design.normal_equations(|row| (rows.squares2(row, fitted[row]), 0.0));
    let robust = sandwich(&unscaled, &meat);
    let of_model = Symmetric::from_lower(order, |j, k| unscaled.at(j, k) * variance);
    Ok(LinearFit {
        r_squared: (total > 0.0).then(|| 1.0 - residual / total),
        sigma: variance.sqrt() * unit.sd,
        fit: Fit::new(design, &beta, &of_model, &robust).of_response(unit.mean, unit.sd),
    })
}
