//! Means and standard deviations.

use super::sums::sum_by;

/// Mean and standard deviation of the present values of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    /// Number of present values.
    pub n: usize,
    /// Mean; 0 if there is no value.
    pub mean: f64,
    /// Standard deviation with denominator n - 1; 0 if there are fewer than two values.
    pub sd: f64,
}

/// Two-pass moments of the values that are not NaN.
pub fn moments(values: &[f64]) -> Moments {
    let present = |value: f64| !value.is_nan();
    let n = values.iter().filter(|&&value| present(value)).count();
    if n == 0 {
        return Moments {
            n,
            mean: 0.0,
            sd: 0.0,
        };
    }
    let term = |i: usize| if present(values[i]) { values[i] } else { 0.0 };
    let mean = sum_by(values.len(), term) / n as f64;
    if n == 1 {
        return Moments { n, mean, sd: 0.0 };
    }
    let square = |i: usize| {
        if present(values[i]) {
            (values[i] - mean) * (values[i] - mean)
        } else {
            0.0
        }
    };
    let variance = sum_by(values.len(), square) / (n - 1) as f64;
    Moments {
        n,
        mean,
        sd: variance.sqrt(),
    }
}

/// Whether all present values are the same.
pub fn is_constant(values: &[f64]) -> bool {
    let mut present = values.iter().filter(|value| !value.is_nan());
    present.next().is_none_or(|first| {
        present.all(|value| value.to_bits() == first.to_bits() || value == first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_four_numbers() {
        // mean (1+2+3+6)/4 = 3; squares 4+1+0+9 = 14; variance 14/3.
        let found = moments(&[1.0, 2.0, f64::NAN, 3.0, 6.0]);
        assert_eq!(found.n, 4);
        assert!((found.mean - 3.0).abs() < 1e-15);
        assert!((found.sd - (14.0_f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn no_value_and_one_value() {
        assert_eq!(moments(&[f64::NAN]).n, 0);
        let one = moments(&[5.0]);
        assert_eq!(
            (one.n, one.mean.to_bits(), one.sd.to_bits()),
            (1, 5.0_f64.to_bits(), 0)
        );
        assert!(is_constant(&[f64::NAN, 2.0, 2.0]));
        assert!(!is_constant(&[2.0, 3.0]));
    }
}
