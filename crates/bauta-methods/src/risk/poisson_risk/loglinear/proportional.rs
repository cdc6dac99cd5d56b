//! Iterative proportional fitting on a dense cube.
//!
//! One pass over the cube corrects by one margin and sums for the next. A margin may hold several
//! terms of the model ([`cover`]): then it is corrected by each of them, and the cube by what came of
//! it. Blocks of rows are passed over in parallel; their number depends on the cube alone, and their
//! sums are added in order, so that threads change nothing.

use rayon::prelude::*;

use crate::error::MethodError;
use crate::risk::poisson_risk::loglinear::TOLERANCE;
use crate::risk::poisson_risk::loglinear::cover::{cover, n_cells};
use crate::risk::poisson_risk::loglinear::cross::Cross;

/// Cells below which a block is not worth a thread.
const MIN_BLOCK: usize = 1 << 15;
/// Blocks beyond which more threads would not help.
const MAX_BLOCKS: usize = 64;
/// How often a margin that holds several terms goes through them before the cube is corrected: more
/// would not save another pass over the cube, which sees other terms as well.
const CYCLES_WITHIN: usize = 3;

/// Expected records of every cell of a cross of some variables.
pub(super) struct Cube {
    /// The variable of each axis; the last has the most categories, since it is walked along.
    variables: Vec<usize>,
    shape: Vec<usize>,
    cells: Vec<f64>,
}

/// A table that is to meet margins.
pub(super) struct Fitted {
    shape: Vec<usize>,
    margins: Vec<Margin>,
}

/// A margin of a table.
struct Margin {
    /// Step in the margin for a step along each axis; 0 along those that are summed over.
    strides: Vec<usize>,
    n_cells: usize,
    meets: Meets,
}

/// What a margin is to be.
enum Meets {
    /// A term of the model: these counts.
    Counts(Vec<f64>),
    /// It holds several terms, and is fitted to them.
    Margins(Fitted),
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

    /// What the cube is to meet: the counts of these terms, whose bits are variables.
    pub(super) fn margins(&self, cross: &Cross, terms: &[u64]) -> Fitted {
        let axes_of = |term: &u64| {
            let axes = self.variables.iter().enumerate();
            axes.filter(|(_, variable)| term >> **variable & 1 == 1)
                .fold(0, |axes, (axis, _)| axes | 1 << axis)
        };
        let terms: Vec<u64> = terms.iter().map(axes_of).collect();
        let all = terms.iter().fold(0, |all, term| all | term);
        self.fitted(cross, &terms, all)
    }

    /// A table over some axes that is to meet these terms.
    fn fitted(&self, cross: &Cross, terms: &[u64], axes: u64) -> Fitted {
        let margin = |block: u64| {
            let held: Vec<u64> = terms.iter().copied().filter(|t| t & !block == 0).collect();
            let strides = self.strides(block);
            Margin {
                n_cells: n_cells(&self.shape, block),
                meets: if held == [block] {
                    Meets::Counts(self.counts(cross, &strides, block))
                } else {
                    Meets::Margins(self.fitted(cross, &held, block))
                },
                strides: on(axes, &strides),
            }
        };
        Fitted {
            shape: on(axes, &self.shape),
            margins: cover(terms, &self.shape, axes)
                .into_iter()
                .map(margin)
                .collect(),
        }
    }

    /// Step in the margin over some axes for a step along each axis.
    fn strides(&self, axes: u64) -> Vec<usize> {
        let mut strides = vec![0; self.shape.len()];
        let mut n_cells = 1;
        for axis in (0..self.shape.len()).rev() {
            if axes >> axis & 1 == 1 {
                strides[axis] = n_cells;
                n_cells *= self.shape[axis];
            }
        }
        strides
    }

    /// Records by the categories of some axes.
    fn counts(&self, cross: &Cross, strides: &[usize], axes: u64) -> Vec<f64> {
        let mut counts = vec![0.0; n_cells(&self.shape, axes)];
        for (cell, &count) in cross.counts.iter().enumerate() {
            let codes = cross.codes(cell);
            let steps = self.variables.iter().zip(strides);
            let place: usize = steps
                .map(|(&variable, stride)| codes[variable] as usize * stride)
                .sum();
            counts[place] += f64::from(count);
        }
        counts
    }

    /// Corrects by one margin after the other until all terms are met, or for so many cycles.
    pub(super) fn fit(
        &mut self,
        to: &Fitted,
        max_cycles: usize,
        mut go_on: impl FnMut(usize) -> Result<(), MethodError>,
    ) -> Result<Course, MethodError> {
        to.cycles(&mut self.cells, max_cycles, &mut go_on)
    }
}

/// How a fit went: the largest correction of a term, as a share of itself, in its first and in its
/// last cycle.
#[derive(Clone, Copy, Default)]
pub(super) struct Course {
    pub(super) n_cycles: usize,
    first: f64,
    pub(super) last: f64,
}

/// What there is for some of the axes.
fn on(axes: u64, of_axes: &[usize]) -> Vec<usize> {
    let all = of_axes.iter().enumerate();
    all.filter(|(axis, _)| axes >> axis & 1 == 1)
        .map(|(_, &of_axis)| of_axis)
        .collect()
}

impl Fitted {
    /// Corrects a table by one margin after the other until all terms are met, or for so many
    /// cycles.
    fn cycles(
        &self,
        cells: &mut [f64],
        max_cycles: usize,
        go_on: &mut dyn FnMut(usize) -> Result<(), MethodError>,
    ) -> Result<Course, MethodError> {
        let mut course = Course::default();
        if cells.is_empty() || self.margins.is_empty() {
            return Ok(course);
        }
        let mut sums = self.pass(cells, None, &self.margins[0]);
        for cycle in 1..=max_cycles {
            let mut largest: f64 = 0.0;
            for (position, margin) in self.margins.iter().enumerate() {
                go_on(cycle)?;
                largest = largest.max(margin.corrections(&mut sums)?);
                let next = &self.margins[(position + 1) % self.margins.len()];
                sums = self.pass(cells, Some((margin, &sums)), next);
            }
            course = Course {
                n_cycles: cycle,
                first: if cycle == 1 { largest } else { course.first },
                last: largest,
            };
            if largest <= TOLERANCE {
                break;
            }
        }
        Ok(course)
    }

    /// Multiplies every cell by the correction of its margin, and sums for the next margin.
    fn pass(
        &self,
        cells: &mut [f64],
        correction: Option<(&Margin, &[f64])>,
        next: &Margin,
    ) -> Vec<f64> {
        let Some(&length) = self.shape.last() else {
            return Vec::new();
        };
        let n_rows = cells.len() / length;
        // So many blocks that their sums take no more room than the table.
        let largest = next.n_cells.max(MIN_BLOCK);
        let n_blocks = (cells.len() / largest).clamp(1, MAX_BLOCKS).min(n_rows);
        let rows_in_block = n_rows.div_ceil(n_blocks);
        let outer = &self.shape[..self.shape.len() - 1];
        let of_block = |(block, cells): (usize, &mut [f64])| {
            let mut sums = vec![0.0; next.n_cells];
            let rows = Rows::new(outer, block * rows_in_block, correction, next);
            rows.walk(cells, length, &mut sums);
            sums
        };
        if n_blocks == 1 {
            return of_block((0, cells));
        }
        let blocks: Vec<Vec<f64>> = cells
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

impl Margin {
    /// Turns the sums of the margin into factors that make it what it must be; returns the largest
    /// correction of a term as a share.
    fn corrections(&self, sums: &mut [f64]) -> Result<f64, MethodError> {
        match &self.meets {
            Meets::Counts(counts) => Ok(corrections(counts, sums)),
            Meets::Margins(fitted) => {
                let mut cells = sums.to_vec();
                let course = fitted.cycles(&mut cells, CYCLES_WITHIN, &mut |_| Ok(()))?;
                for (sum, cell) in sums.iter_mut().zip(cells) {
                    *sum = if *sum > 0.0 { cell / *sum } else { 0.0 };
                }
                Ok(course.first)
            }
        }
    }
}

/// Factors that make sums what they must be, and the largest correction as a share. An empty
/// margin gets 0 and stays empty.
fn corrections(counts: &[f64], sums: &mut [f64]) -> f64 {
    let mut largest: f64 = 0.0;
    for (sum, &target) in sums.iter_mut().zip(counts) {
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
