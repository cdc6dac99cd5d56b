//! A file that needs more memory than it may have is refused before the memory is taken.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bauta_data::format::{self, ReadOptions, memory_needed};
use bauta_data::{DataError, DataErrorKind, Unwatched};
use parquet::arrow::ArrowWriter;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;

use crate::{declared, number, read};

const GROUP_RECORDS: usize = 1_000_000;

/// A Parquet file with a million records of the same number, as many times as told: each group of
/// records is a copy of the first one's bytes.
fn repeated_groups(n_groups: usize) -> Vec<u8> {
    let numbers = Arc::new(Int64Array::from(vec![7; GROUP_RECORDS])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("x", numbers)]).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let path = tempfile::NamedTempFile::new().unwrap();
    path.as_file()
        .write_all(&writer.into_inner().unwrap())
        .unwrap();
    let one_group = path.reopen().unwrap();
    let reader = SerializedFileReader::new(one_group.try_clone().unwrap()).unwrap();
    let metadata = reader.metadata();
    let chunk = metadata.row_group(0).column(0);
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    for _ in 0..n_groups {
        let mut group = writer.next_row_group().unwrap();
        let column = ColumnCloseResult {
            bytes_written: u64::try_from(chunk.compressed_size()).unwrap(),
            rows_written: GROUP_RECORDS as u64,
            metadata: chunk.clone(),
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        group.append_column(&one_group, column).unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn limited(options: ReadOptions, megabytes: u64) -> ReadOptions {
    ReadOptions {
        memory: Some(megabytes * 1_000_000),
        ..options
    }
}

fn refused(result: Result<format::Loaded, DataError>) -> String {
    let error = result.expect_err("the file is refused");
    assert_eq!(error.kind, DataErrorKind::Memory);
    error.to_string()
}

#[test]
fn three_hundred_million_records_in_a_small_parquet_file_are_refused_unread() {
    let bytes = repeated_groups(300);
    assert!(bytes.len() < 2_000_000, "{} bytes", bytes.len());
    let options = limited(declared(vec![number("x")]), 2000);
    let started = std::time::Instant::now();
    let message = refused(read("x.parquet", &bytes, &options));
    // 3·10^8 numbers of 10 bytes: 3,000 MB. Decoding them would take far longer than a second.
    assert!(started.elapsed().as_secs() < 1);
    assert!(
        message.contains("needs about 3015 MB of memory (300000000 records of 1 variables), and 2000 MB are allowed"),
        "{message}"
    );
    assert!(message.contains("raise the memory limit"));
    let two = read(
        "x.parquet",
        &repeated_groups(2),
        &limited(declared(vec![number("x")]), 40),
    );
    assert_eq!(two.unwrap().table.n_records(), 2 * GROUP_RECORDS);
}

#[test]
fn a_text_file_is_weighed_by_its_lines_and_by_what_its_columns_hold() {
    let categories: String = (0..200_000).map(|n| format!("{}\n", n % 7)).collect();
    let different: String = (0..200_000).map(|n| format!("{n:06}\n")).collect();
    let file = |cells: &str| format!("a\n{cells}").into_bytes();
    // 15 MB, 400 kB of text and 5 bytes for each of 200,000 records: 16.4 MB.
    let options = limited(ReadOptions::default(), 17);
    assert!(read("x.csv", &file(&categories), &options).is_ok());
    // 15 MB, 1.4 MB of text and 1.2 MB of its cells, 45 bytes for each of 200,000 records: 26.6 MB.
    let message = refused(read("x.csv", &file(&different), &options));
    assert!(
        message.contains("about 26 MB of memory (200000 records of 1 variables)"),
        "{message}"
    );
    assert!(
        read(
            "x.csv",
            &file(&different),
            &limited(ReadOptions::default(), 27)
        )
        .is_ok()
    );
}

#[test]
fn a_file_larger_than_the_limit_is_not_read_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let file = std::fs::File::create(&path).unwrap();
    // A hole of a terabyte: reading it would fill the machine.
    file.set_len(1 << 40).unwrap();
    let options = limited(ReadOptions::default(), 100);
    let message = refused(format::read(&path, &options, &Unwatched));
    assert!(message.contains("the file alone has 1099 GB"), "{message}");
}

#[test]
fn the_estimate_is_the_one_that_reading_goes_by() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..50_000).map(|n| format!("{n},{}\n", n % 3)).collect();
    let words: Vec<String> = (0..50_000).map(|n| format!("word number {n}")).collect();
    let batch = RecordBatch::try_from_iter([(
        "a",
        Arc::new(StringArray::from_iter_values(&words)) as ArrayRef,
    )])
    .unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let files = [
        ("x.csv", format!("a,b\n{text}").into_bytes()),
        ("x.parquet", writer.into_inner().unwrap()),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let needed = memory_needed(Path::new(&path), &ReadOptions::default()).unwrap();
        // 50,000 different texts of 40 bytes and their own.
        assert!(needed > 17_000_000, "{name}: {needed}");
        let with = |memory| ReadOptions {
            memory: Some(memory),
            ..ReadOptions::default()
        };
        assert!(format::read(&path, &with(needed), &Unwatched).is_ok());
        refused(format::read(&path, &with(needed - 1), &Unwatched));
    }
}
