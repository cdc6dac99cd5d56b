//! Links where every pair has a weight.
//!
//! After Jonker and Volgenant (1987): good duals first, from columns and from rows that outbid each other, then
//! a shortest augmenting path for each row that is left.

use crate::kernel::assignment::{Assigned, Link};
use crate::kernel::parallel::each;

/// Rounds in which rows outbid each other.
const ROUNDS: usize = 2;
/// Bids a row on average in a round. Rounding can make rows outbid each other for ever by next to nothing.
const BIDS: usize = 8;
/// Rows that are scanned between two questions whether to go on.
const ASK: usize = 256;
/// Columns that are compared at once.
const LANES: usize = 8;
/// No partner.
const NONE: u32 = u32::MAX;

/// A weight for each pair of a row and a column.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightMatrix {
    n_rows: usize,
    n_columns: usize,
    weights: Vec<f64>,
}

impl WeightMatrix {
    /// The matrix whose rows stand one after the other in `weights`, which must be finite.
    pub fn new(n_rows: usize, n_columns: usize, weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), n_rows * n_columns, "a weight for each pair");
        debug_assert!(weights.iter().all(|weight| weight.is_finite()));
        Self {
            n_rows,
            n_columns,
            weights,
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The weights of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.weights[row * self.n_columns..(row + 1) * self.n_columns]
    }

    fn transposed(&self) -> Self {
        let column = |column: usize| (0..self.n_rows).map(move |row| self.row(row)[column]);
        Self {
            n_rows: self.n_columns,
            n_columns: self.n_rows,
            weights: (0..self.n_columns).flat_map(column).collect(),
        }
    }
}

/// Links every record of the smaller side to one of the other, with the largest total weight. Duals of the
/// larger side are never negative, and 0 without a link. `go_on` is told how many rows are done.
pub fn dense<E>(
    weights: &WeightMatrix,
    go_on: impl Fn(usize) -> Result<(), E>,
) -> Result<Assigned, E> {
    let linked = |row: usize, column: u32| Link {
        row: row as u32,
        column,
        count: 1,
    };
    if weights.n_rows <= weights.n_columns {
        let solved = Search::new(weights).solved(&go_on)?;
        let links = solved.columns.into_iter().enumerate();
        return Ok(Assigned {
            links: links.map(|(row, column)| linked(row, column)).collect(),
            row_duals: solved.row_duals,
            column_duals: solved.column_duals,
        });
    }
    let solved = Search::new(&weights.transposed()).solved(&go_on)?;
    let links = solved.columns.into_iter().enumerate();
    let mut links: Vec<Link> = links
        .map(|(column, row)| linked(row as usize, column as u32))
        .collect();
    links.sort_unstable();
    Ok(Assigned {
        links,
        row_duals: solved.column_duals,
        column_duals: solved.row_duals,
    })
}

/// Duals of the columns, and links so far: rows that are linked have their best column at these duals.
struct Search<'a> {
    weights: &'a WeightMatrix,
    duals: Vec<f64>,
    /// The column of each row.
    columns: Vec<u32>,
    /// The row of each column.
    rows: Vec<u32>,
}

/// The column of each row, and all duals.
struct Solved {
    columns: Vec<u32>,
    row_duals: Vec<f64>,
    column_duals: Vec<f64>,
}

/// A row's best column, at the duals so far, and its second best.
struct TwoBest {
    column: usize,
    value: f64,
    second_column: usize,
    second_value: f64,
}

/// The shortest path of each column from the row that seeks a partner.
struct Paths {
    /// Its length; infinite once the column is scanned.
    lengths: Vec<f64>,
    /// The row before the column.
    before: Vec<f64>,
    /// Columns whose row was scanned, their dual and the length of their path.
    scanned: Vec<(usize, f64, f64)>,
}

impl<'a> Search<'a> {
    fn new(weights: &'a WeightMatrix) -> Self {
        Self {
            weights,
            duals: vec![0.0; weights.n_columns],
            columns: vec![NONE; weights.n_rows],
            rows: vec![NONE; weights.n_columns],
        }
    }

    /// Links all rows.
    fn solved<E>(mut self, go_on: &impl Fn(usize) -> Result<(), E>) -> Result<Solved, E> {
        // Columns that stay without a row must have dual 0, so that columns may begin only if all get one.
        if self.weights.n_rows == self.weights.n_columns {
            self.reduce_columns();
            self.transfer_reduction();
        }
        let mut free: Vec<u32> = (0..self.weights.n_rows as u32)
            .filter(|&row| self.columns[row as usize] == NONE)
            .collect();
        for _ in 0..ROUNDS {
            free = self.outbid(free, go_on)?;
        }
        let mut paths = Paths {
            lengths: vec![0.0; self.weights.n_columns],
            before: vec![0.0; self.weights.n_columns],
            scanned: Vec::new(),
        };
        for (at, &row) in free.iter().enumerate() {
            let n_done = self.weights.n_rows - (free.len() - at);
            self.augment(row as usize, &mut paths, &|| go_on(n_done))?;
        }
        // Anew from the columns' duals, so that no pair's weight exceeds its duals by more than one rounding.
        let row_duals = each(self.weights.n_rows, &|row| {
            let values = self.weights.row(row).iter().zip(&self.duals);
            let values = values.map(|(weight, dual)| weight - dual);
            values.fold(f64::NEG_INFINITY, f64::max)
        });
        Ok(Solved {
            columns: self.columns,
            row_duals,
            column_duals: self.duals,
        })
    }

    /// Gives each column its largest weight as dual, and to one row that has it.
    fn reduce_columns(&mut self) {
        let n = self.weights.n_columns;
        let mut best = vec![0_u32; n];
        self.duals.fill(f64::NEG_INFINITY);
        for row in 0..n {
            let places = self.duals.iter_mut().zip(&mut best);
            for (&weight, (dual, best)) in self.weights.row(row).iter().zip(places) {
                if weight > *dual {
                    (*dual, *best) = (weight, row as u32);
                }
            }
        }
        for (column, &row) in best.iter().enumerate() {
            if self.columns[row as usize] == NONE {
                self.link(row as usize, column);
            }
        }
    }

    /// Raises the dual of each linked column until its row would as well have its second best.
    fn transfer_reduction(&mut self) {
        if self.weights.n_columns < 2 {
            return;
        }
        for row in 0..self.weights.n_rows {
            let column = self.columns[row] as usize;
            if self.columns[row] != NONE {
                let best = self.two_best(row);
                // With a tie the linked column can come second, and there is nothing to transfer.
                if best.column == column {
                    self.duals[column] += best.value - best.second_value;
                }
            }
        }
    }

    /// Lets rows take their best column from who has it, at a dual that makes the second best as good; returns
    /// rows that got none.
    fn outbid<E>(
        &mut self,
        free: Vec<u32>,
        go_on: &impl Fn(usize) -> Result<(), E>,
    ) -> Result<Vec<u32>, E> {
        let n_bids = BIDS * self.weights.n_rows;
        let mut left = Vec::new();
        let mut waiting = free;
        waiting.reverse();
        let mut n_done = 0;
        while let Some(row) = waiting.pop() {
            n_done += 1;
            if n_done % ASK == 0 {
                go_on(self.weights.n_rows - waiting.len() - left.len())?;
            }
            if n_done > n_bids {
                left.push(row);
                continue;
            }
            let best = self.two_best(row as usize);
            let raised = self.duals[best.column] + (best.value - best.second_value);
            let is_raised = raised.is_finite() && raised > self.duals[best.column];
            let mut column = best.column;
            if is_raised {
                self.duals[column] = raised;
            } else if self.rows[column] != NONE && best.second_value >= best.value {
                column = best.second_column;
            }
            let outbid = self.link(row as usize, column);
            if outbid != NONE {
                // Without a higher dual, the two could go on taking the column from each other.
                if is_raised {
                    waiting.push(outbid);
                } else {
                    left.push(outbid);
                }
            }
        }
        left.sort_unstable();
        Ok(left)
    }

    /// Links a row and a column; returns the row that had the column.
    fn link(&mut self, row: usize, column: usize) -> u32 {
        let outbid = std::mem::replace(&mut self.rows[column], row as u32);
        if outbid != NONE {
            self.columns[outbid as usize] = NONE;
        }
        self.columns[row] = column as u32;
        outbid
    }

    fn two_best(&self, row: usize) -> TwoBest {
        let mut best = TwoBest {
            column: 0,
            value: f64::NEG_INFINITY,
            second_column: 0,
            second_value: f64::NEG_INFINITY,
        };
        let values = self.weights.row(row).iter().zip(&self.duals);
        for (column, (weight, dual)) in values.enumerate() {
            let value = weight - dual;
            if value > best.second_value {
                if value > best.value {
                    (best.second_column, best.second_value) = (best.column, best.value);
                    (best.column, best.value) = (column, value);
                } else {
                    (best.second_column, best.second_value) = (column, value);
                }
            }
        }
        best
    }

    /// Links one more row, along the shortest path to a column without a row.
    fn augment<E>(
        &mut self,
        row: usize,
        paths: &mut Paths,
        go_on: &impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        paths.lengths.fill(f64::INFINITY);
        paths.scanned.clear();
        let values = self.weights.row(row).iter().zip(&self.duals);
        let value = values.fold(f64::NEG_INFINITY, |best, (weight, dual)| {
            best.max(weight - dual)
        });
        let nearest = paths.scan(row, self.weights.row(row), &self.duals, value);
        let (mut column, mut length) = self.nearest(paths, nearest);
        while self.rows[column] != NONE {
            if paths.scanned.len().is_multiple_of(ASK) {
                go_on()?;
            }
            let row = self.rows[column] as usize;
            let weights = self.weights.row(row);
            let value = length + (weights[column] - self.duals[column]);
            paths.scanned.push((column, self.duals[column], length));
            // Scanned columns are infinitely long from here on, both before and after.
            paths.lengths[column] = f64::INFINITY;
            self.duals[column] = f64::INFINITY;
            let nearest = paths.scan(row, weights, &self.duals, value);
            (column, length) = self.nearest(paths, nearest.max(length));
        }
        for &(scanned, dual, its_length) in &paths.scanned {
            self.duals[scanned] = dual + (length - its_length);
        }
        loop {
            let before = paths.before[column] as usize;
            let next = self.columns[before];
            self.columns[before] = column as u32;
            self.rows[column] = before as u32;
            if before == row {
                return Ok(());
            }
            column = next as usize;
        }
    }

    /// The first column whose path is not longer than the nearest, one without a row if there is any.
    fn nearest(&self, paths: &Paths, nearest: f64) -> (usize, f64) {
        let mut found = None;
        for (block, lengths) in paths.lengths.chunks(LANES).enumerate() {
            // Counted and not searched: without branches, the processor compares many at once.
            if lengths.iter().filter(|&&length| length <= nearest).count() > 0 {
                let near = |&lane: &usize| lengths[lane] <= nearest;
                for column in (0..lengths.len())
                    .filter(near)
                    .map(|lane| block * LANES + lane)
                {
                    if self.rows[column] == NONE {
                        return (column, nearest);
                    }
                    found = found.or(Some(column));
                }
            }
        }
        // There are at least as many columns as rows, so that some are without a row.
        (found.expect("a column that is not scanned"), nearest)
    }
}

impl Paths {
    /// Shortens paths by way of a row; `value` is what its column is worth to it, plus the path to it. Returns
    /// the length of the shortest path.
    fn scan(&mut self, row: usize, weights: &[f64], duals: &[f64], value: f64) -> f64 {
        shorten(
            &mut self.lengths,
            &mut self.before,
            (weights, duals),
            (row as f64, value),
        )
    }
}

/// As [`Paths::scan`], on lists that are known not to overlap: blocks of them are compared at once.
#[inline(never)]
fn shorten(
    lengths: &mut [f64],
    before: &mut [f64],
    (weights, duals): (&[f64], &[f64]),
    (row, value): (f64, f64),
) -> f64 {
    let n = lengths.len();
    let (before, weights, duals) = (&mut before[..n], &weights[..n], &duals[..n]);
    for column in 0..n {
        let by_row = value - (weights[column] - duals[column]);
        let (length, row_before) = (lengths[column], before[column]);
        let is_shorter = by_row < length;
        before[column] = if is_shorter { row } else { row_before };
        lengths[column] = if is_shorter { by_row } else { length };
    }
    let mut nearest = [f64::INFINITY; LANES];
    let (blocks, rest) = lengths.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            nearest[lane] = shorter(block[lane], nearest[lane]);
        }
    }
    let nearest = nearest.iter().chain(rest);
    nearest.copied().fold(f64::INFINITY, shorter)
}

/// The minimum as processors have it: lengths are numbers.
fn shorter(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
