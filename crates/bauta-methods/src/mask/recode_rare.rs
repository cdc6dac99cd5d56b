#![doc = include_str!("recode_rare.md")]

use std::sync::Arc;

use bauta_data::{Attribute, Codes, Column, Levels};

use crate::card::{Card, Family, ParamSpec, ParamType, Randomness, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::became::{Became, categories_became};
use crate::mask::categories::{
    CATEGORIES, by_level, categories, categories_merged, note_unequal_codes, occurrences,
    without_hierarchy,
};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Replaces rare values by broader ones. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct RecodeRare;

const BELOW: ParamSpec = ParamSpec::integer(
    "below",
    "a value is rare if fewer records than this have it",
    1,
);
const LEVEL: ParamSpec = ParamSpec::new(
    "level",
    "level of the variable's hierarchy that rare values are replaced by",
    ParamType::Integer { min: 1, max: 64 },
)
.unset("the hierarchy is not used");
const INTO: ParamSpec = ParamSpec::new(
    "into",
    "one label that replaces all rare values",
    ParamType::Texts,
)
.unset("the hierarchy is used");

static CARD: Card = Card {
    id: "recode-rare",
    title: "Local recoding of rare values",
    summary: "replaces values that occur too rarely by a level of the hierarchy or one label, and leaves the others",
    family: Family::Mask,
    page: include_str!("recode_rare.md"),
    params: &[BELOW, LEVEL, INTO],
    targets: CATEGORIES,
    randomness: Randomness::None,
    scaling: Scaling::Variable,
    references: &["truta2004", "hundepool2012"],
};

/// Which values are rare, and what they become.
pub struct Settings {
    below: usize,
    into: Into,
}

/// What rare values become.
enum Into {
    /// Those of a level of the hierarchy.
    Level(usize),
    /// One label.
    Label(String),
}

impl MaskMethod for RecodeRare {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let level = params.is_set(LEVEL.name).then(|| params.count(LEVEL.name));
        let labels = params.is_set(INTO.name).then(|| params.texts(INTO.name));
        let not_one = || {
            ParamProblem::together(
                "`recode-rare` needs one of `level` and `into`",
                "say what rare values become: a level of the hierarchy, or one label",
            )
        };
        let label = match labels {
            None => Ok(None),
            Some([label]) if !label.is_empty() => Ok(Some(Into::Label(label.clone()))),
            Some(_) => Err(ParamProblem::of(
                INTO.name,
                "`into` must be one label",
                "write into = \"other\"",
            )),
        };
        let into = match (level, label) {
            (Some(level), Ok(None)) => Ok(Into::Level(level)),
            (None, Ok(Some(label))) => Ok(label),
            (None, Err(problem)) => Err(vec![problem]),
            (None, Ok(None)) | (Some(_), Ok(Some(_))) => Err(vec![not_one()]),
            (Some(_), Err(problem)) => Err(vec![not_one(), problem]),
        };
        Ok(Settings {
            below: params.count(BELOW.name),
            into: into?,
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        match settings.into {
            Into::Level(_) => without_hierarchy(on),
            Into::Label(_) => Vec::new(),
        }
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::default()
            .truthful()
            .nothing_if(settings.below <= 1)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| recode_rare(column, settings, context))
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
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let categories = categories(column)?;
    let below = settings.below;
    let counts = occurrences(column, categories);
    let is_rare = |&count: &usize| count < below;
    if !counts.iter().any(|count| *count > 0 && is_rare(count)) {
        return Ok(column.clone());
    }
    let levels = categories.levels.as_ref();
    // Values in their order; what replaces some stands where the first of them stood.
    let mut targets: Vec<&str> = levels.iter().collect();
    let rare = (0..targets.len()).filter(|&code| is_rare(&counts[code]));
    let coarser;
    match &settings.into {
        Into::Level(level) => {
            note_unequal_codes(column, levels, context);
            coarser = by_level(column, levels, *level)?;
            rare.for_each(|code| targets[code] = coarser.0.text(coarser.1[code]));
        }
        Into::Label(label) => rare.for_each(|code| targets[code] = label),
    }
    let became: Vec<Became<'_>> = (levels.iter().zip(&targets).zip(&counts))
        .map(|((from, &into), &n_records)| Became {
            from,
            into,
            n_records,
        })
        .collect();
    if let Some(note) = categories_became(column.name(), &became) {
        context.note(note);
    }
    let new_levels = Levels::from_texts(targets.iter().copied());
    let new_code: Vec<u32> = targets
        .iter()
        .map(|text| new_levels.code(text).unwrap_or(0))
        .collect();
    let codes: Codes = categories
        .codes
        .iter()
        .map(|code| new_code.get(code as usize).copied().unwrap_or(0))
        .collect();
    let attribute = Attribute {
        order: None,
        // Not every category is a date any more.
        date: None,
        hierarchy: column
            .attribute()
            .hierarchy
            .clone()
            .filter(|_| matches!(settings.into, Into::Level(_))),
        ..column.attribute().clone()
    };
    let masked = column
        .with_codes(codes, Arc::new(new_levels))
        .with_attribute(Arc::new(attribute));
    note_result(&masked, &counts, below, context)?;
    Ok(masked)
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
    let (n_before, n_after) = (n_occurring(before), n_occurring(&after));
    context.note(categories_merged(masked.name(), n_before, n_after));
    let left = after.iter().filter(|count| (1..below).contains(*count));
    let (n_values, n_records) = left.fold((0, 0), |(n, sum), count| (n + 1, sum + count));
    if n_values > 0 {
        context.note(rare_values_left(masked.name(), n_values, n_records));
    }
    Ok(())
}

/// Values that are still rare after rare values were recoded, and how many records have them.
fn rare_values_left(variable: &str, n_values: usize, n_records: usize) -> Note {
    let text = format!("{variable}: {n_values} values of {n_records} records are still rare");
    Note::new("rare-values-left", text)
        .with("variable", variable)
        .with("n_values", n_values)
        .with("n_records", n_records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::Mask;
    use bauta_data::Kind;

    fn problems(given: &[(&str, RawValue)]) -> Vec<Option<String>> {
        let given: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
            .collect();
        let params = Params::check(&CARD, &given).unwrap();
        let plain = Attribute::new("zip", bauta_data::Role::Key, Kind::Hierarchical);
        let found = Mask::check(&RecodeRare, &params, &[&plain]);
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
        // What only the variable can show is told once the parameters agree.
        assert_eq!(problems(&[below.clone(), into, level]), [None]);
        let two = RawValue::List(vec![text("a"), text("b")]);
        assert_eq!(problems(&[below, ("into", two)]), [Some("into".to_owned())]);
    }
}
