//! Records as points of which some coordinates are not known.

use rayon::prelude::*;

use crate::kernel::numbers::moments::Moments;

/// As in [`squared_distance`](super::points::squared_distance), whose bits the distance of two
/// complete points has.
const LANES: usize = 4;

/// Records per parallel block.
const BLOCK: usize = 4096;

/// Points with gaps, one per record, stored record by record.
#[derive(Clone, PartialEq, Debug)]
pub struct GappedPoints {
    n: usize,
    stride: usize,
    /// 0 where not known.
    coordinates: Vec<f64>,
    /// 1 where known, else 0; as numbers, so that they can be multiplied with.
    known: Vec<f64>,
    /// Variables that tell records apart.
    n_axes: usize,
}

/// A point or a place: coordinates, and which of them are known.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// 0 where not known.
    pub coordinates: &'a [f64],
    /// 1 where known, else 0.
    pub known: &'a [f64],
}

impl GappedPoints {
    /// The records of some columns, NaN where missing, each column moved by its mean and divided by
    /// its standard deviation. A column without spread tells no records apart and counts as unknown.
    ///
    /// All columns have the same length.
    pub fn standardised(columns: &[&[f64]], by: &[Moments]) -> Self {
        let n = columns.first().map_or(0, |column| column.len());
        let stride = columns.len().next_multiple_of(LANES);
        let mut coordinates = vec![0.0; n * stride];
        let mut known = vec![0.0; n * stride];
        let size = (BLOCK * stride).max(1);
        let blocks = coordinates
            .par_chunks_mut(size)
            .zip(known.par_chunks_mut(size));
        blocks.enumerate().for_each(|(block, (places, known))| {
            let places = places.chunks_exact_mut(stride.max(1));
            let rows = places.zip(known.chunks_exact_mut(stride.max(1)));
            for (row, (place, known)) in rows.enumerate() {
                for (axis, (column, scale)) in columns.iter().zip(by).enumerate() {
                    let x = column[block * BLOCK + row];
                    if scale.sd > 0.0 && !x.is_nan() {
                        place[axis] = (x - scale.mean) / scale.sd;
                        known[axis] = 1.0;
                    }
                }
            }
        });
        Self {
            n,
            stride,
            coordinates,
            known,
            n_axes: by.iter().filter(|scale| scale.sd > 0.0).count(),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Coordinates per point, with the unused ones at the end.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Variables that tell records apart.
    pub fn n_axes(&self) -> usize {
        self.n_axes
    }

    /// A point.
    pub fn point(&self, record: usize) -> Place<'_> {
        let here = record * self.stride..(record + 1) * self.stride;
        Place {
            coordinates: &self.coordinates[here.clone()],
            known: &self.known[here],
        }
    }

    /// Σ (a - b)² over the variables that both have, times all variables over those: the mean
    /// squared difference, in the size of a sum over all. None where they share no variable.
    ///
    /// Of two complete points it is [`squared_distance`](super::points::squared_distance) to the
    /// last bit.
    pub fn distance(&self, a: Place<'_>, b: Place<'_>) -> Option<f64> {
        let (mut sums, mut shared) = ([0.0; LANES], [0.0; LANES]);
        for first in (0..self.stride).step_by(LANES) {
            for lane in 0..LANES {
                let axis = first + lane;
                let both = a.known[axis] * b.known[axis];
                let difference = a.coordinates[axis] - b.coordinates[axis];
                sums[lane] += both * (difference * difference);
                shared[lane] += both;
            }
        }
        let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        let n_shared: f64 = shared.iter().sum();
        if n_shared == 0.0 {
            return None;
        }
        let n_axes = self.n_axes as f64;
        Some(if n_shared < n_axes {
            sum * n_axes / n_shared
        } else {
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::numbers::moments::moments;
    use crate::kernel::space::points::{Points, squared_distance};

    const NONE: f64 = f64::NAN;

    #[test]
    fn the_distance_is_the_mean_over_what_both_have() {
        let unit = Moments {
            n: 3,
            mean: 0.0,
            sd: 1.0,
        };
        let constant = Moments { sd: 0.0, ..unit };
        let columns: [&[f64]; 4] = [
            &[0.0, 3.0, NONE],
            &[0.0, NONE, 1.0],
            &[0.0, 1.0, NONE],
            &[7.0, 7.0, 7.0],
        ];
        let points = GappedPoints::standardised(&columns, &[unit, unit, unit, constant]);
        let distance = |a, b| points.distance(points.point(a), points.point(b));
        // Three variables tell apart. Records 0 and 1 share two: (9 + 1)/2 * 3.
        assert_eq!(distance(0, 1), Some(15.0));
        assert_eq!(distance(0, 2), Some(3.0));
        // Records 1 and 2 share only the constant.
        assert_eq!(distance(1, 2), None);
        assert_eq!(distance(1, 1), Some(0.0));
    }

    #[test]
    fn complete_points_are_as_far_apart_as_points_without_gaps() {
        let x = [0.1, 0.7, 1.9, 2.3, 8.1];
        let y: Vec<f64> = x.iter().map(|x| x * x / 3.0).collect();
        let z: Vec<f64> = x.iter().map(|x| 1.0 / x).collect();
        let columns: [&[f64]; 5] = [&x, &y, &z, &[5.0; 5], &x];
        let by = columns.map(moments);
        let (plain, gapped) = (
            Points::standardised(&columns, &by),
            GappedPoints::standardised(&columns, &by),
        );
        for a in 0..5 {
            for b in 0..5 {
                let expected = squared_distance(plain.point(a), plain.point(b));
                let found = gapped.distance(gapped.point(a), gapped.point(b));
                assert_eq!(found.map(f64::to_bits), Some(expected.to_bits()));
            }
        }
    }
}
