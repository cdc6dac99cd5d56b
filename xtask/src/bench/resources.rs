//! Time and memory of this process: processor time where there is Unix, memory where Linux tells; elsewhere only the clock.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::figures::Figures;
use crate::memory::kilobytes;

/// Runs go on until they have taken this long together.
const ENOUGH_SECONDS: f64 = 0.5;
/// Or until there are so many.
const MAX_RUNS: usize = 200;

/// Runs some work until its time is known well enough; returns the figures and its last result.
pub(super) fn measured<T>(work: impl FnMut() -> Result<T, String>) -> Result<(Figures, T), String> {
    repeated(MAX_RUNS, work)
}

/// Runs some work once, as a command does: with memory that nobody used before.
pub(super) fn measured_once<T>(
    work: impl FnMut() -> Result<T, String>,
) -> Result<(Figures, T), String> {
    repeated(1, work)
}

fn repeated<T>(
    most_runs: usize,
    mut work: impl FnMut() -> Result<T, String>,
) -> Result<(Figures, T), String> {
    let input_mb = resident_mb();
    let is_reset = reset_peak();
    let (mut best, mut total, mut n_runs) = (f64::INFINITY, 0.0, 0);
    let mut best_cpu = None::<f64>;
    let last = loop {
        let (start, cpu_before) = (Instant::now(), cpu_seconds());
        let result = work()?;
        let seconds = start.elapsed().as_secs_f64();
        best = best.min(seconds);
        let cpu = cpu_before.zip(cpu_seconds());
        let cpu = cpu.map(|(before, after)| best_cpu.unwrap_or(f64::INFINITY).min(after - before));
        best_cpu = cpu.or(best_cpu);
        total += seconds;
        n_runs += 1;
        if total >= ENOUGH_SECONDS || n_runs == most_runs {
            break result;
        }
    };
    let figures = Figures {
        seconds: best,
        cpu_seconds: best_cpu,
        // Without a reset the peak would be that of making the input.
        peak_mb: peak_mb().filter(|_| is_reset),
        input_mb,
        ..Figures::default()
    };
    Ok((figures, last))
}

/// How often the memory of a command is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs a command to its end: what it took from its start on, and what it printed.
pub(super) fn of_command(command: &mut Command) -> Result<(Figures, String), String> {
    let problem = |error: std::io::Error| format!("cannot run a command: {error}");
    let printed = std::env::temp_dir().join(format!("bauta-bench-{}.txt", std::process::id()));
    let out = std::fs::File::create(&printed).map_err(problem)?;
    let (start, cpu_before) = (Instant::now(), cpu_seconds_of_children());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .spawn()
        .map_err(problem)?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = None;
    let status = loop {
        let status = std::fs::read_to_string(&status_file).unwrap_or_default();
        peak = kilobytes(&status, "VmHWM:")
            .map(|kb| kb * 1024.0 / 1e6)
            .or(peak);
        if let Some(status) = child.try_wait().map_err(problem)? {
            break status;
        }
        std::thread::sleep(PAUSE);
    };
    let figures = Figures {
        seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: (cpu_before.zip(cpu_seconds_of_children()))
            .map(|(before, after)| after - before),
        peak_mb: peak,
        ..Figures::default()
    };
    let text = std::fs::read_to_string(&printed).map_err(problem);
    let _ = std::fs::remove_file(&printed);
    if status.success() {
        Ok((figures, text?))
    } else {
        Err(format!("a command failed: {command:?}"))
    }
}

/// Processor time of all processes that were started here and have ended; hundredths of a second.
fn cpu_seconds_of_children() -> Option<f64> {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold blanks.
    let (_, fields) = text.rsplit_once(") ")?;
    let mut times = fields.split_whitespace().skip(13).take(2);
    let mut next = || times.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / TICKS)
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

/// Processor time of this process so far, with that of threads that have ended.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
pub(super) fn cpu_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Some(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9)
}

/// Elsewhere nobody is asked.
#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> Option<f64> {
    None
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
