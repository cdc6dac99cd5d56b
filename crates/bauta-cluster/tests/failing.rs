//! What is said when something is missing.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use bauta_cluster::{ClusterError, Credentials, connect};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::collect;
use datafusion::prelude::ParquetReadOptions;
use rustix::process::Signal;

use crate::support::{
    COUNTS, Parts, address, answer_here, ask, cluster_error, parts, register, wait,
};

/// No connection takes longer to fail.
const SOON: Duration = Duration::from_secs(12);

#[test]
fn nobody_there_and_somebody_silent_are_told_soon() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = address(listener.local_addr().unwrap());
    let start = Instant::now();
    let error = connect(&silent, &Credentials::default()).unwrap_err();
    assert!(
        matches!(error, ClusterError::OtherService { .. }),
        "{error}"
    );
    drop(listener);
    let error = connect(&silent, &Credentials::default()).unwrap_err();
    assert!(matches!(error, ClusterError::Unreachable { .. }), "{error}");
    assert!(
        error.to_string().contains("bauta-cluster scheduler"),
        "{error}"
    );
    assert!(start.elapsed() < SOON);
}

#[test]
fn a_scheduler_without_executors_is_told() {
    let cluster = Parts::new(0);
    let error = cluster.connect().unwrap_err();
    assert!(matches!(error, ClusterError::NoExecutors { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("bauta-cluster executor --scheduler 127.0.0.1:"),
        "{error}"
    );
}

#[test]
fn a_file_that_the_scheduler_does_not_have_is_named() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 3, 1_000);
    let context = cluster.connect().unwrap().context();
    let gone = data.join("part-1.parquet");
    let away = cluster.folder.path().join("away");
    for at in ["when it is asked", "when it is planned"] {
        let asked = wait(async {
            register(&context, &data).await?;
            let frame = context.sql(COUNTS).await?;
            if at == "when it is planned" {
                let plan = frame.create_physical_plan().await?;
                fs::rename(&gone, &away).unwrap();
                return collect(plan, context.task_ctx()).await;
            }
            fs::rename(&gone, &away).unwrap();
            frame.collect().await
        });
        let error = asked.unwrap_err();
        let told = cluster_error(&error).to_string();
        assert!(
            told.contains("part-1.parquet as this machine does"),
            "{at}: {told}"
        );
        fs::rename(&away, &gone).unwrap();
    }
    // The cluster goes on.
    assert_eq!(
        wait(ask(&context, &data, COUNTS)).unwrap(),
        answer_here(&data, COUNTS)
    );
}

#[test]
fn a_file_that_an_executor_does_not_have_is_named() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 3, 1_000);
    let context = cluster.connect().unwrap().context();
    // The executor gets its task when the scheduler has looked at the files, and the file is gone.
    cluster.executors[0].signal(Signal::STOP);
    let asked = std::thread::spawn({
        let (context, data) = (context.clone(), data.clone());
        move || wait(ask(&context, &data, COUNTS))
    });
    std::thread::sleep(Duration::from_secs(3));
    let gone = data.join("part-1.parquet");
    let away = cluster.folder.path().join("away");
    fs::rename(&gone, &away).unwrap();
    cluster.executors[0].signal(Signal::CONT);
    let error = asked.join().unwrap().unwrap_err();
    let told = cluster_error(&error).to_string();
    assert!(
        told.contains("part-1.parquet as this machine does"),
        "{told}"
    );
}

#[test]
fn a_folder_is_refused_because_it_may_hold_other_files_there() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 3, 10);
    let context = cluster.connect().unwrap().context();
    let asked = wait(async {
        let folder = data.to_str().unwrap();
        context
            .register_parquet("t", folder, ParquetReadOptions::default())
            .await?;
        context.sql(COUNTS).await?.collect().await
    });
    let error = asked.unwrap_err();
    assert!(
        matches!(cluster_error(&error), ClusterError::Folder { .. }),
        "{error}"
    );
}

#[test]
fn cells_are_not_quoted() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 1, 1_000);
    let context = cluster.connect().unwrap().context();
    let question = "SELECT arrow_cast(concat('cell-', person), 'Int64') AS x FROM t";
    let error: DataFusionError = wait(ask(&context, &data, question)).unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(!told.contains("cell-1"), "{told}");
    assert!(
        matches!(cluster_error(&error), ClusterError::Query { .. }),
        "{told}"
    );
}
