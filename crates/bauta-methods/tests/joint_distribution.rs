//! Whether masks that work on variables together give the moments and distributions that their
//! pages state.
//!
//! Seeds are fixed. Bands are five standard errors, whose formula stands beside each.

mod multiplicative;
mod synthetic;

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::kernel::numbers::moments::moments;
use bauta_methods::kernel::numbers::normal::quantile;
use bauta_methods::{Mask, MaskTask, Note, RawValue, RunContext, registry};
use statrs::distribution::{ContinuousCDF, Normal};
use support::{Wanted, column, ks_critical, ks_distance, numbers, params, read_csv, shared, table};

const N: usize = 40_000;

fn number(name: &'static str, value: f64) -> (&'static str, RawValue) {
    (name, RawValue::Number(value))
}

fn text(name: &'static str, value: &str) -> (&'static str, RawValue) {
    (name, RawValue::Text(value.to_owned()))
}

/// The file after a mask of all its numeric variables.
fn masked(id: &str, table: &Table, given: &[(&str, RawValue)], seed: u64) -> Table {
    let mask: &dyn Mask = registry::mask(id).expect("a mask");
    let given = params(mask.card(), given);
    let on: Vec<usize> = (0..table.columns().len())
        .filter(|&attr_idx| table.column(attr_idx).as_numeric().is_some())
        .collect();
    let task = MaskTask { table, on: &on };
    let context = RunContext::new(seed, "step", &Unwatched);
    let change = mask.mask(&given, &task, &context);
    change.expect("the mask works").apply_to(table)
}

fn columns(table: &Table) -> Vec<&[f64]> {
    let columns = table.columns().iter();
    columns.filter_map(|column| column.as_numeric()).collect()
}

/// Three skewed variables that go together, and the sum of the first two.
fn accounts(n: usize) -> Table {
    let normal = |i: usize, prime: usize| quantile(((i * prime % n) as f64 + 0.5) / n as f64);
    let wages: Vec<f64> = (0..n)
        .map(|i| 2_000.0 * (0.8 * normal(i, 7_919)).exp())
        .collect();
    let rents: Vec<f64> = (0..n)
        .map(|i| 0.3 * wages[i] + 500.0 * (normal(i, 104_729)).exp())
        .collect();
    let taxes: Vec<f64> = (0..n)
        .map(|i| 0.2 * wages[i] - 0.1 * rents[i] + 50.0 * normal(i, 1_299_709))
        .collect();
    let total: Vec<f64> = wages.iter().zip(&rents).map(|(a, b)| a + b).collect();
    table(vec![
        numbers("wages", &wages),
        numbers("rents", &rents),
        numbers("taxes", &taxes),
        numbers("total", &total),
    ])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b));
    products.sum::<f64>() / (a.len() - 1) as f64
}

fn within(what: &str, found: f64, expected: f64, standard_error: f64) {
    assert!(
        (found - expected).abs() < 5.0 * standard_error,
        "{what}: {found}, not {expected} ± {standard_error}"
    );
}

fn assert_ks(what: &str, sample: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    let critical = ks_critical(sample.len());
    let distance = ks_distance(sample, cdf);
    assert!(
        distance < critical,
        "{what}: KS {distance}, critical {critical}"
    );
}

fn standard_normal(value: f64) -> f64 {
    Normal::new(0.0, 1.0).unwrap().cdf(value)
}

/// Cov(Z) = (1 + d) Σ. With X fixed and noise whose fourth moments are at most the normal ones, the
/// variance of a covariance of j and k is at most `(d² + 2 d) (σ_jj σ_kk + σ_jk²) / n`: the noise with
/// itself and with X.
fn assert_inflated(x: &[&[f64]], z: &[&[f64]], d: f64) {
    for j in 0..x.len() {
        let s = covariance(x[j], x[j]);
        within("mean", mean(z[j]), mean(x[j]), (d * s / N as f64).sqrt());
        for k in 0..=j {
            let sigma = covariance(x[j], x[k]);
            let product = s * covariance(x[k], x[k]) + sigma * sigma;
            let error = ((d * d + 2.0 * d) * product / N as f64).sqrt();
            within(
                "covariance",
                covariance(z[j], z[k]),
                (1.0 + d) * sigma,
                error,
            );
        }
    }
}

#[test]
fn correlated_noise_has_the_covariance_of_the_data() {
    let file = accounts(N);
    for (d, seed) in [(0.01, 1), (0.1, 2), (1.0, 3)] {
        let after = masked("noise-correlated", &file, &[number("level", d)], seed);
        let (x, z) = (columns(&file), columns(&after));
        assert_inflated(&x, &z, d);
        for j in 0..4 {
            let unit = (d * covariance(x[j], x[j])).sqrt();
            let noise = x[j].iter().zip(z[j]).map(|(x, z)| (z - x) / unit);
            assert_ks("noise", noise.collect(), standard_normal);
        }
        // What is a sum stays a sum, though Σ is singular.
        let kept = (0..N).all(|i| (z[0][i] + z[1][i] - z[3][i]).abs() < 1e-6);
        assert!(kept, "total is no longer wages + rents");
    }
}

#[test]
fn dependent_variables_are_noted_by_name() {
    let file = accounts(1_000);
    let mask = registry::mask("noise-correlated").unwrap();
    let task = MaskTask {
        table: &file,
        on: &[3, 0, 1],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    mask.mask(
        &params(mask.card(), &[number("level", 0.1)]),
        &task,
        &context,
    )
    .unwrap();
    let notes: Vec<_> = context.into_notes().iter().map(Note::to_json).collect();
    let expected = serde_json::json!([{ "id": "dependent-variables", "variables": ["total"] }]);
    assert_eq!(serde_json::Value::from(notes), expected);
}

#[test]
fn incomplete_records_get_noise_too() {
    let file = accounts(10_000);
    let mut all = columns(&file)
        .iter()
        .map(|x| x.to_vec())
        .collect::<Vec<_>>();
    for (j, column) in all.iter_mut().enumerate() {
        for value in column.iter_mut().skip(j).step_by(7 + j) {
            *value = f64::NAN;
        }
    }
    let names = ["wages", "rents", "taxes", "total"];
    let gaps = table(
        names
            .iter()
            .zip(&all)
            .map(|(name, x)| numbers(name, x))
            .collect(),
    );
    let given = [number("level", 0.1), text("missing", "skip")];
    for id in [
        "noise-correlated",
        "noise-mixture",
        "noise-swap",
        "noise-multiplicative",
    ] {
        let given = match id {
            "noise-multiplicative" => vec![number("share", 0.1), given[1].clone()],
            _ => given.to_vec(),
        };
        let after = masked(id, &gaps, &given, 4);
        for (x, z) in all.iter().zip(columns(&after)) {
            for (x, z) in x.iter().zip(z) {
                assert_eq!(x.is_nan(), z.is_nan(), "{id}");
                assert!(
                    x.to_bits() != z.to_bits() || x.is_nan(),
                    "{id}: a value left unmasked"
                );
            }
        }
    }
}

/// The distribution of a mixture with weights ω of normal ones with means θ.
fn mixture_cdf(omega: &[f64], theta: &[f64], sigma: f64) -> impl Fn(f64) -> f64 {
    let parts: Vec<(f64, f64)> = omega.iter().copied().zip(theta.iter().copied()).collect();
    move |w| {
        let parts = parts.iter();
        parts
            .map(|(omega, theta)| omega * standard_normal((w - theta) / sigma))
            .sum()
    }
}

/// w = (z - x) / (√d s) of a single variable.
fn mixture_noise(given: &[(&'static str, RawValue)], seed: u64) -> Vec<f64> {
    let x: Vec<f64> = columns(&accounts(N))[0].to_vec();
    let file = table(vec![numbers("x", &x)]);
    let mut all = vec![number("level", 0.1)];
    all.extend(given.iter().cloned());
    let after = masked("noise-mixture", &file, &all, seed);
    let unit = 0.1_f64.sqrt() * moments(&x).sd;
    let pairs = x.iter().zip(columns(&after)[0]);
    pairs.map(|(x, z)| (z - x) / unit).collect()
}

fn list(values: &[f64]) -> RawValue {
    RawValue::List(
        values
            .iter()
            .map(|&value| RawValue::Number(value))
            .collect(),
    )
}

#[test]
fn mixture_noise_has_mean_0_variance_1_and_two_modes() {
    let w = mixture_noise(&[], 1);
    let (a, v) = (0.975_f64, 0.025_f64);
    assert_ks(
        "mixture",
        w.clone(),
        mixture_cdf(&[0.5, 0.5], &[a.sqrt(), -a.sqrt()], v.sqrt()),
    );
    let moment = |power: i32| w.iter().map(|w| w.powi(power)).sum::<f64>() / N as f64;
    // E w⁴ = θ⁴ + 6 θ² σ² + 3 σ⁴; E w⁸ from the even moments 1, 1, 3, 15, 105 of the normal.
    let m4 = a * a + 6.0 * a * v + 3.0 * v * v;
    let m8 = a.powi(4)
        + 28.0 * a.powi(3) * v
        + 70.0 * a * a * 3.0 * v * v
        + 28.0 * a * 15.0 * v.powi(3)
        + 105.0 * v.powi(4);
    let error = |variance: f64| (variance / N as f64).sqrt();
    within("mean", moment(1), 0.0, error(1.0));
    within("variance", moment(2), 1.0, error(m4 - 1.0));
    within("fourth moment", moment(4), m4, error(m8 - m4 * m4));
    // Normal noise is below half a standard deviation in 38 % of the records; this hardly ever.
    let small = w.iter().filter(|w| w.abs() < 0.5).count();
    assert!(
        (small as f64) < 0.005 * N as f64,
        "{small} records with little noise"
    );
}

#[test]
fn three_unequal_components_are_drawn_as_often_as_they_should() {
    // θ = 0.4, 0.8, -1.6, as the unit test of the method has it by hand.
    let given = [
        ("components", list(&[2.0, 1.0, 1.0])),
        ("psi", list(&[1.0, 2.0])),
        number("variance", 0.12),
    ];
    let cdf = mixture_cdf(&[0.5, 0.25, 0.25], &[0.4, 0.8, -1.6], 0.12_f64.sqrt());
    assert_ks("mixture", mixture_noise(&given, 2), cdf);
}

#[test]
fn scaling_back_restores_the_covariances() {
    let file = accounts(N);
    for (id, d, seed) in [("noise-correlated", 0.2, 1), ("noise-mixture", 0.2, 2)] {
        let noisy = masked(id, &file, &[number("level", d)], seed);
        let (x, z) = (columns(&file), columns(&noisy));
        assert_inflated(&x, &z, d);
        let scaled = masked("scale-back", &noisy, &[number("level", d)], seed);
        let scaled = columns(&scaled);
        for j in 0..4 {
            let tolerance = 1e-12 * moments(z[j]).sd;
            assert!(
                (mean(scaled[j]) - mean(z[j])).abs() < tolerance,
                "the mean moved"
            );
            for k in 0..=j {
                // Exactly by 1/(1 + d): what is left is the noise's own deviation.
                let (found, expected) = (
                    covariance(scaled[j], scaled[k]),
                    covariance(z[j], z[k]) / (1.0 + d),
                );
                assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
                let sigma = covariance(x[j], x[k]);
                let product = covariance(x[j], x[j]) * covariance(x[k], x[k]) + sigma * sigma;
                let error = ((d * d + 2.0 * d) * product / N as f64).sqrt() / (1.0 + d);
                within("covariance", found, sigma, error);
            }
        }
    }
}

#[test]
fn swapping_moves_whole_records_of_a_stratum_and_breaks_links() {
    let n = 3_000;
    let of_file = accounts(n);
    let strata: Vec<String> = (0..n).map(|i| (i % 3).to_string()).collect();
    let cells: Vec<Option<&str>> = strata.iter().map(|text| Some(text.as_str())).collect();
    let mut all: Vec<_> = columns(&of_file)
        .iter()
        .take(3)
        .zip(["wages", "rents", "taxes"])
        .map(|(x, name)| numbers(name, x))
        .collect();
    all.push(column("region", Role::Stratum, Kind::Unordered, &cells));
    let file = table(all);
    let level = number("level", 0.01);
    let by_region = (
        "strata",
        RawValue::List(vec![RawValue::Text("region".to_owned())]),
    );
    let noisy = masked("noise-correlated", &file, std::slice::from_ref(&level), 3);
    let swapped = masked("noise-swap", &file, &[level.clone(), by_region.clone()], 3);
    let (x, y, z) = (columns(&file), columns(&noisy), columns(&swapped));
    let linked = |z: &[&[f64]]| -> Vec<bool> {
        let sd: Vec<f64> = x.iter().map(|x| moments(x).sd).collect();
        let distance = |i: usize, l: usize| -> f64 {
            (0..3).map(|j| ((z[j][i] - x[j][l]) / sd[j]).powi(2)).sum()
        };
        let own_is_nearest = |i: usize| {
            let own = distance(i, i);
            (0..n).all(|l| distance(i, l) >= own)
        };
        (0..n).map(own_is_nearest).collect()
    };
    let (before, after) = (linked(&y), linked(&z));
    let n_before = before.iter().filter(|linked| **linked).count();
    let n_after = after.iter().filter(|linked| **linked).count();
    assert!(n_before > 100, "{n_before} links to break");
    assert!(
        n_after * 20 < n_before,
        "{n_after} of {n_before} links are left"
    );
    let mut n_moved = 0;
    for i in 0..n {
        let donor = (0..n).find(|&l| (0..3).all(|j| y[j][l].to_bits() == z[j][i].to_bits()));
        let donor = donor.expect("a whole record of the noisy file");
        assert_eq!(donor % 3, i % 3, "a record left its stratum");
        assert_eq!(donor != i, before[i], "record {i}");
        n_moved += usize::from(donor != i);
    }
    assert_eq!(n_moved, n_before);
    // No more than the share, and those that noise moved least.
    let some = masked(
        "noise-swap",
        &file,
        &[level, by_region, number("swapped", 0.01)],
        3,
    );
    let some = columns(&some);
    let moved = (0..n)
        .filter(|&i| some[0][i].to_bits() != y[0][i].to_bits())
        .count();
    assert_eq!(moved, 30);
}

/// Yancey, Winkler and Creecy, Table 1: IL1s and IL4 of CENSUS, by mask and level.
#[test]
fn the_level_of_noise_is_that_of_the_paper() {
    let Some(folder) = shared() else { return };
    let path = folder.join("data/census.csv");
    let header = std::fs::read_to_string(&path).expect("CENSUS");
    let names = header.lines().next().expect("a header").split(',');
    let wanted: Vec<Wanted> = names
        .map(|name| Wanted {
            name: name.trim_matches('"').to_owned(),
            role: Role::Sensitive,
            kind: Kind::Continuous,
        })
        .collect();
    let file = read_csv(&path, &wanted);
    let x = columns(&file);
    let losses = |z: &[&[f64]]| -> (f64, f64) {
        let (mut il1s, mut il4) = (0.0, 0.0);
        for (x, z) in x.iter().zip(z) {
            let unit = 2.0_f64.sqrt() * moments(x).sd;
            let distances = x.iter().zip(*z).map(|(x, z)| (x - z).abs() / unit);
            il1s += distances.sum::<f64>() / x.len() as f64;
            il4 += ((moments(z).sd / moments(x).sd).powi(2) - 1.0).abs();
        }
        (il1s / x.len() as f64, il4 / x.len() as f64)
    };
    // Published; the paper's IL1s of add01 and add10 is its IL1 over √2, a misprint, and is not used.
    let rows = [
        ("noise-correlated", false, 0.01, None, 0.014),
        ("noise-correlated", false, 0.1, None, 0.115),
        ("noise-mixture", false, 0.01, Some(0.063), 0.012),
        ("noise-mixture", false, 0.05, Some(0.140), 0.053),
        ("noise-mixture", false, 0.1, Some(0.199), 0.105),
        ("noise-mixture", false, 0.2, Some(0.281), 0.207),
        ("noise-mixture", true, 0.01, Some(0.063), 0.003),
        ("noise-mixture", true, 0.05, Some(0.137), 0.007),
        ("noise-mixture", true, 0.1, Some(0.190), 0.010),
        ("noise-mixture", true, 0.2, Some(0.258), 0.014),
    ];
    for (id, scaled, d, il1s, il4) in rows {
        let found: Vec<(f64, f64)> = (1..=20)
            .map(|seed| {
                let level = [number("level", d)];
                let mut after = masked(id, &file, &level, seed);
                if scaled {
                    after = masked("scale-back", &after, &level, seed);
                }
                losses(&columns(&after))
            })
            .collect();
        let of = |figure: fn(&(f64, f64)) -> f64| -> (f64, f64) {
            let found: Vec<f64> = found.iter().map(figure).collect();
            let moments = moments(&found);
            (moments.mean, moments.sd)
        };
        let (one, four) = (of(|it| it.0), of(|it| it.1));
        println!(
            "{id} {d} scaled {scaled}: IL1s {:.4} ({:.4}) published {il1s:?}; IL4 {:.4} ({:.4}) published {il4}",
            one.0, one.1, four.0, four.1
        );
        // One run of the paper's, with three digits: three of our standard deviations and a half digit.
        if let Some(il1s) = il1s {
            assert!((one.0 - il1s).abs() < 3.0 * one.1 + 0.0005, "{id} {d} IL1s");
        } else {
            // E|N(0, d)| / √2 = √(d/π).
            let expected = (d / std::f64::consts::PI).sqrt();
            assert!((one.0 - expected).abs() < 3.0 * one.1, "{id} {d} IL1s");
        }
        assert!((four.0 - il4).abs() < 3.0 * four.1 + 0.0005, "{id} {d} IL4");
    }
}
