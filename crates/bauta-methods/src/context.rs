//! What a method gets besides its data: random numbers, a watcher, and a place for notes.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bauta_data::{Table, Watch};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::error::MethodError;
use crate::facts::SharedFacts;
use crate::kernel::parallel::on_blocks;
use crate::note::Note;

/// What a method gets besides its data.
pub struct RunContext<'a> {
    seed: u64,
    step: String,
    watch: &'a dyn Watch,
    notes: Mutex<Vec<Note>>,
    facts: Option<&'a SharedFacts>,
    record_figures: RecordFigures,
}

/// Whether somebody will ask for the figures of single records, each of which takes as much memory as a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecordFigures {
    /// A measure that has them gives them.
    #[default]
    Wanted,
    /// A measure may leave them out.
    NotWanted,
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
            facts: None,
            record_figures: RecordFigures::default(),
        }
    }

    /// The same with what other measures of the run found.
    #[must_use]
    pub fn sharing(self, facts: &'a SharedFacts) -> Self {
        Self {
            facts: Some(facts),
            ..self
        }
    }

    /// The same for somebody who wants figures of single records, or does not.
    #[must_use]
    pub fn with_record_figures(self, record_figures: RecordFigures) -> Self {
        Self {
            record_figures,
            ..self
        }
    }

    /// Whether figures of single records are wanted.
    pub(crate) fn wants_record_figures(&self) -> bool {
        self.record_figures == RecordFigures::Wanted
    }

    /// What measures of the run have found, where several are taken.
    pub(crate) fn facts(&self) -> Option<&'a SharedFacts> {
        self.facts
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

    /// A digest of a text that only the seed can make: the same in every step and every file that name the
    /// same domain.
    pub fn keyed_digest(&self, domain: &str, text: &str) -> [u8; 32] {
        let mut hasher = Sha256::new_with_prefix(b"bauta digest 1\0");
        hasher.update(self.seed.to_le_bytes());
        hasher.update((domain.len() as u64).to_le_bytes());
        hasher.update(domain.as_bytes());
        hasher.update(text.as_bytes());
        hasher.finalize().into()
    }

    /// Who watches.
    pub fn watch(&self) -> &'a dyn Watch {
        self.watch
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
        notes.sort_by(|a, b| (a.rank, &a.text).cmp(&(b.rank, &b.text)));
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
    /// The draws as one stream, for work that takes as many as it needs, one after the other.
    pub fn stream(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.key)
    }

    /// Computes one value per record of a table from that record's own `SLOTS` draws.
    ///
    /// A record keeps its draws when others are deleted: they belong to its source row.
    pub fn per_record<T: Send + Default + Clone, const SLOTS: usize>(
        &self,
        table: &Table,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        self.at_rows(table.n_records(), |record| table.source_row(record), value)
    }

    /// Computes one value for each of `n` positions from that position's own `SLOTS` draws.
    pub fn per_position<T: Send + Default + Clone, const SLOTS: usize>(
        &self,
        n: usize,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        self.at_rows(n, |position| position, value)
    }

    fn at_rows<T: Send + Default + Clone, const SLOTS: usize>(
        &self,
        n: usize,
        row_of: impl Fn(usize) -> usize + Sync,
        value: impl Fn(usize, [u64; SLOTS]) -> T + Sync,
    ) -> Vec<T> {
        let mut values = vec![T::default(); n];
        on_blocks(&mut values, BLOCK, &|block, values| {
            let positions = block * BLOCK..block * BLOCK + values.len();
            let draws = self.of_rows(positions.clone().map(&row_of));
            for ((slot, position), draws) in values.iter_mut().zip(positions).zip(draws) {
                *slot = value(position, draws);
            }
        });
        values
    }

    /// The `SLOTS` draws of each of some records of a table, the same that [`Self::per_record`]
    /// gives them.
    pub fn of_records<const SLOTS: usize>(
        &self,
        table: &Table,
        records: Range<usize>,
    ) -> impl Iterator<Item = [u64; SLOTS]> {
        self.of_rows(records.map(|record| table.source_row(record)))
    }

    /// A number in (0, 1) from the one draw of each of some records: [`unit_interval`] of what
    /// [`Self::of_records`] gives, faster where the records are neighbours in the source.
    pub fn unit_intervals(&self, table: &Table, records: Range<usize>, u: &mut [f64]) {
        if !table.rows_as_in_source() {
            for (u, [draw]) in u.iter_mut().zip(self.of_records(table, records)) {
                *u = unit_interval(draw);
            }
            return;
        }
        let mut rng = ChaCha8Rng::from_seed(self.key);
        rng.set_word_pos((records.start * 2) as u128);
        let mut bytes = [[0; 8]; 64];
        for u in u.chunks_mut(bytes.len()) {
            let bytes = &mut bytes[..u.len()];
            rng.fill_bytes(bytes.as_flattened_mut());
            for (u, bytes) in u.iter_mut().zip(bytes) {
                *u = unit_interval(u64::from_le_bytes(*bytes));
            }
        }
    }

    fn of_rows<const SLOTS: usize>(
        &self,
        rows: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = [u64; SLOTS]> {
        let mut rng = ChaCha8Rng::from_seed(self.key);
        let mut next_row = 0;
        rows.map(move |row| {
            if row != next_row {
                // Two 32-bit words make a 64-bit slot.
                rng.set_word_pos((row * SLOTS * 2) as u128);
            }
            next_row = row + 1;
            std::array::from_fn(|_| rng.next_u64())
        })
    }
}

/// A number in the open interval (0, 1) from a draw.
pub fn unit_interval(draw: u64) -> f64 {
    // 52 random bits, moved by half a step so that neither end occurs. With 53 bits the half step
    // would not fit the mantissa: the largest draw would round to 1, whose normal quantile is not
    // a number.
    ((draw >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::{Attribute, Column, Kind, Role, Unwatched};
    use std::sync::Arc;

    #[test]
    fn neither_end_of_the_unit_interval_occurs() {
        // The smallest draw gives half of 2^-52, the largest 1 - 2^-53.
        assert_eq!(
            unit_interval(0).to_bits(),
            (0.5 * 2.0_f64.powi(-52)).to_bits()
        );
        assert_eq!(
            unit_interval(u64::MAX).to_bits(),
            (1.0 - 2.0_f64.powi(-53)).to_bits()
        );
    }

    #[test]
    fn whole_numbers_stay_below_their_limit() {
        assert_eq!(below(7, 0), 0);
        assert_eq!(below(7, u64::MAX), 6);
        // Half of the draws lie below 2^63, and so do half of 0..10.
        assert_eq!(below(10, (1 << 63) - 1), 4);
        assert_eq!(below(10, 1 << 63), 5);
    }

    #[test]
    fn a_record_keeps_its_draws_when_others_are_deleted() {
        let n = 10_000;
        let attribute = Arc::new(Attribute::new("x", Role::Other, Kind::Continuous));
        let column = Column::numeric(
            attribute,
            vec![0.0; n],
            None,
            bauta_data::column::NumberText::default(),
        );
        let all = Table::new(vec![column], n);
        let kept: Vec<u32> = (0..n as u32).filter(|row| row % 7 != 3).collect();
        let context = RunContext::new(1, "step", &Unwatched);
        let draws = context.draws("x");
        let of_all: Vec<[u64; 3]> = draws.per_record(&all, |_, draws| draws);
        let of_kept: Vec<[u64; 3]> = draws.per_record(&all.take(&kept), |_, draws| draws);
        let expected: Vec<[u64; 3]> = kept.iter().map(|&row| of_all[row as usize]).collect();
        assert_eq!(of_kept, expected);
        // However they are asked for, the draws are the same.
        let one_each: Vec<f64> = draws.per_record(&all, |_, [draw]| unit_interval(draw));
        let mut filled = vec![0.0; 1_500];
        draws.unit_intervals(&all, 4_000..5_500, &mut filled);
        assert_eq!(filled, one_each[4_000..5_500]);
        let of_kept: Vec<f64> = draws.per_record(&all.take(&kept), |_, [draw]| unit_interval(draw));
        draws.unit_intervals(&all.take(&kept), 4_000..5_500, &mut filled);
        assert_eq!(filled, of_kept[4_000..5_500]);
    }

    #[test]
    fn seed_step_and_attribute_all_key_the_draws() {
        let first = |seed: u64, step: &str, attribute: &str| -> u64 {
            let context = RunContext::new(seed, step, &Unwatched);
            context
                .draws(attribute)
                .per_position(1, |_, [draw]: [u64; 1]| draw)[0]
        };
        let here = first(1, "a", "bc");
        assert_eq!(here, first(1, "a", "bc"));
        for other in [
            first(2, "a", "bc"),
            first(1, "b", "bc"),
            first(1, "a", "c"),
            first(1, "ab", "c"),
        ] {
            assert_ne!(here, other);
        }
    }
}
