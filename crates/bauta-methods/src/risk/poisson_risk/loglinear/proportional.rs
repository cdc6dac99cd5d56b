//! Iterative proportional fitting on a dense cube.
//!
//! One pass over the cube corrects by one margin and sums for the next: a cycle costs as many
//! passes as there are terms. Blocks of rows are passed over in parallel; their number depends on
//! the cube alone, and their sums are added in order, so that threads change nothing.

use rayon::prelude::*;

use crate::error::MethodError;
use crate::risk::poisson_risk::loglinear::TOLERANCE;
use crate::risk::poisson_risk::loglinear::cross::Cross;

/// Cells below which a block is not worth a thread.
const MIN_BLOCK: usize = 1 << 15;
/// Blocks beyond which more threads would not help.
const MAX_BLOCKS: usize = 64;

/// Expected records of every cell of a cross of some variables.
pub(super) struct Cube {
    /// The variable of each axis; the last has the most categories, since it is walked along.
    variables: Vec<usize>,
    shape: Vec<usize>,
    cells: Vec<f64>,
}

/// A margin that the cube must meet.
pub(super) struct Margin {
    /// Step in the margin for a step along each axis; 0 along those that are summed over.
    strides: Vec<usize>,
    target: Vec<f64>,
}

impl Cube {
    /// All cells equal.
    pub(super) fn new(cross: &Cross, variables: &[usize]) -> Self {
        let mut variables = variables.to_vec();
        variables.sort_by_key(|&variable| (cross.n_levels[variable], variable));
        let shape: Vec<usize> = variables
            .iter()
            .map(|&variable| cross.n_levels[variable] as usize)
            .collect();
        let n_cells: usize = shape.iter().product();
        Self {
            variables,
            shape,
            cells: vec![cross.n_complete() as f64 / n_cells.max(1) as f64; n_cells],
        }
    }

    /// The cell of a record with these codes.
    pub(super) fn at(&self, codes: &[u32]) -> f64 {
        let axes = self.variables.iter().zip(&self.shape);
        let cell = axes.fold(0, |cell, (&variable, &n_levels)| {
            cell * n_levels + codes[variable] as usize
        });
        self.cells[cell]
    }

    /// The margins of some terms, with the counts that they must have.
    pub(super) fn margins(&self, cross: &Cross, terms: &[u64]) -> Vec<Margin> {
        terms.iter().map(|&term| self.margin(cross, term)).collect()
    }

    fn margin(&self, cross: &Cross, term: u64) -> Margin {
        let mut strides = vec![0; self.shape.len()];
        let mut n_cells = 1;
        for axis in (0..self.shape.len()).rev() {
            if term >> self.variables[axis] & 1 == 1 {
                strides[axis] = n_cells;
                n_cells *= self.shape[axis];
            }
        }
        let mut target = vec![0.0; n_cells];
        for (cell, &count) in cross.counts.iter().enumerate() {
            let codes = cross.codes(cell);
            let steps = self.variables.iter().zip(&strides);
            let place: usize = steps
                .map(|(&variable, stride)| codes[variable] as usize * stride)
                .sum();
            target[place] += f64::from(count);
        }
        Margin { strides, target }
    }

    /// Corrects by one margin after the other until all are met; returns the number of cycles and
    /// the largest correction in the last.
    pub(super) fn fit(
        &mut self,
        margins: &[Margin],
        max_cycles: usize,
        mut go_on: impl FnMut(usize) -> Result<(), MethodError>,
    ) -> Result<(usize, f64), MethodError> {
        if self.cells.is_empty() || margins.is_empty() {
            return Ok((0, 0.0));
        }
        let mut largest = 0.0;
        let mut sums = self.pass(None, &margins[0]);
        for cycle in 1..=max_cycles {
            largest = 0.0;
            for (position, margin) in margins.iter().enumerate() {
                go_on(cycle)?;
                largest = f64::max(largest, corrections(margin, &mut sums));
                let next = &margins[(position + 1) % margins.len()];
                sums = self.pass(Some((margin, &sums)), next);
            }
            if largest <= TOLERANCE {
                return Ok((cycle, largest));
            }
        }
        Ok((max_cycles, largest))
    }

    /// Multiplies every cell by the correction of its margin, and sums for the next margin.
    fn pass(&mut self, correction: Option<(&Margin, &[f64])>, next: &Margin) -> Vec<f64> {
        let Some(&length) = self.shape.last() else {
            return Vec::new();
        };
        let n_rows = self.cells.len() / length;
        // So many blocks that their sums take no more room than the cube.
        let largest = next.target.len().max(MIN_BLOCK);
        let n_blocks = (self.cells.len() / largest)
            .clamp(1, MAX_BLOCKS)
            .min(n_rows);
        let rows_in_block = n_rows.div_ceil(n_blocks);
        let outer = &self.shape[..self.shape.len() - 1];
        let of_block = |(block, cells): (usize, &mut [f64])| {
            let mut sums = vec![0.0; next.target.len()];
            let rows = Rows::new(outer, block * rows_in_block, correction, next);
            rows.walk(cells, length, &mut sums);
            sums
        };
        if n_blocks == 1 {
            return of_block((0, &mut self.cells));
        }
        let blocks: Vec<Vec<f64>> = self
            .cells
            .par_chunks_mut(rows_in_block * length)
            .enumerate()
            .map(of_block)
            .collect();
        let mut blocks = blocks.into_iter();
        let mut sums = blocks.next().unwrap_or_default();
        for block in blocks {
            for (sum, part) in sums.iter_mut().zip(block) {
                *sum += part;
            }
        }
        sums
    }
}

/// Turns the sums of a margin into factors that make it what it must be; returns the largest
/// correction as a share. An empty margin gets 0 and stays empty.
fn corrections(margin: &Margin, sums: &mut [f64]) -> f64 {
    let mut largest: f64 = 0.0;
    for (sum, &target) in sums.iter_mut().zip(&margin.target) {
        let factor = if target > 0.0 && *sum > 0.0 {
            target / *sum
        } else {
            0.0
        };
        if target > 0.0 {
            largest = largest.max((*sum - target).abs() / target);
        }
        *sum = factor;
    }
    largest
}

/// A walk along the rows of a cube that knows where in two margins it is.
struct Rows<'a> {
    outer: &'a [usize],
    place: Vec<usize>,
    correction: Option<(&'a Margin, &'a [f64])>,
    next: &'a Margin,
    /// Where the row begins in the margin that corrects and in the one that is summed.
    corrected_at: usize,
    summed_at: usize,
}

impl<'a> Rows<'a> {
    fn new(
        outer: &'a [usize],
        first: usize,
        correction: Option<(&'a Margin, &'a [f64])>,
        next: &'a Margin,
    ) -> Self {
        let mut place = vec![0; outer.len()];
        let mut rest = first;
        for axis in (0..outer.len()).rev() {
            place[axis] = rest % outer[axis];
            rest /= outer[axis];
        }
        let at = |margin: &Margin| -> usize {
            let steps = place.iter().zip(&margin.strides);
            steps.map(|(place, stride)| place * stride).sum()
        };
        Self {
            corrected_at: correction.map_or(0, |(margin, _)| at(margin)),
            summed_at: at(next),
            outer,
            place,
            correction,
            next,
        }
    }

    fn walk(mut self, cells: &mut [f64], length: usize, sums: &mut [f64]) {
        let last = self.outer.len();
        let sums_along = self.next.strides[last] != 0;
        for row in cells.chunks_exact_mut(length) {
            if let Some((margin, factors)) = self.correction {
                let factors = &factors[self.corrected_at..];
                if margin.strides[last] == 0 {
                    let factor = factors[0];
                    for cell in row.iter_mut() {
                        *cell *= factor;
                    }
                } else {
                    let both = row.iter_mut().zip(factors);
                    both.for_each(|(cell, factor)| *cell *= factor);
                }
            }
            let sums = &mut sums[self.summed_at..];
            if sums_along {
                let both = sums.iter_mut().zip(row.iter());
                both.for_each(|(sum, cell)| *sum += cell);
            } else {
                sums[0] += row.iter().sum::<f64>();
            }
            self.step();
        }
    }

    /// To the next row.
    fn step(&mut self) {
        let strides = self.correction.map(|(margin, _)| &margin.strides);
        for axis in (0..self.outer.len()).rev() {
            let corrected = strides.map_or(0, |strides| strides[axis]);
            let summed = self.next.strides[axis];
            self.place[axis] += 1;
            if self.place[axis] < self.outer[axis] {
                self.corrected_at += corrected;
                self.summed_at += summed;
                return;
            }
            self.place[axis] = 0;
            self.corrected_at -= corrected * (self.outer[axis] - 1);
            self.summed_at -= summed * (self.outer[axis] - 1);
        }
    }
}
