//! Distributions of ratios and weights, for reports.

use bauta_data::{Kind, Role, Table};

use crate::adjust::calibration::coding::{Coding, Files};
use crate::adjust::calibration::found::{DeletedRow, Distribution, QUANTILE_SHARES, ShareRow};
use crate::few_records::RULE_OF_TEN;
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::kernel::numbers::quantile::quantile_of_sorted;
use crate::kernel::numbers::sums::{compensated, sum_of};

/// Bins of a histogram at most; wider ones are taken for a wider spread.
const MAX_BINS: f64 = 200.0;
/// Categories up to which the shares of a variable are given.
const MAX_CATEGORIES: usize = 50;

/// Mean, spread and quantiles.
pub(crate) fn distribution(values: &[f64]) -> Distribution {
    let n = values.len() as f64;
    let mean = sum_of(values, |value| value) / n;
    let square = sum_of(values, |value| (value - mean) * (value - mean)) / (n - 1.0).max(1.0);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ten = RULE_OF_TEN as usize;
    let mean_of = |values: &[f64]| compensated(values.iter().copied()) / ten as f64;
    Distribution {
        mean,
        sd: square.sqrt(),
        quantiles: QUANTILE_SHARES
            .iter()
            .map(|&share| quantile_of_sorted(&sorted, share))
            .collect(),
        ends: (sorted.len() >= ten)
            .then(|| [&sorted[..ten], &sorted[sorted.len() - ten..]].map(mean_of)),
    }
}

/// Kish's 1 + cv² of weights.
pub(crate) fn kish(w: &[f64]) -> f64 {
    let (sum, squares) = (sum_of(w, |w| w), sum_of(w, |w| w * w));
    w.len() as f64 * squares / (sum * sum)
}

/// Bins of one width over several sets of ratios.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bins {
    pub(crate) from: f64,
    pub(crate) step: f64,
    n: usize,
}

impl Bins {
    /// Bins of 0.1 from a multiple of it, or wider ones where there would be too many.
    pub(crate) fn over(lowest: f64, highest: f64) -> Self {
        let mut tenths = 1.0;
        while (highest - lowest) * 10.0 / tenths > MAX_BINS {
            tenths *= 10.0;
        }
        // Dividing by a whole number rounds once, multiplying by 0.1 twice.
        let low = (lowest * 10.0 / tenths).floor();
        // A bin beyond the largest, since bins are half-open and ratios lie on bounds.
        let high = (highest * 10.0 / tenths).floor() + 1.0;
        Self {
            from: low * tenths / 10.0,
            step: tenths / 10.0,
            n: (high - low) as usize,
        }
    }

    fn edge(self, at: usize) -> f64 {
        let tenths = (self.step * 10.0).round();
        ((self.from / self.step).round() + at as f64) * tenths / 10.0
    }

    /// Values in each bin; half-open.
    pub(crate) fn counts(self, values: &[f64]) -> Vec<u64> {
        let mut counts = vec![0; self.n];
        for &value in values {
            let guess = ((value - self.from) / self.step).floor().max(0.0) as usize;
            let mut bin = guess.min(self.n - 1);
            while bin > 0 && value < self.edge(bin) {
                bin -= 1;
            }
            while bin + 1 < self.n && value >= self.edge(bin + 1) {
                bin += 1;
            }
            counts[bin] += 1;
        }
        counts
    }

    /// Density at the middle of each bin: a normal kernel with Silverman's width on the bins.
    pub(crate) fn density(self, counts: &[u64], spread: &Distribution) -> Vec<f64> {
        let n: f64 = counts.iter().map(|&count| count as f64).sum();
        let quartiles = (spread.quantiles[5] - spread.quantiles[3]) / 1.34;
        let size = if quartiles > 0.0 {
            spread.sd.min(quartiles)
        } else {
            spread.sd
        };
        let width = (0.9 * size * libm::pow(n, -0.2)).max(self.step);
        let middle = |bin: usize| self.from + (bin as f64 + 0.5) * self.step;
        let height = |at: f64| -> f64 {
            let kernel = |(bin, &count): (usize, &u64)| {
                let z = (at - middle(bin)) / width;
                count as f64 * libm::exp(-0.5 * z * z)
            };
            let sum: f64 = counts.iter().enumerate().map(kernel).sum();
            sum / (n * width * (2.0 * std::f64::consts::PI).sqrt())
        };
        (0..self.n).map(|bin| height(middle(bin))).collect()
    }
}

/// Weighted shares of the categorical variables that are in no margin.
pub(crate) fn shares(
    files: Files<'_>,
    calibrated_on: &[&str],
    weights: [&[f64]; 3],
) -> Vec<ShareRow> {
    let Files {
        original, released, ..
    } = files;
    let [before, start, after] = weights;
    let mut rows = Vec::new();
    for column in released.columns() {
        let attribute = column.attribute();
        let described = attribute.kind != Kind::Continuous
            && matches!(
                attribute.role,
                Role::Key | Role::Sensitive | Role::Other | Role::Stratum
            )
            && !calibrated_on.contains(&column.name())
            && original.column_named(column.name()).is_some();
        let few = column
            .as_categorical()
            .is_some_and(|categories| categories.levels.len() <= MAX_CATEGORIES);
        if !described || !few {
            continue;
        }
        let Ok(coding) = Coding::new(files, column.name(), true) else {
            continue;
        };
        let share = |codes: &[u32], weights: &[f64]| -> Vec<f64> {
            let sums = ExactSums::by_cell(weights, codes, coding.labels.len());
            let all = sums.nearest_to_sum_of(0..sums.len());
            sums.all_nearest().iter().map(|sum| sum / all).collect()
        };
        let count = |codes: &[u32]| -> Vec<u64> {
            let mut counts = vec![0; coding.labels.len()];
            for &code in codes {
                counts[code as usize] += 1;
            }
            counts
        };
        let (n_before, n_after) = (count(&coding.original), count(&coding.released));
        let original = share(&coding.original, before);
        let uncalibrated = share(&coding.released, start);
        let calibrated = share(&coding.released, after);
        for (position, label) in coding.labels.iter().enumerate() {
            let is_missing = coding.has_missing && position + 1 == coding.labels.len();
            rows.push(ShareRow {
                variable: column.name().to_owned(),
                category: (!is_missing).then(|| label.clone()),
                n_before: n_before[position],
                n_after: n_after[position],
                original: original[position],
                uncalibrated: uncalibrated[position],
                calibrated: calibrated[position],
            });
        }
    }
    rows
}

/// How many records of each category of the keys were deleted.
pub(crate) fn deleted_by_category(table: &Table, keys: &[usize], kept: &[u32]) -> Vec<DeletedRow> {
    let mut is_kept = vec![false; table.n_records()];
    for &record in kept {
        is_kept[record as usize] = true;
    }
    let mut rows = Vec::new();
    for &attr_idx in keys {
        let column = table.column(attr_idx);
        let Some(categories) = column.as_categorical() else {
            continue;
        };
        let n_levels = categories.levels.len();
        let (mut n_before, mut n_deleted) = (vec![0; n_levels + 1], vec![0; n_levels + 1]);
        for (record, &is_kept) in is_kept.iter().enumerate() {
            let level = if column.is_missing(record) {
                n_levels
            } else {
                categories.codes.at(record) as usize
            };
            n_before[level] += 1;
            n_deleted[level] += u64::from(!is_kept);
        }
        let labels = categories.levels.iter().map(|label| Some(label.to_owned()));
        for (level, category) in labels.chain([None]).enumerate() {
            if n_before[level] > 0 {
                rows.push(DeletedRow {
                    variable: column.name().to_owned(),
                    category,
                    n_before: n_before[level],
                    n_deleted: n_deleted[level],
                });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_half_open() {
        let bins = Bins::over(0.25, 0.6);
        assert_eq!((bins.from, bins.step, bins.n), (0.2, 0.1, 5));
        // 0.3 as a number is below 3/10 times anything, and still belongs to the second bin.
        assert_eq!(bins.counts(&[0.25, 0.3, 0.4, 0.59, 0.6]), [1, 1, 1, 1, 1]);
    }

    #[test]
    fn kish_of_two_weights() {
        // (1 + 9) 2 / 16 = 1.25 = 1 + (1/2)².
        assert!((kish(&[1.0, 3.0]) - 1.25).abs() < 1e-15);
    }

    #[test]
    fn densities_integrate_to_one() {
        let values: Vec<f64> = (0..500).map(|i| 1.0 + f64::from(i % 37) / 37.0).collect();
        let bins = Bins::over(0.0, 4.0);
        let density = bins.density(&bins.counts(&values), &distribution(&values));
        let area: f64 = density.iter().sum::<f64>() * bins.step;
        assert!((area - 1.0).abs() < 1e-6, "{area}");
    }
}
