//! One server for a folder, and one for each plan; and files that only their owner reads, which lie where they seem to.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::Path;

/// The name of a lock's file.
const LOCK: &str = "lock";

/// Held as long as somebody works here; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub(crate) enum NotLocked {
    /// Another process has it.
    Taken,
    /// The folder cannot be written to.
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock of a folder, which is made if it is not there.
    pub(crate) fn of(folder: &Path) -> Result<Self, NotLocked> {
        make_folder(folder).map_err(NotLocked::Failed)?;
        let file = own_file().open(folder.join(LOCK));
        let file = file.map_err(NotLocked::Failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(NotLocked::Taken),
            Err(TryLockError::Error(error)) => Err(NotLocked::Failed(error)),
        }
    }
}

/// Makes a folder that only its owner can open, beside what is there. A link is refused: somebody who sends a folder
/// could have prepared one, and what is kept would be written, or read, elsewhere.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if fs::symlink_metadata(folder)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{} is no folder of its own; take it away",
        folder.display()
    )))
}

/// How a file is opened that only its owner can read: made if it is not there, never emptied, never through a link.
pub(crate) fn own_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(no_links());
    }
    options
}

/// The content of a file that was kept, if it lies where it seems to.
pub(crate) fn read_own(file: &Path) -> io::Result<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_links());
    let mut opened = options.open(file)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other(format!("{} is no file", file.display())));
    }
    let mut text = String::new();
    opened.read_to_string(&mut text)?;
    Ok(text)
}

/// Fails where the last part of a path is a link; a pipe does not make anybody wait.
#[cfg(unix)]
fn no_links() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("history");
        let held = Lock::of(&place).unwrap();
        assert!(matches!(Lock::of(&place), Err(NotLocked::Taken)));
        drop(held);
        assert!(Lock::of(&place).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_open_the_folder() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("history");
        let _held = Lock::of(&place).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&place), 0o700);
        assert_eq!(mode(&place.join(LOCK)), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_a_link_is_neither_read_nor_written() {
        use std::os::unix::fs::symlink;
        let all = tempfile::tempdir().unwrap();
        let (secret, outside) = (all.path().join("secret"), all.path().join("outside"));
        fs::write(&secret, "content").unwrap();
        fs::create_dir(&outside).unwrap();
        let (file, folder) = (all.path().join("file"), all.path().join("folder"));
        symlink(&secret, &file).unwrap();
        symlink(&outside, &folder).unwrap();
        assert!(own_file().open(&file).is_err());
        assert!(read_own(&file).is_err());
        assert!(make_folder(&folder).is_err());
        assert!(matches!(Lock::of(&folder), Err(NotLocked::Failed(_))));
        assert_eq!(fs::read_to_string(&secret).unwrap(), "content");
        assert_eq!(read_own(&secret).unwrap(), "content");
    }
}
