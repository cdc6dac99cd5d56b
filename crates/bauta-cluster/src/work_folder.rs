//! The folder of an executor. It holds data: only its owner can read it, and nothing of it outlives the executor for
//! longer than until the next one starts.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;

use crate::ClusterError;

/// How the folders of executors begin, below the one that `--work` names.
const PREFIX: &str = "bauta-executor-";
/// By this file a folder is known to be an executor's. The executor keeps it locked, so that a folder whose file is not
/// locked was left by one that was killed.
const MARKER: &str = "of-a-bauta-executor";

/// What is below: shuffle files by job, and sorts and groups that do not fit into memory.
const BELOW: [&str; 2] = ["jobs", "spill"];

/// A folder of this executor alone, removed when dropped.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    /// Holds the lock.
    _marker: File,
}

impl WorkFolder {
    /// Removes what killed executors left below `parent` and makes a folder there.
    pub(crate) fn create(parent: &Path, name: &str) -> Result<Self, ClusterError> {
        let cannot = |source| ClusterError::Work {
            folder: parent.to_owned(),
            source,
        };
        let own = |mode| {
            let mut builder = DirBuilder::new();
            builder.mode(mode);
            builder
        };
        own(0o700).recursive(true).create(parent).map_err(cannot)?;
        remove_left_behind(parent).map_err(cannot)?;
        let parent = parent.canonicalize().map_err(cannot)?;
        let path = parent.join(format!("{PREFIX}{name}"));
        own(0o700).create(&path).map_err(cannot)?;
        // Gets its name once it is locked: whoever starts at the same time must not take this folder for an old one.
        let nameless = path.join("new");
        let marker = File::create_new(&nameless).map_err(cannot)?;
        marker.try_lock().map_err(|error| cannot(error.into()))?;
        fs::rename(&nameless, path.join(MARKER)).map_err(cannot)?;
        let folder = Self {
            path,
            _marker: marker,
        };
        for below in BELOW {
            own(0o700).create(folder.path.join(below)).map_err(cannot)?;
        }
        Ok(folder)
    }

    /// Where shuffle files go, by job.
    pub(crate) fn jobs(&self) -> PathBuf {
        self.path.join(BELOW[0])
    }

    /// Where sorts and groups go that do not fit into memory.
    pub(crate) fn spill(&self) -> PathBuf {
        self.path.join(BELOW[1])
    }

    /// Removes the data of all jobs.
    pub(crate) fn empty(&self) {
        for folder in [self.jobs(), self.spill()] {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                remove(&entry.path());
            }
        }
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        remove_whole(&self.path);
    }
}

/// Removes an executor's folder. The marker goes last: what is left after a kill must still be known as ours.
fn remove_whole(path: &Path) {
    for below in BELOW {
        remove(&path.join(below));
    }
    remove(path);
}

/// Removes a folder even if a task that is just ending still writes into it.
fn remove(path: &Path) {
    for _ in 0..50 {
        if fs::remove_dir_all(path).is_ok() || fs::symlink_metadata(path).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    eprintln!(
        "warning: cannot remove {}: it may hold data, remove it by hand",
        path.display()
    );
}

/// Removes folders of executors that were killed: folders, no links, of this user, marked, and not in use.
fn remove_left_behind(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let named = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        if !named {
            continue;
        }
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
            continue;
        }
        let Ok(marker) = File::open(path.join(MARKER)) else {
            continue;
        };
        match marker.try_lock() {
            Ok(()) => {
                eprintln!(
                    "removing {}, which an executor left that was killed",
                    path.display()
                );
                remove_whole(&path);
            }
            // In use, or on a disk that knows no locks.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_folders_of_killed_executors_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let running = WorkFolder::create(parent.path(), "running").unwrap();
        let killed = parent.path().join("bauta-executor-killed");
        let unmarked = parent.path().join("bauta-executor-unmarked");
        let other = parent.path().join("other");
        for folder in [&killed, &unmarked, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("data"), "1").unwrap();
        }
        fs::write(killed.join(MARKER), "").unwrap();
        fs::write(other.join(MARKER), "").unwrap();
        std::os::unix::fs::symlink(&killed, parent.path().join("bauta-executor-link")).unwrap();

        let started = WorkFolder::create(parent.path(), "started").unwrap();
        assert!(!killed.exists());
        assert!(unmarked.join("data").exists() && other.join("data").exists());
        assert!(running.jobs().exists());

        let path = started.path.clone();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o700
        );
        drop(started);
        assert!(!path.exists());
    }
}
