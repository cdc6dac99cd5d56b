//! The weighted logistic model, fitted by Newton's method, and where it has no fit.

use rayon::prelude::*;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::least_squares::{inverse, sandwich, solve};
use crate::kernel::matrix::symmetric::column_root;
use crate::kernel::numbers::sums::sum_by;
use crate::models::design_matrix::{Design, DesignPart};
use crate::models::regression::{Fit, refuse_dependent};

/// Steps after which the fit is given up; a dozen suffice where there is one.
const MAX_ITERATIONS: usize = 60;
/// A step below this, against the coefficients, ends the fit.
const TOLERANCE: f64 = 1e-13;
/// From this step on, steps that move a prediction by more than [`RUNS_AWAY`] are looked into: they
/// shrink fast where there is a fit, and go to 1 where there is none.
const PATIENT_STEPS: usize = 15;
const RUNS_AWAY: f64 = 0.5;
/// Share of the largest move of a prediction below which a move is none.
const NO_MOVE: f64 = 1e-3;

/// A fitted model and what only logistic models have.
pub(crate) struct LogisticFit {
    pub(crate) fit: Fit,
    pub(crate) log_likelihood: f64,
    pub(crate) n_iterations: usize,
}

/// Fits the model; responses are 0 and 1.
pub(crate) fn fit_logistic(
    design: Design,
    context: &RunContext<'_>,
) -> Result<LogisticFit, MethodError> {
    refuse_one_outcome(&design)?;
    refuse_pure_categories(&design)?;
    refuse_dependent(&design)?;
    let rows = &design.responses;
    let mut beta = vec![0.0; design.columns.len()];
    let mut eta = vec![0.0; design.n_rows()];
    let mut reached = log_likelihood(&design, &eta);
    let mut smallest = f64::INFINITY;
    for n_iterations in 1..=MAX_ITERATIONS {
        context.go_on()?;
        let (information, score) = design.normal_equations(|row| {
            let p = probability(eta[row]);
            (
                rows.w[row] * p.variance,
                rows.w[row] * (rows.mean[row] - p.event),
            )
        });
        let root = column_root(&information);
        if !root.dependent.is_empty() {
            break;
        }
        let step = solve(&root, &score);
        let taken = damped(&design, &beta, &step, reached);
        (beta, eta, reached) = (taken.beta, taken.eta, taken.log_likelihood);
        let size = largest(&step) / (1.0 + largest(&beta));
        // Rounding may keep a step above the tolerance for ever: then it does not shrink.
        if size < TOLERANCE || (size < 1e-9 && size >= smallest) {
            return Ok(LogisticFit {
                log_likelihood: reached,
                n_iterations,
                fit: estimated(design, &beta, &eta),
            });
        }
        smallest = smallest.min(size);
        if n_iterations >= PATIENT_STEPS {
            refuse_separated(&design, &step)?;
        }
    }
    Err(MethodError::request(
        format!(
            "the logistic model of the {} file does not settle: a combination of predictors nearly tells the response",
            design.file.name()
        ),
        "leave out predictors, or merge rare categories",
    ))
}

/// Coefficients and their covariances at the maximum.
fn estimated(design: Design, beta: &[f64], eta: &[f64]) -> Fit {
    let rows = &design.responses;
    let p: Vec<Probability> = eta.par_iter().map(|&eta| probability(eta)).collect();
    let (information, _) = design.normal_equations(|row| (rows.w[row] * p[row].variance, 0.0));
    let (meat, _) = design.normal_equations(|row| (rows.squares2(row, p[row].event), 0.0));
    let model = inverse(&column_root(&information), beta.len());
    let robust = sandwich(&model, &meat);
    Fit::new(design, beta, &model, &robust)
}

/// A step, halved until the likelihood does not fall.
struct Taken {
    beta: Vec<f64>,
    eta: Vec<f64>,
    log_likelihood: f64,
}

fn damped(design: &Design, beta: &[f64], step: &[f64], reached: f64) -> Taken {
    let mut share = 1.0;
    loop {
        let moved = beta
            .iter()
            .zip(step)
            .map(|(beta, step)| beta + share * step);
        let moved: Vec<f64> = moved.collect();
        let eta = design.predicted(&moved);
        let found = log_likelihood(design, &eta);
        // Near the maximum rounding decides which is larger.
        if found >= reached - 1e-9 * reached.abs() || share < 1e-6 {
            return Taken {
                beta: moved,
                eta,
                log_likelihood: found,
            };
        }
        share *= 0.5;
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

struct Probability {
    event: f64,
    /// p (1 - p), without cancellation.
    variance: f64,
}

fn probability(eta: f64) -> Probability {
    let small = libm::exp(-eta.abs());
    let rare = small / (1.0 + small);
    let frequent = 1.0 / (1.0 + small);
    Probability {
        event: if eta < 0.0 { rare } else { frequent },
        variance: rare * frequent,
    }
}

/// Σ w (y ln p + (1 - y) ln(1 - p)), with ln(1 - p) = -ln(1 + e^η).
fn log_likelihood(design: &Design, eta: &[f64]) -> f64 {
    let rows = &design.responses;
    let softplus = |x: f64| x.max(0.0) + libm::log1p(libm::exp(-x.abs()));
    sum_by(eta.len(), |row| {
        let y = rows.mean[row];
        -rows.w[row] * (y * softplus(-eta[row]) + (1.0 - y) * softplus(eta[row]))
    })
}

fn separation(design: &Design, variable: &str, place: &str) -> MethodError {
    MethodError::data(
        variable,
        format!(
            "{place} tells the response without error in the {} file, so that no finite coefficient fits best",
            design.file.name()
        ),
        "merge the category with another, leave the variable out, or set missing = \"skip\" if it is about missing values",
    )
}

fn refuse_one_outcome(design: &Design) -> Result<(), MethodError> {
    let means = &design.responses.mean;
    if means.iter().any(|&mean| mean > 0.0) && means.iter().any(|&mean| mean < 1.0) {
        return Ok(());
    }
    Err(MethodError::request(
        format!(
            "the response is the same in all records of the {} file that enter the model",
            design.file.name()
        ),
        "name the categories that count as the event in `event`, or another response",
    ))
}

/// Refuses a category all of whose records have the same response: the commonest separation.
fn refuse_pure_categories(design: &Design) -> Result<(), MethodError> {
    let rows = &design.responses;
    for part in &design.parts {
        let DesignPart::Dummies {
            variable,
            column_of_row,
            reference,
        } = part
        else {
            continue;
        };
        // Whether there is a record with, and one without the event; the reference comes last.
        let n_columns = design.columns.len();
        let mut seen = vec![[false, false]; n_columns + 1];
        for (row, &column) in column_of_row.iter().enumerate() {
            let seen = &mut seen[(column as usize).min(n_columns)];
            seen[0] |= rows.mean[row] < 1.0;
            seen[1] |= rows.mean[row] > 0.0;
        }
        if let Some(pure) = seen.iter().position(|seen| seen[0] != seen[1]) {
            let place = design.columns.get(pure).map_or(reference, |c| &c.place);
            return Err(separation(design, variable, place));
        }
    }
    Ok(())
}

/// Refuses a fit that runs away along a direction d with xᵀd ≥ 0 for all events and xᵀd ≤ 0 for all
/// others, and not always 0 (Albert and Anderson 1984): the likelihood grows along it for ever.
fn refuse_separated(design: &Design, direction: &[f64]) -> Result<(), MethodError> {
    let moves = design.predicted(direction);
    let farthest = largest(&moves);
    if farthest < RUNS_AWAY {
        return Ok(());
    }
    let means = &design.responses.mean;
    let agrees = |(&by, &mean): (&f64, &f64)| {
        by.abs() < NO_MOVE * farthest || if by > 0.0 { mean >= 1.0 } else { mean <= 0.0 }
    };
    if !moves.iter().zip(means).all(agrees) {
        return Ok(());
    }
    let mut named = 1;
    for (at, by) in direction.iter().enumerate().skip(1) {
        if by.abs() > direction[named].abs() {
            named = at;
        }
    }
    let column = &design.columns[named];
    let place = format!("{}, with others,", column.place);
    Err(separation(design, &column.variable, &place))
}
