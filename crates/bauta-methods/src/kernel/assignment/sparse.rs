//! Links where few pairs are candidates, between classes of equal records.
//!
//! As [`dense`](crate::kernel::assignment::dense()): rows outbid each other first, then shortest augmenting paths
//! link who is left, as many records at a time as the path can carry.

use std::collections::VecDeque;

use crate::kernel::assignment::paths::Paths;
use crate::kernel::assignment::{Assigned, Candidates, Link};
use crate::kernel::parallel::each;

/// Bids a row on average before paths are searched. A bid looks at one row, a path at thousands: of 100,000 records with
/// 50 candidates each, 8 bids left 8,614 to paths and took 39 seconds, 64 left 3,007 in 12, 512 left 34 in 7.
const BIDS: usize = 512;
/// Bids between two questions whether to go on.
const ASK: usize = 4096;

/// Links records of the largest total weight, where row r stands for `supply[r]` equal records, column c for
/// `demand[c]`, and a row's record without a link weighs `unlinked`, which no candidate falls below. Duals of rows
/// are at least `unlinked`, and equal to it with a record that is not linked; duals of columns are never negative,
/// and 0 with a record to spare. `go_on` is told how many rows are done.
pub fn sparse<E>(
    candidates: &Candidates,
    supply: &[u32],
    demand: &[u32],
    unlinked: f64,
    go_on: impl Fn(usize) -> Result<(), E>,
) -> Result<Assigned, E> {
    assert_eq!(supply.len(), candidates.n_rows(), "a supply for each row");
    assert_eq!(
        demand.len(),
        candidates.n_columns(),
        "a demand for each column"
    );
    debug_assert!(
        (0..supply.len())
            .all(|row| { candidates.pairs(row).all(|(_, weight)| weight >= unlinked) })
    );
    let mut search = Search {
        candidates,
        supply,
        demand,
        unlinked,
        paths: Paths::new(candidates, supply, demand, unlinked),
        n_left: supply.to_vec(),
    };
    let mut left = search.outbid(&go_on)?;
    left.sort_unstable();
    for (at, &row) in left.iter().enumerate() {
        let n_done = supply.len() - (left.len() - at);
        go_on(n_done)?;
        let row = row as usize;
        while search.n_left[row] > 0 {
            let n_left = search.n_left[row];
            search.n_left[row] -= search.paths.augment(row, n_left, &|| go_on(n_done))?;
        }
    }
    Ok(search.assigned())
}

struct Search<'a> {
    candidates: &'a Candidates,
    supply: &'a [u32],
    demand: &'a [u32],
    unlinked: f64,
    paths: Paths<'a>,
    /// Records of each row that are not settled.
    n_left: Vec<u32>,
}

/// A row's best column, at the duals so far, and what the second best or none is worth.
struct TwoBest {
    column: usize,
    weight: f64,
    value: f64,
    second_value: f64,
}

impl Search<'_> {
    /// Lets rows take their best column from who has it, at a dual that makes the second best as good; returns
    /// rows with records that are not settled.
    fn outbid<E>(&mut self, go_on: &impl Fn(usize) -> Result<(), E>) -> Result<Vec<u32>, E> {
        let n_rows = self.supply.len();
        let mut waiting: VecDeque<u32> = (0..n_rows as u32).collect();
        let mut left = Vec::new();
        let n_bids = BIDS * n_rows;
        let mut n_done = 0;
        while let Some(row) = waiting.pop_front() {
            n_done += 1;
            if n_done % ASK == 0 {
                go_on(n_rows - waiting.len() - left.len())?;
            }
            if self.n_left[row as usize] == 0 {
                continue;
            }
            if n_done <= n_bids {
                let outbid = self.bid(row as usize);
                if let Some(outbid) = outbid {
                    waiting.push_back(outbid);
                }
            }
            if self.n_left[row as usize] > 0 {
                left.push(row);
            }
        }
        Ok(left)
    }

    /// Links a row's records to its best column, if that is possible; returns the row that is outbid.
    fn bid(&mut self, row: usize) -> Option<u32> {
        let Some(best) = self.two_best(row) else {
            self.n_left[row] = 0;
            return None;
        };
        let column = &mut self.paths.columns[best.column];
        let mut outbid = None;
        // Only where one record is sought by one can a dual rise without doing wrong to others who are linked.
        if self.supply[row] == 1 && self.demand[best.column] == 1 {
            let raised = column.dual + (best.value - best.second_value);
            let has_risen = raised > column.dual;
            if column.spare == 0 {
                if !has_risen {
                    return None;
                }
                let place = self.paths.links.first(best.column)?;
                let holder = self.paths.links.at(place).row;
                self.paths.links.decrease(best.column, place, 1);
                self.n_left[holder as usize] += 1;
                column.spare = 1;
                outbid = Some(holder);
            }
            column.dual = raised;
        }
        let count = column.spare.min(self.n_left[row]);
        if count > 0 {
            column.spare -= count;
            self.n_left[row] -= count;
            let links = &mut self.paths.links;
            if self.supply[row] > 1 {
                links.increase(best.column, row as u32, best.weight, count);
            } else {
                links.add(best.column, row as u32, best.weight, count);
            }
        }
        outbid
    }

    /// None if a row had better stay without a link.
    fn two_best(&self, row: usize) -> Option<TwoBest> {
        let mut best = None;
        let (mut value, mut second_value) = (self.unlinked, f64::NEG_INFINITY);
        for (column, weight) in self.candidates.pairs(row) {
            let its_value = weight - self.paths.columns[column].dual;
            if its_value > value || its_value >= value && best.is_none() {
                second_value = value;
                value = its_value;
                best = Some((column, weight));
            } else {
                second_value = second_value.max(its_value);
            }
        }
        best.map(|(column, weight)| TwoBest {
            column,
            weight,
            value,
            second_value,
        })
    }

    fn assigned(&self) -> Assigned {
        let mut links: Vec<Link> = Vec::new();
        for column in 0..self.demand.len() {
            links.extend(self.paths.links.of(column).map(|place| {
                let link = self.paths.links.at(place);
                Link {
                    row: link.row,
                    column: column as u32,
                    count: link.count,
                }
            }));
        }
        links.sort_unstable();
        let duals = self.paths.columns.iter().map(|column| column.dual);
        Assigned {
            links,
            row_duals: each(self.supply.len(), &|row| self.paths.row_dual(row)),
            column_duals: duals.collect(),
        }
    }
}
