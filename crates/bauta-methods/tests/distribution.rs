//! Whether random methods have the distribution that their pages state.
//!
//! Seeds are fixed, so that nothing here is a matter of luck; critical values are at 1e-6, so that
//! a change of draws does not need another seed either.

mod resampling;

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::context::{below, shuffled, unit_interval};
use bauta_methods::{Mask, MaskTask, RawValue, RunContext, registry};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use support::{ALPHA, column, ks_critical, ks_distance, numbers, params, table};

/// The masked column of a table's first variable.
fn masked(id: &str, table: &Table, given: &[(&str, RawValue)], seed: u64, step: &str) -> Vec<f64> {
    let mask: &dyn Mask = registry::mask(id).expect("a mask");
    let given = params(mask.card(), given);
    let task = MaskTask { table, on: &[0] };
    let context = RunContext::new(seed, step, &Unwatched);
    let change = mask
        .mask(&given, &task, &context)
        .expect("the mask works")
        .apply_to(table);
    change.column(0).as_numeric().expect("numbers").to_vec()
}

/// Fails if counts are too far from equal expectations.
fn assert_uniform(what: &str, counts: &[usize]) {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    assert!(expected >= 20.0, "{what}: too few draws for a test");
    let statistic: f64 = counts
        .iter()
        .map(|&count| (count as f64 - expected).powi(2) / expected)
        .sum();
    let critical = ChiSquared::new((counts.len() - 1) as f64)
        .unwrap()
        .inverse_cdf(1.0 - ALPHA);
    assert!(
        statistic < critical,
        "{what}: chi-square {statistic}, critical {critical}"
    );
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let pairs = || a.iter().zip(b);
    let cross: f64 = pairs().map(|(a, b)| (a - mean_a) * (b - mean_b)).sum();
    let square = |values: &[f64], mean: f64| {
        values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
    };
    cross / (square(a, mean_a) * square(b, mean_b)).sqrt()
}

fn window(p: f64) -> (&'static str, RawValue) {
    ("window", RawValue::Number(p))
}

/// Values 0, 1, 2 … out of order: value and rank are the same, and no two records tie.
fn distinct(n: usize) -> Vec<f64> {
    // 7919 is prime and divides no n used here, so that this is a permutation.
    (0..n).map(|i| (i * 7919 % n) as f64).collect()
}

#[test]
fn rank_swapping_only_exchanges_values_and_keeps_within_the_window() {
    for (n, p, k) in [
        (1_000, 0.05, 50),
        (1_000, 0.14, 140),
        (333, 0.5, 166),
        (100, 1.0, 100),
        (100, 0.01, 1),
    ] {
        let x = distinct(n);
        let file = table(vec![numbers("x", &x)]);
        for seed in 0..20 {
            let z = masked("rank-swap", &file, &[window(p)], seed, "swap");
            let mut sorted = z.clone();
            sorted.sort_by(f64::total_cmp);
            assert!(
                sorted
                    .iter()
                    .enumerate()
                    .all(|(rank, &value)| value.to_bits() == (rank as f64).to_bits()),
                "not a permutation"
            );
            let largest = x
                .iter()
                .zip(&z)
                .map(|(x, z)| (x - z).abs())
                .fold(0.0, f64::max);
            assert!(
                largest <= f64::from(k),
                "moved by {largest} ranks, {k} allowed"
            );
            // It is a pairing: who receives j's value gives j its own.
            let mut received = vec![0; n];
            for (x, z) in x.iter().zip(&z) {
                received[*x as usize] = *z as usize;
            }
            assert!((0..n).all(|rank| received[received[rank]] == rank));
            assert!(z != x, "nothing was swapped");
        }
    }
}

#[test]
fn ties_and_missing_values_keep_the_multiset() {
    let x: Vec<f64> = (0..500)
        .map(|i| {
            if i % 11 == 0 {
                f64::NAN
            } else {
                f64::from(i * 37 % 23)
            }
        })
        .collect();
    let file = table(vec![numbers("x", &x)]);
    let given = [window(0.2), ("missing", RawValue::Text("skip".to_owned()))];
    let z = masked("rank-swap", &file, &given, 3, "swap");
    let sorted = |values: &[f64]| {
        let mut present: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| !value.is_nan())
            .collect();
        present.sort_by(f64::total_cmp);
        present
    };
    assert_eq!(sorted(&x), sorted(&z));
    assert!(x.iter().zip(&z).all(|(x, z)| x.is_nan() == z.is_nan()));
}

#[test]
fn the_partner_is_uniform_among_free_ranks() {
    // n = 50, K = 10. The walk starts at rank 0, whose partner is uniform on 1..=10. Unless it was
    // chosen, rank 1 comes next and has the nine of 2..=11 that are still free.
    let (n, k, n_seeds) = (50, 10, 20_000);
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let file = table(vec![numbers("x", &x)]);
    let mut first = vec![0; k];
    let mut second = vec![0; k - 1];
    for seed in 0..n_seeds {
        let z = masked("rank-swap", &file, &[window(0.2)], seed, "swap");
        let j = z[0] as usize;
        first[j - 1] += 1;
        if j != 1 {
            let choices: Vec<usize> = (2..=1 + k).filter(|&rank| rank != j).collect();
            let chosen = choices
                .iter()
                .position(|&rank| rank == z[1] as usize)
                .expect("a free rank in the window");
            second[chosen] += 1;
        }
    }
    assert_uniform("partner of the first rank", &first);
    assert_uniform("partner of the second rank", &second);
}

#[test]
fn ties_are_in_random_order() {
    // Ten records tie at 0, one record is above them; K = 1. The walk pairs ranks (0, 1), (2, 3), …,
    // (8, 9), so that the highest record is left alone: each of the ten keeps 0. With keep_bottom
    // at 0.1 the walk starts at rank 1, pairs (1, 2), …, (9, 10): the record at rank 9 gets the 1.
    let x = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let file = table(vec![numbers("x", &x)]);
    let mut receives = vec![0; 10];
    for seed in 0..5_000 {
        let given = [window(0.1), ("keep_bottom", RawValue::Number(0.1))];
        let z = masked("rank-swap", &file, &given, seed, "swap");
        receives[z
            .iter()
            .position(|&value| value > 0.5)
            .expect("the value is somewhere")] += 1;
    }
    assert_uniform("record at the highest tied rank", &receives);
}

#[test]
fn kept_tails_stay_and_the_rest_moves() {
    let n = 1_000;
    let x = distinct(n);
    let file = table(vec![numbers("x", &x)]);
    let given = [
        window(0.1),
        ("keep_bottom", RawValue::Number(0.07)),
        ("keep_top", RawValue::Number(0.05)),
    ];
    for seed in 0..20 {
        let z = masked("rank-swap", &file, &given, seed, "swap");
        let (mut n_kept, mut n_moved) = (0, 0);
        for (x, z) in x.iter().zip(&z) {
            if *x < 70.0 || *x >= 950.0 {
                assert_eq!(x.to_bits(), z.to_bits(), "a kept record was swapped");
                n_kept += 1;
            } else if x.to_bits() != z.to_bits() {
                n_moved += 1;
            }
        }
        assert_eq!(n_kept, 120);
        // Only ranks that find no partner stay, and they are few.
        assert!(n_moved > 850, "{n_moved} of 880 moved");
    }
}

#[test]
fn strata_are_respected() {
    let n = 900;
    let x = distinct(n);
    let strata: Vec<String> = (0..n).map(|i| (i % 3).to_string()).collect();
    let cells: Vec<Option<&str>> = strata.iter().map(|text| Some(text.as_str())).collect();
    let stratum = column("region", Role::Stratum, Kind::Unordered, &cells);
    let file = table(vec![numbers("x", &x), stratum]);
    let by_region = (
        "strata",
        RawValue::List(vec![RawValue::Text("region".to_owned())]),
    );
    let z = masked("rank-swap", &file, &[window(0.1), by_region], 5, "swap");
    for region in 0..3 {
        let of = |values: &[f64]| -> Vec<f64> {
            values.iter().copied().skip(region).step_by(3).collect()
        };
        let (x, z) = (of(&x), of(&z));
        let mut sorted_x = x.clone();
        let mut sorted_z = z.clone();
        sorted_x.sort_by(f64::total_cmp);
        sorted_z.sort_by(f64::total_cmp);
        assert_eq!(sorted_x, sorted_z, "a value left its stratum");
        // Ranks are those within the stratum: 300 records, K = 30.
        let rank = |value: f64| sorted_x.partition_point(|&other| other < value);
        assert!(
            x.iter()
                .zip(&z)
                .all(|(&x, &z)| rank(x).abs_diff(rank(z)) <= 30)
        );
        assert!(x != z);
    }
}

/// n values with a standard deviation that is not 1.
fn skewed(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * 7919 % n) as f64 / n as f64).powi(3) * 5_000.0)
        .collect()
}

fn sd(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (values.len() - 1) as f64)
        .sqrt()
}

/// The noise that was added, in units of p·s.
fn noise(x: &[f64], name: &str, p: f64, seed: u64, step: &str) -> Vec<f64> {
    let file = table(vec![numbers(name, x)]);
    let z = masked(
        "noise-additive",
        &file,
        &[("share", RawValue::Number(p))],
        seed,
        step,
    );
    let unit = p * sd(x);
    x.iter().zip(&z).map(|(x, z)| (z - x) / unit).collect()
}

#[test]
fn additive_noise_is_normal() {
    let n = 100_000;
    let normal = Normal::new(0.0, 1.0).unwrap();
    for (p, seed) in [(0.02, 1), (0.1, 2), (1.5, 3)] {
        let noise = noise(&skewed(n), "x", p, seed, "noise");
        let distance = ks_distance(noise.clone(), |value| normal.cdf(value));
        assert!(
            distance < ks_critical(n),
            "KS {distance}, critical {}",
            ks_critical(n)
        );
        // Five standard errors: of the mean 1/√n, of the variance √(2/n), of the fourth moment √(96/n).
        let band = |moment: f64, expected: f64, variance: f64| {
            assert!(
                (moment - expected).abs() < 5.0 * (variance / n as f64).sqrt(),
                "{moment}, not {expected}"
            );
        };
        let moment =
            |power: i32| noise.iter().map(|value| value.powi(power)).sum::<f64>() / n as f64;
        band(moment(1), 0.0, 1.0);
        band(moment(2), 1.0, 2.0);
        band(moment(4), 3.0, 96.0);
    }
}

#[test]
fn a_wrong_distribution_would_be_noticed() {
    // The test of the test: uniform noise of variance 1 is far beyond the critical distance.
    let n = 100_000;
    let normal = Normal::new(0.0, 1.0).unwrap();
    let uniform = (0..n)
        .map(|i| (2.0 * (i as f64 + 0.5) / n as f64 - 1.0) * 3.0_f64.sqrt())
        .collect();
    assert!(ks_distance(uniform, |value| normal.cdf(value)) > 5.0 * ks_critical(n));
}

#[test]
fn noise_is_independent_between_variables_steps_seeds_and_of_the_value() {
    let n = 100_000;
    let x = skewed(n);
    let here = noise(&x, "x", 0.1, 1, "first");
    let limit = 5.0 / (n as f64).sqrt();
    let others = [
        ("variables", noise(&x, "y", 0.1, 1, "first")),
        ("steps", noise(&x, "x", 0.1, 1, "second")),
        ("seeds", noise(&x, "x", 0.1, 2, "first")),
        ("noise and value", x.clone()),
    ];
    for (what, other) in &others {
        let r = correlation(&here, other);
        assert!(r.abs() < limit, "correlation between {what}: {r}");
    }
    // Neighbouring records: the noise of one says nothing of the next.
    let r = correlation(&here[1..], &here[..n - 1]);
    assert!(r.abs() < limit, "correlation between neighbours: {r}");
    // The same key gives the same noise, whatever the share.
    let again = noise(&x, "x", 0.2, 1, "first");
    assert!(here.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn shuffled_orders_are_uniform() {
    // Which record comes first, last and in the middle, over many seeds.
    let (n, n_seeds) = (12, 24_000);
    let mut at = vec![vec![0; n]; n];
    for seed in 0..n_seeds {
        let context = RunContext::new(seed, "order", &Unwatched);
        for (position, &record) in shuffled(n, &context.draws("order")).iter().enumerate() {
            at[position][record as usize] += 1;
        }
    }
    for (position, counts) in at.iter().enumerate() {
        assert_uniform(&format!("records at position {position}"), counts);
    }
    // All 24 orders of four records.
    let mut orders = std::collections::BTreeMap::new();
    for seed in 0..n_seeds {
        let context = RunContext::new(seed, "four", &Unwatched);
        *orders
            .entry(shuffled(4, &context.draws("order")))
            .or_insert(0) += 1;
    }
    let counts: Vec<usize> = orders.into_values().collect();
    assert_eq!(counts.len(), 24);
    assert_uniform("orders of four records", &counts);
}

#[test]
fn uniform_draws_are_uniform() {
    let n = 200_000;
    let context = RunContext::new(11, "draws", &Unwatched);
    let draws: Vec<u64> = context
        .draws("u")
        .per_position(n, |_, [draw]: [u64; 1]| draw);
    let mut bins = vec![0; 100];
    for &draw in &draws {
        let u = unit_interval(draw);
        assert!(u > 0.0 && u < 1.0);
        bins[(u * 100.0) as usize] += 1;
    }
    assert_uniform("unit interval", &bins);
    let distance = ks_distance(
        draws.iter().map(|&draw| unit_interval(draw)).collect(),
        |u| u,
    );
    assert!(distance < ks_critical(n), "KS {distance}");
    for m in [2, 7, 100] {
        let mut counts = vec![0; m];
        for &draw in &draws {
            counts[below(m, draw)] += 1;
        }
        assert_uniform(&format!("below {m}"), &counts);
    }
    // Pairs of neighbouring draws fill the square.
    let mut cells = vec![0; 100];
    for pair in draws.chunks_exact(2) {
        cells[below(10, pair[0]) * 10 + below(10, pair[1])] += 1;
    }
    assert_uniform("pairs of draws", &cells);
}
