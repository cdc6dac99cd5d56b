//! The rule of ten in the tables of measures: no figure there rests on fewer records.

use crate::support;

use bauta_data::{Column, Condition, Kind, Role, Table, Unwatched};
use bauta_methods::measure::{Measurement, Part};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, Groups, MeasureTask, Pair, RawValue, RunContext, measure_groups, registry,
};
use support::{column, params, table};

const N: usize = 120;
/// What the record that is alone in its category has.
const ALONE: f64 = 8_675_309.25;

fn of(name: &str, role: Role, kind: Kind, cell: impl Fn(usize) -> String) -> Column {
    let cells: Vec<String> = (0..N).map(cell).collect();
    let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
    column(name, role, kind, &cells)
}

/// One record is in the category `one`, nine are in `nine`, ten in `ten`, the others in `many`.
fn people() -> Table {
    let group = |i: usize| match i {
        0 => "one",
        1..10 => "nine",
        10..20 => "ten",
        _ => "many",
    };
    table(vec![
        of("g", Role::Key, Kind::Unordered, |i| group(i).to_owned()),
        of("h", Role::Key, Kind::Unordered, |i| (i % 3).to_string()),
        of("y", Role::Sensitive, Kind::Unordered, |i| {
            (i / 2 % 2).to_string()
        }),
        of("x", Role::Sensitive, Kind::Continuous, |i| match i {
            0 => ALONE.to_string(),
            i => (100 + i * i % 41).to_string(),
        }),
        of("w", Role::Weight, Kind::Continuous, |i| {
            (2 + i % 3).to_string()
        }),
    ])
}

fn word(word: &str) -> RawValue {
    RawValue::Text(word.to_owned())
}

fn measured(id: &str, on: &[&str], given: &[(&str, RawValue)]) -> Measurement {
    let (people, groups) = (people(), Groups::default());
    grouped(id, [&people, &people], on, given, &groups)
}

fn grouped(
    id: &str,
    [original, masked]: [&Table; 2],
    on: &[&str],
    given: &[(&str, RawValue)],
    groups: &Groups,
) -> Measurement {
    let measure = registry::measure(id).expect("it is registered");
    let params = params(measure.card(), given);
    let on: Vec<String> = on.iter().map(|&name| name.to_owned()).collect();
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "measure", &Unwatched);
    let found = measure_groups(measure, &params, &task, groups, original, &context);
    found.expect("it can be measured")
}

fn point<'m>(found: &'m Measurement, series: &str, label: &str) -> &'m Part {
    let one = found.series.iter().find(|one| one.spelled() == series);
    let one = one.unwrap_or_else(|| panic!("no series {series}"));
    let point = one.points.iter().find(|point| point.name == label);
    point.unwrap_or_else(|| panic!("{series} has no {label}"))
}

#[test]
fn rates_and_means_of_fewer_than_ten_records_are_not_in_the_tables() {
    let given = [("of", RawValue::List(vec![word("x"), word("y")]))];
    let found = measured("rates", &["g"], &given);
    for file in ["original", "masked", "difference"] {
        for series in ["mean x by g", "y = 0 by g"] {
            let value = |label: &str| point(&found, &format!("{series}: {file}"), label).value;
            assert_eq!(
                [value("one"), value("nine")],
                [None, None],
                "{series}: {file}"
            );
            // Of the ten, four have y = 0 and six y = 1.
            assert_eq!(value("ten").is_some(), series == "mean x by g");
            assert!(value("many").is_some(), "{series}: {file}");
        }
    }
    let value = |series: &str, label: &str| point(&found, series, label).value;
    assert_eq!(value("weighted total by g: original", "one"), None);
    assert!(value("weighted total by g: original", "ten").is_some());
    // Numbers of records are always there.
    assert_eq!(value("records by g: original", "one"), Some(1.0));
    assert_eq!(value("records by g: masked", "nine"), Some(9.0));
    // What is compared did not change: rows of ten records, in each file.
    assert_eq!(found.part("rates_too_small"), Some(6.0));
    // A parameter says otherwise: the mean of one record is its value.
    let given = [given[0].clone(), ("min_records", RawValue::Integer(1))];
    let found = measured("rates", &["g"], &given);
    assert_eq!(
        point(&found, "mean x by g: original", "one").value,
        Some(ALONE)
    );
    // And the screen is not told even then.
    assert!(point(&found, "mean x by g: original", "one").few);
    assert!(!point(&found, "mean x by g: original", "ten").few);
}

#[test]
fn odds_of_an_event_that_few_records_have_are_not_in_the_tables() {
    // `late` has 3 events among 40 records, `early` and `noon` have 20 each.
    let event = |i: usize| match i % 3 {
        2 => i % 40 == 2,
        _ => i.is_multiple_of(2),
    };
    let people = table(vec![
        of("g", Role::Key, Kind::Unordered, |i| {
            ["early", "noon", "late"][i % 3].to_owned()
        }),
        of("h", Role::Key, Kind::Unordered, |i| (i / 3 % 2).to_string()),
        of("y", Role::Sensitive, Kind::Unordered, |i| {
            u8::from(event(i)).to_string()
        }),
    ]);
    let n_events = |group: usize| (0..N).filter(|&i| i % 3 == group && event(i)).count();
    assert_eq!([n_events(0), n_events(1)], [20, 20]);
    assert!((1..10).contains(&n_events(2)));
    let given = [
        ("response", word("y")),
        ("event", RawValue::List(vec![word("1")])),
    ];
    let groups = Groups::default();
    let pair = [&people, &people];
    let told = |given: &[(&str, RawValue)], label: &str| {
        let found = grouped("logistic-regression", pair, &["g", "h"], given, &groups);
        let series = ["coefficient, original", "overlap of log-odds"];
        series.map(|series| point(&found, series, label).value.is_some())
    };
    // The last in order, `noon`, is the reference.
    assert_eq!(told(&given, "g=late"), [false; 2]);
    assert_eq!(told(&given, "g=early"), [true; 2]);
    let all = [
        given[0].clone(),
        given[1].clone(),
        ("min_records", RawValue::Integer(1)),
    ];
    assert_eq!(told(&all, "g=late"), [true; 2]);
}

/// One person has an illness that nobody else has; a region of few, and regions of many.
fn patients() -> Table {
    let ill = |i: usize| match i {
        37 => "rare",
        _ => ["a", "b", "c"][i % 3],
    };
    table(vec![
        of("ill", Role::Sensitive, Kind::Unordered, |i| {
            ill(i).to_owned()
        }),
        of("two", Role::Sensitive, Kind::Unordered, |i| {
            (if i == 37 { "yes" } else { "no" }).to_owned()
        }),
        of("reg", Role::Key, Kind::Unordered, |i| (i % 2).to_string()),
        of("w", Role::Weight, Kind::Continuous, |i| {
            (2 + i % 3).to_string()
        }),
    ])
}

#[test]
fn rates_of_an_outcome_that_few_records_have_are_not_in_the_tables() {
    let (people, groups) = (patients(), Groups::default());
    let of = RawValue::List(vec![word("ill"), word("two")]);
    let given = [("of", of)];
    let found = grouped("rates", [&people, &people], &["reg"], &given, &groups);
    for file in ["original", "masked", "difference"] {
        let value =
            |series: &str, label: &str| point(&found, &format!("{series}: {file}"), label).value;
        // Record 37 is of region 1; a 0 for region 0 would say the same.
        for region in ["0", "1"] {
            assert_eq!(value("ill = rare by reg", region), None, "{file}");
            assert_eq!(value("two = yes by reg", region), None, "{file}");
            assert_eq!(value("two = no by reg", region), None, "{file}");
            // Not what is left of 1 either: in each region another share is withheld, 20 records or fewer.
            let letters = ["a", "b", "c"].map(|c| value(&format!("ill = {c} by reg"), region));
            let n_told = letters.iter().flatten().count();
            assert_eq!(n_told, 2, "{file}, region {region}: {letters:?}");
        }
        // Their own shares: 1 is not told less 40 - 1 = 39 of `b`.
        assert_eq!(value("share by ill", "rare"), None);
        assert_eq!(value("share by ill", "b"), None);
        assert!(value("share by ill", "a").is_some());
        assert_eq!(value("share by two", "no"), None);
    }
    let total = |label: &str| point(&found, "weighted total by ill: original", label).value;
    assert_eq!([total("rare"), total("b")], [None, None]);
    assert!(total("a").is_some());
    // A parameter says otherwise, and the screen is not told even then.
    let given = [given[0].clone(), ("min_records", RawValue::Integer(1))];
    let found = grouped("rates", [&people, &people], &["reg"], &given, &groups);
    // Weight 2 + 37 % 3 = 3 of the 60 records of region 1, whose weights are 20 each of 2, 3 and 4.
    let rate = point(&found, "ill = rare by reg: original", "1");
    assert_eq!((rate.value, rate.few), (Some(3.0 / 180.0), true));
}

#[test]
fn shares_of_categories_of_fewer_than_ten_records_are_not_in_the_tables() {
    let found = measured("rates", &["g"], &[]);
    for file in ["original", "masked", "difference"] {
        let value = |label: &str| point(&found, &format!("share by g: {file}"), label).value;
        assert_eq!([value("one"), value("nine")], [None, None], "{file}");
        assert!(value("ten").is_some(), "{file}");
    }
}

#[test]
fn coefficients_that_rest_on_fewer_than_ten_records_are_not_in_the_tables() {
    let given = vec![("response", word("x"))];
    let found = measured("linear-regression", &["g", "h"], &given);
    let value = |found: &Measurement, label: &str| {
        let series = ["coefficient, original", "standard error, masked", "overlap"];
        series.map(|series| point(found, series, label).value.is_some())
    };
    assert_eq!(value(&found, "g=one"), [false; 3]);
    assert_eq!(value(&found, "g=nine"), [false; 3]);
    // The last in order, `ten`, is the reference.
    assert_eq!(value(&found, "g=many"), [true; 3]);
    assert_eq!(value(&found, "h=1"), [true; 3]);
    // Where the reference is the rare category, all that is compared with it rests on it.
    let first = [given[0].clone(), ("reference", word("first"))];
    let renamed = |table: &Table| {
        let g = of("g", Role::Key, Kind::Ordered, |i| {
            if i == 0 { "0" } else { ["1", "2"][i % 2] }.to_owned()
        });
        table.with_column(0, g)
    };
    let people = renamed(&people());
    let none = Groups::default();
    let found = grouped(
        "linear-regression",
        [&people, &people],
        &["g"],
        &first,
        &none,
    );
    assert_eq!(value(&found, "g=1"), [false; 3]);
    assert_eq!(value(&found, "intercept"), [false; 3]);
    // With a parameter they are there: the intercept is the value of the one record.
    let shown = [
        first[0].clone(),
        first[1].clone(),
        ("min_records", RawValue::Integer(1)),
    ];
    let found = grouped(
        "linear-regression",
        [&people, &people],
        &["g"],
        &shown,
        &none,
    );
    let intercept = point(&found, "coefficient, original", "intercept");
    let intercept = intercept.value.expect("a figure");
    assert!((intercept - ALONE).abs() < 1e-6 * ALONE, "{intercept}");
}

#[test]
fn categories_of_fewer_than_ten_records_have_no_place_on_the_map() {
    let found = measured("correspondence-analysis", &["g", "h", "y"], &[]);
    for series in [
        "axis 1, original",
        "mass, masked",
        "contribution to axis 1, original",
    ] {
        let value = |label: &str| point(&found, series, label).value;
        assert_eq!([value("g=one"), value("g=nine")], [None, None], "{series}");
        assert!(value("g=ten").is_some(), "{series}");
    }
}

#[test]
fn quantiles_near_the_ends_do_not_say_how_far_they_moved() {
    let quantiles = [0.0, 0.05, 0.5, 0.95, 1.0].map(RawValue::Number);
    let given = [("quantiles", RawValue::List(quantiles.to_vec()))];
    let found = measured("weighted-estimates", &["x"], &given);
    let series = "x: relative difference";
    let value = |label: &str| point(&found, series, label).value;
    for label in ["quantile 0", "quantile 0.05", "quantile 0.95", "quantile 1"] {
        assert_eq!(value(label), None, "{label}");
    }
    assert_eq!(
        [value("quantile 0.5"), value("mean")],
        [Some(0.0), Some(0.0)]
    );
    let given = [given[0].clone(), ("min_records", RawValue::Integer(1))];
    let found = measured("weighted-estimates", &["x"], &given);
    assert_eq!(point(&found, series, "quantile 1").value, Some(0.0));
}

#[test]
fn figures_of_a_small_subpopulation_and_of_few_outliers_are_not_told() {
    let people = people();
    // Everybody's value grows by a tenth.
    let x = people.index_of("x").expect("x");
    let numbers = people.column(x).as_numeric().expect("numbers");
    let raised = people
        .column(x)
        .with_numbers(numbers.iter().map(|x| 1.1 * x).collect());
    let masked = people.with_column(x, raised);
    let condition = |text: &str| Condition::parse(text).expect("a condition");
    let of = |text: &str, outliers: Option<f64>| {
        let groups = Groups {
            outliers,
            condition: Some(condition(text)),
        };
        grouped("il1s", [&people, &masked], &["x"], &[], &groups)
    };
    let found = of("g = \"nine\"", None);
    assert!(found.value.is_some() && found.few.all);
    let told = found.told();
    assert_eq!((told.value, told.by_variable[0].value), (None, None));
    let found = of("g = \"ten\"", None);
    assert!(found.told().value.is_some());
    let groups = Groups {
        outliers: Some(0.05),
        condition: None,
    };
    // Six of 120 records are outliers.
    let found = grouped("il1s", [&people, &masked], &["x"], &[], &groups);
    assert!(found.outliers.is_some() && found.few.outliers && !found.few.rest);
    assert_eq!(found.told().outliers, None);
    assert_eq!(found.told().rest, found.rest);
}
