//! The way to a scheduler, and why it may be closed.

use std::error::Error;
use std::time::Duration;

use futures::StreamExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

use crate::credentials::CONNECT_TIMEOUT;
use crate::{Address, ClusterError, Credentials, presence};

/// How long a scheduler that was reached may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// A call to the scheduler that is open for as long as the caller lives.
pub(crate) struct Stay {
    /// Threads of all executors when the call began.
    pub(crate) threads: u32,
    answers: Streaming<u32>,
}

impl Stay {
    /// Waits until the scheduler is gone.
    pub(crate) async fn ended(&mut self) {
        while let Some(Ok(_)) = self.answers.next().await {}
    }
}

/// Connects, and tells apart why it cannot be done.
pub(crate) async fn reach(
    address: &Address,
    credentials: &Credentials,
) -> Result<Channel, ClusterError> {
    credentials.suffice_for(address.parts().0)?;
    let unreachable = || ClusterError::Unreachable {
        address: address.to_string(),
    };
    // By itself first: afterwards nobody could tell a closed port from a certificate that does not fit.
    let knock = timeout(CONNECT_TIMEOUT, TcpStream::connect(address.parts())).await;
    knock
        .map_err(|_| unreachable())?
        .map_err(|_| unreachable())?;
    let endpoint = credentials
        .endpoint_of(address)
        .map_err(|error| closed(address, credentials, &error))?;
    let connected = timeout(CONNECT_TIMEOUT, endpoint.connect())
        .await
        .map_err(|_| unreachable())?;
    connected.map_err(|error| closed(address, credentials, &error))
}

/// Says that the caller is here.
pub(crate) async fn stay(
    channel: &Channel,
    path: &'static str,
    said: String,
    address: &Address,
    credentials: &Credentials,
) -> Result<Stay, ClusterError> {
    let first = async {
        let mut answers = presence::call(channel, path, said).await?;
        let threads = answers
            .next()
            .await
            .unwrap_or_else(|| Err(Status::unavailable("no answer")))?;
        Ok(Stay { threads, answers })
    };
    let answered = timeout(ANSWER_TIMEOUT, first).await;
    let answered = answered.map_err(|_| ClusterError::OtherService {
        address: address.to_string(),
    })?;
    answered.map_err(|status| refused(address, credentials, &status))
}

fn refused(address: &Address, credentials: &Credentials, status: &Status) -> ClusterError {
    let named = address.to_string();
    match status.code() {
        Code::Unauthenticated => ClusterError::Secret { address: named },
        Code::FailedPrecondition => ClusterError::Version {
            address: named,
            theirs: status.message().to_owned(),
        },
        // A server tells that it does not take a certificate only after the connection was made.
        _ if credentials.use_tls() && status.source().is_some() => {
            closed(address, credentials, status)
        }
        _ => ClusterError::OtherService { address: named },
    }
}

fn closed(
    address: &Address,
    credentials: &Credentials,
    error: &(dyn Error + 'static),
) -> ClusterError {
    let address = address.to_string();
    let mut reasons = std::iter::successors(Some(error), |&error| error.source());
    let speaks_plainly = reasons.any(|reason| reason.to_string().contains("InvalidContentType"));
    if credentials.use_tls() && !speaks_plainly {
        return ClusterError::Certificate { address };
    }
    ClusterError::OtherService { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_by_its_reason() {
        let address: Address = "127.0.0.1:50050".parse().unwrap();
        let told = |status: &Status| refused(&address, &Credentials::default(), status).to_string();
        assert!(told(&Status::unauthenticated("")).contains("refuses the secret"));
        let version = told(&Status::failed_precondition("9.9.9"));
        assert!(
            version.contains("is Bauta 9.9.9 and this is Bauta"),
            "{version}"
        );
        assert!(told(&Status::unimplemented("")).contains("does not answer as a scheduler"));
    }
}
