//! The weights themselves: Newton's method on the dual, damped.
//!
//! Q(λ) = λ'T - Σ d H(q x'λ)/q is concave; its gradient is what margins still lack, and its
//! maximum, where there is one, gives the weights.

use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::distance::Distance;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Root, Symmetric, column_root};
use crate::kernel::numbers::sums::{sum_by, sum_of};

/// A margin is reached when what it lacks is below this share of it.
pub const REACHED_WITHIN: f64 = 1e-10;
/// Steps go on below that while they still help, down to this.
const AS_NEAR_AS: f64 = 1e-14;
/// Ratios have settled when a step changes none by more.
const SETTLED_WITHIN: f64 = 1e-6;
/// Steps after which the search ends.
const MAX_STEPS: usize = 200;
/// Share of the predicted gain that a step must bring (Armijo).
const SHARE_OF_GAIN: f64 = 1e-4;
/// Below this gain per unit of weight Q itself is rounding, and whole steps are taken.
const GAIN_ABOVE_ROUNDING: f64 = 1e-9;

/// One step of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Largest change of a ratio.
    pub largest_change: f64,
    /// Largest relative error of a margin after it.
    pub largest_error: f64,
    /// Length, 1 for a whole step.
    pub length: f64,
    /// Units with a negative weight after it.
    pub n_negative: u64,
}

/// Where the search ended.
#[derive(Clone, Debug)]
pub struct Search {
    /// λ of every margin; 0 for redundant ones.
    pub lambda: Vec<f64>,
    /// x'λ of each profile.
    pub scores: Vec<f64>,
    /// Ratio w/d of each profile.
    pub ratios: Vec<f64>,
    /// The steps.
    pub steps: Vec<Step>,
    /// How it ended.
    pub end: End,
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// Every margin is reached.
    Reached,
    /// λ proves that no ratios within the bounds reach the margins.
    Infeasible,
    /// Neither came about.
    Undecided {
        /// The margin that is farthest off.
        margin: usize,
        /// What it came to.
        got: f64,
    },
}

/// Searches for λ. Only the independent margins move.
pub fn search(
    design: &Design,
    independent: &[usize],
    distance: Distance,
    context: &RunContext<'_>,
) -> Result<Search, MethodError> {
    let scales = scales(design, independent);
    let mut state = State::new(design, distance, &scales, vec![0.0; design.n_margins()]);
    let mut steps: Vec<Step> = Vec::new();
    loop {
        context.progress(steps.len(), MAX_STEPS)?;
        let error = state.largest_error();
        let settled = steps
            .last()
            .is_none_or(|step| step.largest_change < SETTLED_WITHIN);
        let helps = match steps[..] {
            [.., a, b] => b.largest_error < 0.5 * a.largest_error,
            _ => true,
        };
        if error <= AS_NEAR_AS || (error < REACHED_WITHIN && settled && !helps) {
            return Ok(state.finish(steps, End::Reached));
        }
        if state.is_proof() {
            return Ok(state.finish(steps, End::Infeasible));
        }
        let next = if steps.len() < MAX_STEPS {
            state.next(independent)
        } else {
            None
        };
        let Some((next, length)) = next else {
            let end = state.verdict();
            return Ok(state.finish(steps, end));
        };
        steps.push(Step {
            largest_change: largest_difference(&next.ratios, &state.ratios),
            largest_error: next.largest_error(),
            length,
            n_negative: next.n_negative(),
        });
        state = next;
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

/// A λ and what comes of it.
struct State<'d> {
    design: &'d Design,
    distance: Distance,
    /// What the error of each margin is measured by.
    scales: &'d [f64],
    lambda: Vec<f64>,
    scores: Vec<f64>,
    ratios: Vec<f64>,
    totals: Vec<f64>,
}

impl<'d> State<'d> {
    fn new(design: &'d Design, distance: Distance, scales: &'d [f64], lambda: Vec<f64>) -> Self {
        let scores = design.scores(&lambda);
        let ratios: Vec<f64> = scores
            .iter()
            .zip(&design.q)
            .map(|(score, q)| distance.ratio(q * score))
            .collect();
        let totals = design.totals(|profile| design.d[profile] * ratios[profile]);
        Self {
            design,
            distance,
            scales,
            lambda,
            scores,
            ratios,
            totals,
        }
    }

    fn finish(self, steps: Vec<Step>, end: End) -> Search {
        Search {
            lambda: self.lambda,
            scores: self.scores,
            ratios: self.ratios,
            steps,
            end,
        }
    }

    fn largest_error(&self) -> f64 {
        let errors = (0..self.totals.len()).map(|margin| self.error(margin));
        // A NaN is no small error.
        errors.fold(0.0, |a, b| if b.is_nan() { b } else { a.max(b) })
    }

    fn error(&self, margin: usize) -> f64 {
        (self.totals[margin] - self.design.targets[margin]).abs() / self.scales[margin]
    }

    fn n_negative(&self) -> u64 {
        let units = self.ratios.iter().zip(&self.design.n_units);
        let negative = units.filter(|(ratio, _)| **ratio < 0.0);
        negative.map(|(_, &n)| u64::from(n)).sum()
    }

    fn verdict(&self) -> End {
        if self.largest_error() < REACHED_WITHIN {
            return End::Reached;
        }
        let worst = (0..self.totals.len()).max_by(|&i, &j| self.error(i).total_cmp(&self.error(j)));
        let margin = worst.unwrap_or(0);
        End::Undecided {
            margin,
            got: self.totals[margin],
        }
    }

    /// Q(λ).
    fn dual(&self) -> f64 {
        let design = self.design;
        let gained: f64 = self
            .lambda
            .iter()
            .zip(&design.targets)
            .map(|(lambda, target)| lambda * target)
            .sum();
        let spent = sum_by(design.n_profiles(), |profile| {
            let q = design.q[profile];
            design.d[profile] * self.distance.integral(q * self.scores[profile]) / q
        });
        gained - spent
    }

    /// Farkas: with bounds L and U, Σ w x'λ is at most Σ d (U max(x'λ, 0) + L min(x'λ, 0)); if λ'T is
    /// more, no weights within the bounds reach T.
    fn is_proof(&self) -> bool {
        let (lower, upper) = self.distance.range();
        let largest = self.lambda.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        if largest == 0.0 || !self.distance.is_bounded() {
            return false;
        }
        let design = self.design;
        let needed: f64 = self
            .lambda
            .iter()
            .zip(&design.targets)
            .map(|(lambda, target)| lambda * target)
            .sum();
        let most = sum_by(design.n_profiles(), |profile| {
            let score = self.scores[profile];
            design.d[profile] * score * if score > 0.0 { upper } else { lower }
        });
        let n = sum_of(&design.d, |d| d);
        needed - most > 1e-9 * n * largest
    }

    /// The next λ and the length of the step to it; none where no step helps.
    fn next(&self, independent: &[usize]) -> Option<(Self, f64)> {
        let design = self.design;
        let lack: Vec<f64> = design
            .targets
            .iter()
            .zip(&self.totals)
            .map(|(target, total)| target - total)
            .collect();
        let direction = self.direction(&lack, independent);
        let slope: f64 = direction.iter().zip(&lack).map(|(a, b)| a * b).sum();
        if slope.is_nan() || slope <= 0.0 {
            return None;
        }
        let n = sum_of(&design.d, |d| d);
        let rounding = slope / n <= GAIN_ABOVE_ROUNDING;
        let here = if rounding { 0.0 } else { self.dual() };
        let mut length = 1.0;
        while length > 1e-12 {
            let lambda = self.lambda.iter().zip(&direction);
            let lambda = lambda
                .map(|(lambda, step)| lambda + length * step)
                .collect();
            let next = Self::new(design, self.distance, self.scales, lambda);
            if rounding || next.dual() - here >= SHARE_OF_GAIN * length * slope {
                return Some((next, length));
            }
            length /= 2.0;
        }
        None
    }

    /// J⁻¹ times what margins lack, J = Σ d q F'(q x'λ) x x'.
    fn direction(&self, lack: &[f64], independent: &[usize]) -> Vec<f64> {
        let design = self.design;
        let slope = |profile: usize| {
            let q = design.q[profile];
            design.d[profile] * q * self.distance.slope(q * self.scores[profile])
        };
        let gram = design.gram(slope);
        let mut jacobian = restricted(&gram, independent);
        if let Distance::Truncated { .. } = self.distance {
            // Profiles at a bound do not move: a margin that only they make up would leave J
            // singular. A trace of the matrix at the start keeps a way out.
            let start = restricted(&design.gram(|p| design.d[p] * design.q[p]), independent);
            jacobian = Symmetric::from_lower(independent.len(), |j, k| {
                jacobian.at(j, k) + if j == k { 1e-9 * start.at(j, j) } else { 0.0 }
            });
        }
        let right: Vec<f64> = independent.iter().map(|&j| lack[j]).collect();
        let solved = solve(&column_root(&jacobian), &right);
        let mut direction = vec![0.0; design.n_margins()];
        for (&j, step) in independent.iter().zip(solved) {
            direction[j] = step;
        }
        direction
    }
}

/// What errors are measured by: the target, or for a sum whose terms cancel the rounding of its
/// terms. A redundant margin is as near as those that it follows from, and asks for nothing more.
fn scales(design: &Design, independent: &[usize]) -> Vec<f64> {
    let mut sizes = vec![0.0; design.n_margins()];
    for profile in 0..design.n_profiles() {
        for (j, x) in design.row(profile) {
            sizes[j] += design.d[profile] * x.abs();
        }
    }
    let mut scales = vec![f64::INFINITY; design.n_margins()];
    for &j in independent {
        scales[j] = design.targets[j].abs().max(1.0).max(1e-4 * sizes[j]);
    }
    scales
}

/// (total - target) / max(1, |target|).
pub fn relative_error(total: f64, target: f64) -> f64 {
    (total - target) / target.abs().max(1.0)
}

/// The rows and columns of a matrix that belong to some margins.
pub(super) fn restricted(matrix: &Symmetric, to: &[usize]) -> Symmetric {
    Symmetric::from_lower(to.len(), |j, k| matrix.at(to[j], to[k]))
}

/// x with R R' x = b; 0 for what depends on others.
pub(super) fn solve(root: &Root, b: &[f64]) -> Vec<f64> {
    let order = b.len();
    let mut x = vec![0.0; order];
    for j in 0..order {
        let row = root.row(j);
        if row[j] > 0.0 {
            let known: f64 = row[..j].iter().zip(&x).map(|(r, x)| r * x).sum();
            x[j] = (b[j] - known) / row[j];
        }
    }
    for j in (0..order).rev() {
        let row = root.row(j);
        if row[j] > 0.0 {
            x[j] /= row[j];
            let done = x[j];
            for (x, r) in x.iter_mut().zip(&row[..j]) {
                *x -= done * r;
            }
        }
    }
    x
}
