//! `bauta compare`: every measure of an original file and its masked version.

use std::path::Path;

use bauta_data::format::read;
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Column, Kind, Role, Schema, Table, near};
use bauta_methods::pair::Rows;
use bauta_methods::{Measurement, Note, Pair};

use crate::Outcome;
use crate::arguments::{CompareArguments, Global};
use crate::commands::risk::{give_hierarchies, key_schema, refuse_repeats};
use crate::failure::Failure;
use crate::progress::Progress;

mod measures;
mod shown;

use measures::cell;

/// A measure before and after; comparisons have no before.
struct Found {
    id: &'static str,
    before: Option<Measurement>,
    /// None if the data do not allow the measure; a note says why.
    after: Option<Measurement>,
    notes: Vec<Note>,
}

pub(crate) fn run(arguments: &CompareArguments, global: &Global) -> Result<Outcome, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let used = arguments.keys.iter().chain(&arguments.weight);
    refuse_repeats(used.chain(&arguments.sensitive))?;
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
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows,
    };
    let mut found = measures::of_variables(pair, &on, arguments, &progress)?;
    found.extend(measures::of_categories(pair, arguments, &progress)?);
    if !arguments.keys.is_empty() {
        found.extend(measures::of_keys(
            &original, &masked, rows, arguments, &progress,
        )?);
    }
    drop(progress);
    if global.json {
        shown::print_json(arguments, rows, &on, &found);
    } else {
        shown::print_table(arguments, rows, &on, &found);
        if !global.quiet {
            show_notes(&found);
        }
    }
    Ok(Outcome::Fine)
}

/// Each note once, with the measures that state it.
fn show_notes(found: &[Found]) {
    let mut texts: Vec<(String, Vec<&str>)> = Vec::new();
    for found in found {
        for text in found.notes.iter().map(Note::text) {
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, ids)) if ids.contains(&found.id) => {}
                Some((_, ids)) => ids.push(found.id),
                None => texts.push((text, vec![found.id])),
            }
        }
    }
    for (text, ids) in texts {
        eprintln!("note ({}): {text}", ids.join(", "));
    }
}

/// Reads a file; every column of numbers that has no other use becomes numeric.
fn load(file: &Path, arguments: &CompareArguments, progress: &Progress) -> Result<Table, Failure> {
    let mut schema = key_schema(&arguments.keys, arguments.weight.as_deref(), None);
    for name in &arguments.ordered {
        let key = schema.attributes.iter_mut().find(|key| key.name == *name);
        let key = key.filter(|key| key.role == Role::Key).ok_or_else(|| {
            let keys = arguments.keys.iter().map(String::as_str);
            Failure::mistake(
                format!("--ordered names `{name}`, which is not among the keys"),
                near::hint(name, keys),
            )
        })?;
        key.kind = Kind::Ordered;
    }
    give_hierarchies(&mut schema, &arguments.hierarchy, file)?;
    let sensitive = arguments.sensitive.iter();
    schema
        .attributes
        .extend(sensitive.map(|name| Attribute::new(name, Role::Sensitive, Kind::Unordered)));
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
