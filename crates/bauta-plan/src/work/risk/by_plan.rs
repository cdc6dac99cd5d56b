//! The risk of a file whose keys a plan names, by each of its scenarios.

use std::path::Path;

use bauta_data::format::{memory_needed, read, read_stored};
use bauta_data::number::DecimalMark;
use bauta_data::store::Store;
use bauta_data::{Kind, Role, Schema, Table, near};
use bauta_methods::Note;
use bauta_methods::note::NoteRank;

use super::{LookedAt, RiskFound, RiskRequest, risk_after};
use crate::aside::in_memory_or_aside;
use crate::output::{Access, Guard, Replace, write_file};
use crate::plan::Scenario;
use crate::stages::RunWatch;
use crate::work::{Planned, Reading, WorkError};

/// A file, and what was said of it besides what a plan says.
#[derive(Clone, Copy, Debug)]
pub struct AskedFile<'a> {
    /// Where it is.
    pub file: &'a Path,
    /// How it is read, where that was said.
    pub reading: &'a Reading,
    /// The one scenario that is asked about; all if none is named.
    pub scenario: Option<&'a str>,
    /// Where one row per record is to be written.
    pub per_record: Option<&'a Path>,
}

/// What was found by the keys of one scenario.
#[derive(Clone, Debug)]
pub struct PlannedRisk {
    /// The scenario; none where keys were named.
    pub scenario: Option<Scenario>,
    /// Keys of the scenario that the file has not got, so that nobody can find a record by them.
    pub absent: Vec<String>,
    /// What was asked, with what the plan says wherever nothing was.
    pub request: RiskRequest,
    /// What was found.
    pub found: RiskFound,
}

/// Looks at a file by the keys that a plan names, or by those of the request if it has any. Weight, household,
/// confidential variables and hierarchies are the plan's, too, wherever the request names none; so is how much memory to
/// take. Where the file does not fit, its columns lie on the disk meanwhile; what is found is the same.
pub fn risk_by_plan(
    asked: AskedFile<'_>,
    planned: &Planned,
    request: &RiskRequest,
    replace: Replace,
    watch: &dyn RunWatch,
) -> Result<(LookedAt, Vec<PlannedRisk>), WorkError> {
    let reading = &planned.reading(asked.reading);
    let asked = AskedFile { reading, ..asked };
    let needed = || {
        let columns = planned.columns(asked.file, reading)?;
        let requests = requests(asked, planned, request, &columns)?;
        let options = planned.options(asked.file, reading, schema(&requests)?)?;
        Ok(memory_needed(asked.file, &options)?)
    };
    let work =
        |store: Option<&Store>| risk_by_plan_in(store, asked, planned, request, replace, watch);
    let ((mut looked_at, found), put_aside) =
        in_memory_or_aside(reading, asked.file, needed, work)?;
    looked_at.put_aside = put_aside;
    Ok((looked_at, found))
}

/// The same with the columns of the file in a store, if there is one.
pub fn risk_by_plan_in(
    store: Option<&Store>,
    asked: AskedFile<'_>,
    planned: &Planned,
    request: &RiskRequest,
    replace: Replace,
    watch: &dyn RunWatch,
) -> Result<(LookedAt, Vec<PlannedRisk>), WorkError> {
    let AskedFile { file, reading, .. } = asked;
    let columns = planned.columns(file, reading)?;
    let requests = requests(asked, planned, request, &columns)?;
    if let (Some(_), [_, _, ..]) = (asked.per_record, requests.as_slice()) {
        return Err(WorkError::mistake(
            "one file of figures per record holds those of one scenario, and the plan has several",
            "choose one with --scenario",
        ));
    }
    for asked in &requests {
        asked.request.refuse_repeats()?;
    }
    let read_too = planned.input().into_iter();
    let guard = Guard::new(request.reads(file).chain(read_too), replace);
    if let Some(target) = asked.per_record {
        guard.check(&[target])?;
    }
    let n_measures: usize = requests.iter().map(|one| one.request.n_measures()).sum();
    let n_stages = 1 + n_measures;
    watch.stage("read", 1, n_stages);
    let schema = schema(&requests).map_err(|error| error.in_file(file))?;
    let options = planned.options(file, reading, schema)?;
    let loaded = match store {
        Some(store) => read_stored(file, &options, store, watch)?,
        None => read(file, &options, watch)?,
    };
    let table = with_numbers(loaded.table, planned, loaded.style.decimal, store)?;
    let (mut risks, mut n_before) = (Vec::new(), 1);
    for OfScenario {
        scenario,
        absent,
        request,
    } in requests
    {
        let found = risk_after(n_before, n_stages, &table, &request, watch);
        let mut found = found.map_err(|error| error.in_file(file))?;
        let perturbed = planned.perturbed_among(&request.keys);
        if !planned.is_input(file) && !perturbed.is_empty() {
            found.notes.push(perturbed_by_plan(&perturbed));
        }
        n_before += request.n_measures();
        if let Some(target) = asked.per_record {
            let rows = found.per_record(&table, &request)?;
            write_file(target, rows.as_bytes(), Access::OwnerOnly, &guard)?;
        }
        risks.push(PlannedRisk {
            scenario,
            absent,
            request,
            found,
        });
    }
    Ok((LookedAt::of(&table), risks))
}

/// What a reader must know of counts of keys that the plan's steps make untrue.
fn perturbed_by_plan(keys: &[String]) -> Note {
    let text = format!(
        "not meaningful if this is what the plan releases: its steps perturb {}, and whoever knows a true value then \
         looks for near records, not for equal ones: `bauta link` and the measure `pld` do that",
        keys.join(", ")
    );
    Note::new("perturbed-keys", text)
        .with("variables", keys)
        .ranked(NoteRank::Warning)
}

/// What is asked by one scenario.
struct OfScenario {
    scenario: Option<Scenario>,
    absent: Vec<String>,
    request: RiskRequest,
}

fn requests(
    asked: AskedFile<'_>,
    planned: &Planned,
    request: &RiskRequest,
    columns: &[String],
) -> Result<Vec<OfScenario>, WorkError> {
    if !request.keys.is_empty() {
        let request = filled(request.clone(), planned, columns);
        return Ok(vec![OfScenario {
            scenario: None,
            absent: Vec::new(),
            request,
        }]);
    }
    let scenarios = planned.scenarios(asked.scenario)?;
    if scenarios.is_empty() {
        return Err(WorkError::mistake(
            "the plan has no key, so that nobody knows what an intruder is assumed to know",
            "give variables the role key in the plan, or name them with --keys",
        ));
    }
    refuse_useless_hierarchies(request, &scenarios)?;
    let mut requests = Vec::new();
    for scenario in scenarios {
        let is_there = |key: &String| columns.contains(key);
        let (keys, absent): (Vec<String>, Vec<String>) =
            scenario.keys.iter().cloned().partition(is_there);
        if keys.is_empty() {
            let message = format!(
                "{} has none of the keys of the scenario `{}`",
                asked.file.display(),
                scenario.name
            );
            let hint = "name another file or another --scenario, or name --keys";
            return Err(WorkError::mistake(message, hint));
        }
        let hierarchies = request.hierarchies.iter();
        let hierarchies = hierarchies.filter(|given| keys.contains(&given.variable));
        let request = RiskRequest {
            hierarchies: hierarchies.cloned().collect(),
            keys,
            ..request.clone()
        };
        requests.push(OfScenario {
            scenario: Some(scenario),
            absent,
            request: filled(request, planned, columns),
        });
    }
    Ok(requests)
}

/// A hierarchy of a variable that is a key of no scenario would be ignored.
fn refuse_useless_hierarchies(
    request: &RiskRequest,
    scenarios: &[Scenario],
) -> Result<(), WorkError> {
    let is_key = |name: &String| scenarios.iter().any(|known| known.keys.contains(name));
    let mut given = request.hierarchies.iter().map(|given| &given.variable);
    let Some(name) = given.find(|name| !is_key(name)) else {
        return Ok(());
    };
    let keys = scenarios.iter().flat_map(|known| &known.keys);
    let message = format!("`{name}` has a hierarchy and is not among the keys");
    let hint = near::hint(name, keys.map(String::as_str));
    Err(WorkError::of_variable(name, message, hint))
}

/// A request with what the plan says wherever nothing was named.
pub(super) fn filled(
    mut request: RiskRequest,
    planned: &Planned,
    columns: &[String],
) -> RiskRequest {
    let is_free = |name: &String| columns.contains(name) && !request.keys.contains(name);
    if request.weight.is_none() {
        request.weight = planned.weight_in(columns).filter(is_free);
    }
    if request.household.is_none() {
        let mut households = planned.with_role(Role::Household).map(|one| &one.name);
        request.household = households.find(|name| is_free(name)).cloned();
    }
    if request.sensitive.is_empty() {
        // Amounts are nearly all different: to count them says nothing.
        let answers = planned.with_role(Role::Sensitive);
        let answers = answers.filter(|answer| answer.kind != Kind::Continuous);
        let answers = answers.map(|answer| &answer.name);
        request.sensitive = answers.filter(|name| is_free(name)).cloned().collect();
    }
    request
}

/// The uses of all columns that some scenario names.
fn schema(requests: &[OfScenario]) -> Result<Schema, WorkError> {
    let mut all = Schema::default();
    for one in requests {
        for attribute in one.request.schema()?.attributes {
            let mut known = all.attributes.iter_mut();
            match known.find(|known| known.name == attribute.name) {
                // Whoever knows it in one scenario makes it a key.
                Some(known) if attribute.role == Role::Key => *known = attribute,
                Some(_) => {}
                None => all.attributes.push(attribute),
            }
        }
    }
    Ok(all)
}

/// Keys that the plan calls numbers, compared as numbers if all of them are.
pub(super) fn with_numbers(
    mut table: Table,
    planned: &Planned,
    mark: DecimalMark,
    store: Option<&Store>,
) -> Result<Table, WorkError> {
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        let described = planned.attribute(column.name());
        let is_number = described.is_some_and(|planned| planned.kind == Kind::Continuous);
        let is_key = column.attribute().role == Role::Key;
        if !is_number || !is_key {
            continue;
        }
        let numeric = match store {
            Some(store) => store.read_as_numbers(column, mark)?,
            None => column.parsed_as_numbers(mark),
        };
        if let Some(numeric) = numeric {
            table = table.with_column(attr_idx, numeric);
        }
    }
    Ok(table)
}
