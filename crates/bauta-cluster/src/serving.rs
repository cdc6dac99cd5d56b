//! The one way in which scheduler and executors listen.

use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tonic::service::{InterceptorLayer, Routes};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::credentials::{PING_INTERVAL, PING_TIMEOUT};
use crate::{ClusterError, Credentials};

/// Takes a port; 0 is any free one.
pub(crate) async fn listen(
    ip: IpAddr,
    port: u16,
) -> Result<(TcpListener, SocketAddr), ClusterError> {
    let wanted = SocketAddr::new(ip, port);
    let cannot = |source| ClusterError::Bind {
        address: wanted.to_string(),
        source,
    };
    let listener = TcpListener::bind(wanted).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok((listener, address))
}

/// Serves until dropped. Nothing behind it is reached without the certificate and the pass that the credentials ask for.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Routes,
    credentials: &Credentials,
) -> Result<(), ClusterError> {
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(PING_INTERVAL))
        .http2_keepalive_timeout(Some(PING_TIMEOUT))
        .initial_connection_window_size(64 << 20)
        .initial_stream_window_size(16 << 20);
    if let Some(tls) = credentials.server_tls() {
        let unfit = |_| ClusterError::Certificate {
            address: "this side".to_owned(),
        };
        server = server.tls_config(tls).map_err(unfit)?;
    }
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let pass = InterceptorLayer::new(credentials.pass());
    let served = server
        .layer(pass)
        .add_routes(routes)
        .serve_with_incoming(incoming)
        .await;
    served.map_err(|_| ClusterError::Internal {
        what: "the server ended",
    })
}

/// Waits for Ctrl-C or the signal to terminate.
pub(crate) async fn asked_to_end() -> Result<(), ClusterError> {
    let no_signals = |_| ClusterError::Internal {
        what: "signals cannot be received",
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
