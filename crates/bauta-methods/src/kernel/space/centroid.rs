//! The centroid of a changing set of points, exact whatever the order of changes.

use crate::kernel::space::gapped_points::{GappedPoints, Place};
use crate::kernel::space::points::Points;

/// Bits that a sum of points has beyond those of a point: files have fewer than 2^32 records.
const COUNT_BITS: i32 = 32;

/// Coordinate sums of a set of points, as whole multiples of a small unit. Adding and removing
/// points in any order gives the same sums, so that a centroid depends on its set alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Centroid {
    sums: Vec<i128>,
    n: usize,
    /// The unit is 2^-shift.
    shift: i32,
}

impl Centroid {
    /// The centroid of no point, with a unit that is fit for all of these. Their coordinates are
    /// finite.
    pub fn none_of(points: &Points) -> Self {
        let coordinates = (0..points.len()).flat_map(|row| points.point(row));
        Self::fit_for(coordinates, points.stride())
    }

    /// The centroid of no point, with a unit that is fit for points of these coordinates.
    fn fit_for<'a>(coordinates: impl Iterator<Item = &'a f64>, stride: usize) -> Self {
        let largest = coordinates.fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // largest < 2^exponent, so that each point fills 126 - 32 bits and their sum 126.
        let exponent = libm::frexp(largest).1;
        Self {
            sums: vec![0; stride],
            n: 0,
            shift: (126 - COUNT_BITS - exponent).min(1000),
        }
    }

    /// The centroid of all of these points.
    pub fn of_all(points: &Points) -> Self {
        let mut all = Self::none_of(points);
        for row in 0..points.len() {
            all.add(points.point(row));
        }
        all
    }

    /// Takes in a point.
    pub fn add(&mut self, point: &[f64]) {
        let unit = power_of_two(self.shift);
        for (sum, x) in self.sums.iter_mut().zip(point) {
            *sum += (x * unit) as i128;
        }
        self.n += 1;
    }

    /// Leaves out a point that was taken in.
    pub fn remove(&mut self, point: &[f64]) {
        let unit = power_of_two(self.shift);
        for (sum, x) in self.sums.iter_mut().zip(point) {
            *sum -= (x * unit) as i128;
        }
        self.n -= 1;
    }

    /// Its coordinates; those of no point are 0.
    pub fn coordinates(&self) -> Vec<f64> {
        let n = self.n.max(1) as f64;
        let unit = power_of_two(-self.shift);
        let mean = |&sum: &i128| sum as f64 / n * unit;
        self.sums.iter().map(mean).collect()
    }
}

/// The centroid of a changing set of points with gaps: in each variable the mean of those that have
/// it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GappedCentroid {
    sums: Centroid,
    n_known: Vec<usize>,
}

impl GappedCentroid {
    /// The centroid of no point, with a unit that is fit for all of these.
    pub fn none_of(points: &GappedPoints) -> Self {
        let coordinates = (0..points.len()).flat_map(|row| points.point(row).coordinates);
        Self {
            sums: Centroid::fit_for(coordinates, points.stride()),
            n_known: vec![0; points.stride()],
        }
    }

    /// The centroid of all of these points.
    pub fn of_all(points: &GappedPoints) -> Self {
        let mut all = Self::none_of(points);
        for row in 0..points.len() {
            all.add(points.point(row));
        }
        all
    }

    /// Takes in a point.
    pub fn add(&mut self, point: Place<'_>) {
        self.sums.add(point.coordinates);
        for (n, known) in self.n_known.iter_mut().zip(point.known) {
            *n += usize::from(*known > 0.0);
        }
    }

    /// Leaves out a point that was taken in.
    pub fn remove(&mut self, point: Place<'_>) {
        self.sums.remove(point.coordinates);
        for (n, known) in self.n_known.iter_mut().zip(point.known) {
            *n -= usize::from(*known > 0.0);
        }
    }

    /// Its coordinates, and which of them are known: 1, or 0 where no point has the variable.
    pub fn place(&self) -> (Vec<f64>, Vec<f64>) {
        let unit = power_of_two(-self.sums.shift);
        let mean = |(&sum, &n): (&i128, &usize)| sum as f64 / n.max(1) as f64 * unit;
        let coordinates = self.sums.sums.iter().zip(&self.n_known).map(mean);
        let known = self.n_known.iter().map(|&n| f64::from(u8::from(n > 0)));
        (coordinates.collect(), known.collect())
    }
}

fn power_of_two(exponent: i32) -> f64 {
    libm::scalbn(1.0, exponent)
}
