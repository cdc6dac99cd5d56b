//! Running the command and looking at what it leaves behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "../../../bauta-methods/tests/support/reference.rs"]
mod reference;

/// The command, with no terminal and no inherited settings that change its output.
pub(crate) fn bauta(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bauta"));
    command
        .current_dir(folder)
        .env_remove("COLUMNS")
        .env("NO_COLOR", "1");
    command
}

/// Runs the command with these arguments.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    bauta(folder)
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// Runs the command and expects this exit code.
pub(crate) fn run_expecting(folder: &Path, arguments: &[&str], code: i32) -> Output {
    let output = run(folder, arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "bauta {}\n{}\n{}",
        arguments.join(" "),
        stdout(&output),
        stderr(&output)
    );
    output
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", stdout(output), stderr(output)))
}

/// Names in a folder, sorted, but for the list of what Bauta wrote there.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".bauta-written")
        .collect();
    names.sort();
    names
}

/// Reference files: ours from the repository, the field's from beside the project; `None`, said plainly, where
/// they are absent.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    if let Some(path) = reference::ours(file) {
        return Some(path);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(file);
    if path.exists() {
        return Some(path);
    }
    eprintln!("not run: ../shared is absent");
    None
}

/// A record without its times, to compare two runs.
pub(crate) fn record_without_times(file: &Path) -> serde_json::Value {
    let mut record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    record["times"].take();
    // Reports show times.
    record["reports"].take();
    record
}
