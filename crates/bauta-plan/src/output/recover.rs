//! Finishing, or taking back, what a process that was killed left unfinished.

use std::io;
use std::path::{Path, PathBuf};

use super::HIDDEN;
use super::journal::{Entry, Held, JOURNAL, Journal, Reached, Said, said};
use super::publication::{forget_old, lock, make_durable};
use crate::check::real_place;

/// A publication that was cut off, and what is there now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovered {
    /// The folder that it was found in.
    pub folder: PathBuf,
    /// When it began, in UTC, if that could be read.
    pub started: Option<String>,
    /// What is there now.
    pub found: Found,
    /// The files that it was about.
    pub files: Vec<PathBuf>,
}

/// What is there after a publication that was cut off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// All that was there before it, and nothing of its own.
    Before,
    /// All its files.
    After,
    /// It could not be cleared up, for this reason.
    Stuck(String),
}

/// Looks for publications that were cut off in folders, and finishes them or takes them back.
pub fn recover<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Vec<Recovered> {
    let mut found = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let folder = real_place(folder);
        if !seen.contains(&folder) {
            for path in journals(&folder) {
                found.extend(recover_one(&path));
            }
            seen.push(folder);
        }
    }
    found
}

/// The journals in a folder.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let hidden = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(HIDDEN) && name.ends_with(JOURNAL)
    });
    let mut paths: Vec<PathBuf> = hidden.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

fn recover_one(path: &Path) -> Option<Recovered> {
    let folder = super::folder_of(path).to_owned();
    let stuck = |reason: &io::Error| Recovered {
        folder: folder.clone(),
        started: None,
        found: Found::Stuck(reason.to_string()),
        files: Vec::new(),
    };
    let journal = match Journal::hold(path) {
        Ok(Held::ByUs(journal)) => journal,
        Ok(Held::ByAnother) => return None,
        // Somebody has cleared up in the meantime.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(stuck(&error)),
    };
    let said = match said(path) {
        Ok(said) => said,
        // Not even its first line was written: nothing else was.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return journal.end().err().map(|error| stuck(&error));
        }
        Err(error) => return Some(stuck(&error)),
    };
    if let Some(first) = said.first(path) {
        // The one that counts ends last: if it is gone, so is all that it was about.
        let found = first.exists().then(|| recover_one(&first)).flatten();
        if !first.exists() {
            let _ = journal.end();
        }
        return found;
    }
    let locks = lock(&said.folders(path));
    let finished = finish(&said, path);
    let found = match finished.and_then(|found| journal.end().map(|()| found)) {
        Ok(found) => found,
        Err(error) => Found::Stuck(error.to_string()),
    };
    drop(locks);
    let targets = said.entries.iter().map(|entry| entry.target.clone());
    let is_shown = |target: &PathBuf| {
        let name = target.file_name().unwrap_or_default();
        !name.to_string_lossy().starts_with(HIDDEN)
    };
    Some(Recovered {
        folder,
        started: Some(said.header.started.clone()),
        found,
        files: targets.filter(is_shown).collect(),
    })
}

/// Brings the files to one state: the new one if it was committed, else the old one.
fn finish(said: &Said, path: &Path) -> io::Result<Found> {
    let folders = said.folders(path);
    let found = match said.reached {
        Reached::Staging => Found::Before,
        Reached::Undo => take_back(&said.entries).map(|()| Found::Before)?,
        Reached::Commit => {
            let named = said.entries.iter().try_for_each(|entry| {
                if entry.part.exists() {
                    std::fs::rename(&entry.part, &entry.target)
                } else {
                    Ok(())
                }
            });
            match named {
                Ok(()) => Found::After,
                Err(_) => take_back(&said.entries).map(|()| Found::Before)?,
            }
        }
    };
    said.entries.iter().for_each(forget_old);
    for folder in &folders {
        clear(folder, path, &said.header.id)?;
        make_durable(folder);
    }
    Ok(found)
}

/// Gives names back to what had them before.
pub(super) fn take_back(entries: &[Entry]) -> io::Result<()> {
    for entry in entries {
        let was_named = !entry.part.exists();
        match &entry.old {
            Some(old) if old.exists() => std::fs::rename(old, &entry.target)?,
            None if was_named && entry.target.exists() => std::fs::remove_file(&entry.target)?,
            _ => {}
        }
        if entry.part.exists() {
            std::fs::remove_file(&entry.part)?;
        }
    }
    Ok(())
}

/// Removes the hidden files of a publication from a folder, but for its journal that counts.
fn clear(folder: &Path, journal: &Path, id: &str) -> io::Result<()> {
    let begins = format!("{HIDDEN}{id}");
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let is_its = entry.file_name().to_string_lossy().starts_with(&begins);
        if is_its && entry.path() != journal {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
