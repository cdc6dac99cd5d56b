//! Which bounds on the ratios w/d the margins allow.
//!
//! For any λ, Σ w x'λ with L <= w/d <= U is at most U Σ d (x'λ)⁺ + L Σ d (x'λ)⁻, so that bounds which
//! the margins allow satisfy U up(λ) + L down(λ) >= λ'T: a cut. The bounds that satisfy all cuts are
//! the feasible ones (Farkas), and the cuts that matter are found by need: the truncated distance with
//! a trace of a penalty on λ always has a best λ, which runs off along a proof where there is one.

use rayon::prelude::*;

use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::rank::combination;
use crate::adjust::calibration::solve::{restricted, solve};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Symmetric, column_root};
use crate::kernel::numbers::sums::sum_by;

/// An upper bound so many times beyond what single margins ask for is none.
const NO_UPPER: f64 = 1e5;
/// Penalties on λ, one after the other, each starting where the last one ended.
const PENALTIES: [f64; 7] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14];
/// A cut must tighten a bound by more than this share to count.
const TIGHTENS_BY: f64 = 1e-10;
const MAX_STEPS: usize = 60;
/// Times that the cuts are tightened for one question; a handful suffices.
const MAX_ROUNDS: usize = 200;

/// One necessary condition: U up + L down >= need.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Cut {
    up: f64,
    down: f64,
    need: f64,
}

impl Cut {
    /// The smallest U that it allows for some L.
    fn upper(self, lower: f64) -> f64 {
        let need = self.need - self.down * lower;
        if self.up > 0.0 {
            need / self.up
        } else if need > 1e-12 * (self.need.abs() + (self.down * lower).abs()) {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        }
    }

    fn lack(self, lower: f64, upper: f64) -> f64 {
        self.need - self.up * upper - self.down * lower
    }
}

/// The bounds that some margins allow, as far as they are known.
pub struct Feasible<'d> {
    design: &'d Design,
    independent: &'d [usize],
    /// Root mean square of each independent margin's entries.
    sizes: Vec<f64>,
    /// Targets divided by that and by the sum of weights.
    targets: Vec<f64>,
    /// Starting weights that sum to 1.
    d: Vec<f64>,
    cuts: Vec<Cut>,
    /// An upper bound beyond this is none.
    no_upper: f64,
}

impl<'d> Feasible<'d> {
    /// Begins with what single margins ask for.
    pub fn new(design: &'d Design, independent: &'d [usize]) -> Self {
        let n = sum_by(design.n_profiles(), |profile| design.d[profile]);
        let gram = design.gram(|profile| design.d[profile]);
        let sizes: Vec<f64> = independent
            .iter()
            .map(|&j| (gram.at(j, j) / n).sqrt())
            .collect();
        let targets = independent
            .iter()
            .zip(&sizes)
            .map(|(&j, size)| design.targets[j] / size / n)
            .collect();
        let mut feasible = Self {
            design,
            independent,
            sizes,
            targets,
            d: design.d.iter().map(|d| d / n).collect(),
            cuts: Vec::new(),
            no_upper: NO_UPPER,
        };
        for j in 0..independent.len() {
            for sign in [1.0, -1.0] {
                let mut lambda = vec![0.0; independent.len()];
                lambda[j] = sign;
                let cut = feasible.cut(&lambda);
                feasible.cuts.push(cut);
            }
        }
        let single = feasible.cuts.iter().map(|cut| cut.upper(0.0));
        let asked = single.filter(|upper| upper.is_finite()).fold(1.0, f64::max);
        feasible.no_upper = NO_UPPER * asked;
        feasible
    }

    /// The smallest U with which the margins can be reached for a given L; none if no U does.
    pub fn smallest_upper(
        &mut self,
        lower: f64,
        context: &RunContext<'_>,
    ) -> Result<Option<f64>, MethodError> {
        let mut upper = 1.0;
        for _ in 0..MAX_ROUNDS {
            upper = self
                .cuts
                .iter()
                .map(|cut| cut.upper(lower))
                .fold(1.0, f64::max);
            if upper > self.no_upper {
                return Ok(None);
            }
            if !self.tighten(lower, upper, context)? {
                break;
            }
        }
        Ok(Some(upper))
    }

    /// The narrowest [L, U] around 1 with which the margins can be reached.
    pub fn narrowest(&mut self, context: &RunContext<'_>) -> Result<Option<[f64; 2]>, MethodError> {
        for _ in 0..MAX_ROUNDS {
            let Some([lower, upper]) = self.narrowest_by_cuts() else {
                return Ok(None);
            };
            if !self.tighten(lower, upper, context)? {
                return Ok(Some([lower, upper]));
            }
        }
        Ok(None)
    }

    /// The least U - L that the cuts allow with L <= 1 <= U: a corner of two of them.
    fn narrowest_by_cuts(&self) -> Option<[f64; 2]> {
        let edges = [
            Cut {
                up: 1.0,
                down: 0.0,
                need: 1.0,
            },
            Cut {
                up: 0.0,
                down: -1.0,
                need: -1.0,
            },
        ];
        let all: Vec<Cut> = self.cuts.iter().chain(&edges).copied().collect();
        let holds = |lower: f64, upper: f64| {
            let slack = |cut: &Cut| {
                let size = cut.up.abs() * upper.abs() + cut.down.abs() * lower.abs();
                cut.lack(lower, upper) <= 1e-12 * (size + cut.need.abs())
            };
            all.iter().all(slack)
        };
        let mut best: Option<[f64; 2]> = None;
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                let determinant = a.up * b.down - b.up * a.down;
                if determinant.abs() <= 1e-14 * (a.up * b.down).abs().max((b.up * a.down).abs()) {
                    continue;
                }
                let upper = (a.need * b.down - b.need * a.down) / determinant;
                let lower = (a.up * b.need - b.up * a.need) / determinant;
                let narrower = best.is_none_or(|[l, u]| upper - lower < u - l);
                if narrower && upper < self.no_upper && holds(lower, upper) {
                    best = Some([lower, upper]);
                }
            }
        }
        best
    }

    /// Looks for cuts that these bounds violate; false if there are none.
    fn tighten(
        &mut self,
        lower: f64,
        upper: f64,
        context: &RunContext<'_>,
    ) -> Result<bool, MethodError> {
        let mut lambda = vec![0.0; self.independent.len()];
        for penalty in PENALTIES {
            context.go_on()?;
            self.settle(&mut lambda, lower, upper, penalty);
            let candidates = self.candidates(&lambda, lower, upper);
            let violated: Vec<Cut> = candidates
                .into_iter()
                .map(|lambda| self.cut(&lambda))
                .filter(|cut| {
                    let size = cut.up * upper.abs() + (cut.down * lower).abs();
                    cut.lack(lower, upper) > TIGHTENS_BY * size.max(f64::MIN_POSITIVE)
                })
                .collect();
            if !violated.is_empty() {
                self.cuts.extend(violated);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// λ itself, and λ made exactly 0 on the profiles between the bounds: at the corner that a proof
    /// rests on, those have no say.
    fn candidates(&self, lambda: &[f64], lower: f64, upper: f64) -> Vec<Vec<f64>> {
        let scores = self.scores(lambda);
        let mut found = vec![lambda.to_vec()];
        let largest = lambda.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for width in [1.0, 2.0, 4.0] {
            let between = |profile: usize| scores[profile].abs() <= width * (upper - lower);
            let gram = self.gram(|profile| f64::from(u8::from(between(profile))));
            let left = projected(&gram, lambda);
            if left.iter().any(|entry| entry.abs() > 1e-9 * largest) {
                found.push(left);
            }
        }
        found
    }

    fn cut(&self, lambda: &[f64]) -> Cut {
        let mut scores = self.scores(lambda);
        let largest = scores.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for score in &mut scores {
            // What is rounding beside the others is 0: a cut must not rest on it.
            if score.abs() < 1e-13 * largest {
                *score = 0.0;
            }
        }
        let n = scores.len();
        Cut {
            up: sum_by(n, |profile| self.d[profile] * scores[profile].max(0.0)),
            down: sum_by(n, |profile| self.d[profile] * scores[profile].min(0.0)),
            need: lambda.iter().zip(&self.targets).map(|(l, t)| l * t).sum(),
        }
    }

    /// The best λ for the truncated distance with a penalty: Newton's steps with the best length.
    fn settle(&self, lambda: &mut [f64], lower: f64, upper: f64, penalty: f64) {
        let ratio = |score: f64| (1.0 + score).max(lower).min(upper);
        for _ in 0..MAX_STEPS {
            let scores = self.scores(lambda);
            let totals = self.totals(|profile| ratio(scores[profile]));
            let lack: Vec<f64> = (0..lambda.len())
                .map(|j| self.targets[j] - totals[j] - penalty * lambda[j])
                .collect();
            if lack.iter().all(|lack| lack.abs() < 1e-13) {
                return;
            }
            let moves = |profile: usize| {
                let ratio = 1.0 + scores[profile];
                f64::from(u8::from(ratio > lower && ratio < upper))
            };
            let gram = self.gram(|profile| self.d[profile] * moves(profile));
            let jacobian = Symmetric::from_lower(lambda.len(), |j, k| {
                gram.at(j, k) + if j == k { penalty } else { 0.0 }
            });
            let step = solve(&column_root(&jacobian), &lack);
            let length = self.best_length(&scores, lambda, &step, ratio, penalty);
            for (lambda, step) in lambda.iter_mut().zip(&step) {
                *lambda += length * step;
            }
        }
    }

    /// Where the derivative along a step becomes 0, but no more than 1.
    fn best_length(
        &self,
        scores: &[f64],
        lambda: &[f64],
        step: &[f64],
        ratio: impl Fn(f64) -> f64 + Sync,
        penalty: f64,
    ) -> f64 {
        let along = self.scores(step);
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let constant = dot(step, &self.targets) - penalty * dot(lambda, step);
        let square = penalty * dot(step, step);
        let derivative = |length: f64| {
            let moved = sum_by(scores.len(), |profile| {
                self.d[profile] * ratio(scores[profile] + length * along[profile]) * along[profile]
            });
            constant - length * square - moved
        };
        let start = derivative(0.0);
        if derivative(1.0) >= -1e-3 * start.abs() {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = f64::midpoint(low, high);
            if derivative(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        if low > 0.0 { low } else { high }
    }

    fn full(&self, lambda: &[f64]) -> Vec<f64> {
        let mut full = vec![0.0; self.design.n_margins()];
        for ((&j, lambda), size) in self.independent.iter().zip(lambda).zip(&self.sizes) {
            full[j] = lambda / size;
        }
        full
    }

    fn scores(&self, lambda: &[f64]) -> Vec<f64> {
        self.design.scores(&self.full(lambda))
    }

    fn totals(&self, ratio: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let totals = self
            .design
            .totals(|profile| self.d[profile] * ratio(profile));
        let scaled = self.independent.iter().zip(&self.sizes);
        scaled.map(|(&j, size)| totals[j] / size).collect()
    }

    fn gram(&self, c: impl Fn(usize) -> f64 + Sync) -> Symmetric {
        let gram = restricted(&self.design.gram(c), self.independent);
        Symmetric::from_lower(gram.order(), |j, k| {
            gram.at(j, k) / self.sizes[j] / self.sizes[k]
        })
    }
}

/// The part of a vector that a positive semidefinite matrix sends to 0.
fn projected(matrix: &Symmetric, vector: &[f64]) -> Vec<f64> {
    let root = column_root(matrix);
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &j in &root.dependent {
        // Column j is a combination of those before it: their difference is sent to 0.
        let mut null = vec![0.0; vector.len()];
        null[j] = 1.0;
        for (k, coefficient) in combination(&root, j) {
            null[k] = -coefficient;
        }
        for known in &basis {
            let along = dot(&null, known);
            for (null, known) in null.iter_mut().zip(known) {
                *null -= along * known;
            }
        }
        let length = dot(&null, &null).sqrt();
        if length > 1e-9 {
            basis.push(null.into_iter().map(|entry| entry / length).collect());
        }
    }
    let mut found = vec![0.0; vector.len()];
    for null in &basis {
        let along = dot(vector, null);
        for (found, null) in found.iter_mut().zip(null) {
            *found += along * null;
        }
    }
    found
}

/// The smallest and largest T/(margin now) over margins that are sums of entries of one sign: L must
/// not be above the one, nor U below the other.
pub fn necessary(design: &Design) -> Option<[f64; 2]> {
    let now = design.totals(|profile| design.d[profile]);
    let mut of_one_sign = vec![true; design.n_margins()];
    for profile in 0..design.n_profiles() {
        for (j, x) in design.row(profile) {
            of_one_sign[j] &= x >= 0.0;
        }
    }
    let ratios: Vec<f64> = (0..design.n_margins())
        .into_par_iter()
        .filter(|&j| of_one_sign[j] && now[j] > 0.0)
        .map(|j| design.targets[j] / now[j])
        .collect();
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (!ratios.is_empty()).then_some([low, high])
}
