//! What proves that links are best.

use crate::kernel::assignment::{Assigned, Candidates, Link, WeightMatrix};
use crate::kernel::numbers::sums::{sum_by, sum_of};
use crate::kernel::parallel::each;

/// Rows per parallel block.
const BLOCK: usize = 256;

/// How far links can be from the best, recomputed from links and duals alone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Certificate {
    /// Total weight of the links, and of records without one where those weigh something.
    pub total: f64,
    /// Total of the duals: no links weigh more, up to `largest_violation` a record and rounding.
    pub dual_total: f64,
    /// By how much a weight exceeds its two duals, or a dual its bound, at most; 0 if none does.
    pub largest_violation: f64,
    /// Links of pairs that are no candidates, and rows and columns that are linked too often or not often enough.
    pub n_wrong: usize,
}

impl Certificate {
    /// By how much the best links can weigh more.
    pub fn gap(&self) -> f64 {
        self.dual_total - self.total
    }

    /// Whether links are as they must be and no others weigh more, up to rounding.
    pub fn proves_the_best(&self) -> bool {
        let rounding = 1e-9 * (1.0 + self.total.abs());
        self.n_wrong == 0 && self.gap().abs() <= rounding && self.largest_violation <= rounding
    }

    /// The certificate of links between all records of the smaller side and some of the other.
    pub fn of_dense(weights: &WeightMatrix, assigned: &Assigned) -> Self {
        let (n_rows, n_columns) = (weights.n_rows(), weights.n_columns());
        let weight = |link: &Link| weights.row(link.row as usize)[link.column as usize];
        let linked = linked(assigned, n_rows, n_columns);
        let wrong = |linked: &[u64], is_smaller: bool| {
            let fits = |&&n: &&u64| n > 1 || n < u64::from(is_smaller);
            linked.iter().filter(fits).count()
        };
        // The larger side has records to spare, whose duals bound nothing unless they are 0 or more.
        let bound = |is_larger: bool| if is_larger { 0.0 } else { f64::NEG_INFINITY };
        let columns = &assigned.column_duals;
        let over_pairs = largest(n_rows, |row| {
            let pairs = weights.row(row).iter().zip(columns);
            let row_dual = assigned.row_duals[row];
            let over = pairs.map(|(weight, dual)| weight - (row_dual + dual));
            over.fold(bound(n_rows > n_columns) - row_dual, f64::max)
        });
        let over_columns = largest(n_columns, |column| {
            bound(n_columns > n_rows) - columns[column]
        });
        Self {
            total: sum_by(assigned.links.len(), |at| weight(&assigned.links[at])),
            dual_total: sum_of(&assigned.row_duals, |dual| dual) + sum_of(columns, |dual| dual),
            largest_violation: over_pairs.max(over_columns),
            n_wrong: wrong(&linked.0, n_rows <= n_columns) + wrong(&linked.1, n_columns <= n_rows),
        }
    }

    /// The certificate of links between candidates, where a row's record without a link weighs `unlinked`.
    pub fn of_candidates(
        candidates: &Candidates,
        supply: &[u32],
        demand: &[u32],
        unlinked: f64,
        assigned: &Assigned,
    ) -> Self {
        let links = &assigned.links;
        let (rows, columns) = (&assigned.row_duals, &assigned.column_duals);
        let linked = linked(assigned, supply.len(), demand.len());
        let weights = each(links.len(), &|at| {
            candidates.weight(links[at].row as usize, links[at].column)
        });
        let of_links = sum_by(links.len(), |at| {
            f64::from(links[at].count) * weights[at].unwrap_or(unlinked)
        });
        let of_others = sum_by(supply.len(), |row| {
            unlinked * (f64::from(supply[row]) - linked.0[row] as f64)
        });
        let over_rows = largest(supply.len(), |row| {
            let pairs = candidates.pairs(row);
            let over = pairs.map(|(column, weight)| weight - (rows[row] + columns[column]));
            over.fold(unlinked - rows[row], f64::max)
        });
        let over_columns = largest(demand.len(), |column| -columns[column]);
        let too_often = |linked: &[u64], records: &[u32]| {
            let pairs = linked.iter().zip(records);
            pairs
                .filter(|&(&linked, &records)| linked > u64::from(records))
                .count()
        };
        Self {
            total: of_links + of_others,
            dual_total: sum_by(rows.len(), |row| f64::from(supply[row]) * rows[row])
                + sum_by(columns.len(), |column| {
                    f64::from(demand[column]) * columns[column]
                }),
            largest_violation: over_rows.max(over_columns),
            n_wrong: weights.iter().filter(|weight| weight.is_none()).count()
                + too_often(&linked.0, supply)
                + too_often(&linked.1, demand),
        }
    }
}

/// How many records of each row and of each column are linked.
fn linked(assigned: &Assigned, n_rows: usize, n_columns: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut rows, mut columns) = (vec![0; n_rows], vec![0; n_columns]);
    for link in &assigned.links {
        rows[link.row as usize] += u64::from(link.count);
        columns[link.column as usize] += u64::from(link.count);
    }
    (rows, columns)
}

/// The largest of some figures, blocks in parallel; 0 if none is larger.
fn largest(n: usize, figure: impl Fn(usize) -> f64 + Sync) -> f64 {
    let blocks = each(n.div_ceil(BLOCK), &|block| {
        let figures = (block * BLOCK..((block + 1) * BLOCK).min(n)).map(&figure);
        figures.fold(0.0, f64::max)
    });
    blocks.into_iter().fold(0.0, f64::max)
}
