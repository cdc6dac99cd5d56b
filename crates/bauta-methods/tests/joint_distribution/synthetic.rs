//! Synthetic records: `synth-normal`.

use bauta_methods::RawValue;
use bauta_methods::kernel::numbers::moments::moments;
use bauta_methods::kernel::numbers::normal::quantile;

use super::{
    N, accounts, assert_ks, columns, covariance, masked, mean, standard_normal, text, within,
};

#[test]
fn synthetic_records_have_the_model_and_nothing_of_the_record() {
    let file = accounts(N);
    let after = masked("synth-normal", &file, &[], 7);
    let (x, z) = (columns(&file), columns(&after));
    for j in 0..4 {
        let s = covariance(x[j], x[j]);
        within("mean", mean(z[j]), mean(x[j]), (s / N as f64).sqrt());
        let standardised = z[j].iter().map(|z| (z - mean(x[j])) / s.sqrt());
        assert_ks("margin", standardised.collect(), standard_normal);
        within(
            "with its original",
            covariance(x[j], z[j]),
            0.0,
            s / (N as f64).sqrt(),
        );
        for k in 0..=j {
            let sigma = covariance(x[j], x[k]);
            let product = s * covariance(x[k], x[k]) + sigma * sigma;
            let error = (product / N as f64).sqrt();
            within("covariance", covariance(z[j], z[k]), sigma, error);
        }
    }
}

#[test]
fn exact_draws_have_the_very_means_and_covariances() {
    for n in [6, 100, 10_007] {
        let file = accounts(n);
        let after = masked("synth-normal", &file, &[("exact", RawValue::Flag(true))], 8);
        let (x, z) = (columns(&file), columns(&after));
        for j in 0..4 {
            let s = moments(x[j]).sd;
            assert!(
                (mean(z[j]) - mean(x[j])).abs() < 1e-11 * s,
                "{n}: mean of {j}"
            );
            for k in 0..=j {
                let error = covariance(z[j], z[k]) - covariance(x[j], x[k]);
                let unit = s * moments(x[k]).sd;
                assert!(
                    error.abs() < 1e-9 * unit,
                    "{n}: covariance of {j} and {k}: {error}"
                );
            }
        }
        assert!(x[0] != z[0]);
    }
}

/// The values by rank as normal scores; no ties.
fn scores(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let mut scores = vec![0.0; x.len()];
    for (rank, record) in order.into_iter().enumerate() {
        scores[record] = quantile((rank as f64 + 0.5) / x.len() as f64);
    }
    scores
}

#[test]
fn a_copula_keeps_margins_and_the_correlation_of_scores() {
    let file = accounts(N);
    let after = masked("synth-normal", &file, &[text("margins", "original")], 9);
    let (x, z) = (columns(&file), columns(&after));
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let scores_of = |all: &[&[f64]]| -> Vec<Vec<f64>> { all.iter().map(|x| scores(x)).collect() };
    let (before, now) = (scores_of(&x), scores_of(&z));
    for j in 0..4 {
        assert_eq!(sorted(x[j]), sorted(z[j]), "other values");
        within(
            "with its original",
            covariance(&before[j], &now[j]),
            0.0,
            1.0 / (N as f64).sqrt(),
        );
        for k in 0..j {
            let r = covariance(&before[j], &before[k]);
            // That of a normal correlation; with known margins it is smaller still.
            let error = (1.0 - r * r) / (N as f64).sqrt();
            within(
                "correlation of scores",
                covariance(&now[j], &now[k]),
                r,
                error.max(1e-4),
            );
        }
    }
}
