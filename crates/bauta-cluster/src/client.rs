//! The way to a cluster for those who have queries.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::ids::new_instance_id;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tonic::transport::Channel;

use crate::credentials::url;
use crate::presence::CLIENT;
use crate::query::Planner;
use crate::reach::{Stay, reach, stay};
use crate::{Address, ClusterError, Credentials, LARGEST_MESSAGE};

/// A cluster that answered, has executors and is of our version.
pub struct Cluster {
    context: SessionContext,
    threads: u32,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// A session whose queries run on the cluster. The cluster keeps nothing of it once its last clone is dropped.
    pub fn context(&self) -> SessionContext {
        self.context.clone()
    }

    /// Threads of all executors when the connection was made.
    pub fn threads(&self) -> u32 {
        self.threads
    }
}

/// Connects to a scheduler and checks that queries can run: credentials, versions, executors. Waits a few seconds at most.
///
/// The connection has a thread of its own: the scheduler asks from time to time whether the client is still there, and
/// drops the jobs of one that does not answer.
pub fn connect(address: &Address, credentials: &Credentials) -> Result<Cluster, ClusterError> {
    let no_thread = |_| ClusterError::Internal {
        what: "no thread for the connection",
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("bauta-cluster")
        .enable_all()
        .build();
    let runtime = runtime.map_err(no_thread)?;
    // From a thread that may wait, whoever calls.
    let waited = std::thread::scope(|scope| {
        scope
            .spawn(|| runtime.block_on(arrive(address, credentials)))
            .join()
    });
    match waited {
        Ok(Ok((scheduler, session, here))) => {
            cluster(runtime, scheduler, session, here, address, credentials)
        }
        failed => {
            runtime.shutdown_background();
            Err(match failed {
                Ok(Err(error)) => error,
                _ => ClusterError::Internal {
                    what: "the connection panicked",
                },
            })
        }
    }
}

async fn arrive(
    address: &Address,
    credentials: &Credentials,
) -> Result<(Channel, String, Stay), ClusterError> {
    let scheduler = reach(address, credentials).await?;
    let session = new_instance_id();
    let here = stay(&scheduler, CLIENT, session.clone(), address, credentials).await?;
    if here.threads == 0 {
        return Err(ClusterError::NoExecutors {
            address: address.to_string(),
        });
    }
    Ok((scheduler, session, here))
}

fn cluster(
    runtime: Runtime,
    scheduler: Channel,
    session: String,
    here: Stay,
    address: &Address,
    credentials: &Credentials,
) -> Result<Cluster, ClusterError> {
    let threads = here.threads;
    let config = SessionConfig::new_with_ballista()
        .with_target_partitions(threads as usize)
        .with_ballista_use_tls(credentials.use_tls())
        .with_ballista_grpc_client_max_message_size(LARGEST_MESSAGE)
        .with_ballista_override_create_grpc_client_endpoint(credentials.for_ballista())
        // By this the scheduler knows whose jobs they are.
        .with_ballista_job_name(&session)
        // The number of a job is known as soon as it is accepted, so that it can be cancelled.
        .set_bool("ballista.client.pull", true);
    let planner_runtime = runtime.handle().clone();
    let (staying, absences) = Staying::new(
        runtime,
        here,
        scheduler.clone(),
        session.clone(),
        address,
        credentials,
    );
    let planner = Planner {
        url: url(address),
        config: config.ballista_config(),
        scheduler,
        absences,
        runtime: planner_runtime,
    };
    let config = config
        .with_ballista_query_planner(Arc::new(planner))
        .with_extension(Arc::new(staying));
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_session_id(session)
        .with_config(config)
        .build();
    let broken = |_| ClusterError::Internal {
        what: "no session for the cluster",
    };
    let state = SessionStateExt::upgrade_for_ballista(state, url(address)).map_err(broken)?;
    Ok(Cluster {
        context: SessionContext::new_with_state(state),
        threads,
    })
}

/// Keeps the call to the scheduler open until it is dropped with the last clone of the session.
struct Staying {
    runtime: Option<Runtime>,
}

impl Staying {
    /// Also counts how often the scheduler was gone.
    fn new(
        runtime: Runtime,
        here: Stay,
        scheduler: Channel,
        session: String,
        address: &Address,
        credentials: &Credentials,
    ) -> (Self, watch::Receiver<u32>) {
        let (address, credentials) = (address.clone(), credentials.clone());
        let (count, absences) = watch::channel(0);
        runtime.spawn(async move {
            let mut here = Some(here);
            loop {
                if let Some(mut here) = here.take() {
                    here.ended().await;
                    count.send_modify(|n| *n += 1);
                }
                // A scheduler that is started anew is told that we are here; what ran is lost, and told by the query.
                tokio::time::sleep(Duration::from_secs(1)).await;
                here = stay(&scheduler, CLIENT, session.clone(), &address, &credentials)
                    .await
                    .ok();
            }
        });
        let runtime = Some(runtime);
        (Self { runtime }, absences)
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        // Without waiting: the last clone of a session may be dropped where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
