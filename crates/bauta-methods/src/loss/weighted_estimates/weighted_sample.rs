//! Estimates from a weighted sample, with standard errors by linearisation.
//!
//! Records are taken as drawn with replacement, each as a unit of its own, within strata where there
//! are any. Records without a value are outside of the domain: they count among the records drawn.

use bauta_data::{Column, Role, Table};

use crate::kernel::numbers::quantile::sorted_present;
use crate::kernel::numbers::ranks::{sort_by_leading_digits, total_order_bits};
use crate::kernel::numbers::sums::{sum_by, sums_by_cell};
use crate::keys::class_numbers;

/// How far below p a share may end by rounding and still reach it.
const REACHED: f64 = 1e-12;

/// Weights and strata of a file.
#[derive(Clone, Debug)]
pub(super) struct Design<'a> {
    n: usize,
    weights: Option<&'a [f64]>,
    /// Stratum of each record; none if there is one.
    strata: Option<Vec<u32>>,
    /// Records of each stratum.
    sizes: Vec<f64>,
}

impl<'a> Design<'a> {
    /// The weights (1 where there are none) and strata of a file by its roles. A missing stratum is
    /// one of its own.
    pub(super) fn of(table: &'a Table) -> Self {
        let n = table.n_records();
        let strata = table.with_role(Role::Stratum);
        let strata = (!strata.is_empty()).then(|| class_numbers(table, &strata));
        let sizes = match &strata {
            None => vec![n as f64],
            Some(numbers) => {
                let n_strata = numbers.iter().max().map_or(0, |&last| last as usize + 1);
                let mut sizes = vec![0.0; n_strata];
                for &stratum in numbers {
                    sizes[stratum as usize] += 1.0;
                }
                sizes
            }
        };
        Self {
            n,
            weights: table.weight().and_then(Column::as_numeric),
            strata,
            sizes,
        }
    }

    fn weight(&self, record: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[record])
    }

    fn stratum(&self, record: usize) -> usize {
        self.strata
            .as_ref()
            .map_or(0, |strata| strata[record] as usize)
    }

    /// The present values of positive weight in rising order, each with its weight; equal values by weight, since the
    /// order of the records must not show in the last digits.
    fn in_order(&self, values: &[f64]) -> Vec<(f64, f64)> {
        let Some(weights) = self.weights else {
            let sorted = sorted_present(values);
            return sorted.into_iter().map(|value| (value, 1.0)).collect();
        };
        let weighing = values.iter().copied().zip(weights.iter().copied());
        let weighing = weighing.filter(|(value, weight)| !value.is_nan() && *weight > 0.0);
        let mut sorted: Vec<(f64, f64)> = weighing.collect();
        sort_by_leading_digits(
            &mut sorted,
            &mut Vec::new(),
            |(value, _)| total_order_bits(*value),
            |a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)),
        );
        sorted
    }

    /// The variance of a sum of z: in each stratum of n records n/(n - 1) times the squares about its
    /// mean. A stratum of one record has no mean to differ from: it adds the square of what it
    /// differs from the mean of all.
    fn variance(&self, z: impl Fn(usize) -> f64 + Sync) -> f64 {
        let sums = sums_by_cell(self.n, self.sizes.len(), |i| {
            Some((self.stratum(i), [z(i)]))
        });
        let mean_of_all = sum_by(self.n, &z) / self.n as f64;
        let of_stratum = |(&[sum], &size): (&[f64; 1], &f64)| match size {
            1.0 => (mean_of_all, 1.0),
            size => (sum / size, size / (size - 1.0)),
        };
        let strata: Vec<(f64, f64)> = sums.iter().zip(&self.sizes).map(of_stratum).collect();
        sum_by(self.n, |i| {
            let (mean, factor) = strata[self.stratum(i)];
            factor * (z(i) - mean) * (z(i) - mean)
        })
    }
}

/// An estimate and its confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Estimate {
    /// The estimate.
    pub(super) value: f64,
    /// Its standard error; none for quantiles, whose interval comes from that of a share.
    pub(super) se: Option<f64>,
    /// Confidence interval.
    pub(super) interval: (f64, f64),
}

/// A variable of a weighted sample.
#[derive(Clone, Debug)]
pub(super) struct WeightedSample<'a> {
    design: &'a Design<'a>,
    values: &'a [f64],
    /// Sum of the weights of records with a value.
    weight: f64,
    /// Values of positive weight in rising order, and the weight up to and with each.
    sorted: Vec<(f64, f64)>,
}

impl<'a> WeightedSample<'a> {
    /// The present values of a variable.
    pub(super) fn new(design: &'a Design<'a>, values: &'a [f64]) -> Self {
        let mut sorted = design.in_order(values);
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        for (_, weight) in &mut sorted {
            // A compensated sum, of which every step is wanted.
            let next = sum + *weight;
            let of_weight = next - sum;
            lost += (sum - (next - of_weight)) + (*weight - of_weight);
            sum = next;
            *weight = sum + lost;
        }
        Self {
            design,
            values,
            weight: sorted.last().map_or(0.0, |last| last.1),
            sorted,
        }
    }

    /// How many of those lie at a value or beyond it, on the side that has fewer.
    pub(super) fn n_beside(&self, value: f64) -> usize {
        let n_below = self.sorted.partition_point(|(y, _)| *y < value);
        let n_not_above = self.sorted.partition_point(|(y, _)| *y <= value);
        n_not_above.min(self.sorted.len() - n_below)
    }

    /// Number of records with a value and a positive weight.
    pub(super) fn n(&self) -> usize {
        self.sorted.len()
    }

    /// A figure of a record's value and weight; 0 where there is no value.
    fn term(&self, i: usize, figure: impl Fn(f64, f64) -> f64) -> f64 {
        let y = self.values[i];
        if y.is_nan() {
            0.0
        } else {
            figure(y, self.design.weight(i))
        }
    }

    /// Σ w y, with `z` standard errors to each side.
    pub(super) fn total(&self, z: f64) -> Estimate {
        let term = |i: usize| self.term(i, |y, w| w * y);
        around(sum_by(self.design.n, term), self.design.variance(term), z)
    }

    /// Σ w y / Σ w, with `z` standard errors of its linearised form to each side.
    pub(super) fn mean(&self, z: f64) -> Estimate {
        let sum = sum_by(self.design.n, |i| self.term(i, |y, w| w * y));
        let mean = sum / self.weight;
        let variance = self
            .design
            .variance(|i| self.term(i, |y, w| w * (y - mean) / self.weight));
        around(mean, variance, z)
    }

    /// The smallest value up to which the weight is at least the share `p` of all, with Woodruff's
    /// interval: the quantiles of p less and plus `z` standard errors of the share up to it.
    pub(super) fn quantile(&self, p: f64, z: f64) -> Option<Estimate> {
        let value = self.value_at(p)?;
        let below = self.sorted.partition_point(|(y, _)| *y <= value);
        let share = self.sorted[below - 1].1 / self.weight;
        let variance = self.design.variance(|i| {
            self.term(i, |y, w| {
                let up_to = f64::from(u8::from(y <= value));
                w * (up_to - share) / self.weight
            })
        });
        let reach = z * variance.sqrt();
        Some(Estimate {
            value,
            se: None,
            interval: (self.value_at(p - reach)?, self.value_at(p + reach)?),
        })
    }

    fn value_at(&self, p: f64) -> Option<f64> {
        let wanted = (p.min(1.0) - REACHED) * self.weight;
        let first = self.sorted.partition_point(|(_, up_to)| *up_to < wanted);
        self.sorted.get(first).map(|(value, _)| *value)
    }
}

fn around(value: f64, variance: f64, z: f64) -> Estimate {
    let se = variance.sqrt();
    Estimate {
        value,
        se: Some(se),
        interval: (value - z * se, value + z * se),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple(n: usize, weights: Option<&[f64]>) -> Design<'_> {
        Design {
            n,
            weights,
            strata: None,
            sizes: vec![n as f64],
        }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-13 * b.abs().max(1.0)
    }

    #[test]
    fn equal_weights_give_the_textbook() {
        // 1, 2, 3, 4: mean 2.5, s² = 5/3, se = s/√4; total 10, se = √4 s.
        let values = [3.0, 1.0, 4.0, 2.0];
        let design = simple(4, None);
        let sample = WeightedSample::new(&design, &values);
        let s = (5.0_f64 / 3.0).sqrt();
        let (mean, total) = (sample.mean(1.0), sample.total(2.0));
        assert!(close(mean.value, 2.5) && close(mean.se.unwrap(), s / 2.0));
        assert!(close(total.value, 10.0) && close(total.se.unwrap(), 2.0 * s));
        assert!(close(total.interval.0, 10.0 - 4.0 * s));
        for (p, expected) in [(0.0, 1.0), (0.25, 1.0), (0.26, 2.0), (0.5, 2.0), (1.0, 4.0)] {
            let found = sample.quantile(p, 0.0).unwrap();
            assert_eq!(found.value.to_bits(), f64::to_bits(expected), "{p}");
        }
        // The share up to 2 is ½, with variance 4/3 · 4 · (½/4)² = 1/12: ½ ± 0.289 are 1 and 4.
        assert_eq!(sample.quantile(0.5, 1.0).unwrap().interval, (1.0, 4.0));
        // ½ ± 0.2 · 0.289 = 0.442 and 0.558.
        assert_eq!(sample.quantile(0.5, 0.2).unwrap().interval, (2.0, 3.0));
    }

    #[test]
    fn weights_strata_and_missing_values_by_hand() {
        // Strata {1, 3}, {5, none}: weights 1, 2 and 3, 9. Total 1 + 6 + 15 = 22 of weight 6.
        let values = [1.0, 3.0, 5.0, f64::NAN];
        let weights = [1.0, 2.0, 3.0, 9.0];
        let mut design = simple(4, Some(&weights));
        design.strata = Some(vec![0, 0, 1, 1]);
        design.sizes = vec![2.0, 2.0];
        let sample = WeightedSample::new(&design, &values);
        // z = 1, 6 about 3.5 and 15, 0 about 7.5: 2 (2 · 2.5² + 2 · 7.5²).
        let total = sample.total(1.0);
        assert!(close(total.value, 22.0) && close(total.se.unwrap(), 250.0_f64.sqrt()));
        // z = (1 (1 - m), 2 (3 - m), 3 (5 - m), 0)/6 with m = 11/3: -8/18, -4/18, 12/18, 0; means
        // -6/18 and 6/18: 2 (2 · 2² + 2 · 6²)/18².
        let mean = sample.mean(1.0);
        assert!(close(mean.value, 11.0 / 3.0) && close(mean.se.unwrap(), 160.0_f64.sqrt() / 18.0));
        // Shares up to 1, 3, 5: 1/6, 3/6, 1.
        for (p, expected) in [(0.1, 1.0), (0.5, 3.0), (0.51, 5.0)] {
            let found = sample.quantile(p, 0.0).unwrap();
            assert_eq!(found.value.to_bits(), f64::to_bits(expected));
        }
        assert_eq!(sample.n(), 3);
    }

    #[test]
    fn a_lone_record_of_a_stratum_differs_from_the_mean_of_all() {
        // Totals of 1, 3 | 8: 2 · (1 + 1) + (8 - 4)².
        let values = [1.0, 3.0, 8.0];
        let mut design = simple(3, None);
        design.strata = Some(vec![0, 0, 1]);
        design.sizes = vec![2.0, 1.0];
        let total = WeightedSample::new(&design, &values).total(1.0);
        assert!(close(total.se.unwrap(), 20.0_f64.sqrt()));
    }
}
