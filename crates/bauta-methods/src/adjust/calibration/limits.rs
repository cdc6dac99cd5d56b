//! What is refused before any weight is worked out.

use bauta_data::{Column, Table};

use crate::adjust::calibration::problem::terms;
use crate::adjust::calibration::settings::Settings;
use crate::adjust::calibration::totals::GivenTotals;
use crate::error::{ErrorCode, MethodError};
use crate::few_records::RULE_OF_TEN;

/// A variable with so many categories has enough records in each, or it is no category.
const MANY_CATEGORIES: usize = 100;

/// Refuses to calibrate on the categories of a variable that has very many of them for so few records:
/// most likely it is a number. A variable whose totals were given one by one is meant as it is.
pub(crate) fn refuse_numbers_as_categories(
    table: &Table,
    settings: &Settings,
) -> Result<(), MethodError> {
    let given = GivenTotals::new(&settings.totals, settings.population);
    let terms = terms(table, settings, &given)?;
    let mut names: Vec<&String> = Vec::new();
    for term in terms.iter().filter(|term| !given.has(term)) {
        let new = term.classes.iter().filter(|name| !names.contains(name));
        names.extend(new.collect::<Vec<_>>());
    }
    let n_records = table.n_records();
    let refused: Vec<(&String, usize)> = names
        .into_iter()
        .filter_map(|name| Some((name, n_categories(table.column_named(name)?))))
        .filter(|&(_, n)| n > MANY_CATEGORIES && n_records < n * RULE_OF_TEN as usize)
        .collect();
    let Some((first, _)) = refused.first() else {
        return Ok(());
    };
    let texts = refused.iter().map(|(name, n)| {
        format!("calibration variable {name} has {n} categories in {n_records} records")
    });
    Err(MethodError::Request {
        variable: Some((*first).clone()),
        message: format!(
            "{}: {}, fewer than {RULE_OF_TEN} records in each",
            ErrorCode::CalibrationManyCategories,
            texts.collect::<Vec<_>>().join("; ")
        ),
        hint: format!(
            "if `{first}` is a number, calibrate on its sum (`--continuous {first}`; in a plan kind = \"continuous\"); else recode it to fewer categories, or give `totals`"
        ),
    })
}

/// How many categories some record has.
fn n_categories(column: &Column) -> usize {
    let Some(categories) = column.as_categorical() else {
        return 0;
    };
    let mut occurs = vec![false; categories.levels.len()];
    for (record, &code) in categories.codes.iter().enumerate() {
        if !column.is_missing(record) {
            occurs[code as usize] = true;
        }
    }
    occurs.iter().filter(|occurs| **occurs).count()
}
