//! What is kept up to date is what is found anew, and a search does what it says.

use std::sync::atomic::{AtomicU32, Ordering};

use bauta_data::{Unwatched, Watch};
use proptest::prelude::*;

use super::search::End;
use super::settings::{Acceptance, Il1Scale, Perturbation, Proposals, Rounding, Settings};
use super::{Optimised, Start, optimise};
use crate::context::{RunContext, unit_interval};
use crate::error::MethodError;
use crate::kernel::numbers::normal;

/// Normal columns that go together, and the same in another order with some noise.
fn files(n: usize, d: usize, seed: u64) -> [Vec<Vec<f64>>; 2] {
    let context = RunContext::new(seed, "files", &Unwatched);
    let normal = |name: String| {
        let draws = context.draws(&name);
        draws.per_position::<_, 1>(n, |_, [draw]| normal::quantile(unit_interval(draw)))
    };
    let common = normal("common".to_owned());
    let original: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            let own = normal(format!("x{j}"));
            let both = own.iter().zip(&common);
            both.map(|(own, common)| 50.0 + 10.0 * (0.6 * own + 0.8 * common))
                .collect()
        })
        .collect();
    let masked = original.iter().enumerate().map(|(j, x)| {
        let noise = normal(format!("noise{j}"));
        x.iter().zip(noise).map(|(x, e)| x + 6.0 * e).collect()
    });
    let masked = masked.collect();
    [original, masked]
}

fn settings() -> Settings {
    Settings {
        p: 0.7,
        q: 0.5,
        target: None,
        order: 2,
        weights: vec![1.0, 1.0],
        scale: Il1Scale::Original,
        perturbation: Perturbation::Toward,
        step: 0.5,
        proposals: Proposals::Plain,
        acceptance: Acceptance::Climb,
        temperature: 0.1,
        projection: false,
        weight_dld: 0.0,
        weight_id: 0.0,
        within: 0.01,
        iterations: Some(3_000),
        patience: None,
        seconds: None,
        restarts: 1,
        rounding: Rounding::None,
    }
}

fn run(files: &[Vec<Vec<f64>>; 2], settings: &Settings) -> Optimised {
    tried(files, settings, &Unwatched).expect("files that can be improved")
}

fn tried(
    files: &[Vec<Vec<f64>>; 2],
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Optimised, MethodError> {
    let [original, masked] = [0, 1].map(|file| {
        let columns: Vec<&[f64]> = files[file].iter().map(Vec::as_slice).collect();
        columns
    });
    let names: Vec<String> = (0..original.len()).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let own: Vec<u32> = (0..masked[0].len() as u32).collect();
    let start = Start {
        names: &names,
        original: &original,
        masked: &masked,
        own: Some(&own),
    };
    let context = RunContext::new(1, "search", watch);
    optimise(&start, settings, &context)
}

#[test]
fn moments_beyond_all_doubles_are_refused_by_the_variable_that_makes_them() {
    // Squares of 10^300 deviations overflow.
    let [original, mut masked] = files(40, 2, 3);
    masked[1][7] = 1e302;
    let error = tried(&[original, masked], &settings(), &Unwatched).err();
    let Some(MethodError::Data { variable, .. }) = error else {
        panic!("it was taken");
    };
    assert_eq!(variable.as_deref(), Some("x1"));
}

/// E by definition: all products, by loops.
fn by_loops(files: [&[Vec<f64>]; 2], order: usize, weights: &[f64]) -> f64 {
    let d = files[0].len();
    let n = files[0][0].len() as f64;
    let scales: Vec<(f64, f64)> = files[0]
        .iter()
        .map(|x| {
            let mean = x.iter().sum::<f64>() / n;
            let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
            (mean, (squares / (n - 1.0)).sqrt())
        })
        .collect();
    let moment = |file: &[Vec<f64>], factors: &[usize]| {
        let n = file[0].len();
        let product = |i: usize| -> f64 {
            let of = |&j: &usize| (file[j][i] - scales[j].0) / scales[j].1;
            factors.iter().map(of).product()
        };
        (0..n).map(product).sum::<f64>() / n as f64
    };
    let mut e = 0.0;
    let mut all: Vec<Vec<usize>> = (0..d).map(|j| vec![j]).collect();
    for weight in weights.iter().take(order) {
        for factors in &all {
            let gap = moment(files[1], factors) - moment(files[0], factors);
            e += weight * gap * gap;
        }
        all = all
            .iter()
            .flat_map(|factors| {
                let last = factors[factors.len() - 1];
                (last..d).map(|j| [&factors[..], &[j]].concat())
            })
            .collect();
    }
    e
}

/// IL1 by definition: each masked record against the original that is nearest in standard deviations, by loops.
fn il1_by_loops(original: &[Vec<f64>], masked: &[Vec<f64>], scale: Il1Scale) -> f64 {
    let n = original[0].len() as f64;
    let standardised = |file: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let columns = file.iter().zip(original).map(|(values, x)| {
            let mean = x.iter().sum::<f64>() / n;
            let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
            let sd = (squares / (n - 1.0)).sqrt();
            values.iter().map(|value| (value - mean) / sd).collect()
        });
        columns.collect()
    };
    let (x, z) = (standardised(original), standardised(masked));
    let [from, to] = match scale {
        Il1Scale::Original => [original, masked],
        Il1Scale::Standardised => [&x[..], &z[..]],
    };
    let (d, n_masked) = (masked.len(), masked[0].len());
    let mut sum = 0.0;
    for i in 0..n_masked {
        let apart = |k: usize| -> f64 {
            let gaps = (0..d).map(|j| z[j][i] - x[j][k]);
            gaps.map(|gap| gap * gap).sum()
        };
        let nearest = (0..original[0].len()).min_by(|&a, &b| apart(a).total_cmp(&apart(b)));
        let nearest = nearest.expect("originals");
        sum += (0..d)
            .map(|j| (to[j][i] - from[j][nearest]).abs() / from[j][nearest].abs())
            .sum::<f64>();
    }
    sum / (d * n_masked) as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_kept_is_what_is_found_anew(
        seed in 0_u64..1_000,
        d in 2_usize..5,
        order in 1_usize..5,
        ways in (0_u8..3, 0_u8..2, 0_u8..2, 0_u8..2),
        scale in 0_u8..2,
        risk in (0_u8..2, 0_u8..2),
    ) {
        let settings = Settings {
            order,
            weights: [1.0, 1.0, 0.01, 0.0001][..order].to_vec(),
            scale: [Il1Scale::Original, Il1Scale::Standardised][usize::from(scale)],
            perturbation: [Perturbation::Gaussian, Perturbation::Resample, Perturbation::Toward][usize::from(ways.0)],
            proposals: [Proposals::Plain, Proposals::Gradient][usize::from(ways.1)],
            acceptance: [Acceptance::Climb, Acceptance::Anneal][usize::from(ways.2)],
            projection: ways.3 == 1 && order > 1,
            weight_dld: 0.1 * f64::from(risk.0),
            weight_id: 0.1 * f64::from(risk.1),
            ..settings()
        };
        let files = files(80, d, seed);
        let found = run(&files, &settings);
        let last = found.course.trace.last().copied().unwrap_or_default();
        prop_assert_eq!(last[0] as usize, found.course.n_steps);
        prop_assert!((last[1] - found.kept.e).abs() <= 1e-9 * (1.0 + found.kept.e));
        let il1 = il1_by_loops(&files[0], &found.columns, settings.scale);
        prop_assert!((il1 - found.after.il1).abs() <= 1e-9 * (1.0 + il1), "{il1} {}", found.after.il1);
        let anew = by_loops([&files[0], &found.columns], order, &settings.weights);
        prop_assert!((anew - found.after.e).abs() <= 1e-9 * (1.0 + anew), "{anew} {}", found.after.e);
        let kept = found.ends[0];
        prop_assert!((kept - found.after.e).abs() <= 1e-9 * (1.0 + kept), "{kept} {}", found.after.e);
        prop_assert!((found.kept.il1 - found.after.il1).abs() <= 1e-9 * (1.0 + found.after.il1));
    }
}

#[test]
fn e_falls_and_il1_goes_where_it_should() {
    let files = files(300, 4, 3);
    let found = run(
        &files,
        &Settings {
            iterations: Some(60_000),
            ..settings()
        },
    );
    assert!(
        found.after.e < 0.05 * found.before.e,
        "{:?} {:?}",
        found.before,
        found.after
    );
    let miss = (found.after.il1 - 0.7 * found.before.il1).abs() / (0.7 * found.before.il1);
    assert!(miss <= 0.0101, "{miss}");
    // Half of the records stay as they were.
    let changed = (0..300).filter(|&i| {
        let moved = |j: usize| found.columns[j][i].to_bits() != files[1][j][i].to_bits();
        (0..4).any(moved)
    });
    assert!(changed.count() <= 150);
    assert_eq!(found.n_open, 150);
}

#[test]
fn the_projection_meets_means_and_covariances_where_ranges_allow() {
    // The original has a far record on each side, so that nothing leaves the range.
    let mut files = files(400, 3, 5);
    for x in &mut files[0] {
        x[0] = -100.0;
        x[1] = 200.0;
    }
    let found = run(
        &files,
        &Settings {
            projection: true,
            q: 1.0,
            p: 1.0,
            within: 1.0,
            iterations: Some(1),
            ..settings()
        },
    );
    assert!(
        found.before.e > 0.1 && found.after.e < 1e-16,
        "{:?}",
        found.after
    );
}

#[test]
fn searches_do_not_depend_on_threads_and_the_best_is_taken() {
    let files = files(100, 3, 9);
    let settings = Settings {
        restarts: 5,
        ..settings()
    };
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build();
        pool.expect("threads").install(|| run(&files, &settings))
    };
    let (one, seven) = (on(1), on(7));
    let bits = |found: &Optimised| -> Vec<u64> {
        found.columns.concat().iter().map(|x| x.to_bits()).collect()
    };
    assert_eq!(bits(&one), bits(&seven));
    assert_eq!(one.ends.len(), 5);
    let distinct: std::collections::BTreeSet<u64> = one.ends.iter().map(|e| e.to_bits()).collect();
    assert_eq!(distinct.len(), 5, "each search is its own");
}

#[test]
fn risk_is_held_down_while_moments_are_met() {
    let files = files(300, 3, 11);
    let nearest_is_own = |found: &Optimised| {
        let distance = |i: usize, k: usize| -> f64 {
            (0..3)
                .map(|j| found.columns[j][i] - files[0][j][k])
                .map(|apart| apart * apart)
                .sum()
        };
        (0..300)
            .filter(|&i| (0..300).all(|k| distance(i, i) <= distance(i, k)))
            .count()
    };
    let with = |weight_dld: f64| {
        run(
            &files,
            &Settings {
                weight_dld,
                q: 1.0,
                p: 1.0,
                iterations: Some(40_000),
                ..settings()
            },
        )
    };
    let (plain, held) = (with(0.0), with(1.0));
    assert!(nearest_is_own(&held) * 2 < nearest_is_own(&plain));
}

/// A clock that is a second later whenever somebody looks.
#[derive(Default)]
struct Clock(AtomicU32);

impl Watch for Clock {
    fn progress(&self, _: u64, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }

    fn seconds(&self) -> Option<f64> {
        Some(f64::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

#[test]
fn the_clock_of_who_watches_ends_a_search() {
    let files = files(100, 3, 13);
    let settings = Settings {
        seconds: Some(2.5),
        iterations: Some(1_000_000),
        patience: Some(1_000_000),
        ..settings()
    };
    let found = tried(&files, &settings, &Clock::default()).expect("a clock");
    // Looked at after 4,096 steps, and so on: the third look is past 2.5 seconds.
    assert_eq!(
        (found.course.end, found.course.n_steps),
        (End::Time, 3 * 4_096 - 1)
    );
    assert!(
        tried(&files, &settings, &Unwatched).is_err(),
        "nobody has a clock"
    );
}
