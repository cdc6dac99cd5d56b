//! Progress on standard error, and Ctrl-C.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bauta_data::Watch;
use bauta_plan::run::RunWatch;
use indicatif::{ProgressBar, ProgressStyle};

use crate::print::harmless;

/// Set by Ctrl-C; every method looks at it.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Shows a bar with an estimate while a person watches, and stops the work on Ctrl-C.
pub(crate) struct Progress {
    bar: ProgressBar,
    began: Instant,
}

impl Progress {
    /// A bar on a terminal, nothing elsewhere or when asked to be quiet.
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
        let style = ProgressStyle::with_template(
            "{prefix:>8} {msg:24!} {bar:30} {percent:>3} %  {elapsed} (still {eta})",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            began: Instant::now(),
        }
    }
}

impl Progress {
    /// Names the piece of work that begins, of so many, while the bar and its estimate go on over all of them.
    pub(crate) fn name(&self, name: &str, number: usize, total: usize) {
        self.bar.set_prefix(format!("{number}/{total}"));
        self.bar.set_message(harmless(name).into_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn progress(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
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
        self.bar.reset();
        self.bar.set_length(1);
        self.name(name, number, total);
    }
}
