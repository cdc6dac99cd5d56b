//! Progress on standard error, and Ctrl-C.

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bauta_data::Watch;
use bauta_plan::estimate::Stage;
use bauta_plan::run::RunWatch;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::print::{harmless, say};
use crate::screen;

/// Set by Ctrl-C; every method looks at it.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C asked to stop.
#[cfg(feature = "engine")]
pub(crate) fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Whether Ctrl-C asked to stop, for work that shows no progress here. A second one ends the process at once.
pub(crate) fn until_stopped() -> impl Fn() -> bool + Sync {
    heed_interrupts();
    || CANCELLED.load(Ordering::Relaxed)
}

fn heed_interrupts() {
    // A second Ctrl-C ends the process at once; outputs are still whole or absent.
    let _ = ctrlc::set_handler(|| {
        if CANCELLED.swap(true, Ordering::SeqCst) {
            std::process::exit(2);
        }
    });
}

/// Shows one line with an estimate of all that is still to come while a person watches, and stops the work on Ctrl-C.
pub(crate) struct Progress {
    bar: ProgressBar,
    stage: Arc<Mutex<Stage>>,
    began: Instant,
    /// When a line was last written for whoever reads a log and not a terminal; none where nobody wants any.
    logged: Option<Mutex<Instant>>,
}

/// Between two lines of a log.
const LOG_PAUSE: Duration = Duration::from_secs(30);
/// Columns of a line of a log.
const LOG_WIDTH: usize = 79;

impl Progress {
    /// A line on a terminal that changes, a line now and then elsewhere, and nothing when asked to be quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        heed_interrupts();
        let is_terminal = std::io::stderr().is_terminal();
        let logged = (!quiet && !is_terminal).then(|| Mutex::new(Instant::now()));
        let bar = if quiet || !is_terminal {
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
        Self {
            bar,
            stage,
            began,
            logged,
        }
    }

    /// Names the piece of work that begins, of so many, while the bar and its estimate go on over all of them.
    pub(crate) fn name(&self, name: &str, number: usize, total: usize) {
        let name = format!("{number}/{total} {}", harmless(name));
        self.change(|stage, _| stage.rename(name));
    }

    fn change(&self, change: impl FnOnce(&mut Stage, f64)) {
        if self.bar.is_hidden() && self.logged.is_none() {
            return;
        }
        let now = self.began.elapsed().as_secs_f64();
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stage, now);
        if let Some(logged) = &self.logged {
            let mut logged = logged.lock().unwrap_or_else(PoisonError::into_inner);
            if logged.elapsed() >= LOG_PAUSE {
                *logged = Instant::now();
                say!("{}", stage.line(now, LOG_WIDTH));
            }
        }
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
