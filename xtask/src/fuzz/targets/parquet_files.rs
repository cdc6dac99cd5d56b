//! Parquet: files of our own writer, whole and damaged.

use std::path::Path;

use bauta_data::format::{self, FileFormat, Loaded, ReadOptions, TextStyle};
use bauta_data::number::number_text;
use bauta_data::{DataError, Schema, Table, Values};

use super::Target;
use super::text_files::HowRead;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::table::{MadeTable, Numbers, Spelling};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::{Patience, World};

/// Files with the extension .parquet.
pub(crate) struct Parquet;

const DATA: &str = "data.parquet";
const HOW: &str = "reading.json";
/// The table of a whole file, as CSV.
const SOURCE: &str = "source.csv";

impl Target for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let (source, how) = source(draws);
        if draws.one_in(4) {
            return Case::default()
                .with(HOW, how.to_json())
                .with(SOURCE, source);
        }
        let bytes = as_parquet(&source, &how);
        let (other, how_other) = self::source(draws);
        let bytes = damaged(draws, &bytes, &as_parquet(&other, &how_other));
        Case::default().with(HOW, how.to_json()).with(DATA, bytes)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        let how: HowRead = serde_json::from_str(case.text(HOW)).unwrap_or_default();
        if let Some(source) = case.get(SOURCE) {
            return there_and_back(source, &how);
        }
        let bytes = case.get(DATA).unwrap_or_default();
        let options = how.options();
        let read = || format::read_bytes(Path::new(DATA), bytes, &options, &Patience);
        let (first, second) = (read(), world.on_one(read));
        let names = header_alone(bytes, &options, world);
        match (first, second) {
            (Ok(first), Ok(second)) => {
                if text_of(&first.table) != world.on_one(|| text_of(&second.table)) {
                    let message = "one thread reads another table than several";
                    return Err(Finding::new(Oracle::Threads, message));
                }
                comes_back(&first, &options)?;
                let same = names
                    .is_ok_and(|names| first.table.names().eq(names.iter().map(String::as_str)));
                if !same {
                    return Err(Finding::new(
                        Oracle::Law,
                        "the footer alone gives other names",
                    ));
                }
                Ok(Verdict::Accepted)
            }
            (Err(first), Err(second)) if first == second => {
                let canaries = canaries(bytes, &how);
                canaries.look_for("the error", &first.to_string())?;
                Ok(Verdict::Refused)
            }
            _ => Err(Finding::new(
                Oracle::Threads,
                "one thread refuses what several read, or the other way",
            )),
        }
    }
}

/// A table as CSV, and how it is to be read.
fn source(draws: &mut Draws) -> (Vec<u8>, HowRead) {
    let n_records = draws.pick(&[0, 1, 5, 20, 60]);
    let numbers = draws.pick(&[Numbers::Usual, Numbers::Extreme]);
    let made = MadeTable::usual(draws, n_records, numbers);
    let how = HowRead::any(draws, &made, "parquet");
    (made.spelled(&Spelling::PLAIN), how)
}

fn read_source(source: &[u8], how: &HowRead) -> Result<Loaded, DataError> {
    format::read_bytes(Path::new(SOURCE), source, &how.options(), &Patience)
}

fn written(table: &Table) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    let (path, style) = (Path::new(DATA), TextStyle::default());
    format::write(
        &mut bytes,
        path,
        table,
        FileFormat::Parquet,
        &style,
        &Patience,
    )?;
    Ok(bytes)
}

/// The file of a table: with the types of its variables, or of texts alone where it cannot be read as described.
fn as_parquet(source: &[u8], how: &HowRead) -> Vec<u8> {
    let described = read_source(source, how);
    let loaded = described.or_else(|_| read_source(source, &HowRead::default()));
    let bytes = loaded.and_then(|loaded| written(&loaded.table));
    bytes.unwrap_or_default()
}

/// A table written as Parquet reads back as it was.
fn there_and_back(source: &[u8], how: &HowRead) -> Outcome {
    match read_source(source, how) {
        Ok(loaded) => comes_back(&loaded, &how.options()).map(|()| Verdict::Accepted),
        Err(_) => Ok(Verdict::Refused),
    }
}

/// What a table holds, whatever it was spelled like: numbers by their value to the last digit, gaps as gaps.
fn text_of(table: &Table) -> Vec<u8> {
    let mut text: Vec<String> = table.names().map(str::to_owned).collect();
    for record in 0..table.n_records() {
        for column in table.columns() {
            text.push(match (column.values(), column.is_missing(record)) {
                (_, true) => "nothing".to_owned(),
                (Values::Numeric(numbers), _) => match column.exact() {
                    Some(exact) => format!("number {}", exact.levels.text(exact.codes.at(record))),
                    // Zero has two spellings and is one number.
                    None => format!("number {}", number_text(numbers[record] + 0.0)),
                },
                (Values::Categorical(categories), _) => {
                    format!(
                        "text {}",
                        categories.levels.text(categories.codes.at(record))
                    )
                }
            });
        }
    }
    text.join("\n").into_bytes()
}

fn comes_back(loaded: &Loaded, options: &ReadOptions) -> Result<(), Finding> {
    let found = |message: String| Err(Finding::new(Oracle::RoundTrip, message));
    let bytes = match written(&loaded.table) {
        Ok(bytes) => bytes,
        Err(error) => return found(format!("what was read cannot be written: {error}")),
    };
    let (before, after) = match format::read_bytes(Path::new(DATA), bytes, options, &Patience) {
        Ok(again) => (text_of(&loaded.table), text_of(&again.table)),
        Err(error) => return found(format!("what was written cannot be read: {error}")),
    };
    if before != after {
        let differing = first_difference(&before, &after);
        return found(format!(
            "written and read again, cells are others: {differing}"
        ));
    }
    Ok(())
}

/// The first cells that differ.
fn first_difference(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    let mut pairs = before.lines().zip(after.lines());
    let differing = pairs.find(|(before, after)| before != after);
    differing.map_or_else(
        || "one has more cells".to_owned(),
        |(before, after)| format!("`{before}`, `{after}`"),
    )
}

fn header_alone(bytes: &[u8], options: &ReadOptions, world: &World) -> Result<Vec<String>, ()> {
    let folder = world.empty_folder();
    let file = folder.path().join(DATA);
    std::fs::write(&file, bytes).expect("room in memory");
    format::column_names(&file, options).map_err(|_| ())
}

/// Everything in the file that looks like a cell, but for names.
fn canaries(bytes: &[u8], how: &HowRead) -> Canaries {
    let text = String::from_utf8_lossy(bytes);
    let declared: Vec<String> = how
        .options()
        .schema
        .attributes
        .into_iter()
        .map(|known| known.name)
        .collect();
    let names = format::read_bytes(
        Path::new(DATA),
        bytes,
        &ReadOptions {
            schema: Schema::default(),
            ..how.options()
        },
        &Patience,
    );
    let names = names
        .map(|loaded| loaded.table.names().collect::<Vec<_>>().join(" "))
        .unwrap_or_default();
    let public = declared.iter().map(String::as_str).chain([names.as_str()]);
    Canaries::of([text.as_ref()], public.collect::<Vec<_>>())
}
