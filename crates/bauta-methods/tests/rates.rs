//! Weighted rates of the survey against the reference, under suppression and under calibration.

use crate::support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::measure::Measurement;
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, Pair, RawValue, RunContext, registry};
use serde_json::Value;
use support::{Wanted, column, params, read_csv, read_numbers, reference, scatter, texts};

const KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];

fn folder() -> PathBuf {
    reference().join("vvs")
}

fn wanted(name: &str, role: Role, kind: Kind) -> Wanted {
    Wanted {
        name: name.to_owned(),
        role,
        kind,
    }
}

fn keys(path: &Path) -> Table {
    read_csv(
        path,
        &KEYS.map(|name| wanted(name, Role::Key, Kind::Unordered)),
    )
}

/// The survey with one of its weights.
fn survey(folder: &Path, weight: &str) -> Table {
    let mut all: Vec<Wanted> = KEYS
        .iter()
        .map(|name| wanted(name, Role::Key, Kind::Unordered))
        .collect();
    all.push(wanted("ind", Role::Sensitive, Kind::Unordered));
    all.push(wanted(weight, Role::Weight, Kind::Continuous));
    read_csv(&folder.join("original.csv"), &all)
}

/// The survey with the keys of a file in place of its own.
fn suppressed(folder: &Path, file: &str) -> Table {
    let mut table = survey(folder, "d_fin");
    let keys = keys(&folder.join(file));
    for (attr_idx, key) in keys.columns().iter().enumerate() {
        table = table.with_column(attr_idx, Column::clone(key));
    }
    table
}

/// The records that subsampling left, by id, with their own weight or a calibrated one.
fn subsample(folder: &Path, weight: &str, column_of: Option<&str>) -> Table {
    let ids = read_numbers(&folder.join("original.csv"), "id");
    let row_of: HashMap<u64, u32> = ids.iter().map(|id| id.to_bits()).zip(0..).collect();
    let weights = folder.join("subsample_weights.csv");
    let kept = read_numbers(&weights, "id");
    let rows: Vec<u32> = kept.iter().map(|id| row_of[&id.to_bits()]).collect();
    assert_eq!(rows.len(), 9_640);
    let table = survey(folder, weight).take(&rows);
    match column_of {
        None => table,
        Some(name) => {
            let at = table.index_of(weight).expect("the weight");
            let calibrated = table.column(at).with_numbers(read_numbers(&weights, name));
            table.with_column(at, calibrated)
        }
    }
}

fn rates(original: &Table, masked: &Table) -> Measurement {
    let measure = registry::measure("rates").expect("it is registered");
    let of = RawValue::List(vec![RawValue::Text("ind".to_owned())]);
    // All rates of the reference, those of few records too.
    let all = ("min_records", RawValue::Integer(1));
    let params = params(measure.card(), &[("of", of), all]);
    let on = KEYS.map(str::to_owned);
    let pair = Pair {
        original,
        masked,
        rows: Rows::Unrelated,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "measure", &Unwatched);
    measure
        .measure(&params, &task, &context)
        .expect("it can be measured")
}

fn point(found: &Measurement, name: &str, label: &str) -> Option<f64> {
    let series = found.series.iter().find(|series| series.spelled() == name);
    let series = series.unwrap_or_else(|| panic!("no series {name}"));
    let point = series.points.iter().find(|point| point.name == label);
    point
        .unwrap_or_else(|| panic!("{} has no {label}", series.name))
        .value
}

/// Largest difference to the rates of the reference.
fn distance(found: &Measurement, reference: &Value, file: &str) -> f64 {
    let mut largest = 0.0_f64;
    let mut n_compared = 0;
    let mut compare = |series: &str, label: &str, expected: &Value| {
        let ours = point(found, series, label).expect("a rate");
        largest = largest.max((ours - expected.as_f64().expect("a number")).abs());
        n_compared += 1;
    };
    for key in KEYS {
        for (label, expected) in reference[key].as_object().expect("categories") {
            for (ind, expected) in expected.as_array().expect("rates").iter().enumerate() {
                compare(&format!("ind = {ind} by {key}: {file}"), label, expected);
            }
        }
    }
    let all = reference["all"]["1"].as_array().expect("rates of all");
    for (ind, expected) in all.iter().enumerate() {
        compare(&format!("share by ind: {file}"), &ind.to_string(), expected);
    }
    assert!(n_compared >= 80, "{n_compared}");
    largest
}

#[test]
fn rates_of_the_survey_are_those_of_the_reference() {
    let folder = folder();
    let text = std::fs::read_to_string(folder.join("rates.json")).expect("the reference");
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    let original = survey(&folder, "d_fin");
    let files = [
        (
            "localsupp_exact",
            suppressed(&folder, "localsupp_exact.csv"),
        ),
        (
            "localsupp_muargus",
            suppressed(&folder, "localsupp_muargus.csv"),
        ),
        (
            "subsample_raking",
            subsample(&folder, "d_fin", Some("w_raking")),
        ),
        (
            "subsample_logit",
            subsample(&folder, "d_fin", Some("w_logit")),
        ),
        (
            "subsample_uncalibrated_dfin",
            subsample(&folder, "d_fin", None),
        ),
        (
            "subsample_uncalibrated_dinit",
            subsample(&folder, "d_init", None),
        ),
    ];
    for (name, masked) in files {
        let found = rates(&original, &masked);
        let of_original = distance(&found, &reference["original"], "original");
        let of_masked = distance(&found, &reference[name], "masked");
        assert!(of_original < 1e-12 && of_masked < 1e-12, "{name}");
    }
}

#[test]
fn the_figures_of_the_paper_have_their_pattern() {
    let folder = folder();
    let original = survey(&folder, "d_fin");
    let percent = |found: &Measurement, by: &str, label: &str, file: &str| {
        let rates = [0, 1, 2].map(|ind| {
            let rate = point(found, &format!("ind = {ind} by {by}: {file}"), label);
            format!("{:.2}", 100.0 * rate.expect("a rate"))
        });
        rates.join(" ")
    };
    // Rates in percent of households of five and more, and of those who live without a partner.
    let blanked = rates(&original, &suppressed(&folder, "localsupp_exact.csv"));
    let raking = rates(&original, &subsample(&folder, "d_fin", Some("w_raking")));
    let plain = rates(&original, &subsample(&folder, "d_fin", None));
    let large = |found: &Measurement, file: &str| percent(found, "hsize", "4", file);
    let alone = |found: &Measurement, file: &str| percent(found, "couple", "2", file);
    assert_eq!(large(&blanked, "original"), "80.18 15.94 3.88");
    assert_eq!(large(&blanked, "masked"), "78.44 17.29 4.26");
    assert_eq!(large(&raking, "masked"), "80.18 15.94 3.88");
    assert_eq!(large(&plain, "masked"), "78.44 17.33 4.23");
    assert_eq!(alone(&blanked, "original"), "81.63 14.95 3.42");
    assert_eq!(alone(&blanked, "masked"), "81.76 14.90 3.34");
    assert_eq!(alone(&raking, "masked"), "81.09 15.02 3.89");
    assert_eq!(alone(&plain, "masked"), "83.10 14.15 2.75");
    // Blanks are a row of their own, and no category.
    assert!(point(&blanked, "ind = 1 by hsize: masked", "missing").is_some());
    assert_eq!(
        point(&blanked, "records by hsize: masked", "missing"),
        Some(2_338.0)
    );
    // Household size was a margin of the calibration, living with a partner was not.
    let of = |found: &Measurement, name: &str| {
        let part = found.by_variable.iter().find(|part| part.name == name);
        part.and_then(|part| part.value).expect("a difference")
    };
    assert!(of(&raking, "hsize") < 1e-10 && of(&raking, "couple") > 0.004);
}

#[test]
fn a_table_that_nobody_can_read_is_refused_without_a_value() {
    let labels: Vec<String> = (0..1_001).map(|i| format!("secret{i}")).collect();
    let cells: Vec<Option<&str>> = labels.iter().map(|label| Some(label.as_str())).collect();
    let of = |name: &str| column(name, Role::Key, Kind::Unordered, &cells);
    let table = support::table(vec![of("a"), of("b")]);
    assert_eq!(texts(table.column(0)).len(), 1_001);
    let measure = registry::measure("rates").expect("it is registered");
    let outcome = RawValue::List(vec![RawValue::Text("a".to_owned())]);
    let params = params(measure.card(), &[("of", outcome)]);
    let on = ["b".to_owned()];
    let pair = Pair {
        original: &table,
        masked: &table,
        rows: Rows::Correspond,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "measure", &Unwatched);
    let error = measure
        .measure(&params, &task, &context)
        .expect_err("too large");
    let text = error.to_string();
    assert!(
        text.contains("`a` by `b`") && !text.contains("secret"),
        "{text}"
    );
}

/// A file of scattered categories and numbers with gaps.
fn scattered(n: usize, salt: u64) -> Table {
    let made = |name: &str, role: Role, kind: Kind, m: u64, salt: u64, gaps: u64| {
        let cell = |i: usize| {
            let present = gaps == 0 || !scatter(i, salt + 50).is_multiple_of(gaps);
            present.then(|| (scatter(i, salt) % m).to_string())
        };
        let cells: Vec<Option<String>> = (0..n).map(cell).collect();
        let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
        column(name, role, kind, &cells)
    };
    support::table(vec![
        made("by", Role::Key, Kind::Unordered, 5, salt, 7),
        made("kind", Role::Sensitive, Kind::Ordered, 3, salt + 1, 9),
        made(
            "sum",
            Role::Sensitive,
            Kind::Continuous,
            1_000,
            salt + 2,
            11,
        ),
        made("w", Role::Weight, Kind::Continuous, 40, salt + 3, 0),
    ])
}

/// Σ w and Σ w y over the records that a test selects, one by one.
fn summed(table: &Table, select: impl Fn(&[Option<String>]) -> Option<f64>) -> (f64, f64) {
    let columns: Vec<Vec<Option<String>>> =
        table.columns().iter().map(|column| texts(column)).collect();
    let mut sums = (0.0, 0.0);
    for record in 0..table.n_records() {
        let cells: Vec<Option<String>> = columns.iter().map(|all| all[record].clone()).collect();
        let weight: f64 = cells[3]
            .as_ref()
            .expect("a weight")
            .parse()
            .expect("a number");
        if let Some(y) = select(&cells) {
            sums = (sums.0 + weight, sums.1 + weight * y);
        }
    }
    sums
}

#[test]
fn rates_and_means_are_those_of_a_plain_count() {
    let files = [scattered(700, 1), scattered(500, 9)];
    let measure = registry::measure("rates").expect("it is registered");
    let of = ["kind", "sum"].map(|name| RawValue::Text(name.to_owned()));
    let params = params(measure.card(), &[("of", RawValue::List(of.to_vec()))]);
    let on = ["by".to_owned(), "kind".to_owned()];
    let pair = Pair {
        original: &files[0],
        masked: &files[1],
        rows: Rows::Unrelated,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "measure", &Unwatched);
    let found = measure.measure(&params, &task, &context).expect("a result");
    for (table, file) in files.iter().zip(["original", "masked"]) {
        let near = |series: &str, label: &str, (weight, sum): (f64, f64)| {
            let ours = point(&found, &format!("{series}: {file}"), label).expect("a rate");
            assert!(
                (ours - sum / weight).abs() < 1e-12 * (1.0 + ours),
                "{series} {label}"
            );
        };
        let number = |cell: &Option<String>| -> Option<f64> { cell.as_ref()?.parse().ok() };
        for by in ["0", "1", "2", "3", "4", "missing"] {
            let here = |cells: &[Option<String>]| cells[0].as_deref().unwrap_or("missing") == by;
            for kind in ["0", "1", "2"] {
                let rate = summed(table, |cells| {
                    let present = cells[1].as_deref().filter(|_| here(cells))?;
                    Some(f64::from(u8::from(present == kind)))
                });
                near(&format!("kind = {kind} by by"), by, rate);
            }
            let mean = summed(table, |cells| number(&cells[2]).filter(|_| here(cells)));
            near("mean sum by by", by, mean);
        }
        near(
            "mean sum",
            "all records",
            summed(table, |cells| number(&cells[2])),
        );
    }
    // A variable is not tabulated by itself, and names of series are unique.
    let names = found.series.iter().map(bauta_methods::Series::spelled);
    let mut names: Vec<String> = names.collect();
    assert!(
        !names
            .iter()
            .any(|name| name.contains("by kind") && name.starts_with("kind"))
    );
    let n_series = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_series);
}
