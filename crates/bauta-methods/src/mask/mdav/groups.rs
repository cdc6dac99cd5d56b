//! Maximum distance to average vector: groups of at least k near records.

use crate::kernel::space::gapped_points::GappedPoints;
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::kernel::space::shrinking_tree::Found;
use crate::kernel::space::ungrouped::{Complete, Gapped, Ungrouped};

/// MDAV groups of all points (Domingo-Ferrer and Torra 2005). `done` is told how many records are
/// in groups, and may stop the work by an error.
///
/// Fewer than k points make no group.
pub fn mdav<E>(
    points: &Points,
    k: usize,
    done: impl FnMut(usize) -> Result<(), E>,
) -> Result<Partition, E> {
    grouped(points.len(), k, || Complete::new(points, k - 1), done)
}

/// The same for points with gaps: distances are over what two points both have, and the average is
/// that of those that have a variable.
pub fn mdav_with_gaps<E>(
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
    let mut work = Work {
        left: ungrouped(),
        groups: Partition::with_capacity(n),
        near: Vec::with_capacity(k),
    };
    while work.left.len() >= 3 * k {
        done(n - work.left.len())?;
        let r = work.farthest_from_centre();
        work.group(r, k);
        let s = work.opposite(r);
        work.group(s, k);
    }
    if work.left.len() >= 2 * k {
        let r = work.farthest_from_centre();
        work.group(r, k);
    }
    let rest = work.left.remaining();
    if !rest.is_empty() {
        work.groups.push(rest);
    }
    Ok(work.groups)
}

struct Work<U> {
    left: U,
    groups: Partition,
    near: Vec<Found>,
}

impl<U: Ungrouped> Work<U> {
    fn farthest_from_centre(&mut self) -> u32 {
        let found = self.left.farthest_from_centre();
        found.expect("at least k points are left")
    }

    fn opposite(&mut self, from: u32) -> u32 {
        let found = self.left.opposite(from);
        found.expect("at least k points are left")
    }

    /// Makes a group of a record and the k - 1 nearest to it.
    fn group(&mut self, centre: u32, k: usize) {
        self.left.take(centre);
        self.left.nearest(centre, k - 1, &mut self.near);
        self.groups
            .push(std::iter::once(centre).chain(self.near.iter().map(|found| found.row)));
        for found in &self.near {
            self.left.take(found.row);
        }
    }
}
