#![doc = include_str!("recode.md")]

use std::sync::Arc;

use bauta_data::hierarchy::{interval_index, interval_label};
use bauta_data::number::parse_label;
use bauta_data::{Attribute, Column, Kind, Levels, Role, Values};

use rayon::prelude::*;

use crate::card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::quantile::sorted_present;
use crate::keys::levels_above::{categories, resolved};
use crate::mask::{Change, KindAfter, MaskMethod, MaskTask, StepFacts};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Replaces values by broader ones. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Recode;

static CARD: Card = Card {
    id: "recode",
    title: "Global recoding",
    summary: "replaces values by broader categories: intervals, a map, or a level of the hierarchy",
    family: Family::Mask,
    page: include_str!("recode.md"),
    params: &[
        ParamSpec {
            name: "breaks",
            meaning: "where one interval ends and the next begins; each interval includes its lower end",
            ty: ParamType::RisingNumbers,
            default: ParamDefault::Unset("values are not cut into intervals"),
        },
        ParamSpec {
            name: "labels",
            meaning: "names of the intervals, one more than there are breaks",
            ty: ParamType::Texts,
            default: ParamDefault::Unset("intervals are named by their ends, such as [18, 25)"),
        },
        ParamSpec {
            name: "map",
            meaning: "values and what replaces them; values that are not listed stay",
            ty: ParamType::TextMap,
            default: ParamDefault::Unset("values are not mapped"),
        },
        ParamSpec {
            name: "level",
            meaning: "level of the variable's hierarchy; 0 is the value itself",
            ty: ParamType::Integer { min: 0, max: 64 },
            default: ParamDefault::Unset("the hierarchy is not used"),
        },
    ],
    targets: Targets {
        refused_roles: &[Role::Weight, Role::Household],
        ..Targets::NAMED
    },
    randomness: Randomness::None,
    references: &["hundepool2012", "bergeat2015", "truta2004"],
};

impl MaskMethod for Recode {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        let given: Vec<&str> = ["breaks", "map", "level"]
            .into_iter()
            .filter(|way| params.is_set(way))
            .collect();
        match given.as_slice() {
            [] => problems.push(ParamProblem::together(
                "`recode` is not told how",
                "give one of breaks, map, level",
            )),
            [_] => {}
            [_, second, ..] => problems.push(ParamProblem::of(
                second,
                format!("`recode` is told more than one way: {}", given.join(", ")),
                "keep one of them, or write a step for each",
            )),
        }
        let n_labels = params.texts("labels").len();
        if params.is_set("labels") && !params.is_set("breaks") {
            problems.push(ParamProblem::of(
                "labels",
                "`labels` name intervals, and there are no breaks",
                "add `breaks = …`, or leave the labels out",
            ));
        } else if params.is_set("labels") && n_labels != params.numbers("breaks").len() + 1 {
            problems.push(ParamProblem::of(
                "labels",
                format!(
                    "{n_labels} labels for {} breaks",
                    params.numbers("breaks").len()
                ),
                "there is one interval more than there are breaks, and each needs a label",
            ));
        }
        if params
            .integer_if_set("level")
            .is_some_and(|level| level > 0)
        {
            problems.extend(without_hierarchy(on));
        }
        problems
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            kind_after: if changes_nothing(params) {
                KindAfter::Same
            } else {
                KindAfter::OrderedIfContinuous
            },
            ..StepFacts::default()
        }
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
            columns.push((
                attr_idx,
                recode(task.table.column(attr_idx), task.params, context)?,
            ));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        let breaks = [18, 25, 65].map(RawValue::Integer).to_vec();
        vec![("breaks", RawValue::List(breaks))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("map", RawValue::Map(Vec::new()))])
    }
}

/// A level is asked for of variables that have none.
pub(crate) fn without_hierarchy(on: &[&Attribute]) -> impl Iterator<Item = ParamProblem> {
    let without = on.iter().filter(|attribute| attribute.hierarchy.is_none());
    without.map(|attribute| {
        ParamProblem::of(
            "level",
            format!("`{}` has no hierarchy", attribute.name),
            "add `hierarchy = …` to the variable",
        )
    })
}

fn recode(
    column: &Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    if changes_nothing(params) {
        return Ok(column.clone());
    }
    if let (Values::Numeric(values), true) = (column.values(), params.is_set("breaks")) {
        return Ok(cut(column, values, params, context));
    }
    let (levels, codes) = categories(column);
    let (new_levels, new_code) = if params.is_set("breaks") {
        by_intervals(column, &levels, params)?
    } else if params.is_set("map") {
        by_map(column, &levels, params.text_map("map"), context)
    } else {
        let level = params.integer_if_set("level").unwrap_or(0);
        by_level(column, &levels, level as usize)?
    };
    let present = codes
        .iter()
        .enumerate()
        .filter(|(record, _)| !column.is_missing(*record));
    let (mut before, mut after) = (vec![false; levels.len()], vec![false; new_levels.len()]);
    for (_, &code) in present {
        before[code as usize] = true;
        after[new_code[code as usize] as usize] = true;
    }
    context.note(KnownNote::CategoriesMerged {
        variable: column.name().to_owned(),
        n_before: before.iter().filter(|&&occurs| occurs).count(),
        n_after: after.iter().filter(|&&occurs| occurs).count(),
    });
    let codes = codes
        .iter()
        .map(|&code| new_code.get(code as usize).copied().unwrap_or(0))
        .collect();
    Ok(column
        .with_codes(codes, Arc::new(new_levels))
        .with_attribute(Arc::new(recoded_attribute(column.attribute(), params))))
}

fn changes_nothing(params: &Params) -> bool {
    let empty_map = params.is_set("map") && params.text_map("map").is_empty();
    empty_map || params.integer_if_set("level") == Some(0)
}

/// A recoded number is an ordered category.
fn kind_after(kind: Kind, params: &Params) -> Kind {
    match kind {
        Kind::Continuous if !changes_nothing(params) => Kind::Ordered,
        kind => kind,
    }
}

/// The description afterwards; a hierarchy fits no longer unless it was used itself.
fn recoded_attribute(attribute: &Attribute, params: &Params) -> Attribute {
    let keeps_hierarchy = params.is_set("level");
    Attribute {
        kind: kind_after(attribute.kind, params),
        order: None,
        hierarchy: attribute.hierarchy.clone().filter(|_| keeps_hierarchy),
        ..attribute.clone()
    }
}

/// Numbers into intervals, without the way through their texts.
fn cut(column: &Column, values: &[f64], params: &Params, context: &RunContext<'_>) -> Column {
    let breaks = params.numbers("breaks");
    let (labels, levels) = interval_levels(params);
    let code_of: Vec<u32> = labels
        .iter()
        .map(|label| levels.code(label).unwrap_or(0))
        .collect();
    let code = |&value: &f64| {
        if value.is_nan() {
            0
        } else {
            code_of[interval_index(breaks, value)]
        }
    };
    let codes: Vec<u32> = values.par_iter().with_min_len(4096).map(code).collect();
    let mut before = sorted_present(values);
    before.dedup();
    let mut after = vec![false; levels.len()];
    for &value in &before {
        after[code_of[interval_index(breaks, value)] as usize] = true;
    }
    context.note(KnownNote::CategoriesMerged {
        variable: column.name().to_owned(),
        n_before: before.len(),
        n_after: after.iter().filter(|&&occurs| occurs).count(),
    });
    column
        .with_codes(codes, Arc::new(levels))
        .with_attribute(Arc::new(recoded_attribute(column.attribute(), params)))
}

/// Labels of the intervals from the lowest, and the categories that they make; two intervals may
/// share a label.
fn interval_levels(params: &Params) -> (Vec<String>, Levels) {
    let breaks = params.numbers("breaks");
    let labels: Vec<String> = if params.is_set("labels") {
        params.texts("labels").to_vec()
    } else {
        (0..=breaks.len())
            .map(|interval| interval_label(breaks, interval))
            .collect()
    };
    let levels = Levels::from_texts(labels.iter().map(String::as_str));
    (labels, levels)
}

fn by_intervals(
    column: &Column,
    levels: &Levels,
    params: &Params,
) -> Result<(Levels, Vec<u32>), MethodError> {
    let breaks = params.numbers("breaks");
    let (labels, new_levels) = interval_levels(params);
    let mut n_not_numbers = 0;
    let new_code = levels
        .iter()
        .map(|text| {
            let Some(number) = parse_label(text) else {
                n_not_numbers += 1;
                return 0;
            };
            let interval = interval_index(breaks, number);
            new_levels.code(&labels[interval]).unwrap_or(0)
        })
        .collect();
    if n_not_numbers > 0 {
        return Err(MethodError::data(
            column.name(),
            format!("{n_not_numbers} of its categories are not numbers and fall into no interval"),
            "use a map, or declare those texts as missing",
        ));
    }
    Ok((new_levels, new_code))
}

fn by_map(
    column: &Column,
    levels: &Levels,
    map: &[(String, String)],
    context: &RunContext<'_>,
) -> (Levels, Vec<u32>) {
    let mut n_unused = 0;
    let mut target: Vec<&str> = levels.iter().collect();
    for (from, to) in map {
        match levels.code(from) {
            Some(code) => target[code as usize] = to,
            None => n_unused += 1,
        }
    }
    if n_unused > 0 {
        context.note(KnownNote::MapEntriesUnused {
            variable: column.name().to_owned(),
            n_entries: n_unused,
        });
    }
    let found = Levels::from_texts(target.iter().copied());
    let (new_levels, in_order) = found.naturally_ordered();
    let new_code = target
        .iter()
        .map(|text| in_order[found.code(text).unwrap_or(0) as usize])
        .collect();
    (new_levels, new_code)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(given: &[(&str, RawValue)]) -> Vec<Option<String>> {
        let given: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
            .collect();
        let params = Params::check(&CARD, &given).unwrap();
        let plain = Attribute::new("age", Role::Key, Kind::Ordered);
        Recode
            .check(&params, &[&plain])
            .into_iter()
            .map(|problem| problem.param)
            .collect()
    }

    #[test]
    fn one_way_of_recoding_and_no_more() {
        let breaks = || {
            (
                "breaks",
                RawValue::List(vec![RawValue::Integer(18), RawValue::Integer(65)]),
            )
        };
        let map = || {
            (
                "map",
                RawValue::Map(vec![("1".to_owned(), RawValue::Text("2".to_owned()))]),
            )
        };
        let labels = |n: usize| {
            (
                "labels",
                RawValue::List(vec![RawValue::Text("a".to_owned()); n]),
            )
        };
        let level = || ("level", RawValue::Integer(1));
        assert_eq!(problems(&[]), [None]);
        assert_eq!(problems(&[breaks()]), []);
        assert_eq!(problems(&[breaks(), map()]), [Some("map".to_owned())]);
        // Two breaks make three intervals.
        assert_eq!(problems(&[breaks(), labels(3)]), []);
        assert_eq!(
            problems(&[breaks(), labels(2)]),
            [Some("labels".to_owned())]
        );
        // One label is as many as no breaks would need; it would be ignored, so it is refused.
        assert_eq!(problems(&[map(), labels(1)]), [Some("labels".to_owned())]);
        assert_eq!(problems(&[level()]), [Some("level".to_owned())]);
    }
}
