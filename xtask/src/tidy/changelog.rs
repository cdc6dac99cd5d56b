//! The changelog says of every version whether the same input gives other numbers.

use super::Problem;
use crate::markdown;
use crate::workspace::Workspace;

const FILE: &str = "CHANGELOG.md";
const RESULTS_CHANGED: &str = "Results changed";

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    match workspace.text(FILE) {
        Some(text) => check_text(&text),
        None => vec![Problem::of_file(FILE, "there is no changelog")],
    }
}

fn check_text(text: &str) -> Vec<Problem> {
    let headings = markdown::headings(text);
    let version = env!("CARGO_PKG_VERSION");
    let is_current = |heading: &str| {
        heading.starts_with("[Unreleased]") || heading.starts_with(&format!("[{version}]"))
    };
    if !headings
        .iter()
        .any(|heading| heading.level == 2 && is_current(&heading.text))
    {
        let message = format!("there is neither a section [Unreleased] nor [{version}]");
        return vec![Problem::of_file(FILE, message)];
    }
    let mut problems = Vec::new();
    for (at, section) in headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| heading.level == 2)
    {
        let mut below = headings[at + 1..]
            .iter()
            .take_while(|heading| heading.level > 2);
        if !below.any(|heading| heading.text.trim_matches('*') == RESULTS_CHANGED) {
            let message = format!("`{}` has no heading **{RESULTS_CHANGED}**", section.text);
            problems.push(Problem::at_line(FILE, section.line, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_changelog_passes() {
        let text =
            "# Changelog\n## [Unreleased]\n### Added\n- x\n### **Results changed**\n- none\n";
        assert_eq!(check_text(text), Vec::new());
    }

    #[test]
    fn every_version_says_whether_results_changed() {
        let text =
            "# Changelog\n## [Unreleased]\n### Added\n## [0.0.1]\n### Results changed\n- none\n";
        let found: Vec<String> = check_text(text).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["CHANGELOG.md:2: `[Unreleased]` has no heading **Results changed**"]
        );
    }

    #[test]
    fn a_changelog_that_stopped_is_told() {
        let found = check_text("# Changelog\n## [0.0.1]\n### Results changed\n- none\n");
        assert_eq!(found.len(), 1);
    }
}
