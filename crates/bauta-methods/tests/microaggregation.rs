//! Groups of the microaggregation masks: the fast ways against plain ones, and against reference
//! results on CENSUS and EIA.

mod support;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::mask::MaskTask;
use bauta_methods::stats::max_distance::max_distance;
use bauta_methods::stats::mdav::mdav;
use bauta_methods::stats::mdav_plain::mdav_plain;
use bauta_methods::stats::moments::moments;
use bauta_methods::stats::partition::Partition;
use bauta_methods::stats::points::{Points, squared_distance};
use bauta_methods::stats::shrinking_tree::{Found, ShrinkingTree};
use bauta_methods::{Change, MethodError, RawValue, RunContext, registry};
use proptest::prelude::*;
use support::{Wanted, column, numbers, params, read_csv, shared, table};

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
    groups.into_iter().for_each(|group| partition.push(group));
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

/// A fixed sequence without pattern.
fn scatter(i: usize, salt: u64) -> u64 {
    let mut z =
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd134_2543_de82_ef95);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
    let task = MaskTask {
        table,
        on,
        params: &params(mask.card(), given),
    };
    mask.mask(&task, &RunContext::new(1, "step", &Unwatched))
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
