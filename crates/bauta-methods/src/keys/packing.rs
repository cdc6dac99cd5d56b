//! Several codes as one number, and equal numbers as one class.

use bauta_data::Codes;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::kernel::parallel::on_blocks;

/// Records per parallel block.
const BLOCK: usize = 4096;

/// Several codes packed into one number per record, in mixed radix.
pub(crate) struct Packing {
    packed: Vec<u64>,
    /// Packed numbers are below this.
    radix: u64,
}

impl Packing {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            packed: vec![0; n],
            radix: 1,
        }
    }

    /// Packs one more code, between 0 and `max`.
    pub(crate) fn add(&mut self, max: u32, code: impl Fn(usize) -> u32 + Sync) {
        let radix = self.make_room(max);
        on_blocks(&mut self.packed, BLOCK, &|block, packed| {
            for (i, packed) in packed.iter_mut().enumerate() {
                *packed = *packed * radix + u64::from(code(block * BLOCK + i));
            }
        });
        self.radix *= radix;
    }

    /// Packs the codes of one more key, which go up to `max`.
    pub(crate) fn add_key(&mut self, max: u32, codes: &Codes) {
        let radix = self.make_room(max);
        on_blocks(&mut self.packed, BLOCK, &|block, packed| {
            codes.with_each(block * BLOCK, packed, |packed, code| {
                *packed = *packed * radix + u64::from(code);
            });
        });
        self.radix *= radix;
    }

    /// The radix of a code up to `max`, once there is room for it.
    fn make_room(&mut self, max: u32) -> u64 {
        let radix = u64::from(max) + 1;
        if self.radix.checked_mul(radix).is_none() {
            // The product leaves 64 bits: number what is there so far from 0, which leaves room.
            let (classes, representatives) = number(&self.packed, self.radix);
            self.packed = classes.into_iter().map(u64::from).collect();
            self.radix = representatives.len().max(1) as u64;
        }
        radix
    }

    /// Class of each record, numbered as they first occur, and a record of each class.
    pub(crate) fn classes(self) -> (Vec<u32>, Vec<u32>) {
        number(&self.packed, self.radix)
    }
}

/// Numbers equal values from 0 as they first occur. Values are below `radix`.
pub(crate) fn number(packed: &[u64], radix: u64) -> (Vec<u32>, Vec<u32>) {
    let mut representatives: Vec<u32> = Vec::new();
    let mut class_of = |i: usize, slot: &mut u32| {
        if *slot == u32::MAX {
            *slot = representatives.len() as u32;
            representatives.push(i as u32);
        }
        *slot
    };
    // A table of all possible values while it is no larger than what it indexes.
    let dense = radix <= (packed.len() as u64 * 4).max(1 << 16);
    let classes = if dense {
        let mut slots = vec![u32::MAX; radix as usize];
        let number = |(i, &value): (usize, &u64)| class_of(i, &mut slots[value as usize]);
        packed.iter().enumerate().map(number).collect()
    } else {
        let mut slots: HashMap<u64, u32, FixedState> =
            HashMap::with_hasher(FixedState::with_seed(1));
        let number =
            |(i, &value): (usize, &u64)| class_of(i, slots.entry(value).or_insert(u32::MAX));
        packed.iter().enumerate().map(number).collect()
    };
    (classes, representatives)
}
