//! Several codes as one number, and equal numbers as one class.

use bauta_data::Codes;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::kernel::parallel::on_blocks;

/// Records per parallel block.
const BLOCK: usize = 4096;

/// Several codes packed into one number per record, in mixed radix.
pub(crate) struct Packing {
    packed: Packed,
    /// Packed numbers are below this.
    radix: u64,
}

/// Packed numbers, four bytes each while they fit: the classes that they become take their room.
enum Packed {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Packing {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            packed: Packed::Narrow(vec![0; n]),
            radix: 1,
        }
    }

    /// Packs one more code, between 0 and `max`.
    pub(crate) fn add(&mut self, max: u32, code: impl Fn(usize) -> u32 + Sync) {
        let radix = self.make_room(max);
        match &mut self.packed {
            Packed::Narrow(packed) => on_blocks(packed, BLOCK, &|block, packed| {
                for (i, packed) in packed.iter_mut().enumerate() {
                    *packed = *packed * radix as u32 + code(block * BLOCK + i);
                }
            }),
            Packed::Wide(packed) => on_blocks(packed, BLOCK, &|block, packed| {
                for (i, packed) in packed.iter_mut().enumerate() {
                    *packed = *packed * radix + u64::from(code(block * BLOCK + i));
                }
            }),
        }
        self.radix *= radix;
    }

    /// Packs the codes of one more key, which go up to `max`.
    pub(crate) fn add_key(&mut self, max: u32, codes: &Codes) {
        let radix = self.make_room(max);
        match &mut self.packed {
            Packed::Narrow(packed) => on_blocks(packed, BLOCK, &|block, packed| {
                codes.with_each(block * BLOCK, packed, |packed, code| {
                    *packed = *packed * radix as u32 + code;
                });
            }),
            Packed::Wide(packed) => on_blocks(packed, BLOCK, &|block, packed| {
                codes.with_each(block * BLOCK, packed, |packed, code| {
                    *packed = *packed * radix + u64::from(code);
                });
            }),
        }
        self.radix *= radix;
    }

    /// The radix of a code up to `max`, once there is room for it.
    fn make_room(&mut self, max: u32) -> u64 {
        const NARROW: u64 = 1 << u32::BITS;
        let radix = u64::from(max) + 1;
        if self.radix.checked_mul(radix).is_none() {
            // The product leaves 64 bits: number what is there so far from 0, which leaves room.
            let packed = std::mem::replace(&mut self.packed, Packed::Narrow(Vec::new()));
            let (classes, representatives) = packed.numbered(self.radix);
            self.packed = Packed::Narrow(classes);
            self.radix = representatives.len().max(1) as u64;
        }
        // A radix of 2^32 is no number of four bytes, though what it packs may be.
        let is_narrow = radix < NARROW && self.radix.saturating_mul(radix) <= NARROW;
        if let Packed::Narrow(packed) = &self.packed
            && !is_narrow
        {
            self.packed = Packed::Wide(packed.iter().copied().map(u64::from).collect());
        }
        radix
    }

    /// Class of each record, numbered as they first occur, and a record of each class.
    pub(crate) fn classes(self) -> (Vec<u32>, Vec<u32>) {
        self.packed.numbered(self.radix)
    }
}

impl Packed {
    /// Numbers equal values from 0 as they first occur. Values are below `radix`.
    fn numbered(self, radix: u64) -> (Vec<u32>, Vec<u32>) {
        match self {
            Self::Narrow(mut packed) => {
                let mut slots = Slots::new(packed.len(), radix);
                for (i, value) in packed.iter_mut().enumerate() {
                    *value = slots.class_of(i, u64::from(*value));
                }
                (packed, slots.representatives)
            }
            Self::Wide(packed) => number(&packed, radix),
        }
    }
}

/// Numbers equal values from 0 as they first occur. Values are below `radix`.
pub(crate) fn number(packed: &[u64], radix: u64) -> (Vec<u32>, Vec<u32>) {
    let mut slots = Slots::new(packed.len(), radix);
    let values = packed.iter().enumerate();
    let classes = values.map(|(i, &value)| slots.class_of(i, value)).collect();
    (classes, slots.representatives)
}

/// The class of each value that was seen.
struct Slots {
    of_values: SlotsOf,
    representatives: Vec<u32>,
}

enum SlotsOf {
    /// A table of all possible values, while it is no larger than what it indexes.
    All(Vec<u32>),
    Seen(HashMap<u64, u32, FixedState>),
}

impl Slots {
    fn new(n: usize, radix: u64) -> Self {
        let of_values = if radix <= (n as u64 * 4).max(1 << 16) {
            SlotsOf::All(vec![u32::MAX; radix as usize])
        } else {
            SlotsOf::Seen(HashMap::with_hasher(FixedState::with_seed(1)))
        };
        Self {
            of_values,
            representatives: Vec::new(),
        }
    }

    #[inline]
    fn class_of(&mut self, record: usize, value: u64) -> u32 {
        let slot = match &mut self.of_values {
            SlotsOf::All(slots) => &mut slots[value as usize],
            SlotsOf::Seen(slots) => slots.entry(value).or_insert(u32::MAX),
        };
        if *slot == u32::MAX {
            *slot = self.representatives.len() as u32;
            self.representatives.push(record as u32);
        }
        *slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn classes_are_those_of_equal_codes_however_wide_they_are_packed(
            (maxima, records) in prop::collection::vec(
                prop_oneof![Just(0), 1_u32..5, Just(65_535), Just(u32::MAX)], 1..6,
            ).prop_flat_map(|maxima| {
                let record: Vec<_> = maxima.iter().map(|&max| prop_oneof![0..=max, 0..=max.min(1), Just(max)]).collect();
                (Just(maxima), prop::collection::vec(record, 0..40))
            })
        ) {
            let mut packing = Packing::new(records.len());
            for (key, &max) in maxima.iter().enumerate() {
                if key % 2 == 0 {
                    packing.add(max, |record| records[record][key]);
                } else {
                    let codes: Vec<u32> = records.iter().map(|record| record[key]).collect();
                    packing.add_key(max, &Codes::from(codes));
                }
            }
            let (classes, first) = packing.classes();
            let mut seen: Vec<&Vec<u32>> = Vec::new();
            for (record, codes) in records.iter().enumerate() {
                let class = seen.iter().position(|other| *other == codes).unwrap_or_else(|| {
                    seen.push(codes);
                    seen.len() - 1
                });
                prop_assert_eq!(classes[record] as usize, class);
                prop_assert!(first[class] as usize <= record);
                prop_assert_eq!(&records[first[class] as usize], codes);
            }
            prop_assert_eq!(first.len(), seen.len());
        }
    }
}
