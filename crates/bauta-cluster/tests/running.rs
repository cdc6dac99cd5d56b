//! Queries on clusters of several sizes, and with losses.

use std::thread;
use std::time::{Duration, Instant};

use bauta_cluster::ClusterError;
use futures::StreamExt;
use rustix::process::Signal;

use crate::support::{
    COUNTS, LONG, Part, Parts, SORTED, answer_here, ask, cluster_error, job_files, parts, register,
    wait, wait_until,
};

#[test]
fn any_number_of_executors_counts_as_this_machine_does() {
    for n_executors in [1, 2, 3] {
        let cluster = Parts::new(n_executors);
        let data = parts(cluster.folder.path(), 4, 5_000);
        let connected = cluster.connect().unwrap();
        assert_eq!(connected.threads() as usize, n_executors);
        for question in [COUNTS, LONG] {
            let answer = wait(ask(&connected.context(), &data, question)).unwrap();
            assert_eq!(
                answer,
                answer_here(&data, question),
                "{n_executors} executors"
            );
        }
    }
}

#[test]
fn a_killed_executor_does_not_lose_the_query() {
    let cluster = Parts::new(2);
    let data = parts(cluster.folder.path(), 8, 150_000);
    let context = cluster.connect().unwrap().context();
    let start = Instant::now();
    let asked = thread::spawn({
        let data = data.clone();
        move || wait(ask(&context, &data, LONG))
    });
    // In the middle: it has written shuffle files that the next stage will want.
    wait_until("shuffle files of the first executor", || {
        !job_files(&cluster.work[0]).is_empty()
    });
    assert!(!asked.is_finished());
    cluster.executors[0].signal(Signal::KILL);
    let killed_at = start.elapsed();
    let answer = asked.join().unwrap().unwrap();
    println!(
        "killed after {killed_at:?}, answered after {:?}",
        start.elapsed()
    );
    assert_eq!(answer, answer_here(&data, LONG));
}

#[test]
#[ignore = "takes minutes"]
fn a_kill_at_any_moment_changes_no_answer() {
    let mut cluster = Parts::new(2);
    let data = parts(cluster.folder.path(), 8, 20_000);
    let context = cluster.connect().unwrap().context();
    for question in [LONG, SORTED] {
        let expected = answer_here(&data, question);
        // Once before: the first is slower.
        assert!(wait(ask(&context, &data, question)).unwrap() == expected);
        let start = Instant::now();
        assert!(wait(ask(&context, &data, question)).unwrap() == expected);
        let whole = start.elapsed();
        println!("without a kill: {whole:?}");
        for moment in 0..24 {
            let asked = thread::spawn({
                let (context, data) = (context.clone(), data.clone());
                move || wait(ask(&context, &data, question))
            });
            thread::sleep(whole * moment / 24);
            let killed = moment as usize % 2;
            cluster.executors[killed].signal(Signal::KILL);
            let start = Instant::now();
            let answer = asked.join().unwrap();
            let outcome = answer.as_ref().map(|answer| *answer == expected);
            println!(
                "killed at {moment}/24: {outcome:?}, {:?} later",
                start.elapsed()
            );
            assert!(outcome.unwrap());
            cluster.executors[killed] =
                Part::executor(&cluster.scheduler, &cluster.work[killed], &cluster.files);
        }
    }
}

#[test]
fn an_executor_whose_machine_is_gone_does_not_lose_the_query() {
    let cluster = Parts::new(2);
    let data = parts(cluster.folder.path(), 8, 150_000);
    let context = cluster.connect().unwrap().context();
    let asked = thread::spawn({
        let data = data.clone();
        move || wait(ask(&context, &data, LONG))
    });
    wait_until("shuffle files of the first executor", || {
        !job_files(&cluster.work[0]).is_empty()
    });
    assert!(!asked.is_finished());
    // It says nothing more, and nobody tells that its connections are closed: as after a power cut.
    cluster.executors[0].signal(Signal::STOP);
    let start = Instant::now();
    let answer = asked.join().unwrap().unwrap();
    println!("answered {:?} after the machine was gone", start.elapsed());
    assert_eq!(answer, answer_here(&data, LONG));
}

#[test]
fn a_query_that_is_dropped_is_cancelled() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 16, 150_000);
    let context = cluster.connect().unwrap().context();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let whole = Instant::now();
    runtime.block_on(async {
        register(&context, &data).await.unwrap();
        let mut batches = context
            .sql(LONG)
            .await
            .unwrap()
            .execute_stream()
            .await
            .unwrap();
        let first = tokio::time::timeout(Duration::from_millis(50), batches.next());
        assert!(first.await.is_err(), "it is a long query");
        let work = cluster.work[0].clone();
        let seen = tokio::task::spawn_blocking(move || {
            wait_until("shuffle files", || !job_files(&work).is_empty());
        });
        tokio::select! {
            _ = batches.next() => panic!("it is a long query"),
            seen = seen => seen.unwrap(),
        }
    });
    let dropped = Instant::now();
    // The one thread of the executor is free for a short query, and the data of the long one are gone.
    let few = tempfile::tempdir().unwrap();
    let few_parts = parts(few.path(), 1, 100);
    let answer = wait(ask(&context, &few_parts, COUNTS)).unwrap();
    assert_eq!(answer, answer_here(&few_parts, COUNTS));
    wait_until("no data", || job_files(&cluster.work[0]).is_empty());
    println!(
        "long query dropped after {:?}, next one done {:?} later",
        dropped - whole,
        dropped.elapsed()
    );
}

#[test]
fn a_query_that_lost_everybody_is_told() {
    let mut cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 8, 100_000);
    for lost in ["the executors", "the scheduler"] {
        let context = cluster.connect().unwrap().context();
        let asked = thread::spawn({
            let data = data.clone();
            move || wait(ask(&context, &data, LONG))
        });
        wait_until("shuffle files", || !job_files(&cluster.work[0]).is_empty());
        if lost == "the executors" {
            cluster.executors[0].signal(Signal::KILL);
        } else {
            cluster.scheduler.signal(Signal::KILL);
        }
        let start = Instant::now();
        let error = asked.join().unwrap().unwrap_err();
        let told = cluster_error(&error);
        assert!(matches!(told, ClusterError::Lost), "{lost}: {told}");
        println!("told {:?} after {lost} were lost", start.elapsed());
        if lost == "the executors" {
            cluster.executors[0] =
                Part::executor(&cluster.scheduler, &cluster.work[0], &cluster.files);
        }
    }
}

#[test]
fn executors_wait_for_a_scheduler_that_comes_back() {
    let mut cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 2, 1_000);
    let port = cluster.scheduler.address.port();
    cluster.scheduler.signal(Signal::TERM);
    let again = ["scheduler", "--port", &port.to_string()].map(str::to_owned);
    let ended = std::mem::replace(&mut cluster.scheduler, Part::scheduler(&cluster.files));
    assert!(ended.ended().success());
    cluster.scheduler = Part::start(&again);
    let mut connected = None;
    wait_until("the executor", || {
        connected = cluster.connect().ok();
        connected.is_some()
    });
    let answer = wait(ask(&connected.unwrap().context(), &data, COUNTS)).unwrap();
    assert_eq!(answer, answer_here(&data, COUNTS));
}
