//! Resampling and random rounding.

use bauta_methods::RawValue;

use super::{masked, skewed};
use crate::support::{numbers, table};

fn samples(m: i64) -> (&'static str, RawValue) {
    ("samples", RawValue::Integer(m))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn resampling_keeps_order_and_range() {
    // A variable with ties and gaps, one without, and one of two values.
    let files: [Vec<f64>; 3] = [
        (0..1_000).map(|i| f64::from(i * 37 % 113)).collect(),
        skewed(1_000),
        (0..1_000).map(|i| f64::from(i % 2) * 0.1).collect(),
    ];
    for x in &files {
        let file = table(vec![numbers("x", x)]);
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        for m in [1, 2, 3, 7] {
            for seed in 0..10 {
                let z = masked("resample", &file, &[samples(m)], seed, "resample");
                // The sort is stable: ties by row, as the page states.
                assert!(order.windows(2).all(|pair| z[pair[0]] <= z[pair[1]]));
                let (low, high) = (x[order[0]], x[order[999]]);
                assert!(z.iter().all(|value| (low..=high).contains(value)));
                assert_ne!(*x, z);
                // One sample makes no new value.
                assert!(m > 1 || z.iter().all(|value| x.contains(value)));
            }
        }
    }
}

#[test]
fn the_mean_of_a_resampled_file_has_the_variance_of_a_sample_mean() {
    let (n, n_seeds) = (300, 4_000);
    let x = skewed(n);
    let centre = mean(&x);
    let variance = x.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / n as f64;
    let file = table(vec![numbers("x", &x)]);
    for m in [1, 3] {
        let means: Vec<f64> = (0..n_seeds)
            .map(|seed| mean(&masked("resample", &file, &[samples(m)], seed, "resample")))
            .collect();
        let expected = variance / (n as f64 * m as f64);
        // Five standard errors: of the mean √(v/S), of the variance v √(2/S) for what is nearly
        // normal.
        let found = mean(&means);
        let error = (expected / n_seeds as f64).sqrt();
        assert!((found - centre).abs() < 5.0 * error, "{found}, {centre}");
        let spread = means
            .iter()
            .map(|mean| (mean - centre).powi(2))
            .sum::<f64>();
        let ratio = spread / n_seeds as f64 / expected;
        assert!(
            (ratio - 1.0).abs() < 5.0 * (2.0 / n_seeds as f64).sqrt(),
            "{ratio}"
        );
    }
}

#[test]
fn the_largest_value_survives_as_often_as_theory_says() {
    // The largest of n values is in a sample with probability 1 - (1 - 1/n)^n.
    let (n, n_seeds) = (20, 20_000);
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let file = table(vec![numbers("x", &x)]);
    let survives = |seed: &u64| {
        masked("resample", &file, &[samples(1)], *seed, "resample")[19].to_bits() == x[19].to_bits()
    };
    let share = (0..n_seeds).filter(survives).count() as f64 / n_seeds as f64;
    let p = 1.0 - (1.0 - 1.0 / f64::from(n)).powi(n);
    let error = (p * (1.0 - p) / n_seeds as f64).sqrt();
    assert!((share - p).abs() < 5.0 * error, "{share}, {p}");
}

#[test]
fn variables_and_samples_are_drawn_independently() {
    let n = 50_000;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % n)).collect();
    let moved = |name: &str, m: i64, step: &str| -> Vec<f64> {
        let file = table(vec![numbers(name, &x)]);
        let z = masked("resample", &file, &[samples(m)], 1, step);
        // Neighbouring ranks move together; one in a thousand does not see the next.
        let by_rank = (0..n).step_by(1_000).map(|rank| {
            let record = x.iter().position(|x| *x as i32 == rank).expect("a rank");
            z[record] - x[record]
        });
        by_rank.collect()
    };
    let here = moved("x", 1, "first");
    assert_ne!(here, moved("y", 1, "first"));
    assert_ne!(here, moved("x", 1, "second"));
    // Were the second sample the first once more, the mean of both would be the first.
    assert_ne!(here, moved("x", 2, "first"));
}

#[test]
fn random_rounding_is_unbiased_at_every_remainder() {
    let n = 100_000;
    // Value, base, and the probability of going up.
    for (value, base, p) in [
        (130.0, 100.0, 0.3),
        (-130.0, 100.0, 0.7),
        (0.32, 0.1, 0.2),
        (0.999, 1.0, 0.999),
        (1e6 + 0.5, 2.0, 0.25),
    ] {
        let file = table(vec![numbers("x", &vec![value; n])]);
        let given = [
            ("base", RawValue::Number(base)),
            ("method", RawValue::Text("random".to_owned())),
        ];
        let z = masked("round", &file, &given, 3, "round");
        let n_up = z.iter().filter(|&&z| z > value).count();
        let share = n_up as f64 / n as f64;
        let error: f64 = (p * (1.0 - p) / n as f64).sqrt();
        assert!((share - p).abs() < 5.0 * error, "{value}: {share}, {p}");
        assert!(z.iter().all(|z| (z - value).abs() < base));
        let bias = mean(&z) - value;
        assert!(bias.abs() < 5.0 * error * base, "{value}: bias {bias}");
    }
}
