//! How memory is shared among the pieces of work.

use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, PoisonError};

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// DataFusion's `FairSpillPool` with room left for merges. There, what can be spilled may fill the pool, each piece its
/// share. A sort that spills gives its reserve back a moment before it merges what it has in memory; another piece,
/// waiting for just that, takes it, and the sort fails although all of it could have gone to the disk. Here pieces that
/// can spill never fill more than [`SPILLABLE`] of the pool, and the rest is for those that cannot.
#[derive(Debug)]
pub(crate) struct RoomForMerges {
    size: usize,
    held: Mutex<Held>,
}

/// What is taken.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// Pieces that can spill.
    n_spillers: usize,
    /// Bytes that they hold.
    spillable: usize,
    /// Bytes that the others hold.
    other: usize,
}

/// The part of the pool for what can be spilled, as (part, of). To merge narrow records in memory takes up to twice what
/// they were counted as before, because their keys are written out once more to be compared.
const SPILLABLE: (usize, usize) = (2, 5);

impl RoomForMerges {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            held: Mutex::default(),
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Numbers, which are whole whatever panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that a piece may still take.
    fn left(&self, held: Held, reservation: &MemoryReservation) -> usize {
        let free = self.size.saturating_sub(held.other);
        if !reservation.consumer().can_spill() {
            return free.saturating_sub(held.spillable);
        }
        let (part, of) = SPILLABLE;
        let share = free.min(self.size / of * part) / held.n_spillers.max(1);
        share.saturating_sub(reservation.size())
    }
}

impl MemoryPool for RoomForMerges {
    fn name(&self) -> &'static str {
        "room for merges"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.held().n_spillers += 1;
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.held().n_spillers -= 1;
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let mut held = self.held();
        if reservation.consumer().can_spill() {
            held.spillable += additional;
        } else {
            held.other += additional;
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut held = self.held();
        if reservation.consumer().can_spill() {
            held.spillable -= shrink;
        } else {
            held.other -= shrink;
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut held = self.held();
        let left = self.left(*held, reservation);
        if additional > left {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "{} wants {additional} bytes more, and {left} are left",
                reservation.consumer().name()
            )));
        }
        if reservation.consumer().can_spill() {
            held.spillable += additional;
        } else {
            held.other += additional;
        }
        Ok(())
    }

    fn reserved(&self) -> usize {
        let held = self.held();
        held.spillable + held.other
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.size)
    }
}

impl Display for RoomForMerges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} bytes", self.name(), self.size)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn those_that_spill_share_their_part_and_leave_the_rest() {
        let pool: Arc<dyn MemoryPool> = Arc::new(RoomForMerges::new(1000));
        let spills = |name| MemoryConsumer::new(name).with_can_spill(true);
        let first = spills("first").register(&pool);
        // Alone: 2/5 of 1000.
        assert!(first.try_grow(401).is_err());
        first.try_grow(400).unwrap();
        let second = spills("second").register(&pool);
        // Two share 400, so that the first has too much and must spill before it takes more.
        assert!(first.try_grow(1).is_err());
        second.try_grow(200).unwrap();
        assert!(second.try_grow(1).is_err());
        let merge = MemoryConsumer::new("merge").register(&pool);
        // 1000 - 400 - 200 are free for others.
        assert!(merge.try_grow(401).is_err());
        merge.try_grow(400).unwrap();
        assert_eq!(pool.reserved(), 1000);
        merge.free();
        first.free();
        // What was given back is not for those that spill.
        assert!(second.try_grow(1).is_err());
        drop(first);
        second.try_grow(200).unwrap();
    }

    #[test]
    fn those_that_do_not_spill_take_from_those_that_do() {
        let pool: Arc<dyn MemoryPool> = Arc::new(RoomForMerges::new(1000));
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(900).unwrap();
        let piece = MemoryConsumer::new("piece")
            .with_can_spill(true)
            .register(&pool);
        assert!(piece.try_grow(101).is_err());
        piece.try_grow(100).unwrap();
    }
}
