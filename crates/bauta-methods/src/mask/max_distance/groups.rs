//! Groups around the two most distant records, again and again.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::kernel::space::centroid::Centroid;
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::{Points, squared_distance};
use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// Maximum-distance groups of all points. `done` is told how many records are in groups, and may
/// stop the work by an error.
///
/// Fewer than k points make no group.
pub fn max_distance<E>(
    points: &Points,
    k: usize,
    mut done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    let n = points.len();
    if n < k {
        return Ok(Partition::default());
    }
    let mut groups = Partition::with_capacity(n);
    let mut tree = ShrinkingTree::new(points);
    let mut pairs = Pairs::new(points);
    let mut near = Vec::with_capacity(k);
    // With k = 1 a pair makes two groups, and a last record one of its own.
    while tree.len() >= 2 * k {
        let n_grouped = n - tree.len();
        let (r, s) = pairs.most_distant(&tree, || done(n_grouped))?;
        // Both are kept out of each other's group.
        tree.remove(r);
        tree.remove(s);
        for centre in [r, s] {
            tree.nearest(points.point(centre as usize), k - 1, &mut near);
            for found in &near {
                tree.remove(found.row);
            }
            groups.push(std::iter::once(centre).chain(near.iter().map(|found| found.row)));
        }
    }
    let mut rest: Vec<u32> = tree.remaining().collect();
    rest.sort_unstable();
    if rest.len() >= k {
        groups.push(rest);
        return Ok(groups);
    }
    Ok(join_nearest(points, &groups, &rest))
}

/// Puts each record of a rest into the group whose centroid is nearest to it; of several the first.
/// The centroids are those before any record of the rest has come.
fn join_nearest(points: &Points, groups: &Partition, rest: &[u32]) -> Partition {
    if rest.is_empty() {
        return groups.clone();
    }
    let mut nearest = vec![(f64::INFINITY, 0); rest.len()];
    let none = Centroid::none_of(points);
    for (number, members) in groups.iter().enumerate() {
        let mut centroid = none.clone();
        for &row in members {
            centroid.add(points.point(row as usize));
        }
        let centre = centroid.coordinates();
        for (best, &row) in nearest.iter_mut().zip(rest) {
            let distance = squared_distance(&centre, points.point(row as usize));
            if distance < best.0 {
                *best = (distance, number);
            }
        }
    }
    let mut joined = Partition::with_capacity(points.len());
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
struct Pairs<'a> {
    points: &'a Points,
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

/// Makes a bound safe against its own rounding.
const SAFELY: f64 = 1.0 + 1e-12;

impl<'a> Pairs<'a> {
    fn new(points: &'a Points) -> Self {
        let centre = Centroid::of_all(points).coordinates();
        let from_centre: Vec<f64> = (0..points.len())
            .map(|row| squared_distance(&centre, points.point(row)).sqrt())
            .collect();
        let radius = from_centre.iter().copied().fold(0.0, f64::max);
        let bound = |(record, own): (usize, &f64)| Waiting {
            distance: (own + radius) * (own + radius) * SAFELY + f64::MIN_POSITIVE,
            record: record as u32,
            partner: None,
        };
        Self {
            points,
            waiting: from_centre.iter().enumerate().map(bound).collect(),
        }
    }

    /// The most distant pair of those left, the lower row first; of several the one with the
    /// lowest rows. At least two records are left.
    fn most_distant<E>(
        &mut self,
        tree: &ShrinkingTree<'_>,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<(u32, u32), E> {
        go_on()?;
        let mut n_asked = 0_u32;
        loop {
            let front = self.waiting.pop().expect("two records are left");
            if !tree.contains(front.record) {
                continue;
            }
            if let Some(partner) = front.partner.filter(|&partner| tree.contains(partner)) {
                return Ok((front.record, partner));
            }
            n_asked += 1;
            if n_asked.is_multiple_of(1024) {
                go_on()?;
            }
            let Found { distance, row } = self.farthest_partner(tree, front.record);
            self.waiting.push(Waiting {
                distance,
                record: front.record,
                partner: Some(row),
            });
        }
    }

    fn farthest_partner(&self, tree: &ShrinkingTree<'_>, record: u32) -> Found {
        let place = self.points.point(record as usize);
        let farthest = tree.farthest(place).expect("two records are left");
        if farthest.row != record {
            return farthest;
        }
        // A record is its own farthest only where all are equal: the lowest other row.
        let mut lowest = Vec::with_capacity(2);
        tree.nearest(place, 2, &mut lowest);
        let other = lowest.into_iter().find(|found| found.row != record);
        other.expect("two records are left")
    }
}
