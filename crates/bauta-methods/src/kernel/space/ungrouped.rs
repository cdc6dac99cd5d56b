//! Points that are still to be put into groups, and which of them are near or far: without gaps, and
//! with them.

use crate::kernel::space::centroid::{Centroid, GappedCentroid};
use crate::kernel::space::foresight::Foresight;
use crate::kernel::space::gapped_points::{GappedPoints, Place};
use crate::kernel::space::gapped_tree::GappedTree;
use crate::kernel::space::outermost::{Around, Outermost};
use crate::kernel::space::points::{Points, squared_distance};
use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// Points that are still to be put into groups. Of equally near or far ones the lowest row wins.
pub(crate) trait Ungrouped {
    /// The centroid of some points.
    type Centre;

    /// Points that are left.
    fn len(&self) -> usize;

    /// Whether the point of a row is left.
    fn contains(&self, row: u32) -> bool;

    /// The rows that are left, rising.
    fn remaining(&self) -> Vec<u32>;

    /// Takes a point out that is left.
    fn take(&mut self, row: u32);

    /// The `m` nearest to a point, nearest first. Those without a distance come last, with ∞.
    fn nearest(&self, to: u32, m: usize, found: &mut Vec<Found>);

    /// The farthest from a point. One without a distance, with -∞, only where none has one.
    fn farthest(&self, from: u32) -> Option<Found>;

    /// The farthest from the centroid of all that are left.
    fn farthest_from_centre(&mut self) -> Option<u32>;

    /// The farthest from a point that was farthest from the centroid.
    fn opposite(&mut self, from: u32) -> Option<u32> {
        self.farthest(from).map(|found| found.row)
    }

    /// How many points are best asked for their farthest together.
    const ASKED_TOGETHER: usize;

    /// For each of some points that are left, some of those farthest from it, farthest first and at least one; all
    /// others are no farther. At least two are left.
    fn farthest_of(&self, rows: &[u32]) -> Vec<Vec<Found>>;

    /// For each point a squared distance that none of its pairs exceeds.
    fn at_most(&self) -> Vec<f64>;

    /// The centroid of some points.
    fn centre_of(&self, members: &[u32]) -> Self::Centre;

    /// Squared distance of a point from a centroid; ∞ where it has none.
    fn distance_to_centre(&self, centre: &Self::Centre, row: u32) -> f64;
}

/// Points without gaps.
pub(crate) struct Complete<'a> {
    points: &'a Points,
    tree: ShrinkingTree<'a>,
    outermost: Outermost<Vec<f64>>,
    foresight: Foresight,
    left: Centroid,
    none: Centroid,
}

/// The points that a tree has left, around their centroid.
struct AroundCentre<'s, P, T> {
    points: &'s P,
    tree: &'s T,
}

impl Around for AroundCentre<'_, Points, ShrinkingTree<'_>> {
    type Centre = Vec<f64>;

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn contains(&self, row: u32) -> bool {
        self.tree.contains(row)
    }

    fn remaining(&self) -> impl Iterator<Item = u32> {
        self.tree.remaining()
    }

    fn distance(&self, centre: &Vec<f64>, row: u32) -> f64 {
        squared_distance(centre, self.points.point(row as usize))
    }

    fn moved(&self, from: &Vec<f64>, to: &Vec<f64>) -> f64 {
        squared_distance(to, from).sqrt()
    }

    fn farthest(&self, centre: &Vec<f64>) -> Option<u32> {
        self.tree.farthest(centre).map(|found| found.row)
    }
}

impl<'a> Complete<'a> {
    /// All points; the `n_near` nearest to some will be asked for.
    pub(crate) fn new(points: &'a Points, n_near: usize) -> Self {
        Self {
            points,
            tree: ShrinkingTree::new(points),
            outermost: Outermost::new(),
            foresight: Foresight::new(n_near),
            left: Centroid::of_all(points),
            none: Centroid::none_of(points),
        }
    }

    fn point(&self, row: u32) -> &'a [f64] {
        self.points.point(row as usize)
    }
}

/// How many of the farthest points are found together.
const N_FARTHEST: usize = 8;

/// Makes a bound safe against its own rounding.
const SAFELY: f64 = 1.0 + 1e-12;

impl Ungrouped for Complete<'_> {
    type Centre = Vec<f64>;

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn contains(&self, row: u32) -> bool {
        self.tree.contains(row)
    }

    fn remaining(&self) -> Vec<u32> {
        sorted(self.tree.remaining())
    }

    fn take(&mut self, row: u32) {
        self.tree.remove(row);
        self.left.remove(self.point(row));
    }

    fn nearest(&self, to: u32, m: usize, found: &mut Vec<Found>) {
        if !self.foresight.nearest(to, m, &self.tree, found) {
            self.tree.nearest(self.point(to), m, found);
        }
    }

    fn farthest(&self, from: u32) -> Option<Found> {
        self.tree.farthest(self.point(from))
    }

    fn farthest_from_centre(&mut self) -> Option<u32> {
        let around = AroundCentre {
            points: self.points,
            tree: &self.tree,
        };
        let found = self.outermost.farthest(&self.left.coordinates(), &around)?;
        let next = self.outermost.candidates();
        self.foresight.of_outermost(found, next, &self.tree);
        Some(found)
    }

    fn opposite(&mut self, from: u32) -> Option<u32> {
        let found = self.foresight.farthest(from, &self.tree);
        let found = found.or_else(|| self.farthest(from))?.row;
        let next = self.outermost.candidates();
        self.foresight.of_opposite(found, next, &self.tree);
        Some(found)
    }

    const ASKED_TOGETHER: usize = 128;

    fn farthest_of(&self, rows: &[u32]) -> Vec<Vec<Found>> {
        self.tree.farthest_of(rows, N_FARTHEST)
    }

    fn at_most(&self) -> Vec<f64> {
        // By the triangle inequality, through the centroid.
        let centre = Centroid::of_all(self.points).coordinates();
        let distance_to_centre: Vec<f64> = (0..self.points.len())
            .map(|row| squared_distance(&centre, self.points.point(row)).sqrt())
            .collect();
        let radius = distance_to_centre.iter().copied().fold(0.0, f64::max);
        let bound = |own: &f64| (own + radius) * (own + radius) * SAFELY + f64::MIN_POSITIVE;
        distance_to_centre.iter().map(bound).collect()
    }

    fn centre_of(&self, members: &[u32]) -> Vec<f64> {
        let mut centroid = self.none.clone();
        for &row in members {
            centroid.add(self.point(row));
        }
        centroid.coordinates()
    }

    fn distance_to_centre(&self, centre: &Vec<f64>, row: u32) -> f64 {
        squared_distance(centre, self.point(row))
    }
}

/// Coordinates of a centre, and which of them are known.
type GappedCentre = (Vec<f64>, Vec<f64>);

/// Points with gaps.
pub(crate) struct Gapped<'a> {
    points: &'a GappedPoints,
    tree: GappedTree<'a>,
    outermost: Outermost<GappedCentre>,
    left: GappedCentroid,
    none: GappedCentroid,
}

impl<'a> Gapped<'a> {
    pub(crate) fn new(points: &'a GappedPoints) -> Self {
        Self {
            points,
            tree: GappedTree::new(points),
            outermost: Outermost::new(),
            left: GappedCentroid::of_all(points),
            none: GappedCentroid::none_of(points),
        }
    }

    fn point(&self, row: u32) -> Place<'a> {
        self.points.point(row as usize)
    }

    /// The farthest of the others. At least two are left.
    fn farthest_other(&self, row: u32) -> Found {
        let farthest = self.farthest(row).expect("two points are left");
        if farthest.row != row {
            return farthest;
        }
        // A point is its own farthest only where all are equal, or share no variable with it: the lowest other row.
        let mut lowest = Vec::with_capacity(2);
        self.nearest(row, 2, &mut lowest);
        let other = lowest.into_iter().find(|found| found.row != row);
        let mut other = other.expect("two points are left");
        if other.distance == f64::INFINITY {
            other.distance = f64::NEG_INFINITY;
        }
        other
    }
}

impl Around for AroundCentre<'_, GappedPoints, GappedTree<'_>> {
    type Centre = GappedCentre;

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn contains(&self, row: u32) -> bool {
        self.tree.contains(row)
    }

    fn remaining(&self) -> impl Iterator<Item = u32> {
        self.tree.remaining()
    }

    fn distance(&self, (coordinates, known): &GappedCentre, row: u32) -> f64 {
        let centre = Place { coordinates, known };
        let distance = self
            .points
            .distance(centre, self.points.point(row as usize));
        distance.unwrap_or(f64::NEG_INFINITY)
    }

    fn moved(&self, from: &GappedCentre, to: &GappedCentre) -> f64 {
        // A point keeps its variables. In those the distance is one of places, times √(p/d), so
        // that it changes by at most √(p/d) times that of the centres in d variables: √p times the
        // largest difference in one. A variable that nobody has any more is no point's.
        let differences = from.0.iter().zip(&to.0).zip(&to.1);
        let largest = differences
            .filter(|(_, known)| **known > 0.0)
            .map(|((from, to), _)| (to - from).abs())
            .fold(0.0, f64::max);
        (self.points.n_axes() as f64).sqrt() * largest
    }

    fn farthest(&self, (coordinates, known): &GappedCentre) -> Option<u32> {
        let centre = Place { coordinates, known };
        self.tree.farthest(centre).map(|found| found.row)
    }
}

impl Ungrouped for Gapped<'_> {
    type Centre = GappedCentre;

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn contains(&self, row: u32) -> bool {
        self.tree.contains(row)
    }

    fn remaining(&self) -> Vec<u32> {
        sorted(self.tree.remaining())
    }

    fn take(&mut self, row: u32) {
        self.tree.remove(row);
        self.left.remove(self.point(row));
    }

    fn nearest(&self, to: u32, m: usize, found: &mut Vec<Found>) {
        self.tree.nearest(self.point(to), m, found);
    }

    fn farthest(&self, from: u32) -> Option<Found> {
        self.tree.farthest(self.point(from))
    }

    fn farthest_from_centre(&mut self) -> Option<u32> {
        let around = AroundCentre {
            points: self.points,
            tree: &self.tree,
        };
        self.outermost.farthest(&self.left.place(), &around)
    }

    const ASKED_TOGETHER: usize = 1;

    fn farthest_of(&self, rows: &[u32]) -> Vec<Vec<Found>> {
        rows.iter()
            .map(|&row| vec![self.farthest_other(row)])
            .collect()
    }

    fn at_most(&self) -> Vec<f64> {
        // No triangle inequality: whoever is asked is searched for.
        vec![f64::INFINITY; self.points.len()]
    }

    fn centre_of(&self, members: &[u32]) -> Self::Centre {
        let mut centroid = self.none.clone();
        for &row in members {
            centroid.add(self.point(row));
        }
        centroid.place()
    }

    fn distance_to_centre(&self, (coordinates, known): &Self::Centre, row: u32) -> f64 {
        let centre = Place { coordinates, known };
        let distance = self.points.distance(centre, self.point(row));
        distance.unwrap_or(f64::INFINITY)
    }
}

fn sorted(rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    rows
}
