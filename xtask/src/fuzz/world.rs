//! What a case is run in: folders that nobody else sees, threads, and someone who watches the time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use bauta_data::Watch;
use bauta_plan::run::RunWatch;
use rayon::ThreadPool;
use tempfile::TempDir;

/// What a case is run in.
pub(crate) struct World {
    folder: TempDir,
    one_thread: ThreadPool,
    several_threads: ThreadPool,
    /// The command `bauta`, where cases need it.
    pub(crate) bauta: Option<PathBuf>,
    /// The seed of the run.
    pub(crate) seed: u64,
}

/// How many threads a second run has another number of.
const SEVERAL: usize = 3;

/// Set when the case that runs has used up its time.
static TIME_IS_UP: AtomicBool = AtomicBool::new(false);

/// Someone who stops work that takes too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience;

impl Patience {
    /// Gives the next case all its time.
    pub(crate) fn renew() {
        TIME_IS_UP.store(false, Ordering::Relaxed);
    }

    /// Ends the time of the case that runs.
    pub(crate) fn end() {
        TIME_IS_UP.store(true, Ordering::Relaxed);
    }

    /// Whether the time is up.
    pub(crate) fn is_at_end() -> bool {
        TIME_IS_UP.load(Ordering::Relaxed)
    }
}

impl Watch for Patience {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        Self::is_at_end()
    }
}

impl RunWatch for Patience {
    fn stage(&self, _name: &str, _number: usize, _total: usize) {}
}

impl World {
    /// A world of its own.
    pub(crate) fn new(seed: u64) -> Result<Self, String> {
        let threads = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build();
        let shown = |error: &dyn std::error::Error| format!("the world cannot be made: {error}");
        // Publishing makes every file durable, which memory is faster at than a disk.
        let memory = Path::new("/dev/shm");
        let folder = match tempfile::tempdir_in(memory) {
            Ok(folder) => folder,
            Err(_) => tempfile::tempdir().map_err(|error| shown(&error))?,
        };
        let beside = std::env::current_exe().ok();
        let beside = beside.and_then(|program| Some(program.parent()?.join(BAUTA)));
        Ok(Self {
            folder,
            one_thread: threads(1).map_err(|error| shown(&error))?,
            several_threads: threads(SEVERAL).map_err(|error| shown(&error))?,
            bauta: beside.filter(|program| program.is_file()),
            seed,
        })
    }

    /// An empty folder, gone when it is dropped.
    pub(crate) fn empty_folder(&self) -> TempDir {
        tempfile::tempdir_in(self.folder.path()).expect("a folder in memory")
    }

    /// Works on one thread.
    pub(crate) fn on_one<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.one_thread.install(work)
    }

    /// Works on several threads.
    pub(crate) fn on_several<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.several_threads.install(work)
    }
}

/// The command's file.
const BAUTA: &str = if cfg!(windows) { "bauta.exe" } else { "bauta" };
