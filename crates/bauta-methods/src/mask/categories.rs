//! A categorical variable that a mask is to change.

use bauta_data::{Attribute, Categorical, Column, HierarchySpec, Kind, Levels};

use crate::card::Targets;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::levels_above::resolved;
use crate::note::{Note, NoteRank};
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
    for (record, code) in categories.codes.iter().enumerate() {
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

/// States that codes whose levels are their first characters have different lengths: what a level means then
/// differs from code to code.
pub(crate) fn note_unequal_codes(column: &Column, levels: &Levels, context: &RunContext<'_>) {
    let hierarchy = column.attribute().hierarchy.as_ref();
    let by_prefix = matches!(hierarchy, Some(HierarchySpec::Prefix { .. }));
    let mut lengths = levels.iter().map(|text| text.chars().count());
    let first = lengths.next();
    if by_prefix && lengths.any(|length| Some(length) != first) {
        let variable = column.name();
        let text = format!(
            "{variable}: codes have different lengths, so that a level by first characters cuts some of them shorter \
             than others; check that they are codes of one classification, or list the levels in a file"
        );
        let note = Note::new("codes-of-unequal-length", text);
        context.note(note.with("variable", variable).ranked(NoteRank::Warning));
    }
}

/// Categories became fewer.
pub(crate) fn categories_merged(variable: &str, n_before: usize, n_after: usize) -> Note {
    let text = format!("{variable}: {n_before} distinct values became {n_after}");
    Note::new("categories-merged", text)
        .with("variable", variable)
        .with("n_before", n_before)
        .with("n_after", n_after)
}
