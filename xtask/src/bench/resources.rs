//! Time and memory of this process, from what Linux tells; elsewhere only the clock.

use std::time::Instant;

use super::figures::Figures;
use crate::memory::kilobytes;

/// Runs go on until they have taken this long together.
const ENOUGH_SECONDS: f64 = 0.5;
/// Or until there are so many.
const MAX_RUNS: usize = 200;

/// Runs some work until its time is known well enough; returns the figures and its last result.
pub(super) fn measured<T>(
    mut work: impl FnMut() -> Result<T, String>,
) -> Result<(Figures, T), String> {
    let input_mb = resident_mb();
    let is_reset = reset_peak();
    let (mut best, mut total, mut n_runs) = (f64::INFINITY, 0.0, 0);
    let cpu_before = cpu_seconds();
    let last = loop {
        let start = Instant::now();
        let result = work()?;
        let seconds = start.elapsed().as_secs_f64();
        best = best.min(seconds);
        total += seconds;
        n_runs += 1;
        if total >= ENOUGH_SECONDS || n_runs == MAX_RUNS {
            break result;
        }
    };
    let cpu = cpu_before
        .zip(cpu_seconds())
        .map(|(before, after)| (after - before) / n_runs as f64);
    let figures = Figures {
        seconds: best,
        cpu_seconds: cpu,
        // Without a reset the peak would be that of making the input.
        peak_mb: peak_mb().filter(|_| is_reset),
        input_mb,
        ..Figures::default()
    };
    Ok((figures, last))
}

/// Starts the search for the peak anew.
pub(super) fn reset_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// Largest memory so far, in MB.
pub(super) fn peak_mb() -> Option<f64> {
    status_mb("VmHWM:")
}

/// Memory now, in MB.
pub(super) fn resident_mb() -> Option<f64> {
    status_mb("VmRSS:")
}

/// Processes that wanted to run, on average over the last minute.
pub(super) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn status_mb(field: &str) -> Option<f64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, field)
        .map(|kb| kb * 1024.0 / 1e6)
}

/// Processor time of all threads so far.
pub(super) fn cpu_seconds() -> Option<f64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let mut nanoseconds = 0.0;
    for thread in threads.flatten() {
        // A thread that ended between listing and reading has no more time to add.
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        nanoseconds += text
            .split_whitespace()
            .next()
            .and_then(|first| first.parse().ok())
            .unwrap_or(0.0);
    }
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_repeated_until_its_time_is_known() {
        let mut n_runs = 0;
        let (figures, last) = measured(|| {
            n_runs += 1;
            Ok(n_runs)
        })
        .unwrap();
        assert_eq!(last, MAX_RUNS, "nothing takes no time");
        assert!(figures.seconds < 0.1);
        assert!(measured(|| Err::<(), _>("broken".to_owned())).is_err());
    }
}
