//! A query on the cluster: sent, watched, read, and forgotten there as soon as it is read or dropped.

use std::fmt;
use std::sync::Arc;

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
use tonic::transport::Channel;

use crate::failure::{explained, is_loss};
use crate::files::Files;
use crate::presence::{self, FORGET};

/// How often a query is sent in all if executors were lost with its result.
const ATTEMPTS: u32 = 3;

type Distributed = DistributedQueryExec<LogicalPlanNode>;

/// Plans queries as Ballista does, and looks after them.
pub(crate) struct Planner {
    pub(crate) url: String,
    pub(crate) config: BallistaConfig,
    pub(crate) scheduler: Channel,
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
        checked.map_err(|error| DataFusionError::External(Box::new(error)))
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
        Ok(Attempt { batches, job })
    }
}

struct Attempt {
    batches: SendableRecordBatchStream,
    job: Job,
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

/// Batches of a query that is sent again if its executors were lost before any of them came.
struct Reading {
    query: OnCluster,
    context: Arc<TaskContext>,
    attempt: Option<Attempt>,
    n_attempts: u32,
    n_batches: usize,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            let attempt = match self.current().await {
                Ok(attempt) => attempt,
                Err(error) => return Some(Err(error)),
            };
            let Some(batch) = attempt.batches.next().await else {
                // Files that went meanwhile were counted as empty.
                return self.query.check().await.err().map(Err);
            };
            let error = match batch {
                Ok(batch) => {
                    self.n_batches += 1;
                    return Some(Ok(batch));
                }
                Err(error) => error,
            };
            let job = attempt.job.node.job_id().map(JobId::into_inner);
            let again = self.n_batches == 0 && self.n_attempts < ATTEMPTS && is_loss(&error);
            self.attempt = None;
            if !again {
                return Some(Err(explained(error, job)));
            }
        }
    }

    /// The attempt that is read, or the next one.
    async fn current(&mut self) -> Result<&mut Attempt> {
        let attempt = match self.attempt.take() {
            Some(attempt) => attempt,
            None => {
                self.query.check().await?;
                self.n_attempts += 1;
                self.query.attempt(&self.context)?
            }
        };
        Ok(self.attempt.insert(attempt))
    }
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
            n_batches: 0,
        };
        let batches = stream::unfold(Some(reading), |reading| async move {
            let mut reading = reading?;
            match reading.next().await? {
                Ok(batch) => Some((Ok(batch), Some(reading))),
                // What ended is forgotten now, and not when the stream is dropped.
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            batches,
        )))
    }
}
