//! What a step left as it was: variables that it names and whose cells are all what they were.

use bauta_data::{Column, Table};
use bauta_methods::note::NoteRank;
use bauta_methods::pair::Rows;
use bauta_methods::{Change, Note};

use crate::plan::{Step, StepMethod};

/// Takes the variables out of a change whose cells are all what they were, so that they stay the
/// very columns that they are, and come out as the text they came in. Gives their names, and those of
/// variables that a mask was told to work on and returned nothing for.
///
/// Where records can no longer be traced, equal cells are not the same cells, and nothing is said.
pub(super) fn leave_unchanged(
    change: &mut Change,
    step: &Step,
    on: &[usize],
    table: &Table,
) -> Vec<String> {
    if change.rows == Rows::Unrelated {
        return Vec::new();
    }
    let mut unchanged = Vec::new();
    change.columns.retain(|(attr_idx, after)| {
        let is_same = is_same(table.column(*attr_idx), after);
        if is_same {
            unchanged.push(*attr_idx);
        }
        !is_same
    });
    // A choice of records is made by variables that stay as they are, and calibration too.
    let is_choice = |kept: &Vec<u32>| kept.len() < table.n_records();
    let chooses = change.kept.as_ref().is_some_and(is_choice);
    if !chooses && matches!(step.method, StepMethod::Mask(_)) {
        let is_named = |attr_idx: &usize| {
            let mut columns = change.columns.iter();
            change.dropped.contains(attr_idx) || columns.any(|(changed, _)| changed == attr_idx)
        };
        unchanged.extend(on.iter().filter(|attr_idx| !is_named(attr_idx)));
    }
    unchanged.sort_unstable();
    unchanged.dedup();
    let name = |&attr_idx: &usize| table.column(attr_idx).name().to_owned();
    unchanged.iter().map(name).collect()
}

/// Variables that a step left as they were, though it was to change them. One that reaches k over several keys
/// chooses among them, so that keys which it spares are no cause for alarm.
pub(super) fn changed_nothing(variables: &[String], step: &Step) -> Note {
    let chooses = step.facts().claims.is_some() && variables.len() < step.on.len();
    Note::new(
        "changed-nothing",
        format!("changed nothing in {}", variables.join(", ")),
    )
    .with("variables", variables)
    .ranked(if chooses {
        NoteRank::Fact
    } else {
        NoteRank::Warning
    })
}

/// Whether two columns of the same records are described alike and have the same cells.
fn is_same(before: &Column, after: &Column) -> bool {
    before.attribute() == after.attribute() && before.same_values(after)
}
