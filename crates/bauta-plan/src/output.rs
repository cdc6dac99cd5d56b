//! Files that appear whole or not at all.
//!
//! A file is written where nobody sees it and given its name when it is complete. On Linux it has
//! no name at all until then, so that even a killed process leaves nothing behind; elsewhere it is
//! a hidden temporary file beside its target.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bauta_data::{DataError, DataProblem};

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

/// A file that is being written and has not got its name.
pub(crate) struct Staged {
    target: PathBuf,
    file: Place,
}

enum Place {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Hidden(tempfile::NamedTempFile),
}

impl Staged {
    /// Starts a file that is to get the name `target`.
    pub(crate) fn new(target: &Path, access: Access) -> Result<Self, DataError> {
        if target.is_dir() {
            let problem =
                DataProblem::file("there is a folder of this name", "choose another name");
            return Err(DataError::one(target, problem));
        }
        let folder = folder_of(target);
        let file =
            start(folder, access).map_err(|error| DataError::io(target, "write there", &error))?;
        Ok(Self {
            target: target.to_owned(),
            file,
        })
    }

    /// Writes through a buffer.
    pub(crate) fn write_with<T>(
        &mut self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, DataError>,
    ) -> Result<T, DataError> {
        let mut buffered = BufWriter::with_capacity(1 << 18, self.file.as_file());
        let written = write(&mut buffered)?;
        buffered
            .flush()
            .map_err(|error| DataError::io(&self.target, "write", &error))?;
        Ok(written)
    }

    /// What was written so far, read from the file.
    pub(crate) fn read_back(&self) -> Result<Vec<u8>, DataError> {
        let mut file = self.file.as_file();
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|error| DataError::io(&self.target, "read back", &error))?;
        Ok(bytes)
    }

    /// Makes the content durable; the last thing that can fail for want of space.
    pub(crate) fn finish(&self) -> Result<(), DataError> {
        self.file
            .as_file()
            .sync_all()
            .map_err(|error| DataError::io(&self.target, "write", &error))
    }

    /// Gives the file its name, in place of a file that had it.
    pub(crate) fn publish(self) -> Result<(), DataError> {
        let result = match self.file {
            #[cfg(target_os = "linux")]
            Place::Unnamed(file) => name_unnamed(&file, &self.target),
            Place::Hidden(file) => file
                .persist(&self.target)
                .map(drop)
                .map_err(|error| error.error),
        };
        result.map_err(|error| DataError::io(&self.target, "name the finished file", &error))
    }
}

impl Place {
    fn as_file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Hidden(file) => file.as_file(),
        }
    }
}

fn start(folder: &Path, access: Access) -> io::Result<Place> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = start_unnamed(folder, access) {
        return Ok(Place::Unnamed(file));
    }
    start_hidden(folder, access)
}

fn start_hidden(folder: &Path, access: Access) -> io::Result<Place> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bauta-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(access.mode()));
    }
    builder.tempfile_in(folder).map(Place::Hidden)
}

#[cfg(target_os = "linux")]
fn start_unnamed(folder: &Path, access: Access) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(access.mode()))?;
    Ok(File::from(file))
}

/// Links the file under a hidden name and renames it: a link cannot replace an existing file.
#[cfg(target_os = "linux")]
fn name_unnamed(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let hidden = folder_of(target).join(format!(".bauta-{}-{name}", std::process::id()));
    linkat(CWD, opened.as_str(), CWD, &hidden, AtFlags::SYMLINK_FOLLOW)?;
    std::fs::rename(&hidden, target).inspect_err(|_| {
        // The rename failed; do not leave the hidden name behind.
        let _ = std::fs::remove_file(&hidden);
    })
}

/// Writes a whole file at once: staged, made durable and named.
pub fn write_file(target: &Path, content: &[u8], access: Access) -> Result<(), DataError> {
    write_files(&[(target.to_owned(), content)], access)
}

/// Writes several files: none of them gets its name before all are complete and durable.
pub fn write_files(files: &[(PathBuf, &[u8])], access: Access) -> Result<(), DataError> {
    let mut all = Vec::with_capacity(files.len());
    for (target, content) in files {
        let mut staged = Staged::new(target, access)?;
        staged.write_with(|out| {
            out.write_all(content)
                .map_err(|error| DataError::io(target, "write", &error))
        })?;
        staged.finish()?;
        all.push(staged);
    }
    all.into_iter().try_for_each(Staged::publish)
}

/// The folder that a plan's paths are relative to.
pub fn folder_of(plan_file: &Path) -> &Path {
    plan_file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn nothing_is_there_until_the_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        let mut staged = Staged::new(&target, Access::Usual).unwrap();
        staged
            .write_with(|out| {
                let _: () = out.write_all(b"half").unwrap();
                Ok(())
            })
            .unwrap();
        assert!(!target.exists());
        #[cfg(target_os = "linux")]
        assert_eq!(names(folder.path()), Vec::<String>::new());
        staged.finish().unwrap();
        staged.publish().unwrap();
        assert_eq!(names(folder.path()), ["out.csv"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"half");
    }

    #[test]
    fn an_older_file_is_replaced_and_a_dropped_one_leaves_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        write_file(&target, b"old", Access::Usual).unwrap();
        drop(Staged::new(&target, Access::Usual).unwrap());
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        write_file(&target, b"new", Access::Usual).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn the_hidden_way_gives_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        let mut staged = Staged {
            target: target.clone(),
            file: start_hidden(folder.path(), Access::Usual).unwrap(),
        };
        staged
            .write_with(|out| {
                let _: () = out.write_all(b"whole").unwrap();
                Ok(())
            })
            .unwrap();
        staged.finish().unwrap();
        staged.publish().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn a_missing_folder_is_an_error_with_its_name() {
        let error =
            write_file(Path::new("no/such/folder/out.csv"), b"", Access::Usual).unwrap_err();
        assert!(error.to_string().contains("out.csv"));
    }

    #[cfg(unix)]
    #[test]
    fn confidential_files_are_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        for (name, start) in [
            ("unnamed", start as fn(&Path, Access) -> _),
            ("hidden", start_hidden),
        ] {
            let target = folder.path().join(name);
            let staged = Staged {
                target: target.clone(),
                file: start(folder.path(), Access::OwnerOnly).unwrap(),
            };
            staged.publish().unwrap();
            let mode = std::fs::metadata(&target).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
