//! Times of the kernels at fixed sizes, each with a check that the result is right.

#[path = "../tests/support/mdav_plain.rs"]
mod mdav_plain;

use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::{Attribute, Column, HierarchySpec, Kind, Levels, Role, Table, Unwatched};
use bauta_methods::Choice;
use bauta_methods::kernel::assignment::{Candidates, Certificate, WeightMatrix, dense, sparse};
use bauta_methods::kernel::matrix::symmetric::covariance;
use bauta_methods::kernel::numbers::moments::{Moments, moments};
use bauta_methods::kernel::space::nearest::NearestTree;
use bauta_methods::kernel::space::points::{Points, squared_distance};
use bauta_methods::keys::lattice::{
    Effort, Lattice, LatticeAsked, LatticeKey, Loss, Proof, SuppressionLimit,
};
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::mask::mdav::groups::mdav;
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, Mask, MaskTask, MeasureTask, Measurement, Pair, Params, RawValue, RunContext, registry,
};
use divan::Bencher;
use mdav_plain::mdav_plain;

const N: usize = 100_000;

fn main() {
    divan::main();
}

/// A fixed sequence without pattern.
fn scatter(i: usize, salt: u64) -> u64 {
    let mut z = (i as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(salt << 32);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 31)
}

/// Seven keys with the numbers of categories of the victimisation survey; the second is missing in 4 %.
fn keys() -> Table {
    let sizes = [2, 5, 6, 4, 5, 2, 4];
    let columns = sizes.iter().enumerate().map(|(key, &size)| {
        let texts: Vec<String> = (0..size).map(|code: u32| code.to_string()).collect();
        let levels = Arc::new(Levels::from_texts(texts.iter().map(String::as_str)));
        let codes: Vec<u32> = (0..N)
            .map(|i| (scatter(i, key as u64) % u64::from(size)) as u32)
            .collect();
        let attribute = Arc::new(Attribute::new(
            format!("key{key}"),
            Role::Key,
            Kind::Unordered,
        ));
        let column = Column::categorical(attribute, codes, levels, None);
        if key != 1 {
            return column;
        }
        let missing: Vec<u32> = (0..N as u32)
            .filter(|&i| scatter(i as usize, 99).is_multiple_of(25))
            .collect();
        column.suppress(&missing)
    });
    Table::new(columns.collect(), N)
}

fn amounts(n_columns: usize) -> Table {
    let columns = (0..n_columns).map(|column| {
        let attribute = Arc::new(Attribute::new(
            format!("x{column}"),
            Role::Sensitive,
            Kind::Continuous,
        ));
        let values = (0..N)
            .map(|i| (scatter(i, column as u64) % 10_000_000) as f64 / 100.0)
            .collect();
        Column::numeric(attribute, values, None, NumberText::default())
    });
    Table::new(columns.collect(), N)
}

fn masked(id: &str, table: &Table, on: &[usize], param: (&str, f64)) -> Table {
    let mask: &dyn Mask = registry::mask(id).expect("a mask");
    let given = [(param.0.to_owned(), RawValue::Number(param.1))];
    let params = Params::check(mask.card(), &given).expect("parameters");
    let context = RunContext::new(1, "bench", &Unwatched);
    let task = MaskTask { table, on };
    mask.mask(&params, &task, &context)
        .expect("the mask works")
        .apply_to(table)
}

fn measured(id: &str, original: &Table, masked: &Table) -> Measurement {
    let measure = registry::measure(id).expect("a measure");
    let params = Params::check(measure.card(), &[]).expect("parameters");
    let on: Vec<String> = original.names().map(str::to_owned).collect();
    let context = RunContext::new(1, "bench", &Unwatched);
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    measure
        .measure(&params, &task, &context)
        .expect("the measure works")
}

#[divan::bench(args = ["own", "visible", "original", "wild"])]
fn frequencies_of_7_keys(bencher: Bencher, semantics: &str) {
    let table = keys();
    let semantics = Semantics::from_name(semantics).expect("a semantics");
    let positions: Vec<usize> = (0..7).collect();
    let count = || frequencies(&table, &positions, semantics).expect("keys can be counted");
    // Σ 1/f over records is the number of classes where equal keys have equal counts.
    let own = frequencies(&table, &positions, Semantics::Own).expect("keys can be counted");
    let classes: f64 = own.f.iter().map(|&f| 1.0 / f64::from(f)).sum();
    assert!((classes - own.n_classes as f64).abs() < 1e-6);
    assert!(count().f.iter().zip(&own.f).all(|(f, own)| f >= own));
    bencher.bench_local(count);
}

#[divan::bench(args = [0.01, 0.14, 1.0])]
fn rank_swap_one_column(bencher: Bencher, window: f64) {
    let table = amounts(1);
    let total = |table: &Table| {
        let mut values = table.column(0).as_numeric().expect("numbers").to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!(
        total(&table),
        total(&masked("rank-swap", &table, &[0], ("window", window)))
    );
    bencher.bench_local(|| masked("rank-swap", &table, &[0], ("window", window)));
}

#[divan::bench]
fn noise_additive_one_column(bencher: Bencher) {
    let table = amounts(1);
    let noisy = masked("noise-additive", &table, &[0], ("share", 0.1));
    assert!(
        measured("il1s", &table, &noisy)
            .value
            .is_some_and(|value| (0.05..0.06).contains(&value))
    );
    bencher.bench_local(|| masked("noise-additive", &table, &[0], ("share", 0.1)));
}

#[divan::bench(args = ["il1s", "interval-sd", "interval-rank"])]
fn compare_13_columns(bencher: Bencher, id: &str) {
    let table = amounts(13);
    let all: Vec<usize> = (0..13).collect();
    let noisy = masked("noise-additive", &table, &all, ("share", 0.1));
    let identity = registry::measure(id).and_then(|measure| measure.declared().at_identity);
    assert_eq!(measured(id, &table, &table).value, identity);
    bencher.bench_local(|| measured(id, &table, &noisy));
}

/// The nearest of 100,000 points for each of as many, some tenths of a standard deviation away.
#[divan::bench(args = ["nearest", "ties"], sample_count = 5, sample_size = 1)]
fn nearest_in_11_dimensions(bencher: Bencher, search: &str) {
    let table = amounts(11);
    let all: Vec<usize> = (0..11).collect();
    let noisy = masked("noise-additive", &table, &all, ("share", 0.1));
    let columns = |table: &Table| -> Vec<Vec<f64>> {
        let numbers = |column: &Arc<Column>| column.as_numeric().expect("numbers").to_vec();
        table.columns().iter().map(numbers).collect()
    };
    let points = |columns: &[Vec<f64>]| {
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Points::plain(&slices)
    };
    let (original, queries) = (points(&columns(&table)), points(&columns(&noisy)));
    let tree = NearestTree::new(&original);
    let own = |i: usize, point: &[f64]| squared_distance(original.point(i), point);
    let on = |_: usize| Ok::<(), ()>(());
    let linked = |i: usize| tree.nearest(queries.point(i), f64::INFINITY).row as usize == i;
    let ties = tree
        .ties_of_all(&queries, own, on)
        .expect("nobody stops it");
    assert!((0..1_000).all(|i| linked(i) == (ties[i] > 0)));
    bencher.bench_local(|| {
        if search == "ties" {
            drop(tree.ties_of_all(&queries, own, on));
        } else {
            drop(tree.nearest_of_all(&queries, |_, _| f64::INFINITY, on));
        }
    });
}

/// The first records of some columns, standardised; columns 0 and 1, 2 and 3 … go together, so that
/// there is some structure.
fn points(n: usize, n_columns: usize) -> Points {
    let columns: Vec<Vec<f64>> = (0..n_columns)
        .map(|column| {
            let share = |salt: u64, i: usize| (scatter(i, salt) % 1_000_000) as f64 / 1e6;
            let (own, pair) = (column as u64, 100 + column as u64 / 2);
            (0..n)
                .map(|i| share(pair, i) + 0.2 * share(own, i))
                .collect()
        })
        .collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let by: Vec<Moments> = columns.iter().map(|column| moments(column)).collect();
    Points::standardised(&columns, &by)
}

#[divan::bench(args = [3, 10])]
fn mdav_of_13_columns(bencher: Bencher, k: usize) {
    let few = points(2_000, 13);
    let grouped = |points: &Points| mdav(points, k, |_| Ok::<(), ()>(())).expect("never stopped");
    assert_eq!(grouped(&few), mdav_plain(&few, k));
    let points = points(20_000, 13);
    bencher.bench_local(|| grouped(&points));
}

fn share(i: usize, salt: u64) -> f64 {
    (scatter(i, salt) % 1_000_000) as f64 / 1e6
}

fn is_proven(certificate: &Certificate) -> bool {
    certificate.n_wrong == 0
        && certificate.largest_violation < 1e-9
        && certificate.gap().abs() < 1e-6
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn links_of_1000_to_1000(bencher: Bencher) {
    let n = 1_000;
    let weights = (0..n * n).map(|at| share(at, 1)).collect();
    let weights = WeightMatrix::new(n, n, weights);
    let linked = || dense(&weights, |_| Ok::<(), ()>(())).expect("never stopped");
    assert!(is_proven(&Certificate::of_dense(&weights, &linked())));
    bencher.bench_local(linked);
}

/// Records on a line, each with the 30 nearest of the masked file, where noise is hundreds of records wide.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn links_of_10000_with_30_candidates(bencher: Bencher) {
    let (n, k) = (10_000, 30);
    let row = |row: usize| -> Vec<(u32, f64)> {
        let place = row as f64 + 500.0 * (share(row, 2) - 0.5);
        let first = ((place as usize).saturating_sub(k / 2)).min(n - k);
        let columns = first..first + k;
        let weight = |column: usize| -(column as f64 - place).abs() / n as f64;
        columns
            .map(|column| (column as u32, weight(column)))
            .collect()
    };
    let rows: Vec<Vec<(u32, f64)>> = (0..n).map(row).collect();
    let (candidates, ones) = (Candidates::new(&rows, n), vec![1; n]);
    let on = |_: usize| Ok::<(), ()>(());
    let linked = || sparse(&candidates, &ones, &ones, -1.0, on).expect("never stopped");
    let certificate = Certificate::of_candidates(&candidates, &ones, &ones, -1.0, &linked());
    assert!(is_proven(&certificate));
    bencher.bench_local(linked);
}

#[divan::bench]
fn covariance_of_13_columns(bencher: Bencher) {
    let table = amounts(13);
    let columns: Vec<&[f64]> = table
        .columns()
        .iter()
        .filter_map(|column| column.as_numeric())
        .collect();
    let found: Vec<Moments> = columns.iter().map(|column| moments(column)).collect();
    let means: Vec<f64> = found.iter().map(|moments| moments.mean).collect();
    let variance = covariance(&columns, &means).at(3, 3);
    assert!((variance.sqrt() / found[3].sd - 1.0).abs() < 1e-12);
    bencher.bench_local(|| covariance(&columns, &means));
}

/// Values of a key and its groups at levels 1 and 2; at level 3 all are one.
struct SurveyKey {
    n_values: u32,
    per_group: [u32; 2],
    /// How much it goes with age (0), with region (1), and with neither.
    with: [f64; 3],
}

/// Nine keys as a survey has them: age, region, occupation, education, income, household size, country of
/// birth, size of the town, tenure.
const SURVEY_KEYS: [SurveyKey; 9] = [
    survey_key(80, [5, 20], [1.0, 0.0, 0.0]),
    survey_key(96, [5, 20], [0.0, 1.0, 0.0]),
    survey_key(42, [6, 18], [0.2, 0.1, 0.7]),
    survey_key(12, [2, 4], [0.5, 0.1, 0.4]),
    survey_key(20, [2, 6], [0.4, 0.2, 0.4]),
    survey_key(8, [2, 4], [0.6, 0.0, 0.4]),
    survey_key(30, [5, 15], [0.0, 0.2, 0.8]),
    survey_key(9, [2, 4], [0.0, 0.7, 0.3]),
    survey_key(6, [2, 4], [0.5, 0.2, 0.3]),
];

const fn survey_key(n_values: u32, per_group: [u32; 2], with: [f64; 3]) -> SurveyKey {
    SurveyKey {
        n_values,
        per_group,
        with,
    }
}

/// Keys that go with age and region; the later ones are uneven.
fn survey_keys(n: usize) -> Table {
    let columns = SURVEY_KEYS.iter().enumerate().map(|(at, key)| {
        let texts: Vec<String> = (0..key.n_values).map(|value| format!("v{value}")).collect();
        let row = |value: u32| {
            let [first, second] = key.per_group.map(|per_group| value / per_group);
            let groups = [format!("a{first}"), format!("b{second}"), "*".to_owned()];
            [vec![texts[value as usize].clone()], groups.to_vec()].concat()
        };
        let mut attribute = Attribute::new(format!("key{at}"), Role::Key, Kind::Unordered);
        attribute.hierarchy = Some(HierarchySpec::Levels {
            rows: (0..key.n_values).map(row).collect(),
        });
        let value = |i: usize| {
            let (age, region, own) = (share(i, 1), share(i, 2), share(i, 10 + at as u64));
            let mixed = key.with[0] * age + key.with[1] * region + key.with[2] * own;
            let uneven = if at > 1 { mixed * mixed } else { mixed };
            ((uneven * f64::from(key.n_values)) as u32).min(key.n_values - 1)
        };
        let levels = Arc::new(Levels::from_texts(texts.iter().map(String::as_str)));
        Column::categorical(
            Arc::new(attribute),
            (0..n).map(value).collect::<Vec<u32>>(),
            levels,
            None,
        )
    });
    Table::new(columns.collect(), n)
}

/// The best levels of nine keys with four levels each: 262,144 nodes.
#[divan::bench(args = [100_000, 1_000_000], sample_count = 1, sample_size = 1)]
fn lattice_of_9_keys(bencher: Bencher, n: usize) {
    let table = survey_keys(n);
    let keys: Vec<LatticeKey> = (0..9).map(LatticeKey::new).collect();
    let asked = LatticeAsked {
        k: 5,
        limit: SuppressionLimit::Share(0.01),
        answers: Vec::new(),
        loss: Loss::Entropy,
    };
    let context = RunContext::new(1, "bench", &Unwatched);
    bencher.bench_local(|| {
        let lattice = Lattice::of(&table, &keys, &[], Semantics::Visible, &context);
        let lattice = lattice.expect("keys with hierarchies");
        let found = lattice.search(&asked, Effort::default(), &context);
        let found = found.expect("nobody stops it");
        assert_eq!((found.proof, found.n_nodes), (Proof::Optimal, 1 << 18));
        let best = found.best.expect("the top is safe");
        let again = lattice.evaluate(&best.levels, &asked);
        assert_eq!(again.as_ref(), Ok(&best));
        best
    });
}
