//! Tables for tests: built from texts, by hand or out of the reference files.

pub(crate) mod mdav_plain;
mod reference;

use std::path::PathBuf;
use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::number::{DecimalMark, parse_number};
use bauta_data::{Attribute, Column, Kind, Levels, Role, Table, Values};
use bauta_methods::{Card, Params, RawValue};
pub(crate) use reference::{ours, reference};

/// The folder with the field's data files and what was found on them, if it is there. What was found on
/// our own files is part of the repository: [`reference`].
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("not run: ../shared is absent");
    None
}

/// A column from texts; `None` is missing in the source.
pub(crate) fn column(name: &str, role: Role, kind: Kind, cells: &[Option<&str>]) -> Column {
    let attribute = Arc::new(Attribute::new(name, role, kind));
    let states = cells.iter().map(|cell| u8::from(cell.is_none())).collect();
    let missing = MissingCells::new(states, MissingRules::default().marks());
    if kind == Kind::Continuous {
        let number = |cell: Option<&str>| match cell {
            None => f64::NAN,
            Some(text) => parse_number(text)
                .unwrap_or_else(|| panic!("`{name}` has a cell that is no number")),
        };
        let values = cells.iter().copied().map(number).collect();
        return Column::numeric(attribute, values, missing, NumberText::default());
    }
    let mut found = Levels::default();
    let codes: Vec<u32> = cells
        .iter()
        .map(|cell| cell.map_or(0, |text| found.insert(text)))
        .collect();
    let (levels, new_code) = found.naturally_ordered();
    let codes: Vec<u32> = codes
        .iter()
        .map(|&code| new_code.get(code as usize).copied().unwrap_or(0))
        .collect();
    Column::categorical(attribute, codes, Arc::new(levels), missing)
}

/// A continuous column; NaN is missing.
pub(crate) fn numbers(name: &str, values: &[f64]) -> Column {
    let attribute = Arc::new(Attribute::new(name, Role::Sensitive, Kind::Continuous));
    let states = values
        .iter()
        .map(|value| u8::from(value.is_nan()))
        .collect();
    let missing = MissingCells::new(states, MissingRules::default().marks());
    Column::numeric(attribute, values.to_vec(), missing, NumberText::default())
}

/// A fixed sequence without pattern, so that the tests need no generator of the crate under test.
pub(crate) fn scatter(i: usize, salt: u64) -> u64 {
    let mut z =
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd134_2543_de82_ef95);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A table of these columns.
pub(crate) fn table(columns: Vec<Column>) -> Table {
    let n_records = columns.first().map_or(0, Column::len);
    Table::new(columns, n_records)
}

/// What a reader is told of one variable.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
}

/// Some columns of a delimited file; an empty field and NA are missing.
pub(crate) fn read_csv(path: &std::path::Path, wanted: &[Wanted]) -> Table {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let headers = reader.headers().expect("the file has a header").clone();
    let records: Vec<csv::StringRecord> = reader
        .records()
        .map(|record| record.expect("a record"))
        .collect();
    let columns = wanted.iter().map(|wanted| {
        let position = headers
            .iter()
            .position(|name| name == wanted.name)
            .unwrap_or_else(|| panic!("{} has no column {}", path.display(), wanted.name));
        let cell = |record: &csv::StringRecord| -> Option<String> {
            Some(record[position].to_owned()).filter(|text| !text.is_empty() && text != "NA")
        };
        let cells: Vec<Option<String>> = records.iter().map(cell).collect();
        let texts: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
        column(&wanted.name, wanted.role, wanted.kind, &texts)
    });
    Table::new(columns.collect(), records.len())
}

/// One numeric column of a delimited file.
pub(crate) fn read_numbers(path: &std::path::Path, name: &str) -> Vec<f64> {
    let wanted = Wanted {
        name: name.to_owned(),
        role: Role::Other,
        kind: Kind::Continuous,
    };
    let table = read_csv(path, &[wanted]);
    table
        .column(0)
        .as_numeric()
        .expect("a continuous column is numeric")
        .to_vec()
}

/// The text of each cell as a file shows it; `None` where it is missing.
pub(crate) fn texts(column: &Column) -> Vec<Option<String>> {
    let text = |record: usize| {
        (!column.is_missing(record)).then(|| {
            let mut out = String::new();
            column.write_text(record, DecimalMark::Point, &mut out);
            out
        })
    };
    (0..column.len()).map(text).collect()
}

/// Everything that a file shows of a column, and the bits behind it.
pub(crate) fn cells(column: &Column) -> Vec<String> {
    let cell = |record: usize| {
        let mut out = String::new();
        column.write_text(record, DecimalMark::Point, &mut out);
        let bits = match column.values() {
            Values::Numeric(values) if !column.is_missing(record) => values[record].to_bits(),
            _ => 0,
        };
        format!("{out}|{:?}|{bits:x}", column.missing_mark(record))
    };
    (0..column.len()).map(cell).collect()
}

/// Parameters that the card accepts.
pub(crate) fn params(card: &Card, given: &[(&str, RawValue)]) -> Params {
    let given: Vec<(String, RawValue)> = given
        .iter()
        .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
        .collect();
    Params::check(card, &given).unwrap_or_else(|problems| panic!("{}: {problems:?}", card.id))
}

/// The probability at which tests of distributions fail: so small that a change of draws does not
/// need another seed.
pub(crate) const ALPHA: f64 = 1e-6;

/// Kolmogorov and Smirnov's distance between a sample and a distribution.
pub(crate) fn ks_distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let steps = sample.iter().enumerate();
    steps.fold(0.0, |distance: f64, (i, &value)| {
        let p = cdf(value);
        distance.max((i as f64 + 1.0) / n - p).max(p - i as f64 / n)
    })
}

/// The distance that is exceeded with probability `ALPHA` (Stephens' form of the asymptotic one).
pub(crate) fn ks_critical(n: usize) -> f64 {
    let root = (n as f64).sqrt();
    (-0.5 * (ALPHA / 2.0).ln()).sqrt() / (root + 0.12 + 0.11 / root)
}
