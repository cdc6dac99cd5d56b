//! The draws by which records choose their partners, half of each at hand.

use bauta_data::Table;

use crate::context::{Draws, below};

/// The second draw of each record.
pub(super) struct Picks<'t> {
    /// Its leading 32 bits, which nearly always say what is chosen.
    pub(super) leading: Vec<u32>,
    table: &'t Table,
    draws: Draws,
}

impl<'t> Picks<'t> {
    pub(super) fn of(table: &'t Table, draws: Draws) -> Self {
        Self {
            leading: draws.per_record(table, |_, [_, pick]| (pick >> 32) as u32),
            table,
            draws,
        }
    }

    /// [`below`] of the draw of a record, whose leading bits are given.
    pub(super) fn below(&self, n: usize, leading: u32, record: u32) -> usize {
        certainly_below(n, leading).unwrap_or_else(|| {
            let record = record as usize;
            let mut draws = self.draws.of_records(self.table, record..record + 1);
            draws.next().map_or(0, |[_, pick]| below(n, pick))
        })
    }
}

/// [`below`] of every draw with these leading bits, if it is the same.
fn certainly_below(n: usize, leading: u32) -> Option<usize> {
    // The other bits add less than n to this product, of which the upper half is the answer.
    let product = u64::from(leading).checked_mul(n as u64)?;
    let is_certain = u64::from(product as u32) + n as u64 <= 1 << u32::BITS;
    is_certain.then_some((product >> u32::BITS) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leading_bits_are_asked_only_where_the_others_do_not_matter(
            n in prop_oneof![1..100_usize, 1..1_usize << 33, (1..40_u32).prop_map(|bits| 1_usize << bits)],
            leading: u32,
        ) {
            let lowest = u64::from(leading) << 32;
            let (low, high) = (below(n, lowest), below(n, lowest | u64::from(u32::MAX)));
            match certainly_below(n, leading) {
                Some(choice) => prop_assert_eq!((choice, choice), (low, high)),
                // The whole draw is never asked for in vain, up to more records than a file may have.
                None => prop_assert!(low != high || n > 1 << 32),
            }
        }
    }
}
