//! Eigenvalues and vectors of symmetric matrices of some hundred rows, where Jacobi's rotations
//! would take long: first to three diagonals, then to one.

use crate::kernel::matrix::symmetric::{Eigen, Symmetric, dot};

/// Steps per eigenvalue after which it is taken as it is; three suffice in practice.
const MAX_STEPS: usize = 60;

/// Eigenvalues, the largest first, and their vectors of length 1.
///
/// Householder's reflections, then QR steps with Wilkinson's shift (Golub and Van Loan, Matrix
/// computations, 8.3). Errors are of the size of rounding against the largest eigenvalue.
pub(crate) fn eigen_of_large(matrix: &Symmetric) -> Eigen {
    let order = matrix.order();
    let rows = (0..order).map(|j| (0..order).map(|k| matrix.at(j, k)).collect());
    let mut reduced = Reduced::new(rows.collect());
    reduced.diagonalise();
    let mut ranked: Vec<usize> = (0..order).collect();
    ranked.sort_by(|&i, &j| reduced.diagonal[j].total_cmp(&reduced.diagonal[i]));
    Eigen {
        values: ranked.iter().map(|&i| reduced.diagonal[i]).collect(),
        vectors: ranked.iter().map(|&i| reduced.vectors[i].clone()).collect(),
    }
}

/// A matrix as `VᵀTV`, with three diagonals in T.
struct Reduced {
    diagonal: Vec<f64>,
    /// Entry k stands beside entries k and k + 1 of the diagonal.
    beside: Vec<f64>,
    /// The rows of V.
    vectors: Vec<Vec<f64>>,
}

impl Reduced {
    /// Reflects the matrix, column by column, so that nothing is left beyond three diagonals.
    fn new(mut a: Vec<Vec<f64>>) -> Self {
        let order = a.len();
        let mut beside = Vec::with_capacity(order);
        let mut mirrors: Vec<(Vec<f64>, f64)> = Vec::new();
        for k in 0..order.saturating_sub(1) {
            // The part of column k below the diagonal, made into a multiple of its first entry.
            let mut v: Vec<f64> = a[k][k + 1..].to_vec();
            let length = dot(&v, &v).sqrt();
            let first = if v[0] > 0.0 { -length } else { length };
            beside.push(first);
            v[0] -= first;
            let squared = dot(&v, &v);
            let scale = if squared > 0.0 { 2.0 / squared } else { 0.0 };
            // A - v wᵀ - w vᵀ, with p = scale A v and w = p - (scale/2)(vᵀp) v.
            let p: Vec<f64> = a[k + 1..]
                .iter()
                .map(|row| scale * dot(&row[k + 1..], &v))
                .collect();
            let share = 0.5 * scale * dot(&v, &p);
            let w: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p - share * v).collect();
            for ((row, &vj), &wj) in a[k + 1..].iter_mut().zip(&v).zip(&w) {
                for ((entry, v), w) in row[k + 1..].iter_mut().zip(&v).zip(&w) {
                    *entry -= vj * w + wj * v;
                }
            }
            mirrors.push((v, scale));
        }
        let unit = |i: usize| (0..order).map(|j| f64::from(u8::from(i == j))).collect();
        let mut vectors: Vec<Vec<f64>> = (0..order).map(unit).collect();
        // V = … H₂ H₁: each row is reflected by the last one first.
        for row in &mut vectors {
            for (k, (v, scale)) in mirrors.iter().enumerate().rev() {
                let share = scale * dot(&row[k + 1..], v);
                for (entry, v) in row[k + 1..].iter_mut().zip(v) {
                    *entry -= share * v;
                }
            }
        }
        Self {
            diagonal: (0..order).map(|k| a[k][k]).collect(),
            beside,
            vectors,
        }
    }

    /// Rotates until nothing is left beside the diagonal.
    fn diagonalise(&mut self) {
        let sizes = self.diagonal.iter().chain(&self.beside).map(|x| x.abs());
        let nothing = f64::EPSILON * sizes.fold(0.0, f64::max);
        for high in (1..self.diagonal.len()).rev() {
            for _ in 0..MAX_STEPS {
                if self.beside[high - 1].abs() <= nothing {
                    break;
                }
                let cut = (0..high).rev().find(|&k| self.beside[k].abs() <= nothing);
                self.step(cut.map_or(0, |k| k + 1), high);
            }
            self.beside[high - 1] = 0.0;
        }
    }

    /// One QR step on rows `low` to `high`: a first rotation by the shift, and others that chase the
    /// entry that it leaves beyond the three diagonals.
    fn step(&mut self, low: usize, high: usize) {
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        let half = (d[high - 1] - d[high]) / 2.0;
        let last = e[high - 1];
        let root = (half * half + last * last).sqrt();
        let shift = d[high] - last * last / (half + root.copysign(half));
        let (mut x, mut z) = (d[low] - shift, e[low]);
        for k in low..high {
            let length = (x * x + z * z).sqrt();
            let (c, s) = if length > 0.0 {
                (x / length, z / length)
            } else {
                (1.0, 0.0)
            };
            if k > low {
                e[k - 1] = length;
            }
            let (a, b, f) = (d[k], e[k], d[k + 1]);
            d[k] = c * c * a + 2.0 * c * s * b + s * s * f;
            d[k + 1] = s * s * a - 2.0 * c * s * b + c * c * f;
            e[k] = c * s * (f - a) + (c * c - s * s) * b;
            if k + 1 < high {
                (x, z) = (e[k], s * e[k + 1]);
                e[k + 1] *= c;
            }
            let (before, after) = self.vectors.split_at_mut(k + 1);
            for (u, v) in before[k].iter_mut().zip(&mut after[0]) {
                (*u, *v) = (c * *u + s * *v, c * *v - s * *u);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::matrix::symmetric::eigen;
    use proptest::prelude::*;

    fn assert_decomposes(matrix: &Symmetric) {
        let found = eigen_of_large(matrix);
        let expected = eigen(matrix);
        let order = matrix.order();
        let size = expected
            .values
            .iter()
            .fold(1e-300, |size: f64, x| size.max(x.abs()));
        for (found, expected) in found.values.iter().zip(&expected.values) {
            assert!(
                (found - expected).abs() <= 1e-13 * size,
                "{found} {expected}"
            );
        }
        for j in 0..order {
            for k in 0..=j {
                let products = found.values.iter().zip(&found.vectors);
                let composed: f64 = products.map(|(value, v)| value * v[j] * v[k]).sum();
                assert!((composed - matrix.at(j, k)).abs() <= 1e-12 * size);
                let inner = dot(&found.vectors[j], &found.vectors[k]);
                assert!((inner - f64::from(u8::from(j == k))).abs() <= 1e-13);
            }
        }
    }

    #[test]
    fn matrices_with_little_in_them() {
        for order in 0..4 {
            assert_decomposes(&Symmetric::from_lower(order, |_, _| 0.0));
            assert_decomposes(&Symmetric::from_lower(order, |_, _| 1.0));
            assert_decomposes(&Symmetric::from_lower(order, |j, k| {
                if j == k { j as f64 } else { 0.0 }
            }));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_same_as_by_rotations(values in prop::collection::vec(-1.0_f64..1.0, 200), order in 1_usize..20, rank in 1_usize..20) {
            // Sums of squares of vectors, fewer than rows at times, so that some eigenvalues are 0.
            let entry = |i: usize, j: usize| values[(i * 37 + j * 11) % 200];
            let matrix = Symmetric::from_lower(order, |j, k| {
                (0..rank).map(|i| entry(i, j) * entry(i, k)).sum()
            });
            assert_decomposes(&matrix);
        }
    }
}
