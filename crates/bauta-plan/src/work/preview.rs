//! What one step of a plan does, before anybody runs the plan: on a sample of the records, or on all of them.

use std::sync::Arc;

use bauta_data::format::{Loaded, read};
use bauta_data::number::DecimalMark;
use bauta_data::{Column, Table};

use super::WorkError;
use crate::execute::{Executed, RunOptions, execute};
use crate::plan::{Plan, ReleaseWhen};
use crate::record::{RunRecord, TimesRecord};
use crate::stages::RunWatch;
use crate::tune::sample_of;

/// What a step does.
#[derive(Clone, PartialEq, Debug)]
pub struct Preview {
    /// Records that were looked at.
    pub n_records: usize,
    /// Records of the file.
    pub n_in_file: usize,
    /// Records that the step removes.
    pub n_removed: usize,
    /// What it changes, variable by variable.
    pub changes: Vec<VariableChange>,
    /// The record of the step alone: what it states about its work, and shows.
    pub record: RunRecord,
}

/// What a step makes of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableChange {
    /// The variable.
    pub name: String,
    /// What becomes of it.
    pub becomes: Becomes,
}

/// What becomes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Becomes {
    /// It is not released.
    Dropped,
    /// Some of its cells are others.
    Changed {
        /// Cells with another value; none where records were removed or put in another order.
        n_changed: Option<u64>,
        /// Cells that lost their value.
        n_blanked: u64,
        /// Different values before and after.
        n_different: (usize, usize),
    },
}

/// Looks at what the step at a position of the plan's steps does, after those before it. With `n_sampled`, on so many
/// records: the same ones every time.
pub fn preview(
    plan: &Plan,
    position: usize,
    n_sampled: Option<usize>,
    watch: &dyn RunWatch,
) -> Result<Preview, WorkError> {
    let (Some(input), Some(_)) = (&plan.input, plan.steps.get(position)) else {
        return Err(WorkError::internal("there is no such step or file"));
    };
    watch.stage("read", 1, 3);
    let mut loaded = read(&input.path, &plan.read, watch)?;
    let n_in_file = loaded.table.n_records();
    if let Some(n) = n_sampled.filter(|&n| n < n_in_file) {
        // The rest of the file is not held any longer.
        loaded = sample_of(&loaded, n, SEED_OF_SAMPLES)?;
    }
    let before = up_to(plan, position, &loaded, watch)?.masked;
    let Executed {
        masked, mut record, ..
    } = up_to(plan, position + 1, &loaded, watch)?;
    record.steps.drain(..position);
    // How long it took says nothing of the plan.
    record.times = TimesRecord::default();
    Ok(Preview {
        n_records: loaded.table.n_records(),
        n_in_file,
        n_removed: before.n_records().saturating_sub(masked.n_records()),
        changes: changes(&before, &masked),
        record,
    })
}

/// Samples of previews are the same for everybody: they protect nothing and are shown to those who have the file.
const SEED_OF_SAMPLES: u64 = 1;

/// The first steps of a plan and nothing else, in memory.
fn up_to(
    plan: &Plan,
    n_steps: usize,
    loaded: &Loaded,
    watch: &dyn RunWatch,
) -> Result<Executed, WorkError> {
    let mut first = Plan {
        steps: plan.steps[..n_steps].to_vec(),
        measures: Vec::new(),
        gates: Vec::new(),
        ..plan.clone()
    };
    // The order of records is not what the step does.
    first.output.shuffle = false;
    let options = RunOptions {
        release_when: ReleaseWhen::Ungated,
        ..RunOptions::default()
    };
    Ok(execute(&first, loaded, options, watch)?)
}

fn changes(before: &Table, after: &Table) -> Vec<VariableChange> {
    let traced = before.n_records() == after.n_records()
        && (0..before.n_records())
            .all(|record| before.source_row(record) == after.source_row(record));
    let of_column = |column: &Arc<Column>| {
        let name = column.name();
        let becomes = match after.index_of(name) {
            None => Becomes::Dropped,
            Some(position) if Arc::ptr_eq(column, &after.columns()[position]) => return None,
            Some(position) => changed(column, after.column(position), traced)?,
        };
        Some(VariableChange {
            name: name.to_owned(),
            becomes,
        })
    };
    before.columns().iter().filter_map(of_column).collect()
}

/// What is different in a column; nothing where all cells are what they were.
fn changed(before: &Column, after: &Column, traced: bool) -> Option<Becomes> {
    let n_changed = traced.then(|| n_changed(before, after));
    let n_blanked = after.n_suppressed().saturating_sub(before.n_suppressed()) as u64;
    if n_changed == Some(0) && n_blanked == 0 {
        return None;
    }
    Some(Becomes::Changed {
        n_changed,
        n_blanked,
        n_different: (n_different(before), n_different(after)),
    })
}

/// Cells whose text is another, or which lost their value.
fn n_changed(before: &Column, after: &Column) -> u64 {
    let (mut was, mut is) = (String::new(), String::new());
    let differs = |record: &usize| {
        was.clear();
        is.clear();
        before.write_text(*record, DecimalMark::Point, &mut was);
        after.write_text(*record, DecimalMark::Point, &mut is);
        was != is || before.is_missing(*record) != after.is_missing(*record)
    };
    (0..before.len()).filter(differs).count() as u64
}

/// Different values among the cells that have one.
fn n_different(column: &Column) -> usize {
    let present = (0..column.len()).filter(|&record| !column.is_missing(record));
    let mut values: Vec<u64> = match (column.as_numeric(), column.as_categorical()) {
        // Zero has two spellings; both are the same value.
        (Some(numbers), _) => present
            .map(|record| (numbers[record] + 0.0).to_bits())
            .collect(),
        (None, Some(categories)) => present
            .map(|record| categories.codes.at(record).into())
            .collect(),
        (None, None) => Vec::new(),
    };
    values.sort_unstable();
    values.dedup();
    values.len()
}

#[cfg(test)]
mod tests {
    use bauta_data::Unwatched;
    use bauta_data::survey::survey_csv;

    use super::*;

    const PLAN: &str = "data = { file = \"survey.csv\", missing = [\"\"] }\noutput = { file = \"out.csv\", release = \"ungated\" }\n\
        [variables]\nid = { role = \"identifier\" }\nage = { role = \"key\", kind = \"ordered\" }\nhsize = { role = \"key\", kind = \"ordered\" }\n\
        [[step]]\nmask = \"recode\"\non = [\"hsize\"]\nmap = { \"3\" = \"3+\", \"4\" = \"3+\" }\n\
        [[step]]\nmask = \"suppress-local\"\non = [\"age\", \"hsize\"]\nk = 40\n\
        [[step]]\nmask = \"drop-identifiers\"\n";

    fn previewed(position: usize, n_sampled: Option<usize>) -> (Preview, String) {
        let folder = tempfile::tempdir().unwrap();
        let survey = survey_csv(3_000, 5);
        std::fs::write(folder.path().join("survey.csv"), &survey).unwrap();
        let plan = crate::check_text(PLAN, "plan.toml", folder.path()).unwrap();
        let found = preview(&plan, position, n_sampled, &Unwatched).unwrap();
        (found, String::from_utf8(survey).unwrap())
    }

    #[test]
    fn a_recoding_changes_the_cells_that_its_map_names() {
        let (found, survey) = previewed(0, None);
        let at = survey
            .lines()
            .next()
            .unwrap()
            .split(',')
            .position(|name| name == "hsize")
            .unwrap();
        let cells: Vec<&str> = survey
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(at).unwrap())
            .collect();
        let n_mapped = cells
            .iter()
            .filter(|cell| ["3", "4"].contains(*cell))
            .count() as u64;
        let mut different = cells.clone();
        different.sort_unstable();
        different.dedup();
        let expected = VariableChange {
            name: "hsize".to_owned(),
            becomes: Becomes::Changed {
                n_changed: Some(n_mapped),
                n_blanked: 0,
                n_different: (different.len(), different.len() - 1),
            },
        };
        assert_eq!(found.changes, [expected]);
        assert_eq!(
            (found.n_records, found.n_in_file, found.n_removed),
            (3_000, 3_000, 0)
        );
    }

    #[test]
    fn a_sample_says_that_it_is_one_and_is_the_same_every_time() {
        let (found, _) = previewed(1, Some(500));
        assert_eq!((found.n_records, found.n_in_file), (500, 3_000));
        assert_eq!(found.record.steps[0].method, "suppress-local");
        assert_eq!(previewed(1, Some(500)).0, found);
        let blanked = found.changes.iter().map(|change| match change.becomes {
            Becomes::Changed {
                n_changed,
                n_blanked,
                ..
            } => {
                assert_eq!(n_changed, Some(n_blanked));
                n_blanked
            }
            Becomes::Dropped => 0,
        });
        assert!(blanked.sum::<u64>() > 0);
    }

    #[test]
    fn what_is_dropped_is_said() {
        let (found, _) = previewed(2, Some(500));
        let dropped = VariableChange {
            name: "id".to_owned(),
            becomes: Becomes::Dropped,
        };
        assert_eq!(found.changes, [dropped]);
    }
}
