//! Combinations of key values that cannot be, as the owner of the file declares them.

use bauta_data::condition::Condition;
use bauta_data::{Codes, Column, Table};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

use crate::card::{ParamSpec, ParamType};
use crate::error::MethodError;
use crate::keys::codes::key_codes;
use crate::params::{ParamProblem, Params};

/// Combinations of key values that cannot be.
pub(crate) const IMPOSSIBLE: ParamSpec = ParamSpec::new(
    "impossible",
    "conditions on keys that no record can satisfy and everyone knows it, such as \"couple = 'yes' and size = '1'\"",
    ParamType::Texts,
)
.unset("any combination of values can be");

/// The conditions that [`IMPOSSIBLE`] gives, or those that cannot be read.
pub(crate) fn conditions(params: &Params) -> Result<Vec<Condition>, Vec<ParamProblem>> {
    let (mut conditions, mut problems) = (Vec::new(), Vec::new());
    for text in params.texts(IMPOSSIBLE.name) {
        match Condition::parse(text) {
            Ok(condition) => conditions.push(condition),
            Err(problem) => problems.push(ParamProblem::of(
                IMPOSSIBLE.name,
                problem.message,
                problem.hint,
            )),
        }
    }
    if problems.is_empty() {
        Ok(conditions)
    } else {
        Err(problems)
    }
}

/// Combinations that one condition may be tried on.
const MAX_COMBINATIONS: usize = 1 << 20;

/// Combinations of values of some keys that cannot be.
pub(crate) struct Impossible {
    /// Positions of the keys among those that are audited.
    keys: Vec<usize>,
    combinations: HashSet<Vec<u32>, FixedState>,
}

impl Impossible {
    /// Whether a key with codes at all of its positions is one of them; a key that lacks one is not.
    pub(crate) fn forbids(&self, key: &[u32]) -> bool {
        let codes: Vec<u32> = self.keys.iter().map(|&position| key[position]).collect();
        self.combinations.contains(&codes)
    }
}

/// Works conditions such as `couple = 'yes' and size = '1'` out for all values of the keys they name.
pub(crate) fn impossible(
    table: &Table,
    on: &[usize],
    conditions: &[Condition],
) -> Result<Vec<Impossible>, MethodError> {
    let conditions = conditions.iter();
    conditions
        .map(|condition| worked_out(table, on, condition))
        .collect()
}

fn worked_out(
    table: &Table,
    on: &[usize],
    condition: &Condition,
) -> Result<Impossible, MethodError> {
    let mut keys = Vec::new();
    for variable in condition.variables() {
        let position = on
            .iter()
            .position(|&attr_idx| table.column(attr_idx).name() == variable);
        keys.push(position.ok_or_else(|| {
            MethodError::request(
                format!(
                    "the impossible combination names `{variable}`, which is not among the keys"
                ),
                "name keys of the step only",
            )
        })?);
    }
    let columns: Vec<&Column> = keys
        .iter()
        .map(|&position| table.column(on[position]))
        .collect();
    let firsts: Vec<Vec<u32>> = columns.iter().map(|column| first_records(column)).collect();
    let n_all = firsts.iter().try_fold(1_usize, |n, firsts| {
        n.checked_mul(firsts.len())
            .filter(|&n| n <= MAX_COMBINATIONS)
    });
    let Some(n_all) = n_all else {
        return Err(MethodError::request(
            format!(
                "the keys of an impossible combination have more than {MAX_COMBINATIONS} combinations"
            ),
            "name fewer keys in one condition",
        ));
    };
    // A file of all combinations: record i of it takes each key from a record that shows the value.
    let mut crossed = Vec::new();
    let mut repeat = 1;
    for (column, firsts) in columns.iter().zip(&firsts) {
        let records: Vec<u32> = (0..n_all)
            .map(|i| firsts[i / repeat % firsts.len().max(1)])
            .collect();
        repeat *= firsts.len();
        crossed.push(column.take(&records));
    }
    let codes: Vec<Codes> = crossed
        .iter()
        .map(|column| key_codes(column).codes)
        .collect();
    let holds = condition
        .holds(&Table::new(crossed, n_all))
        .map_err(|problem| MethodError::request(problem.message, problem.hint))?;
    let combinations = (0..n_all)
        .filter(|&i| holds[i])
        .map(|i| codes.iter().map(|codes| codes.at(i)).collect())
        .collect();
    Ok(Impossible { keys, combinations })
}

/// For each value that a column shows, the first record that shows it.
fn first_records(column: &Column) -> Vec<u32> {
    let codes = key_codes(column).codes;
    let mut seen = HashSet::<u32, FixedState>::default();
    (0..codes.len() as u32)
        .filter(|&record| {
            let code = codes.at(record as usize);
            code != 0 && seen.insert(code)
        })
        .collect()
}
