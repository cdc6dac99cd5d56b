//! Means and standard deviations.

use crate::error::MethodError;
use crate::kernel::numbers::streamed::{Streamed, n_present};
use crate::kernel::numbers::sums::{compensated, sum_along};

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

/// The mean of some values, of which there is at least one: never beyond them, also where their sum
/// leaves the numbers of the machine.
pub fn mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let sum = compensated(values.iter().copied());
    if sum.is_finite() {
        return sum / n;
    }
    // A power of two takes nothing from large numbers: 2^32 of them, 2^64 times smaller, have a sum.
    let smaller = compensated(values.iter().map(|value| libm::scalbn(*value, -64)));
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    libm::scalbn(smaller / n, 64).clamp(low, high)
}

/// Two-pass moments of the values that are not NaN.
pub fn moments(values: &[f64]) -> Moments {
    moments_along(&values)
}

/// The same of values that need not all be in memory.
pub fn moments_along(values: &dyn Streamed) -> Moments {
    // One value that is not a number makes their sum none, so that most columns need no counting.
    let total = sum_along(values, |value| value);
    if !total.is_nan() {
        return about(total, values.len(), |mean| {
            sum_along(values, |value| (value - mean) * (value - mean))
        });
    }
    let or_nothing = |value: f64, figure: f64| if value.is_nan() { 0.0 } else { figure };
    let n = n_present(values);
    let total = sum_along(values, |value| or_nothing(value, value));
    about(total, n, |mean| {
        sum_along(values, |value| {
            or_nothing(value, (value - mean) * (value - mean))
        })
    })
}

/// Moments from the sum of n values and the sum of their squared distances from the mean.
fn about(total: f64, n: usize, squares: impl Fn(f64) -> f64) -> Moments {
    let mean = if n == 0 { 0.0 } else { total / n as f64 };
    let sd = if n < 2 {
        0.0
    } else {
        (squares(mean) / (n - 1) as f64).sqrt()
    };
    Moments { n, mean, sd }
}

/// Moments that can be reckoned with: an error where the values are so large that their squares
/// leave the numbers of the machine.
pub fn finite_moments(variable: &str, values: &[f64]) -> Result<Moments, MethodError> {
    finite_moments_along(variable, &values)
}

/// The same of values that need not all be in memory.
pub fn finite_moments_along(variable: &str, values: &dyn Streamed) -> Result<Moments, MethodError> {
    let found = moments_along(values);
    if found.mean.is_finite() && found.sd.is_finite() {
        return Ok(found);
    }
    Err(too_large(variable))
}

/// An error for a variable whose moments leave the numbers of the machine.
pub fn too_large(variable: &str) -> MethodError {
    MethodError::data(
        variable,
        "its values are too large for a standard deviation",
        "state the variable in a larger unit",
    )
}

/// Whether all present values are the same.
pub fn is_constant(values: &[f64]) -> bool {
    is_constant_along(&values)
}

/// The same of values that need not all be in memory: of most, the first stretch tells.
pub fn is_constant_along(values: &dyn Streamed) -> bool {
    let (n, stretch) = (values.len(), values.stretch());
    let mut first = None;
    for start in (0..n).step_by(stretch) {
        let values = values.at(start..n.min(start + stretch));
        let mut present = values.iter().filter(|value| !value.is_nan());
        // Adding 0 makes -0 and 0 the same bits.
        let mut bits = present.by_ref().map(|value| (value + 0.0).to_bits());
        let Some(first) = first
            .or_else(|| bits.next())
            .inspect(|&bits| first = Some(bits))
        else {
            continue;
        };
        if bits.any(|bits| bits != first) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_never_beyond_its_values() {
        assert_eq!(mean(&[f64::MAX; 7]).to_bits(), f64::MAX.to_bits());
        // (1.5 + 1 + 0.5) 2^1023 / 3 = 2^1023.
        let x = libm::scalbn(1.0, 1023);
        assert_eq!(mean(&[1.5 * x, x, 0.5 * x]).to_bits(), x.to_bits());
        assert_eq!(mean(&[1.0, 2.0, 6.0]).to_bits(), 3.0_f64.to_bits());
    }

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

    #[test]
    fn values_whose_squares_overflow_are_refused() {
        assert!(finite_moments("x", &[1e200, 2e200]).is_err());
        assert!(finite_moments("x", &[1e308, 1.5e308]).is_err());
        assert!(finite_moments("x", &[1e100, 2e100]).is_ok());
    }
}
