//! The global disclosure risk against a plain computation over every subset of the keys.

use crate::support;

use std::collections::HashMap;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, Measure, MeasureTask, Measurement, MethodError, Note, Pair, RawValue, RunContext,
    registry,
};
use proptest::prelude::*;
use support::{column, params, scatter, table};

/// A value of a key; 0 is missing.
type Cell = u8;

/// A file and its masked version: rows of keys, and which records are left.
#[derive(Clone, Debug)]
struct Files2 {
    kinds: Vec<Kind>,
    original: Vec<Vec<Cell>>,
    masked: Vec<Vec<Cell>>,
    kept: Vec<bool>,
}

impl Files2 {
    fn names(&self) -> Vec<String> {
        (0..self.kinds.len()).map(|key| format!("k{key}")).collect()
    }

    fn table(&self, rows: &[Vec<Cell>]) -> Table {
        let columns = self.kinds.iter().enumerate().map(|(key, &kind)| {
            let text = |row: &Vec<Cell>| (row[key] > 0).then(|| row[key].to_string());
            let cells: Vec<Option<String>> = rows.iter().map(text).collect();
            let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
            column(&format!("k{key}"), Role::Key, kind, &cells)
        });
        table(columns.collect())
    }

    fn measure(&self, given: &[(&str, RawValue)]) -> Result<(Measurement, Vec<Note>), MethodError> {
        let measure: &dyn Measure = registry::measure("global-risk").expect("a measure");
        let original = self.table(&self.original);
        let mut masked = self.table(&self.masked);
        if self.kept.contains(&false) {
            let kept: Vec<u32> = (0..self.kept.len() as u32)
                .filter(|&record| self.kept[record as usize])
                .collect();
            masked = masked.take(&kept);
        }
        let pair = Pair {
            original: &original,
            masked: &masked,
            rows: Rows::Correspond,
        };
        let given = params(measure.card(), given);
        assert_eq!(measure.check(&given, &[]), []);
        let on = self.names();
        let context = RunContext::new(1, "measure", &Unwatched);
        let task = MeasureTask::new(Files::Both(pair), &on);
        let found = measure.measure(&given, &task, &context)?;
        Ok((found, context.into_notes()))
    }

    /// The factor of a key, pair by pair.
    fn factor(&self, key: usize) -> f64 {
        let cells: Vec<(Cell, Cell)> = (0..self.original.len())
            .filter(|&record| self.kept[record])
            .map(|record| (self.original[record][key], self.masked[record][key]))
            .collect();
        let r = cells.len() as f64;
        if cells.is_empty() {
            return 0.0;
        }
        let in_one = cells.iter().filter(|(x, z)| (*x == 0) != (*z == 0)).count() as f64;
        let present: Vec<&(Cell, Cell)> = cells.iter().filter(|(x, z)| *x > 0 && *z > 0).collect();
        let n = present.len() as f64;
        let changed = match self.kinds[key] {
            Kind::Continuous | Kind::Ordered => {
                let pairs = present
                    .iter()
                    .flat_map(|a| present.iter().map(move |b| (a, b)));
                let inverted = pairs.filter(|(a, b)| a.0 < b.0 && a.1 > b.1).count() as f64;
                let factor = if n > 1.0 {
                    4.0 * inverted / (n * (n - 1.0))
                } else {
                    0.0
                };
                n * factor.min(1.0)
            }
            Kind::Hierarchical | Kind::Unordered => {
                present.iter().filter(|(x, z)| x != z).count() as f64
            }
        };
        (in_one + changed) / r
    }

    /// The three risks of a subset (3.6) to (3.8), with w relative to its first entry.
    fn risks(&self, keys: u32, w: &dyn Fn(usize, usize) -> f64) -> [f64; 3] {
        let taken: Vec<usize> = (0..self.kinds.len())
            .filter(|key| keys >> key & 1 == 1)
            .collect();
        let part = |row: &Vec<Cell>| -> Vec<Cell> { taken.iter().map(|&key| row[key]).collect() };
        let (mut in_original, mut in_masked) = (HashMap::new(), HashMap::new());
        for record in 0..self.original.len() {
            *in_original
                .entry(part(&self.original[record]))
                .or_insert(0_usize) += 1;
            if self.kept[record] {
                *in_masked
                    .entry(part(&self.masked[record]))
                    .or_insert(0_usize) += 1;
            }
        }
        let p: f64 = taken.iter().map(|&key| 1.0 - self.factor(key)).product();
        let mut sums = [0.0; 3];
        for record in (0..self.original.len()).filter(|&record| self.kept[record]) {
            let i = in_masked[&part(&self.masked[record])];
            let j = in_original[&part(&self.original[record])];
            let m = i.max(j) as f64;
            sums[0] += f64::from(u8::from(i == 1 && j == 1));
            sums[1] += 1.0 / m;
            sums[2] += w(i, j) / w(1, 1) / m;
        }
        sums.map(|sum| p * sum / self.original.len() as f64)
    }

    /// Every non-empty subset.
    fn largest(&self, w: &dyn Fn(usize, usize) -> f64) -> [f64; 3] {
        let mut best = [0.0_f64; 3];
        for keys in 1..1_u32 << self.kinds.len() {
            let risks = self.risks(keys, w);
            best = std::array::from_fn(|risk| best[risk].max(risks[risk]));
        }
        best
    }
}

const RISKS: [&str; 3] = ["minimal", "maximal", "weighted"];

/// What was found is the largest of all subsets, and the subset that is named gives it.
fn assert_largest(files: &Files2, found: &Measurement, w: &dyn Fn(usize, usize) -> f64) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12;
    for (key, part) in found.by_variable.iter().enumerate() {
        assert!(
            near(part.value.unwrap(), files.factor(key)),
            "factor of {key}"
        );
    }
    let expected = files.largest(w);
    for (risk, name) in RISKS.iter().enumerate() {
        let value = found.part(name).expect("a value");
        assert!(
            near(value, expected[risk]),
            "{name}: {value}, not {}",
            expected[risk]
        );
        let series = found
            .series
            .iter()
            .find(|series| series.name == format!("keys of the {name} risk"))
            .expect("the keys");
        let taken = series.points.iter().enumerate();
        let taken = taken.filter(|(_, point)| point.value == Some(1.0));
        let keys = taken.fold(0, |keys, (key, _)| keys | 1 << key);
        assert!(
            keys == 0 && value == 0.0 || near(files.risks(keys, w)[risk], value),
            "{name}: the keys named give another value"
        );
    }
    let [min, max, weighted] = RISKS.map(|name| found.part(name).expect("a value"));
    assert!(0.0 <= min && min <= weighted + 1e-12 && weighted <= max + 1e-12 && max <= 1.0);
    assert!((found.value.unwrap() - max).abs() == 0.0);
}

/// Weights with the properties under (3.4): sums of bands that end at some size.
fn random_weights() -> impl Strategy<Value = Vec<Vec<f64>>> {
    const M: usize = 6;
    let band = (0..M, 0..M, 0..M, 0.0..1.0_f64);
    prop::collection::vec(band, 0..5).prop_map(|bands| {
        let w = |i: usize, j: usize| {
            let inside = |&&(above, below, last, _): &&(usize, usize, usize, f64)| {
                j <= i + above && i <= j + below && i.max(j) <= last
            };
            let sum: f64 = bands.iter().filter(inside).map(|band| band.3).sum();
            sum + f64::from(u8::from(i == 0 && j == 0)) * 0.1
        };
        (0..M).map(|i| (0..M).map(|j| w(i, j)).collect()).collect()
    })
}

fn rows(w: &[Vec<f64>]) -> RawValue {
    let row = |row: &Vec<f64>| RawValue::List(row.iter().map(|&w| RawValue::Number(w)).collect());
    RawValue::List(w.iter().map(row).collect())
}

fn files(max_keys: usize, max_records: usize) -> impl Strategy<Value = Files2> {
    (1..=max_keys, 1..=max_records)
        .prop_flat_map(|(p, n)| {
            let row = prop::collection::vec(0_u8..5, p);
            // How often each key is changed, in quarters; 0 leaves it as it is, 4 changes it always.
            let changes = prop::collection::vec(0_u8..5, p);
            let kinds = prop::collection::vec(prop::sample::select(Kind::ALL.to_vec()), p);
            let rows = prop::collection::vec(row, n);
            (
                kinds,
                rows.clone(),
                rows,
                changes,
                prop::collection::vec(0_u8..8, n),
                any::<u64>(),
            )
        })
        .prop_map(|(kinds, original, other, changes, kept, salt)| {
            let masked = original
                .iter()
                .zip(&other)
                .enumerate()
                .map(|(record, (x, y))| {
                    let cell = |key: usize| {
                        let draw = scatter(record * 100 + key, salt) % 4;
                        if draw < u64::from(changes[key]) {
                            y[key]
                        } else {
                            x[key]
                        }
                    };
                    (0..x.len()).map(cell).collect()
                });
            Files2 {
                masked: masked.collect(),
                original,
                kinds,
                kept: kept.iter().map(|&draw| draw > 0).collect(),
            }
        })
}

#[test]
fn a_matrix_that_is_not_there_or_no_matrix_is_told_and_never_measured_with() {
    let measure: &dyn Measure = registry::measure("global-risk").expect("a measure");
    let table = table(vec![support::numbers("key", &[1.0, 2.0])]);
    let (on, context) = (
        ["key".to_owned()],
        RunContext::new(1, "measure", &Unwatched),
    );
    let pair = Pair {
        original: &table,
        masked: &table,
        rows: Rows::Correspond,
    };
    let matrix = || ("weights", RawValue::Text("matrix".to_owned()));
    for (given, says) in [
        (vec![matrix()], "there is none"),
        (
            vec![matrix(), ("w", rows(&[vec![1.0, 0.5]]))],
            "as many rows",
        ),
        (vec![matrix(), ("w", rows(&[vec![0.0]]))], "above 0"),
        (vec![("w", rows(&[vec![1.0]]))], "does not ask for a matrix"),
    ] {
        let given = params(measure.card(), &given);
        let [problem] = &measure.check(&given, &[])[..] else {
            panic!("one problem: {says}");
        };
        assert!(problem.message.contains(says), "{}", problem.message);
        let task = MeasureTask::new(Files::Both(pair), &on);
        let refused = measure.measure(&given, &task, &context);
        assert!(matches!(
            refused,
            Err(MethodError::Request { message, .. }) if message == problem.message
        ));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_subset_gives_more_under_any_weights(files in files(6, 40), w in random_weights()) {
        let given = [("weights", RawValue::Text("matrix".to_owned())), ("w", rows(&w))];
        let (found, notes) = files.measure(&given).unwrap();
        let of_size = |i: usize, j: usize| w[(i - 1).min(5)][(j - 1).min(5)];
        assert_largest(&files, &found, &of_size);
        let stopped = notes.iter().any(|note| note.id == "subsets-not-all");
        prop_assert!(!stopped);
    }

    #[test]
    fn a_search_that_is_stopped_gives_a_bound(files in files(6, 30), most in 0_i64..4) {
        let (found, notes) = files.measure(&[("subsets", RawValue::Integer(most))]).unwrap();
        let all = files.largest(&inverse);
        let stopped = notes.iter().any(|note| note.id == "subsets-not-all");
        for (risk, name) in RISKS.iter().enumerate() {
            let value = found.part(name).unwrap();
            let bound = found.part(&format!("{name}_bound")).unwrap_or(value);
            prop_assert!(value <= all[risk] + 1e-12 && all[risk] <= bound + 1e-12, "{}", name);
            prop_assert!(stopped || (value - all[risk]).abs() <= 1e-12);
        }
    }
}

fn inverse(i: usize, j: usize) -> f64 {
    1.0 / (1.0 + 0.5 * i.abs_diff(j) as f64 + 0.3 * (i.min(j) as f64 - 1.0))
}

/// Key k has 2 to 5 values, and is changed in about 2k of 100 records; the first two are as they were.
fn many_keys(p: usize, n: usize, salt: u64) -> Files2 {
    let cell = |record: usize, key: usize, salt: u64| {
        (1 + scatter(record * 64 + key, salt) % (2 + key as u64 % 4)) as Cell
    };
    let masked = |record: usize, key: usize| {
        let changes = scatter(record * 64 + key, salt + 10) % 100 < 2 * key as u64;
        let salt = if changes && key > 1 { salt + 20 } else { salt };
        cell(record, key, salt)
    };
    let rows = |cell: &dyn Fn(usize, usize) -> Cell| -> Vec<Vec<Cell>> {
        let row = |record| (0..p).map(|key| cell(record, key)).collect();
        (0..n).map(row).collect()
    };
    Files2 {
        kinds: (0..p)
            .map(|key| [Kind::Unordered, Kind::Ordered][key % 2])
            .collect(),
        original: rows(&|record, key| cell(record, key, salt)),
        masked: rows(&masked),
        kept: (0..n).map(|record| record % 17 != 3).collect(),
    }
}

#[test]
fn twelve_keys_are_searched_as_all_4095_subsets_are() {
    for (salt, n) in [(1, 40), (2, 150), (3, 400)] {
        let files = many_keys(12, n, salt);
        let (found, _) = files.measure(&[]).unwrap();
        assert_largest(&files, &found, &inverse);
    }
}

#[test]
fn twenty_keys_are_searched_to_the_end() {
    for (salt, n) in [(1, 300), (2, 3_000)] {
        let (found, notes) = many_keys(20, n, salt).measure(&[]).unwrap();
        let stopped = notes.iter().any(|note| note.id == "subsets-not-all");
        assert!(!stopped && found.value > Some(0.0), "n = {n}");
    }
}

/// Five records; the second key is as it was.
fn unchanged_key() -> Files2 {
    let rows = |cells: [[Cell; 2]; 5]| cells.map(|row| row.to_vec()).to_vec();
    Files2 {
        kinds: vec![Kind::Unordered; 2],
        original: rows([[1, 2], [2, 1], [3, 1], [2, 1], [1, 2]]),
        masked: rows([[2, 2], [2, 1], [3, 1], [1, 1], [1, 2]]),
        kept: vec![true; 5],
    }
}

/// The paper (end of section 3) takes unchanged keys into every subset. That never lowers the
/// minimal and the maximal risk, but it can lower the weighted one: record 1 goes from clusters of
/// two and two to clusters of one and two, and the weight of such is less.
#[test]
fn an_unchanged_key_can_lower_the_weighted_risk() {
    let files = unchanged_key();
    let [with, without, alone] = [0b11, 0b01, 0b10].map(|keys| files.risks(keys, &inverse)[2]);
    assert!(files.factor(1) == 0.0 && without > with && without > alone);
    let (found, _) = files.measure(&[]).unwrap();
    assert_largest(&files, &found, &inverse);
    // (1 - 2/5) / 5 * (1 + 4 / 2 / 1.3)
    assert!((found.part("weighted").unwrap() - 0.6 / 5.0 * (1.0 + 2.0 / 1.3)).abs() < 1e-15);
}

#[test]
fn records_that_are_there_twice_are_refused() {
    let files = unchanged_key();
    let measure = registry::measure("global-risk").expect("a measure");
    let original = files.table(&files.original);
    let masked = files.table(&files.masked).take(&[0, 1, 1]);
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: Rows::Correspond,
    };
    let (on, given) = (files.names(), params(measure.card(), &[]));
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "measure", &Unwatched);
    let refused = measure.measure(&given, &task, &context);
    assert!(matches!(refused, Err(MethodError::Request { .. })));
}
