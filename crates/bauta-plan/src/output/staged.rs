//! A file that is being written and has not got its name.
//!
//! On Linux it has no name at all until its publication is committed, so that a killed process leaves
//! nothing of it; elsewhere, and where the system does not know such files, it is a hidden file beside
//! its target.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bauta_data::DataError;

use super::Access;
use super::fail_point::fail_point;
use crate::recount::Written;

/// A file that is being written.
pub(crate) struct Staged {
    target: PathBuf,
    /// The hidden name that it gets before its own.
    part: PathBuf,
    access: Access,
    file: File,
    /// Whether the hidden name is there.
    is_linked: bool,
    /// Its hash, once it is complete.
    sha256: Option<String>,
}

impl Staged {
    /// Starts a file that is to get the name `target`; `part` is a name beside it that nothing has.
    pub(super) fn start(target: &Path, part: PathBuf, access: Access) -> Result<Self, DataError> {
        fail_point();
        let started = open(&part, access);
        let (file, is_linked) =
            started.map_err(|error| DataError::io(target, "write there", &error))?;
        Ok(Self {
            target: target.to_owned(),
            part,
            access,
            file,
            is_linked,
            sha256: None,
        })
    }

    /// Writes through a buffer.
    pub(crate) fn write_with<T>(
        &mut self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, DataError>,
    ) -> Result<T, DataError> {
        fail_point();
        let mut buffered = BufWriter::with_capacity(1 << 18, &self.file);
        let written = write(&mut buffered)?;
        buffered
            .flush()
            .map_err(|error| DataError::io(&self.target, "write", &error))?;
        Ok(written)
    }

    /// Makes the content, which has this hash, durable; the last thing that can fail for want of space.
    pub(crate) fn finish(&mut self, sha256: &str) -> Result<(), DataError> {
        fail_point();
        self.file
            .sync_all()
            .map_err(|error| DataError::io(&self.target, "write", &error))?;
        self.sha256 = Some(sha256.to_owned());
        Ok(())
    }

    /// The name that it is to get.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The hidden name.
    pub(super) fn part(&self) -> &Path {
        &self.part
    }

    /// The hash of its content; none if it was never completed.
    pub(super) fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    /// Gives it its hidden name, if it has not got it yet.
    pub(super) fn link(&mut self) -> Result<(), DataError> {
        if !self.is_linked {
            fail_point();
            self.link_unnamed()
                .map_err(|error| DataError::io(&self.target, "name the finished file", &error))?;
            self.is_linked = true;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn link_unnamed(&mut self) -> io::Result<()> {
        use rustix::fs::{AtFlags, CWD, linkat};
        use std::os::fd::AsRawFd as _;
        let opened = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let linked = linkat(
            CWD,
            opened.as_str(),
            CWD,
            &self.part,
            AtFlags::SYMLINK_FOLLOW,
        );
        // Without /proc a file without a name cannot get one: its content gets a file with a name.
        linked.or_else(|_| self.copy_to_part())
    }

    #[cfg(not(target_os = "linux"))]
    fn link_unnamed(&mut self) -> io::Result<()> {
        self.copy_to_part()
    }

    fn copy_to_part(&mut self) -> io::Result<()> {
        let mut copy = open_hidden(&self.part, self.access)?;
        self.is_linked = true;
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, &mut copy)?;
        copy.sync_all()
    }

    /// It has its name: nothing is to be cleared up any more.
    pub(super) fn is_named(&mut self) {
        self.is_linked = false;
    }
}

impl Written for Staged {
    /// What was written so far, read from the file.
    fn reader(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(Box::new(file))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.is_linked {
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// A file without a name where the system has such, or a hidden one; and whether it is hidden.
fn open(part: &Path, access: Access) -> io::Result<(File, bool)> {
    #[cfg(target_os = "linux")]
    if Path::new("/proc/self/fd").is_dir()
        && let Ok(file) = open_unnamed(super::folder_of(part), access)
    {
        return Ok((file, false));
    }
    Ok((open_hidden(part, access)?, true))
}

#[cfg(target_os = "linux")]
fn open_unnamed(folder: &Path, access: Access) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(access.mode()))?;
    Ok(File::from(file))
}

/// A new file of this name.
pub(super) fn open_hidden(path: &Path, access: Access) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(access.mode());
    }
    #[cfg(not(unix))]
    let _ = access;
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unnamed_file_and_a_hidden_one_come_to_the_same() {
        let folder = tempfile::tempdir().unwrap();
        for is_hidden in [false, true] {
            let part = folder.path().join(format!(".part-{is_hidden}"));
            let target = folder.path().join("out");
            let mut staged = Staged::start(&target, part.clone(), Access::OwnerOnly).unwrap();
            if is_hidden {
                // As on a system without files that have no name, or without /proc.
                staged.file = open_hidden(&part, Access::OwnerOnly).unwrap();
                staged.is_linked = true;
            }
            let written = staged.write_with(|out| {
                out.write_all(b"whole").unwrap();
                Ok(())
            });
            written.unwrap();
            staged.link().unwrap();
            assert_eq!(std::fs::read(&part).unwrap(), b"whole");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = std::fs::metadata(&part).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
            drop(staged);
            assert!(!part.exists());
        }
    }

    #[test]
    fn content_that_cannot_be_linked_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join(".part");
        let target = folder.path().join("out");
        let mut staged = Staged::start(&target, part.clone(), Access::Usual).unwrap();
        let written = staged.write_with(|out| {
            out.write_all(b"content").unwrap();
            Ok(())
        });
        written.unwrap();
        staged.copy_to_part().unwrap();
        assert_eq!(std::fs::read(&part).unwrap(), b"content");
        drop(staged);
        assert!(!part.exists());
    }
}
