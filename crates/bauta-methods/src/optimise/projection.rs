//! Means and covariances met at once: an affine map of the records that may change.

use super::ground::Ground;
use super::state::State;
use crate::kernel::matrix::symmetric::{Symmetric, eigen};

/// Maps and fits in turn: fitting values into their range undoes part of what a map has met.
const ROUNDS: usize = 20;
/// Share of the largest eigenvalue below which one counts as 0.
const NOTHING: f64 = 1e-9;

/// Moves the records that may change so that the file has the means and covariances of the original, as near as
/// ranges allow: z to μ* + A (z - μ), with the A that moves them least (the optimal map between normal
/// distributions). Ends at the best of some rounds.
pub(super) fn project(state: &mut State, ground: &Ground) {
    if state.n_open() <= ground.n_variables() {
        return;
    }
    let mut best = state.clone();
    for _ in 0..ROUNDS {
        map(state, ground);
        state.refresh(ground);
        if state.distance(ground).e >= best.distance(ground).e {
            break;
        }
        best = state.clone();
    }
    *state = best;
}

/// First and second moments of the records that may change: as they are, or as they should be.
struct Wanted {
    mean: Vec<f64>,
    covariance: Symmetric,
}

/// From sums over so many records.
fn of_sums(
    n: f64,
    d: usize,
    first: impl Fn(usize) -> f64,
    second: impl Fn(usize, usize) -> f64,
) -> Wanted {
    let mean: Vec<f64> = (0..d).map(|j| first(j) / n).collect();
    let covariance = Symmetric::from_lower(d, |j, k| second(j, k) / n - mean[j] * mean[k]);
    Wanted { mean, covariance }
}

fn map(state: &mut State, ground: &Ground) {
    let d = ground.n_variables();
    let n = ground.n_masked as f64;
    let n_open = state.n_open() as f64;
    let stride = ground.points.stride();
    let sums = ground.terms.sums(&state.z, stride);
    // Terms of order 1 come first, then those of order 2, the first variable outermost.
    let second = |j: usize, k: usize| {
        let (a, b) = (j.min(k), j.max(k));
        // Rows of the upper triangle before that of a hold d, d - 1, ... terms.
        d + a * (2 * d - a + 1) / 2 + (b - a)
    };
    let is = of_sums(n_open, d, |j| sums[j], |j, k| sums[second(j, k)]);
    // What the records that stay lack of the original's sums.
    let lacks = |term: usize| sums[term] - n * state.gaps[term];
    let should = of_sums(n_open, d, lacks, |j, k| lacks(second(j, k)));
    let root = function(&is.covariance, |value| value.max(0.0).sqrt());
    let largest = eigen(&is.covariance).values.first().copied().unwrap_or(0.0);
    let inverse = function(&is.covariance, |value| {
        if value > NOTHING * largest {
            value.sqrt().recip()
        } else {
            0.0
        }
    });
    // What is no covariance, for want of records, becomes the nearest that is one.
    let target = function(&should.covariance, |value| value.max(0.0));
    let inner = product(&product(&root, &target), &root);
    let inner = Symmetric::from_lower(d, |j, k| f64::midpoint(inner[j][k], inner[k][j]));
    let inner = function(&inner, |value| value.max(0.0).sqrt());
    let a = product(&product(&inverse, &inner), &inverse);
    for open in 0..state.n_open() {
        let z: Vec<f64> = state.row(open)[..d].to_vec();
        for (j, row) in a.iter().enumerate() {
            let from_mean = z.iter().zip(&is.mean).map(|(z, mean)| z - mean);
            let moved: f64 = row.iter().zip(from_mean).map(|(a, z)| a * z).sum();
            let of = &ground.variables[j];
            let x = of.fit(of.mean + of.sd * (should.mean[j] + moved));
            state.x[open * d + j] = x;
            state.z[open * stride + j] = of.standardised(x);
        }
    }
}

/// A function of a symmetric matrix, by its eigenvalues.
fn function(matrix: &Symmetric, of: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let d = matrix.order();
    let found = eigen(matrix);
    let values: Vec<f64> = found.values.iter().map(|value| of(*value)).collect();
    let entry = |j: usize, k: usize| {
        let terms = values.iter().zip(&found.vectors);
        terms
            .map(|(value, vector)| value * vector[j] * vector[k])
            .sum()
    };
    (0..d)
        .map(|j| (0..d).map(|k| entry(j, k)).collect())
        .collect()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let d = a.len();
    let entry = |j: usize, k: usize| (0..d).map(|i| a[j][i] * b[i][k]).sum();
    (0..d)
        .map(|j| (0..d).map(|k| entry(j, k)).collect())
        .collect()
}
