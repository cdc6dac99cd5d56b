//! E(1/F | f) where the population has F = f + Poisson(m) records of a key.

/// E(1/F | f) for a key with `f` ≥ 1 sample records and `m` ≥ 0 expected others in the population.
///
/// I(f) = ∫ t^(f-1) e^(-m(1-t)) dt over (0, 1), which obeys I(1) = (1 - e^-m)/m and
/// I(f) = (1 - (f-1) I(f-1))/m.
pub(super) fn expected_inverse(f: u32, m: f64) -> f64 {
    let of_sample = f64::from(f);
    if m == f64::INFINITY {
        return 0.0;
    }
    if m > of_sample - 1.0 {
        // Forward: a step multiplies the error by (f-1)/m < 1, and takes off at most half of 1.
        let mut inverse = -libm::expm1(-m) / m;
        for step in 1..f {
            inverse = (1.0 - f64::from(step) * inverse) / m;
        }
        return inverse;
    }
    // (1/f) 1F1(1; f+1; -m): falling terms of changing sign, whose sum is at least a half.
    let (mut sum, mut term, mut next) = (1.0, 1.0, of_sample);
    while f64::abs(term) > 1e-17 {
        next += 1.0;
        term *= -m / next;
        sum += term;
    }
    sum / of_sample
}

/// P(F = 1 | f = 1): that a sample unique is alone in the population.
pub(super) fn unique_in_population(m: f64) -> f64 {
    libm::exp(-m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_leaves_the_sample() {
        for f in [1, 2, 7, 1_000_000] {
            assert!((expected_inverse(f, 0.0) - 1.0 / f64::from(f)).abs() < 1e-18);
            assert!(expected_inverse(f, f64::INFINITY).abs() < f64::MIN_POSITIVE);
        }
        assert!((unique_in_population(0.0) - 1.0).abs() < 1e-16);
    }

    #[test]
    fn closed_forms_for_one_and_two_records() {
        // f = 1: (1 - e^-m)/m; f = 2: (1 - (1 - e^-m)/m)/m.
        for m in [0.3, 1.0, 5.0, 40.0_f64] {
            let one = (1.0 - (-m).exp()) / m;
            assert!((expected_inverse(1, m) / one - 1.0).abs() < 1e-14);
            assert!((expected_inverse(2, m) / ((1.0 - one) / m) - 1.0).abs() < 1e-13);
        }
        // Small m: 1 - m/2.
        assert!((expected_inverse(1, 1e-12) - (1.0 - 5e-13)).abs() < 1e-16);
    }

    #[test]
    fn agrees_with_the_mean_over_all_population_counts() {
        // E 1/(f + J) with J ~ Poisson(m), summed until nothing is left.
        for f in [1, 2, 3, 5, 15, 60, 300] {
            for m in [0.01, 0.7, 1.0, 2.0, 4.0, 14.0, 15.0, 59.0, 60.5, 200.0_f64] {
                let (mut sum, mut chance) = (0.0, (-m).exp());
                for j in 0..2_000_u32 {
                    sum += chance / f64::from(f + j);
                    chance *= m / f64::from(j + 1);
                }
                let found = expected_inverse(f, m);
                assert!((found / sum - 1.0).abs() < 3e-13, "{f} {m}: {found} {sum}");
            }
        }
    }
}
