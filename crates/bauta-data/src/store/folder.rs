//! The folder of a store: made for its owner alone, locked while it is in use, removed with its last column.

use std::fmt;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::column_file::{ColumnWriter, Frame};
use super::counting::{CountAccount, CountsClasses};
use super::{BLOCK_RECORDS, StoreLost};
use crate::column::{Column, Content};
use crate::problem::{DataError, DataErrorKind, DataProblem};
use crate::table::Table;

/// What the folders of stores are called, before a number of their own.
const PREFIX: &str = "bauta-store-";
/// The same until they are locked.
const NEW_PREFIX: &str = "bauta-new-";
/// What the folders are called in which an engine puts aside what does not fit.
pub const ENGINE_PREFIX: &str = "bauta-engine-";
/// The file whose lock says that somebody uses the folder.
pub const LOCK: &str = "lock";

/// A folder for the columns of one run. It is removed when the store and all its columns are gone.
#[derive(Clone, Debug)]
pub struct Store(Arc<Folder>);

pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) block_records: usize,
    /// Locked for as long as the store is in use.
    _lock: File,
    n_files: AtomicU64,
    n_bytes: AtomicU64,
    n_bytes_now: AtomicU64,
    most_bytes: AtomicU64,
    /// Bytes of memory that columns which were read take now, and may take.
    n_held: AtomicU64,
    most_held: AtomicU64,
    pub(super) counting: OnceLock<Arc<dyn CountsClasses>>,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        f.debug_struct("Folder")
            .field("path", path)
            .finish_non_exhaustive()
    }
}

/// Memory of a column that was read, until it is given back.
pub(crate) struct Held {
    folder: Arc<Folder>,
    n_bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.folder
            .n_held
            .fetch_sub(self.n_bytes, Ordering::Relaxed);
    }
}

/// What a run that was killed had left, and is gone now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Leftover {
    /// Folders of stores.
    pub n_folders: usize,
}

/// Numbers of the stores of this process.
static N_STORES: AtomicU32 = AtomicU32::new(0);

impl Store {
    /// Makes a store in a folder, which must be there.
    pub fn create(parent: &Path) -> Result<Self, DataError> {
        Self::with_blocks(parent, BLOCK_RECORDS)
    }

    /// The same with blocks of so many records.
    pub fn with_blocks(parent: &Path, block_records: usize) -> Result<Self, DataError> {
        Self::check_folder(parent)?;
        let made = made_in(parent);
        let (path, lock) =
            made.map_err(|error| DataError::io(parent, "make a store in", &error))?;
        Ok(Self(Arc::new(Folder {
            path,
            block_records: block_records.max(1),
            _lock: lock,
            n_files: AtomicU64::new(0),
            n_bytes: AtomicU64::new(0),
            n_bytes_now: AtomicU64::new(0),
            most_bytes: AtomicU64::new(0),
            n_held: AtomicU64::new(0),
            most_held: AtomicU64::new(u64::MAX),
            counting: OnceLock::new(),
        })))
    }

    /// Refuses what is no folder.
    pub fn check_folder(parent: &Path) -> Result<(), DataError> {
        if parent.is_dir() {
            return Ok(());
        }
        let problem = DataProblem::file("is no folder", "name a folder that is there");
        Err(DataError {
            kind: DataErrorKind::Io,
            ..DataError::one(parent, problem)
        })
    }

    /// Removes what killed runs left in a folder: stores that nobody uses.
    pub fn remove_leftover(parent: &Path) -> Leftover {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        let n_folders = entries.filter(|entry| is_leftover(&entry.path())).count();
        Leftover { n_folders }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// From here on, columns that are read at the same time take so many bytes of memory at the most; more end the work
    /// with [`StoreLost::Memory`](super::StoreLost).
    pub fn allow(&self, n_bytes: u64) {
        self.0.most_held.store(n_bytes, Ordering::Relaxed);
    }

    /// Bytes that columns which are read at the same time may take.
    pub fn allowed(&self) -> u64 {
        self.0.most_held.load(Ordering::Relaxed)
    }

    /// From here on, classes of equal keys are counted by somebody else. Who counts is said once.
    pub fn count_with(&self, counter: Arc<dyn CountsClasses>) {
        let _ = self.0.counting.set(counter);
    }

    /// Who counts classes, if that is somebody else, and what was done for it.
    pub fn count_account(&self) -> Option<CountAccount> {
        self.0.counting.get()?.account()
    }

    /// Records of a block.
    pub fn block_records(&self) -> usize {
        self.0.block_records
    }

    /// Bytes that were written to it so far.
    pub fn bytes_written(&self) -> u64 {
        self.0.n_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that it held at the most.
    pub fn most_bytes(&self) -> u64 {
        self.0.most_bytes.load(Ordering::Relaxed)
    }

    /// The same column, with its cells in a file of the store. One that is in a store stays where it is.
    pub fn put(&self, column: &Column) -> Result<Column, DataError> {
        let Some(content) = column.in_memory() else {
            // Not what was read of it: that is given back with whoever looked.
            return Ok(column.view().unwrap_or_else(|| column.clone()));
        };
        let moved = self.moved_content(column, content);
        moved.map_err(|error| self.failed(&error))
    }

    /// The same for those who tell of failures by themselves.
    pub(crate) fn moved(&self, column: &Column) -> io::Result<Column> {
        match column.in_memory() {
            Some(content) => self.moved_content(column, content),
            None => Ok(column.view().unwrap_or_else(|| column.clone())),
        }
    }

    fn moved_content(&self, column: &Column, content: &Content) -> io::Result<Column> {
        let mut writer = self.writer()?;
        writer.put_content(content)?;
        Ok(column.moved_to(writer.finish(Frame::of(content))))
    }

    /// The same table with all its columns in the store.
    pub fn put_table(&self, table: &Table) -> Result<Table, DataError> {
        let mut stored = table.clone();
        for (attr_idx, column) in table.columns().iter().enumerate() {
            if !column.is_stored() {
                stored = stored.with_column(attr_idx, self.put(column)?);
            }
        }
        Ok(stored)
    }

    /// A file for a column.
    pub(crate) fn writer(&self) -> io::Result<ColumnWriter> {
        Folder::writer(&self.0)
    }

    /// What an error while writing says, to people.
    pub(crate) fn failed(&self, error: &io::Error) -> DataError {
        let folder = self.0.path.parent().unwrap_or(&self.0.path);
        let is_full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        if is_full.contains(&error.kind()) {
            let problem = DataProblem::file(
                "there is no room left in the folder for what does not fit into memory",
                "make room, or name another folder: --spill DIR, or [engine] spill = \"DIR\"",
            );
            return DataError {
                kind: DataErrorKind::Io,
                ..DataError::one(folder, problem)
            };
        }
        DataError::io(folder, "write to", error)
    }
}

impl Folder {
    /// A file for a column.
    pub(super) fn writer(self: &Arc<Self>) -> io::Result<ColumnWriter> {
        let number = self.n_files.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{number}.cells"));
        File::create_new(&path)?;
        Ok(ColumnWriter::new(Arc::clone(self), path))
    }

    /// Bytes that columns may still take.
    pub(super) fn room(&self) -> u64 {
        let allowed = self.most_held.load(Ordering::Relaxed);
        allowed.saturating_sub(self.n_held.load(Ordering::Relaxed))
    }

    /// Counts the memory of a column that is about to be read.
    pub(super) fn hold(self: &Arc<Self>, n_bytes: u64) -> Result<Held, StoreLost> {
        let needed = self.n_held.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
        let held = Held {
            folder: Arc::clone(self),
            n_bytes,
        };
        let allowed = self.most_held.load(Ordering::Relaxed);
        if needed > allowed {
            return Err(StoreLost::Memory { needed, allowed });
        }
        Ok(held)
    }

    /// Notes that a file became longer.
    pub(super) fn grew(&self, n_bytes: u64) {
        self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        let now = self.n_bytes_now.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
        self.most_bytes.fetch_max(now, Ordering::Relaxed);
    }

    /// Notes that a file is gone.
    pub(super) fn shrank(&self, n_bytes: u64) {
        self.n_bytes_now.fetch_sub(n_bytes, Ordering::Relaxed);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left who could be told; the next run removes what stays.
        let _ = remove(&self.path);
    }
}

/// Makes a folder that is locked before anybody can take it for one that was left behind.
fn made_in(parent: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let number = N_STORES.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let new = parent.join(format!("{NEW_PREFIX}{name}"));
        let path = parent.join(format!("{PREFIX}{name}"));
        match owner_only().create(&new) {
            Ok(()) => {}
            // Left by a process of the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        let locked = File::create_new(new.join(LOCK)).and_then(|lock| {
            lock.lock()?;
            Ok(lock)
        });
        let named = locked.and_then(|lock| {
            if path.exists() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::rename(&new, &path)?;
            Ok(lock)
        });
        match named {
            Ok(lock) => return Ok((path, lock)),
            Err(error) => {
                let _ = remove(&new);
                let is_taken = [
                    io::ErrorKind::AlreadyExists,
                    io::ErrorKind::DirectoryNotEmpty,
                    // Somebody took it for one that was left behind before it was locked.
                    io::ErrorKind::NotFound,
                ];
                if !is_taken.contains(&error.kind()) {
                    return Err(error);
                }
            }
        }
    }
}

/// Removes a store: its lock last, because what has none looks like nobody's.
fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten() {
        if entry.file_name() != LOCK {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
    }
    fs::remove_dir_all(path)
}

/// Makes folders that their owner alone can look into.
fn owner_only() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are those of Unix"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder
}

/// Removes a folder if it is a store that nobody uses, and says whether it did.
fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_of = |prefix: &&str| name.is_some_and(|name| name.starts_with(*prefix));
    let is_store = [PREFIX, NEW_PREFIX, ENGINE_PREFIX].iter().any(is_of);
    // A link is nobody's store.
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if !is_store || !is_folder {
        return false;
    }
    let Ok(lock) = File::open(path.join(LOCK)) else {
        // A store has its name from when it is locked, and loses its lock last.
        return is_of(&PREFIX) && !path.join(LOCK).exists() && remove(path).is_ok();
    };
    match lock.try_lock() {
        Ok(()) => remove(path).is_ok(),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}
