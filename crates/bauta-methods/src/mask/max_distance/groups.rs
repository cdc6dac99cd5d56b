//! Groups around the two most distant records, again and again.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::kernel::space::gapped_points::GappedPoints;
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::kernel::space::shrinking_tree::Found;
use crate::kernel::space::ungrouped::{Complete, Gapped, Ungrouped};

/// Maximum-distance groups of all points. `done` is told how many records are in groups, and may
/// stop the work by an error.
///
/// Fewer than k points make no group.
pub fn max_distance<E>(
    points: &Points,
    k: usize,
    done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    grouped(points.len(), k, || Complete::new(points), done)
}

/// The same for points with gaps: distances are over what two points both have.
pub fn max_distance_with_gaps<E>(
    points: &GappedPoints,
    k: usize,
    done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    grouped(points.len(), k, || Gapped::new(points), done)
}

fn grouped<U: Ungrouped, E>(
    n: usize,
    k: usize,
    ungrouped: impl Fn() -> U,
    mut done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    if n < k {
        return Ok(Partition::default());
    }
    let mut groups = Partition::with_capacity(n);
    let mut left = ungrouped();
    let mut pairs = Pairs::new(&left);
    let mut near = Vec::with_capacity(k);
    // With k = 1 a pair makes two groups, and a last record one of its own.
    while left.len() >= 2 * k {
        let n_grouped = n - left.len();
        let (r, s) = pairs.most_distant(&left, || done(n_grouped))?;
        // Both are kept out of each other's group.
        left.take(r);
        left.take(s);
        for centre in [r, s] {
            left.nearest(centre, k - 1, &mut near);
            for found in &near {
                left.take(found.row);
            }
            groups.push(std::iter::once(centre).chain(near.iter().map(|found| found.row)));
        }
    }
    let rest = left.remaining();
    if rest.len() >= k {
        groups.push(rest);
        return Ok(groups);
    }
    Ok(join_nearest(&left, &groups, &rest))
}

/// Puts each record of a rest into the group whose centroid is nearest to it; of several the first.
/// The centroids are those before any record of the rest has come.
fn join_nearest<U: Ungrouped>(points: &U, groups: &Partition, rest: &[u32]) -> Partition {
    if rest.is_empty() {
        return groups.clone();
    }
    let mut nearest = vec![(f64::INFINITY, 0); rest.len()];
    for (number, members) in groups.iter().enumerate() {
        let centre = points.centre_of(members);
        for (best, &row) in nearest.iter_mut().zip(rest) {
            let distance = points.distance_to_centre(&centre, row);
            if distance < best.0 {
                *best = (distance, number);
            }
        }
    }
    let mut joined = Partition::with_capacity(groups.n_members() + rest.len());
    for (number, members) in groups.iter().enumerate() {
        let newcomers = nearest
            .iter()
            .zip(rest)
            .filter(|(best, _)| best.1 == number);
        joined.push(
            members
                .iter()
                .copied()
                .chain(newcomers.map(|(_, &row)| row)),
        );
    }
    joined
}

/// Which two records are most distant, while records go.
///
/// Each record waits with a squared distance that none of its pairs exceeds: a bound, or the
/// distance of its farthest partner. Records that go only make these smaller. So whoever is in
/// front with a partner that is still there has the most distant pair of all. Both records of that
/// pair have the largest distance, and the lower row is in front: it is r.
///
/// A pair without a distance has -∞ and comes last.
struct Pairs {
    waiting: BinaryHeap<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    distance: f64,
    record: u32,
    /// The farthest record when it was last asked for; of several the lowest row.
    partner: Option<u32>,
}

impl Ord for Waiting {
    /// The front of the queue is greatest: the largest distance, then the lowest row.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then_with(|| other.record.cmp(&self.record))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl Pairs {
    fn new<U: Ungrouped>(points: &U) -> Self {
        let bound = |(record, distance): (usize, f64)| Waiting {
            distance,
            record: record as u32,
            partner: None,
        };
        let at_most = points.at_most().into_iter();
        Self {
            waiting: at_most.enumerate().map(bound).collect(),
        }
    }

    /// The most distant pair of those left, the lower row first; of several the one with the
    /// lowest rows. At least two records are left.
    fn most_distant<U: Ungrouped, E>(
        &mut self,
        left: &U,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<(u32, u32), E> {
        go_on()?;
        let mut n_asked = 0_u32;
        loop {
            let front = self.waiting.pop().expect("two records are left");
            if !left.contains(front.record) {
                continue;
            }
            if let Some(partner) = front.partner.filter(|&partner| left.contains(partner)) {
                return Ok((front.record, partner));
            }
            n_asked += 1;
            if n_asked.is_multiple_of(1024) {
                go_on()?;
            }
            let Found { distance, row } = farthest_partner(left, front.record);
            self.waiting.push(Waiting {
                distance,
                record: front.record,
                partner: Some(row),
            });
        }
    }
}

fn farthest_partner<U: Ungrouped>(left: &U, record: u32) -> Found {
    let farthest = left.farthest(record).expect("two records are left");
    if farthest.row != record {
        return farthest;
    }
    // A record is its own farthest only where all are equal, or share no variable with it: the
    // lowest other row.
    let mut lowest = Vec::with_capacity(2);
    left.nearest(record, 2, &mut lowest);
    let other = lowest.into_iter().find(|found| found.row != record);
    let mut other = other.expect("two records are left");
    if other.distance == f64::INFINITY {
        other.distance = f64::NEG_INFINITY;
    }
    other
}
