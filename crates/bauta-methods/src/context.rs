//! What a method gets besides its data: random numbers, a watcher, and a place for notes.

use std::sync::{Mutex, PoisonError};

use bauta_data::{Table, Watch};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::error::MethodError;
use crate::note::Note;

/// What a method gets besides its data.
pub struct RunContext<'a> {
    seed: u64,
    step: String,
    watch: &'a dyn Watch,
    notes: Mutex<Vec<Note>>,
}

impl<'a> RunContext<'a> {
    /// A context for one step. `step` names it uniquely within the run and keys its draws, so
    /// that adding another step does not change this one's.
    pub fn new(seed: u64, step: impl Into<String>, watch: &'a dyn Watch) -> Self {
        Self {
            seed,
            step: step.into(),
            watch,
            notes: Mutex::new(Vec::new()),
        }
    }

    /// The random numbers of one attribute (or of any other purpose that has a name).
    pub fn draws(&self, attribute: &str) -> Draws {
        let mut hasher = Sha256::new_with_prefix(b"bauta draws 1\0");
        hasher.update(self.seed.to_le_bytes());
        // Lengths keep ("ab", "c") apart from ("a", "bc").
        for text in [self.step.as_str(), attribute] {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Draws {
            key: hasher.finalize().into(),
        }
    }

    /// States a fact about the work.
    pub fn note(&self, note: Note) {
        self.notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(note);
    }

    /// Reports progress, and stops the method if the watcher asks for it.
    pub fn progress(&self, done: usize, total: usize) -> Result<(), MethodError> {
        self.watch.progress(done as u64, total as u64);
        self.go_on()
    }

    /// Stops the method if the watcher asks for it.
    pub fn go_on(&self) -> Result<(), MethodError> {
        if self.watch.cancelled() {
            Err(MethodError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The notes so far, in an order that does not depend on threads.
    pub fn into_notes(self) -> Vec<Note> {
        let mut notes = self
            .notes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        notes.sort_by_key(Note::text);
        notes
    }
}

/// Random numbers keyed by seed, step, attribute and record.
///
/// Each record owns a fixed number of 64-bit slots in one `ChaCha8` stream, so that a record's
/// draws can be had without those of the records before it, on any thread.
#[derive(Clone, Debug)]
pub struct Draws {
    key: [u8; 32],
}

/// Records per parallel block. Fixed, so that it never depends on the number of threads.
const BLOCK: usize = 4096;

impl Draws {
    /// Computes one value per record of a table from that record's own `SLOTS` draws.
    ///
    /// A record keeps its draws when others are deleted: they belong to its source row.
    pub fn per_record<T: Send, const SLOTS: usize>(
        &self,
        table: &Table,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        self.at_rows(table.n_records(), |record| table.source_row(record), value)
    }

    /// Computes one value for each of `n` positions from that position's own `SLOTS` draws.
    pub fn per_position<T: Send, const SLOTS: usize>(
        &self,
        n: usize,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        self.at_rows(n, |position| position, value)
    }

    fn at_rows<T: Send, const SLOTS: usize>(
        &self,
        n: usize,
        row_of: impl Fn(usize) -> usize + Sync,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        let n_blocks = n.div_ceil(BLOCK);
        let blocks: Vec<Vec<T>> = (0..n_blocks)
            .into_par_iter()
            .map(|block| {
                let mut rng = ChaCha8Rng::from_seed(self.key);
                let mut next_row = 0;
                let first = block * BLOCK;
                let last = (first + BLOCK).min(n);
                (first..last)
                    .map(|position| {
                        let row = row_of(position);
                        if row != next_row {
                            // Two 32-bit words make a 64-bit slot.
                            rng.set_word_pos((row * SLOTS * 2) as u128);
                        }
                        next_row = row + 1;
                        value(position, std::array::from_fn(|_| rng.next_u64()))
                    })
                    .collect()
            })
            .collect();
        blocks.into_iter().flatten().collect()
    }
}

/// A number in the open interval (0, 1) from a draw.
pub fn unit_interval(draw: u64) -> f64 {
    // 53 random bits, moved by half a step so that neither end occurs.
    ((draw >> 11) as f64 + 0.5) * (1.0 / 9_007_199_254_740_992.0)
}

/// A whole number in 0..n from a draw, each as likely as the others to within 2^-64 n.
pub fn below(n: usize, draw: u64) -> usize {
    ((u128::from(draw) * n as u128) >> 64) as usize
}

/// A random order of 0..n.
pub fn shuffled(n: usize, draws: &Draws) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let picks =
        draws.per_position::<_, 1>(n, |position, [draw]| position + below(n - position, draw));
    for (position, pick) in picks.into_iter().enumerate() {
        order.swap(position, pick);
    }
    order
}
