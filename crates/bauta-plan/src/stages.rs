//! The stages of a run: their names for whoever watches, and their times.

use std::time::Instant;

use bauta_data::{Unwatched, Watch};

use crate::clock::now_utc;
use crate::record::{StageTime, TimesRecord};

/// Someone who watches a run.
pub trait RunWatch: Watch {
    /// The next stage begins; `number` of `total`, from 1.
    fn stage(&self, name: &str, number: usize, total: usize);
}

impl RunWatch for Unwatched {
    fn stage(&self, _name: &str, _number: usize, _total: usize) {}
}

/// Names and times the stages of a run.
pub(crate) struct Stages<'a> {
    watch: &'a dyn RunWatch,
    total: usize,
    started: String,
    start: Instant,
    current: Option<(String, Instant)>,
    done: Vec<StageTime>,
}

impl<'a> Stages<'a> {
    /// So many stages in all.
    pub(crate) fn new(total: usize, watch: &'a dyn RunWatch) -> Self {
        Self {
            watch,
            total,
            started: now_utc(),
            start: Instant::now(),
            current: None,
            done: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, name: &str) {
        self.end();
        self.watch.stage(name, self.done.len() + 1, self.total);
        self.current = Some((name.to_owned(), Instant::now()));
    }

    /// Whoever watches.
    pub(crate) fn watch(&self) -> &'a dyn RunWatch {
        self.watch
    }

    fn end(&mut self) {
        if let Some((stage, since)) = self.current.take() {
            self.done.push(StageTime {
                stage,
                seconds: since.elapsed().as_secs_f64(),
            });
        }
    }

    pub(crate) fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        self.begin(name);
        let result = work();
        self.end();
        result
    }

    pub(crate) fn finish(mut self) -> TimesRecord {
        self.end();
        TimesRecord {
            started: self.started,
            seconds: self.start.elapsed().as_secs_f64(),
            stages: self.done,
            threads: rayon::current_num_threads() as u64,
            store: None,
        }
    }
}
