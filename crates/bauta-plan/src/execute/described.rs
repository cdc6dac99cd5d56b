//! What a record says of the plan, the files and the variables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bauta_data::column::Values;
use bauta_data::format::Loaded;
use bauta_data::inspect::{
    exact_amounts, has_many_categories, released_as_is, tells_records_apart, weights_tell_apart,
};
use bauta_data::missing::{MissingCause, MissingMark};
use bauta_data::{Column, Remark, Role, Table, WrittenBytes, spelling};
use bauta_methods::Note;
use bauta_methods::few_records::is_few;
use bauta_methods::note::NoteRank;
use bauta_methods::pair::Rows;
use sha2::{Digest, Sha256};

use super::masking::Masked;
use crate::plan::{Plan, Release, SwitchedOff};
use crate::record::{Fate, FileRecord, PlanRecord, ScenarioRecord, VariableRecord};

/// A file that was written.
pub(crate) fn released_record(
    release: &Release,
    print: &WrittenBytes,
    table: &Table,
) -> FileRecord {
    file_record(&release.file.given, print, table)
}

pub(super) fn file_record(given: &str, print: &WrittenBytes, table: &Table) -> FileRecord {
    FileRecord {
        file: given.to_owned(),
        sha256: print.sha256.clone(),
        n_bytes: print.n_bytes,
        n_records: table.n_records() as u64,
        n_variables: table.columns().len() as u64,
    }
}

/// What the record says of the data: what the reader had to say, and what the spellings of the
/// categories that the plan describes show.
pub(super) fn data_notes(plan: &Plan, loaded: &Loaded) -> Vec<Note> {
    let declared = declared_names(plan);
    let columns = loaded.table.columns();
    let is_declared = |attr_idx: usize| declared.contains(columns[attr_idx].name());
    let of_spellings = spelling::remarks(&loaded.table, is_declared);
    let remarks = loaded.remarks.iter().chain(&of_spellings);
    let mut notes: Vec<Note> = remarks.map(data_note).collect();
    notes.extend(codes_among_values(plan, &loaded.table));
    notes.extend(switched_off(plan));
    notes
}

/// The steps that the plan has and that were not carried out; what might have been done is not for the public.
fn switched_off(plan: &Plan) -> Option<Note> {
    if plan.switched_off.is_empty() {
        return None;
    }
    let steps: Vec<String> = (plan.switched_off.iter())
        .map(SwitchedOff::in_words)
        .collect();
    let keys = plan.switched_off.iter().map(|step| step.key.as_str());
    let keys: Vec<&str> = keys.collect();
    let text = format!("switched off: {}", steps.join(", "));
    Some(Note::new("steps-switched-off", text).with("steps", keys))
}

/// Variables in which a number that the whole file calls missing lies between others that occur: 8 and 9 mean refused
/// in one answer and eight and nine years in another.
fn codes_among_values(plan: &Plan, table: &Table) -> Option<Note> {
    let is_of_file = |column: &Column| {
        let described = plan.read.schema.attributes.iter();
        let mut described = described.filter(|one| one.name == column.name());
        described.all(|attribute| attribute.missing.is_none())
    };
    let columns = table.columns().iter().map(AsRef::as_ref);
    let columns = columns.filter(|column: &&Column| is_of_file(column) && column.n_missing() > 0);
    let told: Vec<(&str, usize)> = columns
        .filter_map(|column| Some((column.name(), column.looked_at(n_codes_among)?)))
        .collect();
    if told.is_empty() {
        return None;
    }
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    let listed = told.iter().map(|(name, n_cells)| match *n_cells {
        n if is_few(n as u64) => (*name).to_owned(),
        n => format!("{name} ({n} cells)"),
    });
    let listed: Vec<String> = listed.collect();
    let text = format!(
        "numbers that [data] calls missing and that lie among the other values of {}: if they are values there, give the \
         variable a `missing` or `missing_codes` of its own",
        listed.join(", ")
    );
    let note = Note::new("missing-codes-among-values", text).with("variables", names);
    Some(note.ranked(NoteRank::Warning))
}

/// Cells that a code makes missing which is a whole number with both its neighbours among the values.
fn n_codes_among(column: &Column) -> Option<usize> {
    let marks = column.missing()?.marks();
    let values: HashSet<i64> = match column.values() {
        Values::Numeric(numbers) => {
            let whole = numbers.iter().filter(|number| number.fract() == 0.0);
            whole.map(|&number| number as i64).collect()
        }
        Values::Categorical(categories) => {
            let texts = categories.levels.iter();
            texts.filter_map(|text| text.trim().parse().ok()).collect()
        }
    };
    let lies_among = |mark: &MissingMark| {
        let code = mark.text.trim().parse::<i64>().ok()?;
        let beside = [code.checked_sub(1)?, code.checked_add(1)?];
        beside
            .iter()
            .all(|number| values.contains(number))
            .then_some(())
    };
    let is_among = |mark: &MissingMark| lies_among(mark).is_some();
    if !marks.iter().any(is_among) {
        return None;
    }
    let records = 0..column.len();
    let n_cells = records.filter(|&record| column.missing_mark(record).is_some_and(is_among));
    Some(n_cells.count()).filter(|n_cells| *n_cells > 0)
}

/// So many cells, in words.
fn cells(n_cells: usize) -> String {
    match n_cells {
        1 => "1 cell".to_owned(),
        n => format!("{n} cells"),
    }
}

/// What somebody should know of variables that go as they are: of the role other and in no scenario, or sensitive
/// numbers.
pub(super) fn notes_of_untouched(plan: &Plan, masked: &Masked) -> Vec<Note> {
    if plan.measures.is_empty() {
        // One mask by itself: nobody is told that the file is safe.
        return Vec::new();
    }
    let in_scenarios: HashSet<&str> = (plan.scenarios.iter())
        .flat_map(|scenario| scenario.keys.iter().map(String::as_str))
        .collect();
    let of_role = |role: Role| {
        let columns = masked.table.columns().iter().map(AsRef::as_ref);
        columns.filter(move |column: &&Column| {
            column.attribute().role == role && !masked.touched.contains(column.name())
        })
    };
    let others = of_role(Role::Other).filter(|column| !in_scenarios.contains(column.name()));
    let amounts = of_role(Role::Sensitive);
    let remarks = [released_as_is(others), exact_amounts(amounts)];
    let mut notes: Vec<Note> = remarks.iter().flatten().map(data_note).collect();
    notes.extend(unprotected_by_role(&of_role, &in_scenarios));
    notes.extend(missing_codes_that_stay(masked, &in_scenarios));
    notes
}

/// Texts that everybody takes for no value.
const PLAIN_MISSING: [&str; 2] = ["", "NA"];

/// Keys with codes that mean no value and stay in the file as they are written: they count as no value, and whoever
/// takes them for one finds smaller classes.
fn missing_codes_that_stay(masked: &Masked, in_scenarios: &HashSet<&str>) -> Option<Note> {
    let n_coded = |column: &Column| {
        let is_code = |mark: &MissingMark| {
            mark.cause != MissingCause::Suppressed && !PLAIN_MISSING.contains(&mark.text.as_str())
        };
        if column.n_missing() == 0 {
            return 0;
        }
        let has_codes = column
            .missing()
            .is_some_and(|cells| cells.marks().iter().any(is_code));
        let records = (0..column.len()).filter(|_| has_codes);
        let coded = records.filter(|&record| column.missing_mark(record).is_some_and(is_code));
        coded.count()
    };
    let columns = masked.table.columns().iter();
    let keys = columns.filter(|column| in_scenarios.contains(column.name()));
    let counted = keys.map(|column| (column.name(), column.looked_at(n_coded)));
    let counted: Vec<(&str, usize)> = counted.filter(|(_, n_cells)| *n_cells > 0).collect();
    if counted.is_empty() {
        return None;
    }
    let told: Vec<String> = counted
        .iter()
        .map(|(name, n_cells)| format!("{name} ({})", cells(*n_cells)))
        .collect();
    let names: Vec<&str> = counted.iter().map(|(name, _)| *name).collect();
    let text = format!(
        "codes that mean no value stay in the file and count as none: {}; whoever takes them for values finds smaller \
         classes",
        told.join(", ")
    );
    let note = Note::new("missing-codes-stay", text).with("variables", names);
    Some(note.ranked(NoteRank::Warning))
}

/// Variables whose role says that they must not go as they are, and that no step touched.
fn unprotected_by_role<'m, I>(
    of_role: &dyn Fn(Role) -> I,
    in_scenarios: &HashSet<&str>,
) -> Option<Note>
where
    I: Iterator<Item = &'m Column>,
{
    let of = |role: Role, applies: &dyn Fn(&Column) -> bool| -> Vec<&'m str> {
        let columns = of_role(role).filter(|column| column.looked_at(applies));
        columns.map(Column::name).collect()
    };
    let found = [
        (
            of(Role::Key, &|column| !in_scenarios.contains(column.name())),
            "are keys in no scenario, so that no measure looks at them",
        ),
        (
            of(Role::Household, &|_| true),
            "are the old numbers of households (`renumber`)",
        ),
        (
            of(Role::Stratum, &has_many_categories),
            "are strata with many values",
        ),
        (
            of(Role::Weight, &weights_tell_apart),
            "(weights that many records have to themselves; `round`)",
        ),
        (
            of(Role::Sensitive, &tells_records_apart),
            "are answers of which most records have their own",
        ),
    ];
    let found = found.iter().filter(|(names, _)| !names.is_empty());
    let parts: Vec<String> = found
        .clone()
        .map(|(names, what)| format!("{} {what}", names.join(", ")))
        .collect();
    let names: Vec<&str> = found.flat_map(|(names, _)| names.iter().copied()).collect();
    (!names.is_empty()).then(|| {
        let text = format!(
            "variables that are released as they are: {}",
            parts.join("; ")
        );
        Note::new("untouched-by-role", text)
            .with("variables", names)
            .ranked(NoteRank::Warning)
    })
}

fn declared_names(plan: &Plan) -> HashSet<&str> {
    let declared = plan.read.schema.attributes.iter();
    declared.map(|attribute| attribute.name.as_str()).collect()
}

/// A remark on the data as a note of the record; the public learns nothing of it.
fn data_note(remark: &Remark) -> Note {
    let note = Note::new(remark.id, remark.text.clone()).ranked(NoteRank::Warning);
    let note = match &remark.variable {
        Some(variable) => note.with("variable", variable.as_str()),
        None => note,
    };
    let note = match remark.variables.as_slice() {
        [] => note,
        variables => note.with("variables", variables),
    };
    let counts = remark.counts.iter();
    counts.fold(note, |note, (name, count)| note.with(name, *count))
}

pub(super) fn plan_record(plan: &Plan) -> PlanRecord {
    let digest = Sha256::digest(plan.text.as_bytes());
    PlanRecord {
        title: plan.title.clone(),
        file: plan.file.clone(),
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        text: plan.text.clone(),
        release: plan.release.clone(),
    }
}

pub(super) fn scenario_records(plan: &Plan) -> Vec<ScenarioRecord> {
    let records = plan.scenarios.iter().map(|scenario| ScenarioRecord {
        name: scenario.name.clone(),
        keys: scenario.keys.clone(),
        why: scenario.why.clone(),
    });
    records.collect()
}

pub(super) fn variable_records(
    plan: &Plan,
    original: &Table,
    masked: &Masked,
) -> Vec<VariableRecord> {
    let declared = declared_names(plan);
    let labels: HashMap<&str, &String> = (plan.labels.iter())
        .map(|(name, label)| (name.as_str(), label))
        .collect();
    let masked_columns: HashMap<&str, &Arc<Column>> = (masked.table.columns().iter())
        .map(|column| (column.name(), column))
        .collect();
    let records = original.columns().iter().map(|column| {
        let name = column.name();
        let after = masked_columns.get(name).copied();
        let fate = match after {
            None => Fate::Dropped,
            Some(_) if masked.touched.contains(name) => Fate::Masked,
            Some(_) => Fate::Untouched,
        };
        let changed = after
            .filter(|_| fate == Fate::Masked && masked.rows == Rows::Correspond)
            .map(|after| {
                column.looked_at(|before| {
                    after.looked_at(|after| n_changed(before, after, &masked.table))
                })
            });
        VariableRecord {
            name: name.to_owned(),
            role: column.attribute().role,
            kind: column.attribute().kind,
            declared: declared.contains(name),
            label: labels.get(name).map(|&label| label.clone()),
            n_missing: column.n_missing() as u64,
            fate,
            n_changed: changed,
            n_suppressed: after.map_or(0, |after| after.n_suppressed() as u64),
        }
    });
    records.collect()
}

/// Cells of a masked column that differ from the original.
fn n_changed(original: &Column, masked: &Column, table: &Table) -> u64 {
    let differs = |record: usize| !masked.same_value(record, original, table.source_row(record));
    (0..table.n_records())
        .filter(|&record| differs(record))
        .count() as u64
}
