//! Finishing, or taking back, what a process that was killed left unfinished.

use std::io;
use std::path::{Path, PathBuf};

use super::HIDDEN;
use super::journal::{Entry, Held, JOURNAL, Journal, Reached, Said, Unreadable};
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
    let stuck = |reason: &str| Recovered {
        folder: folder.clone(),
        started: None,
        found: Found::Stuck(reason.to_owned()),
        files: Vec::new(),
    };
    let (journal, said) = match hold(path, &folder) {
        Ok(held) => held?,
        Err(reason) => return Some(stuck(&reason)),
    };
    if let Some(first) = said.first(path) {
        // The one that counts ends last: if it is gone, so is all that it was about.
        let found = first.exists().then(|| recover_one(&first)).flatten();
        if !first.exists() {
            let _ = journal.end();
        }
        return found;
    }
    let folders = said.folders(path);
    let entries = said.entries_in(&folders);
    // A publication holds these while it names files: what is cleared up is not in its way.
    let locks = lock(&folders);
    let finished = finish(&said, &entries, &folders, path);
    let found = match finished.and_then(|found| journal.end().map(|()| found)) {
        Ok(found) => found,
        Err(error) => Found::Stuck(error.to_string()),
    };
    drop(locks);
    let targets = entries.into_iter().map(|entry| entry.target);
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

/// A journal whose process is gone, with what it says; none if it is somebody's, or was cleared up.
fn hold(path: &Path, folder: &Path) -> Result<Option<(Journal, Said)>, String> {
    let _folder = lock(&[folder.to_owned()]);
    let journal = match Journal::hold(path) {
        Ok(Held::ByUs(journal)) => journal,
        Ok(Held::ByAnother) => return Ok(None),
        // Somebody has cleared up in the meantime.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    match journal.said() {
        Ok(said) => Ok(Some((journal, said))),
        Err(Unreadable::Unfinished) => {
            journal.end().map_err(|error| error.to_string())?;
            Ok(None)
        }
        Err(Unreadable::Foreign(reason)) => Err(reason.to_owned()),
        Err(Unreadable::Io(error)) => Err(error.to_string()),
    }
}

/// Brings the files to one state: the new one if it was committed, else the old one.
fn finish(said: &Said, entries: &[Entry], folders: &[PathBuf], path: &Path) -> io::Result<Found> {
    let found = match said.reached {
        Reached::Staging => Found::Before,
        Reached::Undo => take_back(entries).map(|()| Found::Before)?,
        Reached::Commit => {
            let named = entries.iter().try_for_each(|entry| {
                if entry.part.exists() {
                    std::fs::rename(&entry.part, &entry.target)
                } else {
                    Ok(())
                }
            });
            match named {
                Ok(()) => Found::After,
                Err(_) => take_back(entries).map(|()| Found::Before)?,
            }
        }
    };
    entries.iter().for_each(forget_old);
    for folder in folders {
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
    let begins = [format!("{HIDDEN}{id}-"), format!("{HIDDEN}{id}{JOURNAL}")];
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_its = begins.iter().any(|begins| name.starts_with(begins));
        if is_its && entry.path() != journal {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
