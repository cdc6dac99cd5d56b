//! Every line of the threat model names a test, and that test is there.

use std::collections::BTreeSet;

use super::Problem;
use crate::workspace::Workspace;

const PAGE: &str = "docs/concepts/threat-model.md";

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let Some(page) = workspace.text(PAGE) else {
        return Vec::new();
    };
    let tests = tests_of(workspace);
    let mut problems = Vec::new();
    for (idx, row) in page.lines().enumerate() {
        let Some(last) = last_cell(row) else {
            continue;
        };
        let names: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            let message = "no test stands for this line";
            problems.push(Problem::at_line(PAGE, idx + 1, message));
        }
        for name in names.into_iter().filter(|name| !tests.contains(*name)) {
            let message = format!("there is no test `{name}`");
            problems.push(Problem::at_line(PAGE, idx + 1, message));
        }
    }
    problems
}

/// The last cell of a row of a table, unless it is a heading or the line below one.
fn last_cell(row: &str) -> Option<&str> {
    let cells = row.strip_prefix('|')?.trim_end().strip_suffix('|')?;
    let last = cells.rsplit('|').next()?.trim();
    let is_head = last == "test" || last.chars().all(|c| matches!(c, '-' | ':'));
    (!is_head).then_some(last)
}

/// The names of all tests.
fn tests_of(workspace: &Workspace) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in workspace.files_ending(".rs") {
        let source = workspace.text(&file).unwrap_or_default();
        for after in source.split("#[test]").skip(1) {
            let name = after
                .split_once("fn ")
                .and_then(|(_, rest)| rest.split('(').next());
            names.extend(name.map(str::to_owned));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn lines_without_a_test_and_with_one_that_is_not_there_are_told() {
        let page = "| danger | guard | test |\n|---|---|---|\n\
            | a | b | `it_holds`, `it_went` |\n| a | b | none |\nno table\n";
        let source = "#[test]\n#[ignore = \"slow\"]\nfn it_holds() {}\n\nfn it_went() {}\n";
        let (_folder, workspace) = workspace(&[(PAGE, page), ("src/a.rs", source)]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        let expected = [
            format!("{PAGE}:3: there is no test `it_went`"),
            format!("{PAGE}:4: no test stands for this line"),
        ];
        assert_eq!(found, expected);
    }
}
