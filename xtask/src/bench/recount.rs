//! Measures of two files counted again from their formulas, cell by cell and record by record.

use super::plain::{correlations, covariances, in_order, mean, nearest, standardised};

/// Both files, and the original that each masked record is compared with.
pub(super) struct Files<'a> {
    /// Original columns.
    pub(super) x: Vec<&'a [f64]>,
    /// Masked columns.
    pub(super) z: Vec<&'a [f64]>,
    /// The row of the original for each masked record.
    pub(super) rows: Vec<usize>,
}

/// Keys of linkage: the first, the first two, up to so many.
pub(super) const N_KEYS: usize = 7;

impl<'a> Files<'a> {
    /// Records compared with their own.
    pub(super) fn own(x: Vec<&'a [f64]>, z: Vec<&'a [f64]>) -> Self {
        let rows = (0..z.first().map_or(0, |column| column.len())).collect();
        Self { x, z, rows }
    }

    /// Records compared with the nearest, found by looking at all.
    pub(super) fn nearest(x: Vec<&'a [f64]>, z: Vec<&'a [f64]>) -> Self {
        let mut files = Self::own(x, z);
        let (x, z) = files.standardised();
        for (record, row) in files.rows.iter_mut().enumerate() {
            *row = nearest(&x, &z, record).0;
        }
        files
    }

    fn standardised(&self) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        (
            standardised(&self.x, &self.x),
            standardised(&self.z, &self.x),
        )
    }

    /// Mean over all cells of a figure of original, masked value and standard deviation.
    pub(super) fn mean_cell(&self, figure: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let column = |(x, z): (&&[f64], &&[f64])| {
            let sd = covariances(&[x])[0][0].sqrt();
            let cells = self.rows.iter().zip(z.iter());
            let figures: Vec<f64> = cells.map(|(&row, &z)| figure(x[row], z, sd)).collect();
            mean(&figures)
        };
        let means: Vec<f64> = self.x.iter().zip(&self.z).map(column).collect();
        mean(&means)
    }

    /// IL1: distances in shares of the original values, which are not 0 here.
    pub(super) fn il1(&self) -> f64 {
        self.mean_cell(|x, z, _| (x - z).abs() / x.abs())
    }

    /// The symmetric IL1.
    pub(super) fn il1_symmetric(&self) -> f64 {
        self.mean_cell(|x, z, _| 2.0 * (x - z).abs() / (x.abs() + z.abs()))
    }

    /// IL1s.
    pub(super) fn il1s(&self) -> f64 {
        self.mean_cell(|x, z, sd| (x - z).abs() / (std::f64::consts::SQRT_2 * sd))
    }

    /// IL2 to IL5: changes of means, covariances, variances and correlations.
    pub(super) fn il2_to_il5(&self) -> [f64; 4] {
        let (s, t) = (covariances(&self.x), covariances(&self.z));
        let (r, q) = (correlations(&s), correlations(&t));
        let relative = |x: f64, z: f64| (x - z).abs() / x.abs();
        let order = self.x.len();
        let pairs = |with_diagonal: bool, change: &dyn Fn(usize, usize) -> f64| {
            let below = |j: usize| (0..if with_diagonal { j + 1 } else { j }).map(move |k| (j, k));
            let all: Vec<f64> = (0..order)
                .flat_map(below)
                .map(|(j, k)| change(j, k))
                .collect();
            mean(&all)
        };
        let singles = |change: &dyn Fn(usize) -> f64| {
            let all: Vec<f64> = (0..order).map(change).collect();
            mean(&all)
        };
        [
            singles(&|j| relative(mean(self.x[j]), mean(self.z[j]))),
            pairs(true, &|j, k| relative(s[j][k], t[j][k])),
            singles(&|j| relative(s[j][j], t[j][j])),
            pairs(false, &|j, k| (r[j][k] - q[j][k]).abs()),
        ]
    }

    /// For some masked records, the share of links that give them away, over one to seven keys.
    /// Distances that agree to a share of 1e-9 are taken for equal: decimals are rounded by then.
    pub(super) fn linked(&self, records: &[usize]) -> Vec<f64> {
        let sd = |x: &&[f64]| covariances(&[x])[0][0].sqrt();
        let keys = self.x.iter().zip(&self.z).take(N_KEYS);
        let keys: Vec<(&[f64], &[f64], f64)> = keys.map(|(x, z)| (*x, *z, sd(x))).collect();
        let n = self.x.first().map_or(0, |column| column.len());
        let one = |&record: &usize| {
            let credits: Vec<f64> = (1..=keys.len())
                .map(|n_keys| {
                    let distance = |row: usize| -> f64 {
                        let differences = keys[..n_keys].iter();
                        let differences = differences.map(|(x, z, sd)| (z[record] - x[row]) / sd);
                        differences.map(|difference| difference * difference).sum()
                    };
                    let to_right = distance(self.rows[record]);
                    let mut n_ties = 0;
                    for row in 0..n {
                        let found = distance(row);
                        if found < to_right * (1.0 - 1e-9) {
                            return 0.0;
                        }
                        n_ties += u32::from(found <= to_right * (1.0 + 1e-9));
                    }
                    1.0 / f64::from(n_ties)
                })
                .collect();
            mean(&credits)
        };
        records.iter().map(one).collect()
    }

    /// For some masked records, the share of rank intervals of 1 % to 10 % that hold the original
    /// value, over all variables.
    pub(super) fn within_ranks(&self, records: &[usize]) -> Vec<f64> {
        let mut shares = vec![0.0; records.len()];
        for (x, z) in self.x.iter().zip(&self.z) {
            let (sorted, n) = (in_order(z), z.len());
            for (share, &record) in shares.iter_mut().zip(records) {
                let lower = z.iter().filter(|other| **other < z[record]).count();
                let before = z[..record].iter();
                let before = before.filter(|other| other.total_cmp(&z[record]).is_eq());
                let rank = lower + before.count();
                let holds = |percent: &usize| {
                    let w = n * percent / 100;
                    let (low, high) = (rank.saturating_sub(w), (rank + w).min(n - 1));
                    (sorted[low]..=sorted[high]).contains(&x[self.rows[record]])
                };
                *share += (1..=10).filter(holds).count() as f64 / 10.0 / self.x.len() as f64;
            }
        }
        shares
    }

    /// Mean Hellinger distance over bins that are cut at quantiles of the original.
    pub(super) fn hellinger(&self, n_bins: usize) -> f64 {
        let one = |(x, z): (&&[f64], &&[f64])| {
            let (x, z) = (in_order(x), in_order(z));
            let n = x.len();
            let mut edges: Vec<f64> = (1..=n_bins)
                .map(|j| x[(j * n).div_ceil(n_bins) - 1])
                .collect();
            edges.dedup();
            // Shares up to each edge; what lies beyond the original's range is apart.
            let up_to = |values: &[f64], edge: f64| values.partition_point(|value| *value <= edge);
            let shares = |values: &[f64]| {
                let below = values.partition_point(|value| *value < x[0]);
                let mut counts = vec![below];
                let mut before = below;
                for &edge in &edges {
                    counts.push(up_to(values, edge) - before);
                    before = up_to(values, edge);
                }
                counts.push(values.len() - before);
                let share = |count: usize| (count as f64 / values.len() as f64).sqrt();
                counts.into_iter().map(share).collect::<Vec<f64>>()
            };
            let (p, q) = (shares(&x), shares(&z));
            let squares: f64 = p.iter().zip(&q).map(|(p, q)| (p - q) * (p - q)).sum();
            (squares / 2.0).sqrt()
        };
        let all: Vec<f64> = self.x.iter().zip(&self.z).map(one).collect();
        mean(&all)
    }

    /// Lower and upper bound of the mean Kolmogorov-Smirnov distance: the largest difference at
    /// so many places along each file, and by how much more the rest can differ.
    pub(super) fn kolmogorov_smirnov(&self, n_places: usize) -> (f64, f64) {
        let one = |(x, z): (&&[f64], &&[f64])| {
            let (x, z) = (in_order(x), in_order(z));
            let share = |values: &[f64], place: f64| {
                values.partition_point(|value| *value <= place) as f64 / values.len() as f64
            };
            let step = x.len().div_ceil(n_places).max(1);
            let places = x.iter().step_by(step).chain(z.iter().step_by(step));
            places
                .map(|&place| (share(&x, place) - share(&z, place)).abs())
                .fold(0.0, f64::max)
        };
        let n = self.rows.len();
        let lower: Vec<f64> = self.x.iter().zip(&self.z).map(one).collect();
        // Between two places either share grows by less than a step.
        let rest = (n.div_ceil(n_places).max(1) - 1) as f64 / n as f64;
        (mean(&lower), mean(&lower) + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files<'a>(x: &'a [f64], z: &'a [f64]) -> Files<'a> {
        Files::own(vec![x], vec![z])
    }

    #[test]
    fn cells_and_statistics_by_hand() {
        let found = files(&[1.0, 3.0], &[2.0, 6.0]);
        // 1/1 and 3/3; 2/3 and 2/3; means 2 and 4; variances 2 and 8.
        assert!((found.il1() - 1.0).abs() < 1e-15);
        assert!((found.il1_symmetric() - 2.0 / 3.0).abs() < 1e-15);
        // Distances 1 and 3 by √2 √2.
        assert!((found.il1s() - 1.0).abs() < 1e-15);
        let [il2, il3, il4, _] = found.il2_to_il5();
        assert!((il2 - 1.0).abs() < 1e-15 && (il3 - 3.0).abs() < 1e-15);
        assert!((il4 - il3).abs() < 1e-15);
    }

    #[test]
    fn links_and_ranks_by_hand() {
        let (x, z) = ([1.0, 2.0, 2.0, 9.0], [1.1, 2.2, 2.3, 3.0]);
        let found = files(&x, &z);
        assert_eq!(found.linked(&[0, 1, 3]), [1.0, 0.5, 0.0]);
        assert_eq!(Files::nearest(vec![&x], vec![&z]).rows, [0, 1, 1, 1]);
        // Four records: every width is 0 ranks, so that only equal values are held.
        assert_eq!(files(&x, &x).within_ranks(&[0, 2]), [1.0, 1.0]);
        assert_eq!(found.within_ranks(&[0]), [0.0]);
    }

    #[test]
    fn distances_of_distributions_by_hand() {
        let (x, z) = ([1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]);
        let (lower, upper) = files(&x, &z).kolmogorov_smirnov(10);
        assert!((lower - 0.5).abs() < 1e-15 && (upper - lower).abs() < 1e-15);
        // One place in two: at 1 and at 3 the shares differ by 0.25 and 0.5.
        let (lower, upper) = files(&x, &z).kolmogorov_smirnov(2);
        assert!(lower <= 0.5 && upper >= 0.5);
        // Bins up to 2 and up to 4: ½, ½ and none beyond; masked none, ½, ½.
        let expected = 0.5_f64.sqrt();
        assert!((files(&x, &z).hellinger(2) - expected).abs() < 1e-15);
    }
}
