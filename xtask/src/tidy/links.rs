//! Relative links of all pages lead somewhere: to a file, and to a heading where one is named.

use std::path::{Component, Path, PathBuf};

use super::Problem;
use crate::markdown;
use crate::workspace::Workspace;

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in workspace.files_ending(".md") {
        let page = workspace.text(&file).unwrap_or_default();
        for link in markdown::links(&page) {
            if let Some(message) = broken(workspace, &file, &page, &link.target) {
                problems.push(Problem::at_line(&file, link.line, message));
            }
        }
    }
    problems
}

/// Whether a link leads out of the repository, or to an item that rustdoc resolves.
pub(crate) fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:") || target.contains("::")
}

/// What is wrong with a link of a page, if anything.
fn broken(workspace: &Workspace, file: &str, page: &str, target: &str) -> Option<String> {
    if is_elsewhere(target) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let (linked, text) = if path.is_empty() {
        (PathBuf::from(file), Some(page.to_owned()))
    } else {
        let Some(linked) = resolve(file, path) else {
            return Some(format!("the link `{target}` leaves the repository"));
        };
        if !workspace.has(&linked) {
            return Some(format!("the link `{target}` leads nowhere"));
        }
        let text = workspace.text(&linked);
        (linked, text)
    };
    let is_page = linked
        .extension()
        .is_some_and(|extension| extension == "md");
    let is_missing = !anchor.is_empty()
        && is_page
        && !text.is_some_and(|text| markdown::anchors(&text).iter().any(|known| known == anchor));
    is_missing.then(|| format!("the link `{target}` names a heading that is not there"))
}

/// The path from the root that a relative link of a file means.
pub(crate) fn resolve(file: &str, link: &str) -> Option<PathBuf> {
    let mut resolved: PathBuf = Path::new(file)
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    for component in Path::new(link).components() {
        match component {
            Component::Normal(name) => resolved.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !resolved.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn links_to_files_folders_headings_and_the_web_pass() {
        let (_folder, workspace) = workspace(&[
            (
                "README.md",
                "[a](docs/a.md#two-words) [b](docs) [c](https://example.org/x) [d](#here)\n# Here\n",
            ),
            (
                "docs/a.md",
                "## Two words\n[up](../README.md) [item](crate::x) [none](b.txt#L3)\n",
            ),
            ("docs/b.txt", "b\n"),
        ]);
        assert_eq!(check(&workspace), Vec::new());
    }

    #[test]
    fn broken_links_are_told_with_their_line() {
        let page =
            "# A\n[a](b.md)\n[b](README.md#nothing)\n[c](../out.md)\n[d](/x.md)\n[e](#gone)\n";
        let (_folder, workspace) = workspace(&[("README.md", page)]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "README.md:2: the link `b.md` leads nowhere",
                "README.md:3: the link `README.md#nothing` names a heading that is not there",
                "README.md:4: the link `../out.md` leaves the repository",
                "README.md:5: the link `/x.md` leaves the repository",
                "README.md:6: the link `#gone` names a heading that is not there",
            ]
        );
    }
}
