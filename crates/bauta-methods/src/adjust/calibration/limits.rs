//! What is refused before any weight is worked out.

use bauta_data::{Column, Table};

use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::margins::Margins;
use crate::adjust::calibration::problem::terms;
use crate::adjust::calibration::settings::Settings;
use crate::adjust::calibration::totals::GivenTotals;
use crate::error::{ErrorCode, MethodError};
use crate::few_records::RULE_OF_TEN;

/// Margins of one calibration. Each step of the solver costs the cube of it, where every category of one
/// variable meets every one of another.
const MOST_MARGINS: usize = 2_000;
/// Margins up to which bounds are worked out: that repeats a step of the solver some hundred times.
const MOST_MARGINS_FOR_BOUNDS: usize = 300;

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

/// Refuses more margins than can be solved in seconds, before the matrix of them is made.
pub(super) fn refuse_many_margins(
    margins: &Margins,
    settings: &Settings,
) -> Result<(), MethodError> {
    let n_margins = margins.all.len();
    let code = ErrorCode::CalibrationManyCategories;
    if n_margins > MOST_MARGINS {
        let of_term = |term: usize| margins.all.iter().filter(|one| one.term == term).count();
        let counts = margins.terms.iter().enumerate();
        let counts =
            counts.map(|(position, term)| format!("{} of {}", of_term(position), term.text));
        return Err(MethodError::request(
            format!(
                "{code}: there are {n_margins} margins ({}), more than {MOST_MARGINS}",
                counts.collect::<Vec<_>>().join(", ")
            ),
            "recode variables to fewer categories, or calibrate each part of the file on its own",
        ));
    }
    if settings.frontier == Some(true) && n_margins > MOST_MARGINS_FOR_BOUNDS {
        return Err(MethodError::request(
            format!(
                "{code}: `frontier` is worked out for up to {MOST_MARGINS_FOR_BOUNDS} margins; there are {n_margins}"
            ),
            "leave `frontier` out, or recode variables to fewer categories",
        ));
    }
    Ok(())
}

/// Whether margins are few enough to work out which bounds they allow.
pub(super) fn allows_bounds(design: &Design) -> bool {
    design.n_margins() <= MOST_MARGINS_FOR_BOUNDS
}

/// How many categories some record has.
fn n_categories(column: &Column) -> usize {
    let Some(categories) = column.as_categorical() else {
        return 0;
    };
    let mut occurs = vec![false; categories.levels.len()];
    for (record, code) in categories.codes.iter().enumerate() {
        if !column.is_missing(record) {
            occurs[code as usize] = true;
        }
    }
    occurs.iter().filter(|occurs| **occurs).count()
}
