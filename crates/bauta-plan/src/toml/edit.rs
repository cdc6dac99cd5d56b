//! Changing a text to say what a draft says, with every comment that can stay.
//!
//! Only what differs between the text's own draft and the new one is touched: both are written
//! plainly, compared key by key, and the differences are made in the text.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use super::read::read;
use super::write::write;
use crate::draft::Draft;
use crate::problem::Problem;

/// The text of a plan, changed so that it reads as `draft`. A text that cannot be read is not
/// changed: its problems are returned.
pub fn edit(text: &str, draft: &Draft) -> Result<String, Vec<Problem>> {
    let (old, problems) = read(text);
    if !problems.is_empty() {
        return Err(problems);
    }
    let (Ok(mut document), Ok(old), Ok(new)) = (
        text.parse::<DocumentMut>(),
        write(&old).parse::<DocumentMut>(),
        write(draft).parse::<DocumentMut>(),
    ) else {
        // A text that one reader takes and the other refuses is written anew.
        return Ok(write(draft));
    };
    change_table(document.as_table_mut(), old.as_table(), new.as_table());
    let edited = document.to_string();
    // Whatever form the text had that the above does not know, what is returned is the draft.
    if read(&edited).0 == *draft {
        Ok(edited)
    } else {
        Ok(write(draft))
    }
}

/// Makes the differences between two plainly written tables in a third.
fn change_table(table: &mut Table, old: &Table, new: &Table) {
    for (name, _) in old {
        if !new.contains_key(name) {
            table.remove(name);
        }
    }
    for (name, wanted) in new {
        match (table.get_mut(name), old.get(name)) {
            (Some(_), Some(before)) if same(before, wanted) => {}
            (Some(found), Some(before)) => change_item(found, before, wanted),
            (Some(found), None) => put(found, wanted),
            (None, _) => {
                table.insert(name, unplaced(wanted.clone()));
            }
        }
    }
}

fn same(a: &Item, b: &Item) -> bool {
    a.to_string().trim() == b.to_string().trim()
}

fn change_item(found: &mut Item, before: &Item, wanted: &Item) {
    match (found, before, wanted) {
        (Item::Table(found), Item::Table(before), Item::Table(wanted)) => {
            change_table(found, before, wanted);
        }
        (Item::ArrayOfTables(found), Item::ArrayOfTables(before), Item::ArrayOfTables(wanted))
            if found.len() == before.len() =>
        {
            change_list(found, before, wanted);
        }
        (found, _, wanted) => put(found, wanted),
    }
}

/// Puts a value in the place of another, between the same comments.
fn put(found: &mut Item, wanted: &Item) {
    let mut wanted = unplaced(wanted.clone());
    if let (Some(old), Some(new)) = (found.as_value(), wanted.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    *found = wanted;
}

/// Sections `[[…]]`: those that are there before and after stay as they are, wherever they move.
fn change_list(found: &mut ArrayOfTables, before: &ArrayOfTables, wanted: &ArrayOfTables) {
    let texts = |tables: &ArrayOfTables| -> Vec<String> {
        tables.iter().map(ToString::to_string).collect()
    };
    let (old_texts, new_texts) = (texts(before), texts(wanted));
    let mut left: Vec<Option<Table>> = found.iter().cloned().map(Some).collect();
    // What says the same is the same; of the rest, the nearest of the same method is the one that
    // was changed.
    let mut sources: Vec<Option<usize>> = vec![None; new_texts.len()];
    let is_free = |sources: &[Option<usize>], old: usize| !sources.contains(&Some(old));
    for (new, text) in new_texts.iter().enumerate() {
        let mut candidates = (0..old_texts.len()).filter(|&old| is_free(&sources, old));
        sources[new] = candidates.find(|&old| old_texts[old] == *text);
    }
    for new in 0..new_texts.len() {
        if sources[new].is_none() {
            let candidates = (0..old_texts.len()).filter(|&old| is_free(&sources, old));
            let alike = candidates.filter(|&old| subject(before, old) == subject(wanted, new));
            sources[new] = alike.min_by_key(|&old| old.abs_diff(new));
        }
    }
    let moved = !sources.iter().flatten().is_sorted();
    let mut tables = Vec::new();
    for (new, source) in sources.iter().enumerate() {
        let Some(fresh) = wanted.get(new) else {
            continue;
        };
        let kept = source.and_then(|old| Some((left[old].take()?, before.get(old)?)));
        let mut table = match kept {
            Some((mut table, before)) => {
                change_table(&mut table, before, fresh);
                table
            }
            None => {
                let mut table = fresh.clone();
                table.set_position(None);
                table.decor_mut().set_prefix("\n");
                table
            }
        };
        if moved {
            table.set_position(None);
        }
        tables.push(table);
    }
    found.clear();
    for table in tables {
        found.push(table);
    }
}

/// What a section is about: its first key.
fn subject(tables: &ArrayOfTables, position: usize) -> Option<String> {
    let table = tables.get(position)?;
    let (name, item) = table.iter().next()?;
    Some(format!("{name} = {item}"))
}

/// An item of another document, to stand wherever it is put.
fn unplaced(mut item: Item) -> Item {
    match &mut item {
        Item::Table(table) => {
            table.set_position(None);
            table.decor_mut().set_prefix("\n");
        }
        Item::ArrayOfTables(tables) => {
            for table in tables.iter_mut() {
                table.set_position(None);
                table.decor_mut().set_prefix("\n");
            }
        }
        Item::Value(_) | Item::None => {}
    }
    item
}
