//! Hierarchies as a plan writes them.

use ::toml::Spanned;
use ::toml::de::DeValue;
use bauta_data::hierarchy::TreeNode;
use bauta_methods::RawValue;

use super::fields::{Fields, raw};
use crate::draft::HierarchyDraft;
use crate::problem::Spot;

const HIERARCHY_FORMS: &str = "\"prefix\", { prefix = [4, 2] }, { intervals = [[18, 65]] }, { file = \"levels.csv\" } or { tree = { … } }";

pub(super) fn parse_hierarchy(
    fields: &Fields<'_, '_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Spot<HierarchyDraft>> {
    let parsed = match raw(value.get_ref()).unwrap_or(RawValue::Flag(false)) {
        RawValue::Text(word) if word == "prefix" => Some(HierarchyDraft::Prefix(None)),
        RawValue::Map(pairs) => match pairs.as_slice() {
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
        ("tree", RawValue::Map(_)) => tree(content).map(HierarchyDraft::Tree),
        _ => None,
    }
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
