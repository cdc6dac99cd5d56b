//! What microaggregation gave: groups that are large enough, with the mean of their members.

/// Whether records with equal masked values are at least k, and have the mean of their originals.
///
/// Groups whose means are equal look like one; that one has the same mean.
pub(super) fn are_means_of_groups(x: &[&[f64]], z: &[&[f64]], k: usize) -> bool {
    let n = z.first().map_or(0, |column| column.len());
    let mut rows: Vec<u32> = (0..n as u32).collect();
    let key = |row: u32| z.iter().map(move |column| column[row as usize].to_bits());
    rows.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
    rows.chunk_by(|&a, &b| key(a).eq(key(b)))
        .all(|group| group.len() >= k && has_means(x, z, group))
}

fn has_means(x: &[&[f64]], z: &[&[f64]], group: &[u32]) -> bool {
    x.iter().zip(z).all(|(x, z)| {
        let sum: f64 = group.iter().map(|&row| x[row as usize]).sum();
        let (mean, given) = (sum / group.len() as f64, z[group[0] as usize]);
        (mean - given).abs() <= 1e-9 * mean.abs().max(1e-9)
    })
}

/// Whether larger originals have masked values that are as large or larger.
pub(super) fn keeps_order(x: &[f64], z: &[f64]) -> bool {
    let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(z.iter().copied()).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    pairs.is_sorted_by(|a, b| a.1 <= b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_are_too_small_or_have_another_mean_are_found() {
        let x: &[&[f64]] = &[&[1.0, 3.0, 10.0, 20.0]];
        assert!(are_means_of_groups(x, &[&[2.0, 2.0, 15.0, 15.0]], 2));
        assert!(!are_means_of_groups(x, &[&[2.0, 2.0, 15.0, 15.0]], 3));
        assert!(!are_means_of_groups(x, &[&[2.0, 2.0, 14.0, 14.0]], 2));
        // Records must agree in all variables to be a group.
        let x: &[&[f64]] = &[&[2.0, 2.0], &[1.0, 5.0]];
        assert!(!are_means_of_groups(x, x, 2));
    }

    #[test]
    fn an_order_that_is_lost_is_found() {
        assert!(keeps_order(&[3.0, 1.0, 2.0], &[5.0, 4.0, 4.0]));
        assert!(!keeps_order(&[3.0, 1.0, 2.0], &[4.0, 5.0, 4.0]));
    }
}
