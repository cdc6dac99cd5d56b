//! What is said when something is missing.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use bauta_cluster::{ClusterError, Credentials, connect};
use datafusion::error::DataFusionError;
use datafusion::prelude::ParquetReadOptions;

use crate::support::{COUNTS, Parts, address, answer_here, ask, cluster_error, parts, wait};

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
fn a_file_that_executors_do_not_have_is_named() {
    let cluster = Parts::new(1);
    let data = parts(cluster.folder.path(), 3, 1_000);
    let context = cluster.connect().unwrap().context();
    let gone = data.join("part-1.parquet");
    let away = data.join("away");
    let asked = wait(async {
        let one = gone.to_str().unwrap();
        context
            .register_parquet("one", one, ParquetReadOptions::default())
            .await?;
        let frame = context
            .sql("SELECT sex, count(*) AS n FROM one GROUP BY sex")
            .await?;
        fs::rename(&gone, &away).unwrap();
        frame.collect().await
    });
    let error = asked.unwrap_err();
    let told = cluster_error(&error);
    assert!(
        matches!(told, ClusterError::File { .. }),
        "{told} of {error}"
    );
    // The cluster goes on.
    fs::rename(&away, &gone).unwrap();
    assert_eq!(
        wait(ask(&context, &data, COUNTS)).unwrap(),
        answer_here(&data, COUNTS)
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
