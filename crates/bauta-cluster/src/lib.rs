//! The engine on several machines: scheduler, executors and the way to them, on Ballista.
//!
//! ```text
//! connect ── client.rs ── query.rs          a session whose queries run on the cluster
//!     │
//!     ├── presence ──► scheduler.rs         who is here; jobs of those who left are dropped
//!     │                    ▲
//!     └── results ◄── executor.rs           takes work, keeps and serves its shuffle files
//! ```
//!
//! Executors ask the scheduler for work. Ballista's other way, in which the scheduler calls them, opens a port on every
//! executor that can neither be encrypted nor ask for a secret. The one port that an executor has is ours: shuffle files
//! and the cancelling of tasks, behind the same [`Credentials`] as the scheduler's.

mod address;
mod client;
mod connections;
mod credentials;
mod error;
mod executor;
mod failure;
mod files;
mod pass;
mod presence;
mod query;
mod reach;
mod scheduler;
mod serving;
mod tasks;
mod work_folder;

pub use address::Address;
pub use client::{Cluster, connect};
pub use credentials::{CredentialFiles, Credentials};
pub use error::ClusterError;
pub use executor::{ExecutorOptions, run_executor};
pub use scheduler::{SchedulerOptions, run_scheduler};

/// Version that client, scheduler and executors must share.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Largest message between the parts; a batch of wide records is far below it.
const LARGEST_MESSAGE: usize = 256 << 20;
