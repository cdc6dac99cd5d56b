//! What protects a cluster: certificates on both sides and a shared secret.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};

use crate::address::is_loopback;
use crate::pass::Pass;
use crate::{Address, ClusterError};

/// How long a connection may take to be made.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a silent peer is asked whether it is there, and how long it has to answer. Together they are the time after
/// which a machine that lost its power is missed; a killed process is missed at once.
pub(crate) const PING_INTERVAL: Duration = Duration::from_secs(5);
/// See [`PING_INTERVAL`].
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// A secret shorter than this could be guessed.
const SHORTEST_SECRET: usize = 32;
/// No file of credentials is as large as this.
const LARGEST_FILE: u64 = 1 << 20;

/// The files that protect a cluster, as the command line names them.
#[derive(Clone, PartialEq, Eq, Debug, Default, clap::Args)]
pub struct CredentialFiles {
    /// Certificate of this side, PEM
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Private key of the certificate, PEM, readable by its owner alone
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Certificate of the authority that signed those of all sides, PEM
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
    /// Secret that all sides share: at least 32 bytes, readable by its owner alone
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
}

/// Certificates and secret, read and found fit for use.
#[derive(Clone)]
pub struct Credentials {
    pass: Pass,
    has_secret: bool,
    tls: Option<Tls>,
}

/// One side's certificate and the authority that the other side's must come from.
#[derive(Clone)]
struct Tls {
    identity: Identity,
    authority: Certificate,
}

impl std::fmt::Debug for Credentials {
    /// Says what there is and never what it is.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (secret, tls) = (self.has_secret, self.tls.is_some());
        f.debug_struct("Credentials")
            .field("secret", &secret)
            .field("tls", &tls)
            .finish_non_exhaustive()
    }
}

impl Default for Credentials {
    /// No protection, which is enough on one machine.
    fn default() -> Self {
        Self {
            pass: Pass::new(None),
            has_secret: false,
            tls: None,
        }
    }
}

impl Credentials {
    /// Reads the files and checks what can be checked of them.
    pub fn read(files: &CredentialFiles) -> Result<Self, ClusterError> {
        let secret = files.secret.as_deref().map(read_secret).transpose()?;
        let tls = match (&files.certificate, &files.key, &files.authority) {
            (None, None, None) => None,
            (Some(certificate), Some(key), Some(authority)) => Some(Tls {
                identity: Identity::from_pem(
                    read_pem(certificate, "CERTIFICATE")?,
                    read_pem_of_owner(key, "PRIVATE KEY")?,
                ),
                authority: Certificate::from_pem(read_pem(authority, "CERTIFICATE")?),
            }),
            (None, ..) => {
                return Err(ClusterError::Incomplete {
                    missing: "--certificate",
                });
            }
            (_, None, _) => return Err(ClusterError::Incomplete { missing: "--key" }),
            (.., None) => {
                return Err(ClusterError::Incomplete {
                    missing: "--authority",
                });
            }
        };
        let pass = Pass::new(secret.as_deref());
        Ok(Self {
            pass,
            has_secret: secret.is_some(),
            tls,
        })
    }

    /// Whether they are enough to listen at or to call a host.
    pub(crate) fn suffice_for(&self, host: &str) -> Result<(), ClusterError> {
        if is_loopback(host) || (self.has_secret && self.tls.is_some()) {
            return Ok(());
        }
        Err(ClusterError::Unprotected {
            address: host.to_owned(),
        })
    }

    /// Whether connections are encrypted.
    pub(crate) fn use_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// What callers must show.
    pub(crate) fn pass(&self) -> Pass {
        self.pass.clone()
    }

    /// What a server asks of connections.
    pub(crate) fn server_tls(&self) -> Option<ServerTlsConfig> {
        let tls = self.tls.as_ref()?;
        let config = ServerTlsConfig::new().identity(tls.identity.clone());
        Some(config.client_ca_root(tls.authority.clone()))
    }

    /// A way to an address that shows the pass, and the certificate where there is one.
    pub(crate) fn endpoint(&self, authority: &str) -> Result<Endpoint, tonic::transport::Error> {
        let scheme = if self.use_tls() { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{authority}"))?
            .user_agent(self.pass.shown())?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT)
            .keep_alive_while_idle(true)
            // As Ballista has them: shuffle files are long streams.
            .initial_connection_window_size(64 << 20)
            .initial_stream_window_size(16 << 20);
        let Some(tls) = &self.tls else {
            return Ok(endpoint);
        };
        let config = ClientTlsConfig::new().identity(tls.identity.clone());
        endpoint.tls_config(config.ca_certificate(tls.authority.clone()))
    }

    /// The way to a scheduler.
    pub(crate) fn endpoint_of(
        &self,
        address: &Address,
    ) -> Result<Endpoint, tonic::transport::Error> {
        self.endpoint(&address.to_string())
    }

    /// What Ballista is to do with every connection that it makes itself.
    pub(crate) fn for_ballista(&self) -> EndpointOverrideFn {
        let credentials = self.clone();
        Arc::new(move |endpoint: Endpoint| {
            // Made anew: Ballista writes `http` even where it is to be `https`, and an endpoint cannot be told so later.
            let authority = endpoint
                .uri()
                .authority()
                .ok_or("an endpoint without a host")?;
            Ok(credentials.endpoint(authority.as_str())?)
        })
    }
}

/// The URL that Ballista is given for a scheduler.
pub(crate) fn url(address: &Address) -> String {
    format!("http://{address}")
}

fn read_secret(file: &Path) -> Result<Vec<u8>, ClusterError> {
    let mut secret = read_of_owner(file)?;
    while secret.last().is_some_and(u8::is_ascii_whitespace) {
        secret.pop();
    }
    if secret.len() < SHORTEST_SECRET {
        let problem = format!(
            "the secret has {} bytes and must have {SHORTEST_SECRET}: make one with `openssl rand -hex 32`",
            secret.len()
        );
        return Err(wrong(file, problem));
    }
    Ok(secret)
}

fn read_pem(file: &Path, label: &str) -> Result<Vec<u8>, ClusterError> {
    let (bytes, _) = read(file)?;
    of_pem(file, label, bytes)
}

fn read_pem_of_owner(file: &Path, label: &str) -> Result<Vec<u8>, ClusterError> {
    of_pem(file, label, read_of_owner(file)?)
}

fn of_pem(file: &Path, label: &str, bytes: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
    let text = String::from_utf8_lossy(&bytes);
    let begins = |line: &str| {
        line.starts_with("-----BEGIN ") && line.trim_end().ends_with(&format!("{label}-----"))
    };
    if text.lines().any(begins) {
        return Ok(bytes);
    }
    Err(wrong(
        file,
        format!("holds no {} in PEM", label.to_lowercase()),
    ))
}

/// Reads a file that nobody but its owner may read.
fn read_of_owner(file: &Path) -> Result<Vec<u8>, ClusterError> {
    let (bytes, mode) = read(file)?;
    if mode & 0o077 != 0 {
        let problem = "others than its owner can read it: run `chmod 600` on it, and make a new one if they may have";
        return Err(wrong(file, problem));
    }
    Ok(bytes)
}

/// Bytes and permissions, of the same open file.
fn read(file: &Path) -> Result<(Vec<u8>, u32), ClusterError> {
    let cannot = |error: std::io::Error| wrong(file, format!("cannot be read ({error})"));
    let mut opened = File::open(file).map_err(cannot)?;
    let metadata = opened.metadata().map_err(cannot)?;
    if !metadata.is_file() || metadata.len() > LARGEST_FILE {
        return Err(wrong(file, "is not a file of credentials"));
    }
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).map_err(cannot)?;
    Ok((bytes, metadata.mode()))
}

fn wrong(file: &Path, problem: impl Into<String>) -> ClusterError {
    ClusterError::Credential {
        file: file.to_owned(),
        problem: problem.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn secret_file(folder: &Path, text: &str, mode: u32) -> CredentialFiles {
        let file = folder.join("secret");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        CredentialFiles {
            secret: Some(file),
            ..CredentialFiles::default()
        }
    }

    #[test]
    fn a_secret_is_long_and_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let long = "0123456789abcdef0123456789abcdef\n";
        assert!(Credentials::read(&secret_file(folder.path(), long, 0o600)).is_ok());
        assert!(Credentials::read(&secret_file(folder.path(), long, 0o400)).is_ok());
        let open = Credentials::read(&secret_file(folder.path(), long, 0o640))
            .unwrap_err()
            .to_string();
        assert!(open.contains("chmod 600"), "{open}");
        let short = Credentials::read(&secret_file(folder.path(), &long[1..], 0o600))
            .unwrap_err()
            .to_string();
        assert!(short.contains("31 bytes"), "{short}");
    }

    #[test]
    fn nothing_that_is_read_shows_in_debug_output() {
        let folder = tempfile::tempdir().unwrap();
        let text = "0123456789abcdef0123456789abcdef";
        let credentials = Credentials::read(&secret_file(folder.path(), text, 0o600)).unwrap();
        assert_eq!(
            format!("{credentials:?}"),
            "Credentials { secret: true, tls: false, .. }"
        );
    }

    #[test]
    fn beyond_the_machine_both_certificates_and_secret_are_needed() {
        let folder = tempfile::tempdir().unwrap();
        let text = "0123456789abcdef0123456789abcdef";
        let secret = Credentials::read(&secret_file(folder.path(), text, 0o600)).unwrap();
        for credentials in [&Credentials::default(), &secret] {
            assert!(credentials.suffice_for("127.0.0.1").is_ok());
            assert!(matches!(
                credentials.suffice_for("0.0.0.0"),
                Err(ClusterError::Unprotected { .. })
            ));
        }
        let files = CredentialFiles {
            key: Some("key.pem".into()),
            ..CredentialFiles::default()
        };
        let incomplete = Credentials::read(&files).unwrap_err();
        assert!(matches!(
            incomplete,
            ClusterError::Incomplete {
                missing: "--certificate"
            }
        ));
    }
}
