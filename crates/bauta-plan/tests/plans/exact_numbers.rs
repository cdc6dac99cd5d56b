//! Numeric keys with more digits than a double holds, from the file to the claim on the released one.

use std::collections::BTreeMap;

use bauta_data::format::{self, ReadOptions};
use bauta_data::{Unwatched, format::FileFormat};
use bauta_plan::run::run;

use crate::support::{Patience, Plain, check, fine, record_of, released, ungated};

/// 300 numbers, of which every third stands in the file twice; a double takes them for three.
fn numbers() -> Vec<u64> {
    let once = (0..300_u64).map(|i| 1_152_921_504_606_847_076 + i);
    let again = once.clone().filter(|number| number % 3 == 0);
    once.chain(again).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = numbers()
        .iter()
        .enumerate()
        .map(|(row, number)| format!("{number},{row}\n"))
        .collect();
    std::fs::write(folder.path().join("x.csv"), format!("id,y\n{rows}")).unwrap();
    folder
}

const DATA: &str = r#"[data]
file = "x.csv"
[variables]
id = { role = "key", kind = "continuous" }
y = { role = "sensitive", kind = "continuous" }
"#;
const OUTPUT: &str = "[output]\nfile = \"out.csv\"\n";

fn counts(texts: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        *counts.entry(text.as_str()).or_default() += 1;
    }
    counts
}

#[test]
fn a_gate_on_k_counts_all_digits_and_fails() {
    let folder = folder();
    let gate =
        "[[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n";
    let record = record_of(folder.path(), &format!("{DATA}{gate}{OUTPUT}"));
    assert!(record.released.is_none());
    let after = record.measures[0].after.as_ref().unwrap();
    assert_eq!(after.value, Some(1.0));
}

#[test]
fn suppression_and_deletion_are_counted_again_by_all_digits() {
    for step in ["suppress-local", "suppress-records"] {
        for semantics in ["visible", "own", "original"] {
            let folder = folder();
            let text = format!(
                "{DATA}[[step]]\nmask = \"{step}\"\nk = 2\nsemantics = \"{semantics}\"\n{OUTPUT}"
            );
            let record = record_of(folder.path(), &text);
            assert!(
                record
                    .claims
                    .iter()
                    .all(|claim| claim.holds && claim.k == 2)
            );
            assert_eq!(record.claims.len(), 1);
            let ids = released(folder.path(), "id");
            let counts = counts(&ids);
            assert_eq!(counts.len(), 100, "the numbers that stand there twice");
            assert!(counts.values().all(|&n| n == 2));
            let changed = record.variables[0].n_changed.unwrap_or(0);
            assert_eq!(changed, if step == "suppress-local" { 200 } else { 0 });
        }
    }
}

#[test]
fn swapped_numbers_reach_the_released_file_whole() {
    let step = "[[step]]\nmask = \"rank-swap\"\non = [\"id\"]\nwindow = 0.1\n";
    let mut expected: Vec<String> = numbers().iter().map(u64::to_string).collect();
    expected.sort();
    let folder = folder();
    let record = record_of(folder.path(), &format!("{DATA}{step}{OUTPUT}"));
    let mut ids = released(folder.path(), "id");
    let unchanged = ids
        .iter()
        .zip(numbers())
        .filter(|(id, number)| **id == number.to_string());
    let n_changed = 400 - unchanged.count() as u64;
    assert_eq!(record.variables[0].n_changed, Some(n_changed));
    assert!(n_changed > 300);
    ids.sort();
    assert_eq!(ids, expected);

    // From text to Parquet, where they are whole numbers of 64 bits.
    let text = format!("{DATA}{step}[output]\nfile = \"out.parquet\"\n");
    let plan = fine(folder.path(), &text);
    run(&plan, ungated(), &Patience::default(), &Plain).unwrap();
    let path = folder.path().join("out.parquet");
    let again = format::read(&path, &ReadOptions::default(), &Unwatched).unwrap();
    assert_eq!(again.format, FileFormat::Parquet);
    let column = again
        .table
        .column_named("id")
        .unwrap()
        .as_categorical()
        .unwrap();
    let texts = column
        .codes
        .iter()
        .map(|code| column.levels.text(code).to_owned());
    let mut ids: Vec<String> = texts.collect();
    ids.sort();
    assert_eq!(ids, expected);
}

#[test]
fn breaks_and_parameters_that_no_double_is_are_refused_where_they_stand() {
    let folder = folder();
    let problems = |text: &str| check(folder.path(), text).err().expect(text);
    let hierarchy = DATA.replace(
        "kind = \"continuous\" }\ny",
        "kind = \"continuous\", hierarchy = { intervals = [[9007199254740993]] } }\ny",
    );
    assert_ne!(hierarchy, DATA);
    for (text, at) in [
        (format!("{hierarchy}{OUTPUT}"), "{ intervals"),
        (
            format!(
                "{DATA}[[step]]\nmask = \"recode\"\non = [\"id\"]\nbreaks = [9007199254740993]\n{OUTPUT}"
            ),
            "[9007199254740993]",
        ),
        (
            format!(
                "{DATA}[[step]]\nmask = \"top-bottom\"\non = [\"id\"]\ntop = 9007199254740993.0\n{OUTPUT}"
            ),
            "9007199254740993.0",
        ),
    ] {
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].message.contains("more digits than a double holds"));
        let span = found[0].span.clone().expect("it has a place");
        assert!(text[span].starts_with(at));
    }
}

#[test]
fn conditions_look_at_all_digits() {
    let folder = folder();
    let limit = 1_152_921_504_606_847_076_u64 + 150;
    let measure = format!(
        "[[measure]]\nuse = [\"univariate-summary\"]\non = [\"y\"]\nwhere = \"id > {limit}\"\n"
    );
    let record = record_of(folder.path(), &format!("{DATA}{measure}{OUTPUT}"));
    let expected = numbers().iter().filter(|&&number| number > limit).count();
    let before = record.measures[0].before.as_ref().unwrap();
    let n_records = before
        .figures
        .iter()
        .find(|figure| figure.name.id == "records");
    assert_eq!(n_records.unwrap().value, Some(expected as f64));
}
