//! `bauta compare`: every measure of an original file and its masked version.

use std::path::Path;

use bauta_data::format::read;
use bauta_data::number::DecimalMark;
use bauta_data::{Column, Role, Schema, Table, near};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, MeasureTask, Measurement, Note, Pair, Params, RawValue, RunContext, Scope, Subject,
    registry,
};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{CompareArguments, Global};
use crate::commands::risk::{key_schema, measure, measure_json, refuse_repeats, show_notes};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::tables::{figure, table, text};

/// A measure before and after; comparisons have no before.
struct Found {
    id: &'static str,
    before: Option<Measurement>,
    after: Measurement,
    notes: Vec<Note>,
}

pub(crate) fn run(arguments: &CompareArguments, global: &Global) -> Result<Outcome, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    refuse_repeats(arguments.keys.iter().chain(&arguments.weight))?;
    refuse_repeats(arguments.on.iter().flatten())?;
    let original = load(&arguments.original, arguments, &progress)?;
    let masked = load(&arguments.masked, arguments, &progress)?;
    let (masked, rows) = correspondence(&original, masked, arguments)?;
    let on = variables(&original, &masked, arguments)?;
    if on.is_empty() && arguments.keys.is_empty() {
        return Err(Failure::mistake(
            "the files have no numeric variable in common, so that there is nothing to compare",
            "name keys with --keys, or declare missing texts with --missing-texts",
        ));
    }
    let mut found = compare_all(&original, &masked, rows, &on, arguments, &progress)?;
    if !arguments.keys.is_empty() {
        found.extend(compare_keys(
            &original, &masked, rows, arguments, &progress,
        )?);
    }
    drop(progress);
    let notes: Vec<Note> = found.iter().flat_map(|found| found.notes.clone()).collect();
    if global.json {
        print_json(arguments, rows, &on, &found);
    } else {
        print_table(arguments, rows, &on, &found);
        show_notes(&notes, global);
    }
    Ok(Outcome::Fine)
}

/// Reads a file; every column of numbers that has no other use becomes numeric.
fn load(file: &Path, arguments: &CompareArguments, progress: &Progress) -> Result<Table, Failure> {
    let schema = key_schema(&arguments.keys, arguments.weight.as_deref(), None);
    let options = arguments.reading.read_options(Schema {
        attributes: schema.attributes,
        ..Schema::default()
    });
    let mut table = read(file, &options, progress)?.table;
    let mark = arguments.reading.decimal.unwrap_or(DecimalMark::Point);
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        let wanted = arguments
            .on
            .as_ref()
            .is_none_or(|on| on.iter().any(|name| name == column.name()));
        if column.attribute().role == Role::Other
            && wanted
            && let Some(numeric) = column.parsed_as_numbers(mark)
        {
            table = table.with_column(attr_idx, numeric);
        }
    }
    Ok(table)
}

/// Which masked record came from which original one: by id, or by order if there are equally many.
fn correspondence(
    original: &Table,
    masked: Table,
    arguments: &CompareArguments,
) -> Result<(Table, Rows), Failure> {
    let Some(id) = &arguments.id else {
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
    let original_ids = id_texts(original, id, &arguments.original)?;
    let masked_ids = id_texts(&masked, id, &arguments.masked)?;
    let mut row_of = std::collections::HashMap::new();
    for (row, text) in original_ids.iter().enumerate() {
        if row_of.insert(text, row as u32).is_some() {
            return Err(Failure::mistake(
                format!(
                    "{}: `{id}` has the same value in two records (one of them is row {})",
                    arguments.original.display(),
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
                Failure::mistake(
                    format!(
                        "{}: row {} has an `{id}` that the original does not have",
                        arguments.masked.display(),
                        row + 1
                    ),
                    "compare files that share their ids",
                )
            })
        })
        .collect::<Result<Vec<u32>, Failure>>()?;
    Ok((masked.traced_to(rows), Rows::Correspond))
}

fn id_texts(table: &Table, id: &str, file: &Path) -> Result<Vec<String>, Failure> {
    let column = table.column_named(id).ok_or_else(|| {
        Failure::mistake(
            format!("{} has no variable `{id}`", file.display()),
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
    arguments: &CompareArguments,
) -> Result<Vec<String>, Failure> {
    let numeric = |table: &Table, name: &str| {
        table
            .column_named(name)
            .is_some_and(|column| column.as_numeric().is_some())
    };
    let Some(on) = &arguments.on else {
        let other = |column: &&std::sync::Arc<Column>| column.attribute().role == Role::Other;
        let names = original
            .columns()
            .iter()
            .filter(other)
            .map(|column| column.name().to_owned());
        let is_id = |name: &String| arguments.id.as_ref() == Some(name);
        return Ok(names
            .filter(|name| !is_id(name) && numeric(original, name) && numeric(masked, name))
            .collect());
    };
    for name in on {
        for (table, file) in [(original, &arguments.original), (masked, &arguments.masked)] {
            if table.index_of(name).is_none() {
                return Err(Failure::mistake(
                    format!("{} has no variable `{name}`", file.display()),
                    near::column_hint(name, table.names()),
                ));
            }
            if !numeric(table, name) {
                return Err(Failure::mistake(
                    format!("`{name}` is not numeric in {}", file.display()),
                    "declare its missing texts with --missing-texts, or leave it out of --on",
                ));
            }
        }
    }
    Ok(on.clone())
}

fn compare_all(
    original: &Table,
    masked: &Table,
    rows: Rows,
    on: &[String],
    arguments: &CompareArguments,
    progress: &Progress,
) -> Result<Vec<Found>, Failure> {
    let pair = Pair {
        original,
        masked,
        rows,
    };
    let mut found = Vec::new();
    for measure in registry::MEASURES
        .iter()
        .filter(|measure| measure.scope() == Scope::Variables)
    {
        let id = measure.card().id;
        if on.is_empty()
            || (rows == Rows::Unrelated && measure.subject() == Subject::CorrespondingPair)
        {
            continue;
        }
        let skip = arguments.skip_missing && measure.card().param("missing").is_some();
        let given = skip.then(|| ("missing".to_owned(), RawValue::Text("skip".to_owned())));
        let params = Params::check(measure.card(), given.as_slice())
            .map_err(|_| Failure::mistake(format!("`{id}` needs parameters"), "use a plan"))?;
        let context = RunContext::new(0, id, progress);
        let measured = |files| measure.measure(&MeasureTask::new(files, on, &params), &context);
        let (before, after) = match measure.subject() {
            Subject::OneFile => (
                Some(measured(Files::One(original))?),
                measured(Files::One(masked))?,
            ),
            Subject::Pair | Subject::CorrespondingPair => (None, measured(Files::Both(pair))?),
        };
        found.push(Found {
            id,
            before,
            after,
            notes: context.into_notes(),
        });
    }
    Ok(found)
}

fn compare_keys(
    original: &Table,
    masked: &Table,
    rows: Rows,
    arguments: &CompareArguments,
    progress: &Progress,
) -> Result<Vec<Found>, Failure> {
    // Under `original`, masked records are counted in the file before suppression.
    let restored = match arguments.semantics.as_str() {
        "original" => Some(suppressed_version(original, masked, rows, arguments)?),
        _ => None,
    };
    let masked = restored.as_ref().unwrap_or(masked);
    let scenario = registry::MEASURES
        .iter()
        .filter(|measure| measure.scope() == Scope::Scenario);
    let mut found = Vec::new();
    for id in scenario.map(|measure| measure.card().id) {
        let measured = |table| {
            let semantics = ("semantics", RawValue::Text(arguments.semantics.clone()));
            measure(id, table, &arguments.keys, vec![semantics], progress)
        };
        let (before, mut notes) = measured(original)?;
        let (after, more) = measured(masked)?;
        notes.extend(more);
        found.push(Found {
            id,
            before: Some(before),
            after,
            notes,
        });
    }
    Ok(found)
}

/// The original with the cells suppressed that the masked file has lost: what a mask would have
/// made of it, with the values before suppression still known.
fn suppressed_version(
    original: &Table,
    masked: &Table,
    rows: Rows,
    arguments: &CompareArguments,
) -> Result<Table, Failure> {
    let refuse = |message: String| {
        let hint = "use another --semantics, or compare with the file before suppression";
        Err(Failure::mistake(message, hint))
    };
    if rows == Rows::Unrelated || masked.n_records() != original.n_records() {
        return refuse("`original` needs two files with the same records".to_owned());
    }
    let mut restored = original.clone();
    for name in &arguments.keys {
        let (Some(attr_idx), Some(after)) = (original.index_of(name), masked.column_named(name))
        else {
            return refuse(format!("`{name}` is not in both files"));
        };
        let before = original.column(attr_idx);
        let mut lost = Vec::new();
        for record in 0..masked.n_records() {
            let row = masked.source_row(record);
            if after.is_missing(record) {
                lost.push(row as u32);
            } else if before.is_missing(row) || cell(before, row) != cell(after, record) {
                return refuse(format!(
                    "`{name}` was recoded or perturbed, and not only suppressed"
                ));
            }
        }
        restored = restored.with_column(attr_idx, before.suppress(&lost));
    }
    Ok(restored)
}

fn cell(column: &Column, record: usize) -> String {
    let mut text = String::new();
    column.write_text(record, DecimalMark::Point, &mut text);
    text
}

fn rows_name(rows: Rows) -> &'static str {
    match rows {
        Rows::Correspond => "correspond",
        Rows::Unrelated => "unrelated",
    }
}

fn print_json(arguments: &CompareArguments, rows: Rows, on: &[String], found: &[Found]) {
    let measures: Vec<serde_json::Value> = found
        .iter()
        .map(|found| {
            let mut object = measure_json(found.id, &found.after);
            if !arguments.by_variable
                && let Some(object) = object.as_object_mut()
            {
                object.remove("by_variable");
            }
            if let Some(before) = &found.before {
                object["before"] = measure_json(found.id, before);
            }
            object["notes"] = json!(found.notes);
            object
        })
        .collect();
    println!(
        "{}",
        json!({
            "original": arguments.original.display().to_string(),
            "masked": arguments.masked.display().to_string(),
            "records": rows_name(rows),
            "variables": on,
            "measures": measures,
        })
    );
}

fn print_table(arguments: &CompareArguments, rows: Rows, on: &[String], found: &[Found]) {
    println!(
        "{} against {}",
        arguments.masked.display(),
        arguments.original.display()
    );
    println!("compared on {}", on.join(", "));
    if rows == Rows::Unrelated {
        println!(
            "The files differ in length and no --id was named: measures that compare record by record are left out."
        );
    }
    let mut shown = table(["measure", "figure", "original", "masked"]);
    for found in found {
        let value = |measured: &Measurement| measured.value;
        let before = found.before.as_ref();
        let card_value =
            registry::measure(found.id).map_or("", |measure| measure.reading().value_name);
        if !card_value.is_empty() {
            shown.add_row([
                text(found.id),
                text(card_value),
                figure(before.and_then(value)),
                figure(found.after.value),
            ]);
        }
        for part in &found.after.parts {
            shown.add_row([
                text(found.id),
                text(part.name.clone()),
                figure(before.and_then(|before| before.part(&part.name))),
                figure(part.value),
            ]);
        }
        for part in found
            .after
            .by_variable
            .iter()
            .filter(|_| arguments.by_variable)
        {
            shown.add_row([
                text(found.id),
                text(part.name.clone()),
                text(""),
                figure(part.value),
            ]);
        }
    }
    println!("{shown}");
}
