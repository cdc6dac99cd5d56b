//! Individual risk of Benedetti and Franconi: E(1/F | f) when F given f is negative binomial.

/// E(1/F | f) for a class of `f` sample records and estimated population `big_f`.
///
/// With p = f/F and q = 1 - p: r = p ∫ y^(f-1) / (p + q y) dy over (0, 1), which obeys
/// r(1) = -p ln(p)/q and r(f+1) = (p/q)(1/f - r(f)).
pub fn expected_inverse(f: f64, big_f: f64) -> f64 {
    let p = f / big_f;
    if p >= 1.0 {
        // The sample holds the whole class.
        return 1.0 / f;
    }
    let q = 1.0 - p;
    if p < 0.5 && f <= 15.0 {
        // Forward: the error shrinks by p/q < 1 at each step.
        let mut r = -p * libm::log(p) / q;
        for step in 1..f as u32 {
            r = p / q * (1.0 / f64::from(step) - r);
        }
        return r;
    }
    // Hypergeometric series (p/f) 2F1(1, 1; f + 1; q).
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= n * q / (f + n);
        sum += term;
        n += 1.0;
    }
    p * sum / f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_census_class_has_risk_one_over_f() {
        assert!((expected_inverse(4.0, 4.0) - 0.25).abs() < 1e-16);
        assert!((expected_inverse(2.0, 1.5) - 0.5).abs() < 1e-16);
    }

    #[test]
    fn closed_forms_for_one_and_two_records() {
        // f = 1, F = 4: p = 1/4, r = -(1/4) ln(1/4) / (3/4) = ln(4)/3.
        assert!((expected_inverse(1.0, 4.0) - 4.0_f64.ln() / 3.0).abs() < 1e-15);
        // f = 2, p = 1/4: r = (1/3)(1 - ln(4)/3).
        assert!((expected_inverse(2.0, 8.0) - (1.0 - 4.0_f64.ln() / 3.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn both_evaluations_agree_where_they_meet() {
        let series_side = expected_inverse(15.0, 15.0 / 0.500_000_1);
        let recurrence_side = expected_inverse(15.0, 15.0 / 0.499_999_9);
        assert!((series_side - recurrence_side).abs() < 1e-7);
    }
}
