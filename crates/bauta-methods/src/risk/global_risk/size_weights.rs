//! The disclosure risk weight matrix W: how much a record counts that is in a cluster of i records
//! in the masked file and of j in the original one (Truta 2004, eq. 3.4).

use crate::params::{ParamProblem, Params};

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
    /// Given; the last row and column hold for all sizes beyond.
    Rows(Vec<Vec<f64>>),
}

impl SizeWeights {
    /// The weights that the parameters ask for.
    pub(crate) fn of(params: &Params) -> Self {
        match params.choice("weights") {
            "equal" => Self::Equal,
            "small" => Self::UpTo(u32::try_from(params.integer("up_to")).unwrap_or(u32::MAX)),
            "matrix" => Self::Rows(params.number_rows("w").to_vec()),
            _ => Self::Inverse {
                a: params.number("a"),
                b: params.number("b"),
            },
        }
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

    /// What is wrong with the weights that the parameters ask for.
    pub(crate) fn problems(params: &Params) -> Vec<ParamProblem> {
        let given = params.is_set("w");
        match params.choice("weights") {
            "matrix" if !given => vec![ParamProblem::of(
                "weights",
                "`weights` is matrix, and there is none",
                "add `w = [[1.0, 0.5], [0.5, 0.8]]`, or choose other weights",
            )],
            "matrix" => matrix_problem(params.number_rows("w"))
                .map(|message| {
                    ParamProblem::of(
                        "w",
                        message,
                        "weights fall away from the diagonal in rows and columns, and along diagonals",
                    )
                })
                .into_iter()
                .collect(),
            _ if given => vec![ParamProblem::of(
                "w",
                "`w` is given, and `weights` does not ask for a matrix",
                "set weights = \"matrix\", or leave `w` out",
            )],
            "inverse" if params.number("a") < params.number("b") => vec![ParamProblem::of(
                "a",
                "`a` is less than `b`, so that weights would rise away from the diagonal",
                "let `a` be at least `b`",
            )],
            _ => Vec::new(),
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
