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
    grouped(points.len(), k, || Complete::new(points, k - 1), done)
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
    /// For those that were asked, partners at or behind the one that they wait with, farthest first.
    partners: Vec<Vec<Found>>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    distance: f64,
    record: u32,
    /// The farthest record, if it was asked for and was there; of several the lowest row.
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
        let at_most = points.at_most();
        Self {
            partners: vec![Vec::new(); at_most.len()],
            waiting: at_most.into_iter().enumerate().map(bound).collect(),
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
        let mut n_asked = 0;
        loop {
            let front = self.next(left).expect("two records are left");
            if let Some(partner) = front.partner {
                return Ok((front.record, partner));
            }
            let mut asking = vec![front.record];
            while asking.len() < U::ASKED_TOGETHER
                && let Some(next) = self.next(left)
            {
                if next.partner.is_some() {
                    self.waiting.push(next);
                    break;
                }
                asking.push(next.record);
            }
            n_asked += asking.len();
            if n_asked >= 1024 {
                go_on()?;
                n_asked = 0;
            }
            for (record, mut partners) in asking.iter().copied().zip(left.farthest_of(&asking)) {
                let Found { distance, row } = partners[0];
                partners.reverse();
                self.partners[record as usize] = partners;
                self.waiting.push(Waiting {
                    distance,
                    record,
                    partner: Some(row),
                });
            }
        }
    }

    /// Who is in front of those that are left, with a partner that is left or none.
    fn next<U: Ungrouped>(&mut self, left: &U) -> Option<Waiting> {
        loop {
            let mut front = self.waiting.pop()?;
            let partners = &mut self.partners[front.record as usize];
            if !left.contains(front.record) {
                *partners = Vec::new();
                continue;
            }
            let Some(partner) = front.partner else {
                return Some(front);
            };
            if left.contains(partner) {
                return Some(front);
            }
            // The next on its list that is left, or a place behind the last of them.
            front.partner = None;
            while let Some(found) = partners.pop() {
                front.distance = found.distance;
                front.partner = Some(found.row).filter(|&row| left.contains(row));
                if front.partner.is_some() {
                    break;
                }
            }
            self.waiting.push(front);
        }
    }
}
