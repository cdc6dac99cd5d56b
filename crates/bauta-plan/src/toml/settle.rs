//! A plan with axes as the text of one plan: what its comments say stays, each axis becomes one of its values.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::edit::edit;
use super::sweep::SWEEP;
use crate::draft::Draft;
use crate::problem::Problem;

/// The text of a plan, with or without axes, changed so that it reads as `draft`, with every comment that can stay.
pub(crate) fn settled(text: &str, draft: &Draft) -> Result<String, Vec<Problem>> {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return edit(text, draft);
    };
    let methods: Vec<&str> = (draft.steps.iter())
        .map(|step| step.method.id().as_str())
        .collect();
    // Some value of each axis makes a text that can be read; the edit then says what is to be said.
    for (_, item) in document.as_table_mut().iter_mut() {
        match item {
            Item::Table(section) => section.iter_mut().for_each(|(_, item)| settle(item)),
            Item::ArrayOfTables(sections) => settle_sections(sections, &methods),
            Item::Value(_) | Item::None => {}
        }
    }
    edit(&document.to_string(), draft)
}

/// Sections of a list: one that is an axis as a whole becomes the first of its alternatives that the draft has.
fn settle_sections(sections: &mut ArrayOfTables, methods: &[&str]) {
    for section in sections.iter_mut() {
        let alternatives = section.remove(SWEEP);
        for (_, item) in section.iter_mut() {
            settle(item);
        }
        let Some(alternatives) = alternatives.as_ref().and_then(Item::as_array) else {
            continue;
        };
        let tables = || alternatives.iter().filter_map(Value::as_inline_table);
        let is_in_draft = |table: &&InlineTable| {
            let method = table.get("mask").or_else(|| table.get("adjust"));
            method
                .and_then(Value::as_str)
                .is_some_and(|id| methods.contains(&id))
        };
        let table = tables()
            .find(is_in_draft)
            .or_else(|| tables().find(|of| !of.is_empty()));
        if let Some(table) = table {
            put_beside(section, table);
        }
    }
}

/// Adds what an alternative says to its section, the method first.
fn put_beside(section: &mut Table, alternative: &InlineTable) {
    let beside = std::mem::take(section);
    let decor = beside.decor().clone();
    *section = Table::new();
    section.set_position(beside.position());
    *section.decor_mut() = decor;
    for (name, value) in alternative {
        let mut item = Item::Value(value.clone());
        settle(&mut item);
        section.insert(name, item);
    }
    for (name, item) in &beside {
        section.insert(name, item.clone());
    }
}

/// A value: an axis becomes the first of its values.
fn settle(item: &mut Item) {
    match item {
        Item::Value(value) => settle_value(value),
        Item::Table(table) => table.iter_mut().for_each(|(_, item)| settle(item)),
        Item::ArrayOfTables(_) | Item::None => {}
    }
}

fn settle_value(value: &mut Value) {
    let first = match value {
        Value::InlineTable(table) if table.len() == 1 => {
            let list = table.get(SWEEP).and_then(Value::as_array);
            list.and_then(|list| list.get(0)).cloned()
        }
        _ => None,
    };
    if let Some(mut first) = first {
        *first.decor_mut() = value.decor().clone();
        *value = first;
    }
    match value {
        Value::InlineTable(table) => table.iter_mut().for_each(|(_, value)| settle_value(value)),
        Value::Array(items) => items.iter_mut().for_each(settle_value),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Grid;

    const TEXT: &str = "# The plan.\n[plan]\nseed = 7 # secret\n[data]\nfile = \"x.csv\"\n\n# The mask.\n[[step]]\n\
        on = [\"x\"] # incomes\nsweep = [\n  { mask = \"rank-swap\", window = { sweep = [0.1, 0.2] } },\n  \
        { mask = \"mdav\", k = 3 },\n]\n\n[[step]]\nmask = \"round\" # last\nbase = { sweep = [5, 10] } # coarse\n\
        [output]\nfile = \"y.csv\"\n";

    #[test]
    fn comments_stay_and_every_variant_is_what_is_read() {
        let grid = Grid::read(TEXT).unwrap();
        assert_eq!(grid.variants.len(), 6);
        for variant in &grid.variants {
            let text = settled(TEXT, &variant.draft).unwrap();
            let (draft, problems) = super::super::read(&text);
            assert!(problems.is_empty(), "{text}");
            assert_eq!(draft, variant.draft, "{text}");
            for comment in [
                "# The plan.",
                "# secret",
                "# The mask.",
                "# last",
                "# coarse",
            ] {
                assert!(text.contains(comment), "{comment}: {text}");
            }
        }
    }

    #[test]
    fn a_plan_without_axes_is_edited() {
        let text = "[plan]\nseed = 7 # secret\n[[step]]\nmask = \"mdav\"\nk = 3 # groups\n";
        let (mut draft, _) = super::super::read(text);
        draft.plan.seed = Some(8);
        assert_eq!(settled(text, &draft).unwrap(), text.replace('7', "8"));
    }
}
