//! Every registered method has its file, page, golden cases and references, and no file in a
//! method folder is without a line in the registry.

use std::path::Path;

use bauta_methods::card::{Card, Family};
use bauta_methods::registry;

use super::Problem;
use super::rooms::is_shared_by_a_family;
use crate::markdown;
use crate::workspace::Workspace;

const SOURCES: &str = "crates/bauta-methods/src";
const GOLDEN: &str = "crates/bauta-methods/golden";
const BIBLIOGRAPHY: &str = "references.bib";

/// Sections of a method page, in order.
const SECTIONS: [&str; 11] = [
    "What it does",
    "Use it when, and when not",
    "Formula",
    "Parameters",
    "Data",
    "Reads as",
    "Complexity",
    "Determinism",
    "Differs from the paper",
    "Checked against",
    "References",
];

/// What this check needs to know of a method.
struct Method {
    id: &'static str,
    folder: &'static str,
    references: &'static [&'static str],
}

impl Method {
    fn of(card: &Card) -> Self {
        Self {
            id: card.id,
            folder: folder(card.family),
            references: card.references,
        }
    }

    /// The name that file and page share: `rank_swap` for `rank-swap`.
    fn stem(&self) -> String {
        self.id.replace('-', "_")
    }
}

/// The folder of a family's methods.
pub(crate) const fn folder(family: Family) -> &'static str {
    match family {
        Family::Mask => "mask",
        Family::Adjuster => "adjust",
        Family::Risk => "risk",
        Family::Loss => "loss",
        Family::Score => "score",
    }
}

/// The page of a method, from the root.
pub(crate) fn page_path(card: &Card) -> String {
    let method = Method::of(card);
    format!("{SOURCES}/{}/{}.md", method.folder, method.stem())
}

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let methods: Vec<Method> = registry::cards().map(Method::of).collect();
    check_methods(workspace, &methods)
}

fn check_methods(workspace: &Workspace, methods: &[Method]) -> Vec<Problem> {
    let keys = bibliography_keys(&workspace.text(BIBLIOGRAPHY).unwrap_or_default());
    let files = workspace.files();
    let mut problems = Vec::new();
    for method in methods {
        problems.extend(check_source(workspace, method));
        problems.extend(check_page(workspace, method));
        problems.extend(check_golden(workspace, &files, method));
        problems.extend(check_references(&keys, method));
    }
    problems.extend(orphans(&files, methods));
    problems
}

fn check_source(workspace: &Workspace, method: &Method) -> Option<Problem> {
    let source = format!("{SOURCES}/{}/{}.rs", method.folder, method.stem());
    (!workspace.has(&source)).then(|| {
        Problem::of_file(
            source,
            format!("`{}` is registered and has no source file", method.id),
        )
    })
}

fn check_page(workspace: &Workspace, method: &Method) -> Vec<Problem> {
    let path = format!("{SOURCES}/{}/{}.md", method.folder, method.stem());
    let Some(page) = workspace.text(&path) else {
        return vec![Problem::of_file(
            path,
            format!("`{}` has no page", method.id),
        )];
    };
    let sections: Vec<markdown::Heading> = markdown::headings(&page)
        .into_iter()
        .filter(|heading| heading.level == 2)
        .collect();
    let lines: Vec<&str> = page.lines().collect();
    let mut problems = Vec::new();
    for wanted in SECTIONS {
        let Some(at) = sections.iter().position(|section| section.text == wanted) else {
            problems.push(Problem::of_file(
                &path,
                format!("the section `## {wanted}` is missing"),
            ));
            continue;
        };
        let first = sections[at].line;
        let last = sections
            .get(at + 1)
            .map_or(lines.len(), |next| next.line - 1);
        if lines[first..last].iter().all(|line| line.trim().is_empty()) {
            problems.push(Problem::at_line(
                &path,
                first,
                format!("the section `## {wanted}` is empty"),
            ));
        }
    }
    problems
}

/// A method has at least one golden case, and each says where its expectation comes from.
fn check_golden(workspace: &Workspace, files: &[String], method: &Method) -> Vec<Problem> {
    let folder = format!("{GOLDEN}/{}/", method.id);
    let is_case = |file: &&String| {
        let extension = Path::new(file).extension();
        file.starts_with(&folder) && extension.is_some_and(|extension| extension == "json")
    };
    let cases: Vec<&String> = files.iter().filter(is_case).collect();
    if cases.is_empty() {
        return vec![Problem::of_file(folder, "there is no golden case")];
    }
    let has_source = |case: &str| {
        let text = workspace.text(case).unwrap_or_default();
        let case: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        case["source"]["kind"].is_string() && case["source"]["name"].is_string()
    };
    cases
        .into_iter()
        .filter(|case| !has_source(case))
        .map(|case| Problem::of_file(case, "the case does not name its `source` (kind and name)"))
        .collect()
}

fn check_references(keys: &[String], method: &Method) -> Vec<Problem> {
    method
        .references
        .iter()
        .filter(|reference| !keys.iter().any(|key| key == *reference))
        .map(|reference| {
            Problem::of_file(
                BIBLIOGRAPHY,
                format!(
                    "`{}` refers to `{reference}`, which has no entry",
                    method.id
                ),
            )
        })
        .collect()
}

/// The keys of `@article{key,` and its kin.
fn bibliography_keys(bibliography: &str) -> Vec<String> {
    bibliography
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('@')?.split_once('{'))
        .map(|(_, rest)| rest.trim_end().trim_end_matches(',').trim().to_owned())
        .collect()
}

/// Files of the method folders that belong to no registered method.
fn orphans(files: &[String], methods: &[Method]) -> Vec<Problem> {
    let belongs = |folder: &str, stem: &str| {
        let mut methods = methods.iter();
        methods.any(|method| method.folder == folder && method.stem() == stem)
    };
    let mut problems = Vec::new();
    for file in files {
        let Some((folder, name)) = file
            .strip_prefix(SOURCES)
            .and_then(|file| file.strip_prefix('/'))
            .and_then(|file| file.split_once('/'))
        else {
            continue;
        };
        let stem = name
            .strip_suffix(".rs")
            .or_else(|| name.strip_suffix(".md"));
        let Some(stem) = stem.filter(|_| ["mask", "adjust", "risk", "loss"].contains(&folder))
        else {
            continue;
        };
        // A method that outgrew one file has the rest of it in a folder of its own name.
        let place = format!("{folder}/{stem}");
        let stem = stem.split('/').next().unwrap_or(stem);
        if !belongs(folder, stem) && !is_shared_by_a_family(&place) {
            problems.push(Problem::of_file(
                file,
                "belongs to no registered method (add a line to registry.rs)",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    const METHOD: Method = Method {
        id: "rank-swap",
        folder: "mask",
        references: &["moore1996"],
    };

    const CASE: &str = "{ \"source\": { \"kind\": \"hand\", \"name\": \"definition\" } }\n";

    fn page() -> String {
        let sections = SECTIONS.map(|section| format!("## {section}\nSome text.\n"));
        format!("# Rank swapping\n{}", sections.join("\n"))
    }

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, workspace) = workspace(files);
        let problems = check_methods(&workspace, &[METHOD]);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_method_passes() {
        let page = page();
        let found = messages(&[
            ("crates/bauta-methods/src/mask/rank_swap.rs", "\n"),
            ("crates/bauta-methods/src/mask/rank_swap/tree.rs", "\n"),
            ("crates/bauta-methods/src/mask/rank_swap.md", &page),
            ("crates/bauta-methods/golden/rank-swap/five.json", CASE),
            (
                "references.bib",
                "@techreport{moore1996,\n  title = {x}\n}\n",
            ),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn everything_that_lacks_is_told_at_once() {
        let found = messages(&[("references.bib", "@book{other,\n}\n")]);
        assert_eq!(found.len(), 4, "{found:?}");
        for lacking in ["no source file", "no page", "no golden case", "`moore1996`"] {
            assert!(
                found.iter().any(|message| message.contains(lacking)),
                "{lacking}"
            );
        }
    }

    #[test]
    fn a_page_without_a_section_or_with_an_empty_one_is_told() {
        let page = page()
            .replace("## Formula\nSome text.\n", "")
            .replace("## Data\nSome text.\n", "## Data\n");
        let found = messages(&[
            ("crates/bauta-methods/src/mask/rank_swap.rs", "\n"),
            ("crates/bauta-methods/src/mask/rank_swap.md", &page),
            ("crates/bauta-methods/golden/rank-swap/five.json", CASE),
            ("references.bib", "@techreport{moore1996,\n}\n"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`## Formula` is missing"));
        assert!(found[1].contains("`## Data` is empty"));
    }

    #[test]
    fn a_golden_case_without_a_source_is_told() {
        let file = "crates/bauta-methods/golden/rank-swap/five.json";
        let (_folder, workspace) = workspace(&[(file, "{ \"expect\": 1 }\n")]);
        let found = check_golden(&workspace, &workspace.files(), &METHOD);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("`source`"));
    }

    #[test]
    fn a_file_without_a_line_in_the_registry_is_an_orphan() {
        let files = [
            "crates/bauta-methods/src/risk/forgotten.rs".to_owned(),
            "crates/bauta-methods/src/kernel/numbers/sums.rs".to_owned(),
            "crates/bauta-methods/src/mask/strata.rs".to_owned(),
            "crates/bauta-methods/src/adjust/calibration/solve.rs".to_owned(),
            "crates/bauta-methods/src/mask/rank_swap.rs".to_owned(),
            "crates/bauta-methods/src/loss/rank_swap.md".to_owned(),
        ];
        let found = orphans(&files, &[METHOD]);
        let files: Vec<&str> = found.iter().map(|problem| problem.file.as_str()).collect();
        assert_eq!(
            files,
            [
                "crates/bauta-methods/src/risk/forgotten.rs",
                "crates/bauta-methods/src/loss/rank_swap.md",
            ]
        );
    }
}
