//! Files that appear whole or not at all, all of one command at once, and never in place of anything
//! that is not Bauta's.
//!
//! A [`Publication`] is one commit: its files are written where nobody sees them and get their names
//! together, so that after a kill at any instruction the next command finds what was there before or
//! what was to be there, and [`recover`] says which. A [`Guard`] knows what may not be replaced: what
//! a command reads, devices, pipes and links, and files that Bauta did not write.

mod fail_point;
mod guard;
mod journal;
mod own_files;
mod publication;
mod recover;
mod staged;

use std::path::{Path, PathBuf};

use bauta_data::DataError;

pub(crate) use guard::{Blocked, blocked};
pub use guard::{Guard, Replace};
pub use publication::Publication;
pub use recover::{Found, Recovered, recover};
pub(crate) use staged::Staged;

/// What every hidden file of ours begins with.
const HIDDEN: &str = ".bauta-";

/// Who may read a file besides its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Whoever the system lets by default.
    Usual,
    /// Nobody: records and internal reports hold the seed and risk figures.
    OwnerOnly,
}

impl Access {
    #[cfg(unix)]
    const fn mode(self) -> u32 {
        match self {
            Self::Usual => 0o666,
            Self::OwnerOnly => 0o600,
        }
    }
}

/// Writes a whole file at once: staged, made durable and named.
pub fn write_file(
    target: &Path,
    content: &[u8],
    access: Access,
    guard: &Guard,
) -> Result<(), DataError> {
    write_files(&[(target.to_owned(), content)], access, guard)
}

/// Writes several files: none of them gets its name before all are complete and durable.
pub fn write_files(
    files: &[(PathBuf, &[u8])],
    access: Access,
    guard: &Guard,
) -> Result<(), DataError> {
    let targets: Vec<&Path> = files.iter().map(|(target, _)| target.as_path()).collect();
    let mut publication = Publication::begin(&targets, guard)?;
    for (target, content) in files {
        publication.add_bytes(target, content, access)?;
    }
    publication.commit()
}

/// The folder that a plan's paths are relative to.
pub fn folder_of(plan_file: &Path) -> &Path {
    plan_file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."))
}

#[cfg(test)]
mod tests;
