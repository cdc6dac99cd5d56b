//! Links counted again the plain way: the weights of all pairs, and an assignment in O(n³) (Kuhn 1955, in the form
//! with potentials).

use super::recount::Files;

/// Deviation at which agreement ends.
const TOLERANCE: f64 = 0.2;
/// Smallest size that a deviation refers to.
const FLOOR: f64 = 0.1;

/// What the links of largest total weight weigh, and the share of the records that they give away.
pub(super) struct Links {
    /// Weight of all links.
    pub(super) total: f64,
    /// Weight of the true pairs.
    pub(super) true_pairs: f64,
    /// Share of the records that are linked with their own.
    pub(super) share: f64,
}

/// One-to-one links by the first so many variables, every variable counting the same.
pub(super) fn linked(files: &Files<'_>, n_keys: usize) -> Links {
    let n = files.rows.len();
    let mut weights = vec![vec![0.0; n]; n];
    for (x, z) in files.x.iter().zip(&files.z).take(n_keys) {
        let (x, z) = compared(x, z);
        for (row, &a) in weights.iter_mut().zip(&x) {
            for (weight, &b) in row.iter_mut().zip(&z) {
                let deviation = (a - b).abs() / (TOLERANCE * a.abs().max(FLOOR));
                *weight += (1.0 - deviation).max(0.0);
            }
        }
    }
    let masked_of = assigned(&weights);
    let links = masked_of.iter().enumerate();
    let is_right = |&(original, masked): &(usize, &usize)| {
        files.rows[*masked] == original && weights[original][*masked] > 0.0
    };
    let n_right = links.clone().filter(is_right).count();
    let rows = files.rows.iter().enumerate();
    Links {
        total: links.map(|(i, &j)| weights[i][j]).sum(),
        true_pairs: rows.map(|(masked, &row)| weights[row][masked]).sum(),
        share: n_right as f64 / n as f64,
    }
}

/// Values as they are compared: logarithms, unless more than a tenth of those other than 0 is below 1.
fn compared(x: &[f64], z: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n_low = x.iter().filter(|x| **x < 1.0 && **x != 0.0).count();
    let n_high = x.iter().filter(|x| **x >= 1.0).count();
    if n_high == 0 || n_low * 9 > n_high {
        return (x.to_vec(), z.to_vec());
    }
    let logarithms = |values: &[f64]| values.iter().map(|value| value.max(1.0).ln()).collect();
    (logarithms(x), logarithms(z))
}

/// For each row the column that it is given, with the largest total weight. Rows come in one by one; each takes the
/// cheapest way to a free column, and potentials keep all costs of ways from falling below 0.
fn assigned(weights: &[Vec<f64>]) -> Vec<usize> {
    let n = weights.len();
    let (mut of_row, mut of_column) = (vec![0.0; n], vec![0.0; n + 1]);
    // The last column stands for the one at which a way begins.
    let mut row_of: Vec<Option<usize>> = vec![None; n + 1];
    for start in 0..n {
        row_of[n] = Some(start);
        let (mut least, mut before) = (vec![f64::INFINITY; n], vec![n; n]);
        let mut is_done = vec![false; n + 1];
        let mut column = n;
        while let Some(row) = row_of[column] {
            is_done[column] = true;
            let (mut step, mut next) = (f64::INFINITY, n);
            for j in (0..n).filter(|&j| !is_done[j]) {
                let rest = -weights[row][j] - of_row[row] - of_column[j];
                if rest < least[j] {
                    (least[j], before[j]) = (rest, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=n {
                if is_done[j] {
                    if let Some(row) = row_of[j] {
                        of_row[row] += step;
                    }
                    of_column[j] -= step;
                } else {
                    least[j] -= step;
                }
            }
            column = next;
        }
        while column < n {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut column_of = vec![0; n];
    for (column, row) in row_of[..n].iter().enumerate() {
        if let Some(row) = row {
            column_of[*row] = column;
        }
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_total_is_found() {
        // The largest of each row share a column; 7 + 6 + 9 = 22 is the most.
        let weights = [[8.0, 7.0, 1.0], [9.0, 5.0, 6.0], [9.0, 6.0, 2.0]];
        let weights: Vec<Vec<f64>> = weights.iter().map(|row| row.to_vec()).collect();
        let found = assigned(&weights);
        let total: f64 = found.iter().enumerate().map(|(i, &j)| weights[i][j]).sum();
        assert_eq!(found, [1, 2, 0]);
        assert!((total - 22.0).abs() < 1e-15);
    }

    #[test]
    fn every_assignment_of_five_weighs_no_more() {
        for seed in 0..20_u64 {
            let weight =
                |i: u64, j: u64| ((seed * 131 + i * 37 + j * 101 + i * j * 17) % 23) as f64;
            let weights: Vec<Vec<f64>> = (0..5)
                .map(|i| (0..5).map(|j| weight(i, j)).collect())
                .collect();
            let found: f64 = assigned(&weights)
                .iter()
                .enumerate()
                .map(|(i, &j)| weights[i][j])
                .sum();
            let best = best(&weights, 0, &mut [false; 5]);
            assert!((found - best).abs() < 1e-12, "{seed}: {found}, not {best}");
        }
    }

    fn best(weights: &[Vec<f64>], row: usize, taken: &mut [bool; 5]) -> f64 {
        let mut most = if row == 5 { 0.0 } else { f64::NEG_INFINITY };
        for column in 0..5 {
            if row < 5 && !taken[column] {
                taken[column] = true;
                most = most.max(weights[row][column] + best(weights, row + 1, taken));
                taken[column] = false;
            }
        }
        most
    }

    #[test]
    fn links_by_hand() {
        // Logarithms of 100, 104 and of 101, 112; both originals are nearest to 101.
        let (x, z) = ([100.0, 104.0], [101.0, 112.0]);
        let found = linked(&Files::own(vec![&x], vec![&z]), 1);
        assert!((found.share - 1.0).abs() < 1e-15);
        assert!((found.total - found.true_pairs).abs() < 1e-15);
    }
}
