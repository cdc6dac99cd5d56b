//! Groups of the microaggregation masks: the fast ways against plain ones, and against reference
//! results on CENSUS and EIA.

mod at_least_k;
mod together;
mod with_gaps;

use crate::support::{self, mdav_plain::mdav_plain};

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::kernel::numbers::moments::moments;
use bauta_methods::kernel::space::partition::Partition;
use bauta_methods::kernel::space::points::{Points, squared_distance};
use bauta_methods::kernel::space::shrinking_tree::{Found, ShrinkingTree};
use bauta_methods::mask::MaskTask;
use bauta_methods::mask::max_distance::groups::max_distance;
use bauta_methods::mask::mdav::groups::mdav;
use bauta_methods::{Change, MethodError, RawValue, RunContext, registry};
use proptest::prelude::*;
use support::{Wanted, column, numbers, params, read_csv, scatter, shared, table};

fn fast_mdav(points: &Points, k: usize) -> Partition {
    mdav(points, k, |_| Ok::<(), Infallible>(())).unwrap()
}

fn fast_max_distance(points: &Points, k: usize) -> Partition {
    max_distance(points, k, |_| Ok::<(), Infallible>(())).unwrap()
}

/// Maximum distance by looking at every pair for every question.
fn plain_max_distance(points: &Points, k: usize) -> Partition {
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let distance =
        |a: u32, b: u32| squared_distance(points.point(a as usize), points.point(b as usize));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    if left.len() < k {
        return Partition::default();
    }
    while left.len() >= 2 * k {
        let mut best = (-1.0, 0, 0);
        for (at, &r) in left.iter().enumerate() {
            for &s in &left[at + 1..] {
                if distance(r, s) > best.0 {
                    best = (distance(r, s), r, s);
                }
            }
        }
        let (_, r, s) = best;
        left.retain(|&row| row != r && row != s);
        for centre in [r, s] {
            left.sort_by(|&a, &b| {
                let by_distance = distance(centre, a).total_cmp(&distance(centre, b));
                by_distance.then(a.cmp(&b))
            });
            let mut group = vec![centre];
            group.extend(left.drain(..k - 1));
            groups.push(group);
            left.sort_unstable();
        }
    }
    if left.len() >= k {
        groups.push(std::mem::take(&mut left));
    }
    let centre = |group: &Vec<u32>| -> Vec<f64> {
        let sum = |axis: usize| -> f64 {
            let values = group.iter().map(|&row| points.point(row as usize)[axis]);
            values.sum::<f64>() / group.len() as f64
        };
        (0..points.stride()).map(sum).collect()
    };
    let centres: Vec<Vec<f64>> = groups.iter().map(centre).collect();
    for row in left {
        let from = |at: &usize| squared_distance(&centres[*at], points.point(row as usize));
        let nearest = (0..centres.len()).min_by(|a, b| from(a).total_cmp(&from(b)));
        groups[nearest.unwrap()].push(row);
    }
    let mut partition = Partition::with_capacity(points.len());
    for group in groups {
        partition.push(group);
    }
    partition
}

fn standardised(columns: &[Vec<f64>]) -> Points {
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let by: Vec<_> = slices.iter().map(|column| moments(column)).collect();
    Points::standardised(&slices, &by)
}

fn plain(columns: &[Vec<f64>]) -> Points {
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    Points::plain(&slices)
}

/// Columns of several characters: smooth, on a grid, skewed far out, constant, tiny beside huge.
fn columns_of(n: usize, d: usize, character: usize, salt: u64) -> Vec<Vec<f64>> {
    let cell = |i: usize, j: usize| {
        let draw = scatter(i * 64 + j, salt);
        let uniform = (draw >> 11) as f64 / 9_007_199_254_740_992.0;
        match (character + j * usize::from(character >= 5)) % 5 {
            0 => uniform,
            1 => (draw % 3) as f64,
            2 => 1.0 / (uniform + 1e-9),
            3 => 7.0,
            _ => 1e9 + uniform * 1e-3,
        }
    };
    (0..d)
        .map(|j| (0..n).map(|i| cell(i, j)).collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn fast_mdav_makes_the_groups_of_plain_mdav(
        n in 0_usize..700, d in 1_usize..7, k in 1_usize..9, character in 0_usize..10, salt: u64
    ) {
        let columns = columns_of(n, d, character, salt);
        for points in [standardised(&columns), plain(&columns)] {
            prop_assert_eq!(fast_mdav(&points, k), mdav_plain(&points, k));
        }
    }

    #[test]
    fn fast_maximum_distance_makes_the_groups_of_the_plain_one(
        n in 0_usize..150, d in 1_usize..7, k in 1_usize..9, character in 0_usize..10, salt: u64
    ) {
        let columns = columns_of(n, d, character, salt);
        let points = standardised(&columns);
        prop_assert_eq!(fast_max_distance(&points, k), plain_max_distance(&points, k));
    }

    #[test]
    fn a_shrinking_tree_answers_as_a_full_search_does(
        n in 1_usize..400, d in 1_usize..6, character in 0_usize..10, salt: u64
    ) {
        let points = plain(&columns_of(n, d, character, salt));
        let mut tree = ShrinkingTree::new(&points);
        let mut left: Vec<u32> = (0..n as u32).collect();
        let mut found = Vec::new();
        while !left.is_empty() {
            // Places are points, those gone included, and a place apart from all.
            let turn = left.len();
            let mut place = points.point(scatter(turn, salt) as usize % n).to_vec();
            if turn.is_multiple_of(3) {
                place[0] = place[0] * 100.0 + 1.0;
            }
            let mut all: Vec<Found> = left
                .iter()
                .map(|&row| Found {
                    distance: squared_distance(&place, points.point(row as usize)),
                    row,
                })
                .collect();
            all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
            let m = 1 + turn % 5;
            tree.nearest(&place, m, &mut found);
            prop_assert_eq!(&found[..], &all[..m.min(turn)]);
            all.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.row.cmp(&b.row)));
            prop_assert_eq!(tree.farthest(&place), Some(all[0]));
            let gone = left.swap_remove(scatter(turn, salt ^ 1) as usize % turn);
            prop_assert!(tree.contains(gone));
            tree.remove(gone);
            prop_assert!(!tree.contains(gone));
            let mut remaining: Vec<u32> = tree.remaining().collect();
            remaining.sort_unstable();
            left.sort_unstable();
            prop_assert_eq!(&remaining, &left);
        }
        prop_assert_eq!(tree.farthest(points.point(0)), None);
    }
}

/// A column of a reference file.
fn reference_columns(path: &Path, names: &[&str]) -> Vec<Vec<f64>> {
    let table = reference_table(path, names);
    let columns = table.columns().iter();
    columns
        .map(|column| column.as_numeric().unwrap().to_vec())
        .collect()
}

fn reference_table(path: &Path, names: &[&str]) -> Table {
    let wanted: Vec<Wanted> = names
        .iter()
        .map(|name| Wanted {
            name: (*name).to_owned(),
            role: Role::Sensitive,
            kind: Kind::Continuous,
        })
        .collect();
    read_csv(path, &wanted)
}

const CENSUS: [&str; 13] = [
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL",
    "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
];

const EIA: [&str; 10] = [
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
];

/// Sum of squared deviations from the group means.
fn sse(points: &Points, groups: &Partition) -> f64 {
    let of_group = |members: &[u32]| -> f64 {
        let axes = 0..points.stride();
        axes.map(|axis| {
            let values = members.iter().map(|&row| points.point(row as usize)[axis]);
            let mean = values.clone().sum::<f64>() / members.len() as f64;
            values.map(|x| (x - mean) * (x - mean)).sum::<f64>()
        })
        .sum()
    };
    groups.iter().map(of_group).sum()
}

/// Labels numbered as they first occur, so that equal partitions have equal labels.
fn canonical(labels: &[u32]) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    labels
        .iter()
        .map(|&label| {
            let next = seen.len();
            *seen.entry(label).or_insert(next)
        })
        .collect()
}

#[test]
fn mdav_on_census_and_eia_gives_the_reference_losses_and_labels() {
    let Some(shared) = shared() else { return };
    let text = std::fs::read_to_string(shared.join("golden/census/golden.json")).unwrap();
    let golden: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (name, variables) in [("census", &CENSUS[..]), ("eia", &EIA[..])] {
        let columns = reference_columns(&shared.join(format!("data/{name}.csv")), variables);
        let points = standardised(&columns);
        for k in [3_usize, 4, 5, 10] {
            let groups = fast_mdav(&points, k);
            assert_eq!(groups, mdav_plain(&points, k), "{name} {k}");
            let expected = &golden["mdav"][name][k.to_string()];
            assert_eq!(expected["groups"], groups.len(), "{name} {k}");
            let loss = expected["sse_std_ddof1"].as_f64().unwrap();
            let found = sse(&points, &groups);
            assert!((found / loss - 1.0).abs() < 1e-9, "{name} {k}: {found}");
            // Labels from 0 in the order in which groups are made, rows from 1.
            let labels = groups.labels(points.len());
            let products = labels.iter().zip(1_u64..);
            let sum: u64 = products.map(|(&label, row)| u64::from(label) * row).sum();
            assert_eq!(expected["sum_label_times_row"], sum, "{name} {k}");
            if k == 3 {
                let path = shared.join(format!("golden/census/mdav_k3_{name}_labels.csv"));
                let text = std::fs::read_to_string(path).unwrap();
                let theirs: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
                assert_eq!(canonical(&labels), canonical(&theirs), "{name}");
            }
        }
    }
}

fn mask(
    id: &str,
    table: &Table,
    on: &[usize],
    given: &[(&str, RawValue)],
) -> Result<Change, MethodError> {
    let mask = registry::mask(id).unwrap();
    let task = MaskTask { table, on };
    mask.mask(
        &params(mask.card(), given),
        &task,
        &RunContext::new(1, "step", &Unwatched),
    )
}

fn k(k: i64) -> (&'static str, RawValue) {
    ("k", RawValue::Integer(k))
}

#[test]
fn maximum_distance_in_blocks_gives_the_reference_file() {
    let Some(shared) = shared() else { return };
    let table = reference_table(&shared.join("data/census.csv"), &CENSUS);
    let sizes = [4, 4, 5].map(RawValue::Integer).to_vec();
    let on: Vec<usize> = (0..13).collect();
    let change = mask(
        "max-distance",
        &table,
        &on,
        &[k(10), ("blocks", RawValue::List(sizes))],
    );
    let masked = change.unwrap().apply_to(&table);
    let expected = reference_columns(&shared.join("golden/census/census_md_445_k10.csv"), &CENSUS);
    let mut n_differ = 0;
    for (position, expected) in expected.iter().enumerate() {
        let found = masked.column(position).as_numeric().unwrap();
        let n_here = found
            .iter()
            .zip(expected)
            .filter(|(a, b)| (*a - *b).abs() > 1e-9 * b.abs())
            .count();
        println!("{}: {n_here} cells differ", CENSUS[position]);
        n_differ += n_here;
    }
    assert_eq!(n_differ, 0);
}

const FAMILY: [&str; 4] = ["mdav", "max-distance", "individual-ranking", "projection"];

fn flag(name: &'static str) -> (&'static str, RawValue) {
    (name, RawValue::Flag(true))
}

fn skip() -> (&'static str, RawValue) {
    ("missing", RawValue::Text("skip".to_owned()))
}

fn unmasked() -> (&'static str, RawValue) {
    ("missing", RawValue::Text("unmasked".to_owned()))
}

fn strata(name: &str) -> (&'static str, RawValue) {
    (
        "strata",
        RawValue::List(vec![RawValue::Text(name.to_owned())]),
    )
}

fn refusal(id: &str, table: &Table, on: &[usize], given: &[(&str, RawValue)]) -> String {
    match mask(id, table, on, given) {
        Err(error @ (MethodError::Request { .. } | MethodError::Data { .. })) => error.to_string(),
        other => panic!("{id}: {other:?}"),
    }
}

#[test]
fn a_hundred_thousand_identical_records_take_no_time_and_stay_as_they_are() {
    let n = 100_000;
    let mut nearly = vec![5.25; n];
    nearly[n / 2] = 6.0;
    let file = table(vec![numbers("x", &vec![0.1; n]), numbers("y", &nearly)]);
    for id in FAMILY {
        let masked = mask(id, &file, &[0, 1], &[k(3)]).unwrap().apply_to(&file);
        let x = masked.column(0).as_numeric().unwrap();
        assert!(x.iter().all(|x| x.to_bits() == 0.1_f64.to_bits()), "{id}");
        let y = masked.column(1).as_numeric().unwrap();
        let n_moved = y.iter().filter(|y| **y > 5.25).count();
        assert!((3..6).contains(&n_moved), "{id}: {n_moved}");
        // A quadratic search takes minutes.
    }
}

#[test]
fn many_copies_of_a_few_records_take_no_time() {
    let n = 60_000;
    let copies =
        |salt: u64| -> Vec<f64> { (0..n).map(|i| (scatter(i, salt) % 2) as f64).collect() };
    let points = standardised(&[copies(1), copies(2), copies(3)]);
    let pure = |groups: &Partition| {
        let place = |row: &u32| points.point(*row as usize);
        let is_pure = |members: &&[u32]| members.iter().all(|row| place(row) == place(&members[0]));
        groups.iter().filter(is_pure).count()
    };
    for groups in [fast_mdav(&points, 4), fast_max_distance(&points, 4)] {
        // All but the last of each of eight kinds.
        assert!(groups.len() - pure(&groups) <= 8);
    }
}

#[test]
fn fewer_than_k_records_are_refused() {
    let file = table(vec![numbers("x", &[1.0, 2.0])]);
    let empty = table(vec![numbers("x", &[])]);
    let gaps = table(vec![numbers("x", &[1.0, f64::NAN, 3.0, f64::NAN])]);
    let none = table(vec![numbers("x", &[f64::NAN, f64::NAN])]);
    for id in FAMILY {
        let message = refusal(id, &file, &[0], &[k(3)]);
        assert!(message.contains("groups of 3 records") && message.contains("only 2"));
        assert!(refusal(id, &gaps, &[0], &[k(3), skip()]).contains("only 2"));
        assert!(refusal(id, &gaps, &[0], &[k(1)]).contains("2 values are missing"));
        assert!(refusal(id, &file, &[0], &[k(i64::MAX)]).contains("only 2"));
        // Where nothing is to be grouped, nothing is refused.
        assert!(mask(id, &empty, &[0], &[k(3)]).is_ok());
        assert!(mask(id, &none, &[0], &[k(3), skip()]).is_ok());
        assert!(mask(id, &file, &[], &[k(3)]).is_ok());
    }
}

#[test]
fn small_strata_are_counted_and_not_shown() {
    let cells = ["secret", "other", "other", "other", "secret", "third"].map(Some);
    let stratum = column("g", Role::Stratum, Kind::Unordered, &cells);
    let file = table(vec![numbers("x", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), stratum]);
    for id in FAMILY {
        let message = refusal(id, &file, &[0], &[k(3), strata("g")]);
        assert!(message.contains("2 of 3 strata of `g`"), "{message}");
        assert!(!message.contains("secret"));
    }
}

#[test]
fn households_must_be_there_whole_and_in_one_stratum() {
    let x = || numbers("x", &[1.0, 2.0, 3.0, 4.0]);
    let house = |cells: &[Option<&str>]| column("h", Role::Household, Kind::Unordered, cells);
    let without = table(vec![x()]);
    let gap = table(vec![x(), house(&[Some("a"), None, Some("b"), Some("b")])]);
    let whole = [Some("a"), Some("a"), Some("b"), Some("b")];
    let stratum = column(
        "g",
        Role::Stratum,
        Kind::Unordered,
        &[Some("1"), Some("2"), Some("1"), Some("1")],
    );
    let divided = table(vec![x(), house(&whole), stratum]);
    for id in FAMILY {
        let given = [k(2), flag("households")];
        assert!(refusal(id, &without, &[0], &given).contains("role household"));
        assert!(refusal(id, &gap, &[0], &given).contains("1 records have no household"));
        let [k, households] = given;
        let message = refusal(
            id,
            &divided,
            &[0],
            &[k.clone(), households.clone(), strata("g")],
        );
        assert!(message.contains("1 households lie in more than one stratum"));
        // Two households make one group of two; three are too many.
        let masked = mask(id, &divided, &[0], &[k, households.clone()]).unwrap();
        let masked = masked.apply_to(&divided);
        assert_eq!(masked.column(0).as_numeric().unwrap(), [2.5; 4]);
        let three = ("k", RawValue::Integer(3));
        assert!(refusal(id, &divided, &[0], &[three, households]).contains("households"));
    }
}

#[test]
fn records_with_a_gap_keep_their_cells_and_are_counted() {
    let file = table(vec![
        numbers("x", &[1.0, 2.0, 3.0, 100.0, 4.0]),
        numbers("y", &[1.0, 2.0, 3.0, f64::NAN, 4.0]),
    ]);
    for id in ["mdav", "max-distance", "projection"] {
        let mask = registry::mask(id).unwrap();
        let context = RunContext::new(1, "step", &Unwatched);
        let task = MaskTask {
            table: &file,
            on: &[0, 1],
        };
        let masked = mask
            .mask(&params(mask.card(), &[k(2), unmasked()]), &task, &context)
            .unwrap()
            .apply_to(&file);
        assert_eq!(
            masked.column(0).as_numeric().unwrap(),
            [1.5, 1.5, 3.5, 100.0, 3.5],
            "{id}"
        );
        assert!(masked.column(1).is_missing(3));
        let notes: Vec<String> = context
            .into_notes()
            .iter()
            .map(|note| note.text.clone())
            .collect();
        assert!(
            notes.contains(
                &"x, y: 1 records have a missing value, are in no group and kept their values"
                    .to_owned()
            ),
            "{notes:?}"
        );
    }
}

#[test]
fn numbers_too_large_for_squares_are_refused() {
    let file = table(vec![numbers("x", &[1e200, -1e200, 0.0, 1.0])]);
    let large = table(vec![numbers("x", &[1e139, -1e139, 0.0, 1.0])]);
    for id in FAMILY {
        assert!(refusal(id, &file, &[0], &[k(2)]).contains("too large"));
        let masked = mask(id, &large, &[0], &[k(2)]).unwrap().apply_to(&large);
        let z = masked.column(0).as_numeric().unwrap();
        assert!(z.iter().all(|z| z.is_finite()), "{id}");
    }
}

#[test]
fn blocks_must_sum_to_the_number_of_variables() {
    let file = table(vec![numbers("x", &[1.0, 2.0]), numbers("y", &[1.0, 2.0])]);
    let attributes: Vec<_> = file
        .columns()
        .iter()
        .map(|column| column.attribute())
        .collect();
    for id in ["mdav", "max-distance", "projection"] {
        let mask = registry::mask(id).unwrap();
        let problems = |sizes: &[i64]| {
            let sizes = sizes.iter().map(|&size| RawValue::Integer(size)).collect();
            let given = params(mask.card(), &[k(2), ("blocks", RawValue::List(sizes))]);
            mask.check(&given, &attributes)
        };
        assert_eq!(problems(&[1, 1]), []);
        assert_eq!(problems(&[2]), []);
        for wrong in [&[1][..], &[1, 2], &[i64::MAX, i64::MAX], &[]] {
            let [problem] = &problems(wrong)[..] else {
                panic!("{id}: {wrong:?}")
            };
            assert_eq!(problem.param.as_deref(), Some("blocks"));
        }
    }
}
