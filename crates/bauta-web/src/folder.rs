//! The folder that is served: what lies in it, and what lies outside and is nobody's business here.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use bauta_data::format::{self, ReadOptions};
use bauta_data::{DataError, DataProblem, HierarchySpec};
use bauta_plan::Folder as PlanFolder;
use bauta_plan::check::{Surroundings, real_place};
use bauta_plan::output::folder_of;

/// Where histories lie, beside their plans.
pub(crate) const HISTORIES: &str = ".bauta-web";

/// Files of a folder that are listed; beyond that the list says so.
const MOST_LISTED: usize = 500;

/// What is wrong with a path that leads out of the folder, and what to do.
const OUTSIDE: (&str, &str) = (
    "lies outside the folder that is served",
    "move the file into the folder, or start `bauta serve` in a folder that holds both",
);

/// The folder that is served.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// Where it is, links resolved.
    root: PathBuf,
}

/// Something in the folder that can be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Its path below the folder, parts joined by `/`.
    pub(crate) name: String,
    /// What it is.
    pub(crate) kind: EntryKind,
    /// How many bytes it has.
    pub(crate) n_bytes: u64,
    /// Whether a run record lies beside it: then it is what a plan released, and no raw file.
    pub(crate) is_release: bool,
}

/// What can be opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum EntryKind {
    /// A plan.
    Plan,
    /// A file of data.
    Data,
}

/// What a folder holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Listing {
    /// Plans first, then data, by name.
    pub(crate) entries: Vec<Entry>,
    /// Whether there is more than is listed.
    pub(crate) is_cut: bool,
}

impl Folder {
    /// A folder that is there.
    pub(crate) fn at(place: &Path) -> io::Result<Self> {
        Ok(Self {
            root: place.canonicalize()?,
        })
    }

    /// Where it is.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path leads into the folder, however it is written and whatever links it goes through.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        real_place(path).starts_with(&self.root)
    }

    /// The place of a name from a request: parts below the folder, no way up, no link that leads out, nothing hidden.
    pub(crate) fn place_of(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        let is_plain = relative.components().all(|part| match part {
            Component::Normal(part) => !is_hidden(part),
            _ => false,
        });
        if name.is_empty() || name.contains('\0') || !is_plain {
            return None;
        }
        let place = self.root.join(relative);
        // A link is judged by where it leads; what does not exist yet, by its folder.
        self.holds(&place).then_some(place)
    }

    /// The name of a place in the folder, as requests have it.
    pub(crate) fn name_of(&self, place: &Path) -> Option<String> {
        let inside = place.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> = inside.iter().map(OsStr::to_str).collect();
        Some(parts?.join("/"))
    }

    /// Plans and data in the folder and one level below it.
    pub(crate) fn listing(&self) -> io::Result<Listing> {
        let mut found = Listing::default();
        let mut below = Vec::new();
        self.list(&self.root, &mut found, Some(&mut below))?;
        below.sort();
        for folder in below {
            // A folder that cannot be read has nothing that could be opened.
            let _ = self.list(&folder, &mut found, None);
        }
        let key = |entry: &Entry| (entry.kind, entry.name.clone());
        found.entries.sort_by_key(key);
        found.is_cut |= found.entries.len() > MOST_LISTED;
        found.entries.truncate(MOST_LISTED);
        Ok(found)
    }

    fn list(
        &self,
        folder: &Path,
        found: &mut Listing,
        mut below: Option<&mut Vec<PathBuf>>,
    ) -> io::Result<()> {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.file_name().is_none_or(is_hidden) || !self.holds(&path) {
                continue;
            }
            let Ok(facts) = path.metadata() else { continue };
            if facts.is_dir() {
                if let Some(below) = below.as_deref_mut() {
                    below.push(path);
                }
                continue;
            }
            let (Some(kind), Some(name)) = (kind_of(&path), self.name_of(&path)) else {
                continue;
            };
            found.entries.push(Entry {
                name,
                kind,
                n_bytes: facts.len(),
                is_release: path.with_extension("record.json").is_file(),
            });
        }
        Ok(())
    }
}

fn is_hidden(part: &OsStr) -> bool {
    part.as_encoded_bytes().starts_with(b".")
}

/// What a file is by its extension; nothing for others.
fn kind_of(path: &Path) -> Option<EntryKind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "toml" => Some(EntryKind::Plan),
        "csv" | "tsv" | "tab" | "txt" | "parquet" => Some(EntryKind::Data),
        _ => None,
    }
}

/// The surroundings of a plan in the folder: as on the command line, but for what lies outside.
pub(crate) struct Inside<'a> {
    folder: &'a Folder,
    of_plan: PlanFolder<'a>,
}

impl<'a> Inside<'a> {
    /// The surroundings of this plan.
    pub(crate) fn new(folder: &'a Folder, plan_file: &'a Path) -> Self {
        Self {
            folder,
            of_plan: PlanFolder(folder_of(plan_file)),
        }
    }

    fn refused(&self, file: &str) -> Option<DataError> {
        if self.folder.holds(&self.path(file)) {
            return None;
        }
        let problem = DataProblem::file(OUTSIDE.0.to_owned(), OUTSIDE.1);
        Some(DataError::one(Path::new(file), problem))
    }
}

impl Surroundings for Inside<'_> {
    fn columns(
        &self,
        file: Option<&str>,
        read: &ReadOptions,
    ) -> Option<Result<Vec<String>, DataError>> {
        let file = file?;
        Some(match self.refused(file) {
            Some(refused) => Err(refused),
            None => format::column_names(&self.path(file), read),
        })
    }

    fn levels(&self, file: &str) -> Result<HierarchySpec, DataError> {
        self.refused(file)
            .map_or_else(|| self.of_plan.levels(file), Err)
    }

    fn totals(&self, file: &str) -> Result<Vec<(String, f64)>, DataError> {
        self.refused(file)
            .map_or_else(|| self.of_plan.totals(file), Err)
    }

    fn path(&self, given: &str) -> PathBuf {
        self.of_plan.path(given)
    }

    fn real_place(&self, path: &Path) -> PathBuf {
        real_place(path)
    }

    fn refusal(&self, path: &Path) -> Option<(&'static str, String)> {
        if self.folder.holds(path) {
            return self.of_plan.refusal(path);
        }
        Some((OUTSIDE.0, OUTSIDE.1.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_folder() -> (tempfile::TempDir, Folder) {
        let all = tempfile::tempdir().unwrap();
        let served = all.path().join("served");
        std::fs::create_dir_all(served.join("below")).unwrap();
        for (name, content) in [
            ("survey.csv", "a\n1\n"),
            ("below/plan.toml", ""),
            ("notes.md", ""),
            (".hidden.csv", ""),
        ] {
            std::fs::write(served.join(name), content).unwrap();
        }
        std::fs::write(all.path().join("secret.csv"), "a\n").unwrap();
        let folder = Folder::at(&served).unwrap();
        (all, folder)
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let (_all, folder) = a_folder();
        for name in [
            "",
            "..",
            "../secret.csv",
            "below/../../secret.csv",
            "/etc/passwd",
            "./survey.csv/../../secret.csv",
            "a\0b",
            ".hidden.csv",
            "below/.bauta-web",
        ] {
            assert_eq!(folder.place_of(name), None, "{name:?}");
        }
        assert!(folder.place_of("survey.csv").is_some());
        assert!(folder.place_of("below/plan.toml").is_some());
        assert!(folder.place_of("new.toml").is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_neither_listed_nor_opened() {
        let (all, folder) = a_folder();
        let link = folder.root().join("link.csv");
        std::os::unix::fs::symlink(all.path().join("secret.csv"), link).unwrap();
        let ways = folder.root().join("ways");
        std::os::unix::fs::symlink(all.path(), ways).unwrap();
        assert_eq!(folder.place_of("link.csv"), None);
        assert_eq!(folder.place_of("ways/secret.csv"), None);
        let listing = folder.listing().unwrap();
        let names: Vec<&str> = listing
            .entries
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["below/plan.toml", "survey.csv"]);
    }

    #[test]
    fn a_plan_cannot_look_at_files_outside() {
        let (_all, folder) = a_folder();
        let plan = folder.root().join("plan.toml");
        let inside = Inside::new(&folder, &plan);
        let read = ReadOptions::default();
        let outside = inside.columns(Some("../secret.csv"), &read).unwrap();
        let message = outside.unwrap_err().to_string();
        assert!(message.contains("outside the folder"), "{message}");
        let columns = inside.columns(Some("survey.csv"), &read).unwrap().unwrap();
        assert_eq!(columns, ["a"]);
        assert!(inside.refusal(Path::new("/tmp/released.csv")).is_some());
    }
}
