//! The marker of a publication: what it is about to name, and how far it has come.
//!
//! A journal is a hidden file, one in each folder that something is written to. The first one counts;
//! the others lead to it. Its process holds a lock on it, which ends with the process, so that
//! whoever comes later knows whether the publication is still going on. It grows line by line: what it
//! is, which files get which names, `commit` once all of them are there under hidden names, and `undo`
//! if they could not be named after all. A line that is not complete was never written.
//!
//! Journals are made, and looked at, under the lock of their folder, and nobody waits for the lock of a
//! journal: so two commands in one folder neither take each other's for a remnant nor wait for each other
//! for ever.
//!
//! Whoever obeys a file deletes what that file says. A journal is obeyed only if it is a file of our own
//! user that nobody else can write, if it is the very file that its first line speaks of (one that came
//! out of an archive, or was copied, is another), and only for names that a publication could have given.

use std::ffi::OsString;
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fail_point::fail_point;
use super::publication::lock;
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
    /// Which file it is on this system; 0 where files have no numbers.
    file: u64,
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
        let path = folder.join(name_of(id));
        // Nobody takes it for a remnant before its first line is there.
        let _folder = lock(&[folder.to_owned()]);
        let mut file = open_hidden(&path, Access::OwnerOnly)?;
        // Where files cannot be locked, nobody can tell later that we are gone, and says so.
        let _ = file.try_lock();
        let header = Header {
            file: number_of(&file.metadata()?),
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
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes hold of a journal that was found, under the lock of its folder.
    pub(super) fn hold(path: &Path) -> io::Result<Held> {
        if !is_our_own(&std::fs::symlink_metadata(path)?) {
            return Ok(Held::ByAnother);
        }
        let mut options = File::options();
        let file = options.read(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(_)) if is_stale(&file)? => {}
            Err(_) => return Ok(Held::ByAnother),
        }
        let path = path.to_owned();
        Ok(Held::ByUs(Self { path, file }))
    }

    /// What it says.
    pub(super) fn said(&self) -> Result<Said, Unreadable> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(Unreadable::Io)?;
        let metadata = file.metadata().map_err(Unreadable::Io)?;
        said_in(&bytes, &self.path, number_of(&metadata))
    }
}

/// Why it is not known what a journal says.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// Not even its first line was written, and so nothing else was.
    Unfinished,
    /// It is not one that a publication wrote here.
    Foreign(&'static str),
    /// The system refused.
    Io(io::Error),
}

/// The name of a journal.
fn name_of(id: &str) -> String {
    format!("{HIDDEN}{id}{JOURNAL}")
}

/// The number that a file has on its system, by which it is known under any name.
#[cfg(unix)]
fn number_of(file: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    file.ino()
}

#[cfg(not(unix))]
fn number_of(_file: &Metadata) -> u64 {
    0
}

/// Whether a file is one that our user made and nobody else can write or lead elsewhere.
#[cfg(unix)]
fn is_our_own(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const OF_OTHERS: u32 = 0o022;
    let me = rustix::process::geteuid().as_raw();
    found.is_file() && found.uid() == me && found.mode() & OF_OTHERS == 0
}

#[cfg(not(unix))]
fn is_our_own(found: &Metadata) -> bool {
    found.is_file()
}

/// Whether a journal on a system without locks is so old that nobody can be at work on it.
fn is_stale(file: &File) -> io::Result<bool> {
    let age = file.metadata()?.modified()?.elapsed();
    Ok(age.is_ok_and(|age| age > STALE))
}

/// What the bytes of the journal at a path say, if a publication wrote them there.
fn said_in(bytes: &[u8], path: &Path, number: u64) -> Result<Said, Unreadable> {
    let complete = bytes.iter().rposition(|&byte| byte == b'\n');
    let complete = complete.ok_or(Unreadable::Unfinished)?;
    let mut lines = bytes[..complete].split(|&byte| byte == b'\n');
    let unknown = |_| Unreadable::Foreign("its marker is not of this version of Bauta");
    let header = lines.next().unwrap_or_default();
    let header: Header = serde_json::from_slice(header).map_err(unknown)?;
    if header.format != FORMAT || path.file_name() != Some(name_of(&header.id).as_ref()) {
        return Err(Unreadable::Foreign(
            "its marker is not of this version of Bauta",
        ));
    }
    if header.file != number {
        return Err(Unreadable::Foreign(
            "its marker was copied here, and belongs to files elsewhere",
        ));
    }
    let folder = folder_of(path);
    let entries = lines.next().filter(|line| !line.is_empty());
    let entries: Vec<StoredEntry> = match entries {
        None => Vec::new(),
        Some(entries) => serde_json::from_slice(entries).map_err(unknown)?,
    };
    let entries = entries.into_iter().map(|entry| Entry {
        part: folder.join(entry.part),
        target: folder.join(entry.target),
        old: entry.old.map(|old| folder.join(old)),
    });
    let entries: Vec<Entry> = entries.collect();
    if !entries.iter().all(|entry| entry.is_of(&header.id)) {
        return Err(Unreadable::Foreign(
            "its marker speaks of names that no publication has",
        ));
    }
    let reached = lines.fold(Reached::Staging, |reached, line| match line {
        b"commit" => Reached::Commit,
        b"undo" => Reached::Undo,
        _ => reached,
    });
    Ok(Said {
        header,
        entries,
        reached,
    })
}

impl Entry {
    /// Whether a publication could have given these names: hidden ones of its own, beside the target.
    fn is_of(&self, id: &str) -> bool {
        let begins = format!("{HIDDEN}{id}-");
        let is_beside = |hidden: &Path| {
            let name = hidden.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&begins) && folder_of(hidden) == folder_of(&self.target)
        };
        let is_plain = |path: &Path| {
            let mut parts = path.components();
            !parts.any(|part| matches!(part, Component::ParentDir | Component::CurDir))
        };
        self.target.file_name().is_some()
            && is_plain(&self.target)
            && is_beside(&self.part)
            && self.old.as_deref().is_none_or(is_beside)
    }
}

impl Said {
    /// The journal that counts, if it is not the one at `path`.
    pub(super) fn first(&self, path: &Path) -> Option<PathBuf> {
        let first = self.header.first.as_ref()?;
        Some(folder_of(path).join(first))
    }

    /// The folders that are written to and that hold a journal of the publication, as each does until
    /// its files have their names. Another folder is none of its business.
    pub(super) fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let folders = self.header.folders.iter();
        let folders = folders.map(|folder| folder_of(path).join(folder));
        let has_journal = |folder: &PathBuf| {
            let journal = folder.join(name_of(&self.header.id));
            std::fs::symlink_metadata(journal).is_ok_and(|found| is_our_own(&found))
        };
        folders.filter(has_journal).collect()
    }

    /// The files of these folders.
    pub(super) fn entries_in(&self, folders: &[PathBuf]) -> Vec<Entry> {
        let is_there = |entry: &&Entry| {
            let folder = folder_of(&entry.target);
            folders.iter().any(|known| known == folder)
        };
        self.entries.iter().filter(is_there).cloned().collect()
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
