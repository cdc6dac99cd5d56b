//! The disclosure risk weight matrix W: how much a record counts that is in a cluster of i records
//! in the masked file and of j in the original one (Truta 2004, eq. 3.4).

use crate::card::{ParamSpec, ParamType};
use crate::params::{ParamProblem, Params, choices};

choices! {
    /// How much a record counts in the weighted risk.
    enum Weights {
        Inverse = "inverse": "1 / (1 + a |i - j| + b (min(i, j) - 1))",
        Equal = "equal": "1 for all, which gives the maximal risk",
        Small = "small": "1 where neither cluster is larger than `up_to`, 0 elsewhere",
        Matrix = "matrix": "the matrix `w`",
    }
}

pub(super) const WEIGHTS: ParamSpec = ParamSpec::choice::<Weights>(
    "weights",
    "how much a record counts in the weighted risk, by the sizes of its two clusters",
)
.or_word("inverse");
pub(super) const A: ParamSpec = ParamSpec::number(
    "a",
    "what a difference of the two sizes takes away, with inverse weights",
    0.0,
)
.or_number(0.5);
pub(super) const B: ParamSpec = ParamSpec::number(
    "b",
    "what the smaller of the two sizes takes away, with inverse weights; at most `a`",
    0.0,
)
.or_number(0.3);
pub(super) const UP_TO: ParamSpec = ParamSpec::integer(
    "up_to",
    "largest cluster that counts, with small weights",
    1,
)
.or_integer(2);
pub(super) const W: ParamSpec = ParamSpec::new(
    "w",
    "the weights: row i for clusters of i records in the masked file, column j in the original",
    ParamType::NumberRows {
        min: 0.0,
        max: f64::INFINITY,
    },
)
.unset("weights come from a formula");

/// The weights `w_ij`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SizeWeights {
    /// 1 / (1 + a |i - j| + b (min(i, j) - 1)).
    Inverse {
        /// What a difference of the sizes takes away.
        a: f64,
        /// What size takes away.
        b: f64,
    },
    /// 1 everywhere: the maximal risk.
    Equal,
    /// 1 where neither size is above the limit, 0 elsewhere.
    UpTo(u32),
    /// Given, a square with a first weight above 0; the last row and column hold for all sizes
    /// beyond.
    Rows(Vec<Vec<f64>>),
}

impl SizeWeights {
    /// The weights that the parameters ask for, or what is wrong with them.
    pub(crate) fn asked(params: &Params) -> Result<Self, ParamProblem> {
        let weights: Weights = params.choice_of(WEIGHTS.name);
        let w = params.number_rows(W.name);
        if weights != Weights::Matrix && params.is_set(W.name) {
            return Err(ParamProblem::of(
                W.name,
                "`w` is given, and `weights` does not ask for a matrix",
                "set weights = \"matrix\", or leave `w` out",
            ));
        }
        match weights {
            Weights::Inverse => Self::inverse(params.number(A.name), params.number(B.name)),
            Weights::Equal => Ok(Self::Equal),
            Weights::Small => Ok(Self::UpTo(
                u32::try_from(params.integer(UP_TO.name)).unwrap_or(u32::MAX),
            )),
            Weights::Matrix if w.is_empty() => Err(ParamProblem::of(
                WEIGHTS.name,
                "`weights` is matrix, and there is none",
                "add `w = [[1.0, 0.5], [0.5, 0.8]]`, or choose other weights",
            )),
            Weights::Matrix => match matrix_problem(w) {
                None => Ok(Self::Rows(w.to_vec())),
                Some(message) => Err(ParamProblem::of(
                    W.name,
                    message,
                    "weights fall away from the diagonal in rows and columns, and along diagonals",
                )),
            },
        }
    }

    fn inverse(a: f64, b: f64) -> Result<Self, ParamProblem> {
        if a < b {
            return Err(ParamProblem::of(
                A.name,
                "`a` is less than `b`, so that weights would rise away from the diagonal",
                "let `a` be at least `b`",
            ));
        }
        Ok(Self::Inverse { a, b })
    }

    /// `w_ij` / `w_11`.
    pub(crate) fn relative(&self, i: u32, j: u32) -> f64 {
        match self {
            Self::Inverse { a, b } => {
                let apart = f64::from(i.abs_diff(j));
                1.0 / (1.0 + a * apart + b * f64::from(i.min(j) - 1))
            }
            Self::Equal => 1.0,
            Self::UpTo(limit) => f64::from(u8::from(i.max(j) <= *limit)),
            Self::Rows(rows) => {
                let last = rows.len() - 1;
                let at = |size: u32| (size as usize - 1).min(last);
                rows[at(i)][at(j)] / rows[0][0]
            }
        }
    }
}

/// The first of the properties under (3.4), as they are meant, that a matrix lacks.
fn matrix_problem(w: &[Vec<f64>]) -> Option<String> {
    let m = w.len();
    if w.iter().any(|row| row.len() != m) {
        return Some("`w` must have as many rows as columns".to_owned());
    }
    if w[0][0] <= 0.0 {
        return Some("the first weight of `w` must be above 0".to_owned());
    }
    for i in 0..m {
        for j in 0..m {
            // One step towards the diagonal, in the row and in the column.
            let nearer = match i.cmp(&j) {
                std::cmp::Ordering::Less => [(i, j - 1), (i + 1, j)],
                std::cmp::Ordering::Greater => [(i, j + 1), (i - 1, j)],
                std::cmp::Ordering::Equal => [(i, j), (i, j)],
            };
            if nearer.iter().any(|&(k, l)| w[k][l] < w[i][j]) {
                return Some(format!(
                    "row {}, column {} of `w` is larger than a weight nearer to the diagonal",
                    i + 1,
                    j + 1
                ));
            }
            if i > 0 && j > 0 && w[i - 1][j - 1] < w[i][j] {
                return Some(format!(
                    "row {}, column {} of `w` is larger than the weight before it on its diagonal",
                    i + 1,
                    j + 1
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_matrix_must_satisfy() {
        assert_eq!(matrix_problem(&[vec![1.0, 0.5], vec![0.4, 0.8]]), None);
        for wrong in [
            vec![vec![1.0, 0.5]],
            vec![vec![0.0]],
            vec![vec![1.0, 1.5], vec![0.4, 0.8]],
            vec![vec![1.0, 0.9], vec![0.4, 0.8]],
            vec![vec![1.0, 0.5], vec![0.4, 1.2]],
        ] {
            assert!(matrix_problem(&wrong).is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn the_last_row_and_column_hold_beyond_a_matrix() {
        let weights = SizeWeights::Rows(vec![vec![2.0, 1.0], vec![0.5, 1.6]]);
        let expected = [(1, 1, 1.0), (1, 9, 0.5), (9, 1, 0.25), (3, 9, 0.8)];
        for (i, j, w) in expected {
            assert!((weights.relative(i, j) - w).abs() < 1e-15);
        }
    }

    #[test]
    fn the_weights_of_the_reference_figures() {
        let weights = SizeWeights::Inverse { a: 0.5, b: 0.3 };
        // i = 2, j = 4: 1 / (1 + 0.5 * 2 + 0.3 * 1).
        assert!((weights.relative(2, 4) - 1.0 / 2.3).abs() < 1e-15);
    }
}
