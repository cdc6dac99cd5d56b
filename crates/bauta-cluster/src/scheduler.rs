//! The scheduler: plans queries and gives their parts to executors that ask for work.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use tonic::service::Routes;

use crate::address::bind_ip;
use crate::presence::{Presence, Scheduler};
use crate::serving::{asked_to_end, listen, serve};
use crate::{ClusterError, Credentials, LARGEST_MESSAGE};

/// Ballista is never to find a lost executor by itself, nor to repeat a part of a job. After a loss its stages were seen
/// to hang, or to give a wrong answer, when an executor was killed between two of them. `presence` finds the lost, drops
/// the jobs that they worked on, and clients send those again as a whole.
const NEVER: u64 = 10 * 365 * 24 * 3600;
/// See [`NEVER`].
const NO_REPETITION: usize = 0;
/// Data of a job are removed as soon as the client has its result, and when it leaves. This is for what neither reached.
const LAST_RESORT: u64 = 24 * 3600;

/// How a scheduler is to run.
#[derive(Clone, Debug)]
pub struct SchedulerOptions {
    /// Number or `localhost` to listen on.
    pub bind: String,
    /// Port to listen on; 0 is any free one.
    pub port: u16,
    /// What protects it.
    pub credentials: Credentials,
}

/// Runs a scheduler until Ctrl-C or the signal to terminate; `ready` is told where it listens.
pub async fn run_scheduler(
    options: SchedulerOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ClusterError> {
    let credentials = &options.credentials;
    credentials.suffice_for(&options.bind)?;
    let (listener, address) = listen(bind_ip(&options.bind)?, options.port).await?;
    let scheduler = scheduler(address, credentials).await?;
    let of_ballista = SchedulerGrpcServer::new(scheduler.clone())
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    let routes = Routes::new(of_ballista).add_service(Presence::new(scheduler));
    ready(address);
    tokio::select! {
        served = serve(listener, routes, credentials) => served,
        asked = asked_to_end() => asked,
    }
}

async fn scheduler(
    address: SocketAddr,
    credentials: &Credentials,
) -> Result<Scheduler, ClusterError> {
    let config = SchedulerConfig {
        namespace: "bauta".to_owned(),
        external_host: address.ip().to_string(),
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        finished_job_data_clean_up_interval_seconds: LAST_RESORT,
        executor_timeout_seconds: NEVER,
        no_executors_grace_period_seconds: NEVER,
        task_max_failures: NO_REPETITION,
        stage_max_failures: NO_REPETITION,
        override_create_grpc_client_endpoint: Some(credentials.for_ballista()),
        use_tls: credentials.use_tls(),
        override_session_builder: Some(Arc::new(session)),
        ..SchedulerConfig::default()
    };
    let broken = |_| ClusterError::Internal {
        what: "Ballista's scheduler did not start",
    };
    let cluster = BallistaCluster::new_from_config(&config)
        .await
        .map_err(broken)?;
    create_scheduler(cluster, Arc::new(config))
        .await
        .map_err(broken)
}

/// A session as Ballista makes it, without a memory of what was in folders: a list from before may be wrong now.
fn session(config: SessionConfig) -> datafusion::error::Result<SessionState> {
    let runtime = RuntimeEnvBuilder::new()
        .with_object_list_cache_limit(0)
        .build_arc()?;
    let state = default_session_builder(config)?;
    Ok(SessionStateBuilder::new_from_existing(state)
        .with_runtime_env(runtime)
        .build())
}
