//! Groups of at least k neighbours along one variable.

use super::order::order_bits;
use super::partition::Partition;

/// Records in the order of their values; equal ones in order of their row.
pub fn ascending(values: &[f64]) -> Vec<u32> {
    let upper = |value: f64| order_bits(value) >> 32 << 32;
    // The upper half of the key, and the record: half of what whole keys would take.
    let halves = values.iter().map(|&value| upper(value));
    let mut entries: Vec<u64> = halves
        .zip(0..)
        .map(|(half, record)| half | record)
        .collect();
    sort_by_upper_half(&mut entries);
    for run in entries.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        if run.len() > 1 {
            let value = |entry: &u64| values[(entry & 0xffff_ffff) as usize];
            run.sort_unstable_by_key(|entry| (order_bits(value(entry)), *entry));
        }
    }
    entries.into_iter().map(|entry| entry as u32).collect()
}

/// Sorts entries by their upper four bytes, byte after byte from the least, which keeps the order of
/// what is equal so far. Bytes that all entries share are passed over.
fn sort_by_upper_half(entries: &mut Vec<u64>) {
    let digit = |entry: u64, place: usize| (entry >> (32 + 8 * place)) as usize & 255;
    let mut counts = [[0_usize; 256]; 4];
    for &entry in entries.iter() {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(entry, place)] += 1;
        }
    }
    let mut sorted = vec![0; entries.len()];
    for (place, counts) in counts.iter().enumerate() {
        if counts.contains(&entries.len()) {
            continue;
        }
        let mut next = [0; 256];
        let mut start = 0;
        for (next, count) in next.iter_mut().zip(counts) {
            *next = start;
            start += count;
        }
        for &entry in entries.iter() {
            let next = &mut next[digit(entry, place)];
            sorted[*next] = entry;
            *next += 1;
        }
        std::mem::swap(entries, &mut sorted);
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
        let n = 3000;
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
