//! How far apart two points are, where coordinates are subtracted before they are scaled.

use crate::kernel::space::points::LANES;

/// Of two sums of several squares that are equal in exact arithmetic, how much larger than the other
/// one can be, as a share. With u = 2^-53: the sum of squares about a mean is off by up to 5 u, the
/// variance by 6 u, its root by 4 u, the weight by 6 u; a rounded difference times it by 8 u, squared
/// by 17 u; a sum of k of them by (19 + k / 4) u, and two sums by twice that, which is less than
/// 128 u up to 180 coordinates. (The error of a mean enters squared: it counts for nothing below 10^7
/// standard deviations.)
const SLACK: f64 = 1.0 / (1_u64 << 46) as f64;

/// Squared distances Σ ((a - b) weight)², and which of them are the same but for rounding.
#[derive(Clone, PartialEq, Debug)]
pub struct Yardstick {
    /// One per coordinate, the unused ones included.
    weights: Vec<f64>,
    /// 1, or a little more where distances can be the same without being equal.
    reach: f64,
}

impl Yardstick {
    /// For coordinates that have been scaled: distances are those of
    /// [`squared_distance`](super::points::squared_distance), since a weight of 1 changes nothing,
    /// and only equal ones are the same.
    pub fn plain(stride: usize) -> Self {
        Self {
            weights: vec![1.0; stride],
            reach: 1.0,
        }
    }

    /// For coordinates in these units. One of unit 0 counts for nothing; its differences must be
    /// finite.
    ///
    /// Distances in one coordinate keep the order of its differences, and only equal ones are the
    /// same. In several, sums of other differences can be equal too, and rounding must not part them.
    pub fn in_units(units: &[f64]) -> Self {
        let weight = |&unit: &f64| if unit == 0.0 { 0.0 } else { unit.recip() };
        let mut weights: Vec<f64> = units.iter().map(weight).collect();
        let n_counting = weights.iter().filter(|&&weight| weight > 0.0).count();
        weights.resize(units.len().next_multiple_of(LANES), 0.0);
        Self {
            weights,
            reach: if n_counting > 1 { 1.0 + SLACK } else { 1.0 },
        }
    }

    /// The largest distance that is the same as this one.
    pub fn reach(&self, distance: f64) -> f64 {
        distance * self.reach
    }

    /// A difference in a coordinate, scaled.
    pub fn scaled(&self, coordinate: usize, difference: f64) -> f64 {
        difference * self.weights[coordinate]
    }

    /// The squared distance of two points, in an order of summation that is always the same.
    ///
    /// Rounding keeps order: if |a - b| is smaller in every coordinate, so is the result.
    pub fn squared_distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let weights = self.weights.chunks_exact(LANES);
        let groups = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
        for ((a, b), weights) in groups.zip(weights) {
            for lane in 0..LANES {
                let difference = (a[lane] - b[lane]) * weights[lane];
                sums[lane] += difference * difference;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// [`Self::squared_distance`] if it does not exceed a limit. What exceeds it is mostly told by the first coordinates:
    /// sums only grow, and rounding keeps order, so that a part of the sum never exceeds the whole.
    pub fn squared_distance_within(&self, a: &[f64], b: &[f64], limit: f64) -> Option<f64> {
        let mut sums = [0.0; LANES];
        let mut total = 0.0;
        let weights = self.weights.chunks_exact(LANES);
        let groups = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
        for ((a, b), weights) in groups.zip(weights) {
            for lane in 0..LANES {
                let difference = (a[lane] - b[lane]) * weights[lane];
                sums[lane] += difference * difference;
            }
            total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            if total > limit {
                return None;
            }
        }
        Some(total)
    }

    /// The smallest squared distance that a point between two corners can have. It never exceeds
    /// [`Self::squared_distance`] of one, since it is summed in the same order.
    pub fn squared_distance_to_box(&self, low: &[f64], high: &[f64], point: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let corners = low.chunks_exact(LANES).zip(high.chunks_exact(LANES));
        let weights = self.weights.chunks_exact(LANES);
        let groups = corners.zip(point.chunks_exact(LANES)).zip(weights);
        for (((low, high), point), weights) in groups {
            for lane in 0..LANES {
                // Not `max`, which asks of each whether it is a number.
                let (below, above) = (low[lane] - point[lane], point[lane] - high[lane]);
                let outside = if below > above { below } else { above };
                let outside = if outside > 0.0 { outside } else { 0.0 };
                let difference = outside * weights[lane];
                sums[lane] += difference * difference;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::space::points::squared_distance;
    use proptest::prelude::*;

    #[test]
    fn differences_are_scaled_after_they_are_taken() {
        // ((9 - 3) / 3)² + ((1 - 2) / 0.5)² = 4 + 4; the third has no unit.
        let yardstick = Yardstick::in_units(&[3.0, 0.5, 0.0]);
        let distance = yardstick.squared_distance(&[9.0, 1.0, 7.0, 0.0], &[3.0, 2.0, 1.0, 0.0]);
        assert!((distance - 8.0).abs() < 1e-14);
    }

    #[test]
    fn only_sums_of_several_squares_have_slack() {
        for one in [&[2.0][..], &[0.0, 2.0, 0.0]] {
            let reach = Yardstick::in_units(one).reach(1.1);
            assert_eq!(reach.to_bits(), 1.1_f64.to_bits());
        }
        let yardstick = Yardstick::in_units(&[2.0, 3.0]);
        assert!(yardstick.reach(1.0) > 1.0 && yardstick.reach(1.0) < 1.0 + 1e-13);
        // What is met exactly is the same only as what is met exactly.
        assert_eq!(yardstick.reach(0.0).to_bits(), 0);
    }

    #[test]
    fn whole_differences_of_fifteen_digits_are_told_apart_in_one_coordinate() {
        let far = (1_u64 << 51) as f64;
        for unit in [3.0, 0.7, 1e15 / 7.0, 1e-9] {
            let yardstick = Yardstick::in_units(&[unit]);
            let distance = |x: f64| yardstick.squared_distance(&[x, 0.0, 0.0, 0.0], &[0.0; 4]);
            for step in 0..1000 {
                let x = far - f64::from(step);
                assert!(distance(x - 1.0) < distance(x));
            }
        }
    }

    proptest! {
        #[test]
        fn a_limit_leaves_out_what_exceeds_it_and_nothing_else(
            a in prop::array::uniform20(-1e3_f64..1e3),
            b in prop::array::uniform20(-1e3_f64..1e3),
            limit in 0.0_f64..1e8,
        ) {
            let units: Vec<f64> = (1..=20).map(|j| f64::from(j) / 7.0).collect();
            let by = Yardstick::in_units(&units);
            let whole = by.squared_distance(&a, &b);
            for limit in [limit, whole, whole.next_down(), f64::INFINITY] {
                let within = by.squared_distance_within(&a, &b, limit).map(f64::to_bits);
                let expected = (whole <= limit).then_some(whole.to_bits());
                prop_assert_eq!(within, expected);
            }
        }

        #[test]
        fn weights_of_one_change_no_bit(
            a in prop::array::uniform8(-1e3_f64..1e3),
            b in prop::array::uniform8(-1e3_f64..1e3),
        ) {
            let plain = Yardstick::plain(8);
            let expected = squared_distance(&a, &b);
            prop_assert_eq!(plain.squared_distance(&a, &b).to_bits(), expected.to_bits());
            prop_assert_eq!(plain.reach(expected).to_bits(), expected.to_bits());
            let to_box = plain.squared_distance_to_box(&a, &a, &b);
            prop_assert_eq!(to_box.to_bits(), expected.to_bits());
        }
    }
}
