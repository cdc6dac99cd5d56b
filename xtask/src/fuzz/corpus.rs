//! Cases that once showed something, kept so that it does not come back.

use super::targets::TARGETS;
use crate::workspace::Workspace;

/// Where they are, by target.
const FOLDER: &str = "xtask/corpus";

/// The cases of all targets or of one: (target, file).
pub(crate) fn files(
    workspace: &Workspace,
    only: Option<&str>,
) -> Result<Vec<(&'static str, String)>, String> {
    let mut found = Vec::new();
    for target in TARGETS.iter().map(|target| target.name()) {
        if only.is_some_and(|only| only != target) {
            continue;
        }
        let folder = workspace.path(FOLDER).join(target);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
            let path = entry.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "case")
            {
                found.push((target, path.display().to_string()));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::case::Case;

    /// A case larger than this is not a small one.
    const MOST_BYTES: usize = 20_000;

    #[test]
    fn cases_are_small_can_be_read_and_say_what_they_are() {
        let workspace = Workspace::of_this_build();
        let folders = std::fs::read_dir(workspace.path(FOLDER)).unwrap().flatten();
        let folders = folders.filter(|entry| entry.path().is_dir());
        let names: Vec<String> = folders
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let known = |name: &String| TARGETS.iter().any(|target| target.name() == name);
        assert!(names.iter().all(known), "{names:?}");
        for (_, file) in files(&workspace, None).unwrap() {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.len() < MOST_BYTES, "{file}");
            let (_, about) = Case::unpacked(&text).unwrap();
            assert!(about.len() > 20, "{file} does not say what it was");
        }
    }
}
