//! What is timed, each in a process of its own.

use std::io::Write as _;
use std::path::Path;

use bauta_data::attribute::Schema;
use bauta_data::format::{self, FileFormat, ReadOptions, TextStyle};
use bauta_data::{Attribute, Column, Fingerprint, Kind, Role, Table, Unwatched};
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::params::RawValue;
use bauta_methods::{MaskTask, Params, RunContext, registry};

use super::Form;
use crate::bench::figures::Figures;
use crate::bench::inputs::{self, EIGHTH_KEY, KEYS, WEIGHT, amount_name};
use crate::bench::resources::measured_once;

/// Keys, weight and amounts.
pub(super) const MIXED: &str = "mixed";
/// Doubles with all their digits.
const DOUBLES: &str = "doubles";
const N_AMOUNTS: usize = 6;
/// What an intruder knows.
pub(super) const EIGHT_KEYS: [&str; 8] = [
    KEYS[0], KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], EIGHTH_KEY,
];

/// What is done with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bench) enum Job {
    /// Makes the files of a size, in both forms.
    Prepare,
    /// Reads a file whose variables are described.
    Read,
    /// Hashes a file, as each reading does besides.
    Hash,
    /// Reads a file of which nothing is known.
    ReadUndeclared,
    /// Writes doubles.
    Write,
    /// Reads, adds noise to a column and writes.
    Mask,
    /// Reads the keys of a file, and counts how many records are alone with theirs.
    Count,
    /// What the command tells of the keys: such a count for all of them and without each, and more.
    Risk,
}

impl Job {
    pub(super) const TIMED: [Self; 7] = [
        Self::Hash,
        Self::Read,
        Self::ReadUndeclared,
        Self::Write,
        Self::Mask,
        Self::Count,
        Self::Risk,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Hash => "hash",
            Self::Read => "read",
            Self::ReadUndeclared => "read, undeclared",
            Self::Write => "write",
            Self::Mask => "mask",
            Self::Count => "count",
            Self::Risk => "risk",
        }
    }

    pub(in crate::bench) fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::TIMED.into_iter().chain([Self::Prepare]);
        all.find(|job| job.name() == name)
    }

    /// What the scripts of others call it.
    pub(super) const fn of_peers(self) -> Option<&'static str> {
        match self {
            Self::Prepare | Self::Hash => None,
            Self::Read | Self::ReadUndeclared => Some("read"),
            Self::Risk => Self::Count.of_peers(),
            other => Some(other.name()),
        }
    }

    /// The file that it works on.
    pub(super) const fn stem(self) -> &'static str {
        match self {
            Self::Write => DOUBLES,
            _ => MIXED,
        }
    }
}

/// Does a job and tells what it took.
pub(in crate::bench) fn run(
    job: Job,
    extension: &str,
    folder: &Path,
    n: usize,
) -> Result<Figures, String> {
    let form = Form::ALL
        .into_iter()
        .find(|form| form.extension() == extension)
        .ok_or_else(|| format!("there are no files of the kind `{extension}`"))?;
    let input = form.file(folder, job.stem(), n);
    let output = form.file(folder, "ours", n);
    match job {
        Job::Prepare => prepare(folder, n),
        Job::Hash => {
            let (figures, _) = measured_once(|| {
                let file = std::fs::File::open(&input).map_err(|error| error.to_string())?;
                Fingerprint::of(file).map_err(|error| error.to_string())
            })?;
            Ok(figures)
        }
        Job::Read => read(&input, &declared()),
        Job::ReadUndeclared => read(&input, &ReadOptions::default()),
        Job::Write => {
            let table = inputs::changed_amounts(n);
            let (figures, ()) = measured_once(|| write(&output, &table, form))?;
            Ok(figures)
        }
        Job::Mask => {
            let (figures, ()) = measured_once(|| {
                let loaded = format::read(&input, &declared(), &Unwatched);
                let loaded = loaded.map_err(|error| error.to_string())?;
                write(&output, &noisy(&loaded.table)?, form)
            })?;
            Ok(figures)
        }
        Job::Count => count(&input),
        Job::Risk => Err("the risk is told by the command itself".to_owned()),
    }
}

/// Both files in both forms.
fn prepare(folder: &Path, n: usize) -> Result<Figures, String> {
    let (survey, amounts) = (inputs::survey(n), inputs::amounts(n));
    let of_survey = EIGHT_KEYS.iter().chain([&WEIGHT]);
    let of_survey = of_survey.filter_map(|name| survey.column_named(name).cloned());
    let columns = of_survey.chain((0..N_AMOUNTS).map(|column| amounts.column(column).clone()));
    let mixed = Table::new(columns.collect::<Vec<Column>>(), n);
    let doubles = inputs::changed_amounts(n);
    for form in Form::ALL {
        write(&form.file(folder, MIXED, n), &mixed, form)?;
        write(&form.file(folder, DOUBLES, n), &doubles, form)?;
    }
    Ok(Figures::default())
}

fn read(path: &Path, options: &ReadOptions) -> Result<Figures, String> {
    let (figures, n_records) = measured_once(|| {
        let loaded = format::read(path, options, &Unwatched);
        let loaded = loaded.map_err(|error| error.to_string())?;
        Ok(loaded.table.n_records())
    })?;
    Ok(Figures {
        answer: Some(n_records as f64),
        ..figures
    })
}

/// Keys alone are parsed.
fn count(path: &Path) -> Result<Figures, String> {
    let options = described(keys().to_vec());
    let (figures, n_alone) = measured_once(|| {
        let table = format::read_described(path, &options, &Unwatched);
        let table = table.map_err(|error| error.to_string())?;
        let positions = EIGHT_KEYS.iter().filter_map(|key| table.index_of(key));
        let positions: Vec<usize> = positions.collect();
        let counted = frequencies(&table, &positions, Semantics::Own);
        let counted = counted.map_err(|error| error.to_string())?;
        Ok(counted.f.iter().filter(|&&f| f == 1).count())
    })?;
    Ok(Figures {
        answer: Some(n_alone as f64),
        ..figures
    })
}

fn keys() -> [Attribute; 8] {
    EIGHT_KEYS.map(|key| Attribute::new(key, Role::Key, Kind::Unordered))
}

fn declared() -> ReadOptions {
    let weight = Attribute::new(WEIGHT, Role::Weight, Kind::Continuous);
    let amounts = (0..N_AMOUNTS)
        .map(|column| Attribute::new(amount_name(column), Role::Sensitive, Kind::Continuous));
    described(keys().into_iter().chain([weight]).chain(amounts).collect())
}

fn described(attributes: Vec<Attribute>) -> ReadOptions {
    ReadOptions {
        schema: Schema {
            attributes,
            ..Schema::default()
        },
        ..ReadOptions::default()
    }
}

fn noisy(table: &Table) -> Result<Table, String> {
    let mask = registry::mask("noise-additive").ok_or("there is no noise")?;
    let share = ("share".to_owned(), RawValue::Number(0.1));
    let params =
        Params::check(mask.card(), &[share]).map_err(|problems| format!("{problems:?}"))?;
    let on = table
        .index_of(&amount_name(0))
        .ok_or("the amount is lost")?;
    let task = MaskTask { table, on: &[on] };
    let context = RunContext::new(7, "noise-additive", &Unwatched);
    let change = mask.mask(&params, &task, &context);
    Ok(change.map_err(|error| error.to_string())?.apply_to(table))
}

fn write(path: &Path, table: &Table, form: Form) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).map_err(problem)?);
    let format = match form {
        Form::Csv => FileFormat::Text,
        Form::Parquet => FileFormat::Parquet,
    };
    format::write(
        &mut out,
        path,
        table,
        format,
        &TextStyle::default(),
        &Unwatched,
    )
    .map_err(|error| error.to_string())?;
    out.flush().map_err(problem)
}
