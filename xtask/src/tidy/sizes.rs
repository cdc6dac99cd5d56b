//! Source files stay short enough to be read.

use super::Problem;
use crate::workspace::Workspace;

/// Over 500 lines a reviewer asks why; over this many the file is split.
const MAX_LINES: usize = 800;

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in workspace.files_ending(".rs") {
        let n_lines = workspace.text(&file).unwrap_or_default().lines().count();
        if n_lines > MAX_LINES {
            let message = format!("{n_lines} lines; split it (the limit is {MAX_LINES})");
            problems.push(Problem::of_file(file, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn the_limit_itself_is_allowed() {
        let (fits, too_long) = ("\n".repeat(800), "\n".repeat(801));
        let (_folder, workspace) =
            workspace(&[("a.rs", &fits), ("b.rs", &too_long), ("c.md", &too_long)]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["b.rs: 801 lines; split it (the limit is 800)"]);
    }
}
