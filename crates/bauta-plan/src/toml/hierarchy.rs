//! Hierarchies as a plan writes them.

use ::toml::Spanned;
use ::toml::de::DeValue;
use bauta_data::decimal::loses_digits;
use bauta_data::hierarchy::TreeNode;
use bauta_methods::RawValue;

use super::fields::{Fields, raw};
use crate::draft::HierarchyDraft;
use crate::problem::{Problem, ProblemKind, Spot};

const HIERARCHY_FORMS: &str = "\"prefix\", { prefix = [4, 2] }, { intervals = [[18, 65]] }, { file = \"levels.csv\" }, \"dates\", { dates = [\"month\", \"year\"] }, { age_at = \"2026-01-01\" } or { tree = { … } }";

pub(super) fn parse_hierarchy(
    fields: &Fields<'_, '_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Spot<HierarchyDraft>> {
    if has_long_breaks(value.get_ref()) {
        fields.push(Problem::at(
            ProblemKind::Plan,
            &value.span().into(),
            "a break of `hierarchy` has more digits than a double holds, and would be taken for another number",
            "give at most 15 digits; whole numbers above 9007199254740992 are held in steps of 2, 4, 8, …",
        ));
        return None;
    }
    let parsed = match raw(value.get_ref()).unwrap_or(RawValue::Flag(false)) {
        RawValue::Text(word) if word == "prefix" => Some(HierarchyDraft::Prefix(None)),
        RawValue::Text(word) if word == "dates" => Some(HierarchyDraft::Dates(None)),
        RawValue::Map(pairs) => match pairs.as_slice() {
            [(at, RawValue::Text(day)), (widths, years)]
            | [(widths, years), (at, RawValue::Text(day))]
                if at == "age_at" && widths == "widths" =>
            {
                ages(day, Some(years))
            }
            [(form, content)] => hierarchy_form(form, content),
            _ => None,
        },
        _ => None,
    };
    if parsed.is_none() {
        fields.wrong(value, "hierarchy", HIERARCHY_FORMS);
    }
    parsed.map(|hierarchy| Spot::new(hierarchy, value.span()))
}

/// Whether a whole number among the breaks of intervals is no double. Other numbers are looked at
/// where the plan's text is read.
fn has_long_breaks(value: &DeValue<'_>) -> bool {
    fn any_long(raw: &RawValue) -> bool {
        match raw {
            RawValue::Integer(value) => loses_digits(&value.to_string()),
            RawValue::List(items) => items.iter().any(any_long),
            _ => false,
        }
    }
    let Some(RawValue::Map(pairs)) = raw(value) else {
        return false;
    };
    let mut intervals = pairs.iter().filter(|(form, _)| form == "intervals");
    intervals.any(|(_, breaks)| any_long(breaks))
}

fn hierarchy_form(form: &str, content: &RawValue) -> Option<HierarchyDraft> {
    match (form, content) {
        ("file", RawValue::Text(file)) => Some(HierarchyDraft::File(file.clone())),
        ("prefix", RawValue::List(items)) => {
            let keep = items.iter().map(|item| match item {
                RawValue::Integer(n) => usize::try_from(*n).ok(),
                _ => None,
            });
            let keep = keep.collect::<Option<Vec<_>>>()?;
            Some(HierarchyDraft::Prefix(Some(keep)))
        }
        ("intervals", RawValue::List(levels)) => {
            let breaks = levels.iter().map(numbers).collect::<Option<Vec<_>>>()?;
            Some(HierarchyDraft::Intervals(breaks))
        }
        ("dates", RawValue::List(items)) => {
            let units = items.iter().map(|item| match item {
                RawValue::Text(word) => Some(word.clone()),
                _ => None,
            });
            Some(HierarchyDraft::Dates(Some(units.collect::<Option<_>>()?)))
        }
        ("age_at", RawValue::Text(day)) => ages(day, None),
        ("tree", RawValue::Map(_)) => tree(content).map(HierarchyDraft::Tree),
        _ => None,
    }
}

/// Ages at a day, in classes of some widths.
fn ages(day: &str, widths: Option<&RawValue>) -> Option<HierarchyDraft> {
    let width = |item: &RawValue| match item {
        RawValue::Integer(years) => u32::try_from(*years).ok(),
        _ => None,
    };
    let widths = match widths {
        None => None,
        Some(RawValue::List(items)) => Some(items.iter().map(width).collect::<Option<Vec<u32>>>()?),
        Some(_) => return None,
    };
    Some(HierarchyDraft::Ages {
        at: day.to_owned(),
        widths,
    })
}

fn numbers(raw: &RawValue) -> Option<Vec<f64>> {
    let RawValue::List(items) = raw else {
        return None;
    };
    let number = |item: &RawValue| match item {
        RawValue::Integer(value) => Some(*value as f64),
        RawValue::Number(value) => Some(*value),
        _ => None,
    };
    items.iter().map(number).collect()
}

/// Tables are inner nodes, lists their leaves: `{ North = ["11", "12"], South = { … } }`.
fn tree(raw: &RawValue) -> Option<Vec<TreeNode>> {
    let leaf = |label: String| TreeNode {
        label,
        children: Vec::new(),
    };
    match raw {
        RawValue::List(items) => items
            .iter()
            .map(|item| match item {
                RawValue::Text(text) => Some(leaf(text.clone())),
                RawValue::Integer(value) => Some(leaf(value.to_string())),
                _ => None,
            })
            .collect(),
        RawValue::Map(pairs) => pairs
            .iter()
            .map(|(label, children)| {
                Some(TreeNode {
                    label: label.clone(),
                    children: tree(children)?,
                })
            })
            .collect(),
        _ => None,
    }
}
