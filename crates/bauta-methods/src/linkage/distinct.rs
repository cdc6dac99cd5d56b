//! The different records of a file: equal ones are looked at once, with their number.

use rayon::prelude::*;

/// The different records of a file, in an order that depends on their values alone: neither the order of
/// the file nor the other file decides between links that weigh the same.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    /// Which of them each record is.
    pub(crate) of_record: Vec<u32>,
    /// How many records each stands for.
    pub(crate) sizes: Vec<u32>,
    /// One record of each, that of the lowest row.
    pub(crate) first: Vec<u32>,
}

/// Which of the two files; its records are put in an order of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Salt {
    Original = 0x6f72_6967,
    Masked = 0x6d61_736b,
}

impl Distinct {
    /// Records by the coordinates of some variables.
    pub(crate) fn of(columns: &[&[f64]], n_records: usize, salt: Salt) -> Self {
        let bits = |value: f64| {
            if value.is_nan() {
                u64::MAX
            } else {
                (value + 0.0).to_bits()
            }
        };
        let hash = |record: u32| {
            let mut state = salt as u64;
            for column in columns {
                state = mixed(state ^ bits(column[record as usize]));
            }
            (state, record)
        };
        let records = (0..n_records as u32).into_par_iter().with_min_len(4096);
        let mut order: Vec<(u64, u32)> = records.map(hash).collect();
        let cells = |record: u32| {
            columns
                .iter()
                .map(move |column| bits(column[record as usize]))
        };
        order.par_sort_unstable_by(|a, b| {
            let by_hash = a.0.cmp(&b.0);
            // Different records of one hash are told apart, so that equal ones are neighbours.
            by_hash
                .then_with(|| cells(a.1).cmp(cells(b.1)))
                .then(a.1.cmp(&b.1))
        });
        let (mut of_record, mut sizes, mut first) = (vec![0; n_records], Vec::new(), Vec::new());
        let mut before: Option<(u64, u32)> = None;
        for &(hash, record) in &order {
            let same = before
                .is_some_and(|(known, other)| known == hash && cells(other).eq(cells(record)));
            if same {
                if let Some(size) = sizes.last_mut() {
                    *size += 1;
                }
            } else {
                sizes.push(1);
                first.push(record);
                before = Some((hash, record));
            }
            of_record[record as usize] = sizes.len() as u32 - 1;
        }
        Self {
            of_record,
            sizes,
            first,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The records of each, in the order of their rows: where they begin, and the records.
    pub(crate) fn members(&self) -> (Vec<usize>, Vec<u32>) {
        let mut starts = vec![0; self.len() + 1];
        for (next, &size) in self.sizes.iter().enumerate() {
            starts[next + 1] = starts[next] + size as usize;
        }
        let (mut place, mut members) = (starts.clone(), vec![0; self.of_record.len()]);
        for (record, &distinct) in self.of_record.iter().enumerate() {
            members[place[distinct as usize]] = record as u32;
            place[distinct as usize] += 1;
        }
        (starts, members)
    }
}

/// The finisher of `SplitMix64`: every bit of the result depends on every bit of the state.
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_records_are_one_with_their_number() {
        let x = [1.0, 2.0, 1.0, f64::NAN, f64::NAN, 0.0, -0.0];
        let y = [5.0, 5.0, 5.0, 1.0, 1.0, 0.0, 0.0];
        let found = Distinct::of(&[&x, &y], 7, Salt::Original);
        assert_eq!(found.len(), 4);
        assert_eq!(found.of_record[0], found.of_record[2]);
        assert_eq!(found.of_record[3], found.of_record[4]);
        assert_eq!(found.of_record[5], found.of_record[6]);
        let (starts, members) = found.members();
        let of_first = found.of_record[0] as usize;
        assert_eq!(members[starts[of_first]..starts[of_first + 1]], [0, 2]);
    }

    #[test]
    fn the_order_is_that_of_the_values() {
        let x = [3.0, 1.0, 2.0];
        let turned = [2.0, 3.0, 1.0];
        let values = |x: &[f64]| -> Vec<f64> {
            let found = Distinct::of(&[x], 3, Salt::Masked);
            found
                .first
                .iter()
                .map(|&record| x[record as usize])
                .collect()
        };
        assert_eq!(values(&x), values(&turned));
    }
}
