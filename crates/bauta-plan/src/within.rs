//! Runs within a stated amount of memory: what does not fit lies in files that are removed in the end.

use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bauta_data::format::memory_needed;
use bauta_data::store::{BLOCK_RECORDS, CountsClasses, Leftover, Store, StoreLost};
use bauta_methods::MethodError;

use crate::error::RunError;
use crate::execute::RunOptions;
use crate::output::folder_of;
use crate::plan::{EngineSettings, Plan};
use crate::publish::Renderer;
use crate::record::{CountingRecord, RunRecord, StoreRecord};
use crate::run::run_in;
use crate::stages::RunWatch;

/// Bytes of memory that reading into a store takes, and writing from it.
const LEAST_MEMORY: u64 = 100_000_000;

/// Times the memory of reading a file that a run takes: what steps make of it, and what methods keep in mind.
const TIMES_READ: u64 = 2;

/// Whether work is done in memory on a file whose reading takes so many bytes. Less than [`LEAST_MEMORY`] a store takes for
/// itself: what is refused in memory is refused.
pub(crate) fn fits(memory: u64, needed: u64) -> bool {
    memory < LEAST_MEMORY || needed.saturating_mul(TIMES_READ) <= memory
}

/// How much memory a run may take, and where goes what does not fit.
#[derive(Clone)]
pub struct Limits {
    /// Bytes of memory; none where only the methods' own needs count.
    pub memory: Option<u64>,
    /// The folder in which the store is made.
    pub spill: PathBuf,
    /// Records of a block of the store.
    pub block_records: usize,
    /// Who counts classes of equal keys, if that is not the methods themselves.
    pub counter: Option<Arc<dyn CountsClasses>>,
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_struct("Limits").field("memory", &self.memory))
            .field("spill", &self.spill)
            .finish_non_exhaustive()
    }
}

impl Limits {
    /// So many bytes of memory, and a folder for the rest.
    pub fn new(memory: Option<u64>, spill: &Path) -> Self {
        Self {
            memory,
            spill: spill.to_owned(),
            block_records: BLOCK_RECORDS,
            counter: None,
        }
    }

    /// The limits of a plan, if its file does not fit into the memory that it may take, a folder for the rest is named, or
    /// somebody else counts.
    pub(crate) fn of(
        plan: &Plan,
        counter: Option<Arc<dyn CountsClasses>>,
    ) -> Result<Option<Self>, RunError> {
        let EngineSettings { memory, spill } = &plan.engine;
        let is_asked = memory.is_some() || spill.is_some() || counter.is_some();
        let Some(input) = plan.input.as_ref().filter(|_| is_asked) else {
            return Ok(None);
        };
        if let (Some(memory), None, None) = (*memory, spill, &counter) {
            let needed = memory_needed(&input.path, &plan.read)?;
            if fits(memory, needed) {
                return Ok(None);
            }
        }
        Ok(Some(Self {
            counter,
            ..Self::new(*memory, &spill_folder(plan, &input.path))
        }))
    }
}

/// Bytes that columns which are read at the same time may take of so many: half of them. The other half is for what methods
/// make of them, and for what they keep in mind meanwhile.
pub(crate) fn of_columns(memory: u64) -> u64 {
    memory / 2
}

/// The folder for what does not fit into memory: the one that is named, or that of the released file.
pub fn spill_folder(plan: &Plan, input: &Path) -> PathBuf {
    let release = plan.output.release.as_ref();
    let release = release.map(|release| release.file.path.as_path());
    let beside = || folder_of(release.unwrap_or(input)).to_owned();
    plan.engine.spill.clone().unwrap_or_else(beside)
}

/// Runs a plan within limits and writes its outputs, as [`run_in`] does in memory: the released file, the figures and the
/// notes are the same. Stores that killed runs left in the folder are removed.
pub fn run_within(
    plan: &Plan,
    options: RunOptions,
    limits: &Limits,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<RunRecord, RunError> {
    let Leftover { n_folders } = Store::remove_leftover(&limits.spill);
    let store = Store::with_blocks(&limits.spill, limits.block_records)?;
    if let Some(memory) = limits.memory {
        store.allow(of_columns(memory));
    }
    if let Some(counter) = &limits.counter {
        store.count_with(Arc::clone(counter));
    }
    let run = AssertUnwindSafe(|| run_in(plan, options, Some(&store), watch, renderer));
    match catch_unwind(run) {
        Ok(done) => done.map(|mut record| {
            if let Some(stored) = &mut record.times.store {
                stored.n_removed = n_folders as u64;
            }
            record
        }),
        Err(cause) => Err(RunError::Method {
            place: "the run".to_owned(),
            line: None,
            error: Box::new(error_of(cause)),
        }),
    }
}

/// What the record says of a store.
pub(crate) fn store_record(store: &Store, memory: Option<u64>) -> StoreRecord {
    let counting = store.count_account().map(|account| CountingRecord {
        by: account.by.to_owned(),
        version: account.version.to_owned(),
        partitions: account.partitions,
        bytes_handed_over: account.bytes_handed_over,
        bytes_spilled: account.bytes_spilled,
    });
    StoreRecord {
        bytes_written: store.bytes_written(),
        most_bytes: store.most_bytes(),
        memory,
        bytes_for_columns: Some(store.allowed()).filter(|&bytes| bytes < u64::MAX),
        counting,
        n_removed: 0,
    }
}

/// Does work that looks at columns of a store. Where these cannot be read, or need more memory than there may be, the
/// error says so.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, MethodError>) -> Result<T, MethodError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| Err(error_of(cause)))
}

/// What an unwinding thread carries, in words. A mistake of ours unwinds on.
pub(crate) fn error_of(cause: Box<dyn Any + Send>) -> MethodError {
    match cause.downcast::<StoreLost>() {
        Ok(lost) => match *lost {
            StoreLost::Memory { needed, allowed } => MethodError::Request {
                variable: None,
                message: format!(
                    "the variables that are looked at together need about {} MB of memory, and {} MB are allowed for them",
                    needed.div_ceil(1_000_000),
                    allowed / 1_000_000
                ),
                hint: "allow more with --memory (half of it is for variables), or look at fewer of them together"
                    .to_owned(),
            },
            StoreLost::Disk(error) if is_full(&error) => MethodError::Data {
                variable: None,
                row: None,
                message: "there is no room left in the folder for what does not fit into memory".to_owned(),
                hint: "make room, or name another folder: --spill DIR, or [engine] spill = \"DIR\"".to_owned(),
            },
            StoreLost::Disk(error) => MethodError::Data {
                variable: None,
                row: None,
                message: format!("what was put aside on the disk cannot be read again: {error}"),
                hint: "look after the disk, or name another folder: --spill DIR".to_owned(),
            },
        },
        // A mistake of ours, which is told where all are.
        Err(cause) => resume_unwind(cause),
    }
}

/// Whether an error says that the disk, or what somebody may have of it, is full.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
