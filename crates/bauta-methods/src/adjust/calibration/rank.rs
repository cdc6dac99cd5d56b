//! Which margins follow from the others, and whether they agree.

use crate::adjust::calibration::design::Design;
use crate::kernel::matrix::symmetric::{Root, column_root};

/// Relative deviation up to which a redundant margin agrees with those that it follows from.
const AGREES_WITHIN: f64 = 1e-8;
/// Coefficients below this are rounding.
const NO_COEFFICIENT: f64 = 1e-7;

/// The independent margins and the redundant ones.
#[derive(Clone, Debug)]
pub struct Rank {
    /// Margins that do not follow from those before them.
    pub independent: Vec<usize>,
    /// Margins that do.
    pub redundant: Vec<usize>,
}

/// Two sides that margins must share and do not.
#[derive(Clone, PartialEq, Debug)]
pub struct Contradiction {
    /// Margins of one side with their coefficients.
    pub left: Vec<(usize, f64)>,
    /// Margins of the other.
    pub right: Vec<(usize, f64)>,
    /// What the left side sums to.
    pub left_sum: f64,
    /// What the right side sums to.
    pub right_sum: f64,
}

/// Finds the margins that are combinations of those before them, in the records that are left, and
/// the combinations whose targets disagree.
pub fn rank(design: &Design) -> (Rank, Vec<Contradiction>) {
    let gram = design.gram(|profile| design.d[profile]);
    let root = column_root(&gram);
    let n_margins = design.n_margins();
    let independent: Vec<usize> = (0..n_margins)
        .filter(|j| !root.dependent.contains(j))
        .collect();
    let contradictions = root
        .dependent
        .iter()
        .filter_map(|&j| contradiction(design, &root, j))
        .collect();
    let rank = Rank {
        independent,
        redundant: root.dependent,
    };
    (rank, contradictions)
}

/// The margins before j, with the coefficients by which they make it up: R' c = the row of j.
pub(super) fn combination(root: &Root, j: usize) -> Vec<(usize, f64)> {
    let mut left = root.row(j)[..j].to_vec();
    let mut found = Vec::new();
    for k in (0..j).rev() {
        let pivot = root.row(k)[k];
        if pivot == 0.0 {
            continue;
        }
        let coefficient = left[k] / pivot;
        for (left, r) in left.iter_mut().zip(root.row(k)) {
            *left -= coefficient * r;
        }
        if coefficient.abs() > NO_COEFFICIENT {
            found.push((k, near_whole(coefficient)));
        }
    }
    found.reverse();
    found
}

/// Coefficients of indicators are whole numbers up to rounding.
fn near_whole(coefficient: f64) -> f64 {
    let whole = coefficient.round();
    if (coefficient - whole).abs() < 1e-6 {
        whole
    } else {
        coefficient
    }
}

fn contradiction(design: &Design, root: &Root, j: usize) -> Option<Contradiction> {
    let (mut left, mut right) = (vec![(j, 1.0)], Vec::new());
    for (k, coefficient) in combination(root, j) {
        if coefficient < 0.0 {
            left.push((k, -coefficient));
        } else {
            right.push((k, coefficient));
        }
    }
    let sum = |side: &[(usize, f64)]| -> f64 {
        let terms = side.iter().map(|&(k, c)| c * design.targets[k]);
        terms.sum()
    };
    let size = |side: &[(usize, f64)]| -> f64 {
        let terms = side.iter().map(|&(k, c)| (c * design.targets[k]).abs());
        terms.sum()
    };
    let (left_sum, right_sum) = (sum(&left), sum(&right));
    let scale = size(&left).max(size(&right)).max(1.0);
    let disagrees = (left_sum - right_sum).abs() > AGREES_WITHIN * scale;
    disagrees.then_some(Contradiction {
        left,
        right,
        left_sum,
        right_sum,
    })
}
