//! Statistics in the plainest way, for checks: no blocks, no trees, no threads.

use bauta_data::Table;

use super::work::Work;

/// The numbers of a work's variables.
pub(super) fn columns<'a>(work: &Work, table: &'a Table) -> Result<Vec<&'a [f64]>, String> {
    let numbers = |name: &String| {
        let column = table.column_named(name)?;
        column.as_numeric()
    };
    let all: Option<Vec<&[f64]>> = work.on.iter().map(numbers).collect();
    all.ok_or_else(|| format!("{}: a variable holds no numbers", work.name))
}

/// The mean.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Covariances with denominator n - 1, all of them.
pub(super) fn covariances(columns: &[&[f64]]) -> Vec<Vec<f64>> {
    let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let entry = |j: usize, k: usize| {
        let both = columns[j].iter().zip(columns[k]);
        let products: f64 = both.map(|(x, y)| (x - means[j]) * (y - means[k])).sum();
        products / (columns[j].len() as f64 - 1.0)
    };
    let order = 0..columns.len();
    let row = |j: usize| order.clone().map(|k| entry(j, k)).collect();
    order.clone().map(row).collect()
}

/// Correlations from covariances.
pub(super) fn correlations(covariances: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sd = |j: usize| covariances[j][j].sqrt();
    let row = |(j, row): (usize, &Vec<f64>)| {
        let entries = row.iter().enumerate();
        entries.map(|(k, entry)| entry / (sd(j) * sd(k))).collect()
    };
    covariances.iter().enumerate().map(row).collect()
}

/// Columns less the means and divided by the standard deviations of others.
pub(super) fn standardised(columns: &[&[f64]], by: &[&[f64]]) -> Vec<Vec<f64>> {
    let one = |(values, by): (&&[f64], &&[f64])| {
        let (mean, sd) = (mean(by), covariances(&[by])[0][0].sqrt());
        values.iter().map(|value| (value - mean) / sd).collect()
    };
    columns.iter().zip(by).map(one).collect()
}

/// Squared differences of first and second moments, standardised by x: by loops.
pub(super) fn squared_gaps(x: &[&[f64]], z: &[&[f64]]) -> f64 {
    let (original, masked) = (standardised(x, x), standardised(z, x));
    let product = |file: &[Vec<f64>], j: usize, k: usize| {
        let products: Vec<f64> = file[j].iter().zip(&file[k]).map(|(a, b)| a * b).collect();
        mean(&products)
    };
    let mut sum = 0.0;
    for j in 0..x.len() {
        let first = mean(&masked[j]) - mean(&original[j]);
        sum += first * first;
        for k in 0..=j {
            let second = product(&masked, j, k) - product(&original, j, k);
            sum += second * second;
        }
    }
    sum
}

/// Squared distance of a record of x from one of z.
fn distance(x: &[Vec<f64>], row: usize, z: &[Vec<f64>], record: usize) -> f64 {
    let columns = x.iter().zip(z);
    columns
        .map(|(x, z)| (x[row] - z[record]) * (x[row] - z[record]))
        .sum()
}

/// The first row of x that is nearest to a record of z, and its squared distance.
pub(super) fn nearest(x: &[Vec<f64>], z: &[Vec<f64>], record: usize) -> (usize, f64) {
    let n = x.first().map_or(0, Vec::len);
    let mut best = (0, f64::INFINITY);
    for row in 0..n {
        let distance = distance(x, row, z, record);
        if distance < best.1 {
            best = (row, distance);
        }
    }
    best
}

/// The values in order.
pub(super) fn in_order(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covariances_and_correlations_by_hand() {
        // Deviations -1, 0, 1 and -2, 0, 2: variances 1 and 4, covariance 2.
        let (x, y) = ([1.0, 2.0, 3.0], [4.0, 6.0, 8.0]);
        let found = covariances(&[&x, &y]);
        assert_eq!(found, [[1.0, 2.0], [2.0, 4.0]]);
        assert_eq!(correlations(&found), [[1.0, 1.0], [1.0, 1.0]]);
    }

    #[test]
    fn the_nearest_is_the_first_of_several() {
        let x = vec![vec![0.0, 2.0, 2.0, 5.0]];
        assert_eq!(nearest(&x, &[vec![1.5]], 0), (1, 0.25));
        let by: &[&[f64]] = &[&[1.0, 3.0]];
        // Mean 2, standard deviation √2.
        let found = standardised(&[&[4.0]], by);
        assert!((found[0][0] - 2.0_f64.sqrt()).abs() < 1e-15);
    }
}
