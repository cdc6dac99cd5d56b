//! Reading and writing a survey of 100,000 records and 15 variables.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use bauta_data::format::{self, FileFormat, Loaded, ReadOptions, TextStyle};
use bauta_data::{Attribute, Kind, Role, Schema, Unwatched};
use divan::Bencher;
use divan::counter::BytesCount;

const N_RECORDS: usize = 100_000;

fn main() {
    divan::main();
}

/// Eight numbers (whole, with two decimals, with varying decimals) and seven categories.
fn survey() -> String {
    let mut text = String::from("id,age,sex,region,job,size,status,w,n1,n2,d1,d2,d3,f1,f2\n");
    for record in 0..N_RECORDS as u64 {
        // Multiplying by an odd constant scatters the digits.
        let draw = record.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let (a, b, c) = (draw % 90, draw / 90 % 997, draw / 90_000 % 100_000);
        let _ = writeln!(
            text,
            "{record},{a},{},{:03},occupation {b},{},{},{}.5,{c},{},{}.{:02},{}.{:02},{}.{:02},{}.{},{}",
            a % 2,
            a * 11,
            b % 9,
            c % 5,
            b + 1,
            c * 7,
            b,
            a,
            c,
            a,
            b * 3,
            a,
            a,
            b + 1,
            draw,
        );
    }
    text
}

fn options() -> ReadOptions {
    let numbers = ["n1", "n2", "d1", "d2", "d3", "f1", "f2"];
    let mut attributes: Vec<Attribute> = numbers
        .iter()
        .map(|name| Attribute::new(*name, Role::Sensitive, Kind::Continuous))
        .collect();
    attributes.push(Attribute::new("w", Role::Weight, Kind::Continuous));
    attributes.push(Attribute::new("age", Role::Key, Kind::Ordered));
    attributes.push(Attribute::new("region", Role::Key, Kind::Unordered));
    ReadOptions {
        schema: Schema {
            attributes,
            ..Schema::default()
        },
        ..ReadOptions::default()
    }
}

fn load(path: &str, bytes: Vec<u8>) -> Loaded {
    let loaded = format::read_bytes(Path::new(path), bytes, &options(), &Unwatched)
        .expect("the survey is sound");
    assert_eq!(loaded.table.n_records(), N_RECORDS);
    loaded
}

fn save(loaded: &Loaded, format: FileFormat) -> Vec<u8> {
    let mut out = Vec::new();
    let style = TextStyle::default();
    format::write(
        &mut out,
        Path::new("out"),
        &loaded.table,
        format,
        &style,
        &Unwatched,
    )
    .expect("memory can be written");
    out
}

#[divan::bench]
fn read_text(bencher: Bencher<'_, '_>) {
    let bytes = survey().into_bytes();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .with_inputs(|| bytes.clone())
        .bench_values(|bytes| load("survey.csv", bytes));
}

#[divan::bench]
fn write_text(bencher: Bencher<'_, '_>) {
    let bytes = survey().into_bytes();
    let loaded = load("survey.csv", bytes.clone());
    assert_eq!(save(&loaded, FileFormat::Text), bytes);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| save(black_box(&loaded), FileFormat::Text));
}

#[divan::bench]
fn read_parquet(bencher: Bencher<'_, '_>) {
    let bytes = save(
        &load("survey.csv", survey().into_bytes()),
        FileFormat::Parquet,
    );
    bencher
        .counter(BytesCount::new(bytes.len()))
        .with_inputs(|| bytes.clone())
        .bench_values(|bytes| load("survey.parquet", bytes));
}

#[divan::bench]
fn write_parquet(bencher: Bencher<'_, '_>) {
    let loaded = load("survey.csv", survey().into_bytes());
    bencher.bench(|| save(black_box(&loaded), FileFormat::Parquet));
}
