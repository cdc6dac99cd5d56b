//! Groups of at least k neighbours along one variable.

use super::order::order_bits;
use super::partition::Partition;

/// Below so many records a sort by comparison is faster.
const FEW: usize = 1024;

/// Records in the order of their values; equal ones in order of their row.
pub fn ascending(values: &[f64]) -> Vec<u32> {
    let keys = values.iter().map(|&value| order_bits(value));
    let mut keyed: Vec<(u64, u32)> = keys.zip(0..).collect();
    if keyed.len() < FEW {
        keyed.sort_unstable();
    } else {
        sort_by_digits(&mut keyed);
    }
    keyed.into_iter().map(|(_, record)| record).collect()
}

/// Sorts entries that come in order of record by key and record: by the upper four bytes of the key,
/// byte after byte, which keeps the order of what is equal so far; then what is equal in all four,
/// which are few. Bytes that all keys share are passed over.
fn sort_by_digits(keyed: &mut Vec<(u64, u32)>) {
    let digit = |key: u64, place: usize| (key >> (32 + 8 * place)) as usize & 255;
    let mut counts = [[0_usize; 256]; 4];
    for &(key, _) in keyed.iter() {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(key, place)] += 1;
        }
    }
    let mut sorted = vec![(0, 0); keyed.len()];
    for (place, counts) in counts.iter().enumerate() {
        if counts.contains(&keyed.len()) {
            continue;
        }
        let mut next = [0; 256];
        let mut start = 0;
        for (next, count) in next.iter_mut().zip(counts) {
            *next = start;
            start += count;
        }
        for &entry in keyed.iter() {
            let next = &mut next[digit(entry.0, place)];
            sorted[*next] = entry;
            *next += 1;
        }
        std::mem::swap(keyed, &mut sorted);
    }
    for run in keyed.chunk_by_mut(|a, b| a.0 >> 32 == b.0 >> 32) {
        run.sort_unstable();
    }
}

/// Groups of k to 2k - 1 neighbours whose sum of squared deviations from the group means is the
/// least possible (Hansen and Mukherjee 2003). Fewer than k values make no group.
pub fn optimal_groups(values: &[f64], k: usize) -> Partition {
    let order = ascending(values);
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
    fn equal_values_stay_in_the_order_of_their_rows() {
        assert_eq!(ascending(&[2.0, 0.0, 2.0, -0.0, -1.0]), [4, 1, 3, 0, 2]);
    }

    #[test]
    fn sorting_by_digits_is_sorting_by_value_and_row() {
        let n = 3 * FEW;
        let awkward = |i: usize| match i % 4 {
            0 => ((i * 7919) % 101) as f64,
            1 => -((i * 104_729) as f64) * 1e-7,
            2 => 1e300 / (i as f64),
            _ => 0.0,
        };
        let values: Vec<f64> = (0..n).map(awkward).collect();
        let mut expected: Vec<u32> = (0..n as u32).collect();
        expected.sort_by(|&a, &b| {
            let (x, y) = (values[a as usize] + 0.0, values[b as usize] + 0.0);
            x.total_cmp(&y).then(a.cmp(&b))
        });
        assert_eq!(ascending(&values), expected);
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
