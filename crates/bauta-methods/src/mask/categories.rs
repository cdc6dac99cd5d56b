//! A categorical variable that a mask is to change.

use bauta_data::{Attribute, Categorical, Column, Kind, Levels};

use crate::card::Targets;
use crate::error::MethodError;
use crate::keys::levels_above::resolved;
use crate::note::Note;
use crate::params::ParamProblem;

/// Categories that a mask may replace.
pub(crate) const CATEGORIES: Targets = Targets {
    kinds: &[Kind::Unordered, Kind::Hierarchical, Kind::Ordered],
    ..Targets::NAMED
};

/// The categories of a column that is to have some.
pub(crate) fn categories(column: &Column) -> Result<&Categorical, MethodError> {
    column.as_categorical().ok_or_else(|| {
        MethodError::data(
            column.name(),
            "the variable is a number",
            "give it the kind ordered or unordered",
        )
    })
}

/// How many records show each value.
pub(crate) fn occurrences(column: &Column, categories: &Categorical) -> Vec<usize> {
    let mut counts = vec![0; categories.levels.len()];
    for (record, &code) in categories.codes.iter().enumerate() {
        if !column.is_missing(record) {
            counts[code as usize] += 1;
        }
    }
    counts
}

/// A level is asked for of variables that have none.
pub(crate) fn without_hierarchy(on: &[&Attribute]) -> Vec<ParamProblem> {
    let without = on.iter().filter(|attribute| attribute.hierarchy.is_none());
    let problem = |attribute: &&Attribute| {
        ParamProblem::of(
            "level",
            format!("`{}` has no hierarchy", attribute.name),
            "add `hierarchy = …` to the variable",
        )
    };
    without.map(problem).collect()
}

/// The categories at a level of the variable's hierarchy, and the new code of each old one.
pub(crate) fn by_level(
    column: &Column,
    levels: &Levels,
    level: usize,
) -> Result<(Levels, Vec<u32>), MethodError> {
    let name = column.name();
    let hierarchy = resolved(column, levels)?;
    if level > hierarchy.height() {
        return Err(MethodError::request(
            format!(
                "`{name}` has {} levels, and level {level} was asked for",
                hierarchy.height()
            ),
            format!("choose a level from 1 to {}", hierarchy.height()),
        ));
    }
    let (new_levels, new_code) = hierarchy.at_level(level);
    Ok((new_levels.clone(), new_code.to_vec()))
}

/// Categories became fewer.
pub(crate) fn categories_merged(variable: &str, n_before: usize, n_after: usize) -> Note {
    let text = format!("{variable}: {n_before} distinct values became {n_after}");
    Note::new("categories-merged", text)
        .with("variable", variable)
        .with("n_before", n_before)
        .with("n_after", n_after)
}
