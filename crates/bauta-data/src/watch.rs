//! Long work reports how far it is and asks whether to go on.

/// Someone who watches long work. Called from any thread, often; must return fast.
pub trait Watch: Sync {
    /// `done` of `total` units of the current piece of work are finished.
    fn progress(&self, done: u64, total: u64);

    /// Whether the work should stop.
    fn cancelled(&self) -> bool;

    /// Seconds since some moment; none where nobody has a clock. The statistics have none of their own: what depends
    /// on time depends on who watches, and says so.
    fn seconds(&self) -> Option<f64> {
        None
    }
}

/// Nobody watches: no progress, never cancelled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}
