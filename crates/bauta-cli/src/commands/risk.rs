//! `bauta risk`: what an intruder could re-identify by the keys.

use std::fmt::Write as _;

use bauta_data::format::read;
use bauta_data::{Attribute, Kind, Role, Schema, Table, Watch};
use bauta_methods::stats::keys::{Semantics, frequencies};
use bauta_methods::{
    Files, MeasureTask, Measurement, Note, Params, RawValue, RunContext, registry,
};
use bauta_plan::output::{Access, write_file};
use serde_json::{Map, json};

use crate::Outcome;
use crate::arguments::{Global, RiskArguments};
use crate::commands::report::refuse_to_replace;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::tables::{figure, figure_text, table, text};

pub(crate) fn run(arguments: &RiskArguments, global: &Global) -> Result<Outcome, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let named = [arguments.weight.as_ref(), arguments.household.as_ref()];
    refuse_repeats(arguments.keys.iter().chain(named.into_iter().flatten()))?;
    if let Some(file) = &arguments.per_record {
        refuse_to_replace(&arguments.file, file)?;
    }
    let schema = key_schema(
        &arguments.keys,
        arguments.weight.as_deref(),
        arguments.household.as_deref(),
    );
    let options = arguments.reading.read_options(schema);
    let loaded = read(&arguments.file, &options, &progress)?;
    let table = &loaded.table;
    let semantics = ("semantics", RawValue::Text(arguments.semantics.clone()));
    let sizes = arguments.k.iter().map(|&k| RawValue::Integer(k)).collect();
    let sizes = ("k", RawValue::List(sizes));
    let threshold = ("threshold", RawValue::Number(arguments.threshold));
    let mut notes = Vec::new();
    let mut measured = |id, params| {
        let (found, more) = measure(id, table, &arguments.keys, params, &progress)?;
        notes.extend(more);
        Ok::<_, Failure>(found)
    };
    let counted = measured("k-anonymity", vec![semantics.clone(), sizes])?;
    let individual = measured("individual-risk", vec![semantics, threshold])?;
    drop(progress);
    if let Some(file) = &arguments.per_record {
        let rows = per_record(arguments, table, &individual)?;
        write_file(file, rows.as_bytes(), Access::OwnerOnly)?;
    }
    if global.json {
        print_json(arguments, table, &counted, &individual, &notes);
    } else {
        print_tables(arguments, table, &counted, &individual);
        show_notes(&notes, global);
    }
    Ok(Outcome::Fine)
}

/// Refuses a variable that is named for two purposes.
pub(crate) fn refuse_repeats<'n>(names: impl Iterator<Item = &'n String>) -> Result<(), Failure> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::mistake(
                format!("`{name}` is named twice"),
                "name each variable once, for one purpose",
            ));
        }
        seen.push(name);
    }
    Ok(())
}

/// Facts that the measures state, on standard error.
pub(crate) fn show_notes(notes: &[Note], global: &Global) {
    let mut texts: Vec<String> = Vec::new();
    for text in notes.iter().map(Note::text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    for text in texts.iter().filter(|_| !global.quiet) {
        eprintln!("note: {text}");
    }
}

/// Roles for the columns named on the command line.
pub(crate) fn key_schema(keys: &[String], weight: Option<&str>, household: Option<&str>) -> Schema {
    let keys = keys
        .iter()
        .map(|name| Attribute::new(name, Role::Key, Kind::Unordered));
    let weight = weight.map(|name| Attribute::new(name, Role::Weight, Kind::Continuous));
    let household = household.map(|name| Attribute::new(name, Role::Household, Kind::Unordered));
    Schema {
        attributes: keys.chain(weight).chain(household).collect(),
        ..Schema::default()
    }
}

/// Runs one measure of one file.
pub(crate) fn measure(
    id: &'static str,
    table: &Table,
    on: &[String],
    params: Vec<(&'static str, RawValue)>,
    watch: &dyn Watch,
) -> Result<(Measurement, Vec<Note>), Failure> {
    let measure =
        registry::measure(id).ok_or_else(|| Failure::bug(format!("there is no measure `{id}`")))?;
    let given: Vec<(String, RawValue)> = params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let params = Params::check(measure.card(), &given).map_err(|problems| {
        let texts: Vec<String> = problems
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        Failure::mistake(texts.join("; "), "see --help")
    })?;
    let context = RunContext::new(0, id, watch);
    let task = MeasureTask::new(Files::One(table), on, &params);
    let found = measure.measure(&task, &context)?;
    Ok((found, context.into_notes()))
}

/// One row per record; rows count from 1, without the header.
fn per_record(
    arguments: &RiskArguments,
    table: &Table,
    individual: &Measurement,
) -> Result<String, Failure> {
    let keys: Vec<usize> = arguments
        .keys
        .iter()
        .filter_map(|name| table.index_of(name))
        .collect();
    let semantics = Semantics::from_name(&arguments.semantics).unwrap_or(Semantics::Visible);
    let counted = frequencies(table, &keys, semantics)?;
    let risk = individual.per_record.as_deref().unwrap_or_default();
    let mut out = String::from("row,f,F,risk\n");
    for (record, risk) in risk.iter().enumerate() {
        let _ = writeln!(
            out,
            "{},{},{},{risk}",
            record + 1,
            counted.f[record],
            counted.big_f[record]
        );
    }
    Ok(out)
}

fn print_json(
    arguments: &RiskArguments,
    table: &Table,
    counted: &Measurement,
    individual: &Measurement,
    notes: &[Note],
) {
    let violations: Map<String, serde_json::Value> = arguments
        .k
        .iter()
        .map(|k| (k.to_string(), json!(counted.part(&format!("below_{k}")))))
        .collect();
    println!(
        "{}",
        json!({
            "file": arguments.file.display().to_string(),
            "n_records": table.n_records(),
            "keys": arguments.keys,
            "semantics": arguments.semantics,
            "k": violations,
            "uniques": counted.part("uniques"),
            "smallest_class": counted.value,
            "expected_reidentifications": individual.part("expected_reidentifications"),
            "measures": [measure_json("k-anonymity", counted), measure_json("individual-risk", individual)],
            "notes": notes,
        })
    );
}

/// A measurement as scripts read it.
pub(crate) fn measure_json(id: &str, found: &Measurement) -> serde_json::Value {
    let named = |parts: &[bauta_methods::Part]| -> Map<String, serde_json::Value> {
        parts
            .iter()
            .map(|part| (part.name.clone(), json!(part.value)))
            .collect()
    };
    let mut object = json!({ "id": id, "value": found.value, "parts": named(&found.parts) });
    if !found.by_variable.is_empty() {
        object["by_variable"] = json!(named(&found.by_variable));
    }
    object
}

fn print_tables(
    arguments: &RiskArguments,
    table_read: &Table,
    counted: &Measurement,
    individual: &Measurement,
) {
    let n = table_read.n_records();
    println!(
        "{}: {n} records; keys {}; a missing key counts as `{}`",
        arguments.file.display(),
        arguments.keys.join(", "),
        arguments.semantics
    );
    let mut shown = table(["figure", "value", "share of records"]);
    let share = |value: Option<f64>| value.filter(|_| n > 0).map(|value| value / n as f64);
    let mut row = |name: String, value: Option<f64>, share: Option<f64>| {
        shown.add_row([text(name), figure(value), figure(share)]);
    };
    row(
        "smallest class (k of k-anonymity)".to_owned(),
        counted.value,
        None,
    );
    row("different keys".to_owned(), counted.part("classes"), None);
    row(
        "sample uniques".to_owned(),
        counted.part("uniques"),
        share(counted.part("uniques")),
    );
    for k in &arguments.k {
        let below = counted.part(&format!("below_{k}"));
        row(
            format!("records that violate {k}-anonymity"),
            below,
            share(below),
        );
    }
    let expected = individual.part("expected_reidentifications");
    row(
        "expected re-identifications".to_owned(),
        expected,
        share(expected),
    );
    row(
        "largest individual risk".to_owned(),
        individual.part("max"),
        None,
    );
    let above = individual.part("above_threshold");
    row(
        format!(
            "records with risk above {}",
            figure_text(Some(arguments.threshold))
        ),
        above,
        share(above),
    );
    for part in individual
        .parts
        .iter()
        .filter(|part| part.name.starts_with("household_"))
    {
        row(part.name.replace('_', " "), part.value, None);
    }
    println!("{shown}");
    if arguments.weight.is_none() {
        println!(
            "No weight was named, so the file counts as a census: an intruder knows who is in it."
        );
    }
}
