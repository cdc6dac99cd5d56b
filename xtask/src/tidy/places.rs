//! The repository names no machine: no home or work folder, no package mirror.

use super::Problem;
use crate::workspace::Workspace;

// Written in two halves, so that this file does not find itself.
const FOLDERS: [&str; 5] = [
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "root/"),
    concat!("/", "work/"),
    concat!("C:\\", "Users\\"),
];
const HOSTS: [&str; 7] = [
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("conda.", "anaconda.org"),
];
/// Where cargo's lock file says that crates come from.
const PUBLIC_INDEX: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in workspace.files() {
        // What is not text names no machine that a reader would see.
        let Some(text) = workspace.text(&file) else {
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            if let Some(message) = named_machine(&file, line) {
                problems.push(Problem::at_line(&file, index + 1, message));
            }
        }
    }
    problems
}

fn named_machine(file: &str, line: &str) -> Option<String> {
    if FOLDERS.iter().any(|folder| names_folder(line, folder)) {
        return Some("names a folder of one machine; use a path from the workspace".to_owned());
    }
    if HOSTS.iter().any(|host| line.contains(host)) {
        return Some("names a package registry; cargo knows where crates come from".to_owned());
    }
    let other_source =
        file.ends_with("Cargo.lock") && line.starts_with("source = ") && line != PUBLIC_INDEX;
    let replaced_source =
        file.starts_with(".cargo/") && (line.starts_with("[source") || line.starts_with("[regis"));
    (other_source || replaced_source).then(|| "names a package source of one machine".to_owned())
}

/// Whether a folder occurs as the start of a path, not within another path or an address.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "./-_*}".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn folders_and_mirrors_of_a_machine_are_told() {
        let home = format!("let path = \"{}someone/data.csv\";\n", FOLDERS[0]);
        let mirror = format!(
            "[source.crates-io]\nregistry = \"sparse+https://{}/\"\n",
            HOSTS[0]
        );
        let (_folder, workspace) = workspace(&[
            ("a.rs", &home),
            (".cargo/config.toml", &mirror),
            (
                "Cargo.lock",
                "source = \"registry+https://mirror.example/index\"\n",
            ),
        ]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].starts_with(".cargo/config.toml:1: names a package source"));
        assert!(found[1].starts_with(".cargo/config.toml:2: names a package registry"));
        assert!(found[2].starts_with("Cargo.lock:1: names a package source"));
        assert!(found[3].starts_with("a.rs:1: names a folder"));
    }

    #[test]
    fn relative_paths_and_addresses_are_fine() {
        let text = format!(
            "../shared x{0}y https://example.org{0}z docs{0}a\n",
            FOLDERS[3]
        );
        let (_folder, workspace) = workspace(&[
            ("a.md", &text),
            ("Cargo.lock", &format!("{PUBLIC_INDEX}\n")),
        ]);
        assert_eq!(check(&workspace), Vec::new());
    }
}
