//! A query on the cluster: sent, watched, read, and forgotten there as soon as it is read or dropped.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::JobId;
use ballista_core::config::BallistaConfig;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::planner::BallistaQueryPlanner;
use ballista_core::serde::BallistaLogicalExtensionCodec;
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, stream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tonic::transport::Channel;

use crate::ClusterError;
use crate::failure::{explained, is_loss};
use crate::files::Files;
use crate::presence::{self, FORGET};

/// Pauses before a query is sent again, after executors that worked on it or the scheduler were lost.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];
/// A result is held back until it is here as a whole, or up to so many bytes of it: as long as nobody has seen any of it,
/// the query can be sent again.
const HELD_BACK: usize = 64 << 20;

type Distributed = DistributedQueryExec<LogicalPlanNode>;

/// Plans queries as Ballista does, and looks after them.
pub(crate) struct Planner {
    pub(crate) url: String,
    pub(crate) config: BallistaConfig,
    pub(crate) scheduler: Channel,
    /// How often the scheduler was gone; one that is started anew knows no jobs.
    pub(crate) absences: watch::Receiver<u32>,
    /// Where jobs are forgotten: it lives as long as the session, whoever runs its queries.
    pub(crate) runtime: Handle,
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

#[tonic::async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        logical_plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let ballista =
            BallistaQueryPlanner::<LogicalPlanNode>::new(self.url.clone(), self.config.clone());
        let planned = ballista.create_physical_plan(logical_plan, session).await?;
        // The rest, such as questions about the catalog, is answered here.
        if planned.downcast_ref::<Distributed>().is_none() {
            return Ok(planned);
        }
        Ok(Arc::new(OnCluster {
            url: self.url.clone(),
            config: self.config.clone(),
            scheduler: self.scheduler.clone(),
            absences: self.absences.clone(),
            runtime: self.runtime.clone(),
            session: session.session_id().to_owned(),
            files: Files::of(logical_plan)?,
            plan: logical_plan.clone(),
            properties: Arc::clone(planned.properties()),
        }))
    }
}

/// The whole of a query as one node.
#[derive(Clone)]
struct OnCluster {
    url: String,
    config: BallistaConfig,
    scheduler: Channel,
    absences: watch::Receiver<u32>,
    runtime: Handle,
    session: String,
    files: Files,
    plan: LogicalPlan,
    properties: Arc<PlanProperties>,
}

impl OnCluster {
    /// Whether the scheduler sees the files that this machine sees.
    async fn check(&self) -> Result<()> {
        let checked = self.files.check(&self.scheduler).await;
        checked.map_err(ours)
    }

    /// One attempt. Each has its own node, which knows the number of its job.
    fn attempt(&self, context: &Arc<TaskContext>) -> Result<Attempt> {
        let node = Distributed::with_extension(
            self.url.clone(),
            self.config.clone(),
            self.plan.clone(),
            Arc::new(BallistaLogicalExtensionCodec::default()),
            self.session.clone(),
        );
        let batches = node
            .execute(0, Arc::clone(context))
            .map_err(|error| explained(error, None))?;
        let job = Job {
            node,
            scheduler: self.scheduler.clone(),
            runtime: self.runtime.clone(),
        };
        let mut absences = self.absences.clone();
        absences.mark_unchanged();
        Ok(Attempt {
            batches,
            job,
            absences,
        })
    }
}

struct Attempt {
    batches: SendableRecordBatchStream,
    job: Job,
    absences: watch::Receiver<u32>,
}

impl Attempt {
    /// The next batch. Ballista waits for ever for a job that its scheduler does not know, so it is not asked alone.
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        tokio::select! {
            biased;
            batch = self.batches.next() => batch,
            _ = self.absences.changed() => Some(Err(ours(ClusterError::Lost))),
        }
    }
}

/// A job of the scheduler, which is cancelled if it runs and whose data are removed when this is dropped.
struct Job {
    node: Distributed,
    scheduler: Channel,
    runtime: Handle,
}

impl Drop for Job {
    fn drop(&mut self) {
        let Some(job) = self.node.job_id() else {
            return;
        };
        let scheduler = self.scheduler.clone();
        // Where the runtime is ending, the scheduler sees by itself that we left.
        self.runtime
            .spawn(async move { forget(&scheduler, job).await });
    }
}

async fn forget(scheduler: &Channel, job: JobId) {
    // If it does not hear us, it is gone, or will see that we are.
    if let Ok(mut answer) = presence::call(scheduler, FORGET, job.into_inner()).await {
        let _ = answer.next().await;
    }
}

/// Batches of a query, which is sent again if somebody was lost before any of them was seen.
struct Reading {
    query: OnCluster,
    context: Arc<TaskContext>,
    attempt: Option<Attempt>,
    n_attempts: usize,
    held: VecDeque<RecordBatch>,
    n_bytes: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nobody has seen anything.
    Holding,
    /// Batches are passed on as they come.
    Passing,
    /// All batches are here, and the cluster has forgotten the query.
    Whole,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if self.state != State::Holding
                && let Some(batch) = self.held.pop_front()
            {
                return Some(Ok(batch));
            }
            if self.state == State::Whole {
                return None;
            }
            if let Err(error) = self.read().await {
                let job = self
                    .attempt
                    .take()
                    .and_then(|attempt| attempt.job.node.job_id());
                let pause = PAUSES.get(self.n_attempts.saturating_sub(1));
                let again = self.state == State::Holding && is_loss(&error);
                let Some(pause) = pause.filter(|_| again) else {
                    return Some(Err(explained(error, job.map(JobId::into_inner))));
                };
                self.held.clear();
                self.n_bytes = 0;
                tokio::time::sleep(*pause).await;
            }
        }
    }

    /// Takes in one batch more, or the end.
    async fn read(&mut self) -> Result<()> {
        let attempt = match &mut self.attempt {
            Some(attempt) => attempt,
            None => {
                self.n_attempts += 1;
                self.query.check().await?;
                self.attempt.insert(self.query.attempt(&self.context)?)
            }
        };
        let Some(batch) = attempt.next().await else {
            // Files that went meanwhile were counted as empty.
            self.query.check().await?;
            self.attempt = None;
            self.state = State::Whole;
            return Ok(());
        };
        let batch = batch?;
        self.n_bytes += batch.get_array_memory_size();
        self.held.push_back(batch);
        if self.n_bytes > HELD_BACK {
            self.state = State::Passing;
        }
        Ok(())
    }
}

fn ours(error: ClusterError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

impl fmt::Debug for OnCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnCluster")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for OnCluster {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnCluster: {}", self.url)
    }
}

impl ExecutionPlan for OnCluster {
    fn name(&self) -> &'static str {
        "OnCluster"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            return Ok(self);
        }
        Err(DataFusionError::Internal(
            "a query on the cluster has no children here".to_owned(),
        ))
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let reading = Reading {
            query: self.clone(),
            context,
            attempt: None,
            n_attempts: 0,
            held: VecDeque::new(),
            n_bytes: 0,
            state: State::Holding,
        };
        let batches = stream::unfold(Some(reading), |reading| async move {
            let mut reading = reading?;
            match reading.next().await? {
                Ok(batch) => Some((Ok(batch), Some(reading))),
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            batches,
        )))
    }
}
