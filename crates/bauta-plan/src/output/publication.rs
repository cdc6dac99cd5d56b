//! One commit of files: all of them get their names, or none.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bauta_data::{DataError, DataProblem, Fingerprint};

use super::fail_point::fail_point;
use super::guard::Guard;
use super::journal::{Entry, Journal};
use super::own_files::OwnFiles;
use super::recover::{Found, recover, take_back};
use super::staged::Staged;
use super::{Access, HIDDEN, folder_of};
use crate::check::real_place;

/// Files on their way to their names.
///
/// Dropped without [`commit`](Self::commit), it leaves everything as it was.
pub struct Publication<'g> {
    guard: &'g Guard,
    id: String,
    folders: Vec<PathBuf>,
    /// One in each folder, the one that counts first.
    journals: Vec<Journal>,
    staged: Vec<Staged>,
    n_started: usize,
}

impl<'g> Publication<'g> {
    /// Begins to write files of these names, or of some of them. What an earlier publication left
    /// unfinished in their folders is finished first.
    pub fn begin(targets: &[&Path], guard: &'g Guard) -> Result<Self, DataError> {
        let folders = folders_of(targets);
        refuse_beside_stuck(&folders)?;
        guard.check(targets)?;
        let id = random_id().map_err(|error| {
            let target = targets.first().copied().unwrap_or(Path::new("."));
            DataError::io(target, "find a name for what is being written", &error)
        })?;
        let mut publication = Self {
            guard,
            id,
            folders,
            journals: Vec::new(),
            staged: Vec::new(),
            n_started: 0,
        };
        for folder in &publication.folders {
            let first = publication.journals.first().map(Journal::path);
            let journal = Journal::begin(folder, &publication.id, first, &publication.folders)
                .map_err(|error| DataError::io(folder, "write there", &error))?;
            publication.journals.push(journal);
        }
        Ok(publication)
    }

    /// Starts a file. It is not part of the publication before it was [added](Self::add).
    pub(crate) fn start(&mut self, target: &Path, access: Access) -> Result<Staged, DataError> {
        let part = self.hidden(target, self.n_started, "part");
        self.n_started += 1;
        Staged::start(target, part, access)
    }

    /// Adds a file that is complete; files get their names in the order in which they are added.
    pub(crate) fn add(&mut self, staged: Staged) {
        self.staged.push(staged);
    }

    /// Adds a file with this content.
    pub fn add_bytes(
        &mut self,
        target: &Path,
        content: &[u8],
        access: Access,
    ) -> Result<(), DataError> {
        let mut staged = self.start(target, access)?;
        staged.write_with(|out| {
            out.write_all(content)
                .map_err(|error| DataError::io(target, "write", &error))
        })?;
        staged.finish(&Fingerprint::of_bytes(content).sha256)?;
        self.add(staged);
        Ok(())
    }

    /// Gives all files their names, or, if one cannot have its name, none.
    pub fn commit(self) -> Result<(), DataError> {
        self.commit_once_ready(|| ())
    }

    /// Does so, and calls `ready` when everything was looked at and nothing is named yet.
    pub(super) fn commit_once_ready(mut self, ready: impl FnOnce()) -> Result<(), DataError> {
        let Some(first) = self.staged.first().map(|staged| staged.target().to_owned()) else {
            return self.end(Path::new("."));
        };
        // Two publications in one folder get their names one after the other.
        let _locks = lock(&self.folders);
        let targets: Vec<&Path> = self.staged.iter().map(Staged::target).collect();
        self.guard.check(&targets)?;
        self.stage_own_files()?;
        for staged in &mut self.staged {
            staged.link()?;
        }
        let entries = self.entries()?;
        let kept = entries.iter().try_for_each(keep_old);
        let committed = kept.and_then(|()| {
            let journal = self.journals.first_mut();
            let journal = journal.ok_or_else(|| io::Error::other("there is no journal"))?;
            journal.note(&entries)?;
            journal.commit()
        });
        if let Err(error) = committed {
            // The line may be there all the same, and must not count.
            let _ = self.journals.first_mut().map(Journal::undo);
            entries.iter().for_each(forget_old);
            return Err(DataError::io(&first, "name the finished files", &error));
        }
        ready();
        self.name(&entries)?;
        self.end(&first)
    }

    /// Names the files; if one cannot be named, those before it give their names back.
    fn name(&mut self, entries: &[Entry]) -> Result<(), DataError> {
        for entry in entries {
            fail_point();
            if let Err(error) = std::fs::rename(&entry.part, &entry.target) {
                let journal = self.journals.first_mut();
                let undone = journal.map_or(Ok(()), Journal::undo);
                match undone.and_then(|()| take_back(entries)) {
                    Ok(()) => entries.iter().for_each(forget_old),
                    // What is left is for the next command to mend: the journal says how, and the files
                    // that have no name yet must be there for it.
                    Err(_) => {
                        self.staged.iter_mut().for_each(Staged::is_named);
                        self.journals.clear();
                    }
                }
                return Err(DataError::io(
                    &entry.target,
                    "name the finished file",
                    &error,
                ));
            }
        }
        self.staged.iter_mut().for_each(Staged::is_named);
        entries.iter().for_each(forget_old);
        self.folders.iter().for_each(|folder| make_durable(folder));
        Ok(())
    }

    /// Ends the journals, the one that counts last.
    fn end(&mut self, target: &Path) -> Result<(), DataError> {
        while let Some(journal) = self.journals.pop() {
            journal
                .end()
                .map_err(|error| DataError::io(target, "end the publication", &error))?;
        }
        Ok(())
    }

    /// Stages the lists of what Bauta wrote with the files of this publication in them.
    fn stage_own_files(&mut self) -> Result<(), DataError> {
        for folder in self.folders.clone() {
            let mut list = OwnFiles::of_folder(&folder);
            let here = self.staged.iter();
            let here = here.filter(|staged| real_place(folder_of(staged.target())) == folder);
            for staged in here {
                if let Some(sha256) = staged.sha256() {
                    list.add(staged.target(), sha256);
                }
            }
            self.add_bytes(&OwnFiles::path(&folder), &list.to_json(), Access::OwnerOnly)?;
        }
        Ok(())
    }

    /// What gets which name, the targets by their real folders.
    fn entries(&self) -> Result<Vec<Entry>, DataError> {
        let entry = |(n, staged): (usize, &Staged)| {
            let name = staged.target().file_name().unwrap_or_default();
            let target = real_place(folder_of(staged.target())).join(name);
            let is_there = std::fs::symlink_metadata(&target).is_ok();
            Ok(Entry {
                part: staged.part().to_owned(),
                old: is_there.then(|| self.hidden(&target, n, "old")),
                target,
            })
        };
        self.staged.iter().enumerate().map(entry).collect()
    }

    /// A hidden name beside a target.
    fn hidden(&self, target: &Path, n: usize, ending: &str) -> PathBuf {
        let folder = real_place(folder_of(target));
        folder.join(format!("{HIDDEN}{}-{n}.{ending}", self.id))
    }
}

impl Drop for Publication<'_> {
    fn drop(&mut self) {
        self.staged.clear();
        let _ = self.end(Path::new("."));
    }
}

/// A publication that cannot be finished would replace newer files once it can.
fn refuse_beside_stuck(folders: &[PathBuf]) -> Result<(), DataError> {
    for recovered in recover(folders.iter().map(PathBuf::as_path)) {
        if let Found::Stuck(reason) = recovered.found {
            let problem = DataProblem::file(
                format!("an earlier command was cut off here and cannot be cleared up: {reason}"),
                "mend that, or look at the hidden files .bauta-* in the folder and remove them",
            );
            return Err(DataError::one(&recovered.folder, problem));
        }
    }
    Ok(())
}

/// The folders of files, each once, in the order of the files.
fn folders_of(targets: &[&Path]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets {
        let folder = real_place(folder_of(target));
        if folder.is_dir() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Locks folders, always in the same order; a system that cannot lock them goes without.
pub(super) fn lock(folders: &[PathBuf]) -> Vec<File> {
    let mut sorted: Vec<&PathBuf> = folders.iter().collect();
    sorted.sort_unstable();
    let opened = sorted.into_iter().filter_map(|folder| {
        let folder = File::open(folder).ok()?;
        folder.lock().ok().map(|()| folder)
    });
    opened.collect()
}

/// Keeps what has the name now under another, for the case that the new file cannot have it.
fn keep_old(entry: &Entry) -> io::Result<()> {
    let Some(old) = &entry.old else {
        return Ok(());
    };
    fail_point();
    // A system without hard links gets a copy.
    std::fs::hard_link(&entry.target, old).or_else(|_| std::fs::copy(&entry.target, old).map(drop))
}

/// What had the name before is not needed any more.
pub(super) fn forget_old(entry: &Entry) {
    if let Some(old) = &entry.old {
        fail_point();
        let _ = std::fs::remove_file(old);
    }
}

/// Makes the names in a folder durable, where the system can.
pub(super) fn make_durable(folder: &Path) {
    fail_point();
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// A name that no other publication has.
fn random_id() -> io::Result<String> {
    let bytes = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{bytes:016x}"))
}
