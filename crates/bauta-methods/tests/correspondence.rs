//! Multiple correspondence analysis against the reference of the victimisation survey.

use crate::support;

use std::path::PathBuf;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::measure::Measurement;
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, MethodError, Pair, RawValue, RunContext, registry};
use serde_json::Value;
use support::{Wanted, column, params, read_csv, read_numbers, reference, table};

const ACTS: [&str; 6] = [
    "theft_housing",
    "theft_vehicle",
    "theft_violence",
    "theft_noviolence",
    "phys_violence",
    "threat",
];
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

/// The survey's acts, with the keys of another file of the same records.
fn survey(keys: &str) -> Table {
    let folder = folder();
    let acts = ACTS.iter();
    let acts = acts.map(|name| wanted(name, Role::Sensitive, Kind::Unordered));
    let mut own: Vec<Wanted> = acts.collect();
    own.push(wanted("d_fin", Role::Weight, Kind::Continuous));
    let own = read_csv(&folder.join("original.csv"), &own);
    let wanted = KEYS.map(|name| wanted(name, Role::Key, Kind::Unordered));
    let keys = read_csv(&folder.join(keys), &wanted);
    let columns = own.columns().iter().chain(keys.columns());
    table(columns.map(|column| Column::clone(column)).collect())
}

fn subsample(weight: &str) -> Table {
    let path = folder().join("subsample_weights.csv");
    let ids = read_numbers(&path, "id").into_iter();
    let kept: Vec<u32> = ids.map(|id| id as u32 - 1).collect();
    let own = survey("original.csv").take(&kept).as_source();
    let weights = read_csv(&path, &[wanted(weight, Role::Weight, Kind::Continuous)]);
    let at = own.index_of("d_fin").expect("the weight");
    own.with_column(at, weights.column(0).clone())
}

fn measure(
    (original, masked): (&Table, &Table),
    on: &[&str],
    given: &[(&str, RawValue)],
) -> Result<Measurement, MethodError> {
    let measure = registry::measure("correspondence-analysis").expect("it is registered");
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

fn names(names: &[&str]) -> RawValue {
    RawValue::List(
        names
            .iter()
            .map(|name| RawValue::Text((*name).to_owned()))
            .collect(),
    )
}

/// The figure of one label of a series.
fn figure(found: &Measurement, series: &str, label: &str) -> f64 {
    let all = found.series.iter().find(|all| all.spelled() == series);
    let all = all.unwrap_or_else(|| panic!("no series {series}"));
    let point = all.points.iter().find(|point| point.name == label);
    let point = point.unwrap_or_else(|| panic!("{series} has no {label}"));
    point.value.expect("a figure")
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
        "{what}: {found}, not {expected}"
    );
}

fn compare_map(found: &Measurement, file: &str, golden: &Value, name: &str) {
    let at = |field: &str, axis: usize| golden[field][axis].as_f64().expect(field);
    for axis in 0..6 {
        let label = format!("axis {}", axis + 1);
        let of = |series: &str| figure(found, &format!("{series}, {file}"), &label);
        close(of("eigenvalue"), at("eigenvalues", axis), name);
        close(of("share of inertia"), at("pct", axis) / 100.0, name);
        close(of("corrected eigenvalue"), at("benzecri", axis), name);
        // Axes are turned by another rule here; the reference's is this one.
        let place = figure(found, &format!("{label}, {file}"), "theft_housing=1");
        let sign = if place < 0.0 { -1.0 } else { 1.0 };
        for (group, fields) in [
            (
                "active",
                [
                    ("coord", sign, label.clone()),
                    ("ctr", 1.0, format!("contribution to {label}")),
                    ("cos2", 1.0, format!("squared cosine with {label}")),
                ]
                .as_slice(),
            ),
            (
                "sup",
                &[
                    (
                        "coord",
                        sign,
                        format!("supplementary categories on {label}"),
                    ),
                    ("vtest", sign, format!("test value on {label}")),
                ],
            ),
        ] {
            for (category, expected) in golden[group].as_object().expect("categories") {
                for (field, sign, series) in fields {
                    let found = sign * figure(found, &format!("{series}, {file}"), category);
                    let expected = expected[field][axis].as_f64().expect("a figure");
                    close(found, expected, &format!("{name}: {series} of {category}"));
                }
            }
        }
    }
    let inertia = found
        .part(&format!("total inertia, {file}"))
        .expect("inertia");
    close(
        inertia,
        golden["total_inertia"].as_f64().expect("inertia"),
        name,
    );
    for (group, series) in [
        ("active", "mass"),
        ("sup", "mass of supplementary categories"),
    ] {
        for (category, expected) in golden[group].as_object().expect("categories") {
            let found = figure(found, &format!("{series}, {file}"), category);
            close(found, expected["mass"].as_f64().expect("a mass"), name);
        }
    }
}

#[test]
fn maps_and_distances_are_those_of_the_reference() {
    let folder = folder();
    let text = std::fs::read_to_string(folder.join("mca.json")).expect("the reference");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let original = survey("original.csv");
    let files = [
        ("localsupp_muargus", survey("localsupp_muargus.csv")),
        ("localsupp_exact", survey("localsupp_exact.csv")),
        ("subsample_raking", subsample("w_raking")),
        ("subsample_logit", subsample("w_logit")),
    ];
    for (name, masked) in files {
        let supplementary = ("supplementary", names(&KEYS));
        let six = [supplementary.clone(), ("axes", RawValue::Integer(6))];
        let found = measure((&original, &masked), &ACTS, &six).expect("maps");
        compare_map(&found, "original", &golden["original"], "original");
        compare_map(&found, "masked", &golden[name], name);
        let found = measure((&original, &masked), &ACTS, &[supplementary]).expect("maps");
        let utility = &golden["utility"][name];
        let distance = utility["sup_rms_axes12"].as_f64().expect("a distance");
        close(found.value.expect("a value"), distance, name);
        for axis in 0..2 {
            let expected = utility["tucker_congruence"][axis]
                .as_f64()
                .expect("a congruence");
            let found = found.part(&format!("congruence, axis {}", axis + 1));
            close(found.expect("a congruence"), expected, name);
        }
        // Turning the map can only bring it nearer.
        let turned = found.part("Procrustes distance").expect("a distance");
        assert!(turned <= distance * (1.0 + 1e-12), "{name}: {turned}");
    }
}

fn texts(name: &str, cells: &[&str]) -> Column {
    let cells: Vec<Option<&str>> = cells
        .iter()
        .map(|cell| Some(*cell).filter(|cell| !cell.is_empty()))
        .collect();
    column(name, Role::Key, Kind::Unordered, &cells)
}

#[test]
fn categories_of_one_file_are_counted_and_left_out() {
    let original = table(vec![
        texts("a", &["x", "x", "y", "y", "z", "x"]),
        texts("b", &["1", "2", "2", "1", "2", "1"]),
    ]);
    let masked = table(vec![
        texts("a", &["x", "x", "y", "y", "w", ""]),
        texts("b", &["1", "2", "2", "1", "2", "1"]),
    ]);
    let found = measure((&original, &masked), &["a", "b"], &[]).expect("maps");
    // x, y, 1 and 2 are in both; z and w in one; a missing value is in one too, and of no interest.
    assert_eq!(found.part("categories compared"), Some(4.0));
    assert_eq!(found.part("categories in one file only"), Some(2.0));
    assert!(found.value.expect("a distance") > 0.0);
    let skip = [("missing", RawValue::Text("skip".to_owned()))];
    let found = measure((&original, &masked), &["a", "b"], &skip).expect("maps");
    assert_eq!(found.part("records, masked"), Some(5.0));
}

#[test]
fn variables_without_variety_make_no_map() {
    let flat = table(vec![
        texts("a", &["x", "x", "x"]),
        texts("b", &["1", "1", "1"]),
    ]);
    let error = measure((&flat, &flat), &["a", "b"], &[]).expect_err("no axis");
    assert!(
        error.to_string().contains("two different values"),
        "{error}"
    );
    let error = measure((&flat, &flat), &["a"], &[]).expect_err("one variable");
    assert!(
        error.to_string().contains("two active variables"),
        "{error}"
    );
}
