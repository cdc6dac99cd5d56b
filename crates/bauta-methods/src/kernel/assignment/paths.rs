//! Shortest augmenting paths from rows to columns that have records left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kernel::assignment::Candidates;
use crate::kernel::assignment::links::Links;

/// Columns that are scanned between two questions whether to go on.
const ASK: usize = 4096;

/// What is known of a column, together since it is needed together.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) dual: f64,
    /// Length of the shortest path found in the search with this stamp.
    length: f64,
    /// The row before the column on that path, and which of its candidates the column is.
    before: u32,
    candidate: u32,
    stamp: u32,
    /// Records that nobody has.
    pub(super) spare: u32,
}

/// How a search came to a row: by a link of a column.
#[derive(Clone, Copy)]
struct Reached {
    stamp: u32,
    column: u32,
    place: u32,
}

/// Where a path ends.
#[derive(Clone, Copy)]
enum End {
    /// A column that has records left.
    Column(u32),
    /// A row that can as well do without.
    Row(u32),
}

/// Columns, links, and searches for more.
pub(super) struct Paths<'a> {
    candidates: &'a Candidates,
    supply: &'a [u32],
    unlinked: f64,
    pub(super) columns: Vec<Column>,
    pub(super) links: Links,
    reached: Vec<Reached>,
    stamp: u32,
    /// Columns that are not scanned, nearest first; some more than once.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Columns that are as near as the one being scanned.
    ready: Vec<u32>,
    scanned: Vec<u32>,
    n_scanned: usize,
    end: (End, f64),
}

impl<'a> Paths<'a> {
    pub(super) fn new(
        candidates: &'a Candidates,
        supply: &'a [u32],
        demand: &[u32],
        unlinked: f64,
    ) -> Self {
        let column = |&spare: &u32| Column {
            dual: 0.0,
            length: 0.0,
            before: 0,
            candidate: 0,
            stamp: 0,
            spare,
        };
        let reached = Reached {
            stamp: 0,
            column: 0,
            place: 0,
        };
        Self {
            candidates,
            supply,
            unlinked,
            columns: demand.iter().map(column).collect(),
            links: Links::new(demand.len()),
            reached: vec![reached; supply.len()],
            stamp: 0,
            heap: BinaryHeap::new(),
            ready: Vec::new(),
            scanned: Vec::new(),
            n_scanned: 0,
            end: (End::Row(0), f64::INFINITY),
        }
    }

    /// What a record of a row is worth at the columns' duals.
    pub(super) fn row_dual(&self, row: usize) -> f64 {
        let pairs = self.candidates.pairs(row);
        let values = pairs.map(|(column, weight)| weight - self.columns[column].dual);
        values.fold(self.unlinked, f64::max)
    }

    /// Links records of a row, or finds that one more had better stay without: returns how many are settled.
    pub(super) fn augment<E>(
        &mut self,
        row: usize,
        n_left: u32,
        go_on: &impl Fn() -> Result<(), E>,
    ) -> Result<u32, E> {
        self.stamp += 1;
        self.heap.clear();
        self.ready.clear();
        self.scanned.clear();
        self.reached[row].stamp = self.stamp;
        self.end = (End::Row(row as u32), f64::INFINITY);
        self.scan(row, 0.0, self.row_dual(row));
        while let Some((column, length)) = self.nearest() {
            self.n_scanned += 1;
            if self.n_scanned.is_multiple_of(ASK) {
                go_on()?;
            }
            self.scanned.push(column as u32);
            let mut next = self.links.first(column);
            while let Some(place) = next {
                let link = *self.links.at(place);
                next = link.next();
                if self.reached[link.row as usize].stamp != self.stamp {
                    self.reached[link.row as usize] = Reached {
                        stamp: self.stamp,
                        column: column as u32,
                        place,
                    };
                    let value = link.weight - self.columns[column].dual;
                    self.scan(link.row as usize, length, value);
                }
            }
        }
        for &column in &self.scanned {
            let column = &mut self.columns[column as usize];
            column.dual += self.end.1 - column.length;
        }
        Ok(self.push(row, n_left))
    }

    /// Shortens paths by way of a row, to which its link is worth `value`.
    fn scan(&mut self, row: usize, length: f64, value: f64) {
        // Rounding may leave a value a little below what is better; no way is shorter than none.
        let alone = length + (value - self.unlinked).max(0.0);
        if alone < self.end.1 {
            self.end = (End::Row(row as u32), alone);
        }
        let (columns, weights) = self.candidates.row(row);
        for (candidate, (&place, &weight)) in columns.iter().zip(weights).enumerate() {
            let column = &mut self.columns[place as usize];
            let by_row = length + (value - (weight - column.dual)).max(0.0);
            // A link is preferred to none where both are equally good.
            let is_near = by_row < self.end.1
                || by_row <= self.end.1 && column.spare > 0 && matches!(self.end.0, End::Row(_));
            if !is_near || column.stamp == self.stamp && by_row >= column.length {
                continue;
            }
            column.stamp = self.stamp;
            column.length = by_row;
            column.before = row as u32;
            column.candidate = candidate as u32;
            if column.spare > 0 {
                self.end = (End::Column(place), by_row);
            } else if by_row <= length {
                self.ready.push(place);
            } else {
                // Lengths are not negative, so that their bits are in their order.
                self.heap.push(Reverse((by_row.to_bits(), place)));
            }
        }
    }

    /// The nearest column that is not scanned, if it is nearer than the end.
    fn nearest(&mut self) -> Option<(usize, f64)> {
        if let Some(column) = self.ready.pop() {
            let length = self.columns[column as usize].length;
            return (length < self.end.1).then_some((column as usize, length));
        }
        while let Some(Reverse((bits, column))) = self.heap.pop() {
            let length = f64::from_bits(bits);
            if length >= self.end.1 {
                return None;
            }
            // Longer paths to a column stay in the heap when a shorter one is found.
            if length <= self.columns[column as usize].length {
                return Some((column as usize, length));
            }
        }
        None
    }

    /// Moves as many records along the path as it can carry; returns how many.
    fn push(&mut self, row: usize, n_left: u32) -> u32 {
        let count = self.capacity(row, n_left);
        let mut at = match self.end.0 {
            End::Column(column) => {
                self.columns[column as usize].spare -= count;
                self.take(column as usize, count)
            }
            End::Row(row) => row as usize,
        };
        while at != row {
            let Reached { column, place, .. } = self.reached[at];
            self.links.decrease(column as usize, place, count);
            at = self.take(column as usize, count);
        }
        count
    }

    /// Links a column to the row before it, which is returned.
    fn take(&mut self, column: usize, count: u32) -> usize {
        let Column {
            before, candidate, ..
        } = self.columns[column];
        let weight = self.candidates.row(before as usize).1[candidate as usize];
        if self.supply[before as usize] > 1 {
            self.links.increase(column, before, weight, count);
        } else {
            self.links.add(column, before, weight, count);
        }
        before as usize
    }

    /// How many records the path can carry.
    fn capacity(&self, row: usize, n_left: u32) -> u32 {
        let mut count = n_left;
        let mut at = match self.end.0 {
            End::Column(column) => {
                let column = &self.columns[column as usize];
                count = count.min(column.spare);
                column.before as usize
            }
            End::Row(row) => row as usize,
        };
        while at != row {
            let Reached { column, place, .. } = self.reached[at];
            count = count.min(self.links.at(place).count);
            at = self.columns[column as usize].before as usize;
        }
        count
    }
}
