//! Places in the publishing stage at which a test ends the process, as a kill would.

/// Number of the place at which to end, from 1, in programs built for tests.
#[cfg(debug_assertions)]
const FAIL_AT: &str = "BAUTA_FAIL_AT";

/// Ends the process here if a test asks for it. Does nothing in a release build.
#[cfg(debug_assertions)]
pub(super) fn fail_point() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static WANTED: OnceLock<Option<u64>> = OnceLock::new();
    static REACHED: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| std::env::var(FAIL_AT).ok()?.parse().ok());
    if let Some(wanted) = wanted
        && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == *wanted
    {
        std::process::abort();
    }
}

/// Ends the process here if a test asks for it. Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(super) const fn fail_point() {}
