//! The command `bauta-cluster`: starts a scheduler or an executor.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bauta_cluster::{
    Address, ClusterError, CredentialFiles, Credentials, ExecutorOptions, SchedulerOptions,
    run_executor, run_scheduler,
};
use clap::{Args, Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::umask;

/// Deep plans are planned by recursion.
const STACK: usize = 32 << 20;

/// Runs the plans of Bauta on several machines.
#[derive(Debug, Parser)]
#[command(name = "bauta-cluster", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Takes plans from `bauta --cluster` and divides them among executors
    Scheduler(SchedulerArguments),
    /// Does the work; start as many as there are machines, or several on one
    Executor(ExecutorArguments),
}

#[derive(Debug, Args)]
struct SchedulerArguments {
    /// Address to listen on; beyond this machine only with certificates and a secret
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    bind: String,
    /// Port to listen on; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 50050)]
    port: u16,
    #[command(flatten)]
    files: CredentialFiles,
}

#[derive(Debug, Args)]
struct ExecutorArguments {
    /// Scheduler to work for
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Address,
    /// Address to listen on; beyond this machine only with certificates and a secret
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    bind: String,
    /// Port to listen on; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Name by which others call this machine, as its certificate has it (default: the address it listens on)
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Folder below which intermediate results lie, readable by their owner alone (default: the system's for
    /// temporary files)
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Memory to use, such as 8GB; what does not fit goes to the work folder
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = parse_memory)]
    memory: u64,
    /// Tasks at once (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    #[command(flatten)]
    files: CredentialFiles,
}

fn main() -> ExitCode {
    // Files that Ballista and DataFusion write hold data.
    umask(Mode::RWXG | Mode::RWXO);
    // What a panic says may quote a cell; where it was is enough to find it.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| {
            format!(" at {}:{}", place.file(), place.line())
        });
        eprintln!("internal error{place}");
    }));
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<(), ClusterError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build();
    let runtime = runtime.map_err(|_| ClusterError::Internal { what: "no threads" })?;
    // On a thread of the runtime, which has the stack.
    let ended = runtime.block_on(async { runtime.spawn(start(command)).await });
    // Calls that clients keep open do not hold up the end.
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended.unwrap_or(Err(ClusterError::Internal {
        what: "a thread panicked",
    }))
}

async fn start(command: Command) -> Result<(), ClusterError> {
    match command {
        Command::Scheduler(arguments) => {
            let credentials = Credentials::read(&arguments.files)?;
            let options = SchedulerOptions {
                bind: arguments.bind,
                port: arguments.port,
                credentials,
            };
            run_scheduler(options, |address| say_ready("scheduler", address)).await
        }
        Command::Executor(arguments) => {
            let credentials = Credentials::read(&arguments.files)?;
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let options = ExecutorOptions {
                scheduler: arguments.scheduler,
                bind: arguments.bind,
                port: arguments.port,
                advertise: arguments.advertise,
                work: arguments.work.unwrap_or_else(std::env::temp_dir),
                memory: arguments.memory,
                threads: arguments
                    .threads
                    .unwrap_or(u32::try_from(cores).unwrap_or(1)),
                credentials,
            };
            run_executor(options, |address| say_ready("executor", address)).await
        }
    }
}

/// The one line that scripts wait for.
fn say_ready(part: &str, address: SocketAddr) {
    let mut out = std::io::stdout();
    // Whoever closed it does not wait.
    let _ = writeln!(out, "{part} ready on {address}").and_then(|()| out.flush());
}

/// Units of memory, of a thousand and of 1024 bytes, as in `bauta`.
const UNITS: [(&str, u64); 7] = [
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

fn parse_memory(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let by_unit = UNITS.iter().find_map(|&(unit, bytes)| {
        let number: f64 = upper.strip_suffix(unit)?.trim_end().parse().ok()?;
        let bytes = (number * bytes as f64).floor();
        (bytes >= 1.0 && bytes < u64::MAX as f64).then_some(bytes as u64)
    });
    by_unit.ok_or_else(|| "a number and a unit, such as 2GB, 500MB or 1.5GiB".to_owned())
}
