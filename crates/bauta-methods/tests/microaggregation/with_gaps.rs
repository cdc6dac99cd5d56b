//! Microaggregation of records with gaps: the groups of a plain search, what an independent program
//! finds on CENSUS, and that no released value rests on fewer than k records.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::kernel::numbers::moments::moments;
use bauta_methods::kernel::space::centroid::GappedCentroid;
use bauta_methods::kernel::space::gapped_points::{GappedPoints, Place};
use bauta_methods::kernel::space::gapped_tree::GappedTree;
use bauta_methods::kernel::space::partition::Partition;
use bauta_methods::kernel::space::shrinking_tree::Found;
use bauta_methods::mask::MaskTask;
use bauta_methods::mask::max_distance::groups::max_distance_with_gaps;
use bauta_methods::mask::mdav::groups::mdav_with_gaps;
use bauta_methods::{Note, RawValue, RunContext, registry};
use proptest::prelude::*;

use super::{
    CENSUS, columns_of, fast_max_distance, fast_mdav, flag, k, mask, reference_columns, refusal,
    standardised, strata,
};
use crate::support::{column, numbers, params, scatter, shared, table};

/// The masks that group several variables together.
const TOGETHER: [&str; 3] = ["mdav", "max-distance", "projection"];

fn missing(word: &str) -> (&'static str, RawValue) {
    ("missing", RawValue::Text(word.to_owned()))
}

/// Columns with gaps: some by chance, and records that have one value or two.
fn gapped_columns(n: usize, d: usize, character: usize, salt: u64) -> Vec<Vec<f64>> {
    let mut columns = columns_of(n, d, character, salt);
    let share = scatter(1, salt) % 60;
    for (j, column) in columns.iter_mut().enumerate() {
        for (i, x) in column.iter_mut().enumerate() {
            let is_sparse = scatter(i, salt ^ 7).is_multiple_of(9);
            let keeps = scatter(i, salt ^ 8) as usize % d == j;
            if scatter(i * 64 + j, salt ^ 9) % 100 < share || (is_sparse && !keeps) {
                *x = f64::NAN;
            }
        }
    }
    columns
}

fn gapped_points(columns: &[Vec<f64>]) -> GappedPoints {
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let by: Vec<_> = slices.iter().map(|column| moments(column)).collect();
    GappedPoints::standardised(&slices, &by)
}

/// Searches that look at every record.
struct Plain<'a> {
    points: &'a GappedPoints,
    left: Vec<u32>,
}

impl Plain<'_> {
    fn distance(&self, place: Place<'_>, row: u32) -> Option<f64> {
        self.points.distance(place, self.points.point(row as usize))
    }

    fn farthest(&self, from: Place<'_>) -> Found {
        let found = self.left.iter().map(|&row| Found {
            distance: self.distance(from, row).unwrap_or(f64::NEG_INFINITY),
            row,
        });
        let farther = |a: Found, b: Found| if b.is_farther_than(&a) { b } else { a };
        found.reduce(farther).expect("records are left")
    }

    fn nearest(&self, to: Place<'_>, m: usize) -> Vec<Found> {
        let found = self.left.iter().map(|&row| Found {
            distance: self.distance(to, row).unwrap_or(f64::INFINITY),
            row,
        });
        let mut found: Vec<Found> = found.collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
        found.truncate(m);
        found
    }

    fn group(&mut self, centre: u32, k: usize) -> Vec<u32> {
        self.left.retain(|&row| row != centre);
        let near = self.nearest(self.points.point(centre as usize), k - 1);
        let mut group = vec![centre];
        group.extend(near.iter().map(|found| found.row));
        self.left.retain(|row| !group.contains(row));
        group
    }

    fn farthest_from_centre(&self) -> u32 {
        let mut centroid = GappedCentroid::none_of(self.points);
        for &row in &self.left {
            centroid.add(self.points.point(row as usize));
        }
        let (coordinates, known) = centroid.place();
        let centre = Place {
            coordinates: &coordinates,
            known: &known,
        };
        self.farthest(centre).row
    }
}

fn plain_mdav(points: &GappedPoints, k: usize) -> Partition {
    let left: Vec<u32> = (0..points.len() as u32).collect();
    let mut plain = Plain { points, left };
    let mut groups = Partition::default();
    if plain.left.len() < k {
        return groups;
    }
    while plain.left.len() >= 3 * k {
        let r = plain.farthest_from_centre();
        groups.push(plain.group(r, k));
        let s = plain.farthest(points.point(r as usize)).row;
        groups.push(plain.group(s, k));
    }
    if plain.left.len() >= 2 * k {
        let r = plain.farthest_from_centre();
        groups.push(plain.group(r, k));
    }
    if !plain.left.is_empty() {
        groups.push(plain.left);
    }
    groups
}

fn plain_max_distance(points: &GappedPoints, k: usize) -> Partition {
    let left: Vec<u32> = (0..points.len() as u32).collect();
    let mut plain = Plain { points, left };
    let mut groups: Vec<Vec<u32>> = Vec::new();
    if plain.left.len() < k {
        return Partition::default();
    }
    while plain.left.len() >= 2 * k {
        let mut best: Option<(f64, u32, u32)> = None;
        for (at, &r) in plain.left.iter().enumerate() {
            for &s in &plain.left[at + 1..] {
                let distance = plain.distance(points.point(r as usize), s);
                let distance = distance.unwrap_or(f64::NEG_INFINITY);
                if best.is_none_or(|best| distance > best.0) {
                    best = Some((distance, r, s));
                }
            }
        }
        let (_, r, s) = best.expect("two records are left");
        plain.left.retain(|&row| row != r && row != s);
        groups.push(plain.group(r, k));
        groups.push(plain.group(s, k));
    }
    if plain.left.len() >= k {
        groups.push(std::mem::take(&mut plain.left));
    }
    let centre = |group: &Vec<u32>| {
        let mut centroid = GappedCentroid::none_of(points);
        for &row in group {
            centroid.add(points.point(row as usize));
        }
        centroid.place()
    };
    let centres: Vec<_> = groups.iter().map(centre).collect();
    for &row in &plain.left {
        let mut best = (f64::INFINITY, 0);
        for (number, (coordinates, known)) in centres.iter().enumerate() {
            let distance = plain.distance(Place { coordinates, known }, row);
            if let Some(distance) = distance.filter(|distance| *distance < best.0) {
                best = (distance, number);
            }
        }
        groups[best.1].push(row);
    }
    let mut partition = Partition::default();
    for group in groups {
        partition.push(group);
    }
    partition
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_tree_with_gaps_answers_as_a_full_search_does(
        n in 1_usize..300, d in 1_usize..6, character in 0_usize..10, salt: u64
    ) {
        let points = gapped_points(&gapped_columns(n, d, character, salt));
        let mut tree = GappedTree::new(&points);
        let mut plain = Plain { points: &points, left: (0..n as u32).collect() };
        let mut found = Vec::new();
        while !plain.left.is_empty() {
            // Places are points, those gone included, and one apart from all that has everything.
            let turn = plain.left.len();
            let (mut coordinates, mut known) = {
                let place = points.point(scatter(turn, salt) as usize % n);
                (place.coordinates.to_vec(), place.known.to_vec())
            };
            if turn.is_multiple_of(3) {
                coordinates[0] = coordinates[0] * 100.0 + 1.0;
                known[..d].fill(1.0);
            }
            let place = Place { coordinates: &coordinates, known: &known };
            let m = 1 + turn % 5;
            tree.nearest(place, m, &mut found);
            prop_assert_eq!(&found, &plain.nearest(place, m));
            prop_assert_eq!(tree.farthest(place), Some(plain.farthest(place)));
            let gone = plain.left.swap_remove(scatter(turn, salt ^ 1) as usize % turn);
            tree.remove(gone);
            prop_assert!(!tree.contains(gone));
            let mut remaining: Vec<u32> = tree.remaining().collect();
            remaining.sort_unstable();
            plain.left.sort_unstable();
            prop_assert_eq!(&remaining, &plain.left);
        }
        prop_assert_eq!(tree.farthest(points.point(0)), None);
    }

    #[test]
    fn groups_of_records_with_gaps_are_those_of_a_plain_search(
        n in 0_usize..250, d in 1_usize..7, k in 1_usize..7, character in 0_usize..10, salt: u64
    ) {
        let points = gapped_points(&gapped_columns(n, d, character, salt));
        let found = mdav_with_gaps(&points, k, |_| Ok::<(), Infallible>(())).unwrap();
        prop_assert_eq!(found, plain_mdav(&points, k));
        if n < 90 {
            let found = max_distance_with_gaps(&points, k, |_| Ok::<(), Infallible>(())).unwrap();
            prop_assert_eq!(found, plain_max_distance(&points, k));
        }
    }

    #[test]
    fn without_gaps_the_groups_are_those_of_complete_records(
        n in 0_usize..250, d in 1_usize..7, k in 1_usize..7, character in 0_usize..10, salt: u64
    ) {
        let columns = columns_of(n, d, character, salt);
        let (complete, gapped) = (standardised(&columns), gapped_points(&columns));
        let done = |_| Ok::<(), Infallible>(());
        prop_assert_eq!(fast_mdav(&complete, k), mdav_with_gaps(&gapped, k, done).unwrap());
        prop_assert_eq!(fast_max_distance(&complete, k), max_distance_with_gaps(&gapped, k, done).unwrap());
    }

    #[test]
    fn no_released_value_rests_on_fewer_than_k(
        n in 30_usize..150, d in 1_usize..5, size in 2_usize..6, character in 0_usize..10,
        salt: u64, by_household: bool, by_stratum: bool, by_median: bool
    ) {
        let columns = gapped_columns(n, d, character, salt);
        let household = |record: usize| record * 2 / 5;
        let stratum = |record: usize| household(record) % 2;
        let texts = |number: &dyn Fn(usize) -> usize| -> Vec<String> { (0..n).map(|record| number(record).to_string()).collect() };
        let mut all: Vec<_> = (0..).zip(&columns).map(|(j, column)| numbers(&format!("x{j}"), column)).collect();
        for (name, role, texts) in [("house", Role::Household, texts(&household)), ("stratum", Role::Stratum, texts(&stratum))] {
            let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
            all.push(column(name, role, Kind::Unordered, &cells));
        }
        let original = table(all);
        let on: Vec<usize> = (0..d).collect();
        let mut given = vec![k(size.cast_signed() as i64), missing("available")];
        if by_household {
            given.push(flag("households"));
        }
        if by_stratum {
            given.push(strata("stratum"));
        }
        if by_median {
            given.push(("aggregate", RawValue::Text("median".to_owned())));
        }
        for id in TOGETHER {
            // Too few who have a value are refused, and nothing is released then.
            let Ok(change) = mask(id, &original, &on, &given) else { continue };
            let masked = change.apply_to(&original);
            for (j, x) in columns.iter().enumerate() {
                let z = masked.column(j).as_numeric().unwrap();
                let mut shown: BTreeMap<(usize, u64), BTreeSet<usize>> = BTreeMap::new();
                for record in 0..n {
                    prop_assert_eq!(x[record].is_nan(), z[record].is_nan(), "gaps stay gaps");
                    if !z[record].is_nan() {
                        let within = if by_stratum { stratum(record) } else { 0 };
                        let unit = if by_household { household(record) } else { record };
                        shown.entry((within, z[record].to_bits())).or_default().insert(unit);
                    }
                }
                let fewest = shown.values().map(BTreeSet::len).min().unwrap_or(usize::MAX);
                prop_assert!(fewest >= size, "{}: {} of {}", id, fewest, size);
                // Means are kept: of each pool, and so of all.
                if !by_median {
                    let total = |x: &[f64]| x.iter().filter(|x| !x.is_nan()).sum::<f64>();
                    let scale: f64 = x.iter().filter(|x| !x.is_nan()).map(|x| x.abs()).sum();
                    prop_assert!((total(x) - total(z)).abs() <= 1e-9 * scale);
                }
            }
        }
    }
}

/// CENSUS with gaps: by a rule of rows and columns, records with two values, and one with none.
fn census_with_gaps() -> Option<Table> {
    let columns = reference_columns(&shared()?.join("data/census.csv"), &CENSUS);
    let with_gaps = |(j, mut column): (usize, Vec<f64>)| {
        for (i, x) in column.iter_mut().enumerate() {
            let is_sparse = i % 90 == 7 && j != i / 90 % 13 && j != (i / 90 + 5) % 13;
            if (31 * i + 17 * j) % 97 < 3 || is_sparse || i == 500 {
                *x = f64::NAN;
            }
        }
        numbers(CENSUS[j], &column)
    };
    Some(table(
        columns.into_iter().enumerate().map(with_gaps).collect(),
    ))
}

fn masked_and_notes(id: &str, file: &Table, given: &[(&str, RawValue)]) -> (Table, Vec<Note>) {
    let mask = registry::mask(id).unwrap();
    let context = RunContext::new(1, "step", &Unwatched);
    let on: Vec<usize> = (0..file.columns().len()).collect();
    let task = MaskTask {
        table: file,
        on: &on,
    };
    let change = mask.mask(&params(mask.card(), given), &task, &context);
    (change.unwrap().apply_to(file), context.into_notes())
}

#[test]
fn census_with_gaps_comes_out_as_an_independent_program_finds() {
    let Some(file) = census_with_gaps() else {
        return;
    };
    // A program in plain Python (3.12, sums by math.fsum) that follows the pages and shares no code:
    // groups by looking at every record, pools by looking at every pair of neighbours. For AFNLWGT,
    // POTHVAL and ERNVAL: Σ row times masked value, rows from 1, gaps left out; and how many values
    // were pooled.
    let by_z = ("by", RawValue::Text("z-scores".to_owned()));
    let cases = [
        (
            "mdav",
            None,
            [
                103_511_461_026.005_95,
                3_033_573_195.088_095,
                21_429_902_423.752_38,
            ],
            952,
        ),
        (
            "max-distance",
            None,
            [
                103_648_817_293.183_33,
                3_058_615_598.530_952_5,
                21_419_978_848.545_24,
            ],
            983,
        ),
        (
            "projection",
            None,
            [
                107_515_513_756.426_2,
                2_963_929_597.516_667,
                21_523_697_777.969_048,
            ],
            1058,
        ),
        (
            "projection",
            Some(by_z),
            [
                107_137_041_176.014_28,
                3_002_886_484.1,
                21_407_347_644.704_76,
            ],
            1081,
        ),
    ];
    for (id, more, expected, n_pooled) in cases {
        let mut given = vec![k(3), missing("available")];
        given.extend(more);
        let (masked, notes) = masked_and_notes(id, &file, &given);
        for (j, expected) in [0, 7, 12].into_iter().zip(expected) {
            let z = masked.column(j).as_numeric().unwrap();
            let with_rows = z.iter().enumerate().filter(|(_, z)| !z.is_nan());
            let found: f64 = with_rows.map(|(i, z)| (i + 1) as f64 * z).sum();
            assert!((found / expected - 1.0).abs() < 1e-12, "{id} {j}: {found}");
        }
        let count = |id: &str| -> u64 {
            let notes = notes.iter().filter(|note| note.id == id);
            notes
                .map(|note| note.facts["n_cells"].as_u64().unwrap())
                .sum()
        };
        assert_eq!(count("values-pooled"), n_pooled, "{id}");
        let by_part = notes
            .iter()
            .find(|note| note.id == "records-grouped-by-part");
        assert_eq!(by_part.unwrap().facts["n_records"], 445);
    }
}

#[test]
fn skipping_refuses_to_leave_records_unmasked() {
    let file = table(vec![
        numbers("x", &[1.0, 2.0, 3.0, 100.0, 4.0, f64::NAN]),
        numbers("y", &[1.0, 2.0, 3.0, f64::NAN, 4.0, f64::NAN]),
        numbers("z", &[1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN]),
    ]);
    for id in TOGETHER {
        let message = refusal(id, &file, &[0, 1], &[k(2), missing("skip")]);
        // The record without any value has nothing to be masked.
        assert!(message.contains("1 of x, y"), "{message}");
        let blocks = [2, 1].map(RawValue::Integer).to_vec();
        let in_blocks = [
            k(2),
            missing("skip"),
            ("blocks", RawValue::List(blocks.clone())),
        ];
        assert!(refusal(id, &file, &[0, 1, 2], &in_blocks).contains("1 of x, y"));
        // A variable alone, and variables that are missing together, leave nothing unmasked.
        assert!(mask(id, &file, &[1], &[k(2), missing("skip")]).is_ok());
        assert!(mask(id, &file, &[0, 2], &[k(2), missing("skip")]).is_ok());
        let (masked, notes) = masked_and_notes(id, &file, &[k(2), missing("unmasked")]);
        let left = masked.column(0).as_numeric().unwrap()[3];
        assert_eq!(left.to_bits(), 100.0_f64.to_bits(), "{id}");
        let out = notes.iter().find(|note| note.id == "records-out-of-groups");
        assert_eq!(out.unwrap().facts["n_records"], 1);
    }
}

#[test]
fn a_value_that_too_few_have_is_refused() {
    let file = table(vec![
        numbers("x", &[1.0, 2.0, 3.0, 4.0, 5.0]),
        numbers("secret", &[f64::NAN, 7.0, f64::NAN, f64::NAN, f64::NAN]),
    ]);
    for id in TOGETHER {
        let message = refusal(id, &file, &[0, 1], &[k(2), missing("available")]);
        assert!(message.contains("fewer than 2 records have a value of secret"));
        assert!(!message.contains('7'), "{message}");
    }
}

#[test]
fn there_is_no_medoid_of_records_with_gaps() {
    for id in TOGETHER {
        let mask = registry::mask(id).unwrap();
        let medoid = ("aggregate", RawValue::Text("medoid".to_owned()));
        let given = params(mask.card(), &[k(2), missing("available"), medoid]);
        let problems = mask.check(&given, &[]);
        assert_eq!(problems.len(), 1, "{id}: {problems:?}");
        assert_eq!(problems[0].param.as_deref(), Some("aggregate"));
    }
}

#[test]
fn many_copies_of_a_few_records_with_gaps_take_no_time() {
    let n = 40_000;
    let copies = |salt: u64| -> Vec<f64> {
        let cell = |i: usize| match scatter(i, salt) % 3 {
            0 => f64::NAN,
            x => x as f64,
        };
        (0..n).map(cell).collect()
    };
    let points = gapped_points(&[copies(1), copies(2), copies(3)]);
    let groups = mdav_with_gaps(&points, 4, |_| Ok::<(), Infallible>(())).unwrap();
    assert_eq!(groups.n_members(), n);
}

#[test]
fn where_skipping_is_accepted_records_with_a_gap_are_masked_in_their_other_values() {
    // Every mask of several numbers together but those above: `skip` leaves the missing cells alone
    // and nothing else.
    let n = 400;
    let x: Vec<f64> = (0..n)
        .map(|i| (scatter(i, 1) % 100_000) as f64 + 1.0)
        .collect();
    let mut y: Vec<f64> = (0..n)
        .map(|i| x[i] / 3.0 + (scatter(i, 2) % 9_000) as f64)
        .collect();
    let has_gap = |i: usize| i.is_multiple_of(4);
    (0..n).filter(|&i| has_gap(i)).for_each(|i| y[i] = f64::NAN);
    let file = table(vec![numbers("x", &x), numbers("y", &y)]);
    let mut looked_at = Vec::new();
    for mask in registry::MASKS {
        let card = mask.card();
        let skips = card
            .param("missing")
            .is_some_and(|spec| spec.name == "missing");
        if !skips || TOGETHER.contains(&card.id) {
            continue;
        }
        let mut given = mask.example();
        given.push(missing("skip"));
        let (masked, _) = masked_and_notes(card.id, &file, &given);
        let z = masked.column(0).as_numeric().expect("numbers");
        let changed = (0..n).filter(|&i| has_gap(i) && z[i].to_bits() != x[i].to_bits());
        let n_changed = changed.count();
        // A rank may be swapped with itself, a grey level be the value that was there.
        assert!(
            n_changed > n / 4 * 9 / 10,
            "{}: {n_changed} of {}",
            card.id,
            n / 4
        );
        looked_at.push(card.id);
    }
    for id in [
        "noise-correlated",
        "noise-mixture",
        "noise-swap",
        "scale-back",
        "synth-normal",
        "jpeg",
    ] {
        assert!(looked_at.contains(&id), "{id}");
    }
}
