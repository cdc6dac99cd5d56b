//! Crates depend on crates in front of them only: data, methods, plan, report, papers, web, engine, cluster, cli.
//! Of engine and cluster, which the default build does not have, only their own crates and the command line may know.

use super::Problem;
use crate::workspace::Workspace;

/// The crates in the order in which they may build on each other.
const ORDER: [&str; 9] = [
    "bauta-data",
    "bauta-methods",
    "bauta-plan",
    "bauta-report",
    "bauta-papers",
    "bauta-web",
    "bauta-engine",
    "bauta-cluster",
    "bauta-cli",
];

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let manifests = workspace.files_ending("/Cargo.toml");
    let mut problems = Vec::new();
    for manifest in manifests
        .iter()
        .filter(|manifest| manifest.starts_with("crates/"))
    {
        let name = manifest.split('/').nth(1).unwrap_or_default();
        let text = workspace.text(manifest).unwrap_or_default();
        problems.extend(check_manifest(manifest, name, &text));
    }
    problems
}

fn check_manifest(manifest: &str, name: &str, text: &str) -> Vec<Problem> {
    let Some(place) = ORDER.iter().position(|known| *known == name) else {
        let message = format!("`{name}` has no place in the order of xtask/src/tidy/edges.rs");
        return vec![Problem::of_file(manifest, message)];
    };
    let allowed = &ORDER[..place];
    dependencies(text)
        .into_iter()
        .filter(|used| used.name.starts_with("bauta-") && !allowed.contains(&used.name.as_str()))
        .map(|used| {
            let message = format!("`{name}` must not depend on `{}`", used.name);
            Problem::at_line(manifest, used.line, message)
        })
        .collect()
}

/// A line of a manifest that names another crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dependency {
    pub(super) line: usize,
    pub(super) name: String,
    /// Whether only tests use it.
    pub(super) for_tests: bool,
}

/// What a manifest depends on in any way.
pub(super) fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut section: Option<&str> = None;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        let mut push = |section: &str, name: &str| {
            found.push(Dependency {
                line: index + 1,
                name: name.trim().to_owned(),
                for_tests: section.ends_with("dev-dependencies"),
            });
        };
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            section = Some(header).filter(|header| header.ends_with("dependencies"));
            if let Some((table, name)) = header.rsplit_once('.')
                && table.ends_with("dependencies")
            {
                push(table, name);
            }
        } else if let Some(section) = section
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(['=', '.'])
        {
            push(section, name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn crates_may_use_those_in_front_of_them() {
        let (_folder, workspace) = workspace(&[
            (
                "crates/bauta-data/Cargo.toml",
                "[dependencies]\ncsv.workspace = true\n",
            ),
            (
                "crates/bauta-plan/Cargo.toml",
                "[dependencies]\nbauta-data.workspace = true\n",
            ),
            (
                "crates/bauta-cli/Cargo.toml",
                "[dependencies]\nbauta-report = { path = \"../bauta-report\" }\n",
            ),
            (
                "xtask/Cargo.toml",
                "[dependencies]\nbauta-cli.workspace = true\n",
            ),
        ]);
        assert_eq!(check(&workspace), Vec::new());
    }

    #[test]
    fn edges_backwards_and_sideways_are_told() {
        let (_folder, workspace) = workspace(&[
            (
                "crates/bauta-data/Cargo.toml",
                "[dev-dependencies]\nbauta-plan.workspace = true\n",
            ),
            (
                "crates/bauta-report/Cargo.toml",
                "[dependencies.bauta-cli]\nworkspace = true\n",
            ),
            ("crates/bauta-extra/Cargo.toml", "[dependencies]\n"),
        ]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/bauta-data/Cargo.toml:2: `bauta-data` must not depend on `bauta-plan`",
                "crates/bauta-extra/Cargo.toml: `bauta-extra` has no place in the order of xtask/src/tidy/edges.rs",
                "crates/bauta-report/Cargo.toml:1: `bauta-report` must not depend on `bauta-cli`",
            ]
        );
    }
}
