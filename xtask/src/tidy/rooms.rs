//! The rooms of the statistics and the doors between them: arithmetic knows no file and no method,
//! and what methods share imports none of them.

use super::Problem;
use crate::workspace::Workspace;

const SOURCES: &str = "crates/bauta-methods/src/";

/// Folders of methods. A file there that has a page beside it is a method.
const METHOD_ROOMS: [&str; 5] = ["mask", "adjust", "risk", "loss", "score"];

/// What several methods of a family share, beside them.
const SHARED_BY_A_FAMILY: [&str; 9] = [
    "mask/became",
    "mask/by_record",
    "mask/dates",
    "mask/categories",
    "mask/continuous",
    "mask/jointly",
    "mask/microaggregation",
    "mask/strata",
    "adjust/calibration",
];

/// Rooms that all methods share.
const SHARED_ROOMS: [&str; 4] = ["kernel", "keys", "pair", "models"];

/// What `kernel` may name of the crate.
const KERNEL_KNOWS: [&str; 2] = ["kernel", "error"];

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let files = workspace.files_ending(".rs");
    let methods = methods(workspace, &files);
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.starts_with(SOURCES)) {
        let place = file.trim_start_matches(SOURCES).trim_end_matches(".rs");
        let text = workspace.text(file).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if let Some(message) = forbidden(place, line, &methods) {
                problems.push(Problem::at_line(file, index + 1, message));
            }
        }
    }
    problems
}

/// Whether a file stands beside the methods of a family and belongs to several of them.
pub(crate) fn is_shared_by_a_family(place: &str) -> bool {
    let mut shared = SHARED_BY_A_FAMILY.iter();
    shared.any(|shared| place == *shared || place.starts_with(&format!("{shared}/")))
}

/// The modules of methods, such as `mask::rank_swap`.
fn methods(workspace: &Workspace, files: &[String]) -> Vec<String> {
    let of_file = |file: &String| {
        let place = file.strip_prefix(SOURCES)?.strip_suffix(".rs")?;
        let (room, stem) = place.split_once('/')?;
        let has_page = workspace.has(format!("{SOURCES}{place}.md"));
        (METHOD_ROOMS.contains(&room) && has_page).then(|| format!("{room}::{stem}"))
    };
    files.iter().filter_map(of_file).collect()
}

/// What a line names that its room must not know.
fn forbidden(place: &str, line: &str, methods: &[String]) -> Option<String> {
    let code = line.split("//").next().unwrap_or(line);
    let room = place.split('/').next().unwrap_or(place);
    if room == "kernel" {
        if code.contains("bauta_data") {
            return Some("`kernel` knows no file: it takes slices".to_owned());
        }
        let named = named_of_crate(code);
        if let Some(other) = named.filter(|name| !KERNEL_KNOWS.contains(name)) {
            return Some(format!("`kernel` must not know `{other}`"));
        }
    }
    let is_shared = SHARED_ROOMS.contains(&room) || is_shared_by_a_family(place);
    let method = methods
        .iter()
        .find(|method| names_module(code, &format!("crate::{method}")))?;
    is_shared.then(|| format!("what methods share must not import the method `{method}`"))
}

/// The module after `crate::`, if a line names one.
fn named_of_crate(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once("crate::")?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
}

/// Whether a line names a module and not one whose name only begins so.
fn names_module(code: &str, module: &str) -> bool {
    code.match_indices(module).any(|(at, _)| {
        let after = code[at + module.len()..].chars().next();
        !after.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, workspace) = workspace(files);
        let problems = check(&workspace);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arithmetic_that_knows_files_is_told() {
        let found = messages(&[(
            "crates/bauta-methods/src/kernel/numbers/sums.rs",
            "use bauta_data::Table;\nuse crate::params::Params;\nuse crate::error::MethodError;\n",
        )]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].ends_with("sums.rs:1: `kernel` knows no file: it takes slices"));
        assert!(found[1].ends_with("sums.rs:2: `kernel` must not know `params`"));
    }

    #[test]
    fn shared_code_that_imports_a_method_is_told() {
        let importing = "use crate::risk::l_diversity::LDiversity;\nuse crate::risk::Other;\n";
        let found = messages(&[
            ("crates/bauta-methods/src/risk/l_diversity.rs", "\n"),
            ("crates/bauta-methods/src/risk/l_diversity.md", "\n"),
            ("crates/bauta-methods/src/keys/at_risk.rs", importing),
            ("crates/bauta-methods/src/mask/strata.rs", importing),
            // A method may use another.
            ("crates/bauta-methods/src/risk/t_closeness.rs", importing),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("keys/at_risk.rs:1: what methods share must not import"));
        assert!(found[1].contains("mask/strata.rs:1:"));
    }
}
