//! What can be wrong with a cluster, and what to do about it.

use std::io;
use std::path::PathBuf;

use crate::VERSION;

/// Why a cluster cannot be started, reached or used.
///
/// Failures of queries are told by kind and never in the words of the executor that met them: those may quote a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The text is no address.
    #[error("`{text}` is no address: write HOST:PORT, such as 127.0.0.1:50050")]
    Address {
        /// What was written.
        text: String,
    },
    /// The text is no number to listen on.
    #[error("`{text}` is no address to listen on: write a number, such as 127.0.0.1 or 0.0.0.0")]
    BindAddress {
        /// What was written.
        text: String,
    },
    /// Data would leave the machine without protection.
    #[error(
        "{address} is beyond this machine, and the data are confidential: give --certificate, --key, --authority and \
         --secret, or stay on 127.0.0.1"
    )]
    Unprotected {
        /// What is bound or called.
        address: String,
    },
    /// Some files for TLS are given and others are not.
    #[error("TLS needs all of --certificate, --key and --authority: {missing} is missing")]
    Incomplete {
        /// The first option that is missing.
        missing: &'static str,
    },
    /// A file of credentials is not fit for use.
    #[error("{}: {problem}", file.display())]
    Credential {
        /// The file.
        file: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// An executor that listens everywhere must say what others are to call.
    #[error(
        "{bind} is every address of this machine: name the one that others call with --advertise HOST"
    )]
    Advertise {
        /// What is bound.
        bind: String,
    },
    /// The port cannot be had.
    #[error("cannot listen on {address}: {source}; choose another --port or --bind")]
    Bind {
        /// What was to be bound.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The work folder cannot be used.
    #[error("cannot use {} as work folder: {source}; choose another --work", folder.display())]
    Work {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nobody answers.
    #[error(
        "no scheduler answers at {address}: start one with `bauta-cluster scheduler`, or correct the address"
    )]
    Unreachable {
        /// Who was called.
        address: String,
    },
    /// Somebody answers, but in another way.
    #[error(
        "{address} does not answer as a scheduler of Bauta: it is another service, or one of the two sides uses TLS and \
         the other does not; give --certificate, --key and --authority to both or to neither"
    )]
    OtherService {
        /// Who was called.
        address: String,
    },
    /// A certificate is not accepted.
    #[error(
        "the certificates of {address} and of this side do not fit together: both must be signed by the same \
         --authority, be in force, and that of {address} must name this host"
    )]
    Certificate {
        /// Who was called.
        address: String,
    },
    /// The secret is missing or another one.
    #[error("{address} refuses the secret: give the file that its --secret names")]
    Secret {
        /// Who was called.
        address: String,
    },
    /// The parts are not of one version.
    #[error(
        "{address} is Bauta {theirs} and this is Bauta {VERSION}: install the same version everywhere"
    )]
    Version {
        /// Who was called.
        address: String,
        /// Its version.
        theirs: String,
    },
    /// There is nobody to do the work.
    #[error(
        "the scheduler at {address} has no executors: start some with `bauta-cluster executor --scheduler {address}`"
    )]
    NoExecutors {
        /// The scheduler.
        address: String,
    },
    /// A file is not what it is on this machine.
    #[error(
        "the cluster does not see {} as this machine does: scheduler and executors need every file under the same path, \
         with the same content and the right to read it", file.as_deref().unwrap_or("a file of the query")
    )]
    File {
        /// The file, if the cluster named it.
        file: Option<String>,
    },
    /// A folder may hold other files there than here.
    #[error("a query on a cluster names its files one by one, and {folder} is a folder")]
    Folder {
        /// The folder.
        folder: String,
    },
    /// An executor ran out of memory that it may use.
    #[error(
        "an executor ran out of memory: start executors with more --memory, or with fewer --threads"
    )]
    Memory,
    /// An executor has no room for its intermediate results.
    #[error(
        "an executor has no room left in its work folder: start it with a --work that has more"
    )]
    Disk,
    /// The executors that worked on a query are gone.
    #[error(
        "the cluster lost the executors that worked on the query, or its scheduler: see that they run and try again"
    )]
    Lost,
    /// A query failed for another reason.
    #[error("a query failed on the cluster (job {job}): {kind}")]
    Query {
        /// The number of the job.
        job: String,
        /// What kind of failure it was.
        kind: &'static str,
    },
    /// A mistake of ours.
    #[error("internal error of the cluster: {what}")]
    Internal {
        /// What should not have been.
        what: &'static str,
    },
}
