//! What an intruder could re-identify by the keys of one file.

mod by_plan;
mod kept;

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::format::{memory_needed_described, read_described, read_described_stored};
use bauta_data::store::Store;
use bauta_data::{Schema, Table};
use bauta_methods::Choice as _;
use bauta_methods::keys::unique_sets::unique_sets;
use bauta_methods::keys::{Semantics, frequencies, population};
use bauta_methods::measure::{ListedRecord, SeriesTable};
use bauta_methods::risk::key_contribution::{AS_IT_IS, BY_LEVEL, HIERARCHY_UNFIT, LEFT_OUT};
use bauta_methods::{Files, Groups, Measurement, Note, RawValue, RunContext, registry};

use super::keys::{add_sensitive, give_hierarchies, key_schema, positions, refuse_repeats};
use super::{HierarchyForm, KeyHierarchy, Reading, WorkError};
use crate::aside::in_memory_or_aside;
use crate::measure::ReadyMeasure;
use crate::output::{Access, Guard, Replace, write_file};
use crate::record::StoreRecord;
use crate::stages::RunWatch;
use crate::within::caught;

pub use by_plan::{AskedFile, PlannedRisk, risk_by_plan, risk_by_plan_in};
pub use kept::KeptKeys;

/// What an intruder is assumed to know, and what is asked about it.
#[derive(Clone, PartialEq, Debug)]
pub struct RiskRequest {
    /// Variables that an intruder knows.
    pub keys: Vec<String>,
    /// Sampling weight; without one the file is a census.
    pub weight: Option<String>,
    /// Household id.
    pub household: Option<String>,
    /// Confidential variables.
    pub sensitive: Vec<String>,
    /// How a missing key counts.
    pub semantics: Semantics,
    /// Class sizes to count violations for.
    pub k: Vec<i64>,
    /// Risk above which a record counts as at risk.
    pub threshold: f64,
    /// Accepted rate of re-identifications.
    pub rate: Option<f64>,
    /// How keys become coarser.
    pub hierarchies: Vec<KeyHierarchy>,
    /// Riskiest keys to point at.
    pub riskiest: u16,
}

/// What was found of a file.
#[derive(Clone, Debug)]
pub struct RiskFound {
    /// Sizes of the classes of equal keys.
    pub counted: Measurement,
    /// Risks of the records.
    pub individual: Measurement,
    /// What each key contributes.
    pub contribution: Measurement,
    /// How different confidential values are among equal keys, where that can be counted.
    pub diversity: Option<Measurement>,
    /// The riskiest records.
    pub riskiest: Vec<Riskiest>,
    /// What the measures state.
    pub notes: Vec<Note>,
}

/// A record at risk, without a value of its key.
#[derive(Clone, PartialEq, Debug)]
pub struct Riskiest {
    /// Its row, from 1.
    pub row: u64,
    /// Records with its key.
    pub f: Option<f64>,
    /// How many of the population they stand for.
    pub big_f: Option<f64>,
    /// Its risk.
    pub risk: Option<f64>,
    /// The risk of its household.
    pub household_risk: Option<f64>,
    /// The smallest set of keys that nobody shares with it; empty where all are shared.
    pub enough: Vec<String>,
}

/// The three figures of the file with a key left out or recoded.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// The key, or the key and the level.
    pub name: &'a str,
    /// Records in classes below k.
    pub below: Option<f64>,
    /// Records that are alone.
    pub uniques: Option<f64>,
    /// Expected re-identifications.
    pub expected: Option<f64>,
}

/// What there is to say of a file whose risk was looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct LookedAt {
    /// Its records.
    pub n_records: usize,
    /// Whom they stand for.
    pub population: f64,
    /// What was put aside on the disk; none where all of it was in memory.
    pub put_aside: Option<StoreRecord>,
}

impl LookedAt {
    fn of(table: &Table) -> Self {
        Self {
            n_records: table.n_records(),
            population: population(&table.view()),
            put_aside: None,
        }
    }
}

/// Looks at a file. Where `per_record` names a file, one row per record is written to it. Where the file does not fit into
/// the memory that it may take, its columns lie on the disk meanwhile; what is found is the same.
pub fn risk_of(
    file: &Path,
    reading: &Reading,
    request: &RiskRequest,
    per_record: Option<&Path>,
    replace: Replace,
    watch: &dyn RunWatch,
) -> Result<(LookedAt, RiskFound), WorkError> {
    let schema = request.schema().map_err(|error| error.in_file(file))?;
    let options = reading.options(schema);
    let needed = || Ok(memory_needed_described(file, &options)?);
    let outputs = (per_record, replace);
    let work = |store: Option<&Store>| risk_in(store, file, reading, request, outputs, watch);
    let ((mut looked_at, found), put_aside) = in_memory_or_aside(reading, file, needed, work)?;
    looked_at.put_aside = put_aside;
    Ok((looked_at, found))
}

/// The same with the columns of the file in a store, if there is one.
pub fn risk_in(
    store: Option<&Store>,
    file: &Path,
    reading: &Reading,
    request: &RiskRequest,
    (per_record, replace): (Option<&Path>, Replace),
    watch: &dyn RunWatch,
) -> Result<(LookedAt, RiskFound), WorkError> {
    request.refuse_repeats()?;
    let guard = Guard::new(request.reads(file), replace);
    if let Some(target) = per_record {
        guard.check(&[target])?;
    }
    let schema = request.schema().map_err(|error| error.in_file(file))?;
    let n_stages = 1 + request.n_measures();
    watch.stage("read", 1, n_stages);
    let options = reading.options(schema);
    let table = match store {
        Some(store) => read_described_stored(file, &options, store, watch)?,
        None => read_described(file, &options, watch)?,
    };
    let found = risk_after(1, n_stages, &table, request, watch);
    let found = found.map_err(|error| error.in_file(file))?;
    if let Some(target) = per_record {
        let rows = found.per_record(&table, request)?;
        write_file(target, rows.as_bytes(), Access::OwnerOnly, &guard)?;
    }
    Ok((LookedAt::of(&table), found))
}

/// Looks at a table that was read with the request's [schema](RiskRequest::schema).
pub fn risk(
    table: &Table,
    request: &RiskRequest,
    watch: &dyn RunWatch,
) -> Result<RiskFound, WorkError> {
    risk_after(0, request.n_measures(), table, request, watch)
}

/// The same after so many stages of some.
fn risk_after(
    n_before: usize,
    n_stages: usize,
    table: &Table,
    request: &RiskRequest,
    watch: &dyn RunWatch,
) -> Result<RiskFound, WorkError> {
    request.refuse_repeats()?;
    let semantics = ("semantics", text(request.semantics.name()));
    let mut notes = Vec::new();
    let mut stage = n_before;
    let mut measured = |id, params| {
        stage += 1;
        watch.stage(id, stage, n_stages);
        let (found, more) = measure(id, table, &request.keys, params, watch)?;
        notes.extend(more);
        Ok::<_, WorkError>(found)
    };
    let sizes = request.k.iter().map(|&k| RawValue::Integer(k)).collect();
    let counted = vec![semantics.clone(), ("k", RawValue::List(sizes))];
    let counted = measured("k-anonymity", counted)?;
    let mut individual = vec![
        semantics.clone(),
        ("threshold", RawValue::Number(request.threshold)),
        ("riskiest", RawValue::Integer(request.riskiest.into())),
    ];
    individual.extend(request.rate.map(|rate| ("rate", RawValue::Number(rate))));
    let individual = measured("individual-risk", individual)?;
    let k = ("k", RawValue::Integer(request.k_of_contribution()));
    let contribution = measured("key-contribution", vec![semantics.clone(), k])?;
    let diversity = request.counts_diversity().then(|| {
        let names = request.sensitive.iter().map(|name| text(name)).collect();
        let given = vec![semantics, ("sensitive", RawValue::List(names))];
        measured("l-diversity", given)
    });
    let diversity = diversity.transpose()?;
    refuse_unfit_hierarchies(&notes, request)?;
    let (riskiest, view) = (individual.listed.iter(), table.view());
    let riskiest = riskiest.map(|listed| Riskiest::of(request, &view, listed));
    Ok(RiskFound {
        diversity,
        riskiest: riskiest.collect::<Result<_, _>>()?,
        counted,
        individual,
        contribution,
        notes,
    })
}

fn text(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

/// Takes one measure of one file.
fn measure(
    id: &'static str,
    table: &Table,
    on: &[String],
    params: Vec<(&'static str, RawValue)>,
    watch: &dyn RunWatch,
) -> Result<(Measurement, Vec<Note>), WorkError> {
    let measure = registry::measure(id)
        .ok_or_else(|| WorkError::internal(format!("there is no measure `{id}`")))?;
    let given: Vec<(String, RawValue)> = params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let ready =
        ReadyMeasure::new(measure, &given, on, Groups::default(), table).map_err(|problems| {
            WorkError::Settings {
                measure: id,
                problems,
            }
        })?;
    let context = RunContext::new(0, id, watch);
    // What is read of a store for one measure is given back after it.
    let view = table.view();
    let found = caught(|| ready.take(Files::One(&view), &view, &context))?;
    Ok((found, context.into_notes()))
}

/// A hierarchy that was given here and fits no value is a mistake of who gave it; one of the plan need not fit a file that
/// was recoded.
fn refuse_unfit_hierarchies(notes: &[Note], request: &RiskRequest) -> Result<(), WorkError> {
    let is_given = |note: &&Note| {
        let variable = note.fact("variable").and_then(|name| name.as_str());
        let mut given = request.hierarchies.iter();
        given.any(|given| Some(given.variable.as_str()) == variable)
    };
    let unfit = notes.iter().filter(|note| note.id == HIERARCHY_UNFIT);
    let unfit = unfit.filter(is_given).find_map(|note| {
        Some((
            note.fact("variable")?.as_str()?,
            note.fact("reason")?.as_str()?,
        ))
    });
    match unfit {
        None => Ok(()),
        Some((variable, reason)) => Err(WorkError::of_variable(
            variable,
            format!("its hierarchy cannot be used: {reason}"),
            "see `bauta risk --help` for the forms of --hierarchy",
        )),
    }
}

impl RiskRequest {
    /// What is asked where nothing but the keys is said.
    pub fn usual(keys: Vec<String>) -> Self {
        Self {
            keys,
            weight: None,
            household: None,
            sensitive: Vec::new(),
            semantics: Semantics::Visible,
            k: vec![2, 3, 5],
            threshold: 0.1,
            rate: None,
            hierarchies: Vec::new(),
            riskiest: 5,
        }
    }

    /// Roles and hierarchies of the columns that are named.
    pub fn schema(&self) -> Result<Schema, WorkError> {
        let (weight, household) = (self.weight.as_deref(), self.household.as_deref());
        let mut schema = key_schema(&self.keys, weight, household);
        add_sensitive(&mut schema, &self.sensitive);
        give_hierarchies(&mut schema, &self.hierarchies)?;
        Ok(schema)
    }

    /// All files that the request reads.
    fn reads<'p>(&'p self, file: &'p Path) -> impl Iterator<Item = &'p Path> {
        let files = self
            .hierarchies
            .iter()
            .filter_map(|hierarchy| match &hierarchy.form {
                HierarchyForm::Ready(_) => None,
                HierarchyForm::File(levels) => Some(levels.as_path()),
            });
        std::iter::once(file).chain(files)
    }

    /// The class size that contributions are told for.
    pub fn k_of_contribution(&self) -> i64 {
        let usual = self.k.iter().copied().find(|&k| k == 3);
        usual.or(self.k.first().copied()).unwrap_or(3)
    }

    /// A blank record would lend its answer to every class: `wild` has no l-diversity.
    fn counts_diversity(&self) -> bool {
        !self.sensitive.is_empty() && self.semantics != Semantics::Wild
    }

    fn n_measures(&self) -> usize {
        3 + usize::from(self.counts_diversity())
    }

    fn refuse_repeats(&self) -> Result<(), WorkError> {
        let named = self.weight.iter().chain(&self.household);
        refuse_repeats(self.keys.iter().chain(named).chain(&self.sensitive))
    }
}

impl Riskiest {
    fn of(request: &RiskRequest, table: &Table, listed: &ListedRecord) -> Result<Self, WorkError> {
        let figure = |name: &str| {
            let part = listed.figures.iter().find(|part| part.name == name);
            part.and_then(|part| part.value)
        };
        let record = (listed.row - 1) as usize;
        let keys = positions(table, &request.keys)?;
        let sets = unique_sets(table, &keys, record, 2, request.semantics)?;
        let smallest = sets.sets.into_iter().next().unwrap_or_default();
        let enough = smallest.into_iter().map(|key| request.keys[key].clone());
        Ok(Self {
            row: listed.row,
            f: figure("f"),
            big_f: figure("F"),
            risk: figure("risk"),
            household_risk: figure("household_risk"),
            enough: enough.collect(),
        })
    }
}

impl RiskFound {
    /// What is there, and what is left for each key left out.
    pub fn left_out(&self) -> Vec<Left<'_>> {
        left(&self.contribution, &LEFT_OUT)
    }

    /// What is there, and what is left for each level above the present one.
    pub fn by_level(&self) -> Vec<Left<'_>> {
        left(&self.contribution, &BY_LEVEL)
    }

    /// One row per record; rows count from 1, without the header.
    pub fn per_record(&self, table: &Table, request: &RiskRequest) -> Result<String, WorkError> {
        let keys = positions(table, &request.keys)?;
        let counted = frequencies(&table.view(), &keys, request.semantics)?;
        let risk = self.individual.per_record.as_deref().unwrap_or_default();
        let mut out = String::from("row,f,F,risk\n");
        for (record, risk) in risk.iter().enumerate() {
            let _ = writeln!(
                out,
                "{},{},{},{risk}",
                record + 1,
                counted.f[record],
                counted.big_f(record)
            );
        }
        Ok(out)
    }
}

impl<'a> Left<'a> {
    /// Whether a key is left out or recoded, and the figures are not those of the file itself.
    pub fn is_changed(&self) -> bool {
        self.name != AS_IT_IS
    }

    /// The key and the level that it is recoded to.
    pub fn key_and_level(&self) -> (&'a str, &'a str) {
        self.name.rsplit_once(", level ").unwrap_or((self.name, ""))
    }
}

fn left<'a>(contribution: &'a Measurement, table: &SeriesTable) -> Vec<Left<'a>> {
    let series: Vec<_> = contribution
        .series
        .iter()
        .filter(|series| series.is_in(table))
        .collect();
    let [below, uniques, expected] = series.as_slice() else {
        return Vec::new();
    };
    let points = below
        .points
        .iter()
        .zip(&uniques.points)
        .zip(&expected.points);
    points
        .map(|((below, uniques), expected)| Left {
            name: &below.name,
            below: below.value,
            uniques: uniques.value,
            expected: expected.value,
        })
        .collect()
}
