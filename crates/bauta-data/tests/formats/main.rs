//! File formats: what comes in goes out again, and what is wrong is said.

mod damaged_text;
mod dates;
mod decimal_marks;
mod described;
mod encodings;
mod exact_numbers;
mod memory;
mod parquet;
mod round_trips;
mod stored;
mod watching;

use std::path::{Path, PathBuf};

use bauta_data::format::{self, FileFormat, Loaded, ReadOptions, TextStyle};
use bauta_data::{Attribute, Column, DataError, Kind, Role, Schema, Table, Unwatched};

/// Options with these variables declared and nothing else said.
fn declared(attributes: Vec<Attribute>) -> ReadOptions {
    ReadOptions {
        schema: Schema {
            attributes,
            ..Schema::default()
        },
        ..ReadOptions::default()
    }
}

fn number(name: &str) -> Attribute {
    Attribute::new(name, Role::Sensitive, Kind::Continuous)
}

fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Loaded, DataError> {
    format::read_bytes(Path::new(name), bytes, options, &Unwatched)
}

fn write_text(table: &Table, style: TextStyle) -> Vec<u8> {
    let mut out = Vec::new();
    let path = Path::new("out.csv");
    let print = format::write(&mut out, path, table, FileFormat::Text, &style, &Unwatched)
        .expect("the table can be written");
    assert_eq!(print.n_bytes, out.len() as u64);
    out
}

fn write_parquet(table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    let path = Path::new("out.parquet");
    let style = TextStyle::default();
    format::write(
        &mut out,
        path,
        table,
        FileFormat::Parquet,
        &style,
        &Unwatched,
    )
    .expect("the table can be written");
    out
}

fn cell(column: &Column, record: usize) -> String {
    let mut text = String::new();
    column.write_text(record, bauta_data::number::DecimalMark::Point, &mut text);
    text
}

fn cells(table: &Table, name: &str) -> Vec<String> {
    let column = table.column_named(name).expect("the column is there");
    (0..table.n_records())
        .map(|record| cell(column, record))
        .collect()
}

/// The folder of reference data beside the workspace; `None`, with a notice, where it is absent.
fn shared_data() -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    if folder.is_dir() {
        return Some(folder.to_owned());
    }
    println!("not run: ../shared is absent");
    None
}
