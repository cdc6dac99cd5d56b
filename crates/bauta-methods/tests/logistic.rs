//! Logistic and linear models of two files against the reference fits of the victimisation survey.

use crate::support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::measure::Measurement;
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, MethodError, Pair, RawValue, RunContext, registry};
use serde_json::Value;
use support::{Wanted, column, numbers, params, read_csv, read_numbers, reference, scatter, table};

const PREDICTORS: [&str; 4] = ["age", "qual", "hsize", "uu"];

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

/// The survey with a weight of its own choice; predictors from another file of the same records.
fn survey(predictors: &str, weight: &str) -> Table {
    let folder = folder();
    let own = [
        wanted("ind", Role::Sensitive, Kind::Unordered),
        wanted(weight, Role::Weight, Kind::Continuous),
    ];
    let keys = PREDICTORS.map(|name| wanted(name, Role::Key, Kind::Ordered));
    let own = read_csv(&folder.join("original.csv"), &own);
    let keys = read_csv(&folder.join(predictors), &keys);
    let columns = own.columns().iter().chain(keys.columns());
    table(columns.map(|column| Column::clone(column)).collect())
}

/// The records that were kept, with one of the calibrated weights.
fn subsample(weight: &str) -> Table {
    let folder = folder();
    let path = folder.join("subsample_weights.csv");
    let kept: Vec<u32> = read_numbers(&path, "id")
        .into_iter()
        .map(|id| id as u32 - 1)
        .collect();
    let own = survey("original.csv", "d_fin").take(&kept).as_source();
    if weight == "d_fin" {
        return own;
    }
    let weights = read_csv(&path, &[wanted(weight, Role::Weight, Kind::Continuous)]);
    let at = own.index_of("d_fin").expect("the weight");
    own.with_column(at, weights.column(0).clone())
}

fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn words(texts: &[&str]) -> RawValue {
    RawValue::List(texts.iter().map(|text| word(text)).collect())
}

fn measure(
    id: &str,
    (original, masked): (&Table, &Table),
    on: &[&str],
    given: &[(&str, RawValue)],
) -> Result<Measurement, MethodError> {
    let measure = registry::measure(id).expect("it is registered");
    // All figures of the reference, those of few records too.
    let mut given = given.to_vec();
    given.push(("min_records", RawValue::Integer(1)));
    let params = params(measure.card(), &given);
    let pair = Pair {
        original,
        masked,
        rows: Rows::Unrelated,
    };
    let on: Vec<String> = on.iter().map(|name| (*name).to_owned()).collect();
    let task = MeasureTask::new(Files::Both(pair), &on);
    measure.measure(&params, &task, &RunContext::new(1, "measure", &Unwatched))
}

/// A series as a map from label to figure.
fn series(found: &Measurement, name: &str) -> BTreeMap<String, f64> {
    let series = found.series.iter().find(|series| series.spelled() == name);
    let series = series.unwrap_or_else(|| panic!("no series {name}"));
    let points = series.points.iter();
    points
        .map(|point| (point.name.clone(), point.value.expect("a figure")))
        .collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{what}: {found}, not {expected}"
    );
}

fn compare_fit(found: &Measurement, file: &str, fit: &Value, name: &str) {
    let expected = fit["coef"].as_object().expect("coefficients");
    for (figure, field) in [
        ("coefficient", "beta"),
        ("standard error", "se"),
        ("robust standard error", "se_robust"),
        ("odds ratio", "or_"),
        ("lower bound of the odds ratio", "or_lo"),
        ("upper bound of the odds ratio", "or_hi"),
    ] {
        let found = series(found, &format!("{figure}, {file}"));
        assert_eq!(found.len(), expected.len(), "{name} {figure}");
        for (label, expected) in expected {
            let what = format!("{name}: {figure} of {label}");
            close(found[label], expected[field].as_f64().expect(field), &what);
        }
    }
    for (part, field) in [
        ("records", "n"),
        ("log-likelihood", "loglik"),
        ("iterations", "iterations"),
    ] {
        let found = found.part(&format!("{part}, {file}")).expect(part);
        close(
            found,
            fit[field].as_f64().expect(field),
            &format!("{name}: {part}"),
        );
    }
}

#[test]
fn fits_and_overlaps_are_those_of_the_reference() {
    let folder = folder();
    let text = std::fs::read_to_string(folder.join("logistic.json")).expect("the reference");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let original = survey("original.csv", "d_fin");
    let files = [
        (
            "localsupp_muargus",
            survey("localsupp_muargus.csv", "d_fin"),
        ),
        ("localsupp_exact", survey("localsupp_exact.csv", "d_fin")),
        ("subsample_raking", subsample("w_raking")),
        ("subsample_logit", subsample("w_logit")),
        ("subsample_uncalibrated_dfin", subsample("d_fin")),
        ("subsample_uncalibrated_dinit", subsample("d_init")),
    ];
    for (name, masked) in files {
        let given = [("response", word("ind")), ("event", words(&["1", "2"]))];
        let found = measure(
            "logistic-regression",
            (&original, &masked),
            &PREDICTORS,
            &given,
        );
        let found = found.expect("it can be fitted");
        compare_fit(&found, "original", &golden["fits"]["original"], "original");
        compare_fit(&found, "masked", &golden["fits"][name], name);
        let overlaps = &golden["ci_overlap"][name];
        for (scale, field, part) in [
            (
                "overlap of odds ratios",
                "odds_ratio",
                "mean overlap of odds ratios",
            ),
            ("overlap of log-odds", "logodds", "mean overlap of log-odds"),
        ] {
            let by_label = series(&found, scale);
            for (label, expected) in overlaps.as_object().expect("overlaps") {
                let expected = expected[field].as_f64().expect(field);
                let found = if label == "mean" {
                    found.part(part).expect(part)
                } else {
                    by_label[label]
                };
                close(found, expected, &format!("{name}: {scale} of {label}"));
            }
        }
        let mean = overlaps["mean"]["odds_ratio"].as_f64().expect("a mean");
        close(found.value.expect("a value"), mean, name);
    }
}

#[test]
fn the_commonest_response_is_no_event_unless_told() {
    let original = survey("original.csv", "d_fin");
    let both = (&original, &original);
    let told = [("response", word("ind")), ("event", words(&["1", "2"]))];
    let told = measure("logistic-regression", both, &PREDICTORS, &told).expect("a fit");
    let untold = [("response", word("ind"))];
    let untold = measure("logistic-regression", both, &PREDICTORS, &untold).expect("a fit");
    assert_eq!(told, untold);
    assert_eq!(told.value, Some(1.0));
}

/// Numbers in place of dummies make rows of records, and the same model as the categories.
#[test]
fn records_and_profiles_give_the_same_fit() {
    let original = survey("original.csv", "d_fin");
    let at = original.index_of("uu").expect("a predictor");
    let codes = support::texts(original.column(at));
    let columns = original.columns().iter();
    let mut columns: Vec<Column> = columns.map(|column| Column::clone(column)).collect();
    for category in ["1", "2", "3"] {
        let dummy = |code: &Option<String>| f64::from(u8::from(code.as_deref() == Some(category)));
        let dummies: Vec<f64> = codes.iter().map(dummy).collect();
        columns.push(numbers(&format!("uu={category}"), &dummies));
    }
    let spread = |i: usize| (scatter(i, 3) % 1_000) as f64 + columns[1].as_numeric().unwrap()[i];
    let amounts: Vec<f64> = (0..original.n_records()).map(spread).collect();
    columns.push(numbers("amount", &amounts));
    let file = table(columns);
    let by_numbers = ["age", "qual", "hsize", "uu=1", "uu=2", "uu=3"];
    for (id, response) in [
        ("logistic-regression", "ind"),
        ("linear-regression", "amount"),
    ] {
        let given = [("response", word(response))];
        let profiles = measure(id, (&file, &file), &PREDICTORS, &given).expect("a fit");
        let records = measure(id, (&file, &file), &by_numbers, &given).expect("a fit");
        for figure in ["coefficient", "standard error", "robust standard error"] {
            let name = format!("{figure}, original");
            let (profiles, records) = (series(&profiles, &name), series(&records, &name));
            assert_eq!(profiles.len(), records.len());
            for (label, expected) in profiles {
                close(
                    records[&label],
                    expected,
                    &format!("{id}: {name} of {label}"),
                );
            }
        }
    }
}

fn texts(name: &str, cells: &[&str]) -> Column {
    let cells: Vec<Option<&str>> = cells
        .iter()
        .map(|cell| Some(*cell).filter(|cell| !cell.is_empty()))
        .collect();
    column(name, Role::Key, Kind::Unordered, &cells)
}

fn refusal(columns: Vec<Column>, on: &[&str]) -> String {
    let file = table(columns);
    let given = [("response", word("y")), ("event", words(&["1"]))];
    let found = measure("logistic-regression", (&file, &file), on, &given);
    found.expect_err("there is no fit").to_string()
}

#[test]
fn separation_is_an_error_that_names_the_place_and_not_the_category() {
    let y = ["1", "0", "1", "0", "0", "0", "1", "0"];
    // All three records with the second category have no event.
    let x = ["a", "a", "a", "a", "secret", "secret", "a", "secret"];
    let said = refusal(vec![texts("y", &y), texts("x", &x)], &["x"]);
    assert!(
        said.contains("`x`: category 2 tells the response"),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
    // A number above 4 wherever there is an event, and below elsewhere.
    let x = [5.0, 1.0, 6.0, 2.0, 3.0, 4.0, 7.0, 2.5];
    let said = refusal(vec![texts("y", &y), numbers("x", &x)], &["x"]);
    assert!(
        said.contains("`x`: its number") && said.contains("tells the response"),
        "{said}"
    );
    // No variable alone tells the response, but their sum does; the third has nothing to say.
    let x = [9.0, 0.0, 1.0, 7.0, 0.0, 2.0, 4.0, 4.0];
    let z = [0.0, 2.0, 8.5, 1.0, 8.0, 5.0, 4.5, 3.5];
    let w = [1.0, 2.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.0];
    let columns = vec![
        texts("y", &y),
        numbers("x", &x),
        numbers("z", &z),
        numbers("w", &w),
    ];
    let said = refusal(columns, &["x", "z", "w"]);
    assert!(said.contains("tells the response"), "{said}");
}

#[test]
fn a_predictor_that_follows_from_others_is_an_error() {
    let y = ["1", "0", "1", "0", "0", "1", "1", "0"];
    let x = ["a", "a", "b", "b", "c", "c", "a", "b"];
    let same = ["1", "1", "2", "2", "2", "2", "1", "2"];
    let said = refusal(
        vec![texts("y", &y), texts("x", &x), texts("same", &same)],
        &["x", "same"],
    );
    assert!(
        said.contains("`same`: category 1 is a combination"),
        "{said}"
    );
}

#[test]
fn a_response_of_one_kind_and_an_unknown_event_are_errors() {
    let x = ["a", "a", "b", "b"];
    let said = refusal(vec![texts("y", &["1"; 4]), texts("x", &x)], &["x"]);
    assert!(
        said.contains("the response is the same in all records of the original file"),
        "{said}"
    );
    let said = refusal(vec![texts("y", &["0"; 4]), texts("x", &x)], &["x"]);
    assert!(said.contains("`event` names `1`"), "{said}");
    let said = refusal(
        vec![texts("y", &["1", "0", "1", "0"]), texts("x", &x)],
        &["y"],
    );
    assert!(said.contains("no predictor"), "{said}");
}
