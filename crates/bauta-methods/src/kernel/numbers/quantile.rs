//! Quantiles.

/// The quantile `p` of rising values by linear interpolation between order statistics (type 7 of
/// Hyndman and Fan, the default of R and numpy).
pub fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let position = p * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (low, high, share) = (sorted[below], sorted[above], position - below as f64);
    let width = high - low;
    if width.is_finite() {
        low + share * width
    } else {
        // From one end of the numbers to the other.
        (1.0 - share) * low + share * high
    }
}

/// The present values in rising order.
pub fn sorted_present(values: &[f64]) -> Vec<f64> {
    use rayon::prelude::*;
    let mut sorted: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    sorted.par_sort_unstable_by(f64::total_cmp);
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
            assert!((quantile_of_sorted(&values, p) - expected).abs() < 1e-12);
        }
        let ends = [-f64::MAX, f64::MAX];
        assert_eq!(quantile_of_sorted(&ends, 0.5).to_bits(), 0.0_f64.to_bits());
    }
}
