//! Connections of one executor to others, kept for the next shuffle file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ballista_core::client::BallistaClient;
use ballista_core::client_pool::{BallistaClientPool, PooledClient};
use ballista_core::error::Result;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::utils::GrpcClientConfig;

/// One connection to every other executor, shared by all tasks: HTTP/2 carries many streams at once, and a connection
/// that broke is made again by itself. Without it every shuffle file would take a port of its own.
#[derive(Default)]
pub(crate) struct Connections {
    by_peer: Mutex<HashMap<(String, u16), BallistaClient>>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").finish_non_exhaustive()
    }
}

impl Connections {
    fn by_peer(&self) -> std::sync::MutexGuard<'_, HashMap<(String, u16), BallistaClient>> {
        self.by_peer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tonic::async_trait]
impl BallistaClientPool for Connections {
    async fn acquire(
        &self,
        host: &str,
        port: u16,
        config: &GrpcClientConfig,
        customize_endpoint: Option<Arc<BallistaConfigGrpcEndpoint>>,
    ) -> Result<PooledClient> {
        let peer = (host.to_owned(), port);
        let known = self.by_peer().get(&peer).cloned();
        let client = match known {
            Some(client) => client,
            None => {
                let client = BallistaClient::try_new(
                    host,
                    port,
                    config.max_message_size,
                    config.use_tls,
                    customize_endpoint,
                    config.io_retries_times,
                    config.io_retry_wait_time_ms,
                    config.initial_connection_window_size,
                    config.initial_stream_window_size,
                )
                .await?;
                self.by_peer().insert(peer, client.clone());
                client
            }
        };
        Ok(PooledClient::new(client, Box::new(drop)))
    }

    async fn evict_idle(&self) {
        self.by_peer().clear();
    }
}
