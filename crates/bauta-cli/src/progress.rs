//! Progress on standard error, and Ctrl-C.

mod estimate;

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bauta_data::Watch;
use bauta_plan::run::RunWatch;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::print::harmless;
use crate::screen;
use estimate::Stage;

/// Set by Ctrl-C; every method looks at it.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Shows one line with an estimate of all that is still to come while a person watches, and stops the work on Ctrl-C.
pub(crate) struct Progress {
    bar: ProgressBar,
    stage: Arc<Mutex<Stage>>,
    began: Instant,
}

impl Progress {
    /// A line on a terminal, nothing elsewhere or when asked to be quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        // A second Ctrl-C ends the process at once; outputs are still whole or absent.
        let _ = ctrlc::set_handler(|| {
            if CANCELLED.swap(true, Ordering::SeqCst) {
                std::process::exit(2);
            }
        });
        let bar = if quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        let (began, stage) = (Instant::now(), Arc::new(Mutex::new(Stage::default())));
        let shown = Arc::clone(&stage);
        let line = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let stage = shown.lock().unwrap_or_else(PoisonError::into_inner);
            // One column less: some terminals go to the next line when the last one is written.
            let width = screen::width_of_talk() - 1;
            let _ = out.write_str(&stage.line(began.elapsed().as_secs_f64(), width));
        };
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", line));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, stage, began }
    }

    /// Names the piece of work that begins, of so many, while the bar and its estimate go on over all of them.
    pub(crate) fn name(&self, name: &str, number: usize, total: usize) {
        let name = format!("{number}/{total} {}", harmless(name));
        self.change(|stage, _| stage.rename(name));
    }

    fn change(&self, change: impl FnOnce(&mut Stage, f64)) {
        if self.bar.is_hidden() {
            return;
        }
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stage, self.began.elapsed().as_secs_f64());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn progress(&self, done: u64, total: u64) {
        self.change(|stage, now| stage.progress(done, total, now));
    }

    fn cancelled(&self) -> bool {
        CANCELLED.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> Option<f64> {
        Some(self.began.elapsed().as_secs_f64())
    }
}

impl RunWatch for Progress {
    fn stage(&self, name: &str, number: usize, total: usize) {
        let name = harmless(name);
        self.change(|stage, now| *stage = Stage::begin(&name, number, total, now));
    }
}
