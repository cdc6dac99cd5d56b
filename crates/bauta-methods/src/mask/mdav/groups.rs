//! Maximum distance to average vector: groups of at least k near records.

use crate::kernel::space::centroid::Centroid;
use crate::kernel::space::outermost::Outermost;
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// MDAV groups of all points (Domingo-Ferrer and Torra 2005). `done` is told how many records are
/// in groups, and may stop the work by an error.
///
/// Fewer than k points make no group.
pub fn mdav<E>(
    points: &Points,
    k: usize,
    mut done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    let n = points.len();
    if n < k {
        return Ok(Partition::default());
    }
    let mut work = Work {
        points,
        tree: ShrinkingTree::new(points),
        outermost: Outermost::new(points),
        centroid: Centroid::of_all(points),
        groups: Partition::with_capacity(n),
        near: Vec::with_capacity(k),
    };
    while work.tree.len() >= 3 * k {
        done(n - work.tree.len())?;
        let r = work.farthest_from_centre();
        work.group(r, k);
        let s = work.farthest(points.point(r as usize));
        work.group(s, k);
    }
    if work.tree.len() >= 2 * k {
        let r = work.farthest_from_centre();
        work.group(r, k);
    }
    let mut rest: Vec<u32> = work.tree.remaining().collect();
    rest.sort_unstable();
    if !rest.is_empty() {
        work.groups.push(rest);
    }
    Ok(work.groups)
}

struct Work<'a> {
    points: &'a Points,
    tree: ShrinkingTree<'a>,
    outermost: Outermost<'a>,
    centroid: Centroid,
    groups: Partition,
    near: Vec<Found>,
}

impl Work<'_> {
    fn farthest_from_centre(&mut self) -> u32 {
        let centre = self.centroid.coordinates();
        let found = self.outermost.farthest(&centre, &self.tree);
        found.expect("at least k points are left")
    }

    fn farthest(&mut self, from: &[f64]) -> u32 {
        let found = self.tree.farthest(from);
        found.expect("at least k points are left").row
    }

    /// Makes a group of a record and the k - 1 nearest to it.
    fn group(&mut self, centre: u32, k: usize) {
        self.take(centre);
        let place = self.points.point(centre as usize);
        self.tree.nearest(place, k - 1, &mut self.near);
        let near = std::mem::take(&mut self.near);
        self.groups
            .push(std::iter::once(centre).chain(near.iter().map(|found| found.row)));
        for found in &near {
            self.take(found.row);
        }
        self.near = near;
    }

    fn take(&mut self, row: u32) {
        self.tree.remove(row);
        self.centroid.remove(self.points.point(row as usize));
    }
}
