//! Every measure of an original file and its masked version.

mod choice;
mod from_record;
mod measures;
mod numbers;
mod overview;
mod pairing;
mod perturbed;
mod roles;
mod stored;

use std::collections::HashSet;
use std::path::Path;

use bauta_data::format::{
    FileFormat, ReadOptions, TextStyle, decimal_mark_of, memory_needed, read,
};
use bauta_data::number::DecimalMark;
use bauta_data::spelling::spelled_as;
use bauta_data::store::Store;
use bauta_data::{Condition, Kind, Role, Schema, Table, Watch, near};
use bauta_methods::groups::not_measured;
use bauta_methods::keys::Semantics;
use bauta_methods::{Choice as _, Measurement, Note, Pair, Scope, SharedFacts, Subject};

use super::keys::{add_sensitive, give_hierarchies, key_schema, refuse_repeats};
use super::{KeyHierarchy, Planned, Reading, WorkError};
use crate::aside::in_memory_or_aside;
use crate::plan::Scenario;
use crate::record::StoreRecord;
use crate::stages::RunWatch;
use choice::{
    Chosen, Left, choose, offers_semantics, refuse_settings_in_vain, refuse_unused_settings,
};
pub(super) use numbers::Texts;
use numbers::{dates_among, shown_marks, variables, with_dates, with_numbers};
pub(super) use pairing::paired;
use perturbed::{not_meaningful, perturbed};

pub use from_record::{compare_record, compare_record_in};
pub use overview::{ChangedCells, Overview};
pub use pairing::{PairBy, Pairing};

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
    /// What a plan says of the variables, wherever nothing is named here.
    pub planned: Option<Planned>,
    /// The sets of keys that are counted each by itself; all keys together if there are none.
    pub scenarios: Vec<Scenario>,
    /// Keys and sensitive answers that are numbers.
    pub numbers: Vec<String>,
    /// Variables that hold no numbers to compare, though they could be read as such.
    pub no_numbers: Vec<String>,
    /// Variables whose values the steps of the plan make untrue.
    pub perturbed: Vec<String>,
    /// How records are paired.
    pub pair_by: PairBy,
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
    /// What the original file is called.
    pub original: String,
    /// What the masked file is called.
    pub masked: String,
    /// How records were paired.
    pub pairing: Pairing,
    /// The variables that were compared.
    pub on: Vec<String>,
    /// Variables of both files that could be compared as numbers and were not, and why.
    pub no_numbers: Vec<(String, String)>,
    /// Those of the variables compared that are dates, counted in days.
    pub dates: Vec<String>,
    /// Those of them, and of the keys, that are the same in every record, so that a loss of 0 says nothing of masking.
    pub unchanged: Vec<String>,
    /// How the files differ, cell by cell.
    pub overview: Overview,
    /// Each measure.
    pub found: Vec<ComparedMeasure>,
    /// What was put aside on the disk; none where all of it was in memory.
    pub put_aside: Option<StoreRecord>,
}

/// A measure before and after; comparisons have no before.
#[derive(Clone, Debug)]
pub struct ComparedMeasure {
    /// The measure.
    pub id: &'static str,
    /// The scenario whose keys it counted, where a plan has some.
    pub scenario: Option<String>,
    /// The variables that it looked at.
    pub on: Vec<String>,
    /// Of the original file.
    pub before: Option<Measurement>,
    /// None if the data do not allow the measure; a note says why.
    pub after: Option<Measurement>,
    /// What it stated.
    pub notes: Vec<Note>,
}

/// Compares two files. Where they do not fit into the memory that they may take, their columns lie on the disk meanwhile;
/// what is found is the same.
pub fn compare_files(
    original: &Path,
    masked: &Path,
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    let planned = request.planned.as_ref();
    let reading = &planned.map_or_else(|| reading.clone(), |planned| planned.reading(reading));
    let files = [original, masked];
    let needed = || {
        let request = request.with_plan_of_files(files, reading)?;
        let needed = |file| Ok(memory_needed(file, &request.options(file, reading)?)?);
        let needed: [Result<u64, WorkError>; 2] = files.map(needed);
        let [original, masked] = needed;
        Ok(original?.saturating_add(masked?))
    };
    let work = |store: Option<&Store>| compare_files_in(store, files, reading, request, watch);
    let (mut compared, put_aside) = in_memory_or_aside(reading, masked, needed, work)?;
    compared.put_aside = put_aside;
    Ok(compared)
}

/// The same with the columns of both files in a store, if there is one.
pub fn compare_files_in(
    store: Option<&Store>,
    files: [&Path; 2],
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    let request = &request.with_plan_of_files(files, reading)?;
    let loaded = load_styled(files, reading, request, (Texts::Needed, store), watch)?;
    let [original, masked] = loaded.map(|loaded| loaded.table);
    let (masked, pairing) = paired(&original, masked, request)?;
    compare_paired(&original, &masked, pairing, request, store, watch)
}

/// Reads files that are held side by side; the later ones are spelled as the first.
pub(super) fn load_beside<const N: usize>(
    files: [&Path; N],
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<[Table; N], WorkError> {
    let loaded = load_styled(files, reading, request, (Texts::Needed, None), watch)?;
    Ok(loaded.map(|loaded| loaded.table))
}

/// A table, how its file is written, and the seed that the file gives where nobody gives another.
pub(super) struct Styled {
    pub(super) table: Table,
    pub(super) style: TextStyle,
    pub(super) seed: u64,
}

/// The same, each with how it is written; columns go to a store, if there is one.
pub(super) fn load_styled<const N: usize>(
    files: [&Path; N],
    reading: &Reading,
    request: &CompareRequest,
    (texts, store): (Texts, Option<&Store>),
    watch: &dyn Watch,
) -> Result<[Styled; N], WorkError> {
    let mut reading_here = reading.clone();
    let mut tables: Vec<Styled> = Vec::with_capacity(N);
    for file in files {
        let next = match store {
            // What is read goes to the store, and no file takes from another.
            Some(_) => reading_here.clone(),
            None => beside(file, &reading_here, request)?,
        };
        let options = request.options(file, &reading_here)?;
        let mut loaded = load(file, &options, request, (texts, store), watch)?;
        loaded.table = match &request.planned {
            Some(planned) => planned.with_weight_of_input(loaded.table),
            None => loaded.table,
        };
        loaded.table = match tables.first() {
            Some(first) => {
                let folded = &reading.fold_spellings;
                spelled_alike(&first.table, loaded.table, folded, store)?
            }
            None => loaded.table,
        };
        tables.push(loaded);
        reading_here = next;
    }
    let mut read: Vec<Table> = tables.iter().map(|file| file.table.clone()).collect();
    with_dates(&mut read, request, store)?;
    for (file, table) in tables.iter_mut().zip(read) {
        file.table = table;
    }
    tables
        .try_into()
        .map_err(|_| WorkError::internal("as many tables as files"))
}

/// The masked file with these variables spelled as in the original: each file was folded by its own
/// frequencies, and the original's spelling holds for both.
fn spelled_alike(
    original: &Table,
    mut masked: Table,
    names: &[String],
    store: Option<&Store>,
) -> Result<Table, WorkError> {
    for name in names {
        let columns = original.column_named(name).zip(masked.column_named(name));
        let alike = columns.and_then(|(original, masked)| {
            original.looked_at(|original| masked.looked_at(|masked| spelled_as(masked, original)))
        });
        if let (Some(column), Some(attr_idx)) = (alike, masked.index_of(name)) {
            masked = masked.with_column(attr_idx, stored::kept(column, store)?);
        }
    }
    Ok(masked)
}

/// How the second file is read where memory is limited: both are held, so that it may take what the first leaves.
fn beside(first: &Path, reading: &Reading, request: &CompareRequest) -> Result<Reading, WorkError> {
    let Some(limit) = reading.memory else {
        return Ok(reading.clone());
    };
    let taken = memory_needed(first, &request.options(first, reading)?)?;
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
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    let (masked, pairing) = paired(original, masked, request)?;
    compare_paired(original, &masked, pairing, request, None, watch)
}

/// Takes the measures of two tables whose records are paired.
fn compare_paired(
    original: &Table,
    masked: &Table,
    pairing: Pairing,
    request: &CompareRequest,
    store: Option<&Store>,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    let (on, no_numbers) = variables(original, masked, request)?;
    if on.is_empty() && request.keys.is_empty() {
        return Err(WorkError::mistake(
            "the files have no numeric variable in common, so that there is nothing to compare",
            "name keys with --keys, or declare missing texts with --missing-texts",
        ));
    }
    let pair = Pair {
        original,
        masked,
        rows: pairing.rows(),
    };
    if !on.is_empty() {
        if !request.skip_missing {
            measures::refuse_missing(&pair, &on, request)?;
        }
        measures::refuse_wrong_records(&pair, request)?;
    }
    let (chosen, left) = choose(pair, &on, request);
    refuse_unused_settings(request, &chosen, &left)?;
    let mut found = take_all(&chosen, pair, &pairing, request, store, watch)?;
    found.extend(left.iter().filter_map(Left::told));
    refuse_settings_in_vain(request, &found)?;
    let overview = Overview::of(&pair);
    let looked_at = on.iter().chain(&request.keys);
    let unchanged = looked_at.filter(|name| overview.is_unchanged(name));
    let mut unchanged: Vec<String> = unchanged.cloned().collect();
    let mut seen = HashSet::new();
    unchanged.retain(|name| seen.insert(name.clone()));
    Ok(Compared {
        original: request.original.clone(),
        masked: request.masked.clone(),
        pairing,
        dates: dates_among(original, &on),
        on,
        no_numbers,
        unchanged,
        overview,
        found,
        put_aside: None,
    })
}

fn take_all(
    chosen: &[Chosen],
    pair: Pair<'_>,
    pairing: &Pairing,
    request: &CompareRequest,
    store: Option<&Store>,
    watch: &dyn RunWatch,
) -> Result<Vec<ComparedMeasure>, WorkError> {
    let keyed = |chosen: &&Chosen| chosen.measure.declared().scope == Scope::Scenario;
    let (of_keys, others): (Vec<&Chosen>, Vec<&Chosen>) = chosen.iter().partition(keyed);
    let sets = request.sets_of_keys();
    let n_stages = others.len() + of_keys.len() * sets.len();
    let mut number = 0;
    let mut begin = |one: &Chosen| {
        number += 1;
        watch.stage(one.measure.card().id, number, n_stages);
    };
    let mut found = Vec::new();
    let facts = SharedFacts::default();
    for one in others {
        begin(one);
        found.push(measures::take(one, pair, request, &facts, watch)?);
    }
    if of_keys.is_empty() {
        return Ok(found);
    }
    let masked = measures::masked_keys(pair, request, store)?;
    let pair = Pair {
        masked: &masked,
        ..pair
    };
    for (scenario, keys) in sets {
        let perturbed = perturbed(&pair, pairing, keys, &request.perturbed);
        for one in &of_keys {
            begin(one);
            let one = one.on_keys(keys);
            let mut taken = of_one_set(&one, pair, &perturbed, request, &facts, watch)?;
            taken.scenario = scenario.map(str::to_owned);
            found.push(taken);
        }
    }
    Ok(found)
}

/// A measure of one set of keys.
fn of_one_set(
    one: &Chosen,
    pair: Pair<'_>,
    perturbed: &[String],
    request: &CompareRequest,
    facts: &SharedFacts,
    watch: &dyn RunWatch,
) -> Result<ComparedMeasure, WorkError> {
    let card = one.measure.card();
    if offers_semantics(card, request) {
        let mut taken = measures::take(one, pair, request, facts, watch)?;
        let counts = one.measure.declared().subject == Subject::OneFile;
        if counts && taken.after.is_some() && !perturbed.is_empty() {
            taken.notes.push(not_meaningful(perturbed));
        }
        return Ok(taken);
    }
    let semantics = request.semantics.name();
    let reason = format!("it does not know the semantics `{semantics}`");
    Ok(ComparedMeasure {
        id: card.id,
        scenario: None,
        on: one.on.clone(),
        before: None,
        after: None,
        notes: vec![not_measured(card.id, &reason)],
    })
}

impl CompareRequest {
    /// A comparison by row of everything that both files have.
    pub fn of(original: String, masked: String) -> Self {
        Self {
            original,
            masked,
            on: None,
            keys: Vec::new(),
            ordered: Vec::new(),
            hierarchies: Vec::new(),
            sensitive: Vec::new(),
            weight: None,
            planned: None,
            scenarios: Vec::new(),
            numbers: Vec::new(),
            no_numbers: Vec::new(),
            perturbed: Vec::new(),
            pair_by: PairBy::Row,
            semantics: Semantics::Visible,
            skip_missing: false,
            outliers: None,
            condition: None,
            correspondence: None,
            sample: None,
            set: Vec::new(),
            seed: 1,
        }
    }

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
        refuse_repeats(self.on.iter().flatten())?;
        match &self.pair_by {
            PairBy::Id(variables) => refuse_repeats(variables.iter()),
            PairBy::Row | PairBy::RowInAnyCase => Ok(()),
        }
    }

    /// Whether records are paired by this variable.
    fn is_id(&self, name: &str) -> bool {
        match &self.pair_by {
            PairBy::Id(variables) => variables.iter().any(|known| known == name),
            PairBy::Row | PairBy::RowInAnyCase => false,
        }
    }
}

/// Reads a file.
fn load(
    file: &Path,
    options: &ReadOptions,
    request: &CompareRequest,
    (texts, store): (Texts, Option<&Store>),
    watch: &dyn Watch,
) -> Result<Styled, WorkError> {
    let read = |options: &ReadOptions| match store {
        Some(store) => stored::read(file, options, request, store, watch),
        None => Ok(read(file, options, watch)?),
    };
    let mut loaded = read(options)?;
    let mark = match options.decimal {
        Some(mark) => mark,
        None if loaded.format == FileFormat::Parquet => DecimalMark::Point,
        None => decimal_mark_of(file, &shown_marks(&loaded, request))?.0,
    };
    if mark != loaded.style.decimal {
        let options = ReadOptions {
            decimal: Some(mark),
            ..options.clone()
        };
        // Both at once would lie in the store.
        drop(loaded);
        loaded = read(&options)?;
    }
    Ok(Styled {
        table: match store {
            Some(store) => stored::with_numbers(loaded.table, request, mark, store)?,
            None => with_numbers(loaded.table, request, mark, texts),
        },
        style: loaded.style,
        seed: loaded.fingerprint.seed,
    })
}
