//! What errors, notes and screens say of margins that rest on few records: counts and places, no name
//! and no figure.

use crate::support;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::pair::Rows;
use bauta_methods::{Change, MethodError, Note, Pair, RawValue, RunContext, registry};
use serde_json::Value;
use support::{column, params, table};

const RARE: &str = "canary-ill";
/// Income and weight of the record that alone is so ill.
const FIGURE: f64 = 987_654.25;

fn texts(texts: &[&str]) -> RawValue {
    let texts = texts.iter().map(|&text| RawValue::Text(text.to_owned()));
    RawValue::List(texts.collect())
}

fn of(name: &str, role: Role, kind: Kind, cells: &[String]) -> Column {
    let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
    column(name, role, kind, &cells)
}

/// 60 people with an illness, an income and a weight; the first `n_rare` have the rare one, and the
/// figures that only they have.
fn people(n_rare: usize) -> Table {
    let all = |cell: &dyn Fn(usize) -> String| -> Vec<String> { (0..60).map(cell).collect() };
    let ill = all(&|i| match i {
        i if i < n_rare => RARE.to_owned(),
        i => ["cold", "flu"][i % 2].to_owned(),
    });
    let figure = |i: usize, usual: usize| match i {
        i if i < n_rare => FIGURE.to_string(),
        i => (usual + i).to_string(),
    };
    table(vec![
        of("ill", Role::Sensitive, Kind::Unordered, &ill),
        of(
            "sex",
            Role::Key,
            Kind::Unordered,
            &all(&|i| (i % 4 / 2).to_string()),
        ),
        of(
            "income",
            Role::Sensitive,
            Kind::Continuous,
            &all(&|i| figure(i, 100)),
        ),
        of("w", Role::Weight, Kind::Continuous, &all(&|i| figure(i, 1))),
    ])
}

/// The records from the given one on.
fn from(table: &Table, first: u32) -> Table {
    let kept: Vec<u32> = (first..table.n_records() as u32).collect();
    table.take(&kept)
}

fn calibrate(
    original: &Table,
    masked: &Table,
    given: &[(&str, RawValue)],
) -> Result<(Change, Vec<Note>), MethodError> {
    let adjuster = registry::adjuster("calibrate").expect("it is registered");
    let weight = masked.index_of("w").expect("a weight");
    let task = AdjustTask {
        pair: Pair {
            original,
            masked,
            rows: Rows::Correspond,
        },
        on: &[weight],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let change = adjuster.adjust(&params(adjuster.card(), given), &task, &context)?;
    Ok((change, context.into_notes()))
}

fn error(original: &Table, masked: &Table, given: &[(&str, RawValue)]) -> String {
    let error = calibrate(original, masked, given).expect_err("there are no such weights");
    error.to_string()
}

fn assert_silent(text: &str) {
    for canary in [RARE, "987654", "9.87654"] {
        assert!(!text.contains(canary), "{canary}: {text}");
    }
}

#[test]
fn an_empty_category_of_few_records_is_said_by_its_place() {
    let original = people(1);
    for margins in [&["ill"][..], &["income*ill"], &["sex*ill"]] {
        let error = error(
            &original,
            &from(&original, 1),
            &[("margins", texts(margins))],
        );
        assert_silent(&error);
        assert!(error.contains("E-CAL-EMPTY"), "{error}");
        assert!(error.contains("has a target but no record left"), "{error}");
        assert!(error.contains("(1 deleted)"), "{error}");
    }
    let error = error(
        &original,
        &from(&original, 1),
        &[("margins", texts(&["ill"]))],
    );
    // In natural order the rare one is the first of three; flu has 29 records and may be named.
    assert!(
        error.contains("variable ill: category 1 of 3 has"),
        "{error}"
    );
    assert!(error.contains("merge it with ill="), "{error}");
}

#[test]
fn an_empty_category_of_ten_records_is_named_with_its_target() {
    let original = people(10);
    let error = error(
        &original,
        &from(&original, 10),
        &[("margins", texts(&["ill"]))],
    );
    let expected = format!("category {RARE} has target {} but", 10.0 * FIGURE);
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn a_category_that_the_user_gave_a_total_for_is_named() {
    let original = people(1);
    let totals = RawValue::Map(vec![
        (format!("ill={RARE}"), RawValue::Number(0.0)),
        ("ill=cold".to_owned(), RawValue::Number(100.0)),
        ("ill=flu".to_owned(), RawValue::Number(100.0)),
    ]);
    let error = error(&original, &original, &[("totals", totals)]);
    let expected =
        format!("positive weights cannot reach every target: margin ill={RARE} has target 0");
    assert!(error.contains(&expected), "{error}");
    // By its place it is not: the user did not write the name.
    let totals = RawValue::Map(
        [("ill#1", 0.0), ("ill#2", 100.0), ("ill#3", 100.0)]
            .map(|(name, total)| (name.to_owned(), RawValue::Number(total)))
            .to_vec(),
    );
    let error = self::error(&original, &original, &[("totals", totals)]);
    assert_silent(&error);
    assert!(
        error.contains("margin category 1 of 3 of `ill` has target 0 and 1 records"),
        "{error}"
    );
}

#[test]
fn margins_that_disagree_by_one_record_give_no_sum() {
    // Twins but for the first record, which goes: then `a` and `b` are one and their totals are not.
    let cells = |first: &str| -> Vec<String> {
        let others = (1..60).map(|i| (i % 2).to_string());
        std::iter::once(first.to_owned()).chain(others).collect()
    };
    let weights: Vec<String> = (0..60)
        .map(|i| if i == 0 { FIGURE } else { 1.0 }.to_string())
        .collect();
    let original = table(vec![
        of("a", Role::Other, Kind::Unordered, &cells("0")),
        of("b", Role::Other, Kind::Unordered, &cells("1")),
        of("w", Role::Weight, Kind::Continuous, &weights),
    ]);
    let error = error(
        &original,
        &from(&original, 1),
        &[("margins", texts(&["a", "b"]))],
    );
    assert_silent(&error);
    assert!(error.contains("E-CAL-CONTRADICT"), "{error}");
    assert!(
        error.contains("b=0 is the same as a=0, and their totals are not"),
        "{error}"
    );
}

#[test]
fn bounds_that_one_record_breaks_are_proved_without_its_name() {
    let original = people(2);
    let bounds = [
        ("margins", texts(&["ill"])),
        ("method", RawValue::Text("logit".to_owned())),
        ("lower", RawValue::Number(0.9)),
        ("upper", RawValue::Number(1.1)),
        ("scale", RawValue::Flag(false)),
    ];
    let error = error(&original, &from(&original, 1), &bounds);
    assert_silent(&error);
    assert!(error.contains("E-CAL-INFEASIBLE"), "{error}");
    assert!(error.contains("category 1 of 3 of `ill`"), "{error}");
}

#[test]
fn notes_count_margins_of_few_records_and_the_record_names_them() {
    let original = people(1);
    let given = [
        ("margins", texts(&["1", "sex", "ill"])),
        ("method", RawValue::Text("linear".to_owned())),
    ];
    let (change, notes) = calibrate(&original, &original, &given).expect("they are its own");
    let small = notes.iter().find(|note| note.id == "small-margins");
    let small = small.expect("a margin of one record");
    assert_silent(&small.text);
    assert_silent(&small.to_json().to_string());
    assert!(
        small
            .text
            .contains("1 margin rests on fewer than 10 records (W-SMALL)"),
        "{}",
        small.text
    );
    assert!(
        small.text.contains("margin ill=cold rests on 29 records"),
        "{}",
        small.text
    );
    let full = format!("margin ill={RARE} rests on 1 records");
    assert!(small.in_full().contains(&full), "{}", small.in_full());
    let recorded = serde_json::to_value(small).expect("a note");
    let names = recorded["within"]["margins"].to_string();
    assert!(names.contains(RARE), "{names}");
    // What scripts are told of the evidence has neither name nor figure, the evidence has both.
    let evidence = change.evidence.expect("evidence");
    assert!(evidence.data.to_string().contains(RARE));
    let adjuster = registry::adjuster("calibrate").expect("it is registered");
    let told = adjuster.told(&evidence.data).expect("it tells");
    assert_silent(&told.to_string());
    let rows = told["margins"].as_array().expect("margins");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "1",
            "sex=0",
            "sex=1",
            "category 1 of 3 of `ill`",
            "ill=cold",
            "ill=flu"
        ]
    );
    assert_eq!(rows[3]["target"], Value::Null);
    assert_eq!(rows[3]["n_after"], 1);
    // All people less those with flu and with a cold would be the one: the smaller of the two goes with it.
    assert_eq!(rows[4]["target"], Value::Null);
    assert!(rows[5]["target"].is_number());
}

#[test]
fn a_number_among_the_margins_is_refused_before_the_work() {
    let file_of = |n: usize, distinct: usize| {
        let cells: Vec<String> = (0..n).map(|i| (1_000 + i % distinct).to_string()).collect();
        table(vec![
            of("inc", Role::Other, Kind::Unordered, &cells),
            of(
                "w",
                Role::Weight,
                Kind::Continuous,
                &vec!["1".to_owned(); n],
            ),
        ])
    };
    let file = |distinct: usize| file_of(2_000, distinct);
    let given = [("margins", texts(&["inc"]))];
    let error_of = |distinct: usize| calibrate(&file(distinct), &file(distinct), &given).err();
    let error = error_of(2_000).expect("it is a number");
    let MethodError::Request {
        variable,
        message,
        hint,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(variable.as_deref(), Some("inc"));
    assert_eq!(
        message,
        "E-CAL-MANY: calibration variable inc has 2000 categories in 2000 records, fewer than 10 records in each"
    );
    assert!(
        hint.contains("`--continuous inc`") && hint.contains("kind = \"continuous\""),
        "{hint}"
    );
    // 201 categories are too many for 2,000 records, 200 are not; up to 100 are never.
    assert!(error_of(201).is_some());
    assert!(error_of(200).is_none());
    let few = file_of(110, 100);
    assert!(calibrate(&few, &few, &given).is_ok());
    // Totals that were given one by one are meant.
    let totals = (0..300).map(|i| (format!("inc={}", 1_000 + i), RawValue::Number(10.0)));
    let totals = [("totals", RawValue::Map(totals.collect()))];
    assert!(calibrate(&file(300), &file(300), &totals).is_ok());
}
