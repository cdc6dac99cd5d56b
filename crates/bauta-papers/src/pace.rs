//! How far a paper is. Its methods report to nobody: a bar that begins anew for each of a thousand masks says nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use bauta_data::Watch;

/// Counts the pieces of a paper's work that are done and tells the one who watches.
pub(crate) struct Pace<'w> {
    watch: &'w dyn Watch,
    done: AtomicU64,
    total: u64,
}

impl<'w> Pace<'w> {
    /// Work of so many pieces.
    pub(crate) fn new(watch: &'w dyn Watch, total: u64) -> Self {
        watch.progress(0, total);
        Self {
            watch,
            done: AtomicU64::new(0),
            total,
        }
    }

    /// So many more pieces are done.
    pub(crate) fn done(&self, pieces: u64) {
        let done = self.done.fetch_add(pieces, Ordering::Relaxed) + pieces;
        self.watch.progress(done.min(self.total), self.total);
    }
}

impl Watch for Pace<'_> {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }

    fn seconds(&self) -> Option<f64> {
        self.watch.seconds()
    }
}

/// One of several papers, as a part of the whole: its pieces become shares of its part.
pub(crate) struct PartOfAll<'w> {
    /// Who watches the whole.
    pub(crate) watch: &'w dyn Watch,
    /// What was done before it.
    pub(crate) before: u64,
    /// What it is of the whole.
    pub(crate) part: u64,
    /// The whole.
    pub(crate) total: u64,
}

impl Watch for PartOfAll<'_> {
    fn progress(&self, done: u64, total: u64) {
        let share = done.min(total) as f64 / total.max(1) as f64;
        let here = (share * self.part as f64) as u64;
        self.watch.progress(self.before + here, self.total);
    }

    fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }

    fn seconds(&self) -> Option<f64> {
        self.watch.seconds()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<(u64, u64)>>);

    impl Watch for Told {
        fn progress(&self, done: u64, total: u64) {
            self.0.lock().expect("no thread panics").push((done, total));
        }

        fn cancelled(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_paper_moves_its_part_of_the_whole_and_its_methods_move_nothing() {
        let told = Told::default();
        let part = PartOfAll {
            watch: &told,
            before: 30,
            part: 50,
            total: 100,
        };
        let pace = Pace::new(&part, 4);
        pace.progress(7, 9);
        pace.done(1);
        pace.done(3);
        // 30, 30 + 50 / 4, 30 + 50.
        let told = told.0.into_inner().expect("no thread panics");
        assert_eq!(told, [(30, 100), (42, 100), (80, 100)]);
    }
}
