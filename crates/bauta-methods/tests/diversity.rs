//! Diversity and closeness against reference files and against a count of all pairs.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::{Files, MeasureTask, Measurement, MethodError, RawValue, RunContext, registry};
use proptest::prelude::*;
use support::{Wanted, column, params, read_csv, read_numbers, reference, table, texts};

const SURVEY_KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];

fn measured(
    id: &str,
    table: &Table,
    on: &[&str],
    given: &[(&str, RawValue)],
) -> Result<Measurement, MethodError> {
    let measure = registry::measure(id).expect("a measure");
    let on: Vec<String> = on.iter().map(|name| (*name).to_owned()).collect();
    let params = params(measure.card(), given);
    let context = RunContext::new(1, "1", &Unwatched);
    measure.measure(&params, &MeasureTask::new(Files::One(table), &on), &context)
}

fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn wanted(name: &str, role: Role, kind: Kind) -> Wanted {
    Wanted {
        name: name.to_owned(),
        role,
        kind,
    }
}

fn key_texts(table: &Table) -> Vec<Vec<String>> {
    let columns: Vec<Vec<Option<String>>> = SURVEY_KEYS
        .iter()
        .map(|name| texts(table.column_named(name).expect("a key")))
        .collect();
    (0..table.n_records())
        .map(|record| {
            let cell = |cells: &Vec<Option<String>>| {
                // The reference writes a missing key as 0.
                cells[record].clone().unwrap_or_else(|| "0".to_owned())
            };
            columns.iter().map(cell).collect()
        })
        .collect()
}

#[test]
fn every_class_of_the_survey_is_as_diverse_and_as_close_as_in_the_reference() {
    let vvs = reference().join("vvs");
    let keys = SURVEY_KEYS.map(|name| wanted(name, Role::Key, Kind::Unordered));
    let mut with_answer: Vec<Wanted> = keys.into_iter().collect();
    with_answer.push(wanted("ind", Role::Sensitive, Kind::Ordered));
    let survey = read_csv(&vvs.join("original.csv"), &with_answer);
    let path = vvs.join("ldiversity_tcloseness.csv");
    let reference_keys: Vec<Wanted> = SURVEY_KEYS
        .iter()
        .map(|name| wanted(name, Role::Key, Kind::Unordered))
        .collect();
    let reference = key_texts(&read_csv(&path, &reference_keys));
    let mut row_of: BTreeMap<&[String], usize> = BTreeMap::new();
    for (row, key) in reference.iter().enumerate() {
        assert!(row_of.insert(key, row).is_none(), "a class twice");
    }
    let of_records = key_texts(&survey);
    for (id, given, figure, tolerance) in [
        ("l-diversity", ("kind", word("distinct")), "distinct_l", 0.0),
        ("l-diversity", ("kind", word("entropy")), "entropy_l", 1e-11),
        (
            "l-diversity",
            ("kind", word("recursive")),
            "recursive_l_c2",
            0.0,
        ),
        ("t-closeness", ("distance", word("nominal")), "t_tv", 1e-11),
        (
            "t-closeness",
            ("distance", word("by-kind")),
            "t_emd_ordered",
            1e-11,
        ),
    ] {
        // The reference has a missing income for a category of its own.
        let given = [given, ("semantics", word("own"))];
        let found = measured(id, &survey, &SURVEY_KEYS, &given).expect("figures");
        let per_record = found.per_record.expect("figures by record");
        let expected = read_numbers(&path, figure);
        let mut seen = BTreeSet::new();
        for (found, key) in per_record.iter().zip(&of_records) {
            let row = row_of[key.as_slice()];
            seen.insert(row);
            let error = (found - expected[row]).abs();
            assert!(error <= tolerance, "{figure} of row {row}: {found}");
        }
        assert_eq!(seen.len(), 4_058, "every class of the reference");
    }
}

/// A small file: three keys and two answers by record, none where missing.
type Cells = Vec<[Option<u8>; 5]>;

const NAMES: [&str; 5] = ["k0", "k1", "k2", "illness", "income"];

fn small_table(cells: &Cells) -> Table {
    let columns = NAMES.iter().enumerate().map(|(position, name)| {
        let role = if position < 3 {
            Role::Key
        } else {
            Role::Sensitive
        };
        let kind = if position == 4 {
            Kind::Ordered
        } else {
            Kind::Unordered
        };
        let texts: Vec<Option<String>> = cells
            .iter()
            .map(|record| record[position].map(|value| value.to_string()))
            .collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        column(name, role, kind, &texts)
    });
    table(columns.collect::<Vec<Column>>())
}

fn cells() -> impl Strategy<Value = Cells> {
    let key = prop_oneof![1 => Just(None), 6 => (0..2_u8).prop_map(Some)];
    let answer = prop_oneof![1 => Just(None), 6 => (0..4_u8).prop_map(Some)];
    let record = (key.clone(), key.clone(), key, answer.clone(), answer);
    proptest::collection::vec(record.prop_map(|(a, b, c, d, e)| [a, b, c, d, e]), 1..60)
}

/// The records that match a record, by the definition of the semantics.
fn matching(cells: &Cells, i: usize, semantics: &str) -> Vec<usize> {
    let matches = |j: &usize| {
        (0..3).all(|key| {
            let (own, other) = (cells[i][key], cells[*j][key]);
            own == other || (semantics != "own" && own.is_none())
        })
    };
    (0..cells.len()).filter(matches).collect()
}

/// How often each answer is given by some records; missing first.
fn counts(cells: &Cells, records: &[usize], answer: usize, ignores_missing: bool) -> Vec<f64> {
    let mut counts = vec![0.0; 5];
    for &record in records {
        match cells[record][answer] {
            None if ignores_missing => {}
            None => counts[0] += 1.0,
            Some(value) => counts[value as usize + 1] += 1.0,
        }
    }
    counts
}

/// Distinct, entropy and recursive l with c = 2, from the definition.
fn diversities(counts: &[f64]) -> Option<[f64; 3]> {
    let mut r: Vec<f64> = counts
        .iter()
        .copied()
        .filter(|count| *count > 0.0)
        .collect();
    r.sort_by(|a, b| b.total_cmp(a));
    let n: f64 = r.iter().sum();
    let entropy: f64 = r.iter().map(|r| -(r / n) * (r / n).ln()).sum();
    let fits = |l: &usize| r[0] < 2.0 * r[l - 1..].iter().sum::<f64>();
    let recursive = (1..=r.len()).filter(fits).max().unwrap_or(1);
    (n > 0.0).then(|| [r.len() as f64, entropy.exp(), recursive as f64])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn diversity_agrees_with_all_pairs(file in cells(), ignores_missing: bool) {
        let table = small_table(&file);
        let missing = word(if ignores_missing { "ignore" } else { "category" });
        for semantics in ["own", "visible", "original"] {
            for (position, kind) in ["distinct", "entropy", "recursive"].into_iter().enumerate() {
                let given = [
                    ("kind", word(kind)),
                    ("semantics", word(semantics)),
                    ("missing_sensitive", missing.clone()),
                ];
                let found = measured("l-diversity", &table, &NAMES[..3], &given).expect("figures");
                let l = found.per_record.expect("figures by record");
                for (i, &l) in l.iter().enumerate() {
                    let matching = matching(&file, i, semantics);
                    let all: Vec<[f64; 3]> = (3..5)
                        .filter_map(|answer| diversities(&counts(&file, &matching, answer, ignores_missing)))
                        .collect();
                    let expected = all.iter().map(|of| of[position]).reduce(f64::min);
                    match expected {
                        None => prop_assert!(l.is_nan()),
                        Some(expected) => prop_assert!((l - expected).abs() < 1e-12, "{} {}", l, expected),
                    }
                    let distinct = all.iter().map(|of| of[0]).reduce(f64::min).unwrap_or(f64::NAN);
                    prop_assert!(l.is_nan() || (1.0 <= l && l <= distinct && l <= matching.len() as f64));
                }
            }
        }
    }

    #[test]
    fn closeness_agrees_with_all_pairs(file in cells(), semantics in prop_oneof![Just("own"), Just("visible")]) {
        let table = small_table(&file);
        let everybody: Vec<usize> = (0..file.len()).collect();
        let shares = |counts: Vec<f64>| -> Vec<f64> {
            let total: f64 = counts.iter().sum();
            counts.iter().map(|count| count / total).collect()
        };
        for distance in ["nominal", "ordered"] {
            let given = [
                ("sensitive", RawValue::List(vec![word("income")])),
                ("distance", word(distance)),
                ("semantics", word(semantics)),
                ("missing_sensitive", word("ignore")),
            ];
            let found = measured("t-closeness", &table, &NAMES[..3], &given).expect("figures");
            let p = shares(counts(&file, &everybody, 4, true));
            for (i, t) in found.per_record.expect("figures by record").into_iter().enumerate() {
                let q = shares(counts(&file, &matching(&file, i, semantics), 4, true));
                if q[0].is_nan() {
                    prop_assert!(t.is_nan());
                    continue;
                }
                // Values that nobody has are no steps of the scale.
                let apart: Vec<f64> = q.iter().zip(&p).filter(|(_, p)| **p > 0.0).map(|(q, p)| q - p).collect();
                let expected = if distance == "nominal" {
                    apart.iter().map(|apart| apart.abs()).sum::<f64>() / 2.0
                } else {
                    let (mut gap, mut sum) = (0.0, 0.0);
                    for apart in &apart {
                        gap += apart;
                        sum += f64::abs(gap);
                    }
                    sum / (apart.len() - 1).max(1) as f64
                };
                prop_assert!((t - expected).abs() < 1e-12, "{} {} {}", distance, t, expected);
                prop_assert!((0.0..=1.0).contains(&t));
            }
        }
    }

    #[test]
    fn missing_answers_leave_distances_between_nothing_and_all(file in cells(), weighted: bool) {
        let mut columns: Vec<Column> = small_table(&file).columns().iter().map(|column| column.as_ref().clone()).collect();
        let weights: Vec<String> = (0..file.len()).map(|record| (record % 4).to_string()).collect();
        let weights: Vec<Option<&str>> = weights.iter().map(|text| Some(text.as_str())).collect();
        columns.push(column("w", Role::Weight, Kind::Continuous, &weights));
        let table = table(columns);
        for distance in ["by-kind", "nominal", "ordered", "ranks"] {
            let given = [("distance", word(distance)), ("weighted", RawValue::Flag(weighted))];
            let found = measured("t-closeness", &table, &NAMES[..3], &given).expect("figures");
            let t = found.per_record.expect("figures by record");
            prop_assert!(t.iter().all(|t| t.is_nan() || (0.0..=1.0).contains(t)));
            prop_assert!(weighted || t.iter().all(|t| !t.is_nan()));
        }
        // All records in one class are the file itself.
        let one = measured("t-closeness", &table.with_column(0, column("k0", Role::Key, Kind::Unordered, &vec![Some("a"); file.len()])), &["k0"], &[]).expect("figures");
        prop_assert!(one.value.is_some_and(|t| t < 1e-14));
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_reason() {
    let file = small_table(&vec![[Some(1); 5]; 3]);
    let refused = |id: &str, on: &[&str], given: &[(&str, RawValue)]| -> String {
        match measured(id, &file, on, given) {
            Err(MethodError::Request { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    };
    let named = |name: &str| ("sensitive", RawValue::List(vec![word(name)]));
    for id in ["l-diversity", "t-closeness"] {
        assert!(refused(id, &["k0", "illness", "income"], &[]).contains("role sensitive"));
        assert!(refused(id, &["k0"], &[named("k0")]).contains("is a key"));
        assert!(refused(id, &["k0"], &[named("nothing")]).contains("no variable `nothing`"));
        assert!(refused(id, &[], &[]).contains("1 to 64"));
    }
    let twice = (
        "sensitive",
        RawValue::List(vec![word("income"), word("income")]),
    );
    assert!(refused("l-diversity", &["k0"], &[twice]).contains("twice"));
    let weighted = ("weighted", RawValue::Flag(true));
    assert!(refused("t-closeness", &["k0"], &[weighted]).contains("no weight"));
}

#[test]
fn a_key_that_is_sensitive_is_no_answer() {
    // With illness among the keys only income is left to learn.
    let file = small_table(&vec![[Some(1); 5]; 3]);
    let found = measured("l-diversity", &file, &["k0", "illness"], &[]).expect("figures");
    let names: Vec<&str> = found
        .by_variable
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!(names, ["income"]);
}
