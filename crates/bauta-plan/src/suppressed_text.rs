//! The text of suppressed cells, which nobody may take for a value.

use std::cmp::Ordering;
use std::path::Path;

use bauta_data::number::parse_label;
use bauta_data::spelling::folded;
use bauta_data::{Column, DataError, DataProblem, Table, Values};

use crate::claims::Claim;

/// Refuses a text for suppressed cells that is a value of a variable with such cells, or of a key that
/// something is claimed of: in the file the two could not be told apart. One that differs from a value only
/// in its [spelling](bauta_data::spelling) is as bad: readers trim blanks, fold case and see no joiners.
pub(crate) fn check_suppressed_text(
    path: &Path,
    text: &str,
    released: &Table,
    claims: &[Claim],
) -> Result<(), DataError> {
    let is_claimed = |name: &str| {
        let mut keys = claims.iter().flat_map(|claim| &claim.keys);
        keys.any(|key| key == name)
    };
    let columns = released.columns().iter();
    let concerned = columns.filter(|column| column.n_suppressed() > 0 || is_claimed(column.name()));
    let names: Vec<&str> = concerned
        .filter(|column| column.looked_at(|column| is_value_of(column, text)))
        .map(|column| column.name())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the text for suppressed cells is also a value of {}, or differs from one only by case, blanks, Unicode form or invisible characters, so that nobody could tell which cells are suppressed",
        names.join(", ")
    );
    let hint = "choose another text for `suppressed` in [output]; without it they are empty";
    Err(DataError::one(path, DataProblem::file(message, hint)))
}

fn is_value_of(column: &Column, text: &str) -> bool {
    let shared = folded(text);
    match column.values() {
        Values::Numeric(values) => parse_label(&shared).is_some_and(|number| {
            let same = |value: &f64| value.partial_cmp(&number) == Some(Ordering::Equal);
            values.iter().any(same)
        }),
        Values::Categorical(categorical) => {
            // Without a text and without suppressed cells there is nothing that a blank could be taken for.
            let exactly = text.is_empty() && column.n_suppressed() == 0;
            let is_same = |level: &str| level == text || (!exactly && folded(level) == shared);
            let same: Vec<bool> = categorical.levels.iter().map(is_same).collect();
            let is_value = |record: usize| {
                same[categorical.codes.at(record) as usize] && !column.is_missing(record)
            };
            same.contains(&true) && (0..column.len()).any(is_value)
        }
    }
}
