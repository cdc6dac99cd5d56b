//! Systems of normal equations: solved, inverted, and sandwiched.

use crate::kernel::matrix::symmetric::{Root, Symmetric};

/// The solution of R Rᵀ x = b, for a root without dependent columns.
pub(crate) fn solve(root: &Root, b: &[f64]) -> Vec<f64> {
    let order = b.len();
    let mut x = b.to_vec();
    for j in 0..order {
        let row = root.row(j);
        let known: f64 = row[..j].iter().zip(&x).map(|(r, x)| r * x).sum();
        x[j] = (x[j] - known) / row[j];
    }
    for j in (0..order).rev() {
        x[j] /= root.row(j)[j];
        let solved = x[j];
        for (k, r) in root.row(j)[..j].iter().enumerate() {
            x[k] -= r * solved;
        }
    }
    x
}

/// (R Rᵀ)⁻¹, for a root without dependent columns.
pub(crate) fn inverse(root: &Root, order: usize) -> Symmetric {
    let columns: Vec<Vec<f64>> = (0..order)
        .map(|j| {
            let mut unit = vec![0.0; order];
            unit[j] = 1.0;
            solve(root, &unit)
        })
        .collect();
    Symmetric::from_lower(order, |j, k| columns[k][j])
}

/// V M V, the robust covariance with the inverse V of the information and the sum M of squared
/// contributions to the estimating equations (Binder 1983).
pub(crate) fn sandwich(inverse: &Symmetric, meat: &Symmetric) -> Symmetric {
    let order = inverse.order();
    let half: Vec<Vec<f64>> = (0..order)
        .map(|j| {
            let entry = |k: usize| (0..order).map(|i| inverse.at(j, i) * meat.at(i, k)).sum();
            (0..order).map(entry).collect()
        })
        .collect();
    Symmetric::from_lower(order, |j, k| {
        (0..order).map(|i| half[j][i] * inverse.at(i, k)).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::matrix::symmetric::column_root;

    #[test]
    fn a_system_of_two() {
        // 4 2 / 2 3: determinant 8, inverse (3 -2 / -2 4) / 8; x = (1, 2) gives b = (8, 8).
        let matrix = Symmetric::from_lower(2, |j, k| [[4.0, 2.0], [2.0, 3.0]][j][k]);
        let root = column_root(&matrix);
        let x = solve(&root, &[8.0, 8.0]);
        assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
        let inverse = inverse(&root, 2);
        for (j, k, expected) in [(0, 0, 0.375), (1, 0, -0.25), (1, 1, 0.5)] {
            assert!((inverse.at(j, k) - expected).abs() < 1e-15);
        }
        // V M V with M = the matrix itself is V again.
        let same = sandwich(&inverse, &matrix);
        assert!((same.at(1, 0) + 0.25).abs() < 1e-14 && (same.at(1, 1) - 0.5).abs() < 1e-14);
    }
}
