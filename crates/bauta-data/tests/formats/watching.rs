//! Progress, cancellation, and the same result on any number of threads.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use bauta_data::format::{self, FileFormat, TextStyle};
use bauta_data::{DataErrorKind, Watch};

use crate::{declared, number, read, write_parquet, write_text};

/// Counts reports of progress and asks to stop after some.
struct Watcher {
    n_reports: AtomicU64,
    stop_after: u64,
    last: AtomicU64,
}

impl Watcher {
    fn new(stop_after: u64) -> Self {
        Self {
            n_reports: AtomicU64::new(0),
            stop_after,
            last: AtomicU64::new(0),
        }
    }
}

impl Watch for Watcher {
    fn progress(&self, done: u64, total: u64) {
        assert!(done <= total);
        assert!(self.last.fetch_max(done, Ordering::Relaxed) <= done);
        self.n_reports.fetch_add(1, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.n_reports.load(Ordering::Relaxed) >= self.stop_after
    }
}

/// Enough records for several batches and blocks.
fn long_text() -> String {
    let mut text = String::from("id,x,y,job\n");
    for record in 0..150_000 {
        let _ = writeln!(
            text,
            "{record},{}.50,{},job {}",
            record % 100,
            record * 3,
            record % 7
        );
    }
    text
}

#[test]
fn reading_reports_progress_and_can_be_cancelled() {
    let text = long_text();
    let options = declared(vec![number("x"), number("y")]);
    let table = read("x.csv", text.as_bytes(), &options).unwrap().table;
    for (name, bytes) in [
        ("x.csv", text.into_bytes()),
        ("x.parquet", write_parquet(&table)),
    ] {
        let run = |stop_after| {
            let watcher = Watcher::new(stop_after);
            let result = format::read_bytes(Path::new(name), bytes.clone(), &options, &watcher);
            (result, watcher)
        };
        let (whole, watcher) = run(u64::MAX);
        assert!(whole.is_ok());
        assert!(watcher.n_reports.into_inner() > 2, "{name}");
        for stop_after in 0..3 {
            let (stopped, _) = run(stop_after);
            assert_eq!(
                stopped.unwrap_err().kind,
                DataErrorKind::Cancelled,
                "{name}"
            );
        }
    }
}

#[test]
fn writing_reports_progress_and_can_be_cancelled() {
    let options = declared(vec![number("x"), number("y")]);
    let table = read("x.csv", long_text().as_bytes(), &options)
        .unwrap()
        .table;
    for format in [FileFormat::Text, FileFormat::Parquet] {
        let run = |stop_after| {
            let watcher = Watcher::new(stop_after);
            let (style, mut out) = (TextStyle::default(), Vec::new());
            let result =
                format::write(&mut out, Path::new("out"), &table, format, &style, &watcher);
            (result, watcher)
        };
        let (whole, watcher) = run(u64::MAX);
        assert!(whole.is_ok());
        assert_eq!(watcher.last.into_inner(), 150_000);
        for stop_after in 0..2 {
            let (stopped, _) = run(stop_after);
            assert_eq!(stopped.unwrap_err().kind, DataErrorKind::Cancelled);
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same() {
    let text = long_text();
    let broken = text.replace(",99.50,", ",x,");
    let options = declared(vec![number("x"), number("y")]);
    let run = || {
        let loaded = read("x.csv", text.as_bytes(), &options).unwrap();
        let error = read("x.csv", broken.as_bytes(), &options).unwrap_err();
        let released = (
            write_text(&loaded.table, &loaded.style),
            write_parquet(&loaded.table),
        );
        (released, loaded.fingerprint, error)
    };
    let on = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build();
        pool.unwrap().install(run)
    };
    let (one, two) = (on(1), on(2));
    assert!(one == two);
    assert_eq!(one.0.0, text.as_bytes());
    assert_eq!(one.2.n_more, 1500 - 20);
}
