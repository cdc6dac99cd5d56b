//! Modules say what they hold.

use super::Problem;
use crate::workspace::Workspace;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "utils", "util", "helpers", "helper", "misc", "common", "v2", "old",
];
/// Endings that say that there are two of a thing.
const TWIN_ENDINGS: [&str; 2] = ["_v2", "_old"];

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in workspace.files_ending(".rs") {
        let path = file.trim_end_matches(".rs");
        if let Some(name) = path.split('/').find(|name| is_empty_name(name)) {
            problems.push(Problem::of_file(
                &file,
                format!("`{name}` does not say what is inside"),
            ));
        }
        let text = workspace.text(&file).unwrap_or_default();
        problems.extend(
            inline_modules(&text)
                .filter(|(_, name)| is_empty_name(name))
                .map(|(line, name)| {
                    Problem::at_line(
                        &file,
                        line,
                        format!("`mod {name}` does not say what is inside"),
                    )
                }),
        );
    }
    problems
}

fn is_empty_name(name: &str) -> bool {
    EMPTY_NAMES.contains(&name) || TWIN_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Modules with a body in the file, with their lines.
fn inline_modules(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let (before, rest) = line.split_once("mod ")?;
        let name = rest.strip_suffix('{')?.trim();
        let is_declaration =
            before.is_empty() || before.trim_start().starts_with("pub") || before.trim().is_empty();
        is_declaration.then_some((index + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn empty_names_are_told_and_words_that_contain_them_are_not() {
        let (_folder, workspace) = workspace(&[
            ("crates/a/src/utils.rs", "\n"),
            ("crates/a/src/misc/sums.rs", "\n"),
            ("crates/a/src/plan_v2.rs", "\n"),
            ("crates/a/src/threshold.rs", "pub(crate) mod helpers {\n}\n"),
            (
                "crates/a/src/common_level.rs",
                "mod tests {\n}\n// the old mod common {\n",
            ),
        ]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/a/src/misc/sums.rs: `misc` does not say what is inside",
                "crates/a/src/plan_v2.rs: `plan_v2` does not say what is inside",
                "crates/a/src/threshold.rs:1: `mod helpers` does not say what is inside",
                "crates/a/src/utils.rs: `utils` does not say what is inside",
            ]
        );
    }
}
