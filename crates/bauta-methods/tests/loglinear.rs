//! Log-linear fits against the reference fit of the household survey, and what a fit may not do.

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::risk::poisson_risk::loglinear::cross::Cross;
use bauta_methods::risk::poisson_risk::loglinear::{Fit, Model, fit};
use bauta_methods::{Files, MeasureTask, Measurement, MethodError, RawValue, RunContext, registry};
use proptest::prelude::*;
use support::{Wanted, column, params, read_csv, read_numbers, scatter, shared, table, texts};

const KEYS: [&str; 5] = ["urbrur", "roof", "walls", "water", "sex"];

fn keys() -> Vec<Wanted> {
    let wanted = |name: &&str| Wanted {
        name: (*name).to_owned(),
        role: Role::Key,
        kind: Kind::Unordered,
    };
    KEYS.iter().map(wanted).collect()
}

fn fitted(cross: &Cross, model: &Model) -> Fit {
    fit(cross, model, &[], 10_000, |_| Ok(())).expect("a fit")
}

#[test]
fn expectations_are_those_of_the_reference_in_every_cell() {
    let Some(shared) = shared() else { return };
    let survey = read_csv(&shared.join("data/household-survey.csv"), &keys());
    let path = shared.join("golden/household-survey/testdata_loglinear_B.csv");
    let reference = read_csv(&path, &keys());
    let lambda = read_numbers(&path, "lambda");
    let all: Vec<usize> = (0..KEYS.len()).collect();
    let cross = Cross::of_table(&survey, &all).expect("a cross");
    assert_eq!(cross.n_levels, [2, 5, 3, 8, 2]);
    // Codes follow the natural order of the categories, and all of them occur in both files.
    let code_of: Vec<Vec<u32>> = all
        .iter()
        .map(|&key| ranks(&texts(reference.column(key))))
        .collect();
    let fit = fitted(&cross, &Model::main_effects(KEYS.len()));
    assert_eq!(lambda.len(), 480);
    let mut worst: f64 = 0.0;
    for (row, lambda) in lambda.iter().enumerate() {
        let codes: Vec<u32> = code_of.iter().map(|codes| codes[row]).collect();
        worst = worst.max((fit.expected(&codes) / lambda - 1.0).abs());
    }
    // The reference sums to 4580.000000002: its own error is 4e-13 and more in rare cells.
    assert!(worst < 2e-10, "relative error {worst:e}");
    println!("largest relative error {worst:e}");
}

/// Position of each number among the different ones.
fn ranks(cells: &[Option<String>]) -> Vec<u32> {
    let number = |cell: &Option<String>| -> u32 {
        cell.as_ref()
            .expect("a category")
            .parse()
            .expect("a number")
    };
    let mut different: Vec<u32> = cells.iter().map(number).collect();
    different.sort_unstable();
    different.dedup();
    let place = |cell: &Option<String>| different.partition_point(|other| *other < number(cell));
    cells.iter().map(|cell| place(cell) as u32).collect()
}

/// A file of keys with so many categories each.
fn file(n: usize, n_levels: &[u64]) -> Table {
    let columns = n_levels.iter().enumerate().map(|(key, n_levels)| {
        // Keys lean on a number that they share, so that pairs matter.
        let cell = |record: usize| {
            let leaning = scatter(record, 7) % 3;
            ((scatter(record, 20 + key as u64) % n_levels + leaning) % n_levels).to_string()
        };
        let cells: Vec<String> = (0..n).map(cell).collect();
        let texts: Vec<Option<&str>> = cells.iter().map(|text| Some(text.as_str())).collect();
        column(&format!("k{key}"), Role::Key, Kind::Unordered, &texts)
    });
    table(columns.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn every_pair_of_margins_is_met(n in 1..400_usize, shape in proptest::collection::vec(1..6_u64, 1..5)) {
        let table = file(n, &shape);
        let all: Vec<usize> = (0..shape.len()).collect();
        let cross = Cross::of_table(&table, &all).expect("a cross");
        let fit = fitted(&cross, &Model::two_way(shape.len()));
        // In a sparse cross the likelihood may have its limit where cells are 0: the fit goes there
        // ever more slowly, and says how far it got.
        prop_assert!(fit.has_settled() || fit.n_cycles == 10_000);
        prop_assert!(fit.largest_correction < 0.01);
        let tolerance = (1e-9 + 2.0 * fit.largest_correction) * n as f64;
        let cells = all_cells(&cross.n_levels);
        for first in 0..shape.len() {
            for second in first..shape.len() {
                for a in 0..cross.n_levels[first] {
                    for b in 0..cross.n_levels[second] {
                        let is_in = |codes: &[u32]| codes[first] == a && codes[second] == b;
                        let expected: f64 = cells.iter().filter(|cell| is_in(cell)).map(|cell| fit.expected(cell)).sum();
                        let counted: f64 = (0..cross.counts.len())
                            .filter(|&cell| is_in(cross.codes(cell)))
                            .map(|cell| f64::from(cross.counts[cell]))
                            .sum();
                        prop_assert!((expected - counted).abs() <= tolerance, "{} {}", expected, counted);
                    }
                }
            }
        }
    }
}

/// The cells of a cross, the last variable fastest.
fn all_cells(n_levels: &[u32]) -> Vec<Vec<u32>> {
    n_levels.iter().fold(vec![Vec::new()], |cells, &n_levels| {
        let longer = |cell: &Vec<u32>, code: u32| [&cell[..], &[code]].concat();
        let cells = cells.iter();
        cells
            .flat_map(|cell| (0..n_levels).map(move |code| longer(cell, code)))
            .collect()
    })
}

/// Iterative proportional fitting of all pairs, one after the other, as it stands in the books.
fn fitted_pair_by_pair(cross: &Cross) -> Vec<f64> {
    let cells = all_cells(&cross.n_levels);
    let n_keys = cross.n_levels.len();
    let pairs: Vec<[usize; 2]> = (0..n_keys)
        .flat_map(|last| (0..last).map(move |first| [first, last]))
        .collect();
    let place = |codes: &[u32], [first, last]: [usize; 2]| {
        (codes[first] * cross.n_levels[last] + codes[last]) as usize
    };
    let margin = |pair: [usize; 2], of: &mut dyn Iterator<Item = (&[u32], f64)>| {
        let mut sums = vec![0.0; (cross.n_levels[pair[0]] * cross.n_levels[pair[1]]) as usize];
        of.for_each(|(codes, count)| sums[place(codes, pair)] += count);
        sums
    };
    let counted = |pair| {
        let cells = 0..cross.counts.len();
        margin(
            pair,
            &mut cells.map(|cell| (cross.codes(cell), f64::from(cross.counts[cell]))),
        )
    };
    let targets: Vec<Vec<f64>> = pairs.iter().map(|&pair| counted(pair)).collect();
    let mut expected = vec![cross.n_complete() as f64 / cells.len() as f64; cells.len()];
    for _ in 0..1_000 {
        let mut largest: f64 = 0.0;
        for (&pair, target) in pairs.iter().zip(&targets) {
            let both = cells.iter().zip(&expected);
            let sums = margin(pair, &mut both.map(|(codes, &cell)| (&codes[..], cell)));
            for (codes, cell) in cells.iter().zip(&mut expected) {
                let (sum, target) = (sums[place(codes, pair)], target[place(codes, pair)]);
                *cell = if target > 0.0 {
                    *cell * target / sum
                } else {
                    0.0
                };
                if target > 0.0 {
                    largest = largest.max((sum / target - 1.0).abs());
                }
            }
        }
        if largest <= 1e-12 {
            return expected;
        }
    }
    panic!("not settled");
}

#[test]
fn margins_of_several_pairs_lead_where_pairs_one_by_one_do() {
    // From 4,096 cells on, several pairs are corrected at once.
    for (n, shape) in [
        (3_000, &[2, 3, 4, 4, 6, 8][..]),
        (1_500, &[2, 3, 3, 3, 4, 4, 6]),
        (4_000, &[2, 3, 3, 4, 4, 5, 6]),
    ] {
        let all: Vec<usize> = (0..shape.len()).collect();
        let cross = Cross::of_table(&file(n, shape), &all).expect("a cross");
        let fit = fitted(&cross, &Model::two_way(shape.len()));
        assert!(fit.has_settled());
        let mut worst: f64 = 0.0;
        let plain = fitted_pair_by_pair(&cross);
        for (codes, plain) in all_cells(&cross.n_levels).iter().zip(plain) {
            worst = worst.max((fit.expected(codes) - plain).abs() / plain.max(1e-3));
        }
        assert!(worst < 1e-10, "{shape:?}: {worst:e}");
    }
}

#[test]
fn blocks_and_threads_do_not_change_a_bit() {
    // 30 * 31 * 32 * 33 = 982,080 cells: several blocks.
    let table = file(20_000, &[30, 31, 32, 33]);
    let cross = Cross::of_table(&table, &[0, 1, 2, 3]).expect("a cross");
    let on_threads = |n_threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let fit = fit(&cross, &Model::two_way(4), &[], 5, |_| Ok(())).expect("a fit");
            (0..cross.counts.len())
                .map(|cell| fit.expected(cross.codes(cell)).to_bits())
                .collect()
        })
    };
    let on_one = on_threads(1);
    assert_eq!(on_one, on_threads(2));
    assert_eq!(on_one, on_threads(4));
    // Corrections keep the total: all cells of a category sum to its records.
    let fit = fitted(&cross, &Model::main_effects(4));
    assert!(fit.has_settled());
}

fn measured(
    table: &Table,
    on: &[&str],
    given: &[(&str, RawValue)],
) -> (Result<Measurement, MethodError>, Vec<String>) {
    let measure = registry::measure("poisson-risk").expect("a measure");
    let on: Vec<String> = on.iter().map(|name| (*name).to_owned()).collect();
    let params = params(measure.card(), given);
    let context = RunContext::new(1, "1", &Unwatched);
    let found = measure.measure(&params, &MeasureTask::new(Files::One(table), &on), &context);
    (
        found,
        context
            .into_notes()
            .iter()
            .map(|note| note.text.clone())
            .collect(),
    )
}

#[test]
fn a_chosen_interaction_lies_between_main_effects_and_all_pairs() {
    let table = file(2_000, &[4, 5, 3]);
    let deviance = |given: &[(&str, RawValue)]| -> f64 {
        let found = measured(&table, &["k0", "k1", "k2"], given)
            .0
            .expect("figures");
        found.part("deviance").expect("a deviance")
    };
    let texts = |texts: &[&str]| {
        RawValue::List(
            texts
                .iter()
                .map(|text| RawValue::Text((*text).to_owned()))
                .collect(),
        )
    };
    let main = deviance(&[]);
    let one = deviance(&[("interactions", texts(&["k0:k1"]))]);
    let three = deviance(&[("interactions", texts(&["k0:k1", "k1:k2", "k0:k2"]))]);
    let pairs = deviance(&[("model", RawValue::Text("two-way".to_owned()))]);
    let all = deviance(&[("interactions", texts(&["k0:k1:k2"]))]);
    assert!(
        main > one && one > pairs && pairs > all,
        "{main} {one} {pairs} {all}"
    );
    assert!((three / pairs - 1.0).abs() < 1e-9);
    assert!(all < 1e-6);
}

#[test]
fn a_fit_that_is_stopped_says_so_and_too_large_a_cross_is_refused() {
    let table = file(3_000, &[7, 8, 9]);
    let one_cycle = [
        ("model", RawValue::Text("two-way".to_owned())),
        ("max_cycles", RawValue::Integer(1)),
    ];
    let (found, notes) = measured(&table, &["k0", "k1", "k2"], &one_cycle);
    assert!(found.expect("figures").value.is_some());
    assert!(
        notes
            .iter()
            .any(|note| note.contains("had not settled after 1 cycles")),
        "{notes:?}"
    );
    let large = file(20_000, &[20_000, 20_000]);
    let two_way = [("model", RawValue::Text("two-way".to_owned()))];
    let (refused, _) = measured(&large, &["k0", "k1"], &two_way);
    assert!(
        matches!(refused, Err(MethodError::Request { message, .. }) if message.contains("k0, k1"))
    );
    // Main effects need no cross of both.
    let (found, notes) = measured(&large, &["k0", "k1"], &[]);
    assert!(found.expect("figures").value.is_some());
    assert_eq!(
        notes,
        ["there is no weight: the file was taken for the whole population"]
    );
}

#[test]
fn unknown_interactions_are_found_before_anything_is_read() {
    let measure = registry::measure("poisson-risk").expect("a measure");
    let table = file(5, &[2, 2]);
    let on: Vec<_> = table
        .columns()
        .iter()
        .map(|column| column.attribute())
        .collect();
    let given = [(
        "interactions",
        RawValue::List(vec![RawValue::Text("k0:k9".to_owned())]),
    )];
    let problems = measure.check(&params(measure.card(), &given), &on);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("`k9`"));
}
