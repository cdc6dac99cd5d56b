//! Documentation made from the method cards and the tables of other tools' names: written by `docs`, compared by `docs --check`.

mod other_tools;
mod reference;

use std::collections::BTreeMap;

use bauta_methods::card::Card;
use bauta_methods::registry;

use crate::workspace::Workspace;

const REFERENCE: &str = "docs/reference";

/// Writes every generated file and removes those that nothing generates any more.
pub(crate) fn write(workspace: &Workspace) -> Result<(), String> {
    let cards: Vec<&Card> = registry::cards().collect();
    let wanted = generated(&cards)?;
    let mut n_changed = 0;
    for (file, text) in &wanted {
        if workspace.text(file).as_deref() == Some(text) {
            continue;
        }
        let path = workspace.path(file);
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("cannot write {file}: {error}"))?;
        println!("wrote {file}");
        n_changed += 1;
    }
    for file in leftovers(workspace, &wanted) {
        std::fs::remove_file(workspace.path(&file))
            .map_err(|error| format!("cannot remove {file}: {error}"))?;
        println!("removed {file}");
        n_changed += 1;
    }
    println!("{} generated files, {n_changed} changed", wanted.len());
    Ok(())
}

/// Says which generated files are stale.
pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let cards: Vec<&Card> = registry::cards().collect();
    let stale = stale(workspace, &generated(&cards)?);
    if stale.is_empty() {
        println!("generated documentation is fresh");
        return Ok(());
    }
    Err(format!(
        "stale; run `cargo xtask docs`: {}",
        stale.join(", ")
    ))
}

/// Every generated file and what it should hold.
fn generated(cards: &[&Card]) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    files.insert(
        format!("{REFERENCE}/methods.md"),
        reference::method_list(cards),
    );
    for card in cards {
        files.insert(
            format!("{REFERENCE}/{}.md", card.id),
            reference::method_page(card, cards),
        );
        let schema = bauta_methods::schema::params_schema(card);
        files.insert(
            format!("{REFERENCE}/params/{}.schema.json", card.id),
            json_text(&schema)?,
        );
    }
    let schema = bauta_plan::RunRecord::schema();
    files.insert(
        format!("{REFERENCE}/run-record.schema.json"),
        json_text(&schema)?,
    );
    files.insert(
        format!("{REFERENCE}/plan.md"),
        reference::copied(bauta_plan::GRAMMAR),
    );
    files.insert(format!("{REFERENCE}/checks.md"), reference::checks(cards)?);
    files.insert(format!("{REFERENCE}/scaling.md"), reference::scaling(cards));
    files.insert(format!("{REFERENCE}/other-tools.md"), other_tools::page());
    Ok(files)
}

fn json_text(value: &serde_json::Value) -> Result<String, String> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| format!("a schema is not JSON: {error}"))?;
    Ok(text + "\n")
}

fn stale(workspace: &Workspace, wanted: &BTreeMap<String, String>) -> Vec<String> {
    let differs = |(file, text): &(&String, &String)| workspace.text(file).as_ref() != Some(*text);
    let changed = wanted.iter().filter(differs).map(|(file, _)| file.clone());
    let leftovers = leftovers(workspace, wanted).into_iter();
    changed
        .chain(leftovers.map(|file| format!("{file} (no longer generated)")))
        .collect()
}

/// Files in the generated folder that nothing generates.
fn leftovers(workspace: &Workspace, wanted: &BTreeMap<String, String>) -> Vec<String> {
    let mut files = workspace.files();
    files.retain(|file| file.starts_with(&format!("{REFERENCE}/")) && !wanted.contains_key(file));
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    /// What `cargo xtask docs --check` says, as a test, so that tests suffice before a merge.
    #[test]
    fn generated_documentation_is_fresh() {
        assert_eq!(check(&Workspace::of_this_build()), Ok(()));
    }

    #[test]
    fn what_was_written_is_fresh_and_what_was_changed_is_stale() {
        let (_folder, workspace) =
            workspace(&[("docs/reference/gone.md", "a method that is no more\n")]);
        assert!(check(&workspace).unwrap_err().contains("checks.md"));
        write(&workspace).unwrap();
        assert_eq!(check(&workspace), Ok(()));
        assert!(!workspace.has("docs/reference/gone.md"));
        std::fs::write(
            workspace.path("docs/reference/rank-swap.md"),
            "edited by hand\n",
        )
        .unwrap();
        let message = check(&workspace).unwrap_err();
        assert!(
            message.ends_with(": docs/reference/rank-swap.md"),
            "{message}"
        );
    }
}
