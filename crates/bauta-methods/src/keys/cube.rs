//! Counts of all combinations of key values and of "any", as one dense array.
//!
//! A cell has one coordinate per key: the code of a value, or 0. As counted, 0 is "missing"; after
//! one of the two transforms it is "any value". Both transforms go along one key after the other, so
//! that d keys cost d passes over the cells, however many patterns of missing values there are.

use std::ops::AddAssign;

use bauta_data::missing::MissingCells;
use bauta_data::{Codes, Column};
use rayon::prelude::*;

use crate::kernel::numbers::exact_sum::{ExactSums, OnSums};

/// Cells that one piece of parallel work covers at least.
const MIN_CELLS: usize = 1 << 14;

/// The categories of a key, as a file shows them.
pub(crate) struct ShownKey<'a> {
    codes: &'a Codes,
    /// Which cells have no value: those whose state is not 0.
    states: Option<&'a [u8]>,
}

impl<'a> ShownKey<'a> {
    /// The categories of a column; none where it has numbers.
    pub(crate) fn of(column: &'a Column) -> Option<Self> {
        let categorical = column.as_categorical()?;
        Some(Self {
            codes: &categorical.codes,
            states: column.missing().map(MissingCells::states),
        })
    }
}

/// Counts by combination of key values.
pub(crate) struct Cube {
    /// Distance between neighbouring codes of each key; the last key's is 1.
    strides: Vec<usize>,
    /// Number of codes of each key, 0 included.
    sizes: Vec<usize>,
    /// Records in each cell.
    n: Vec<u32>,
    /// Weight in each cell, if it is counted.
    weight: Option<ExactSums>,
}

impl Cube {
    /// Number of cells over keys whose codes go from 0 up to the given ones; `None` if beyond 2^62.
    pub(crate) fn n_cells(n_values: &[u32]) -> Option<usize> {
        n_values.iter().try_fold(1_usize, |cells, &max| {
            cells
                .checked_mul(max as usize + 1)
                .filter(|&cells| cells < 1 << 62)
        })
    }

    /// An empty cube; the caller has made sure that it fits.
    pub(crate) fn new(n_values: &[u32]) -> Self {
        let sizes: Vec<usize> = n_values.iter().map(|&max| max as usize + 1).collect();
        let mut strides = vec![1; sizes.len()];
        for key in (0..sizes.len().saturating_sub(1)).rev() {
            strides[key] = strides[key + 1] * sizes[key + 1];
        }
        let n_cells = sizes.iter().product();
        Self {
            strides,
            sizes,
            n: vec![0; n_cells],
            weight: None,
        }
    }

    /// The cells of records, from their codes by key; there must be fewer than 2^32 cells.
    pub(crate) fn cells_of(&self, codes: &[&Codes], n: usize) -> Vec<u32> {
        let mut cells = vec![0; n];
        cells
            .par_chunks_mut(MIN_CELLS)
            .enumerate()
            .for_each(|(block, cells)| {
                let start = block * MIN_CELLS;
                for (codes, &stride) in codes.iter().zip(&self.strides) {
                    let stride = stride as u32;
                    codes.with_each(start, cells, |cell, code| *cell += code * stride);
                }
            });
        cells
    }

    /// The cell of every record by the categories that its file shows. Their codes, which count from 0, are raised
    /// block by block: nothing is made that is as long as the file.
    pub(crate) fn cells_shown(&self, keys: &[ShownKey<'_>], n: usize) -> Vec<u32> {
        let mut cells = vec![0; n];
        cells
            .par_chunks_mut(MIN_CELLS)
            .enumerate()
            .for_each(|(block, cells)| {
                let start = block * MIN_CELLS;
                for (key, &stride) in keys.iter().zip(&self.strides) {
                    let stride = stride as u32;
                    let Some(states) = key.states else {
                        (key.codes)
                            .with_each(start, cells, |cell, code| *cell += (code + 1) * stride);
                        continue;
                    };
                    let mut raised = vec![0; cells.len()];
                    (key.codes).with_each(start, &mut raised, |raised, code| *raised = code);
                    let raised = raised.into_iter().zip(&states[start..]);
                    for (cell, (code, &state)) in cells.iter_mut().zip(raised) {
                        // The code of a cell without a value means nothing.
                        let raised = code.wrapping_add(1).wrapping_mul(stride);
                        *cell += if state == 0 { raised } else { 0 };
                    }
                }
            });
        cells
    }

    /// The cell of one combination: the listed codes on the keys of `mask`, 0 on the others.
    pub(crate) fn cell(&self, codes: &[u32], mask: u64) -> usize {
        let mut left = mask;
        let mut cell = 0;
        while left != 0 {
            let key = left.trailing_zeros() as usize;
            cell += codes[key] as usize * self.strides[key];
            left &= left - 1;
        }
        cell
    }

    /// Counts records in their cells, and weights if there are such.
    pub(crate) fn count(&mut self, cells: &[u32], weights: Option<&[f64]>) {
        for &cell in cells {
            self.n[cell as usize] += 1;
        }
        let n_cells = self.n.len();
        self.weight = weights.map(|weights| ExactSums::by_cell(weights, cells, n_cells));
    }

    /// Counts so many records in one cell.
    pub(crate) fn add(&mut self, cell: usize, n: u32) {
        self.n[cell] += n;
    }

    /// Counts one record fewer in one cell that holds some; gives how many are left.
    pub(crate) fn remove_one(&mut self, cell: usize) -> u32 {
        self.n[cell] -= 1;
        self.n[cell]
    }

    /// Records in a cell.
    pub(crate) fn n_at(&self, cell: usize) -> u32 {
        self.n[cell]
    }

    /// Weights of cells, and which of them is that of each record, where that is not the number of the cell; none where
    /// weights were not counted. A cube that is larger than the file gives the weight of each record.
    pub(crate) fn weights_by_cell(&self, cells: &[u32]) -> Option<(Vec<f64>, Option<Vec<u32>>)> {
        let weight = self.weight.as_ref()?;
        if self.n.len() <= cells.len() {
            let all: Vec<u32> = (0..self.n.len() as u32).collect();
            return Some((weight.nearest_at(&all), None));
        }
        let own: Vec<u32> = (0..cells.len() as u32).collect();
        Some((weight.nearest_at(cells), Some(own)))
    }

    /// Weight in a cell; the number of records where weights were not counted.
    #[cfg(test)]
    pub(crate) fn weight_at(&self, cell: usize) -> f64 {
        match &self.weight {
            Some(weight) => weight.nearest(cell),
            None => f64::from(self.n[cell]),
        }
    }

    /// Number of cells that hold a record.
    pub(crate) fn n_filled(&self) -> usize {
        self.n.par_iter().filter(|&&n| n > 0).count()
    }

    /// Makes 0 "any value": along each key its cell becomes the sum over all codes. A combination
    /// of values and 0 then holds the records that show those values (semantics `visible`).
    pub(crate) fn sum_over_any(&mut self) {
        self.go_along(Transform::SumOverAny);
    }

    /// Makes 0 "any value" and lets missing match every value: each value's cell takes the missing
    /// ones in as well (semantics `wild`).
    pub(crate) fn let_missing_match(&mut self) {
        self.go_along(Transform::LetMissingMatch);
    }

    fn go_along(&mut self, transform: Transform) {
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            let along = AlongKey {
                size,
                stride,
                transform,
            };
            along.on(&mut self.n);
            if let Some(weight) = &mut self.weight {
                weight.work(&along);
            }
        }
    }
}

/// What becomes of the cells along a key.
#[derive(Clone, Copy)]
enum Transform {
    SumOverAny,
    LetMissingMatch,
}

/// A transform of all cells along one key.
struct AlongKey {
    /// Number of the key's codes.
    size: usize,
    /// Distance between neighbouring ones.
    stride: usize,
    transform: Transform,
}

impl OnSums for AlongKey {
    fn on<T: Copy + AddAssign + Send>(&self, cells: &mut [T]) {
        let stride = self.stride;
        match self.transform {
            Transform::SumOverAny => along(cells, self.size, stride, |line| add_up(line, stride)),
            Transform::LetMissingMatch => {
                along(cells, self.size, stride, |line| spread(line, stride));
            }
        }
    }
}

/// Adds all values of one key to its cell 0.
fn add_up<T: Copy + AddAssign>(line: &mut [T], stride: usize) {
    let (any, values) = line.split_at_mut(stride);
    for value in values.chunks(stride) {
        for (any, n) in any.iter_mut().zip(value) {
            *any += *n;
        }
    }
}

/// As [`add_up`], and adds what cell 0 held to each value.
fn spread<T: Copy + AddAssign>(line: &mut [T], stride: usize) {
    let (any, values) = line.split_at_mut(stride);
    for (i, any) in any.iter_mut().enumerate() {
        let missing = *any;
        for value in values.iter_mut().skip(i).step_by(stride) {
            *any += *value;
            *value += missing;
        }
    }
}

/// Works on each run of `size * stride` cells: all codes of one key, for fixed codes of the keys
/// before it.
fn along<T: Send>(
    cells: &mut [T],
    size: usize,
    stride: usize,
    work: impl Fn(&mut [T]) + Sync + Send,
) {
    let run = size * stride;
    cells
        .par_chunks_mut(run)
        .with_min_len((MIN_CELLS / run).max(1))
        .for_each(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two keys with two values each; records (1,1), (1,2), (1,missing), (missing,2).
    fn counted() -> Cube {
        let mut cube = Cube::new(&[2, 2]);
        let cells = cube.cells_of(&[&[1, 1, 1, 0].into(), &[1, 2, 0, 2].into()], 4);
        cube.count(&cells, Some(&[1.0, 10.0, 100.0, 1000.0]));
        cube
    }

    #[test]
    fn any_value_is_the_sum_over_values_and_missing() {
        let mut cube = counted();
        assert_eq!(cube.n_filled(), 4);
        cube.sum_over_any();
        let at = |codes: [u32; 2], mask| {
            let cell = cube.cell(&codes, mask);
            (cube.n_at(cell), cube.weight_at(cell))
        };
        assert_eq!(at([1, 2], 0b11), (1, 10.0));
        assert_eq!(at([1, 0], 0b01), (3, 111.0), "first key 1, second any");
        assert_eq!(at([0, 2], 0b10), (2, 1010.0), "second key 2, first any");
        assert_eq!(at([1, 2], 0), (4, 1111.0), "anything");
    }

    #[test]
    fn missing_matches_every_value_under_wild() {
        let mut cube = counted();
        cube.let_missing_match();
        let at = |codes: [u32; 2]| {
            let cell = cube.cell(&codes, 0b11);
            (cube.n_at(cell), cube.weight_at(cell))
        };
        // (1,1): itself and (1,missing); (missing,2) differs in the second key.
        assert_eq!(at([1, 1]), (2, 101.0));
        // (1,2): itself, (1,missing), (missing,2).
        assert_eq!(at([1, 2]), (3, 1110.0));
        // (1,missing) matches all; (missing,2) all but (1,1).
        assert_eq!(at([1, 0]), (4, 1111.0));
        assert_eq!(at([0, 2]), (3, 1110.0));
    }

    #[test]
    fn a_key_without_any_value_never_tells_apart() {
        let mut cube = Cube::new(&[0, 1]);
        let cells = cube.cells_of(&[&[0, 0].into(), &[1, 0].into()], 2);
        cube.count(&cells, None);
        cube.let_missing_match();
        assert_eq!([cube.n_at(0), cube.n_at(1)], [2, 2]);
        assert_eq!(cube.weight_at(1).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn a_cube_that_is_too_large_is_told_so() {
        assert_eq!(Cube::n_cells(&[2, 3]), Some(12));
        assert_eq!(Cube::n_cells(&[u32::MAX; 3]), None);
    }
}
