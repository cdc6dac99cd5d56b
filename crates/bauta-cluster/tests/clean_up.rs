//! Data of jobs: who can read them, and when they go.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::process::Signal;

use crate::support::{LONG, Part, Parts, all_below, ask, job_files, parts, wait, wait_until};

/// Runs a long query until there are data of it.
fn with_data(cluster: &Parts) -> thread::JoinHandle<datafusion::error::Result<String>> {
    let data = parts(cluster.folder.path(), 8, 100_000);
    let context = cluster.connect().unwrap().context();
    let asked = thread::spawn(move || wait(ask(&context, &data, LONG)));
    wait_until("shuffle files", || !job_files(&cluster.work[0]).is_empty());
    asked
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode() & 0o077)
}

fn own_folder(work: &Path) -> PathBuf {
    let entries: Vec<PathBuf> = fs::read_dir(work)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].clone()
}

#[test]
fn data_are_their_owners_alone_and_go_with_the_job() {
    let cluster = Parts::new(1);
    let asked = with_data(&cluster);
    let below = all_below(&cluster.work[0]);
    assert!(below.iter().any(|path| path.is_file()));
    for path in &below {
        assert_eq!(mode(path), 0, "{}", path.display());
    }
    asked.join().unwrap().unwrap();
    wait_until("no data", || job_files(&cluster.work[0]).is_empty());
    let jobs = own_folder(&cluster.work[0]).join("jobs");
    wait_until("no folder of a job", || {
        fs::read_dir(&jobs).unwrap().next().is_none()
    });
}

#[test]
fn data_of_a_client_that_left_go() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 8, 100_000);
    let context = cluster.connect().unwrap().context();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(async move { ask(&context, &data, LONG).await });
    wait_until("shuffle files", || !job_files(&cluster.work[0]).is_empty());
    // The session goes with the query, in the middle of it.
    runtime.shutdown_background();
    wait_until("no data", || job_files(&cluster.work[0]).is_empty());
}

#[test]
fn an_executor_that_is_asked_to_end_leaves_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut cluster = Parts::new(1);
        let _asked = with_data(&cluster);
        let executor = cluster.executors.remove(0);
        executor.signal(signal);
        assert!(executor.ended().success());
        assert_eq!(all_below(&cluster.work[0]), Vec::<PathBuf>::new());
        cluster.scheduler.signal(signal);
        let Parts { scheduler, .. } = cluster;
        assert!(scheduler.ended().success());
    }
}

#[test]
fn what_a_killed_executor_left_goes_with_the_next_start() {
    let mut cluster = Parts::new(1);
    let work = cluster.work[0].clone();
    let _asked = with_data(&cluster);
    let left = own_folder(&work);
    let executor = cluster.executors.remove(0);
    executor.signal(Signal::KILL);
    assert!(!executor.ended().success());
    assert!(!job_files(&work).is_empty());
    let strangers = work.join("bauta-executor-of-somebody");
    fs::create_dir(&strangers).unwrap();
    fs::write(strangers.join("data"), "1").unwrap();

    let _executor = Part::executor(&cluster.scheduler, &work, &cluster.files);
    assert!(!left.exists());
    assert!(strangers.join("data").exists());
}
