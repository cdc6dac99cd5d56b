//! What every caller shows: the version of Bauta and the shared secret.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::metadata::MetadataMap;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::VERSION;

/// The header that carries a pass. Ballista lets us set no other one on all of its connections: those that fetch shuffle
/// files and those that cancel tasks are made from an endpoint alone, and an endpoint has a user agent and no headers.
const HEADER: &str = "user-agent";

/// The version and a token made of the secret.
#[derive(Clone)]
pub(crate) struct Pass {
    token: Option<Arc<str>>,
}

impl Pass {
    /// The pass of those who know the secret, or of those who have none.
    pub(crate) fn new(secret: Option<&[u8]>) -> Self {
        let token = secret.map(|secret| {
            // A digest fits a header whatever the bytes of the secret are.
            let digest = Sha256::new()
                .chain_update(b"bauta-cluster\0")
                .chain_update(secret)
                .finalize();
            digest
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
                .into()
        });
        Self { token }
    }

    /// What a caller writes into the header.
    pub(crate) fn shown(&self) -> String {
        format!("bauta/{VERSION} {}", self.token.as_deref().unwrap_or("-"))
    }

    /// Whether a caller may go on. The secret comes first: strangers learn nothing of the version.
    fn check(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let shown = metadata.get(HEADER).and_then(|shown| shown.to_str().ok());
        let mut words = shown.unwrap_or_default().split(' ');
        let version = words.next().and_then(|word| word.strip_prefix("bauta/"));
        let token = words.next().unwrap_or_default();
        if let Some(expected) = &self.token
            && !bool::from(expected.as_bytes().ct_eq(token.as_bytes()))
        {
            return Err(Status::unauthenticated(
                "the secret is missing or another one",
            ));
        }
        if version != Some(VERSION) {
            return Err(Status::failed_precondition(VERSION));
        }
        Ok(())
    }
}

impl Interceptor for Pass {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        self.check(request.metadata())?;
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        metadata.insert(HEADER, text.parse().unwrap());
        metadata
    }

    #[test]
    fn the_same_secret_passes_and_another_does_not() {
        let ours = Pass::new(Some(b"0123456789abcdef0123456789abcdef"));
        let theirs = Pass::new(Some(b"0123456789abcdef0123456789abcdeF"));
        assert!(ours.check(&shown(&ours.shown())).is_ok());
        // As tonic sends it.
        assert!(
            ours.check(&shown(&format!("{} tonic/0.14.9", ours.shown())))
                .is_ok()
        );
        for other in [
            theirs.shown(),
            Pass::new(None).shown(),
            format!("bauta/{VERSION}"),
            "curl/8".to_owned(),
        ] {
            let refused = ours.check(&shown(&other)).unwrap_err();
            assert_eq!(refused.code(), tonic::Code::Unauthenticated, "{other}");
        }
        assert!(ours.check(&MetadataMap::new()).is_err());
    }

    #[test]
    fn another_version_is_told_ours_only_with_the_secret() {
        let ours = Pass::new(Some(b"0123456789abcdef0123456789abcdef"));
        let older = ours.shown().replace(VERSION, "0.0.1");
        let refused = ours.check(&shown(&older)).unwrap_err();
        assert_eq!(
            (refused.code(), refused.message()),
            (tonic::Code::FailedPrecondition, VERSION)
        );
        let stranger = ours.check(&shown("bauta/0.0.1 -")).unwrap_err();
        assert_eq!(stranger.code(), tonic::Code::Unauthenticated);
    }
}
