//! The engine's own work on a cluster: the same answers as on this machine.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bauta_data::{Unwatched, Watch};
use bauta_engine::{Direction, Limits, Parts as Records, Session};
use datafusion::arrow::array::{
    ArrayRef, Decimal128Array, Float64Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::parquet::arrow::ArrowWriter;

use crate::support::{Parts, job_files, wait_until};

/// Parts as the engine wants them, made by arithmetic.
fn records(folder: &Path, n_parts: u32, n_records: u32) -> Records {
    let folder = folder.join("records");
    fs::create_dir(&folder).unwrap();
    let fields = [
        ("row", DataType::UInt32),
        ("age", DataType::UInt8),
        ("region", DataType::UInt16),
        ("weight", DataType::Decimal128(20, 0)),
        ("income", DataType::Float64),
    ];
    let fields = fields.map(|(name, kind)| Field::new(name, kind, false));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let paths = (0..n_parts).map(|part| {
        let path = folder.join(format!("part {part} *.bauta"));
        let rows = (part * n_records)..((part + 1) * n_records);
        let weights = rows.clone().map(|row| i128::from(row % 7) << 40);
        let weights: Decimal128Array = weights.map(Some).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.clone().collect::<UInt32Array>()),
            Arc::new(
                rows.clone()
                    .map(|row| (row % 97 * 31 % 97) as u8)
                    .collect::<UInt8Array>(),
            ),
            Arc::new(
                rows.clone()
                    .map(|row| (row % 1009 * 791 % 1009) as u16)
                    .collect::<UInt16Array>(),
            ),
            Arc::new(weights.with_precision_and_scale(20, 0).unwrap()),
            Arc::new(
                rows.map(|row| f64::from(row % 5003 * 729 % 5003) / 8.0)
                    .collect::<Float64Array>(),
            ),
        ];
        let mut writer =
            ArrowWriter::try_new(File::create(&path).unwrap(), Arc::clone(&schema), None).unwrap();
        writer
            .write(&RecordBatch::try_new(Arc::clone(&schema), columns).unwrap())
            .unwrap();
        writer.close().unwrap();
        path
    });
    Records::of(paths.collect::<Vec<PathBuf>>()).unwrap()
}

fn answers(session: &Session, records: &Records) -> [String; 2] {
    let classes = session
        .count(records, &["age", "region"], Some("weight"), &Unwatched)
        .unwrap();
    let mut sorted = Vec::new();
    let by = [("income", Direction::Descending)];
    let keep = |batch: &RecordBatch| {
        sorted.push(batch.clone());
        Ok(())
    };
    session
        .sorted(records, &by, &["row", "income"], &Unwatched, keep)
        .unwrap();
    [
        format!("{classes:?}"),
        pretty_format_batches(&sorted).unwrap().to_string(),
    ]
}

#[test]
fn classes_and_order_are_those_of_this_machine() {
    let cluster = Parts::new(2);
    let records = records(cluster.folder.path(), 3, 7_000);
    let spill = cluster.folder.path().join("spill");
    let here = Session::local(&Limits {
        memory: None,
        spill,
        partitions: 2,
    })
    .unwrap();
    let there = Session::of(cluster.connect().unwrap().context()).unwrap();
    assert!(answers(&here, &records) == answers(&there, &records));
}

struct Impatient(AtomicBool);

impl Watch for Impatient {
    fn progress(&self, _: u64, _: u64) {}

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn who_watches_can_stop_the_cluster() {
    let cluster = Parts::new(1);
    let records = records(cluster.folder.path(), 8, 200_000);
    let there = Session::of(cluster.connect().unwrap().context()).unwrap();
    let watch = Impatient(AtomicBool::new(false));
    thread::scope(|scope| {
        let asked = scope.spawn(|| there.sizes(&records, &["row"], &watch));
        wait_until("shuffle files", || !job_files(&cluster.work[0]).is_empty());
        watch.0.store(true, Ordering::Relaxed);
        assert!(asked.join().unwrap().unwrap_err().is_cancelled());
    });
    wait_until("no data", || job_files(&cluster.work[0]).is_empty());
}
