//! A process that works through cases, so that one that hangs or dies takes no other with it.

use std::io::{BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use serde::{Deserialize, Serialize};

use super::case::Case;
use super::draws::Draws;
use super::finding::{Finding, Oracle, Outcome};
use super::targets::{self, Target};
use super::world::{Patience, World};

/// Counts the bytes that a case needs.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Processor time after which a case is told to stop. Time of the clock would depend on who else works here.
const SECONDS: f64 = 10.0;

/// Memory that no case may need: its files have some kilobytes.
const BYTES: usize = 256 << 20;

/// Address space of the process: what asks for more dies, and the case is known.
const ADDRESSES: u64 = 4 << 30;

/// Where the last panic was and what it said.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Processor time, in milliseconds, at which the case that runs began.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// What a worker is asked to do, one per line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Makes and runs cases.
    Run { target: String, from: u64, to: u64 },
    /// Runs a case that lies in a file.
    RunFile { target: String, file: String },
    /// Makes a case and puts it into a file.
    Make {
        target: String,
        case: u64,
        file: String,
    },
}

/// What a worker says, one per line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// This case begins.
    Begins(u64),
    /// It ended.
    Ended(Ended),
    /// All that was asked for is done, or could not be.
    Idle(Result<(), String>),
}

/// What came of a case and what it took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// Seconds by the clock.
    pub(crate) seconds: f64,
    /// Most bytes that it needed at a time.
    pub(crate) n_bytes: usize,
}

/// Answers requests until there are no more.
pub(crate) fn work(seed: u64) -> Result<(), String> {
    limit_addresses();
    note_panics();
    watch_time();
    let world = World::new(seed)?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("nobody asks any more: {error}"))?;
        let request = serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))?;
        let done = answer(request, &world);
        say(&Reply::Idle(done));
    }
    Ok(())
}

fn say(reply: &Reply) {
    let line = serde_json::to_string(reply).expect("replies are JSON");
    let mut out = std::io::stdout().lock();
    // Without a listener there is nothing left to do.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn answer(request: Request, world: &World) -> Result<(), String> {
    match request {
        Request::Run { target, from, to } => {
            let target = targets::named(&target)?;
            for case in from..to {
                say(&Reply::Begins(case));
                say(&Reply::Ended(measured(|| {
                    let case = made(target, case, world);
                    run(target, &case, world)
                })));
            }
        }
        Request::RunFile { target, file } => {
            let target = targets::named(&target)?;
            let text = std::fs::read_to_string(&file);
            let text = text.map_err(|error| format!("{file}: {error}"))?;
            let (case, _) = Case::unpacked(&text)?;
            say(&Reply::Begins(0));
            say(&Reply::Ended(measured(|| run(target, &case, world))));
        }
        Request::Make { target, case, file } => {
            let target = targets::named(&target)?;
            let about = format!("Seed {}, case {case}.", world.seed);
            let made = catch_unwind(AssertUnwindSafe(|| made(target, case, world)));
            let made = made.map_err(|_| {
                let said = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
                format!("case {case} cannot be made: {said}")
            })?;
            let packed = made.packed(&about);
            std::fs::write(&file, packed).map_err(|error| format!("{file}: {error}"))?;
        }
    }
    Ok(())
}

fn made(target: &dyn Target, case: u64, world: &World) -> Case {
    let mut draws = Draws::of_case(world.seed, target.name(), case);
    target.make(&mut draws, world)
}

fn run(target: &dyn Target, case: &Case, world: &World) -> Outcome {
    world.on_several(|| target.run(case, world))
}

/// Runs a case under its budgets.
pub(crate) fn measured(work: impl FnOnce() -> Outcome) -> Ended {
    Patience::renew();
    BEGAN.store(processor_milliseconds(), Ordering::Relaxed);
    let start = Instant::now();
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let said = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        Err(Finding::new(Oracle::Panic, said.clone()))
    });
    let n_bytes = MEMORY.peak_usage().saturating_sub(before);
    let seconds = start.elapsed().as_secs_f64();
    let panicked = outcome
        .as_ref()
        .is_err_and(|found| found.oracle == Oracle::Panic);
    let outcome = if panicked {
        outcome
    } else if Patience::is_at_end() {
        // Whatever else was found: work that was stopped half-way proves nothing.
        let message = format!("took {SECONDS} seconds of processor time and was told to stop");
        Err(Finding::new(Oracle::Time, message))
    } else if n_bytes > BYTES {
        let message = format!("needed {} MB", n_bytes >> 20);
        Err(Finding::new(Oracle::Memory, message))
    } else {
        outcome
    };
    Ended {
        outcome,
        seconds,
        n_bytes,
    }
}

/// Keeps the place and message of panics instead of printing them. Those that the product catches are no findings.
pub(crate) fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let said = panic
            .payload_as_str()
            .unwrap_or("something that is no text");
        let said = format!("{}\n{said}", place.unwrap_or_default());
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = said;
    }));
}

/// Ends the patience with cases that take too long.
fn watch_time() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let began = BEGAN.load(Ordering::Relaxed);
            let used = processor_milliseconds().saturating_sub(began);
            if used as f64 > SECONDS * 1000.0 {
                Patience::end();
            }
        }
    });
}

#[cfg(unix)]
fn processor_milliseconds() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    (time.tv_sec as u64) * 1000 + (time.tv_nsec as u64) / 1_000_000
}

#[cfg(not(unix))]
fn processor_milliseconds() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

#[cfg(unix)]
fn limit_addresses() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit {
        current: Some(ADDRESSES),
        maximum: Some(ADDRESSES),
    };
    // Where it cannot be set, what is counted still tells.
    let _ = setrlimit(Resource::As, limit);
}

#[cfg(not(unix))]
fn limit_addresses() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::finding::Verdict;

    #[test]
    fn a_panic_and_too_much_memory_are_found() {
        note_panics();
        let ended = measured(|| panic!("on purpose"));
        let found = ended.outcome.unwrap_err();
        assert_eq!(found.oracle, Oracle::Panic);
        assert!(found.message.contains("worker.rs") && found.message.contains("on purpose"));

        let ended = measured(|| {
            let much = vec![1_u8; BYTES + 1];
            assert_eq!(std::hint::black_box(&much).len(), BYTES + 1);
            Ok(Verdict::Accepted)
        });
        assert_eq!(ended.outcome.unwrap_err().oracle, Oracle::Memory);

        let ended = measured(|| Ok(Verdict::Refused));
        assert_eq!(ended.outcome, Ok(Verdict::Refused));
    }
}
