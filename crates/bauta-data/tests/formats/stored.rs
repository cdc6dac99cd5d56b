//! A file that is read into a store comes out as one that is read into memory.

use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use bauta_data::format::{self, FileFormat, ReadOptions};
use bauta_data::store::Store;
use bauta_data::{Attribute, Kind, Role, Schema, Table, Unwatched};
use std::sync::Arc;

fn written(table: &Table, format: FileFormat) -> Vec<u8> {
    let mut out = Vec::new();
    let name = match format {
        FileFormat::Text => "out.csv",
        FileFormat::Parquet => "out.parquet",
    };
    let style = format::TextStyle::default();
    format::write(&mut out, Path::new(name), table, format, &style, &Unwatched)
        .unwrap_or_else(|error| panic!("{error}"));
    out
}

/// Reads a file both ways, and writes it both ways in both formats.
fn check(path: &Path, options: &ReadOptions) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let in_memory = format::read(path, options, &Unwatched).unwrap();
    let stored = format::read_stored(path, options, &store, &Unwatched).unwrap();
    assert!(stored.table.is_stored());
    assert_eq!(stored.fingerprint, in_memory.fingerprint);
    assert_eq!(stored.style, in_memory.style);
    for format in [FileFormat::Text, FileFormat::Parquet] {
        let (ours, theirs) = (
            written(&stored.table, format),
            written(&in_memory.table, format),
        );
        assert!(ours == theirs, "{} as {format:?}", path.display());
    }
    let columns = stored.table.columns().iter().zip(in_memory.table.columns());
    for (stored, in_memory) in columns {
        assert_eq!(stored.n_missing(), in_memory.n_missing());
        assert_eq!(stored.missing(), in_memory.missing());
    }
}

fn options(name: &str, kind: Kind) -> ReadOptions {
    ReadOptions {
        schema: Schema {
            attributes: vec![Attribute::new(name, Role::Sensitive, kind)],
            ..Schema::default()
        },
        ..ReadOptions::default()
    }
}

#[test]
fn nulls_beside_missing_texts_stay_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let column: ArrayRef = Arc::new(StringArray::from(vec![Some("NA"), None, Some("a"), None]));
    let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    check(&path, &options("a", Kind::Unordered));
}

#[test]
fn numbers_beyond_doubles_have_one_type_in_all_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    // The first block has none of them, and texts that are no plain whole numbers.
    for (first, beyond) in [
        ("5.0", "9007199254740993"),
        ("1.50", "0.12345678901234567890123"),
    ] {
        let mut text = "a,b\n".to_owned();
        for _ in 0..70_000 {
            text += &format!("{first},x\n");
        }
        text += &format!("{beyond},y\n");
        std::fs::write(&path, text).unwrap();
        check(&path, &options("a", Kind::Continuous));
    }
}

#[test]
fn dates_identifiers_and_passengers_come_out_as_they_came_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let mut text = "born,id,note,amount\r\n".to_owned();
    for i in 0..70_000 {
        let note = ["\"a, b\"", "", "NA", "x"][i % 4];
        text += &format!(
            "{:02}/{:02}/19{:02},p{i},{note},{}.50\r\n",
            1 + i % 28,
            1 + i % 12,
            i % 100,
            i % 7
        );
    }
    std::fs::write(&path, text).unwrap();
    let mut options = options("born", Kind::Continuous);
    options
        .schema
        .attributes
        .push(Attribute::new("id", Role::Identifier, Kind::Unordered));
    options
        .schema
        .attributes
        .push(Attribute::new("amount", Role::Sensitive, Kind::Continuous));
    check(&path, &options);
}
