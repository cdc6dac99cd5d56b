//! What an output may not replace.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use bauta_data::{DataError, DataProblem};

use super::own_files::is_own;
use crate::check::real_place;

/// What may be replaced besides nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Replace {
    /// Files that Bauta wrote and nobody has changed since.
    #[default]
    OwnFiles,
    /// Any file, as `--force` says; still nothing that is read, no device, pipe or link.
    AnyFile,
}

/// Guards what is there against the outputs of a command.
#[derive(Debug, Default)]
pub struct Guard {
    /// What the command reads, whatever way its path was written.
    inputs: Vec<PathBuf>,
    replace: Replace,
    /// Files that were found to be ours, as they were then: large ones are hashed once.
    cleared: Mutex<Vec<(PathBuf, Version)>>,
}

/// What tells one version of a file from another without reading it.
type Version = (u64, Option<SystemTime>);

impl Guard {
    /// Guards what a command reads.
    pub fn new<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>, replace: Replace) -> Self {
        let inputs = inputs.into_iter();
        Self {
            inputs: inputs.map(|input| real_place(input.as_ref())).collect(),
            replace,
            cleared: Mutex::default(),
        }
    }

    /// Guards one more file that is read.
    #[must_use]
    pub fn and(mut self, input: &Path) -> Self {
        self.inputs.push(real_place(input));
        self
    }

    /// Whether files of these names may be written; everything that stands in the way at once.
    pub fn check(&self, targets: &[&Path]) -> Result<(), DataError> {
        let mut problems: Vec<(&Path, DataProblem)> = Vec::new();
        let mut places: Vec<PathBuf> = Vec::new();
        for &target in targets {
            let place = real_place(target);
            if places.contains(&place) {
                let message = "two outputs would have this name";
                let problem = DataProblem::file(message, "choose another name for one of them");
                problems.push((target, problem));
            } else if let Some(problem) = self.problem(target, &place)? {
                problems.push((target, problem));
            }
            places.push(place);
        }
        let Some((first, _)) = problems.first() else {
            return Ok(());
        };
        let file = (*first).to_owned();
        let named = problems.into_iter().map(|(target, problem)| {
            if target == file {
                return problem;
            }
            let message = format!("{}: {}", target.display(), problem.message);
            DataProblem { message, ..problem }
        });
        let mut listed: Vec<DataProblem> = named.collect();
        let n_more = listed.len().saturating_sub(DataError::LIMIT);
        listed.truncate(DataError::LIMIT);
        Err(DataError {
            problems: listed,
            n_more: n_more as u64,
            ..DataError::one(&file, DataProblem::file("", ""))
        })
    }

    fn problem(&self, target: &Path, place: &Path) -> Result<Option<DataProblem>, DataError> {
        if self.inputs.iter().any(|input| input == place) {
            return Ok(Some(DataProblem::file(
                "this file is read, and would be replaced by an output",
                "choose another name for the output",
            )));
        }
        let is_there = match blocked(target) {
            Err(error) => return Err(DataError::io(target, "write there", &error)),
            Ok(Err(Blocked { message, hint })) => {
                return Ok(Some(DataProblem::file(message, hint)));
            }
            Ok(Ok(is_there)) => is_there,
        };
        if !is_there || self.replace == Replace::AnyFile || self.is_own(target)? {
            return Ok(None);
        }
        Ok(Some(DataProblem::file(
            "is there already, and is not as Bauta wrote it",
            "choose another name, or replace it with --force",
        )))
    }

    fn is_own(&self, target: &Path) -> Result<bool, DataError> {
        let failed = |error: io::Error| DataError::io(target, "look at what is there", &error);
        let found = std::fs::metadata(target).map_err(failed)?;
        let version = (found.len(), found.modified().ok());
        let known = (target.to_owned(), version);
        let mut cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = cleared.contains(&known);
        let is_own = is_known || is_own(target).map_err(failed)?;
        if is_own && !is_known {
            cleared.push(known);
        }
        Ok(is_own)
    }
}

/// Why a name cannot be had for a file, and what to do about it.
pub(crate) struct Blocked {
    pub(crate) message: &'static str,
    pub(crate) hint: String,
}

/// Whether a file is there that could be replaced, or what stands in the way of one.
pub(crate) fn blocked(target: &Path) -> io::Result<Result<bool, Blocked>> {
    let refuse = |message, hint: &str| {
        let hint = hint.to_owned();
        Ok(Err(Blocked { message, hint }))
    };
    let folder = super::folder_of(target);
    if !folder.is_dir() {
        let hint = format!("make the folder {}", folder.display());
        return refuse("the folder of this file does not exist", &hint);
    }
    let found = match std::fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ok(false)),
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            return refuse(
                "the file system does not take a name of this form or length",
                "choose a shorter name",
            );
        }
        found => found?,
    };
    if found.is_dir() {
        return refuse("there is a folder of this name", "choose another name");
    }
    if found.is_symlink() {
        return refuse(
            "is a link, which is not replaced",
            "name the file that it leads to, or another",
        );
    }
    if !found.is_file() {
        return refuse(
            "is a device, a pipe or a socket, which is not replaced",
            "name a file; what is printed goes to standard output",
        );
    }
    if !is_ours_to_rename(folder, &found)? {
        return refuse(
            "belongs to someone else in a folder where everyone may replace only their own files",
            "choose another name",
        );
    }
    Ok(Ok(true))
}

/// Whether the folder lets us replace a file: one with a sticky bit does so for owners only.
#[cfg(unix)]
fn is_ours_to_rename(folder: &Path, file: &std::fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY: u32 = 0o1000;
    let folder = std::fs::metadata(folder)?;
    if folder.mode() & STICKY == 0 {
        return Ok(true);
    }
    let me = rustix::process::geteuid().as_raw();
    Ok(me == 0 || me == file.uid() || me == folder.uid())
}

#[cfg(not(unix))]
fn is_ours_to_rename(_folder: &Path, _file: &std::fs::Metadata) -> io::Result<bool> {
    Ok(true)
}
