//! Starting and ending the parts of a cluster, and files to ask about.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bauta_cluster::{Address, Cluster, ClusterError, CredentialFiles, Credentials, connect};
use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::{DataFusionError, Result};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::Runtime;

/// Longer than anything here takes, on a machine that does other things as well.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// A scheduler or an executor, which ends with the test.
pub(crate) struct Part {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Part {
    /// Starts a part and waits until it is ready.
    pub(crate) fn start(arguments: &[String]) -> Self {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = lines.read_line(&mut line);
            let _ = send.send(line);
        });
        let line = receive.recv_timeout(PATIENCE).unwrap_or_default();
        let address = line
            .trim_end()
            .split_once(" ready on ")
            .and_then(|(_, address)| address.parse().ok());
        let Some(address) = address else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{arguments:?} said `{line}`");
        };
        Self { child, address }
    }

    pub(crate) fn scheduler(files: &CredentialFiles) -> Self {
        let mut arguments = words("scheduler --port 0");
        arguments.extend(options(files));
        Self::start(&arguments)
    }

    pub(crate) fn executor(scheduler: &Self, work: &Path, files: &CredentialFiles) -> Self {
        let mut arguments = words("executor --threads 1 --memory 200MB --work");
        arguments.push(work.to_str().unwrap().to_owned());
        arguments.extend(["--scheduler".to_owned(), scheduler.address.to_string()]);
        arguments.extend(options(files));
        Self::start(&arguments)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Waits for the end after a signal.
    pub(crate) fn ended(mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scheduler and executors with a work folder each.
pub(crate) struct Parts {
    // Executors end before what they hang on.
    pub(crate) executors: Vec<Part>,
    pub(crate) scheduler: Part,
    pub(crate) work: Vec<PathBuf>,
    pub(crate) files: CredentialFiles,
    pub(crate) folder: tempfile::TempDir,
}

impl Parts {
    pub(crate) fn new(n_executors: usize) -> Self {
        Self::with(
            n_executors,
            tempfile::tempdir().unwrap(),
            CredentialFiles::default(),
        )
    }

    pub(crate) fn with(
        n_executors: usize,
        folder: tempfile::TempDir,
        files: CredentialFiles,
    ) -> Self {
        let scheduler = Part::scheduler(&files);
        let work: Vec<PathBuf> = (0..n_executors)
            .map(|i| folder.path().join(format!("work-{i}")))
            .collect();
        let executors = work
            .iter()
            .map(|work| Part::executor(&scheduler, work, &files))
            .collect();
        Self {
            executors,
            scheduler,
            work,
            files,
            folder,
        }
    }

    pub(crate) fn connect(&self) -> Result<Cluster, ClusterError> {
        self.connect_with(&self.files)
    }

    pub(crate) fn connect_with(&self, files: &CredentialFiles) -> Result<Cluster, ClusterError> {
        connect(&address(self.scheduler.address), &Credentials::read(files)?)
    }
}

pub(crate) fn address(of: SocketAddr) -> Address {
    of.to_string().parse().unwrap()
}

pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn options(files: &CredentialFiles) -> Vec<String> {
    let named = [
        ("--certificate", &files.certificate),
        ("--key", &files.key),
        ("--authority", &files.authority),
        ("--secret", &files.secret),
    ];
    let given = named.iter().filter_map(|(name, file)| {
        Some([(*name).to_owned(), file.as_ref()?.display().to_string()])
    });
    given.flatten().collect()
}

fn command(arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bauta-cluster"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs a part that is to refuse, and returns its exit code and what it says.
pub(crate) fn refused(arguments: &[String]) -> (Option<i32>, String) {
    let mut child = command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{arguments:?} does not refuse");
        }
        thread::sleep(Duration::from_millis(20));
    };
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    (status.code(), said)
}

/// A file that only its owner can read.
pub(crate) fn own_file(path: PathBuf, text: &str) -> PathBuf {
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    path
}

pub(crate) fn secret(folder: &Path, name: &str) -> CredentialFiles {
    let text = format!("{name}-0123456789abcdef0123456789abcdef\n");
    CredentialFiles {
        secret: Some(own_file(folder.join(name), &text)),
        ..CredentialFiles::default()
    }
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Everything in a folder and below it.
pub(crate) fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(all_below(&path));
        }
        found.push(path);
    }
    found
}

/// Files with data of jobs in the work folder of an executor.
pub(crate) fn job_files(work: &Path) -> Vec<PathBuf> {
    let below = all_below(work);
    let of_jobs =
        |path: &PathBuf| path.is_file() && path.components().any(|part| part.as_os_str() == "jobs");
    below.into_iter().filter(of_jobs).collect()
}

/// Parquet parts of records with two keys and a value, made by arithmetic.
pub(crate) fn parts(folder: &Path, n_parts: i64, n_records: i64) -> PathBuf {
    let folder = folder.join("parts");
    fs::create_dir(&folder).unwrap();
    let fields = ["sex", "age", "person"].map(|name| Field::new(name, DataType::Int64, false));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    for part in 0..n_parts {
        let file = File::create(folder.join(format!("part-{part}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), None).unwrap();
        let rows = (0..n_records).map(|row| part * n_records + row);
        let columns: [Int64Array; 3] = [
            rows.clone().map(|row| row % 2).collect(),
            rows.clone().map(|row| (row * 7919) % 101).collect(),
            rows.map(|row| (row * 104_729) % 1_299_709).collect(),
        ];
        let columns = columns.map(|column| Arc::new(column) as _).to_vec();
        writer
            .write(&RecordBatch::try_new(Arc::clone(&schema), columns).unwrap())
            .unwrap();
        writer.close().unwrap();
    }
    folder
}

/// Counts of keys: two stages, with a shuffle between them.
pub(crate) const COUNTS: &str =
    "SELECT sex, age, count(*) AS n, sum(person) AS s FROM t GROUP BY sex, age ORDER BY sex, age";

/// The same for as many groups as there are records, twice: takes its time and leaves large shuffle files.
pub(crate) const LONG: &str = "SELECT age, count(*) AS n, sum(c) AS s FROM \
    (SELECT person, age, count(*) AS c, count(DISTINCT sex) AS d FROM t GROUP BY person, age) GROUP BY age ORDER BY age";

/// Every record, in order: a result that is as large as the file.
pub(crate) const SORTED: &str = "SELECT person, sex, age FROM t ORDER BY person, sex, age";

/// Makes the parts the table `t`.
pub(crate) async fn register(context: &SessionContext, parts: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = all_below(parts);
    files.sort();
    let files: Vec<String> = files
        .iter()
        .map(|file| file.to_str().unwrap().to_owned())
        .collect();
    let table = context
        .read_parquet(files, ParquetReadOptions::default())
        .await?;
    context.deregister_table("t")?;
    context.register_table("t", table.into_view())?;
    Ok(())
}

/// Asks a question about the parts.
pub(crate) async fn ask(context: &SessionContext, parts: &Path, question: &str) -> Result<String> {
    register(context, parts).await?;
    let batches = context.sql(question).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

/// Waits for an answer, for a bounded time.
pub(crate) fn wait<T>(question: impl Future<Output = Result<T>>) -> Result<T> {
    let bounded = async { tokio::time::timeout(PATIENCE, question).await };
    Runtime::new()
        .unwrap()
        .block_on(bounded)
        .expect("it takes too long")
}

/// The answer of this machine.
pub(crate) fn answer_here(parts: &Path, question: &str) -> String {
    wait(ask(&SessionContext::new(), parts, question)).unwrap()
}

/// What an error of a query means.
pub(crate) fn cluster_error(error: &DataFusionError) -> &ClusterError {
    let DataFusionError::External(inner) = error.find_root() else {
        panic!("not ours: {error}");
    };
    inner
        .downcast_ref()
        .unwrap_or_else(|| panic!("not ours: {error}"))
}
