//! An executor: asks the scheduler for work, keeps its shuffle files and serves them to the others.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::RuntimeProducer;
use ballista_core::extension::SessionConfigExt;
use ballista_core::ids::new_instance_id;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::serde::protobuf::executor_grpc_server::ExecutorGrpcServer;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::{
    BallistaCodec, BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec,
};
use ballista_executor::execution_engine::DefaultExecutionEngine;
use ballista_executor::execution_loop::poll_loop;
use ballista_executor::executor::Executor;
use ballista_executor::executor_process::{ExecutorProcessConfig, structure_executor_metadata};
use ballista_executor::flight_service::BallistaFlightService;
use ballista_executor::health::ExecutorHealth;
use ballista_executor::metrics::LoggingMetricsCollector;
use ballista_executor::runtime_cache::{DefaultSessionRuntimeCache, MemoryPoolPolicy};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::time::Instant;
use tonic::service::Routes;
use tonic::transport::Channel;

use crate::address::bind_ip;
use crate::connections::Connections;
use crate::presence::EXECUTOR;
use crate::reach::{Stay, reach, stay};
use crate::serving::{asked_to_end, listen, serve};
use crate::tasks::Tasks;
use crate::work_folder::WorkFolder;
use crate::{Address, ClusterError, Credentials, LARGEST_MESSAGE};

/// How long an executor waits for a scheduler that is not there yet, or no more.
const PATIENCE: Duration = Duration::from_secs(30);
/// Sessions whose view of files is kept.
const SESSIONS: usize = 16;

/// How an executor is to run.
#[derive(Clone, Debug)]
pub struct ExecutorOptions {
    /// The scheduler that it works for.
    pub scheduler: Address,
    /// Number or `localhost` to listen on.
    pub bind: String,
    /// Port to listen on; 0 is any free one.
    pub port: u16,
    /// Host by which others call it, if it is not the number that it listens on.
    pub advertise: Option<String>,
    /// Folder below which it keeps its data.
    pub work: PathBuf,
    /// Memory in bytes.
    pub memory: u64,
    /// Tasks at once.
    pub threads: u32,
    /// What protects it.
    pub credentials: Credentials,
}

/// Runs an executor until Ctrl-C, the signal to terminate, or until its scheduler stays away; `ready` is told where it
/// listens.
pub async fn run_executor(
    options: ExecutorOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ClusterError> {
    let credentials = &options.credentials;
    credentials.suffice_for(&options.bind)?;
    credentials.suffice_for(options.scheduler.parts().0)?;
    let ip = bind_ip(&options.bind)?;
    let host = advertised(&options, ip)?;
    let folder = WorkFolder::create(&options.work, &new_instance_id())?;
    let (listener, address) = listen(ip, options.port).await?;
    let jobs = text_of(&folder.jobs())?;
    let tasks = Tasks::default();
    let shuffle = FlightServiceServer::new(BallistaFlightService::new(jobs))
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    let routes = Routes::new(shuffle).add_service(ExecutorGrpcServer::new(tasks.clone()));
    let me = Me {
        options: &options,
        host: &host,
        port: address.port(),
        folder: &folder,
        tasks: &tasks,
    };
    tokio::select! {
        served = serve(listener, routes, credentials) => served,
        asked = asked_to_end() => asked,
        worked = me.work(|| ready(address)) => worked,
    }
}

/// The host that others call: a machine has many numbers, and certificates have names.
fn advertised(options: &ExecutorOptions, ip: IpAddr) -> Result<String, ClusterError> {
    let host = match &options.advertise {
        Some(host) => host.clone(),
        None if ip.is_unspecified() => {
            return Err(ClusterError::Advertise {
                bind: options.bind.clone(),
            });
        }
        None => ip.to_string(),
    };
    options.credentials.suffice_for(&host)?;
    Ok(Address::new(&host, 0).host_in_url())
}

fn text_of(path: &std::path::Path) -> Result<String, ClusterError> {
    let no_text = || {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "its name is not UTF-8");
        ClusterError::Work {
            folder: path.to_owned(),
            source,
        }
    };
    path.to_str().map(str::to_owned).ok_or_else(no_text)
}

/// All that an executor is made of.
struct Me<'a> {
    options: &'a ExecutorOptions,
    host: &'a str,
    port: u16,
    folder: &'a WorkFolder,
    tasks: &'a Tasks,
}

impl Me<'_> {
    /// Works for the scheduler, and for the one that comes after it.
    async fn work(&self, ready: impl FnOnce()) -> Result<(), ClusterError> {
        let mut ready = Some(ready);
        loop {
            // A new name each time: the scheduler has given the tasks of the old one to others.
            let id = new_instance_id();
            let (channel, mut here) = self.arrive(&id).await?;
            if let Some(ready) = ready.take() {
                ready();
            }
            let executor = Arc::new(self.executor(&id)?);
            self.tasks.are_of(Some(Arc::clone(&executor)));
            tokio::select! {
                () = here.ended() => eprintln!("the scheduler is gone; waiting for it"),
                worked = poll(channel, executor) => worked?,
            }
            self.tasks.are_of(None);
            // The scheduler that knew these jobs is gone, and so are they.
            tokio::task::block_in_place(|| self.folder.empty());
        }
    }

    /// Finds the scheduler and says who is here.
    async fn arrive(&self, id: &str) -> Result<(Channel, Stay), ClusterError> {
        let (address, credentials) = (&self.options.scheduler, &self.options.credentials);
        let until = Instant::now() + PATIENCE;
        loop {
            let arrived = async {
                let channel = reach(address, credentials).await?;
                let said = format!("{id} {}", self.options.threads);
                let stay = stay(&channel, EXECUTOR, said, address, credentials).await?;
                Ok((channel, stay))
            };
            match arrived.await {
                Err(ClusterError::Unreachable { .. }) if Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
                arrived => return arrived,
            }
        }
    }

    fn executor(&self, id: &str) -> Result<Executor, ClusterError> {
        let threads = self.options.threads;
        let described = Arc::new(ExecutorProcessConfig {
            executor_id: id.to_owned(),
            external_host: Some(self.host.to_owned()),
            port: self.port,
            grpc_port: self.port,
            ..ExecutorProcessConfig::default()
        });
        let spill = self.folder.spill();
        let base: RuntimeProducer = Arc::new(move |_| {
            let builder = RuntimeEnvBuilder::new().with_temp_file_path(&spill);
            // The disk is the limit, and it tells itself when it is full.
            builder.with_max_temp_directory_size(u64::MAX).build_arc()
        });
        let memory = memory_policy(self.options.memory, threads);
        let cache = DefaultSessionRuntimeCache::new(Arc::clone(&base), memory, SESSIONS);
        let credentials = self.options.credentials.clone();
        let config = move || {
            SessionConfig::new_with_ballista()
                .with_ballista_use_tls(credentials.use_tls())
                .with_ballista_grpc_client_max_message_size(LARGEST_MESSAGE)
                .with_ballista_override_create_grpc_client_endpoint(credentials.for_ballista())
        };
        let executor = Executor::new(
            structure_executor_metadata(&described, threads),
            &text_of(&self.folder.jobs())?,
            base,
            Arc::new(config),
            Arc::new(BallistaFunctionRegistry::default()),
            Arc::new(LoggingMetricsCollector::default()),
            threads as usize,
            Arc::new(DefaultExecutionEngine::with_client_pool(Arc::new(
                Connections::default(),
            ))),
        );
        Ok(executor.with_session_runtime_cache(Some(Arc::new(cache))))
    }
}

/// Memory by task: its share of three quarters. What `DataFusion` does not count, batches on their way and buffers of
/// shuffle files, has the rest.
fn memory_policy(memory: u64, threads: u32) -> MemoryPoolPolicy {
    let share = usize::try_from(memory / 4 * 3 / u64::from(threads.max(1))).unwrap_or(usize::MAX);
    Arc::new(move |base, _, threads| {
        let pool = FairSpillPool::new(share.saturating_mul(threads.max(1) as usize));
        RuntimeEnvBuilder::from_runtime_env(&base)
            .with_memory_pool(Arc::new(pool))
            .build_arc()
    })
}

/// Asks for work for as long as it is polled.
async fn poll(channel: Channel, executor: Arc<Executor>) -> Result<(), ClusterError> {
    let scheduler = SchedulerGrpcClient::new(channel)
        .max_encoding_message_size(LARGEST_MESSAGE)
        .max_decoding_message_size(LARGEST_MESSAGE);
    let codec: BallistaCodec<LogicalPlanNode, PhysicalPlanNode> = BallistaCodec::new(
        Arc::new(BallistaLogicalExtensionCodec::default()),
        Arc::new(BallistaPhysicalExtensionCodec::default()),
    );
    let polled = poll_loop(
        scheduler,
        executor,
        codec,
        None,
        None,
        ExecutorHealth::new(),
    )
    .await;
    polled.map_err(|_| ClusterError::Internal {
        what: "the executor stopped asking for work",
    })
}
