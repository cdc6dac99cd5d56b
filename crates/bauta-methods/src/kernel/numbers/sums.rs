//! Sums that are the same on any number of threads.

use std::ops::Range;

use crate::kernel::numbers::streamed::{STRETCH, Streamed, each_stretch};
use crate::kernel::parallel::each;

/// Terms per block. Part of the result's definition: changing it changes last digits.
const BLOCK: usize = 4096;

/// Blocks that are summed side by side: each waits for its own sum only.
const ABREAST: usize = 4;
const _: () = assert!(STRETCH == ABREAST * BLOCK);

/// Sum of `term(0) + … + term(n - 1)`: blocks in parallel, compensated within and between them.
pub fn sum_by(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    total(n.div_ceil(ABREAST * BLOCK), &|group| {
        let first = group * ABREAST * BLOCK;
        let mut sums = [Compensated::default(); ABREAST];
        if first + ABREAST * BLOCK <= n {
            for i in first..first + BLOCK {
                for (block, sum) in sums.iter_mut().enumerate() {
                    sum.add(term(i + block * BLOCK));
                }
            }
        } else {
            for (block, sum) in sums.iter_mut().enumerate() {
                let first = first + block * BLOCK;
                (first..(first + BLOCK).min(n)).for_each(|i| sum.add(term(i)));
            }
        }
        sums.map(Compensated::total)
    })
}

/// [`sum_by`] of a figure of each value, to the last bit: faster, since it walks along the values
/// and the processor can add blocks side by side.
pub fn sum_of(values: &[f64], figure: impl Fn(f64) -> f64 + Sync) -> f64 {
    sum_along(&values, figure)
}

/// The same of values that need not all be in memory.
pub fn sum_along(values: &dyn Streamed, figure: impl Fn(f64) -> f64 + Sync) -> f64 {
    let sums = |places: Range<usize>| -> Vec<[f64; ABREAST]> {
        let values = values.at(places);
        let groups = values.chunks(ABREAST * BLOCK);
        groups.map(|group| sums_of_group(group, &figure)).collect()
    };
    let sums = each_stretch(values.len(), values.stretch(), &sums);
    compensated(sums.into_iter().flatten().flatten())
}

/// Compensated sums of the blocks of a group, which may lack some at the end.
fn sums_of_group(group: &[f64], figure: impl Fn(f64) -> f64) -> [f64; ABREAST] {
    if group.len() == ABREAST * BLOCK {
        return sums_abreast(group, figure);
    }
    let mut sums = [0.0; ABREAST];
    for (sum, block) in sums.iter_mut().zip(group.chunks(BLOCK)) {
        *sum = compensated(block.iter().map(|&value| figure(value)));
    }
    sums
}

/// The compensated sum of the blocks of some groups.
fn total(n_groups: usize, sums: &(dyn Fn(usize) -> [f64; ABREAST] + Sync)) -> f64 {
    compensated(each(n_groups, sums).into_iter().flatten())
}

/// Compensated sums of four whole blocks.
fn sums_abreast(blocks: &[f64], figure: impl Fn(f64) -> f64) -> [f64; ABREAST] {
    let (front, back) = blocks.split_at(2 * BLOCK);
    let ((a, b), (c, d)) = (front.split_at(BLOCK), back.split_at(BLOCK));
    let (mut sums, mut lost) = ([0.0; ABREAST], [0.0; ABREAST]);
    for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
        let terms = [figure(a), figure(b), figure(c), figure(d)];
        for lane in 0..ABREAST {
            // As `Compensated::add`, for four at once.
            let next = sums[lane] + terms[lane];
            let of_term = next - sums[lane];
            lost[lane] += (sums[lane] - (next - of_term)) + (terms[lane] - of_term);
            sums[lane] = next;
        }
    }
    std::array::from_fn(|lane| sums[lane] + lost[lane])
}

/// Sum of some values: partial sums in each block, blocks in parallel, compensated between them.
/// Faster than [`sum_by`], with an error that grows with the block and not with n.
pub fn sum(values: &[f64]) -> f64 {
    plain_sum_along(&values)
}

/// The same of values that need not all be in memory.
pub fn plain_sum_along(values: &dyn Streamed) -> f64 {
    let sums = |places: Range<usize>| -> Vec<f64> {
        values.at(places).chunks(BLOCK).map(block_sum).collect()
    };
    let sums = each_stretch(values.len(), values.stretch(), &sums);
    compensated(sums.into_iter().flatten())
}

/// Sums of figures by cell: `term(i)` says which cell a term belongs to, if any, and its figures.
/// Blocks in parallel, compensated within and between them; blocks are longer where there are many
/// cells, so that their sums never take more memory than the terms.
pub fn sums_by_cell<const N: usize>(
    n: usize,
    n_cells: usize,
    term: impl Fn(usize) -> Option<(usize, [f64; N])> + Sync,
) -> Vec<[f64; N]> {
    let length = (16 * BLOCK).max(4 * n_cells);
    let blocks: Vec<Vec<[f64; N]>> = each(n.div_ceil(length), &|block| {
        let mut sums = vec![[Compensated::default(); N]; n_cells];
        for i in block * length..((block + 1) * length).min(n) {
            if let Some((cell, figures)) = term(i) {
                let sums = sums[cell].iter_mut();
                sums.zip(figures).for_each(|(sum, figure)| sum.add(figure));
            }
        }
        let totals = |sums: [Compensated; N]| sums.map(Compensated::total);
        sums.into_iter().map(totals).collect()
    });
    let of_cell = |cell: usize| {
        std::array::from_fn(|figure| compensated(blocks.iter().map(|block| block[cell][figure])))
    };
    (0..n_cells).map(of_cell).collect()
}

/// A compensated sum: the error does not grow with the number of terms.
#[derive(Clone, Copy, Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    /// Adds a term, and what rounding takes from it to `lost`: Knuth's form of Neumaier's sum,
    /// which needs no comparison and finds the same.
    fn add(&mut self, term: f64) {
        let next = self.sum + term;
        let of_term = next - self.sum;
        self.lost += (self.sum - (next - of_term)) + (term - of_term);
        self.sum = next;
    }

    fn total(self) -> f64 {
        self.sum + self.lost
    }
}

/// The compensated sum of some terms.
pub fn compensated(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = Compensated::default();
    terms.for_each(|term| sum.add(term));
    sum.total()
}

/// Sum of a block of figures, in lanes that are always the same: fast, and as exact as so few terms
/// need. Blocks are to be added up by [`compensated`].
pub fn block_sum(figures: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let groups = figures.chunks_exact(LANES);
    let rest: f64 = groups.remainder().iter().sum();
    for group in groups {
        for (lane, figure) in lanes.iter_mut().zip(group) {
            *lane += figure;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_large_ones() {
        // 1 + 1e100 + 1 - 1e100 = 2; a plain sum gives 0.
        assert_eq!(
            compensated([1.0, 1e100, 1.0, -1e100].into_iter()).to_bits(),
            2.0_f64.to_bits()
        );
    }

    #[test]
    fn blocks_abreast_give_what_one_after_the_other_gives() {
        let term = |i: usize| ((i * 7919 % 1_000) as f64 - 499.7) * 1.1e-3;
        for n in [1, 4_095, 4_096, 16_384, 16_385, 40_000] {
            let blocks = (0..n).collect::<Vec<_>>();
            let blocks = blocks.chunks(BLOCK);
            let one_by_one =
                compensated(blocks.map(|block| compensated(block.iter().map(|&i| term(i)))));
            assert_eq!(sum_by(n, term).to_bits(), one_by_one.to_bits(), "{n}");
            let figures: Vec<f64> = (0..n).map(term).collect();
            let along = sum_of(&figures, |figure| figure);
            assert_eq!(along.to_bits(), one_by_one.to_bits(), "{n}");
            let halves = sum_of(&figures, |figure| figure / 2.0 + 0.1);
            let by_number = sum_by(n, |i| term(i) / 2.0 + 0.1);
            assert_eq!(halves.to_bits(), by_number.to_bits(), "{n}");
            let fast = compensated(figures.chunks(BLOCK).map(block_sum));
            assert!((fast - one_by_one).abs() < 1e-11, "{n}");
        }
    }

    #[test]
    fn cells_sum_their_own_terms() {
        // Two full blocks and a bit; every third term belongs to no cell.
        let n = 2 * 16 * BLOCK + 5;
        let term = |i: usize| (i % 3 < 2).then_some((i % 3, [1, i].map(|figure| figure as f64)));
        let found = sums_by_cell(n, 3, term);
        let expected = |cell: usize| {
            let terms = (0..n).filter(|i| cell < 2 && i % 3 == cell);
            [terms.clone().count(), terms.sum::<usize>()]
        };
        for (cell, sums) in found.into_iter().enumerate() {
            assert_eq!(sums.map(|sum| sum as usize), expected(cell));
        }
        assert!(sums_by_cell(0, 0, |_| Some((0, [1.0]))).is_empty());
    }

    #[test]
    fn blocks_do_not_change_a_sum_of_whole_numbers() {
        // 0 + 1 + … + 9999 = 9999 * 10000 / 2.
        assert_eq!(
            sum_by(10_000, |i| i as f64).to_bits(),
            49_995_000.0_f64.to_bits()
        );
        let values: Vec<f64> = (0..10_000).map(f64::from).collect();
        assert_eq!(sum(&values).to_bits(), 49_995_000.0_f64.to_bits());
        assert_eq!(sum(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sum_by(0, |_| 1.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sum_of(&[], |value| value).to_bits(), 0.0_f64.to_bits());
    }
}
