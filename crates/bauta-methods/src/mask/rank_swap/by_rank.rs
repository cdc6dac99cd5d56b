//! Records in the order of their ranks: by value, equal values at random.

use rayon::prelude::*;

use crate::kernel::numbers::ranks::sort_in_place;
use crate::mask::strata::Records;

/// Bits of a number that orders equal values.
const TIE_BITS: u32 = u32::BITS;

/// What ranks a record: a number whose order is that of the values, and one that orders equal values.
pub(super) struct Ranking<V, T> {
    pub(super) value: V,
    pub(super) tie: T,
}

impl<V: Fn(u32) -> u64 + Sync, T: Fn(u32) -> u32 + Sync> Ranking<V, T> {
    /// Appends some records, which come in ascending order, to `order`: by value, then tie, then record. Says how
    /// many share their value with another.
    pub(super) fn append(&self, records: Records<'_>, order: &mut Vec<u32>) -> usize {
        let Some(layout) = Layout::of(records, &self.value) else {
            return 0;
        };
        let word = |place: usize| {
            let record = records.at(place);
            layout.word((self.value)(record), (self.tie)(record), record)
        };
        let numbered = (0..records.len()).into_par_iter().with_min_len(4096);
        let mut words: Vec<u64> = numbered.map(word).collect();
        sort_in_place(&mut words);
        let n_tied = self.settle(&mut words, &layout);
        order.extend(words.iter().map(|&word| layout.record(word)));
        n_tied
    }

    /// Puts those words in order that differ only in what did not fit into them.
    fn settle(&self, words: &mut [u64], layout: &Layout) -> usize {
        let mut n_tied = 0;
        for run in words.chunk_by_mut(|&a, &b| layout.value(a) == layout.value(b)) {
            if run.len() == 1 {
                continue;
            }
            if layout.holds_values() {
                n_tied += run.len();
                self.settle_ties(run, layout);
            } else {
                n_tied += self.settle_values(run, layout);
            }
        }
        n_tied
    }

    /// Settles words of one value.
    fn settle_ties(&self, run: &mut [u64], layout: &Layout) {
        if layout.tie_bits == TIE_BITS {
            return;
        }
        let before_record = |word: u64| word >> layout.record_bits;
        for run in run.chunk_by_mut(|&a, &b| before_record(a) == before_record(b)) {
            if run.len() > 1 {
                self.sort_equals(run, layout);
            }
        }
    }

    /// Settles words whose values are equal in the leading bits; says how many share theirs with another.
    fn settle_values(&self, run: &mut [u64], layout: &Layout) -> usize {
        let value = |word: u64| (self.value)(layout.record(word));
        let first = value(run[0]);
        if run.iter().all(|&word| value(word) == first) {
            self.sort_equals(run, layout);
            return run.len();
        }
        run.sort_unstable_by_key(|&word| {
            let record = layout.record(word);
            ((self.value)(record), (self.tie)(record), record)
        });
        let same = run.chunk_by(|&a, &b| value(a) == value(b));
        same.map(<[_]>::len).filter(|&n| n > 1).sum()
    }

    /// Sorts words of equal values by tie and record, which then fill them.
    fn sort_equals(&self, run: &mut [u64], layout: &Layout) {
        for word in run.iter_mut() {
            let record = layout.record(*word);
            *word = u64::from((self.tie)(record)) << u32::BITS | u64::from(record);
        }
        run.sort_unstable();
    }
}

/// What a word of a record holds, from the highest bit on: the leading bits of its value, those of its tie as far as
/// there is room, and the record. It takes half of the memory that all of them would take side by side.
struct Layout {
    lowest: u64,
    /// Trailing bits of values that no word holds.
    lost_bits: u32,
    /// Trailing bits that are the same in all values.
    same_bits: u32,
    tie_bits: u32,
    record_bits: u32,
}

impl Layout {
    /// For these records, if there are any.
    fn of(records: Records<'_>, value: impl Fn(u32) -> u64) -> Option<Self> {
        let last_place = records.len().checked_sub(1)?;
        let (first, last) = (records.at(0), records.at(last_place));
        let first = value(first);
        let (mut lowest, mut highest, mut differing) = (first, first, 0);
        for record in records.iter() {
            let value = value(record);
            lowest = lowest.min(value);
            highest = highest.max(value);
            differing |= value ^ first;
        }
        let record_bits = u32::BITS - last.leading_zeros();
        let span_bits = u64::BITS - (highest - lowest).leading_zeros();
        let same_bits = differing.trailing_zeros().min(span_bits);
        let room = u64::BITS - record_bits;
        let lost_bits = span_bits.saturating_sub(room).max(same_bits);
        Some(Self {
            lowest,
            lost_bits,
            same_bits,
            tie_bits: TIE_BITS.min(room - (span_bits - lost_bits)),
            record_bits,
        })
    }

    fn word(&self, value: u64, tie: u32, record: u32) -> u64 {
        let value = (value - self.lowest) >> self.lost_bits;
        let tie = u64::from(tie) >> (TIE_BITS - self.tie_bits);
        (value << self.tie_bits | tie) << self.record_bits | u64::from(record)
    }

    /// The leading bits of the value.
    fn value(&self, word: u64) -> u64 {
        let others = self.record_bits + self.tie_bits;
        word.checked_shr(others).unwrap_or(0)
    }

    fn record(&self, word: u64) -> u32 {
        (word & ((1 << self.record_bits) - 1)) as u32
    }

    /// Whether values that differ do so in their words.
    fn holds_values(&self) -> bool {
        self.lost_bits <= self.same_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::numbers::ranks::order_bits;
    use proptest::prelude::*;

    /// Values of a few digits, of all of them, and of hugely different size.
    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => (0..40_i32).prop_map(f64::from),
            2 => -1e9..1e9_f64,
            2 => (0..64_u32).prop_map(|low| 1.0 + f64::from(low) * f64::EPSILON),
            1 => Just(0.0),
            1 => Just(-1e300),
            1 => Just(1e-300),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn words_order_as_comparing_does(
            pool in proptest::collection::vec(value(), 1..200_usize),
            picks in proptest::collection::vec((0..200_usize, any::<u32>()), 0..9_000_usize),
            // Records of a stratum are not those from 0 on; few ties that differ are equal in many bits.
            step in prop_oneof![Just(1_u32), Just(3), Just(400_000)],
            tie_mask in prop_oneof![Just(u32::MAX), Just(7), Just(0)],
        ) {
            let at = |record: u32| (record / step) as usize;
            let value = |record: u32| order_bits(pool[picks[at(record)].0 % pool.len()]);
            let tie = |record: u32| picks[at(record)].1 & tie_mask;
            let records: Vec<u32> = (0..picks.len() as u32).map(|at| at * step).collect();
            let mut compared = records.clone();
            compared.sort_unstable_by_key(|&record| (value(record), tie(record), record));
            let shared = compared.chunk_by(|&a, &b| value(a) == value(b));
            let n_tied: usize = shared.map(<[_]>::len).filter(|&n| n > 1).sum();
            let mut order = vec![7];
            prop_assert_eq!(Ranking { value, tie }.append(Records::Listed(&records), &mut order), n_tied);
            prop_assert_eq!(&order[1..], &compared[..]);
        }
    }

    #[test]
    fn one_record_and_none_are_in_order() {
        let ranking = Ranking {
            value: |_| u64::MAX,
            tie: |_| u32::MAX,
        };
        let mut order = Vec::new();
        assert_eq!(ranking.append(Records::First(0), &mut order), 0);
        assert_eq!(ranking.append(Records::First(1), &mut order), 0);
        let last = [u32::MAX - 1];
        assert_eq!(ranking.append(Records::Listed(&last), &mut order), 0);
        assert_eq!(order, [0, u32::MAX - 1]);
    }
}
