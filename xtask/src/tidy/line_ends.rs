//! Text files end with a newline, so that they can be joined and compared.

use super::Problem;
use crate::workspace::Workspace;

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    workspace
        .files()
        .into_iter()
        .filter(|file| {
            let text = workspace.text(file);
            text.is_some_and(|text| !text.is_empty() && !text.ends_with('\n'))
        })
        .map(|file| Problem::of_file(file, "does not end with a newline"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn only_text_without_a_last_newline_is_told() {
        let (_folder, workspace) =
            workspace(&[("a.md", "text\n"), ("b.md", "text"), ("empty", "")]);
        std::fs::write(workspace.path("c.parquet"), [0xff, 0xfe, 0x00]).unwrap();
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["b.md: does not end with a newline"]);
    }
}
