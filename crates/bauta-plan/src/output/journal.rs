//! The marker of a publication: what it is about to name, and how far it has come.
//!
//! A journal is a hidden file, one in each folder that something is written to. The first one counts;
//! the others lead to it. Its process holds a lock on it, which ends with the process, so that
//! whoever comes later knows whether the publication is still going on. It grows line by line: what it
//! is, which files get which names, `commit` once all of them are there under hidden names, and `undo`
//! if they could not be named after all. A line that is not complete was never written.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fail_point::fail_point;
use super::staged::open_hidden;
use super::{Access, HIDDEN, folder_of};
use crate::clock::now_utc;

/// What the names of journals end with.
pub(super) const JOURNAL: &str = ".run";

/// A publication that has not come on for so long has ended, where no lock tells.
const STALE: Duration = Duration::from_hours(1);

const FORMAT: &str = "bauta-publication/1";
const COMMIT: &str = "commit";
const UNDO: &str = "undo";

/// A journal that is there.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

/// The first line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    format: String,
    /// Name that all hidden files of the publication begin with.
    pub(super) id: String,
    /// When it began, in UTC.
    pub(super) started: String,
    /// The journal that counts; none if it is this one.
    first: Option<OsString>,
    /// The folders that are written to.
    folders: Vec<OsString>,
}

/// One file of a publication: where it waits, the name that it gets, and where that of before is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) part: PathBuf,
    pub(super) target: PathBuf,
    pub(super) old: Option<PathBuf>,
}

/// An entry as it is written: paths beside the journal by their names alone, so that a folder may be
/// moved.
#[derive(Serialize, Deserialize)]
struct StoredEntry {
    part: OsString,
    target: OsString,
    old: Option<OsString>,
}

/// How far a publication came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    /// Its files were being written.
    Staging,
    /// All of them were complete and were getting their names.
    Commit,
    /// They could not be named and were being taken back.
    Undo,
}

/// What a journal says.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Said {
    pub(super) header: Header,
    pub(super) entries: Vec<Entry>,
    pub(super) reached: Reached,
}

/// Whether somebody is still at work on a publication.
pub(super) enum Held {
    /// Nobody: the journal is ours now.
    ByUs(Journal),
    /// Another process, or it cannot be told.
    ByAnother,
}

impl Journal {
    /// A new journal in a folder. `first` is the one that counts, if it is not this one.
    pub(super) fn begin(
        folder: &Path,
        id: &str,
        first: Option<&Path>,
        folders: &[PathBuf],
    ) -> io::Result<Self> {
        fail_point();
        let path = folder.join(format!("{HIDDEN}{id}{JOURNAL}"));
        let mut file = open_hidden(&path, Access::OwnerOnly)?;
        // Where files cannot be locked, nobody can tell later that we are gone, and says so.
        let _ = file.lock();
        let header = Header {
            format: FORMAT.to_owned(),
            id: id.to_owned(),
            started: now_utc(),
            first: first.map(|first| first.as_os_str().to_owned()),
            folders: folders.iter().map(|other| stored(other, folder)).collect(),
        };
        fail_point();
        let written = append(&mut file, &line(&header)?);
        written.inspect_err(|_| drop(std::fs::remove_file(&path)))?;
        Ok(Self { path, file })
    }

    /// Notes which files get which names.
    pub(super) fn note(&mut self, entries: &[Entry]) -> io::Result<()> {
        fail_point();
        let folder = folder_of(&self.path);
        let kept = |entry: &Entry| StoredEntry {
            part: stored(&entry.part, folder),
            target: stored(&entry.target, folder),
            old: entry.old.as_ref().map(|old| stored(old, folder)),
        };
        let entries: Vec<StoredEntry> = entries.iter().map(kept).collect();
        append(&mut self.file, &line(&entries)?)
    }

    /// From here on the new files count.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        fail_point();
        append(&mut self.file, &format!("{COMMIT}\n"))
    }

    /// From here on the old files count again.
    pub(super) fn undo(&mut self) -> io::Result<()> {
        fail_point();
        append(&mut self.file, &format!("{UNDO}\n"))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The publication is over.
    pub(super) fn end(self) -> io::Result<()> {
        fail_point();
        std::fs::remove_file(&self.path)
    }

    /// Takes hold of a journal that was found.
    pub(super) fn hold(path: &Path) -> io::Result<Held> {
        let mut options = File::options();
        let file = options.read(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            // Naming takes no time to speak of: wait for it, and find the new files.
            Err(TryLockError::WouldBlock)
                if said(path).is_ok_and(|said| said.reached != Reached::Staging) =>
            {
                file.lock()?;
            }
            Err(TryLockError::Error(_)) if is_stale(&file)? => {}
            Err(_) => return Ok(Held::ByAnother),
        }
        let path = path.to_owned();
        Ok(Held::ByUs(Self { path, file }))
    }
}

/// Whether a journal on a system without locks is so old that nobody can be at work on it.
fn is_stale(file: &File) -> io::Result<bool> {
    let age = file.metadata()?.modified()?.elapsed();
    Ok(age.is_ok_and(|age| age > STALE))
}

/// What the journal at a path says.
pub(super) fn said(path: &Path) -> io::Result<Said> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let complete = bytes.iter().rposition(|&byte| byte == b'\n');
    let complete = &bytes[..complete.map_or(0, |end| end + 1)];
    let mut lines = complete.split(|&byte| byte == b'\n');
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "not a journal of this version");
    let header = lines.next().unwrap_or_default();
    let header: Header = serde_json::from_slice(header).map_err(|_| unknown())?;
    if header.format != FORMAT {
        return Err(unknown());
    }
    let folder = folder_of(path);
    let entries = lines.next().filter(|line| !line.is_empty());
    let entries: Vec<StoredEntry> = match entries {
        None => Vec::new(),
        Some(entries) => serde_json::from_slice(entries).map_err(|_| unknown())?,
    };
    let entries = entries.into_iter().map(|entry| Entry {
        part: folder.join(entry.part),
        target: folder.join(entry.target),
        old: entry.old.map(|old| folder.join(old)),
    });
    let reached = lines.fold(Reached::Staging, |reached, line| match line {
        b"commit" => Reached::Commit,
        b"undo" => Reached::Undo,
        _ => reached,
    });
    Ok(Said {
        header,
        entries: entries.collect(),
        reached,
    })
}

impl Said {
    /// The journal that counts, if it is not the one at `path`.
    pub(super) fn first(&self, path: &Path) -> Option<PathBuf> {
        let first = self.header.first.as_ref()?;
        Some(folder_of(path).join(first))
    }

    /// The folders that are written to.
    pub(super) fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let folders = self.header.folders.iter();
        folders.map(|folder| folder_of(path).join(folder)).collect()
    }
}

/// A path as a journal in `folder` keeps it.
fn stored(path: &Path, folder: &Path) -> OsString {
    match path.strip_prefix(folder) {
        Ok(inside) => inside.as_os_str().to_owned(),
        Err(_) => path.as_os_str().to_owned(),
    }
}

fn line<T: Serialize>(content: &T) -> io::Result<String> {
    let mut line = serde_json::to_string(content).map_err(io::Error::other)?;
    line.push('\n');
    Ok(line)
}

/// Adds a line and makes it durable.
fn append(file: &mut File, line: &str) -> io::Result<()> {
    file.write_all(line.as_bytes())?;
    file.sync_all()
}
