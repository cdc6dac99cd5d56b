//! What variables have in common, and random columns that have it too.

use std::borrow::Cow;
use std::ops::Range;

use bauta_data::Table;
use rayon::prelude::*;

use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Root, Symmetric, column_root, covariance_along};
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{finite_moments, too_large};
use crate::kernel::numbers::normal;
use crate::kernel::numbers::streamed::Streamed;
use crate::kernel::numbers::sums::plain_sum_along;
use crate::note::Note;

/// Means and a root of the covariance of several variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// Mean of each.
    pub means: Vec<f64>,
    /// Their covariance.
    pub covariance: Symmetric,
    /// R with R Rᵀ = covariance, in the order of the variables.
    pub root: Root,
}

impl Spread {
    /// The spread of columns in which NaN is missing, and none of which is constant. Variables that
    /// depend on those before them are noted.
    ///
    /// Variances are those of all present values, correlations those of the complete records, so
    /// that a variable that varies never gets a variance of 0 because of what is missing elsewhere.
    pub fn of(
        names: &[&str],
        columns: &[&dyn Streamed],
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let means = means(columns);
        // A missing value makes the sum NaN.
        let (means, covariance) = if means.iter().any(|mean| mean.is_nan()) {
            with_missing(names, columns)?
        } else {
            let covariance = covariance_along(columns, &means);
            (means, covariance)
        };
        for (j, name) in names.iter().enumerate() {
            check_variance(name, means[j], covariance.at(j, j))?;
        }
        let root = column_root(&covariance);
        if !root.dependent.is_empty() {
            let dependent = root.dependent.iter().map(|&j| names[j]);
            context.note(dependent_variables(&dependent.collect::<Vec<_>>()));
        }
        Ok(Self {
            means,
            covariance,
            root,
        })
    }
}

/// Variables that are linear combinations of others that were masked with them. Public: the masked
/// file keeps the relation, so that everyone who has the file can see it.
fn dependent_variables(variables: &[&str]) -> Note {
    let text = format!(
        "linear combinations of other masked variables, before and after: {}",
        variables.join(", ")
    );
    Note::new("dependent-variables", text)
        .with("variables", variables)
        .public()
}

fn check_variance(name: &str, mean: f64, variance: f64) -> Result<(), MethodError> {
    if !mean.is_finite() || !variance.is_finite() {
        return Err(too_large(name));
    }
    if variance == 0.0 {
        // Without this the variable would leave unmasked.
        return Err(MethodError::data(
            name,
            "its values differ by so little that their variance is 0",
            "state the variable in a smaller unit",
        ));
    }
    Ok(())
}

fn means(columns: &[&dyn Streamed]) -> Vec<f64> {
    let mean = |column: &&dyn Streamed| plain_sum_along(*column) / column.len() as f64;
    columns.iter().map(mean).collect()
}

fn with_missing(
    names: &[&str],
    columns: &[&dyn Streamed],
) -> Result<(Vec<f64>, Symmetric), MethodError> {
    // The complete records are found, and taken, in whole columns.
    let whole: Vec<Cow<'_, [f64]>> = columns
        .iter()
        .map(|column| column.at(0..column.len()))
        .collect();
    let columns: Vec<&[f64]> = whole.iter().map(AsRef::as_ref).collect();
    let columns = &columns[..];
    let n = columns[0].len();
    let complete = complete_rows(n, columns);
    if complete.len() < 2 {
        return Err(MethodError::request(
            "fewer than two records have a value in every variable, so that nothing is known of \
             how the variables go together",
            "mask fewer variables in one step, or impute the missing values first",
        ));
    }
    let kept: Vec<Vec<f64>> = columns
        .par_iter()
        .map(|column| taken(column, &complete))
        .collect();
    let kept: Vec<&[f64]> = kept.iter().map(Vec::as_slice).collect();
    let kept: Vec<&dyn Streamed> = kept.iter().map(|kept| kept as &dyn Streamed).collect();
    let correlation = covariance_along(&kept, &means(&kept)).to_correlation();
    let moments = names
        .iter()
        .zip(columns)
        .map(|(name, column)| finite_moments(name, column))
        .collect::<Result<Vec<_>, _>>()?;
    let matrix = Symmetric::from_lower(columns.len(), |j, k| {
        let r = if j == k { 1.0 } else { correlation.at(j, k) };
        r * moments[j].sd * moments[k].sd
    });
    Ok((moments.iter().map(|found| found.mean).collect(), matrix))
}

/// Columns to fill. Not copies of one, which would be written before they are filled.
pub fn zeros(n_records: usize, n_columns: usize) -> Vec<Vec<f64>> {
    (0..n_columns).map(|_| vec![0.0; n_records]).collect()
}

/// Records per parallel block: few enough that those of a dozen variables stay in the cache.
const BLOCK: usize = 1024;

/// Works on several columns of the same length block by block, in parallel. The work gets the
/// records of its block and their part of each column.
pub fn in_blocks(
    columns: &mut [Vec<f64>],
    context: &RunContext<'_>,
    work: impl Fn(Range<usize>, &mut [&mut [f64]]) -> Result<(), MethodError> + Sync,
) -> Result<(), MethodError> {
    on_parts(columns, context, &work)
}

/// Fills the columns of a block of records.
type Filling<'a> = dyn Fn(Range<usize>, &mut [&mut [f64]]) -> Result<(), MethodError> + Sync + 'a;

/// Compiled once for all work; see `kernel/parallel.rs`.
fn on_parts(
    columns: &mut [Vec<f64>],
    context: &RunContext<'_>,
    work: &Filling<'_>,
) -> Result<(), MethodError> {
    let n = columns.first().map_or(0, Vec::len);
    let n_columns = columns.len();
    let mut blocks: Vec<Vec<&mut [f64]>> = (0..n.div_ceil(BLOCK))
        .map(|_| Vec::with_capacity(n_columns))
        .collect();
    for column in columns {
        for (block, part) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            block.push(part);
        }
    }
    let numbered = blocks.into_par_iter().enumerate();
    numbered.try_for_each(|(number, mut block)| {
        context.go_on()?;
        let first = number * BLOCK;
        work(first..(first + BLOCK).min(n), &mut block)
    })
}

/// Puts y = R w in the place of w, in each record.
pub fn colour(root: &Root, w: &mut [&mut [f64]]) {
    // From the last variable to the first: y_j needs w_1 … w_j and no later one.
    for j in (0..w.len()).rev() {
        let row = root.row(j);
        let (before, from) = w.split_at_mut(j);
        let y = &mut *from[0];
        for value in y.iter_mut() {
            *value *= row[j];
        }
        // Four variables at a time, since otherwise most of the work is storing and loading y.
        let mut k = 0;
        while k + 4 <= j {
            let [a, b, c, d] = [0, 1, 2, 3].map(|more| &before[k + more][..y.len()]);
            for i in 0..y.len() {
                y[i] +=
                    (row[k] * a[i] + row[k + 1] * b[i]) + (row[k + 2] * c[i] + row[k + 3] * d[i]);
            }
            k += 4;
        }
        for (r, w) in row[k..j].iter().zip(&before[k..]) {
            for (y, w) in y.iter_mut().zip(w.iter()) {
                *y += r * w;
            }
        }
    }
}

/// Standard normal deviates, one draw each.
pub fn standard_normal(draws: &Draws, table: &Table, records: Range<usize>, w: &mut [f64]) {
    draws.unit_intervals(table, records, w);
    normal::quantiles(w);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    #[test]
    fn noise_of_five_variables_by_hand() {
        // Row j of R is 1, 2, …, j + 1; w = 1, 10, 100, 1000, 10000 in one record, 0 in the other.
        let matrix = Symmetric::from_lower(5, |j, k| {
            (0..=k.min(j)).map(|i| ((i + 1) * (i + 1)) as f64).sum()
        });
        let root = column_root(&matrix);
        assert_eq!(root.row(3), [1.0, 2.0, 3.0, 4.0]);
        let mut columns: Vec<Vec<f64>> = (0..5).map(|j| vec![10_f64.powi(j), 0.0]).collect();
        let context = RunContext::new(1, "step", &Unwatched);
        in_blocks(&mut columns, &context, |_, w| {
            colour(&root, w);
            Ok(())
        })
        .unwrap();
        let first: Vec<f64> = columns.iter().map(|column| column[0]).collect();
        assert_eq!(first, [1.0, 21.0, 321.0, 4_321.0, 54_321.0]);
        assert!(columns.iter().all(|column| column[1] == 0.0));
    }

    #[test]
    fn missing_values_do_not_take_a_variance_away() {
        // y is the same in the complete records (1, 2) and differs elsewhere: its variance is that
        // of 5, 5, 8 = 3, and what is not known to go together is taken not to.
        let nan = f64::NAN;
        let (x, y) = ([1.0, 3.0, nan], [5.0, 5.0, 8.0]);
        let context = RunContext::new(1, "step", &Unwatched);
        let found = Spread::of(&["x", "y"], &[&&x[..], &&y[..]], &context).unwrap();
        let entry = |j, k| found.covariance.at(j, k);
        assert!((entry(0, 0) - 2.0).abs() < 1e-15 && (entry(1, 1) - 3.0).abs() < 1e-15);
        assert_eq!(entry(1, 0).to_bits(), 0);
        assert!((found.means[1] - 6.0).abs() < 1e-15);
        // Without a second complete record there is nothing to go by.
        let (x, y) = ([1.0, 3.0, nan], [5.0, nan, 8.0]);
        assert!(Spread::of(&["x", "y"], &[&&x[..], &&y[..]], &context).is_err());
    }

    #[test]
    fn a_variance_that_vanishes_is_an_error_and_no_release() {
        let context = RunContext::new(1, "step", &Unwatched);
        let x = [1e-200, 2e-200];
        assert!(Spread::of(&["x"], &[&&x[..]], &context).is_err());
        let x = [1e200, 2e200];
        assert!(Spread::of(&["x"], &[&&x[..]], &context).is_err());
    }
}
