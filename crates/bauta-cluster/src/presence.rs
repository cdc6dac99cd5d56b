//! Who is here. Clients and executors keep a call to the scheduler open for as long as they live. Once it breaks, because
//! they ended, were killed or their machine is gone, the scheduler drops the jobs of the client, or those that the executor
//! may have worked on: their clients send them again.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ballista_core::JobId;
use ballista_core::serde::protobuf::ExecutorStoppedParams;
use ballista_core::serde::protobuf::job_status;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::task_manager::JobOverview;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures::future::{self, Ready};
use futures::stream::{self, BoxStream};
use futures::{Future, StreamExt, TryFutureExt};
use tokio::runtime::Handle;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::server::{NamedService, ServerStreamingService};
use tonic::transport::Channel;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::LARGEST_MESSAGE;
use crate::files::first_wrong;

/// Ballista's scheduler, for the plans of `DataFusion`.
pub(crate) type Scheduler = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// A client stays; it says the name of its session, which its jobs carry too.
pub(crate) const CLIENT: &str = "/bauta.cluster.Presence/Client";
/// An executor stays; it says its name and its number of threads.
pub(crate) const EXECUTOR: &str = "/bauta.cluster.Presence/Executor";
/// A client needs a job no more, whether it ended or not; it says the job.
pub(crate) const FORGET: &str = "/bauta.cluster.Presence/Forget";
/// Whether the scheduler has the files of a query; see [`crate::files`].
pub(crate) const CHECK: &str = "/bauta.cluster.Presence/Check";

/// The answer to [`CHECK`] if there is nobody to do the work.
pub(crate) const NO_EXECUTORS: u32 = u32::MAX;

/// How often those who stay are told the number of threads.
const TICK: Duration = Duration::from_secs(5);
/// After how long an executor that is there but does not ask for work counts as lost. A busy one asks every five seconds.
const LONGEST_SILENCE: Duration = Duration::from_secs(15);
/// How often jobs are dropped while there is nobody to do them.
const NOBODY: Duration = Duration::from_secs(2);
/// When data of a job are removed: at once, and again, since a task that was just cancelled may still write, and a job
/// that was still being planned has no tasks yet.
const REMOVALS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(2),
    Duration::from_secs(13),
];

/// Calls the scheduler; its answers are numbers, of threads unless said otherwise.
pub(crate) async fn call(
    channel: &Channel,
    path: &'static str,
    said: String,
) -> Result<Streaming<u32>, Status> {
    let mut grpc = tonic::client::Grpc::new(channel.clone());
    grpc.ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = ProstCodec::<String, u32>::default();
    let answer = grpc
        .server_streaming(Request::new(said), PathAndQuery::from_static(path), codec)
        .await?;
    Ok(answer.into_inner())
}

/// The scheduler's side.
#[derive(Clone)]
pub(crate) struct Presence {
    here: Arc<Here>,
}

struct Here {
    scheduler: Scheduler,
    /// Threads by executor.
    executors: Mutex<HashMap<String, u32>>,
}

enum Who {
    Client { session: String },
    Executor { id: String },
}

impl Presence {
    pub(crate) fn new(scheduler: Scheduler) -> Self {
        let executors = Mutex::default();
        Self {
            here: Arc::new(Here {
                scheduler,
                executors,
            }),
        }
    }
}

impl NamedService for Presence {
    const NAME: &'static str = "bauta.cluster.Presence";
}

impl Service<http::Request<Body>> for Presence {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let asked = Asked {
            here: Arc::clone(&self.here),
            path: request.uri().path().to_owned(),
        };
        Box::pin(async move {
            let grpc = tonic::server::Grpc::new(ProstCodec::<u32, String>::default());
            let mut grpc = grpc.apply_max_message_size_config(Some(LARGEST_MESSAGE), None);
            Ok(grpc.server_streaming(asked, request).await)
        })
    }
}

/// One call.
struct Asked {
    here: Arc<Here>,
    path: String,
}

type Threads = BoxStream<'static, Result<u32, Status>>;

impl ServerStreamingService<String> for Asked {
    type Response = u32;
    type ResponseStream = Threads;
    type Future = Ready<Result<Response<Threads>, Status>>;

    fn call(&mut self, request: Request<String>) -> Self::Future {
        let said = request.into_inner();
        let answer = match self.path.as_str() {
            CLIENT => Ok(stay(&self.here, Who::Client { session: said })),
            EXECUTOR => arrive(&self.here, &said),
            FORGET => {
                let here = Arc::clone(&self.here);
                tokio::spawn(async move { here.forget(&said.into()).await });
                Ok(stream::once(future::ready(Ok(self.here.threads()))).boxed())
            }
            CHECK if self.here.threads() == 0 => {
                Ok(stream::once(future::ready(Ok(NO_EXECUTORS))).boxed())
            }
            CHECK => {
                let looked = tokio::task::spawn_blocking(move || first_wrong(&said));
                let looked = looked.map_err(|_| Status::internal("files cannot be looked at"));
                Ok(stream::once(looked).boxed())
            }
            _ => Err(Status::unimplemented("no such call")),
        };
        future::ready(answer.map(Response::new))
    }
}

fn arrive(here: &Arc<Here>, said: &str) -> Result<Threads, Status> {
    let words = said.split_once(' ');
    let known = words.and_then(|(id, threads)| Some((id.to_owned(), threads.parse().ok()?)));
    let (id, threads): (String, u32) =
        known.ok_or_else(|| Status::invalid_argument("no executor"))?;
    here.executors().insert(id.clone(), threads);
    Ok(stay(here, Who::Executor { id }))
}

/// The number of threads now and from time to time, until the caller is gone.
fn stay(here: &Arc<Here>, who: Who) -> Threads {
    let departure = Departure {
        here: Arc::clone(here),
        who: Some(who),
        runtime: Handle::current(),
    };
    let ticks = stream::unfold(
        (departure, Duration::ZERO),
        |(departure, pause)| async move {
            tokio::time::sleep(pause).await;
            if departure.is_silent() {
                return None;
            }
            Some((Ok(departure.here.threads()), (departure, TICK)))
        },
    );
    ticks.boxed()
}

/// Is dropped with the call that it belongs to.
struct Departure {
    here: Arc<Here>,
    who: Option<Who>,
    runtime: Handle,
}

impl Departure {
    /// Whether this is an executor that has not asked for work for too long.
    fn is_silent(&self) -> bool {
        let Some(Who::Executor { id }) = &self.who else {
            return false;
        };
        // Before it asked for the first time, nothing is known of it.
        let heard = self
            .here
            .scheduler
            .state
            .executor_manager
            .get_executor_hearbeat(id);
        let heard = heard.map(|heard| UNIX_EPOCH + Duration::from_secs(heard.timestamp));
        let silence = heard.and_then(|heard| SystemTime::now().duration_since(heard).ok());
        silence.is_some_and(|silence| silence > LONGEST_SILENCE)
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        let here = Arc::clone(&self.here);
        if let Some(who) = self.who.take() {
            self.runtime.spawn(async move { here.leave(who).await });
        }
    }
}

impl Here {
    fn executors(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        self.executors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn threads(&self) -> u32 {
        self.executors().values().sum()
    }

    async fn leave(&self, who: Who) {
        match who {
            Who::Client { session } => {
                for pause in REMOVALS {
                    tokio::time::sleep(pause).await;
                    self.drop_jobs(|job| job.job_name == session).await;
                }
                // A session that had no query is not known, which is as good.
                let sessions = &self.scheduler.state.session_manager;
                let _ = sessions.remove_session(&session).await;
            }
            Who::Executor { id } => {
                self.executors().remove(&id);
                // Before Ballista hears of it, which would repeat parts of them (see `scheduler`).
                self.drop_jobs(|job| !has_ended(job.status.status.as_ref()))
                    .await;
                let reason = "it left".to_owned();
                let params = ExecutorStoppedParams {
                    executor_id: id,
                    reason,
                };
                // The only error is that the scheduler is ending itself.
                let _ = self.scheduler.executor_stopped(Request::new(params)).await;
                // A job that was being planned would wait for ever.
                while self.threads() == 0 {
                    tokio::time::sleep(NOBODY).await;
                    self.drop_jobs(|job| !has_ended(job.status.status.as_ref()))
                        .await;
                }
            }
        }
    }

    async fn drop_jobs(&self, unwanted: impl Fn(&JobOverview) -> bool) {
        let jobs = self.scheduler.state.task_manager.get_all_jobs().await;
        for job in jobs.unwrap_or_default() {
            if unwanted(&job) {
                self.drop_job(job.job_id).await;
            }
        }
    }

    async fn forget(&self, job: &JobId) {
        for pause in REMOVALS {
            tokio::time::sleep(pause).await;
            self.drop_job(job.clone()).await;
        }
    }

    /// Cancels a job that has not ended and removes its data from the executors.
    async fn drop_job(&self, job: JobId) {
        let status = self
            .scheduler
            .state
            .task_manager
            .get_job_status(&job)
            .await
            .ok()
            .flatten();
        let ended = status.is_none_or(|status| has_ended(status.status.as_ref()));
        if !ended {
            // The only error is that the scheduler is ending itself.
            let _ = self.scheduler.cancel_job(job.clone()).await;
        }
        self.scheduler.state.executor_manager.clean_up_job_data(job);
    }
}

fn has_ended(status: Option<&job_status::Status>) -> bool {
    use job_status::Status::{Failed, Successful};
    matches!(status, Some(Successful(_) | Failed(_)))
}
