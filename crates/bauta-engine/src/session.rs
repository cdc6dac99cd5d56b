//! The door to DataFusion: a memory limit, a folder for what does not fit, threads of its own, and calls that wait.

use std::fmt;
use std::fs::{DirBuilder, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arrow_array::RecordBatch;
use bauta_data::Watch;
use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use futures::StreamExt;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use bauta_data::store::{ENGINE_PREFIX, LOCK};

use crate::error::{EngineError, Place};
use crate::pool::RoomForMerges;

/// What a session on this machine may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of memory; without a limit, whatever there is.
    pub memory: Option<u64>,
    /// The folder for what does not fit. It is made if it is not there; the session keeps its files in a folder of its
    /// own inside, which only the owner can open and which goes when the session ends.
    pub spill: PathBuf,
    /// Pieces that are worked on at a time, each on a thread; 0 is taken as 1.
    pub partitions: usize,
}

/// Counts and sorts records that need not fit into memory. Calls wait until the work is done, and may come from several
/// threads; not from within an asynchronous task.
pub struct Session {
    // Fields go in this order: threads first, then what they use, then the files.
    runtime: Runtime,
    context: SessionContext,
    memory: Option<u64>,
    spilled: AtomicU64,
    spill: Option<Spill>,
}

/// Where a session keeps what does not fit.
#[derive(Debug)]
struct Spill {
    /// The folder that was named.
    named: PathBuf,
    /// The session's own inside.
    _own: TempDir,
    /// Locked for as long as the session lasts.
    _lock: File,
}

/// The part of the limit that DataFusion shares out, as (part, of). It is no hard cap: what is read from files and what
/// goes from one operator to the next is not counted.
const POOL: (u64, u64) = (3, 4);

/// The part of the limit that classes may fill which are wanted all at once.
const CLASSES: (u64, u64) = (1, 4);

/// How long the watcher may wait for an answer while no batch comes.
const TICK: Duration = Duration::from_millis(20);

/// DataFusion plans by recursion, and Ballista asks for much more than the usual two megabytes.
const STACK: usize = 16 << 20;

impl Session {
    /// A session on this machine.
    pub fn local(limits: &Limits) -> Result<Self, EngineError> {
        Self::local_with(limits, u64::MAX)
    }

    /// The same with a limit for the folder, as tests of a full disk need.
    fn local_with(limits: &Limits, largest_spill: u64) -> Result<Self, EngineError> {
        let place = Place {
            memory: limits.memory,
            spill: Some(&limits.spill),
        };
        let (own, lock) = owner_only_folder(&limits.spill)
            .map_err(|error| place.of_writing(&limits.spill, error))?;
        let partitions = limits.partitions.max(1);
        let pool = limits.memory.map(|limit| share(limit, POOL));
        let disk: DiskManagerBuilder = DiskManager::builder()
            .with_mode(DiskManagerMode::Directories(vec![own.path().to_owned()]))
            .with_max_temp_directory_size(largest_spill);
        let mut environment = RuntimeEnvBuilder::new()
            .with_disk_manager_builder(disk)
            // Parts are named one by one; a list from before would only be stale.
            .with_object_list_cache_limit(0);
        if let Some(pool) = pool {
            environment = environment.with_memory_pool(Arc::new(RoomForMerges::new(pool as usize)));
        }
        let environment = environment
            .build_arc()
            .map_err(|error| place.of_planning(&error))?;
        let context =
            SessionContext::new_with_config_rt(configuration(partitions, pool), environment);
        let runtime = runtime(partitions)?;
        Ok(Self {
            runtime,
            context,
            memory: limits.memory,
            spilled: AtomicU64::new(0),
            spill: Some(Spill {
                named: limits.spill.clone(),
                _own: own,
                _lock: lock,
            }),
        })
    }

    /// A session with a context that somebody else made, such as that of a cluster: its limits hold.
    pub fn of(context: SessionContext) -> Result<Self, EngineError> {
        let runtime = runtime(context.copied_config().target_partitions())?;
        Ok(Self::with_runtime(runtime, context))
    }

    /// The same for a context that is made by asynchronous work, such as a connection, on the session's own threads:
    /// `threads` of them.
    pub fn connected<E: From<EngineError>>(
        threads: usize,
        connect: impl Future<Output = Result<SessionContext, E>>,
    ) -> Result<Self, E> {
        let runtime = runtime(threads)?;
        let context = runtime.block_on(connect)?;
        Ok(Self::with_runtime(runtime, context))
    }

    fn with_runtime(runtime: Runtime, context: SessionContext) -> Self {
        Self {
            runtime,
            context,
            memory: None,
            spilled: AtomicU64::new(0),
            spill: None,
        }
    }

    /// The context of DataFusion underneath.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Bytes that were written to the disk so far because they did not fit into memory. Those of executors elsewhere are
    /// not known here.
    pub fn spilled(&self) -> u64 {
        self.spilled.load(Ordering::Relaxed)
    }

    /// Pieces that a session on this machine works on at a time.
    pub fn partitions(&self) -> Option<usize> {
        let here = self.spill.is_some();
        here.then(|| self.context.copied_config().target_partitions())
    }

    /// The memory limit of a session on this machine.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Bytes that classes may take which are wanted all at once.
    pub(crate) fn for_classes(&self) -> Option<u64> {
        self.memory.map(|limit| share(limit, CLASSES))
    }

    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            memory: self.memory,
            spill: self.spill.as_ref().map(|spill| spill.named.as_path()),
        }
    }

    /// Carries a plan out and gives its batches, one after the other, to `each`. An error of `each`, or the wish of who
    /// watches, ends the work.
    pub(crate) fn run(
        &self,
        frame: DataFrame,
        n_records: u64,
        watch: &dyn Watch,
        mut each: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let plan = self.planned(frame)?;
        let outcome = self.runtime.block_on(async {
            let tasks = self.context.task_ctx();
            let mut stream = execute_stream(Arc::clone(&plan), tasks)
                .map_err(|error| self.place().of_work(&error))?;
            while let Some(batch) = self.next(&mut stream, &plan, n_records, watch).await? {
                each(&batch)?;
            }
            Ok(())
        });
        self.spilled.fetch_add(spilled(&*plan), Ordering::Relaxed);
        outcome
    }

    /// The next batch. Who watches is told how far it is and asked whether to go on, also while none comes.
    async fn next(
        &self,
        stream: &mut SendableRecordBatchStream,
        plan: &Arc<dyn ExecutionPlan>,
        n_records: u64,
        watch: &dyn Watch,
    ) -> Result<Option<RecordBatch>, EngineError> {
        loop {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            match timeout(TICK, stream.next()).await {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(batch))) => return Ok(Some(batch)),
                Ok(Some(Err(error))) => return Err(self.place().of_work(&error)),
                Err(_) => watch.progress(n_read(&**plan).min(n_records), n_records),
            }
        }
    }

    /// The physical plan, made on a thread with a large stack.
    fn planned(&self, frame: DataFrame) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        let planning = self
            .runtime
            .spawn(async move { frame.create_physical_plan().await });
        match self.runtime.block_on(planning) {
            Ok(planned) => planned.map_err(|error| self.place().of_planning(&error)),
            Err(_) => Err(EngineError::Internal("planning stopped".to_owned())),
        }
    }

    /// An error while a plan is put together.
    pub(crate) fn unplanned(&self) -> impl Fn(DataFusionError) -> EngineError {
        |error| self.place().of_planning(&error)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("memory", &self.memory)
            .field("spill", &self.spill)
            .field("spilled", &self.spilled)
            .finish_non_exhaustive()
    }
}

/// Threads for the work.
fn runtime(threads: usize) -> Result<Runtime, EngineError> {
    Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .thread_name("bauta-engine")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| EngineError::Internal(format!("no threads could be started: {error}")))
}

/// How DataFusion divides work and memory.
fn configuration(partitions: usize, pool: Option<u64>) -> SessionConfig {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    let options = config.options_mut();
    // Texts come out in the type in which they were written.
    options.execution.parquet.schema_force_view_types = false;
    if let Some(pool) = pool {
        // A piece must hold several batches, and keep a reserve to merge what it spilled.
        let piece = pool / partitions as u64;
        options.execution.sort_spill_reservation_bytes = (piece / 8).min(10 << 20) as usize;
        options.execution.sort_in_place_threshold_bytes = (piece / 16).min(1 << 20) as usize;
        config = config.with_batch_size((piece / 8192).clamp(64, 8192) as usize);
    }
    config
}

fn share(limit: u64, (part, of): (u64, u64)) -> u64 {
    limit / of * part
}

/// A folder of our own inside of one that is made if need be; only the owner can open either. Its lock says that it is in
/// use: what a killed process left is removed by whoever finds it unlocked.
fn owner_only_folder(named: &Path) -> std::io::Result<(TempDir, File)> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(named)?;
    let mut own = tempfile::Builder::new();
    own.prefix(ENGINE_PREFIX);
    #[cfg(unix)]
    own.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let own = own.tempdir_in(named)?;
    let lock = File::create_new(own.path().join(LOCK))?;
    lock.lock()?;
    Ok((own, lock))
}

/// Bytes that a plan wrote to the disk because they did not fit.
fn spilled(plan: &dyn ExecutionPlan) -> u64 {
    let own = plan.metrics().and_then(|metrics| metrics.spilled_bytes());
    let below = plan.children().into_iter().map(|child| spilled(&**child));
    own.unwrap_or(0) as u64 + below.sum::<u64>()
}

/// Records that a plan has read.
fn n_read(plan: &dyn ExecutionPlan) -> u64 {
    let children = plan.children();
    if children.is_empty() {
        let rows = plan.metrics().and_then(|metrics| metrics.output_rows());
        return rows.unwrap_or(0) as u64;
    }
    children.into_iter().map(|child| n_read(&**child)).sum()
}

#[cfg(test)]
mod tests {
    use arrow_array::UInt32Array;
    use bauta_data::Unwatched;
    use tempfile::tempdir;

    use super::*;
    use crate::{Layout, PartsWriter};

    #[test]
    fn a_spill_folder_that_may_not_grow_is_a_full_disk() {
        let folder = tempdir().unwrap();
        let row: UInt32Array = (0..50_000).rev().collect();
        let batch = RecordBatch::try_from_iter([("row", Arc::new(row) as _)]).unwrap();
        let schema = batch.schema();
        let mut writer = PartsWriter::new(folder.path(), schema, Layout::default());
        writer.write(&batch).unwrap();
        let parts = writer.finish().unwrap();
        let limits = Limits {
            memory: Some(1_000_000),
            spill: folder.path().join("spill"),
            partitions: 2,
        };
        let sort =
            |session: &Session| session.sorted(&parts, &[], &["row"], &Unwatched, |_| Ok(()));
        let small = Session::local_with(&limits, 10_000).unwrap();
        let error = sort(&small).unwrap_err();
        assert!(
            matches!(&error, EngineError::DiskFull { folder: Some(folder) } if *folder == limits.spill),
            "{error}"
        );
        let large = Session::local(&limits).unwrap();
        sort(&large).unwrap();
        assert!(large.spilled() > 0);
    }
}
