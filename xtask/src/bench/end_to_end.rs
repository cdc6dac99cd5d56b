//! The whole way of a file: read, mask two columns, count keys, write.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bauta_data::attribute::Schema;
use bauta_data::format::{self, Loaded, ReadOptions};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Kind, Role, Table, Unwatched};
use bauta_methods::measure::Files;
use bauta_methods::params::RawValue;
use bauta_methods::{MaskTask, MeasureTask, Params, RunContext, registry};

use super::figures::Figures;
use super::inputs::{self, KEYS, WEIGHT, amount_name};
use super::resources::{cpu_seconds, peak_mb, reset_peak, resident_mb};

/// Its name among the works.
pub(super) const NAME: &str = "end-to-end";
const SEED: u64 = 7;
/// Seven keys, a weight and seven amounts make fifteen columns.
const N_AMOUNTS: usize = 7;

/// Writes the input file, so that making it is no part of what is timed.
pub(super) fn write_input(folder: &Path, n: usize) -> Result<(), String> {
    let (survey, amounts) = (inputs::survey(n), inputs::amounts(n));
    let mut columns: Vec<&bauta_data::Column> = Vec::new();
    columns.extend(
        KEYS.iter()
            .chain([&WEIGHT])
            .filter_map(|name| survey.column_named(name)),
    );
    columns.extend((0..N_AMOUNTS).map(|column| amounts.column(column)));
    let mut text = columns
        .iter()
        .map(|column| column.name())
        .collect::<Vec<_>>()
        .join(",");
    text.push('\n');
    for record in 0..n {
        for (position, column) in columns.iter().enumerate() {
            if position > 0 {
                text.push(',');
            }
            column.write_text(record, DecimalMark::Point, &mut text);
        }
        let _ = writeln!(text);
    }
    let path = input_path(folder, n);
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn input_path(folder: &Path, n: usize) -> PathBuf {
    folder.join(format!("{NAME}-{n}.csv"))
}

fn options() -> ReadOptions {
    let keys = KEYS.map(|key| Attribute::new(key, Role::Key, Kind::Unordered));
    let weight = Attribute::new(WEIGHT, Role::Weight, Kind::Continuous);
    let amounts = (0..N_AMOUNTS)
        .map(|column| Attribute::new(amount_name(column), Role::Sensitive, Kind::Continuous));
    ReadOptions {
        schema: Schema {
            attributes: keys.into_iter().chain([weight]).chain(amounts).collect(),
            ..Schema::default()
        },
        ..ReadOptions::default()
    }
}

/// Runs the whole way once.
pub(super) fn run(folder: &Path, n: usize) -> Result<Figures, String> {
    let input = input_path(folder, n);
    let output = folder.join(format!("{NAME}-{n}-masked.csv"));
    reset_peak();
    let (start, input_mb, cpu_before) = (Instant::now(), resident_mb(), cpu_seconds());
    let mut stages = Stages::new();
    let loaded = format::read(&input, &options(), &Unwatched).map_err(|error| error.to_string())?;
    stages.end("read");
    let masked = mask(
        &loaded.table,
        "rank-swap",
        &amount_name(0),
        ("window", 0.05),
    )?;
    let masked = mask(&masked, "noise-additive", &amount_name(1), ("share", 0.1))?;
    stages.end("mask");
    let k = smallest_class(&masked)?;
    stages.end("k-anonymity");
    let n_written = write(&output, &masked, &loaded)?;
    stages.end("write");
    let figures = Figures {
        seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: cpu_before
            .zip(cpu_seconds())
            .map(|(before, after)| after - before),
        peak_mb: peak_mb(),
        input_mb,
        answer: Some(k),
        file_mb: Some(loaded.fingerprint.n_bytes as f64 / 1e6),
        stages: stages.ended,
    };
    check(&loaded.table, &output, n, n_written)?;
    Ok(figures)
}

/// Seconds of each stage.
struct Stages {
    since: Instant,
    ended: Vec<(String, f64)>,
}

impl Stages {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            ended: Vec::new(),
        }
    }

    fn end(&mut self, stage: &str) {
        self.ended
            .push((stage.to_owned(), self.since.elapsed().as_secs_f64()));
        self.since = Instant::now();
    }
}

fn mask(
    table: &Table,
    method: &str,
    on: &str,
    (name, value): (&str, f64),
) -> Result<Table, String> {
    let mask = registry::mask(method).ok_or_else(|| format!("there is no mask `{method}`"))?;
    let params = Params::check(mask.card(), &[(name.to_owned(), RawValue::Number(value))])
        .map_err(|problems| format!("{problems:?}"))?;
    let on = [table
        .index_of(on)
        .ok_or_else(|| format!("the file lost `{on}`"))?];
    let task = MaskTask { table, on: &on };
    let context = RunContext::new(SEED, method, &Unwatched);
    let change = mask
        .mask(&params, &task, &context)
        .map_err(|error| error.to_string())?;
    Ok(change.apply_to(table))
}

fn smallest_class(table: &Table) -> Result<f64, String> {
    let measure = registry::measure("k-anonymity").ok_or("there is no measure `k-anonymity`")?;
    let params = Params::check(measure.card(), &[]).map_err(|problems| format!("{problems:?}"))?;
    let keys = KEYS.map(str::to_owned);
    let task = MeasureTask::new(Files::One(table), &keys);
    let context = RunContext::new(SEED, "k-anonymity", &Unwatched);
    let found = measure
        .measure(&params, &task, &context)
        .map_err(|error| error.to_string())?;
    found
        .value
        .ok_or_else(|| "k-anonymity has no value".to_owned())
}

/// Writes the masked file and returns the number of bytes.
fn write(output: &Path, table: &Table, loaded: &Loaded) -> Result<u64, String> {
    let problem = |error: std::io::Error| format!("cannot write {}: {error}", output.display());
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).map_err(problem)?);
    let print = format::write(
        &mut out,
        output,
        table,
        loaded.format,
        &loaded.style,
        &Unwatched,
    )
    .map_err(|error| error.to_string())?;
    out.flush().map_err(problem)?;
    Ok(print.n_bytes)
}

/// Reads the masked file back: untouched columns as they were, the swapped one with the same
/// values, the noisy one with others.
fn check(original: &Table, output: &Path, n: usize, n_written: u64) -> Result<(), String> {
    let again = format::read(output, &options(), &Unwatched).map_err(|error| error.to_string())?;
    if again.table.n_records() != n || again.fingerprint.n_bytes != n_written {
        return Err("the masked file does not hold what was written".to_owned());
    }
    for (before, after) in original.columns().iter().zip(again.table.columns()) {
        let texts = |column: &bauta_data::Column| -> Vec<String> {
            let text = |record| {
                let mut text = String::new();
                column.write_text(record, DecimalMark::Point, &mut text);
                text
            };
            (0..n).map(text).collect()
        };
        let (mut before_texts, mut after_texts) = (texts(before), texts(after));
        let is_same = before_texts == after_texts;
        before_texts.sort_unstable();
        after_texts.sort_unstable();
        let is_permuted = before_texts == after_texts;
        let name = before.name();
        let holds = match name {
            name if name == amount_name(0) => !is_same && is_permuted,
            name if name == amount_name(1) => !is_permuted,
            _ => is_same,
        };
        if !holds {
            return Err(format!(
                "`{name}` is not in the masked file as it should be"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_has_a_header_and_fifteen_columns() {
        let folder = tempfile::tempdir().unwrap();
        write_input(folder.path(), 20).unwrap();
        let text = std::fs::read_to_string(input_path(folder.path(), 20)).unwrap();
        assert_eq!(text.lines().count(), 21);
        assert!(text.lines().all(|line| line.split(',').count() == 15));
        assert!(text.starts_with("gender,income,age,uu,qual,couple,hsize,d_fin,amount_1,"));
    }
}
