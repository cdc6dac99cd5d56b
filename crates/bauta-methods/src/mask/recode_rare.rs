#![doc = include_str!("recode_rare.md")]

use std::sync::Arc;

use bauta_data::{Attribute, Categorical, Column, Kind, Levels};

use crate::card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::recode::{by_level, without_hierarchy};
use crate::mask::{Change, MaskMethod, MaskTask};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Replaces rare values by broader ones. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct RecodeRare;

/// Categories that a mask may replace.
pub(crate) const CATEGORIES: Targets = Targets {
    kinds: &[Kind::Unordered, Kind::Hierarchical, Kind::Ordered],
    ..Targets::NAMED
};

static CARD: Card = Card {
    id: "recode-rare",
    title: "Local recoding of rare values",
    summary: "replaces values that occur too rarely by a level of the hierarchy or one label, and leaves the others",
    family: Family::Mask,
    page: include_str!("recode_rare.md"),
    params: &[
        ParamSpec {
            name: "below",
            meaning: "a value is rare if fewer records than this have it",
            ty: ParamType::Integer {
                min: 1,
                max: i64::MAX,
            },
            default: ParamDefault::Required,
        },
        ParamSpec {
            name: "level",
            meaning: "level of the variable's hierarchy that rare values are replaced by",
            ty: ParamType::Integer { min: 1, max: 64 },
            default: ParamDefault::Unset("the hierarchy is not used"),
        },
        ParamSpec {
            name: "into",
            meaning: "one label that replaces all rare values",
            ty: ParamType::Texts,
            default: ParamDefault::Unset("the hierarchy is used"),
        },
    ],
    targets: CATEGORIES,
    randomness: Randomness::None,
    references: &["truta2004", "hundepool2012"],
};

impl MaskMethod for RecodeRare {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        if params.is_set("level") == params.is_set("into") {
            problems.push(ParamProblem::together(
                "`recode-rare` needs one of `level` and `into`",
                "say what rare values become: a level of the hierarchy, or one label",
            ));
        }
        let labels = params.texts("into");
        if params.is_set("into") && (labels.len() != 1 || labels[0].is_empty()) {
            problems.push(ParamProblem::of(
                "into",
                "`into` must be one label",
                "write into = \"other\"",
            ));
        }
        if params.is_set("level") {
            problems.extend(without_hierarchy(on));
        }
        problems
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut columns = Vec::new();
        for &attr_idx in task.on {
            context.go_on()?;
            let column = task.table.column(attr_idx);
            columns.push((attr_idx, recode_rare(column, task.params, context)?));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![
            ("below", RawValue::Integer(10)),
            ("into", RawValue::Text("other".to_owned())),
        ]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![
            ("below", RawValue::Integer(1)),
            ("into", RawValue::Text("other".to_owned())),
        ])
    }
}

fn recode_rare(
    column: &Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let categories = categories(column)?;
    let below = usize::try_from(params.integer("below")).unwrap_or(usize::MAX);
    let counts = occurrences(column, categories);
    let is_rare = |&count: &usize| count < below;
    if !counts.iter().any(|count| *count > 0 && is_rare(count)) {
        return Ok(column.clone());
    }
    let levels = categories.levels.as_ref();
    let coarser = match params.integer_if_set("level") {
        Some(level) => Some(by_level(column, levels, level as usize)?),
        None => None,
    };
    // Values in their order; what replaces some stands where the first of them stood.
    let target = |(code, text): (usize, &'_ str)| -> String {
        match &coarser {
            _ if !is_rare(&counts[code]) => text.to_owned(),
            Some((labels, label_of)) => labels.text(label_of[code]).to_owned(),
            None => params.texts("into").concat(),
        }
    };
    let targets: Vec<String> = levels.iter().enumerate().map(target).collect();
    let new_levels = Levels::from_texts(targets.iter().map(String::as_str));
    let new_code: Vec<u32> = targets
        .iter()
        .map(|text| new_levels.code(text).unwrap_or(0))
        .collect();
    let codes = categories
        .codes
        .iter()
        .map(|&code| new_code.get(code as usize).copied().unwrap_or(0))
        .collect();
    let attribute = Attribute {
        order: None,
        hierarchy: column
            .attribute()
            .hierarchy
            .clone()
            .filter(|_| coarser.is_some()),
        ..column.attribute().clone()
    };
    let masked = column
        .with_codes(codes, Arc::new(new_levels))
        .with_attribute(Arc::new(attribute));
    note_result(&masked, &counts, below, context)?;
    Ok(masked)
}

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

/// States what became of the values, and what is still rare.
fn note_result(
    masked: &Column,
    before: &[usize],
    below: usize,
    context: &RunContext<'_>,
) -> Result<(), MethodError> {
    let after = occurrences(masked, categories(masked)?);
    let n_occurring = |counts: &[usize]| counts.iter().filter(|count| **count > 0).count();
    context.note(KnownNote::CategoriesMerged {
        variable: masked.name().to_owned(),
        n_before: n_occurring(before),
        n_after: n_occurring(&after),
    });
    let left = after.iter().filter(|count| (1..below).contains(*count));
    let (n_values, n_records) = left.fold((0, 0), |(n, sum), count| (n + 1, sum + count));
    if n_values > 0 {
        context.note(KnownNote::RareValuesLeft {
            variable: masked.name().to_owned(),
            n_values,
            n_records,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(given: &[(&str, RawValue)]) -> Vec<Option<String>> {
        let given: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
            .collect();
        let params = Params::check(&CARD, &given).unwrap();
        let plain = Attribute::new("zip", bauta_data::Role::Key, Kind::Hierarchical);
        let found = RecodeRare.check(&params, &[&plain]);
        found.into_iter().map(|problem| problem.param).collect()
    }

    #[test]
    fn one_way_and_one_label() {
        let below = ("below", RawValue::Integer(5));
        let level = ("level", RawValue::Integer(2));
        let text = |text: &str| RawValue::Text(text.to_owned());
        let into = ("into", text("other"));
        assert_eq!(problems(std::slice::from_ref(&below)), [None]);
        assert_eq!(problems(&[below.clone(), into.clone()]), []);
        assert_eq!(
            problems(&[below.clone(), level.clone()]),
            [Some("level".to_owned())]
        );
        assert_eq!(
            problems(&[below.clone(), into, level]),
            [None, Some("level".to_owned())]
        );
        let two = RawValue::List(vec![text("a"), text("b")]);
        assert_eq!(problems(&[below, ("into", two)]), [Some("into".to_owned())]);
    }
}
