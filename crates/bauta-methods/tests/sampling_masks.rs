//! What `sample` and `flip-rare` draw, against the distributions that their pages state; and what
//! they keep.

use crate::support;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::{Mask, MaskTask, MethodError, RawValue, RunContext, registry};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use support::{ALPHA, column, params, scatter, table, texts};

/// Fails if counts are not as expected, at the probability of error of these tests.
fn assert_fits(what: &str, counts: &[usize], expected: &[f64], freedom: f64) {
    let both = counts.iter().zip(expected);
    let statistic: f64 = both.map(|(&n, e)| (n as f64 - e).powi(2) / e).sum();
    let p = ChiSquared::new(freedom)
        .expect("degrees of freedom")
        .sf(statistic);
    assert!(p > ALPHA, "{what}: chi-square {statistic}, p = {p:e}");
}

fn masked(
    id: &str,
    file: &Table,
    on: &[&str],
    given: &[(&str, RawValue)],
    seed: u64,
) -> Result<Table, MethodError> {
    let mask: &dyn Mask = registry::mask(id).expect("a mask");
    let given = params(mask.card(), given);
    let on: Vec<usize> = on.iter().map(|name| file.index_of(name).unwrap()).collect();
    let task = MaskTask {
        table: file,
        on: &on,
    };
    let context = RunContext::new(seed, "step", &Unwatched);
    Ok(mask.mask(&given, &task, &context)?.apply_to(file))
}

fn made(name: &str, role: Role, kind: Kind, n: usize, cell: impl Fn(usize) -> String) -> Column {
    let cells: Vec<String> = (0..n).map(cell).collect();
    let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
    column(name, role, kind, &cells)
}

fn rows(sample: &Table) -> Vec<usize> {
    (0..sample.n_records())
        .map(|record| sample.source_row(record))
        .collect()
}

fn size(n: i64) -> (&'static str, RawValue) {
    ("size", RawValue::Integer(n))
}

#[test]
fn every_record_and_every_pair_is_as_likely_in_a_simple_sample() {
    let (n, n_drawn, n_samples) = (12, 5, 20_000);
    let file = table(vec![made("x", Role::Other, Kind::Unordered, n, |i| {
        i.to_string()
    })]);
    let (mut alone, mut together) = (vec![0; n], vec![0; n * n]);
    for seed in 0..n_samples {
        let drawn = rows(&masked("sample", &file, &[], &[size(n_drawn)], seed).unwrap());
        assert!(drawn.len() == 5 && drawn.is_sorted());
        for &i in &drawn {
            alone[i] += 1;
            drawn
                .iter()
                .filter(|j| i < **j)
                .for_each(|j| together[i * n + j] += 1);
        }
    }
    let samples = n_samples as f64;
    // Counts of records in samples of fixed size vary (N - n)/(N - 1) times as much as multinomial
    // ones with the same expectation, so that the statistic is that of freedom N - 1 times it.
    let inflate = |counts: &[usize], expected: f64, shrink: f64| -> Vec<usize> {
        let moved = |&count: &usize| expected + (count as f64 - expected) / shrink.sqrt();
        counts
            .iter()
            .map(|count| moved(count).round() as usize)
            .collect()
    };
    let expected = samples * 5.0 / 12.0;
    let shrink = 7.0 / 11.0;
    assert_fits(
        "records",
        &inflate(&alone, expected, shrink),
        &[expected; 12],
        11.0,
    );
    let pairs: Vec<usize> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| i * n + j))
        .map(|at| together[at])
        .collect();
    // 5 of 12 times 4 of 11. A pair's count is binomial: 66 of them within 5.5 standard deviations.
    let p = 5.0 / 12.0 * 4.0 / 11.0;
    let sd = (samples * p * (1.0 - p)).sqrt();
    for &count in &pairs {
        assert!((count as f64 - samples * p).abs() < 5.5 * sd, "{count}");
    }
}

#[test]
fn strata_keep_their_sizes_and_their_records_are_equally_likely() {
    let n = 60;
    // Strata of 30, 20 and 10 records; shares of a sample of 12: 6, 4, 2.
    let stratum = |i: usize| ["a", "a", "a", "b", "b", "c"][i % 6].to_owned();
    let file = table(vec![made("s", Role::Stratum, Kind::Unordered, n, stratum)]);
    let mut counts = vec![0; n];
    let n_samples = 20_000;
    for seed in 0..n_samples {
        let sample = masked("sample", &file, &["s"], &[size(12)], seed).unwrap();
        let of = |name: &str| {
            let cells = texts(sample.column(0));
            cells
                .iter()
                .filter(|cell| cell.as_deref() == Some(name))
                .count()
        };
        assert_eq!([of("a"), of("b"), of("c")], [6, 4, 2]);
        for row in rows(&sample) {
            counts[row] += 1;
        }
    }
    // One in five of each stratum. Every count is binomial: 60 of them within 5.5 deviations.
    let expected = n_samples as f64 / 5.0;
    let sd = (expected * 0.8).sqrt();
    assert!(
        counts
            .iter()
            .all(|&count| (f64::from(count) - expected).abs() < 5.5 * sd)
    );
}

#[test]
fn weighted_totals_are_kept_in_expectation() {
    let n = 40;
    let weight = |i: usize| format!("{}.5", 1 + scatter(i, 3) % 90);
    let file = table(vec![
        made("s", Role::Stratum, Kind::Unordered, n, |i| {
            (i % 3 / 2).to_string()
        }),
        made("w", Role::Weight, Kind::Continuous, n, weight),
    ]);
    let total = |file: &Table, stratum: &str| -> f64 {
        let strata = texts(file.column(0));
        let weights = file.column(1).as_numeric().unwrap();
        let of = strata
            .iter()
            .zip(weights)
            .filter(|(s, _)| s.as_deref() == Some(stratum));
        of.map(|(_, w)| w).sum()
    };
    let n_samples = 4_000;
    for stratum in ["0", "1"] {
        let totals: Vec<f64> = (0..n_samples)
            .map(|seed| {
                total(
                    &masked("sample", &file, &["s"], &[size(15)], seed).unwrap(),
                    stratum,
                )
            })
            .collect();
        let mean = totals.iter().sum::<f64>() / f64::from(n_samples as u32);
        let squares: f64 = totals.iter().map(|total| (total - mean).powi(2)).sum();
        let error = (squares / (n_samples as f64 - 1.0) / n_samples as f64).sqrt();
        assert!(
            (mean - total(&file, stratum)).abs() < 5.0 * error,
            "{stratum}: {mean}"
        );
        // And it does vary: the weights are not equal.
        assert!(error > 0.0);
    }
    let keep = ("weights", RawValue::Text("keep".to_owned()));
    let kept = masked("sample", &file, &["s"], &[size(15), keep], 1).unwrap();
    let all = texts(file.column(1));
    let expected: Vec<_> = rows(&kept)
        .into_iter()
        .map(|row| all[row].clone())
        .collect();
    assert_eq!(texts(kept.column(1)), expected);
}

#[test]
fn households_stay_whole_and_are_equally_likely() {
    let n = 30;
    // Households of 1, 2 and 3 members, scattered over the file.
    let home = |i: usize| [0, 1, 2, 2, 1, 2][i % 6] + 3 * (i / 6);
    let file = table(vec![made("h", Role::Household, Kind::Unordered, n, |i| {
        home(i).to_string()
    })]);
    let whole = ("households", RawValue::Flag(true));
    let mut counts = [0; 15];
    let n_samples = 20_000;
    for seed in 0..n_samples {
        let drawn = rows(&masked("sample", &file, &[], &[size(5), whole.clone()], seed).unwrap());
        let mut homes: Vec<usize> = drawn.iter().map(|&row| home(row)).collect();
        let members = (0..n).filter(|&row| homes.contains(&home(row))).count();
        assert_eq!(members, drawn.len(), "a household was divided");
        homes.sort_unstable();
        homes.dedup();
        assert_eq!(homes.len(), 5);
        for home in homes {
            counts[home] += 1;
        }
    }
    // A third of the samples hold each household.
    let expected = f64::from(n_samples as u32) / 3.0;
    let sd = (expected * 2.0 / 3.0).sqrt();
    assert!(
        counts
            .iter()
            .all(|&count: &u32| (f64::from(count) - expected).abs() < 5.5 * sd)
    );
}

#[test]
fn what_cannot_be_drawn_is_a_clear_error() {
    let n = 10;
    let file = table(vec![
        made("s", Role::Stratum, Kind::Unordered, n, |i| i.to_string()),
        made("h", Role::Household, Kind::Unordered, n, |i| {
            (i / 2).to_string()
        }),
    ]);
    let whole = ("households", RawValue::Flag(true));
    for (on, given) in [
        (&[][..], vec![size(11)]),
        (&["s"][..], vec![size(9)]),
        (&["s"][..], vec![size(3), whole]),
    ] {
        let refused = masked("sample", &file, on, &given, 1);
        assert!(
            matches!(refused, Err(MethodError::Request { .. })),
            "{given:?}"
        );
    }
    // Without a least number, strata may be lost.
    let none = ("at_least", RawValue::Integer(0));
    assert_eq!(
        masked("sample", &file, &["s"], &[size(3), none], 1)
            .unwrap()
            .n_records(),
        3
    );
}

#[test]
fn ties_among_rare_keys_are_broken_evenly_and_other_categories_are_as_likely() {
    let n = 36;
    // Ages 0 to 11 occur once, twelve others twice: 6 of the first twelve are changed.
    let age = |i: usize| if i < 12 { i } else { 12 + (i - 12) / 2 };
    let job = |i: usize| ["a", "b", "c", "d"][i % 4];
    let file = table(vec![
        made("age", Role::Key, Kind::Ordered, n, |i| age(i).to_string()),
        made("job", Role::Other, Kind::Unordered, n, |i| {
            job(i).to_owned()
        }),
    ]);
    let given = [
        ("share", RawValue::Number(6.0 / 36.0)),
        (
            "keys",
            RawValue::List(vec![RawValue::Text("age".to_owned())]),
        ),
    ];
    let n_runs = 20_000;
    let (mut changed, mut into) = (vec![0_u32; n], [0_usize; 3]);
    for seed in 0..n_runs {
        let flipped = masked("flip-rare", &file, &["job"], &given, seed).unwrap();
        let cells = texts(flipped.column(1));
        let mut n_changed = 0;
        for (i, cell) in cells.iter().enumerate() {
            let cell = cell.as_deref().unwrap();
            if cell == job(i) {
                continue;
            }
            n_changed += 1;
            changed[i] += 1;
            let others = ["a", "b", "c", "d"]
                .into_iter()
                .filter(|other| *other != job(i));
            into[others
                .collect::<Vec<_>>()
                .iter()
                .position(|other| *other == cell)
                .unwrap()] += 1;
        }
        assert_eq!(n_changed, 6);
    }
    assert_eq!(
        changed[12..].iter().sum::<u32>(),
        0,
        "a frequent key was changed"
    );
    // Half of the runs change each of the twelve.
    let expected = f64::from(n_runs as u32) / 2.0;
    let sd = (expected / 2.0).sqrt();
    assert!(
        changed[..12]
            .iter()
            .all(|&n| (f64::from(n) - expected).abs() < 5.5 * sd)
    );
    let each = 6.0 * n_runs as f64 / 3.0;
    assert_fits("categories", &into, &[each; 3], 2.0);
}
