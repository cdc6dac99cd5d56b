//! Variables that a plan releases as they are, and what they look like.

use std::collections::HashSet;

use rayon::prelude::*;

use super::facts::Facts;
use super::names::Name;
use super::propose::{MANY_VALUES, looks_like};
use super::rules::{KindRule, quasi_identifier, rules};
use crate::attribute::Role;
use crate::column::{Column, Values};
use crate::number::DecimalMark;
use crate::remark::Remark;

/// Variables of the role other look like keys, or have many different values.
pub const RELEASED_AS_IS: &str = "released-as-is";

/// What somebody should know of variables that no role protects and no step touches: which look like keys or
/// identifiers, by name or by content, and which have so many values that they single records out. Nothing where
/// all are harmless.
pub fn released_as_is<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Option<Remark> {
    let (mut alike, mut many) = (Vec::new(), Vec::new());
    let mut variables = Vec::new();
    let columns: Vec<&Column> = columns.into_iter().collect();
    // Nobody may have looked at these variables before: they are read here, all at once.
    let found: Vec<Option<Seen>> = if columns.iter().any(|column| column.is_stored()) {
        columns
            .iter()
            .map(|column| column.looked_at(seen))
            .collect()
    } else {
        columns.par_iter().map(|column| seen(column)).collect()
    };
    for (column, found) in columns.into_iter().zip(found) {
        variables.extend(found.as_ref().map(|_| column.name().to_owned()));
        match found {
            Some(Seen::QuasiIdentifier(what)) => alike.push(format!("{} ({what})", column.name())),
            Some(Seen::ManyValues) => many.push(column.name().to_owned()),
            None => {}
        }
    }
    if alike.is_empty() && many.is_empty() {
        return None;
    }
    let counts = [
        ("quasi_identifiers", alike.len() as u64),
        ("many_values", many.len() as u64),
    ];
    let mut parts = Vec::new();
    if !alike.is_empty() {
        let look = if alike.len() == 1 { "looks" } else { "look" };
        parts.push(format!("{} {look} like what others know", alike.join(", ")));
    }
    if !many.is_empty() {
        parts.push(format!(
            "{} {} more than {MANY_VALUES} different values",
            many.join(", "),
            if many.len() == 1 { "has" } else { "have" }
        ));
    }
    Some(Remark {
        id: RELEASED_AS_IS,
        variable: None,
        text: format!(
            "variables of the role other, which are released as they are and in no scenario: {}; make them keys or \
             sensitive, mask or drop them",
            parts.join("; ")
        ),
        counts: counts.to_vec(),
        variables,
    })
}

/// Whether a column of categories has more of them than a table holds.
pub fn has_many_categories(column: &Column) -> bool {
    let categories = column.as_categorical();
    categories.is_some_and(|categories| categories.levels.len() > MANY_VALUES)
}

/// Whether most records have a category of their own.
pub fn tells_records_apart(column: &Column) -> bool {
    let categories = column.as_categorical();
    let n_present = column.len() - column.n_missing();
    categories.is_some_and(|categories| {
        let n_levels = categories.levels.len();
        n_levels > MANY_VALUES && n_levels as f64 > MOSTLY_DIFFERENT * n_present as f64
    })
}

/// Share of the records that are alone with their weight from which on it is told.
const MANY_ALONE: f64 = 0.1;

/// Whether many records have a weight that no other has, by which whoever knows how weights were made could tell them.
pub fn weights_tell_apart(column: &Column) -> bool {
    let mut numbers: Vec<u64> = (column.as_numeric().unwrap_or_default().iter())
        .map(|number| number.to_bits())
        .collect();
    numbers.sort_unstable();
    let n_alone = numbers
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() == 1);
    n_alone.count() as f64 > MANY_ALONE * numbers.len() as f64
}

/// Sensitive numbers are released as they are.
pub const EXACT_AMOUNTS: &str = "exact-amounts";

/// Records that are looked at to see whether numbers differ from record to record.
const LOOKED_AT: usize = 10_000;
/// Share of different numbers from which on a number leads to its record.
const MOSTLY_DIFFERENT: f64 = 0.5;

/// What somebody should know of sensitive numbers that no step touches: which differ from record to record, so that
/// whoever knows one exactly finds its record. Nothing where there are none.
pub fn exact_amounts<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Option<Remark> {
    let differ = |column: &Column| {
        let numbers = column.as_numeric().unwrap_or_default();
        let present = numbers.iter().filter(|number| !number.is_nan());
        let looked_at: Vec<u64> = present
            .take(LOOKED_AT)
            .map(|number| number.to_bits())
            .collect();
        let distinct: HashSet<&u64> = looked_at.iter().collect();
        distinct.len() > 1 && distinct.len() as f64 > MOSTLY_DIFFERENT * looked_at.len() as f64
    };
    let names: Vec<&str> = columns
        .into_iter()
        .filter(|column| column.looked_at(differ))
        .map(Column::name)
        .collect();
    (!names.is_empty()).then(|| Remark {
        id: EXACT_AMOUNTS,
        variable: None,
        text: format!(
            "numbers that are released as they are and differ from record to record: {}; no measure of keys looks at \
             them, and whoever knows one exactly finds its record",
            names.join(", ")
        ),
        counts: vec![("n_variables", names.len() as u64)],
        variables: names.iter().map(|&name| name.to_owned()).collect(),
    })
}

/// What a column of whole numbers holds by its name, where that is nothing to calculate with: numbers of units and
/// codes of several digits.
pub fn no_amounts(column: &Column) -> Option<&'static str> {
    let numbers = column.as_numeric()?;
    let mut present = numbers.iter().filter(|number| !number.is_nan());
    if column.date_format().is_some() || present.any(|number| number.fract() != 0.0) {
        return None;
    }
    let name = Name::of(column.name());
    let rule = rules().find(|rule| rule.names(&name))?;
    let mut present = numbers.iter().filter(|number| !number.is_nan());
    let is_code = rule.kind == KindRule::Prefix && present.all(|&number| number >= SMALLEST_CODE);
    let is_unit = [Role::Identifier, Role::Household].contains(&rule.role);
    (is_code || is_unit).then_some(rule.meaning)
}

/// Codes of postal districts, industries and the like have three digits or more.
const SMALLEST_CODE: f64 = 100.0;

/// Records whose values are looked at for their shape.
const BEGINNING: u32 = 2_000;

/// The first records of a column.
fn beginning(column: &Column) -> Column {
    let n = u32::try_from(column.len()).unwrap_or(u32::MAX);
    let first: Vec<u32> = (0..n.min(BEGINNING)).collect();
    column.take(&first)
}

enum Seen {
    QuasiIdentifier(&'static str),
    ManyValues,
}

fn seen(column: &Column) -> Option<Seen> {
    let name = Name::of(column.name());
    match column.values() {
        // Numbers are counted only as far as needed: a file may have many columns of them.
        Values::Numeric(numbers) => {
            let mut distinct = HashSet::new();
            let present = numbers.iter().filter(|number| !number.is_nan());
            let many = present
                .map(|number| number.to_bits())
                .any(|bits| distinct.insert(bits) && distinct.len() > MANY_VALUES);
            let alike = quasi_identifier(&name).filter(|_| distinct.len() > 1);
            alike
                .map(Seen::QuasiIdentifier)
                .or(many.then_some(Seen::ManyValues))
        }
        Values::Categorical(categories) => {
            // What is asked first costs least: names, then how many categories there are, and the shape of the values
            // of the first records only.
            let n_levels = categories.levels.len();
            if n_levels < 2 {
                return None;
            }
            let alike = quasi_identifier(&name);
            let alike =
                alike.or_else(|| looks_like(&Facts::of(&beginning(column), DecimalMark::Point)));
            alike
                .map(Seen::QuasiIdentifier)
                .or((n_levels > MANY_VALUES).then_some(Seen::ManyValues))
        }
    }
}
