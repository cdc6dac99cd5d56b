//! How far the answers of a class are from those of the file: the three distances of t-closeness.

use std::ops::{Add, Mul, Sub};

use crate::kernel::numbers::quotient::{TWELVE_DECIMALS, nearest_quotient, settled};
use crate::keys::sensitive::{Amount, Parts};

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
pub(crate) enum FileAnswers {
    /// Amounts are whole numbers: counts of records, or weights without decimals.
    Whole(Compared<i128>),
    /// Sums of other weights.
    Weighted(Compared<f64>),
}

/// Totals below this leave room for the products of four amounts in 127 bits.
const TOO_MANY: f64 = 2_147_483_648.0;

impl FileAnswers {
    /// Takes the amount of each code, which is a sum of such parts in classes; none where there is
    /// nothing at all.
    pub(crate) fn new(ground: Ground, amounts: &[f64], parts: Parts) -> Option<Self> {
        let total: f64 = amounts.iter().sum();
        if total <= 0.0 || !total.is_finite() {
            return None;
        }
        Some(if parts == Parts::Whole && total < TOO_MANY {
            Self::Whole(Compared::new(ground, amounts))
        } else {
            Self::Weighted(Compared::new(ground, amounts))
        })
    }

    /// Distance of some answers, by code; none where they weigh nothing.
    pub(crate) fn distance(&self, answers: &[Amount]) -> Option<f64> {
        match self {
            Self::Whole(file) => file.distance(answers),
            Self::Weighted(file) => file.distance(answers),
        }
    }
}

/// The answers of a file in amounts of some type.
pub(crate) struct Compared<Q> {
    ground: Ground,
    /// Amount of each code; the first is missing.
    amounts: Vec<Q>,
    total: Q,
    line: Line<Q>,
}

/// Present values as places on a line.
struct Line<Q> {
    total: Q,
    /// How much there is up to each value.
    cumulative: Vec<Q>,
    /// Place of each value, from 0.
    places: Vec<Q>,
    /// Sum of the amount so far times the way to the next place, over the values before each.
    ways: Vec<Q>,
}

impl<Q: Quantity> Compared<Q> {
    fn new(ground: Ground, amounts: &[f64]) -> Self {
        let amounts: Vec<Q> = amounts.iter().map(|&amount| Q::of(amount)).collect();
        Self {
            ground,
            total: sum(amounts.iter().copied()),
            line: Line::new(ground, &amounts[1..]),
            amounts,
        }
    }

    fn distance(&self, answers: &[Amount]) -> Option<f64> {
        let total: Q = sum(answers.iter().map(|&(_, amount)| Q::of(amount)));
        if total <= Q::of(0.0) {
            return None;
        }
        let Fraction { above, below } = match self.ground {
            Ground::Nominal => self.total_variation(answers, total),
            Ground::Ordered | Ground::Ranks => self.earth_movers(answers, total),
        };
        Some(Q::quotient(above, below).clamp(0.0, 1.0))
    }

    /// (1/2) Σ |q - P|; codes that the class lacks give their P.
    fn total_variation(&self, answers: &[Amount], total: Q) -> Fraction<Q> {
        let (mut apart, mut of_others) = (Q::of(0.0), self.total);
        for &(code, amount) in answers {
            let of_file = self.amounts[code as usize];
            apart = apart + gap(Q::of(amount) * self.total, of_file * total);
            of_others = of_others - of_file;
        }
        Fraction {
            above: apart + of_others * total,
            below: Q::of(2.0) * total * self.total,
        }
    }

    /// Missing has no place on the line: what must go there or come from there goes all the way,
    /// the rest is moved along the line as if it were all. The cost of a way to move the answers,
    /// and so never less than the smallest.
    fn earth_movers(&self, answers: &[Amount], total: Q) -> Fraction<Q> {
        let (missing, present) = match answers {
            [(0, amount), present @ ..] => (Q::of(*amount), present),
            present => (Q::of(0.0), present),
        };
        let apart = Fraction {
            above: gap(missing * self.total, self.amounts[0] * total),
            below: total * self.total,
        };
        let n_present: Q = sum(present.iter().map(|&(_, amount)| Q::of(amount)));
        let nothing_moves = n_present <= Q::of(0.0) || self.line.total <= Q::of(0.0);
        let (false, Some(way)) = (nothing_moves, self.line.whole_way()) else {
            return apart;
        };
        let moved = self.line.moved(present, n_present);
        // |q0 - P0| + min(1 - q0, 1 - P0) moved / (n' N' way), where 1 - q0 = n'/n and
        // 1 - P0 = N'/N: the n' or N' of the smaller one cancels.
        let (left, all) = if n_present * self.total < self.line.total * total {
            (self.line.total, self.total)
        } else {
            (n_present, total)
        };
        Fraction {
            above: apart.above * way * left + moved * all,
            below: apart.below * way * left,
        }
    }
}

impl<Q: Quantity> Line<Q> {
    fn new(ground: Ground, amounts: &[Q]) -> Self {
        let (mut cumulative, mut places, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        let (mut total, mut place, mut way) = (Q::of(0.0), Q::of(0.0), Q::of(0.0));
        for (i, &amount) in amounts.iter().enumerate() {
            if i > 0 {
                // Places of equal values are their middle ranks, here in halves of a record.
                let step = match ground {
                    Ground::Ranks => amounts[i - 1] + amount,
                    Ground::Nominal | Ground::Ordered => Q::of(1.0),
                };
                place = place + step;
                way = way + step * total;
            }
            total = total + amount;
            cumulative.push(total);
            places.push(place);
            ways.push(way);
        }
        Self {
            total,
            cumulative,
            places,
            ways,
        }
    }

    /// From the first place to the last; none where there is one place only.
    fn whole_way(&self) -> Option<Q> {
        self.places.last().copied().filter(|way| *way > Q::of(0.0))
    }

    /// Σ |CQ - CP| times the way to the next value, times both totals.
    ///
    /// Between two answers of the class `CQ` stands still and `CP` rises: one crossing, found by
    /// bisection, and sums that are there already. A class costs its own answers, not all values.
    fn moved(&self, answers: &[Amount], total: Q) -> Q {
        let (mut apart, mut held, mut start) = (Q::of(0.0), Q::of(0.0), 0);
        for &(code, amount) in answers {
            let value = code as usize - 1;
            apart = apart + self.between(start, value, held, total);
            held = held + Q::of(amount);
            start = value;
        }
        apart + self.between(start, self.places.len() - 1, held, total)
    }

    /// The part of the sum from one value to another while the class holds so much of its total.
    fn between(&self, start: usize, end: usize, held: Q, total: Q) -> Q {
        let held = held * self.total;
        let is_below = |amount: &Q| *amount * total < held;
        let crossing = start + self.cumulative[start..end].partition_point(is_below);
        let way = |from: usize, to: usize| held * (self.places[to] - self.places[from]);
        let of_file = |from: usize, to: usize| total * (self.ways[to] - self.ways[from]);
        gap_above(way(start, crossing), of_file(start, crossing))
            + gap_above(of_file(crossing, end), way(crossing, end))
    }
}

/// A quotient that is not yet taken.
struct Fraction<Q> {
    above: Q,
    below: Q,
}

/// What amounts are calculated in.
pub(crate) trait Quantity:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// An amount that is of this type.
    fn of(amount: f64) -> Self;

    /// A share as it is compared with limits.
    fn quotient(above: Self, below: Self) -> f64;
}

/// Everything up to the quotient is exact, and the quotient is the double nearest to the true one: a
/// distance of 3/10 is the double that a plan's 0.3 is.
impl Quantity for i128 {
    fn of(amount: f64) -> Self {
        amount as Self
    }

    fn quotient(above: Self, below: Self) -> f64 {
        nearest_quotient(above.unsigned_abs(), below.unsigned_abs())
    }
}

/// Sums of weights have rounding errors of their own: the share is rounded to twelve decimals, so
/// that they do not decide on which side of a limit it lies.
impl Quantity for f64 {
    fn of(amount: f64) -> Self {
        amount
    }

    fn quotient(above: Self, below: Self) -> f64 {
        settled(above / below, TWELVE_DECIMALS)
    }
}

fn sum<Q: Quantity>(amounts: impl Iterator<Item = Q>) -> Q {
    amounts.fold(Q::of(0.0), |sum, amount| sum + amount)
}

/// |a - b|.
fn gap<Q: Quantity>(a: Q, b: Q) -> Q {
    if a < b { b - a } else { a - b }
}

/// a - b, where a is not below b but by rounding.
fn gap_above<Q: Quantity>(a: Q, b: Q) -> Q {
    if a < b { Q::of(0.0) } else { a - b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(ground: Ground, file: &[f64], answers: &[Amount]) -> f64 {
        let all = file.iter().chain(answers.iter().map(|(_, amount)| amount));
        let file = FileAnswers::new(ground, file, Parts::of(all)).expect("there are answers");
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
            assert!(FileAnswers::new(ground, &[0.0], Parts::Whole).is_none());
            let file = FileAnswers::new(ground, &[1.0, 1.0], Parts::Whole).expect("answers");
            assert_eq!(file.distance(&[]), None);
            assert_eq!(file.distance(&[(1, 0.0)]), None);
            near(distance(ground, &[2.0], &[(0, 1.0)]), 0.0);
        }
    }

    fn is(found: f64, expected: f64) {
        assert_eq!(found.to_bits(), expected.to_bits(), "{found}");
    }

    #[test]
    fn a_distance_that_is_a_decimal_is_the_double_of_that_decimal() {
        // P = .4, .6; q = .7, .3: .3. In doubles (.7 - .4 + .6 - .3)/2 is above .3.
        let answers = [(1, 7.0), (2, 3.0)];
        for ground in [Ground::Nominal, Ground::Ordered] {
            is(distance(ground, &[0.0, 4.0, 6.0], &answers), 0.3);
        }
        // Every t of two digits: q = 1, 0 and P = 1 - t, t.
        for percent in 1..=99_u32 {
            let (more, less) = (f64::from(percent), f64::from(100 - percent));
            let t: f64 = format!("0.{percent:02}").parse().expect("a number");
            for ground in [Ground::Nominal, Ground::Ordered, Ground::Ranks] {
                is(distance(ground, &[0.0, less, more], &[(1, 5.0)]), t);
            }
        }
    }

    #[test]
    fn distances_of_large_files_are_exact_as_well() {
        // A quarter of each missing: |q0 - P0| = 0, 3/4 of the ordered distance. Present P = 4/6,
        // 1/6, 1/6 and q = 0, 0, 1: (4/6 + 5/6)/2 = 3/4; 9/16 in all.
        let times = 50_000_000.0;
        let file = [2.0, 4.0, 1.0, 1.0].map(|amount| amount * times);
        let answers = [(0, 1.0 * times), (3, 3.0 * times)];
        is(distance(Ground::Ordered, &file, &answers), 9.0 / 16.0);
        // Doubled places 0, 5, 7: (5 * 4/6 + 2 * 5/6)/7 = 5/7; 15/28 in all.
        is(distance(Ground::Ranks, &file, &answers), 15.0 / 28.0);
        // Fewer missing in the class, none of them: 1/4 + 3/4 * 3/4.
        let answers = [(3, 3.0 * times)];
        is(distance(Ground::Ordered, &file, &answers), 13.0 / 16.0);
        // More missing: 1/2 - 1/4 + 1/2 * 3/4 = 5/8.
        let answers = [(0, 3.0), (3, 3.0)];
        is(distance(Ground::Ordered, &file, &answers), 5.0 / 8.0);
    }

    #[test]
    fn weights_with_decimals_do_not_decide_by_their_rounding() {
        // As above by a tenth: P = .4, .6; q = .7, .3.
        let file = [0.0, 0.1 + 0.1 + 0.1 + 0.1, 0.1 + 0.2 + 0.3];
        let answers = [(1, 0.7), (2, 0.1 + 0.1 + 0.1)];
        assert!(file[2] > 0.6, "{}", file[2]);
        for ground in [Ground::Nominal, Ground::Ordered] {
            is(distance(ground, &file, &answers), 0.3);
        }
        // Products of larger totals would not fit.
        let file = FileAnswers::new(Ground::Nominal, &[0.0, TOO_MANY], Parts::Whole);
        assert!(matches!(file, Some(FileAnswers::Weighted(_))));
    }

    #[test]
    fn whole_amounts_and_weights_give_the_same_distance() {
        // Missing ones in both, 12 values: the two ways of calculating are one formula.
        let file: Vec<f64> = (0..13_u32).map(|i| f64::from(i * 5 % 7 + 1)).collect();
        let of_halves: Vec<f64> = file.iter().map(|amount| amount / 2.0).collect();
        for first in 0..5 {
            let answers: Vec<Amount> = (first..13)
                .step_by(3)
                .map(|code| (code, f64::from(code % 4 + 1)))
                .collect();
            let halved: Vec<Amount> = answers.iter().map(|(code, of)| (*code, of / 2.0)).collect();
            for ground in [Ground::Nominal, Ground::Ordered, Ground::Ranks] {
                let whole = distance(ground, &file, &answers);
                let weighted = distance(ground, &of_halves, &halved);
                assert!((whole - weighted).abs() < 1e-12, "{whole} {weighted}");
            }
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
