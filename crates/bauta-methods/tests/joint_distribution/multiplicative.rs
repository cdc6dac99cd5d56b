//! Factors: `noise-multiplicative`.

use super::{
    N, accounts, assert_ks, columns, covariance, masked, mean, number, standard_normal, text,
    within,
};
use crate::support::{numbers, table};

#[test]
fn independent_factors_are_truncated_normal_around_1() {
    let sigma = 0.2;
    let x: Vec<f64> = (0..N)
        .map(|i| ((i * 7_919 % N) as f64 - 10_000.0) / 10.0)
        .collect();
    let file = table(vec![numbers("x", &x), numbers("y", &x)]);
    let after = masked("noise-multiplicative", &file, &[number("share", sigma)], 5);
    let z = columns(&after);
    let sums = |power: i32| x.iter().map(|x| x.powi(power)).sum::<f64>();
    let found = |power: i32| z[0].iter().map(|z| z.powi(power)).sum::<f64>();
    // Var(Σ z) = σ² Σ x²; Var(Σ z²) = Σ x⁴ Var(e²), Var(e²) <= 4 σ² + 2 σ⁴ since the factor's
    // kurtosis is below the normal one.
    within("Σ z", found(1), sums(1), sigma * sums(2).sqrt());
    let var_square = 4.0 * sigma * sigma + 2.0 * sigma.powi(4);
    let expected = (1.0 + sigma * sigma) * sums(2);
    within("Σ z²", found(2), expected, (sums(4) * var_square).sqrt());
    // The factors themselves: t = (z/x - 1) √v / σ within ±2, v the variance of the truncated normal.
    let phi = (-2.0_f64).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (low, inside) = (standard_normal(-2.0), 1.0 - 2.0 * standard_normal(-2.0));
    let v = 1.0 - 4.0 * phi / inside;
    let factors = |z: &[f64]| -> Vec<f64> {
        let pairs = x.iter().zip(z).filter(|(x, _)| **x != 0.0);
        pairs
            .map(|(x, z)| (z / x - 1.0) * v.sqrt() / sigma)
            .collect()
    };
    let t = factors(z[0]);
    assert!(t.iter().all(|t| t.abs() <= 2.0 + 1e-9));
    assert_ks("factors", t.clone(), |t| {
        ((standard_normal(t) - low) / inside).clamp(0.0, 1.0)
    });
    let r = covariance(&t, &factors(z[1])) / v;
    within(
        "covariance between variables",
        r,
        0.0,
        1.0 / (N as f64).sqrt(),
    );
    let kept = x
        .iter()
        .zip(z[0])
        .all(|(x, z)| x.signum().to_bits() == z.signum().to_bits());
    assert!(kept, "a sign changed");
    assert!(x.iter().zip(z[0]).any(|(x, z)| *x == 0.0 && *z == 0.0));
}

#[test]
fn logarithmic_factors_go_together_as_the_logarithms_do() {
    let file = accounts(N);
    let file = file.without_columns(&[2]);
    let c = 0.1;
    let given = [text("scheme", "logarithmic"), number("level", c)];
    let after = masked("noise-multiplicative", &file, &given, 6);
    let (x, z) = (columns(&file), columns(&after));
    let logs: Vec<Vec<f64>> = x
        .iter()
        .map(|x| x.iter().map(|x| x.ln()).collect())
        .collect();
    let factors: Vec<Vec<f64>> = x
        .iter()
        .zip(&z)
        .map(|(x, z)| x.iter().zip(*z).map(|(x, z)| (z / x).ln()).collect())
        .collect();
    for j in 0..3 {
        let s = c * covariance(&logs[j], &logs[j]);
        // Normal with variance c s_jj and mean -c s_jj / 2, so that E e = 1 and E z = E x.
        let standardised = factors[j].iter().map(|f| (f + s / 2.0) / s.sqrt());
        assert_ks("log factors", standardised.collect(), standard_normal);
        let squares: f64 = x[j].iter().map(|x| x * x).sum();
        let error = (squares * s.exp_m1()).sqrt() / N as f64;
        within("mean", mean(z[j]), mean(x[j]), error);
        for k in 0..j {
            let t = c * covariance(&logs[k], &logs[k]);
            let both = c * covariance(&logs[j], &logs[k]);
            let error = ((s * t + both * both) / N as f64).sqrt();
            within(
                "covariance",
                covariance(&factors[j], &factors[k]),
                both,
                error,
            );
        }
    }
}
