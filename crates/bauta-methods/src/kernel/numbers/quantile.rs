//! Quantiles.

use crate::kernel::numbers::ranks::{sort_by_leading_digits, total_order_bits};

/// The quantile `p` of rising values by linear interpolation between order statistics (type 7 of
/// Hyndman and Fan, the default of R and numpy).
pub fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let (below, share) = place(sorted.len(), p);
    let above = (below + 1).min(sorted.len() - 1);
    between(sorted[below], sorted[above], share)
}

/// The same of the present values in any order; none where there is none. It takes one pass or a few, and no sort.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    let present = values.iter().copied().filter(|value| !value.is_nan());
    let mut present: Vec<f64> = present.collect();
    if present.is_empty() {
        return None;
    }
    let (below, share) = place(present.len(), p);
    let (_, &mut low, above) = present.select_nth_unstable_by(below, f64::total_cmp);
    let high = above.iter().copied().min_by(f64::total_cmp);
    Some(between(low, high.unwrap_or(low), share))
}

/// The value below the quantile `p` of n, and how far it is from there to the next, as a share.
fn place(n: usize, p: f64) -> (usize, f64) {
    let position = p * (n - 1) as f64;
    let below = position.floor() as usize;
    (below, position - below as f64)
}

fn between(low: f64, high: f64, share: f64) -> f64 {
    let width = high - low;
    if width.is_finite() {
        low + share * width
    } else {
        // From one end of the numbers to the other.
        (1.0 - share) * low + share * high
    }
}

/// The present values in rising order; of two zeros the negative one comes first.
pub fn sorted_present(values: &[f64]) -> Vec<f64> {
    let present = values.iter().copied().filter(|value| !value.is_nan());
    let mut sorted: Vec<f64> = present.collect();
    let key = |value: &f64| total_order_bits(*value);
    sort_by_leading_digits(&mut sorted, &mut Vec::new(), key, f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_as_r_does() {
        // R: quantile(c(1, 2, 4, 8), c(.25, .5, .9)) gives 1.75, 3, 6.8.
        let values = [1.0, 2.0, 4.0, 8.0];
        for (p, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0)] {
            let sorted = quantile_of_sorted(&values, p);
            assert!((sorted - expected).abs() < 1e-12);
            let found = quantile(&[4.0, f64::NAN, 1.0, 8.0, 2.0], p);
            assert_eq!(found.map(f64::to_bits), Some(sorted.to_bits()));
        }
        assert_eq!(quantile(&[f64::NAN], 0.5), None);
        let ends = [-f64::MAX, f64::MAX];
        assert_eq!(quantile_of_sorted(&ends, 0.5).to_bits(), 0.0_f64.to_bits());
    }
}
