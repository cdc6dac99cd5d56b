//! Of a file, only the variables that somebody described.

use bauta_data::format::{self, ReadOptions};
use bauta_data::{Attribute, Column, DataError, DataErrorKind, Kind, Role, Table, Unwatched};

use crate::{cells, declared, number, read, write_parquet};

/// Undescribed variables with both decimal marks, texts and gaps.
const TEXT: &str = "id;amount;key;share;note\n1;1.5;b;2,5;x\n2;;a;;\"y\nz\"\n3;20.25;b;7,125;\n";

fn described(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, DataError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    format::read_described(&path, options, &Unwatched)
}

fn key() -> Attribute {
    Attribute::new("key", Role::Key, Kind::Unordered)
}

#[test]
fn described_variables_are_read_and_no_others() {
    let whole = read("x.csv", TEXT.as_bytes(), &ReadOptions::default()).unwrap();
    let parquet = write_parquet(&whole.table);
    let options = declared(vec![key()]);
    for (name, bytes) in [("x.csv", TEXT.as_bytes()), ("x.parquet", &parquet)] {
        let table = described(name, bytes, &options).unwrap();
        let of_whole = read(name, bytes, &options).unwrap().table;
        assert_eq!(table.columns().len(), 1);
        assert_eq!(table.n_records(), 3);
        let coded = |column: Option<&Column>| {
            let categories = column.and_then(Column::as_categorical).unwrap();
            let levels: Vec<String> = categories.levels.iter().map(str::to_owned).collect();
            (categories.codes.to_vec(), levels)
        };
        assert_eq!(
            coded(Some(table.column(0))),
            coded(of_whole.column_named("key"))
        );
        assert_eq!(cells(&table, "key"), ["b", "a", "b"]);
    }
}

#[test]
fn numbers_are_read_with_the_mark_that_the_whole_file_shows() {
    let text = TEXT.replace("1.5", "1,5").replace("20.25", "1,250");
    let options = declared(vec![number("amount")]);
    let whole = read("x.csv", text.as_bytes(), &options).unwrap().table;
    let table = described("x.csv", text.as_bytes(), &options).unwrap();
    let values = |table: &Table| {
        let amounts = table
            .column_named("amount")
            .and_then(|column| column.as_numeric());
        amounts
            .unwrap()
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&table), values(&whole));
    // Undescribed variables are witnesses too.
    let error = described("x.csv", TEXT.as_bytes(), &options).unwrap_err();
    let expected = read("x.csv", TEXT.as_bytes(), &options).unwrap_err();
    assert_eq!(error.problems, expected.problems);
}

#[test]
fn memory_is_asked_for_what_is_read() {
    let mut text = "key;a;b;c;d;e;f\n".to_owned();
    for row in 0..20_000 {
        let words: Vec<String> = (0..6).map(|word| format!("a text {row} {word}")).collect();
        text += &format!("{};{}\n", row % 7, words.join(";"));
    }
    let options = ReadOptions {
        memory: Some(19_000_000),
        ..declared(vec![key()])
    };
    let whole = read("x.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let parquet = write_parquet(&whole.table);
    for (name, bytes) in [("x.csv", text.as_bytes()), ("x.parquet", &parquet)] {
        let error = read(name, bytes, &options).unwrap_err();
        assert_eq!(error.kind, DataErrorKind::Memory);
        assert_eq!(
            described(name, bytes, &options).unwrap().n_records(),
            20_000
        );
    }
}

#[test]
fn what_is_wrong_with_records_and_names_is_told() {
    let ragged = TEXT.replace(";b;7,125;", ";b;7,125");
    let options = declared(vec![
        key(),
        Attribute::new("gone", Role::Key, Kind::Ordered),
    ]);
    for (text, options) in [
        (ragged.as_str(), declared(vec![key()])),
        (TEXT, options),
        ("key;key\na;b\n", declared(vec![key()])),
    ] {
        let error = described("x.csv", text.as_bytes(), &options).unwrap_err();
        let expected = read("x.csv", text.as_bytes(), &options).unwrap_err();
        assert_eq!(error.problems, expected.problems);
        assert!(!error.problems.is_empty());
    }
}
