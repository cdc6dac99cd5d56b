//! Latent class EM: matches and other pairs, told apart by their patterns of agreement alone.

use super::classes::{ClassModel, LevelCounts};
use super::pairs::Pattern;
use super::settings::Dependence;
use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;

/// Rounds after which EM is given up.
const MOST_ROUNDS: usize = 1_000;
/// Change of the mean logarithmic likelihood at which EM has converged.
const CONVERGED: f64 = 1e-12;
/// Added to every count, so that no probability is 0.
const ADDED: f64 = 1e-3;

/// What EM found.
#[derive(Clone, Debug)]
pub(crate) struct EmFound {
    /// How levels are distributed among matches.
    pub(crate) matches: ClassModel,
    /// How they are among other pairs.
    pub(crate) others: ClassModel,
    /// Shares of agreement by variable among matches and among other pairs.
    pub(crate) shares: Vec<[f64; 2]>,
    /// How it went.
    pub(crate) course: EmCourse,
}

/// How EM went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EmCourse {
    /// Share of the pairs that are matches.
    pub proportion: f64,
    /// Rounds until nothing changed any more.
    pub rounds: usize,
    /// Whether that was reached.
    pub converged: bool,
    /// Logarithm of the likelihood.
    pub log_likelihood: f64,
}

/// Estimates both classes. The share of matches starts at `proportion` and stays there if it is fixed.
pub(crate) fn em(
    patterns: &[Pattern],
    proportion: f64,
    fixed: bool,
    dependence: Dependence,
    go_on: impl Fn() -> Result<(), MethodError>,
) -> Result<EmFound, MethodError> {
    let n_variables = patterns.first().map_or(0, |pattern| pattern.levels.len());
    let total = compensated(patterns.iter().map(|pattern| pattern.times));
    let counted = |weight: &dyn Fn(usize) -> f64, two_by_two: bool| {
        let mut counts = LevelCounts::new(n_variables, two_by_two);
        for (at, pattern) in patterns.iter().enumerate() {
            counts.add(&pattern.levels, pattern.times * weight(at));
        }
        counts
    };
    let fitted = |counts: &LevelCounts| match dependence {
        Dependence::None => ClassModel::independent(counts, ADDED),
        Dependence::Tree => ClassModel::tree(counts, ADDED),
    };
    let two_by_two = dependence == Dependence::Tree;
    let mut others = ClassModel::independent(&counted(&|_| 1.0, false), ADDED);
    let mut matches = ClassModel::independent(&start(n_variables), ADDED);
    let mut share = proportion.clamp(1e-12, 0.5);
    let mut course = EmCourse {
        proportion: share,
        rounds: 0,
        converged: false,
        log_likelihood: f64::NEG_INFINITY,
    };
    let mut posterior = vec![0.0; patterns.len()];
    let mut shares = Vec::new();
    while course.rounds < MOST_ROUNDS && !course.converged {
        go_on()?;
        let mut logs = vec![0.0; patterns.len()];
        for ((pattern, posterior), log) in patterns.iter().zip(&mut posterior).zip(&mut logs) {
            let m = libm::log(share) + matches.log_probability(&pattern.levels);
            let u = libm::log1p(-share) + others.log_probability(&pattern.levels);
            let (high, low) = if m > u { (m, u) } else { (u, m) };
            *log = high + libm::log1p(libm::exp(low - high));
            *posterior = libm::exp(m - *log);
        }
        let likelihood = compensated(patterns.iter().zip(&logs).map(|(one, log)| one.times * log));
        course.converged = (likelihood - course.log_likelihood).abs() <= CONVERGED * total;
        course.log_likelihood = likelihood;
        course.rounds += 1;
        let of_matches = counted(&|at| posterior[at], two_by_two);
        let of_others = counted(&|at| 1.0 - posterior[at], two_by_two);
        if !fixed {
            let sum = compensated(
                patterns
                    .iter()
                    .zip(&posterior)
                    .map(|(one, p)| one.times * p),
            );
            share = (sum / total).clamp(1e-12, 1.0 - 1e-12);
        }
        matches = fitted(&of_matches);
        others = fitted(&of_others);
        let of = |j: usize| [&of_matches, &of_others].map(|counts| counts.share_from(j, 1));
        shares = (0..n_variables).map(of).collect();
    }
    course.proportion = share;
    Ok(EmFound {
        matches,
        others,
        shares,
        course,
    })
}

/// Where EM begins: nine of ten matches agree on each variable.
fn start(n_variables: usize) -> LevelCounts {
    let mut counts = LevelCounts::new(n_variables, false);
    let highest = super::model::N_LEVELS as u8 - 1;
    counts.add(&vec![highest; n_variables], 900.0);
    counts.add(&vec![0; n_variables], 100.0);
    counts
}
