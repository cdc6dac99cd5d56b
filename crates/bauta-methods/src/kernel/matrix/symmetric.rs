//! Covariance matrices and what is made of them: roots and eigenvalues.
//!
//! Written out here, although there are crates for it: those choose their instructions by the
//! machine they run on, which changes last digits, and masked files must have the same bytes
//! everywhere. The matrices are small (one row per variable).

use std::borrow::Cow;
use std::ops::Range;

use crate::kernel::numbers::streamed::{STRETCH, Streamed, each_stretch};
use crate::kernel::numbers::sums::compensated;

/// A symmetric matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetric {
    order: usize,
    entries: Vec<f64>,
}

impl Symmetric {
    /// A matrix whose entry (j, k) and (k, j) is `entry(j, k)` for k <= j.
    pub fn from_lower(order: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = vec![0.0; order * order];
        for j in 0..order {
            for k in 0..=j {
                let value = entry(j, k);
                entries[j * order + k] = value;
                entries[k * order + j] = value;
            }
        }
        Self { order, entries }
    }

    /// Number of rows.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Entry in row j and column k.
    pub fn at(&self, j: usize, k: usize) -> f64 {
        self.entries[j * self.order + k]
    }

    /// The matrix with each entry divided by the square roots of its two diagonal entries; 0 where
    /// one of those is 0, and 1 on the diagonal otherwise.
    #[must_use]
    pub fn to_correlation(&self) -> Self {
        let sd: Vec<f64> = (0..self.order).map(|j| self.at(j, j).sqrt()).collect();
        Self::from_lower(self.order, |j, k| {
            if sd[j] == 0.0 || sd[k] == 0.0 {
                0.0
            } else if j == k {
                1.0
            } else {
                self.at(j, k) / (sd[j] * sd[k])
            }
        })
    }
}

/// Records per block. Part of the result's definition: changing it changes last digits.
const BLOCK: usize = 4096;
/// Partial sums per product, so that the processor can add several at once.
const LANES: usize = 8;

/// Covariances of columns, with denominator n - 1, about the given means; 0 for fewer than two
/// records. The columns have the same length and no missing value.
pub fn covariance(columns: &[&[f64]], means: &[f64]) -> Symmetric {
    let columns: Vec<&dyn Streamed> = columns
        .iter()
        .map(|column| column as &dyn Streamed)
        .collect();
    covariance_along(&columns, means)
}

/// The same of columns that need not all be in memory.
pub fn covariance_along(columns: &[&dyn Streamed], means: &[f64]) -> Symmetric {
    let order = columns.len();
    let n = columns.first().map_or(0, |column| column.len());
    if n < 2 {
        return Symmetric::from_lower(order, |_, _| 0.0);
    }
    let longest = columns.iter().map(|column| column.stretch()).max();
    let products = |places: Range<usize>| -> Vec<Vec<f64>> {
        let n = places.len();
        let columns: Vec<Cow<'_, [f64]>> = columns
            .iter()
            .map(|column| column.at(places.clone()))
            .collect();
        let blocks = (0..n).step_by(BLOCK);
        let blocks = blocks.map(|first| first..n.min(first + BLOCK));
        blocks
            .map(|rows| block_products(&columns, means, rows))
            .collect()
    };
    let stretches = each_stretch(n, longest.unwrap_or(STRETCH), &products);
    Symmetric::from_lower(order, |j, k| {
        let entry = j * (j + 1) / 2 + k;
        let sums = stretches.iter().flatten().map(|sums| sums[entry]);
        compensated(sums) / (n - 1) as f64
    })
}

/// Sums of products of the centred columns j and k over some records, for k <= j, row by row.
fn block_products(columns: &[Cow<'_, [f64]>], means: &[f64], rows: Range<usize>) -> Vec<f64> {
    let centred: Vec<Vec<f64>> = columns
        .iter()
        .zip(means)
        .map(|(column, mean)| column[rows.clone()].iter().map(|x| x - mean).collect())
        .collect();
    let mut sums = Vec::with_capacity(columns.len() * (columns.len() + 1) / 2);
    for (j, a) in centred.iter().enumerate() {
        for b in &centred[..=j] {
            sums.push(dot(a, b));
        }
    }
    sums
}

/// Σ a b, in an order of summation that is always the same.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a_groups, b_groups) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a_groups
        .remainder()
        .iter()
        .zip(b_groups.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a_groups.zip(b_groups) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// A factor R with R Rᵀ = the matrix, found column by column.
#[derive(Clone, PartialEq, Debug)]
pub struct Root {
    /// R, row by row; row j has j + 1 entries.
    rows: Vec<Vec<f64>>,
    /// Columns of R that are 0: variables that are combinations of those before them.
    pub dependent: Vec<usize>,
}

impl Root {
    /// Row j of R, from its first entry to that on the diagonal.
    pub fn row(&self, j: usize) -> &[f64] {
        &self.rows[j]
    }
}

/// Share of a variable's variance below which what the variables before it leave over counts as
/// rounding.
const DEPENDENT_BELOW: f64 = 1e-10;

/// The Cholesky factor in column order. Where a variable is a linear combination of those before it,
/// its column is 0 and its own row still reproduces its covariances: the factor reveals the rank
/// instead of failing.
pub fn column_root(matrix: &Symmetric) -> Root {
    let order = matrix.order();
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(order);
    let mut dependent = Vec::new();
    for j in 0..order {
        let mut row = vec![0.0; j + 1];
        // The entries that are not 0: categories of one variable share no record, and their block of
        // the matrix is a diagonal.
        let mut filled: Vec<usize> = Vec::new();
        for k in 0..j {
            let pivot = rows[k][k];
            if pivot > 0.0 {
                let known: f64 = filled.iter().map(|&i| row[i] * rows[k][i]).sum();
                row[k] = (matrix.at(j, k) - known) / pivot;
            }
            if row[k] != 0.0 {
                filled.push(k);
            }
        }
        let variance = matrix.at(j, j);
        let left = variance - row[..j].iter().map(|r| r * r).sum::<f64>();
        if left > DEPENDENT_BELOW * variance {
            row[j] = left.sqrt();
        } else {
            dependent.push(j);
        }
        rows.push(row);
    }
    Root { rows, dependent }
}

/// Eigenvalues in falling order, and their vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Eigen {
    /// Eigenvalues, the largest first.
    pub values: Vec<f64>,
    /// The vector of each, of length 1, with its largest entry positive (the first of equals).
    pub vectors: Vec<Vec<f64>>,
}

/// Sweeps after which the rotations stop in any case; ten suffice in practice.
const MAX_SWEEPS: usize = 100;

/// Eigenvalues and vectors by Jacobi's rotations, sweep by sweep, until the entries beside the
/// diagonal are rounding.
pub fn eigen(matrix: &Symmetric) -> Eigen {
    let order = matrix.order();
    let mut a = matrix.entries.clone();
    let mut vectors: Vec<f64> = (0..order * order)
        .map(|at| f64::from(u8::from(at / order.max(1) == at % order.max(1))))
        .collect();
    let scale: f64 = a.iter().map(|entry| entry * entry).sum();
    for _ in 0..MAX_SWEEPS {
        let beside: f64 = (0..order)
            .flat_map(|p| (0..p).map(move |q| (p, q)))
            .map(|(p, q)| a[p * order + q] * a[p * order + q])
            .sum();
        if beside <= 1e-32 * scale {
            break;
        }
        for p in 0..order {
            for q in p + 1..order {
                rotate(&mut a, &mut vectors, order, p, q);
            }
        }
    }
    let mut ranked: Vec<usize> = (0..order).collect();
    ranked.sort_by(|&i, &j| a[j * order + j].total_cmp(&a[i * order + i]));
    Eigen {
        values: ranked.iter().map(|&i| a[i * order + i]).collect(),
        vectors: ranked
            .iter()
            .map(|&i| signed((0..order).map(|j| vectors[j * order + i]).collect()))
            .collect(),
    }
}

/// One rotation that makes entry (p, q) zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], order: usize, p: usize, q: usize) {
    let between = a[p * order + q];
    if between == 0.0 {
        return;
    }
    let theta = (a[q * order + q] - a[p * order + p]) / (2.0 * between);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..order {
        let (kp, kq) = (a[k * order + p], a[k * order + q]);
        a[k * order + p] = c * kp - s * kq;
        a[k * order + q] = s * kp + c * kq;
    }
    for k in 0..order {
        let (pk, qk) = (a[p * order + k], a[q * order + k]);
        a[p * order + k] = c * pk - s * qk;
        a[q * order + k] = s * pk + c * qk;
    }
    for k in 0..order {
        let (kp, kq) = (vectors[k * order + p], vectors[k * order + q]);
        vectors[k * order + p] = c * kp - s * kq;
        vectors[k * order + q] = s * kp + c * kq;
    }
}

/// The vector or its negative, so that its largest entry is positive.
fn signed(vector: Vec<f64>) -> Vec<f64> {
    let mut largest = 0.0_f64;
    for &entry in &vector {
        if entry.abs() > largest.abs() {
            largest = entry;
        }
    }
    if largest < 0.0 {
        vector.into_iter().map(|entry| -entry).collect()
    } else {
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn covariances_of_three_records() {
        // x = 1, 2, 3 and y = 2, 4, 9 with means 2 and 5: squares 2 and 26, products 3 + 0 + 4 = 7.
        let (x, y) = ([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]);
        let found = covariance(&[&x, &y], &[2.0, 5.0]);
        assert_eq!(
            (found.at(0, 0), found.at(1, 0), found.at(1, 1)),
            (1.0, 3.5, 13.0)
        );
        let correlation = found.to_correlation();
        assert!((correlation.at(0, 1) - 3.5 / 13.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(correlation.at(1, 1).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn a_sum_of_two_variables_is_found_to_depend_on_them() {
        // Third = first + second: variances 4, 9, covariance 0, so 13 and covariances 4 and 9.
        let lower = [[4.0, 0.0, 0.0], [0.0, 9.0, 0.0], [4.0, 9.0, 13.0]];
        let root = column_root(&Symmetric::from_lower(3, |j, k| lower[j][k]));
        assert_eq!(root.dependent, [2]);
        assert_eq!(root.row(0), [2.0]);
        assert_eq!(root.row(1), [0.0, 3.0]);
        assert_eq!(root.row(2), [2.0, 3.0, 0.0]);
    }

    #[test]
    fn zeros_are_passed_over_without_a_trace() {
        // Categories of one variable, crossed with a few others: a diagonal block and rows that fill up.
        let entry = |j: usize, k: usize| match (j, k) {
            (j, k) if j == k => 20.0 + j as f64,
            (j, _) if j < 30 => 0.0,
            (j, k) => ((j * 7 + k * 3) % 5) as f64 / 4.0,
        };
        let matrix = Symmetric::from_lower(40, entry);
        let found = column_root(&matrix);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for j in 0..40 {
            let mut row = vec![0.0; j + 1];
            for k in 0..j {
                let known: f64 = (0..k).map(|i| row[i] * rows[k][i]).sum();
                row[k] = (matrix.at(j, k) - known) / rows[k][k];
            }
            let known: f64 = row[..j].iter().map(|r| r * r).sum();
            row[j] = (matrix.at(j, j) - known).sqrt();
            assert_eq!(found.row(j), row, "row {j}");
            rows.push(row);
        }
    }

    #[test]
    fn eigenvalues_of_two_by_two() {
        // 2 1 / 1 2: eigenvalues 3 and 1, vectors (1, 1)/√2 and (1, -1)/√2.
        let found = eigen(&Symmetric::from_lower(
            2,
            |j, k| {
                if j == k { 2.0 } else { 1.0 }
            },
        ));
        let half = 0.5_f64.sqrt();
        assert!((found.values[0] - 3.0).abs() < 1e-14 && (found.values[1] - 1.0).abs() < 1e-14);
        assert!((found.vectors[0][0] - half).abs() < 1e-14);
        assert!((found.vectors[0][1] - half).abs() < 1e-14);
        assert!((found.vectors[1][0] * found.vectors[1][1] + 0.5).abs() < 1e-14);
    }

    #[test]
    fn nothing_at_all() {
        let none = covariance(&[], &[]);
        assert_eq!(none.order(), 0);
        assert!(column_root(&none).dependent.is_empty());
        assert!(eigen(&none).values.is_empty());
    }

    proptest! {
        #[test]
        fn roots_and_eigenvectors_give_the_matrix_back(
            values in prop::collection::vec(-10.0_f64..10.0, 40),
            copy in 0_usize..4,
        ) {
            // Five columns of eight records, the last a copy of another: rank 4 at most.
            let mut columns: Vec<&[f64]> = values.chunks(8).take(4).collect();
            columns.push(columns[copy]);
            let matrix = covariance(&columns, &[0.0; 5]);
            let root = column_root(&matrix);
            prop_assert!(root.dependent.contains(&4));
            let eigen = eigen(&matrix);
            let size = (0..5).map(|j| matrix.at(j, j)).fold(0.0, f64::max);
            for j in 0..5 {
                for k in 0..=j {
                    let product: f64 = root.row(j).iter().zip(root.row(k)).map(|(a, b)| a * b).sum();
                    prop_assert!((product - matrix.at(j, k)).abs() <= 1e-8 * size);
                    let composed: f64 = (0..5)
                        .map(|i| eigen.values[i] * eigen.vectors[i][j] * eigen.vectors[i][k])
                        .sum();
                    prop_assert!((composed - matrix.at(j, k)).abs() <= 1e-12 * size);
                }
            }
            prop_assert!(eigen.values[4].abs() <= 1e-12 * size);
        }
    }
}
