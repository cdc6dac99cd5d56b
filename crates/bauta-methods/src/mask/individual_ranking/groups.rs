//! Groups of at least k neighbours along one variable.

use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::space::partition::Partition;

/// Groups of k to 2k - 1 neighbours whose sum of squared deviations from the group means is the
/// least possible (Hansen and Mukherjee 2003). Fewer than k values make no group.
pub fn optimal_groups(values: &[f64], k: usize) -> Partition {
    let order = rows_by_value(values);
    let sorted: Vec<f64> = order.iter().map(|&row| values[row as usize]).collect();
    let mut partition = Partition::with_capacity(order.len());
    let mut start = 0;
    for size in optimal_sizes(&sorted, k) {
        partition.push(order[start..start + size].iter().copied());
        start += size;
    }
    partition
}

/// Sizes of the best groups of rising values, by the shortest path through the graph whose arcs
/// (i, j) are the groups of the values after the i-th up to the j-th, with k ≤ j - i < 2k.
fn optimal_sizes(sorted: &[f64], k: usize) -> Vec<usize> {
    let n = sorted.len();
    if n < k {
        return Vec::new();
    }
    // The least cost of grouping the first j values, and the size of the last of those groups.
    let mut cost = vec![f64::INFINITY; n + 1];
    let mut last_size = vec![0_usize; n + 1];
    cost[0] = 0.0;
    let reciprocals: Vec<f64> = (0..2 * k).map(|m| 1.0 / m.max(1) as f64).collect();
    for j in k..=n {
        // The sum of squares of x_{j-m+1}, …, x_j grows by one value at a time (Welford): no
        // cancellation, however far the values are from 0.
        let (mut mean, mut squares) = (0.0, 0.0);
        for m in 1..(2 * k).min(j + 1) {
            let difference = sorted[j - m] - mean;
            mean += difference * reciprocals[m];
            squares += difference * (sorted[j - m] - mean);
            // Of equally good groups the smaller, as it comes first.
            if m >= k && cost[j - m] + squares < cost[j] {
                cost[j] = cost[j - m] + squares;
                last_size[j] = m;
            }
        }
    }
    let mut sizes = Vec::with_capacity(n / k);
    let mut j = n;
    while j > 0 {
        sizes.push(last_size[j]);
        j -= last_size[j];
    }
    sizes.reverse();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost by trying every way, sizes from k to n.
    fn least_cost(sorted: &[f64], k: usize) -> f64 {
        if sorted.is_empty() {
            return 0.0;
        }
        (k..=sorted.len())
            .map(|size| {
                let (group, rest) = sorted.split_at(size);
                squares(group) + least_cost(rest, k)
            })
            .fold(f64::INFINITY, f64::min)
    }

    fn squares(group: &[f64]) -> f64 {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        group.iter().map(|x| (x - mean) * (x - mean)).sum()
    }

    #[test]
    fn five_values_in_two_groups() {
        // 1 2 3 | 10 11: squares 2 + 0.5; 1 2 | 3 10 11: 0.5 + 38.
        let partition = optimal_groups(&[10.0, 1.0, 3.0, 11.0, 2.0], 2);
        let groups: Vec<&[u32]> = partition.iter().collect();
        assert_eq!(groups, [&[1, 4, 2][..], &[0, 3]]);
    }

    #[test]
    fn no_other_grouping_is_better() {
        for n in 1..14_usize {
            for k in 1..=4 {
                let mut sorted: Vec<f64> = (0..n)
                    .map(|i| ((i * 7919 + k * 104_729 + n * 31) % 97) as f64)
                    .collect();
                sorted.sort_by(f64::total_cmp);
                let sizes = optimal_sizes(&sorted, k);
                if n < k {
                    assert!(sizes.is_empty());
                    continue;
                }
                assert!(sizes.iter().all(|size| (k..2 * k).contains(size)));
                let mut start = 0;
                let mut cost = 0.0;
                for size in sizes {
                    cost += squares(&sorted[start..start + size]);
                    start += size;
                }
                assert_eq!(start, n);
                let least = least_cost(&sorted, k);
                assert!((cost - least).abs() <= 1e-9 * (1.0 + least), "{n} {k}");
            }
        }
    }
}
