//! Originals that are equally near by the numbers that the files show share the credit of a link.

use crate::support;

use bauta_data::{Table, Unwatched};
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, Measurement, Pair, RawValue, RunContext, registry};
use proptest::prelude::*;
use support::{numbers, params, table};

fn file(columns: &[Vec<f64>]) -> Table {
    let names = ["x", "y", "z"].into_iter();
    table(
        names
            .zip(columns)
            .map(|(name, values)| numbers(name, values))
            .collect(),
    )
}

/// `dld` of a file and its masked version, column by column.
fn linked(original: &[Vec<f64>], masked: &[Vec<f64>], correspondence: &str) -> Measurement {
    let (original, masked) = (file(original), file(masked));
    let measure = registry::measure("dld").expect("a measure");
    let given = [("correspondence", RawValue::Text(correspondence.to_owned()))];
    let given = params(measure.card(), &given);
    let on: Vec<String> = original.names().map(str::to_owned).collect();
    let files = Files::Both(Pair {
        original: &original,
        masked: &masked,
        rows: Rows::Correspond,
    });
    let context = RunContext::new(1, "measure", &Unwatched);
    let found = measure.measure(&given, &MeasureTask::new(files, &on), &context);
    found.expect("the measure works")
}

/// The credit of each record, by its own original and one key.
fn credits(original: &[f64], masked: &[f64]) -> Vec<f64> {
    let found = linked(&[original.to_vec()], &[masked.to_vec()], "own");
    found.per_record.expect("figures by record")
}

#[test]
fn half_numbers_between_whole_ones_tie() {
    let x = vec![9.0, 5.0, 4.0, 7.0, 6.0, 2.0];
    let z = vec![8.5, 4.5, 4.0, 8.0, 6.5, 2.5];
    // 8.5, 4, 2.5 are nearest to their own; 4.5 is as near to 4 as to its own 5, 8 as near to 9 as to
    // its own 7, 6.5 as near to 7 as to its own 6: (3 + 3/2) / 6.
    let found = linked(&[x], &[z], "own");
    assert_eq!(found.value, Some(0.75));
}

#[test]
fn decimals_tie_by_what_the_file_shows() {
    // 0.2 is as near to 0.1 as to 0.3, though 0.3 - 0.2 is less than 0.2 - 0.1 as doubles.
    assert_eq!(credits(&[0.1, 0.3, 0.9], &[0.2, 0.2, 0.9]), [0.5, 0.5, 1.0]);
    // Also with a masked value beside it that has all digits of a double, and at the half step.
    assert_eq!(
        credits(&[0.1, 0.2, 0.9], &[0.15, 1.0 / 3.0, 0.9]),
        [0.5, 1.0, 1.0]
    );
}

#[test]
fn numbers_with_all_digits_are_subtracted_as_they_are() {
    let third = 1.0 / 3.0;
    // 1 + 1/3 rounded, and its neighbours at the same distance either way.
    let step = f64::EPSILON;
    let z = 1.0 + third;
    assert_eq!(
        credits(
            &[z - step, z + step, 9.0 + third],
            &[z, z + step, 7.0 + third]
        ),
        [0.5, 1.0, 1.0]
    );
    // One step more is farther.
    assert_eq!(
        credits(
            &[z - step, z + 2.0 * step, 9.0 + third],
            &[z, z, 8.0 + third]
        ),
        [1.0, 0.0, 1.0]
    );
}

#[test]
fn large_numbers_tie_as_small_ones_do() {
    let a = 1e15;
    assert_eq!(
        credits(&[a, a + 2.0, 7.0], &[a + 1.0, a + 3.0, 7.0]),
        [0.5, 1.0, 1.0]
    );
    assert_eq!(credits(&[-a, a, 1.0], &[0.0, a, 0.0]), [0.0, 1.0, 1.0]);
    // -1e15 and 1e15 - 1 are told apart from 0.
    assert_eq!(credits(&[-a, a - 1.0], &[0.0, 0.0]), [0.0, 1.0]);
    // So far away that all are equally far.
    assert_eq!(
        credits(&[1.5, 2.5, 3.5, 4.5], &[1e300, 2.5, 3.5, 4.5]),
        [0.25, 1.0, 1.0, 1.0]
    );
}

#[test]
fn zeros_of_both_signs_are_one_value() {
    assert_eq!(
        credits(&[-0.0, 0.0, 5.5], &[0.0, -0.0, 5.5]),
        [0.5, 0.5, 1.0]
    );
}

#[test]
fn a_constant_adds_nothing_even_where_its_mean_is_rounded() {
    let (x, z) = (
        vec![9.0, 5.0, 4.0, 7.0, 6.0, 2.0],
        vec![8.5, 4.5, 4.0, 8.0, 6.5, 2.5],
    );
    for constant in [0.1, 0.7, 1e15 / 7.0] {
        let found = linked(
            &[vec![constant; 6], x.clone()],
            &[vec![1.0, 2.0, 3.0, 1e308, 5.0, 6.0], z.clone()],
            "own",
        );
        assert_eq!(found.part("DLD-1"), Some(1.0 / 6.0));
        assert_eq!(found.part("DLD-2"), Some(0.75));
    }
}

/// A variable of both files in steps of its grid.
#[derive(Clone, Debug)]
struct Steps {
    original: Vec<i64>,
    masked: Vec<i64>,
    decimals: i32,
}

impl Steps {
    /// The values as a file shows them: a quotient of whole numbers is rounded as the text would be.
    fn shown(&self, steps: &[i64]) -> Vec<f64> {
        let steps = steps.iter();
        steps
            .map(|&step| step as f64 / 10_f64.powi(self.decimals))
            .collect()
    }

    /// n (n - 1) times the variance of the original, in squared steps.
    fn spread(&self) -> i128 {
        let (mut sum, mut squares) = (0, 0);
        for &step in &self.original {
            sum += i128::from(step);
            squares += i128::from(step) * i128::from(step);
        }
        self.original.len() as i128 * squares - sum * sum
    }
}

/// The originals that are nearest to a masked record, by arithmetic with whole numbers: squared
/// differences over spreads, times the product of the spreads.
fn nearest(variables: &[Steps], record: usize) -> Vec<usize> {
    let spreads = variables.iter().map(Steps::spread);
    let counting = variables.iter().zip(spreads).filter(|(_, n)| *n > 0);
    let counting: Vec<(&Steps, i128)> = counting.collect();
    let product: i128 = counting.iter().map(|(_, spread)| spread).product();
    let distance = |row: usize| -> i128 {
        let squares = counting.iter().map(|(steps, spread)| {
            let difference = i128::from(steps.masked[record] - steps.original[row]);
            difference * difference * (product / spread)
        });
        squares.sum()
    };
    let n = variables[0].original.len();
    let smallest = (0..n).map(distance).min();
    (0..n)
        .filter(|&row| Some(distance(row)) == smallest)
        .collect()
}

/// Mean credit of each record over the first key, the first two, and so on.
fn exact(variables: &[Steps], right: impl Fn(usize) -> usize) -> Vec<f64> {
    let credit = |record: usize, n_keys: usize| {
        let nearest = nearest(&variables[..n_keys], record);
        if nearest.contains(&right(record)) {
            1.0 / nearest.len() as f64
        } else {
            0.0
        }
    };
    let n_keys = variables.len();
    let mean = |record| {
        let credits = (1..=n_keys).map(|n| credit(record, n));
        credits.sum::<f64>() / n_keys as f64
    };
    (0..variables[0].masked.len()).map(mean).collect()
}

/// One to three variables of few values, in which other differences often have the same sum of squares:
/// the later ones can be the first in another order, so that all standard deviations are equal.
fn variables() -> impl Strategy<Value = Vec<Steps>> {
    let cells = |n: usize| prop::collection::vec(prop::array::uniform6(0_i64..40), n);
    let of = (3_usize..13).prop_flat_map(cells);
    let shape = (1_usize..4, 0_i32..3, 0_usize..3, any::<bool>());
    (of, shape, -3_i64..2000).prop_map(|(cells, (n_keys, decimals, turned, alike), from)| {
        let n = cells.len();
        (0..n_keys)
            .map(|j| {
                let k = if alike { 0 } else { j };
                let original = (0..n).map(|i| from + cells[(i + j * turned) % n][k] / 4 * 4);
                Steps {
                    original: original.collect(),
                    masked: cells.iter().map(|cells| from + cells[3 + j]).collect(),
                    decimals,
                }
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn credits_are_those_of_exact_arithmetic(variables in variables()) {
        let original: Vec<Vec<f64>> = variables.iter().map(|v| v.shown(&v.original)).collect();
        let masked: Vec<Vec<f64>> = variables.iter().map(|v| v.shown(&v.masked)).collect();
        for correspondence in ["own", "nearest"] {
            let expected = exact(&variables, |record| match correspondence {
                "own" => record,
                _ => nearest(&variables, record)[0],
            });
            let found = linked(&original, &masked, correspondence);
            let per_record = found.per_record.expect("figures by record");
            for (found, expected) in per_record.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-15, "{per_record:?} {expected:?}");
            }
        }
    }

    #[test]
    fn the_order_of_rows_changes_no_credit(variables in variables()) {
        let turned = |mut values: Vec<f64>| { values.reverse(); values };
        let shown = |by: &dyn Fn(Vec<f64>) -> Vec<f64>| -> [Vec<Vec<f64>>; 2] {
            [
                variables.iter().map(|v| by(v.shown(&v.original))).collect(),
                variables.iter().map(|v| by(v.shown(&v.masked))).collect(),
            ]
        };
        let [original, masked] = shown(&|values| values);
        let there = linked(&original, &masked, "own").per_record.expect("figures by record");
        let [original, masked] = shown(&turned);
        let back = linked(&original, &masked, "own").per_record.expect("figures by record");
        prop_assert_eq!(there, turned(back));
    }
}
