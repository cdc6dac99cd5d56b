//! How far the answers of a class are from those of the file: the three distances of t-closeness.

use crate::keys::sensitive::Amount;

/// How far two values are apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ground {
    /// Any two values are equally far apart: total variation.
    Nominal,
    /// As many steps as there are values between them.
    Ordered,
    /// As many records as there are between them.
    Ranks,
}

/// The answers of the file, ready to be compared with those of classes.
pub(crate) struct FileAnswers {
    ground: Ground,
    /// Share of each code among all; the first is missing.
    shares: Vec<f64>,
    line: Line,
}

/// Present values as places on a line, `CP` their cumulative shares.
struct Line {
    cumulative: Vec<f64>,
    /// Place of each value, from 0.
    places: Vec<f64>,
    /// Sum of `CP` times the way to the next place, over the values before each.
    ways: Vec<f64>,
}

impl FileAnswers {
    /// Takes the amount of each code; none where there is nothing at all.
    pub(crate) fn new(ground: Ground, amounts: &[f64]) -> Option<Self> {
        let total: f64 = amounts.iter().sum();
        if total <= 0.0 || !total.is_finite() {
            return None;
        }
        Some(Self {
            ground,
            shares: amounts.iter().map(|amount| amount / total).collect(),
            line: Line::new(ground, &amounts[1..]),
        })
    }

    /// Distance of some answers, by code; none where they weigh nothing.
    pub(crate) fn distance(&self, answers: &[Amount]) -> Option<f64> {
        let total: f64 = answers.iter().map(|(_, amount)| amount).sum();
        if total <= 0.0 {
            return None;
        }
        let distance = match self.ground {
            Ground::Nominal => self.total_variation(answers, total),
            Ground::Ordered | Ground::Ranks => self.earth_movers(answers, total),
        };
        Some(distance.clamp(0.0, 1.0))
    }

    /// (1/2) Σ |q - P|; codes that the class lacks give their P.
    fn total_variation(&self, answers: &[Amount], total: f64) -> f64 {
        let (mut apart, mut of_file) = (0.0, 0.0);
        for &(code, amount) in answers {
            let share = self.shares[code as usize];
            apart += (amount / total - share).abs();
            of_file += share;
        }
        f64::midpoint(apart, (1.0 - of_file).max(0.0))
    }

    /// Missing has no place on the line: what must go there or come from there goes all the way,
    /// the rest is moved along the line as if it were all. The cost of a way to move the answers,
    /// and so never less than the smallest.
    fn earth_movers(&self, answers: &[Amount], total: f64) -> f64 {
        let (missing, present) = match answers {
            [(0, amount), present @ ..] => (amount / total, present),
            present => (0.0, present),
        };
        let apart = (missing - self.shares[0]).abs();
        let moved = (1.0 - missing).min(1.0 - self.shares[0]);
        if present.is_empty() || moved <= 0.0 {
            return apart;
        }
        apart + moved * self.line.distance(present)
    }
}

impl Line {
    fn new(ground: Ground, amounts: &[f64]) -> Self {
        let total: f64 = amounts.iter().sum();
        let (mut cumulative, mut places, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        let (mut sum, mut place, mut way) = (0.0, 0.0, 0.0);
        for (i, &amount) in amounts.iter().enumerate() {
            if i > 0 {
                // Places of equal values are their middle ranks.
                let step = match ground {
                    Ground::Ranks => f64::midpoint(amounts[i - 1], amount) / total,
                    Ground::Nominal | Ground::Ordered => 1.0,
                };
                place += step;
                way += step * sum / total;
            }
            sum += amount;
            cumulative.push(sum / total);
            places.push(place);
            ways.push(way);
        }
        Self {
            cumulative,
            places,
            ways,
        }
    }

    /// Σ |CQ - CP| times the way to the next value, over the whole way.
    ///
    /// Between two answers of the class `CQ` stands still and `CP` rises: one crossing, found by
    /// bisection, and sums that are there already. A class costs its own answers, not all values.
    fn distance(&self, answers: &[Amount]) -> f64 {
        let last = self.places.len() - 1;
        if self.places[last] <= 0.0 {
            return 0.0;
        }
        let total: f64 = answers.iter().map(|(_, amount)| amount).sum();
        let (mut apart, mut held, mut start) = (0.0, 0.0, 0);
        for &(code, amount) in answers {
            let value = code as usize - 1;
            apart += self.between(start, value, held / total);
            held += amount;
            start = value;
        }
        (apart + self.between(start, last, 1.0)) / self.places[last]
    }

    /// The part of the distance from one value to another while `CQ` is q.
    fn between(&self, start: usize, end: usize, q: f64) -> f64 {
        let crossing = start + self.cumulative[start..end].partition_point(|p| *p < q);
        let below = q * (self.places[crossing] - self.places[start])
            - (self.ways[crossing] - self.ways[start]);
        let above =
            (self.ways[end] - self.ways[crossing]) - q * (self.places[end] - self.places[crossing]);
        below.max(0.0) + above.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(ground: Ground, file: &[f64], answers: &[Amount]) -> f64 {
        let file = FileAnswers::new(ground, file).expect("there are answers");
        file.distance(answers).expect("there are answers")
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-14, "{found}, not {expected}");
    }

    #[test]
    fn nominal_distance_is_half_the_differences() {
        // P = .5, .3, .2; q = 0, .5, .5: (.5 + .2 + .3)/2 = .5.
        let answers = [(2, 2.0), (3, 2.0)];
        near(
            distance(Ground::Nominal, &[0.0, 5.0, 3.0, 2.0], &answers),
            0.5,
        );
        // With a missing one: P = .1, .4, .5; q = .5, .5, 0: (.4 + .1 + .5)/2.
        near(
            distance(Ground::Nominal, &[1.0, 4.0, 5.0], &[(0, 1.0), (1, 1.0)]),
            0.5,
        );
    }

    #[test]
    fn ordered_distance_of_nine_salaries() {
        // The nine incomes 3k ... 11k, CP = i/9. {3k, 4k, 5k}: |CQ - CP| = 2, 4, 6, 5, 4, 3, 2, 1
        // ninths, 27/9/8 = .375. {6k, 8k, 11k}: 1, 2, 3, 1, 2, 0, 1, 2 ninths, 12/9/8 = 1/6.
        let mut file = vec![1.0; 10];
        file[0] = 0.0;
        let low = [(1, 1.0), (2, 1.0), (3, 1.0)];
        let wide = [(4, 1.0), (6, 1.0), (9, 1.0)];
        for ground in [Ground::Ordered, Ground::Ranks] {
            near(distance(ground, &file, &low), 0.375);
            near(distance(ground, &file, &wide), 1.0 / 6.0);
        }
    }

    #[test]
    fn ties_share_their_middle_rank() {
        // Records 1, 1, 2, 3: ranks 1.5, 3, 4, places 0, 1.5, 2.5. q is all on 3; CP is .5, .75:
        // (.5 * 1.5 + .75 * 1)/2.5 = .6. In steps: (.5 + .75)/2 = .625.
        let file = [0.0, 2.0, 1.0, 1.0];
        near(distance(Ground::Ranks, &file, &[(3, 1.0)]), 0.6);
        near(distance(Ground::Ordered, &file, &[(3, 1.0)]), 0.625);
    }

    #[test]
    fn missing_is_all_the_way_from_every_value() {
        // P: half missing, a quarter each of two values. All missing: .5. None missing, all of the
        // first: .5 must come from missing, the other half moves 1/2 of the way: .5 + .5 * .5.
        let file = [2.0, 1.0, 1.0];
        near(distance(Ground::Ordered, &file, &[(0, 3.0)]), 0.5);
        near(distance(Ground::Ordered, &file, &[(1, 3.0)]), 0.75);
        near(
            distance(Ground::Ordered, &file, &[(0, 2.0), (1, 1.0), (2, 1.0)]),
            0.0,
        );
    }

    #[test]
    fn one_value_has_no_distance_and_nothing_has_none() {
        for ground in [Ground::Nominal, Ground::Ordered, Ground::Ranks] {
            near(distance(ground, &[0.0, 7.0], &[(1, 2.0)]), 0.0);
            assert!(FileAnswers::new(ground, &[0.0]).is_none());
            let file = FileAnswers::new(ground, &[1.0, 1.0]).expect("answers");
            assert_eq!(file.distance(&[]), None);
            assert_eq!(file.distance(&[(1, 0.0)]), None);
            near(distance(ground, &[2.0], &[(0, 1.0)]), 0.0);
        }
    }

    #[test]
    fn the_short_way_gives_what_the_sum_over_all_values_gives() {
        let n_values = 40_usize;
        let mut file = vec![0.0];
        file.extend((0..n_values).map(|i| ((i * 7919) % 13 + 1) as f64));
        for salt in 1..30_usize {
            let answers: Vec<Amount> = (0..n_values)
                .filter(|i| (i * salt) % 5 == 1)
                .map(|i| (i as u32 + 1, ((i + salt) % 4 + 1) as f64))
                .collect();
            if answers.is_empty() {
                continue;
            }
            let total: f64 = answers.iter().map(|(_, amount)| amount).sum();
            let of_file: f64 = file.iter().sum();
            let (mut gap, mut sum) = (0.0, 0.0);
            for (i, share) in file.iter().enumerate().take(n_values).skip(1) {
                let held = answers.iter().find(|(code, _)| *code as usize == i);
                gap += held.map_or(0.0, |(_, amount)| amount / total) - share / of_file;
                sum += f64::abs(gap);
            }
            near(
                distance(Ground::Ordered, &file, &answers),
                sum / (n_values - 1) as f64,
            );
        }
    }
}
