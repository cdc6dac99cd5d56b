//! The page of names of other tools, from the tables that `bauta explain` answers from.

use std::fmt::Write as _;

use bauta_plan::work::other_tools::{Ours, TheirName, Tool};

use super::reference::{GENERATED, cell};

/// A table for each tool.
pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED}\n# Names of other tools\n\n\
         What is ours for the functions, options and words of other tools, and how it differs. `bauta explain kAnon` says\n\
         the same of one name, in any spelling and with or without the tool before it (`sdcMicro::kAnon`); `bauta explain\n\
         sdcMicro` lists all of a tool. The same small file done in both stands in\n\
         [coming from another tool](../guide/coming-from.md). *Nearest* is not the same, but what comes nearest.\n\n"
    );
    for tool in Tool::ALL {
        let anchor = tool.name().to_lowercase();
        let _ = writeln!(page, "- [{}](#{anchor}), {}", tool.name(), tool.about());
    }
    for tool in Tool::ALL {
        let _ = write!(
            page,
            "\n## {}\n\n| theirs | what it is | ours | how ours differs |\n|---|---|---|---|\n",
            tool.name()
        );
        for name in tool.names() {
            let _ = writeln!(page, "{}", table_row(name));
        }
    }
    page
}

fn table_row(name: &TheirName) -> String {
    let spellings = std::iter::once(name.name).chain(name.also.iter().copied());
    let spellings: Vec<String> = spellings.map(|name| format!("`{name}`")).collect();
    let ours: Vec<String> = name.ours.iter().map(ours_in_words).collect();
    let ours = if ours.is_empty() {
        "nothing".to_owned()
    } else {
        ours.join("; ")
    };
    format!(
        "| {} | {} | {} | {} |",
        cell(&spellings.join(", ")),
        cell(name.is),
        cell(&ours),
        cell(name.differs)
    )
}

fn ours_in_words(ours: &Ours) -> String {
    match ours {
        Ours::Method { id, with } => linked(id, with),
        Ours::Nearest { id, with } => format!("*nearest* {}", linked(id, with)),
        Ours::Command(text) | Ours::Plan(text) => format!("`{text}`"),
    }
}

fn linked(id: &str, with: &[&str]) -> String {
    let link = format!("[`{id}`]({id}.md)");
    if with.is_empty() {
        return link;
    }
    let with: Vec<String> = with.iter().map(|name| format!("`{name}`")).collect();
    format!("{link} ({})", with.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_row_with_what_is_ours() {
        let page = page();
        for name in bauta_plan::work::other_tools::names() {
            assert!(page.contains(&table_row(name)), "{}", name.name);
        }
        assert!(page.contains("| `kAnon`, `localSuppression` | "), "{page}");
        assert!(page.contains("[`suppress-local`](suppress-local.md) (`k`, `costs`"));
        assert!(page.contains("*nearest* [`flip-rare`](flip-rare.md)"));
    }
}
