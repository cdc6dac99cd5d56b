//! Calibration that reaches margins only as nearly as their cost says: a ridge instead of a
//! condition (Bardsley and Chambers 1984).

use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::solve::solve;
use crate::kernel::matrix::symmetric::{Symmetric, column_root};

/// w/d of each profile with w = d + d q X (X' D q X + lambda diag(1/c))⁺ (T - X'd). A cost c of
/// infinity reaches the margin exactly. Also the multipliers.
pub fn ratios(design: &Design, costs: &[f64], penalty: f64) -> (Vec<f64>, Vec<f64>) {
    let gram = design.gram(|profile| design.d[profile] * design.q[profile]);
    ratios_of(design, &gram, costs, penalty)
}

fn ratios_of(
    design: &Design,
    gram: &Symmetric,
    costs: &[f64],
    penalty: f64,
) -> (Vec<f64>, Vec<f64>) {
    let now = design.totals(|profile| design.d[profile]);
    let lack: Vec<f64> = design
        .targets
        .iter()
        .zip(&now)
        .map(|(target, now)| target - now)
        .collect();
    let matrix = Symmetric::from_lower(design.n_margins(), |j, k| {
        gram.at(j, k) + if j == k { penalty / costs[j] } else { 0.0 }
    });
    let lambda = solve(&column_root(&matrix), &lack);
    let scores = design.scores(&lambda);
    let ratios = scores
        .iter()
        .zip(&design.q)
        .map(|(score, q)| 1.0 + q * score);
    (ratios.collect(), lambda)
}

/// The penalty at which the largest and the smallest ratio are as far apart as `gap`, within 1e-9 of
/// it; the ratios lie the nearer the larger the penalty. None if even without the margins that have
/// a price they are farther apart; 0 if they are near enough when all margins are reached.
pub fn penalty_for_gap(design: &Design, costs: &[f64], gap: f64) -> Option<f64> {
    let gram = design.gram(|profile| design.d[profile] * design.q[profile]);
    let spread = |penalty: f64| {
        let (ratios, _) = ratios_of(design, &gram, costs, penalty);
        let high = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        high - ratios.iter().copied().fold(f64::INFINITY, f64::min)
    };
    if spread(0.0) <= gap {
        return Some(0.0);
    }
    let size = (0..gram.order()).map(|j| gram.at(j, j)).fold(0.0, f64::max);
    let (mut low, mut high) = (1e-12 * size, 1e12 * size);
    if spread(high) > gap {
        return None;
    }
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        let found = spread(middle);
        if (found - gap).abs() <= 1e-9 * gap {
            return Some(middle);
        }
        if found > gap {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}
