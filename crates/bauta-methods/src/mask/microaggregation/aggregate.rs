//! What the values of a group become.

use crate::card::ParamSpec;
use crate::kernel::numbers::moments::Moments;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::parallel::on_blocks;
use crate::kernel::space::partition::Partition;
use crate::params::choices;

choices! {
    /// What the values of a group become.
    pub(crate) enum Aggregate {
        Mean = "mean": "the mean of each variable",
        Median = "median": "the median of each variable",
        Medoid = "medoid": "the values of the record nearest to the mean",
    }
}

/// What takes the place of the values of a group.
pub(crate) const AGGREGATE: ParamSpec =
    ParamSpec::choice::<Aggregate>("aggregate", "what the values of a group become")
        .or_word("mean");

impl Aggregate {
    /// Puts the aggregate of its group in place of each value.
    pub(super) fn replace(
        self,
        groups: &Partition,
        columns: &[&[f64]],
        scales: &[Moments],
        masked: &mut [Vec<f64>],
    ) {
        match self {
            Self::Mean => replace_each(groups, columns, masked, mean),
            Self::Median => replace_each(groups, columns, masked, median),
            Self::Medoid => {
                for members in groups.iter() {
                    let centre = medoid(members, columns, scales) as usize;
                    for (column, masked) in columns.iter().zip(masked.iter_mut()) {
                        for &record in members {
                            masked[record as usize] = column[centre];
                        }
                    }
                }
            }
        }
    }
}

impl Aggregate {
    /// Puts the aggregate of its pool in place of each value of one variable. There is no medoid of
    /// one variable alone.
    pub(super) fn replace_known(self, pools: &Partition, column: &[f64], masked: &mut Vec<f64>) {
        let masked = std::slice::from_mut(masked);
        match self {
            Self::Mean | Self::Medoid => replace_each(pools, &[column], masked, mean),
            Self::Median => replace_each(pools, &[column], masked, median),
        }
    }
}

/// Replaces variable by variable, some at a time.
fn replace_each(
    groups: &Partition,
    columns: &[&[f64]],
    masked: &mut [Vec<f64>],
    aggregate: impl Fn(&mut [f64]) -> f64 + Sync,
) {
    on_blocks(masked, 1, &|j, masked| {
        let mut values = Vec::new();
        for (column, masked) in columns[j..].iter().zip(masked) {
            for members in groups.iter() {
                values.clear();
                values.extend(members.iter().map(|&record| column[record as usize]));
                let value = aggregate(&mut values);
                for &record in members {
                    masked[record as usize] = value;
                }
            }
        }
    });
}

/// The mean; of equal values that value, and never beyond the values.
fn mean(values: &mut [f64]) -> f64 {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = compensated(values.iter().copied()) / values.len() as f64;
    mean.clamp(low, high)
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let upper = values[values.len() / 2];
    let lower = values[(values.len() - 1) / 2];
    lower + (upper - lower) / 2.0
}

/// The record nearest to the mean of its group; of several the lowest.
fn medoid(members: &[u32], columns: &[&[f64]], scales: &[Moments]) -> u32 {
    let mut distances = vec![0.0; members.len()];
    for (column, scale) in columns
        .iter()
        .zip(scales)
        .filter(|(_, scale)| scale.sd > 0.0)
    {
        let values = members.iter().map(|&record| column[record as usize]);
        let mean = compensated(values.clone()) / members.len() as f64;
        for (distance, value) in distances.iter_mut().zip(values) {
            let difference = (value - mean) / scale.sd;
            *distance += difference * difference;
        }
    }
    let with_rows = distances.iter().zip(members);
    let nearest = with_rows.min_by(|a, b| a.0.total_cmp(b.0).then(a.1.cmp(b.1)));
    nearest.map_or(0, |(_, &record)| record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_equal_values_is_that_value() {
        // 0.1 + 0.1 + 0.1 is not 0.3 in binary, and a third of it not 0.1.
        assert_eq!(mean(&mut [0.1; 3]).to_bits(), 0.1_f64.to_bits());
        assert_eq!(mean(&mut [1.0, 2.0, 6.0]).to_bits(), 3.0_f64.to_bits());
    }

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&mut [9.0, 1.0, 2.0]).to_bits(), 2.0_f64.to_bits());
        assert_eq!(
            median(&mut [9.0, 1.0, 2.0, 4.0]).to_bits(),
            3.0_f64.to_bits()
        );
    }

    #[test]
    fn the_medoid_is_measured_in_standard_deviations() {
        // Means 2 and 20. In units: record 0 (1, 0), record 1 (2, 10), record 2 (3, 50): with
        // deviations 1 and 10 the squared distances are 1 + 4, 0 + 1, 1 + 9.
        let columns: [&[f64]; 2] = [&[1.0, 2.0, 3.0], &[0.0, 10.0, 50.0]];
        let scale = |sd| Moments {
            n: 3,
            mean: 0.0,
            sd,
        };
        assert_eq!(medoid(&[2, 0, 1], &columns, &[scale(1.0), scale(10.0)]), 1);
        // Equally near: the lowest row.
        let columns: [&[f64]; 1] = [&[1.0, 3.0]];
        assert_eq!(medoid(&[1, 0], &columns, &[scale(1.0)]), 0);
    }
}
