//! What masks that draw gave: means, spreads and covariances within what chance allows.

use bauta_methods::kernel::numbers::moments::moments;

use super::plain::{self, covariances, mean};

/// Standard errors that a figure may be off: one in 10⁸ is.
const ERRORS: f64 = 6.0;

/// Mean and standard deviation of independent noise.
pub(super) fn is_as_asked(x: &[f64], z: &[f64], share: f64) -> bool {
    let noise: Vec<f64> = x.iter().zip(z).map(|(x, z)| z - x).collect();
    has_moments(&noise, 0.0, share * moments(x).sd)
}

/// Factors with mean 1 and so large a spread, truncated at two standard deviations of the normal
/// distribution that they are drawn from.
pub(super) fn factors_are_as_asked(x: &[f64], z: &[f64], share: f64) -> bool {
    let factors: Vec<f64> = x.iter().zip(z).map(|(x, z)| z / x).collect();
    let truncated = |e: &f64| (e - 1.0).abs() <= 2.2738 * share + 1e-9;
    has_moments(&factors, 1.0, share) && factors.iter().all(truncated)
}

fn has_moments(values: &[f64], wanted_mean: f64, wanted_sd: f64) -> bool {
    let (found, n) = (moments(values), values.len() as f64);
    (found.mean - wanted_mean).abs() <= ERRORS * wanted_sd / n.sqrt()
        && (found.sd / wanted_sd - 1.0).abs() <= ERRORS / (2.0 * n).sqrt()
}

/// Whether z - x has mean 0 and `level` times the covariances of x.
pub(super) fn has_covariances_of(x: &[&[f64]], z: &[&[f64]], level: f64) -> bool {
    let noise: Vec<Vec<f64>> = x
        .iter()
        .zip(z)
        .map(|(x, z)| x.iter().zip(*z).map(|(x, z)| z - x).collect())
        .collect();
    let noise: Vec<&[f64]> = noise.iter().map(Vec::as_slice).collect();
    spread_is(&noise, &vec![0.0; x.len()], &covariances(x), level)
}

/// Whether z has means and covariances of x.
pub(super) fn is_drawn_like(x: &[&[f64]], z: &[&[f64]]) -> bool {
    let means: Vec<f64> = x.iter().map(|x| mean(x)).collect();
    spread_is(z, &means, &covariances(x), 1.0)
}

/// A covariance s(j, k) of n draws has the variance (s(j, j) s(k, k) + s(j, k)²)/n if they are
/// normal, and less if they are flatter.
fn spread_is(values: &[&[f64]], means: &[f64], wanted: &[Vec<f64>], level: f64) -> bool {
    let found = covariances(values);
    let n = values.first().map_or(0, |column| column.len()) as f64;
    (0..values.len()).all(|j| {
        let error = (level * wanted[j][j] / n).sqrt();
        let is_centred = (mean(values[j]) - means[j]).abs() <= ERRORS * error;
        is_centred
            && (0..=j).all(|k| {
                let squares = wanted[j][j] * wanted[k][k] + wanted[j][k] * wanted[j][k];
                let error = level * (squares / n).sqrt();
                (found[j][k] - level * wanted[j][k]).abs() <= ERRORS * error
            })
    })
}

/// Whether no masked record lies nearest to its own original, as it does near another one: what
/// swapping the records that can be linked is for. Looks at a few records.
pub(super) fn hides_links(x: &[&[f64]], z: &[&[f64]], level: f64) -> bool {
    const N_LOOKED_AT: usize = 40;
    let (x, z) = (plain::standardised(x, x), plain::standardised(z, x));
    let n = x.first().map_or(0, Vec::len);
    let step = n.div_ceil(N_LOOKED_AT).max(1);
    let looked_at: Vec<usize> = (0..n).step_by(step).collect();
    let nearest: Vec<(usize, f64)> = looked_at
        .iter()
        .map(|&record| plain::nearest(&x, &z, record))
        .collect();
    // Its own noise is at most level · d on average; the nearest is nearer.
    let mean_distance = nearest.iter().map(|found| found.1).sum::<f64>() / nearest.len() as f64;
    let mut own = looked_at.iter().zip(&nearest);
    own.all(|(&record, found)| found.0 != record) && mean_distance <= 2.0 * level * x.len() as f64
}

/// Whether values keep the order and the range of the originals, and their mean.
pub(super) fn is_resampled(x: &[f64], z: &[f64], n_samples: f64) -> bool {
    let sorted = plain::in_order(x);
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
        return z.is_empty();
    };
    let error = (covariances(&[x])[0][0] / (x.len() as f64 * n_samples)).sqrt();
    super::check_groups::keeps_order(x, z)
        && z.iter().all(|z| (low..=high).contains(z))
        && (mean(z) - mean(x)).abs() <= ERRORS * error
}

/// Whether values are one of 256 grey levels of the original's range, and near the originals.
pub(super) fn is_picture(x: &[f64], z: &[f64]) -> bool {
    let sorted = plain::in_order(x);
    let (low, range) = (sorted[0], sorted[sorted.len() - 1] - sorted[0]);
    let grey = |value: &f64| (value - low) / range * 255.0;
    let is_level = |z: &f64| {
        let grey = grey(z);
        (grey - grey.round()).abs() < 1e-6 && (-1e-6..=255.0 + 1e-6).contains(&grey)
    };
    // A sixteenth of the range; quality 50 moves a smooth picture by a few levels.
    let moved = x.iter().zip(z).map(|(x, z)| (grey(x) - grey(z)).abs());
    z.iter().all(is_level) && moved.sum::<f64>() <= 16.0 * x.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise of ±size around x.
    fn alternating(x: &[f64], size: f64) -> Vec<f64> {
        let signs = [size, -size].into_iter().cycle();
        x.iter().zip(signs).map(|(x, noise)| x + noise).collect()
    }

    #[test]
    fn noise_of_the_wrong_size_is_found() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        // A standard deviation of 288.8; noise of ±28.88 has a tenth of it.
        assert!(is_as_asked(&x, &alternating(&x, 28.88), 0.1));
        assert!(!is_as_asked(&x, &alternating(&x, 40.0), 0.1));
        // Its variance is a hundredth of that of x.
        let (z, too_large) = (alternating(&x, 28.88), alternating(&x, 40.0));
        assert!(has_covariances_of(&[&x], &[&z], 0.01));
        assert!(!has_covariances_of(&[&x], &[&too_large], 0.01));
        assert!(is_drawn_like(&[&x], &[&z]));
        assert!(!is_drawn_like(&[&x], &[&alternating(&x, 200.0)]));
    }

    #[test]
    fn factors_of_the_wrong_size_are_found() {
        let x = vec![2.0; 1000];
        assert!(factors_are_as_asked(&x, &alternating(&x, 0.2), 0.1));
        assert!(!factors_are_as_asked(&x, &alternating(&x, 0.4), 0.1));
    }

    #[test]
    fn a_record_that_stays_with_its_original_is_found() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let swapped: Vec<f64> = (0..40).map(|i| f64::from(i ^ 1)).collect();
        assert!(hides_links(&[&x], &[&swapped], 0.1));
        assert!(!hides_links(&[&x], &[&x], 0.1));
    }

    #[test]
    fn values_out_of_order_or_off_the_grey_levels_are_found() {
        let x: Vec<f64> = (0..=255).map(f64::from).collect();
        assert!(is_resampled(&x, &x, 3.0) && is_picture(&x, &x));
        let mut other = x.clone();
        other.swap(3, 9);
        assert!(!is_resampled(&x, &other, 3.0) && is_picture(&x, &other));
        other[7] = 7.5;
        assert!(!is_picture(&x, &other));
    }
}
