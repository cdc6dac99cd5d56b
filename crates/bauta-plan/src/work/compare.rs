//! Every measure of an original file and its masked version.

mod choice;
mod measures;

use std::collections::HashMap;
use std::path::Path;

use bauta_data::format::{FileFormat, Loaded, decimal_mark_of, memory_needed, read};
use bauta_data::number::{ColumnMark, DecimalMark, MarkEvidence, parse_number_with};
use bauta_data::spelling::spelled_as;
use bauta_data::{Column, Condition, Kind, Role, Schema, Table, Watch, near};
use bauta_methods::groups::not_measured;
use bauta_methods::keys::Semantics;
use bauta_methods::pair::Rows;
use bauta_methods::{Choice as _, Measurement, Note, Pair, Scope};

use super::keys::{add_sensitive, give_hierarchies, key_schema, refuse_repeats};
use super::{KeyHierarchy, Reading, WorkError};
use choice::{Chosen, choose, offers_semantics, refuse_settings_in_vain, refuse_unused_settings};
use measures::cell;

/// What to compare, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct CompareRequest {
    /// What messages call the original file.
    pub original: String,
    /// What messages call the masked file.
    pub masked: String,
    /// Variables to compare; all numeric ones that both files have if not given.
    pub on: Option<Vec<String>>,
    /// Variables that an intruder knows.
    pub keys: Vec<String>,
    /// Keys whose values have an order.
    pub ordered: Vec<String>,
    /// How keys become coarser.
    pub hierarchies: Vec<KeyHierarchy>,
    /// Sensitive answers.
    pub sensitive: Vec<String>,
    /// Sampling weight.
    pub weight: Option<String>,
    /// Variable that tells which records correspond; their order if not given.
    pub id: Option<String>,
    /// How a missing key counts.
    pub semantics: Semantics,
    /// Leave missing values out instead of refusing them.
    pub skip_missing: bool,
    /// Share of records that count as outliers.
    pub outliers: Option<f64>,
    /// Condition of a subpopulation.
    pub condition: Option<Condition>,
    /// Which original record a masked one is compared with; as each measure says if not given.
    pub correspondence: Option<String>,
    /// Estimate linkage on so many masked records.
    pub sample: Option<u32>,
    /// Parameters of the measures that know them, as texts.
    pub set: Vec<(String, String)>,
    /// Seed of random draws.
    pub seed: u64,
}

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Whether records correspond.
    pub rows: Rows,
    /// The variables that were compared.
    pub on: Vec<String>,
    /// Each measure.
    pub found: Vec<ComparedMeasure>,
}

/// A measure before and after; comparisons have no before.
#[derive(Clone, Debug)]
pub struct ComparedMeasure {
    /// The measure.
    pub id: &'static str,
    /// The variables that it looked at.
    pub on: Vec<String>,
    /// Of the original file.
    pub before: Option<Measurement>,
    /// None if the data do not allow the measure; a note says why.
    pub after: Option<Measurement>,
    /// What it stated.
    pub notes: Vec<Note>,
}

/// Compares two files.
pub fn compare_files(
    original: &Path,
    masked: &Path,
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    let beside = beside(original, reading, request)?;
    let original = load(original, reading, request, watch)?;
    let mut masked = load(masked, &beside, request, watch)?;
    // Each file was folded by its own frequencies; the original's spelling holds for both.
    for name in &reading.fold_spellings {
        let columns = original.column_named(name).zip(masked.column_named(name));
        let alike = columns.and_then(|(original, masked)| spelled_as(masked, original));
        if let (Some(column), Some(attr_idx)) = (alike, masked.index_of(name)) {
            masked = masked.with_column(attr_idx, column);
        }
    }
    compare(&original, masked, request, watch)
}

/// How the second file is read where memory is limited: both are held, so that it may take what the first leaves.
fn beside(first: &Path, reading: &Reading, request: &CompareRequest) -> Result<Reading, WorkError> {
    let Some(limit) = reading.memory else {
        return Ok(reading.clone());
    };
    let schema = request.schema().map_err(|error| error.in_file(first))?;
    let taken = memory_needed(first, &reading.options(schema))?;
    Ok(Reading {
        memory: Some(limit.saturating_sub(taken)),
        ..reading.clone()
    })
}

/// Compares two tables that were read with the request's [schema](CompareRequest::schema), numbers as
/// numbers.
pub fn compare(
    original: &Table,
    masked: Table,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    let (masked, rows) = correspondence(original, masked, request)?;
    let on = variables(original, &masked, request)?;
    if on.is_empty() && request.keys.is_empty() {
        return Err(WorkError::mistake(
            "the files have no numeric variable in common, so that there is nothing to compare",
            "name keys with --keys, or declare missing texts with --missing-texts",
        ));
    }
    let pair = Pair {
        original,
        masked: &masked,
        rows,
    };
    if !on.is_empty() {
        if !request.skip_missing {
            measures::refuse_missing(&pair, &on, request)?;
        }
        measures::refuse_wrong_records(&pair, request)?;
    }
    let (chosen, left) = choose(pair, &on, request);
    refuse_unused_settings(request, &chosen, &left)?;
    let found = take_all(&chosen, pair, request, watch)?;
    refuse_settings_in_vain(request, &found)?;
    Ok(Compared { rows, on, found })
}

fn take_all(
    chosen: &[Chosen],
    pair: Pair<'_>,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Vec<ComparedMeasure>, WorkError> {
    let keyed = |chosen: &&Chosen| chosen.measure.declared().scope == Scope::Scenario;
    let (of_keys, others): (Vec<&Chosen>, Vec<&Chosen>) = chosen.iter().partition(keyed);
    let mut found = Vec::new();
    for one in others {
        found.push(measures::take(one, pair, request, watch)?);
    }
    if of_keys.is_empty() {
        return Ok(found);
    }
    let masked = measures::masked_keys(pair, request)?;
    let pair = Pair {
        masked: &masked,
        ..pair
    };
    for one in of_keys {
        let card = one.measure.card();
        found.push(if offers_semantics(card, request) {
            measures::take(one, pair, request, watch)?
        } else {
            let semantics = request.semantics.name();
            let reason = format!("it does not know the semantics `{semantics}`");
            ComparedMeasure {
                id: card.id,
                on: one.on.clone(),
                before: None,
                after: None,
                notes: vec![not_measured(card.id, &reason)],
            }
        });
    }
    Ok(found)
}

impl CompareRequest {
    /// Roles and hierarchies of the columns that are named.
    pub fn schema(&self) -> Result<Schema, WorkError> {
        let mut schema = key_schema(&self.keys, self.weight.as_deref(), None);
        for name in &self.ordered {
            let key = schema.attributes.iter_mut().find(|key| key.name == *name);
            let key = key.filter(|key| key.role == Role::Key).ok_or_else(|| {
                let keys = self.keys.iter().map(String::as_str);
                WorkError::mistake(
                    format!("--ordered names `{name}`, which is not among the keys"),
                    near::hint(name, keys),
                )
            })?;
            key.kind = Kind::Ordered;
        }
        give_hierarchies(&mut schema, &self.hierarchies)?;
        add_sensitive(&mut schema, &self.sensitive);
        Ok(schema)
    }

    fn refuse_repeats(&self) -> Result<(), WorkError> {
        let used = self.keys.iter().chain(&self.weight);
        refuse_repeats(used.chain(&self.sensitive))?;
        refuse_repeats(self.on.iter().flatten())
    }
}

/// Reads a file.
fn load(
    file: &Path,
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Table, WorkError> {
    let schema = request.schema().map_err(|error| error.in_file(file))?;
    let mut options = reading.options(schema);
    let loaded = read(file, &options, watch)?;
    let mark = match reading.decimal {
        Some(mark) => mark,
        None if loaded.format == FileFormat::Parquet => DecimalMark::Point,
        None => decimal_mark_of(file, &number_marks(&loaded, request))?.0,
    };
    let table = if mark == loaded.style.decimal {
        loaded.table
    } else {
        options.decimal = Some(mark);
        read(file, &options, watch)?.table
    };
    Ok(with_numbers(table, request, mark))
}

/// Columns without another use that are to be compared as numbers, if they are numbers.
fn is_compared(column: &Column, request: &CompareRequest) -> bool {
    let on = request.on.as_ref();
    let wanted = on.is_none_or(|on| on.iter().any(|name| name == column.name()));
    column.attribute().role == Role::Other && wanted
}

/// What the columns of numbers show of the decimal mark: those that the reader took for numbers, and
/// those that are to be compared.
fn number_marks(loaded: &Loaded, request: &CompareRequest) -> Vec<(String, ColumnMark)> {
    let is_id = |column: &Column| request.id.as_deref() == Some(column.name());
    let columns = loaded.table.columns().iter();
    let compared = columns.filter(|column| is_compared(column, request) && !is_id(column));
    let shown = compared.filter_map(|column| {
        let levels = &column.as_categorical()?.levels;
        let shown = MarkEvidence::of(levels.iter()).mark();
        let own = match shown {
            ColumnMark::Shows(mark) => mark,
            _ => DecimalMark::Point,
        };
        let is_number = levels
            .iter()
            .all(|text| parse_number_with(text, own).is_some());
        is_number.then(|| (column.name().to_owned(), shown))
    });
    loaded.number_marks.iter().cloned().chain(shown).collect()
}

/// Every column of numbers that has no other use becomes numeric.
fn with_numbers(mut table: Table, request: &CompareRequest, mark: DecimalMark) -> Table {
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        if is_compared(column, request)
            && let Some(numeric) = column.parsed_as_numbers(mark)
        {
            table = table.with_column(attr_idx, numeric);
        }
    }
    table
}

/// Which masked record came from which original one: by id, or by order if there are equally many.
fn correspondence(
    original: &Table,
    masked: Table,
    request: &CompareRequest,
) -> Result<(Table, Rows), WorkError> {
    let Some(id) = &request.id else {
        let same = original.n_records() == masked.n_records();
        return Ok((
            masked,
            if same {
                Rows::Correspond
            } else {
                Rows::Unrelated
            },
        ));
    };
    let original_ids = id_texts(original, id, &request.original)?;
    let masked_ids = id_texts(&masked, id, &request.masked)?;
    let mut row_of = HashMap::new();
    for (row, text) in original_ids.iter().enumerate() {
        if row_of.insert(text, row as u32).is_some() {
            return Err(WorkError::mistake(
                format!(
                    "{}: `{id}` has the same value in two records (one of them is row {})",
                    request.original,
                    row + 1
                ),
                "an id must be different in every record",
            ));
        }
    }
    let rows = masked_ids
        .iter()
        .enumerate()
        .map(|(row, text)| {
            row_of.get(text).copied().ok_or_else(|| {
                WorkError::mistake(
                    format!(
                        "{}: row {} has an `{id}` that the original does not have",
                        request.masked,
                        row + 1
                    ),
                    "compare files that share their ids",
                )
            })
        })
        .collect::<Result<Vec<u32>, WorkError>>()?;
    Ok((masked.traced_to(rows), Rows::Correspond))
}

fn id_texts(table: &Table, id: &str, file: &str) -> Result<Vec<String>, WorkError> {
    let column = table.column_named(id).ok_or_else(|| {
        WorkError::mistake(
            format!("{file} has no variable `{id}`"),
            near::column_hint(id, table.names()),
        )
    })?;
    let text = |record| cell(column, record);
    Ok((0..table.n_records()).map(text).collect())
}

/// The variables to compare: those named, or all that are numeric in both files.
fn variables(
    original: &Table,
    masked: &Table,
    request: &CompareRequest,
) -> Result<Vec<String>, WorkError> {
    let numeric = |table: &Table, name: &str| {
        table
            .column_named(name)
            .is_some_and(|column| column.as_numeric().is_some())
    };
    let Some(on) = &request.on else {
        let other = |column: &&std::sync::Arc<Column>| column.attribute().role == Role::Other;
        let names = original
            .columns()
            .iter()
            .filter(other)
            .map(|column| column.name().to_owned());
        let is_id = |name: &String| request.id.as_ref() == Some(name);
        return Ok(names
            .filter(|name| !is_id(name) && numeric(original, name) && numeric(masked, name))
            .collect());
    };
    for name in on {
        for (table, file) in [(original, &request.original), (masked, &request.masked)] {
            if table.index_of(name).is_none() {
                return Err(WorkError::mistake(
                    format!("{file} has no variable `{name}`"),
                    near::column_hint(name, table.names()),
                ));
            }
            if !numeric(table, name) {
                return Err(WorkError::mistake(
                    format!("`{name}` is not numeric in {file}"),
                    "declare its missing texts with --missing-texts, or leave it out of --on",
                ));
            }
        }
    }
    Ok(on.clone())
}
