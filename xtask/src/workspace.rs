//! The files of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold no source, whatever version control says.
const SKIPPED: [&str; 3] = [".git", "target", "bauta-demo"];

/// The folder of the workspace and what is in it.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub(crate) fn of_this_build() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::at(here.parent().unwrap_or(here))
    }

    /// The workspace in a folder.
    pub(crate) fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the folder.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Whether a file or folder is there.
    pub(crate) fn has(&self, relative: impl AsRef<Path>) -> bool {
        self.path(relative).exists()
    }

    /// The folder of reference data beside the workspace, if it is there.
    pub(crate) fn shared(&self) -> Option<PathBuf> {
        let shared = self.path("../shared");
        shared.is_dir().then_some(shared)
    }

    /// The text of a file; `None` where it is absent or not text.
    pub(crate) fn text(&self, relative: impl AsRef<Path>) -> Option<String> {
        std::fs::read_to_string(self.path(relative)).ok()
    }

    /// Every source file, with `/` between folders, in order: what version control follows or
    /// would follow. Without version control, everything but build output.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = self.followed_files().unwrap_or_else(|| self.all_files());
        files.retain(|file| self.path(file).is_file());
        files.sort();
        files.dedup();
        files
    }

    /// The source files whose names end so.
    pub(crate) fn files_ending(&self, ending: &str) -> Vec<String> {
        let mut files = self.files();
        files.retain(|file| file.ends_with(ending));
        files
    }

    fn followed_files(&self) -> Option<Vec<String>> {
        // A folder inside somebody else's repository is not followed by it.
        if !self.has(".git") {
            return None;
        }
        let listed = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&self.root)
            .output()
            .ok()
            .filter(|listed| listed.status.success())?;
        let names = String::from_utf8(listed.stdout).ok()?;
        Some(names.split_terminator('\0').map(str::to_owned).collect())
    }

    fn all_files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(self.path(&folder)).into_iter().flatten();
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if SKIPPED.contains(&name.as_str()) {
                    continue;
                }
                let relative = if folder.is_empty() {
                    name
                } else {
                    format!("{folder}/{name}")
                };
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(relative),
                    _ => files.push(relative),
                }
            }
        }
        files
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::Workspace;

    /// A workspace made of these files, gone when the folder is dropped.
    pub(crate) fn workspace(files: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path());
        for (name, text) in files {
            let path = workspace.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        (folder, workspace)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::workspace;

    #[test]
    fn build_output_is_not_source() {
        let (_folder, workspace) = workspace(&[
            ("a.md", "a\n"),
            ("crates/x/src/lib.rs", "\n"),
            ("target/debug/x.rs", "\n"),
            ("crates/x/target/y.rs", "\n"),
        ]);
        assert_eq!(workspace.files(), ["a.md", "crates/x/src/lib.rs"]);
        assert_eq!(workspace.files_ending(".rs"), ["crates/x/src/lib.rs"]);
    }
}
