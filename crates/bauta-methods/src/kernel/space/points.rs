//! Records as points in the space of several variables, and distances between them.

use rayon::prelude::*;

use crate::kernel::numbers::moments::Moments;

/// Coordinates that are summed side by side. Part of the result's definition: changing
/// it changes last digits.
pub(super) const LANES: usize = 4;

/// Records per parallel block.
const BLOCK: usize = 4096;

/// Points, one per record, stored record by record.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    n: usize,
    stride: usize,
    coordinates: Vec<f64>,
}

impl Points {
    /// The records of some columns, each column moved by its mean and divided by its standard
    /// deviation. A column without spread tells no records apart and gets the coordinate 0.
    ///
    /// All columns have the same length and no missing value.
    pub fn standardised(columns: &[&[f64]], by: &[Moments]) -> Self {
        Self::scaled(
            columns,
            &by.iter()
                .map(|moments| (moments.mean, moments.sd))
                .collect::<Vec<_>>(),
        )
    }

    /// The records of some columns as they are.
    pub fn plain(columns: &[&[f64]]) -> Self {
        Self::scaled(columns, &vec![(0.0, 1.0); columns.len()])
    }

    /// Coordinates (x - centre) / unit, or 0 where the unit is 0.
    fn scaled(columns: &[&[f64]], scales: &[(f64, f64)]) -> Self {
        Self::placed(columns, scales, |x, (centre, unit)| {
            if *unit == 0.0 {
                0.0
            } else {
                (x - centre) / unit
            }
        })
    }

    /// The records of some columns, each value placed by what goes with its column.
    ///
    /// All columns have the same length.
    pub fn placed<T: Sync>(
        columns: &[&[f64]],
        by: &[T],
        coordinate: impl Fn(f64, &T) -> f64 + Sync,
    ) -> Self {
        let n = columns.first().map_or(0, |column| column.len());
        // Zeros in the unused coordinates change no distance.
        let stride = columns.len().next_multiple_of(LANES);
        let mut coordinates = vec![0.0; n * stride];
        let blocks = coordinates.par_chunks_mut((BLOCK * stride).max(1));
        blocks.enumerate().for_each(|(block, rows)| {
            for (row, point) in rows.chunks_exact_mut(stride.max(1)).enumerate() {
                let record = block * BLOCK + row;
                for ((place, column), by) in point.iter_mut().zip(columns).zip(by) {
                    *place = coordinate(column[record], by);
                }
            }
        });
        Self {
            n,
            stride,
            coordinates,
        }
    }

    /// The coordinates of some points, each named once, in this order and in the same memory.
    pub fn in_order(mut self, rows: impl Iterator<Item = u32>) -> Vec<f64> {
        let mut from: Vec<u32> = rows.collect();
        let n_named = from.len();
        let mut is_named = vec![false; self.n];
        for &row in &from {
            is_named[row as usize] = true;
        }
        // Those that are not named follow, so that every place gets a point.
        from.extend((0..self.n as u32).filter(|&row| !is_named[row as usize]));
        let stride = self.stride;
        let mut held = vec![0.0; stride];
        for start in 0..from.len() {
            if from[start] as usize == start {
                continue;
            }
            held.copy_from_slice(self.point(start));
            let mut place = start;
            loop {
                let source = from[place] as usize;
                from[place] = place as u32;
                if source == start {
                    break;
                }
                let point = source * stride..(source + 1) * stride;
                self.coordinates.copy_within(point, place * stride);
                place = source;
            }
            self.coordinates[place * stride..(place + 1) * stride].copy_from_slice(&held);
        }
        self.coordinates.truncate(n_named * stride);
        self.coordinates
    }

    /// Some of the points, in this order, side by side.
    #[must_use]
    pub fn taken(&self, rows: &[u32]) -> Self {
        let mut coordinates = Vec::with_capacity(rows.len() * self.stride);
        for &row in rows {
            coordinates.extend_from_slice(self.point(row as usize));
        }
        Self {
            n: rows.len(),
            stride: self.stride,
            coordinates,
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

    /// The coordinates of a point. Those beyond the variables are 0.
    pub fn point(&self, record: usize) -> &[f64] {
        &self.coordinates[record * self.stride..(record + 1) * self.stride]
    }
}

/// Σ (a - b)², in an order of summation that is always the same.
///
/// Rounding keeps order: if |a - b| is smaller in every coordinate, so is the result. Bounds from
/// boxes that are summed in the same order can therefore be compared with it without slack.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::numbers::moments::moments;

    #[test]
    fn standardised_records_and_their_distance() {
        // 1, 3: mean 2, sd √2, so -1/√2 and 1/√2; the second column is constant.
        let (x, constant) = ([1.0, 3.0], [5.0, 5.0]);
        let columns: [&[f64]; 2] = [&x, &constant];
        let points = Points::standardised(&columns, &columns.map(moments));
        assert_eq!((points.len(), points.stride()), (2, 4));
        let half = 0.5_f64.sqrt();
        assert!((points.point(0)[0] + half).abs() < 1e-15);
        assert_eq!(points.point(1)[1].to_bits(), 0.0_f64.to_bits());
        let distance = squared_distance(points.point(0), points.point(1));
        assert!((distance - 2.0).abs() < 1e-15);
    }

    #[test]
    fn points_are_put_in_order_where_they_stand() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        // 37 has no divisor in common with 100, so that all are named; then some.
        for n_named in [100, 61, 1, 0] {
            let rows: Vec<u32> = (0..n_named).map(|i| (37 * i + 5) % 100).collect();
            let ordered = Points::plain(&[&x, &x]).in_order(rows.iter().copied());
            let expected = rows
                .iter()
                .flat_map(|&row| [f64::from(row), f64::from(row), 0.0, 0.0]);
            assert_eq!(ordered, expected.collect::<Vec<f64>>());
        }
    }

    #[test]
    fn distances_over_more_than_one_group_of_lanes() {
        // Six columns, all differences 1: 6.
        let (low, high) = ([0.0, 1.0], [0.0, -1.0]);
        let columns: [&[f64]; 6] = [&low, &high, &low, &high, &low, &high];
        let points = Points::plain(&columns);
        assert_eq!(points.stride(), 8);
        let distance = squared_distance(points.point(0), points.point(1));
        assert_eq!(distance.to_bits(), 6.0_f64.to_bits());
    }
}
