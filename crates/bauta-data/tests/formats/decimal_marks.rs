//! Decimal marks and thousands separators: stated, found in the file, or refused.

use bauta_data::format::{Loaded, ReadOptions, TextStyle, check_decimal_mark};
use bauta_data::number::DecimalMark::{self, Comma, Point};
use bauta_data::{Attribute, DataError, Kind, Role, Unwatched};
use proptest::prelude::*;

use crate::{cells, declared, number, read, write_text};

fn options(names: &[&str], decimal: Option<DecimalMark>) -> ReadOptions {
    let attributes = names.iter().map(|name| number(name)).collect();
    ReadOptions {
        decimal,
        ..declared(attributes)
    }
}

fn numbers(loaded: &Loaded, name: &str) -> Vec<f64> {
    let column = loaded.table.column_named(name).unwrap();
    column.as_numeric().unwrap().to_vec()
}

fn refused(text: &str, names: &[&str], decimal: Option<DecimalMark>) -> DataError {
    let error = read("x.csv", text.as_bytes(), &options(names, decimal));
    error.map(|_| ()).expect_err(text)
}

#[test]
fn a_stated_mark_settles_what_the_other_character_is() {
    let text = b"x;y\n3,201;1\n1,234,567.5;2\n-12;3\n";
    let loaded = read("x.csv", text, &options(&["x"], Some(Point))).unwrap();
    assert_eq!(numbers(&loaded, "x"), [3201.0, 1_234_567.5, -12.0]);
    let text = b"x;y\n3.201;1\n1.234.567,5;2\n-12,25;3\n";
    let loaded = read("x.csv", text, &options(&["x"], Some(Comma))).unwrap();
    assert_eq!(numbers(&loaded, "x"), [3201.0, 1_234_567.5, -12.25]);
    let loaded = read("x.csv", b"x\n\"3,201\"\n", &options(&["x"], Some(Comma))).unwrap();
    assert_eq!(numbers(&loaded, "x"), [3.201]);
}

#[test]
fn malformed_thousands_are_no_numbers_and_are_told_with_line_and_variable() {
    for (text, mark) in [
        ("x;y\n1,5;1\n2;2\n12,34;1\n", Point),
        ("x;y\n0,123;1\n2;2\n1,234,5;1\n", Point),
        ("x;y\n1.5;1\n2;2\n1.2345;1\n", Comma),
    ] {
        let error = refused(text, &["x"], Some(mark));
        let told: Vec<_> = (error.problems.iter())
            .map(|problem| (problem.line, problem.variable.as_deref()))
            .collect();
        assert_eq!(told, [(Some(2), Some("x")), (Some(4), Some("x"))], "{text}");
    }
}

#[test]
fn untouched_columns_keep_their_separators_and_masked_ones_have_none() {
    let text = b"x;y\n3,201;1\n1,234,567.50;2\n";
    let loaded = read("x.csv", text, &options(&["x"], Some(Point))).unwrap();
    assert_eq!(write_text(&loaded.table, loaded.style), text);
    // Written with another mark than it was read with.
    let german = TextStyle {
        decimal: Comma,
        ..loaded.style
    };
    let written = write_text(&loaded.table, german);
    assert_eq!(written, b"x;y\n3201;1\n1234567,50;2\n");
    let column = loaded.table.column(0);
    let masked = loaded.table.with_column(0, column.moved(&[1, 0]));
    assert_eq!(cells(&masked, "x"), ["1234567.5", "3201"]);
    // More digits than a double holds, in groups.
    let text = b"x;y\n9,007,199,254,740,993;1\n9,007,199,254,740,992;2\n";
    let loaded = read("x.csv", text, &options(&["x"], Some(Point))).unwrap();
    let column = loaded.table.column(0);
    assert!(!column.same_value(0, column, 1));
}

#[test]
fn a_mark_that_the_file_shows_is_found() {
    let read = |text: &str, names: &[&str]| {
        let loaded = read("x.csv", text.as_bytes(), &options(names, None));
        loaded.unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let loaded = read("x;y\n1,5;a\n2,25;b\n", &["x"]);
    assert_eq!(
        (loaded.style.decimal, numbers(&loaded, "x")),
        (Comma, vec![1.5, 2.25])
    );
    // One number decides for its column, and one column for the file.
    let loaded = read("x;y\n1,234;7\n2,5;8\n", &["x", "y"]);
    assert_eq!(
        (loaded.style.decimal, numbers(&loaded, "x")),
        (Comma, vec![1.234, 2.5])
    );
    let loaded = read("x;y\n1,234;7,5\n2,345;8\n", &["x", "y"]);
    assert_eq!(numbers(&loaded, "x"), [1.234, 2.345]);
    assert!(loaded.remarks.is_empty());
    let loaded = read("x;y\n1,234;7.5\n2,345;8\n", &["x", "y"]);
    assert_eq!(
        (loaded.style.decimal, numbers(&loaded, "x")),
        (Point, vec![1234.0, 2345.0])
    );
    assert_eq!(loaded.remarks[0].id, "thousands-separators");
    assert_eq!(loaded.remarks[0].variable.as_deref(), Some("x"));
    // Three decimals everywhere are a format, unless the file has decimal commas.
    let loaded = read("x;y\n1.234;7\n2.000;8\n", &["x", "y"]);
    assert_eq!(
        (loaded.style.decimal, numbers(&loaded, "x")),
        (Point, vec![1.234, 2.0])
    );
    let loaded = read("x;y\n1.234;7,5\n2.000;8\n", &["x", "y"]);
    assert_eq!(
        (loaded.style.decimal, numbers(&loaded, "x")),
        (Comma, vec![1234.0, 2000.0])
    );
    // Categories with commas are nobody's doubt, missing texts neither.
    let loaded = read("x;y\n1.5;1,234\nNA;2,345\n", &["x"]);
    assert_eq!(loaded.style.decimal, Point);
    assert!(loaded.remarks.is_empty(), "{:?}", loaded.remarks);
}

#[test]
fn columns_that_are_not_read_as_numbers_are_witnesses_too() {
    let read = |text: &str, names: &[&str]| read("x.csv", text.as_bytes(), &options(names, None));
    // y shows a comma, whether or not anybody declares it; missing texts are no evidence against it.
    let text = "x;y\n1.234;7,5\n2.000;NA\n";
    for names in [&["x"][..], &["x", "y"]] {
        let loaded = read(text, names).unwrap();
        assert_eq!(
            (loaded.style.decimal, numbers(&loaded, "x")),
            (Comma, vec![1234.0, 2000.0])
        );
        assert_eq!(loaded.remarks[0].variable.as_deref(), Some("x"));
    }
    // Dates, versions, codes and texts are no evidence.
    for other in ["01.02.2003", "1.2.3", "01.11", "2003.11", "x1,5"] {
        let text = format!("x;y\n1,234;{other}\n2,000;{other}\n");
        assert!(read(&text, &["x"]).is_err(), "{other}");
    }
    // Columns that contradict each other are named, also where only one is read as numbers …
    let error = read("x;y\n1,5;1.5\n2,5;2.5\n", &["x"])
        .map(drop)
        .unwrap_err();
    let told: Vec<_> = (error.problems.iter())
        .map(|problem| problem.variable.as_deref())
        .collect();
    assert_eq!(told, [Some("y"), Some("x")]);
    // … and where no number depends on them, nothing is refused.
    for names in [&[][..], &["z"]] {
        let loaded = read("x;y;z\n1,5;1.5;3\n2,5;2.5;4\n", names).unwrap();
        assert_eq!(loaded.style.decimal, Point);
    }
}

#[test]
fn a_mark_that_the_file_does_not_show_is_asked_for() {
    // All variables at once, and other problems of the file with them.
    let text = "x;y;z;t\n3,201;1.500;1;12,000\n5;7;2;13,500\n1;2;3\n";
    let error = refused(text, &["x", "y", "z", "t"], None);
    let told: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.variable.as_deref())
        .collect();
    assert_eq!(told, [Some("x"), Some("y"), Some("t"), None]);
    let (comma, point) = (error.problems[0].to_string(), error.problems[1].to_string());
    assert!(comma.contains("decimal = \".\" reads 1,234 as 1234, decimal = \",\" as 1.234"));
    assert!(point.contains("decimal = \".\" reads 1.234 as 1.234, decimal = \",\" as 1234"));
    for text in ["3,201", "1.500", "12,000"] {
        assert!(!error.to_string().contains(text), "{error}");
    }
    let weight = Attribute::new("w", Role::Weight, Kind::Continuous);
    let error = read("x.csv", b"w\n\"1,234\"\n", &declared(vec![weight]));
    assert!(error.is_err());
}

#[test]
fn columns_that_contradict_each_other_are_all_named() {
    let text = "x;y;z\n1,5;1.5;3\n2,5;2.5;4\n";
    let error = refused(text, &["x", "y", "z"], None);
    let told: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.variable.as_deref())
        .collect();
    assert_eq!(told, [Some("y"), Some("x")]);
    let error = refused("x;y\n1,5;1\n1.5;2\n", &["x"], None);
    assert_eq!(error.problems.len(), 2);
}

#[test]
fn a_check_looks_at_all_records_and_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let mut text = "x;y\n".to_owned();
    text.extend((0..5000).map(|i| format!("{};{},{:03}\n", i % 900, 1 + i % 99, i % 1000)));
    std::fs::write(&path, &text).unwrap();
    let options = options(&["x", "y"], None);
    let checked = check_decimal_mark(&path, &options, &Unwatched).unwrap_err();
    let by_reading = bauta_data::format::read(&path, &options, &Unwatched)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(checked, by_reading);
    std::fs::write(&path, text.clone() + "7;0,5\n").unwrap();
    check_decimal_mark(&path, &options, &Unwatched).unwrap();
    // A column that nobody declared is looked at too.
    let with_z = text.replace('\n', ";1.5\n").replacen("1.5", "z", 1);
    std::fs::write(&path, with_z).unwrap();
    check_decimal_mark(&path, &options, &Unwatched).unwrap();
}

proptest! {
    /// A number in any spelling of a convention is read as the number, whoever states or finds the mark.
    #[test]
    fn spellings_of_a_convention_are_read_as_their_numbers(
        cents in prop::collection::vec(-100_000_000_i64..100_000_000, 1..30),
        comma in any::<bool>(),
        grouped in any::<bool>(),
    ) {
        let (mark, separator) = if comma { (Comma, ".") } else { (Point, ",") };
        let spelled = |cents: &i64| {
            let whole = (cents.abs() / 100).to_string();
            let mut text = if *cents < 0 { "-".to_owned() } else { String::new() };
            for (at, digit) in whole.chars().enumerate() {
                if grouped && at > 0 && (whole.len() - at).is_multiple_of(3) {
                    text.push_str(separator);
                }
                text.push(digit);
            }
            format!("{text}{}{:02}", if comma { "," } else { "." }, cents.abs() % 100)
        };
        let rows: String = cents.iter().map(|cents| format!("{}\n", spelled(cents))).collect();
        let text = format!("x;y\n{}", rows.replace('\n', ";1\n"));
        for decimal in [None, Some(mark)] {
            let loaded = read("x.csv", text.as_bytes(), &options(&["x"], decimal)).unwrap();
            prop_assert_eq!(loaded.style.decimal, mark);
            let expected: Vec<f64> = cents.iter().map(|&cents| cents as f64 / 100.0).collect();
            prop_assert_eq!(numbers(&loaded, "x"), expected);
            prop_assert_eq!(write_text(&loaded.table, loaded.style), text.as_bytes());
        }
    }
}
